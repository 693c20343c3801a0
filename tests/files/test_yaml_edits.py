"""Minimal edits of robot files: only fields that change are rewritten; comments, order and units stay."""

from __future__ import annotations

import difflib
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import robot_file
from gearwright.errors import GearwrightWarning, InputError
from gearwright.files import write_yaml
from gearwright.parts import Drive, Frame, Gear, Limits, Link, Motor

TEXT = """\
# My arm, measured in May.
robot: arm   # its name
links:
  - name: upper
    parent: base
    joint: {name: shoulder, axis: [0, 1, 0], limits: {position: [-90 deg, 90 deg]}}   # a hard stop
    mass: 5200 g
    com: [200 mm, 0, 0]
    inertia: {xx: 0.01, yy: 0.09, zz: 0.09}
  - name: fore
    parent: upper
    joint:
      name: elbow
      axis: [0, 1, 0]
      position: [400 mm, 0, 0]
    mass: 3   # with the cable
    com: [0.15, 0, 0]
    inertia: {xx: 0.006, yy: 0.03, zz: 0.03}
drives:
  # the old motors
  - joint: shoulder
    mounted_on: base
    motor: {inertia: 347 gcm2, mass: 0.24}
    gear: {ratio: 100, efficiency: 0.8}   # from the shop
  - {joint: elbow, motor: {inertia: 100 gcm2}, gear: {ratio: 50}}
"""


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that were removed and added."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))[2:]
    return [x[1:] for x in lines if x.startswith("-")], [x[1:] for x in lines if x.startswith("+")]


def edited(folder, change, text=TEXT):
    source, target = folder / "arm.yaml", folder / "new.yaml"
    source.write_text(text, newline="")
    robot = change(gw.load(source))
    gw.save(robot, target, based_on=source)
    assert write_yaml(gw.load(target)) == write_yaml(robot)
    return changed_lines(text, target.read_text())


def with_ratio(robot, joint, ratio):
    drive = robot.drive(joint)
    return robot.with_drive(replace(drive, gear=replace(drive.gear, ratio=ratio)))


def with_rotor(robot, joint, inertia):
    drive = robot.drive(joint)
    return robot.with_drive(replace(drive, motor=replace(drive.motor, inertia=inertia)))


def test_nothing_changes_where_nothing_changed(tmp_path):
    assert edited(tmp_path, lambda robot: robot) == ([], [])


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (lambda x: replace(x, links=[replace(x.links[0], mass=5.3), x.links[1]]), "mass: 5200 g", "mass: 5300 g"),
        (lambda x: x.with_joint("elbow", position=(0.41, 0, 0)), "[400 mm, 0, 0]", "[410 mm, 0, 0]"),
        (
            lambda x: x.with_joint("shoulder", limits=Limits((-np.pi / 2, np.pi / 3))),
            "[-90 deg, 90 deg]",
            "[-90 deg, 60 deg]",
        ),
        (lambda x: with_rotor(x, "shoulder", 4e-5), "inertia: 347 gcm2", "inertia: 400 gcm2"),
    ],
)
def test_changed_numbers_keep_their_units(tmp_path, change, old, new):
    for ending in ("\n", "\r\n"):
        removed, added = edited(tmp_path, change, TEXT.replace("\n", ending))
        assert [x.replace(old, new) for x in removed] == added
        assert len(added) == 1
        assert old in removed[0]


def test_a_part_that_an_alias_states_is_changed_alone(tmp_path):
    """The motor of the shoulder is the anchor; the elbow has the alias, which gets fields of its own."""
    text = TEXT.replace("motor: {inertia: 347 gcm2", "motor: &m {inertia: 347 gcm2")
    text = text.replace("motor: {inertia: 100 gcm2}", "motor: *m")
    assert edited(tmp_path, lambda x: with_rotor(x, "elbow", 4e-5), text) == (
        ["  - {joint: elbow, motor: *m, gear: {ratio: 50}}"],
        ["  - {joint: elbow, motor: {inertia: 400 gcm2, mass: 0.24}, gear: {ratio: 50}}"],
    )


