"""Task-space laws: operational space and impedance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.control.joint_tracking import Gains, TrackingLaw, add_vectors, scale_entries, subtract_vectors
from gearwright.control.task_space.frame_motion import frame_motion
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.system.controllers.control_law import Decision, Measurement

FRAME_AXIS_NAMES = ("x", "y", "z", "rx", "ry", "rz")
ROTATION_ENTRIES = tuple(f"r{row}{column}" for row in "xyz" for column in "xyz")
POSE_REFERENCE, TWIST_REFERENCE, ACCELERATION_REFERENCE = "pose_ref", "twist_ref", "acceleration_ref"
"""References: position (and rotation row by row), velocity and acceleration of the frame, world axes."""


@dataclass(frozen=True)
class OperationalSpaceLaw(TrackingLaw):
    """Forces at a frame: F = L (acc_ref + kp e + kd e' - J' v), or with an impedance L (acc_ref - J' v) + kp e + kd e'.

    tau = J^T F + bias + damping of the null-space motion; L = (J M^-1 J^T)^-1.

    Args:
        mech: the controlled machine.
        feedback: side on which elastic drives are measured.
        frame: the body or frame.
        size: 3 for position, 6 for position and orientation.
        kp: gains [1/s2], or stiffness [N/m, Nm/rad] of an impedance, per axis of the world.
        kd: gains [1/s], or damping [Ns/m, Nms/rad].
        is_impedance: whether the gains are stiffness and damping, with the natural inertia of the frame.
        damping: damping of the null-space motion [Nms/rad].
    """

    frame: str | int = 0
    size: int = 3
    kp: Gains = ()
    kd: Gains = ()
    is_impedance: bool = False
    damping: float = 0.0

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
        return "impedance" if self.is_impedance else "operational_space"

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Pose, velocity and acceleration of the frame."""
        axes = FRAME_AXIS_NAMES[: self.size]
        return {
            POSE_REFERENCE: FRAME_AXIS_NAMES[:3] + (ROTATION_ENTRIES if self.size == 6 else ()),
            TWIST_REFERENCE: axes,
            ACCELERATION_REFERENCE: axes,
        }

    def decide(self, measured: Measurement) -> Decision:
        """Return the forces that move the frame along its reference."""
        return Decision(self.joint_side.driven_forces(self.joint_forces(measured)))

    def joint_forces(self, measured: Measurement) -> list[Scalar]:
        """Return these forces at the joints."""
        q, v = (
            self.joint_side.joint_positions(measured.q, self.feedback),
            self.joint_side.joint_speeds(measured.v, self.feedback),
        )
        frame = frame_motion(SharedKinematics(measured.model, q, v, measured.ops), self.frame, self.size)
        position_error = frame.pose_error(measured.reference[POSE_REFERENCE])
        twist_error = subtract_vectors(measured.reference[TWIST_REFERENCE], frame.twist)
        correction = add_vectors(scale_entries(self.kp, position_error), scale_entries(self.kd, twist_error))
        acceleration = list(measured.reference[ACCELERATION_REFERENCE])
        force = (
            add_vectors(frame.task_forces(acceleration), correction)
            if self.is_impedance
            else frame.task_forces(add_vectors(acceleration, correction))
        )
        tau = frame.joint_forces(force)
        if self.damping and len(v) > self.size:
            tau = add_vectors(tau, frame.null_space_forces([-self.damping * x for x in v]))
        return tau
