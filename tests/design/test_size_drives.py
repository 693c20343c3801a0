"""Drives from a catalogue: the screening against the analysis, the search against looking at everything."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import gearwright as gw
from design.arms import JOINTS, SAMPLES, arm, small, swing
from gearwright.analysis import Task, analyse
from gearwright.analysis.drives.limit_kinds import WINDING_TEMPERATURE
from gearwright.analysis.task.process_forces import ProcessForce
from gearwright.design import size_drives, with_chosen_drives
from gearwright.design.candidates.candidates import catalogue_candidates
from gearwright.design.candidates.drive_influence import drive_space
from gearwright.design.search.drive_set_search import best_sets
from gearwright.design.search.drive_sets import DriveSets
from gearwright.errors import InputError
from gearwright.motion import s_curve
from gearwright.parts import Gear, Motor


@pytest.fixture(scope="module")
def space():
    return drive_space(arm(), swing(), JOINTS, SAMPLES)


@pytest.fixture(scope="module")
def sets(space):
    table = small(30, 20)
    return DriveSets(space, tuple(catalogue_candidates(basis, table) for basis in space.drives))


def test_forces_are_linear_in_the_drives(space):
    """Any masses, inertias and ratios: the sum of products against the machine assembled with them."""
    chosen = [(0.7, 3e-5, 80.0), (0.3, 1e-5, -35.0)]
    robot, tau = space.robot, space.bare
    bare = arm()
    for basis, (mass, inertia, ratio) in zip(space.drives, chosen, strict=True):
        tau = tau + basis.added_forces(mass, inertia, ratio)
        motor = Motor(inertia, motor_mass=mass, position=basis.drive.motor.position)
        robot = robot.with_drive(basis.drive.title, replace(basis.drive, motor=motor, gear=Gear(ratio)))
        bare = bare.with_drive(basis.drive.title, replace(basis.drive, motor=Motor(), gear=Gear(1.0)))
    q, v, a = space.motion.q, space.motion.v, space.motion.a
    friction = space.bare - gw.inverse_dynamics(bare, q, v, a)
    expected = gw.inverse_dynamics(robot, q, v, a) + friction
    assert tau == pytest.approx(expected, abs=1e-11 * np.abs(expected).max())


@pytest.fixture(scope="module")
def fine():
    """The same at more times: peaks and integrals are then those of the analysis."""
    space, table = drive_space(arm(), swing(), JOINTS, 401), small(30, 20)
    return DriveSets(space, tuple(catalogue_candidates(basis, table) for basis in space.drives))


@pytest.mark.parametrize("pair", [(3, 40), (250, 90), (400, 310)])
def test_the_screening_is_what_the_analysis_finds(fine, pair):
    sets, places = fine, np.array(pair)
    choices = {joint: sets.options[k].choices[pair[k]] for k, joint in enumerate(JOINTS)}
    found = analyse(with_chosen_drives(arm(), choices), swing(), catalogue=small(30, 20), samples=401)
    chosen = {k: places[k : k + 1] for k in range(2)}
    for k, joint in enumerate(JOINTS):
        screened = sets.screen_joint(k, chosen, chosen[k])
        checks = {check.kind: check for check in found.limits if check.owner == joint}
        for kind, use in screened.limit_shares.items():
            if kind in checks and kind != WINDING_TEMPERATURE:
                assert use[0] == pytest.approx(checks[kind].value / checks[kind].limit, rel=3e-3), (joint, kind.name)
        assert screened.energy[0] == pytest.approx(found.drives[joint].energy, rel=3e-3)


def test_enumeration_finds_what_looking_at_every_set_finds(space, sets):
    """The whole space of a smaller catalogue one set at a time."""
    table = small(8, 6)
    options = [catalogue_candidates(basis, table) for basis in space.drives]
    every = DriveSets(space, tuple(options))
    pairs = np.array(list(product(range(len(options[0])), range(len(options[1])))))
    use = every.evaluate_sets(pairs).largest_share
    masses = options[0].mass[pairs[:, 0]] + options[1].mass[pairs[:, 1]]
    lightest = masses[use <= 1.0].min()
    found = best_sets(space, options, "mass", 1.0, method="enumerate")
    assert found.designs[0].mass == pytest.approx(lightest, rel=1e-12)
    assert len(found.designs) == int((use <= 1.0).sum())


@pytest.fixture(scope="module")
def best(space, sets):
    return best_sets(space, sets.options, "mass", 1.0, method="enumerate")


def test_every_set_that_is_lighter_misses_a_limit(sets, best):
    """All of the 360,000 sets that would be better are looked at one by one: none keeps every limit."""
    first, second = (some.mass for some in sets.options)
    lighter = np.argwhere(first[:, None] + second[None, :] < best.designs[0].mass - 1e-12)
    assert len(lighter) > 500
    uses = [sets.evaluate_sets(lighter[start : start + 2000]).largest_share for start in range(0, len(lighter), 2000)]
    assert np.concatenate(uses).min() > 1.0


@pytest.mark.parametrize("seed", range(10))
def test_the_evolution_comes_within_one_per_cent(space, sets, best, seed):
    found = best_sets(space, sets.options, "mass", 1.0, seed=seed, method="evolve")
    assert found.designs[0].mass <= 1.01 * best.designs[0].mass
    assert found.evaluated_count < best.evaluated_count


def test_the_winner_is_analysed_and_nothing_lighter_fits(best):
    sized = size_drives(arm(), swing(), small(30, 20), search=gw.design.SearchOptions(samples=SAMPLES, method="evolve"))
    assert sized.analysis.is_feasible
    assert sized.mass == pytest.approx(best.designs[0].mass, rel=1e-12)
    for joint, choice in sized.choices.items():
        assert all(word in str(sized) and word in repr(sized) for word in (joint, choice.motor.key, choice.gearbox.key))
    energies = [one.energy for one in sized.front]
    assert energies == sorted(energies, reverse=True)
    assert [one.mass for one in sized.front] == sorted(one.mass for one in sized.front)
    run = sized.analysis.demands
    after = gw.simulate(sized.robot, run.start, until=float(run.t[-1]), inputs=run.input_signals, samples=11)
    assert after.q[-1] == pytest.approx(run.motion.q[-1], abs=5e-3)


def test_a_margin_costs_mass(best):
    wide = size_drives(
        arm(), swing(), small(30, 20), margin=0.6, search=gw.design.SearchOptions(samples=SAMPLES, method="evolve")
    )
    assert wide.mass > best.designs[0].mass


def test_least_energy_is_not_least_mass(best, sets, space):
    found = best_sets(space, sets.options, "energy", 1.0, method="evolve")
    assert found.designs[0].energy < best.designs[0].energy
    assert found.designs[0].mass > best.designs[0].mass


def test_an_empty_set_says_what_is_tightest():
    heavy = Task(swing().motions, payload=gw.parts.Payload(40.0, (0.2, 0, 0)))
    with pytest.raises(InputError, match=r"\b(shoulder|elbow): .*\d+%"):
        size_drives(arm(), heavy, small(30, 20), search=gw.design.SearchOptions(samples=51))


def test_forces_of_a_process_need_stronger_drives():
    frames = [gw.parts.Frame("tool", "fore", (0.2, 0, 0))]
    robot = replace(arm(), frames=frames)
    push = replace(swing(), forces=[ProcessForce("tool", force=(0, 0, -12.0))])
    free, pressed = (
        size_drives(robot, task, small(8, 8), search=gw.design.SearchOptions(samples=31, method="enumerate"))
        for task in (swing(), push)
    )
    assert pressed.analysis.is_feasible
    assert pressed.mass > free.mass


def test_a_task_that_is_too_fast_says_so():
    quick = s_curve([0, 0], [1.0, 1.0], speed=300.0, acceleration=1e5, jerk=1e8)
    with pytest.raises(InputError, match=r"joint '\w+': .*\d+%"):
        size_drives(arm(), Task([quick]), small(30, 20), search=gw.design.SearchOptions(samples=51))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"objective": "weight"}, "mass"),
        ({"objective": "price"}, "price"),
        ({"margin": 1.0}, "margin"),
        ({"joints": ["wrist"]}, "'wrist'"),
        ({"search": gw.design.SearchOptions(samples=51, assumed_efficiency=0.2)}, "assumed_efficiency"),
    ],
)
def test_bad_arguments_are_refused(words, message):
    with pytest.raises(InputError, match=message):
        size_drives(arm(), swing(), small(4, 3), **{"search": gw.design.SearchOptions(samples=51), **words})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("method", "guess", "enumerate"),
        ("trials", 0, "trials=0"),
        ("samples", 1, "samples=1"),
        ("seed", -1, "seed=-1"),
        ("verify_front", 3, "verify_front=3"),
    ],
)
def test_bad_options_of_the_search_are_refused(name, value, message):
    with pytest.raises(InputError, match=message):
        gw.design.SearchOptions(**{name: value})
