"""Every example runs, is short, and ends with an assertion on a number of its docstring."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")


def test_every_example_has_a_number_of_its_own():
    numbers = [int(file.name[:2]) for file in EXAMPLES]
    assert numbers == list(range(1, len(numbers) + 1)), "numbered without gaps"


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_example_runs(file, capsys):
    runpy.run_path(str(file), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_example_asserts_a_number_of_its_docstring(file):
    source = file.read_text()
    tree = ast.parse(source)
    checks = [node for node in tree.body if isinstance(node, ast.Assert)]
    assert tree.body[-1] is checks[-1]
    assert len(source.splitlines()) <= 60
    stated = set(NUMBER.findall(ast.get_docstring(tree)))
    assert any(set(NUMBER.findall(ast.unparse(check))) & stated for check in checks)
