"""The intrinsics of the event loop's source, as plain Python has them.

`compiling.restricted_python.translation` knows them too.
"""

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
"""A kernel, or a function that the loop calls back."""

Table: TypeAlias = Any
"""What a kernel is given: where its inputs and its results are."""

__all__ = ["Code", "Floats", "Ints", "Table", "ask", "part", "run", "sqrt"]


def part(array: Any, first: int) -> Any:
    """The array from an entry on."""
    return array[first:]


def run(code: Code, table: Table) -> int:
    """Run a kernel for one state; 0 if all went well."""
    return code(table)


def ask(code: Code, t: float) -> int:
    """Call back at a time; 0 if all went well."""
    return code(t)
