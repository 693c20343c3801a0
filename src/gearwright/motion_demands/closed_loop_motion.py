"""Motions of machines with closed loops from the motion of their independent speeds, exact in every derivative.

At every time the dependent coordinates close the loops. The coefficients of their Taylor series in time follow in
sequence: with those below c_k known and c_k = 0, the gaps have the coefficients r_k, and W c_k = -r_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import ARRAYS
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number, whole_number
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError, PlanningError
from gearwright.forces import Constraint
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.functions import whole_motion
from gearwright.functions.constrained.closure import CLOSURE_ROUNDING, Closure, closure_of
from gearwright.mechanism import Mechanism, RobotOrMech, tree_of
from gearwright.motion import Motion, Trajectory, chain
from gearwright.motion.piecewise_polynomials import hermite_interpolant, piecewise_polynomial
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.inputs import checked_array
from gearwright.text import listed_names

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

# Exact trajectories

CLOSURE_NEWTON_STEPS = 3
"""Newton steps from the polynomial approximation."""

CLOSED_MOTION_ACCURACY = 1e-9
"""Largest loop gap between the instants of a closed motion [m, rad]."""

EXTRA_DERIVATIVES = 4
"""Further derivatives computed in advance, since they are usually requested next."""


@dataclass(frozen=True)
class DependentCoordinates:
    """Dependent coordinates as functions of independent ones.

    Args:
        closure: the machine with its loop constraints.
        free: the motion of the independent coordinates.
        free_indices: indices of the independent speeds.
        dependent_indices: indices of the dependent speeds.
    """

    closure: Closure
    free: Trajectory
    free_indices: tuple[int, ...]
    dependent_indices: tuple[int, ...]

    def is_like(self, other: DependentCoordinates | None) -> bool:
        """Whether machine, independent and dependent coordinates are the same."""
        own_structure = (self.closure.mech, self.closure.laws, self.free_indices, self.dependent_indices)
        return other is not None and own_structure == (
            other.closure.mech,
            other.closure.laws,
            other.free_indices,
            other.dependent_indices,
        )

    def coordinate_derivatives(self, t: Array, near: Array, order: int) -> list[Array]:
        """Return all coordinates and `order` of their derivatives at times (T,), each (T, n), near `near` (T, n)."""
        free_derivatives = [self.free.at(t, k) for k in range(order + 1)]
        q = near.copy()
        q[:, self.free_indices] = free_derivatives[0]
        for _ in range(CLOSURE_NEWTON_STEPS):
            gap, inverse = self._gap_and_inverse(t, q)
            q[:, self.dependent_indices] -= np.einsum("tij,tj->ti", inverse, gap)
        inverse = self._gap_and_inverse(t, q)[1]
        series = [[column] for column in q.T]
        for k, index in enumerate(self.free_indices):
            series[index] = list(Taylor.of_derivatives([x[:, k] for x in free_derivatives]).c)
        for k in range(1, order + 1):
            corrections = np.einsum("tij,tj->ti", inverse, self._gap_coefficients(t, series, k))
            for j, index in enumerate(self.dependent_indices):
                series[index].append(-corrections[:, j])
        completed = [Taylor(c).truncated_to(order + 1).derivatives() for c in series]
        return [np.stack([x[k] + np.zeros(len(t)) for x in completed], axis=-1) for k in range(order + 1)]

    def _gap_and_inverse(self, t: Array, q: Array) -> tuple[Array, Array]:
        """Return the gaps (T, m), and the pseudoinverse for the dependent coordinates, (T, rest, m)."""
        gap, rows = self.closure.gaps_and_rows(q, t)
        return gap, np.asarray(np.linalg.pinv(rows[:, :, self.dependent_indices]), dtype=np.float64)

    def _gap_coefficients(self, t: Array, series: Sequence[list[Array]], k: int) -> Array:
        """Return the coefficients of power k of the gaps, (T, m)."""
        q = [Taylor(c).truncated_to(k + 1) for c in series]
        time = Taylor([t, 1.0]).truncated_to(k + 1)
        kinematics = SharedKinematics(self.closure.mech, q, [x.rate() for x in q], TaylorOperations(ARRAYS), time)
        gaps = [line.placed_in(kinematics).position(q) for line in self.closure.constraint_lines]
        return np.stack([(x.c[k] if isinstance(x, Taylor) else 0.0) + np.zeros(len(t)) for x in gaps], axis=-1)


@dataclass(frozen=True, repr=False)
class ClosedTrajectory(Trajectory):
    """A motion that keeps loops closed, exactly at every time and in every derivative.

    Its `pieces` are approximating polynomials; `follower` closes the loops exactly.
    """

    follower: DependentCoordinates | None = None

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Return position (0), speed (1), acceleration (2), jerk (3) ... at times t, shape t.shape + (n,)."""
        whole_number("trajectory", "derivative", derivative)
        times = number_array("trajectory", "t", t)
        values = self._derivatives_at(np.clip(times, 0.0, self.duration).ravel(), derivative)[derivative]
        values = values[:, : self.count].reshape(*times.shape, self.count)
        resting = (times < 0) | (times > self.duration)
        return np.where(resting[..., None], 0.0, values) if derivative else values

    def with_joined_pieces(self, parts: Sequence[Trajectory], pieces: Any) -> Trajectory:
        """Return a sequence of closed motions and pauses, exactly closed if all follow the same coordinates.

        Otherwise the result is the sequence of their polynomials.
        """
        first = self.follower
        if first is None or not all(_is_pause(part) or first.is_like(_follower_of(part)) for part in parts):
            return self.with_pieces(pieces)
        free = chain(*(_independent_part(part, first.free_indices) for part in parts))
        return replace(self, pieces=pieces, follower=replace(first, free=free))

    def with_time_law(self, pieces: Any) -> Trajectory:
        """Return the motion along the same path with another time law, exactly closed."""
        assert self.follower is not None
        free = Trajectory(piecewise_polynomial(pieces.c[:, :, list(self.follower.free_indices)], pieces.x))
        return replace(self, pieces=pieces, follower=replace(self.follower, free=free))

    def derivative_jumps(self, order: int) -> list[float]:
        """Return the knots of the independent coordinates."""
        assert self.follower is not None
        return self.follower.free.derivative_jumps(order)

    @cached_property
    def _last_derivatives(self) -> dict[bytes, list[Array]]:
        """Cache of the last times with all derivatives computed there."""
        return {}

    def _derivatives_at(self, t: Array, derivative: int) -> list[Array]:
        key = t.tobytes()
        if len(self._last_derivatives.get(key, ())) <= derivative:
            assert self.follower is not None
            near = self.pieces(t)
            whole_q = np.zeros((len(t), self.follower.closure.mech.n))
            whole_q[:, : self.count] = near
            derivatives = self.follower.coordinate_derivatives(
                t, whole_q, max(2, derivative + EXTRA_DERIVATIVES if derivative else 0)
            )
            self._last_derivatives.clear()
            self._last_derivatives[key] = derivatives
        return self._last_derivatives[key]


