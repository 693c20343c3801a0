"""Motions of machines with closed loops, from the motion of the speeds that are free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.dynamics.elastic import first_shaft
from gearwright.errors import InputError, PlanningError
from gearwright.forces.constraint import Constraint
from gearwright.functions.closure import Closure, closure_of
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.motion import Trajectory
from gearwright.motion.pieces import meeting
from gearwright.planning.closed_trajectory import ClosedTrajectory, Follower
from gearwright.programs.inputs import checked
from gearwright.text import listed

FIRST, MOST = 33, 4097
"""Instants at which the loops are closed at first, and at most."""
TRIES = 30
"""Newton steps at one instant."""
CLOSED = 1e-13
"""Gaps [m, rad] below which loops are closed."""


def closed_motion(
    robot: RobotOrMech,
    motion: Trajectory,
    start: ArrayLike,
    laws: Sequence[Constraint] | None = None,
    accuracy: float = 1e-9,
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
        laws: constraints; the loops of a robot's file unless given.
        accuracy: how far loops may open between the instants [m, rad].

    Raises:
        PlanningError: the loops cannot be closed along the motion, or it passes a singular position.
    """
    mech = machine_of("closed_motion", robot)
    closure = closure_of("closed_motion", robot, mech, laws)
    if closure is None:
        raise InputError("closed_motion: nothing closes this machine. Give laws=, or use the motion as it is.")
    if not mech.straight:
        raise InputError("closed_motion: free, spherical and planar joints cannot be joined by polynomials.")
    number("closed_motion", "accuracy", accuracy, above=0.0, unit="metres or radians", example=1e-9)
    at = checked("closed_motion", mech, "q", start, mech.nq).copy()
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
    count = FIRST
    while True:
        t = np.linspace(0.0, motion.duration, count)
        motions = _closed(follower, t, at)
        pieces = meeting(t, [x[:, :joints] for x in motions])
        between = np.zeros((count - 1, mech.n))
        middles = (t[1:] + t[:-1]) / 2
        between[:, :joints] = pieces(middles)
        gaps = (closure.at(q, None, now).gap for q, now in zip(between, middles.tolist(), strict=True))
        if max(float(np.abs(gap).max()) for gap in gaps) <= accuracy:
            return ClosedTrajectory(pieces, follower=follower)
        if count >= MOST:
            raise PlanningError(
                f"closed_motion: between {count} instants the loops still open by more than {accuracy:g} m or rad: "
                "the motion passes close to a singular position. Choose another motion, or a larger accuracy=."
            )
        count = 2 * count - 1


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
    q, best = q.copy(), np.inf
    q[own] = wanted
    for _ in range(TRIES):
        here = closure.at(q, None, t)
        gap = float(np.abs(here.gap).max())
        if gap < CLOSED or (gap < 1e-11 and gap >= best):
            return q
        best = min(best, gap)
        q[rest] += np.linalg.lstsq(here.rows[:, rest], -here.gap, rcond=None)[0]
    raise PlanningError(
        f"closed_motion: at t = {t:g} s the loops cannot be closed (gap {gap:.3g} m or rad): the motion leads out of "
        "what the lengths allow, or through a singular position. Choose a shorter motion."
    )
