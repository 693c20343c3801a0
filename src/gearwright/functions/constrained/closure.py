"""Constraints of a machine: their values and rows, the independent speeds, and the constraint forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate
from gearwright.errors import InputError
from gearwright.forces import Constraint, Line
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism, RobotOrMech, dense_row

DEPENDENT_ROW_RATIO = 1e-8
"""Ratio of smallest to largest singular value up to which rows are linearly dependent."""

MAX_LOOP_GAP = 1e-6
"""Largest constraint violation [m, rad] of a state to be linearised."""


CLOSURE_TOLERANCE, CLOSURE_ROUNDING = 1e-13, 1e-11
"""Constraint violations [m, rad] at which the iteration has converged, and which rounding may leave."""

MAX_CLOSURE_STEPS, MAX_CLOSURE_MOVE = 30, 0.5
"""Number of Newton steps to a closed configuration, and the largest step of a joint [rad, m]."""


class ConstraintState(NamedTuple):
    """The m constraints at a state: violation, rows W, W v, and the velocity terms of the constraint acceleration."""

    gap: Array
    rows: Array
    speed: Array
    drift: Array


class FreeSpeeds(NamedTuple):
    """The f independent speeds: `names`, their `indices`, and all speeds per unit of each, (n, f)."""

    names: tuple[str, ...]
    indices: tuple[int, ...]
    directions: Array


@dataclass(frozen=True)
class Closure:
    """A machine with its constraints.

    Args:
        mech: the machine.
        laws: constraints.
    """

    mech: Mechanism
    laws: tuple[Constraint, ...]

    @cached_property
    def constraint_lines(self) -> tuple[Line, ...]:
        """The constrained lines."""
        return tuple(line for law in self.laws for line in law.force_lines(self.mech.speeds))

    @cached_property
    def force_names(self) -> tuple[str, ...]:
        """The names of the constraint forces."""
        return tuple(name for law in self.laws for name in law.force_names)

    def kinematics_at(self, q: Array, v: Array | None = None, t: float = 0.0) -> SharedKinematics:
        """Return the kinematics of the machine at a state."""
        speeds = [0.0] * self.mech.n if v is None else v.tolist()
        return SharedKinematics(self.mech, q.tolist(), speeds, FLOATS, t)

    def constraint_state(self, q: Array, v: Array | None = None, t: float = 0.0) -> ConstraintState:
        """Return the constraints at a state."""
        kinematics = self.kinematics_at(q, v, t)
        placed = [line.placed_in(kinematics) for line in self.constraint_lines]
        rows = np.array([dense_row(line.terms, self.mech.n) for line in placed], dtype=float)
        gap, speed, drift = (
            np.array(x, dtype=float)
            for x in (
                [line.position(kinematics.q) for line in placed],
                [line.speed(kinematics.v) for line in placed],
                [line.drift for line in placed],
            )
        )
        return ConstraintState(gap, rows.reshape(len(placed), self.mech.n), speed, drift)

    def require_closed(self, function: str, state: ConstraintState) -> None:
        """Raise an error if a configuration violates a constraint."""
        worst = int(np.argmax(np.abs(state.gap)))
        if abs(state.gap[worst]) > MAX_LOOP_GAP:
            raise InputError(
                f"{function}: q violates the constraint {self.constraint_lines[worst].name} by {state.gap[worst]:.4g} "
                "(m or rad). Project it first: gw.contact.project(robot, q, laws).q is the nearest consistent "
                "configuration."
            )

    def nearest_closed(self, q: Array, moving: Sequence[int], t: float = 0.0) -> tuple[Array, float]:
        """Return a closed configuration near q, varying these speeds alone, and the remaining violation [m, rad].

        Newton's method with minimum-norm steps; the violation is `CLOSURE_ROUNDING` or more if the loop cannot be
        closed.
        """
        q, gap, columns = q.copy(), np.inf, list(moving)
        for _ in range(MAX_CLOSURE_STEPS):
            state, before = self.constraint_state(q, None, t), gap
            gap = float(np.abs(state.gap).max(initial=0.0))
            if gap < CLOSURE_TOLERANCE or (gap < CLOSURE_ROUNDING and gap >= before):
                break
            step = np.zeros(self.mech.n)
            step[columns] = np.linalg.lstsq(state.rows[:, columns], -state.gap, rcond=None)[0]
            step *= min(1.0, MAX_CLOSURE_MOVE / max(float(np.abs(step).max()), MAX_CLOSURE_MOVE))
            q = np.array(integrate(self.mech, q.tolist(), step.tolist(), FLOATS), dtype=np.float64)
        return q, gap

    def gaps_and_rows(self, q: Array, t: Array) -> tuple[Array, Array]:
        """Return the violations (T, m) and rows (T, m, n) along configurations (T, nq) at times (T,)."""
        columns, still = list(q.T), np.zeros(len(t))
        kinematics = SharedKinematics(self.mech, columns, [still] * self.mech.n, ARRAYS, t)
        placed = [line.placed_in(kinematics) for line in self.constraint_lines]
        gap = [line.position(columns) + still for line in placed]
        rows = [[x + still for x in dense_row(line.terms, self.mech.n)] for line in placed]
        return np.stack(gap, axis=-1), np.moveaxis(np.array(rows), -1, 0)

    def require_closed_motion(self, function: str, q: Array, t: Array) -> Array:
        """Return the rows (T, m, n) along a motion (T, nq) at times (T,) that satisfies all constraints."""
        gap, rows = self.gaps_and_rows(q, t)
        when, row = np.unravel_index(int(np.abs(gap).argmax()), gap.shape)
        if abs(gap[when, row]) > MAX_LOOP_GAP:
            raise InputError(
                f"{function}: the motion violates the constraint {self.constraint_lines[int(row)].name} by "
                f"{abs(gap[when, row]):.4g} (m or rad) at t = {float(t[when]):.4g} s. Give a consistent motion: "
                "gw.contact.closed_motion computes it from the motion of the independent joints."
            )
        return rows

    def free_speeds(self, rows: Array, chosen: Sequence[int] | None = None) -> FreeSpeeds:
        """Return the independent speeds, actuated ones preferred unless some are chosen, and the map to all speeds."""
        n, driven = self.mech.n, _driven_speeds(self.mech)
        if chosen is None:
            idle = [k for k in range(n) if k not in driven]
            dependent = _dependent_speeds(rows, idle, sorted(driven))
        else:
            dependent = [k for k in range(n) if k not in chosen]
        free = [k for k in range(n) if k not in dependent]
        directions = np.zeros((n, len(free)))
        directions[free, range(len(free))] = 1.0
        if dependent:
            answer = np.linalg.lstsq(rows[:, dependent], -rows[:, free], rcond=DEPENDENT_ROW_RATIO)[0]
            directions[dependent] = answer
        return FreeSpeeds(tuple(self.mech.speeds[k] for k in free), tuple(free), directions)


def closure_of(
    function: str, robot_or_mech: RobotOrMech, mech: Mechanism, laws: Any, extra_laws: Any = ()
) -> Closure | None:
    """Return the constraints of a robot's loops, or those given instead, and extra ones; None without constraints."""
    closing: list[Constraint] = []
    for law in choose_laws(function, robot_or_mech, laws, extra_laws, loop_laws).laws_with_warning(function):
        if not isinstance(law, Constraint):
            raise InputError(f"{function}: laws has {law!r}, which is not a Constraint. Give constraints only.")
        law.require_no_friction(function)
        closing.append(law)
    return Closure(mech, tuple(closing)) if closing else None


