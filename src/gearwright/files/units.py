"""Units in files: `90 deg`, `35 gcm2`, `12 mNm/A`. Every field has one dimension; others are rejected.

Gearwright computes in SI units and radians; `parse_quantity` converts a text to such a number.
"""

from __future__ import annotations

import math
import re
from typing import Any

from gearwright.files.size_limits import number_length_problem, quoted_short
from gearwright.parts.drives.thermal import TEMPERATURE_FIELDS, ZERO_CELSIUS
from gearwright.text import did_you_mean

FULL_TURN = 2 * math.pi
"""A full turn [rad]."""

UNITS_BY_DIMENSION: dict[str, dict[str, float]] = {
    "number": {"": 1.0},
    "fraction": {"": 1.0, "%": 0.01},
    "length": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "km": 1e3, "in": 0.0254, "ft": 0.3048},
    "mass": {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "t": 1e3, "lb": 0.45359237, "oz": 0.028349523125},
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0},
    "angle": {"rad": 1.0, "mrad": 1e-3, "deg": FULL_TURN / 360, "arcmin": FULL_TURN / 21600, "rev": FULL_TURN},
    "speed": {"m/s": 1.0, "mm/s": 1e-3, "cm/s": 1e-2, "m/min": 1 / 60, "km/h": 1 / 3.6},
    "angular speed": {
        "rad/s": 1.0,
        "deg/s": FULL_TURN / 360,
        "rpm": FULL_TURN / 60,
        "1/min": FULL_TURN / 60,
        "rev/s": FULL_TURN,
    },
    "acceleration": {"m/s2": 1.0, "mm/s2": 1e-3, "cm/s2": 1e-2},
    "angular acceleration": {"rad/s2": 1.0, "deg/s2": FULL_TURN / 360, "rev/s2": FULL_TURN, "rpm/s": FULL_TURN / 60},
    "jerk": {"m/s3": 1.0, "mm/s3": 1e-3, "cm/s3": 1e-2},
    "angular jerk": {"rad/s3": 1.0, "deg/s3": FULL_TURN / 360, "rev/s3": FULL_TURN},
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
        "Nm/rad": 1.0, "mNm/rad": 1e-3, "kNm/rad": 1e3, "MNm/rad": 1e6, "Nm/deg": 360 / FULL_TURN, "Nm/mrad": 1e3,
        "Nm/arcmin": 21600 / FULL_TURN,
    },
    "hardening": {"N/m3": 1.0, "N/mm3": 1e9},
    "angular hardening": {"Nm/rad3": 1.0, "kNm/rad3": 1e3, "MNm/rad3": 1e6},
    "flexural rigidity": {"Nm2": 1.0, "kNm2": 1e3, "Nmm2": 1e-6},
    "damping": {"Ns/m": 1.0, "kNs/m": 1e3, "Ns/mm": 1e3},
    "angular damping": {"Nms/rad": 1.0, "Nms": 1.0, "mNms/rad": 1e-3, "mNms": 1e-3, "Nm/rpm": 60 / FULL_TURN},
    "torque constant": {"Nm/A": 1.0, "mNm/A": 1e-3, "Ncm/A": 1e-2, "Vs/rad": 1.0, "Vs": 1.0},
    "speed constant": {"rad/s/V": 1.0, "rad/Vs": 1.0, "rpm/V": FULL_TURN / 60},
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
    "bandwidth": {"rad/s": 1.0, "Hz": FULL_TURN, "kHz": FULL_TURN * 1e3},
    "stress": {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "N/mm2": 1e6},
    "density": {"kg/m3": 1.0, "g/cm3": 1e3, "kg/dm3": 1e3},
    "line density": {"kg/m": 1.0, "g/m": 1e-3},
    "turns per length": {"rad/m": 1.0, "rev/m": FULL_TURN, "rad/mm": 1e3, "rev/mm": FULL_TURN * 1e3},
    "pitch": {"m/rad": 1.0, "mm/rad": 1e-3, "m/rev": 1 / FULL_TURN, "mm/rev": 1e-3 / FULL_TURN},
    "lead": {"m/rev": 1.0, "mm/rev": 1e-3, "m": 1.0, "mm": 1e-3},
}  # fmt: skip
"""The units of each dimension in files, each with its value in SI units; the first is that of a plain number.

It is the SI unit itself, except that plain temperatures are in degrees Celsius."""
MAX_CELSIUS = 260.0
"""Above the limit of every winding insulation [degrees Celsius]; a larger plain number was probably meant in kelvin."""

