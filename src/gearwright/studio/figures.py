"""Plotly figures of results: curves that coincide are both seen, one unit per axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.analysis import Analysis, Comparison, DriveAnalysis, EnergyBalance
from gearwright.analysis.model_comparison.energy_balance import ENERGY_LABEL
from gearwright.arrays import Array
from gearwright.mechanism.units import force_unit
from gearwright.text import html

STYLES: Mapping[str, dict[str, Any]] = {
    "exact": {"color": "#b9c2cf", "width": 6},
    "reflected": {"color": "#2e86ab", "width": 2, "dash": "dash"},
    "diagonal": {"color": "#d1495b", "width": 2, "dash": "dot"},
    "none": {"color": "#7d5ba6", "width": 1.5, "dash": "dashdot"},
}
COLOURS = ("#1b1b1b", "#d1495b", "#2e86ab", "#b97f17", "#4c8a68", "#7d5ba6", "#8d6a4f", "#5c6b73")
AXIS = {"automargin": False, "gridcolor": "#e6e9ee", "zerolinecolor": "#c4cad3"}
DIGITS = 6
"""Of what is sent to the page."""


def torque_figure(found: Comparison, speed: str) -> Any:
    """Exact and approximate force at one speed over time; the exact one lies broad below the others."""
    k = found.mech.speeds.index(speed)
    unit = force_unit(found.mech, speed)
    what = "force" if unit == "N" else "torque"
    curves = {"exact": found.exact[:, k], **{kind: tau[:, k] for kind, tau in found.approximations.items()}}
    return _figure(found.motion.t, curves, f"{what} at {html(speed)} [{unit}]", STYLES)


def energy_figure(t: Array, found: EnergyBalance) -> Any:
    """Kinetic and potential energy, the work of the drives and the heat of dampers; the potential from its start."""
    return _figure(t, found.curves(), ENERGY_LABEL)


def torque_speed_figure(drive: DriveAnalysis) -> Any:
    """Torque of a motor over its speed, by magnitudes, and what it is allowed."""
    import plotly.graph_objects as go

    speed, torque = np.abs(drive.motor_speed), np.abs(drive.motor_torque)
    page = _page("motor torque [Nm]", "motor speed [rad/s]")
    page.add_trace(go.Scatter(x=_short(speed), y=_short(torque), name="motion", line={"color": "#1b1b1b"}))
    top = max(float(speed.max()), float(drive.motor.max_speed or 0.0)) * 1.1
    page.update_xaxes(range=[0, top])
    sheet = drive.motor_sheet
    bounds = {
        "continuous": (None if sheet is None else sheet.continuous_torque, "#4c8a68", "dash"),
        "peak": (drive.motor.max_torque, "#d1495b", "dashdot"),
    }
    for name, (limit, colour, dash) in bounds.items():
        if limit is not None:
            page.add_trace(_line([0, top], [float(limit)] * 2, name, colour, dash))
    if drive.motor.max_speed is not None:
        most = max(float(torque.max()), *(float(limit or 0.0) for limit, _, _ in bounds.values()))
        page.add_trace(_line([float(drive.motor.max_speed)] * 2, [0, most], "top speed", "#5c6b73", "dot"))
    if drive.winding_line is not None:
        stall, free = drive.winding_line
        page.add_trace(_line([0, free], [stall, 0], "voltage", "#b97f17", "longdash"))
        page.update_yaxes(range=[0, 1.3 * max(float(torque.max()), float(drive.motor.max_torque or 0.0), 1e-9)])
    return page


def temperature_figure(found: Analysis) -> Any | None:
    """Windings in the periodic steady state, in degrees Celsius; None when no motor tells how it gets warm."""
    warm = {name: one.temperatures.winding - 273.15 for name, one in found.drives.items() if one.temperatures}
    finite = {html(name): values for name, values in warm.items() if np.isfinite(values).all()}
    return _figure(found.t, finite, "winding [°C]") if finite else None


def _figure(t: Array, curves: Mapping[str, Array], label: str, styles: Mapping[str, Any] | None = None) -> Any:
    import plotly.graph_objects as go

    page = _page(label, "time [s]")
    shared = _short(t - t[0])
    for k, (name, values) in enumerate(curves.items()):
        line = (styles or {}).get(name, {"color": COLOURS[k % len(COLOURS)], "width": 2})
        page.add_trace(go.Scatter(x=shared, y=_short(values), name=name, mode="lines", line=line))
    return page


def _page(vertical: str, horizontal: str) -> Any:
    import plotly.graph_objects as go

    return go.Figure(
        layout={
            # Nothing here changes the margins by itself: Plotly redraws late when something does, and stumbles over
            # a figure that was replaced meanwhile.
            "margin": {"l": 58, "r": 12, "t": 30, "b": 38, "autoexpand": False},
            "template": "none",
            "font": {"size": 11},
            "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0, "font": {"size": 10}},
            "xaxis": {"title": {"text": horizontal, "standoff": 4}, **AXIS},
            "yaxis": {"title": {"text": vertical, "standoff": 4}, **AXIS},
        }
    )


def _line(x: Sequence[float], y: Sequence[float], name: str, colour: str, dash: str) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(x=x, y=y, name=name, mode="lines", line={"color": colour, "dash": dash, "width": 1.5})


def _short(values: Array) -> list[float]:
    return [float(f"{x:.{DIGITS}g}") for x in np.asarray(values)]
