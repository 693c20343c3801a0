"""Poses: checks, flat form for kernels, and interpolation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, number_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.programs.placement import Placement

ORTHONORMALITY_TOLERANCE = 1e-6
"""Largest deviation of the elements of R R' from the identity, relative to 1."""
NEXT_AXES, LAST_AXES = [1, 2, 0], [2, 0, 1]
"""Indices of a cross product; `numpy.cross` takes five times as long for one vector."""


class TargetPoses(NamedTuple):
    """Desired poses for the kernel: (..., 12) rotations row by row and positions, and the six weights of the task."""

    flat: Array
    task: Array

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the batch."""
        return self.flat.shape[:-1]


def target_poses(function: str, pose: Any, name: str = "pose") -> TargetPoses:
    """Return the desired pose of (rotation, position), either of them None if it is free."""
    try:
        rotation, position = pose
    except (TypeError, ValueError):
        raise InputError(
            f"{function}: {name} must be (rotation, position), as from `placement`: (..., 3, 3) and (..., 3). "
            "Give None for a free one."
        ) from None
    if rotation is None and position is None:
        raise InputError(f"{function}: {name} has neither rotation nor position. Give one of them.")
    R = np.eye(3) if rotation is None else checked_rotation(function, rotation, f"{name} rotation")
    p = np.zeros(3) if position is None else checked_position(function, position, f"{name} position")
    task = np.repeat([position is not None, rotation is not None], 3).astype(float)
    try:
        lead = np.broadcast_shapes(R.shape[:-2], p.shape[:-1])
    except ValueError:
        raise InputError(
            f"{function}: rotations {R.shape} and positions {p.shape} do not broadcast. Make their leading axes equal."
        ) from None
    flat = np.empty((*lead, 12))
    flat[..., :9], flat[..., 9:] = R.reshape(*R.shape[:-2], 9), p
    return TargetPoses(flat, task)


def checked_rotation(function: str, rotation: Any, title: str = "rotation") -> Array:
    """Return rotations (..., 3, 3); the error names the first invalid one."""
    R = as_float_array(function, title, rotation)
    if R.shape[-2:] != (3, 3):
        raise InputError(f"{function}: {title} has shape {R.shape}; it must be (..., 3, 3).")
    with np.errstate(invalid="ignore", over="ignore"):
        deviation = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2))
        x, y, z = R[..., 0, :], R[..., 1, :], R[..., 2, :]
        orientation = (z * (x[..., NEXT_AXES] * y[..., LAST_AXES] - x[..., LAST_AXES] * y[..., NEXT_AXES])).sum(axis=-1)
    bad = ~(deviation <= ORTHONORMALITY_TOLERANCE) | ~(orientation > 0)
    if bad.any():
        index = tuple(int(k) for k in np.argwhere(bad)[0])
        name = f"{title}{list(index)}" if index else title
        defect = (
            "mirrors" if deviation[index] <= ORTHONORMALITY_TOLERANCE else f"has R R' - 1 up to {deviation[index]:.3g}"
        )
        raise InputError(
            f"{function}: {name} {defect}, so it is not a rotation. Give an orthonormal, right-handed matrix."
        )
    return R


def checked_position(function: str, position: Any, name: str = "position") -> Array:
    """Return positions (..., 3) if they are finite."""
    p = as_float_array(function, name, position)
    if p.shape[-1:] != (3,) or not np.isfinite(p).all():
        raise InputError(f"{function}: {name} must be finite numbers (..., 3) in metres; it has shape {p.shape}.")
    return p


@check_arguments
def rotation_from_euler(yaw: float, pitch: float, roll: float) -> Array:
    """Return R = Rz(yaw) Ry(pitch) Rx(roll), (3, 3).

    >>> rotation_from_euler(np.pi / 2, 0.0, 0.0).round(12) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    from scipy.spatial.transform import Rotation

    named_angles = {"yaw": yaw, "pitch": pitch, "roll": roll}
    angles = [real_number("rotation_from_euler", name, angle, unit="radians") for name, angle in named_angles.items()]
    rotation: Array = Rotation.from_euler("ZYX", angles).as_matrix()
    return rotation


def slerp(start: ArrayLike, end: ArrayLike, share: ArrayLike) -> Array:
    """Return rotations (..., 3, 3) at fractions (...) of the shortest rotation from one to another, about one axis.

    >>> half = slerp(np.eye(3), rotation_from_euler(1.0, 0.0, 0.0), np.array(0.5))
    >>> bool(np.allclose(half, rotation_from_euler(0.5, 0.0, 0.0)))
    True
    """
    from scipy.spatial.transform import Rotation

    first, last = (checked_rotation("slerp", R, name) for name, R in (("start", start), ("end", end)))
    turn = rotation_vector(first, last)
    vectors = number_array("slerp", "share", share)[..., None] * turn
    rotations: Array = Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(*vectors.shape[:-1], 3, 3)
    return rotations @ first


def rotation_vector(start: Array, end: Array) -> Array:
    """Return the rotation vector (..., 3) [rad], world axes, from one rotation to another."""
    from scipy.spatial.transform import Rotation

    turn = end @ np.swapaxes(start, -1, -2)
    vectors: Array = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_rotvec().reshape(turn.shape[:-1])
    return vectors


def flat_poses(rotation: Array, position: Array) -> Array:
    """Return rotations (T, 3, 3), row by row, and positions (T, 3) in the form of the kernel, (T, 12)."""
    return np.concatenate([rotation.reshape(-1, 9), position], axis=1)


def unflatten_poses(flat: Array) -> Placement:
    """Return rotation and position of flat poses (..., 12)."""
    return Placement(flat[..., :9].reshape(*flat.shape[:-1], 3, 3), flat[..., 9:])
