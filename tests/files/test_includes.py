"""What a file names stays in its folder, links resolved, unless folders are allowed."""

from __future__ import annotations

import pytest

import gearwright as gw
from gearwright.errors import FileError, InputError
from gearwright.files import check, read_yaml

BALL = "robot: ball\nlinks: [{name: ball, parent: base, joint: {kind: fixed}, mass: 2}]\n"
ARM = """
robot: arm
links: [{name: rod, parent: base, joint: {axis: [0, 1, 0]}, mass: 1}]
frames: [{name: tip, link: rod}]
attach: [{robot: NAME, frame: tip}]
"""
URDF = """<robot name="arm"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""


@pytest.fixture
def folders(tmp_path):
    """The folder of the robot and another one beside it, with a robot to attach and a link to it."""
    robot, other = tmp_path / "robot", tmp_path / "other"
    robot.mkdir()
    other.mkdir()
    (other / "ball.yaml").write_text(BALL)
    (robot / "sly.yaml").symlink_to(other / "ball.yaml")
    (robot / "door").symlink_to(other)
    return robot, other


def names(other):
    return {
        "up": "../other/ball.yaml",
        "round": "../robot/../other/ball.yaml",
        "absolute": str(other / "ball.yaml"),
        "link": "sly.yaml",
        "linked folder": "door/ball.yaml",
    }


@pytest.mark.parametrize("way", ["up", "round", "absolute", "link", "linked folder"])
def test_attachments_stay_in_the_folder_unless_allowed(folders, way):
    robot, other = folders
    path = robot / "arm.yaml"
    path.write_text(ARM.replace("NAME", names(other)[way]))
    with pytest.raises(FileError, match=r"attach\[0\].*--include FOLDER"):
        gw.load(path)
    assert check(path)
    for read in (gw.load, read_yaml):
        assert read(path, include=[other]).link("ball").mass == 2.0
    assert check(path, include=[str(other)]) == []


def test_an_allowed_folder_allows_no_other(folders, tmp_path):
    robot, _ = folders
    path = robot / "arm.yaml"
    path.write_text(ARM.replace("NAME", "../other/ball.yaml"))
    (tmp_path / "othe").mkdir()
    with pytest.raises(FileError, match="--include FOLDER"):
        gw.load(path, include=[tmp_path / "othe"])


def test_what_is_allowed_holds_for_attached_files_too(folders, tmp_path):
    robot, other = folders
    (tmp_path / "third").mkdir()
    (tmp_path / "third" / "ball.yaml").write_text(BALL)
    (other / "hand.yaml").write_text(ARM.replace("NAME", "../third/ball.yaml").replace("rod", "hand"))
    path = robot / "arm.yaml"
    path.write_text(ARM.replace("NAME", "../other/hand.yaml").replace("frame: tip}", "frame: tip, prefix: h_}"))
    with pytest.raises(FileError, match="--include FOLDER"):
        gw.load(path, include=[other])
    assert gw.load(path, include=[other, tmp_path / "third"]).link("h_ball").mass == 2.0


def test_a_sidecar_that_is_a_link_out_is_refused(folders):
    robot, other = folders
    (robot / "arm.urdf").write_text(URDF)
    (other / "arm.gearwright.yaml").write_text("robot: arm\ngravity: [0, 0, -1]\n")
    (robot / "arm.gearwright.yaml").symlink_to(other / "arm.gearwright.yaml")
    with pytest.raises(FileError, match=r"arm\.gearwright\.yaml'.*--include FOLDER"):
        gw.load(robot / "arm.urdf")
    assert list(gw.load(robot / "arm.urdf", include=[other]).gravity) == [0, 0, -1]


def test_a_folder_that_is_a_link_is_as_good_as_any(folders, tmp_path):
    robot, _ = folders
    (robot / "ball.yaml").write_text(BALL)
    (robot / "arm.yaml").write_text(ARM.replace("NAME", "ball.yaml"))
    (tmp_path / "way").symlink_to(robot)
    assert gw.load(tmp_path / "way" / "arm.yaml").link("ball").mass == 2.0


def test_links_in_a_circle_are_a_file_error(folders):
    robot, _ = folders
    (robot / "a.yaml").symlink_to(robot / "b.yaml")
    (robot / "b.yaml").symlink_to(robot / "a.yaml")
    (robot / "arm.yaml").write_text(ARM.replace("NAME", "a.yaml"))
    for path in (robot / "arm.yaml", robot / "a.yaml"):
        with pytest.raises(FileError):
            gw.load(path)


@pytest.mark.parametrize(
    ("include", "says"),
    [("other", "include='other'"), (["/no/such/folder"], "'/no/such/folder'"), ([None], r"include=\[None\]")],
)
def test_folders_that_are_none(folders, include, says):
    with pytest.raises(InputError, match=says):
        gw.load("elbow", include=include)
