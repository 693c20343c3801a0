"""Motions of machines with closed loops from the motion of their free speeds, exact in every derivative.

At a time the dependent coordinates close the loops. The coefficients of their Taylor series in time follow one by one:
with those below c_k known, and c_k left out, the gaps have the coefficients r_k, and W c_k = -r_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.algebra.operations import ARRAYS
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, numbers, whole
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError, PlanningError
from gearwright.forces.contact.constraint import Constraint
from gearwright.forces.shared_kinematics import Scene
from gearwright.functions.constrained.closure import NEVER_CLOSED, Closure, closure_of
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.motion import Trajectory, chain
from gearwright.motion.piecewise_polynomials import meeting, piecewise
from gearwright.programs.inputs import checked
from gearwright.text import listed

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

# Exact trajectories

CORRECTIONS = 3
"""Newton steps from the polynomials, which are close already."""

AHEAD = 4
"""Derivatives beyond those asked for that are computed with them: who asks for one soon asks for the next."""


@dataclass(frozen=True)
class Follower:
    """Dependent coordinates that follow free ones.

    Args:
        closure: the machine with what closes it.
        free: the motion of the free coordinates.
        own: where these stand among the speeds.
        rest: where those stand that follow.
    """

    closure: Closure
    free: Trajectory
    own: tuple[int, ...]
    rest: tuple[int, ...]

    def is_like(self, other: Follower | None) -> bool:
        """Whether the same coordinates follow the same ones on the same machine."""
        mine = (self.closure.mech, self.closure.laws, self.own, self.rest)
        return other is not None and mine == (other.closure.mech, other.closure.laws, other.own, other.rest)

    def derivatives(self, t: Array, near: Array, order: int) -> list[Array]:
        """All coordinates and `order` of their derivatives at times (T,), each (T, n), near others (T, n)."""
        given = [self.free.at(t, k) for k in range(order + 1)]
        q = near.copy()
        q[:, self.own] = given[0]
        for _ in range(CORRECTIONS):
            gap, inverse = self._gap(t, q)
            q[:, self.rest] -= np.einsum("tij,tj->ti", inverse, gap)
        inverse = self._gap(t, q)[1]
        series = [[column] for column in q.T]
        for k, index in enumerate(self.own):
            series[index] = list(Taylor.of_derivatives([x[:, k] for x in given]).c)
        for k in range(1, order + 1):
            missing = np.einsum("tij,tj->ti", inverse, self._coefficient(t, series, k))
            for j, index in enumerate(self.rest):
                series[index].append(-missing[:, j])
        filled = [Taylor(c).cut(order + 1).derivatives() for c in series]
        return [np.stack([x[k] + np.zeros(len(t)) for x in filled], axis=-1) for k in range(order + 1)]

    def _gap(self, t: Array, q: Array) -> tuple[Array, Array]:
        """How far from closed (T, m), and what takes that away from the dependent coordinates, (T, rest, m)."""
        gap, rows = self.closure.along(q, t)
        return gap, np.asarray(np.linalg.pinv(rows[:, :, self.rest]), dtype=np.float64)

    def _coefficient(self, t: Array, series: Sequence[list[Array]], k: int) -> Array:
        """The coefficients of power k of the gaps, (T, m)."""
        q = [Taylor(c).cut(k + 1) for c in series]
        now = Taylor([t, 1.0]).cut(k + 1)
        scene = Scene(self.closure.mech, q, [x.rate() for x in q], TaylorOperations(ARRAYS), now)
        found = [line.placed(scene).position(q) for line in self.closure.lines]
        return np.stack([(x.c[k] if isinstance(x, Taylor) else 0.0) + np.zeros(len(t)) for x in found], axis=-1)


@dataclass(frozen=True, repr=False)
class ClosedTrajectory(Trajectory):
    """A motion that keeps loops closed, exactly at every time and in every derivative.

    Its `pieces` are polynomials that keep them closed nearly; `follower` closes them.
    """

    follower: Follower | None = None

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Position (0), speed (1), acceleration (2), jerk (3) ... at times t, shape t.shape + (n,)."""
        whole("trajectory", "derivative", derivative)
        times = numbers("trajectory", "t", t)
        values = self._known(np.clip(times, 0.0, self.duration).ravel(), derivative)[derivative]
        values = values[:, : self.count].reshape(*times.shape, self.count)
        resting = (times < 0) | (times > self.duration)
        return np.where(resting[..., None], 0.0, values) if derivative else values

    def joined(self, parts: Sequence[Trajectory], pieces: Any) -> Trajectory:
        """Closed motions one after the other, closed as exactly as each of them; else the polynomials alone."""
        followers = [part.follower for part in parts if isinstance(part, ClosedTrajectory)]
        first = self.follower
        if first is None or len(followers) < len(parts) or any(not first.is_like(other) for other in followers):
            return self.with_pieces(pieces)
        free = chain(*(other.free for other in followers if other is not None))
        return replace(self, pieces=pieces, follower=replace(first, free=free))

    def kinks(self, order: int) -> list[float]:
        """Those of the free coordinates."""
        assert self.follower is not None
        return self.follower.free.kinks(order)

    @cached_property
    def _last(self) -> dict[bytes, list[Array]]:
        """The times asked for last, with all that is known there: derivatives are asked for one after the other."""
        return {}

    def _known(self, t: Array, derivative: int) -> list[Array]:
        key = t.tobytes()
        if len(self._last.get(key, ())) <= derivative:
            assert self.follower is not None
            near = self.pieces(t)
            whole_q = np.zeros((len(t), self.follower.closure.mech.n))
            whole_q[:, : self.count] = near
            found = self.follower.derivatives(t, whole_q, max(2, derivative + AHEAD if derivative else 0))
            self._last.clear()
            self._last[key] = found
        return self._last[key]


