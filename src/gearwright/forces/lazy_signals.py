"""Signals of laws that are computed on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from gearwright.algebra import Scalar


class LazySignals(Mapping[str, Scalar]):
    """Named values that are computed on demand: a run needs them at its samples only.

    >>> shown = LazySignals(lambda: {"pen.z": 0.1})
    >>> shown["pen.z"], list(shown), len(shown)
    (0.1, ['pen.z'], 1)
    """

    def __init__(self, compute: Callable[[], Mapping[str, Scalar]]) -> None:
        self._compute = compute

    @cached_property
    def _signal_values(self) -> Mapping[str, Scalar]:
        return self._compute()

    def __getitem__(self, name: str) -> Scalar:
        """The value of a name."""
        return self._signal_values[name]

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._signal_values)

    def __len__(self) -> int:
        """The number of values."""
        return len(self._signal_values)
