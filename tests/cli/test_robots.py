"""`list`, `info`, `check`, `convert`, `schema`: robots and their files."""

from __future__ import annotations

import json

import pytest

import gearwright as gw
from gearwright.catalogue import load, robots

GOOD = """robot: lever
links:
  - name: arm
    parent: base
    joint: {name: hinge, axis: [0, 1, 0]}
    mass: 2
    com: [0.5, 0, 0]
    inertia: {xx: 0.1, yy: 0.1, zz: 0.1}
drives:
  - joint: hinge
    motor: {inertia: 1e-4}
    gear: {ratio: 100}
"""


@pytest.fixture
def lever(tmp_path):
    path = tmp_path / "lever.yaml"
    path.write_text(GOOD)
    return path


def test_list_names_every_bundled_robot(run):
    listed = json.loads(run("list", "--json").out)
    assert [row["name"] for row in listed] == list(robots())
    code, out, _ = run("list")
    assert code == 0
    assert all(name in out for name in robots())


def test_info_shows_tree_wheels_and_inertia(run, lever):
    code, out, err = run("info", lever)
    assert (code, err) == (0, "")
    for words in (
        "lever: 1 link, 1 speed, 1 wheel, 2 kg",
        "arm  2 kg, revolute hinge",
        "hinge.rotor",
        "100 hinge",
        "0.0001",
    ):
        assert words in out
    assert "62%" in out  # 1 of 0.1 + 2 * 0.5^2 + 1 kg m2
    assert "\x1b" not in out
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80


@pytest.mark.parametrize(
    ("text", "line"),
    [(GOOD.split("    mass")[0], 5), (GOOD.replace("ratio: 100", "type: screw, lead: 5 mm"), 10)],
    ids=["a joint that moves nothing", "a screw that should turn"],
)
def test_check_gives_the_line_of_what_shows_when_parts_meet(run, lever, text, line):
    lever.write_text(text)
    (problem,) = json.loads(run("check", lever, "--json").out)["problems"]
    assert problem["line"] == line


def test_info_as_json(run, lever):
    facts = json.loads(run("info", lever, "--json").out)
    assert facts["speeds"] == [{"name": "hinge", "wheels": pytest.approx(1.0), "total": pytest.approx(1.6)}]
    assert facts["wheels"][0]["ratio"] == {"hinge": 100}
    assert facts["links"][0]["parent"] == "base"


def test_info_shows_where_wheels_sit(run, lever):
    """On the joint unless stated; a stated place is shown as it is."""
    lever.write_text(
        GOOD.replace("inertia: 1e-4", "inertia: 1e-4, mass: 0.3").replace("axis:", "position: [0.5, 0, 0.25], axis:")
    )
    (wheel,) = json.loads(run("info", lever, "--json").out)["wheels"]
    assert (wheel["position"], wheel["mass"]) == ([0.5, 0, 0.25], 0.3)
    assert "0.5, 0, 0.25" in run("info", lever).out
    lever.write_text(GOOD.replace("inertia: 1e-4", "inertia: 1e-4, mass: 0.3, position: [0, 0.1, 0]"))
    assert "0, 0.1, 0" in run("info", lever).out


@pytest.mark.parametrize("name", robots())
def test_info_of_every_bundled_robot_fits_the_screen(run, name):
    code, out, _ = run("info", name)
    assert code == 0
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80


def test_info_tells_how_ratios_were_read(run, tmp_path):
    path = tmp_path / "rod.urdf"
    path.write_text(
        """<robot name="rod"><link name="base"/><link name="rod"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="pivot" type="continuous"><parent link="base"/><child link="rod"/></joint>
        <transmission name="t"><type>SimpleTransmission</type><joint name="pivot"/><actuator name="m">
        <mechanicalReduction>50</mechanicalReduction></actuator></transmission><gazebo/></robot>"""
    )
    assert "gazebo" in json.loads(run("info", path, "--json").out)["left_out"][0]
    assert "ignored: robot/gazebo" in run("check", path).err
    words = " ".join(run("info", path).out.split())
    assert "ratio 50" in words
    assert "<mechanicalReduction>" in words


def test_check_is_content(run, lever):
    assert (run("check", lever).code, run("check", lever).err) == (0, "")
    assert json.loads(run("check", lever, "--json").out)["problems"] == []


def test_check_lists_every_problem_with_its_line(run, lever):
    lever.write_text(GOOD.replace("mass: 2", "mas: 2").replace("ratio: 100", "ratio: 0").replace("1e-4", "5 parsec"))
    code, out, _ = run("check", lever)
    assert code == 2
    words = " ".join(out.split())
    for line, word in ((6, "'mass'"), (11, "parsec"), (12, "ratio")):
        assert f"lever.yaml:{line}:" in out.replace("\n", "")
        assert word in words
    found = json.loads(run("check", lever, "--json").out)["problems"]
    assert {problem["line"] for problem in found} >= {6, 11, 12}


def test_check_refuses_what_is_no_file(run, tmp_path):
    code, out, err = run("check", tmp_path / "none.yaml")
    assert code == 2
    assert "none.yaml" in out + err


