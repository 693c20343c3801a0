"""Results with a figure, shown in notebooks."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from io import BytesIO, StringIO
from typing import Any, Protocol

from gearwright.text import html_text

MAX_TEXT_ABOVE_FIGURE = 300
"""Most characters of a text above the figure; longer ones are lists of numbers."""


class Drawable(Protocol):
    """A result with a figure."""

    def plot(self) -> Any:
        """Return the figure."""


class NotebookFigure:
    """A result that a notebook shows as its figure, with its text above."""

    def _repr_html_(self: Drawable) -> str:
        return notebook_html(self)


def notebook_html(result: Drawable) -> str:
    """Return a result as HTML: its text, if short, and its figure."""
    text = str(result)
    words = text if len(text) <= MAX_TEXT_ABOVE_FIGURE else type(result).__name__
    return f"<p>{html_text(words)}</p>{svg_text(result.plot())}"


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as HTML.

    >>> html_table(["link", "mass"], [("<arm>", 2.0)])
    '<table><tr><th>link</th><th>mass</th></tr><tr><td>&lt;arm&gt;</td><td>2.0</td></tr></table>'
    """
    head = "".join(f"<th>{html_text(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{html_text(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def png_url(page: Any, dots_per_inch: int = 130) -> str:
    """Return a matplotlib figure as a bitmap in a data URL, for pictures of thousands of triangles."""
    buffer = BytesIO()
    page.savefig(buffer, format="png", dpi=dots_per_inch, metadata={"Software": None})
    return f"data:image/png;base64,{b64encode(buffer.getvalue()).decode()}"


def svg_text(page: Any) -> str:
    """Return a matplotlib figure as an SVG element with text as paths, independent of installed fonts."""
    buffer = StringIO()
    page.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
