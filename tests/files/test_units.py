"""Units in files: what they are worth, and that a wrong dimension is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gearwright.files.units import UNITS_BY_DIMENSION, parse_quantity

# Values from the definitions of the units.
KNOWN = [
    ("90 deg", "angle", math.pi / 2),
    ("35 gcm2", "inertia", 35e-7),
    ("35 g cm^2", "inertia", 35e-7),
    ("0.3 kg·m²", "inertia", 0.3),
    ("12 mNm/A", "torque constant", 0.012),
    ("0.513 mH", "inductance", 0.513e-3),
    ("3000 rpm", "angular speed", 100 * math.pi),
    ("2.45 Ω", "resistance", 2.45),
    ("2.45 Ohm", "resistance", 2.45),
    ("250 mm", "length", 0.25),
    ("-1.5e2 mm", "length", -0.15),
    (".5 in", "length", 0.0127),
    ("2 lb", "mass", 0.90718474),
    ("12 kNm/rad", "angular stiffness", 12000.0),
    ("1 Nm/deg", "angular stiffness", 180 / math.pi),
    ("3 N m s/rad", "angular damping", 3.0),
    ("3 Nm/(rad/s)", "angular damping", 3.0),
    ("75 %", "fraction", 0.75),
    ("25 °C", "temperature", 298.15),
    ("10 mm/rev", "lead", 0.01),
]


@pytest.mark.parametrize(("text", "dimension", "value"), KNOWN)
def test_worth(text, dimension, value):
    assert parse_quantity(text, dimension) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "dimension", "says"),
    [
        ("5", "length", "'5'"),
        ("five", "length", "'five'"),
        ("5 kg", "length", "'5 kg'.*mass.*length"),
        ("5 mmm", "length", "'mmm'.*'mm'"),
        ("5 Nm", "number", "'5 Nm'.*torque"),
        ("5 foo", "number", "'5 foo'"),
        ("1e999 m", "length", "'1e999 m'"),
        ("nan m", "length", "'nan m'"),
    ],
)
def test_refused(text, dimension, says):
    with pytest.raises(ValueError, match=says):
        parse_quantity(text, dimension)


@given(st.sampled_from(sorted(UNITS_BY_DIMENSION)), st.floats(-1e6, 1e6), st.data())
def test_every_unit_of_the_table_is_read_as_written(dimension, number, data):
    unit = data.draw(st.sampled_from(sorted(UNITS_BY_DIMENSION[dimension])))
    if unit in ("", "degC"):
        return
    found = parse_quantity(f"{number!r} {unit}", dimension)
    assert found == pytest.approx(number * UNITS_BY_DIMENSION[dimension][unit], rel=1e-14, abs=1e-300)


def test_no_unit_has_two_meanings_within_what_one_field_accepts():
    pairs = [("angular stiffness", "stiffness"), ("angular damping", "damping"), ("number", "turns per length")]
    for first, second in pairs:
        assert not set(UNITS_BY_DIMENSION[first]) & set(UNITS_BY_DIMENSION[second])
