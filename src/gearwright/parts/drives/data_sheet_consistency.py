"""Consistency of the numbers of one data sheet: finds misread units and printing errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from gearwright.parts.drives.data_sheets import GearboxSheet, MotorSheet
from gearwright.text import visible_text

DATA_SHEET_TOLERANCE = 0.03
"""Relative tolerance: data sheets are rounded, and constants are those of a cold motor."""
EXPLANATION_NOTE = "as printed"
"""Text in the note of a sheet that marks a contradiction as the manufacturer's own."""
ASCENDING_FIELDS = {
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
"""Groups of fields whose values must not decrease in this order."""


class _SheetIdentity(NamedTuple):
    words: tuple[str, ...]
    """The compared fields: the first against the value implied by the others."""
    rule: str
    deviation: Callable[..., float]
    """The relative deviation of their values."""


def _nominal_torque_deviation(torque: float, constant: float, current: float, no_load: float) -> float:
    """The deviation outside the range allowed by friction, which takes between zero and the no-load current."""
    most, least = constant * current / torque - 1, constant * (current - no_load) / torque - 1
    return min(most, 0.0) + max(least, 0.0)


MOTOR_IDENTITIES = {
    "kt_kn": _SheetIdentity(("speed_constant", "torque_constant"), "k_t k_n and 1", lambda n, k: k * n - 1),
    "stall": _SheetIdentity(
        ("stall_torque", "torque_constant", "voltage", "resistance"),
        "the stall torque and k_t V / R",
        lambda torque, k, u, r: torque * r / (k * u) - 1,
    ),
    "tau_m": _SheetIdentity(
        ("mechanical_time_constant", "resistance", "inertia", "torque_constant"),
        "tau_m and R inertia / k_t^2",
        lambda tau, r, j, k: tau * k * k / (r * j) - 1 if r * j else 0.0,
    ),
    "no_load": _SheetIdentity(
        ("no_load_speed", "torque_constant", "voltage", "resistance", "no_load_current"),
        "V and k_t omega_nl + R I_nl",
        lambda speed, k, u, r, i: (k * speed + r * i) / u - 1,
    ),
    "nominal": _SheetIdentity(
        ("nominal_torque", "torque_constant", "nominal_current", "no_load_current"),
        "torque_nom and k_t I_nom, or less by k_t I_nl",
        _nominal_torque_deviation,
    ),
}
DEFAULT_SHEET_VALUES = {"no_load_current": 0.0}
"""Values used where a sheet does not print a number that is optional for an identity."""


class DataSheetConflict(NamedTuple):
    """Contradictory numbers of a data sheet."""

    words: tuple[str, ...]
    sentence: str
    excusable: bool
    """Whether manufacturers print such numbers, so that a note may confirm them."""


def identity_deviations(sheet: MotorSheet) -> dict[str, float]:
    r"""Return the relative deviations of printed values from those implied by the others, where comparable.

    - `kt_kn`: $K k_n$ against 1,
    - `stall`: the stall torque against $K V / R$,
    - `tau_m`: the mechanical time constant against $R J / K^2$,
    - `no_load`: $K \omega_0 + R I_0$ against V,
    - `nominal`: the nominal torque against $K I$, minus at most the friction torque of the no-load current.

    >>> sheet = MotorSheet(key="m", voltage=24.0, torque_constant=0.03, resistance=0.3, stall_torque=2.4)
    >>> identity_deviations(sheet)
    {'stall': 0.0}
    """
    by_identity: dict[str, float] = {}
    for name, (words, _, deviation) in MOTOR_IDENTITIES.items():
        printed = [getattr(sheet, word) for word in words]
        values = [DEFAULT_SHEET_VALUES.get(word) if x is None else x for word, x in zip(words, printed, strict=True)]
        if None not in values:
            by_identity[name] = deviation(*values)
    return by_identity


def sheet_conflicts(
    sheet: MotorSheet | GearboxSheet, called: Callable[[str], str] = str
) -> Iterator[DataSheetConflict]:
    """Yield the contradictions within a data sheet.

    Args:
        sheet: the sheet.
        called: returns the user's name of a field, such as that of its table column.
    """
    if isinstance(sheet, MotorSheet):
        for name, deviation in identity_deviations(sheet).items():
            if abs(deviation) > DATA_SHEET_TOLERANCE:
                words, rule, _ = MOTOR_IDENTITIES[name]
                printed = [word for word in words if getattr(sheet, word) is not None]
                numbers = ", ".join(f"{called(word)} {getattr(sheet, word):.6g}" for word in printed)
                yield DataSheetConflict(words, f"{rule}: {deviation:+.1%} apart ({numbers})", True)
    for order in ASCENDING_FIELDS[type(sheet)]:
        stated = [(word, getattr(sheet, word)) for word in order if getattr(sheet, word) is not None]
        for (lower, small), (upper, large) in pairwise(stated):
            if small > large * (1 + DATA_SHEET_TOLERANCE):
                yield DataSheetConflict(
                    (lower, upper), f"{called(lower)} {small:.4g} exceeds {called(upper)} {large:.4g}", False
                )


def is_conflict_explained(sheet: MotorSheet | GearboxSheet, conflict: DataSheetConflict) -> bool:
    """Whether the note of a sheet attributes the contradiction to the manufacturer."""
    return conflict.excusable and EXPLANATION_NOTE in sheet.note


def conflict_sentences(sheet: MotorSheet | GearboxSheet) -> Iterator[str]:
    """Return the contradictions within a data sheet as sentences, including those explained by its `note`."""
    reason = f" (its note: {visible_text(sheet.note)})" if sheet.note else ""
    for conflict in sheet_conflicts(sheet):
        yield conflict.sentence + reason
