"""End stops: bouncing, resting, leaving, compliant ones; what an impact does to friction elsewhere."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.forces import Line, Load
from gearwright.forces.contact.end_stops import Stops, compliant_stops, stop_laws
from gearwright.forces.friction.dry_friction import DryFriction
from gearwright.parts import Friction, Joint, Limits, Link, Robot

G, MASS = 9.81, 2.0
BALL = gw.Mechanism([gw.Body("ball", joint="prismatic", axis=(0, 0, 1), mass=MASS)])
LINE = Line.for_machine(BALL, "ball")


def test_a_ball_bounces_as_newton_says():
    """From height h the k-th bounce reaches e^2k h; after t0 (1 + e)/(1 - e), t0 = sqrt(2h/g), it lies still."""
    e, fall = 0.8, math.sqrt(2 / G)
    floor = Stops("floor", LINE, 0.0, float("inf"), e, capture=1e-6, unit="N")
    run = gw.simulate(BALL, [1.0], until=6.0, laws=[floor], samples=6001)
    hits = [h.t for h in run.events]
    times = [fall * (1 + 2 * sum(e**k for k in range(1, n + 1))) for n in range(5)]
    np.testing.assert_allclose(hits[:5], times, rtol=1e-8)
    heights = [run.q[(run.t > a) & (run.t < b), 0].max() for a, b in pairwise(hits[:4])]
    np.testing.assert_allclose(heights, [e**2, e**4, e**6], rtol=1e-5)
    assert hits[-1] == pytest.approx(fall * (1 + e) / (1 - e), rel=1e-5)
    assert run.modes["floor"][-1] == "lower"
    assert abs(run.q[-1, 0]) < 1e-8
    assert run.v[-1, 0] == 0
    assert run["floor.force"][-1] == pytest.approx(MASS * G)
    assert run.drift < 1e-9


@pytest.mark.parametrize(("e", "lost"), [(0.0, 1.0), (0.5, 0.75), (1.0, 0.0)])
def test_an_impact_loses_one_minus_e_squared(e, lost):
    ends = Stops("ends", LINE, -1.0, 1.0, e)
    free = gw.Mechanism(BALL.bodies, gravity=(0, 0, 0))
    run = gw.simulate(free, ([0.0], [2.0]), until=0.7, laws=[ends])
    assert run["energy.dissipated"][-1] == pytest.approx(lost * MASS * 2.0**2 / 2, abs=1e-9)


def test_what_rests_leaves_when_it_is_pulled():
    """A stop pushes and does not pull: it holds until the pull is as large as the weight."""
    pull = Load("pull", LINE, "N")
    floor = Stops("floor", LINE, 0.0, float("inf"))
    run = gw.simulate(BALL, [0.0], until=3.0, laws=[floor, pull], inputs={"pull": lambda t: MASS * G * t / 2})
    up = np.maximum(run.t - 2.0, 0.0)
    np.testing.assert_allclose(run.q[:, 0], G / 2 * up**3 / 6, atol=1e-7)
    assert run["floor.force"].min() >= -1e-8


def test_a_blow_at_one_joint_sets_another_going_that_sticks():
    """Friction cannot hold an impulse: the upper arm starts although its friction exceeds every later force."""
    arm = gw.assemble(gw.load("elbow"))
    still = gw.Mechanism(arm.bodies, arm.spins, gravity=(0, 0, 0))
    laws = [
        DryFriction("j2.friction", Line.for_machine(still, "j2"), friction=Friction(50.0)),
        Stops("j3.stops", Line.for_machine(still, "j3"), -1.0, 1.0, 0.5),
    ]
    run = gw.simulate(still, ([0.0, 0.0, 0.9], [0.0, 0.0, 3.0]), until=0.2, laws=laws)
    hit = next(h.t for h in run.events if h.name == "j3.stops")
    M = gw.mass_matrix(still, [0.0, 0.0, 1.0])
    before = run.v[run.t < hit][-1]
    jump = np.linalg.solve(M, [0.0, 0.0, 1.0])
    expected = before - 1.5 * before[2] * jump / jump[2]
    start = run.v[run.t > hit][0]
    assert start[1] == pytest.approx(expected[1], rel=0.2)
    assert abs(expected[1]) > 1e-3
    assert run.modes["j2.friction"][-1] == "stick"
    assert run.drift < 1e-8


def test_friction_and_stop_share_one_line_without_chatter():
    """A weight that comes to rest on its stop, with friction in the guide as well."""
    rub = DryFriction("rub", LINE, unit="N", friction=Friction(5.0, static=7.0))
    floor = Stops("floor", LINE, 0.0, 3.0, 0.5)
    run = gw.simulate(BALL, [1.0], until=3.0, laws=[rub, floor])
    assert run.v[-1, 0] == 0
    assert run.modes["floor"][-1] == "lower"
    assert run.drift < 1e-9
    assert len(run.events) < 80


def test_compliant_stops_give_way_and_never_pull():
    stops = compliant_stops("ends", LINE, -1.0, 1.0, 1e4, 80.0, "N")
    free = gw.Mechanism(BALL.bodies, gravity=(0, 0, 0))
    run = gw.simulate(free, ([0.0], [2.0]), until=2.0, laws=[stops], samples=4001)
    x, force = run.q[:, 0], run["ends.torque"]
    assert np.all(force[np.abs(x) < 1] == 0)
    assert np.all(force[x > 1] >= 0)
    assert np.all(force[x < -1] <= 0)
    assert x.max() < 1 + 2.0 * math.sqrt(MASS / 1e4)
    assert np.all(np.diff(run["energy.dissipated"]) >= -1e-12)
    assert run.drift < 1e-7


def test_compliant_stops_without_damping_return_everything():
    stops = compliant_stops("ends", LINE, -1.0, 1.0, 1e4)
    free = gw.Mechanism(BALL.bodies, gravity=(0, 0, 0))
    run = gw.simulate(free, ([0.0], [2.0]), until=1.0, laws=[stops])
    # in contact for half a period, pi sqrt(m/k)
    assert run.q[-1, 0] == pytest.approx(1 - 2.0 * (1.0 - 0.5 - math.pi * math.sqrt(MASS / 1e4)), rel=1e-7)


def test_stops_of_a_robot_follow_its_limits():
    first = Joint("a", axis=(0, 0, 1), limits=Limits(position=(-1.0, 2.0)))
    second = Joint("b", follows=("a", -2.0, 0.5), limits=Limits(position=(-1.0, 1.0)))
    third = Joint("c")
    links = [
        Link(f"l{j.name}", parent, j, mass=1.0, inertia=np.eye(3))
        for parent, j in (("base", first), ("la", second), ("lb", third))
    ]
    robot = Robot("three", links)
    mech = gw.assemble(robot)
    a, b = stop_laws(robot, mech, restitution=0.3)
    assert (a.name, a.lower, a.upper, a.restitution) == ("a.stops", -1.0, 2.0, 0.3)
    # q_b = 0.5 - 2 q_a reaches -1 at q_a = 0.75, where -2 q_a = -1.5
    assert (b.lower, b.upper) == (-1.5, 0.5)
    assert b.line.position([0.75, 0.0]) == -1.5
    assert [law.modes for law in stop_laws(robot, mech, smooth=True)] == [("on",), ("on",)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"lower": 1.0, "upper": 0.0}, "ends: .*lower=1.0 .*upper=0.0"),
        ({"restitution": 1.2}, "ends: restitution=1.2"),
        ({"capture": -1.0}, "ends: capture=-1.0"),
    ],
)
def test_impossible_stops_are_refused(data, words):
    with pytest.raises(InputError, match=words):
        Stops("ends", LINE, **{"lower": 0.0, "upper": 1.0, **data})


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_compiled_stops_return_as_much_as_rigid_ones(e):
    """The soft stops of fixed-step runs have the same restitution, whatever the joint weighs."""
    joint = Joint("slide", "prismatic", axis=(1, 0, 0), limits=Limits(position=(-1.0, 1.0)))
    robot = Robot("slide", [Link("sled", joint=joint, mass=37.0)])
    mech = gw.assemble(robot)
    laws = stop_laws(robot, mech, restitution=e, smooth=True)
    run = gw.simulate(
        mech, ([0.0], [2.0]), until=0.7, laws=laws, method="rk4", integrator=gw.analysis.IntegratorOptions(step=1e-4)
    )
    assert run.v[-1, 0] == pytest.approx(-2.0 * e, abs=0.02)
    assert run.q.max() < 1 + 2.0 / 200


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("depth", [1e-1, 1e-3, 1e-5, 1e-7])
def test_a_stop_that_is_reached_for_a_small_part_of_a_step(engine, depth):
    """sin(t + phase) reaches a stop at -(1 - depth), between two checks of a step of 0.2 s."""
    spring = gw.Mechanism(
        [gw.Body("slide", joint="prismatic", axis=(1, 0, 0), mass=1.0)],
        springs=[gw.Spring("k", (1.0,), 1.0)],
        gravity=(0, 0, 0),
    )
    stop = Stops("stop", Line.for_machine(spring, "slide"), depth - 1.0, float("inf"), 1.0)
    for phase in np.linspace(0.0, 0.3, 10):
        run = gw.simulate(
            spring,
            ([np.sin(phase)], [np.cos(phase)]),
            until=10.0,
            laws=[stop],
            samples=11,
            integrator=gw.analysis.IntegratorOptions(engine=engine),
        )
        assert run.events[0].t == pytest.approx(1.5 * np.pi - phase - np.arccos(1.0 - depth), abs=1e-4)
