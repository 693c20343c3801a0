"""Admittance control: the contact force moves the reference of a frame like a mass-spring-damper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number
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
from gearwright.control.task_space.frame_motion import frame_motion
from gearwright.control.task_space.frame_references import frame_reference, gain_per_axis
from gearwright.control.task_space.operational_law import (
    ACCELERATION_REFERENCE,
    FRAME_AXIS_NAMES,
    POSE_REFERENCE,
    TWIST_REFERENCE,
    OperationalSpaceLaw,
)
from gearwright.control.task_space.operational_space import FrameName, movable_joint_side
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import RobotOrMech
from gearwright.programs import machine_of
from gearwright.system import LawController
from gearwright.system.controllers.control_law import Decision, Measurement

ADMITTANCE_CALLER = "control.admittance"


@dataclass(frozen=True, kw_only=True)
class TargetAdmittance:
    """The desired response to a contact force: a mass, a damper and a spring per world axis.

    Args:
        mass: m [kg], one value or one per axis.
        damping: d [Ns/m].
        stiffness: k [N/m]; 0: hand guiding without a restoring force.

    >>> TargetAdmittance(mass=3.0, damping=50.0).stiffness
    0.0
    """

    mass: ArrayLike
    damping: ArrayLike
    stiffness: ArrayLike = 0.0


@dataclass(frozen=True, kw_only=True)
class AdmittanceGains:
    """Gains of admittance control: of the inner position control and of the force estimate.

    Args:
        frequency: natural frequency of the position control [rad/s], one value or one per world axis.
        observer: gain of the force estimate from the momentum [1/s].
        null_space_damping: damping of the null-space motion of redundant arms [Nms/rad].

    >>> AdmittanceGains(frequency=40).observer
    200.0
    """

    frequency: ArrayLike = 30.0
    observer: float = 200.0
    null_space_damping: float = 0.0

    def __post_init__(self) -> None:
        title = "AdmittanceGains"
        frequency = number_array(title, "frequency", self.frequency, least=0.0)
        observer = real_number(title, "observer", self.observer, above=0.0, unit="1/s", example=200.0)
        null_space_damping = real_number(
            title, "null_space_damping", self.null_space_damping, least=0.0, unit="Nms/rad"
        )
        object.__setattr__(self, "frequency", tuple(frequency.tolist()) if frequency.ndim else float(frequency))
        object.__setattr__(self, "observer", observer)
        object.__setattr__(self, "null_space_damping", null_space_damping)


DEFAULT_ADMITTANCE_GAINS = AdmittanceGains()


@dataclass(frozen=True)
class AdmittanceLaw(TrackingLaw):
    """Operational-space control of reference + y, with m y'' + d y' + k y = estimated force.

    Args:
        mech: the controlled machine.
        feedback: side on which elastic drives are measured.
        inner: the operational-space law.
        mass: m per axis of the world [kg].
        damping: d [Ns/m].
        stiffness: k [N/m].
        observer: gain of the force observer [1/s].
    """

    inner: OperationalSpaceLaw = field(kw_only=True)
    mass: Gains = ()
    damping: Gains = ()
    stiffness: Gains = ()
    observer: float = 100.0

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "admittance"

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Pose, velocity and acceleration of the frame without contact force."""
        return self.inner.references

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Displacement and speed of the reference, and the expected momentum."""
        offsets = (
            Quantity(f"{name}.{x}", unit)
            for name, unit in (("give", "m"), ("pace", "m/s"))
            for x in FRAME_AXIS_NAMES[:3]
        )
        return (*offsets, *(Quantity(f"momentum.{x}", "") for x in self.joint_side.joint_names))

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The estimated force, `<frame>.force.<axis>`, world axes."""
        return tuple(Quantity(f"{self.inner.frame}.force.{x}", "N") for x in FRAME_AXIS_NAMES[:3])

    def decide(self, measured: Measurement) -> Decision:
        """Return the forces that track the displaced reference."""
        q, v = (
            self.joint_side.joint_positions(measured.q, self.feedback),
            self.joint_side.joint_speeds(measured.v, self.feedback),
        )
        offset, offset_rate, expected = measured.states[:3], measured.states[3:6], measured.states[6:]
        frame = frame_motion(SharedKinematics(measured.model, q, v, measured.ops), self.inner.frame, self.inner.size)
        external_torques = momentum_residual(frame.mass_matrix, v, expected, self.observer)
        force = frame.frame_force(external_torques)[:3]
        spring = add_vectors(scale_entries(self.stiffness, offset), scale_entries(self.damping, offset_rate))
        offset_acceleration = [f / m for f, m in zip(subtract_vectors(force, spring), self.mass, strict=True)]
        offsets = {POSE_REFERENCE: offset, TWIST_REFERENCE: offset_rate, ACCELERATION_REFERENCE: offset_acceleration}
        references = {
            name: [*add_vectors(measured.reference[name][:3], y), *measured.reference[name][3:]]
            for name, y in offsets.items()
        }
        tau = self.inner.joint_forces(replace(measured, reference=references))
        momentum_rates = expected_momentum_rates(frame.pose, frame.speed_map, v, tau, external_torques, measured.ops)
        rates = [*offset_rate, *offset_acceleration, *momentum_rates]
        signals = {x.name: f for x, f in zip(self.signals, force, strict=True)}
        return Decision(self.joint_side.driven_forces(tau), rates=rates, signals=signals)


