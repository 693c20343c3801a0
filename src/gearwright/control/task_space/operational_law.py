"""Laws in the space of a frame: operational space and impedance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.control.joint_tracking import Gains, Tracking, minus, plus, scaled
from gearwright.control.task_space.frame_motion import frame_motion
from gearwright.forces.shared_kinematics import Scene
from gearwright.system.controllers.control_law import Decision, Measurement

AXES = ("x", "y", "z", "rx", "ry", "rz")
ROTATION = tuple(f"r{row}{column}" for row in "xyz" for column in "xyz")
POSE, TWIST, ACCELERATION = "pose_ref", "twist_ref", "acceleration_ref"
"""References: position (and rotation row by row), velocity and acceleration of the frame, world axes."""


@dataclass(frozen=True)
class Operational(Tracking):
    """Forces at a frame: F = L (acc_ref + kp e + kd e' - J' v), or with an impedance L (acc_ref - J' v) + kp e + kd e'.

    tau = J^T F + bias + what damps the motion that the frame does not see; L = (J M^-1 J^T)^-1.

    Args:
        mech: the controlled machine.
        feedback: where elastic drives are measured.
        frame: the body or frame.
        size: 3 for its position, 6 for its orientation too.
        kp: [1/s2], or [N/m, Nm/rad] of an impedance, per axis of the world.
        kd: [1/s], or [Ns/m, Nms/rad].
        impedance: whether the gains are forces, and the inertia of the frame is left as it is.
        damping: of the motion that the frame does not see [Nms/rad].
    """

    frame: str | int = 0
    size: int = 3
    kp: Gains = ()
    kd: Gains = ()
    impedance: bool = False
    damping: float = 0.0

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "impedance" if self.impedance else "operational_space"

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Pose, velocity and acceleration of the frame."""
        axes = AXES[: self.size]
        return {POSE: AXES[:3] + (ROTATION if self.size == 6 else ()), TWIST: axes, ACCELERATION: axes}

    def decide(self, measured: Measurement) -> Decision:
        """The forces that move the frame as wanted."""
        return Decision(self.side.forces(self.joint_forces(measured)))

    def joint_forces(self, measured: Measurement) -> list[Scalar]:
        """The same at the joints."""
        q, v = self.side.position(measured.q, self.feedback), self.side.speed(measured.v, self.feedback)
        frame = frame_motion(Scene(measured.model, q, v, measured.ops), self.frame, self.size)
        lag = frame.missing(measured.reference[POSE])
        lack = minus(measured.reference[TWIST], frame.twist)
        pull = plus(scaled(self.kp, lag), scaled(self.kd, lack))
        wanted = list(measured.reference[ACCELERATION])
        force = plus(frame.forces(wanted), pull) if self.impedance else frame.forces(plus(wanted, pull))
        tau = frame.joint_forces(force)
        if self.damping and len(v) > self.size:
            tau = plus(tau, frame.unseen([-self.damping * x for x in v]))
        return tau
