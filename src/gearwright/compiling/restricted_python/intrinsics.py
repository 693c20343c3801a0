"""The intrinsics of restricted Python, in plain Python: interpreted source calls them, printers translate them."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, TypeAlias

import numpy as np

from gearwright.arrays import Array

Floats: TypeAlias = Array
"""A flat array of floats."""

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
"""A flat array of whole numbers."""

Code: TypeAlias = Callable[[Any], int]
"""A kernel, or a function that machine code calls back."""

Table: TypeAlias = Any
"""The argument table of a kernel: the addresses of its inputs and its results."""

__all__ = ["Code", "Floats", "Ints", "Table", "array_tail", "invoke_callback", "run_kernel", "sqrt"]


def array_tail(array: Any, first: int) -> Any:
    """The array from an index on."""
    return array[first:]


def run_kernel(code: Code, table: Table) -> int:
    """Run a kernel for one state; 0 on success."""
    return code(table)


def invoke_callback(code: Code, t: float) -> int:
    """Call back at a time; 0 on success."""
    return code(t)
