"""What depends on parameters: a value with its slopes, as a scalar."""

from __future__ import annotations

from gearwright.algebra.taylor import Series, TaylorOperations


class Varied(Series):
    """A value and its slopes by parameters, [value, Slopes]; both may be Taylor series.

    >>> from gearwright.algebra.slopes import Slopes
    >>> from gearwright.algebra.taylor import Taylor
    >>> mass = Varied([2.0, Slopes({"mass": 1.0})])
    >>> (mass * Taylor([3.0, 4.0])).c[1].by["mass"].c   # d/dmass (mass x) = x
    (3.0, 4.0)
    """

    __slots__ = ()
    rank = 2


class VariedOperations(TaylorOperations):
    """The operations of a backend for what depends on parameters."""

    kind = Varied
