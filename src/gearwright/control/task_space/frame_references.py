"""What controllers of a frame are to follow: poses with their derivatives, and forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import is_function, numbers
from gearwright.arrays import Array
from gearwright.control.joint_side import JointSide
from gearwright.control.joint_tracking import Gains
from gearwright.control.references import Reference, asked_reference
from gearwright.control.task_space.operational_law import ACCELERATION, POSE, TWIST
from gearwright.errors import InputError
from gearwright.functions.dynamics import jacobian, jacobian_rate, placement
from gearwright.motion.trajectory import Trajectory
from gearwright.text import listed

CLOCK = Reference(lambda t: np.asarray(t, dtype=float)[:, None])
"""The time itself."""


def frame_reference(caller: str, frame: str | int, size: int, given: Any, side: JointSide) -> Reference:
    """Pose, velocity and acceleration of a frame, from what a user gives; see `operational_space`."""
    sizes = [12 if size == 6 else 3, size, size]
    if isinstance(given, Trajectory):
        if given.count != side.count:
            raise InputError(f"{caller}: the motion is of {given.count} joints, the machine has {side.count}.")
        breaks = (0.0, *given.kinks(2), given.duration)
        return Reference(lambda t: _carried(frame, size, given, side, t), breaks, given)
    if is_function(given):
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


def _carried(frame: str | int, size: int, motion: Trajectory, side: JointSide, t: Array) -> Array:
    """Pose, velocity and acceleration of the frame while the joints move."""
    mech = side.rigid
    q, v, a = (motion.at(t, k) for k in range(3))
    rotation, position = placement(mech, q, frame)
    J, rate = jacobian(mech, q, frame), jacobian_rate(mech, q, v, frame)
    twist = np.einsum("tij,tj->ti", J, v)
    acceleration = np.einsum("tij,tj->ti", J, a) + np.einsum("tij,tj->ti", rate, v)
    pose = [position, rotation.reshape(len(t), 9)] if size == 6 else [position]
    return np.concatenate([*pose, twist[:, :size], acceleration[:, :size]], axis=-1)


def force_reference(caller: str, given: Any, axes: Sequence[str], orders: int) -> Reference:
    """Forces and as many of their derivatives as `orders` asks for: a Trajectory, a function of time, or numbers."""
    count = len(axes)
    if isinstance(given, Trajectory):
        if given.count != count:
            raise InputError(f"{caller}: the force has {given.count} entries; give {count} ({listed(axes)}).")
        breaks = (0.0, *given.kinks(orders - 1), given.duration)
        return Reference(lambda t: np.concatenate([given.at(t, k) for k in range(orders)], axis=-1), breaks, given)
    if is_function(given):
        names = ("force", "its rate", "its second derivative")
        return Reference(asked_reference(caller, given, [count] * orders, names), given=given)
    found = numbers(caller, "force", given)
    if found.shape not in ((), (count,)):
        raise InputError(f"{caller}: force has shape {found.shape}; give one number, or {count} ({listed(axes)}).")
    row = np.concatenate([np.broadcast_to(found, count), np.zeros(count * (orders - 1))])
    return Reference(lambda t: np.tile(row, (len(t), 1)), given=given)


def side_by_side(first: Reference, second: Reference) -> Reference:
    """Two references as one."""

    def at(t: Array) -> Array:
        return np.concatenate([first.at(t), second.at(t)], axis=-1)

    return Reference(at, tuple(sorted({*first.breaks, *second.breaks})))


def per_axis(caller: str, name: str, value: ArrayLike, size: int) -> Gains:
    """One number of 0 or more per axis; a single one serves all."""
    found = numbers(caller, name, value, least=0.0)
    if found.shape not in ((), (size,)):
        raise InputError(f"{caller}: {name} has shape {found.shape}; give one number, or {size}.")
    return tuple(np.broadcast_to(found, size).tolist())
