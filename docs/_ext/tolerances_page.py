"""Every tolerance and numerical limit, from the constants of the sources and what is written below each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import gearwright

SOURCE = Path(gearwright.__file__).parent

INTRODUCTION = """# Tolerances and numerical limits

Generated from the sources. Each row names a constant, its value, and its meaning: a unit in brackets where it is a
physical quantity, otherwise what it is relative to. `import` paths follow from the file, for example
`gearwright.analysis.drives.limit_checks.LIMIT_TOLERANCE`.
"""


class Constant(NamedTuple):
    """A number that a module names."""

    file: str
    name: str
    value: str
    description: str


def tolerances_page() -> str:
    """One table per package."""
    packages: dict[str, list[Constant]] = {}
    for constant in numeric_constants():
        package = constant.file.partition("/")[0] if "/" in constant.file else "gearwright"
        packages.setdefault(package, []).append(constant)
    sections = [_section(package, constants) for package, constants in packages.items()]
    return "\n".join([INTRODUCTION, *sections])


def _section(package: str, constants: list[Constant]) -> str:
    rows = [f"| `{c.name}` | {c.value} | {c.description} | `{c.file}` |" for c in constants]
    return "\n".join([f"## {package}", "", "| constant | value | meaning | file |", "|---|---|---|---|", *rows, ""])


def numeric_constants() -> Iterator[Constant]:
    """The described numbers of all modules, by file."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        body = ast.parse(text).body
        for node, after in zip(body, [*body[1:], None], strict=True):
            name = _constant_name(node)
            if name is not None and isinstance(node, ast.Assign | ast.AnnAssign) and _is_number(node.value):
                comment = text.splitlines()[node.lineno - 1].partition("  # ")[2]
                description = " ".join((_docstring(after) or comment).split())
                value = ast.unparse(node.value) if node.value is not None else ""
                yield Constant(str(path.relative_to(SOURCE)), name, value, description.replace("|", "\\|"))


def _constant_name(node: ast.stmt) -> str | None:
    single = node.target if isinstance(node, ast.AnnAssign) else None
    target = node.targets[0] if isinstance(node, ast.Assign) else single
    return target.id if isinstance(target, ast.Name) and target.id.lstrip("_").isupper() else None


def _is_number(value: ast.expr | None) -> bool:
    """Whether an expression holds numbers alone, such as `256 * 2**20`."""
    kinds = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    if value is None or not all(isinstance(node, kinds) for node in ast.walk(value)):
        return False
    values = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
    return all(isinstance(x, int | float) and not isinstance(x, bool) for x in values)


def _docstring(node: ast.stmt | None) -> str:
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
