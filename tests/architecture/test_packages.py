"""The architecture: packages import only packages below them, folders only folders before them; files stay small.

Functions stay small too, and each library is known in few packages.
"""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import gearwright

PACKAGE_ROOT = Path(gearwright.__file__).parent
PACKAGES = (
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
    "motion_demands",
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
"""From the lowest layer to the highest: a package may be imported by those listed after it."""
FOLDERS = {
    "algebra": ("differentiation",),
    "parts": (
        "environment",
        "gears/forces",
        "gears",
        "drives",
        "trains",
        "structure",
        "builders",
    ),
    "files": (
        "tables",
        "fields",
        "yaml",
        "urdf",
        "mjcf",
    ),
    "mechanism": (
        "gear_graphs",
        "joints",
        "assembly",
    ),
    "dynamics": (
        "task_space",
        "closed_loops",
        "other_formulations",
    ),
    "forces": (
        "actuators",
        "coordinates",
        "friction",
        "motors",
        "transmission",
        "contact",
        "cords",
    ),
    "programs": ("closed_loops",),
    "tracing": ("simplify",),
    "compiling": (
        "host",
        "llvm",
        "restricted_python",
    ),
    "functions": (
        "constrained",
        "elastic",
    ),
    "system": (
        "constraints",
        "controllers",
        "modes",
        "kernels",
        "open_systems",
        "time_stepping",
    ),
    "motion_demands": (
        "motion_segments",
        "shaft_motion",
    ),
    "planning": (
        "kinematics",
        "time_optimal",
        "paths",
        "redundancy",
    ),
    "simulation": (
        "compiled_loop/source",
        "fixed_step",
        "integrators",
        "checks",
        "compiled_loop",
        "python_loop",
        "sensitivities",
    ),
    "control": (
        "joint_space",
        "task_space",
        "force",
        "state_observers",
        "environments",
    ),
    "identification": (
        "model",
        "experiment",
        "fit",
        "run_fit",
    ),
    "analysis": (
        "drives",
        "model_comparison",
        "task",
        "links",
        "advice",
        "vibration",
        "cycle",
        "sensitivity",
        "model_audit",
    ),
    "design": (
        "robot_preparation",
        "candidates",
        "search",
        "variables",
        "parameter_sweep",
        "sizing",
    ),
    "scene": ("trains",),
    "export": (
        "fmi",
        "c_code",
        "mujoco",
        "urdf",
        "handover",
    ),
    "studio": ("panels",),
    "cli": (
        "demonstration",
        "commands",
    ),
}
"""Per package its folders in order: each imports only those before it. Files at a package's root are exempt."""
MOST_FILES = 15
"""How many files a folder may show."""
MORE_FILES = {"cli/commands"}
"""Folders that may show more: one file per command."""
BANNED_FOLDERS = {"base", "common", "core", "helpers", "misc", "shared", "tools", "util", "utils"}
"""Names that say nothing: what a package is about stands at its root."""
LONGEST_FILE = 500
FRAGMENT = 60
"""A file with fewer lines whose one importer lies in its own folder belongs into that importer."""
SHARED = {"_version", "argument_kinds", "arguments", "arrays", "errors", "file_access", "text"}
"""Files that every package may import."""
INTERFACES = {"__init__", "__main__", "actuation", "contact", "elastic", "names_on_demand", "notebook_display"}
"""Files above all packages: public interfaces that re-export, and the display of robots in notebooks."""
FILES = sorted(PACKAGE_ROOT.rglob("*.py"))
LIBRARIES = {
    "casadi": {"bench", "tracing"},
    "clarabel": {"identification"},
    "collada": {"scene"},
    "cvxpy": {"identification"},
    "distributed": {"design"},
    "eaik": {"planning"},
    "gymnasium": {"control"},
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
    "torch": {"control", "export"},
    "trimesh": {"scene"},
    "typer": {"cli"},
    "viser": {"studio"},
    "xacrodoc": {"files"},
    "yaml": {"files"},
    "ziglang": {"export"},
}
"""Which packages know a library; a library that is not listed may be used anywhere."""
HEAVY = {"casadi", "llvmlite", "sympy", "jax", "mujoco", "pydantic"}
ARRAYS_IN_ALGEBRA = {"operations.py", "dual_arrays.py", "taylor_series.py", "variational_equation.py"}
"""The files of `algebra` that know NumPy: one row of the backend table, arrays whose elements have derivatives, and
Taylor series whose coefficients are one array over all samples."""


def package_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE_ROOT).parts
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
    own = ("gearwright", *file.relative_to(PACKAGE_ROOT).parent.parts)
    for node in ast.walk(tree(file)):
        if node in without:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(own[: len(own) - node.level + 1]) + "." if node.level else ""
            found |= {f"{start}{node.module or ''}.{alias.name}".replace("..", ".") for alias in node.names}
    return found


