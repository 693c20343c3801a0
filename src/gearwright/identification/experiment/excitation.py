"""Exciting trajectories: Fourier series within limits that make all base parameters visible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, numbers, whole
from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import triangle
from gearwright.errors import InputError
from gearwright.functions.dynamics import inverse_dynamics, placement
from gearwright.identification.model.columns import FRICTION, Friction
from gearwright.identification.model.torque_model import Model
from gearwright.mechanism import Mechanism, machine_of
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.motion import FourierMotion, Motion
from gearwright.parts import Robot
from gearwright.plots.notebook import Shown

Criterion: TypeAlias = Literal["condition", "d-optimal"]
Progress: TypeAlias = Callable[[int, int, float], None]
"""Called with (steps done, steps in all, best condition number so far)."""


class Box(NamedTuple):
    """Where a body's or frame's point must stay: lower and upper corner in world axes [m]."""

    body: str
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


@dataclass(frozen=True)
class MotionLimits:
    """What an exciting motion may do, per speed.

    Args:
        lower: lowest positions (n,).
        upper: highest positions (n,).
        speed: largest speeds (n,).
        acceleration: largest accelerations (n,).
        torque: largest generalized forces (n,), of the nominal machine.
        workspace: boxes in which points must stay.
    """

    lower: ArrayLike
    upper: ArrayLike
    speed: ArrayLike
    acceleration: ArrayLike
    torque: ArrayLike | None = None
    workspace: Sequence[Box] = ()


@dataclass(frozen=True)
class Excitation(Shown):
    """An exciting motion and how good it is.

    Args:
        motion: the Fourier series.
        condition: condition number of the base regressor, its columns scaled by how a lively motion excites them.
        d_optimality: logarithm of the determinant of Y'Y per base parameter and sample (larger is better).
        rank: how many base parameters it can show.
    """

    motion: FourierMotion
    condition: float
    d_optimality: float
    rank: int

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure of one period of the motion; with `path` (.png, .svg, .pdf) it is saved too."""
        return self.motion.sample(501).plot(path)


@check_arguments
def excite(
    robot_or_mech: Robot | Mechanism,
    limits: MotionLimits | None = None,
    *,
    period: float = 10.0,
    harmonics: int = 5,
    criterion: Criterion = "condition",
    friction: Sequence[Friction] = FRICTION,
    starts: int = 4,
    steps: int = 150,
    samples: int = 100,
    seed: int = 0,
    progress: Progress | None = None,
) -> Excitation:
    """An exciting trajectory: a Fourier series that starts and ends at rest and keeps all limits.

    From several random starts the amplitudes are changed at random; a change is kept when the criterion improves, and
    the step length follows the successes. Every candidate is first scaled into the limits, so each is feasible.

    Args:
        robot_or_mech: with revolute and prismatic joints; a robot's own limits are used unless `limits` are given.
        limits: what the motion may do.
        period: [s].
        harmonics: of the base frequency 1/period; at least 2.
        criterion: "condition" (number of the scaled regressor) or "d-optimal" (determinant of the information).
        friction: which friction columns the identification will have.
        starts: random starts.
        steps: changes tried per start.
        samples: of the period at which motion and limits are evaluated.
        seed: of the random numbers.
        progress: called after every step.
    """
    mech = machine_of("excite", robot_or_mech)
    if not mech.straight:
        raise InputError("excite: free, spherical and planar joints cannot follow a Fourier series of coordinates.")
    number("excite", "period", period, above=0.0, unit="seconds", example=10.0)
    for name, count, least in (("harmonics", harmonics, 2), ("starts", starts, 1), ("steps", steps, 0)):
        whole("excite", name, count, least=least)
    whole("excite", "samples", samples, least=2 * harmonics + 1)
    whole("excite", "seed", seed)
    if criterion not in CRITERIA:
        raise InputError(f"excite: there is no criterion {criterion!r}. Use one of {', '.join(CRITERIA)}.")
    search = _Search(
        mech, _bounds(robot_or_mech, mech, limits), Model(mech, tuple(friction)), period, harmonics, samples
    )
    rng = np.random.default_rng(seed)
    best, score = None, np.inf
    for start in range(starts):
        for step, (candidate, cost) in enumerate(search.climb(CRITERIA[criterion], rng, steps)):
            if cost < score:
                best, score = candidate, cost
            if progress is not None:
                progress(start * (steps + 1) + step + 1, starts * (steps + 1), float(score))
    if best is None:
        raise InputError(
            "excite: no motion within the limits shows all base parameters. Widen the limits, or add harmonics."
        )
    R = search.triangle(best)
    return Excitation(best, condition_number(R), -_d_cost(R), search.model.base.rank)


