"""A xacro is a program: it runs only when somebody says so, and what it includes keeps to the rules of files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.errors import FileError, MissingExtraError
from gearwright.files import check
from gearwright.files.urdf.reader import read_urdf

HEAD = '<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro">'
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
ARM = f"""{HEAD}<xacro:property name="m" value="${{1 + 2}}"/>
<link name="a"/><link name="b"><inertial><mass value="${{m}}"/>{INERTIA}
</inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
MASS = f'{HEAD}<xacro:property name="m" value="4"/></robot>'
RUNS = (
    "(lambda: [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'catch_warnings'][0]()"
    "._module.__builtins__['open']('{mark}', 'w').close())()"
)
YAML = """
robot: carrier
links: [{name: arm, parent: base, joint: {axis: [0, 1, 0]}, mass: 1}]
frames: [{name: tool, link: arm}]
attach: [{robot: NAME, frame: tool}]
"""


def including(name: str) -> str:
    return ARM.replace('<xacro:property name="m" value="${1 + 2}"/>', f'<xacro:include filename="{name}"/>')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "robot").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mass.xacro").write_text(MASS)
    return tmp_path / "robot"


@pytest.fixture
def hostile(folder: Path) -> tuple[Path, Path]:
    """A xacro that writes a file when it is expanded, and that file."""
    path, mark = folder / "hostile.xacro", folder / "was_here"
    text = ARM.replace("1 + 2", RUNS.replace("{mark}", mark.as_posix()) + " or 3")
    path.write_text(text)
    return path, mark


def test_nothing_runs_unless_it_is_wished(hostile):
    path, mark = hostile
    for read in (gw.load, read_urdf):
        with pytest.raises(FileError, match=r"hostile\.xacro.*xacro=True \(--xacro"):
            read(path)
    (problem,) = check(path)
    assert "xacro=True" in problem.message
    assert not mark.exists()


def test_the_wish_runs_it(hostile):
    """As the help says; were it not so, the tests around this one would see nothing."""
    path, mark = hostile
    assert gw.load(path, xacro=True).link("b").mass == 3.0
    assert mark.exists()


@pytest.mark.parametrize("xacro", [False, True])
def test_an_attachment_is_never_expanded(hostile, xacro):
    path, mark = hostile
    carrier = path.parent / "carrier.yaml"
    carrier.write_text(YAML.replace("NAME", path.name))
    with pytest.raises(FileError, match=r"attach\[0\].*hostile\.xacro"):
        gw.load(carrier, xacro=xacro)
    (problem,) = check(carrier, xacro=xacro)
    assert problem.path == "attach[0]"
    assert path.name in problem.message
    assert not mark.exists()


def test_expanded(folder):
    path = folder / "made.urdf.xacro"
    path.write_text(ARM)
    assert read_urdf(path, xacro=True).link("b").mass == 3.0
    assert check(path, xacro=True) == []


def test_without_xacrodoc(folder, monkeypatch):
    path = folder / "made.xacro"
    path.write_text(ARM)
    monkeypatch.setitem(sys.modules, "xacrodoc", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'gearwright\[xacro\]'"):
        read_urdf(path, xacro=True)


def test_one_that_fails_is_a_file_error(folder):
    path = folder / "a.xacro"
    path.write_text(f'{HEAD}<link name="${{1 / 0}}"/></robot>')
    with pytest.raises(FileError, match=r"a\.xacro.*zero"):
        read_urdf(path, xacro=True)


def test_includes_are_found_beside_the_file_wherever_one_works(folder, monkeypatch, tmp_path_factory):
    (folder / "parts").mkdir()
    (folder / "parts" / "mass.xacro").write_text(MASS)
    path = folder / "arm.xacro"
    path.write_text(including("parts/mass.xacro"))
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert gw.load(path, xacro=True).link("b").mass == 4.0


def test_an_optional_include_may_be_missing(folder):
    path = folder / "arm.xacro"
    path.write_text(ARM.replace("<link", '<xacro:include filename="none.xacro" optional="true"/><link', 1))
    assert gw.load(path, xacro=True).link("b").mass == 3.0


@pytest.mark.parametrize("way", ["relative", "absolute", "link", "pattern", "yaml", "package"])
def test_includes_stay_in_the_folder_unless_allowed(folder, way):
    other = folder.parent / "other"
    (folder / "sly.xacro").symlink_to(other / "mass.xacro")
    (other / "mass.yaml").write_text("m: 4")
    (other / "package.xml").write_text("<package><name>masses</name></package>")
    names = {
        "relative": "../other/mass.xacro",
        "absolute": str(other / "mass.xacro"),
        "link": "sly.xacro",
        "pattern": "sl*.xacro",
        "package": "$(find masses)/mass.xacro",
    }
    path = folder / "arm.xacro"
    path.write_text(
        including(names[way]) if way != "yaml" else ARM.replace("1 + 2", "xacro.load_yaml('../other/mass.yaml')['m']")
    )
    with pytest.raises(FileError, match=r"include=\[folder\] \(--include FOLDER\)"):
        gw.load(path, xacro=True)
    assert gw.load(path, xacro=True, include=[other]).link("b").mass == 4.0


def test_a_package_is_found_by_its_folder(folder):
    path = folder / "arm.xacro"
    path.write_text(including("$(find other)/mass.xacro"))
    assert gw.load(path, xacro=True, include=[folder.parent]).link("b").mass == 4.0


@pytest.mark.parametrize("place", ["itself", "included", "package"])
def test_a_document_type_is_refused_in_every_file(folder, place):
    kind = '<!DOCTYPE robot [<!ENTITY e "4">]>\n'
    (folder / "mass.xacro").write_text((kind if place == "included" else "") + MASS)
    (folder / "package.xml").write_text((kind if place == "package" else "") + "<package><name>own</name></package>")
    path = folder / "arm.XACRO"
    path.write_text((kind if place == "itself" else "") + including("$(find own)/mass.xacro"))
    with pytest.raises(FileError, match="DOCTYPE or ENTITY"):
        gw.load(path, xacro=True)


def test_an_encoding_does_not_hide_a_document_type(folder):
    """Expat would follow the declaration, and read in EBCDIC what our own look takes for noise."""
    hidden = '<!DOCTYPE robot [<!ENTITY e "4">]>' + MASS.replace('"4"', '"&e;"')
    text = b'<?xml version="1.0" encoding="cp037"?>' + hidden.encode("cp037")
    (folder / "mass.xacro").write_bytes(text)
    path = folder / "arm.xacro"
    path.write_text(including("mass.xacro"))
    with pytest.raises(FileError):
        gw.load(path, xacro=True)


def test_the_library_is_left_as_it_was(folder):
    from xacrodoc import xacrodoc

    before = (xacrodoc.xacro.parse, xacrodoc.xacro.abs_filename_spec, xacrodoc.substitution_args._eval_find)
    path = folder / "arm.xacro"
    path.write_text(including("../other/mass.xacro"))
    with pytest.raises(FileError):
        gw.load(path, xacro=True)
    after = (xacrodoc.xacro.parse, xacrodoc.xacro.abs_filename_spec, xacrodoc.substitution_args._eval_find)
    assert after == before


def test_the_result_is_bounded(folder):
    path = folder / "arm.xacro"
    path.write_text(f"{HEAD}<link name=\"${{'a' * 9000000}}\"/></robot>")
    with pytest.raises(FileError, match=r"arm\.xacro.*\b8000000\b"):
        gw.load(path, xacro=True)
