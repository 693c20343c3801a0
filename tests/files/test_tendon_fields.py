"""Tendons, servos, armatures and named states: what they mean, and that files give them back."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import DriveError, FileError, InputError, JointError, PartError, StructureError
from gearwright.files import read_yaml, write_yaml
from gearwright.parts import Drive, Frame, Gear, Joint, Link, Motor, NamedState, Robot, Servo, Tendon, attach

LINKS = """robot: two
links:
- {name: a, parent: base, joint: {name: j1, axis: [0, 0, 1], armature: 300 gcm2}, mass: 2, com: [0.2, 0, 0]}
- {name: b, parent: a, joint: {name: j2, axis: [0, 0, 1], position: [0.4, 0, 0]}, mass: 1, com: [0.1, 0, 0]}
- {name: c, parent: b, joint: {name: j3, kind: prismatic, axis: [1, 0, 0], armature: 200 g}, mass: 1}
"""
TENDONS = """tendons:
- {name: cable, row: {j1: 1, j2: -2}, inertia: 0.01, motor: {inertia: 0.001, max_torque: 2}, servo: {kp: 5, kv: 1}}
"""
STATES = """states:
- {name: home, q: {j1: 90 deg, j3: 20 mm}, v: {j2: 60 rpm}}
- {name: rest}
"""


def robot(more: str = TENDONS + STATES) -> Robot:
    return read_yaml(LINKS + more)


def test_inertia_along_a_row():
    """M = M_links + J b b' + armatures."""
    mech = gw.assemble(robot())
    q = np.array([0.1, 0.5, 0.1])
    row = np.array([1.0, -2.0, 0.0])
    added = gw.mass_matrix(mech, q) - gw.mass_matrix(gw.approximate(mech, "none"), q)
    assert added == pytest.approx(0.011 * np.outer(row, row) + np.diag([3e-5, 0, 0.2]), abs=1e-15)
    (pull,) = [actuator for actuator in mech.actuators if actuator.name == "cable"]
    assert pull.row == (1.0, -2.0, 0.0)


def test_a_tendon_over_a_follower_counts_at_its_leader():
    follows = LINKS.replace("position: [0.4, 0, 0]", "position: [0.4, 0, 0], follows: {joint: j1, multiplier: 3}")
    mech = gw.assemble(read_yaml(follows + TENDONS))
    (spin,) = [spin for spin in mech.spins if spin.name == "cable.tendon"]
    assert spin.ratio == (-5.0, 0.0)


def test_files_give_all_of_it_back():
    text = write_yaml(robot())
    assert write_yaml(read_yaml(text)) == text
    again = read_yaml(text)
    assert again.tendons[0].servo == Servo(kp=5.0, kv=1.0)
    assert again.state("home").q == {"j1": pytest.approx(np.pi / 2), "j3": pytest.approx(0.02)}
    assert again.link_of_joint("j3").joint.armature == pytest.approx(0.2)
    drive = Drive("j2", Motor(1e-4), Gear(50.0), servo=Servo(10.0, 1.0, 3.0, 0.5, (-1, 1), (0, 255), 0.1))
    driven = robot().with_drive(drive)
    assert read_yaml(write_yaml(driven)).drive("j2").servo == drive.servo


def test_a_run_may_start_from_a_named_state():
    two = robot()
    state = gw.State.from_robot(two, "home")
    assert list(state.q) == pytest.approx([np.pi / 2, 0, 0.02])
    run = gw.simulate(two, state, 0.01, laws=())
    assert run["v.j2"][0] == pytest.approx(2 * np.pi)


def test_an_attached_robot_brings_its_tendons():
    arm = Robot("arm", [Link("upper", mass=2.0, com=(0.1, 0, 0))], frames=[Frame("tool", "upper")])
    both = attach(arm, robot(), "tool", "left_")
    assert both.tendons[0].row == {"left_j1": 1.0, "left_j2": -2.0}
    gw.assemble(both)


def test_a_motor_of_a_tendon_is_a_law():
    words = "{inertia: 0.001, torque_constant: 0.1, resistance: 2, friction: 0.01}"
    two = robot(f"tendons:\n- {{name: cable, row: {{j1: 1, j2: -2}}, motor: {words}}}\n")
    names = [law.name for law in gw.laws(two, inputs=["cable.voltage"])]
    assert "cable.motor" in names
    assert "cable.motor_friction" in names


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("tendons:\n- {name: t, row: {j9: 1}}\n", r"tendons\[0\]\.row\.j9: .*'j9'"),
        ("tendons:\n- {name: t, row: {}}\n", r"tendon 't': .*row.*\{\}"),
        ("tendons:\n- {name: t, row: {j1: 1}, servo: {kp: 1}}\n", "tendon 't': .*servo.*motor"),
        ("tendons:\n- {name: t, row: {j1: 1}, inertia: -1}\n", r"tendons\[0\]\.inertia: -1"),
        ("tendons:\n- {name: t, row: {j1: 1}}\n- {name: t, row: {j1: 1}}\n", r"line 8: tendons\[1\]\.name: .*'t'"),
        ("tendons:\n- {name: t, row: {j1: 1}, motor: {}, servo: {torque: [2, 1]}}\n", r"servo: torque \(2\.0, 1\.0\)"),
        ("tendons:\n- {name: t, row: {j1: 1}, mass: 1}\n", r"tendons\[0\]\.mass: .*'mass'"),
        ("states:\n- {name: s}\n- {name: s}\n", r"line 8: states\[1\]\.name: .*'s'"),
        ("states:\n- {name: s, q: {j1: 3 kg}}\n", r"states\[0\]\.q\.j1: '3 kg'"),
    ],
)
def test_bad_words(text, word):
    with pytest.raises(FileError, match=word):
        robot(text)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: gw.assemble(Robot("r", [Link("l", joint=Joint("j", "spherical", armature=1.0))])), JointError),
        (lambda: Joint("j", armature=-1.0), DriveError),
        (lambda: Servo(kp=float("nan")), DriveError),
        (lambda: Servo(time_constant=-1.0), DriveError),
        (lambda: Servo(torque=3), DriveError),
        (lambda: Tendon("t", {}), PartError),
        (lambda: Tendon("t", {"j": 1.0}, motor="big"), InputError),
        (lambda: Drive("j", servo=3), InputError),
        (lambda: NamedState("s", {"j1": "up"}), InputError),
        (lambda: Robot("r", [], states=[1]), InputError),
        (
            lambda: gw.assemble(Robot("r", [Link("a", mass=1.0, com=(1, 0, 0))], tendons=[Tendon("t", {"b": 1.0})])),
            StructureError,
        ),
        (lambda: gw.State.from_robot(robot(), "away"), InputError),
        (lambda: gw.State.from_robot(robot("states:\n- {name: s, q: {elbow: 1}}\n"), "s"), InputError),
    ],
)
def test_parts_that_cannot_be(make, error):
    with pytest.raises(error):
        make()
