r"""Constraint forces of closed loops for a motion of the joints, before the motor motion of elastic drives is known.

With combinations N of equations in which neither drives nor their springs act, and the rows W of the loop constraints

$$N' W' \lambda = N' (M a + C v + g - f),$$

all quantities being series of time; $W' \lambda$ then enters the equations that determine the motor motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.algebra import ARRAYS, Scalar
from gearwright.algebra.differentiation.dual_arrays import stack_arrays
from gearwright.algebra.differentiation.dual_numbers import DualOperations, map_linear, primal_value, time_derivative
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces import Line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism, dense_row
from gearwright.motion_demands.motion_segments.time_series import (
    coefficient_series,
    multiply_series,
    series_coefficients,
    solve_series,
)


@dataclass(frozen=True)
class LoopClosure:
    """The loop constraints of a machine and its actuators.

    Args:
        lines: lines of the constraint forces.
        actuator_rows: rows of the actuators, (k, n).
    """

    lines: tuple[Line, ...]
    actuator_rows: Array

    @staticmethod
    def from_lines(mech: Mechanism, lines: Sequence[Line], actuators: Sequence[Line]) -> LoopClosure | None:
        """Return the loops of a machine; None if it has none."""
        if not lines:
            return None
        configuration_dependent = [line.name for line in actuators if not line.is_constant]
        if configuration_dependent:
            raise InputError(
                f"demands: the row of the actuator along {configuration_dependent[0]!r} depends on the configuration, "
                f"so the motion of elastic drives cannot be computed through loops. Give the motion of all {mech.n} "
                "coordinates."
            )
        rows = [dense_row(line.terms, mech.n) for line in actuators]
        return LoopClosure(tuple(lines), np.array(rows, dtype=float).reshape(-1, mech.n))

    def closing_forces(
        self, mech: Mechanism, idle: Array, t: Array, q: Sequence[Scalar], required: Sequence[Scalar]
    ) -> list[Scalar]:
        """Return W' lambda per speed as series.

        Args:
            mech: the machine.
            idle: N, (n, k).
            t: times (T,).
            q: series of the coordinates.
            required: per speed M a + C v + g - f as a series.
        """
        length = len(primal_value(q[0]).c)
        ops = DualOperations(TaylorOperations(ARRAYS))
        kinematics = SharedKinematics(
            mech, q, [time_derivative(x) for x in q], ops, Taylor([t, 1.0]).truncated_to(length)
        )
        shape = (len(t), length, mech.n)
        rows = [series_coefficients(dense_row(line.placed_in(kinematics).terms, mech.n), shape) for line in self.lines]
        W = stack_arrays(rows, shape)
        left = map_linear(lambda x: np.einsum("ij,tlim->tljm", idle, x), W)
        acting = multiply_series(
            W, solve_series(left, map_linear(lambda x: x @ idle, series_coefficients(required, shape)))
        )
        return coefficient_series(acting)
