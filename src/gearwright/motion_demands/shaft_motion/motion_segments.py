"""Smooth parts of the motion of a whole machine, of which some shafts are not known yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array


@dataclass(frozen=True)
class Part:
    """A smooth part of the motion of the whole machine, as far as it is known.

    Args:
        t: times (T,).
        values: coordinates, speeds and accelerations, (T, 3, n); zero for shafts that are not known yet.
        law_forces: generalized forces of laws at the joints at times, (T,) -> (T, n).
        settling: those of the times at which a shaft settles after a bend.
    """

    t: Array
    values: Array
    law_forces: Callable[[Array], Array]
    settling: Array = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def curve(self) -> Any:
        """Polynomials between the times that meet all three."""
        from scipy.interpolate import BPoly, PPoly

        return PPoly.from_bernstein_basis(BPoly.from_derivatives(self.t, self.values))

    def at(self, t: Array) -> Array:
        """Coordinates, speeds and accelerations at times, (T, 3, n)."""
        return np.stack([self.curve(t, k) for k in range(3)], axis=1)


class Known(NamedTuple):
    """What is known at a time (or at times) before the shaft is: motion, and R with its rate."""

    t: Scalar
    q: Sequence[Scalar]
    v: Sequence[Scalar]
    a: Sequence[Scalar]
    rest: Scalar
    rest_rate: Scalar
    ops: Operations
