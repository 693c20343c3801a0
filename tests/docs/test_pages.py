"""The code in the manual's pages runs, and its YAML is a robot."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import gearwright as gw

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
YAML = [
    pytest.param(text, id=f"{page.stem}-{k}")
    for page in PAGES
    for k, text in enumerate(re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doctest.testfile(str(page), module_relative=False).failed == 0


@pytest.mark.parametrize("text", YAML)
def test_yaml_is_a_robot(text, tmp_path):
    path = tmp_path / "robot.yaml"
    path.write_text(text)
    mech = gw.assemble(gw.load(path))
    assert mech.n >= 2
