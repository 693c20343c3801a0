"""A short, repeatable piece of `make fuzz`: hostile numbers, nesting and includes through every reader."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import fuzz
import fuzz_hostile_files
from gearwright.files.permissions import Permissions
from gearwright.files.urdf.xacro import expand_xacro
from support.hostile_files import HARMS, READERS, hostile


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 900, 300))
def test_hostile_files_are_read_or_refused(first):
    counts, failures = fuzz.run(range(first, first + 300), fuzz_hostile_files.attempt)
    assert not failures, "\n\n".join(failure.trace for failure in failures[:3])
    assert counts["robot"] > 10
    assert counts["FileError"] > 100


def test_every_harm_meets_every_reader(tmp_path):
    met: Counter[tuple[str, str]] = Counter()
    for seed in range(300):
        (tmp_path / str(seed)).mkdir()
        file = hostile(seed, tmp_path / str(seed))
        met[file.reader, file.harm] += 1
    assert set(met) == {(reader, harm) for reader in READERS for harm in HARMS}


def seeds_of(reader: str, harm: str, folder: Path) -> list[int]:
    made = []
    for seed in range(200):
        (folder / str(seed)).mkdir()
        file = hostile(seed, folder / str(seed))
        made += [seed] if (file.reader, file.harm) == (reader, harm) else []
    return made


def test_a_file_outside_that_is_read_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(Permissions, "resolve_file", lambda self, folder, name: (folder / name).resolve())
    _, failures = fuzz.run(seeds_of("yaml", "include", tmp_path), fuzz_hostile_files.attempt)
    assert any("outside of the folder was read" in failure.trace for failure in failures)


def test_code_that_runs_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "gearwright.files.urdf.reader.expand_xacro", lambda path, _: expand_xacro(path, Permissions(xacro=True))
    )
    _, failures = fuzz.run(seeds_of("xacro", "number", tmp_path), fuzz_hostile_files.attempt)
    assert any("code of the file was run" in failure.trace for failure in failures)
