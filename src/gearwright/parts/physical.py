"""What a rigid body's tensor must obey, as sentences that say what is wrong; files and machines ask the same ones."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gearwright.algebra import Scalar, Tensor, Vec

TOLERANCE = 1e-6
"""Relative slack of the physical rules: files carry rounded numbers."""
NO_MEMBER = 1e-15
"""Moments below this are those of no body [kg m2]: rounding may give them any sign."""


def unphysical(inertia: Tensor) -> str | None:
    """What is wrong with a tensor about the centre of mass, or None.

    >>> unphysical(Tensor.diagonal(1.0, 1.0, 3.0))
    'principal moments 1, 1, 3 kg m2 violate the triangle inequality: 1 + 1 < 3.'
    """
    low, mid, high = (float(x) for x in np.linalg.eigvalsh(inertia.rows()))
    if low < -TOLERANCE * abs(high) - NO_MEMBER:
        return f"principal moment {low:.6g} kg m2 is negative."
    if low + mid < high * (1 - TOLERANCE) - NO_MEMBER:
        return (
            f"principal moments {low:.6g}, {mid:.6g}, {high:.6g} kg m2 violate the triangle inequality: "
            f"{low:.6g} + {mid:.6g} < {high:.6g}."
        )
    return None


def overdrawn(inertia: Tensor, wheels: Iterable[tuple[Vec, Scalar, Scalar]]) -> float | None:
    """The negative principal moment of a carrier's central tensor less sum (Jc^2/J) e e', or None when there is none.

    `wheels` are (axis, J, Jc). A body that contains its wheels at rest is never overdrawn.

    >>> overdrawn(Tensor.diagonal(1.0, 1.0, 1.0), [(Vec(0, 0, 1), 1.5, 1.5)])
    -0.5
    """
    rest = np.array(inertia.rows(), dtype=float)
    scale = max(float(np.abs(rest).max()), 1e-300)
    for e, J, Jc in wheels:
        if J:
            rest -= np.array(Tensor.dyad(e, Jc * Jc / J).rows(), dtype=float)
    low = float(np.linalg.eigvalsh(rest).min())
    return low if low < -TOLERANCE * scale else None
