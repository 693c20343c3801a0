"""Every limit is a constraint of sizing: of tasks, joints, gearboxes, kept drives; what cannot be judged is said."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import gearwright as gw
from design.arms import JOINTS, SAMPLES, arm, small, swing
from gearwright.analysis import Perturbation, analyse
from gearwright.analysis.drives.limit_kinds import (
    GEARBOX_INPUT_SPEED,
    GEARBOX_LIFE,
    GEARBOX_PEAK_TORQUE,
    JOINT_SPEED,
    JOINT_TORQUE,
    STRESS,
    VOLTAGE,
    LimitKey,
)
from gearwright.catalogue import Catalogue, drives
from gearwright.design import Choice, Range, size_drives, with_chosen_drives
from gearwright.design.candidates.candidates import catalogue_candidates
from gearwright.design.candidates.drive_influence import drive_space
from gearwright.design.search.drive_sets import DriveSets
from gearwright.design.search.tightest_limit import closest_set
from gearwright.design.sizing.verification import Verification, limit_share
from gearwright.design.variables.design_evaluation import SizingProblem
from gearwright.design.variables.design_variables import Design, design_space
from gearwright.errors import InputError
from gearwright.motion import polynomial
from gearwright.parts import Drive, Gear, GearboxSheet, Limits, Link, Motor, MotorSheet, Robot


def rated(table: Catalogue, exponent: float | None = None) -> Catalogue:
    words = {"life": 1000.0, "life_speed": 100.0, "life_exponent": exponent}
    return replace(table, gearboxes={key: replace(box, **words) for key, box in table.gearboxes.items()})


def limited(**words: float):
    robot = arm()
    return replace(robot, links=[replace(x, joint=replace(x.joint, limits=Limits(**words))) for x in robot.links])


def test_life_and_joint_limits_are_screened_as_they_are_analysed():
    table, task = rated(small(8, 6), 10 / 3), replace(swing(), required={"life": 2e4})
    robot = limited(speed=5.0, effort=9.0)
    space = drive_space(robot, task, JOINTS, 401)
    sets = DriveSets(space, tuple(catalogue_candidates(basis, table, life=2e4) for basis in space.drives))
    places = np.array([11, 30])
    choices = {joint: sets.options[k].choices[places[k]] for k, joint in enumerate(JOINTS)}
    found = analyse(with_chosen_drives(robot, choices), task, catalogue=table, samples=401)
    shares = {check.name: limit_share(check) for check in found.limits}
    chosen = {k: places[k : k + 1] for k in range(2)}
    for k, joint in enumerate(JOINTS):
        use = sets.screen_joint(k, chosen, chosen[k]).limit_shares
        for kind in (JOINT_SPEED, JOINT_TORQUE, GEARBOX_LIFE):
            assert use[kind][0] == pytest.approx(shares[f"{joint}: {kind.name}"], rel=5e-3), (joint, kind.name)


def test_a_required_life_is_met_by_the_lightest_set_that_meets_it():
    table, life = rated(small(8, 8)), 1e5
    task = replace(swing(), required={"life": life})
    sized = size_drives(arm(), task, table, search=gw.design.SearchOptions(samples=SAMPLES))
    assert sized.analysis.is_feasible
    assert min(drive.life for drive in sized.analysis.drives.values()) >= life
    assert sized.mass > size_drives(arm(), swing(), table, search=gw.design.SearchOptions(samples=SAMPLES)).mass
    with pytest.raises(InputError, match=r"\w+: gearbox life: .*\d+%"):
        size_drives(arm(), replace(swing(), required={"life": 1e12}), table, search=gw.design.SearchOptions(samples=31))


def test_a_cycle_that_takes_too_long_is_not_a_matter_of_drives():
    task = replace(swing(), required={"cycle_time": 0.5})
    with pytest.raises(InputError, match=r"\b1\.403 s.*\b0\.5 s"):
        size_drives(arm(), task, small(4, 4), search=gw.design.SearchOptions(samples=31))


def test_a_pace_that_varies_keeps_the_required_cycle_time():
    takes = swing().cycle.duration
    task = replace(swing(), required={"cycle_time": 1.2 * takes})
    words = {
        "variables": {"task.time_scale": Range(0.9, 2.0)},
        "objective": "energy",
        "search": gw.design.SearchOptions(trials=12, samples=31),
    }
    sized = size_drives(arm(), task, small(6, 6), **words)
    assert sized.task.cycle.duration <= 1.2 * takes * (1 + 1e-9)
    free = size_drives(arm(), swing(), small(6, 6), **words)
    assert free.task.cycle.duration > 1.2 * takes  # slower takes less energy, so that the limit matters


def test_a_joint_that_must_not_turn_so_fast_is_told():
    with pytest.raises(InputError, match=r"'shoulder': .*\d+%.*speed.*\b100%"):
        size_drives(limited(speed=0.5), swing(), small(4, 4), search=gw.design.SearchOptions(samples=31))


@pytest.mark.parametrize(("begins", "most"), [(7e-3, 7e-3), (0.0, 2e-3), (0.0, 5e-4)])
def test_the_accuracy_of_the_loop_is_a_limit(begins, most):
    """One that the start misses is refused at once; any other is missed by a set, or kept by it."""
    wrong = Perturbation(start_error={"elbow": 0.02})
    task = replace(swing(), perturbed=wrong, required={"accuracy": 1e-3})
    question = SizingProblem(design_space(Design(arm(), task, {}), {}), small(1, 1), ("elbow",), "mass", 1.0, 31)
    loop = SimpleNamespace(limits=(), accuracy=most, tip_error=np.array([begins, most]))
    analysis, judge = SimpleNamespace(limits=(), perturbed=loop), Verification(question)
    missed = judge.violations(analysis)
    assert [one.share for one in missed.values()] == ([most / 1e-3] if most > 1e-3 else [])
    if not begins:
        return judge.raise_if_unattainable(analysis)
    with pytest.raises(InputError, match=r"\b7 mm.*\b1 mm.*start_error"):
        judge.raise_if_unattainable(analysis)


OWN_MOTOR = MotorSheet(key="mine", mass=0.01, inertia=1e-7, torque_constant=0.02, resistance=1.0, voltage=24.0)
OWN_BOX = GearboxSheet(key="box", mass=0.01, inertia=1e-8, ratio=60.0, efficiency=0.9)


@pytest.mark.parametrize(
    ("motor", "cells"),
    [
        (OWN_MOTOR, "nominal_torque or nominal_current"),
        (replace(OWN_MOTOR, resistance=0.0, nominal_torque=5.0), "above 0"),
    ],
)
def test_articles_without_ratings_do_not_win(motor, cells):
    table = small(6, 6)
    more = replace(table, motors={**table.motors, "mine": motor}, gearboxes={**table.gearboxes, "box": OWN_BOX})
    plain, found = (
        size_drives(arm(), swing(), one, search=gw.design.SearchOptions(samples=31)) for one in (table, more)
    )
    assert found.mass == plain.mass
    said = " ".join(found.remarks)
    assert cells in said
    assert "mine" in said
    assert "rated_torque or peak_torque: box" in said


def test_the_tightest_limit_is_that_of_the_set_that_comes_closest():
    task = replace(swing(), payload=gw.parts.Payload(40.0, (0.2, 0, 0)))
    table = small(6, 6)
    space = drive_space(arm(), task, JOINTS, 31)
    sets = DriveSets(space, tuple(catalogue_candidates(basis, table) for basis in space.drives))
    every = np.array(list(product(*(range(len(some)) for some in sets.options))))
    least = sets.evaluate_sets(every).largest_share.min()
    assert sets.evaluate_sets(closest_set(sets, 1.0, exact=True)[None]).largest_share[0] == pytest.approx(
        least, rel=1e-12
    )
    with pytest.raises(InputError, match=rf"\b{least:.0%}.*\b100%"):
        size_drives(arm(), task, table, search=gw.design.SearchOptions(samples=31))


def test_a_large_margin_does_not_hide_the_drives_that_come_closest():
    """Drives that turn too fast for the margin bear more: the message counts them."""
    table = small(8, 8)
    space = drive_space(arm(), swing(), ["shoulder"], 31)
    sets = DriveSets(space, tuple(catalogue_candidates(basis, table) for basis in space.drives))
    least = sets.evaluate_sets(np.arange(len(sets.options[0]))[:, None]).largest_share.min()
    with pytest.raises(InputError, match=rf"\b{least:.0%}"):
        size_drives(
            arm(),
            swing(),
            table,
            joints=["shoulder"],
            search=gw.design.SearchOptions(samples=31),
            margin=round(1 - least + 0.05, 3),
        )


def tight_at_the_shoulder():
    """An arm whose shoulder's joint bears hardly more than it must, and the motor and gearbox of both its drives."""
    table = small(6, 6)
    plain = max(table.motors.values(), key=lambda one: one.continuous_torque)
    box = max(table.gearboxes.values(), key=lambda one: one.rated_torque)
    fitted = with_chosen_drives(arm(), dict.fromkeys(JOINTS, Choice(plain, box)))
    before = analyse(fitted, swing(), catalogue=table).drives["shoulder"].peak_torque
    joint = replace(fitted.links[0].joint, limits=Limits(effort=1.05 * before))
    return replace(fitted, links=[replace(fitted.links[0], joint=joint), fitted.links[1]]), plain, box