def _is_pause(part: Trajectory) -> bool:
    """Whether a trajectory is at rest throughout."""
    return not part.pieces.c[:-1].any()


def _follower_of(part: Trajectory) -> DependentCoordinates | None:
    return part.follower if isinstance(part, ClosedTrajectory) else None


def _independent_part(part: Trajectory, free_indices: Sequence[int]) -> Trajectory:
    """Return the motion of the independent coordinates of a closed motion or a pause."""
    follower = _follower_of(part)
    if follower is not None:
        return follower.free
    return Trajectory(piecewise_polynomial(part.pieces.c[:, :, list(free_indices)], part.pieces.x))


# Motions

CLOSURE_CHECKS = 101
"""Instants at which a motion of all joints is checked to keep the loops closed."""

FIRST_CLOSED_INSTANTS, MAX_CLOSED_INSTANTS = 17, 4097
"""Initial and largest number of instants of a smooth segment at which the loops are closed."""

LONGEST_CLOSED_STEP = 0.1
"""Longest step of an independent coordinate [rad, m] after which the loops are closed."""

MAX_JUMP_ORDER = 5
"""Order of derivatives of the independent coordinates whose jumps are instants: the pieces between have degree 5."""

KNOT_SPACING_RATIO = 1e-9
"""Instants closer than this share of a segment are one instant."""


