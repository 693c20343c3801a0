"""A short, repeatable piece of `make fuzz`: MJCF, tasks, catalogues, stores, logs, edits, messages to the studio."""

from __future__ import annotations

from functools import partial

import pytest

import fuzz
import fuzz_other_files

NEEDED = {"MJCF": "mujoco", "studio": "viser"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "count"),
    [
        *(("MJCF", 150), ("task", 300), ("catalogue", 300), ("sweep store", 200), ("studio", 2)),
        *(("flexible body", 200), ("run log", 100), ("fit store", 100), ("YAML edit", 60)),
    ],
)
def test_broken_inputs_are_read_or_refused(kind, count):
    if kind in NEEDED:
        pytest.importorskip(NEEDED[kind])
    counts, failures = fuzz.run(range(count), partial(fuzz_other_files.attempt, kind=kind))
    assert not failures, "\n\n".join(failure.trace for failure in failures[:3])
    assert counts[f"{kind}: read"] > count / 100
    if kind != "studio":
        assert counts[f"{kind}: FileError"] > count / 20


def test_a_foreign_error_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz_other_files, "drives", lambda *_, **__: 1 / 0)
    result, failure = fuzz_other_files.attempt(0, tmp_path, "catalogue")
    assert result == "failure"
    assert "ZeroDivisionError" in failure.trace
