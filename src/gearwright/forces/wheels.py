"""The torque that accelerates wheels before a gear, as an affine function of the accelerations."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Scalar
from gearwright.forces.law import Situation
from gearwright.mechanism import Spin


def axial_torque(situation: Situation, spins: Sequence[Spin], per: Scalar) -> tuple[list[Scalar], Scalar]:
    r"""Row and offset of the torque that turns wheels: sum of $(J (b \cdot a) + J_c (h \cdot a + \dot h \cdot v))$.

    The torque is taken along the line of which the wheels' rows are multiples; `per` is the factor of that line at the
    speed that the wheels share, so that each wheel counts with its own ratio to the line.

    Returns:
        (row over all speeds, offset), so that torque = row . a + offset.
    """
    return turning_torque(situation, [(spin, spin.terms[0][1] / per) for spin in spins])


def turning_torque(situation: Situation, wheels: Sequence[tuple[Spin, Scalar]]) -> tuple[list[Scalar], Scalar]:
    """Row and offset of the torque that turns wheels, each given with its turns per turn of what the torque acts on."""
    row: list[Scalar] = [0.0] * situation.mech.n
    offset: Scalar = 0.0
    for spin, weight in wheels:
        for index, b in spin.terms:
            row[index] = row[index] + weight * spin.inertia * b
        carried, drift = situation.scene.turning(spin)
        felt = weight * spin.coupled
        for index, h in carried:
            row[index] = row[index] + felt * h
        offset = offset + felt * drift
    return row, offset
