"""The quick start of the README runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def quick_start() -> str:
    """The first Python block below the heading "Quick start"."""
    text = README.read_text(encoding="utf-8")
    found = re.search(r"^#+ +Quick start\b.*?^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE | re.IGNORECASE)
    if found is None:
        pytest.skip("README.md has no quick start yet")
    return found.group(1)


def test_quick_start_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    exec(compile(quick_start(), "README.md", "exec"), {"__name__": "__main__"})


def test_quick_start_is_short():
    assert sum(bool(line.strip()) for line in quick_start().splitlines()) <= 20
