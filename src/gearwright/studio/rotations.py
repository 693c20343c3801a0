"""Rotations as the page wants them: quaternions (w, x, y, z)."""

from __future__ import annotations

import numpy as np

from gearwright.arrays import Array


def quaternion(rotation: Array) -> Array:
    """A rotation (3, 3) as a unit quaternion (w, x, y, z).

    >>> quaternion(np.diag([1.0, -1.0, -1.0]))
    array([0., 1., 0., 0.])
    """
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(rotation).as_quat(scalar_first=True))


def matrix(wxyz: Array) -> Array:
    """A quaternion (w, x, y, z) as a rotation (3, 3).

    >>> matrix(np.array([0.0, 1.0, 0.0, 0.0])).diagonal()
    array([ 1., -1., -1.])
    """
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_quat(wxyz, scalar_first=True).as_matrix())
