"""Cords: what their words mean, that files give them back, and what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError, PartError, StructureError
from gearwright.files import read_yaml, write_yaml
from gearwright.parts import Cord, Frame, Link, Robot, Roller, Waypoint, attach

LINKS = """robot: two
links:
- {name: a, parent: base, joint: {name: j1, dh: {a: 0.4}}, mass: 2, com: [-0.2, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
- {name: b, parent: a, joint: {name: j2, dh: {a: 0.2}}, mass: 1, com: [-0.1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
frames:
- {name: hook, link: b, position: [0, 0.05, 0]}
"""
ENDS = "{frame: base, position: [0, 100 mm, 0]}, {frame: hook}"
CORD = f"""cords:
- name: flexor
  route: [{ENDS}, {{divisor: 2}}, {{frame: a}}, {{frame: a, radius: 30 mm, axis: [0, 0, 1]}}, {{frame: hook}}]
  stiffness: 100
  damping: 1
  rest: [0.1, 0.2]
  friction: 2
  limits: [null, 0.9]
  inertia: 0.1
  motor: {{inertia: 0.001}}
  ratio: 20
  servo: {{kp: 3}}
"""


def test_files_give_it_back():
    text = write_yaml(read_yaml(LINKS + CORD))
    assert write_yaml(read_yaml(text)) == text
    (cord,) = read_yaml(text).cords
    assert cord.limits == (-np.inf, 0.9)
    assert [divisor for divisor, _ in cord.branches] == [1.0, 2.0]


def test_points_of_links_are_in_the_frames_of_the_file():
    """With dh the link's frame lies at its end; the body's frame sits on the joint."""
    robot = read_yaml(LINKS + f"cords:\n- {{name: c, route: [{ENDS}, {{frame: b, position: [0, 0.05, 0]}}]}}\n")
    mech, q = gw.assemble(robot), [0.3, 0.5]
    (_, hook), (R, b) = gw.placement(mech, q, "hook"), gw.placement(mech, q, "b")
    assert b + R @ robot.cords[0].route[-1].position == pytest.approx(hook, abs=1e-15)


def test_laws_of_a_cord():
    robot = read_yaml(LINKS + CORD)
    words = ("spring", "friction", "stops", "inertia", "torque", "rotor")
    for smooth in (False, True):
        assert [law.name for law in gw.laws(robot, smooth=smooth)] == [f"flexor.{word}" for word in words]


def test_an_attached_robot_brings_its_cords():
    arm = Robot("arm", [Link("upper", mass=2.0, com=(0.1, 0, 0))], frames=[Frame("tool", "upper", (0.5, 0, 0))])
    (cord,) = attach(arm, read_yaml(LINKS + CORD), "tool", "left_").cords
    assert (cord.name, cord.route[0].frame, cord.route[1].frame) == ("left_flexor", "upper", "left_hook")
    assert cord.route[0].position == (0.5, 0.1, 0.0)


def test_a_written_mjcf_says_that_cords_are_not_in_it(tmp_path):
    """The sidecar keeps them: what was written is read back with its cords."""
    robot = read_yaml(LINKS + CORD)
    report = gw.export.mjcf(robot, tmp_path / "two.xml")
    assert any("cord 'flexor'" in line for line in report.not_representable)
    again = gw.load(tmp_path / "two.xml")
    assert [cord.name for cord in again.cords] == ["flexor"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (f"{{name: c, route: [{ENDS}, {{frame: elbow}}]}}", r"route\[2\]\.frame: .*'elbow'"),
        ("{name: c, route: [{frame: base}]}", "cord 'c': .*branch"),
        ("{name: c, route: []}", "cord 'c': .*route"),
        ("{name: c, route: [{frame: base}, {frame: a, radius: 1}]}", "cord 'c': .*branch"),
        ("{name: c, route: [{frame: a}, {frame: a, radius: 0}, {frame: b}]}", r"route\[1\]\.radius: 0"),
        (
            "{name: c, route: [{frame: a}, {frame: a, radius: 1, side: [0, 0, 0]}, {frame: b}]}",
            r"roller on 'a'.* 0 m .* 1 m\b",
        ),
        ("{name: c, route: [{frame: a, axis: [0, 0, 1]}, {frame: b}]}", r"route\[0\]: axis and side"),
        (f"{{name: c, route: [{ENDS}, {{divisor: 2, frame: a}}]}}", r"route\[2\]: .*divisor"),
        (f"{{name: c, route: [{ENDS}], limits: [2, 1]}}", r"cord 'c': limits \(2, 1\)"),
        (f"{{name: c, route: [{ENDS}], servo: {{kp: 1}}}}", "cord 'c': .*servo.*motor"),
        (f"{{name: c, route: [{ENDS}], mass: 1}}", r"cords\[0\]\.mass: .*'mass'"),
        (f"{{name: c, route: [{ENDS}]}}\n- {{name: c, route: [{ENDS}]}}", r"line 9: cords\[1\]\.name: .*'c'"),
    ],
)
def test_bad_words(words, message):
    with pytest.raises(FileError, match=message):
        read_yaml(f"{LINKS}cords:\n- {words}\n")


def test_cords_that_cannot_be():
    with pytest.raises(PartError, match=r"'a': .*axis"):
        Roller("a", 0.1, axis=(0, 0, 0))
    with pytest.raises(PartError, match=r"cord 'c': .*rollers"):
        Cord("c", [Waypoint("a"), Roller("a", 0.1), Roller("b", 0.1), Waypoint("b")])
    with pytest.raises(PartError, match="cord 'c': ratio 0"):
        Cord("c", [Waypoint("a"), Waypoint("b")], ratio=0)
    links = [Link("a", mass=1.0, com=(1, 0, 0))]
    with pytest.raises(StructureError, match=r"cord 'c': .*'b'"):
        gw.laws(Robot("r", links, cords=[Cord("c", [Waypoint("base"), Waypoint("b")], stiffness=1.0)]))
