"""A gripper or a second robot on a frame."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError, GearwrightError
from gearwright.files import read_yaml
from gearwright.parts.builders.attachment import attach

GRIPPER = """
robot: gripper
links:
  - name: palm
    parent: base
    joint: {kind: fixed, position: [0, 0, 0.05], rpy: [0.1, 0.2, 0.3]}
    mass: 0.5
    com: [0, 0.01, 0.03]
    inertia: {xx: 0.001, yy: 0.001, zz: 0.0008}
  - name: finger
    parent: palm
    joint: {kind: prismatic, position: [0.02, 0, 0.08], axis: [1, 0, 0]}
    mass: 0.1
    inertia: {xx: 1e-4, yy: 1e-4, zz: 1e-4}
  - name: thumb
    parent: palm
    joint: {kind: prismatic, position: [-0.02, 0, 0.08], axis: [1, 0, 0], follows: {joint: finger, multiplier: -1}}
    mass: 0.1
    inertia: {xx: 1e-4, yy: 1e-4, zz: 1e-4}
drives:
  - joint: finger
    mounted_on: base
    axis: [0.6, 0, 0.8]
    motor: {inertia: 1e-6, transverse_inertia: 1e-6, mass: 0.05, position: [0.01, 0.02, 0.03]}
    gear: {kind: screw, lead: 2 mm}
frames:
  - {name: tip, link: finger, position: [0, 0, 0.04]}
"""
ARM = """
robot: arm
links:
  - name: upper
    parent: base
    joint: {axis: [0, 1, 0]}
    mass: 4
    com: [0.2, 0, 0]
    inertia: {xx: 0.02, yy: 0.06, zz: 0.06}
frames:
  - {name: tool, link: upper, position: [0.4, 0, 0.1], rpy: [0.4, -0.3, 0.8]}
attach:
  - {robot: gripper.yaml, frame: tool, prefix: g_}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "gripper.yaml").write_text(GRIPPER)
    (tmp_path / "arm.yaml").write_text(ARM)
    return tmp_path


def test_the_gripper_is_on_the_arm(folder):
    robot = gw.load(folder / "arm.yaml")
    assert [link.name for link in robot.links] == ["upper", "g_palm", "g_finger", "g_thumb"]
    mech = gw.assemble(robot)
    assert mech.speeds == ("upper", "g_finger")
    # The tip in the world is the tool frame of the bare arm times the tip of the gripper alone.
    bare = gw.assemble(read_yaml(ARM.split("attach")[0]))
    alone = gw.assemble(read_yaml(GRIPPER))
    R, p = gw.placement(bare, [0.7], "tool")
    R2, p2 = gw.placement(alone, [0.01], "tip")
    found = gw.placement(mech, [0.7, 0.01], "g_tip")
    assert found[0] == pytest.approx(R @ R2)
    assert found[1] == pytest.approx(p + R @ p2)


def test_the_same_as_one_file_by_hand(folder):
    """The gripper's base is a link fixed to the tool frame: written out, the dynamics is the same."""
    text = ARM.split("frames:")[0]
    mount = "{kind: fixed, position: [0.4, 0, 0.1], rpy: [0.4, -0.3, 0.8]}"
    gripper = GRIPPER.replace("parent: base", "parent: mount").replace("mounted_on: base", "mounted_on: mount")
    links, rest = gripper.split("links:\n")[1].split("frames:")[0].split("drives:")
    by_hand = gw.assemble(read_yaml(f"{text}  - {{name: mount, parent: upper, joint: {mount}}}\n{links}drives:{rest}"))
    attached = gw.assemble(gw.load(folder / "arm.yaml"))
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    ours, theirs = (gw.inverse_dynamics(m, q, v, a) for m in (attached, by_hand))
    assert ours == pytest.approx(theirs, rel=1e-13)


def test_a_drive_of_the_attached_joint(folder):
    drive = "drives: [{joint: g_finger, name: extra, mounted_on: g_palm, axis: [0, 0, 1], motor: {inertia: 1e-6}}]\n"
    (folder / "arm.yaml").write_text(ARM + drive)
    assert len(gw.assemble(gw.load(folder / "arm.yaml")).spins) == 2
    (folder / "arm.yaml").write_text(ARM + drive.replace("g_finger", "g_fingr"))
    with pytest.raises(FileError, match=r"drives\[0\]\.joint: .*'g_finger'"):
        gw.load(folder / "arm.yaml")


def test_an_attachment_on_an_attached_robot(folder):
    """A ball at the tip of the finger of the gripper on the arm."""
    (folder / "ball.yaml").write_text("robot: ball\nlinks: [{name: ball, parent: base, joint: {kind: fixed}, mass: 2}]")
    (folder / "arm.yaml").write_text(ARM + "  - {robot: ball.yaml, frame: g_tip}\n")
    robot = gw.load(folder / "arm.yaml")
    assert robot.link("ball").parent == "g_finger"
    assert list(robot.link("ball").joint.position) == [0, 0, 0.04]
    (folder / "arm.yaml").write_text(ARM + "  - {robot: ball.yaml, frame: g_tap}\n")
    with pytest.raises(FileError, match=r"attach\[1\].*'g_tap'.*tool, g_tip"):
        gw.load(folder / "arm.yaml")


