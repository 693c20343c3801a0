"""Hybrid position/force control of a frame on rigid surfaces and compliant environments: law and controllers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.control.force.known_contact import KnownContact, known_contact, require_given_motion
from gearwright.control.force.known_environment import SHALLOW, KnownEnvironment
from gearwright.control.joint_side import known_feedback
from gearwright.control.joint_tracking import Gains, Tracking, frequency_gains, minus, plus, scaled
from gearwright.control.observers import expected_rates, residual
from gearwright.control.task_space.frame_motion import FrameMotion
from gearwright.control.task_space.frame_references import (
    CLOCK,
    force_reference,
    frame_reference,
    per_axis,
    side_by_side,
)
from gearwright.control.task_space.operational_law import ACCELERATION, AXES, POSE, ROTATION, TWIST
from gearwright.control.task_space.operational_space import require_movable
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import RobotOrMech
from gearwright.system.controllers.control_law import Decision, Measurement
from gearwright.system.controllers.law_controller import LawController, law_controller

# The law

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


# Controllers


@check_arguments
def hybrid(
    robot: RobotOrMech,
    contact: Any,
    reference: Any,
    force: Any,
    frequency: ArrayLike = 10.0,
    damping: ArrayLike = 1.0,
    *,
    integral: float = 0.0,
    observer: float = 100.0,
    quiet: float = 20.0,
    orientation: bool = False,
    unseen_damping: float = 0.0,
    feedback: str = "both",
) -> LawController:
    r"""Motion along a rigid surface, and force against it (Raibert and Craig, in operational space).

    $\tau = J^T (\Lambda (a - \dot J v) - F) + b(q, v)$: along free axes a as in `operational_space`, along held ones
    $a = -c\,\dot s$ and $F = F_r + k_i \int (F_r - \hat F)\,dt$. On the surface the force is then $F$ at once and the
    motion is not disturbed by it. Off it, the frame is driven to the surface at about $F_r / (\Lambda c)$.

    $\hat F$ is what a sensor shows where the contact is `gw.contact.Measured` (there and in the run): what the model
    lacks then dies out with the poles of $T s^2 + s + k_i$. Without a sensor it is seen in the momentum, $\dot{\hat F}
    = g (F - \hat F)$; what the model of the robot lacks then counts as force, and is not corrected.

    Args:
        robot: the robot, or a machine.
        contact: the `gw.contact.Constraint`, or the `Contact` on a plane, cylinder or sphere, that goes into the
            simulation; relative to the base, or to a `MovingFrame` that moves by a law of time.
        reference: of the frame, as for `operational_space`, in the world; what it says along held axes does not count.
        force: per held axis, in the axes of the contact, on the robot (a surface pushes outwards) [N, Nm]:
            numbers, a Trajectory of forces, or a function of time that returns (forces,).
        frequency: [rad/s] of errors along free axes, one number or one per axis of the contact (of a surface its
            two tangents where the frame is, `surface.tangents_at`, then the normal).
        damping: 1 is critical.
        integral: $k_i$ [1/s]; 0: the model alone.
        observer: g [1/s], where no sensor is.
        quiet: c [1/s].
        orientation: whether the orientation is controlled, or the position alone.
        unseen_damping: damps joint motion that the frame does not see, of redundant arms [Nms/rad].
        feedback: of elastic drives: "both" (places at the joints, speeds at the motors), "motor" or "joint".

    >>> import gearwright as gw
    >>> from gearwright.contact import Constraint, fixed_frame, project
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> pen = Constraint("pen", "tool", fixed_frame("desk", (0, 0, 0.1)), held=("z",))
    >>> start = project(arm, [0.3, -0.3, 0.9], [pen])
    >>> control = gw.control.hybrid(arm, pen, gw.placement(arm, start.q, "tool"), 15.0)
    >>> run = gw.simulate(arm, start, until=0.1, extra_laws=[pen], controller=control, samples=3)
    >>> bool(abs(run["pen.force.z"] - 15.0).max() < 1e-6)
    True
    """
    caller = "control.hybrid"
    found = known_contact(caller, contact)
    if found.environment is not None:
        raise InputError(f"{caller}: {contact.name!r} gives way. Use gw.control.position_force.")
    gains = _gains(caller, integral=integral, observer=observer, quiet=quiet)
    common = (reference, force, frequency, damping, orientation, unseen_damping, feedback)
    return _made(caller, robot, found, gains, *common)


@check_arguments
def position_force(
    robot: RobotOrMech,
    contact: Any,
    reference: Any,
    force: Any,
    frequency: ArrayLike = 10.0,
    damping: ArrayLike = 1.0,
    *,
    environment: KnownEnvironment | None = None,
    force_frequency: float = 30.0,
    force_damping: float = 1.0,
    approach: float = 0.0,
    integral: float = 0.0,
    observer: float = 100.0,
    quiet: float = 20.0,
    orientation: bool = False,
    unseen_damping: float = 0.0,
    feedback: str = "both",
) -> LawController:
    r"""Motion along a surface that gives way, and force against it, with the environment's dynamics in the law.

    The environment answers with $F = m \ddot\delta + r(\delta, \dot\delta)$ (Vukobratovic and Potkonjak, section
    20.5.3), linear or not. Along the normal the frame gets the acceleration with which the force is as wanted:
    with mass $\ddot\delta = (F_r - r) / m$, and the force is $F_r$ at once. On a massless damped surface the force's
    error obeys $\dot e + \omega e = 0$, on a massless spring $\ddot e + 2 \zeta \omega \dot e + \omega^2 e = 0$.
    Along the tangents it moves as in `operational_space`.

    Args:
        robot: the robot, or a machine; without the wall, which `gw.control.within` adds.
        contact: the `SoftContact` on a plane, cylinder or sphere that goes into the simulation, or a `Contact` with
            the surface where it is at rest; relative to the base, or to a `MovingFrame` that moves by a law of time.
        reference: of the frame, as for `operational_space`, in the world; what it says along the normal does not count.
        force: on the robot along the normal [N]: a number, a Trajectory of forces, or a function of time that returns
            (force, its rate, its second derivative), of which as many as the environment's order asks for, plus one.
        frequency: [rad/s] of errors along the surface, one number or one per axis (its tangents, then the normal).
        damping: 1 is critical.
        environment: what the controller knows of it; that of the SoftContact unless given.
        force_frequency: $\omega$ of the force's errors [rad/s].
        force_damping: $\zeta$.
        approach: speed at which the surface is looked for from outside [m/s].
        integral: adds $k_i \int (F_r - \hat F)\,dt$ to what is wanted [1/s], for an environment that is not known well.
        observer: how fast $\hat F$, seen in the momentum, follows the force, where no sensor is [1/s].
        quiet: damping of the approach [1/s].
        orientation: whether the orientation is controlled, or the position alone.
        unseen_damping: damps joint motion that the frame does not see, of redundant arms [Nms/rad].
        feedback: of elastic drives: "both" (places at the joints, speeds at the motors), "motor" or "joint".
    """
    caller = "control.position_force"
    found = known_contact(caller, contact, environment)
    if found.environment is None:
        raise InputError(f"{caller}: {contact.name!r} does not give way. Give `environment`, or use gw.control.hybrid.")
    number(caller, "force_frequency", force_frequency, above=0.0, unit="rad/s", example=30.0)
    number(caller, "force_damping", force_damping, above=0.0, example=1.0)
    number(caller, "approach", approach, least=0.0, unit="m/s", example=0.05)
    own = {"frequency": force_frequency, "damping": force_damping, "approach": approach}
    gains = _gains(caller, integral=integral, observer=observer, quiet=quiet, **own)
    common = (reference, force, frequency, damping, orientation, unseen_damping, feedback)
    return _made(caller, robot, found, gains, *common)


def _gains(caller: str, *, integral: float, observer: float, quiet: float, **own: float) -> ForceGains:
    number(caller, "integral", integral, least=0.0, unit="1/s", example=10.0)
    number(caller, "observer", observer, above=0.0, unit="1/s", example=100.0)
    number(caller, "quiet", quiet, least=0.0, unit="1/s", example=20.0)
    return ForceGains(integral=float(integral), observer=float(observer), quiet=float(quiet), **own)


def _made(
    caller: str,
    robot: RobotOrMech,
    found: KnownContact,
    gains: ForceGains,
    reference: Any,
    force: Any,
    frequency: ArrayLike,
    damping: ArrayLike,
    orientation: bool,
    unseen_damping: float,
    feedback: str,
) -> LawController:
    size = 6 if orientation else 3
    side = require_movable(caller, robot, found.frame, size)
    require_given_motion(caller, side.mech, found.law)
    if max(found.held) >= size:
        raise InputError(f"{caller}: the contact holds {', '.join(found.names)}. Use orientation=True.")
    number(caller, "unseen_damping", unseen_damping, least=0.0)
    kp, kd = frequency_gains(per_axis(caller, "frequency", frequency, size), per_axis(caller, "damping", damping, size))
    law = PositionForce(
        side.mech,
        known_feedback(caller, feedback),
        touching=found,
        size=size,
        kp=kp,
        kd=kd,
        gains=gains,
        unseen_damping=float(unseen_damping),
    )
    motion = frame_reference(caller, found.frame, size, reference, side)
    both = side_by_side(motion, force_reference(caller, force, found.names, law.order + 1))
    followed = side_by_side(both, CLOCK) if found.moves else both
    return law_controller(law, followed.at, followed.breaks)
