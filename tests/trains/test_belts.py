"""Belts against explicit particles: the belt's own mass as one spin with its own coupling."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Belt, Drive, Member, Motor, Robot
from trains.arms import across, axis_in_parent, chain, explicit_chain, states
from trains.explicit import worst

R1, R2, D, DENSITY = 0.03, 0.08, 0.25, 1.7


def curve(crossed, count=20000):
    """Points of the pitch line and unit tangents (per positive turn of the first pulley), weighted by arc length.

    Built here from tangent lines and arcs alone; x from pulley 1 to pulley 2.
    """
    sign = -1 if crossed else 1
    th = np.arccos((R1 - sign * R2) / D)
    t = (np.arange(count) + 0.5) / count
    pieces = []

    def arc(centre, r, start, stop, sense):
        angle = start + (stop - start) * t
        points = centre + r * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        tangents = sense * np.stack([-np.sin(angle), np.cos(angle)], axis=-1)
        pieces.append((points, tangents, np.full(count, r * abs(stop - start) / count)))

    def line(a, b):
        a, b = np.array(a), np.array(b)
        length = np.linalg.norm(b - a)
        pieces.append((a + (b - a) * t[:, None], np.tile((b - a) / length, (count, 1)), np.full(count, length / count)))

    p1 = R1 * np.array([np.cos(th), np.sin(th)])
    p2 = np.array([D, 0]) + sign * R2 * np.array([np.cos(th), np.sin(th)])
    flip = np.array([1, -1])
    arc(np.zeros(2), R1, th, 2 * np.pi - th, 1)
    line(p1 * flip, p2 * flip)  # the lower part runs from pulley 1 to pulley 2 when pulley 1 turns about +z
    half = th if not crossed else np.pi - th
    arc(np.array([D, 0]), R2, -half, half, sign)
    line(p2, p1)
    return (np.concatenate(x) for x in zip(*pieces, strict=True))


@pytest.mark.parametrize("crossed", [False, True])
def test_belt_on_a_moving_link(crossed):
    """M of the arm with a belt on link 2 that drives joint 3, against the particles' kinetic energy by quadrature."""
    e, p = axis_in_parent("j3")
    u, w = across(e)
    motor = p - D * u  # the motor's pulley a distance D before the joint, across the axis
    belt = Belt(driver=R1, driven=R2, distance=D, line_density=DENSITY, crossed=crossed)
    mech = gw.assemble(Robot("arm", chain(), [Drive("j3", Motor(position=motor), belt)]))
    points, tangents, weights = curve(crossed)
    at = motor + points[:, :1] * u + points[:, 1:] * w
    speed = R1 * belt.ratio * (tangents[:, :1] * u + tangents[:, 1:] * w)  # of a particle per unit of joint 3
    bare = gw.assemble(Robot("arm", chain()))
    for q, *_ in states(3):
        J = gw.jacobian(bare, q, "l2")
        rotation = gw.placement(bare, q, "l2").rotation
        linear, angular = rotation.T @ J[:3], rotation.T @ J[3:]
        per_particle = linear[None] + np.cross(angular.T[None], at[:, None], axis=-1).transpose(0, 2, 1)
        per_particle[:, :, 2] += speed
        particles = np.einsum("p,pki,pkj->ij", DENSITY * weights, per_particle, per_particle)
        assert worst(gw.mass_matrix(mech, q), gw.mass_matrix(bare, q) + particles) < 1e-8


def test_equal_crossed_pulleys_are_balanced():
    belt = Belt(driver=R1, driven=R1, distance=D, line_density=1.0, crossed=True)
    (wheel,) = belt.wheels()
    assert wheel.coupling == pytest.approx(0.0, abs=1e-18)
    assert wheel.inertia == pytest.approx(1.0 * belt.pitch_line.length * R1**2)


def test_open_belt_couples_more_than_its_inertia():
    """Jc > J is normal for an open belt; the machine accepts it because the belt at rest is in the link."""
    (wheel,) = Belt(driver=R1, driven=R2, distance=D, line_density=1.0).wheels()
    assert wheel.coupling > wheel.inertia


def test_two_motors_in_one_link_with_parallel_belts():
    """Knee and ankle motors both in the first link (as in humanoid legs), against explicit rotors."""
    rotor = {"inertia": 3e-3, "mass": 0.4, "transverse_inertia": 2e-3}
    e2, p2 = axis_in_parent("j2")
    pulley = Member(1e-3, 0.2, 8e-4, position=(0.02, 0.03, 0.1))
    first = Drive("j2", Motor(**rotor, position=(0.1, 0, 0)), Belt(driver=0.02, driven=0.05, driver_member=pulley))
    # The second motor passes joint 2: its belt runs over a pulley that turns freely about joint 2's axis.
    train = gw.parts.Train(
        "ankle",
        [
            gw.parts.Gearwheel("spool", "l1", tuple(e2), 0.0, position=(0.0, 0.1, 0.0)),
            gw.parts.Gearwheel("idle", "l1", "j2", 2e-3, mass=0.3, transverse_inertia=1.5e-3),
        ],
        [
            gw.parts.Mesh("spool", "idle", teeth=(0.02, 0.04), kind="belt"),
            gw.parts.Mesh("idle", "l3", ratio=1.5),
        ],
        [gw.parts.TrainMotor("m3", "spool", motor=Motor(**rotor, position=(0.0, 0.1, 0.0)))],
    )
    mech = gw.assemble(Robot("leg", chain(), [first], trains=[train]))
    oracle = explicit_chain()
    body = (rotor["inertia"], rotor["transverse_inertia"], rotor["mass"])
    oracle.wheel("r2", "l1", {"j2": 2.5}, e2, *body, (0.1, 0, 0))
    oracle.wheel("pulley", "l1", {"j2": 2.5}, e2, 1e-3, 8e-4, 0.2, (0.02, 0.03, 0.1))
    oracle.wheel("idle", "l1", {"j2": 1.0, "j3": 1.5}, e2, 2e-3, 1.5e-3, 0.3, p2)
    oracle.wheel("r3", "l1", {"j2": 2.0, "j3": 3.0}, e2, *body, (0.0, 0.1, 0.0))
    np.testing.assert_allclose(gw.actuation.structure_matrix(mech).T, [[0, 2.5, 0], [0, 2.0, 3.0]])
    for q, v, a in states(3):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10