def closing_forces(closure: Closure, rows: Array, needed: Array, independent: Sequence[int] | None = None) -> Array:
    """Return the minimum-norm constraint forces (m,) with which the actuators produce the required forces (n,).

    Forces at independent speeds without actuators are external, as in an open tree.

    Args:
        closure: the constraints.
        rows: their rows, (m, n).
        needed: generalized forces, (n,).
        independent: indices of the independent speeds; None: chosen by rank, actuated ones preferred.

    Raises:
        InputError: no constraint forces make the required forces producible by the actuators.
    """
    mech, driven = closure.mech, _driven_speeds(closure.mech)
    actuated = [dense_row(actuator.terms, mech.n) for actuator in mech.actuators]
    free = closure.free_speeds(rows).indices if independent is None else independent
    external = [np.eye(mech.n)[k] for k in free if k not in driven]
    A = np.array([*actuated, *external], dtype=float).reshape(-1, mech.n).T
    beyond = np.eye(mech.n) - A @ np.linalg.pinv(A) if A.size else np.eye(mech.n)
    wanted = beyond @ needed
    forces = np.asarray(np.linalg.lstsq(beyond @ rows.T, wanted, rcond=DEPENDENT_ROW_RATIO)[0], dtype=np.float64)
    left = np.abs(wanted - beyond @ rows.T @ forces)
    worst = int(np.argmax(left))
    if left[worst] > 1e-7 * (1.0 + np.abs(needed).max()):
        raise InputError(
            f"reactions: the actuators cannot produce this motion with any constraint forces "
            f"{', '.join(closure.force_names)}: "
            f"{mech.speeds[worst]!r} lacks {left[worst]:.3g} N or Nm. Add a drive to that joint, or give "
            "contact={name: force}."
        )
    return forces


def given_forces(function: str, closure: Closure, contact: Mapping[str, ArrayLike]) -> list[Array]:
    """Return the forces of all constraints by the names of their series."""
    if not isinstance(contact, Mapping) or set(contact) != set(closure.force_names):
        raise InputError(
            f"{function}: contact={contact!r} must give a force for each of {', '.join(closure.force_names)}, and no "
            "others."
        )
    return [np.asarray(contact[name], dtype=float) for name in closure.force_names]


def _driven_speeds(mech: Mechanism) -> set[int]:
    """Speeds with actuators, and the joints behind the springs of elastic drives."""
    driven = {index for actuator in mech.actuators for index, _ in actuator.terms}
    for spring in mech.springs:
        ends = {index for index, _ in spring.terms}
        driven |= ends if ends & driven else set()
    return driven


def _dependent_speeds(rows: Array, first: Sequence[int], then: Sequence[int]) -> list[int]:
    """Return speeds with linearly independent columns, as many as the rank, preferably from the first list."""
    from scipy.linalg import qr

    size = np.abs(rows).max(initial=0.0)
    rank = int(np.linalg.matrix_rank(rows, tol=DEPENDENT_ROW_RATIO * size)) if size else 0
    chosen: list[int] = []
    left = rows.copy()
    for group in (first, then):
        if len(chosen) == rank or not group:
            continue
        _, R, order = qr(left[:, group], mode="economic", pivoting=True)
        sizes = np.abs(np.diag(R))
        good = [group[order[k]] for k in range(len(sizes)) if sizes[k] > DEPENDENT_ROW_RATIO * size][
            : rank - len(chosen)
        ]
        chosen += good
        basis = np.linalg.qr(rows[:, chosen])[0] if chosen else np.zeros((len(rows), 0))
        left = rows - basis @ (basis.T @ rows)
    return sorted(chosen)
