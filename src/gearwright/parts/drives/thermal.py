"""Thermal model of a motor: winding, housing, ambient air."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.parts.checks import require_at_least

COPPER_TEMPERATURE_COEFFICIENT = 0.0039
"""Temperature coefficient of the resistance of copper [1/K], as motor data sheets use it."""
ZERO_CELSIUS = 273.15
"""[K]."""
MIN_MOTOR_TEMPERATURE = 100.0
"""Lowest plausible temperature of a motor [K]; a lower number was probably given in degrees Celsius."""
TEMPERATURE_FIELDS = ("ambient", "reference", "max_temperature")
"""Fields of `Heat` and `Lubricant` that are temperatures [K]; files state them in degrees Celsius."""


def require_kelvin(owner: str, **temperatures: Scalar | None) -> None:
    """Raise an error for a temperature that was probably given in degrees Celsius."""
    for word, value in temperatures.items():
        if value is None or not is_number(value):
            continue
        if not isfinite(value):
            raise DriveError(f"{owner}: {word}={value} must be a finite temperature [K]. Give one such as 298.15.")
        if value < MIN_MOTOR_TEMPERATURE:
            raise DriveError(
                f"{owner}: {word} {value} K is below the operating range of any motor. Temperatures are in kelvin in "
                f"Python: add {ZERO_CELSIUS}. In a file a plain number is in degrees Celsius."
            )


@check_arguments
@dataclass(frozen=True)
class Heat:
    r"""Thermal network of two heat capacities, winding and housing, with the resistances between them and to the air.

    $C_w \dot T_w = P - (T_w - T_h) / R_{wh}$,

    $C_h \dot T_h = (T_w - T_h) / R_{wh} - (T_h - T_a) / R_{ha}$,

    with the Joule heat P of the winding, whose resistance is $R (1 + \alpha (T_w - T_0))$; the magnet's share of the
    torque constant is $1 + \beta (T_h - T_0)$.

    Args:
        winding_housing: thermal resistance from winding to housing [K/W].
        housing_ambient: thermal resistance from housing to the air [K/W].
        winding_capacity: [J/K]. A data sheet's thermal time constant of the winding is winding_housing times it.
        housing_capacity: [J/K]; the time constant of the motor is housing_ambient times it. None: no heat capacity of
            the housing; both resistances are in series between winding and air (one-body model).
        ambient: temperature of the air [K].
        reference: temperature at which resistance and torque constant are stated [K].
        copper: temperature coefficient $\alpha$ of the resistance [1/K].
        magnet: temperature coefficient $\beta$ of the torque constant [1/K], negative: about -0.002 for ferrite,
            -0.001 for neodymium, -0.0004 for samarium-cobalt magnets.
        max_temperature: of the winding [K].

    >>> Heat(1.7, 6.0, 9.5, 119.0).winding_time_constant
    16.15
    """

    winding_housing: Scalar
    housing_ambient: Scalar = 0.0
    winding_capacity: Scalar = 0.0
    housing_capacity: Scalar | None = None
    ambient: Scalar = 298.15
    reference: Scalar = 298.15
    copper: Scalar = COPPER_TEMPERATURE_COEFFICIENT
    magnet: Scalar = 0.0
    max_temperature: Scalar | None = None

    def __post_init__(self) -> None:
        require_at_least("heat", 0.0, housing_ambient=self.housing_ambient, copper=self.copper)
        words = ("winding_housing", "winding_capacity", "housing_capacity")
        require_at_least("heat", 0.0, above=True, **{word: getattr(self, word) for word in words})
        require_kelvin("heat", **{word: getattr(self, word) for word in TEMPERATURE_FIELDS})
        if is_number(self.magnet) and not -0.01 <= self.magnet <= 0:
            raise DriveError(
                f"heat: magnet {self.magnet} 1/K is outside the range of magnets, which weaken by less than 1 % per "
                f"kelvin. Give a number from -0.01 to 0, such as -0.001."
            )
        if self.housing_capacity is not None and is_zero(self.housing_ambient):
            raise DriveError(
                "heat: a housing with a capacity needs a housing_ambient resistance above 0. Give it, or leave the "
                "capacity out for a one-body model."
            )

    @property
    def winding_time_constant(self) -> Scalar:
        """Thermal time constant of the winding against its housing [s]."""
        return self.winding_housing * self.winding_capacity

    @property
    def housing_time_constant(self) -> Scalar | None:
        """Thermal time constant of the housing against the air [s]."""
        return None if self.housing_capacity is None else self.housing_ambient * self.housing_capacity
