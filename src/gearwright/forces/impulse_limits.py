r"""Fixed-step form of a law with modes: impulses along its holds, each within a limit.

A time-stepping method (Moreau 1988) does not locate the instant at which a mode ends. It treats every hold of a law as
an impulse P over the step with a *limit*: P is what the hold requires, clipped to what the law can provide. The limit
is a monotone relation between P and the speed w along the line at the end of the step, stated once per law over scalars
of any kind, and solved in closed form for one line with all other impulses fixed: w = speed + answer * P.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from gearwright.algebra import Operations, Scalar


class ImpulseRequest(NamedTuple):
    """The local problem of one impulse; impulses are expressed as the speed change [rad/s, m/s] along their own line.

    Args:
        speed: speed along its line at the end of the step without it.
        target: the target speed of its hold.
        response: the speed change per unit impulse [Nms, Ns], positive.
        compliance_factor: the fraction of the speed error that it corrects, 1 unless its hold is compliant.
        inflow: the gear's input impulse without it, for limits that depend on it.
        inflow_share: decrease of that input per unit of this impulse.
        ops: operations of the scalars.
        relief: least and greatest further speed change that friction along the same line allows.
        free_speed: speed along its line at the end of the step without any impulse.
    """

    speed: Scalar
    target: Scalar
    response: Scalar
    compliance_factor: Scalar
    inflow: Scalar
    inflow_share: Scalar
    ops: Operations
    relief: tuple[Scalar, ...] = ()
    free_speed: Scalar = 0.0


class PortInflow(NamedTuple):
    """The input torque of a gear from the flows and impulses of a law's own drags and holds.

    Args:
        flows: weight of the flow of each of the law's drags.
        impulses: weight of the impulse of each of its holds; () for none.
        constant_inflow: a further constant part [Nm, N].
    """

    flows: tuple[Scalar, ...] = ()
    impulses: tuple[Scalar, ...] = ()
    constant_inflow: Scalar = 0.0


class ImpulseLimit(Protocol):
    """The limit of a law's impulse along a hold."""

    @property
    def inflow(self) -> PortInflow | None:
        """The gear input torque, or the normal impulse, on which it depends; None: it depends on neither."""

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The impulse over the step, as the speed change along its line."""


def clip_between(low: Scalar, x: Scalar, high: Scalar, ops: Operations) -> Scalar:
    """The value x clipped to numeric bounds; NaN stays NaN. For vectors twice as fast as minimum and maximum."""
    clipped = ops.where(x < low, low, x)
    return ops.where(clipped > high, high, clipped)
