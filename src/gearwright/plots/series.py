"""Curves over a common axis in panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import InputError
from gearwright.file_access import replacement
from gearwright.plots.labels import label as shown
from gearwright.plots.time_spans import Spans, shade

NO_SPANS: Spans = MappingProxyType({})

COLOURS = ("#1b1b1b", "#d1495b", "#2e86ab", "#edae49", "#66a182", "#7d5ba6", "#8d6a4f", "#5c6b73")
"""Readable in print and for the colour-blind; the first is for the reference curve."""

ROUNDING = 1e-9
"""Range of curves relative to their size below which they are constant."""

MOST_IN_A_COLUMN = 4
ECHO: dict[str, Any] = {"linewidth": 1.0, "linestyle": ":"}
STROKES: tuple[Any, ...] = ("-", (0, (7, 2)), (0, (5, 3, 1.2, 3)), (0, (2.2, 2)), (0, (9, 3, 1.2, 3, 1.2, 3)))
WIDTHS = (2.4, 2.2, 1.6, 1.4, 1.2)
"""Strokes tell curves apart without colour; each is thinner than those below it, which are seen where both coincide."""


@dataclass(frozen=True)
class Panel:
    """One diagram: curves over the common axis.

    Args:
        label: what the vertical axis shows, with its unit.
        curves: name -> values; the legend leaves out a single one without a name.
        title: a heading.
        echoes: curves drawn thin and dotted in the colour of another one, name -> the other; not in the legend.
    """

    label: str
    curves: Mapping[str, ArrayLike]
    title: str = ""
    echoes: Mapping[str, str] = field(default_factory=dict)


def figure(
    axis: ArrayLike,
    axis_label: str,
    panels: Sequence[Panel],
    columns: int | None = None,
    title: str = "",
    logarithmic: bool = False,
    spans: Spans = NO_SPANS,
) -> Any:
    """A matplotlib figure of panels that share the horizontal axis; a name keeps colour and stroke in all of them.

    Panels stand in one column, more than four in two, unless `columns` says otherwise. `spans` stand behind the curves
    of all panels.
    """
    from matplotlib.figure import Figure

    columns = columns or (1 if len(panels) <= MOST_IN_A_COLUMN else 2)
    rows = -(-len(panels) // columns)
    page = Figure(figsize=(5.2 * columns, 2.2 * rows + 0.9), layout="constrained")
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves if name not in panel.echoes))
    pens = {name: pen(k) for k, name in enumerate(names)}
    drawn: dict[str, Any] = {}
    marks: dict[str, Any] = {}
    for k, panel in enumerate(panels):
        axes = page.add_subplot(rows, columns, k + 1)
        for name, values in panel.curves.items():
            of = panel.echoes.get(name, name)
            strokes = pens[of] if of == name else {**pens[of], **ECHO}
            line = axes.plot(np.asarray(axis), np.asarray(values), label=name, **strokes)[0]
            if of == name:
                drawn[name] = line
        marks |= shade(axes, spans, named=k == 0)
        _give_room(axes, panel)
        axes.set_ylabel(shown(panel.label))
        axes.set_title(shown(panel.title), fontsize=10)
        if logarithmic:
            _use_decades(axes)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        if k >= len(panels) - columns:
            axes.set_xlabel(shown(axis_label))
    drawn |= marks
    place = f"outside {'lower' if title else 'upper'} center"  # constrained layout puts a title over an upper legend
    if any(drawn):  # a single curve without a name is told by the axes
        names, most = [shown(name) for name in drawn], 2 + columns
        page.legend(drawn.values(), names, loc=place, ncols=min(len(drawn), most), frameon=False, handlelength=3.2)
    if title:
        page.suptitle(shown(title))
    return page


def pen(k: int) -> dict[str, Any]:
    """How the curve with number k is drawn."""
    stroke = k % len(STROKES)
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": STROKES[stroke], "linewidth": WIDTHS[stroke]}


def panels_by_unit(
    words: str,
    curves: Mapping[str, ArrayLike],
    units: Mapping[str, str],
    title: str = "",
    echoes: Mapping[str, str] | None = None,
) -> list[Panel]:
    """One panel per unit, so that an axis has one: forces of joints that turn, then of those that slide.

    Args:
        words: what the vertical axes show, without the unit; a "force" in Nm is a torque.
        curves: name -> values.
        units: unit of each curve by its name; an echo has that of its curve.
        title: a heading of the first panel.
        echoes: as of a panel.

    >>> forces = {"shoulder": [1.0], "lift": [2.0], "elbow": [0.5]}
    >>> found = panels_by_unit("force", forces, {"shoulder": "Nm", "lift": "N", "elbow": "Nm"})
    >>> [(panel.label, list(panel.curves)) for panel in found]
    [('torque [Nm]', ['shoulder', 'elbow']), ('force [N]', ['lift'])]
    """
    of = echoes or {}
    groups: dict[str, dict[str, ArrayLike]] = {}
    for name, values in curves.items():
        groups.setdefault(units.get(of.get(name, name), ""), {})[name] = values
    made: list[Panel] = []
    for unit, inside in groups.items():
        word = "torque" if (words, unit) == ("force", "Nm") else words
        label = f"{word} [{unit}]" if unit else word
        made.append(Panel(label, inside, "" if made else title, {x: of[x] for x in inside if x in of}))
    return made


def _give_room(axes: Any, panel: Panel) -> None:
    """What is constant up to rounding is drawn as a line, not as its rounding."""
    values = np.concatenate([np.ravel(np.asarray(x, dtype=float)) for x in panel.curves.values()] or [np.zeros(1)])
    finite = values[np.isfinite(values)]
    size = float(np.abs(finite).max(initial=0.0))
    if size and np.ptp(finite) < ROUNDING * size:
        axes.set_ylim(finite[0] - 0.1 * size, finite[0] + 0.1 * size)


def _use_decades(axes: Any) -> None:
    """A logarithmic axis with plain numbers: 1, 10, 100, and 2, 5, 20, 50 between them where that is little."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    plain = FuncFormatter(lambda x, _: f"{x:g}")
    axes.xaxis.set_major_formatter(plain)
    axes.xaxis.set_minor_formatter(NullFormatter())
    if high < 300 * low:
        axes.xaxis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
        axes.xaxis.set_minor_formatter(plain)


def saved(page: Any, path: str | Path | None) -> Any:
    """The figure itself, written too where a path is given: what every `plot` of a result returns."""
    if path is not None:
        save(page, path)
    return page


def save(page: Any, path: str | Path) -> Path:
    """Write a figure; the ending chooses the format, .png unless there is one. Folders on the way are made."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target}: this is a folder. Give the name of a file in it, such as {target / 'figure.png'}.")
    target = target if target.suffix else target.with_suffix(".png")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replacement(target) as new:
            page.savefig(new, dpi=150)
    except ValueError as error:
        raise InputError(f"{target}: {error}. Choose .png, .svg or .pdf.") from None
    return target