@check_arguments
def admittance(
    robot: RobotOrMech,
    frame: FrameName,
    reference: Any,
    target: TargetAdmittance,
    *,
    gains: AdmittanceGains = DEFAULT_ADMITTANCE_GAINS,
    orientation: bool = False,
    feedback: str = "both",
) -> LawController:
    r"""Return an admittance controller of a frame, $m \ddot y + d \dot y + k y = \hat F$.

    `operational_space` tracks the reference displaced by y, so that the apparent mass of the frame is m instead of its
    own, rotors included. The force is estimated from the momentum, $\dot{\hat F} = g (F - \hat F)$, without a sensor;
    unmodelled friction counts as force. Only the position is compliant. On a stiff surface the mass must not be much
    smaller than the effective mass of the frame: otherwise observer and contact become unstable.

    Args:
        robot: the robot, or a machine.
        frame: the body or frame.
        reference: pose without contact force, as for `operational_space`.
        target: the desired apparent mass, damping and stiffness of the frame.
        gains: of the position control and of the force estimate, g (`observer`).
        orientation: whether the orientation is controlled, or the position only.
        feedback: for elastic drives: "both" (positions at the joints, speeds at the motors), "motor" or "joint".
    """
    size = 6 if orientation else 3
    side = movable_joint_side(ADMITTANCE_CALLER, machine_of(ADMITTANCE_CALLER, robot), frame, size)
    m, d, k = (
        gain_per_axis(ADMITTANCE_CALLER, f"target.{name}", getattr(target, name), 3)
        for name in ("mass", "damping", "stiffness")
    )
    if not all(m):
        raise InputError(
            f"{ADMITTANCE_CALLER}: target.mass = {target.mass!r}; it must be positive. Give a mass, or use "
            "gw.control.impedance."
        )
    frequencies = gain_per_axis(ADMITTANCE_CALLER, "gains.frequency", gains.frequency, size)
    kp, kd = frequency_gains(frequencies, (1.0,) * size)
    measured_at = checked_feedback(ADMITTANCE_CALLER, feedback)
    inner = OperationalSpaceLaw(side.mech, measured_at, frame, size, kp, kd, False, gains.null_space_damping)
    law = AdmittanceLaw(side.mech, measured_at, inner=inner, mass=m, damping=d, stiffness=k, observer=gains.observer)
    path = frame_reference(ADMITTANCE_CALLER, frame, size, reference, side)
    return joint_controller(law, path.at, path.breaks)
