"""A path in a plane of two quantities with its bounds: the torque-speed diagram of a motor, also with others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.curves import Diagram, draw_diagram
from gearwright.plots.labels import plot_label as shown
from gearwright.plots.series import PLOT_COLOURS

VOLTAGE_LINE_STYLE = (0, (8, 2, 1.5, 2, 1.5, 2))
"""Line style of the voltage bound."""
RESTING_MOTOR_SPEED = 1e-6
"""Speed below which a motor is at rest; the axis is then one unit wide."""
FARTHEST_BOUND_RATIO = 3.0
"""Bounds larger than this multiple of the path's extent are stated, not drawn, to keep the path readable."""


@dataclass(frozen=True)
class Envelope:
    """A path by magnitudes, with horizontal, vertical and sloped bounds.

    Args:
        x: values along the horizontal axis, (T,).
        y: values along the vertical axis, (T,).
        axes: labels of both axes.
        continuous: bound of y for continuous operation.
        peak: bound of y for a short time.
        top: bound of x.
        winding: (y at x = 0, x at y = 0) of a sloped bound, such as that of the voltage.
        gearbox: bounds of x and y by the gearbox.
        beside: another path, drawn thin.
    """

    x: ArrayLike
    y: ArrayLike
    axes: tuple[str, str]
    continuous: float | None = None
    peak: float | None = None
    top: float | None = None
    winding: tuple[float, float] | None = None
    gearbox: tuple[float | None, float | None] = (None, None)
    beside: tuple[ArrayLike, ArrayLike] | None = None

    @property
    def paths(self) -> list[tuple[str, Any, Any]]:
        """Name and magnitudes of each path."""
        series = [("task", self.x, self.y)] + ([("perturbed", *self.beside)] if self.beside is not None else [])
        return [(name, np.abs(np.asarray(x)), np.abs(np.asarray(y))) for name, x, y in series]

    @property
    def horizontal_bounds(self) -> dict[str, tuple[float | None, str, str]]:
        """Bounds of y by name, each with its colour and line style."""
        return {
            "continuous": (self.continuous, "#1a6b35", "--"),
            "peak": (self.peak, "#a3201d", "-."),
            "gearbox peak": (self.gearbox[1], "#2e86ab", ":"),
        }

    @property
    def vertical_bounds(self) -> dict[str, tuple[float | None, str, str]]:
        """Bounds of x by name, each with its colour and line style."""
        return {"top speed": (self.top, "#555555", ":"), "gearbox speed": (self.gearbox[0], "#2e86ab", ":")}


def envelope_figure(envelope: Envelope, title: str) -> Any:
    """Return a figure of a path with its bounds."""
    from matplotlib.figure import Figure

    page = Figure(figsize=(4.0, 3.3), layout="constrained")
    draw_envelope(page.add_subplot(), envelope)
    page.suptitle(shown(title), fontsize=10)
    return page


def envelope_page_figure(envelope: Envelope, diagrams: Sequence[Diagram]) -> Any:
    """Return a figure of a path with its bounds, and diagrams in two columns."""
    from matplotlib.figure import Figure

    rows = (len(diagrams) + 2) // 2
    page = Figure(figsize=(7.2, 2.2 * rows), layout="constrained")
    draw_envelope(page.add_subplot(rows, 2, 1), envelope)
    for k, diagram in enumerate(diagrams):
        draw_diagram(page.add_subplot(rows, 2, k + 2), diagram)
    return page


def draw_envelope(plane: Any, envelope: Envelope) -> None:
    """Draw a path with its bounds; bounds far outside of it are stated in words."""
    paths = envelope.paths
    for k, (name, speed, torque) in reversed(list(enumerate(paths))):
        plane.plot(speed, torque, color=PLOT_COLOURS[k], linewidth=0.8 if k else 1.4, label=name)
    fastest = max(float(speed.max(initial=0.0)) for _, speed, _ in paths)
    highest = max(float(torque.max(initial=0.0)) for _, _, torque in paths)
    widest = fastest if fastest > RESTING_MOTOR_SPEED else 1.0
    right, right_words = _draw_bounds(plane.axvline, envelope.vertical_bounds, widest, "rad/s")
    up, up_words = _draw_bounds(plane.axhline, envelope.horizontal_bounds, max(highest, 1e-9), "Nm")
    if envelope.winding is not None:
        stall, free = envelope.winding
        style = {"color": "#7a5c00", "linewidth": 1.2, "linestyle": VOLTAGE_LINE_STYLE}
        plane.axline((0.0, stall), (free, 0.0), label="voltage", **style)
    plane.set_xlim(0.0, 1.15 * right)
    plane.set_ylim(0.0, 1.25 * up)
    plane.set_xlabel(shown(envelope.axes[0]))
    plane.set_ylabel(shown(envelope.axes[1]))
    plane.grid(alpha=0.25)
    plane.spines[["top", "right"]].set_visible(False)
    plane.legend(frameon=False, fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    if words := [*up_words, *right_words]:
        text = "beyond the diagram: " + ",\n".join(words)
        plane.text(0.98, 0.98, text, transform=plane.transAxes, ha="right", va="top", fontsize=6.5, color="#555555")


def _draw_bounds(
    line: Any, bounds: dict[str, tuple[float | None, str, str]], extent: float, unit: str
) -> tuple[float, list[str]]:
    """Draw the bounds near the path; return the extent with them, and the other ones in words."""
    words, farthest = [], extent
    for name, (bound, colour, style) in bounds.items():
        if bound is None:
            continue
        if bound > FARTHEST_BOUND_RATIO * extent:
            words.append(f"{name} {float(f'{bound:.4g}'):,.10g} {unit}")
            continue
        line(bound, color=colour, linewidth=1.2, linestyle=style, label=name)
        farthest = max(farthest, bound)
    return farthest, words