def test_one_number(tmp_path):
    removed, added = edited(tmp_path, lambda robot: with_ratio(robot, "shoulder", 120.0))
    assert removed == ["    gear: {ratio: 100, efficiency: 0.8}   # from the shop"]
    assert added == ["    gear: {ratio: 120.0, efficiency: 0.8}   # from the shop"]


def test_one_number_in_a_flow_mapping(tmp_path):
    removed, added = edited(tmp_path, lambda robot: with_ratio(robot, "elbow", 60.0))
    assert added == [removed[0].replace("ratio: 50", "ratio: 60.0")]


def test_a_new_field(tmp_path):
    def change(robot):
        drive = robot.drive("shoulder")
        return robot.with_drive(replace(drive, motor=replace(drive.motor, max_torque=3.0)))

    _, added = edited(tmp_path, change)
    assert added == ["    motor: {inertia: 347 gcm2, mass: 0.24, max_torque: 3.0}"]


def test_a_new_field_of_a_block_mapping(tmp_path):
    _, added = edited(tmp_path, lambda robot: robot.with_joint("elbow", damping=0.3))
    assert added == ["      damping: 0.3"]


def test_a_new_part_and_a_removed_one(tmp_path):
    def change(robot):
        new = Drive("elbow", Motor(2e-5), Gear(30.0), name="second")
        return replace(robot, drives=[robot.drives[0], new], frames=[Frame("tool", "fore", (0.3, 0, 0))])

    removed, added = edited(tmp_path, change)
    assert removed == ["  - {joint: elbow, motor: {inertia: 100 gcm2}, gear: {ratio: 50}}"]
    assert any("second" in line for line in added)
    assert any("tool" in line for line in added)


def test_a_payload(tmp_path):
    removed, added = edited(tmp_path, lambda robot: robot.with_payload(2.0, (0.3, 0, 0)))
    assert not removed
    assert len(added) == 1


def test_a_tab_within_a_line_is_read_and_written_anew(tmp_path):
    """The C library reads it, PyYAML's own parser, which knows the places of the text, does not."""
    with pytest.warns(GearwrightWarning, match="anew"):
        edited(tmp_path, lambda robot: with_ratio(robot, "elbow", 60.0), TEXT.replace("[0.15, 0, 0]", "[0.15\t, 0, 0]"))


def test_a_change_that_cannot_be_edited_writes_the_file_anew(tmp_path):
    """Denavit-Hartenberg numbers state the place of a joint: another place has no field."""
    source, target = robot_file("elbow"), tmp_path / "new.yaml"
    other = gw.load("elbow").with_joint("j3", position=(0.41, 0.02, 0.0))
    with pytest.warns(GearwrightWarning, match="anew"):
        gw.save(other, target, based_on=source)
    assert write_yaml(gw.load(target)) == write_yaml(other)


@pytest.mark.parametrize(
    ("source", "target"), [("arm.urdf", "new.yaml"), ("arm.yaml", "new.urdf"), ("a.yaml", "b.xml")]
)
def test_a_format_that_is_not_edited_is_an_error(source, target, tmp_path):
    with pytest.raises(InputError, match="based_on"):
        gw.save(gw.load("elbow"), tmp_path / target, based_on=tmp_path / source)
    assert not list(tmp_path.iterdir())


def test_another_order_moves_entries_with_their_comments(tmp_path):
    def change(robot):
        return replace(robot, drives=robot.drives[::-1], links=[robot.links[0], replace(robot.links[1], mass=4.0)])

    text = TEXT.replace("  - {joint: elbow", "  # the small one\n  - {joint: elbow")
    source, target = tmp_path / "arm.yaml", tmp_path / "new.yaml"
    source.write_text(text)
    gw.save(change(gw.load(source)), target, based_on=source)
    assert write_yaml(gw.load(target)) == write_yaml(change(gw.load(source)))
    head, drives = target.read_text().split("drives:\n")
    assert head == text.split("drives:\n")[0].replace("mass: 3 ", "mass: 4.0 ")
    first, second = text.split("drives:\n")[1].split("  # the small one\n")
    assert drives == f"  # the small one\n{second}{first}"


