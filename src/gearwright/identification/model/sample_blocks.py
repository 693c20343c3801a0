"""The columns of many equations, a block of samples at a time: a regressor of a long log never exists as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.arrays import Array

BLOCK = 400_000
"""Numbers in a block (3 MB)."""

KEPT = 4_000_000
"""Columns of no more numbers than this (32 MB) are computed once and kept; longer ones again at every pass."""


@dataclass(frozen=True)
class Blocks:
    """Columns Y (T, n, P), made when they are needed.

    Args:
        shape: (T, n, P).
        make: the rows Y[part] of a slice of samples.

    >>> [part for part, _ in as_blocks(np.zeros((3, 2, 100_000)))]
    [slice(0, 2, None), slice(2, 3, None)]
    """

    shape: tuple[int, int, int]
    make: Callable[[slice], Array]

    def __iter__(self) -> Iterator[tuple[slice, Array]]:
        """Slices of the samples with their columns (samples, n, P)."""
        if self.size <= KEPT:
            yield from zip(self.parts, self._kept, strict=True)
        else:
            for part in self.parts:
                yield part, self.make(part)

    @property
    def size(self) -> int:
        """How many numbers there are in all."""
        return int(np.prod(self.shape))

    @cached_property
    def parts(self) -> tuple[slice, ...]:
        """The samples of every block."""
        T, n, P = self.shape
        step = max(BLOCK // max(n * P, 1), 1)
        return tuple(slice(first, min(first + step, T)) for first in range(0, T, step))

    @cached_property
    def _kept(self) -> tuple[Array, ...]:
        return tuple(self.make(part) for part in self.parts)

    def times(self, values: Array) -> Array:
        """Y values, (T, n)."""
        result = np.empty(self.shape[:2])
        for part, Y in self:
            result[part] = Y @ values
        return result


def as_blocks(Y: Array | Blocks) -> Blocks:
    """Columns that exist already, as blocks."""
    return Y if isinstance(Y, Blocks) else Blocks(Y.shape, lambda part: Y[part])
