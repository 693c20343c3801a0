"""Results that draw themselves, in notebooks too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any, Protocol

from gearwright.text import html

LONGEST = 300
"""Letters of a text that is shown above the figure; longer ones are lists of numbers."""


class Drawable(Protocol):
    """What has a figure."""

    def plot(self) -> Any:
        """The figure."""


class Shown:
    """A result that a notebook shows as its figure, with what it is above it."""

    def _repr_html_(self: Drawable) -> str:
        return notebook(self)


def notebook(result: Drawable) -> str:
    """A result as HTML: its text, if that is short, and its figure."""
    text = str(result)
    words = text if len(text) <= LONGEST else type(result).__name__
    return f"<p>{html(words)}</p>{svg(result.plot())}"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as HTML.

    >>> table(["link", "mass"], [("<arm>", 2.0)])
    '<table><tr><th>link</th><th>mass</th></tr><tr><td>&lt;arm&gt;</td><td>2.0</td></tr></table>'
    """
    head = "".join(f"<th>{html(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{html(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def svg(page: Any) -> str:
    """A matplotlib figure as an SVG element for a page, letters as paths: it looks the same on every machine."""
    buffer = StringIO()
    page.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
