"""References of task-space controllers: poses with their derivatives, and forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import is_function, number_array
from gearwright.arrays import Array
from gearwright.control.joint_side import JointSide
from gearwright.control.joint_tracking import Gains
from gearwright.control.references import Reference, function_reference
from gearwright.control.task_space.operational_law import ACCELERATION_REFERENCE, POSE_REFERENCE, TWIST_REFERENCE
from gearwright.errors import InputError
from gearwright.functions import jacobian, jacobian_rate, placement
from gearwright.motion import Trajectory
from gearwright.text import listed_names

TIME_AS_REFERENCE = Reference(lambda t: np.asarray(t, dtype=float)[:, None])
"""The time itself."""


def frame_reference(caller: str, frame: str | int, size: int, source: Any, side: JointSide) -> Reference:
    """Return pose, velocity and acceleration of a frame for a user's reference; see `operational_space`."""
    sizes = [12 if size == 6 else 3, size, size]
    if isinstance(source, Trajectory):
        if source.count != side.joint_count:
            raise InputError(f"{caller}: the motion has {source.count} joints, the machine {side.joint_count}.")
        breaks = (0.0, *source.derivative_jumps(2), source.duration)
        return Reference(lambda t: _frame_series(frame, size, source, side, t), breaks, source)
    if is_function(source):
        names = tuple(x.removesuffix("_ref") for x in (POSE_REFERENCE, TWIST_REFERENCE, ACCELERATION_REFERENCE))
        return Reference(function_reference(caller, source, sizes, names), source=source)
    try:
        rotation, position = (np.asarray(x, dtype=float) for x in source)
        row = np.concatenate([position.reshape(3), rotation.reshape(9)])
    except (TypeError, ValueError):
        raise InputError(
            f"{caller}: the reference {source!r} is not a Trajectory, a function of time or (rotation, position)."
        ) from None
    full = np.concatenate([row[: sizes[0]], np.zeros(sum(sizes[1:]))])
    return Reference(lambda t: np.tile(full, (len(t), 1)), source=source)


def _frame_series(frame: str | int, size: int, motion: Trajectory, side: JointSide, t: Array) -> Array:
    """Return pose, velocity and acceleration of the frame for a joint motion."""
    mech = side.rigid_machine
    q, v, a = (motion.at(t, k) for k in range(3))
    rotation, position = placement(mech, q, frame)
    J, rate = jacobian(mech, q, frame), jacobian_rate(mech, q, v, frame)
    twist = np.einsum("tij,tj->ti", J, v)
    acceleration = np.einsum("tij,tj->ti", J, a) + np.einsum("tij,tj->ti", rate, v)
    pose = [position, rotation.reshape(len(t), 9)] if size == 6 else [position]
    return np.concatenate([*pose, twist[:, :size], acceleration[:, :size]], axis=-1)


def force_reference(caller: str, source: Any, axes: Sequence[str], orders: int) -> Reference:
    """Return forces and their first derivatives, `orders` in all, for a Trajectory, function of time, or numbers."""
    count = len(axes)
    if isinstance(source, Trajectory):
        if source.count != count:
            raise InputError(f"{caller}: the force has {source.count} entries; give {count} ({listed_names(axes)}).")
        breaks = (0.0, *source.derivative_jumps(orders - 1), source.duration)
        return Reference(lambda t: np.concatenate([source.at(t, k) for k in range(orders)], axis=-1), breaks, source)
    if is_function(source):
        names = ("force", "its rate", "its second derivative")
        return Reference(function_reference(caller, source, [count] * orders, names), source=source)
    forces = number_array(caller, "force", source)
    if forces.shape not in ((), (count,)):
        raise InputError(
            f"{caller}: force has shape {forces.shape}; give one number, or {count} ({listed_names(axes)})."
        )
    row = np.concatenate([np.broadcast_to(forces, count), np.zeros(count * (orders - 1))])
    return Reference(lambda t: np.tile(row, (len(t), 1)), source=source)


def combine_references(first: Reference, second: Reference) -> Reference:
    """Return two references as one."""

    def reference_at(t: Array) -> Array:
        return np.concatenate([first.at(t), second.at(t)], axis=-1)

    return Reference(reference_at, tuple(sorted({*first.breaks, *second.breaks})))


def gain_per_axis(caller: str, name: str, value: ArrayLike, size: int) -> Gains:
    """Return one number of 0 or more per axis; a single number applies to all."""
    gains = number_array(caller, name, value, least=0.0)
    if gains.shape not in ((), (size,)):
        raise InputError(f"{caller}: {name} has shape {gains.shape}; give one number, or {size}.")
    return tuple(np.broadcast_to(gains, size).tolist())