def test_drives_that_are_not_chosen_are_judged():
    """A heavy motor at the elbow takes the shoulder's joint beyond its torque, which it kept before."""
    robot, plain, box = tight_at_the_shoulder()
    for mass, kept in ((plain.mass, True), (plain.mass + 3.0, False)):
        one = Catalogue({plain.key: replace(plain, mass=mass)}, {box.key: box})
        sized = size_drives(robot, swing(), one, joints=["elbow"], search=gw.design.SearchOptions(samples=31))
        assert any(x.startswith("shoulder: joint torque, ") for x in sized.remarks) is not kept
        check = next(x for x in sized.analysis.limits if x.name == "shoulder: joint torque")
        assert check.is_satisfied is kept


def test_a_drive_that_spoils_another_is_judged_in_the_loop_too():
    """The elbow's own limits in the loop are not overlooked because the shoulder, which stays, misses one."""
    robot, plain, box = tight_at_the_shoulder()
    task = replace(swing(), perturbed=Perturbation(start_error={"elbow": 1.5}))
    heavy = Catalogue({plain.key: replace(plain, mass=plain.mass + 3.0)}, {box.key: box})
    with pytest.raises(InputError, match=r"elbow: voltage \(closed loop\)"):
        size_drives(robot, task, heavy, joints=["elbow"], search=gw.design.SearchOptions(samples=31))