def test_a_part_is_added_where_it_belongs(tmp_path):
    def change(robot):
        first, second = robot.drives
        return replace(robot, drives=[first, Drive("shoulder", Motor(2e-5), Gear(30.0), name="second"), second])

    removed, added = edited(tmp_path, change)
    assert not removed
    assert len(added) == 1
    lines = (tmp_path / "new.yaml").read_text().splitlines()
    assert "second" in lines[-2]


DH_CHANGES = {
    "centre of mass": lambda robot: replace(
        robot, links=[*robot.links[:1], replace(robot.links[1], com=(0.21, 0.01, 0.0)), robot.links[2]]
    ),
    "motor": lambda robot: robot.with_drive(
        replace(robot.drive("j2"), motor=replace(robot.drive("j2").motor, position=(0.0, 0.0, 0.12)))
    ),
    "payload": lambda robot: robot.with_payload(2.0, (0.38, 0.02, 0.01)),
    "frame": lambda robot: replace(robot, frames=[replace(robot.frames[0], position=(0.4, 0.01, 0.02))]),
}


@pytest.mark.parametrize("word", DH_CHANGES)
def test_positions_are_written_in_denavit_hartenberg_frames(word, tmp_path):
    robot, target = DH_CHANGES[word](gw.load("elbow")), tmp_path / "new.yaml"
    gw.save(robot, target, based_on=robot_file("elbow"))
    removed, added = changed_lines(robot_file("elbow").read_text(), target.read_text())
    assert len(removed) <= 1
    assert len(added) == 1
    read = gw.load(target)
    q = np.array([[0.3, -0.5, 0.8]])
    for function in (gw.mass_matrix, gw.gravity):
        assert function(read, q) == pytest.approx(function(robot, q), rel=1e-13, abs=1e-13)
    for frame in robot.frames:
        places = [np.concatenate([np.ravel(x) for x in gw.placement(x, q[0], frame.name)]) for x in (read, robot)]
        assert places[0] == pytest.approx(places[1], abs=1e-14)


def test_a_turned_and_displaced_frame(tmp_path):
    """Links of the PUMA whose far frame is both turned and displaced."""
    robot, target = gw.load("puma560"), tmp_path / "new.yaml"
    links = [replace(x, com=np.add([*x.com], (0.01, 0.02, 0.03)), mass=x.mass + 1.0) for x in robot.links]
    turned = [x for x in robot.links if x.stated.rotation != Link("x").stated.rotation and any(x.stated.origin)]
    assert turned
    moved = replace(robot, links=links)
    gw.save(moved, target, based_on=robot_file("puma560"))
    q = np.array([[0.3, -0.5, 0.8, 0.4, 1.1, -0.7]])
    assert gw.mass_matrix(gw.load(target), q) == pytest.approx(gw.mass_matrix(moved, q), rel=1e-12, abs=1e-12)


def test_a_robot_with_attachments_keeps_them(tmp_path):
    text = (
        TEXT + "frames: [{name: flange, link: fore}]\nattach:\n  - {robot: claw.yaml, frame: flange}   # the gripper\n"
    )
    (tmp_path / "claw.yaml").write_text(
        "robot: claw\nlinks:\n  - {name: finger, parent: base, joint: {axis: [0, 0, 1]}, mass: 0.1}\n"
    )
    removed, added = edited(tmp_path, lambda robot: with_ratio(robot, "elbow", 60.0), text)
    assert added == [removed[0].replace("ratio: 50", "ratio: 60.0")]
    robot = gw.load(tmp_path / "arm.yaml")
    heavier = replace(robot, links=[*robot.links[:2], replace(robot.links[2], mass=0.2)])
    with pytest.warns(GearwrightWarning, match="anew"):  # the finger is a part of another file
        gw.save(heavier, tmp_path / "new.yaml", based_on=tmp_path / "arm.yaml")
    elsewhere = tmp_path / "folder"
    elsewhere.mkdir()
    with pytest.warns(GearwrightWarning, match="anew"):  # the attachment would not be found there
        gw.save(robot, elsewhere / "new.yaml", based_on=tmp_path / "arm.yaml")
    assert write_yaml(gw.load(elsewhere / "new.yaml")) == write_yaml(robot)


