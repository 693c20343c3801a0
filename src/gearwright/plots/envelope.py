"""A path in a plane of two quantities with its bounds: the torque-speed diagram of a motor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import plot_label as shown
from gearwright.plots.series import PLOT_COLOURS

VOLTAGE_LINE_STYLE = (0, (8, 2, 1.5, 2, 1.5, 2))
"""Line style of the voltage bound."""
RESTING_MOTOR_SPEED = 1e-6
"""Speed below which a motor is at rest; the axis is then one unit wide."""
FARTHEST_BOUND_RATIO = 3.0
"""Bounds larger than this multiple of the path's extent are not drawn, to keep the path readable."""


def envelope_figure(
    x: ArrayLike,
    y: ArrayLike,
    *,
    title: str,
    axes: tuple[str, str],
    continuous: float | None = None,
    peak: float | None = None,
    top: float | None = None,
    winding: tuple[float, float] | None = None,
    gearbox: tuple[float | None, float | None] = (None, None),
    beside: tuple[ArrayLike, ArrayLike] | None = None,
) -> Any:
    """Return a figure of a path, by magnitudes, with horizontal, vertical and sloped bounds.

    Args:
        x: values along the horizontal axis, (T,).
        y: values along the vertical axis, (T,).
        title: of the figure.
        axes: labels of both axes.
        continuous: bound of y for continuous operation.
        peak: bound of y for a short time.
        top: bound of x.
        winding: (y at x = 0, x at y = 0) of a sloped bound, such as that of the voltage.
        gearbox: bounds of x and y by the gearbox.
        beside: another path, drawn thin.
    """
    from matplotlib.figure import Figure

    page = Figure(figsize=(4.0, 3.3), layout="constrained")
    plane = page.add_subplot()
    speed, torque = np.abs(np.asarray(x)), np.abs(np.asarray(y))
    if beside is not None:
        plane.plot(*(np.abs(np.asarray(z)) for z in beside), color=PLOT_COLOURS[1], linewidth=0.8, label="perturbed")
    plane.plot(speed, torque, color=PLOT_COLOURS[0], linewidth=1.4, label="task")
    if continuous is not None:
        plane.axhline(continuous, color="#1a6b35", linewidth=1.2, linestyle="--", label="continuous")
    if peak is not None:
        plane.axhline(peak, color="#a3201d", linewidth=1.2, linestyle="-.", label="peak")
    beyond = 0.0 if beside is None else float(np.abs(np.asarray(beside[0])).max(initial=0.0))
    fastest = max(float(speed.max(initial=0.0)), beyond)
    widest = 1.15 * fastest if fastest > RESTING_MOTOR_SPEED else 1.0
    if top is not None and top <= FARTHEST_BOUND_RATIO * widest:
        widest = max(widest, 1.15 * top)
        plane.axvline(top, color="#555555", linewidth=1.2, linestyle=":", label="top speed")
    _draw_gearbox_bounds(plane, gearbox, FARTHEST_BOUND_RATIO * widest)
    if winding is not None:
        plane.axline(
            (0.0, winding[0]),
            (winding[1], 0.0),
            color="#7a5c00",
            linewidth=1.2,
            linestyle=VOLTAGE_LINE_STYLE,
            label="voltage",
        )
    plane.set_xlim(0.0, widest)
    reached = 0.0 if beside is None else float(np.abs(np.asarray(beside[1])).max(initial=0.0))
    highest = max(float(torque.max(initial=0.0)), reached, continuous or 0.0, peak or 0.0, gearbox[1] or 0.0, 1e-9)
    plane.set_ylim(0.0, 1.25 * highest)
    plane.set_xlabel(shown(axes[0]))
    plane.set_ylabel(shown(axes[1]))
    page.suptitle(shown(title), fontsize=10)
    plane.grid(alpha=0.25)
    plane.spines[["top", "right"]].set_visible(False)
    plane.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return page


def _draw_gearbox_bounds(plane: Any, gearbox: tuple[float | None, float | None], farthest: float) -> None:
    """Draw the bounds of the gearbox."""
    style = {"color": "#2e86ab", "linewidth": 1.2, "linestyle": ":"}
    if gearbox[0] is not None and gearbox[0] <= farthest:
        plane.axvline(gearbox[0], label="gearbox speed", **style)
    if gearbox[1] is not None:
        plane.axhline(gearbox[1], label="gearbox peak", **style)
