"""Curves over a common axis in panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import value_text
from gearwright.errors import FileError, InputError
from gearwright.file_access import create_folder, replacement_file
from gearwright.plots.labels import plot_label as shown
from gearwright.plots.time_spans import Spans, shade_spans

NO_SPANS: Spans = MappingProxyType({})

PLOT_COLOURS = ("#1b1b1b", "#d1495b", "#2e86ab", "#edae49", "#66a182", "#7d5ba6", "#8d6a4f", "#5c6b73")
"""Readable in print and for the colour-blind; the first is for the reference curve."""

CONSTANT_RANGE_RATIO = 1e-9
"""Range of a curve relative to its magnitude below which it is constant."""

MAX_PANELS_PER_COLUMN = 4
ECHO_STYLE: dict[str, Any] = {"linewidth": 1.0, "linestyle": ":"}
LINE_STROKES: tuple[Any, ...] = ("-", (0, (7, 2)), (0, (5, 3, 1.2, 3)), (0, (2.2, 2)), (0, (9, 3, 1.2, 3, 1.2, 3)))
LINE_WIDTHS = (2.4, 2.2, 1.6, 1.4, 1.2)
"""Line styles distinguish curves without colour; upper curves are thinner, so that coinciding ones are visible."""


@dataclass(frozen=True)
class Panel:
    """One diagram: curves over the common axis.

    Args:
        label: what the vertical axis shows, with its unit.
        curves: name -> values; a single unnamed curve is not in the legend.
        title: a heading.
        echoes: curves drawn thin and dotted in the colour of another one, name -> the other; not in the legend.
    """

    label: str
    curves: Mapping[str, ArrayLike]
    title: str = ""
    echoes: Mapping[str, str] = field(default_factory=dict)


def panel_figure(
    axis: ArrayLike,
    axis_label: str,
    panels: Sequence[Panel],
    columns: int | None = None,
    title: str = "",
    logarithmic: bool = False,
    spans: Spans = NO_SPANS,
) -> Any:
    """Return a matplotlib figure of panels with a common horizontal axis; a name has the same style in all of them.

    Panels are in one column, more than four in two, unless `columns` is given. `spans` are drawn behind the curves of
    all panels.
    """
    from matplotlib.figure import Figure

    columns = columns or (1 if len(panels) <= MAX_PANELS_PER_COLUMN else 2)
    rows = -(-len(panels) // columns)
    page = Figure(figsize=(5.2 * columns, 2.2 * rows + 0.9), layout="constrained")
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves if name not in panel.echoes))
    pens = {name: line_style(k) for k, name in enumerate(names)}
    legend: dict[str, Any] = {}
    marks: dict[str, Any] = {}
    for k, panel in enumerate(panels):
        axes = page.add_subplot(rows, columns, k + 1)
        legend |= draw_panel(axes, axis, panel, pens)
        marks |= shade_spans(axes, spans, named=k == 0)
        if logarithmic:
            _set_log_axis(axes)
        if k >= len(panels) - columns:
            axes.set_xlabel(shown(axis_label))
    legend |= marks
    place = f"outside {'lower' if title else 'upper'} center"  # constrained layout overlays title and upper legend
    if any(legend):  # a single unnamed curve is described by the axes
        names, most = [shown(name) for name in legend], 2 + columns
        page.legend(legend.values(), names, loc=place, ncols=min(len(legend), most), frameon=False, handlelength=3.2)
    if title:
        page.suptitle(shown(title))
    return page


def draw_panel(axes: Any, axis: ArrayLike, panel: Panel, pens: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Draw the curves of a panel with the line style of each name; return the lines for the legend."""
    legend = {}
    for name, values in panel.curves.items():
        original = panel.echoes.get(name, name)
        strokes = pens[original] if original == name else {**pens[original], **ECHO_STYLE}
        line = axes.plot(np.asarray(axis), np.asarray(values), label=name, **strokes)[0]
        if original == name:
            legend[name] = line
    _set_constant_range(axes, panel)
    axes.set_ylabel(shown(panel.label))
    axes.set_title(shown(panel.title), fontsize=10)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    return legend


