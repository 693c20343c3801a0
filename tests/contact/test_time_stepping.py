"""Contacts by time stepping against the same contacts with events: batches come to the run as their step falls."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import (
    Catch,
    Contact,
    Environment,
    ForceSensor,
    Plane,
    SoftContact,
    Sphere,
    fixed_frame,
    with_object,
)

ARM = gw.assemble(gw.load("elbow"))
Q, V = [0.2, -0.5, 1.0], [0.0, -1.0, -0.5]
DESK = Plane((0.3, 0.0, gw.placement(ARM, Q, "tool")[1][2] - 0.01), (0, 0, 1))
AXES = np.eye(3)
BLOCK = gw.Mechanism([gw.Body("xyz"[k], k - 1, "prismatic", AXES[k], mass=float(k == 2)) for k in range(3)])
FLOOR = Contact("z", Plane(), friction=0.3, name="floor")

LAWS = {
    "plastic": (Contact("tool", DESK, name="t"), 4e-4),
    "bouncing": (Contact("tool", DESK, restitution=0.5, name="t"), 5e-4),
    "soft": (SoftContact("tool", DESK, 2e4, 200.0, name="t"), 5e-4),
    "without damper": (SoftContact("tool", DESK, 2e4, name="t"), 2e-3),
    "hertz": (SoftContact("tool", DESK, 1e6, 50.0, 1.5, name="t"), 6e-3),
}


def steps(mech, start, laws, until, step, **more):
    every = round(until / 10 / step)
    return gw.rollout(
        mech,
        *start,
        10 * every,
        step,
        method="moreau",
        laws=laws,
        options=gw.analysis.RolloutOptions(every=every),
        **more,
    )


@pytest.mark.parametrize("name", LAWS)
def test_an_arm_that_strikes_moves_as_with_events(name):
    """Order 1: a quarter of the step leaves less than half of the error; nothing is gained; it pushes only."""
    law, most = LAWS[name]
    run = gw.simulate(ARM, (Q, V), until=0.2, laws=[law], samples=11, method="adaptive")
    apart = []
    for h in (1e-3, 2.5e-4):
        out = steps(ARM, (Q, V), [law], 0.2, h)
        apart.append(np.abs(out.q - run.q).max())
        assert abs(out.drift) < 2e-4
        assert np.all(out.penetration <= 1e-3 * 0.9)  # what a step of the way makes
        if "t.deformation" in out.states:
            assert out.states["t.deformation"][-1] == pytest.approx(run["t.deformation"][-1], abs=1e-4)
    assert apart[1] < most
    assert apart[1] < 0.5 * apart[0]


@pytest.mark.parametrize("height", [0.0, 0.05])
@pytest.mark.parametrize("pace", [0.0, 1.0])
def test_a_block_slides_turns_and_sticks_within_the_cone(pace, height):
    """Pulled to one side: it curves where it slides, rests where it can, and lets go as a cone does, not a pyramid."""
    tau = np.array([2.4, 2.4, 0.0])  # 3.39 N against 2.94 N: a pyramid's side of 2.94 N would hold it
    start = [0.0, 0.0, height], [pace, 0.2 * pace, -height]
    inputs = {f"tau.{x}": value for x, value in zip("xyz", tau, strict=True)}
    run = gw.simulate(BLOCK, start, until=1.0, laws=[FLOOR], inputs=inputs, samples=11, method="adaptive")
    apart = [np.abs(steps(BLOCK, start, [FLOOR], 1.0, h, inputs=tau).q - run.q).max() for h in (2e-3, 5e-4)]
    assert apart[1] < 7e-4
    assert apart[1] < 0.5 * apart[0] + 1e-10  # from rest on the floor it is exact
    held = steps(BLOCK, ([0.0] * 3, [0.0] * 3), [FLOOR], 1.0, 1e-3, inputs=0.85 * tau)
    assert np.abs(held.q).max() < 1e-12


def test_energy_is_only_lost():
    """With friction and bounces, from random states of a batch: what is dissipated only grows."""
    rng = np.random.default_rng(5)
    floor = Contact("z", Plane(), restitution=0.7, friction=0.4, impact="newton", name="floor")
    q, v = np.column_stack([rng.normal(size=(64, 2)), rng.uniform(0, 0.3, 64)]), rng.normal(size=(64, 3))
    out = steps(BLOCK, (q, v), [floor], 1.0, 1e-3)
    energy = 0.5 * (out.v**2).sum(axis=-1) + 9.81 * out.q[..., 2]
    assert np.diff(energy, axis=0).max() < 1e-9
    assert np.abs(out.drift).max() < 1e-9


def test_a_batch_is_not_the_company_it_keeps():
    """Members in the air, on the floor and under way give what they give alone; a sensor shows the mean force."""
    floor = ForceSensor(FLOOR, 5e-3)
    q, v = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.02]]), np.zeros((3, 3))
    both = steps(BLOCK, (q, v), [floor], 0.4, 1e-3)
    for k in range(3):
        np.testing.assert_array_equal(both.q[:, k], steps(BLOCK, (q[k], v[k]), [floor], 0.4, 1e-3).q)
    np.testing.assert_allclose(both.states["floor.force.measured"][-1], [0.0, 9.81, 9.81], atol=1e-9)


def test_simulate_takes_the_same_steps():
    law = LAWS["plastic"][0]
    run = gw.simulate(
        ARM,
        (Q, V),
        until=0.2,
        laws=[law],
        samples=11,
        method="moreau",
        integrator=gw.analysis.IntegratorOptions(step=1e-3),
    )
    np.testing.assert_allclose(run.q, steps(ARM, (Q, V), [law], 0.2, 1e-3).q, atol=1e-12)
    assert run["t.force"][0] == 0.0
    assert run["t.force"][-1] > 1.0


def foam(s, ops):
    """After Hertz, stiffer the farther out."""
    return 4e5 * (1 + s[1] * s[1]) * s[0] * s[0] * ops.sqrt(s[0]) / 2.5


def masses(s, ops):
    return [[15.0, 4.0 * s[1]], [4.0 * s[1], 10.0 + 8.0 * s[1] * s[1]]]


TOOL = [
    gw.forces.displacement(ARM, "tool", fixed_frame("desk", DESK.point), axis=(0, 0, -1)),
    gw.forces.displacement(ARM, "tool", axis=(1, 0, 0)),
]
BOTH = [[200.0, 20.0], [20.0, 50.0]]
ENVIRONMENTS = {
    "one-sided, after Hertz": (Environment("mat", TOOL, damping=BOTH, energy=foam, one_sided=True), 3e-4),
    "with inertia": (Environment("mat", TOOL, masses, BOTH, [[3e4, 0.0], [0.0, 1e3]]), 3e-4),
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_moves_as_with_events(name):
    """Order 1, forces and energies too: springs in the middle of a step, inertia and dampers at its end."""
    law, most = ENVIRONMENTS[name]
    run = gw.simulate(
        ARM,
        (Q, V),
        until=0.2,
        laws=[law],
        samples=11,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    outs = [steps(ARM, (Q, V), [law], 0.2, h) for h in (5e-4, 1.25e-4)]
    apart = [np.abs(out.q - run.q).max() for out in outs]
    assert apart[1] < most
    assert apart[1] < 0.4 * apart[0]
    assert abs(outs[1].drift) < 0.4 * abs(outs[0].drift)
    same = gw.simulate(
        ARM,
        (Q, V),
        until=0.2,
        laws=[law],
        samples=11,
        method="moreau",
        integrator=gw.analysis.IntegratorOptions(step=1.25e-4),
    )
    np.testing.assert_allclose(same.q, outs[1].q, atol=1e-12)
    for series in ("mat.s1", "mat.force1", "mat.force2", "energy.dissipated"):
        np.testing.assert_allclose(same[series], run[series], atol=2e-2 * np.abs(run[series]).max())


def test_members_that_meet_an_environment_at_other_times_do_not_disturb_each_other():
    law = ENVIRONMENTS["one-sided, after Hertz"][0]
    q = np.array(Q) + np.array([[0.0, 0.0, 0.0], [0.0, 0.05, 0.0], [0.0, -0.02, 0.0]])
    both = steps(ARM, (q, np.tile(V, (3, 1))), [law], 0.1, 1e-3)
    for k in range(3):
        np.testing.assert_array_equal(both.q[:, k], steps(ARM, (q[k], V), [law], 0.1, 1e-3).q)


GRASP = Catch("ball", "tool", Sphere((0, 0, 0), 0.02), name="grasp")
PAIR = gw.assemble(with_object(gw.load("elbow"), "ball", mass=0.5))
REST = np.array([0.2, -0.4, 0.9])


def above(height):
    """The arm at rest, and a ball so far above its hand."""
    place = gw.placement(ARM, REST, "tool").position + np.array([0.0, 0.0, height])
    return np.concatenate([REST, place, [1, 0, 0, 0]])


def test_a_ball_is_caught_as_with_events():
    """Order 1; the ball stays where it was caught, the energy lost is booked, and each member has its own moment."""
    run = gw.simulate(PAIR, above(0.06), until=0.2, laws=[GRASP], samples=11, method="adaptive")
    outs = [steps(PAIR, (above(0.06), np.zeros(9)), [GRASP], 0.2, h) for h in (1e-3, 2.5e-4)]
    apart = [np.abs(out.q - run.q).max() for out in outs]
    assert apart[1] < 2e-4
    assert apart[1] < 0.5 * apart[0]
    assert outs[1].states["grasp.since"][-1] == pytest.approx(run["grasp.since"][-1], abs=2.5e-4)
    assert abs(outs[1].drift) < 1e-4
    (R, p), ball = gw.placement(PAIR, outs[1].q[-4:], "tool"), gw.placement(PAIR, outs[1].q[-4:], "ball").position
    assert np.ptp(np.einsum("tji,tj->ti", R, ball - p), axis=0).max() < 1e-5
    starts = np.array([above(height) for height in (0.03, 0.06, 0.5)])
    both = steps(PAIR, (starts, np.zeros((3, 9))), [GRASP], 0.2, 1e-3)
    np.testing.assert_allclose(both.q[:, 1], outs[0].q, atol=1e-12)
    since = both.states["grasp.since"][-1]
    assert since[0] > since[1] > since[2] == 0.0


@pytest.mark.parametrize(
    ("how", "rounding"),
    [
        ({"method": "adaptive"}, 1e-9),
        ({"method": "moreau", "integrator": gw.analysis.IntegratorOptions(step=1e-3)}, 1e-6),
    ],
)
def test_a_run_may_start_caught(how, rounding):
    """What was caught before goes on with the hand, wherever it is held; nothing is lost."""
    start = gw.State(above(0.3), None, {"grasp.since": 1.0})
    run = gw.simulate(PAIR, start, until=0.1, laws=[GRASP], samples=3, **how)
    assert run["grasp.since"][-1] == pytest.approx(1.1)
    apart = gw.placement(PAIR, run.q, "ball").position - gw.placement(PAIR, run.q, "tool").position
    np.testing.assert_allclose(np.linalg.norm(apart, axis=1), 0.3, atol=1e-6)
    assert run["energy.dissipated"][-1] == pytest.approx(0.0, abs=rounding)
