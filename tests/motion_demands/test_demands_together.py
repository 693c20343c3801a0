"""Times of a motion whose laws are in the same modes are looked at together: nothing but the speed depends on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import SingularityError
from gearwright.forces import Coordinate, Line, Load
from gearwright.forces.law import Action, Force, Law
from gearwright.motion import EndRates, Motion, polynomial


def lossy(name, efficiency=0.8):
    robot = gw.load(name)
    for drive in robot.drives:
        robot = robot.with_drive(replace(drive, gear=replace(drive.gear, efficiency=efficiency)))
    return robot


def rows(robot, count=24, seed=3):
    """Unrelated states of motion: every row has modes of its own."""
    n, random = gw.assemble(robot).n, np.random.default_rng(seed)
    return Motion(np.linspace(0, 1, count), *random.normal(size=(3, count, n)))


@pytest.fixture(scope="module")
def arm():
    return lossy("elbow")


@pytest.fixture(scope="module")
def there_and_back():
    return polynomial(
        [0.1, -0.4, 0.7], [0.6, 0.2, -0.2], 0.8, order=7, end_rates=EndRates(start_speed=-0.5, end_speed=-0.5)
    )


def test_no_row_depends_on_its_company(arm):
    motion = rows(arm)
    together = gw.demands(arm, motion, actuators=()).tau
    for k in range(len(motion.t)):
        alone = Motion(motion.t[k : k + 1], motion.q[k : k + 1], motion.v[k : k + 1], motion.a[k : k + 1])
        assert np.allclose(gw.demands(arm, alone, actuators=()).tau, together[k], rtol=1e-12, atol=1e-12)


@dataclass(frozen=True)
class Wind(Law):
    """It pushes with the square of the speed, and only from one side; written over scalars, or with an `if`."""

    name: str
    line: Line
    branches: bool
    asked: list[int]

    def act(self, mode, situation):
        self.asked[0] += 1
        speed = situation.speed(self.line)
        if self.branches:
            return Action(forces=(Force(self.line, -2.0 * speed * speed if speed > 0 else 0.0 * speed),))
        return Action(forces=(Force(self.line, situation.ops.where(speed > 0, -2.0 * speed * abs(speed), 0.0)),))


def blown(robot, motion, branches):
    law = Wind("wind", Line.for_machine(gw.assemble(robot), "j1"), branches, [0])
    return gw.demands(robot, motion, laws=[*gw.laws(robot), law], samples=61), law.asked[0]


def test_laws_are_asked_for_many_times_at_once(arm, there_and_back):
    """A law that is not written over arrays is asked time by time, with the same result."""
    together, few = blown(arm, there_and_back, branches=False)
    one_by_one, many = blown(arm, there_and_back, branches=True)
    assert np.allclose(together.tau, one_by_one.tau, rtol=1e-12, atol=1e-12)
    assert few < len(together.t) < many
    assert np.abs(together.tau - gw.demands(arm, there_and_back, samples=61).tau).max() > 0.5


def test_all_gears_of_a_large_robot_may_be_driven_at_once():
    """Thirty gears that brake the robot: each takes its change of mode, and friction helps every motor."""
    robot = lossy("humanoid_30")
    n = gw.assemble(robot).n
    braked = Motion(np.zeros(1), np.zeros((1, n)), np.ones((1, n)), np.full((1, n), -200.0))
    found, ideal = (gw.demands(robot, braked, actuators=(), **laws).tau for laws in ({}, {"laws": ()}))
    assert (np.abs(found) < np.abs(ideal) - 1e-3).sum() > 20
    assert np.all(np.abs(found) <= np.abs(ideal) + 1e-9)


def test_the_error_of_one_time_names_it(arm):
    """Among many times that can be computed one cannot; the error is that of its own."""
    motion = rows(arm, 5)
    motion.q[2] = 0.0
    root = Coordinate.for_machine(gw.assemble(arm), "root", lambda c: c.ops.sqrt(c.q[0] * c.q[0] + c.q[1] * c.q[1]))
    with pytest.raises(SingularityError, match=r"'root' .* t = 0\.5 s, q = \[0\.0, 0\.0, 0\.0\]"):
        gw.demands(arm, motion, laws=[Load("pull", root)], actuators=())
