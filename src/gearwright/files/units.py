"""Units in files: `90 deg`, `35 gcm2`, `12 mNm/A`. Every field has one dimension, and another one is refused.

Inside Gearwright there are no units: `quantity` turns a text into a number in SI units and radians.
"""

from __future__ import annotations

import math
import re
from typing import Any

from gearwright.files.size_limits import long_number, shortened
from gearwright.parts.drives.thermal import TEMPERATURES, ZERO_CELSIUS
from gearwright.text import did_you_mean

TURN = 2 * math.pi

UNITS: dict[str, dict[str, float]] = {
    "number": {"": 1.0},
    "fraction": {"": 1.0, "%": 0.01},
    "length": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "km": 1e3, "in": 0.0254, "ft": 0.3048},
    "mass": {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "t": 1e3, "lb": 0.45359237, "oz": 0.028349523125},
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0},
    "angle": {"rad": 1.0, "mrad": 1e-3, "deg": TURN / 360, "arcmin": TURN / 21600, "rev": TURN},
    "speed": {"m/s": 1.0, "mm/s": 1e-3, "cm/s": 1e-2, "m/min": 1 / 60, "km/h": 1 / 3.6},
    "angular speed": {"rad/s": 1.0, "deg/s": TURN / 360, "rpm": TURN / 60, "1/min": TURN / 60, "rev/s": TURN},
    "acceleration": {"m/s2": 1.0, "mm/s2": 1e-3, "cm/s2": 1e-2},
    "angular acceleration": {"rad/s2": 1.0, "deg/s2": TURN / 360, "rev/s2": TURN, "rpm/s": TURN / 60},
    "jerk": {"m/s3": 1.0, "mm/s3": 1e-3, "cm/s3": 1e-2},
    "angular jerk": {"rad/s3": 1.0, "deg/s3": TURN / 360, "rev/s3": TURN},
    "force": {"N": 1.0, "mN": 1e-3, "kN": 1e3, "lbf": 4.4482216152605},
    "torque": {
        "Nm": 1.0, "mNm": 1e-3, "uNm": 1e-6, "kNm": 1e3, "Ncm": 1e-2, "Nmm": 1e-3,
        "lbft": 1.3558179483314004, "lbin": 0.1129848290276167, "ozin": 0.007061551814226044,
    },
    "inertia": {
        "kgm2": 1.0, "gm2": 1e-3, "kgcm2": 1e-4, "gcm2": 1e-7, "kgmm2": 1e-6, "gmm2": 1e-9,
        "lbin2": 2.9263965e-4, "ozin2": 1.82899781e-5,
    },
    "stiffness": {"N/m": 1.0, "kN/m": 1e3, "N/mm": 1e3, "N/um": 1e6},
    "angular stiffness": {
        "Nm/rad": 1.0, "mNm/rad": 1e-3, "kNm/rad": 1e3, "MNm/rad": 1e6, "Nm/deg": 360 / TURN, "Nm/mrad": 1e3,
        "Nm/arcmin": 21600 / TURN,
    },
    "hardening": {"N/m3": 1.0, "N/mm3": 1e9},
    "angular hardening": {"Nm/rad3": 1.0, "kNm/rad3": 1e3, "MNm/rad3": 1e6},
    "flexural rigidity": {"Nm2": 1.0, "kNm2": 1e3, "Nmm2": 1e-6},
    "damping": {"Ns/m": 1.0, "kNs/m": 1e3, "Ns/mm": 1e3},
    "angular damping": {"Nms/rad": 1.0, "Nms": 1.0, "mNms/rad": 1e-3, "mNms": 1e-3, "Nm/rpm": 60 / TURN},
    "torque constant": {"Nm/A": 1.0, "mNm/A": 1e-3, "Ncm/A": 1e-2, "Vs/rad": 1.0, "Vs": 1.0},
    "speed constant": {"rad/s/V": 1.0, "rad/Vs": 1.0, "rpm/V": TURN / 60},
    "resistance": {"Ohm": 1.0, "mOhm": 1e-3, "kOhm": 1e3},
    "inductance": {"H": 1.0, "mH": 1e-3, "uH": 1e-6},
    "current": {"A": 1.0, "mA": 1e-3},
    "voltage": {"V": 1.0, "mV": 1e-3, "kV": 1e3},
    "power": {"W": 1.0, "mW": 1e-3, "kW": 1e3},
    "temperature": {"degC": 1.0, "K": 1.0},
    "thermal resistance": {"K/W": 1.0},
    "heat capacity": {"J/K": 1.0, "Ws/K": 1.0, "kJ/K": 1e3},
    "temperature coefficient": {"1/K": 1.0, "%/K": 0.01},
    "current rate": {"A/s": 1.0, "A/ms": 1e3},
    "frequency": {"Hz": 1.0, "kHz": 1e3},
    "bandwidth": {"rad/s": 1.0, "Hz": TURN, "kHz": TURN * 1e3},
    "stress": {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "N/mm2": 1e6},
    "density": {"kg/m3": 1.0, "g/cm3": 1e3, "kg/dm3": 1e3},
    "line density": {"kg/m": 1.0, "g/m": 1e-3},
    "turns per length": {"rad/m": 1.0, "rev/m": TURN, "rad/mm": 1e3, "rev/mm": TURN * 1e3},
    "pitch": {"m/rad": 1.0, "mm/rad": 1e-3, "m/rev": 1 / TURN, "mm/rev": 1e-3 / TURN},
    "lead": {"m/rev": 1.0, "mm/rev": 1e-3, "m": 1.0, "mm": 1e-3},
}  # fmt: skip
"""Per dimension the units that a file may state, each with its value in SI units; the first is that of a plain number.

It is the SI unit itself, except that plain temperatures are in degrees Celsius."""
HOTTEST = 260.0
"""Above the limit of every winding insulation [degrees Celsius]: a larger plain number was meant in kelvin."""

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
SPELLINGS = str.maketrans(
    {" ": None, "*": None, "·": None, "^": None, "(": None, ")": None, "²": "2", "³": "3", "Ω": "O", "µ": "u", "μ": "u"}
)


