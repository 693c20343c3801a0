"""From parts to the flat machine: lumping, mounting, elastic drives, payloads, rotors counted once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import StructureError
from gearwright.parts import Drive, Frame, Gear, Joint, Link, Motor, Robot

TENSOR = np.diag([0.02, 0.03, 0.04])
Q, V, A = [0.3, -0.7], [1.1, 0.4], [-0.5, 2.0]


def robot(*drives, **more) -> Robot:
    links = [
        Link("upper", "base", Joint("shoulder"), 2, (0.2, 0, 0), TENSOR),
        Link("fore", "upper", Joint("elbow", axis=(0, 1, 0), position=(0.4, 0, 0)), 1, (0.1, 0, 0), TENSOR),
    ]
    return Robot("arm", links, drives, **more)


def drive(**motor) -> Drive:
    values = {"inertia": 1e-3, "mass": 0.5, "transverse_inertia": 8e-4, "position": (0.1, 0.05, 0)}
    return Drive("elbow", Motor(**{**values, **motor}), Gear(50), "upper", (0, 0.6, 0.8))


def test_a_rotor_is_lumped_into_its_carrier():
    """Mass, centre of mass and Steiner by hand."""
    body = gw.assemble(robot(drive())).bodies[0]
    assert body.mass == pytest.approx(2.5)
    assert tuple(body.com) == pytest.approx((0.18, 0.01, 0))
    e = np.array([0, 0.6, 0.8])
    rotor = 8e-4 * np.eye(3) + 2e-4 * np.outer(e, e)
    r = np.array([0.1, -0.05, 0])  # between the two centres; the reduced mass is 2 * 0.5 / 2.5
    expected = TENSOR + rotor + 0.4 * (r @ r * np.eye(3) - np.outer(r, r))
    assert np.array(body.inertia.rows()) == pytest.approx(expected)


def test_included_rotors_are_counted_once():
    included = gw.assemble(robot(drive(included=True)))
    assert included.bodies == gw.assemble(robot()).bodies
    lumped = gw.assemble(robot(drive()))
    by_hand = replace(lumped, spins=included.spins)
    tau = gw.inverse_dynamics(by_hand, Q, V, A)
    assert gw.inverse_dynamics(lumped, Q, V, A) == pytest.approx(tau, abs=1e-12)


def test_a_tensor_says_the_same_as_two_moments():
    e = np.array([0, 0.6, 0.8])
    tensor = 8e-4 * np.eye(3) + 2e-4 * np.outer(e, e)
    M = gw.mass_matrix(gw.assemble(robot(drive(inertia=0, transverse_inertia=None, tensor=tensor))), Q)
    assert pytest.approx(M) == gw.mass_matrix(gw.assemble(robot(drive())), Q)


def test_a_centre_of_mass_along_the_axis_is_taken():
    shifted = drive(com=(0.1, 0.05 + 0.06, 0.08))
    plain = drive(position=(0.1, 0.11, 0.08))
    assert gw.assemble(robot(shifted)).bodies == gw.assemble(robot(plain)).bodies


def test_the_motor_sits_on_the_parent_and_along_the_joint_unless_told():
    default = gw.assemble(robot(Drive("elbow", Motor(1e-3), Gear(50))))
    stated = gw.assemble(robot(Drive("elbow", Motor(1e-3), Gear(50), "upper", (0, 1, 0))))
    assert default == stated
    assert default.bodies[default.spins[0].carrier].name == "upper"


def test_gear_inertia_turns_with_the_motor():
    geared = gw.mass_matrix(gw.assemble(robot(Drive("elbow", Motor(1e-3), Gear(50, inertia=2e-4)))), Q)
    motor = gw.mass_matrix(gw.assemble(robot(Drive("elbow", Motor(1.2e-3), Gear(50)))), Q)
    assert geared == pytest.approx(motor)


def test_elastic_drive_adds_a_shaft_at_the_joint_side():
    mech = gw.assemble(robot(Drive("elbow", Motor(1e-3), Gear(50, stiffness=200.0, damping=3.0))))
    assert mech.speeds == ("shoulder", "elbow", "elbow.motor")
    q, v = [0.3, -0.7, -0.6], [0, 0.2, 0.5]
    assert gw.mass_matrix(mech, q)[2, 2] == pytest.approx(1e-3 * 50**2)
    rigid = replace(mech, springs=())
    push = 200 * (-0.7 + 0.6) + 3 * (0.2 - 0.5)
    assert gw.bias(mech, q, v) - gw.bias(rigid, q, v) == pytest.approx([0, push, -push])
    assert gw.actuator_speeds(mech, v) == pytest.approx([25.0])


def test_payload_is_a_body_bolted_on():
    inertia = np.diag([0.001, 0.002, 0.0025])
    loaded = gw.assemble(robot().with_payload(1.5, (0.3, 0, 0.1), inertia=inertia))
    bolted = gw.assemble(robot())
    tool = gw.Body("tool", "fore", joint="fixed", mass=1.5, com=(0.3, 0, 0.1), inertia=inertia)
    welded = gw.Mechanism([*bolted.bodies, tool], bolted.spins)
    expected = gw.inverse_dynamics(welded, Q, V, A)
    assert gw.inverse_dynamics(loaded, Q, V, A) == pytest.approx(expected)
    named = gw.assemble(robot().with_payload(1.5, (0.3, 0, 0.1), "fore", inertia))
    assert gw.inverse_dynamics(named, Q, V, A) == pytest.approx(expected)


def test_payload_on_a_tree_needs_a_link():
    branched = replace(robot(), links=[*robot().links, Link("other", "upper", mass=1, com=(0.1, 0, 0), inertia=TENSOR)])
    with pytest.raises(StructureError, match=r"'arm' .*\(fore, other\)"):
        gw.assemble(branched.with_payload(1.0))


def test_links_may_come_in_any_order():
    forwards, backwards = robot(drive()), robot(drive())
    backwards = replace(backwards, links=backwards.links[::-1])
    assert gw.assemble(backwards).speeds == gw.assemble(forwards).speeds
    assert gw.inverse_dynamics(gw.assemble(backwards), Q, V, A) == pytest.approx(
        gw.inverse_dynamics(gw.assemble(forwards), Q, V, A)
    )


def test_changing_a_drive_makes_a_new_robot():
    one = robot(drive())
    other = one.with_drive("elbow", replace(one.drive("elbow"), gear=Gear(80)))
    assert one.drive("elbow").gear.ratio == 50
    assert other.drive("elbow").gear.ratio == 80
    assert len(one.with_drive(Drive("shoulder", Motor(1e-3))).drives) == 2


def test_frames_come_along():
    mech = gw.assemble(robot(frames=[Frame("tip", "fore", (0.35, 0, 0))]))
    assert gw.placement(mech, [0, 0], "tip").position == pytest.approx([0.75, 0, 0])


def test_rotor_on_the_base_leaves_no_mass_on_links():
    mech = gw.assemble(robot(Drive("shoulder", Motor(1e-3, 5.0, position=(1, 1, 1)), Gear(10), "base")))
    assert mech.bodies == gw.assemble(robot()).bodies
