"""Controllers of a frame, as users make them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number, numbers
from gearwright.arrays import Array
from gearwright.control.joint_side import JointSide, joint_side, known_feedback
from gearwright.control.operational_law import ACCELERATION, POSE, TWIST, Operational
from gearwright.control.references import Reference, asked_reference
from gearwright.control.tracking import Gains
from gearwright.errors import InputError
from gearwright.functions.functions import jacobian, jacobian_rate, placement
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.motion.trajectory import Trajectory
from gearwright.system.law_controller import LawController, law_controller

FrameName = str | int


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
        feedback: where elastic drives are measured, "motor" or "joint"; springs are taken as stiff.
    """
    caller, size = "control.operational_space", 6 if orientation else 3
    w, zeta = _per_axis(caller, "frequency", frequency, size), _per_axis(caller, "damping", damping, size)
    gains = tuple(x * x for x in w), tuple(2 * d * x for x, d in zip(w, zeta, strict=True))
    return _made(caller, robot, frame, reference, (*gains, False, unseen_damping), size, feedback)


def impedance(
    robot: RobotOrMech,
    frame: FrameName,
    reference: Any,
    stiffness: ArrayLike,
    damping: ArrayLike,
    *,
    orientation: bool = True,
    unseen_damping: float = 0.0,
    feedback: str = "motor",
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
        feedback: where elastic drives are measured, "motor" or "joint"; springs are taken as stiff.
    """
    caller, size = "control.impedance", 6 if orientation else 3
    gains = _per_axis(caller, "stiffness", stiffness, size), _per_axis(caller, "damping", damping, size)
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
    mech = machine_of(caller, robot)
    side = joint_side(caller, mech)
    mech.place_of(frame)
    number(caller, "unseen_damping", gains[3], least=0.0)
    if size > side.count:
        raise InputError(
            f"{caller}: {side.count} joints cannot move a frame in {size} ways. Use orientation=False, or another arm."
        )
    law = Operational(mech, known_feedback(caller, feedback), frame, size, *gains)
    found = _reference(caller, law, reference, side)
    return law_controller(law, found.at, found.breaks)


def _reference(caller: str, law: Operational, given: Any, side: JointSide) -> Reference:
    sizes = [len(x) for x in law.references.values()]
    if isinstance(given, Trajectory):
        if given.count != side.count:
            raise InputError(f"{caller}: the motion is of {given.count} joints, the machine has {side.count}.")
        return Reference(lambda t: _carried(law, given, side, t), (0.0, *given.kinks(2), given.duration), given)
    if callable(given):
        names = tuple(x.removesuffix("_ref") for x in (POSE, TWIST, ACCELERATION))
        return Reference(asked_reference(caller, given, sizes, names), given=given)
    try:
        rotation, position = (np.asarray(x, dtype=float) for x in given)
        row = np.concatenate([position.reshape(3), rotation.reshape(9)])
    except (TypeError, ValueError):
        raise InputError(
            f"{caller}: the reference {given!r} is not a Trajectory, a function of time or (rotation, position)."
        ) from None
    full = np.concatenate([row[: sizes[0]], np.zeros(sum(sizes[1:]))])
    return Reference(lambda t: np.tile(full, (len(t), 1)), given=given)


def _carried(law: Operational, motion: Trajectory, side: JointSide, t: Array) -> Array:
    """Pose, velocity and acceleration of the frame while the joints move."""
    mech, size = side.rigid, law.size
    q, v, a = (motion.at(t, k) for k in range(3))
    rotation, position = placement(mech, q, law.frame)
    J, rate = jacobian(mech, q, law.frame), jacobian_rate(mech, q, v, law.frame)
    twist = np.einsum("tij,tj->ti", J, v)
    acceleration = np.einsum("tij,tj->ti", J, a) + np.einsum("tij,tj->ti", rate, v)
    pose = [position, rotation.reshape(len(t), 9)] if size == 6 else [position]
    return np.concatenate([*pose, twist[:, :size], acceleration[:, :size]], axis=-1)


def _per_axis(caller: str, name: str, value: ArrayLike, size: int) -> Gains:
    found = numbers(caller, name, value, least=0.0)
    if found.shape not in ((), (size,)):
        raise InputError(f"{caller}: {name} has shape {found.shape}; give one number, or {size}.")
    return tuple(np.broadcast_to(found, size).tolist())
