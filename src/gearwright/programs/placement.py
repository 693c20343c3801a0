"""The placement of a body, and other results with several parts."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gearwright.arrays import Array


def split_results(shapes: Mapping[str, tuple[int, ...]], flat: Any) -> Any:
    """The results of a program as its public function returns them, from scalars along the last axis of an array.

    A single array, a `Placement`, or several arrays.
    """
    parts, start = {}, 0
    for name, shape in shapes.items():
        stop = start + prod(shape)
        parts[name], start = flat[..., start:stop].reshape((*flat.shape[:-1], *shape)), stop
    if len(parts) == 1:
        return next(iter(parts.values()))
    return Placement(**parts) if tuple(parts) == Placement._fields else tuple(parts.values())


class Placement(NamedTuple):
    """Rotation (..., 3, 3) and position (..., 3) of a body or frame in the world.

    >>> Placement(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.zeros(3)).yaw_pitch_roll[0]   # a quarter turn
    np.float64(1.5707963267948966)
    """

    rotation: Array
    position: Array

    @property
    def yaw_pitch_roll(self) -> Array:
        """Angles (..., 3) [rad] with R = Rz(yaw) Ry(pitch) Rx(roll); at pitch +-90 deg the roll is set to zero."""
        R = self.rotation
        across = np.hypot(R[..., 0, 0], R[..., 1, 0])
        pitch = np.arctan2(-R[..., 2, 0], across)
        upright = across < 1e-12
        yaw = np.where(upright, np.arctan2(-R[..., 0, 1], R[..., 1, 1]), np.arctan2(R[..., 1, 0], R[..., 0, 0]))
        roll = np.where(upright, 0.0, np.arctan2(R[..., 2, 1], R[..., 2, 2]))
        return np.stack([yaw, pitch, roll], axis=-1)
