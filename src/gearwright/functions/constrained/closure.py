"""What closes a machine: constraints in numbers, which speeds they leave free, and the forces that close it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate
from gearwright.errors import InputError
from gearwright.forces.contact.constraint import Constraint
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.mechanism.rows import spread

SAME = 1e-8
"""Rows whose smallest singular value is this part of the largest, or less, depend on each other."""

OPEN = 1e-6
"""How far [m, rad] from closed a machine may be where it is linearised."""


CLOSED, NEVER_CLOSED = 1e-13, 1e-11
"""Gaps [m, rad] at which a closed configuration is found, and below which rounding may keep them."""

TRIES, LONGEST = 30, 0.5
"""Newton steps to a closed configuration, and how far one moves a joint at most [rad, m]."""


class ClosedAt(NamedTuple):
    """The m constraints at a state: how far from closed, rows W, W v and what W a lacks of the acceleration."""

    gap: Array
    rows: Array
    speed: Array
    drift: Array


class FreeSpeeds(NamedTuple):
    """The f speeds that constraints leave free: `names`, their `indices`, and all speeds per unit of each, (n, f)."""

    names: tuple[str, ...]
    indices: tuple[int, ...]
    directions: Array


@dataclass(frozen=True)
class Closure:
    """A machine with the constraints that close it.

    Args:
        mech: the machine.
        laws: constraints.
    """

    mech: Mechanism
    laws: tuple[Constraint, ...]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """What is held."""
        return tuple(line for law in self.laws for line in law.lines(self.mech.speeds))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the forces along them."""
        return tuple(name for law in self.laws for name in law.forces)

    def scene(self, q: Array, v: Array | None = None, t: float = 0.0) -> Scene:
        """The machine at a state, in numbers."""
        speeds = [0.0] * self.mech.n if v is None else v.tolist()
        return Scene(self.mech, q.tolist(), speeds, FLOATS, t)

    def at(self, q: Array, v: Array | None = None, t: float = 0.0) -> ClosedAt:
        """The constraints at a state."""
        scene = self.scene(q, v, t)
        placed = [line.placed(scene) for line in self.lines]
        rows = np.array([spread(line.terms, self.mech.n) for line in placed], dtype=float)
        gap, speed, drift = (
            np.array(x, dtype=float)
            for x in (
                [line.position(scene.q) for line in placed],
                [line.speed(scene.v) for line in placed],
                [line.drift for line in placed],
            )
        )
        return ClosedAt(gap, rows.reshape(len(placed), self.mech.n), speed, drift)

    def require_closed(self, function: str, here: ClosedAt) -> None:
        """Refuse a configuration in which something is open."""
        worst = int(np.argmax(np.abs(here.gap)))
        if abs(here.gap[worst]) > OPEN:
            raise InputError(
                f"{function}: {self.lines[worst].name} is {here.gap[worst]:.4g} (m or rad) from closed at this q. "
                "Close it first: gw.contact.project(robot, q, laws).q is the nearest that holds all constraints."
            )

    def nearest(self, q: Array, moving: Sequence[int], t: float = 0.0) -> tuple[Array, float]:
        """A closed configuration near another one, reached by these speeds alone, and the gap that is left [m, rad].

        Newton's method with the least steps; the gap is NEVER_CLOSED or more where lengths do not allow it.
        """
        q, gap, columns = q.copy(), np.inf, list(moving)
        for _ in range(TRIES):
            here, before = self.at(q, None, t), gap
            gap = float(np.abs(here.gap).max(initial=0.0))
            if gap < CLOSED or (gap < NEVER_CLOSED and gap >= before):
                break
            step = np.zeros(self.mech.n)
            step[columns] = np.linalg.lstsq(here.rows[:, columns], -here.gap, rcond=None)[0]
            step *= min(1.0, LONGEST / max(float(np.abs(step).max()), LONGEST))
            q = np.array(integrate(self.mech, q.tolist(), step.tolist(), FLOATS), dtype=np.float64)
        return q, gap

    def along(self, q: Array, t: Array) -> tuple[Array, Array]:
        """How far from closed (T, m), and rows (T, m, n), along configurations (T, nq) at times (T,)."""
        columns, still = list(q.T), np.zeros(len(t))
        scene = Scene(self.mech, columns, [still] * self.mech.n, ARRAYS, t)
        placed = [line.placed(scene) for line in self.lines]
        gap = [line.position(columns) + still for line in placed]
        rows = [[x + still for x in spread(line.terms, self.mech.n)] for line in placed]
        return np.stack(gap, axis=-1), np.moveaxis(np.array(rows), -1, 0)

    def require_closed_motion(self, function: str, q: Array, t: Array) -> Array:
        """The rows (T, m, n) along a motion (T, nq) at times (T,), which is refused if it opens something."""
        gap, rows = self.along(q, t)
        when, which = np.unravel_index(int(np.abs(gap).argmax()), gap.shape)
        if abs(gap[when, which]) > OPEN:
            raise InputError(
                f"{function}: the motion opens {self.lines[int(which)].name} by {abs(gap[when, which]):.4g} (m or rad) "
                f"at t = {float(t[when]):.4g} s. Give one that keeps the loops closed: gw.contact.closed_motion makes "
                "it from the motion of the free joints."
            )
        return rows

    def free(self, rows: Array, chosen: Sequence[int] | None = None) -> FreeSpeeds:
        """Which speeds are free, those with actuators first unless some are chosen, and how all others follow."""
        n, driven = self.mech.n, _driven(self.mech)
        if chosen is None:
            idle = [k for k in range(n) if k not in driven]
            dependent = _dependent_speeds(rows, idle, sorted(driven))
        else:
            dependent = [k for k in range(n) if k not in chosen]
        free = [k for k in range(n) if k not in dependent]
        directions = np.zeros((n, len(free)))
        directions[free, range(len(free))] = 1.0
        if dependent:
            answer = np.linalg.lstsq(rows[:, dependent], -rows[:, free], rcond=SAME)[0]
            directions[dependent] = answer
        return FreeSpeeds(tuple(self.mech.speeds[k] for k in free), tuple(free), directions)


