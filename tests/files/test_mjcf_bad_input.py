"""MJCF files that are none, that are too large, or that name what is not there."""

from __future__ import annotations

import builtins

import pytest

import gearwright as gw
from gearwright.errors import FileError, MissingExtraError
from gearwright.files.formats import check
from gearwright.files.mjcf.reader import read_mjcf_with_report
from gearwright.files.size_limits import MAX_BODY_DEPTH, MAX_FILE_BYTES, MAX_NAME_LENGTH

PART = '<body name="b"><joint name="j"/><geom size="0.1"/></body>'
LONG = "x" * 300
URDF = '<robot name="r"><link name="a"/></robot>'


def refusal(tmp_path, text: str | bytes, name: str = "model.xml") -> str:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError) as caught:
        gw.load(path)
    assert [problem.message for problem in check(path)] == [problem[2] for problem in caught.value.problems]
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (URDF, ["<robot>", "<mujoco>", "URDF", ".urdf"]),
        ("<sdf/>", ["SDF"]),
        (f"<mujocoinclude>{PART}</mujocoinclude>", ["<mujocoinclude>"]),
        ("<package/>", ["<package>"]),
        ('<mujoco><worldbody><geom size="1"/></worldbody></mujoco>', ["joints"]),
        ("<mujoco/>", ["joints"]),
        ("<mujoco><worldbody>", ["line 1", "XML", "worldbody"]),
        ("", ["empty"]),
        (b"\0\1", ["binary"]),
        (f'<!DOCTYPE mujoco [<!ENTITY a "b">]><mujoco><worldbody>{PART}</worldbody></mujoco>', ["DOCTYPE"]),
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", ["MuJoCo", "mass and inertia"]),
        (f"<mujoco><worldbody>{PART}</worldbody><nonsense/></mujoco>", ["MuJoCo", "nonsense"]),
        ('<mujoco><include file="gone.xml"/></mujoco>', ["gone.xml"]),
        (f"<mujoco>{'<worldbody>' * 252}{'</worldbody>' * 252}</mujoco>", ["line 1", " 250 "]),
        (
            "<mujoco><worldbody>" + PART.replace('name="b"', f'name="{LONG}"') + "</worldbody></mujoco>",
            ["body", " 300 ", " 200"],
        ),
        (
            f'<mujoco><worldbody><replicate count="5000" offset="1 0 0">{PART}</replicate></worldbody></mujoco>',
            ["worldbody/replicate: ", " 5000 ", " 4000"],
        ),
        (
            '<mujoco><worldbody><replicate count="99"><replicate count="99">'
            f"{PART}</replicate></replicate></worldbody></mujoco>",
            ["worldbody/replicate/replicate: ", " 9801 ", " 4000"],
        ),
    ],
)
def test_a_file_of_another_kind_is_named(text, words, tmp_path):
    message = refusal(tmp_path, text)
    assert all(word in message for word in words), message


def test_numbers_that_are_none_are_refused_before_mujoco_logs_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    broken = PART.replace('name="b"', 'name="b" pos="0 nan 0"')
    assert "'0 nan 0'" in refusal(tmp_path, f"<mujoco><worldbody>{broken}</worldbody></mujoco>")
    assert [path.name for path in tmp_path.iterdir()] == ["model.xml"]
    called = PART.replace('name="j"', 'name="nan"')
    text = f'<mujoco><worldbody>{called}</worldbody><actuator><motor joint="nan"/></actuator></mujoco>'
    (tmp_path / "model.xml").write_text(text)
    assert gw.load("model.xml").drives[0].joint == "nan"


def test_infinite_numbers_are_refused(tmp_path):
    broken = PART.replace('name="b"', 'name="b" pos="0 inf 0"')
    message = refusal(tmp_path, f"<mujoco><worldbody>{broken}</worldbody></mujoco>")
    assert ("pos" in message and "'b'" in message) or "MuJoCo" in message


def test_bounds_are_those_of_robot_files(tmp_path):
    assert str(MAX_FILE_BYTES) in refusal(tmp_path, f"<mujoco>{' ' * MAX_FILE_BYTES}</mujoco>")
    assert MAX_NAME_LENGTH == 200
    chain = "".join('<body pos="0 0 0.1"><joint/><geom size="0.02"/>' for _ in range(MAX_BODY_DEPTH - 5))
    path = tmp_path / "chain.xml"
    path.write_text(f"<mujoco><worldbody>{chain}{'</body>' * (MAX_BODY_DEPTH - 5)}</worldbody></mujoco>")
    assert len(gw.load(path).links) == MAX_BODY_DEPTH - 5


def test_every_missing_mesh_is_named(tmp_path):
    meshes = "".join(f'<mesh name="{k}" file="gone{k}.stl"/>' for k in range(3))
    geoms = "".join(f'<geom type="mesh" mesh="{k}"/>' for k in range(3))
    message = refusal(
        tmp_path,
        f'<mujoco><compiler meshdir="meshes"/><asset>{meshes}</asset>'
        f"<worldbody><body><joint/>{geoms}</body></worldbody></mujoco>",
    )
    assert all(f"gone{k}.stl" in message for k in range(3))
    assert "meshes" in message


def test_included_files_are_looked_at_first(tmp_path):
    (tmp_path / "evil.xml").write_text('<!DOCTYPE a [<!ENTITY b "c">]><mujocoinclude/>')
    message = refusal(tmp_path, f'<mujoco><include file="evil.xml"/><worldbody>{PART}</worldbody></mujoco>')
    assert "DOCTYPE" in message


def test_an_include_of_itself_ends(tmp_path):
    message = refusal(tmp_path, f'<mujoco><include file="model.xml"/><worldbody>{PART}</worldbody></mujoco>')
    assert "MuJoCo" in message
    assert "'include'" in message


def test_nothing_is_written_while_reading(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refusal(tmp_path, "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    assert [path.name for path in tmp_path.iterdir()] == ["model.xml"]


def test_what_mujoco_says_is_noted_and_not_logged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = f'<mujoco><compiler settotalmass="3"/><worldbody>{PART}</worldbody></mujoco>'
    (tmp_path / "model.xml").write_text(text)
    robot, report = read_mjcf_with_report(tmp_path / "model.xml")
    assert robot.links[0].mass == pytest.approx(3.0)
    assert [path.name for path in tmp_path.iterdir()] == ["model.xml"]
    said = [note for note in report.notes if note.startswith("MuJoCo warning")]
    assert len(said) <= 1  # later versions may have no such word


def test_without_mujoco_it_says_what_to_type(tmp_path, monkeypatch):
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco><worldbody>{PART}</worldbody></mujoco>")
    usual = builtins.__import__

    def missing(name, *rest, **more):
        if name == "mujoco":
            raise ImportError(name)
        return usual(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtraError, match=r"pip install 'gearwright\[mjcf\]'"):
        gw.load(path)
    with pytest.raises(MissingExtraError, match="mjcf"):
        gw.export.mjcf(gw.load("elbow"), tmp_path / "elbow.xml")


def test_only_a_urdf_leaves_open_whether_it_floats(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco><worldbody>{PART}</worldbody></mujoco>")
    with pytest.raises(FileError, match="floating_base"):
        gw.load(path, floating_base=True)