def line_style(k: int) -> dict[str, Any]:
    """Return the line style of curve k."""
    stroke = k % len(LINE_STROKES)
    return {
        "color": PLOT_COLOURS[k % len(PLOT_COLOURS)],
        "linestyle": LINE_STROKES[stroke],
        "linewidth": LINE_WIDTHS[stroke],
    }


def panels_by_unit(
    words: str,
    curves: Mapping[str, ArrayLike],
    units: Mapping[str, str],
    title: str = "",
    echoes: Mapping[str, str] | None = None,
) -> list[Panel]:
    """Return one panel per unit: torques of revolute joints, then forces of prismatic joints.

    Args:
        words: what the vertical axes show, without the unit; a "force" in Nm is a torque.
        curves: name -> values.
        units: unit of each curve by its name; an echo has that of its curve.
        title: a heading of the first panel.
        echoes: see `Panel`.

    >>> forces = {"shoulder": [1.0], "lift": [2.0], "elbow": [0.5]}
    >>> found = panels_by_unit("force", forces, {"shoulder": "Nm", "lift": "N", "elbow": "Nm"})
    >>> [(panel.label, list(panel.curves)) for panel in found]
    [('torque [Nm]', ['shoulder', 'elbow']), ('force [N]', ['lift'])]
    """
    originals = echoes or {}
    groups: dict[str, dict[str, ArrayLike]] = {}
    for name, values in curves.items():
        groups.setdefault(units.get(originals.get(name, name), ""), {})[name] = values
    panels: list[Panel] = []
    for unit, inside in groups.items():
        word = "torque" if (words, unit) == ("force", "Nm") else words
        label = f"{word} [{unit}]" if unit else word
        panels.append(
            Panel(label, inside, "" if panels else title, {x: originals[x] for x in inside if x in originals})
        )
    return panels


def _set_constant_range(axes: Any, panel: Panel) -> None:
    """Widen the axis of curves that are constant up to rounding, so that rounding errors are not magnified."""
    values = np.concatenate([np.ravel(np.asarray(x, dtype=float)) for x in panel.curves.values()] or [np.zeros(1)])
    finite = values[np.isfinite(values)]
    size = float(np.abs(finite).max(initial=0.0))
    if size and np.ptp(finite) < CONSTANT_RANGE_RATIO * size:
        axes.set_ylim(finite[0] - 0.1 * size, finite[0] + 0.1 * size)


def _set_log_axis(axes: Any) -> None:
    """Label a logarithmic axis with plain numbers: 1, 10, 100, and 2, 5, 20, 50 if the range is short."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    plain = FuncFormatter(lambda x, _: f"{x:g}")
    axes.xaxis.set_major_formatter(plain)
    axes.xaxis.set_minor_formatter(NullFormatter())
    if high < 300 * low:
        axes.xaxis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
        axes.xaxis.set_minor_formatter(plain)


def save_if_path(page: Any, path: str | Path | None) -> Any:
    """Return the figure, and write it if a path is given: the common end of every `plot` of a result."""
    if path is not None:
        if not isinstance(path, str | PathLike):
            raise InputError(f"plot: path={value_text(path)} must be a path or None. Give one such as 'figure.png'.")
        save_figure(page, path)
    return page


def save_figure(page: Any, path: str | Path) -> Path:
    """Write a figure; the ending selects the format, by default .png. Missing folders are created."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target}: this is a folder. Give the name of a file in it, such as {target / 'figure.png'}.")
    target = target if target.suffix else target.with_suffix(".png")
    create_folder(target.parent)
    try:
        with replacement_file(target) as new:
            page.savefig(new, dpi=150)
    except FileError:
        raise
    except ValueError as error:
        raise InputError(f"{target}: {str(error).rstrip('.')}. Choose .png, .svg or .pdf.") from None
    return target
