"""What the numbers of one data sheet imply about each other: misread units and printing errors show here."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gearwright.parts.data_sheets import GearboxSheet, MotorSheet
from gearwright.text import visible

TOLERANCE = 0.03
"""Relative: data sheets round, and constants are those of a cold motor."""


def deviations(sheet: MotorSheet) -> dict[str, float]:
    r"""How far printed numbers are from what the others imply, relative; only those that can be compared.

    - `stall`: $K V / R$ against the stall torque,
    - `no_load`: $K \omega_0 + R I_0$ against V.

    >>> sheet = MotorSheet(key="m", voltage=24.0, torque_constant=0.03, resistance=0.3, stall_torque=2.4)
    >>> deviations(sheet)
    {'stall': 0.0}
    """
    found: dict[str, float] = {}
    constant, resistance, voltage = sheet.torque_constant, sheet.resistance, sheet.voltage
    if constant is None:
        return found
    if resistance and voltage and sheet.stall_torque:
        found["stall"] = constant * voltage / resistance / sheet.stall_torque - 1
    if resistance is not None and voltage and sheet.no_load_speed:
        back = constant * sheet.no_load_speed + resistance * (sheet.no_load_current or 0.0)
        found["no_load"] = back / voltage - 1
    return found


def contradictions(sheet: MotorSheet | GearboxSheet) -> Iterator[str]:
    """What in a sheet cannot be right together, in sentences; a sheet whose `note` explains itself is still listed."""
    if isinstance(sheet, MotorSheet):
        for name, deviation in deviations(sheet).items():
            if abs(deviation) > TOLERANCE:
                yield f"{_RULES[name]}: {deviation:+.1%} apart{_reason(sheet)}"
        yield from _in_order(sheet, "continuous_torque", "peak_torque")
        yield from _in_order(sheet, "continuous_speed", "peak_speed")
    else:
        yield from _in_order(sheet, "rated_torque", "peak_torque", "momentary_torque")
        yield from _in_order(sheet, "rated_input_speed", "peak_input_speed")
        if sheet.efficiency is not None and not 0 < sheet.efficiency <= 1:
            yield f"efficiency {sheet.efficiency:g} is not between 0 and 1"


_RULES = {
    "stall": "the stall torque and k_t V / R",
    "no_load": "V and k_t omega_nl + R I_nl",
}


def _reason(sheet: MotorSheet) -> str:
    return f" (its note: {visible(sheet.note)})" if sheet.note else ""


def _in_order(sheet: MotorSheet | GearboxSheet, *words: str) -> Iterator[str]:
    """Words whose values must not fall."""
    stated = [(word, getattr(sheet, word)) for word in words if getattr(sheet, word) is not None]
    for (lower, small), (upper, large) in pairwise(stated):
        if small > large * (1 + TOLERANCE):
            yield f"{lower} {small:.4g} exceeds {upper} {large:.4g}"
