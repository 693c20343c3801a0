"""The manual builds without a warning, names every public name, and its pages need no network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
import typer

import gearwright as gw
from gearwright.cli.app import app
from support.chromium import chromium_path, launched

DOCS = Path(__file__).parents[2] / "docs"
LOADED = re.compile(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="https?://')


@pytest.mark.slow
def test_the_manual(tmp_path):
    """One test, so that the manual is built once."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(tmp_path)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    generated = tmp_path / "reference" / "generated"
    names_every_public_name(
        "".join(page.read_text() for page in [generated / "api.html", *generated.glob("gw_*.html")])
    )
    names_every_command((generated / "commands.html").read_text())
    names_words_of_files((generated / "file_format.html").read_text())
    for page in tmp_path.rglob("*.html"):
        text = page.read_text()
        assert not LOADED.search(text), f"{page} needs the network"
        assert "gearwright.example" not in text, f"{page} has a link that leads nowhere"


NOTEBOOK_SCREEN = {"width": 1366, "height": 768}
"""The most common screen of a notebook, in pixels."""
RIGHT_EDGE = "() => document.querySelector('.toc-drawer').getBoundingClientRect().right"


@pytest.mark.slow
def test_the_contents_column_is_visible_on_a_notebook(tmp_path):
    """A page with the theme and our style sheet, in a real browser; skipped by name without one."""
    playwright = pytest.importorskip("playwright.sync_api", reason="contents column: Playwright is not installed")
    source = tmp_path / "source"
    shutil.copytree(DOCS / "_static", source / "_static")
    (source / "index.md").write_text("# Page\n\n## First\n\nWords.\n\n## Second\n\nWords.\n")
    settings = ["html_theme = 'furo'", "extensions = ['myst_parser']", "html_static_path = ['_static']"]
    (source / "conf.py").write_text("\n".join([*settings, "html_css_files = ['wide.css']"]))
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(source), str(tmp_path / "html")]
    subprocess.run(command, check=True)
    with playwright.sync_playwright() as running:
        if chromium_path(running) is None:
            pytest.skip("contents column: no Chromium was found; `make browser` installs one where it can")
        browser = launched(running)
        page = browser.new_page(viewport=NOTEBOOK_SCREEN)
        page.goto((tmp_path / "html" / "index.html").as_uri())
        assert 0 < page.evaluate(RIGHT_EDGE) <= NOTEBOOK_SCREEN["width"]
        browser.close()


def names_every_public_name(page):
    """Front door and namespaces; what stands in several of them is described once."""
    spaces = {name: getattr(gw, name) for name in gw.__all__ if isinstance(getattr(gw, name), ModuleType)}
    assert not [name for name in spaces if f'href="gw_{name}.html"' not in page]
    names: dict[int, list[str]] = {}
    for place, space in {"gearwright": gw, **{f"gearwright.{name}": space for name, space in spaces.items()}}.items():
        for name in space.__all__:
            if isinstance(getattr(space, name), type | FunctionType):
                names.setdefault(id(getattr(space, name)), []).append(f"{place}.{name}")
    assert not [known for known in names.values() if not any(f'id="{name}"' in page for name in known)]


def names_every_command(page):
    for name in typer.main.get_command(app).commands:
        assert f'id="{name}"' in page, name


def names_words_of_files(page):
    for word in ("mounted_on", "stiffness", "transverse_inertia", "follows", "effective", "lead"):
        assert f">{word}</span>" in page, word


def test_public_names_exist_and_are_documented():
    for name in gw.__all__:
        thing = getattr(gw, name)
        assert isinstance(thing, str) or (thing.__doc__ or "").strip(), name
