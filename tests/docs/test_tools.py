"""What makes the manual's material: notebooks of the examples, pictures of gears, what examples print."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))
IMAGES = ROOT / "docs" / "images"


def tool(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_a_notebook_is_the_example_cell_by_cell(file):
    """Joined, its cells are the program; the text is its docstring."""
    source = file.read_text(encoding="utf-8")
    made = json.loads(json.dumps(tool("notebooks").notebook(source)))
    first, *rest = made["cells"]
    whole = ast.parse(source)
    assert "".join(first["source"]) == f"# {ast.get_docstring(whole)}"
    joined = "\n".join("".join(cell["source"]) for cell in rest)
    assert ast.dump(ast.parse(joined)) == ast.dump(ast.Module(whole.body[1:], []))
    assert {cell["cell_type"] for cell in rest} == {"code"}
    assert made["nbformat"] == 4


def test_the_picture_of_the_layers_and_the_list_of_packages_are_up_to_date():
    """`make architecture` renews both from the sources."""
    architecture = tool("architecture")
    assert architecture.main(["--check"]) == 0
    folders = {path.parent.name for path in architecture.SOURCE.glob("*/__init__.py")}
    assert sorted(architecture.packages()) == sorted(folders)
    assert ("dynamics", "mechanism") in architecture.imports().edges


def test_the_file_format_states_every_key_with_words_and_its_unit_once():
    spec = importlib.util.spec_from_file_location("schema_page", ROOT / "docs" / "_ext" / "schema_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    keys = re.findall(r"^- \*\*`\w+`\*\* \((.*?)\)(?:: (.*))?$", module.schema_page(), re.MULTILINE)
    assert len(keys) > 500
    for kind, words in keys:
        assert words, f"a key of kind {kind} has no words"
        for unit in re.findall(r"\bin ([^ ,)]+)", kind):
            assert f"[{unit}]" not in words


def test_every_gear_and_every_example_has_its_picture_or_text():
    """`make pictures` makes them."""
    gears = {file.stem for file in (ROOT / "examples" / "gears").glob("*.yaml")}
    assert gears == {file.stem for file in (IMAGES / "gears").glob("*.png")}
    assert {file.stem for file in EXAMPLES} == {file.stem for file in (IMAGES / "examples").glob("*.txt")}


def test_deviations_are_gathered_by_the_largest():
    """What was not measured anew stays, unless its test file is gone."""
    row = {"reference": "r", "what": "w", "bound": 1.0, "test": "tests/docs/test_tools.py"}
    old = {**row, "what": "kept", "deviation": 0.5, "cases": 3}
    gone = {**old, "what": "gone", "test": "tests/docs/test_nothing.py"}
    found = tool("validation").gathered([old, gone], [{**row, "deviation": 0.1}, {**row, "deviation": 0.3}])
    assert found == [old, {**row, "deviation": 0.3, "cases": 2}]


def test_every_row_of_the_validation_is_of_a_test_that_compares():
    callers = tool("validation").callers()
    noted = json.loads((ROOT / "docs" / "_static" / "validation.json").read_text(encoding="utf-8"))
    assert {row["test"] for row in noted} <= set(callers)