# Motions

FIRST, MOST = 17, 4097
"""Instants of a smooth span at which the loops are closed at first, and at most."""


@check_arguments
def closed_motion(
    robot: RobotOrMech,
    motion: Trajectory,
    start: ArrayLike,
    laws: Sequence[Constraint] | None = None,
    accuracy: float = 1e-9,
    *,
    extra_laws: Sequence[Constraint] = (),
) -> Trajectory:
    """The motion of all joints for a motion of those that loops leave free: everything else follows.

    The answer closes the loops at every time, and is as smooth as the motion that is given: its derivatives, which
    elastic drives ask for, are exact (`at`). Its `pieces` are polynomials of degree 5 between instants, as many as keep
    the loops closed between them.

    Args:
        robot: the robot, with its loops, or a machine.
        motion: of the free speeds, in the order of `gw.contact.free_speeds(robot, start).names`. With elastic drives
            that of the free joints is enough: the answer is then one of the joints, without the motors.
        start: a closed configuration near the begin of the motion, which decides the branch, (nq,).
        laws: constraints instead of the loops of the robot.
        accuracy: how far loops may open between the instants [m, rad].
        extra_laws: constraints beside the loops of the robot.

    Raises:
        PlanningError: the loops cannot be closed along the motion, or it passes a singular position.
    """
    mech = machine_of("closed_motion", robot)
    closure = closure_of("closed_motion", robot, mech, laws, extra_laws)
    if closure is None:
        raise InputError("closed_motion: nothing closes this machine. Give laws=, or use the motion as it is.")
    if not mech.straight:
        raise InputError("closed_motion: free, spherical and planar joints cannot be joined by polynomials.")
    number("closed_motion", "accuracy", accuracy, above=0.0, unit="metres or radians", example=1e-9)
    at = checked("closed_motion", mech, "start", start, mech.nq, mech.coordinates).copy()
    here = closure.at(at)
    closure.require_closed("closed_motion", here)
    free = closure.free(here.rows)
    joints = first_shaft(mech)
    own = [k for k in free.indices if k < joints]
    if motion.count == len(free.indices):
        own, joints = list(free.indices), mech.n
    if motion.count != len(own):
        raise InputError(
            f"closed_motion: the motion has {motion.count} coordinates; free are {listed(free.names)}. Give these."
        )
    follower = Follower(closure, motion, tuple(own), tuple(k for k in range(mech.n) if k not in free.indices))
    found, q = [], at
    edges = [0.0, *(x for x in motion.kinks(2) if 0.0 < x < motion.duration), motion.duration]
    for begin, end in pairwise(edges):
        pieces, q = _smooth_span(follower, begin, end, q, joints, accuracy)
        found.append(pieces)
    knots = np.concatenate([[0.0], *(pieces.x[1:] for pieces in found)])
    return ClosedTrajectory(piecewise(np.concatenate([pieces.c for pieces in found], axis=1), knots), follower=follower)


