"""The pages on the five works: what they name exists, and no equation is left out."""

from __future__ import annotations

import ast
import pkgutil
import re
from pathlib import Path

import pytest

import gearwright as gw

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("works*.md"))
SPAN = re.compile(r"`([^`\n]+)`")
EQUATIONS = {  # per page the numbers of all its equations
    "works_sciavicco": range(1, 46),
    "works_chen_wang": range(1, 47),
    "works_melhem_loria": range(1, 34),
    "works_fernini": range(1, 91),
    "works_vukobratovic": range(1, 112),
}
FIRST_CELL = re.compile(r"^\| ([^|]*\([^|]*) \|", re.MULTILINE)
NUMBERS = re.compile(r"\((?:20\.)?(\d+)\)(?:-\((?:20\.)?(\d+)\))?")


def spans(kind: str) -> list:
    """Per page what stands in code spans and begins as told."""
    found = {(page.stem, text) for page in PAGES for text in SPAN.findall(page.read_text()) if text.startswith(kind)}
    return [pytest.param(text, id=f"{stem}-{text}") for stem, text in sorted(found)]


@pytest.mark.parametrize("name", spans("gw.") + spans("gearwright."))
def test_function_exists(name):
    if robot := re.fullmatch(r'gw\.load\("(.+)"\)', name):
        assert gw.load(robot[1]).links
    else:
        module, _, rest = re.sub(r"^gw\.", "gearwright.", name).partition(".")
        thing = pkgutil.resolve_name(f"{module}.{rest.split('.')[0]}")
        for word in rest.split(".")[1:]:
            assert hasattr(thing, word) or word in getattr(thing, "__annotations__", {}), name
            thing = getattr(thing, word, None)


@pytest.mark.parametrize("name", spans("tests/"))
def test_test_exists(name):
    file, _, function = name.partition("::")
    tree = ast.parse((ROOT / file).read_text())
    tests = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert function in tests if function else any(x.startswith("test_") for x in tests)


@pytest.mark.parametrize("name", spans("examples/"))
def test_example_exists(name):
    assert len(list(ROOT.glob(name))) == 1, "examples are named without their number"


@pytest.mark.parametrize("stem", EQUATIONS)
def test_every_equation_has_a_row(stem):
    """In the first of the tables, "Where to find it"; also that the test above it names no number twice."""
    text = (ROOT / "docs" / f"{stem}.md").read_text()
    table = text.split("## Where to find it")[1].split("\n## ")[0]
    listed = [
        number
        for cell in FIRST_CELL.findall(table)
        for first, last in NUMBERS.findall(cell)
        for number in range(int(first), int(last or first) + 1)
    ]
    assert listed == list(EQUATIONS[stem])


def test_no_page_points_outside():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            generated = target.startswith("reference/generated/")
            assert generated or (page.parent / target).exists(), f"{page.name}: {target}"
