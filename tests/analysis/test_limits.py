"""Limits that nobody states are told, joints stay in their ranges, and a limit below zero is a limit."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import LimitCheck, Task, analyse
from gearwright.analysis.drives.limit_kinds import WINDING_TEMPERATURE
from gearwright.catalogue import Catalogue, drives
from gearwright.design import size_drives
from gearwright.errors import InputError, SimulationError
from gearwright.files.tables.catalogue_data import data_sheet_key, motor_fields_by_key
from gearwright.motion import pause, polynomial, s_curve
from gearwright.parts import Drive, Gear, Joint, Limits, Link, Motor, Robot
from gearwright.parts.drives.thermal import ZERO_CELSIUS


def axis(motor: Motor | None = None, gear: Gear | None = None, limits: Limits | None = None, kind: str = "revolute"):
    joint = Joint("j", kind, axis=(0, 0, 1), limits=limits or Limits())
    link = Link("l", "base", joint, mass=2.0, com=(0.2, 0, 0), inertia=np.diag([0.02, 0.02, 0.02]))
    return Robot("axis", [link], [Drive("j", motor or Motor(1e-5), gear or Gear(50.0))])


def to_and_fro(end: float, start: float = 0.0, **words) -> Task:
    limits = {"speed": 2.0, "acceleration": 10.0, "jerk": 200.0}
    return Task([s_curve([start], [end], **limits), s_curve([end], [start], **limits)], **words)


def open_kinds(found) -> dict[str, str]:
    return {title: one.reason for one in found.unchecked for title in one.kind_titles}


# A motor's data sheet, by key and by the short name of the same article


def test_a_bundled_motor_is_the_article_that_it_names():
    """The words of the short name against the row: the same inertia, winding and thermal data, or it is another one."""
    linked = {name: data_sheet_key(name) for name in motor_fields_by_key() if data_sheet_key(name)}
    assert linked == {"maxon_re40": "MM_148877"}
    words = "robot: x\nlinks: [{name: l, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\n"
    for name, key in linked.items():
        motor = gw.files.read_yaml(words + f"drives: [{{joint: l, motor: {{catalogue: {name}}}}}]").drives[0].motor
        sheet = drives().motor(key)
        for word in ("inertia", "torque_constant", "resistance", "inductance"):
            assert getattr(motor, word) == pytest.approx(getattr(sheet, word))
        for word in ("winding_housing", "housing_ambient", "winding_capacity", "housing_capacity"):
            assert getattr(motor.heat, word) == pytest.approx(getattr(sheet.heat, word))


def test_the_winding_of_the_scara_is_too_warm_and_its_page_says_so():
    robot = gw.load("scara")
    limits = {"speed": 2.5, "acceleration": 8.0, "jerk": 200.0}
    there, home = [1.4, 0.7, -0.05, 0.0], [0.0, 0.0, 0.0, 0.0]
    found = analyse(robot, Task([s_curve(home, there, **limits), s_curve(there, home, **limits)]), samples=101)
    check = next(one for one in found.limits if one.name == "shoulder: winding temperature rise")
    assert check.limit == pytest.approx(155.0 + ZERO_CELSIUS - 298.15)  # maxon prints 155 degrees Celsius
    assert not check.is_satisfied
    assert not found.is_feasible
    assert found.verdict.grade == "bad"


def test_what_the_file_states_goes_before_the_sheet():
    sheet = replace(drives().motor("MM_148877"), peak_torque=0.5)
    table = Catalogue({sheet.key: sheet}, {})
    bare = Motor(1.37e-5, torque_constant=0.0603, resistance=1.13, catalogue=sheet.key)
    for motor, limit in ((bare, 0.5), (replace(bare, max_torque=0.3), 0.3)):
        found = analyse(axis(motor), to_and_fro(1.0), catalogue=table, samples=51)
        assert next(one for one in found.limits if one.name == "j: peak motor torque").limit == limit


# What could not be checked


def test_an_ideal_drive_is_not_checked_at_all():
    found = analyse(axis(), to_and_fro(1.0), samples=51)
    kinds = open_kinds(found)
    words = ["motor peak torque", "motor continuous torque", "motor speed", "motor current", "motor voltage"]
    of_gearbox = {f"gearbox {kind}" for kind in ("peak torque", "mean torque", "output-shaft load", "mounting")}
    assert set(kinds) == {*words, "motor temperature", *of_gearbox}
    assert "names no data sheet" in kinds["motor peak torque"]
    assert all(name in kinds["motor voltage"] for name in ("torque constant", "resistance"))
    assert found.verdict.grade == "open"


def test_an_empty_cell_is_named_by_its_column():
    sheet = drives().motor("MM_148877")
    assert sheet.peak_torque is None
    found = analyse(axis(sheet.motor()), to_and_fro(1.0), samples=51)
    kinds = open_kinds(found)
    assert kinds["motor peak torque"] == "max_int_torque is empty in the data sheet of MM_148877"
    assert [kind for kind in kinds if kind.startswith("motor")] == ["motor peak torque"]
    assert any("max_int_torque" in remark for remark in found.remarks)


@pytest.mark.parametrize(("ratio", "told"), [(1.0, False), (-1.005, False), (0.5, True)])
def test_a_gear_of_another_ratio_than_its_sheet_is_told(ratio, told):
    box = drives().gearbox("MM_326668")
    gear = Gear(ratio * box.ratio, catalogue=box.key)
    found = analyse(axis(Motor(1e-5), gear), to_and_fro(0.2), samples=51)
    said = [remark for remark in found.remarks if box.key in remark and f"{box.ratio:.6g}" in remark]
    assert bool(said) is told


def test_a_sheet_that_is_not_in_the_catalogue_is_not_the_same_as_none():
    robot = axis(replace(Motor(1e-5), catalogue="nobody_1"), Gear(50.0, catalogue="nobody_2"))
    kinds = open_kinds(analyse(robot, to_and_fro(1.0), samples=51))
    assert "no data sheet of nobody_1" in kinds["motor peak torque"]
    assert "no data sheet of nobody_2" in kinds["gearbox peak torque"]
    assert not any("names no data sheet" in reason for reason in kinds.values())


def test_drives_with_the_same_reason_are_told_together():
    found = analyse(gw.load("elbow"), Task([polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)]), samples=51)
    assert all(one.drives == ("j1", "j2", "j3") for one in found.unchecked)
    assert len({(one.part, one.reason) for one in found.unchecked}) == len(found.unchecked)


def test_a_direct_drive_has_no_gearbox_to_check():
    kinds = open_kinds(analyse(axis(gear=Gear(1.0)), to_and_fro(1.0), samples=51))
    assert not any(kind.startswith("gearbox") for kind in kinds)


def test_everything_checked_and_kept_is_good():
    sheet = replace(drives().motor("MM_148877"), peak_torque=2.5)
    box = replace(drives().gearbox("MM_203120"), radial_load=1e4, axial_load=1e4, tilting_moment=1e3)
    table = Catalogue({sheet.key: sheet}, {box.key: box})
    found = analyse(axis(sheet.motor(), box.gear()), to_and_fro(0.2), catalogue=table, samples=51)
    assert found.unchecked == ()
    assert found.verdict.grade == "good"
    assert f" {len(found.limits)} " in found.verdict.text


# What is required and cannot be told


def test_a_life_or_frequency_that_cannot_be_told_is_remarked():
    found = analyse(axis(), to_and_fro(1.0, required={"life": 1e4, "frequency": 5.0}), samples=51)
    assert "gearbox life" in open_kinds(found)
    assert any("natural frequency is required" in remark for remark in found.remarks)
    box = replace(drives().gearbox("MM_203120"), life=None, radial_load=1e4)
    named, table = axis(gear=box.gear()), Catalogue({}, {box.key: box})
    kinds = open_kinds(analyse(named, to_and_fro(1.0, required={"life": 1e4}), catalogue=table, samples=51))
    assert kinds["gearbox life"] == "life, life_speed are empty in the data sheet of MM_203120"
    assert "gearbox life" not in open_kinds(analyse(named, to_and_fro(1.0), samples=51))


# Limits of zero and less


@pytest.mark.parametrize(
    ("value", "limit", "least", "margin"),
    [
        (20.0, -5.0, False, -inf),
        (-9.0, -5.0, False, inf),
        (0.0, 0.0, False, 0.0),
        (1.0, 0.0, False, -inf),
        (-6.0, -5.0, True, -inf),
        (-4.0, -5.0, True, inf),
        (30.0, 20.0, True, 0.5),
        (15.0, 20.0, False, 0.25),
    ],
)
def test_a_margin_has_the_sign_of_what_is_left(value, limit, least, margin):
    check = LimitCheck(WINDING_TEMPERATURE, "j", value, limit, "K", least)
    assert check.margin == margin
    assert check.is_satisfied == (value >= limit if least else value <= limit)


def test_air_that_is_warmer_than_the_winding_may_be():
    """155 degrees Celsius are allowed and the air has 160: not kept, whatever the motor does."""
    motor = drives().motor("MM_148877").motor()
    found = analyse(axis(motor), to_and_fro(0.3, ambient=160 + ZERO_CELSIUS), samples=51)
    check = next(one for one in found.limits if "winding" in one.name)
    assert check.limit == pytest.approx(-5.0)
    assert not check.is_satisfied
    assert not found.is_feasible
    assert [(advice.kind, advice.value) for advice in check.advice] == [("cooling", pytest.approx(5.0))]
    told = json.loads(json.dumps(found.summary(), allow_nan=False))
    assert next(one for one in told["limits"] if "winding" in one["name"])["margin"] == "-inf"


# Ranges of joints


def checked_position(robot: Robot, task: Task) -> LimitCheck:
    return next(one for one in analyse(robot, task, samples=51).limits if one.is_range)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_motion_beyond_the_range_is_not_possible(kind):
    robot = axis(limits=Limits(position=(-0.2, 0.6)), kind=kind)
    check = checked_position(robot, to_and_fro(0.7))
    assert (check.value, check.limit) == pytest.approx((0.5, 0.4))  # from 0.2, the middle
    assert check.unit == ("rad" if kind == "revolute" else "m")
    assert not check.is_satisfied
    (advice,) = check.advice
    assert (advice.kind, advice.unit) == ("joint range", check.unit)
    assert (advice.value, advice.present) == pytest.approx((0.7, 0.6))
    assert not analyse(robot, to_and_fro(0.7), samples=51).is_feasible


def test_a_range_may_be_used_to_its_ends():
    robot = axis(limits=Limits(position=(0.0, 0.6)))
    check = checked_position(robot, to_and_fro(0.6))
    assert check.margin == pytest.approx(0.0)
    assert check.is_satisfied
    assert not checked_position(robot, to_and_fro(0.6 + 1e-6)).is_satisfied


@pytest.mark.parametrize(("range_", "end", "kept"), [((-inf, 0.5), 0.4, True), ((-inf, -0.1), 0.4, False)])
def test_a_range_with_one_end(range_, end, kept):
    assert checked_position(axis(limits=Limits(position=range_)), to_and_fro(end, -0.5)).is_satisfied is kept


def test_a_joint_without_a_range_turns_for_ever():
    found = analyse(axis(), to_and_fro(40.0), samples=51)
    assert not any(one.is_range for one in found.limits)
    assert found.is_feasible


def test_the_range_of_a_follower_counts():
    """A finger that goes twice as far as its leader, and may go 0.5: 0.3 of the leader are too much."""
    robot = axis()
    finger = Link("f", "base", Joint("f", axis=(0, 0, 1), follows=("j", 2.0, 0.0), limits=Limits(position=(-0.5, 0.5))))
    both = replace(robot, links=[*robot.links, replace(finger, mass=0.1)])
    assert checked_position(both, to_and_fro(0.2)).is_satisfied
    assert not checked_position(both, to_and_fro(0.3)).is_satisfied


def test_a_recording_beyond_the_range_is_not_possible(tmp_path):
    robot = axis(limits=Limits(position=(-1.0, 1.0)))
    to_and_fro(1.5).cycle.save(tmp_path / "rec.csv", robot)
    (tmp_path / "rec.yaml").write_text("task: rec\nmotions: [{file: rec.csv}]\n")
    assert not analyse(robot, Task.read(tmp_path / "rec.yaml", robot), samples=51).is_feasible


def test_no_drives_are_chosen_for_a_motion_beyond_the_range():
    robot = axis(limits=Limits(position=(-1.0, 1.0)))
    with pytest.raises(InputError, match=r"size_drives: .*'j'.*0\.5 rad beyond 1 rad"):
        size_drives(robot, to_and_fro(1.5))


def test_a_margin_of_drives_is_not_asked_of_ranges():
    robot = axis(limits=Limits(position=(-1.0, 1.0)))
    motors = {key: drives().motor(key) for key in ("MM_148877", "MM_614949")}
    table = Catalogue(motors, {key: drives().gearbox(key) for key in ("MM_203120", "MM_223093")})
    sized = size_drives(
        robot, to_and_fro(1.0, pause=1.0), table, margin=0.2, search=gw.design.SearchOptions(samples=41)
    )
    assert sized.analysis.is_feasible


def test_a_loop_that_ends_at_a_stop_of_the_task_is_told():
    """A task that begins far beyond the range is judged; its closed loop cannot be followed, which is said."""
    robot, zero = gw.load("panda_like"), np.zeros(7)
    way = polynomial(zero, zero + 0.4, duration=1.0)
    found = analyse(robot, Task([way], perturbed=gw.analysis.Perturbation()), samples=51)
    assert not found.is_feasible
    assert found.perturbed is None
    beyond = [check.name for check in found.limits if not check.is_satisfied and check.is_range]
    assert any("closed loop" in remark and all(name in remark for name in beyond) for remark in found.remarks)


def test_a_loop_that_cannot_be_followed_is_an_error(monkeypatch):
    def failing(*args, **words):
        raise SimulationError("simulate: it stops.")

    monkeypatch.setattr("gearwright.analysis.cycle.closed_loop.simulate", failing)
    with pytest.raises(SimulationError, match=r"closed loop .*simulate: it stops"):
        analyse(axis(), to_and_fro(0.2, perturbed=gw.analysis.Perturbation()), samples=31)


@pytest.mark.parametrize("word", ["accuracy", "tip_deflection"])
def test_a_tip_that_nobody_names_is_asked_for(word):
    robot = gw.load("humanoid_30")
    rest = pause(np.full(gw.assemble(robot).nq, 0.1), 1.0)
    with pytest.raises(InputError, match=rf"{word}.*'humanoid_30'.*`tip`"):
        analyse(robot, Task([rest], required={word: 1e-3}), samples=31)


def test_a_closed_loop_beyond_the_range_is_remarked():
    """The task goes to the end of the range; a start error takes the loop 0.02 beyond the other one."""
    robot = axis(limits=Limits(position=(0.0, 0.6)))
    wrong = gw.analysis.Perturbation(start_error={"j": -0.02})
    found = analyse(robot, to_and_fro(0.6, perturbed=wrong), samples=51)
    assert any("closed loop j " in remark and "0.02 rad" in remark for remark in found.remarks)
    assert all(check.is_satisfied for check in found.limits)
