"""Arrays as every room holds them: float64, real numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.errors import InputError

Array = NDArray[np.float64]


def as_floats(function: str, name: str, value: ArrayLike) -> Array:
    """A float64 array of real numbers, or an error that names the function and the argument.

    >>> as_floats("gravity", "q", [0, 1])
    array([0., 1.])
    """
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise InputError(f"{function}: {name} is not an array of numbers. Give nested lists of equal length.") from None
    if array.dtype.kind not in "fiu":
        raise InputError(
            f"{function}: {name} has dtype {array.dtype}; it must hold real numbers (float64). Convert it first."
        )
    return array.astype(np.float64, copy=False)
