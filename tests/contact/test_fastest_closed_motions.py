"""Time-optimal motions of machines with closed loops, and their use of limits."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.files.yaml.task_reader import read_task
from gearwright.planning.paths.task_motions import task_motions
from support.mechanisms import four_bar, with_parallelogram

LOOPED, FOLLOWING = (with_parallelogram(gw.load("elbow"), by) for by in ("loop", "followers"))
POINTS = [[0, -0.5, 0.4], [0.5, 0.2, 0.3], [1.2, 0.6, -0.8]]
LIMITS = {"torque": [40.0, 60.0, 25.0], "speed": 3.0}


def test_the_motion_is_that_of_a_machine_of_followers():
    found, wanted = (gw.planning.fastest(robot, POINTS, intervals=300, **LIMITS) for robot in (LOOPED, FOLLOWING))
    assert found.duration == pytest.approx(wanted.duration, rel=1e-5)
    t = np.linspace(0.0, found.duration, 31)
    q = found.at(t)
    assert q[:, :3] == pytest.approx(wanted.at(t * wanted.duration / found.duration), abs=1e-4)
    assert q == pytest.approx(gw.assemble(LOOPED).closed(q[:, :3]), abs=1e-12)
    swing = gw.motion.polynomial(POINTS[0], POINTS[2], 1.0)
    uses = [gw.planning.limit_use(robot, swing, samples=101, **LIMITS).shares for robot in (LOOPED, FOLLOWING)]
    for name in ("tau.j1", "tau.j2", "tau.j3", "v.j3"):
        assert uses[0][name] == pytest.approx(uses[1][name], abs=1e-7)


@pytest.mark.parametrize("crank", [[[0.7], [1.5]], [[0.3], [3.5]]])
def test_a_four_bar_uses_its_limits(crank):
    """One limit is active at every instant: the torque that `demands` finds; the reversing rocker is limited too."""
    robot = four_bar("rocker")
    motion = gw.planning.fastest(robot, crank, torque=30.0, intervals=300)
    use = gw.planning.limit_use(robot, motion, torque=30.0, samples=201)
    assert use.largest_share.max() <= 1 + 1e-6
    assert np.quantile(use.largest_share, 0.2) > 0.99
    asked = gw.demands(robot, motion, samples=50)
    assert np.abs(asked.tau[:, 0]).max() == pytest.approx(30.0, rel=1e-4)
    slow = gw.planning.fastest(robot, crank, torque=30.0, speed=[50.0, 50.0, 0.8], intervals=300)
    assert slow.duration > motion.duration
    assert np.abs(slow.at(np.linspace(0, slow.duration, 501), 1)[:, 2]).max() == pytest.approx(0.8, abs=1e-4)


def test_paths_of_all_joints_and_other_branches():
    robot = four_bar("rocker")
    mech = gw.assemble(robot)
    start = next(q for q in mech.assembly_modes([0.7]).values() if abs(q[1] - mech.closed([0.7])[1]) > 0.1)
    whole = np.array([start, mech.closed([1.1], near=start)])
    motion = gw.planning.fastest(mech, whole, torque=30.0, intervals=100)
    assert motion.at([0.0, motion.duration]) == pytest.approx(whole, abs=1e-9)
    again = gw.planning.fastest(mech, motion, torque=30.0, intervals=100)
    assert again.duration == pytest.approx(motion.duration, rel=1e-3)
    assert again.at(again.duration) == pytest.approx(whole[1], abs=1e-7)
    with pytest.raises(InputError, match="pin"):
        gw.planning.fastest(mech, np.add(whole, [[0, 0, 0], [0, 0.1, 0]]), torque=30.0)
    with pytest.raises(InputError, match="crank_joint"):
        gw.planning.fastest(mech, [[0.7, 0.0], [0.9, 0.0]], torque=30.0)
    with pytest.raises(InputError, match="pin"):
        gw.planning.limit_use(mech, gw.motion.polynomial(whole[0], whole[1] + 0.1, 1.0), torque=30.0)


@pytest.mark.slow
def test_a_task_file_of_a_palletiser():
    robot = gw.load("palletiser")
    via = "[{shoulder: 0.2, crank: 0.1}, {turn: 0.4}]"
    text = f"task: t\nmotions:\n  - {{fastest: {{via: {via}, share: 0.9, torque: [900, 1500, 900, 90]}}}}\n"
    (motion,) = task_motions(robot, read_task(text).motions)
    mech = gw.assemble(robot)
    assert motion.at(motion.duration) == pytest.approx(mech.closed([0.4, 0.2, 0.1, 0.0]), abs=1e-9)
    assert (
        0.85 < max(gw.planning.limit_use(robot, motion, torque=[900, 1500, 900, 90]).peak_shares.values()) <= 0.9 + 1e-6
    )
