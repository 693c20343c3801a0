"""Newton steps to a configuration that closes the loops of a machine, for any scalar type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.algebra.differentiation.taylor_series import TaylorOperations
from gearwright.dynamics.closed_loops.embedding import MAX_LOOP_GAP, ConstraintEmbedding, LoopSolver
from gearwright.dynamics.closed_loops.loop_equations import LoopRow, sum_of
from gearwright.dynamics.configuration import coordinate_rates, independent_joints
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.mechanism import Mechanism

NEWTON_STEPS, CHECKED_NEWTON_STEPS = 3, 2
"""Newton steps after a step along the tangent, a fixed number: where gaps are not checked afterwards, and where they
are, and steps that left some are repeated."""


class ClosedStep(NamedTuple):
    """A configuration after a step, the sums of squared remaining gaps, and an indicator of its branch.

    `used_gap` is the sum over the equations that determine the dependent speeds, `all_gap` over all equations.

    `branch` is the least product, over all groups, of the determinants before the step and at the last Newton step. It
    is not positive if the step passed a singular configuration or jumped to another branch.
    """

    q: list[Scalar]
    used_gap: Scalar
    all_gap: Scalar
    branch: Scalar

    def finite_if_closed(self, ops: Operations) -> list[Scalar]:
        """The configuration, not finite where the Newton steps left a loop open."""
        is_closed = ops.where(self.used_gap < MAX_LOOP_GAP**2, 1.0, 0.0)
        return [x / is_closed for x in self.q]


def step_to_closed(
    tree: Mechanism,
    closure: ConstraintEmbedding,
    q: Sequence[Scalar],
    step: Sequence[Scalar],
    ops: Operations,
    exchange: bool = True,
    newton_steps: int = NEWTON_STEPS,
) -> ClosedStep:
    """Return the configuration after a step of the independent speeds, closed by Newton steps of the dependent ones.

    The first step is along the tangent, G times the step, so Newton's method starts with errors of second order.
    Independent coordinates are exact. The gaps left tell whether it closed. Without exchange of equations it takes
    fewer operations, and may fail where a pivot passes zero.
    """
    start = LoopSolver(closure, closure.equations(place_machine(tree, q, ops)), ops, exchange)
    q = move_joints(tree, q, start.tangent_step(step), ops)
    determinants: list[Scalar] = []
    for _ in range(newton_steps):
        newton = LoopSolver(closure, closure.equations(place_machine(tree, q, ops)), ops, exchange)
        determinants = newton.determinants
        q = move_joints(tree, q, newton.closing_step(), ops)
    left = [equation.gap for equation in closure.equations(place_machine(tree, q, ops))]
    used = {k for group in closure.groups for k in group.equations}
    used_gap = sum_of(x * x for k, x in enumerate(left) if k in used)
    rest = [x * x for k, x in enumerate(left) if k not in used]
    products = [x * y for x, y in zip(start.determinants, determinants, strict=True)]
    branch = reduce(ops.minimum, products, 1.0)
    return ClosedStep(q, used_gap, sum_of([used_gap, *rest]), branch)


def move_joints(mech: Mechanism, q: Sequence[Scalar], step: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """Return the configuration after a step; joints whose steps are structurally zero stay as they are."""
    moved: list[Scalar] = []
    for joint in independent_joints(mech):
        if joint.space.speeds_are_rates:
            moved += [x + dx for x, dx in zip(q[joint.q], step[joint.v], strict=True)]
        elif all(map(is_zero, step[joint.v])):
            moved += q[joint.q]
        else:
            moved += joint.space.integrate(q[joint.q], step[joint.v], ops)
    return moved


def row_rates(closure: ConstraintEmbedding, pose: Pose, v: Sequence[Scalar], ops: Operations) -> list[LoopRow]:
    """Return the rates of all rows, dW/dt, along a motion with all speeds v."""
    rates = coordinate_rates(pose.mech, pose.q, v, ops)
    displaced = TaylorOperations.for_displacement(ops)
    q = [x if is_zero(dx) else displaced.series([x, dx]) for x, dx in zip(pose.q, rates, strict=True)]
    rows = [equation.row.items() for equation in closure.equations(place_machine(pose.mech, q, displaced))]
    moving = [[(c, displaced.coefficient(x, 1)) for c, x in row] for row in rows]
    return [{c: rate for c, rate in row if not is_zero(rate)} for row in moving]
