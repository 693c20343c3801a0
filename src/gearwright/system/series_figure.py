"""Panels of figures from named series: motion, motors, contacts and energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.plots import Panel, panels_by_unit
from gearwright.text import did_you_mean

BLOCK_TITLES = {"q": "position", "v": "speed", "a": "acceleration", "tau": "force"}
"""Titles of the blocks of series in figures."""

MOTOR_SERIES = ("motor_speed", "speed", "motor_torque", "torque", "voltage", "current", "winding_temperature")
"""Motor series of an overview."""

CONTACT_SERIES = ("force", "gap")
"""Contact series of an overview."""

ZERO_SERIES_RATIO = 1e-12
"""Magnitude, relative to the largest series of the panel, below which a series counts as zero."""

HIDDEN_SERIES = ("energy.balance",)
"""Check series that are many orders of magnitude smaller than the others."""


def overview_panels(series: Mapping[str, Array], units: Mapping[str, str], contacts: Sequence[str] = ()) -> list[Panel]:
    """Panels of changing positions, speeds and forces, then motors, contacts by name, and energies; one per unit."""
    moving = [
        panel
        for prefix in ("q", "v", "tau")
        if _has_changes(prefix, series)
        for panel in block_panels(prefix, series, units)
    ]
    motors = [panel for quantity in MOTOR_SERIES for panel in _motor_panels(quantity, series, units)]
    energy = block_panels("energy", series, units) if _has_changes("energy", series) else []
    touching = [panel for quantity in CONTACT_SERIES for panel in _contact_panels(quantity, series, units, contacts)]
    return [*moving, *motors, *touching, *energy] or block_panels("q", series, units)


def block_panels(
    prefix: str, series: Mapping[str, Array], units: Mapping[str, str], caller: str = "plot"
) -> list[Panel]:
    """Panels of the series whose names begin with `prefix`; those that are zero up to rounding are left out."""
    names = [name for name in _names_in_block(prefix, series) if name not in HIDDEN_SERIES]
    if not names:
        raise InputError(f"{caller}: no series begins with {prefix!r}. {did_you_mean(prefix, series)}")
    peaks = {name: float(np.abs(series[name]).max(initial=0.0)) for name in names}
    chosen = [name for name in names if peaks[name] > ZERO_SERIES_RATIO * max(peaks.values())] or names
    short = {name: name.removeprefix(f"{prefix}.") for name in chosen}
    curves = {short[name]: series[name] for name in chosen}
    return panels_by_unit(
        BLOCK_TITLES.get(prefix, prefix), curves, {short[name]: units.get(name, "") for name in chosen}
    )


def _motor_panels(quantity: str, series: Mapping[str, Array], units: Mapping[str, str]) -> list[Panel]:
    """The torques, speeds, voltages, currents or temperatures (in degrees Celsius) of all motors."""
    motors = {name.removesuffix(f".{quantity}"): name for name in series if name.endswith(f".{quantity}")}
    chosen = {motor: series[name] for motor, name in motors.items() if series[name].any()}
    words = quantity.replace("_", " ")
    if quantity.endswith("temperature"):
        return panels_by_unit(words, {x: k - ZERO_CELSIUS for x, k in chosen.items()}, dict.fromkeys(chosen, "°C"))
    return panels_by_unit(words, chosen, {motor: units.get(motors[motor], "") for motor in chosen})


def _contact_panels(
    quantity: str, series: Mapping[str, Array], units: Mapping[str, str], contacts: Sequence[str]
) -> list[Panel]:
    """The forces or gaps of all contacts."""
    names = {contact: f"{contact}.{quantity}" for contact in contacts if f"{contact}.{quantity}" in series}
    curves = {contact: series[name] for contact, name in names.items()}
    return panels_by_unit(f"{quantity} of contact", curves, {x: units.get(name, "") for x, name in names.items()})


def _has_changes(prefix: str, series: Mapping[str, Array]) -> bool:
    return any(np.ptp(series[name]) > 0 for name in _names_in_block(prefix, series) if series[name].size)


def _names_in_block(prefix: str, series: Mapping[str, Array]) -> list[str]:
    return [name for name in series if name == prefix or name.startswith(f"{prefix}.")]
