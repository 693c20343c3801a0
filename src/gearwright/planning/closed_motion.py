"""Motions of machines with closed loops, from the motion of the speeds that are free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.errors import InputError, PlanningError
from gearwright.forces.constraint import Constraint
from gearwright.functions.closure import Closure, FreeSpeeds, closure_of
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.motion import Trajectory
from gearwright.motion.pieces import meeting
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

    Loops are closed at instants, with speeds and accelerations, and joined by polynomials of degree 5; there are as
    many instants as keep the loops closed between them.

    Args:
        robot: the robot, with its loops, or a machine.
        motion: of the free speeds, in the order of `gw.contact.free_speeds(robot, start).names`.
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
    if motion.count != len(free.indices):
        raise InputError(
            f"closed_motion: the motion has {motion.count} coordinates; free are {listed(free.names)}. Give these."
        )
    count = FIRST
    while True:
        t = np.linspace(0.0, motion.duration, count)
        found = Trajectory(meeting(t, _closed(closure, free, motion, t, at)))
        between = found.at((t[1:] + t[:-1]) / 2)
        if max(float(np.abs(closure.at(q).gap).max()) for q in between) <= accuracy:
            return found
        if count >= MOST:
            raise PlanningError(
                f"closed_motion: between {count} instants the loops still open by more than {accuracy:g} m or rad: "
                "the motion passes close to a singular position. Choose another motion, or a larger accuracy=."
            )
        count = 2 * count - 1


def _closed(closure: Closure, free: FreeSpeeds, motion: Trajectory, t: Array, q: Array) -> list[Array]:
    """Coordinates, speeds and accelerations at instants, one after the other, each (T, n)."""
    own = list(free.indices)
    rest = [k for k in range(closure.mech.n) if k not in own]
    wanted = [motion.at(t, k) for k in range(3)]
    out = [np.zeros((len(t), closure.mech.n)) for _ in range(3)]
    for k in range(len(t)):
        q = _nearest(closure, own, rest, q, wanted[0][k], float(t[k]))
        v, a = np.zeros(closure.mech.n), np.zeros(closure.mech.n)
        v[own], a[own] = wanted[1][k], wanted[2][k]
        rows = closure.at(q).rows
        v[rest] = np.linalg.lstsq(rows[:, rest], -rows @ v, rcond=None)[0]
        a[rest] = np.linalg.lstsq(rows[:, rest], -rows @ a - closure.at(q, v).drift, rcond=None)[0]
        for series, value in zip(out, (q, v, a), strict=True):
            series[k] = value
    return out


def _nearest(closure: Closure, own: list[int], rest: list[int], q: Array, wanted: Array, t: float) -> Array:
    """The closed configuration near another one with the free coordinates where they are wanted."""
    q, best = q.copy(), np.inf
    q[own] = wanted
    for _ in range(TRIES):
        here = closure.at(q)
        gap = float(np.abs(here.gap).max())
        if gap < CLOSED or (gap < 1e-11 and gap >= best):
            return q
        best = min(best, gap)
        q[rest] += np.linalg.lstsq(here.rows[:, rest], -here.gap, rcond=None)[0]
    raise PlanningError(
        f"closed_motion: at t = {t:g} s the loops cannot be closed (gap {gap:.3g} m or rad): the motion leads out of "
        "what the lengths allow, or through a singular position. Choose a shorter motion."
    )
