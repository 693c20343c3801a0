"""Exciting trajectories: Fourier series within limits that excite all base parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number, whole_number
from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import triangular_factor
from gearwright.errors import InputError
from gearwright.functions import inverse_dynamics, placement
from gearwright.identification.model.columns import FRICTION_KINDS, FrictionKind
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.mechanism import Mechanism, joint_kind
from gearwright.motion import FourierMotion, Motion
from gearwright.motion_demands.stated_limits import joint_ranges
from gearwright.parts import Robot
from gearwright.plots import NotebookFigure
from gearwright.programs import machine_of
from gearwright.programs.closed_loops.closed_mechanism import ClosedMechanism

ExcitationCriterion: TypeAlias = Literal["condition", "d-optimal"]
ExcitationProgress: TypeAlias = Callable[[int, int, float], None]
"""Called with (completed steps, total steps, best condition number so far)."""


class WorkspaceBox(NamedTuple):
    """Workspace box of a point of a body or frame: lower and upper corner in world axes [m]."""

    body: str
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


@check_arguments
@dataclass(frozen=True)
class MotionLimits:
    """Limits of an exciting motion, per speed.

    Args:
        lower: lowest positions (n,).
        upper: highest positions (n,).
        speed: largest speeds (n,).
        acceleration: largest accelerations (n,).
        torque: largest generalized forces (n,), of the nominal machine.
        workspace: workspace boxes of points.
    """

    lower: ArrayLike
    upper: ArrayLike
    speed: ArrayLike
    acceleration: ArrayLike
    torque: ArrayLike | None = None
    workspace: Sequence[WorkspaceBox] = ()

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            number_array("MotionLimits", name, getattr(self, name), infinite=True)
        for name in ("speed", "acceleration", "torque"):
            if getattr(self, name) is not None:
                number_array("MotionLimits", name, getattr(self, name), least=0.0, infinite=True)


@dataclass(frozen=True, kw_only=True)
class ExcitationOptions:
    """Options of the random search of `excite`.

    Args:
        starts: number of random starts, 1 or more.
        steps: number of changes per start.
        samples: per period at which motion and limits are evaluated; at least 2 harmonics + 1.
        seed: of the random numbers.

    >>> ExcitationOptions(starts=0)
    Traceback (most recent call last):
    gearwright.errors.InputError: ExcitationOptions: starts=0 must be a whole number of at least 1. Give one such as 1.
    """

    starts: int = 4
    steps: int = 150
    samples: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("starts", 1), ("steps", 0), ("samples", 1), ("seed", 0)):
            object.__setattr__(self, name, whole_number("ExcitationOptions", name, getattr(self, name), least=least))


DEFAULT_EXCITATION_OPTIONS = ExcitationOptions()


@dataclass(frozen=True)
class Excitation(NotebookFigure):
    """An exciting motion and its quality.

    Args:
        motion: the Fourier series.
        condition: condition number of the base regressor, with columns scaled by their size for random states.
        d_optimality: logarithm of the determinant of Y'Y per base parameter and sample (larger is better).
        rank: number of identifiable base parameters.
    """

    motion: FourierMotion
    condition: float
    d_optimality: float
    rank: int

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of one period of the motion; with `path` (.png, .svg, .pdf) it is also saved."""
        return self.motion.sample(501).plot(path)


