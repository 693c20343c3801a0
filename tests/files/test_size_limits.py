"""Robot files are bounded in size, depth and number, the bounds are said, and 1,000 links fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.errors import FileError
from gearwright.files import read_yaml, size_limits
from gearwright.files.urdf.reader import read_urdf
from gearwright.parts import Robot

MANUAL = Path(__file__).parents[2] / "docs" / "files.md"
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
LINK = "robot: r\nlinks: [{name: a, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\n"


def long_robot(count: int) -> Robot:
    """A chain whose links, joints and drives state as much as those of a bundled robot."""
    arm = gw.load("elbow")
    link, drive = arm.links[1], arm.drives[1]
    parents = ["base", *(f"link{i}" for i in range(count))]
    links = [
        replace(link, name=f"link{i}", parent=parents[i], joint=replace(link.joint, name=f"joint{i}"))
        for i in range(count)
    ]
    drives = [replace(drive, joint=f"joint{i}", name=f"drive{i}", mounted_on=parents[i]) for i in range(count)]
    return Robot("long", links, drives)


def urdf_chain(count: int, kind: str = "continuous") -> str:
    text = "".join(
        f'<link name="link{i}">{INERTIAL}</link><joint name="joint{i}" type="{kind}"><parent link="link{i - 1}"/>'
        f'<child link="link{i}"/><axis xyz="0 1 0"/></joint>'
        for i in range(1, count + 1)
    )
    return f'<robot name="r"><link name="link0"/>{text}</robot>'


def test_a_saved_yaml_of_a_thousand_links_loads(tmp_path):
    robot = long_robot(1000)
    gw.save(robot, tmp_path / "long.yaml")
    again = gw.load(tmp_path / "long.yaml")
    assert [link.name for link in again.links] == [link.name for link in robot.links]
    assert len(again.drives) == 1000


@pytest.mark.slow
def test_a_urdf_of_a_thousand_links_loads_with_its_sidecar(tmp_path):
    path = tmp_path / "long.urdf"
    path.write_text(urdf_chain(1000))
    assert len(gw.load(path).links) == 1000
    words = "".join(f"  - {{joint: joint{i}, motor: {{inertia: 1e-4}}, gear: {{ratio: 50}}}}\n" for i in range(1, 1001))
    (tmp_path / "long.gearwright.yaml").write_text("robot: r\ndrives:\n" + words)
    assert len(gw.load(path).drives) == 1000


@pytest.mark.parametrize("number", ["9" * 40_000, "9" * 40_000 + "x", "0." + "0" * 8_000 + "1", "1e" + "0" * 200 + "1"])
@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_urdf, urdf_chain(1).replace('mass value="1"', 'mass value="NUMBER"')),
        (read_urdf, urdf_chain(1).replace('xyz="0 1 0"', 'xyz="0 NUMBER 0"')),
        (read_yaml, LINK.replace("mass: 1", "mass: NUMBER")),
        (read_yaml, LINK.replace("mass: 1", "mass: NUMBER kg")),
        (read_yaml, LINK + "drives: [{joint: a, motor: {inertia: 1, lugre: NUMBER 1 1}}]\n"),
    ],
)
def test_numbers_have_a_length(read, text, number):
    with pytest.raises(FileError, match=r"\d{3,} characters.* 100\b"):
        read(text.replace("NUMBER", number))


def test_a_number_of_the_sidecar_has_a_length(tmp_path):
    (tmp_path / "arm.urdf").write_text(urdf_chain(1))
    (tmp_path / "arm.gearwright.yaml").write_text(f"links: [{{name: link1, mass: {'9' * 40_000}}}]")
    with pytest.raises(FileError, match=r"40000 characters.* 100\b"):
        gw.load(tmp_path / "arm.urdf")


def test_full_precision_passes():
    assert read_urdf(urdf_chain(1).replace('value="1"', 'value="' + "1." + "0" * 98 + '"')).links[0].mass == 1.0
    assert read_yaml(LINK.replace("mass: 1", "mass: 1." + "0" * 98)).links[0].mass == 1.0


MANY = size_limits.MAX_PARTS + 1
TOO_MUCH = {
    "links": (read_urdf, f'<robot name="r">{"<link/>" * MANY}</robot>', "4001 links"),
    "joints": (read_urdf, f'<robot name="r"><link name="a"/>{"<joint/>" * MANY}</robot>', "4001 joints"),
    "transmissions": (read_urdf, f'<robot name="r">{"<transmission/>" * MANY}</robot>', "4001 transmissions"),
    "floating joints": (read_urdf, urdf_chain(1400, "floating"), r"5\d\d\d links"),
    "elements": (read_urdf, f'<robot name="r">{"<x/>" * 200_001}</robot>', r"\b200000\b"),
    "levels": (read_urdf, "<robot>" + "<a>" * 50 + "</a>" * 50 + "</robot>", r"\b40\b"),
    "a name": (read_urdf, f'<robot name="{"r" * 201}"><link name="a"/></robot>', r"\b201\b.*\b200\b"),
    "links of a YAML": (read_yaml, "robot: r\nlinks: [" + "{}, " * MANY + "]\n", "4001 links"),
    "frames": (read_yaml, LINK + "frames: [" + "{}, " * MANY + "]\n", "4001 frames"),
    "drives": (read_yaml, LINK + "drives: [" + "{}, " * MANY + "]\n", "4001 drives"),
    "levels of a YAML": (read_yaml, LINK + "x: " + "[" * 50 + "]" * 50 + "\n", r"\b40\b"),
    "a name of a YAML": (read_yaml, LINK.replace("name: a", "name: " + "a" * 201), "200"),
    "segments": (
        read_yaml,
        "robot: r\nlinks:\n"
        + "".join(
            f"  - {{name: l{i}, parent: base, joint: {{axis: [0, 1, 0]}}, mass: 1, "
            "flexible: {length: 1, line_density: 1, bending: [1, 1], segments: 200, direction: [1, 0, 0]}}\n"
            for i in range(30)
        ),
        "6030 links",
    ),
}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_what_is_too_much_is_refused_and_the_bound_said(case):
    read, text, says = TOO_MUCH[case]
    with pytest.raises(FileError, match=says) as caught:
        read(text)
    assert any(
        str(getattr(size_limits, name)) in str(caught.value) for name in vars(size_limits) if name.startswith("MAX")
    )


def test_attachments_do_not_multiply(tmp_path):
    """Sixteen files that attach sixteen each would be read 273 times."""
    frames = "frames: [{name: f, link: a}]\nattach:\n"
    for name, other in (("top", "middle"), ("middle", "leaf")):
        lines = "".join(f"  - {{robot: {other}.yaml, frame: f, prefix: p{i}_}}\n" for i in range(16))
        (tmp_path / f"{name}.yaml").write_text(LINK + frames + lines)
    (tmp_path / "leaf.yaml").write_text(LINK)
    assert len(gw.load(tmp_path / "middle.yaml").links) == 17
    with pytest.raises(FileError, match="64 files"):
        gw.load(tmp_path / "top.yaml")


def test_attached_links_are_counted_together(tmp_path):
    links = "".join(f"  - {{name: l{i}, parent: base, joint: {{kind: fixed}}}}\n" for i in range(1500))
    (tmp_path / "third.yaml").write_text(f"robot: third\nlinks:\n{links}")
    lines = "".join(f"  - {{robot: third.yaml, frame: f, prefix: p{i}_}}\n" for i in range(3))
    (tmp_path / "whole.yaml").write_text(LINK + "frames: [{name: f, link: a}]\nattach:\n" + lines)
    with pytest.raises(FileError, match=r"attach\[2\].*4501 links"):
        gw.load(tmp_path / "whole.yaml")


@pytest.mark.parametrize("name", [name for name in vars(size_limits) if name.isupper() and name != "SHORT"])
def test_the_manual_says_every_bound(name):
    assert f" | {getattr(size_limits, name):,} |\n" in MANUAL.read_text(), name
