"""The torque that accelerates wheels before a gear, as an affine function of the accelerations."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import ZERO, Scalar
from gearwright.dynamics.kinematics import Acceleration, BaseMotion, accelerations
from gearwright.dynamics.mass_matrix import axial_rates
from gearwright.forces.law import Situation
from gearwright.mechanism import BASE, Spin


def axial_torque(situation: Situation, spins: Sequence[Spin], per: Scalar) -> tuple[list[Scalar], Scalar]:
    r"""Row and offset of the torque that turns wheels: sum of $(J (b \cdot a) + J_c (h \cdot a + \dot h \cdot v))$.

    The torque is taken along the line of which the wheels' rows are multiples; `per` is the factor of that line at the
    speed that the wheels share, so that each wheel counts with its own ratio to the line.

    Returns:
        (row over all speeds, offset), so that torque = row . a + offset.
    """
    mech = situation.mech
    row: list[Scalar] = [0.0] * mech.n
    offset: Scalar = 0.0
    carried = [spin for spin in spins if spin.carrier != BASE]
    still = _coasting(situation) if carried else []
    for spin in spins:
        weight = spin.terms[0][1] / per
        for index, b in spin.terms:
            row[index] = row[index] + weight * spin.inertia * b
        if spin.carrier == BASE:
            continue
        for index, h in axial_rates(situation.pose, spin).items():
            row[index] = row[index] + weight * spin.coupled * h
        offset = offset + weight * spin.coupled * spin.axis.dot(still[int(spin.carrier)].alpha)
    return row, offset


def _coasting(situation: Situation) -> list[Acceleration]:
    """Accelerations of all bodies for a = 0 without gravity: what speeds alone bring."""
    nothing = [0.0] * situation.mech.n
    return list(accelerations(situation.pose, situation.v, nothing, Acceleration.of_base(ZERO, BaseMotion())))