LONGEST_QUANTITY = 60
"""Characters of a text up to which its unit is kept for another number."""
NUMBER_PATTERN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
UNIT_SPELLINGS = str.maketrans(
    {" ": None, "*": None, "·": None, "^": None, "(": None, ")": None, "²": "2", "³": "3", "Ω": "O", "µ": "u", "μ": "u"}
)


def parse_quantity(text: str, *dimensions: str) -> float:
    """Return the SI value of a number with a unit of one of the dimensions.

    >>> parse_quantity("90 deg", "angle"), parse_quantity("35 g cm^2", "inertia")
    (1.5707963267948966, 3.5e-06)
    >>> parse_quantity("12 mNm/A", "torque constant")
    0.012

    Raises:
        ValueError: no number, a number without unit, an unknown unit, or a unit of another dimension.
    """
    if (reason := number_length_problem(text)) is not None:
        raise ValueError(reason)
    number_match = NUMBER_PATTERN.match(text.strip())
    if not number_match:
        raise ValueError(
            f"{quoted_short(text)} is not a number. Give a number, or a number with a unit such as "
            f"{_example_quantity(dimensions)}."
        )
    if (writing_error := _number_writing_error(text.strip())) is not None:
        raise ValueError(writing_error)
    value, unit = float(number_match[0]), standard_unit(text.strip()[number_match.end() :])
    if not unit:
        raise ValueError(f"{quoted_short(text)} is a text, not a number. Write it without quotes.")
    for dimension in dimensions:
        if unit in UNITS_BY_DIMENSION[dimension]:
            return _finite_si_value(text, value, unit, UNITS_BY_DIMENSION[dimension][unit])
    raise ValueError(_unit_error_text(text, unit, dimensions))


def in_stated_unit(stated: str, present: float, value: float) -> str | None:
    """Return a value with the unit of a text that states another; None if the unit cannot state it exactly.

    Args:
        stated: a number with a unit.
        present: its SI value, which tells apart dimensions with units of one name.
        value: the SI value to be written.

    >>> in_stated_unit("1 kg cm^2", 1e-4, 2.5e-4), in_stated_unit("180 deg/s", 3.141592653589793, 2.0)
    ('2.5 kg cm^2', '114.59155902616465 deg/s')
    >>> in_stated_unit("3", 3.0, 4.0) is None
    True
    """
    number = NUMBER_PATTERN.match(stated.strip())
    if number is None or len(stated) > LONGEST_QUANTITY:
        return None
    unit_text = stated.strip()[number.end() :]
    unit = standard_unit(unit_text)
    for units in UNITS_BY_DIMENSION.values():
        if not unit or unit not in units or unit == "degC":
            continue
        if _finite_si_value(stated, float(number[0]), unit, units[unit]) != present:
            continue
        near = value / units[unit]
        for x in (near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf)):
            for digits in range(6, 18):
                text = f"{x:.{digits}g}"
                if math.isfinite(x) and _finite_si_value(stated, float(text), unit, units[unit]) == value:
                    return f"{text}{unit_text}"
    return None


def kelvin_from_celsius(value: float) -> float:
    """Return the temperature [K] of a plain number in a file, which is in degrees Celsius.

    >>> kelvin_from_celsius(25)
    298.15

    Raises:
        ValueError: above the limit of any winding, so probably meant in kelvin.
    """
    if value > MAX_CELSIUS:
        raise ValueError(
            f"{value:g} degrees Celsius is above the limit of any winding. A temperature without a unit is in degrees "
            f"Celsius. Write {value:g} K, or {value - ZERO_CELSIUS:.6g}."
        )
    return value + ZERO_CELSIUS


