"""Figures that the manual's own code draws, at every build, so that picture and code cannot differ."""

from __future__ import annotations

import doctest
import os
import tempfile
from contextlib import chdir
from pathlib import Path

PAGES = ("control", "kinematics", "laws", "motion", "pictures")
"""Pages whose code saves figures, which they show from reference/generated."""


def draw_figures(source: Path, folder: Path) -> None:
    """Run the code of the pages and keep the pictures it writes."""
    for page in PAGES:
        text = (source / f"{page}.md").read_text(encoding="utf-8")
        code = "".join(example.source for example in doctest.DocTestParser().get_examples(text))
        with tempfile.TemporaryDirectory() as place, chdir(place):
            exec(compile(code, f"{page}.md", "exec"), {"__name__": "page"})
            for picture in Path(place).glob("*.svg"):
                fresh = folder / f"{picture.name}.{os.getpid()}"  # whole or not at all: two builds may run at once
                fresh.write_bytes(picture.read_bytes())
                fresh.replace(folder / picture.name)