def packages_imported(file: Path) -> set[str]:
    """The packages behind a file's imports; `gearwright` itself stands for every package that its interface imports."""
    packages: set[str] = set()
    for name in imported(file):
        first, _, rest = name.partition(".")
        if first != "gearwright":
            continue
        package = rest.partition(".")[0]
        if package in PACKAGES or package in SHARED:
            packages.add(package)
        elif file != PACKAGE_ROOT / "__init__.py":
            packages |= packages_imported(PACKAGE_ROOT / "__init__.py")
    return packages


def libraries(file: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(file)}


def test_every_folder_is_a_listed_package():
    assert {path.name for path in PACKAGE_ROOT.iterdir() if (path / "__init__.py").exists()} == set(PACKAGES)
    assert {path.stem for path in PACKAGE_ROOT.glob("*.py")} == SHARED | INTERFACES


@pytest.mark.parametrize(
    "file", [f for f in FILES if package_of(f) in PACKAGES], ids=lambda f: str(f.relative_to(PACKAGE_ROOT))
)
def test_packages_import_only_below(file):
    below = set(PACKAGES[: PACKAGES.index(package_of(file)) + 1]) | SHARED
    assert packages_imported(file) <= below


@pytest.mark.parametrize("name", sorted(SHARED))
def test_what_every_package_imports_imports_no_package(name):
    assert packages_imported(PACKAGE_ROOT / f"{name}.py") <= SHARED


def test_the_import_test_sees_imports():
    """The test above would be empty if it did not find what is plainly there."""
    assert {"algebra", "mechanism"} <= packages_imported(PACKAGE_ROOT / "dynamics" / "inverse_dynamics.py")
    assert {"equations", "simulation"} <= packages_imported(PACKAGE_ROOT / "__init__.py")
    assert "casadi" in {name for f in FILES if package_of(f) == "tracing" for name in libraries(f)}


def file_behind(name: str) -> Path | None:
    """The file of the package that a full name lies in, which may name something inside of it."""
    words = name.split(".")[1:]
    for count in range(len(words), 0, -1):
        path = PACKAGE_ROOT.joinpath(*words[:count])
        if path.with_suffix(".py").is_file():
            return path.with_suffix(".py")
        if (path / "__init__.py").is_file():
            return None
    return None


@cache
def neighbours(file: Path) -> frozenset[Path]:
    """The files of its own package that a file imports, without those that only type checkers follow."""
    names = [
        name for name in imported(file, for_types_only(file)) if name.startswith(f"gearwright.{package_of(file)}.")
    ]
    return frozenset({path for name in names if (path := file_behind(name)) is not None} - {file})


def within(path: Path) -> str:
    return path.relative_to(PACKAGE_ROOT).as_posix()


def own_files(package: str) -> list[Path]:
    return [file for file in FILES if package_of(file) == package and file.stem != "__init__"]


@pytest.mark.parametrize("package", PACKAGES)
def test_files_of_a_package_form_no_cycle(package):
    """Inside a package too there is a below and an above: no file imports one that needs it."""
    waiting = {file: neighbours(file) for file in own_files(package)}
    while waiting:
        ready = {file for file, needs in waiting.items() if not needs & waiting.keys()}
        assert ready, f"a cycle among {', '.join(sorted(map(within, waiting)))}"
        waiting = {file: needs for file, needs in waiting.items() if file not in ready}


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_of_a_package_import_only_those_before(package):
    """What stands at the root of a package gathers its folders, or is what they are about: it is exempt."""
    order = [f"{package}/{name}" for name in FOLDERS.get(package, ())]
    there = {within(path.parent) for path in (PACKAGE_ROOT / package).rglob("__init__.py")} - {package}
    assert there == set(order)
    for file in own_files(package):
        own = within(file.parent)
        if own != package:
            after = set(order[order.index(own) + 1 :])
            assert not {within(path) for path in neighbours(file) if within(path.parent) in after}, within(file)


def test_folders_are_small_and_say_what_they_hold():
    for init in PACKAGE_ROOT.rglob("__init__.py"):
        folder = init.parent
        shown = [path for path in folder.glob("*.py") if path.stem not in ("__init__", "__main__")]
        assert len(shown) <= MOST_FILES or within(folder) in MORE_FILES, within(folder)
        assert folder.name not in BANNED_FOLDERS, within(folder)
        assert ast.get_docstring(tree(init)), within(folder)


@pytest.mark.parametrize("package", FOLDERS)
def test_no_folder_hides_a_public_name(package):
    """`gearwright.files.schema` is a function: a folder of that name would take its place."""
    public = getattr(import_module(f"gearwright.{package}"), "__all__", ())
    assert not set(public) & {name.partition("/")[0] for name in FOLDERS[package]}
    assert not set(gearwright.__all__) & set(PACKAGES) - {"report", "studio"} - modules_of_the_interface()


