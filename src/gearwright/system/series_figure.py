"""What figures show of named series: what moves, what motors do, where the energy is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.plots import Panel, panels_by_unit
from gearwright.text import did_you_mean

WORDS = {"q": "position", "v": "speed", "a": "acceleration", "tau": "force"}
"""How figures call the blocks of series."""

OF_MOTORS = ("motor_speed", "speed", "motor_torque", "torque", "voltage", "current", "winding_temperature")
"""What an overview shows of motors."""

OF_CONTACTS = ("force", "gap")
"""And of contacts."""

ROUNDING = 1e-12
"""Part of the largest value beside it below which a series is zero."""

HIDDEN = ("energy.balance",)
"""Series that are checks, many orders smaller than those beside them."""


def overview(series: Mapping[str, Array], units: Mapping[str, str], contacts: Sequence[str] = ()) -> list[Panel]:
    """Positions, speeds and forces that change, then motors, contacts by name, and energies; one panel per unit."""
    moving = [one for prefix in ("q", "v", "tau") if _changes(prefix, series) for one in block(prefix, series, units)]
    motors = [one for what in OF_MOTORS for one in _of_motors(what, series, units)]
    energy = block("energy", series, units) if _changes("energy", series) else []
    touching = [one for what in OF_CONTACTS for one in _of_contacts(what, series, units, contacts)]
    return [*moving, *motors, *touching, *energy] or block("q", series, units)


def block(prefix: str, series: Mapping[str, Array], units: Mapping[str, str], caller: str = "plot") -> list[Panel]:
    """Panels of the series whose names begin with `prefix`; those that are zero, or its rounding, are left out."""
    names = [name for name in _inside(prefix, series) if name not in HIDDEN]
    if not names:
        raise InputError(f"{caller}: no series begins with {prefix!r}. {did_you_mean(prefix, series)}")
    peaks = {name: float(np.abs(series[name]).max(initial=0.0)) for name in names}
    chosen = [name for name in names if peaks[name] > ROUNDING * max(peaks.values())] or names
    short = {name: name.removeprefix(f"{prefix}.") for name in chosen}
    curves = {short[name]: series[name] for name in chosen}
    return panels_by_unit(WORDS.get(prefix, prefix), curves, {short[name]: units.get(name, "") for name in chosen})


def _of_motors(what: str, series: Mapping[str, Array], units: Mapping[str, str]) -> list[Panel]:
    """The torques, speeds, voltages, currents or temperatures (in degrees Celsius) of all motors."""
    motors = {name.removesuffix(f".{what}"): name for name in series if name.endswith(f".{what}")}
    chosen = {motor: series[name] for motor, name in motors.items() if series[name].any()}
    words = what.replace("_", " ")
    if what.endswith("temperature"):
        return panels_by_unit(words, {x: k - ZERO_CELSIUS for x, k in chosen.items()}, dict.fromkeys(chosen, "°C"))
    return panels_by_unit(words, chosen, {motor: units.get(motors[motor], "") for motor in chosen})


def _of_contacts(
    what: str, series: Mapping[str, Array], units: Mapping[str, str], contacts: Sequence[str]
) -> list[Panel]:
    """The forces or gaps of all contacts."""
    names = {contact: f"{contact}.{what}" for contact in contacts if f"{contact}.{what}" in series}
    curves = {contact: series[name] for contact, name in names.items()}
    return panels_by_unit(f"{what} of contact", curves, {x: units.get(name, "") for x, name in names.items()})


def _changes(prefix: str, series: Mapping[str, Array]) -> bool:
    return any(np.ptp(series[name]) > 0 for name in _inside(prefix, series) if series[name].size)


def _inside(prefix: str, series: Mapping[str, Array]) -> list[str]:
    return [name for name in series if name == prefix or name.startswith(f"{prefix}.")]
