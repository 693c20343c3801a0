"""`gearwright bench` shows what was measured; it asserts no times."""

from __future__ import annotations

import importlib
import json

import pytest

from gearwright.bench import report
from gearwright.bench.report import BenchmarkReport, ChainTiming, ContenderTime, Target
from gearwright.plots import bar_figure

measuring = importlib.import_module("gearwright.bench.bench")  # the package exports its function under the same name


@pytest.fixture
def measured(monkeypatch):
    """A report made up here stands for the measurement, which takes minutes."""
    seen = {}

    def stand_in(robots, states, rounds, say):
        seen.update(robots=list(robots), states=states, rounds=rounds)
        lines = [
            ContenderTime("elbow", "inverse dynamics, batch", name, 10.0 * k, k) for k, name in ((1, "us"), (2, "them"))
        ]
        return BenchmarkReport(
            lines, [Target("twice as fast", seen.get("ratio", 2.0), 2.0)], [ChainTiming(2, 100, 0.01, 5.0)], ["JAX"]
        )

    monkeypatch.setattr(measuring, "bench", stand_in)
    return seen


def test_table_and_figure(run, measured, tmp_path):
    code, out, err = run("bench", "elbow", "--states", "50", "--rounds", "3", "--plot", tmp_path / "b.png")
    assert code == 0
    assert measured == {"robots": ["elbow"], "states": 50, "rounds": 3}
    for words in ("elbow: inverse dynamics, batch", "them", "20", "pass", "twice as fast"):
        assert words in out
    assert "JAX" in err
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")


def test_the_figure_is_of_inverse_dynamics_alone(run, measured, monkeypatch, tmp_path):
    """Forward dynamics and mass matrices are other tasks of the same robot."""
    lines = [
        ContenderTime("elbow", task, name, 1.0, 1.0)
        for task, name in (("inverse dynamics, batch", "rnea"), ("mass matrix, batch", "crba"))
    ]
    monkeypatch.setattr(measuring, "bench", lambda *_: BenchmarkReport(lines, [], [ChainTiming(2, 100, 0.01, 5.0)]))
    drawn = []
    monkeypatch.setattr(
        report, "bar_figure", lambda robots, series, *words: drawn.extend(series) or bar_figure(robots, series, *words)
    )
    assert run("bench", "elbow", "--plot", tmp_path / "b.png").code == 0
    assert drawn == ["rnea"]


def test_json(run, measured):
    facts = json.loads(run("bench", "elbow", "--json").out)
    assert facts["promises"][0]["kept"] is True
    assert facts["comparisons"][1]["ratio"] == 2


def test_a_missed_number_is_the_exit_code(run, measured):
    measured["ratio"] = 1.5
    code, out, _ = run("bench", "elbow")
    assert code == 1
    assert "FAIL" in out


def test_refuses(refused):
    refused("bench", "elbo", words=["elbo", "Did you mean"])
    refused("bench", "elbow", "--states", "0", words=["--states"])
