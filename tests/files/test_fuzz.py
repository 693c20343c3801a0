"""A short, repeatable piece of `make fuzz`: broken files give a robot or a clear error."""

from __future__ import annotations

import pytest

import fuzz


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, 500))
def test_broken_files_are_read_or_refused(first):
    counts, failures = fuzz.run(range(first, first + 500))
    assert not failures, "\n\n".join(failure.trace for failure in failures[:3])
    # Both ends must occur, or the mutations were all harmless or all fatal and the test saw nothing.
    assert counts["robot"] > 25
    assert counts["FileError"] > 100


def test_a_hang_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 0.05)
    monkeypatch.setattr(fuzz, "outcome", lambda path: _forever())
    result, failure = fuzz.attempt(0, tmp_path)
    assert result == "failure"
    assert "Hang" in failure.trace


def test_a_crash_is_seen(tmp_path, monkeypatch):
    fuzz.originals()
    monkeypatch.setattr(fuzz.gw, "load", lambda path: 1 / 0)
    result, failure = fuzz.attempt(0, tmp_path)
    assert result == "failure"
    assert "ZeroDivisionError" in failure.trace


def test_a_seed_makes_the_same_input_again():
    texts = [file.text for file in fuzz.originals()]
    assert [fuzz.broken(seed, texts) for seed in range(50)] == [fuzz.broken(seed, texts) for seed in range(50)]


def _forever():
    while True:
        pass