def _smooth_span(
    follower: Follower, begin: float, end: float, q: Array, joints: int, accuracy: float
) -> tuple[PPoly, Array]:
    """Polynomials over a span without steps of the acceleration, and the configuration at its end."""
    closure, n = follower.closure, follower.closure.mech.n
    t = np.linspace(begin, end, FIRST)
    motions = _closed(follower, _inside(t), q)
    while True:
        pieces = meeting(t, [x[:, :joints] for x in motions])
        middles = (t[1:] + t[:-1]) / 2
        between = np.zeros((len(middles), n))
        between[:, :joints] = pieces(middles)
        if float(np.abs(closure.along(between, middles)[0]).max()) <= accuracy:
            return pieces, motions[0][-1]
        if len(t) >= MOST:
            raise PlanningError(
                f"closed_motion: between {len(t)} instants the loops still open by more than {accuracy:g} m or rad: "
                "the motion passes close to a singular position. Choose another motion, or a larger accuracy=."
            )
        t = np.linspace(begin, end, 2 * len(t) - 1)
        near = np.zeros((len(t), n))
        near[:, :joints] = pieces(t)
        motions = follower.derivatives(_inside(t), near, 2)


def _inside(t: Array) -> Array:
    """Instants of a span, the last one before its end, where the next span's acceleration may begin."""
    return np.append(t[:-1], t[-1] - 1e-13 * (t[-1] - t[0]))


def _closed(follower: Follower, t: Array, q: Array) -> list[Array]:
    """Coordinates, speeds and accelerations at instants, one after the other, each (T, n)."""
    closure, own, rest = follower.closure, list(follower.own), list(follower.rest)
    wanted = [follower.free.at(t, k) for k in range(3)]
    out = [np.zeros((len(t), closure.mech.n)) for _ in range(3)]
    for k in range(len(t)):
        now = float(t[k])
        q = _nearest(closure, own, rest, q, wanted[0][k], now)
        v, a = np.zeros(closure.mech.n), np.zeros(closure.mech.n)
        v[own], a[own] = wanted[1][k], wanted[2][k]
        here = closure.at(q, v, now)
        rows = here.rows
        v[rest] = np.linalg.lstsq(rows[:, rest], -here.speed, rcond=None)[0]
        a[rest] = np.linalg.lstsq(rows[:, rest], -rows @ a - closure.at(q, v, now).drift, rcond=None)[0]
        for series, value in zip(out, (q, v, a), strict=True):
            series[k] = value
    return out


def _nearest(closure: Closure, own: list[int], rest: list[int], q: Array, wanted: Array, t: float) -> Array:
    """The closed configuration near another one with the free coordinates where they are wanted."""
    q = q.copy()
    q[own] = wanted
    found, gap = closure.nearest(q, rest, t)
    if gap < NEVER_CLOSED:
        return found
    raise PlanningError(
        f"closed_motion: at t = {t:g} s the loops cannot be closed (gap {gap:.3g} m or rad): the motion leads out of "
        "what the lengths allow, or through a singular position. Choose a shorter motion."
    )