def condition_number(R: Array) -> float:
    """Largest over smallest singular value; infinity when a column does not show."""
    sizes = np.linalg.svd(R, compute_uv=False)
    return float(sizes[0] / sizes[-1]) if len(R) >= R.shape[1] and sizes[-1] > 1e-12 * sizes[0] else np.inf


def _d_cost(R: Array) -> float:
    """Minus the logarithm of det(Y'Y), per base parameter."""
    sizes = np.linalg.svd(R, compute_uv=False)
    visible = len(R) >= R.shape[1] and sizes[-1] > 1e-12 * sizes[0]
    return float(-2 * np.mean(np.log(sizes))) if visible else np.inf


CRITERIA: dict[str, Callable[[Array], float]] = {"condition": condition_number, "d-optimal": _d_cost}


@dataclass(frozen=True)
class _Search:
    """Candidates: unscaled amplitudes (n, 2, harmonics) plus a shift of the centre, turned into feasible motions."""

    mech: Mechanism
    limits: MotionLimits
    model: Model
    period: float
    harmonics: int
    samples: int

    def random(self, rng: np.random.Generator) -> Array:
        return rng.normal(size=(self.mech.n, 2 * self.harmonics + 1))

    def climb(
        self, criterion: Callable[[Array], float], rng: np.random.Generator, steps: int
    ) -> Iterator[tuple[FourierMotion, float]]:
        """Candidates with their costs: a random one, then changes of the best so far; successes lengthen the step."""
        shape, least, width = self.random(rng), np.inf, 0.5
        for step in range(steps + 1):
            change = width * rng.normal(size=shape.shape) * (rng.random(shape.shape) < 0.3) if step else 0.0
            candidate = self.feasible(shape + change)
            cost = criterion(self.triangle(candidate))
            if cost < least:
                shape, least, width = shape + change, cost, min(width * 1.3, 1.0)
            else:
                width = max(width * 0.95, 0.02)
            yield candidate, cost

    def feasible(self, shape: Array) -> FourierMotion:
        """Scaled so that positions, speeds and accelerations fill their limits; smaller if torque or place need it."""
        sines, cosines = shape[:, : self.harmonics].copy(), shape[:, self.harmonics : -1].copy()
        order = np.arange(1, self.harmonics + 1)
        sines[:, 0] = -sines[:, 1:].sum(axis=1)  # speed zero at the start
        cosines[:, 0] = -(cosines[:, 1:] * order[1:]).sum(axis=1)  # acceleration zero at the start
        unit = FourierMotion(self.period, np.zeros(self.mech.n), sines, cosines)
        t = np.arange(4 * self.samples) * (self.period / (4 * self.samples))
        q, v, a = (unit.at(t, k) for k in range(3))
        low, high, speed, acceleration = (
            np.asarray(x, float)
            for x in (self.limits.lower, self.limits.upper, self.limits.speed, self.limits.acceleration)
        )
        room = np.minimum.reduce(
            [(high - low) / np.ptp(q, axis=0), speed / np.abs(v).max(axis=0), acceleration / np.abs(a).max(axis=0)]
        )
        scale = 0.98 * room  # between the samples it may go a little further
        free = high - low - scale * np.ptp(q, axis=0)
        place = 0.5 * (1 + np.tanh(shape[:, -1]))  # where in the room that is left
        centre = low - scale * q.min(axis=0) + place * free
        made = FourierMotion(self.period, centre, sines * scale[:, None], cosines * scale[:, None])
        return self._shrunk(made)

    def _shrunk(self, motion: FourierMotion) -> FourierMotion:
        """Smaller and smaller about its centre until torque and workspace limits hold."""
        if self.limits.torque is None and not self.limits.workspace:
            return motion
        middle = 0.5 * (np.asarray(self.limits.lower, float) + np.asarray(self.limits.upper, float))
        for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05):
            centre = share * np.asarray(motion.centre) + (1 - share) * middle
            smaller = FourierMotion(
                self.period, centre, np.asarray(motion.sines) * share, np.asarray(motion.cosines) * share
            )
            if self._keeps(smaller.sample(2 * self.samples)):
                return smaller
        raise InputError(
            "excite: even standing in the middle of the joint limits breaks the torque or workspace limits. Check them."
        )

    def _keeps(self, motion: Motion) -> bool:
        if self.limits.torque is not None:
            tau = inverse_dynamics(self.mech, motion.q, motion.v, motion.a)
            if (np.abs(tau) > np.asarray(self.limits.torque, float)).any():
                return False
        for box in self.limits.workspace:
            place = placement(self.mech, motion.q, box.body).position
            if ((place < box.lower) | (place > box.upper)).any():
                return False
        return True

    def triangle(self, candidate: FourierMotion) -> Array:
        """R of the stacked base columns, each scaled by how a lively motion excites it."""
        motion = candidate.sample(self.samples)
        Y = self.model.base.columns(self.model.regressor(motion.q, motion.v, motion.a))
        sizes = self.model.sizes[list(self.model.base.chosen)]
        return triangle(Y.reshape(-1, Y.shape[-1]) / (sizes * np.sqrt(Y.shape[0] * Y.shape[1])))


