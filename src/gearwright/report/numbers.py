"""Numbers of the report as engineers write them: four digits, separated thousands, units with a prefix."""

from __future__ import annotations

from math import isfinite

ROUNDING_SIZE = 1e-18
"""Smaller magnitudes, in SI units, are rounding errors and shown as 0."""
SMALLEST_SEPARATED, LARGEST_SEPARATED = 1e4, 1e9
"""Range of magnitudes, in their unit, that are written out with separated thousands: 20,000 h."""
SMALLEST_WRITTEN_OUT = 1e-4
"""Smaller magnitudes, in their unit, are written with a power of ten."""
MILLI_BELOW, KILO_FROM = 0.1, 1e4
"""Magnitudes, in their unit, from which units have a prefix."""
MILLI_UNITS = {"Nm": "mNm", "N": "mN", "W": "mW", "J": "mJ", "A": "mA", "V": "mV", "m": "mm", "m/s": "mm/s"}
KILO_UNITS = {"N": "kN", "W": "kW", "J": "kJ", "Nm": "kNm"}
EXPONENT_DIGITS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number_text(value: float) -> str:
    """Return a number with four digits, thousands separated; rounding errors of zero are shown as 0.

    >>> number_text(20000.0), number_text(0.012345), number_text(9.9996), number_text(-2.5e-7)
    ('20,000', '0.01235', '10', '-2.5·10⁻⁷')
    """
    if not isfinite(value):
        return "∞"
    if abs(value) <= ROUNDING_SIZE:
        return "0"
    if SMALLEST_SEPARATED <= abs(value) < LARGEST_SEPARATED:
        return f"{float(f'{value:.4g}'):,.0f}"
    if SMALLEST_WRITTEN_OUT <= abs(value) < SMALLEST_SEPARATED:
        return f"{float(f'{value:.4g}'):.10f}".rstrip("0").rstrip(".")
    digits, _, power = f"{value:.3e}".partition("e")
    return f"{digits.rstrip('0').rstrip('.')}·10{str(int(power)).translate(EXPONENT_DIGITS)}"


def readable_unit(unit: str, size: float) -> tuple[str, float]:
    """Return a unit in which a magnitude is easy to read, and the factor to convert to it.

    >>> readable_unit("Nm", 0.0042), readable_unit("Pa", 3.1e7), readable_unit("J", 4.2e5), readable_unit("h", 2e4)
    (('mNm', 1000.0), ('MPa', 1e-06), ('kJ', 0.001), ('h', 1.0))
    """
    if unit == "Pa":
        return "MPa", 1e-6
    if ROUNDING_SIZE < abs(size) < MILLI_BELOW and unit in MILLI_UNITS:
        return MILLI_UNITS[unit], 1e3
    if isfinite(size) and abs(size) >= KILO_FROM and unit in KILO_UNITS:
        return KILO_UNITS[unit], 1e-3
    return unit, 1.0


def quantity_text(value: float, unit: str) -> str:
    """Return a number with a readable unit.

    >>> quantity_text(20000.0, "h"), quantity_text(0.0002889, "Nm"), quantity_text(12.5, "")
    ('20,000 h', '0.2889 mNm', '12.5')
    """
    shown, factor = readable_unit(unit, value)
    return f"{number_text(factor * value)} {shown}".rstrip()


def margin_text(margin: float) -> str:
    """Return a margin in per cent; "all" of an unlimited one, "none" without any.

    >>> margin_text(0.216), margin_text(-0.006), margin_text(float("inf"))
    ('22 %', '-0.6 %', 'all')
    """
    if not isfinite(margin):
        return "all" if margin > 0 else "none"
    percent = 100 * margin
    return f"{percent:.0f} %" if abs(percent) >= 1 or not percent else f"{percent:.1f} %"