def quantity(text: str, *dimensions: str) -> float:
    """The SI value of a number with a unit of one of the dimensions.

    >>> quantity("90 deg", "angle"), quantity("35 g cm^2", "inertia"), quantity("12 mNm/A", "torque constant")
    (1.5707963267948966, 3.5e-06, 0.012)

    Raises:
        ValueError: no number, a number without unit, a unit nobody knows, or one of another dimension.
    """
    if (reason := long_number(text)) is not None:
        raise ValueError(reason)
    found = NUMBER.match(text.strip())
    if not found:
        raise ValueError(
            f"{shortened(text)} is not a number. Give a number, or one with a unit such as {_example(dimensions)}."
        )
    if (twisted := _miswritten(text.strip())) is not None:
        raise ValueError(twisted)
    value, unit = float(found[0]), spelled(text.strip()[found.end() :])
    if not unit:
        raise ValueError(f"{shortened(text)} is a text, not a number. Write it without quotes.")
    for dimension in dimensions:
        if unit in UNITS[dimension]:
            return _finite(text, value, unit, UNITS[dimension][unit])
    raise ValueError(_refusal(text, unit, dimensions))


def temperature(value: float) -> float:
    """The temperature [K] that a plain number in a file states, in degrees Celsius.

    >>> temperature(25)
    298.15

    Raises:
        ValueError: hotter than any winding: it was meant in kelvin.
    """
    if value > HOTTEST:
        raise ValueError(
            f"{value:g} degrees Celsius is hotter than any winding bears: a temperature without a unit is in degrees "
            f"Celsius. Write {value:g} K, or {value - ZERO_CELSIUS:.6g}."
        )
    return value + ZERO_CELSIUS


def file_value(field: str, value: Any) -> Any:
    """The value of a field as a file states it: a temperature with its unit, any other value as it is.

    >>> file_value("ambient", 298.15), file_value("ambient", 298.1), file_value("mass", 2.0)
    ('25 degC', '298.1 K', 2.0)
    """
    if field not in TEMPERATURES or not isinstance(value, float):
        return value
    celsius = round(value - ZERO_CELSIUS, 6)
    return f"{celsius:.10g} degC" if float(f"{celsius:.10g}") + ZERO_CELSIUS == value else f"{value!r} K"


def _miswritten(text: str) -> str | None:
    """What is wrong with a number of two parts, `1:100` or `5,2`; None where there is one part."""
    if pair := re.match(rf"({NUMBER.pattern})\s*:\s*({NUMBER.pattern})\s*$", text):
        top, bottom = float(pair[1]), float(pair[2])
        ratio = f": {max(top, bottom) / min(top, bottom):g} for a reduction" if top > 0 and bottom > 0 else ""
        return f"{shortened(text)} is two numbers. Write a ratio as one number, motor speed per joint speed{ratio}."
    if comma := re.match(r"([+-]?\d+),(\d+)", text):
        whole = f", or {comma[1]}{comma[2]} if it parts thousands" if len(comma[2]) == 3 else ""
        return f"{shortened(text)} is written with a comma. Write {comma[1]}.{comma[2]}, with a point{whole}."
    return None


def spelled(unit: str) -> str:
    """A unit in the spelling of the table: without spaces, dots and powers' signs.

    >>> spelled(" kg·m^2"), spelled("Ω"), spelled("N m s/rad")
    ('kgm2', 'Ohm', 'Nms/rad')
    """
    plain = unit.translate(SPELLINGS)
    for other, ours in (
        ("°C", "degC"),
        ("°", "deg"),
        ("ohm", "Ohm"),
        ("Nm/rad/s", "Nms/rad"),
        ("r/min", "rpm"),
        ("min-1", "rpm"),
    ):
        plain = plain.replace(other, ours)
    return plain if not plain.endswith("O") else plain + "hm"


def _finite(text: str, value: float, unit: str, factor: float) -> float:
    # A factor below one divides by its inverse, so that 12 mNm is 0.012 to the last bit.
    inverse = round(1 / factor)
    result = value / inverse if factor < 1 and abs(inverse * factor - 1) < 1e-12 else value * factor
    if unit == "degC":
        result = value + ZERO_CELSIUS
    if not math.isfinite(result):
        raise ValueError(f"{shortened(text)} is not a finite number. Give a finite one.")
    return result


def _refusal(text: str, unit: str, dimensions: tuple[str, ...]) -> str:
    wanted = " or ".join(dimensions)
    units = [u for d in dimensions for u in UNITS[d] if u]
    other = next((name for name, table in UNITS.items() if unit in table), None)
    if other is not None:
        use = f"Use one of {', '.join(units)}." if units else "Write the number alone."
        return f"{shortened(text)} has the unit of {a(other)}, but {a(wanted)} is wanted here. {use}"
    if not units:
        return f"{shortened(text)}: {a(wanted)} has no unit. Write the number alone."
    return f"{shortened(text)}: the unit {unit[:20]!r} is unknown. {did_you_mean(unit, units)}"


def a(name: str) -> str:
    """A name with its article.

    >>> a("length"), a("inertia")
    ('a length', 'an inertia')
    """
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _example(dimensions: tuple[str, ...]) -> str:
    return repr(f"0.5 {next(iter(UNITS[dimensions[0]]))}".strip())
