"""Pages written from the code at every build, so that they cannot differ from it."""

from __future__ import annotations

import os
from pathlib import Path

from api_page import api_pages
from command_page import command_page
from example_page import example_page
from gallery_page import gallery_page
from page_figures import draw_figures
from schema_page import schema_page
from sphinx.application import Sphinx
from tolerances_page import tolerances_page
from validation_page import validation_page

PAGES = {
    "commands": command_page,
    "examples": example_page,
    "file_format": schema_page,
    "gear_gallery": gallery_page,
    "tolerances": tolerances_page,
    "validation": validation_page,
}


def _write(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "reference" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**api_pages(), **{name: page() for name, page in PAGES.items()}}.items():
        file = folder / f"{name}.md"
        if not file.exists() or file.read_text() != text:
            fresh = file.with_suffix(f".{os.getpid()}")  # whole or not at all: two builds may run at once
            fresh.write_text(text)
            fresh.replace(file)
    draw_figures(Path(app.srcdir), folder)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