def test_a_link_is_not_taken_for_a_drive_of_its_name():
    links = [Link("upper", mass=2, com=(0.2, 0, 0)), Link("fore", "upper", mass=1, com=(0.2, 0, 0))]
    robot = Robot("arm", links, [Drive(name, Motor(1e-4), Gear(100)) for name in ("upper", "fore")])
    design = Design(robot, gw.design.Task([polynomial([0, 0], [1, 1], duration=1.0)]), {})
    judge = Verification(SizingProblem(design_space(design, {}), drives(), ("fore",), "mass", 1.0, 31))
    assert judge.is_only_of_others([LimitKey("upper", VOLTAGE), LimitKey("upper", VOLTAGE, in_closed_loop=True)])
    assert not judge.is_only_of_others([LimitKey("upper", STRESS)])
    assert not judge.is_only_of_others([LimitKey("upper", STRESS, in_closed_loop=True)])


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (GEARBOX_INPUT_SPEED, "drives of lower ratios"),
        (GEARBOX_PEAK_TORQUE, "stronger gearboxes"),
        (STRESS, "larger sections"),
    ],
)
def test_the_remedy_is_that_of_the_limit(kind, words):
    assert words in kind.remedy


def elastic(**required: float):
    way, back = (
        polynomial([0, 0, 0], [0.3, 0.2, -0.2], duration=2.0),
        polynomial([0.3, 0.2, -0.2], [0, 0, 0], duration=2.0),
    )
    return gw.load("elastic_elbow"), gw.design.Task([way, back], pause=0.2, required=required)


@pytest.fixture(scope="module")
def light():
    whole = drives()
    return Catalogue({"MM_339281": whole.motor("MM_339281")}, {"MM_203125": whole.gearbox("MM_203125")})


def test_elastic_gears_stay_elastic(light):
    robot, task = elastic()
    sized = size_drives(robot, task, light, joints=["j3"], search=gw.design.SearchOptions(samples=31))
    assert sized.robot.drive("j3").gear.stiffness == 3000.0
    assert any(remark.startswith("j3: ") and "3000 Nm/rad" in remark for remark in sized.remarks)
    choice = next(iter(sized.choices.values()))
    printed = choice._replace(gearbox=replace(choice.gearbox, stiffness=5500.0))
    assert with_chosen_drives(robot, {"j3": printed}).drive("j3").gear.stiffness == 5500.0
    assert with_chosen_drives(gw.load("elbow"), {"j3": printed}).drive("j3").gear.stiffness is None


def test_a_natural_frequency_is_required_of_an_elastic_robot(light):
    robot, task = elastic(frequency=500.0)
    with pytest.raises(InputError, match=r"natural frequency: .*\d+%"):
        size_drives(robot, task, light, joints=["j3"], search=gw.design.SearchOptions(samples=31))


def test_the_ratio_of_an_elastic_gear_may_vary():
    robot, task = elastic()
    words = {
        "variables": {"j1.gear.ratio": Range(50, 150)},
        "objective": "energy",
        "search": gw.design.SearchOptions(trials=2, samples=21),
    }
    sized = size_drives(robot, task, joints=(), **words)
    assert 50 <= sized.values["j1.gear.ratio"] <= 150
    assert sized.robot.drive("j1").gear.stiffness == 8000.0
