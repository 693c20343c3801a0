"""The list of closed loops beside a URDF."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.errors import FileError, GearwrightWarning

LINK = (
    '<link name="{0}"><inertial><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="{3}"><parent link="{1}"/><child link="{2}"/>'
    '<origin xyz="{4} 0 0"/><axis xyz="0 0 1"/></joint>'
)
JOINTS = [
    ("a", "ground", "left", "continuous", 0.0),
    ("b", "left", "top", "continuous", 0.3),
    ("c", "ground", "right", "continuous", 0.8),
    ("end_a", "top", "tip_a", "fixed", 0.7),
    ("end_b", "right", "tip_b", "fixed", 0.5),
]
FOUR_BAR = (
    '<robot name="bars"><link name="ground"/><link name="tip_a"/><link name="tip_b"/>'
    + "".join(LINK.format(name) for name in ("left", "top", "right"))
    + "".join(JOINT.format(*fields) for fields in JOINTS)
    + "</robot>"
)
LOOPS = "closed_loop:\n- [tip_a, end_b]\ntype: [3D]\nname_mot: [a]\n"


def load(folder, loops, robot=FOUR_BAR):
    (folder / "bars.urdf").write_text(robot)
    (folder / "bars.yaml").write_text(loops)
    return gw.load(folder / "bars.urdf")


def test_loops_and_motors_are_read(tmp_path):
    robot = load(tmp_path, LOOPS)
    assert [(loop.frames, loop.held) for loop in robot.loops] == [(("tip_a", "tip_b"), ("x", "y", "z"))]
    mech = gw.assemble(robot, start=[0.7, -0.2, 1.5])
    assert mech.speeds == ("a",)
    q = mech.closed([0.9])
    ends = [gw.placement(mech, q, name).position for name in ("tip_a", "tip_b")]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_joints_are_replaced(tmp_path):
    more = "joint_name: [b, c]\njoint_type: [SPHERICAL, UJOINT_XY]\n"
    robot = load(tmp_path, LOOPS + more)
    assert [link.joint.kind for link in robot.links[:3]].count("spherical") == 1
    universal = next(link.joint for link in robot.links if link.joint.kind == "universal")
    assert (tuple(universal.axis), tuple(universal.axis2)) == ((1, 0, 0), (0, 1, 0))
    assert gw.assemble(load(tmp_path, LOOPS + "joint_name: [b]\njoint_type: [FIXED]\n"), "tree").n == 2


@pytest.mark.parametrize(
    "text", ["robot: something\nlinks: []\n", "# notes on a closed_loop: of mine\nbroken: [1, 2\n"]
)
def test_another_yaml_file_is_not_used(tmp_path, text):
    assert not load(tmp_path, text).loops


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"\0", b"# closed_loop\n" * 600_000])
def test_a_file_that_is_no_text_does_not_keep_a_urdf_from_being_read(tmp_path, content):
    (tmp_path / "bars.yaml").write_bytes(content)
    (tmp_path / "bars.urdf").write_text(FOUR_BAR)
    assert not gw.load(tmp_path / "bars.urdf").loops


def test_a_saved_robot_does_not_get_its_loops_twice(tmp_path):
    robot = load(tmp_path, LOOPS)
    gw.save(robot, tmp_path / "bars.urdf")  # states the loops, beside the list
    again = gw.load(tmp_path / "bars.urdf")
    assert (len(again.loops), len(again.drives)) == (1, 1)


@pytest.mark.parametrize("name", ["end_a", "nothing"])
def test_motors_without_a_joint_are_left_out_and_named(tmp_path, name):
    with pytest.warns(GearwrightWarning, match=rf"name_mot\[1\].*{name}"):
        robot = load(tmp_path, LOOPS.replace("[a]", f"[a, {name}]"))
    assert [drive.joint for drive in robot.drives] == ["a"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("end_b", "nothing"), "nothing"),
        (("end_b", "[end_b]"), "end_b"),
        (("name_mot: [a]", "name_mot: [{a: 1}]"), "name_mot"),
        (("name_mot: [a]", "joint_name: [b]\njoint_type: [[FIXED]]"), "FIXED"),
        (("name_mot: [a]", "joint_name: [[b]]\njoint_type: [FIXED]"), "b"),
        (("3D", "4d"), "4d"),
        (("[3D]", "[3d, 3d]"), "2 types for 1 loop"),
        (("[tip_a, end_b]", "[tip_a]"), "tip_a"),
        (("name_mot: [a]", "joint_name: [b]"), "joint_type"),
        (("name_mot: [a]", "joint_name: [b]\njoint_type: [ROD]"), "ROD"),
        (("name_mot: [a]", "joint_name: [x]\njoint_type: [FIXED]"), "'x'"),
    ],
)
def test_bad_lists_are_refused_with_their_line(tmp_path, change, named):
    with pytest.raises(FileError, match=named) as error:
        load(tmp_path, LOOPS.replace(*change))
    assert all(problem.line is not None for problem in error.value.problems)
    assert "bars.yaml" in str(error.value)
