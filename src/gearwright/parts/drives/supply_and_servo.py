"""What feeds the motors, and takes back what they return."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Scalar, is_number
from gearwright.errors import DriveError
from gearwright.parts.kinds import require_at_least


@dataclass(frozen=True)
class Supply:
    """A source of voltage with a resistance, shared by the drives that name an equal one.

    Args:
        voltage: without load [V].
        resistance: between source and bus [Ohm].
        regenerates: whether current may flow back into the source (a battery, an active rectifier); if not, the bus
            voltage rises until the braking resistor takes the current.
        brake_voltage: bus voltage at which the braking resistor is switched on [V].
        brake_resistance: [Ohm]. The chopper holds the bus at the brake voltage while the resistor can take the current.
        name: what it is called; supplies that are equal, the name included, are one.

    >>> Supply(48.0, 0.1, regenerates=False, brake_voltage=56.0, brake_resistance=4.0).brake_power
    784.0
    """

    voltage: Scalar
    resistance: Scalar = 0.0
    regenerates: bool = True
    brake_voltage: Scalar | None = None
    brake_resistance: Scalar | None = None
    name: str = "supply"

    def __post_init__(self) -> None:
        owner = f"supply {self.name!r}"
        require_at_least(owner, 0.0, above=True, voltage=self.voltage, brake_resistance=self.brake_resistance)
        require_at_least(owner, 0.0, resistance=self.resistance)
        if (self.brake_voltage is None) != (self.brake_resistance is None):
            raise DriveError(f"{owner}: a braking resistor is stated by brake_voltage and brake_resistance. Give both.")
        if not self.regenerates and self.brake_voltage is None:
            raise DriveError(
                f"{owner}: it takes no current back and has no braking resistor, so that a braking motor's current has "
                "no way. Give brake_voltage and brake_resistance, or regenerates: true."
            )
        if is_number(self.brake_voltage) and is_number(self.voltage) and self.brake_voltage <= self.voltage:
            raise DriveError(
                f"{owner}: brake_voltage {self.brake_voltage} V is not above voltage {self.voltage} V: the resistor "
                "would always burn. Raise it."
            )

    @property
    def brake_power(self) -> Scalar | None:
        """What the braking resistor takes at its threshold [W]."""
        if self.brake_voltage is None or self.brake_resistance is None:
            return None
        return self.brake_voltage * self.brake_voltage / self.brake_resistance
