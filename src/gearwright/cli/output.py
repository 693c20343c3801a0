"""How the commands speak: results on standard output, remarks and errors on standard error, JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite
from pathlib import Path
from textwrap import wrap
from typing import Any, Literal

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from gearwright.text import json, lines, visible

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


class Screen(Console):
    """A terminal on which text is only shown: no markup, no emoji codes, control characters as codes.

    What is to be bold is a `Text`, see `heading`.
    """

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """A text as Rich draws it; tables and trees ask for their cells here too."""
        return super().render_str(lines(text), **options)


def results() -> Screen:
    """Standard output: colour on a terminal only, 80 columns when there is none."""
    return Screen()


def remarks() -> Screen:
    """Standard error, for what a person may like to know; nothing appears there with --quiet."""
    screen = Screen(stderr=True)
    screen.quiet = _quiet.get()
    return screen


def heading(name: str, rest: str = "") -> Text:
    """A name in bold, and what follows it."""
    return Text.assemble((visible(name), "bold"), lines(rest))


@contextmanager
def silence(wanted: bool) -> Iterator[None]:
    """Keep remarks and progress bars back, if this is wanted."""
    before = _quiet.set(wanted)
    try:
        yield
    finally:
        _quiet.reset(before)


def say(text: str) -> None:
    """A remark for the person; a program reading standard output never sees it."""
    remarks().print(wrapped(text), style="dim", soft_wrap=True)


def mention_figure(path: Path | None) -> None:
    """Where a figure went that was asked for."""
    if path is not None:
        say(f"Figure: {path}")


def wrapped(text: str) -> str:
    """Lines that fit the screen; what continues a line is indented below it, and a file name stays in one piece."""
    width = remarks().width
    made: list[str] = []
    for line in lines(text).split("\n"):
        margin = " " * (len(line) - len(line.lstrip()) + 4)
        made += wrap(line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False) or [""]
    return "\n".join(made)


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error while something long runs; yields a function of (done, total)."""
    with Progress(console=remarks(), transient=True) as bar:
        line = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(line, completed=done, total=total)


def complain(text: str) -> None:
    """An error message."""
    message = Text(wrapped(f"Error: {text}"))
    message.stylize("bold red", 0, len("Error:"))
    Screen(stderr=True).print(message, soft_wrap=True)


def write_json(value: Any) -> None:
    """A value as JSON on standard output; JSON has no word for infinity and what is not a number, they become null."""
    sys.stdout.write(json(_finite(value)) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def columns(t: Iterable[float], series: Mapping[str, Any]) -> dict[str, list[float]]:
    """Series over time for JSON: what a CSV file has as columns.

    >>> import numpy as np
    >>> columns(np.array([0, 0.5]), {"q.j1": np.array([1, 2])})
    {'t': [0.0, 0.5], 'q.j1': [1.0, 2.0]}
    """
    return {name: [float(x) for x in values] for name, values in {"t": t, **series}.items()}


def write_data(text: str) -> None:
    """A text for a program on standard output as it is; a person at a terminal sees control characters as codes."""
    sys.stdout.write(lines(text) if sys.stdout.isatty() else text)


GAP = 2
"""Spaces between two columns of a table."""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], text: int = 1, whole: int = 0) -> Table:
    """A plain table whose first `text` columns are words and whose others are numbers.

    Where it is too wide, titles are broken rather than numbers; the first `whole` columns, such as keys to be copied,
    are never broken.
    """
    made = Table(box=None, pad_edge=False, header_style="bold")
    shown = [[visible(cell) for cell in row] for row in rows]
    for index, column in enumerate(_titles([visible(column) for column in columns], shown)):
        justify: Literal["left", "right"] = "left" if index < text else "right"
        made.add_column(column, justify=justify, overflow="fold", no_wrap=index < whole)
    for cells in shown:
        made.add_row(*cells)
    return made


def _titles(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Titles of a table; where it would be too wide, words and unit of a title are in lines of their own."""
    widths = [max(len(title), *(len(row[k]) for row in rows), 0) for k, title in enumerate(columns)]
    if sum(widths) + GAP * (len(columns) - 1) <= results().width:
        return list(columns)
    parts = [title.partition(" [") for title in columns]
    return [words.replace(" ", "\n") + bracket.replace(" ", "\n") + unit for words, bracket, unit in parts]


def counted(things: Sized, word: str) -> str:
    """How many of what.

    >>> counted("a", "link"), counted("ab", "link")
    ('1 link', '2 links')
    """
    return f"{len(things)} {word}{'s' * (len(things) != 1)}"


ROUNDING = 1e-18
"""Whatever is smaller in SI units is what rounding left of zero."""


def number(x: float, digits: int = 4) -> str:
    """A number for people.

    >>> number(0.000123456), number(12000.0), number(-0.0), number(3.35e-6), number(3.55e-28)
    ('0.0001235', '12000', '0', '3.35e-06', '0')
    """
    if abs(x) < ROUNDING:
        return "0"
    return f"{float(f'{x + 0.0:.{digits}g}'):.10g}"


def vector(values: Sequence[float], digits: int = 3) -> str:
    """A vector for people; what is only rounding beside the largest element is zero.

    >>> vector((6.1e-17, 1.0, -0.5))
    '0, 1, -0.5'
    """
    rounding = 1e-12 * max(abs(x) for x in values)
    return ", ".join(number(x if abs(x) > rounding else 0.0, digits) for x in values)
