r"""The forces that close the loops of a machine whose joints move, before the motors of its elastic drives are known.

With combinations N of equations in which neither drives nor their springs act, and the rows W of what closes the loops

$$N' W' \lambda = N' (M a + C v + g - f),$$

all of it series of time; $W' \lambda$ then acts in the equations that give the motors their motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import item, stacked
from gearwright.algebra.differentiation.dual_numbers import VariedOperations, linear, rate_of, value_of
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.algebra.operations import ARRAYS
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import spread
from gearwright.motion_demands.motion_segments.time_series import coefficients, solved, times


@dataclass(frozen=True)
class Loops:
    """What closes a machine, and what drives it.

    Args:
        lines: along what forces close it.
        driven: rows of the actuators, (k, n).
    """

    lines: tuple[Line, ...]
    driven: Array

    @staticmethod
    def of(mech: Mechanism, lines: Sequence[Line], actuators: Sequence[Line]) -> Loops | None:
        """None where nothing closes the machine."""
        if not lines:
            return None
        bent = [line.name for line in actuators if not line.constant]
        if bent:
            raise InputError(
                f"demands: the row of the actuator along {bent[0]!r} depends on where the machine is, so that the "
                f"motion of its elastic drives is not found through loops. Give that of all {mech.n} coordinates."
            )
        rows = [spread(line.terms, mech.n) for line in actuators]
        return Loops(tuple(lines), np.array(rows, dtype=float).reshape(-1, mech.n))

    def forces(
        self, mech: Mechanism, idle: Array, t: Array, q: Sequence[Scalar], needed: Sequence[Scalar]
    ) -> list[Scalar]:
        """W' lambda per speed as series, for what a motion needs.

        Args:
            mech: the machine.
            idle: N, (n, k).
            t: times (T,).
            q: series of the coordinates.
            needed: per speed M a + C v + g - f as a series.
        """
        length = len(value_of(q[0]).c)
        ops = VariedOperations(TaylorOperations(ARRAYS))
        scene = Scene(mech, q, [rate_of(x) for x in q], ops, Taylor([t, 1.0]).cut(length))
        shape = (len(t), length, mech.n)
        rows = [coefficients(spread(line.placed(scene).terms, mech.n), shape) for line in self.lines]
        W = stacked(rows, shape)
        left = linear(lambda x: np.einsum("ij,tlim->tljm", idle, x), W)
        acting = times(W, solved(left, linear(lambda x: x @ idle, coefficients(needed, shape))))
        return [linear(lambda x: Taylor(list(x.T)), item(acting, np.s_[:, :, k])) for k in range(mech.n)]
