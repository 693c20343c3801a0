"""A servo: the position or speed controller that a file states for a motor, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gearwright.algebra import is_number
from gearwright.errors import DriveError

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
