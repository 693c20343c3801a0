"""The report of a sizing: what was chosen, its gains and what could be had instead, safe from names of others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from design.arms import arm, small, swing
from gearwright.catalogue import Catalogue
from gearwright.design import Range, SearchOptions, size_drives
from gearwright.report import report
from support.hostile_names import NAMES


@pytest.fixture(scope="module")
def sized():
    """A catalogue whose keys anybody may have written."""
    table = small(2, 2)
    wild = [f"<script>{k}" + NAMES[k] for k in range(4)]
    motors = {key: replace(m, key=key) for key, m in zip(wild[:2], table.motors.values(), strict=True)}
    boxes = {key: replace(g, key=key) for key, g in zip(wild[2:], table.gearboxes.values(), strict=True)}
    variables = {"fore.mass": Range(0.1, 0.11)}
    words = {
        "joints": ["elbow"],
        "variables": variables,
        "search": SearchOptions(samples=31, trials=2, front=("energy", "mass")),
    }
    return size_drives(arm(), swing(), Catalogue(motors, boxes), "energy", **words)


def test_the_page_tells_choices_gains_values_and_front(sized, tmp_path):
    text = report(sized, tmp_path / "sized.html").read_text(encoding="utf-8")
    assert "fore.mass" in text
    assert "Pareto front" in text
    assert f"{sized.gains['elbow'].kp:.4g}" in text


def test_the_page_tells_what_was_passed_over_or_assumed(sized, tmp_path):
    """What the screen and JSON say of a choice, a colleague with the page must know too."""
    assumed = replace(sized, remarks=("<i>taken</i> with 70%.", "passed over: a, b."))
    text = report(assumed, tmp_path / "sized.html").read_text(encoding="utf-8")
    assert "<li>&lt;i&gt;taken&lt;/i&gt; with 70%.</li><li>passed over: a, b.</li>" in text


def test_keys_of_others_do_not_become_markup(sized, tmp_path):
    text = report(sized, tmp_path / "sized.html").read_text(encoding="utf-8")
    assert "<script" not in text.lower()
    assert "&lt;script" in text


def test_a_sizing_draws_its_front(sized, tmp_path):
    sized.plot(tmp_path / "front.png")
    assert (tmp_path / "front.png").stat().st_size > 1000
