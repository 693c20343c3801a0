"""The backend table: the operations in addition to + - * / for each scalar type."""

from __future__ import annotations

import math

import numpy as np

from gearwright.algebra.scalar import Operations, Scalar


class Floats:
    """Plain Python numbers: one state at a time."""

    cos = staticmethod(math.cos)
    sin = staticmethod(math.sin)
    sqrt = staticmethod(math.sqrt)
    exp = staticmethod(math.exp)
    log = staticmethod(math.log)
    tanh = staticmethod(math.tanh)
    arctan2 = staticmethod(math.atan2)
    absolute = staticmethod(abs)
    minimum = staticmethod(min)
    maximum = staticmethod(max)

    @staticmethod
    def floor(x: Scalar, /) -> Scalar:
        """The largest integer not above x; values that are not finite are unchanged, as in NumPy."""
        return float(math.floor(x)) if math.isfinite(x) else x

    @staticmethod
    def where(condition: Scalar, yes: Scalar, no: Scalar, /) -> Scalar:
        """`yes` if the condition holds, else `no`."""
        return yes if condition else no


FLOATS: Operations = Floats()
ARRAYS: Operations = np  # NumPy's own names are the table's names