@pytest.mark.parametrize("name", ["elbow", "puma560", "harmonic_6", "scara", "grm3", "planetary_3r", "sea_leg"])
def test_bundled_robots_keep_their_text(name, tmp_path):
    """The mass of a link and the inertia of a motor change: two lines, or none where they share one."""
    source = robot_file(name)
    robot = gw.load(name)
    heavier = replace(robot.links[-1], mass=robot.links[-1].mass * 1.25)
    changed = replace(robot, links=[*robot.links[:-1], heavier])
    if robot.drives:
        drive = robot.drives[0]
        changed = changed.with_drive(replace(drive, motor=replace(drive.motor, inertia=drive.motor.inertia * 1.5)))
    target = tmp_path / "new.yaml"
    gw.save(changed, target, based_on=source)
    assert write_yaml(gw.load(target)) == write_yaml(changed)
    removed, added = changed_lines(source.read_text(), target.read_text())
    assert len(removed) <= 2
    assert len(added) <= 3


URDF_WORDS = """\
robot: arm   # in the words of URDF
links:
  - name: upper
    parent: base
    joint: {name: shoulder, type: prismatic, axis: [0, 1, 0], limits: {velocity: 2}}   # the bench
    mass: 5
  - name: fore
    parent: upper
    joint:
      name: elbow
      axis: [0, 1, 0]
      origin: {xyz: [400 mm, 0, 0], rpy: [0, 0, 90 deg]}   # from the drawing
    mass: 3
  - name: hand
    parent: fore
    joint: {name: wrist, axis: [0, 1, 0], mimic: {joint: elbow, multiplier: 2}}
    mass: 1
    shapes: [{type: box, size: [1, 1, 1], origin: {xyz: [0, 0, 0.5]}}]
frames:
  - {name: tool, link: hand, xyz: [0, 0, 0.1]}
drives:
  - {joint: elbow, motor: {inertia: 100 gcm2}, gear: {type: belt, reduction: 50}}   # the shop
"""


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (lambda x: with_ratio(x, "elbow", 60.0), "reduction: 50", "reduction: 60.0"),
        (lambda x: x.with_joint("elbow", position=(0.5, 0, 0)), "[400 mm, 0, 0]", "[500 mm, 0, 0]"),
        (lambda x: x.with_joint("shoulder", limits=Limits(speed=3.0)), "velocity: 2", "velocity: 3.0"),
        (lambda x: x.with_joint("wrist", follows=("elbow", 3.0, 0.0)), "multiplier: 2", "multiplier: 3.0"),
        (lambda x: replace(x, frames=[Frame("tool", "hand", (0, 0, 0.2))]), "xyz: [0, 0, 0.1]", "xyz: [0, 0, 0.2]"),
    ],
)
def test_a_file_keeps_its_synonyms(tmp_path, change, old, new):
    removed, added = edited(tmp_path, change, URDF_WORDS)
    assert len(removed) == 1
    assert old in removed[0]
    assert added == [removed[0].replace(old, new)]


def test_a_new_orientation_goes_into_the_origin(tmp_path):
    """A file with an orientation beside an origin would be refused."""
    text = URDF_WORDS.replace(", rpy: [0, 0, 90 deg]", "")
    turned = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    removed, added = edited(tmp_path, lambda x: x.with_joint("elbow", rotation=turned), text)
    new = "0], rotation: [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]}"
    assert added == [removed[0].replace("0]}", new)]