def modules_of_the_interface() -> set[str]:
    return {name for name in gearwright.__all__ if isinstance(getattr(gearwright, name), ModuleType)}


@cache
def importers() -> dict[Path, set[Path]]:
    """Per file the files that import it, at any level."""
    found: dict[Path, set[Path]] = {file: set() for file in FILES}
    for file in FILES:
        for name in imported(file):
            path = file_behind(name) if name.startswith("gearwright.") else None
            if path is not None and path != file:
                found[path].add(file)
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_no_file_is_a_fragment(package):
    """A short file that serves one neighbour alone is a part of it; what the package exports is public."""
    for file in own_files(package):
        users = [within(user) for user in importers()[file]]
        if len(users) == 1 and users[0].rpartition("/")[0] == within(file.parent) and "__init__" not in users[0]:
            lines = len(file.read_text(encoding="utf-8").splitlines())
            assert lines >= FRAGMENT, f"{within(file)} belongs into {users[0]}"


def test_recursions_know_no_array_library():
    for file in FILES:
        if package_of(file) == "dynamics" or (package_of(file) == "algebra" and file.name not in ARRAYS_IN_ALGEBRA):
            assert not libraries(file) & {"numpy", "scipy", *HEAVY}, file


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_known_where_it_belongs(library):
    assert {package_of(file) for file in FILES if library in libraries(file)} == LIBRARIES[library]


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


OPENING = {"open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes", "mkstemp", "savefig", "ZipFile"}
OPENING |= {"write_table", "read_table", "saving", "savetxt", "loadtxt", "genfromtxt", "copyfile", "replace", "rename"}
"""Calls that open or write a file, as methods or functions of `os`, `pathlib` and libraries."""
OPENED_ELSEWHERE = {
    "bench/compilation.py": "a script and a machine of our own, in a temporary folder",
    "catalogue/loading.py": "bundled robots",
    "compiling/host/disk_cache.py": "the folder of kernels: links are refused, entries checked by their digest",
    "compiling/host/known_processor.py": "/proc/cpuinfo",
    "design/parameter_sweep/result_store.py": "moves a store of another version aside; SQLite opens and writes stores",
    "export/c_code/webassembly.py": "the compiler's temporary folder",
    "export/fmi/build.py": "bundled sources, and the compiler's temporary folder",
    "files/mjcf/compiler_process.py": "runs without Gearwright; its pipes, and files that were checked before",
    "files/tables/catalogue_data.py": "the bundled catalogue",
    "plots/notebook.py": "memory, not a file",
    "studio/open.py": "a browser, not a file",
    "studio/panels/files.py": "memory, not a file",
}
"""Files that open others without `file_access`, and why they may."""
REPLACED = {"savefig", "ZipFile", "write_table", "saving", "read_table"}
"""Libraries that write to, or read from, what `file_access` gave them."""


def opening_calls(file: Path) -> set[str]:
    """Calls that open files; `replace` of a text or of a dataclass is none, which its arguments show."""
    found = set()
    for node in ast.walk(tree(file)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        if name in ("replace", "rename") and owner not in ("os", "shutil", "path", "temporary", "target"):
            continue
        if name in ("read_text", "write_text") and not owner:  # ours
            continue
        if name in OPENING:
            found.add(name)
    return found


def test_files_are_opened_and_written_in_one_place():
    """Only regular files are read, and every file is replaced as a whole: `file_access` sees to both."""
    others = {within(file) for file in FILES if opening_calls(file)} - {"file_access.py", *OPENED_ELSEWHERE}
    for name in others:
        calls, source = opening_calls(PACKAGE_ROOT / name), (PACKAGE_ROOT / name).read_text(encoding="utf-8")
        assert calls <= REPLACED, f"{name} opens files itself: {sorted(calls)}"
        assert "with replacement_file(" in source or "with open_regular(" in source, name
    assert opening_calls(PACKAGE_ROOT / "file_access.py") >= {"fdopen", "write_bytes", "replace"}
    assert all(opening_calls(PACKAGE_ROOT / name) for name in OPENED_ELSEWHERE)


def functions(file: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree(file)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function below its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE_ROOT)))
def test_files_and_functions_are_small(file):
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    long = {f.name: body_lines(f) for f in functions(file) if body_lines(f) > 60}
    assert not long
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print" or package_of(file) == "cli", f"print in line {node.lineno}"
    assert "TODO" not in text
    assert "FIXME" not in text


def test_the_median_function_is_short():
    assert statistics.median(body_lines(f) for file in FILES for f in functions(file)) <= 10
