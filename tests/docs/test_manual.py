"""The manual builds without a warning, names every public name, and its pages need no network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gearwright as gw

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def manual(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("manual")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(folder)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.slow
def test_every_public_name_is_in_it(manual):
    page = (manual / "reference" / "generated" / "api.html").read_text()
    names = [f"gearwright.{name}" for name in gw.__all__ if not name.startswith("__") and name != "parts"]
    names += [f"gearwright.parts.{name}" for name in gw.parts.__all__ if isinstance(getattr(gw.parts, name), type)]
    missing = [name for name in names if f'id="{name}"' not in page and f'id="module-{name}"' not in page]
    assert not missing


@pytest.mark.slow
def test_every_command_and_word_of_the_file_format_is_in_it(manual):
    commands = (manual / "reference" / "generated" / "commands.html").read_text()
    for name in ("list", "info", "check", "torque", "compare", "convert", "schema", "demo"):
        assert f'id="{name}"' in commands
    words = (manual / "reference" / "generated" / "file_format.html").read_text()
    for word in ("mounted_on", "stiffness", "transverse_inertia", "follows", "effective", "lead"):
        assert f">{word}</span>" in words


@pytest.mark.slow
def test_pages_need_no_network(manual):
    loaded = re.compile(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="https?://')
    for page in manual.rglob("*.html"):
        assert not loaded.search(page.read_text()), page


def test_public_names_exist_and_are_documented():
    for name in gw.__all__:
        thing = getattr(gw, name)
        assert isinstance(thing, str) or (thing.__doc__ or "").strip(), name