@check_arguments
def closed_motion(
    robot: RobotOrMech,
    motion: Trajectory,
    start: ArrayLike,
    laws: Sequence[Constraint] | None = None,
    accuracy: float = CLOSED_MOTION_ACCURACY,
    *,
    extra_laws: Sequence[Constraint] = (),
) -> Trajectory:
    """Return the motion of all joints for a motion of the independent joints of a robot with loops.

    The result closes the loops at every time and is as smooth as the given motion: its derivatives, which elastic
    drives need, are exact (`at`). Its `pieces` are polynomials of degree 5 between instants, whose number keeps the
    loops closed within the accuracy.

    Args:
        robot: the robot, with its loops, or a machine.
        motion: of the independent speeds, in the order of `gw.contact.free_speeds(robot, start).names`. With elastic
            drives the motion of the independent joints is sufficient: the result is then a joint motion, without the
            motors.
        start: a closed configuration near the start of the motion, which selects the branch, (nq,).
        laws: constraints in place of the loops of the robot.
        accuracy: largest loop gap between the instants [m, rad].
        extra_laws: constraints added to the loops of the robot.

    Raises:
        PlanningError: the loops cannot be closed along the motion, or it passes a singular configuration.
    """
    mech = tree_of("closed_motion", robot)
    closure = closure_of("closed_motion", robot, mech, laws, extra_laws)
    if closure is None:
        raise InputError("closed_motion: the machine has no closed loop. Give laws=, or use the motion directly.")
    if not mech.speeds_are_rates:
        raise InputError("closed_motion: free, spherical and planar joints are not supported.")
    real_number("closed_motion", "accuracy", accuracy, above=0.0, unit="metres or radians", example=1e-9)
    configuration = checked_array("closed_motion", mech, "start", start, mech.nq, mech.coordinates).copy()
    loop_state = closure.constraint_state(configuration)
    closure.require_closed("closed_motion", loop_state)
    free = closure.free_speeds(loop_state.rows)
    joints = first_shaft(mech)
    free_indices = [k for k in free.indices if k < joints]
    if motion.count == len(free.indices):
        free_indices, joints = list(free.indices), mech.n
    if motion.count != len(free_indices):
        raise InputError(
            f"closed_motion: the motion has {motion.count} coordinates; the independent ones are "
            f"{listed_names(free.names)}. Give these."
        )
    dependent = tuple(k for k in range(mech.n) if k not in free.indices)
    follower = DependentCoordinates(closure, motion, tuple(free_indices), dependent)
    return _closed_trajectory(follower, configuration, joints, accuracy)


def independent_part(
    function: str, mech: Mechanism, path: ArrayLike | Trajectory
) -> tuple[Array | Trajectory, Array | None]:
    """Return the independent coordinates of configurations (m, nq) or of a motion, and the first configuration.

    Without loops, and where only independent coordinates are given, the path is unchanged, and no configuration is
    known.

    Raises:
        InputError: a loop is open.
    """
    closure, columns = Closure(mech.tree, loop_laws(mech)), list(mech.independent_indices)
    if isinstance(path, Trajectory):
        if not mech.loops or path.count != mech.nq:
            return path, None
        samples = path.sample(CLOSURE_CHECKS)
        closure.require_closed_motion(function, samples.q, samples.t)
        return Trajectory(piecewise_polynomial(path.pieces.c[:, :, columns], path.pieces.x)), samples.q[0]
    points = number_array(function, "path", path, axes=2)
    if not mech.loops or points.shape[-1] != mech.nq:
        return points, None
    closure.require_closed_motion(function, points, np.arange(float(len(points))))
    return points[:, columns], points[0]


