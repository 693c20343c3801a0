"""The law of a frame that moves along what it touches and presses on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar
from gearwright.control.external_forces import expected_rates, residual
from gearwright.control.frame_motion import FrameMotion
from gearwright.control.known_contact import KnownContact
from gearwright.control.known_environment import SHALLOW, KnownEnvironment
from gearwright.control.operational_law import ACCELERATION, AXES, POSE, ROTATION, TWIST
from gearwright.control.tracking import Gains, Tracking, minus, plus, scaled
from gearwright.forces.law import Quantity
from gearwright.forces.scene import Scene
from gearwright.system.control_law import Decision, Measurement

FORCES = ("force_ref", "force_rate_ref", "force_acceleration_ref")
"""References along the held axes: forces, and their derivatives where the environment asks for them."""

TIME = "time_ref"
"""The time [s], which tells where a surface is that moves by a law of time."""


@dataclass(frozen=True)
class ForceGains:
    """How forces are controlled.

    Args:
        frequency: w of the force's errors on a massless environment [rad/s].
        damping: of these errors; 1 is critical.
        integral: how fast the integral of the force's error grows [1/s]; 0: none.
        observer: how fast the force is estimated [1/s].
        approach: speed [m/s] at which a surface whose place is known is looked for.
        quiet: damping of the motion along held axes [1/s].
    """

    frequency: float = 30.0
    damping: float = 1.0
    integral: float = 0.0
    observer: float = 100.0
    approach: float = 0.0
    quiet: float = 20.0


class Press(NamedTuple):
    """Per held axis: the acceleration to ask for, and the force that is felt with it."""

    acceleration: Scalar
    force: Scalar


@dataclass(frozen=True)
class PositionForce(Tracking):
    """tau = J^T (L (a - J' v) - F) + bias: along free axes a as in operational space, along held ones as wanted.

    Held ones are coordinates s(q, t) of what is touched, whatever its shape and its motion: J has their rows ds/dq,
    J' v their drifts, and a is what s'' is to be.
    Rigid: a = -quiet s', F = F_ref + I. With mass: a = -(F_ref + I - r) / m, the environment's own answer to the force.
    Massless: a such that the force's error dies out with the frequency, F = r. I is the integral of F_ref less the
    force that is measured, or seen in the momentum.

    Args:
        mech: the controlled machine.
        feedback: where elastic drives are measured.
        touching: what touches, and how.
        size: 3 for the frame's position, 6 for its orientation too.
        kp: [1/s2] per axis of the contact.
        kd: [1/s].
        gains: of the force.
        unseen_damping: of motion that the frame does not see [Nms/rad].
    """

    touching: KnownContact = field(kw_only=True)
    size: int = 3
    kp: Gains = ()
    kd: Gains = ()
    gains: ForceGains = field(default_factory=ForceGains)
    unseen_damping: float = 0.0

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "hybrid" if self.touching.environment is None else "position_force"

    @property
    def order(self) -> int:
        """How many derivatives of the force it follows."""
        return 0 if self.touching.environment is None else self.touching.environment.order

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Pose, velocity and acceleration of the frame, world axes; forces along the held axes; the time, if needed."""
        axes = AXES[: self.size]
        motion = {POSE: AXES[:3] + (ROTATION if self.size == 6 else ()), TWIST: axes, ACCELERATION: axes}
        forces = {word: self.touching.names for word in FORCES[: self.order + 1]}
        return {**motion, **forces, **({TIME: ("t",)} if self.touching.moves else {})}

    @property
    def sensors(self) -> tuple[str, ...]:
        """The measured forces, if they are and somebody looks."""
        return self.touching.sensors if self.gains.integral else ()

    @property
    def watches(self) -> bool:
        """Whether it looks for forces in the momentum, for want of a sensor."""
        return bool(self.gains.integral and not self.touching.sensors)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """With an integral: that of the forces' errors, and the momentum expected."""
        if not self.gains.integral:
            return ()
        own = [Quantity(f"force_integral.{x}", "") for x in self.touching.names]
        expected = [Quantity(f"momentum.{x}", "") for x in self.side.names] if self.watches else []
        return (*own, *expected)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The forces that it takes to act along the held axes, `<frame>.force.<axis>`."""
        return tuple(Quantity(f"{self.touching.frame}.force.{x}", "") for x in self.touching.names)

    def decide(self, measured: Measurement) -> Decision:
        """Motion along the free axes, force along the held ones."""
        q, v = self.side.position(measured.q, self.feedback), self.side.speed(measured.v, self.feedback)
        t = measured.reference[TIME][0] if self.touching.moves else 0.0
        frame, places = self.touching.motion(Scene(measured.model, q, v, measured.ops, t), self.size)
        count = len(self.touching.held)
        watched = residual(frame.mass, v, measured.states[count:], self.gains.observer) if self.watches else []
        felt = self._felt(frame, watched, measured)
        errors = minus(measured.reference[FORCES[0]], felt) if felt else [0.0] * count
        presses = self._presses(frame, places, measured, errors)
        wanted = self._tracked(frame, measured)
        push: list[Scalar] = [0.0] * self.size
        for axis, press in zip(self.touching.held, presses, strict=True):
            wanted[axis], push[axis] = press.acceleration, press.force
        tau = frame.joint_forces(minus(frame.forces(wanted), push))
        if self.unseen_damping and len(v) > self.size:
            tau = plus(tau, frame.unseen([-self.unseen_damping * x for x in v]))
        rates = [self.gains.integral * e for e in errors] if felt else []
        rates += expected_rates(frame.pose, v, tau, watched) if self.watches else []
        felt = felt or [press.force for press in presses]
        signals = {x.name: f for x, f in zip(self.signals, felt, strict=True)}
        return Decision(self.side.forces(tau), rates=rates, signals=signals)

    def _tracked(self, frame: FrameMotion, measured: Measurement) -> list[Scalar]:
        lack = minus(frame.along(measured.reference[TWIST]), frame.twist)
        pull = plus(scaled(self.kp, frame.missing(measured.reference[POSE])), scaled(self.kd, lack))
        return plus(frame.along(measured.reference[ACCELERATION]), pull)

    def _felt(self, frame: FrameMotion, watched: Sequence[Scalar], measured: Measurement) -> list[Scalar]:
        """The forces along the held axes, by sensors or as seen in the momentum; none where nobody looks."""
        if self.sensors:
            return list(measured.sensors)
        felt = frame.felt(watched) if watched else []
        return [felt[k] for k in self.touching.held] if felt else []

    def _presses(
        self, frame: FrameMotion, places: Sequence[Scalar], measured: Measurement, errors: Sequence[Scalar]
    ) -> list[Press]:
        """What is asked for along the held axes."""
        forces = measured.reference[FORCES[0]]
        added = measured.states[: len(forces)] if self.gains.integral else [0.0] * len(forces)
        wanted, pace = plus(forces, added), frame.twist
        environment = self.touching.environment
        if environment is None:
            return [Press(-self.gains.quiet * pace[k], F) for k, F in zip(self.touching.held, wanted, strict=True)]
        depth, rate = -places[0], -pace[self.touching.held[0]]
        asked = [wanted[0], *(measured.reference[word][0] for word in FORCES[1 : self.order + 1])]
        if self.order and self.gains.integral:
            asked[1] = asked[1] + self.gains.integral * errors[0]
        inside, force = self._pressing(environment, depth, rate, asked, measured.ops)
        outside = self.gains.quiet * (self.gains.approach - rate)
        touches = depth > 0
        return [
            Press(
                -measured.ops.where(touches, inside, outside),
                measured.ops.where(touches, force, 0.0),
            )
        ]

    def _pressing(
        self, environment: KnownEnvironment, depth: Scalar, rate: Scalar, asked: Sequence[Scalar], ops: Operations
    ) -> tuple[Scalar, Scalar]:
        """The acceleration into the environment that gives the force wanted, and the force that is felt with it."""
        steady, slope = environment.answer(ops.maximum(depth, SHALLOW * SHALLOW), rate, ops)
        w, zeta = self.gains.frequency, self.gains.damping
        if self.order == 0:
            return (asked[0] - steady[0]) / environment.mass, asked[0]
        slope = ops.maximum(slope, environment.least)
        lack = minus(asked, steady)
        if self.order == 1:
            return (lack[1] + w * lack[0]) / slope, steady[0]
        return (lack[2] + 2.0 * zeta * w * lack[1] + w * w * lack[0]) / slope, steady[0]
