"""What is wanted least, fronts over any two of these, and the gains of the winner."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

import gearwright as gw
from design.arms import JOINTS, SAMPLES, arm, small, swing
from gearwright.analysis import analyse
from gearwright.catalogue import Catalogue
from gearwright.design import size_drives, with_chosen_drives
from gearwright.design.candidates.candidates import catalogue_candidates
from gearwright.design.candidates.drive_influence import drive_space
from gearwright.design.search.drive_set_search import best_sets
from gearwright.design.search.drive_sets import DriveSets
from gearwright.errors import InputError

OBJECTIVES = ("mass", "energy", "temperature", "price")


def priced() -> Catalogue:
    """A user's table: prices for all articles but one, whose sheet leaves its cell empty."""
    table = small(8, 6, warm=True)
    motors = {key: replace(m, price=200.0 - 7.0 * k) for k, (key, m) in enumerate(table.motors.items())}
    boxes = {key: replace(g, price=50.0 + 11.0 * (k * k % 5)) for k, (key, g) in enumerate(table.gearboxes.items())}
    last = list(motors)[-1]
    return Catalogue({**motors, last: replace(motors[last], price=None)}, boxes)


@pytest.fixture(scope="module")
def every():
    """Every set of a small catalogue with its numbers, looked at one by one."""
    space = drive_space(arm(), swing(), JOINTS, SAMPLES)
    options = tuple(catalogue_candidates(basis, priced()) for basis in space.drives)
    sets = DriveSets(space, options)
    pairs = np.array(list(product(range(len(options[0])), range(len(options[1])))))
    numbers = sets.evaluate_sets(pairs)
    return space, options, numbers.select_rows(numbers.largest_share <= 1.0)


@pytest.mark.parametrize("method", ["enumerate", "evolve"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_least_of_every_objective_is_found(every, objective, method):
    space, options, numbers = every
    found = best_sets(space, options, objective, 1.0, method=method).designs[0]
    assert found.objective_value(objective) == pytest.approx(np.nanmin(getattr(numbers, objective)), rel=1e-12)


@pytest.mark.parametrize("pair", list(combinations(OBJECTIVES, 2)))
def test_nothing_beats_the_front_and_it_beats_all_else(every, pair):
    space, options, numbers = every
    front = best_sets(space, options, pair[0], 1.0, pair=pair, method="enumerate").front
    known = np.column_stack([getattr(numbers, name) for name in pair])
    known = known[~np.isnan(known).any(axis=1)]
    assert len(front) >= 1
    for one in front:
        point = np.array([one.objective_value(name) for name in pair])
        assert not (np.all(known <= point, axis=1) & np.any(known < point, axis=1)).any()
    points = np.array([[one.objective_value(name) for name in pair] for one in front])
    for other in known:
        assert (np.all(points <= other, axis=1)).any()


def test_temperatures_are_those_of_the_analysis(every):
    """In the mean of the cycle the screening has the temperature that the periodic steady state swings about."""
    space, options, _ = every
    found = best_sets(space, options, "temperature", 1.0, method="enumerate").designs[0]
    sized = with_chosen_drives(arm(), dict(zip(JOINTS, found.choices, strict=True)))
    drives = analyse(sized, swing(), catalogue=priced()).drives.values()
    means = [float(np.average(one.temperatures.winding)) for one in drives]
    assert found.temperature == pytest.approx(max(means), abs=0.3)


def test_air_that_is_warmer_leaves_less():
    table = small(8, 6, warm=True)
    hot = replace(swing(), ambient=330.0)
    cool, warm = (
        size_drives(
            arm(), task, table, "temperature", search=gw.design.SearchOptions(samples=SAMPLES, method="enumerate")
        )
        for task in (swing(), hot)
    )
    assert warm.design.temperature - cool.design.temperature == pytest.approx(330.0 - 298.15, rel=0.1)


def test_gains_bring_a_start_error_to_zero():
    """Gains of the winner in computed torque and in PD with feedforward: an error at the start dies as they promise."""
    sized = size_drives(arm(), swing(), small(8, 6), search=gw.design.SearchOptions(samples=SAMPLES))
    assert set(sized.gains) == set(JOINTS)
    gains = [sized.gains[joint] for joint in JOINTS]
    motion = sized.task.cycle
    start = motion.at(0.0) + np.array([0.01, -0.01])
    frictionless = gw.assemble(sized.robot)
    for control in (
        gw.control.computed_torque(frictionless, motion, frequency=[one.frequency for one in gains]),
        gw.control.feedforward(frictionless, motion, [one.kp for one in gains], [one.kd for one in gains]),
    ):
        run = gw.simulate(frictionless, start, until=0.4, controller=control, samples=41)
        left = np.abs(run.q[-1] - motion.at(0.4))
        assert np.all(left < 1e-4)
    M = gw.mass_matrix(frictionless, sized.analysis.demands.motion.q)
    for j, one in enumerate(gains):
        assert one.kp == pytest.approx(M[:, j, j].max() * one.frequency**2, rel=1e-9)
        assert one.kd == pytest.approx(2 * one.kp / one.frequency, rel=1e-12)


def test_gains_stay_within_the_torque_that_is_left():
    """A motor with little to spare gets soft gains: a hundredth of the joint's way takes what is left."""
    robot = gw.load("elbow")
    swing = gw.motion.polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    free = gw.analyse(robot, gw.design.Task([swing]))
    most = 1.02 * free.drives["j2"].peak_motor_torque
    drive = replace(robot.drive("j2"), motor=replace(robot.drive("j2").motor, max_torque=most))
    gains = gw.design.controller_gains(gw.analyse(robot.with_drive("j2", drive), gw.design.Task([swing])))["j2"]
    left = (most - free.drives["j2"].peak_motor_torque) * robot.drive("j2").gear.ratio
    assert gains.kp * 0.01 * 0.5 == pytest.approx(left, rel=1e-6)


@pytest.mark.parametrize("front", ["mass", ("mass",), ("mass", "mass"), ("mass", "colour"), ("mass", "price")])
def test_fronts_of_other_things_are_refused(front):
    with pytest.raises(InputError, match=r"front|objective|prices"):
        size_drives(arm(), swing(), small(4, 3), search=gw.design.SearchOptions(samples=51, front=front))


def test_an_objective_without_numbers_is_refused():
    with pytest.raises(InputError, match="thermal"):
        size_drives(arm(), swing(), small(4, 3), "temperature", search=gw.design.SearchOptions(samples=51))


def test_of_sets_that_weigh_the_same_the_thriftier_wins(every):
    space, options, _ = every
    found = best_sets(space, options, "mass", 1.0, method="enumerate").designs
    alike = [one.energy for one in found if one.mass == found[0].mass]
    assert found[0].energy == min(alike)
