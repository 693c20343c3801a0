"""Motors: the rotor as a body of revolution, and the data sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gearwright.algebra import ZERO, Scalar, is_number
from gearwright.errors import SpinError


@dataclass(frozen=True)
class Motor:
    """A motor; its stator belongs to the link that carries it.

    Args:
        inertia: axial inertia of the rotor [kg m2], at the motor side as data sheets give it.
        mass: mass of the rotor [kg].
        transverse_inertia: inertia about an axis across, through the centre of mass [kg m2]; half the axial one
            (a thin disc) unless given.
        position: centre of mass of the rotor in the carrying link's frame [m].
        tensor: instead of the two inertias, the full tensor about the centre of mass in the carrier's axes, (3, 3).
        com: centre of mass if it is stated apart from a point `position` on the axis; it must lie on the axis.
        included: the carrying link's numbers contain the rotor already.
        coupling: coupling inertia if it differs from the axial one [kg m2]; 0 when only the reflected inertia is known
            ("armature"): energy, no push on the carrier.
        torque_constant: [Nm/A].
        resistance: [Ohm].
        inductance: [H].
        max_torque: [Nm] at the motor shaft.
        max_speed: [rad/s] of the motor shaft.
        catalogue: name of the catalogue entry it came from.
    """

    inertia: Scalar = 0.0
    mass: Scalar = 0.0
    transverse_inertia: Scalar | None = None
    position: Any = ZERO
    tensor: Any = None
    com: Any = None
    included: bool = False
    coupling: Scalar | None = None
    torque_constant: Scalar | None = None
    resistance: Scalar | None = None
    inductance: Scalar | None = None
    max_torque: Scalar | None = None
    max_speed: Scalar | None = None
    catalogue: str | None = None

    def __post_init__(self) -> None:
        for name in ("inertia", "mass"):
            value = getattr(self, name)
            if is_number(value) and value < 0:
                raise SpinError(f"motor: rotor {name} {value} is negative. Give 0 or more.")
        across = self.transverse_inertia
        if (
            across is not None
            and is_number(across)
            and is_number(self.inertia)
            and self.inertia > 2 * across * (1 + 1e-6)
        ):
            raise SpinError(
                f"motor: axial inertia {self.inertia} is more than twice the transverse inertia {across} kg m2, which "
                "no body can have (a thin disc has exactly twice). Check both numbers, or leave the transverse one out."
            )