def whole_motion_of(function: str, robot_or_mech: RobotOrMech, motion: Any, near: Array | None = None) -> Any:
    """Return the motion of all joints for that of the independent coordinates of a machine with closed loops.

    Motions of all joints, and of machines without loops, are returned unchanged.

    Args:
        function: name of the called function, for messages.
        robot_or_mech: the robot or machine.
        motion: a trajectory or samples; of elastic drives the joints alone are sufficient.
        near: a closed configuration on the branch of a trajectory; None: the reference of the machine.
    """
    if not isinstance(motion, Motion | Trajectory) or not robot_or_mech.loops:
        return motion
    tree = tree_of(function, robot_or_mech)
    count = motion.q.shape[-1] if isinstance(motion, Motion) else motion.count
    speeds = motion.v.shape[-1] if isinstance(motion, Motion) else tree.n
    if count in (tree.nq, first_shaft(tree)) and speeds in (tree.n, first_shaft(tree)):
        return motion
    mech = machine_of(function, robot_or_mech)
    assert isinstance(mech, ClosedMechanism)
    if isinstance(motion, Motion):
        return Motion(motion.t, *map(np.asarray, whole_motion(function, mech, motion.q, motion.v, motion.a)))
    independent, joints = mech.closure.independent, first_shaft(tree)
    moved = tuple(k for k in independent if k < joints)
    if count == len(independent):
        moved, joints = independent, tree.n
    if count != len(moved) or not tree.speeds_are_rates:
        raise InputError(
            f"{function}: the motion has {count} coordinates, the machine has {tree.nq} "
            f"({listed_names(tree.coordinates)}), of which {listed_names(mech.independent_coordinates)} are "
            "independent. Give all, or these."
        )
    first = np.array(mech.reference[list(mech.independent_indices)])
    first[[independent.index(k) for k in moved]] = motion.at(0.0)
    closure = Closure(tree, loop_laws(mech))
    dependent = tuple(k for k in range(tree.n) if k not in independent)
    follower = DependentCoordinates(closure, motion, moved, dependent)
    return _closed_trajectory(follower, mech.closed(first, near), joints, CLOSED_MOTION_ACCURACY)


def _closed_trajectory(follower: DependentCoordinates, start: Array, joints: int, accuracy: float) -> ClosedTrajectory:
    """Return the motion of the first `joints` coordinates from a closed configuration on."""
    motion = follower.free
    polynomials, q = [], start
    edges = [0.0, *(x for x in motion.derivative_jumps(2) if 0.0 < x < motion.duration), motion.duration]
    for begin, end in pairwise(edges):
        pieces, q = _smooth_span(follower, begin, end, q, joints, accuracy)
        polynomials.append(pieces)
    knots = np.concatenate([[0.0], *(pieces.x[1:] for pieces in polynomials)])
    return ClosedTrajectory(
        piecewise_polynomial(np.concatenate([pieces.c for pieces in polynomials], axis=1), knots), follower=follower
    )


