"""Output of the commands: results on standard output, remarks and errors on standard error, JSON for programs."""

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
from rich.table import Table
from rich.text import Text

from gearwright.text import json_text, visible_lines, visible_text

STANDARD_OUTPUT = Path("-")
"""The name of standard output, where a command takes an output file."""

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


class PlainConsole(Console):
    """A terminal that shows text literally: no markup, no emoji codes, control characters escaped.

    Bold text is a `Text`, see `heading_text`.
    """

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text as Rich renders it; cells of tables and trees pass through here too."""
        return super().render_str(visible_lines(text), **options)


def result_screen() -> PlainConsole:
    """Return standard output: colour on a terminal only, 80 columns without one."""
    return PlainConsole()


def remark_screen() -> PlainConsole:
    """Return standard error, for remarks; --quiet suppresses them."""
    screen = PlainConsole(stderr=True)
    screen.quiet = _quiet.get()
    return screen


def heading_text(name: str, continuation: str = "") -> Text:
    """Return a heading: a name in bold, followed by plain text."""
    return Text.assemble((visible_text(name), "bold"), visible_lines(continuation))


@contextmanager
def silence_remarks(wanted: bool) -> Iterator[None]:
    """Suppress remarks and progress bars if wanted."""
    before = _quiet.set(wanted)
    try:
        yield
    finally:
        _quiet.reset(before)


def print_remark(text: str) -> None:
    """Print a remark on standard error, so that standard output stays readable by programs."""
    remark_screen().print(wrap_text(text), style="dim", soft_wrap=True)


def mention_figure(path: Path | None) -> None:
    """Print the path of a figure that was written."""
    if path is not None:
        print_remark(f"Figure: {path}")


def wrap_text(text: str) -> str:
    """Return a text in lines that fit the screen; continued lines are indented and file names are not broken."""
    width = remark_screen().width
    wrapped_lines: list[str] = []
    for line in visible_lines(text).split("\n"):
        margin = " " * (len(line) - len(line.lstrip()) + 4)
        wrapped_lines += wrap(
            line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
        ) or [""]
    return "\n".join(wrapped_lines)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error; yields a function of (done, total)."""
    from rich.progress import Progress

    with Progress(console=remark_screen(), transient=True) as bar:
        line = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(line, completed=done, total=total)


def print_error(text: str) -> None:
    """Print an error message."""
    message = Text(wrap_text(f"Error: {text}"))
    message.stylize("bold red", 0, len("Error:"))
    PlainConsole(stderr=True).print(message, soft_wrap=True)


def write_json(value: Any) -> None:
    """Write a value as JSON on standard output; infinity and NaN, which JSON does not have, become null."""
    sys.stdout.write(json_text(_finite_or_none(value)) + "\n")


def _finite_or_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite_or_none(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite_or_none(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def column_data(t: Iterable[float], series: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return time series for JSON, as the columns of a CSV file.

    >>> import numpy as np
    >>> column_data(np.array([0, 0.5]), {"q.j1": np.array([1, 2])})
    {'t': [0.0, 0.5], 'q.j1': [1.0, 2.0]}
    """
    return {name: [float(x) for x in values] for name, values in {"t": t, **series}.items()}


def write_data(text: str) -> None:
    """Write a text for a program on standard output; at a terminal, control characters are escaped."""
    sys.stdout.write(visible_lines(text) if sys.stdout.isatty() else text)


COLUMN_GAP = 2
"""Spaces between two columns of a table."""


def plain_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], text: int = 1, unbroken_columns: int = 0
) -> Table:
    """Return a plain table whose first `text` columns are left-aligned words and whose others are numbers.

    If it is too wide, titles are broken rather than numbers; the first `unbroken_columns`, such as keys, never are.
    """
    result = Table(box=None, pad_edge=False, header_style="bold")
    shown = [[visible_text(cell) for cell in row] for row in rows]
    for index, column in enumerate(_column_titles([visible_text(column) for column in columns], shown)):
        justify: Literal["left", "right"] = "left" if index < text else "right"
        result.add_column(column, justify=justify, overflow="fold", no_wrap=index < unbroken_columns)
    for cells in shown:
        result.add_row(*cells)
    return result


def _column_titles(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the titles of a table; if it is too wide, words and unit of a title are put on separate lines."""
    widths = [max(len(title), *(len(row[k]) for row in rows), 0) for k, title in enumerate(columns)]
    if sum(widths) + COLUMN_GAP * (len(columns) - 1) <= result_screen().width:
        return list(columns)
    parts = [title.partition(" [") for title in columns]
    return [words.replace(" ", "\n") + bracket.replace(" ", "\n") + unit for words, bracket, unit in parts]


def count_text(items: Sized, word: str) -> str:
    """Return a count with its noun.

    >>> count_text("a", "link"), count_text("ab", "link")
    ('1 link', '2 links')
    """
    return f"{len(items)} {word}{'s' * (len(items) != 1)}"


ZERO_DISPLAY_LIMIT = 1e-18
"""Smaller magnitudes, in SI units, are rounding errors and shown as 0."""


def number_text(x: float, digits: int = 4) -> str:
    """Return a number as text, rounded to some digits.

    >>> number_text(0.000123456), number_text(12000.0), number_text(-0.0), number_text(3.35e-6), number_text(3.55e-28)
    ('0.0001235', '12000', '0', '3.35e-06', '0')
    """
    if abs(x) < ZERO_DISPLAY_LIMIT:
        return "0"
    return f"{float(f'{x + 0.0:.{digits}g}'):.10g}"


def vector_text(values: Sequence[float], digits: int = 3) -> str:
    """Return a vector as text; elements below 1e-12 of the largest are shown as 0.

    >>> vector_text((6.1e-17, 1.0, -0.5))
    '0, 1, -0.5'
    """
    rounding = 1e-12 * max(abs(x) for x in values)
    return ", ".join(number_text(x if abs(x) > rounding else 0.0, digits) for x in values)
