"""The page of tolerances is complete: every constant of every module that is no whole number, with its unit."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import gearwright

ROOT = Path(gearwright.__file__).parent
sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_ext"))
from tolerances_page import numeric_constants, tolerances_page  # noqa: E402

SHOWN_ONLY = ("plots", "scene", "works", "bench", "studio", "cli")
"""Packages whose constants are sizes of drawings and texts."""
UNIT_OR_RELATION = re.compile(
    r"\[[^\]]+\]|relative|ratio|share|factor|times|multiple|exponent|fraction|cosine|sine|logarithm|square|unit|"
    r"round|weight|coefficient|cost|power",
    re.IGNORECASE,
)


def capital_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(name, ast.Name) and name.id.lstrip("_").isupper():
                    yield name.id


def float_constants() -> Iterator[tuple[str, str]]:
    """File and name of every constant in capitals whose value is a float, from the modules themselves."""
    for path in sorted(ROOT.rglob("*.py")):
        file = str(path.relative_to(ROOT))
        names = list(capital_names(ast.parse(path.read_text(encoding="utf-8"))))
        if not names or path.name == "__main__.py":
            continue
        module = importlib.import_module("gearwright." + file[:-3].replace("/", ".").removesuffix(".__init__"))
        yield from ((file, name) for name in names if isinstance(getattr(module, name), float))


def test_every_tolerance_is_listed_with_its_unit():
    listed = {(constant.file, constant.name): constant.description for constant in numeric_constants()}
    constants = [place for place in float_constants() if not place[0].startswith(SHOWN_ONLY)]
    assert len(constants) > 200
    assert not [place for place in constants if place not in listed]
    assert not [(place, listed[place]) for place in constants if not UNIT_OR_RELATION.search(listed[place])]


def test_the_page_has_a_row_per_constant():
    text = tolerances_page()
    assert (
        "| `GUARD_VIOLATION_LEVEL` | 5e-10 | Guards below minus this, relative to their scale, are violated. |" in text
    )
    assert text.count("\n| `") == len(list(numeric_constants()))
