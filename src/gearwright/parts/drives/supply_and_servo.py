"""The voltage supply that drives share, with braking resistor and regeneration, and the servo of a motor, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gearwright.algebra import Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.parts.checks import require_at_least


@check_arguments
@dataclass(frozen=True)
class Supply:
    """A voltage source with an internal resistance, shared by all drives with an equal supply.

    Args:
        voltage: open-circuit voltage [V].
        resistance: between source and bus [Ohm].
        regenerates: whether current may flow back into the source (a battery, an active rectifier); if not, the bus
            voltage rises until the braking resistor takes the current.
        brake_voltage: bus voltage at which the braking resistor is switched on [V].
        brake_resistance: [Ohm]. The chopper holds the bus at the brake voltage while the resistor can take the current.
        name: its name; supplies with equal values and names are one supply.

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
            raise DriveError(f"{owner}: a braking resistor needs both brake_voltage and brake_resistance. Give both.")
        if not self.regenerates and self.brake_voltage is None:
            raise DriveError(
                f"{owner}: it neither regenerates nor has a braking resistor, so the current of a braking motor "
                f"cannot flow. Give brake_voltage and brake_resistance, or regenerates: true."
            )
        if is_number(self.brake_voltage) and is_number(self.voltage) and self.brake_voltage <= self.voltage:
            raise DriveError(
                f"{owner}: brake_voltage {self.brake_voltage} V is not above voltage {self.voltage} V: the braking "
                f"resistor would be on permanently. Raise it."
            )

    @property
    def brake_power(self) -> Scalar | None:
        """Power of the braking resistor at its threshold [W]."""
        if self.brake_voltage is None or self.brake_resistance is None:
            return None
        return self.brake_voltage * self.brake_voltage / self.brake_resistance


ServoRange = tuple[float, float]


@check_arguments
@dataclass(frozen=True)
class Servo:
    r"""Servo of a motor whose input is not its torque: $\tau_m = g u + o - k_p \theta - k_v \dot\theta$.

    Here u is the input, $\theta$ the angle of the motor's shaft (ratio times the joint's coordinate; for a tendon its
    length), $\tau_m$ the motor's torque. A position servo has g = kp, so u is the reference angle; a speed servo has kp
    = 0 and g = kv. These are data for a controller; the dynamics do not use them.

    Args:
        kp: [Nm/rad] at the motor's shaft.
        kv: [Nms/rad] at the motor's shaft.
        gain: g; by default kp, or kv if kp is 0.
        offset: o [Nm].
        torque: smallest and largest torque of the motor [Nm]; None: unlimited.
        input: smallest and largest input; None: unlimited.
        time_constant: of a first-order filter of the input [s]; 0: no filter.

    >>> Servo(kp=100.0, kv=5.0).input_gain
    100.0
    """

    kp: float = 0.0
    kv: float = 0.0
    gain: float | None = None
    offset: float = 0.0
    torque: ServoRange | None = None
    input: ServoRange | None = None
    time_constant: float = 0.0

    def __post_init__(self) -> None:
        for word in ("kp", "kv", "gain", "offset", "time_constant"):
            x = getattr(self, word)
            if x is not None and not (is_number(x) and math.isfinite(x)):
                raise DriveError(f"servo: {word} {x!r} is not a finite number. Give a number in SI units.")
        if self.time_constant < 0:
            raise DriveError(f"servo: time_constant {self.time_constant} s is negative. Give 0 or more.")
        for word in ("torque", "input"):
            value_range = getattr(self, word)
            if value_range is not None:
                object.__setattr__(self, word, _checked_range(word, value_range))

    @property
    def input_gain(self) -> float:
        """The gain g of the input."""
        if self.gain is not None:
            return self.gain
        return self.kp if self.kp else self.kv


def _checked_range(word: str, value_range: object) -> ServoRange:
    try:
        low, high = (float(x) for x in value_range)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise DriveError(f"servo: {word} {value_range!r} is not a range. Give (lower, upper).") from None
    if not low <= high:
        raise DriveError(f"servo: {word} ({low}, {high}): the lower end is above the upper one. Swap them.")
    return low, high
