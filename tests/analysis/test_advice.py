"""Advice is followed: the robot is changed as it says and analysed again, and the limit is kept as it told."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Advice, LimitCheck, Task, analyse
from gearwright.analysis.advice.catalogue_advice import CatalogueSearch
from gearwright.analysis.advice.drive_trials import DriveTrials
from gearwright.catalogue import Catalogue, drives
from gearwright.design.variables.task_speed import slowed_task
from gearwright.motion import s_curve
from gearwright.parts import (
    Box,
    Drive,
    Gear,
    GearboxSheet,
    Joint,
    Limits,
    Link,
    Losses,
    Motor,
    MotorSheet,
    Payload,
    Robot,
)

WHOLE = drives()
SAMPLES = 101


def arm(motors, gears, *, mass=3.0, friction=0.0, limits=None) -> Robot:
    """One link or two that swing in a vertical plane; the second motor sits on the first link, its axis oblique."""
    limits = limits or Limits()
    upper = Link("upper", "base", Joint("shoulder", axis=(0, 1, 0), friction=friction, limits=limits), mass)
    links = [replace(upper, com=(0.3, 0, 0), inertia=np.diag([0.01, 0.1, 0.1]))]
    made = [Drive("shoulder", motors[0], gears[0])]
    if len(motors) > 1:
        elbow = Joint("elbow", axis=(0, 1, 0), position=(0.5, 0, 0), friction=friction)
        links.append(Link("fore", "upper", elbow, 0.4 * mass, (0.2, 0, 0), np.diag([2e-3, 2e-2, 2e-2])))
        seat = replace(motors[1], position=(0.1, 0.02, 0.0))
        made.append(Drive("elbow", seat, gears[1], mounted_on="upper", axis=(0.6, 0.8, 0.0)))
    return Robot("arm", links, made)


def swing(count: int = 1, speed: float = 3.0, pause: float = 0.0, **words) -> Task:
    limits = {"speed": speed, "acceleration": 7 * speed, "jerk": 160 * speed}
    start, end = [0.0] * count, ([1.0, -0.8])[:count]
    return Task([s_curve(start, end, **limits), s_curve(end, start, **limits)], pause=pause, **words)


def checks_of(robot: Robot, task: Task, table: Catalogue = WHOLE):
    return {check.name: check for check in analyse(robot, task, catalogue=table, samples=SAMPLES).limits}


def with_ratio(robot: Robot, joint: str, ratio: float) -> Robot:
    drive = next(one for one in robot.drives if one.joint == joint)
    return robot.with_drive(joint, replace(drive, gear=replace(drive.gear, ratio=np.sign(drive.gear.ratio) * ratio)))


def with_article(robot: Robot, joint: str, kind: str, key: str, table: Catalogue) -> Robot:
    drive = next(one for one in robot.drives if one.joint == joint)
    if kind == "gearbox":
        return robot.with_drive(joint, replace(drive, gear=table.gearbox(key).gear()))
    motor = table.motor(key).motor(position=drive.motor.position, max_current=drive.motor.max_current)
    return robot.with_drive(joint, replace(drive, motor=motor))


def advice_of(check: LimitCheck, kind: str) -> Advice:
    """The one recommendation of a kind."""
    (advice,) = (one for one in check.advice if one.kind == kind)
    return advice


def follow_ratio(advice, robot, task, table, check, joint, now):
    again = checks_of(with_ratio(robot, joint, advice.ratio), task, table)
    assert again[check.name].is_satisfied, (check, again[check.name])
    assert again[check.name].value == pytest.approx(advice.result, rel=0.02)
    broken = {x.split(": ")[1] for x, one in again.items() if not one.is_satisfied and x.startswith(joint)}
    fixed = {"gearbox peak torque", "gearbox mean torque", "joint speed"}  # these no ratio changes
    assert broken - fixed <= {*advice.exceeded}


def follow_no_ratio(advice, robot, task, table, check, joint, now):
    best = checks_of(with_ratio(robot, joint, advice.ratio), task, table)[check.name]
    assert best.value == pytest.approx(advice.result, rel=0.02)
    for ratio in np.geomspace(*advice.ratio_range, 4):
        assert checks_of(with_ratio(robot, joint, ratio), task, table)[check.name].margin < 0.006


def follow_entry(advice, robot, task, table, check, joint, now):
    again = checks_of(with_article(robot, joint, advice.kind, advice.entry, table), task, table)
    assert again[check.name].is_satisfied, (check, again[check.name])
    assert all(one.is_satisfied for x, one in again.items() if x.startswith(joint) and now.get(x, one).is_satisfied)
    assert 1 - again[f"{joint}: {advice.quantity}"].margin == pytest.approx(advice.share, abs=0.02)


def follow_closest_entry(advice, robot, task, table, check, joint, now):
    kind = advice.kind.removeprefix("no ")
    again = checks_of(with_article(robot, joint, kind, advice.entry, table), task, table)
    assert 1 - again[f"{joint}: {advice.quantity}"].margin == pytest.approx(advice.share, rel=0.02, abs=0.01)


FOLLOWERS = {
    "ratio": follow_ratio,
    "no ratio": follow_no_ratio,
    "motor": follow_entry,
    "gearbox": follow_entry,
    "no motor": follow_closest_entry,
    "no gearbox": follow_closest_entry,
}


def follow(robot: Robot, task: Task, table: Catalogue = WHOLE) -> set[str]:
    """Do everything that the advice of every limit says; what kinds of advice there were."""
    now, seen = checks_of(robot, task, table), set()
    for name, check in now.items():
        if check.is_satisfied:
            continue
        joint = name.split(": ")[0]
        for advice in check.advice:
            if advice.kind in FOLLOWERS:
                FOLLOWERS[advice.kind](advice, robot, task, table, check, joint, now)
                seen.add(advice.kind)
    return seen


def random_arm(seed: int) -> tuple[Robot, Task]:
    """Articles of the catalogue with limits, friction, losses and gears of any kind that a file may state."""
    rng = np.random.default_rng(seed)
    count, motors, gears = 1 + seed % 2, [], []
    for _ in range(count):
        words = {"friction": rng.uniform(0, 0.03), "damping": rng.uniform(0, 1e-4), "max_speed": rng.uniform(100, 600)}
        article = ABLE[rng.integers(len(ABLE))].motor()
        motors.append(replace(article, max_torque=rng.uniform(0.05, 1.0), **words))
        ratio = rng.uniform(10, 200)
        table = [Losses(0.0, 0.9), Losses(300.0, 0.6, no_load_torque=0.01)]
        lossy = Gear(-ratio, efficiency=rng.uniform(0.4, 0.95), no_load_torque=rng.uniform(0, 0.01), inertia=1e-6)
        gears.append([Gear(ratio), lossy, Gear(ratio, losses=table)][rng.integers(3)])
    robot = arm(motors, gears, mass=rng.uniform(0.3, 4.0), friction=rng.choice([0.0, 0.3]))
    return robot, swing(count, rng.uniform(1, 5), rng.choice([0.0, 0.3]))


ABLE = [m for m in WHOLE.motors.values() if None not in (m.mass, m.inertia, m.torque_constant, m.resistance, m.heat)]


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_advice_for_random_arms_holds_when_it_is_followed(seed):
    assert follow(*random_arm(seed))


@pytest.mark.parametrize(("efficiency", "friction"), [(1.0, 0.0), (0.6, 0.02), (0.5, 0.05)])
def test_the_ratio_counts_losses_and_friction(efficiency, friction):
    """With losses and friction a much larger ratio than 20 keeps a torque that was said to be kept by none."""
    motor = replace(WHOLE.motor("MM_148877").motor(), friction=friction, max_torque=0.25)
    robot = arm([motor], [Gear(20.0, efficiency=efficiency)])
    assert "ratio" in follow(robot, swing())
    ratio = advice_of(checks_of(robot, swing())["shoulder: peak motor torque"], "ratio").ratio
    smaller = checks_of(with_ratio(robot, "shoulder", 0.95 * ratio), swing())
    assert not smaller["shoulder: peak motor torque"].is_satisfied  # it is the nearest


def test_the_ratio_of_a_winding_says_how_warm_it_gets():
    box = WHOLE.gearbox("MM_203120").gear()
    robot = arm([WHOLE.motor("MM_148877").motor()], [box], mass=4.0)
    check = checks_of(robot, swing())["shoulder: winding temperature rise"]
    assert not check.is_satisfied
    advice = advice_of(check, "ratio")
    again = checks_of(with_ratio(robot, "shoulder", advice.ratio), swing())["shoulder: winding temperature rise"]
    assert again.value == pytest.approx(advice.result, rel=0.02)
    assert again.value <= again.limit


def small_catalogue() -> Catalogue:
    """Five motors, with one that bears the torque but turns slowly and one whose sheet lacks its resistance."""
    keys = ["MM_148877", "FH_3274G024BP4", "MM_578298", "MM_607942", "MM_353297"]
    motors = {key: WHOLE.motors[key] for key in keys}
    strong = replace(motors["MM_353297"], peak_speed=None, inductance=None)
    motors["slow"] = replace(strong, key="slow", mass=0.1, peak_speed=20.0)
    motors["bare"] = replace(strong, key="bare", mass=0.11, resistance=None)
    motors["heavy rotor"] = replace(strong, key="heavy rotor", mass=0.12, inertia=0.02)
    return Catalogue(motors, {})


def test_the_lightest_motor_is_the_first_that_keeps_all_when_every_one_is_analysed():
    """Every motor of a catalogue is put in and analysed: lighter ones than the advised fail or cannot be told."""
    table, robot = small_catalogue(), arm([WHOLE.motor("MM_148877").motor()], [Gear(60.0, efficiency=0.8)], mass=4.0)
    name = "shoulder: continuous motor torque"
    check = checks_of(robot, swing(), table)[name]
    assert not check.is_satisfied
    advised = advice_of(check, "motor").entry
    assert "motor" in follow(robot, swing(), table)
    lighter = [one for one in table.motors.values() if one.mass < table.motors[advised].mass]
    assert {"slow", "heavy rotor"} < {one.key for one in lighter}
    for one in lighter:
        if one.resistance is not None:
            again = checks_of(with_article(robot, "shoulder", "motor", one.key, table), swing(), table)
            assert not all(x.is_satisfied for x in again.values()), one.key


def test_a_motor_that_is_not_there_is_not_named():
    table = small_catalogue()
    robot = arm([WHOLE.motor("MM_148877").motor()], [Gear(60.0)], mass=60.0)
    assert "no motor" in follow(robot, swing(), table)
    alone = Catalogue({"MM_148877": table.motors["MM_148877"]}, {})
    check = checks_of(robot, swing(), alone)["shoulder: continuous motor torque"]
    assert advice_of(check, "no other motor") == Advice("no other motor", quantity="continuous torque")


def test_the_lightest_gearbox_keeps_its_limits_and_those_of_the_motor():
    """A lighter gearbox that bears the torque, but loses so much that the motor fails, is passed over."""
    box = replace(WHOLE.gearbox("MM_203120"), peak_torque=9.0, rated_torque=5.0)
    strong = GearboxSheet(key="fine", ratio=45.0, mass=0.6, efficiency=0.8, peak_torque=40.0, rated_torque=20.0)
    wasteful = replace(strong, key="wasteful", mass=0.4, efficiency=0.25)
    weak = replace(strong, key="weak", mass=0.3, peak_torque=9.0)
    table = Catalogue(WHOLE.motors, {one.key: one for one in (box, strong, wasteful, weak)})
    robot = arm([WHOLE.motor("MM_578298").motor()], [box.gear()])
    check = checks_of(robot, swing(), table)["shoulder: gearbox peak torque"]
    assert not check.is_satisfied
    assert advice_of(check, "gearbox").entry == "fine"
    assert follow(robot, swing(), table) == {"gearbox"}


def test_a_payload_and_a_slower_motion_that_are_advised_count_losses():
    motor = replace(WHOLE.motor("MM_578298").motor(), max_torque=0.6)
    robot = arm([motor], [Gear(60.0, efficiency=0.6)], limits=Limits(effort=36.0))
    task = swing(payload=Payload(1.0, (0.6, 0, 0), link="upper"))
    now = checks_of(robot, task)
    for what in ("peak motor torque", "joint torque"):
        advice = advice_of(now[f"shoulder: {what}"], "payload")
        assert advice.present == 1.0
        again = checks_of(robot, swing(payload=Payload(advice.value, (0.6, 0, 0), link="upper")))[f"shoulder: {what}"]
        assert again.margin == pytest.approx(0.0, abs=0.01)
    stretch = advice_of(now["shoulder: joint torque"], "longer motion").factor
    assert checks_of(robot, slowed_task(task, stretch))["shoulder: joint torque"].margin == pytest.approx(0.0, abs=0.01)


def test_the_advice_of_an_elastic_drive_holds_too():
    motor = replace(WHOLE.motor("MM_148877").motor(), max_torque=0.25, friction=0.01, heat=None)
    robot = arm([motor], [Gear(30.0, efficiency=0.8, stiffness=4e3, damping=2.0)])
    assert "ratio" in follow(robot, swing())


def test_a_rotor_on_a_moving_link_is_tried_as_it_is_analysed():
    """Part of what turns it grows with the ratio, part with its square; the whole series is that of an analysis."""
    heavy = Motor(2e-3, friction=0.01)
    robot, task = arm([heavy, heavy], [Gear(3.0), Gear(3.0)]), swing(2)
    found = analyse(robot, task, samples=SAMPLES)
    trials = DriveTrials(found.drives["elbow"], robot, gw.assemble(robot), found.demands.motion, None, None)
    for ratio in (2.0, 7.0):
        tried = trials.series_with_ratios(np.array([ratio])).motor_torque[0]
        again = analyse(with_ratio(robot, "elbow", ratio), task, samples=SAMPLES).drives["elbow"].motor_torque
        assert tried == pytest.approx(again, abs=1e-7 * np.abs(again).max())


def test_a_sheet_without_the_limit_in_question_is_not_advised():
    """A strong motor whose sheet prints no peak torque is lighter, but says nothing about peaks."""
    motor = replace(WHOLE.motor("MM_148877").motor(), max_torque=0.2, heat=None)
    known, silent = WHOLE.motors["AM_MF0060020_48V"], WHOLE.motors["TM_U8_KV100"]
    table = Catalogue({one.key: one for one in (known, replace(silent, peak_torque=None))}, {})
    check = checks_of(arm([motor], [Gear(20.0)]), swing(), table)["shoulder: peak motor torque"]
    assert advice_of(check, "motor").entry == known.key


def failing_arm() -> Robot:
    motor = replace(WHOLE.motor("MM_148877").motor(), max_torque=1e-3)
    return arm([motor], [Gear(60.0)], mass=2.0)


def test_motors_without_ratings_do_not_stop_the_advice():
    """A sheet that limits nothing, and one whose winding may get no warmer than the air."""
    printed = {"mass": 0.1, "inertia": 1e-6, "torque_constant": 0.02, "resistance": 1.0}
    sheet = WHOLE.motor("MM_148877")
    bare = MotorSheet(key="bare", **printed)
    tender = replace(sheet, key="tender", max_winding_temperature=sheet.heat.ambient)
    robot = failing_arm()
    table = Catalogue({"bare": bare, "tender": tender, sheet.key: sheet}, {})
    swing = Task([s_curve([0.0], [1.0], speed=3.0, acceleration=20.0, jerk=500.0)])
    for check in analyse(robot, swing, catalogue=table, samples=51).limits:
        assert all(advice.kind == "no motor" for advice in check.advice if advice.entry == "tender")


def test_gearboxes_that_live_too_short_are_told_by_the_best():
    words = {"mass": 1.0, "ratio": 100.0, "efficiency": 0.8, "peak_torque": 500.0, "life": 1000.0, "life_speed": 200.0}
    boxes = [GearboxSheet(key=f"box{k}", rated_torque=40.0 + 10 * k, **words) for k in range(3)]
    robot = arm([WHOLE.motor("MM_148877").motor()], [boxes[0].gear()], mass=2.0)
    named = robot.with_drive(robot.drives[0].title, replace(robot.drives[0], name="the drive"))
    swing = Task([s_curve([0.0], [1.0], speed=1.0, acceleration=5.0, jerk=100.0)], required={"life": 1e12})
    table = Catalogue(WHOLE.motors, {one.key: one for one in boxes})
    lives = [check for check in analyse(named, swing, catalogue=table, samples=51).limits if "life" in check.name]
    assert [check.name for check in lives] == ["the drive: gearbox life"]
    advice = advice_of(lives[0], "no gearbox life")
    assert advice.entry == "box2"
    assert lives[0].value < advice.result < lives[0].limit


EXAMPLES = [
    (
        Advice("ratio", ratio=31.5, present=20.0, result=0.2, unit="Nm", exceeded=("motor speed", "voltage")),
        "A ratio of 31.5 instead of 20 satisfies the limit: 0.2 Nm. It exceeds motor speed, voltage.",
    ),
    (
        Advice("no ratio", ratio=50.0, result=np.inf, unit="K", ratio_range=(2.0, 200.0), has_present_wheels=True),
        "No ratio from 2 to 200, with the present wheels and losses of the gear, satisfies the limit with this motor: "
        "the best, 50, still has no steady-state temperature.",
    ),
    (
        Advice("motor", entry="MM_1", mass=0.24, share=0.914, quantity="voltage"),
        "The lightest motor of the catalogue that satisfies its limits here is MM_1 (0.24 kg, 91% of the voltage).",
    ),
    (
        Advice("section", part="upper", section=Box(0.06, 0.1, 0.004), factor=1.25, mass=0.5),
        "A box of 60 x 100 mm (wall 4 mm) in upper satisfies the limit: 1.25 times the present size, 0.5 kg heavier.",
    ),
    (
        Advice("section", part="upper", factor=1.25, mass=0.5),
        "A larger section along the whole length in upper satisfies the limit: 1.25 times the present size, "
        "0.5 kg heavier.",
    ),
]


@pytest.mark.parametrize(("advice", "text"), EXAMPLES)
def test_text_of_advice(advice, text):
    assert advice.text == text


def test_summary_states_the_fields_of_advice():
    robot = failing_arm()
    analysis = analyse(robot, swing(), samples=SAMPLES)
    summary = json.loads(json.dumps(analysis.summary(), allow_nan=False))
    exceeded = [(check, limit) for check, limit in zip(analysis.limits, summary["limits"], strict=True) if check.advice]
    assert exceeded
    for check, limit in exceeded:
        assert limit["advice"] == check.advice_text == " ".join(advice.text for advice in check.advice)
        for advice, fields in zip(check.advice, limit["recommendations"], strict=True):
            read = {name: tuple(x) if isinstance(x, list) else x for name, x in fields.items()}
            assert Advice(**read) == advice


def test_recommendations_for_drives_are_computed_when_they_are_read(monkeypatch):
    asked = []
    entry_advice = CatalogueSearch.entry_advice
    monkeypatch.setattr(
        CatalogueSearch, "entry_advice", lambda search, kind: asked.append(kind) or entry_advice(search, kind)
    )
    exceeded = [check for check in checks_of(failing_arm(), swing()).values() if not check.is_satisfied]
    assert not asked
    sent = pickle.loads(pickle.dumps(exceeded))
    assert asked
    count = len(asked)
    assert [tuple(check.advice) for check in exceeded] == [check.advice for check in sent]
    assert exceeded == sent
    assert len(asked) == count
