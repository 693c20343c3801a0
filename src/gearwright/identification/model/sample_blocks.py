"""The columns of many equations in blocks of samples, without the whole regressor of a long log in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.arrays import Array

NUMBERS_PER_BLOCK = 400_000
"""Numbers per block (3 MB)."""

MAX_CACHED_NUMBERS = 4_000_000
"""Largest number of stored values (32 MB); larger regressors are computed again in every pass."""


@dataclass(frozen=True)
class SampleBlocks:
    """Columns Y (T, n, P), computed on demand.

    Args:
        shape: (T, n, P).
        make_block: function that returns the rows Y[part] of a slice of samples.

    >>> [part for part, _ in as_blocks(np.zeros((3, 2, 100_000)))]
    [slice(0, 2, None), slice(2, 3, None)]
    """

    shape: tuple[int, int, int]
    make_block: Callable[[slice], Array]

    def __iter__(self) -> Iterator[tuple[slice, Array]]:
        """Slices of the samples with their columns (samples, n, P)."""
        if self.size <= MAX_CACHED_NUMBERS:
            yield from zip(self.block_slices, self._cached_blocks, strict=True)
        else:
            for part in self.block_slices:
                yield part, self.make_block(part)

    @property
    def size(self) -> int:
        """Total number of values."""
        return int(np.prod(self.shape))

    @cached_property
    def block_slices(self) -> tuple[slice, ...]:
        """The samples of every block."""
        T, n, P = self.shape
        step = max(NUMBERS_PER_BLOCK // max(n * P, 1), 1)
        return tuple(slice(first, min(first + step, T)) for first in range(0, T, step))

    @cached_property
    def _cached_blocks(self) -> tuple[Array, ...]:
        return tuple(self.make_block(part) for part in self.block_slices)

    def multiply(self, values: Array) -> Array:
        """Y values, (T, n)."""
        result = np.empty(self.shape[:2])
        for part, Y in self:
            result[part] = Y @ values
        return result


def as_blocks(Y: Array | SampleBlocks) -> SampleBlocks:
    """Blocks of existing columns."""
    return Y if isinstance(Y, SampleBlocks) else SampleBlocks(Y.shape, lambda part: Y[part])
