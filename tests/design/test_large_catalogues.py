"""Catalogues with more pairs than memory holds series of: what is skipped would have failed, nothing else changes."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from design.arms import JOINTS, arm, small, swing
from gearwright.catalogue import Catalogue
from gearwright.design import Range, SearchOptions, size_drives
from gearwright.design.candidates.candidates import catalogue_candidates
from gearwright.design.candidates.drive_influence import drive_space
from gearwright.design.search.drive_set_search import best_sets
from gearwright.design.search.drive_sets import DriveSets
from gearwright.design.search.genetic_search import SetEvaluator, improve_by_joint
from gearwright.parts import LinkSection, Tube


def many(motors: int, boxes: int) -> Catalogue:
    """Articles like the bundled ones, each a little heavier than the one before."""
    table = small(12, 10)
    few = list(table.motors.values()), list(table.gearboxes.values())
    made = [
        [
            replace(one, key=f"{one.key} {k}", mass=one.mass * (1 + 1e-4 * k), outer_diameter=None)
            for k, one in enumerate(x)
        ]
        for x in ([few[0][k % len(few[0])] for k in range(motors)], [few[1][k % len(few[1])] for k in range(boxes)])
    ]
    return Catalogue(*({one.key: one for one in sheets} for sheets in made))


@pytest.fixture(scope="module")
def sets():
    space, table = drive_space(arm(), swing(), JOINTS, 61), small(30, 20)
    return DriveSets(space, tuple(catalogue_candidates(basis, table) for basis in space.drives))


@pytest.mark.parametrize("share", [1.0, 0.6])
def test_sets_that_are_skipped_at_few_instants_miss_a_limit(sets, share):
    rows = np.random.default_rng(0).integers(0, [len(some) for some in sets.options], size=(3000, 2))
    whole, quick = sets.evaluate_sets(rows), sets.evaluate_sets(rows, share)
    skipped = np.isinf(quick.largest_share)
    assert 100 < skipped.sum() < len(rows) - 100
    assert whole.largest_share[skipped].min() > share
    for word in ("largest_share", "mass", "energy", "price", "temperature"):
        np.testing.assert_allclose(getattr(quick, word)[~skipped], getattr(whole, word)[~skipped], rtol=1e-13)


def test_numbers_do_not_depend_on_how_many_sets_are_looked_at_together(sets):
    rows = np.random.default_rng(1).integers(0, [len(some) for some in sets.options], size=(1500, 2))
    rows[:700, 0] = rows[0, 0]
    together = sets.evaluate_sets(rows)
    for part in (rows[:700], rows[700:703], rows[1400:1401]):
        alone = sets.evaluate_sets(part)
        at = np.flatnonzero((rows == part[0]).all(axis=1))[0]
        assert alone.largest_share == pytest.approx(together.largest_share[at : at + len(part)], rel=1e-13)
        assert alone.energy == pytest.approx(together.energy[at : at + len(part)], rel=1e-12)


def test_a_pair_is_found_by_its_keys(sets):
    some = sets.options[0]
    assert [some.choices.index(some.choices[k]) for k in range(0, len(some), 37)] == list(range(0, len(some), 37))
    assert (np.diff(some.mass) >= 0).all()
    assert some.mass == pytest.approx([one.mass for one in some.choices], rel=1e-15)


def test_what_is_forgotten_is_neither_best_nor_on_the_front(sets, monkeypatch):
    rows = np.random.default_rng(2).integers(0, [len(some) for some in sets.options], size=(4000, 2))
    words = {"pair": ("energy", "mass"), "seed": 1, "method": "evolve"}
    whole = best_sets(sets.space, sets.options, "mass", 1.0, **words)
    monkeypatch.setattr("gearwright.design.search.genetic_search.MAX_REMEMBERED_SETS", 300)
    monkeypatch.setattr("gearwright.design.search.drive_set_search.MAX_KEPT_SETS", 200)
    fewer = best_sets(sets.space, sets.options, "mass", 1.0, **words)
    assert [one.choices for one in fewer.front] == [one.choices for one in whole.front]
    assert [one.choices for one in fewer.designs] == [one.choices for one in whole.designs[:200]]
    judged = SetEvaluator(sets, "mass", 1.0)
    judged.evaluate_rows(np.concatenate([rows, rows]))
    assert len(judged.feasible_sets) == len(np.unique(judged.feasible_sets, axis=0))


def test_memory_does_not_grow_with_pairs_times_samples():
    """18,000 pairs at 401 times: one array over all of them is 58 MB, and the search once held a dozen."""
    table = many(120, 150)
    space = drive_space(arm(), swing(), JOINTS[:1], 401)
    tracemalloc.start()
    some = catalogue_candidates(space.drives[0], table)
    found = best_sets(space, (some,), "mass", 1.0, method="enumerate")
    judged = SetEvaluator(DriveSets(space, (some,)), "mass", 1.0)
    best = improve_by_joint(judged, np.array([len(some) - 1]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(some) == 18_000
    assert some.mass[best[0]] == pytest.approx(found.designs[0].mass, rel=1e-12)
    assert peak < 30e6


def test_the_catalogue_of_the_benchmark_is_as_large_as_it_says():
    path = Path(__file__).parents[2] / "benchmarks" / "large_catalogue.py"
    spec = spec_from_file_location("large_catalogue", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    table, again = module.large_catalogue(3), module.large_catalogue(3)
    assert (len(table.motors), len(table.gearboxes)) == (640, 2155)
    assert table == again


@pytest.mark.parametrize("allowed", [4e-5, 3e-5])
def test_the_winner_keeps_every_limit(allowed):
    """An optimum ends at a limit, and its analysis looks at more times than the search: it is inside all the same."""
    task = replace(swing(), required={"tip_deflection": allowed})
    ranges = {"upper.section.outer": Range(0.02, 0.06), "upper.section.wall": Range(0.001, 0.004)}
    sections = {"upper": LinkSection((0.3, 0, 0), Tube(0.04, 0.034))}
    found = size_drives(
        arm().with_sections(sections), task, joints=(), variables=ranges, search=SearchOptions(samples=301, trials=2)
    )
    assert found.analysis.is_feasible
    check = next(one for one in found.analysis.limits if one.name == "tip deflection")
    assert 0 <= check.margin < 1e-3
    assert all(one.largest_share <= 1.0 for one in found.front)