def _bounds(robot_or_mech: Robot | Mechanism, mech: Mechanism, limits: MotionLimits | None) -> MotionLimits:
    """The limits, from the robot's joints unless given, checked."""
    if limits is None:
        if not isinstance(robot_or_mech, Robot):
            raise InputError("excite: a Mechanism states no limits. Give limits=MotionLimits(...), or the Robot.")
        limits = _stated(robot_or_mech, mech)
    known = {name: getattr(limits, name) for name in ("lower", "upper", "speed", "acceleration", "torque")}
    for name, value in known.items():
        if value is None:
            continue
        above = None if name in ("lower", "upper") else 0.0
        found = numbers("excite", f"limit {name}", value, above=above, infinite=name == "torque")
        if found.shape != (mech.n,):
            raise InputError(f"excite: limit {name} has shape {found.shape}; it must be ({mech.n},), one per speed.")
    if not (np.asarray(limits.upper, float) > np.asarray(limits.lower, float)).all():
        raise InputError("excite: every upper position must lie above the lower one.")
    return limits


def _stated(robot: Robot, mech: Mechanism) -> MotionLimits:
    """The robot's own joint limits; a joint without position limits turns half a turn each way, and so on."""
    if mech.shafts:
        raise InputError("excite: an elastic drive's shaft has no limits of its own. Give limits=MotionLimits(...).")
    leading = [body for body in mech.bodies if body.follows is None and joint_kind(body.joint).speeds]
    stated = [robot.link(body.name).joint.limits for body in leading]
    position = [s.position or (-np.pi, np.pi) for s in stated]
    speed = np.array([s.speed or 2.0 for s in stated])
    acceleration = np.array([s.acceleration or 5 * v for s, v in zip(stated, speed, strict=True)])
    effort = [s.effort for s in stated]
    torque = None if all(x is None for x in effort) else np.array([np.inf if x is None else x for x in effort])
    return MotionLimits([p[0] for p in position], [p[1] for p in position], speed, acceleration, torque)
