"""Task-space controllers of a frame: operational space and impedance."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.control.in_larger_machine import joint_controller
from gearwright.control.joint_side import JointSide, checked_feedback, joint_side
from gearwright.control.joint_tracking import Gains
from gearwright.control.task_space.frame_references import frame_reference, gain_per_axis
from gearwright.control.task_space.operational_law import OperationalSpaceLaw
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import machine_of
from gearwright.system import LawController

FrameName = str | int


@check_arguments
def operational_space(
    robot: RobotOrMech,
    frame: FrameName,
    reference: Any,
    frequency: ArrayLike = 10.0,
    damping: ArrayLike = 1.0,
    *,
    orientation: bool = True,
    null_space_damping: float = 0.0,
    feedback: str = "motor",
) -> LawController:
    r"""Return an operational-space controller of a frame (Khatib).

    $\tau = J^T F + b(q, v)$ with $F = \Lambda (\ddot x_r + 2 \zeta \omega \dot e + \omega^2 e - \dot J v)$ and
    $\Lambda = (J M^{-1} J^T)^{-1}$.

    The errors of the frame decay as $\ddot e + 2 \zeta \omega \dot e + \omega^2 e = 0$; those of the orientation for
    small errors, because the rotation error is the sine of its angle times its axis. A run stops at a singular
    configuration.

    Args:
        robot: the robot, or a machine.
        frame: the body or frame.
        reference: a Trajectory of the joints (the frame's motion follows from it), a constant pose (rotation, position)
            as from `gw.placement`, or a function of time that returns (pose, velocity, acceleration): pose the position
            and, with `orientation`, the rotation row by row (12), the others (6) linear, then angular.
        frequency: natural frequency [rad/s], one value or one per world axis (x, y, z, rotations about them).
        damping: damping ratio, 1 is critical.
        orientation: whether the orientation is controlled, or the position only.
        null_space_damping: damping of the null-space motion of redundant arms [Nms/rad].
        feedback: side on which elastic drives are measured: "motor", "joint" or "both"; springs are assumed rigid.
    """
    caller, size = "control.operational_space", 6 if orientation else 3
    w, zeta = gain_per_axis(caller, "frequency", frequency, size), gain_per_axis(caller, "damping", damping, size)
    gains = tuple(x * x for x in w), tuple(2 * d * x for x, d in zip(w, zeta, strict=True))
    return _frame_controller(caller, robot, frame, reference, (*gains, False, null_space_damping), size, feedback)


@check_arguments
def impedance(
    robot: RobotOrMech,
    frame: FrameName,
    reference: Any,
    stiffness: ArrayLike,
    damping: ArrayLike,
    *,
    orientation: bool = True,
    null_space_damping: float = 0.0,
    feedback: str = "both",
) -> LawController:
    r"""Return an impedance controller of a frame, $\Lambda (\ddot x - \ddot x_r) = K e + D \dot e + F_{ext}$.

    The natural inertia of the frame is not changed:
    $\tau = J^T (\Lambda (\ddot x_r - \dot J v) + D \dot e + K e) + b(q, v)$. No force sensor is needed.

    Args:
        robot: the robot, or a machine.
        frame: the body or frame.
        reference: as for `operational_space`.
        stiffness: K [N/m, Nm/rad], one value or one per world axis.
        damping: D [Ns/m, Nms/rad].
        orientation: whether the orientation is controlled, or the position only.
        null_space_damping: damping of the null-space motion of redundant arms [Nms/rad].
        feedback: for elastic drives: "both" (positions at the joints, speeds at the motors), "motor" or "joint".
    """
    caller, size = "control.impedance", 6 if orientation else 3
    gains = gain_per_axis(caller, "stiffness", stiffness, size), gain_per_axis(caller, "damping", damping, size)
    return _frame_controller(caller, robot, frame, reference, (*gains, True, null_space_damping), size, feedback)


def _frame_controller(
    caller: str,
    robot: RobotOrMech,
    frame: FrameName,
    reference: Any,
    gains: tuple[Gains, Gains, bool, float],
    size: int,
    feedback: str,
) -> LawController:
    side = movable_joint_side(caller, machine_of(caller, robot), frame, size)
    real_number(caller, "null_space_damping", gains[3], least=0.0)
    law = OperationalSpaceLaw(side.mech, checked_feedback(caller, feedback), frame, size, *gains)
    target = frame_reference(caller, frame, size, reference, side)
    return joint_controller(law, target.at, target.breaks)


def movable_joint_side(caller: str, mech: Mechanism, frame: FrameName, size: int) -> JointSide:
    """Return the joint side of the machine, which must have the frame and enough joints to move it."""
    side = joint_side(caller, mech)
    body, _, _ = mech.place_of(frame)
    if not mech.is_moved(body):
        raise InputError(
            f"{caller}: frame {frame!r} is fixed to the base: no joint moves it. Give a frame on a moving link."
        )
    if size > side.joint_count:
        raise InputError(
            f"{caller}: {side.joint_count} joints cannot control {size} degrees of freedom of a frame. Use "
            "orientation=False, or another arm."
        )
    return side
