"""Robots with closed loops on the command line: what is shown, what is closed, what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gearwright as gw
from gearwright.cli.start_pose import start_within_limits
from gearwright.contact import closed_motion, project
from gearwright.motion import polynomial
from support.closed_machines import parallel_robot, parallel_robots
from support.mechanisms import four_bar

ROBOT = four_bar("rocker")
START = project(ROBOT, [0.7, -0.3, 1.4]).q


@pytest.fixture
def file(tmp_path):
    gw.save(ROBOT, tmp_path / "bars.yaml")
    return tmp_path / "bars.yaml"


def test_info_names_loops_and_degrees_of_freedom(run, file):
    facts = json.loads(run("info", file, "--json").out)
    joints = ["coupler_joint", "crank_joint", "rocker_joint"]
    frames = ["coupler_end", "rocker_end"]
    assert facts["loops"] == [{"name": "pin", "frames": frames, "held": ["x", "y"], "joints": joints}]
    assert facts["redundant"] == []
    assert facts["degrees_of_freedom"] == 1
    shown = " ".join(run("info", file).out.split())
    assert "loop pin" in shown
    assert "1 of 3" in shown
    assert json.loads(run("info", "elbow", "--json").out)["degrees_of_freedom"] == 3


def test_a_plan_writes_a_closed_motion_or_nothing(run, file, tmp_path):
    task, motion = tmp_path / "task.yaml", tmp_path / "motion.csv"
    limits = "speed: 2, acceleration: 10, jerk: 100"
    task.write_text(f"task: t\nstart: {{crank_joint: 0.7}}\nmotions:\n  - {{to: [1.2, 0.4, 0.3], {limits}}}\n")
    assert run("plan", file, task, "-o", motion).code == 2
    assert not motion.exists()
    task.write_text(f"task: t\nstart: {{crank_joint: 0.7}}\nmotions:\n  - {{to: {{crank_joint: 1.2}}, {limits}}}\n")
    assert run("plan", file, task, "-o", motion).code == 0
    table = np.loadtxt(motion, delimiter=",", skiprows=1)[:, 1:4]
    mech = gw.assemble(ROBOT, "tree")
    one, other = (gw.placement(mech, table, frame).position for frame in ROBOT.loops[0].frames)
    assert np.abs(one - other).max() < 1e-8
    assert np.ptp(table[:, 0]) == pytest.approx(0.5)


def test_a_task_lists_independent_joints(run, file, tmp_path):
    """A list with one value per independent joint is the mapping of their names."""
    tables = []
    for goal, start in (("[1.2]", "[0.7]"), ("{crank_joint: 1.2}", "{crank_joint: 0.7}")):
        task, motion = tmp_path / "task.yaml", tmp_path / "motion.csv"
        task.write_text(f"task: t\nstart: {start}\nmotions:\n  - {{to: {goal}, speed: 2, acceleration: 10}}\n")
        assert run("plan", file, task, "-o", motion).code == 0
        tables.append(motion.read_text())
    assert tables[0] == tables[1]


def test_modes_of_an_elastic_linkage(run, tmp_path):
    robot = four_bar("rocker", 3000.0)
    gw.save(robot, tmp_path / "soft.yaml")
    facts = json.loads(run("modes", tmp_path / "soft.yaml", "--q", "0.7", "--json").out)
    wanted = gw.analysis.vibration_modes(robot, [0.7]).frequencies
    assert [mode["frequency"] for mode in facts["modes"]] == pytest.approx(wanted)
    assert set(facts["modes"][0]["energy"]) == {"crank_joint", "crank_joint.motor"}


def test_compare_moves_the_free_joint_and_refuses_a_torn_motion(run, file, tmp_path):
    errors = json.loads(run("compare", file, "--json").out)["errors"]
    peaks = {error["speed"]: error["peak"] for error in errors}
    assert peaks["crank_joint"] > 0
    assert peaks["coupler_joint"] == peaks["rocker_joint"] == 0
    polynomial(START, START + 0.2, duration=0.5).save(tmp_path / "torn.csv", gw.assemble(ROBOT, "tree"))
    code, out, err = run("compare", file, tmp_path / "torn.csv")
    assert (code, out) == (2, "")
    assert "pin" in err


def test_torques_without_friction_still_close_the_loop(run, file, tmp_path):
    motion = closed_motion(ROBOT, polynomial([START[0]], [1.1], duration=0.5), START)
    motion.save(tmp_path / "closed.csv", gw.assemble(ROBOT, "tree"))
    facts = json.loads(run("torque", file, tmp_path / "closed.csv", "--plain", "--json").out)
    assert facts["series"]["tau.coupler_joint"]["highest"] == pytest.approx(0.0, abs=1e-6)
    assert facts["series"]["tau.crank_joint"]["highest"] > 0.1


def test_commands_that_cut_the_loop_say_so(run, file, tmp_path):
    q = ",".join(map(str, START))
    assert "stiffness" in run("modes", file, f"--q={q}").err  # of a machine without springs
    wall = ("--frame", "coupler_end", "--normal", "0,1,0", f"--initial={q}", "--speeds=1,1,1")
    assert "'pin'" in run("impact", file, *wall).err
    assert "pin" in run("draw", file, "-o", tmp_path / "a.png", "--q=0.1,0.2,0.3").err
    assert "pin" not in run("draw", file, "-o", tmp_path / "a.png", f"--q={q}").err
    assert "loops" in run("draw", file, "-o", tmp_path / "a.png").err


def test_a_start_is_found_where_a_weld_is_turned_by_half_a_turn_in_neutral():
    """The rotation vector of the leg's weld is not differentiable there; the search goes on from elsewhere."""
    if "cassie_like" not in parallel_robots():
        pytest.skip("GEARWRIGHT_REFERENCE has no parallel_robots")
    robot = parallel_robot("cassie_like")
    mech = gw.assemble(robot)
    q = np.array(start_within_limits(robot, mech.tree))
    assert gw.mass_matrix(mech, q).shape == (7, 7)  # an open loop is an error
