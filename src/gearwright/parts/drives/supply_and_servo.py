"""The voltage supply that drives share, with braking resistor and regeneration, and the servo of a motor, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gearwright.algebra import Scalar, is_number
from gearwright.errors import DriveError
from gearwright.parts.checks import require_at_least


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


Range = tuple[float, float]


@dataclass(frozen=True)
class Servo:
    r"""What drives a motor whose input is not its torque: $\tau_m = g u + o - k_p \theta - k_v \dot\theta$.

    Here u is the input, $\theta$ the angle of the motor's shaft (ratio times the joint's coordinate; for a tendon its
    length), $\tau_m$ the motor's torque. A position servo has g = kp, so that u is the angle wanted; a speed servo has
    kp = 0 and g = kv. It is data: no function of the machine uses it, a controller is made from it.

    Args:
        kp: [Nm/rad] at the motor's shaft.
        kv: [Nms/rad] at the motor's shaft.
        gain: g; unless given kp, or kv where kp is 0.
        offset: o [Nm].
        torque: smallest and largest torque of the motor [Nm]; None: unlimited.
        input: smallest and largest input; None: unlimited.
        time_constant: of a filter of first order through which the input passes [s]; 0: none.

    >>> Servo(kp=100.0, kv=5.0).input_gain
    100.0
    """

    kp: float = 0.0
    kv: float = 0.0
    gain: float | None = None
    offset: float = 0.0
    torque: Range | None = None
    input: Range | None = None
    time_constant: float = 0.0

    def __post_init__(self) -> None:
        for word in ("kp", "kv", "gain", "offset", "time_constant"):
            x = getattr(self, word)
            if x is not None and not (is_number(x) and math.isfinite(x)):
                raise DriveError(f"servo: {word} {x!r} is not a finite number. Give a number in SI units.")
        if self.time_constant < 0:
            raise DriveError(f"servo: time_constant {self.time_constant} s is negative. Give 0 or more.")
        for word in ("torque", "input"):
            given = getattr(self, word)
            if given is not None:
                object.__setattr__(self, word, _range(word, given))

    @property
    def input_gain(self) -> float:
        """The gain g of the input."""
        if self.gain is not None:
            return self.gain
        return self.kp if self.kp else self.kv


def _range(word: str, given: object) -> Range:
    try:
        low, high = (float(x) for x in given)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise DriveError(f"servo: {word} {given!r} is not a range. Give (lower, upper).") from None
    if not low <= high:
        raise DriveError(f"servo: {word} ({low}, {high}): the lower end is above the upper one. Swap them.")
    return low, high