@check_arguments
def excite(
    robot_or_mech: Robot | Mechanism,
    limits: MotionLimits | None = None,
    *,
    period: float = 10.0,
    harmonics: int = 5,
    criterion: ExcitationCriterion = "condition",
    friction: Sequence[FrictionKind] = FRICTION_KINDS,
    search: ExcitationOptions = DEFAULT_EXCITATION_OPTIONS,
    progress: ExcitationProgress | None = None,
) -> Excitation:
    """Find an exciting trajectory: a Fourier series that starts and ends at rest and satisfies all limits.

    A random search from several starts changes the amplitudes; a change is accepted if the criterion improves, and the
    step length adapts to the success rate. Every candidate is scaled into the limits first and is therefore feasible.

    Args:
        robot_or_mech: with revolute and prismatic joints; the limits of a robot are used unless `limits` are given.
        limits: of the motion.
        period: [s].
        harmonics: of the base frequency 1/period; at least 2.
        criterion: "condition" (number of the scaled regressor) or "d-optimal" (determinant of the information).
        friction: friction columns of the later identification.
        search: starts, steps and seed of the random search, and the samples per period.
        progress: called after every step.
    """
    mech = machine_of("excite", robot_or_mech)
    if not mech.tree.speeds_are_rates:
        raise InputError(
            "excite: free, spherical and planar joints cannot follow a Fourier series. Lock or replace them."
        )
    real_number("excite", "period", period, above=0.0, unit="seconds", example=10.0)
    whole_number("excite", "harmonics", harmonics, least=2)
    whole_number("excite", "search.samples", search.samples, least=2 * harmonics + 1)
    if criterion not in EXCITATION_CRITERIA:
        raise InputError(f"excite: criterion {criterion!r} is unknown. Use one of {', '.join(EXCITATION_CRITERIA)}.")
    climber = _ExcitationSearch(
        mech,
        _checked_limits(robot_or_mech, mech, limits),
        TorqueModel(mech, tuple(friction)),
        period,
        harmonics,
        search.samples,
        _dependent_ranges(robot_or_mech, mech),
    )
    rng = np.random.default_rng(search.seed)
    best, score = None, np.inf
    for start in range(search.starts):
        for step, (candidate, cost) in enumerate(climber.hill_climb(EXCITATION_CRITERIA[criterion], rng, search.steps)):
            if cost < score:
                best, score = candidate, cost
            if progress is not None:
                progress(start * (search.steps + 1) + step + 1, search.starts * (search.steps + 1), float(score))
    if best is None:
        raise InputError(
            "excite: no motion within the limits excites all base parameters. Widen the limits, or add harmonics."
        )
    R = climber.base_triangle(best)
    return Excitation(best, condition_number(R), -_d_optimality_cost(R), climber.model.base.rank)


def condition_number(R: Array) -> float:
    """Ratio of the largest to the smallest singular value; infinity for a column that is not excited."""
    sizes = np.linalg.svd(R, compute_uv=False)
    return float(sizes[0] / sizes[-1]) if len(R) >= R.shape[1] and sizes[-1] > 1e-12 * sizes[0] else np.inf


def _d_optimality_cost(R: Array) -> float:
    """Minus the logarithm of det(Y'Y), per base parameter."""
    sizes = np.linalg.svd(R, compute_uv=False)
    visible = len(R) >= R.shape[1] and sizes[-1] > 1e-12 * sizes[0]
    return float(-2 * np.mean(np.log(sizes))) if visible else np.inf


EXCITATION_CRITERIA: dict[str, Callable[[Array], float]] = {
    "condition": condition_number,
    "d-optimal": _d_optimality_cost,
}


@dataclass(frozen=True)
class _ExcitationSearch:
    """Candidates: unscaled amplitudes (n, 2, harmonics) and a shift of the centre, scaled to feasible motions."""

    mech: Mechanism
    limits: MotionLimits
    model: TorqueModel
    period: float
    harmonics: int
    samples: int
    dependent_ranges: tuple[tuple[int, float, float], ...] = ()
    """Of dependent joints of closed loops: coordinate, lowest and highest position."""

    def random_amplitudes(self, rng: np.random.Generator) -> Array:
        return rng.normal(size=(self.mech.n, 2 * self.harmonics + 1))

    def hill_climb(
        self, criterion: Callable[[Array], float], rng: np.random.Generator, steps: int
    ) -> Iterator[tuple[FourierMotion, float]]:
        """Candidates with their costs: a random one, then changes of the best so far, with adaptive step length."""
        shape, least, width = self.random_amplitudes(rng), np.inf, 0.5
        for step in range(steps + 1):
            change = width * rng.normal(size=shape.shape) * (rng.random(shape.shape) < 0.3) if step else 0.0
            candidate = self.feasible_motion(shape + change)
            cost = criterion(self.base_triangle(candidate))
            if cost < least:
                shape, least, width = shape + change, cost, min(width * 1.3, 1.0)
            else:
                width = max(width * 0.95, 0.02)
            yield candidate, cost

    def feasible_motion(self, shape: Array) -> FourierMotion:
        """The motion scaled to the limits of position, speed and acceleration, and reduced for torque and workspace."""
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
        margin = np.minimum.reduce(
            [(high - low) / np.ptp(q, axis=0), speed / np.abs(v).max(axis=0), acceleration / np.abs(a).max(axis=0)]
        )
        scale = 0.98 * margin  # reserve for values between the samples
        free = high - low - scale * np.ptp(q, axis=0)
        position = 0.5 * (1 + np.tanh(shape[:, -1]))  # position within the remaining range
        centre = low - scale * q.min(axis=0) + position * free
        motion = FourierMotion(self.period, centre, sines * scale[:, None], cosines * scale[:, None])
        return self._shrunk_motion(motion)

    def _shrunk_motion(self, motion: FourierMotion) -> FourierMotion:
        """The motion reduced about its centre until it satisfies torque and workspace limits, and closes all loops."""
        if self.limits.torque is None and not self.limits.workspace and self.mech.closure is None:
            return motion
        middle = 0.5 * (np.asarray(self.limits.lower, float) + np.asarray(self.limits.upper, float))
        for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05):
            centre = share * np.asarray(motion.centre) + (1 - share) * middle
            smaller = FourierMotion(
                self.period, centre, np.asarray(motion.sines) * share, np.asarray(motion.cosines) * share
            )
            if self._is_within_limits(smaller.sample(2 * self.samples)):
                return smaller
        raise InputError(
            "excite: the middle of the joint ranges at rest exceeds the torque or workspace limits, or the limits of "
            "dependent joints of closed loops. Check these limits."
        )

    def _is_within_limits(self, motion: Motion) -> bool:
        if isinstance(self.mech, ClosedMechanism):
            try:
                q = self.mech.closed(motion.q)
            except InputError:  # the loops cannot be closed there
                return False
            if any((q[:, k] < low).any() or (q[:, k] > high).any() for k, low, high in self.dependent_ranges):
                return False
        if self.limits.torque is not None:
            tau = inverse_dynamics(self.mech, motion.q, motion.v, motion.a)
            if (np.abs(tau) > np.asarray(self.limits.torque, float)).any():
                return False
        for box in self.limits.workspace:
            position = placement(self.mech, motion.q, box.body).position
            if ((position < box.lower) | (position > box.upper)).any():
                return False
        return True

    def base_triangle(self, candidate: FourierMotion) -> Array:
        """R of the stacked base columns, each scaled by its size for random states."""
        motion = candidate.sample(self.samples)
        Y = self.model.base.base_columns(self.model.regressor(motion.q, motion.v, motion.a))
        sizes = self.model.column_sizes[list(self.model.base.chosen)]
        return triangular_factor(Y.reshape(-1, Y.shape[-1]) / (sizes * np.sqrt(Y.shape[0] * Y.shape[1])))


