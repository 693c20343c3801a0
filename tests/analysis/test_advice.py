"""Advice is followed: the robot is changed as it says and analysed again, and the limit is kept as it told."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from gearwright.analysis import Task, analyse
from gearwright.catalogue import Catalogue, drives
from gearwright.motion import s_curve
from gearwright.parts import Drive, Friction, Gear, GearboxSheet, Joint, Limits, Link, Losses, Motor, Payload, Robot

WHOLE = drives()
SAMPLES = 101
KEEPS = r"A ratio of ([\d.]+) instead of [\d.]+ keeps it: ([\d.e+-]+)"
BEST = (
    r"No ratio from ([\d.]+) to ([\d.]+) keeps it with this motor: with the best, ([\d.]+), it still comes to ([\d.]+)"
)
LIGHTEST = (
    r"The lightest (motor|gearbox)[\w ]* that keeps its limits here is (\S+) \([\d.]+ kg, (\d+)% of its ([\w ]+)\)"
)
NEAREST = (
    r"No (motor|gearbox)[\w ]* keeps its limits here: the nearest, (\S+) \([\d.]+ kg\), takes (\d+)% of its ([\w ]+)"
)


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


def follow(robot: Robot, task: Task, table: Catalogue = WHOLE) -> set[str]:
    """Do everything that the advice of every limit says; what kinds of advice there were."""
    now, seen = checks_of(robot, task, table), set()
    for name, check in now.items():
        if check.kept:
            continue
        joint, what = name.split(": ")
        if found := re.search(KEEPS, check.advice):
            again = checks_of(with_ratio(robot, joint, float(found[1])), task, table)
            assert again[name].kept, (check, again[name])
            assert again[name].value == pytest.approx(float(found[2]), rel=0.02)
            broken = {x.split(": ")[1] for x, one in again.items() if not one.kept and x.startswith(joint)}
            told = re.search(r"It does not keep ([\w ,]+)\.", check.advice)
            fixed = ("gearbox peak torque", "gearbox mean torque", "joint speed")  # these no ratio changes
            assert all(told is not None and x in told[1] for x in broken - {*fixed}), (broken, check.advice)
            seen.add("ratio")
        if found := re.search(BEST, check.advice):
            least, most, best, value = (float(x) for x in found.groups())
            assert checks_of(with_ratio(robot, joint, best), task, table)[name].value == pytest.approx(value, rel=0.02)
            for ratio in np.geomspace(least, most, 7):
                assert checks_of(with_ratio(robot, joint, ratio), task, table)[name].margin < 0.006
            seen.add("no ratio")
        if found := re.search(LIGHTEST, check.advice):
            kind, key, share, tightest = found.groups()
            again = checks_of(with_article(robot, joint, kind, key, table), task, table)
            assert again[name].kept, (check, again[name])
            assert all(one.kept for x, one in again.items() if x.startswith(joint) and now.get(x, one).kept)
            assert 1 - again[f"{joint}: {tightest}"].margin == pytest.approx(float(share) / 100, abs=0.02)
            seen.add(kind)
        if found := re.search(NEAREST, check.advice):
            kind, key, share, tightest = found.groups()
            again = checks_of(with_article(robot, joint, kind, key, table), task, table)
            assert 1 - again[f"{joint}: {tightest}"].margin == pytest.approx(float(share) / 100, rel=0.02, abs=0.01)
            seen.add(f"no {kind}")
    return seen
