"""The picture of a sweep: numbers over a parameter where it has a grid, else how they spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from gearwright.arrays import Array
from gearwright.parts.heat import ZERO_CELSIUS
from gearwright.plots import Panel, figure
from gearwright.plots.histograms import histograms

if TYPE_CHECKING:
    from gearwright.design.sweep import Sweep

UNITS = {
    **{"mass": "kg", "inertia": "kg m²", "transverse_inertia": "kg m²", "com": "m", "position": "m"},
    **{"resistance": "Ω", "inductance": "H", "torque_constant": "Nm/A", "ratio": "", "efficiency": ""},
}
"""Units of parameters by the last word of their path; of others SI is all that is said."""
MOST_CURVES = 6
"""Of more values of the other parameters some are drawn, evenly spread."""


def sweep_figure(found: Sweep, names: Sequence[str]) -> Any:
    """A matplotlib figure of some numbers of a sweep."""
    if found.sampled or len(found) == 1:
        return histograms({f"{name}{_bracket(unit)}": x for name, unit, x in (_shown(found, name) for name in names)})
    return _over_grid(found, names, [np.unique(found[name]) for name in found.names])


def _over_grid(found: Sweep, names: Sequence[str], grid: Sequence[Array]) -> Any:
    """One panel per number, over the parameter with the most values; a curve for every set of the others."""
    across = int(np.argmax([len(values) for values in grid]))
    path = found.names[across]
    others = [k for k in range(len(grid)) if k != across and len(grid[k]) > 1]
    sets = list(product(*(grid[k].tolist() for k in others)))
    drawn = [sets[k] for k in np.unique(np.linspace(0, len(sets) - 1, MOST_CURVES).round().astype(int))]
    panels = []
    for name in names:
        _, unit, values = _shown(found, name)
        curves = {_title(found, others, one): _curve(found, values, across, others, one) for one in drawn}
        panels.append(Panel(f"{name}{_bracket(unit)}", curves))
    return figure(grid[across], f"{path}{_bracket(_unit_of(path))}", panels)


def _curve(found: Sweep, values: Array, across: int, others: Sequence[int], at: Sequence[float]) -> Array:
    """Values where the other parameters have these, by rising values of the one across."""
    rows = np.all(found.values[:, list(others)] == np.asarray(at), axis=1) if others else np.ones(len(values), bool)
    _, first = np.unique(found.values[rows, across], return_index=True)
    return np.asarray(values[rows][first])


def _title(found: Sweep, others: Sequence[int], at: Sequence[float]) -> str:
    return ", ".join(f"{found.names[k]} {x:.4g}" for k, x in zip(others, at, strict=True))


def _shown(found: Sweep, name: str) -> tuple[str, str, Array]:
    """A number with its unit and values; temperatures in degrees Celsius."""
    unit, values = found.units.get(name, ""), found[name]
    return (name, "°C", values - ZERO_CELSIUS) if unit == "K" else (name, unit, values)


def _unit_of(path: str) -> str:
    words = [word for word in reversed(path.split(".")) if word in UNITS]
    return UNITS[words[0]] if words else "SI"


def _bracket(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def usual_numbers(numbers: Mapping[str, Array], most: int) -> list[str]:
    """Those drawn unless somebody says: of the rms torques of motors, or of all, the ones that vary most."""
    torques = [name for name in numbers if name.endswith(".rms_motor_torque")] or list(numbers)
    chosen = sorted(torques, key=lambda name: -_variation(numbers[name]))[:most]
    return [name for name in torques if name in chosen]


def _variation(values: Array) -> float:
    """Range of the finite ones relative to their size."""
    finite = values[np.isfinite(values)]
    size = np.abs(finite).max(initial=0.0)
    return float(np.ptp(finite) / size) if size else 0.0
