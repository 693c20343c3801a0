"""Smooth parts of the motion of a whole machine, with shafts that are still unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.motion.piecewise_polynomials import hermite_interpolant


@dataclass(frozen=True)
class ShaftPart:
    """A smooth part of the motion of the whole machine, with shafts that may still be unknown.

    Args:
        t: times (T,).
        values: coordinates, speeds and accelerations, (T, 3, n); zero for unknown shafts.
        law_forces: generalized forces of laws at the joints at times, (T,) -> (T, n).
        settling_times: those of the times within the transient of a shaft after a branch point.
    """

    t: Array
    values: Array
    law_forces: Callable[[Array], Array]
    settling_times: Array = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def spline(self) -> Any:
        """Polynomials between the times that meet all three."""
        return hermite_interpolant(self.t, list(np.moveaxis(self.values, 1, 0)))

    def motion_at(self, t: Array) -> Array:
        """Coordinates, speeds and accelerations at times, (T, 3, n)."""
        return np.stack([self.spline(t, k) for k in range(3)], axis=1)


class JointState(NamedTuple):
    """Motion of the joints and the required spring torque R with its rate, at a time or at times."""

    t: Scalar
    q: Sequence[Scalar]
    v: Sequence[Scalar]
    a: Sequence[Scalar]
    remaining_force: Scalar
    remaining_force_rate: Scalar
    ops: Operations