def test_check_names_every_part_that_does_not_fit(run, tmp_path):
    path = tmp_path / "two_lost.yaml"
    path.write_text(
        "robot: arm\nlinks:\n"
        "  - {name: upper, parent: base, joint: {name: j1, kind: revolute, axis: [0, 0, 1]}, mass: 2, com: [1, 0, 0]}\n"
        "  - {name: fore, parent: upper, joint: {name: j2, kind: revolute, axis: [0, 0, 1]}, mass: 1, com: [1, 0, 0]}\n"
        "drives:\n"
        "  - {joint: j1, mounted_on: fore, motor: {inertia: 1e-4}, gear: {kind: simple, ratio: 50}}\n"
        "  - {joint: j2, mounted_on: base, motor: {inertia: 1e-4}, gear: {kind: simple, ratio: 50}}\n"
    )
    code, out, _ = run("check", path)
    assert code == 2
    assert "drive 'j1'" in out
    assert "drive 'j2'" in out
    assert "2 problems" in out


def test_convert_there_and_back(run, lever, tmp_path):
    urdf, back = tmp_path / "lever.urdf", tmp_path / "back.yaml"
    assert run("convert", lever, urdf).code == 0
    assert run("convert", urdf, back).code == 0
    state = [0.4], [0.5], [0.6]
    tau = [gw.inverse_dynamics(gw.assemble(load(path)), *state) for path in (lever, urdf, back)]
    assert tau[1] == pytest.approx(tau[0], rel=1e-12)
    assert tau[2] == pytest.approx(tau[0], rel=1e-12)


def test_convert_says_what_mujoco_will_refuse(run, tmp_path):
    assert "MuJoCo" in run("convert", "puma560", tmp_path / "puma.urdf").err
    assert "MuJoCo" not in run("convert", "elbow", tmp_path / "elbow.urdf").err


def test_convert_refuses(refused, lever, tmp_path):
    refused("convert", lever, lever, words=["lever.yaml", "--force"])
    refused("convert", lever, tmp_path, words=[tmp_path.name, "robot.yaml"])
    refused("convert", lever, tmp_path, "--force", words=[tmp_path.name])
    refused("convert", lever, tmp_path / "lever.txt", words=["lever.txt", ".urdf"])
    refused("convert", tmp_path / "none.urdf", tmp_path / "x.yaml", words=["none.urdf"])
    refused("convert", lever, tmp_path / "no" / "x.yaml", words=["x.yaml"])


def test_convert_overwrites_when_told(run, lever, tmp_path):
    target = tmp_path / "x.yaml"
    target.write_text("old")
    assert run("convert", lever, target, "--force").code == 0
    assert load(target).name == "lever"


def test_schema_is_json_with_the_words(run, tmp_path):
    printed = json.loads(run("schema").out)
    assert {"robot", "links", "drives", "payload", "frames"} <= set(printed["properties"])
    assert run("schema", "-o", tmp_path / "schema.json").code == 0
    assert json.loads((tmp_path / "schema.json").read_text()) == printed


def test_bad_robots_are_refused(refused, tmp_path):
    refused("info", "manutek", words=["manutek", "robot"])
    refused("info", tmp_path, words=[tmp_path.name[:20]])
    empty = tmp_path / "empty.yaml"
    empty.write_text("")
    refused("info", empty, words=["empty.yaml", "empty"])
    blob = tmp_path / "blob.urdf"
    blob.write_bytes(b"\x00\x01\xff")
    refused("info", blob, words=["blob.urdf", "binary"])


def test_export_writes_a_c_package(run, tmp_path, refused):
    code, out, _ = run("export", "elbow", "--to", "c", "-o", tmp_path / "c")
    assert code == 0
    assert {path.name for path in (tmp_path / "c").iterdir()} == {line.rsplit("/", 1)[-1] for line in out.split()}
    assert "elbow_inverse_dynamics" in (tmp_path / "c" / "elbow.h").read_text()
    refused("export", "elbow", "--to", "rust", "-o", tmp_path / "r", words=["rust", "c"])


def test_export_takes_functions_parameters_and_precision(run, tmp_path, refused):
    chosen = ["--function", "gravity", "--function", "jacobian:tool", "--parameter", "link3.mass"]
    assert run("export", "elbow", "-o", tmp_path / "c", *chosen, "--precision", "float")[0] == 0
    header = (tmp_path / "c" / "elbow.h").read_text()
    assert (
        "void elbow_jacobian_tool(const float *q, const float *parameters, float *out) GEARWRIGHT_NONBLOCKING;"
        in header
    )
    assert "ELBOW_P_LINK3_MASS = 0, /* link3.mass */" in header
    assert "inverse_dynamics" not in header
    refused("export", "elbow", "-o", tmp_path / "r", "--function", "jacobian", words=["jacobian", "body"])
    refused("export", "elbow", "-o", tmp_path / "r", "--precision", "half", words=["half", "float"])


def test_check_puts_the_parts_together(run, lever):
    lever.write_text(GOOD.replace("mass: 2", "mass: 0").replace("0.1, yy: 0.1, zz: 0.1", "0").split("drives:")[0])
    code, out, _ = run("check", lever)
    assert code == 2
    assert "1 problem." in out


def test_bundled_robots_have_no_problems(run):
    for name in robots():
        assert run("check", name).code == 0, name
