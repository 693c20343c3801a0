"""The key of a stored kernel covers every source file that can change machine code: all of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import gearwright
from gearwright.compiling.host import disk_cache

PACKAGE_ROOT = Path(gearwright.__file__).parent


@pytest.fixture
def house(tmp_path, monkeypatch) -> Path:
    """A copy of the package, whose files decide what the keys are."""
    copy = tmp_path / PACKAGE_ROOT.name
    shutil.copytree(PACKAGE_ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(disk_cache, "PACKAGE_ROOT", copy)
    return copy


def key() -> str:
    """A key by the source as it is now."""
    disk_cache.source_digest.cache_clear()
    try:
        return disk_cache.entry_key("gravity", "arm")
    finally:
        disk_cache.source_digest.cache_clear()


def test_a_byte_in_any_file_gives_another_key(house):
    files = sorted(house.rglob("*.py"))
    keys = {key()}
    for file in files:
        before = file.read_bytes()
        file.write_bytes(before + b"#")
        keys.add(key())
        file.write_bytes(before)
    assert len(keys) == len(files) + 1
    assert len(files) > 300


def test_where_the_package_stands_does_not_matter(house, monkeypatch):
    copied = key()
    monkeypatch.undo()
    assert key() == copied


def test_a_new_or_moved_file_gives_another_key(house):
    before = key()
    new = house / "another_room" / "peephole.py"
    new.parent.mkdir()
    new.write_text("LEVEL = 1\n")
    added = key()
    new.rename(house / "peephole.py")
    assert len({before, added, key()}) == 3
