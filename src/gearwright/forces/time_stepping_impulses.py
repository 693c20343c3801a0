"""Impulse limits of laws with modes over a fixed step: friction, stops, slip, gaps and gears."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.forces.impulse_limits import ImpulseRequest, PortInflow, clip_between
from gearwright.forces.line import Line
from gearwright.forces.transmission.mesh_efficiency import MeshEfficiency

NORMAL_INFLOW = PortInflow(impulses=(1.0, 0.0, 0.0))
"""Weight that selects the first impulse of a contact, the normal one."""

UNBOUNDED_IMPULSE = 1e100
"""An impulse that stands for unlimited [Nms, Ns]."""


@dataclass(frozen=True)
class UnlimitedImpulse:
    """An ideal drive without limit: the line gets its target speed."""

    inflow: PortInflow | None = None

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The impulse that brings the line to its target speed."""
        return (request.target - request.speed) * request.compliance_factor


@dataclass(frozen=True)
class BoundedImpulse:
    """The impulse to a target speed, between bounds: friction (low = -high), a stop (low = 0).

    Args:
        low: least impulse [Nms, Ns].
        high: largest impulse.
        target: the target speed, where it is not that of the hold.

    >>> from gearwright.algebra import FLOATS
    >>> sliding = ImpulseRequest(
    ...     speed=2.0, target=0.0, response=0.5, compliance_factor=1.0, inflow=0.0, inflow_share=0.0, ops=FLOATS
    ... )
    >>> BoundedImpulse(-1.0, 1.0).limited_impulse(sliding), BoundedImpulse(-10.0, 10.0).limited_impulse(sliding)
    (-0.5, -2.0)
    """

    low: Scalar
    high: Scalar
    target: Scalar | None = None
    inflow: PortInflow | None = None

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The projection on the bounds."""
        target = request.target if self.target is None else self.target
        required_impulse = (target - request.speed) * request.compliance_factor
        return clip_between(self.low * request.response, required_impulse, self.high * request.response, request.ops)


@dataclass(frozen=True)
class UnilateralImpulse:
    r"""A unilateral surface or stop: no penetration at the end of the step, restitution at an impact.

    With the gap g and the drift d of its line in the middle of the step, a speed w along the row there leads to the gap
    $g + \tfrac h2 w + \tfrac{h^2}8 d$ and to the speed $w + \tfrac h2 d$ at the end. Where free motion would close the
    gap, the line leaves with $w \ge -e\,w_0$ (Newton), $w_0$ at the beginning, or is at rest at the end of the step,
    $w \ge -\tfrac h2 d$: an impact is over within its step, and what is left of the gap without restitution is taken
    up by the projection of the configuration. What other impulses press against the surface may approach as far as it.

    Args:
        line: the gap, not placed.
        gap: in the middle of the step [m, rad].
        drift: acceleration along the line at constant speeds [m/s^2, rad/s^2].
        leaving_speed: $-e\,w_0$, 0 where it is captured [m/s, rad/s].
        step: h [s].
    """

    line: Line
    gap: Scalar
    drift: Scalar
    leaving_speed: Scalar
    step: Scalar
    inflow: PortInflow | None = None

    def least_speed(self, free: Scalar, ops: Operations) -> Scalar:
        """The least speed along the row in the middle of a step with the free speed `free`."""
        landing, rest = -2.0 * self.gap / self.step - 0.25 * self.step * self.drift, -0.5 * self.step * self.drift
        closed = rest if is_zero(self.leaving_speed) else ops.where(self.leaving_speed > 0, self.leaving_speed, rest)
        return ops.where(free < landing, closed, ops.minimum(landing, rest))

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The impulse that prevents penetration, not negative."""
        least_speed = self.least_speed(request.free_speed, request.ops)
        return request.ops.maximum((least_speed - request.speed) * request.compliance_factor, 0.0)


@dataclass(frozen=True)
class FrictionCone:
    """Coulomb friction along the tangents of a contact, whose first impulse is that along the normal.

    Both tangents are solved together: |P| <= mu P_n, against the slip at the end of the step.

    Args:
        friction: mu.
        inflow: the impulse along the normal.
    """

    friction: Scalar
    inflow: PortInflow | None = NORMAL_INFLOW

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The impulse that stops the slip along a single tangent, projected onto the bounds."""
        friction_limit = self.friction * request.ops.maximum(request.inflow, 0.0)
        return clip_between(
            -friction_limit, (request.target - request.speed) * request.compliance_factor, friction_limit, request.ops
        )


@dataclass(frozen=True)
class SlidingSpringImpulse:
    """A spring behind a slider: -(push + slope w), between bounds.

    Args:
        push: impulse against the line at zero speed [Nms, Ns].
        slope: its increase per unit speed.
        slider_limit: limit of the slider.
    """

    push: Scalar
    slope: Scalar
    slider_limit: Scalar
    inflow: PortInflow | None = None

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The projection on the bounds."""
        slider_limit = self.slider_limit * request.response
        return clip_between(
            -slider_limit, -resisting_impulse(self.push, self.slope, request), slider_limit, request.ops
        )


