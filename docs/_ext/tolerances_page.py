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
            if not isinstance(node, ast.Assign | ast.AnnAssign):
                continue
            comment = text.splitlines()[node.lineno - 1].partition("  # ")[2]
            description = " ".join((_docstring(after) or comment).split()).replace("|", "\\|")
            for name, value in _assigned_numbers(node):
                yield Constant(str(path.relative_to(SOURCE)), name, ast.unparse(value), description)


def _assigned_numbers(node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[str, ast.expr]]:
    """The constants in capitals that a statement assigns, alone or as `A, B = 1.0, 2.0`."""
    target, value = node.targets[0] if isinstance(node, ast.Assign) else node.target, node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
    else:
        pairs = [(target, value)] if value is not None else []
    for name, number in pairs:
        if isinstance(name, ast.Name) and name.id.lstrip("_").isupper() and _is_number(number):
            yield name.id, number


def _is_number(value: ast.expr | None) -> bool:
    """Whether an expression computes a number from numbers and constants, such as `256 * 2**20` or `10 * EPSILON`."""
    kinds = (ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    kinds += (ast.expr_context,)
    if value is None or not all(isinstance(node, kinds) for node in ast.walk(value)):
        return False
    names = [node for node in ast.walk(value) if isinstance(node, ast.Name | ast.Attribute)]
    values = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
    is_plain = all(isinstance(x, int | float) and not isinstance(x, bool) for x in values)
    return is_plain and bool(values or names) and all(_is_numeric_name(ast.unparse(name)) for name in names)


NUMERIC_NAMES = ("np", "math", "np.pi", "math.pi", "np.finfo", "np.finfo(float)", "np.log10", "math.radians", "float")
NUMERIC_NAMES += ("pi", "sqrt", "radians", "log", "cos", "sin")
"""Names that constants are computed with."""


def _is_numeric_name(name: str) -> bool:
    return name.isupper() or name in NUMERIC_NAMES or name.startswith("np.finfo(float).")


def _docstring(node: ast.stmt | None) -> str:
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
