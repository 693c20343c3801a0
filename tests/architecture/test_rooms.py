"""The house: a room imports only rooms below it, backends are known in one room, files and functions stay small."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

import pytest

import gearwright

HOUSE = Path(gearwright.__file__).parent
ROOMS = (
    "algebra",
    "plots",
    "parts",
    "files",
    "catalogue",
    "mechanism",
    "dynamics",
    "forces",
    "programs",
    "tracing",
    "compiling",
    "functions",
    "equations",
    "motion",
    "system",
    "planning",
    "simulation",
    "control",
    "identification",
    "analysis",
    "design",
    "scene",
    "export",
    "bench",
    "report",
    "works",
    "studio",
    "cli",
)
"""From the cellar to the roof: what is written first may be imported by what comes later."""
SHARED = {"_version", "arguments", "arrays", "errors", "text"}
"""Files that every room may import."""
DOORS = {"__init__", "__main__", "actuation", "contact", "elastic"}
"""Files above all rooms: front doors that re-export."""
FILES = sorted(HOUSE.rglob("*.py"))
RECURSIONS = {("files", "attaching"): {"formats"}}
"""Imports that lead back on purpose: a robot that a file attaches may have any format, which may attach again."""
LIBRARIES = {
    "casadi": {"bench", "tracing"},
    "clarabel": {"identification"},
    "collada": {"scene"},
    "cvxpy": {"identification"},
    "distributed": {"design"},
    "eaik": {"planning"},
    "jax": {"bench", "tracing"},
    "llvmlite": {"compiling"},
    "lxml": {"files"},
    "matplotlib": {"plots"},
    "mujoco": {"bench", "files"},
    "networkx": {"functions", "mechanism"},
    "pinocchio": {"bench"},
    "pydantic": {"files"},
    "plotly": {"studio"},
    "pymoo": {"design"},
    "optuna": {"design"},
    "ruckig": {"motion"},
    "sksundae": {"simulation"},
    "sympy": {"equations"},
    "torch": {"export"},
    "trimesh": {"scene"},
    "typer": {"cli"},
    "viser": {"studio"},
    "xacrodoc": {"files"},
    "yaml": {"files"},
}
"""Which rooms know a library; a library that is not here may be used anywhere."""
HEAVY = {"casadi", "llvmlite", "sympy", "jax", "mujoco", "pydantic"}
ARRAYS_IN_ALGEBRA = {"operations.py", "varied_arrays.py", "variational.py"}
"""The files of `algebra` that know NumPy: one row of the backend table, and arrays whose elements have slopes."""


def room_of(file: Path) -> str:
    parts = file.relative_to(HOUSE).parts
    return parts[0] if len(parts) > 1 else parts[0].removesuffix(".py")


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def for_types_only(file: Path) -> set[ast.AST]:
    """What stands under `if TYPE_CHECKING`, which never runs."""
    guarded = [x for x in ast.walk(tree(file)) if isinstance(x, ast.If) and "TYPE_CHECKING" in ast.unparse(x.test)]
    return {node for branch in guarded for statement in branch.body for node in ast.walk(statement)}


def imported(file: Path, without: Collection[ast.AST] = ()) -> set[str]:
    """Full names of all modules a file imports, inside functions too; `from a import b` counts as a.b."""
    found: set[str] = set()
    package = ("gearwright", *file.relative_to(HOUSE).parent.parts)
    for node in ast.walk(tree(file)):
        if node in without:
            continue
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


def libraries(file: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(file)}


def test_every_folder_is_a_room():
    assert {path.name for path in HOUSE.iterdir() if (path / "__init__.py").exists()} == set(ROOMS)
    assert {path.stem for path in HOUSE.glob("*.py")} == SHARED | DOORS


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
    assert {"equations", "simulation"} <= rooms_imported(HOUSE / "__init__.py")
    assert "casadi" in {name for f in FILES if room_of(f) == "tracing" for name in libraries(f)}


def neighbours(file: Path) -> set[str]:
    """The files of its own room that a file imports, without those that only type checkers follow."""
    room = f"gearwright.{room_of(file)}."
    inside = {
        name.removeprefix(room).partition(".")[0]
        for name in imported(file, for_types_only(file))
        if name.startswith(room)
    }
    inside -= RECURSIONS.get((room_of(file), file.stem), set())
    return {name for name in inside if (file.parent / f"{name}.py").exists()} - {file.stem}


@pytest.mark.parametrize("room", ROOMS)
def test_files_of_a_room_form_no_circle(room):
    """Inside a room too there is a below and an above: no file imports one that needs it."""
    waiting = {file.stem: neighbours(file) for file in FILES if room_of(file) == room and file.stem != "__init__"}
    while waiting:
        ready = {name for name, needs in waiting.items() if not needs & waiting.keys()}
        assert ready, f"a circle among {', '.join(sorted(waiting))}"
        waiting = {name: needs for name, needs in waiting.items() if name not in ready}


def test_recursions_know_no_array_library():
    for file in FILES:
        if room_of(file) == "dynamics" or (room_of(file) == "algebra" and file.name not in ARRAYS_IN_ALGEBRA):
            assert not libraries(file) & {"numpy", "scipy", *HEAVY}, file


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_known_where_it_belongs(library):
    assert {room_of(file) for file in FILES if library in libraries(file)} == LIBRARIES[library]


def test_importing_gearwright_is_light():
    """Backends and figures are imported at the call that needs them."""
    code = "import sys, gearwright; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {
        *HEAVY,
        "matplotlib",
        "mujoco",
        "pinocchio",
        "ruckig",
        "scipy",
        "torch",
        "typer",
    }


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
