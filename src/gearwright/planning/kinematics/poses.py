"""Poses that users give: checked, flattened for kernels, and what lies between two of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_floats, number, numbers
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.programs.placement import Placement

ROTATION = 1e-6
"""How far the elements of R R' may be from those of the identity."""
NEXT, LAST = [1, 2, 0], [2, 0, 1]
"""Elements of a vector product; NumPy's own `cross` takes five times as long for one vector."""


class Wanted(NamedTuple):
    """Poses as the kernel takes them: (..., 12) rotations row by row and positions, and the six weights of the task."""

    flat: Array
    task: Array

    @property
    def lead(self) -> tuple[int, ...]:
        """The shape of the batch."""
        return self.flat.shape[:-1]


def wanted(function: str, pose: Any, name: str = "pose") -> Wanted:
    """What is to be reached: (rotation, position), either of them None where it does not matter."""
    try:
        rotation, position = pose
    except (TypeError, ValueError):
        raise InputError(
            f"{function}: {name} must be (rotation, position), as `placement` gives it: (..., 3, 3) and (..., 3). "
            "Put None for one of them if it does not matter."
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
    return Wanted(flat, task)


def checked_rotation(function: str, rotation: Any, title: str = "rotation") -> Array:
    """Rotations (..., 3, 3), or an error that says which one is not."""
    R = as_floats(function, title, rotation)
    if R.shape[-2:] != (3, 3):
        raise InputError(f"{function}: {title} has shape {R.shape}; it must be (..., 3, 3).")
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2))
        x, y, z = R[..., 0, :], R[..., 1, :], R[..., 2, :]
        handed = (z * (x[..., NEXT] * y[..., LAST] - x[..., LAST] * y[..., NEXT])).sum(axis=-1)
    bad = ~(off <= ROTATION) | ~(handed > 0)
    if bad.any():
        where = tuple(int(k) for k in np.argwhere(bad)[0])
        name = f"{title}{list(where)}" if where else title
        how = "mirrors" if off[where] <= ROTATION else f"has R R' off the identity by {off[where]:.3g}"
        raise InputError(
            f"{function}: {name} {how}, so it is not a rotation. Give an orthonormal, right-handed matrix."
        )
    return R


def checked_position(function: str, position: Any, name: str = "position") -> Array:
    """Positions (..., 3), finite."""
    p = as_floats(function, name, position)
    if p.shape[-1:] != (3,) or not np.isfinite(p).all():
        raise InputError(f"{function}: {name} must be finite numbers (..., 3) in metres; it has shape {p.shape}.")
    return p


@check_arguments
def rotation_of(yaw: float, pitch: float, roll: float) -> Array:
    """R = Rz(yaw) Ry(pitch) Rx(roll), (3, 3).

    >>> rotation_of(np.pi / 2, 0.0, 0.0).round(12) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    from scipy.spatial.transform import Rotation

    given = {"yaw": yaw, "pitch": pitch, "roll": roll}
    angles = [number("rotation_of", name, angle, unit="radians") for name, angle in given.items()]
    found: Array = Rotation.from_euler("ZYX", angles).as_matrix()
    return found


def slerp(start: ArrayLike, end: ArrayLike, share: ArrayLike) -> Array:
    """Rotations (..., 3, 3) at shares (...) of the shortest turn from one rotation to another, about one axis.

    >>> half = slerp(np.eye(3), rotation_of(1.0, 0.0, 0.0), np.array(0.5))
    >>> bool(np.allclose(half, rotation_of(0.5, 0.0, 0.0)))
    True
    """
    from scipy.spatial.transform import Rotation

    first, last = (checked_rotation("slerp", R, name) for name, R in (("start", start), ("end", end)))
    turn = rotation_vector(first, last)
    vectors = numbers("slerp", "share", share)[..., None] * turn
    found: Array = Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(*vectors.shape[:-1], 3, 3)
    return found @ first


def rotation_vector(start: Array, end: Array) -> Array:
    """The vector (..., 3), world axes, about which and by how much [rad] one rotation turns into another."""
    from scipy.spatial.transform import Rotation

    turn = end @ np.swapaxes(start, -1, -2)
    found: Array = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_rotvec().reshape(turn.shape[:-1])
    return found


def flat_poses(rotation: Array, position: Array) -> Array:
    """Rotations (T, 3, 3), row by row, and positions (T, 3) as the kernel takes them, (T, 12)."""
    return np.concatenate([rotation.reshape(-1, 9), position], axis=1)


def placed(flat: Array) -> Placement:
    """Rotation and position of flat poses (..., 12)."""
    return Placement(flat[..., :9].reshape(*flat.shape[:-1], 3, 3), flat[..., 9:])
