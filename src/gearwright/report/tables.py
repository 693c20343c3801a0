"""HTML of tables and figures of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from gearwright.plots import png_url
from gearwright.text import html_text

UNKNOWN_CELL = "–"
COLUMNS_PER_TABLE = 6
"""Columns of drives in a table: more do not fit an A4 page, and a further table follows."""
CELL_CLASS = " class=words"
"""Of cells aligned left."""
T = TypeVar("T")


def column_blocks(items: Sequence[T], most: int = COLUMNS_PER_TABLE) -> Iterator[Sequence[T]]:
    """Return columns in blocks of nearly equal size, each with at most `most`.

    >>> [len(block) for block in column_blocks(range(7))]
    [4, 3]
    """
    count = -(-len(items) // most)
    start = 0
    for k in range(count):
        size = len(items) // count + (k < len(items) % count)
        yield items[start : start + size]
        start += size


def table_row(cells: Sequence[str], words: int = 1, mark: str = "") -> str:
    """Return a row of cells (HTML), the first `words` aligned left."""
    kind = f' class="{mark}"' if mark else ""
    return f"<tr{kind}>{''.join(f'<td{CELL_CLASS * (k < words)}>{cell}</td>' for k, cell in enumerate(cells))}</tr>"


def wrapped_table(head: Sequence[str], rows: Sequence[str], kind: str = "", words: int = 1) -> str:
    """Return a table that scrolls on a narrow screen; its head consists of plain texts, the first `words` left."""
    cells = "".join(f"<th{CELL_CLASS * (k < words)}>{html_text(cell)}</th>" for k, cell in enumerate(head))
    mark = f' class="{kind}"' if kind else ""
    return f'<div class="wide"><table{mark}><thead><tr>{cells}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def figure_html(content: str, caption: str) -> str:
    """Return a figure element with a caption."""
    return f"<figure>{content}<figcaption>{html_text(caption)}</figcaption></figure>"


def picture_html(figure: Any, text: str) -> str:
    """Return a matplotlib figure as an embedded bitmap, for pictures of thousands of triangles."""
    return f'<img alt="{html_text(text)}" src="{png_url(figure)}">'


def page_break(title: str, anchor: str = "") -> str:
    """Return a heading that starts a new page in print."""
    mark = f' id="{html_text(anchor)}"' if anchor else ""
    return f'<h2 class="page"{mark}>{html_text(title)}</h2>'
