"""Controllers of a frame, as users make them."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.control.joint_side import JointSide, joint_side, known_feedback
from gearwright.control.joint_tracking import Gains
from gearwright.control.task_space.frame_references import frame_reference, per_axis
from gearwright.control.task_space.operational_law import Operational
from gearwright.errors import InputError
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.system.controllers.law_controller import LawController, law_controller

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
    unseen_damping: float = 0.0,
    feedback: str = "motor",
) -> LawController:
    r"""Control of a frame in its own space (Khatib).

    $\tau = J^T F + b(q, v)$ with $F = \Lambda (\ddot x_r + 2 \zeta \omega \dot e + \omega^2 e - \dot J v)$ and
    $\Lambda = (J M^{-1} J^T)^{-1}$.

    The frame's errors die out as $\ddot e + 2 \zeta \omega \dot e + \omega^2 e = 0$; of the orientation for small
    errors, because what is taken is the sine of the missing turn about its axis. At a singular place there is no
    answer, and a run stops there.

    Args:
        robot: the robot, or a machine.
        frame: the body or frame.
        reference: a Trajectory of the joints (the frame's motion follows from it), a pose (rotation, position) to hold
            as `gw.placement` gives it, or a function of time that returns (pose, velocity, acceleration): pose the
            position and, with `orientation`, the rotation row by row (12), the others (6) linear, then angular.
        frequency: [rad/s], one number or one per axis of the world (x, y, z, then turns about them).
        damping: 1 is critical.
        orientation: whether the orientation is controlled, or the position alone.
        unseen_damping: damps joint motion that the frame does not see, of redundant arms [Nms/rad].
        feedback: where elastic drives are measured, "motor", "joint" or "both"; springs are taken as stiff.
    """
    caller, size = "control.operational_space", 6 if orientation else 3
    w, zeta = per_axis(caller, "frequency", frequency, size), per_axis(caller, "damping", damping, size)
    gains = tuple(x * x for x in w), tuple(2 * d * x for x, d in zip(w, zeta, strict=True))
    return _made(caller, robot, frame, reference, (*gains, False, unseen_damping), size, feedback)


@check_arguments
def impedance(
    robot: RobotOrMech,
    frame: FrameName,
    reference: Any,
    stiffness: ArrayLike,
    damping: ArrayLike,
    *,
    orientation: bool = True,
    unseen_damping: float = 0.0,
    feedback: str = "both",
) -> LawController:
    r"""A frame that gives way like a spring, $\Lambda (\ddot x - \ddot x_r) = K e + D \dot e + F_{ext}$.

    Its inertia is left as it is:
    $\tau = J^T (\Lambda (\ddot x_r - \dot J v) + D \dot e + K e) + b(q, v)$. No force is measured.

    Args:
        robot: the robot, or a machine.
        frame: the body or frame.
        reference: as for `operational_space`.
        stiffness: K [N/m, Nm/rad], one number or one per axis of the world.
        damping: D [Ns/m, Nms/rad].
        orientation: whether the orientation is controlled, or the position alone.
        unseen_damping: damps joint motion that the frame does not see, of redundant arms [Nms/rad].
        feedback: of elastic drives: "both" (places at the joints, speeds at the motors), "motor" or "joint".
    """
    caller, size = "control.impedance", 6 if orientation else 3
    gains = per_axis(caller, "stiffness", stiffness, size), per_axis(caller, "damping", damping, size)
    return _made(caller, robot, frame, reference, (*gains, True, unseen_damping), size, feedback)


def _made(
    caller: str,
    robot: RobotOrMech,
    frame: FrameName,
    reference: Any,
    gains: tuple[Gains, Gains, bool, float],
    size: int,
    feedback: str,
) -> LawController:
    side = require_movable(caller, robot, frame, size)
    number(caller, "unseen_damping", gains[3], least=0.0)
    law = Operational(side.mech, known_feedback(caller, feedback), frame, size, *gains)
    found = frame_reference(caller, frame, size, reference, side)
    return law_controller(law, found.at, found.breaks)


def require_movable(caller: str, robot: RobotOrMech, frame: FrameName, size: int) -> JointSide:
    """The machine as its controllers see it, which must have the frame and joints enough to move it."""
    mech = machine_of(caller, robot)
    side = joint_side(caller, mech)
    body, _, _ = mech.place_of(frame)
    if not mech.is_moved(body):
        raise InputError(f"{caller}: frame {frame!r} is fixed to the base: no joint moves it. Name one that moves.")
    if size > side.count:
        raise InputError(
            f"{caller}: {side.count} joints cannot move a frame in {size} ways. Use orientation=False, or another arm."
        )
    return side