def _smooth_span(
    follower: DependentCoordinates, begin: float, end: float, q: Array, joints: int, accuracy: float
) -> tuple[PPoly, Array]:
    """Return polynomials over a smooth segment, and the configuration at its end."""
    closure, n = follower.closure, follower.closure.mech.n
    knots = np.array([x for x in follower.free.derivative_jumps(MAX_JUMP_ORDER) if begin < x < end])
    t = np.union1d(np.linspace(begin, end, FIRST_CLOSED_INSTANTS), knots)
    t = t[np.append(True, np.diff(t) > KNOT_SPACING_RATIO * (end - begin))]
    t[-1] = end
    motions = _closed_states(follower, _instants_before_end(t), q)
    while True:
        pieces = hermite_interpolant(t, [x[:, :joints] for x in motions])
        middles = (t[1:] + t[:-1]) / 2
        between = np.zeros((len(middles), n))
        between[:, :joints] = pieces(middles)
        if float(np.abs(closure.gaps_and_rows(between, middles)[0]).max()) <= accuracy:
            return pieces, motions[0][-1]
        if len(t) >= MAX_CLOSED_INSTANTS:
            raise PlanningError(
                f"closed_motion: between {len(t)} instants the loop gap still exceeds {accuracy:g} m or rad: "
                "the motion passes close to a singular configuration. Choose another motion, or a larger accuracy=."
            )
        t = np.sort(np.concatenate([t, middles]))
        near = np.zeros((len(t), n))
        near[:, :joints] = pieces(t)
        motions = follower.coordinate_derivatives(_instants_before_end(t), near, 2)


def _instants_before_end(t: Array) -> Array:
    """Return the instants of a segment; the last one is just before its end, where the acceleration may step."""
    return np.append(t[:-1], t[-1] - 1e-13 * (t[-1] - t[0]))


def _closed_states(follower: DependentCoordinates, t: Array, q: Array) -> list[Array]:
    """Return coordinates, speeds and accelerations at a sequence of instants, each (T, n)."""
    closure, free_indices, dependent_indices = (
        follower.closure,
        list(follower.free_indices),
        list(follower.dependent_indices),
    )
    free_motion = [follower.free.at(t, k) for k in range(3)]
    out = [np.zeros((len(t), closure.mech.n)) for _ in range(3)]
    for k in range(len(t)):
        time = float(t[k])
        for part in _steps_between(follower.free, float(t[max(k - 1, 0)]), time):
            q = _nearest_closed(closure, free_indices, dependent_indices, q, follower.free.at(part), part)
        v, a = np.zeros(closure.mech.n), np.zeros(closure.mech.n)
        v[free_indices], a[free_indices] = free_motion[1][k], free_motion[2][k]
        loop_state = closure.constraint_state(q, v, time)
        rows = loop_state.rows
        v[dependent_indices] = np.linalg.lstsq(rows[:, dependent_indices], -loop_state.speed, rcond=None)[0]
        a[dependent_indices] = np.linalg.lstsq(
            rows[:, dependent_indices], -rows @ a - closure.constraint_state(q, v, time).drift, rcond=None
        )[0]
        for series, value in zip(out, (q, v, a), strict=True):
            series[k] = value
    return out


def _steps_between(free: Trajectory, begin: float, end: float) -> list[float]:
    """Return instants up to the end, between which the independent coordinates move by `LONGEST_CLOSED_STEP`."""
    moved = float(np.abs(free.at(np.linspace(begin, end, 5), 1)).max(initial=0.0)) * (end - begin)
    return np.linspace(begin, end, 1 + max(1, int(np.ceil(moved / LONGEST_CLOSED_STEP))))[1:].tolist()


def _nearest_closed(
    closure: Closure, free_indices: list[int], dependent_indices: list[int], q: Array, free_values: Array, t: float
) -> Array:
    """Return the closed configuration with given independent coordinates on the branch of a nearby closed one.

    Newton's method starts along the tangent: from the configuration itself it may end on another branch.
    """
    rows, q = closure.constraint_state(q, None, t).rows, q.copy()
    step = np.linalg.lstsq(
        rows[:, dependent_indices], -rows[:, free_indices] @ (free_values - q[free_indices]), rcond=None
    )
    q[dependent_indices] += step[0]
    q[free_indices] = free_values
    closed, gap = closure.nearest_closed(q, dependent_indices, t)
    if gap < CLOSURE_ROUNDING:
        return closed
    raise PlanningError(
        f"closed_motion: at t = {t:g} s the loops cannot be closed (gap {gap:.3g} m or rad): the motion leaves the "
        "range of the linkage or passes a singular configuration. Choose a shorter motion."
    )
