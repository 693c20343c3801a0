"""The key of a stored kernel covers every source file that can change machine code."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gearwright
from gearwright.compiling import source_files, store

HOUSE = Path(gearwright.__file__).parent
FILES = source_files.files_behind(store.__name__)


@pytest.fixture
def house(tmp_path, monkeypatch) -> Path:
    """A copy of the package, whose files decide what the keys are."""
    copy = tmp_path / HOUSE.name
    shutil.copytree(HOUSE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(source_files, "HOUSE", copy)
    monkeypatch.setattr(store, "HOUSE", copy)
    return copy


def key() -> str:
    """A key by the source as it is now."""
    store.source_digest.cache_clear()
    try:
        return store.key_of("gravity", "arm")
    finally:
        store.source_digest.cache_clear()


def test_a_byte_in_any_file_gives_another_key(house, monkeypatch):
    files = source_files.files_behind(store.__name__)
    assert [f.relative_to(house) for f in files] == [f.relative_to(HOUSE) for f in FILES]
    first = key()
    monkeypatch.setattr(store, "files_behind", lambda _: files)  # a byte at the end adds no import
    keys = {first}
    for file in files:
        before = file.read_bytes()
        file.write_bytes(before + b"#")
        keys.add(key())
        file.write_bytes(before)
    assert len(keys) == len(files) + 1
    assert key() == first


def test_where_the_package_stands_does_not_matter(house, monkeypatch):
    copied = key()
    monkeypatch.undo()
    assert key() == copied


def test_a_new_file_is_covered_once_it_is_imported(house):
    before = key()
    (house / "another_room").mkdir()
    new = house / "another_room" / "peephole.py"
    new.write_text("LEVEL = 1\n")
    assert key() == before
    emit = next(file for file in FILES if file.name == "emit.py")
    with (house / emit.relative_to(HOUSE)).open("a") as file:
        file.write("\n\ndef late():\n    from gearwright.another_room import (\n        peephole,\n    )\n")
    used = key()
    new.write_text("LEVEL = 2\n")
    assert len({before, used, key()}) == 3


def test_files_that_cannot_change_machine_code_change_no_key(house):
    before = key()
    for room in ("cli", "export"):
        (house / room / "__init__.py").write_text('"""Another text."""\n')
    assert key() == before


def imports(file: Path) -> set[str]:
    """The names a file imports, by Python's own grammar."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import, which the derivation does not read"
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_imports_of_covered_files_are_covered():
    for name in set().union(*map(imports, FILES)):
        path = HOUSE.parent.joinpath(*name.split("."))
        for found in (path.with_suffix(".py"), path / "__init__.py"):
            if found.is_file() and HOUSE in found.parents and found != HOUSE / "__init__.py":
                assert found in FILES


SCRIPT = """
import sys, gearwright as gw
ran = set()
robot = gw.load("elbow")
sys.setprofile(lambda frame, event, _: ran.add(frame.f_code.co_filename))
gw.compile(gw.inverse_dynamics, robot, parameters=["j1.motor.inertia"])
for function in (gw.mass_matrix, gw.forward_dynamics, gw.regressor, gw.coriolis_matrix):
    gw.compile(function, robot)
gw.compile(gw.gravity, robot).jacobian("q")
sys.setprofile(None)
print(*sorted(ran), sep="\\n")
"""


def test_all_code_that_runs_while_kernels_are_made_is_covered(monkeypatch):
    monkeypatch.setenv("GEARWRIGHT_CACHE", "off")
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    ours = {file for file in map(Path, done.stdout.splitlines()) if HOUSE in file.parents}
    assert len(ours) > 40
    assert ours <= set(FILES)
