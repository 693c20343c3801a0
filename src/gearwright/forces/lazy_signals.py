"""Signals of laws that are computed when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from gearwright.algebra import Scalar


class Deferred(Mapping[str, Scalar]):
    """Named values that cost something: rates of motion do not need them, a run asks for them at its samples alone.

    >>> shown = Deferred(lambda: {"pen.z": 0.1})
    >>> shown["pen.z"], list(shown), len(shown)
    (0.1, ['pen.z'], 1)
    """

    def __init__(self, compute: Callable[[], Mapping[str, Scalar]]) -> None:
        self._compute = compute

    @cached_property
    def _found(self) -> Mapping[str, Scalar]:
        return self._compute()

    def __getitem__(self, name: str) -> Scalar:
        """The value of a name."""
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._found)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._found)
