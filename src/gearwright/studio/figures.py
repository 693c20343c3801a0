"""Plotly figures of results: coinciding curves stay visible, one unit per axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.analysis import Analysis, Comparison, DriveAnalysis, EnergyBalance
from gearwright.analysis.model_comparison.energy_balance import ENERGY_LABEL
from gearwright.arrays import Array
from gearwright.mechanism.units import force_unit
from gearwright.text import html_text

MODEL_LINE_STYLES: Mapping[str, dict[str, Any]] = {
    "exact": {"color": "#b9c2cf", "width": 6},
    "reflected": {"color": "#2e86ab", "width": 2, "dash": "dash"},
    "diagonal": {"color": "#d1495b", "width": 2, "dash": "dot"},
    "none": {"color": "#7d5ba6", "width": 1.5, "dash": "dashdot"},
    "reference": {"color": "#1b1b1b", "width": 1.5, "dash": "dash"},
    "difference": {"color": "#d1495b", "width": 2},
}
STUDIO_CURVE_COLOURS = ("#1b1b1b", "#d1495b", "#2e86ab", "#b97f17", "#4c8a68", "#7d5ba6", "#8d6a4f", "#5c6b73")
STUDIO_AXIS_STYLE = {"automargin": False, "gridcolor": "#e6e9ee", "zerolinecolor": "#c4cad3"}
COOL_WINDING, DEFAULT_WINDING_LIMIT = 293.15, 428.15
"""Temperatures [K] of the coolest colour, and of the hottest one where no limit is stated (insulation class F)."""
COOL_COLOUR, HOT_COLOUR = (58, 110, 190), (214, 48, 39)
PAGE_DIGITS = 6
"""Significant digits of the numbers sent to the page."""


def torque_figure(comparison: Comparison, speed: str, reference: Comparison | None = None) -> Any:
    """Return exact and approximate force at one speed over time; the exact one is drawn wide, below the others.

    With the comparison of a reference design: the exact forces of both designs, and their difference.
    """
    k = comparison.mech.speeds.index(speed)
    unit = force_unit(comparison.mech, speed)
    quantity = "force" if unit == "N" else "torque"
    curves = {"exact": comparison.exact[:, k], **{kind: tau[:, k] for kind, tau in comparison.approximations.items()}}
    if reference is not None and speed in reference.mech.speeds:
        before = reference.exact[:, reference.mech.speeds.index(speed)]
        t, t0 = (one.motion.t - one.motion.t[0] for one in (comparison, reference))
        stated = np.interp(t, t0, before)
        curves = {"exact": curves["exact"], "reference": stated, "difference": curves["exact"] - stated}
    return _curve_figure(comparison.motion.t, curves, f"{quantity} at {html_text(speed)} [{unit}]", MODEL_LINE_STYLES)


def energy_figure(t: Array, balance: EnergyBalance) -> Any:
    """Return kinetic and potential energy (relative to the start), work of the drives and heat of dampers."""
    return _curve_figure(t, balance.energy_curves(), ENERGY_LABEL)


def torque_speed_figure(drive: DriveAnalysis) -> Any:
    """Return the torque-speed diagram of a motor, by magnitudes, with its limits."""
    import plotly.graph_objects as go

    speed, torque = np.abs(drive.motor_speed), np.abs(drive.motor_torque)
    page = _empty_figure("motor torque [Nm]", "motor speed [rad/s]")
    page.add_trace(
        go.Scatter(x=_short_numbers(speed), y=_short_numbers(torque), name="motion", line={"color": "#1b1b1b"})
    )
    top = max(float(speed.max()), float(drive.motor.max_speed or 0.0)) * 1.1
    page.update_xaxes(range=[0, top])
    sheet = drive.motor_sheet
    bounds = {
        "continuous": (None if sheet is None else sheet.continuous_torque, "#4c8a68", "dash"),
        "peak": (drive.motor.max_torque, "#d1495b", "dashdot"),
    }
    for name, (limit, colour, dash) in bounds.items():
        if limit is not None:
            page.add_trace(_limit_line([0, top], [float(limit)] * 2, name, colour, dash))
    if drive.motor.max_speed is not None:
        most = max(float(torque.max()), *(float(limit or 0.0) for limit, _, _ in bounds.values()))
        page.add_trace(_limit_line([float(drive.motor.max_speed)] * 2, [0, most], "top speed", "#5c6b73", "dot"))
    if drive.winding_line is not None:
        stall, free = drive.winding_line
        page.add_trace(_limit_line([0, free], [stall, 0], "voltage", "#b97f17", "longdash"))
        page.update_yaxes(range=[0, 1.3 * max(float(torque.max()), float(drive.motor.max_torque or 0.0), 1e-9)])
    return page


def temperature_figure(analysis: Analysis) -> Any | None:
    """Return winding temperatures [°C] in the periodic steady state; None without thermal data."""
    warm = {name: drive.temperatures.winding - 273.15 for name, drive in analysis.drives.items() if drive.temperatures}
    finite = {html_text(name): values for name, values in warm.items() if np.isfinite(values).all()}
    return _curve_figure(analysis.t, finite, "winding [°C]") if finite else None


def limit_uses(analysis: Analysis, at: float) -> list[tuple[float, str, str]]:
    """Return the use of every drive's torque and speed limits at a time [s] from the start, the largest first."""
    index = int(np.argmin(np.abs(analysis.t - analysis.t[0] - at)))
    uses = []
    for name, drive in analysis.drives.items():
        for limit, series, most in (
            ("torque", drive.motor_torque, drive.motor.max_torque),
            ("speed", drive.motor_speed, drive.motor.max_speed),
        ):
            if most:
                uses.append((abs(float(series[index])) / float(most), name, limit))
    return sorted(uses, reverse=True)


