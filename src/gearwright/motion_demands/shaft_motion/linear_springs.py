"""The motion of shafts behind linear springs, and the forces that act beside a machine's own where it is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import columns_of, stacked
from gearwright.algebra.differentiation.dual_numbers import VariedOperations, derivatives_of, rate_of, value_of
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.algebra.operations import ARRAYS
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import ACCELERATION, LawForces, first_shaft, whole_series
from gearwright.dynamics.integration_steps import Moving
from gearwright.functions.elastic.shaft_equations import Plan
from gearwright.motion import Trajectory
from gearwright.motion_demands.motion_segments.law_states import state_series
from gearwright.motion_demands.motion_segments.loop_forces import Loops
from gearwright.motion_demands.motion_segments.smooth_segments import Piece
from gearwright.system.inputs import Inputs
from gearwright.system.system import Modes


@dataclass(frozen=True)
class LinearShafts:
    """How the motion of shafts behind linear springs follows from that of the joints.

    Args:
        way: which equations give which shafts.
        joints: the motion of the joints; shafts stand still in it.
        inputs: inputs of the laws over time.
        pieces: the motion of the joints in smooth pieces, with the laws at them.
        order: how many derivatives of the shafts' motion are wanted beyond their accelerations.
        loops: what closes the machine.
    """

    way: Plan
    joints: Trajectory
    inputs: Inputs
    pieces: tuple[Piece, ...]
    order: int
    loops: Loops | None

    def values(self) -> list[tuple[Array, Scalar]]:
        """Per piece its times, and the motion of the whole machine with its derivatives, (T, order + 3, n)."""
        return [(piece.t, _shafts_too(piece, self.way, self.order, self.loops)) for piece in self.pieces]


def _shafts_too(piece: Piece, way: Plan, order: int, loops: Loops | None) -> Scalar:
    """The motion of the whole machine over a piece with its derivatives, (T, order + 3, n)."""
    mech = piece.system.mech
    derivatives = [[x[:, k] for k in range(first_shaft(mech))] for x in piece.motion[: way.order + 1]]
    series = whole_series(mech, way.steps, derivatives, ARRAYS, law_forces=outer_forces(piece, way, loops))
    columns = [derivatives_of(one, order + ACCELERATION + 1) for one in series]
    return stacked([stacked(column, piece.t.shape) for column in columns], (len(piece.t), order + ACCELERATION + 1))


def outer_forces(piece: Piece, way: Plan, loops: Loops | None) -> LawForces:
    """The forces of laws, and those that close loops."""
    mech, modes = piece.system.mech, piece.likely_modes

    def forces(q: Sequence[Scalar], needed: Sequence[Scalar]) -> list[Scalar]:
        known = _law_forces(piece, modes, q)
        if loops is None:
            return known
        lacking = [x - y for x, y in zip(needed, known, strict=True)]
        closing = loops.forces(mech, way.idle, piece.t, q, lacking)
        return [x + y for x, y in zip(closing, known, strict=True)]

    return forces


def _law_forces(piece: Piece, modes: Modes, q: Sequence[Scalar]) -> list[Scalar]:
    """Generalized forces of the laws as series; what they hold at rest carries nothing."""
    system, length, ops = piece.system, len(value_of(q[0]).c), VariedOperations(TaylorOperations(ARRAYS))
    if not system.laws:
        return [0.0] * system.mech.n
    v = [rate_of(x) for x in q]
    t = Taylor([piece.t, 1.0]).cut(length)
    u = [Taylor.of_derivatives([x[:, k] for x in piece.inputs[:length]]).cut(length) for k in range(system.input_size)]
    states = state_series(system, ops, t, Moving(q, v, columns_of(piece.states)), u, [rate_of(x) for x in v])
    return system.forces(
        [0.0] * system.mech.n, system.actions(modes, system.situations(ops, t, Moving(q, v, states), u))
    )
