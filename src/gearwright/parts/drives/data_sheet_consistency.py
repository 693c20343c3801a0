"""What the numbers of one data sheet imply about each other: misread units and printing errors show here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from gearwright.parts.drives.data_sheets import GearboxSheet, MotorSheet
from gearwright.text import visible

TOLERANCE = 0.03
"""Relative: data sheets round, and constants are those of a cold motor."""
EXPLAINED = "as printed"
"""Words in a sheet's note that say that its numbers are those of the maker, who contradicts himself."""
ORDERS = {
    MotorSheet: (
        ("nominal_torque", "peak_torque"),
        ("nominal_torque", "stall_torque"),
        ("continuous_speed", "peak_speed"),
        ("nominal_speed", "no_load_speed"),
        ("no_load_current", "nominal_current"),
    ),
    GearboxSheet: (
        ("rated_torque", "peak_torque", "momentary_torque"),
        ("rated_input_speed", "peak_input_speed"),
    ),
}
"""Words whose values must not fall, in the order of the words."""


class _Identity(NamedTuple):
    words: tuple[str, ...]
    """What it compares: the first against what the others imply."""
    rule: str
    deviation: Callable[..., float]
    """Of their values, relative."""


def _nominal(torque: float, constant: float, current: float, no_load: float) -> float:
    """Friction takes something between nothing and the current without load: how far it is outside of these two."""
    most, least = constant * current / torque - 1, constant * (current - no_load) / torque - 1
    return min(most, 0.0) + max(least, 0.0)


IDENTITIES = {
    "kt_kn": _Identity(("speed_constant", "torque_constant"), "k_t k_n and 1", lambda n, k: k * n - 1),
    "stall": _Identity(
        ("stall_torque", "torque_constant", "voltage", "resistance"),
        "the stall torque and k_t V / R",
        lambda torque, k, u, r: torque * r / (k * u) - 1,
    ),
    "tau_m": _Identity(
        ("mechanical_time_constant", "resistance", "inertia", "torque_constant"),
        "tau_m and R inertia / k_t^2",
        lambda tau, r, j, k: tau * k * k / (r * j) - 1 if r * j else 0.0,
    ),
    "no_load": _Identity(
        ("no_load_speed", "torque_constant", "voltage", "resistance", "no_load_current"),
        "V and k_t omega_nl + R I_nl",
        lambda speed, k, u, r, i: (k * speed + r * i) / u - 1,
    ),
    "nominal": _Identity(
        ("nominal_torque", "torque_constant", "nominal_current", "no_load_current"),
        "torque_nom and k_t I_nom, or less by k_t I_nl",
        _nominal,
    ),
}
OPTIONAL = {"no_load_current": 0.0}
"""What counts where a sheet does not print a number that an identity can do without."""


class Conflict(NamedTuple):
    """Numbers of a sheet that cannot be right together."""

    words: tuple[str, ...]
    sentence: str
    excusable: bool
    """Whether makers print such numbers: a note may say that it is so."""


def deviations(sheet: MotorSheet) -> dict[str, float]:
    r"""How far printed numbers are from what the others imply, relative; only those that can be compared.

    - `kt_kn`: $K k_n$ against 1,
    - `stall`: the stall torque against $K V / R$,
    - `tau_m`: the mechanical time constant against $R J / K^2$,
    - `no_load`: $K \omega_0 + R I_0$ against V,
    - `nominal`: the nominal torque against $K I$, less at most what the current without load overcomes.

    >>> sheet = MotorSheet(key="m", voltage=24.0, torque_constant=0.03, resistance=0.3, stall_torque=2.4)
    >>> deviations(sheet)
    {'stall': 0.0}
    """
    found: dict[str, float] = {}
    for name, (words, _, deviation) in IDENTITIES.items():
        printed = [getattr(sheet, word) for word in words]
        values = [OPTIONAL.get(word) if x is None else x for word, x in zip(words, printed, strict=True)]
        if None not in values:
            found[name] = deviation(*values)
    return found


def conflicts(sheet: MotorSheet | GearboxSheet, called: Callable[[str], str] = str) -> Iterator[Conflict]:
    """What in a sheet cannot be right together.

    Args:
        sheet: the sheet.
        called: the name under which the reader knows a word: that of its column.
    """
    if isinstance(sheet, MotorSheet):
        for name, deviation in deviations(sheet).items():
            if abs(deviation) > TOLERANCE:
                words, rule, _ = IDENTITIES[name]
                printed = [word for word in words if getattr(sheet, word) is not None]
                numbers = ", ".join(f"{called(word)} {getattr(sheet, word):.6g}" for word in printed)
                yield Conflict(words, f"{rule}: {deviation:+.1%} apart ({numbers})", True)
    for order in ORDERS[type(sheet)]:
        stated = [(word, getattr(sheet, word)) for word in order if getattr(sheet, word) is not None]
        for (lower, small), (upper, large) in pairwise(stated):
            if small > large * (1 + TOLERANCE):
                yield Conflict(
                    (lower, upper), f"{called(lower)} {small:.4g} exceeds {called(upper)} {large:.4g}", False
                )


def explained(sheet: MotorSheet | GearboxSheet, conflict: Conflict) -> bool:
    """Whether a sheet's note says that its maker contradicts himself."""
    return conflict.excusable and EXPLAINED in sheet.note


def contradictions(sheet: MotorSheet | GearboxSheet) -> Iterator[str]:
    """What in a sheet cannot be right together, in sentences; a sheet whose `note` explains itself is still listed."""
    reason = f" (its note: {visible(sheet.note)})" if sheet.note else ""
    for conflict in conflicts(sheet):
        yield conflict.sentence + reason