def motor_colours(analysis: Analysis, at: float) -> dict[str, tuple[int, int, int]]:
    """Return colours of rotors and stators: from blue at 20 °C to red at the limit of the winding (open: 155 °C)."""
    index = int(np.argmin(np.abs(analysis.t - analysis.t[0] - at)))
    colours: dict[str, tuple[int, int, int]] = {}
    for name, drive in analysis.drives.items():
        if drive.temperatures is None:
            continue
        heat = drive.motor.heat
        limit = DEFAULT_WINDING_LIMIT if heat is None or heat.max_temperature is None else float(heat.max_temperature)
        winding = float(drive.temperatures.winding[min(index, len(drive.temperatures.winding) - 1)])
        rise = (winding - COOL_WINDING) / (limit - COOL_WINDING) if np.isfinite(winding) else 1.0
        share = float(np.clip(rise, 0.0, 1.0))
        red, green, blue = (round((1 - share) * a + share * b) for a, b in zip(COOL_COLOUR, HOT_COLOUR, strict=True))
        colours |= {f"{name}.{part}": (red, green, blue) for part in ("rotor", "stator")}
    return colours


def _curve_figure(t: Array, curves: Mapping[str, Array], label: str, styles: Mapping[str, Any] | None = None) -> Any:
    import plotly.graph_objects as go

    page = _empty_figure(label, "time [s]")
    shared = _short_numbers(t - t[0])
    for k, (name, values) in enumerate(curves.items()):
        line = (styles or {}).get(name, {"color": STUDIO_CURVE_COLOURS[k % len(STUDIO_CURVE_COLOURS)], "width": 2})
        page.add_trace(go.Scatter(x=shared, y=_short_numbers(values), name=name, mode="lines", line=line))
    return page


def _empty_figure(vertical: str, horizontal: str) -> Any:
    import plotly.graph_objects as go

    return go.Figure(
        layout={
            # Fixed margins: automatic ones make Plotly redraw later, which fails for
            # a figure that has been replaced in the meantime.
            "margin": {"l": 58, "r": 12, "t": 30, "b": 38, "autoexpand": False},
            "template": "none",
            "font": {"size": 11},
            "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0, "font": {"size": 10}},
            "xaxis": {"title": {"text": horizontal, "standoff": 4}, **STUDIO_AXIS_STYLE},
            "yaxis": {"title": {"text": vertical, "standoff": 4}, **STUDIO_AXIS_STYLE},
        }
    )


def _limit_line(x: Sequence[float], y: Sequence[float], name: str, colour: str, dash: str) -> Any:
    import plotly.graph_objects as go

    return go.Scatter(x=x, y=y, name=name, mode="lines", line={"color": colour, "dash": dash, "width": 1.5})


def _short_numbers(values: Array) -> list[float]:
    return [float(f"{x:.{PAGE_DIGITS}g}") for x in np.asarray(values)]
