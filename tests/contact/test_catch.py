"""A free object that is caught and then moves with the hand: momentum is kept, energy lost and booked."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Catch, Constraint, Sphere, project, with_object
from gearwright.errors import InputError

TURN = np.array([np.cos(0.3), np.sin(0.3), 0.0, 0.0])


def relative(mech, q, object, hand):
    """Attitude and place of the object as the hand sees it."""
    (R, p), (S, o) = gw.placement(mech, q, object), gw.placement(mech, q, hand)
    return S.T @ R, S.T @ (p - o)


@pytest.fixture(scope="module")
def flight() -> tuple[gw.Mechanism, gw.Run]:
    """Two free bodies in space: a hand that turns, and a ball that spins, turned against it."""
    mech = gw.Mechanism(
        [
            gw.Body("hand", -1, "free", mass=3.0, com=(0.1, 0, 0), inertia=np.diag([0.02, 0.03, 0.04])),
            gw.Body("ball", -1, "free", mass=0.5, inertia=np.diag([1e-3, 2e-3, 1.5e-3])),
        ],
        gravity=(0, 0, 0),
    )
    q = np.concatenate([[0, 0, 0, 1, 0, 0, 0], [0.5, 0.02, 0.01], TURN])
    v = np.array([0, 0.1, 0, 0.2, 0.1, 0.5, -2.0, 0.0, 0.1, 3.0, -1.0, 2.0])
    law = Catch("ball", "hand", Sphere((0.2, 0, 0), 0.05))
    return mech, gw.simulate(mech, (q, v), until=1.0, laws=[law], samples=41, method="adaptive")


def test_momentum_is_kept_and_energy_lost(flight):
    mech, run = flight
    total = np.array([gw.momentum(mech, q, v) for q, v in zip(run.q, run.v, strict=True)])
    assert np.abs(total - total[0]).max() < 1e-8
    energy = gw.kinetic_energy(mech, run.q, run.v)
    assert energy[0] - energy[-1] > 0.1
    assert run["energy.dissipated"][-1] == pytest.approx(energy[0] - energy[-1], rel=1e-7)
    assert run.drift < 1e-7


def test_the_energy_lost_is_that_of_a_plastic_impact(flight):
    """The relative velocity u of both, all six components, is taken away: u' (J M^-1 J')^-1 u / 2."""
    mech, run = flight
    at = run.events[0].t
    before = np.flatnonzero(run.t < at)[-1]
    rest = gw.simulate(mech, (run.q[before], run.v[before]), until=at - run.t[before], samples=2, method="adaptive")
    q, v = rest.q[-1], rest.v[-1]
    p = gw.placement(mech, q, "ball")[1]
    R, o = gw.placement(mech, q, "hand")
    J = gw.jacobian(mech, q, "ball") - gw.jacobian(mech, q, "hand", R.T @ (p - o))
    u = J @ v
    lost = 0.5 * u @ np.linalg.solve(J @ np.linalg.solve(gw.mass_matrix(mech, q), J.T), u)
    assert run["energy.dissipated"][-1] == pytest.approx(lost, rel=1e-7)


def test_it_moves_with_the_hand(flight):
    mech, run = flight
    caught = np.array(run.modes["ball.catch"]) == "caught"
    assert caught.any()
    assert not caught.all()
    places = [relative(mech, q, "ball", "hand") for q in run.q[caught]]
    assert max(np.abs(R - places[0][0]).max() for R, _ in places) < 1e-7
    assert max(np.abs(p - places[0][1]).max() for _, p in places) < 1e-7
    assert np.linalg.norm(places[0][1] - [0.2, 0, 0]) == pytest.approx(0.05, abs=1e-7)


def test_a_geared_arm_catches_a_ball():
    """Arm with rotors: after the catch it carries the ball; the catch is gw.impact against all six coordinates."""
    arm = gw.assemble(gw.load("elbow"))
    robot = with_object(gw.load("elbow"), "ball", 0.8)
    mech, q = gw.assemble(robot), np.array([0.2, -0.4, 0.9])
    place = gw.placement(arm, q, "tool")[1]
    start = np.concatenate([q, place + np.array([0.0, 0.0, 0.3]), [1, 0, 0, 0]])
    law = Catch("ball", "tool", Sphere((0, 0, 0), 0.02), held=("x", "y", "z"))
    speeds = np.zeros(9)
    speeds[5] = -1.0

    def hold(t, state):
        return np.concatenate([gw.gravity(arm, state.q[:3]) - 40 * state.v[:3], np.zeros(6)])

    run = gw.simulate(
        robot,
        (start, speeds),
        until=0.4,
        laws=[law],
        controller=hold,
        samples=21,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-8),
    )
    assert run.modes["ball.catch"][-1] == "caught"
    apart = [np.linalg.norm(relative(mech, x, "ball", "tool")[1]) for x in run.q[-8:]]
    assert apart == pytest.approx([0.02] * 8, abs=1e-7)
    assert run["ball.catch.force.z"][-1] != 0
    assert run.drift < 1e-6


def test_along_one_row_it_is_the_corrected_impact_against_a_mass():
    """Caught along x alone, a sliding mass is what gw.impact strikes: the corrected eqs (20.95) to (20.97)."""
    arm = gw.assemble(gw.load("elbow"))
    both = gw.Mechanism(
        [*arm.bodies, gw.Body("sled", -1, "prismatic", (1, 0, 0), mass=2.0)],
        [gw.Spin(s.name, s.carrier, s.axis, s.inertia, [*s.ratio, 0.0], s.coupling, s.rest) for s in arm.spins],
        frames=arm.frames,
        gravity=(0, 0, 0),
    )
    q, v = np.array([0.2, -0.4, 0.9]), np.array([0.3, 0.5, -0.4])
    x = gw.placement(arm, q, "tool")[1][0]
    J = gw.jacobian(arm, q, "tool")[:1]
    after, impulse = gw.impact(arm, q, v, J, against=gw.contact.StruckBody(mass=2.0, speed=-0.7))
    tied = Constraint.from_lines(
        "tied", [gw.forces.Coordinate.for_machine(both, "x", lambda c: c.point("tool").x - c.q[3])]
    )
    found = project(both, (np.append(q, x), np.append(v, -0.7)), [tied])  # speeds as after a plastic impact
    assert found.v[:3] == pytest.approx(after, abs=1e-10)
    assert 2.0 * (found.v[3] + 0.7) == pytest.approx(-impulse[0], abs=1e-9)


def test_bad_input():
    with pytest.raises(InputError, match=r"ball\.catch: .*'ball'"):
        Catch("ball", "ball", Sphere((0, 0, 0), 0.1))
    with pytest.raises(InputError, match=r"ball\.catch: 0\.1 .*Plane, Sphere or Cylinder"):
        Catch("ball", "hand", 0.1)
    with pytest.raises(InputError, match=r"held=\(\)"):
        Catch("ball", "hand", Sphere((0, 0, 0), 0.1), held=())
    with pytest.raises(InputError, match=r"ball: mass=-1\.0"):
        with_object(gw.load("elbow"), "ball", -1.0)
