"""A simulated geared arm: motions, friction, noise."""

from __future__ import annotations

import numpy as np

import gearwright as gw
from gearwright.catalogue import load
from gearwright.identification import FourierMotion, Log
from gearwright.parts import Robot

VISCOUS, COULOMB, OFFSET = np.array([8.0, 6.0, 3.0]), np.array([5.0, 4.0, 2.0]), np.array([0.5, -0.3, 0.1])


def elbow() -> Robot:
    return load("elbow")


def lively(seed: int, n: int = 3, period: float = 10.0, reach: float = 3.0) -> FourierMotion:
    """A periodic motion of every joint through `reach` radians that starts at rest."""
    rng = np.random.default_rng(seed)
    sines, cosines = rng.normal(size=(2, n, 5))
    sines[:, 0] = -sines[:, 1:].sum(axis=1)
    cosines[:, 0] = -(cosines[:, 1:] * np.arange(2, 6)).sum(axis=1)
    unit = FourierMotion(period, np.zeros(n), sines, cosines)
    scale = reach / np.ptp(unit.sample().q, axis=0)[:, None]
    return FourierMotion(period, rng.uniform(-0.5, 0.5, n), sines * scale, cosines * scale)


def friction(v: np.ndarray) -> np.ndarray:
    return VISCOUS * v + COULOMB * np.sign(v) + OFFSET


def measured(
    robot: Robot,
    seed: int,
    *,
    samples: int = 1500,
    noise: float = 0.0,
    rubbing: bool = True,
    positions_only: bool = True,
) -> Log:
    """What an ideal data logger sees of a lively motion."""
    mech = gw.assemble(robot)
    motion = lively(seed).sample(samples)
    v = np.where(np.abs(motion.v) < 1e-12, 0.0, motion.v)  # at rest rounding must not decide the sign of friction
    tau = gw.inverse_dynamics(mech, motion.q, v, motion.a) + (friction(v) if rubbing else 0.0)
    tau = tau + noise * np.random.default_rng(seed + 1000).normal(size=tau.shape)
    more = {} if positions_only else {"v": v, "a": motion.a}
    return Log(motion.t, motion.q, tau, **more)


def true_parameters(robot: Robot) -> np.ndarray:
    """In the order of the columns of a model with all friction."""
    return np.concatenate([gw.parameters(gw.assemble(robot)), np.stack([VISCOUS, COULOMB, OFFSET], axis=1).ravel()])
