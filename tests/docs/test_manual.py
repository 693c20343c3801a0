"""The manual builds without a warning, names every public name, and its pages need no network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
import typer

import gearwright as gw
from gearwright.cli.app import app

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
        assert not LOADED.search(page.read_text()), f"{page} needs the network"


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
