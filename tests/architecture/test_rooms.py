"""The house: a room imports only rooms below it, backends are known in one room, files and functions stay small."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import gearwright

HOUSE = Path(gearwright.__file__).parent
ROOMS = (
    "algebra",
    "parts",
    "files",
    "catalogue",
    "mechanism",
    "dynamics",
    "forces",
    "kernels",
    "plots",
    "motion",
    "control",
    "simulation",
    "identification",
    "design",
    "export",
    "report",
    "studio",
    "cli",
)
"""From the cellar to the roof: what is written first may be imported by what comes later."""
SHARED = {"errors", "_version", "text"}
FILES = sorted(HOUSE.rglob("*.py"))
HEAVY = {"casadi", "llvmlite", "sympy", "jax"}


def room_of(file: Path) -> str:
    parts = file.relative_to(HOUSE).parts
    return parts[0] if len(parts) > 1 else parts[0].removesuffix(".py")


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def imported(file: Path) -> set[str]:
    """Full names of all modules a file imports, inside functions too; `from a import b` counts as a.b."""
    found: set[str] = set()
    package = ("gearwright", *file.relative_to(HOUSE).parent.parts)
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) - node.level + 1]) + "." if node.level else ""
            found |= {f"{start}{node.module or ''}.{alias.name}".replace("..", ".") for alias in node.names}
    return found


def rooms_imported(file: Path) -> set[str]:
    """The rooms behind a file's imports; the package itself stands for every room its front door opens."""
    rooms: set[str] = set()
    for name in imported(file):
        first, _, rest = name.partition(".")
        if first != "gearwright":
            continue
        room = rest.partition(".")[0]
        if room in ROOMS or room in SHARED:
            rooms.add(room)
        elif file != HOUSE / "__init__.py":
            rooms |= rooms_imported(HOUSE / "__init__.py")
    return rooms


def test_every_folder_is_a_room():
    assert {path.name for path in HOUSE.iterdir() if (path / "__init__.py").exists()} <= set(ROOMS)


@pytest.mark.parametrize("file", [f for f in FILES if room_of(f) in ROOMS], ids=lambda f: str(f.relative_to(HOUSE)))
def test_rooms_import_only_below(file):
    below = set(ROOMS[: ROOMS.index(room_of(file)) + 1]) | SHARED
    assert rooms_imported(file) <= below


@pytest.mark.parametrize("name", sorted(SHARED))
def test_what_every_room_imports_imports_no_room(name):
    assert rooms_imported(HOUSE / f"{name}.py") <= SHARED


def test_the_import_test_sees_imports():
    """The test above would be empty if it did not find what is plainly there."""
    assert {"algebra", "mechanism"} <= rooms_imported(HOUSE / "dynamics" / "inverse_dynamics.py")
    assert "kernels" in rooms_imported(HOUSE / "__init__.py")
    assert "casadi" in {name.partition(".")[0] for f in FILES if room_of(f) == "kernels" for name in imported(f)}


@pytest.mark.parametrize("room", ["algebra", "dynamics"])
def test_recursions_know_no_array_library(room):
    known = {name.partition(".")[0] for f in FILES if room_of(f) == room for name in imported(f)}
    assert not known & {"numpy", "scipy", *HEAVY}


def test_backends_are_known_in_one_room():
    for file in FILES:
        if room_of(file) != "kernels":
            assert not {name.partition(".")[0] for name in imported(file)} & HEAVY, file


def test_importing_gearwright_is_light():
    """Backends and figures are imported at the call that needs them."""
    code = "import sys, gearwright; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {*HEAVY, "matplotlib", "mujoco", "pinocchio", "typer"}


def functions(file: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree(file)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function below its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(HOUSE)))
def test_files_and_functions_are_small(file):
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    long = {f.name: body_lines(f) for f in functions(file) if body_lines(f) > 60}
    assert not long
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print" or room_of(file) == "cli", f"print in line {node.lineno}"
    assert "TODO" not in text
    assert "FIXME" not in text


def test_the_median_function_is_short():
    assert statistics.median(body_lines(f) for file in FILES for f in functions(file)) <= 10