def test_too_many_attachments_are_refused(folder):
    more = "".join(f"  - {{robot: gripper.yaml, frame: tool, prefix: g{i}_}}\n" for i in range(20))
    (folder / "arm.yaml").write_text(ARM + more)
    with pytest.raises(FileError, match=r"attach: .*\b16\b"):
        gw.load(folder / "arm.yaml")


def test_a_bundled_robot_can_be_attached(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(ARM.replace("gripper.yaml", "mini_cheetah_leg"))
    assert gw.assemble(gw.load(path)).n == 4


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("gripper.yaml", "../gripper.yaml"), "--include FOLDER"),
        (("gripper.yaml", "/etc/gripper.yaml"), "--include FOLDER"),
        (("gripper.yaml", "claw.yaml"), r"attach\[0\].*claw\.yaml"),
        (("gripper.yaml", "claw"), "'claw'"),
        (("gripper.yaml", "arm.yaml"), r"attach\[0\]: 'arm\.yaml'.* 3 levels"),
        (("gripper.yaml", "mini_cheetah"), "'trunk'.*free"),
        (("frame: tool", "frame: toll"), r"attach\[0\]\.frame: .*'tool'"),
        (("prefix: g_", "prefx: g_"), r"attach\[0\]\.prefx: .*'prefix'"),
    ],
)
def test_what_cannot_be_attached(folder, change, says):
    path = folder / "arm.yaml"
    path.write_text(ARM.replace(*change))
    with pytest.raises(FileError, match=says) as caught:
        gw.load(path)
    assert all(problem.line is not None for problem in caught.value.problems)


def test_a_link_out_of_the_folder_is_refused(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "gripper.yaml"
    outside.write_text(GRIPPER)
    (folder / "sly.yaml").symlink_to(outside)
    (folder / "arm.yaml").write_text(ARM.replace("gripper.yaml", "sly.yaml"))
    with pytest.raises(FileError, match="--include FOLDER"):
        gw.load(folder / "arm.yaml")


def test_text_has_no_folder():
    with pytest.raises(FileError, match=r"attach\[0\]: 'gripper\.yaml'"):
        read_yaml(ARM)


TRAIN = """
robot: tool
links:
  - {name: jaw, parent: base, joint: {axis: [0, 0, 1]}, mass: 0.2, com: [0.03, 0, 0]}
trains:
  - name: gears
    wheels:
      - {name: pinion, carrier: base, axis: [0, 0, 1], inertia: 2e-6, mass: 0.1, position: [0.01, 0.02, 0.03]}
    meshes: [{first: pinion, second: jaw, teeth: [20, 60]}]
    motors: [{name: m, wheel: pinion, motor: {inertia: 1e-6, mass: 0.05, position: [0.01, 0.02, -0.03]}}]
"""


def test_the_train_of_an_attached_robot_comes_along(folder):
    (folder / "gripper.yaml").write_text(TRAIN)
    robot = gw.load(folder / "arm.yaml")
    spins = {spin.name: spin for spin in gw.assemble(robot).spins}
    assert set(spins) == {"g_pinion", "g_m.rotor"}
    assert spins["g_pinion"].ratio == (0, -3)
    assert spins["g_pinion"].carrier == 0
    R, p = gw.placement(gw.assemble(read_yaml(ARM.split("attach")[0])), [0.0], "tool")
    assert list(spins["g_pinion"].axis) == pytest.approx(R[:, 2])
    assert list(spins["g_pinion"].rest.position) == pytest.approx(p + R @ [0.01, 0.02, 0.03])
    assert list(spins["g_m.rotor"].rest.position) == pytest.approx(p + R @ [0.01, 0.02, -0.03])


def test_names_that_meet_need_a_prefix(folder):
    (folder / "gripper.yaml").write_text(
        GRIPPER.replace("name: palm", "name: upper").replace("parent: palm", "parent: upper")
    )
    (folder / "arm.yaml").write_text(ARM.replace(", prefix: g_", ""))
    with pytest.raises(FileError, match="link 'upper'"):
        gw.load(folder / "arm.yaml")


def test_payloads_of_both_are_carried():
    arm = read_yaml(ARM.split("attach")[0]).with_payload(1.0, (0.4, 0, 0))
    gripper = read_yaml(GRIPPER).with_payload(0.25, (0, 0, 0.1), "palm")
    both = attach(arm, gripper, "tool", "g_")
    mass = sum(body.mass for body in gw.assemble(both).bodies)
    assert mass == pytest.approx(4 + 0.5 + 0.1 + 0.1 + 0.05 + 1.0 + 0.25)
    assert both.payload.link == "upper"
    with pytest.raises(GearwrightError, match=r"'arm'.*'hook'.*tool"):
        attach(arm, gripper, "hook")
