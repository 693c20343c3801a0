"""The wheels before a gear, and the torque that accelerates them as an affine function of the accelerations."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.forces.law import Situation
from gearwright.forces.robot_lines import motor_line
from gearwright.mechanism import Mechanism, Spin


def wheels_before(mech: Mechanism, title: str) -> tuple[Spin, ...]:
    """The wheels of a drive that turn at its motor's own rate, whichever way round: rotor and input of the gear."""
    line = motor_line(mech, title)
    index, rate = line.terms[0]
    turning = {index for index, _ in line.terms}
    own = [spin for spin in mech.spins if spin.name.startswith(f"{title}.")]
    return tuple(
        spin for spin in own if {k for k, _ in spin.terms} == turning and _alike(dict(spin.terms)[index], rate)
    )


def _alike(x: Scalar, y: Scalar) -> bool:
    """Whether two rates have the same size; symbols do where their sum or difference vanishes."""
    x, y = value_of(x), value_of(y)
    if is_number(x) and is_number(y):
        return bool(abs(abs(x) - abs(y)) <= 1e-9 * abs(y))
    return is_zero(x - y) or is_zero(x + y)


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
