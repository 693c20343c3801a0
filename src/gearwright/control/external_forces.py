"""What acts on a machine from outside, seen in its momentum (De Luca)."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Scalar
from gearwright.control.frame_motion import Rows, times, transposed
from gearwright.dynamics.coriolis import coriolis_matrix
from gearwright.dynamics.forward_dynamics import bias
from gearwright.dynamics.pose import Pose


def residual(mass: Rows, v: Sequence[Scalar], expected: Sequence[Scalar], gain: float) -> list[Scalar]:
    """External forces per speed, r = g (M v - expected momentum)."""
    return [gain * (p - x) for p, x in zip(times(mass, v), expected, strict=True)]


def expected_rates(pose: Pose, v: Sequence[Scalar], tau: Sequence[Scalar], r: Sequence[Scalar]) -> list[Scalar]:
    """How the expected momentum grows, tau + C'v - gravity and springs + r, so that r' = g (external - r)."""
    C = coriolis_matrix(pose, v)
    both = zip(tau, times(C, v), transposed(C, v), bias(pose, v), r, strict=True)
    return [u + (c + ct) - b + x for u, c, ct, b, x in both]
