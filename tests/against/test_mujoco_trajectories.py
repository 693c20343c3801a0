"""Trajectories of MuJoCo with every rotor as a body against `simulate`, on the bundled arms.

MuJoCo's equalities give way a little and its inputs are held during a step; both errors are of second order in the
step here. So what is left between the two must shrink with the step, down to a bound that no approximation reaches.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gearwright as gw
from support.mujoco_rotors import MujocoRotors
from support.references import Reference

MUJOCO = Reference("MuJoCo, trajectories at a fine step")

UNTIL, SAMPLES = 0.5, 11
STEPS = (5e-4, 2.5e-4)
ARMS = {
    "elbow": 1e-6,
    "manutec_r3": 1e-6,
    "puma560": 3e-5,
    "ur5_like": 6e-6,
    "panda_like": 1e-6,
    "panda_like_calibrated": 1e-6,
    "scara": 1e-6,
    "mini_cheetah_leg": 1e-6,
    "vector_arm": 1e-6,
    "grm3": 1e-6,
    "planetary_2r_3": 1e-6,
    "wrist_roll3": 1e-6,
}
"""What MuJoCo is off at the shorter step, at most, relative to each joint's range."""

PUSHES = ("free swing", "torques")


class Swing:
    """One arm, where it starts, and what pushes it."""

    def __init__(self, name: str, push: str) -> None:
        self.mech = gw.assemble(gw.load(name))
        rng = np.random.default_rng(3)
        n = self.mech.n
        self.q, self.v = rng.uniform(-0.7, 0.7, n), rng.normal(size=n)
        weight = np.abs(gw.gravity(self.mech, np.full(n, 0.4))).max()
        size = 0.2 * max(weight, 0.1) if push == "torques" else 0.0
        self.tau = lambda t: size * np.sin(5 * t + np.arange(n))

    def ours(self, kind: str = "exact") -> np.ndarray:
        mech = gw.approximate(self.mech, kind) if kind != "exact" else self.mech
        start = (self.q, self.v)
        return gw.simulate(
            mech,
            start,
            UNTIL,
            inputs=self.tau,
            samples=SAMPLES,
            integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
        ).q

    def theirs(self, step: float, time_constant: float | None = None) -> np.ndarray:
        return MujocoRotors(self.mech, step, time_constant).run(self.q, self.v, self.tau, UNTIL, SAMPLES)


@cache
def swing(name: str, push: str) -> tuple[Swing, np.ndarray]:
    found = Swing(name, push)
    return found, found.ours()


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Largest difference relative to the range of each joint."""
    return float((np.abs(one - other) / np.ptp(one, axis=0)).max())


@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("name", ARMS)
def test_mujoco_comes_as_close_as_its_step_allows(name, push):
    case, mine = swing(name, push)
    coarse, fine = (distance(mine, case.theirs(step)) for step in STEPS)
    MUJOCO.agrees(f"{name}, a run with rotors as bodies [rad]", fine, ARMS[name])
    assert fine < 1e-8 or 3 < coarse / fine < 5  # of second order: half the step, a quarter of the difference


@pytest.mark.parametrize("kind", ["reflected", "diagonal"])
@pytest.mark.parametrize("name", ARMS)
def test_approximations_are_far_from_mujoco(name, kind):
    case, mine = swing(name, "torques")
    theirs = case.theirs(STEPS[-1])
    assert distance(case.ours(kind), theirs) > 100 * distance(mine, theirs)


@pytest.mark.parametrize("name", ["elbow", "panda_like", "scara"])
def test_a_stiffer_equality_is_closer(name):
    case, mine = swing(name, "torques")
    soft, stiff, stiffest = (distance(mine, case.theirs(STEPS[-1], constant)) for constant in (0.03, 0.01, 0.001))
    assert soft > 2 * stiff > 4 * stiffest