def file_value(field: str, value: Any) -> Any:
    """Return the value of a field for a file: a temperature with its unit, any other value unchanged.

    >>> file_value("ambient", 298.15), file_value("ambient", 298.1), file_value("mass", 2.0)
    ('25 degC', '298.1 K', 2.0)
    """
    if field not in TEMPERATURE_FIELDS or not isinstance(value, float):
        return value
    celsius = round(value - ZERO_CELSIUS, 6)
    return f"{celsius:.10g} degC" if float(f"{celsius:.10g}") + ZERO_CELSIUS == value else f"{value!r} K"


def _number_writing_error(text: str) -> str | None:
    """Return the message for a number of two parts, `1:100` or `5,2`; None for a single part."""
    if pair := re.match(rf"({NUMBER_PATTERN.pattern})\s*:\s*({NUMBER_PATTERN.pattern})\s*$", text):
        top, bottom = float(pair[1]), float(pair[2])
        ratio = f": {max(top, bottom) / min(top, bottom):g} for a reduction" if top > 0 and bottom > 0 else ""
        return (
            f"{quoted_short(text)} consists of two numbers. Write a ratio as one number, motor speed / joint "
            f"speed{ratio}."
        )
    if comma := re.match(r"([+-]?\d+),(\d+)", text):
        thousands_text = f", or {comma[1]}{comma[2]} if the comma separates thousands" if len(comma[2]) == 3 else ""
        return f"{quoted_short(text)} has a decimal comma. Write {comma[1]}.{comma[2]} with a point{thousands_text}."
    return None


def standard_unit(unit: str) -> str:
    """Return a unit in the spelling of the table: without spaces, dots and power signs.

    >>> standard_unit(" kg·m^2"), standard_unit("Ω"), standard_unit("N m s/rad")
    ('kgm2', 'Ohm', 'Nms/rad')
    """
    plain = unit.translate(UNIT_SPELLINGS)
    for foreign, standard in (
        ("°C", "degC"),
        ("°", "deg"),
        ("ohm", "Ohm"),
        ("Nm/rad/s", "Nms/rad"),
        ("r/min", "rpm"),
        ("min-1", "rpm"),
    ):
        plain = plain.replace(foreign, standard)
    return plain if not plain.endswith("O") else plain + "hm"


def _finite_si_value(text: str, value: float, unit: str, factor: float) -> float:
    # A factor below one divides by its inverse, so that 12 mNm is exactly 0.012.
    inverse = round(1 / factor)
    result = value / inverse if factor < 1 and abs(inverse * factor - 1) < 1e-12 else value * factor
    if unit == "degC":
        result = value + ZERO_CELSIUS
    if not math.isfinite(result):
        raise ValueError(f"{quoted_short(text)} is not a finite number. Give a finite number.")
    return result


def _unit_error_text(text: str, unit: str, dimensions: tuple[str, ...]) -> str:
    dimension_text = " or ".join(dimensions)
    units = [u for d in dimensions for u in UNITS_BY_DIMENSION[d] if u]
    other_dimension = next((name for name, table in UNITS_BY_DIMENSION.items() if unit in table), None)
    if other_dimension is not None:
        use = f"Use one of {', '.join(units)}." if units else "Write the number alone."
        return (
            f"{quoted_short(text)} has the unit of {with_article(other_dimension)}, but this field is "
            f"{with_article(dimension_text)}. {use}"
        )
    if not units:
        return f"{quoted_short(text)}: {with_article(dimension_text)} has no unit. Write the number only."
    return f"{quoted_short(text)}: the unit {unit[:20]!r} is unknown. {did_you_mean(unit, units)}"


def with_article(name: str) -> str:
    """Return a name with its indefinite article.

    >>> with_article("length"), with_article("inertia")
    ('a length', 'an inertia')
    """
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _example_quantity(dimensions: tuple[str, ...]) -> str:
    return repr(f"0.5 {next(iter(UNITS_BY_DIMENSION[dimensions[0]]))}".strip())