def _checked_limits(robot_or_mech: Robot | Mechanism, mech: Mechanism, limits: MotionLimits | None) -> MotionLimits:
    """The checked limits; by default those of the robot's joints."""
    if limits is None:
        if not isinstance(robot_or_mech, Robot):
            raise InputError("excite: a Mechanism has no limits. Give limits=MotionLimits(...), or the Robot.")
        limits = _joint_limits(robot_or_mech, mech)
    values_by_name = {name: getattr(limits, name) for name in ("lower", "upper", "speed", "acceleration", "torque")}
    for name, value in values_by_name.items():
        if value is None:
            continue
        above = None if name in ("lower", "upper") else 0.0
        array = number_array("excite", f"limit {name}", value, above=above, infinite=name == "torque")
        if array.shape != (mech.n,):
            raise InputError(f"excite: limit {name} has shape {array.shape}; it must be ({mech.n},), one per speed.")
    if not (np.asarray(limits.upper, float) > np.asarray(limits.lower, float)).all():
        raise InputError("excite: limit upper must be above limit lower at every joint. Check both.")
    return limits


def _dependent_ranges(robot_or_mech: Robot | Mechanism, mech: Mechanism) -> tuple[tuple[int, float, float], ...]:
    """Coordinates and ranges of the dependent joints of a robot with closed loops."""
    if not isinstance(robot_or_mech, Robot) or mech.closure is None:
        return ()
    ranges = joint_ranges(robot_or_mech, mech.tree)
    return tuple((k, lower, upper) for _, k, lower, upper in ranges if k not in mech.independent_indices)


def _joint_limits(robot: Robot, mech: Mechanism) -> MotionLimits:
    """The joint limits of the robot, with defaults for joints without limits: half a turn in each direction, etc."""
    if mech.shafts:
        raise InputError("excite: the shafts of elastic drives have no limits. Give limits=MotionLimits(...).")
    leading = [body for body in mech.bodies if body.follows is None and joint_kind(body.joint).speeds]
    if mech.closure is not None:
        leading = [next(body for body in leading if body.speed_name == name) for name in mech.speeds]
    stated = [robot.link(body.name).joint.limits for body in leading]
    position = [s.position or (-np.pi, np.pi) for s in stated]
    speed = np.array([s.speed or 2.0 for s in stated])
    acceleration = np.array([s.acceleration or 5 * v for s, v in zip(stated, speed, strict=True)])
    effort = [s.effort for s in stated]
    torque = None if all(x is None for x in effort) else np.array([np.inf if x is None else x for x in effort])
    return MotionLimits([p[0] for p in position], [p[1] for p in position], speed, acceleration, torque)
