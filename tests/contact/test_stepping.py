"""Contacts by time stepping against the same contacts with events: batches come to the run as their step falls."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Contact, Measured, Plane, SoftContact

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
    return gw.rollout(mech, *start, 10 * every, step, method="moreau", laws=laws, every=every, **more)


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
    apart = [np.abs(steps(BLOCK, start, [FLOOR], 1.0, h, tau=tau).q - run.q).max() for h in (2e-3, 5e-4)]
    assert apart[1] < 7e-4
    assert apart[1] < 0.5 * apart[0]
    held = steps(BLOCK, ([0.0] * 3, [0.0] * 3), [FLOOR], 1.0, 1e-3, tau=0.85 * tau)
    assert np.abs(held.q).max() < 1e-12


def test_energy_is_only_lost():
    """With friction and bounces, from random states of a batch: what is dissipated only grows."""
    rng = np.random.default_rng(5)
    floor = Contact("z", Plane(), restitution=0.7, friction=0.4, name="floor")
    q, v = np.column_stack([rng.normal(size=(64, 2)), rng.uniform(0, 0.3, 64)]), rng.normal(size=(64, 3))
    out = steps(BLOCK, (q, v), [floor], 1.0, 1e-3)
    energy = 0.5 * (out.v**2).sum(axis=-1) + 9.81 * out.q[..., 2]
    assert np.diff(energy, axis=0).max() < 1e-9
    assert np.abs(out.drift).max() < 1e-9


def test_a_batch_is_not_the_company_it_keeps():
    """Members in the air, on the floor and under way give what they give alone; a sensor shows the mean force."""
    floor = Measured(FLOOR, 5e-3)
    q, v = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.02]]), np.zeros((3, 3))
    both = steps(BLOCK, (q, v), [floor], 0.4, 1e-3)
    for k in range(3):
        np.testing.assert_array_equal(both.q[:, k], steps(BLOCK, (q[k], v[k]), [floor], 0.4, 1e-3).q)
    np.testing.assert_allclose(both.states["floor.force.measured"][-1], [0.0, 9.81, 9.81], atol=1e-9)


def test_simulate_takes_the_same_steps():
    law = LAWS["plastic"][0]
    run = gw.simulate(ARM, (Q, V), until=0.2, laws=[law], samples=11, method="moreau", step=1e-3)
    np.testing.assert_allclose(run.q, steps(ARM, (Q, V), [law], 0.2, 1e-3).q, atol=1e-12)
    assert run["t.force"][0] == 0.0
    assert run["t.force"][-1] > 1.0
