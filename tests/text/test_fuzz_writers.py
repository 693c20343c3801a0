"""A short, repeatable piece of the writers' half of `make fuzz`."""

from __future__ import annotations

import pytest

import fuzz_writers


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1, 61, 20))
def test_random_names_are_shown_and_not_obeyed(first):
    failures = fuzz_writers.run(range(first, first + 20))
    assert not failures, "\n\n".join(f"{failure.writer} {failure.names!a}\n{failure.trace}" for failure in failures[:3])


def test_a_failing_writer_is_seen(monkeypatch):
    monkeypatch.setitem(fuzz_writers.WRITERS, "JSON", lambda robot, folder: 1 / 0)
    (failure,) = (found for found in fuzz_writers.attempt(1) if found.writer == "JSON")
    assert "ZeroDivisionError" in failure.trace