@dataclass(frozen=True)
class GapSpringImpulse:
    r"""A unilateral spring and damper behind a gap on one side, evaluated at the end of the step.

    At the compression rate u its force is $T + D$, $T = \max(0, a + b u)$, $|D| \le c T$, $D = d u$. This is monotone
    in u, so its solution is composed of those of its linear pieces by the same minima and maxima.

    Args:
        side: 1 or -1, the direction in which the line compresses it.
        push: a times the step [Nms, Ns].
        slope: b times the step.
        damping: d times the step.
        limit: c.
    """

    side: Scalar
    push: Scalar
    slope: Scalar
    damping: Scalar
    limit: float
    inflow: PortInflow | None = None

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The impulse, away from its side."""
        ops, compression = request.ops, request._replace(speed=self.side * request.speed)
        damped_push = resisting_impulse(self.push, self.slope + self.damping, compression)
        least_push, largest_push = (
            resisting_impulse(factor * self.push, factor * self.slope, compression)
            for factor in (1.0 - self.limit, 1.0 + self.limit)
        )
        return -self.side * ops.maximum(0.0, ops.maximum(ops.minimum(damped_push, largest_push), least_push))


def resisting_impulse(push: Scalar, slope: Scalar, request: ImpulseRequest) -> Scalar:
    """The impulse push + slope w against the line, as a speed change, at the final speed w."""
    return (push + slope * request.speed) * request.response / (1.0 + slope * request.response)


@dataclass(frozen=True)
class GearLossImpulse:
    r"""The loss of a gear by the direction of power: bounds that depend on the transmitted impulse.

    With the input impulse T, the output impulse O = T + P, and the no-load losses A, B, the gear turns forward with
    $T - A = \psi(O + B)$, $\psi(o) = \max(o / \eta', \eta'' o)$, backward with the same for -T and -O, and rests in
    between. A unit of P reduces T by $\sigma$, so $(1 - \sigma) (T - A) + \sigma (O + B)$ is known, and both follow in
    closed form. A gear that jams (Painleve) has no forward solution while it is back-driven: it rests.

    The holding limit of a self-locking gear grows with its load. With friction at the joint there may be solutions at
    rest and in motion for the same state, depending on which of them carries the load: the solution at rest is used
    (`ImpulseRequest.relief`).

    Args:
        mesh: the teeth; no-load torques times the step.
        inflow: the input torque.
        is_lockable: whether its efficiencies may be those of a self-locking gear.
    """

    mesh: MeshEfficiency
    inflow: PortInflow | None
    is_lockable: bool = True

    @property
    def may_lock(self) -> bool:
        """Whether it may be self-locking: its back-driving efficiency is not positive, or not yet known."""
        return self.is_lockable and not (is_number(self.mesh.back) and self.mesh.back > 0)

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The loss with reversed sign."""
        ops, mesh = request.ops, self.mesh.with_torque_factor(request.response)
        resting_loss = -request.speed
        T = request.inflow - request.inflow_share * resting_loss
        forward = mesh.starting_margin(T, T + resting_loss, 1.0, ops)
        backward = mesh.starting_margin(T, T + resting_loss, -1.0, ops)
        forward_loss = _forward_loss(mesh, request.inflow, request.inflow_share, ops)
        backward_loss = -_forward_loss(mesh, -request.inflow, request.inflow_share, ops)
        for relief in request.relief:
            holding_margin = _holding_margin(mesh, T, T + resting_loss - relief, ops)
            forward_loss, backward_loss = (
                ops.where(holding_margin < 0, turning_loss, resting_loss - relief)
                for turning_loss in (forward_loss, backward_loss)
            )
        return ops.where(forward < 0, forward_loss, ops.where(backward < 0, backward_loss, resting_loss))


def _holding_margin(mesh: MeshEfficiency, entering: Scalar, leaving: Scalar, ops: Operations) -> Scalar:
    """The margin of torque to the start of motion in either direction."""
    return ops.minimum(
        mesh.starting_margin(entering, leaving, 1.0, ops), mesh.starting_margin(entering, leaving, -1.0, ops)
    )


def _forward_loss(mesh: MeshEfficiency, entering: Scalar, share: Scalar, ops: Operations) -> Scalar:
    """The loss with reversed sign in a gear that turns forward."""
    idle = mesh.input_torque + mesh.output_torque
    known_torque = entering - mesh.input_torque + share * idle
    driving = known_torque / ((1.0 - share) / mesh.drive + share)
    driven = known_torque / ((1.0 - share) * mesh.back + share)
    leaving = ops.where(known_torque > 0, driving, driven)
    return leaving - ops.where(known_torque > 0, leaving / mesh.drive, leaving * mesh.back) - idle