def closure_of(
    function: str, robot_or_mech: RobotOrMech, mech: Mechanism, laws: Any, extra_laws: Any = ()
) -> Closure | None:
    """The loops of a robot's file or the constraints given instead, and extra ones; None where nothing closes it."""
    closing: list[Constraint] = []
    for law in choose_laws(function, robot_or_mech, laws, extra_laws, loop_laws).warned(function):
        if not isinstance(law, Constraint):
            raise InputError(f"{function}: laws has {law!r}, which is not a Constraint. Give constraints alone.")
        closing.append(law)
    return Closure(mech, tuple(closing)) if closing else None


def closing_forces(closure: Closure, rows: Array, needed: Array) -> Array:
    """The forces (m,) of constraints with which actuators alone give what a motion needs, (n,); the least ones.

    Raises:
        InputError: the actuators do not give it, whatever the forces are.
    """
    mech = closure.mech
    A = np.array([spread(one.terms, mech.n) for one in mech.actuators], dtype=float).reshape(-1, mech.n).T
    beyond = np.eye(mech.n) - A @ np.linalg.pinv(A) if A.size else np.eye(mech.n)
    wanted = beyond @ needed
    forces = np.asarray(np.linalg.lstsq(beyond @ rows.T, wanted, rcond=SAME)[0], dtype=np.float64)
    left = np.abs(wanted - beyond @ rows.T @ forces)
    worst = int(np.argmax(left))
    if left[worst] > 1e-7 * (1.0 + np.abs(needed).max()):
        raise InputError(
            f"reactions: no forces of {', '.join(closure.names)} let the actuators alone make this motion: "
            f"{mech.speeds[worst]!r} lacks {left[worst]:.3g}. Drive that joint, or give contact={{name: force}}."
        )
    return forces


def given_forces(function: str, closure: Closure, contact: Mapping[str, ArrayLike]) -> list[Array]:
    """Forces by the names of their series, every one of them."""
    if not isinstance(contact, Mapping) or set(contact) != set(closure.names):
        raise InputError(
            f"{function}: contact={contact!r} must give a force for each of {', '.join(closure.names)}, no more."
        )
    return [np.asarray(contact[name], dtype=float) for name in closure.names]


def _driven(mech: Mechanism) -> set[int]:
    """Speeds with actuators, and the joints behind the springs of elastic drives."""
    driven = {index for one in mech.actuators for index, _ in one.terms}
    for spring in mech.springs:
        ends = {index for index, _ in spring.terms}
        driven |= ends if ends & driven else set()
    return driven


def _dependent_speeds(rows: Array, first: Sequence[int], then: Sequence[int]) -> list[int]:
    """As many speeds as the rows have rank, whose columns are independent: of the first where they will do."""
    from scipy.linalg import qr

    size = np.abs(rows).max(initial=0.0)
    rank = int(np.linalg.matrix_rank(rows, tol=SAME * size)) if size else 0
    chosen: list[int] = []
    left = rows.copy()
    for group in (first, then):
        if len(chosen) == rank or not group:
            continue
        _, R, order = qr(left[:, group], mode="economic", pivoting=True)
        sizes = np.abs(np.diag(R))
        good = [group[order[k]] for k in range(len(sizes)) if sizes[k] > SAME * size][: rank - len(chosen)]
        chosen += good
        basis = np.linalg.qr(rows[:, chosen])[0] if chosen else np.zeros((len(rows), 0))
        left = rows - basis @ (basis.T @ rows)
    return sorted(chosen)
