"""Widths of pictures are in quotes: without them MyST takes % for a comment and prints the braces."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_widths_are_in_quotes():
    sources = [*DOCS.glob("*.md"), *(DOCS / "_ext").glob("*.py")]
    assert any('{width="' in source.read_text(encoding="utf-8") for source in sources)
    bare = [source.name for source in sources if re.search(r"\{width=\d", source.read_text(encoding="utf-8"))]
    assert bare == []
