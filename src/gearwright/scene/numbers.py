"""Vectors and matrices of parts as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.parts.placing import rows


def vector(values: Any) -> Array:
    """Three numbers of any kind as an array, (3,)."""
    return np.array([float(x) for x in values])


def matrix(values: Any) -> Array:
    """Three rows of any kind as an array, (3, 3)."""
    return np.array([[float(x) for x in row] for row in rows(values)])
