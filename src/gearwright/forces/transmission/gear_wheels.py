"""The wheels on the input side of a gear, and the torque that accelerates them as an affine function of a."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.forces.robot_lines import motor_line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism, Spin


def input_wheels(mech: Mechanism, title: str) -> tuple[Spin, ...]:
    """The wheels of a drive that turn at its motor's speed in either direction: rotor and input of the gear."""
    line = motor_line(mech, title)
    index, rate = line.terms[0]
    speed_indices = {index for index, _ in line.terms}
    drive_spins = [spin for spin in mech.spins if spin.name.startswith(f"{title}.")]
    return tuple(
        spin
        for spin in drive_spins
        if {k for k, _ in spin.terms} == speed_indices and _same_size(dict(spin.terms)[index], rate)
    )


def _same_size(x: Scalar, y: Scalar) -> bool:
    """Whether two rates have the same magnitude; symbols do if their sum or difference vanishes."""
    x, y = primal_value(x), primal_value(y)
    if is_number(x) and is_number(y):
        return bool(abs(abs(x) - abs(y)) <= 1e-9 * abs(y))
    return is_zero(x - y) or is_zero(x + y)


def axial_torque(kinematics: SharedKinematics, spins: Sequence[Spin], per: Scalar) -> tuple[list[Scalar], Scalar]:
    r"""Row and offset of the torque that turns wheels: sum of $(J (b \cdot a) + J_c (h \cdot a + \dot h \cdot v))$.

    The torque is along the line of which the wheels' rows are multiples; `per` is the factor of that line at the common
    speed of the wheels, so each wheel enters with its own ratio to the line.

    Returns:
        (row over all speeds, offset) with torque = row . a + offset.
    """
    return turning_torque(kinematics, [(spin, spin.terms[0][1] / per) for spin in spins])


def turning_torque(kinematics: SharedKinematics, wheels: Sequence[tuple[Spin, Scalar]]) -> tuple[list[Scalar], Scalar]:
    """Row and offset of the torque that accelerates wheels, each given with its ratio to the line of the torque."""
    row: list[Scalar] = [0.0] * kinematics.mech.n
    offset: Scalar = 0.0
    for spin, weight in wheels:
        for index, b in spin.terms:
            row[index] = row[index] + weight * spin.inertia * b
        carrier_terms, drift = kinematics.carrier_rotation(spin)
        coupling = weight * spin.coupling_inertia
        for index, h in carrier_terms:
            row[index] = row[index] + coupling * h
        offset = offset + coupling * drift
    return row, offset
