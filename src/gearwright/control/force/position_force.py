"""Hybrid position/force control of a frame on rigid surfaces and compliant environments: law and controllers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.control.force.force_gains import ForceGains
from gearwright.control.force.known_contact import KnownContact, known_contact, require_prescribed_motion
from gearwright.control.force.known_environment import RESPONSE_FLOOR_DEPTH, KnownEnvironment
from gearwright.control.in_larger_machine import joint_controller
from gearwright.control.joint_side import checked_feedback
from gearwright.control.joint_tracking import (
    Gains,
    TrackingLaw,
    add_vectors,
    frequency_gains,
    scale_entries,
    subtract_vectors,
)
from gearwright.control.observers import expected_momentum_rates, momentum_residual
from gearwright.control.task_space.frame_motion import FrameMotion
from gearwright.control.task_space.frame_references import (
    TIME_AS_REFERENCE,
    combine_references,
    force_reference,
    frame_reference,
    gain_per_axis,
)
from gearwright.control.task_space.operational_law import (
    ACCELERATION_REFERENCE,
    FRAME_AXIS_NAMES,
    POSE_REFERENCE,
    ROTATION_ENTRIES,
    TWIST_REFERENCE,
)
from gearwright.control.task_space.operational_space import movable_joint_side
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import RobotOrMech
from gearwright.programs import machine_of
from gearwright.system import LawController
from gearwright.system.controllers.control_law import Decision, Measurement

# The law

FORCE_REFERENCES = ("force_ref", "force_rate_ref", "force_acceleration_ref")
"""References along the constrained axes: forces, and their derivatives if the environment needs them."""

CONTACT_TIME_REFERENCE = "time_ref"
"""The time [s], for surfaces that move as a function of time."""


class AxisCommand(NamedTuple):
    """Per constrained axis: the commanded acceleration, and the resulting force."""

    acceleration: Scalar
    force: Scalar


@dataclass(frozen=True)
class PositionForceLaw(TrackingLaw):
    """tau = J^T (L (a - J' v) - F) + bias, with a per free and constrained axis.

    Along free axes a is as in operational space, along constrained ones as commanded. Constrained axes are coordinates
    s(q, t) of the environment, of any shape and motion: J has their rows ds/dq, J' v their drifts, and a is the
    commanded s''. Rigid: a = -c s' with the damping c, F = F_ref + I. With mass: a = -(F_ref + I - r) / m, the
    environment's response to the force. Massless: a such that the force error decays with the frequency, F = r. I is
    the integral of F_ref minus the force that is measured, or estimated from the momentum.

    Args:
        mech: the controlled machine.
        feedback: side on which elastic drives are measured.
        contact: the known contact.
        size: 3 for the position of the frame, 6 for position and orientation.
        kp: position gains [1/s2] per axis of the contact.
        kd: velocity gains [1/s].
        gains: gains of force control, and the damping of the null-space motion.
    """

    contact: KnownContact = field(kw_only=True)
    size: int = 3
    kp: Gains = ()
    kd: Gains = ()
    gains: ForceGains = field(default_factory=ForceGains)

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "hybrid" if self.contact.environment is None else "position_force"

    @property
    def force_order(self) -> int:
        """Number of force derivatives in the reference."""
        return 0 if self.contact.environment is None else self.contact.environment.force_order

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Pose, velocity and acceleration of the frame, world axes; forces on constrained axes; the time if needed."""
        axes = FRAME_AXIS_NAMES[: self.size]
        motion = {
            POSE_REFERENCE: FRAME_AXIS_NAMES[:3] + (ROTATION_ENTRIES if self.size == 6 else ()),
            TWIST_REFERENCE: axes,
            ACCELERATION_REFERENCE: axes,
        }
        forces = {name: self.contact.axis_names for name in FORCE_REFERENCES[: self.force_order + 1]}
        return {**motion, **forces, **({CONTACT_TIME_REFERENCE: ("t",)} if self.contact.is_moving else {})}

    @property
    def sensors(self) -> tuple[str, ...]:
        """The measured forces, if there are sensors and an integral."""
        return self.contact.sensors if self.gains.integral else ()

    @property
    def uses_observer(self) -> bool:
        """Whether forces are estimated from the momentum, without a sensor."""
        return bool(self.gains.integral and not self.contact.sensors)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """With an integral: the integral of the force errors, and the expected momentum."""
        if not self.gains.integral:
            return ()
        integrals = [Quantity(f"force_integral.{x}", "") for x in self.contact.axis_names]
        expected = [Quantity(f"momentum.{x}", "") for x in self.joint_side.joint_names] if self.uses_observer else []
        return (*integrals, *expected)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The assumed forces along the constrained axes, `<frame>.force.<axis>`."""
        return tuple(Quantity(f"{self.contact.frame}.force.{x}", "") for x in self.contact.axis_names)

    def decide(self, measured: Measurement) -> Decision:
        """Return forces for motion along the free axes and force along the constrained ones."""
        q, v = (
            self.joint_side.joint_positions(measured.q, self.feedback),
            self.joint_side.joint_speeds(measured.v, self.feedback),
        )
        t = measured.reference[CONTACT_TIME_REFERENCE][0] if self.contact.is_moving else 0.0
        frame, gaps = self.contact.contact_motion(SharedKinematics(measured.model, q, v, measured.ops, t), self.size)
        count = len(self.contact.held)
        external_torques = (
            momentum_residual(frame.mass_matrix, v, measured.states[count:], self.gains.observer)
            if self.uses_observer
            else []
        )
        contact_forces = self._contact_forces(frame, external_torques, measured)
        errors = (
            subtract_vectors(measured.reference[FORCE_REFERENCES[0]], contact_forces)
            if contact_forces
            else [0.0] * count
        )
        commands = self._held_commands(frame, gaps, measured, errors)
        accelerations = self._tracking_acceleration(frame, measured)
        forces: list[Scalar] = [0.0] * self.size
        for axis, command in zip(self.contact.held, commands, strict=True):
            accelerations[axis], forces[axis] = command.acceleration, command.force
        tau = frame.joint_forces(subtract_vectors(frame.task_forces(accelerations), forces))
        if self.gains.null_space_damping and len(v) > self.size:
            tau = add_vectors(tau, frame.null_space_forces([-self.gains.null_space_damping * x for x in v]))
        rates = [self.gains.integral * e for e in errors] if contact_forces else []
        if self.uses_observer:
            rates += expected_momentum_rates(frame.pose, frame.speed_map, v, tau, external_torques, measured.ops)
        contact_forces = contact_forces or [command.force for command in commands]
        signals = {x.name: f for x, f in zip(self.signals, contact_forces, strict=True)}
        return Decision(self.joint_side.driven_forces(tau), rates=rates, signals=signals)

    def _tracking_acceleration(self, frame: FrameMotion, measured: Measurement) -> list[Scalar]:
        twist_error = subtract_vectors(frame.axis_components(measured.reference[TWIST_REFERENCE]), frame.twist)
        correction = add_vectors(
            scale_entries(self.kp, frame.pose_error(measured.reference[POSE_REFERENCE])),
            scale_entries(self.kd, twist_error),
        )
        return add_vectors(frame.axis_components(measured.reference[ACCELERATION_REFERENCE]), correction)

    def _contact_forces(
        self, frame: FrameMotion, external_torques: Sequence[Scalar], measured: Measurement
    ) -> list[Scalar]:
        """Return the forces along the constrained axes, from sensors or the momentum; none without an integral."""
        if self.sensors:
            return list(measured.sensors)
        frame_forces = frame.frame_force(external_torques) if external_torques else []
        return [frame_forces[k] for k in self.contact.held] if frame_forces else []

    def _held_commands(
        self, frame: FrameMotion, gaps: Sequence[Scalar], measured: Measurement, errors: Sequence[Scalar]
    ) -> list[AxisCommand]:
        """Return the commands along the constrained axes."""
        forces = measured.reference[FORCE_REFERENCES[0]]
        integrals = measured.states[: len(forces)] if self.gains.integral else [0.0] * len(forces)
        target_forces, twist = add_vectors(forces, integrals), frame.twist
        environment = self.contact.environment
        if environment is None:
            return [
                AxisCommand(-self.gains.constraint_damping * twist[k], F)
                for k, F in zip(self.contact.held, target_forces, strict=True)
            ]
        depth, rate = -gaps[0], -twist[self.contact.held[0]]
        targets = [
            target_forces[0],
            *(measured.reference[name][0] for name in FORCE_REFERENCES[1 : self.force_order + 1]),
        ]
        if self.force_order and self.gains.integral:
            targets[1] = targets[1] + self.gains.integral * errors[0]
        inside, force = self._compliant_command(environment, depth, rate, targets, measured.ops)
        outside = self.gains.constraint_damping * (self.gains.approach - rate)
        is_touching = depth > 0
        return [
            AxisCommand(
                -measured.ops.where(is_touching, inside, outside),
                measured.ops.where(is_touching, force, 0.0),
            )
        ]

    def _compliant_command(
        self, environment: KnownEnvironment, depth: Scalar, rate: Scalar, targets: Sequence[Scalar], ops: Operations
    ) -> tuple[Scalar, Scalar]:
        """Return the acceleration into the environment for the desired force, and the resulting force."""
        steady, slope = environment.force_response(
            ops.maximum(depth, RESPONSE_FLOOR_DEPTH * RESPONSE_FLOOR_DEPTH), rate, ops
        )
        w, zeta = self.gains.force_frequency, self.gains.force_damping
        if self.force_order == 0:
            return (targets[0] - steady[0]) / environment.mass, targets[0]
        slope = ops.maximum(slope, environment.least_response)
        force_errors = subtract_vectors(targets, steady)
        if self.force_order == 1:
            return (force_errors[1] + w * force_errors[0]) / slope, steady[0]
        return (force_errors[2] + 2.0 * zeta * w * force_errors[1] + w * w * force_errors[0]) / slope, steady[0]


# Controllers

DEFAULT_FORCE_GAINS = ForceGains()
COMPLIANT_GAINS = ("force_frequency", "force_damping", "approach")
"""Gains without effect on a rigid surface."""


@check_arguments
def hybrid_control(
    robot: RobotOrMech,
    contact: Any,
    reference: Any,
    force: Any,
    *,
    gains: ForceGains = DEFAULT_FORCE_GAINS,
    orientation: bool = False,
    feedback: str = "both",
) -> LawController:
    r"""Return a hybrid controller: motion along a rigid surface and force against it (Raibert and Craig).

    $\tau = J^T (\Lambda (a - \dot J v) - F) + b(q, v)$: along free axes a as in `operational_space`, along constrained
    ones $a = -c\,\dot s$ and $F = F_r + k_i \int (F_r - \hat F)\,dt$. On the surface the force is then $F$ without
    delay and does not disturb the motion. Off the surface, the frame moves towards it at about $F_r / (\Lambda c)$.

    $\hat F$ is the sensor value if the contact is `gw.contact.ForceSensor` (there and in the run): model errors then
    decay with the poles of $T s^2 + s + k_i$. Without a sensor it is estimated from the momentum,
    $\dot{\hat F} = g (F - \hat F)$; errors of the robot model then count as force and are not corrected.

    Args:
        robot: the robot, or a machine.
        contact: the `gw.contact.Constraint`, or the `Contact` on a plane, cylinder or sphere, that goes into the
            simulation; relative to the base, or to a `MovingFrame` with a given motion.
        reference: of the frame, as for `operational_space`, in the world; ignored along constrained axes.
        force: per constrained axis, in the axes of the contact, on the robot (a surface pushes outwards) [N, Nm]:
            numbers, a Trajectory of forces, or a function of time that returns (forces,).
        gains: of the motion along free axes, and $k_i$ (`integral`), g (`observer`) and c
            (`constraint_damping`); those of compliant surfaces (`force_frequency`, `force_damping`, `approach`) are
            for `position_force`.
        orientation: whether the orientation is controlled, or the position only.
        feedback: for elastic drives: "both" (positions at the joints, speeds at the motors), "motor" or "joint".

    >>> import gearwright as gw
    >>> from gearwright.contact import Constraint, fixed_frame, project
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> pen = Constraint("pen", "tool", fixed_frame("desk", (0, 0, 0.1)), held=("z",))
    >>> start = project(arm, [0.3, -0.3, 0.9], [pen])
    >>> control = gw.control.hybrid_control(arm, pen, gw.placement(arm, start.q, "tool"), 15.0)
    >>> run = gw.simulate(arm, start, until=0.1, extra_laws=[pen], controller=control, samples=3)
    >>> bool(abs(run["pen.force.z"] - 15.0).max() < 1e-6)
    True
    """
    caller = "control.hybrid_control"
    known = known_contact(caller, contact)
    if known.environment is not None:
        raise InputError(f"{caller}: contact {contact.name!r} is compliant. Use gw.control.position_force.")
    for name in COMPLIANT_GAINS:
        if getattr(gains, name) != getattr(DEFAULT_FORCE_GAINS, name):
            raise InputError(
                f"{caller}: gains.{name}={getattr(gains, name):g} has no effect on a rigid surface. Remove it, or use "
                "gw.control.position_force."
            )
    return _force_controller(caller, robot, known, gains, reference, force, orientation, feedback)


@check_arguments
def position_force(
    robot: RobotOrMech,
    contact: Any,
    reference: Any,
    force: Any,
    *,
    environment: KnownEnvironment | None = None,
    gains: ForceGains = DEFAULT_FORCE_GAINS,
    orientation: bool = False,
    feedback: str = "both",
) -> LawController:
    r"""Return a controller of motion along a compliant surface and force against it, with a model of the environment.

    The environment responds with $F = m \ddot\delta + r(\delta, \dot\delta)$ (Vukobratovic and Potkonjak, section
    20.5.3), linear or nonlinear. Along the normal the acceleration of the frame gives the desired force: with mass
    $\ddot\delta = (F_r - r) / m$, and the force is $F_r$ without delay. On a massless damped surface the force error
    satisfies $\dot e + \omega e = 0$, on a massless spring $\ddot e + 2 \zeta \omega \dot e + \omega^2 e = 0$. Along
    the tangents it moves as in `operational_space`.

    Args:
        robot: the robot, or a machine; without the wall, which `gw.control.in_larger_machine` adds.
        contact: the `SoftContact` on a plane, cylinder or sphere that goes into the simulation, or a `Contact` with the
            surface where it is at rest; relative to the base, or to a `MovingFrame` with a given motion.
        reference: of the frame, as for `operational_space`, in the world; ignored along the normal.
        force: on the robot along the normal [N]: a number, a Trajectory of forces, or a function of time that returns
            (force, its rate, its second derivative), up to the order of the environment.
        environment: model of the environment; by default that of the SoftContact.
        gains: of the motion along the surface and of the force: $\omega$ (`force_frequency`), $\zeta$
            (`force_damping`), the speed and damping of the approach; `integral` adds $k_i \int (F_r - \hat F)\,dt$ to
            the desired force, for an uncertain environment.
        orientation: whether the orientation is controlled, or the position only.
        feedback: for elastic drives: "both" (positions at the joints, speeds at the motors), "motor" or "joint".
    """
    caller = "control.position_force"
    known = known_contact(caller, contact, environment)
    if known.environment is None:
        raise InputError(
            f"{caller}: contact {contact.name!r} is not compliant. Give `environment`, or use "
            "gw.control.hybrid_control."
        )
    return _force_controller(caller, robot, known, gains, reference, force, orientation, feedback)


def _force_controller(
    caller: str,
    robot: RobotOrMech,
    contact: KnownContact,
    gains: ForceGains,
    reference: Any,
    force: Any,
    orientation: bool,
    feedback: str,
) -> LawController:
    size = 6 if orientation else 3
    side = movable_joint_side(caller, machine_of(caller, robot), contact.frame, size)
    require_prescribed_motion(caller, side.mech, contact.law)
    if max(contact.held) >= size:
        raise InputError(f"{caller}: the contact constrains {', '.join(contact.axis_names)}. Use orientation=True.")
    kp, kd = frequency_gains(
        gain_per_axis(caller, "gains.frequency", gains.frequency, size),
        gain_per_axis(caller, "gains.damping", gains.damping, size),
    )
    law = PositionForceLaw(
        side.mech,
        checked_feedback(caller, feedback),
        contact=contact,
        size=size,
        kp=kp,
        kd=kd,
        gains=gains,
    )
    motion = frame_reference(caller, contact.frame, size, reference, side)
    references = combine_references(motion, force_reference(caller, force, contact.axis_names, law.force_order + 1))
    followed = combine_references(references, TIME_AS_REFERENCE) if contact.is_moving else references
    return joint_controller(law, followed.at, followed.breaks)
