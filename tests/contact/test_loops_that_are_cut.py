"""Closed loops are never cut open in silence: functions keep them closed, or refuse."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from architecture.test_robot_or_machine import MOTION, SOFT_CALLS, STIFF_CALLS, parts_of
from gearwright.contact import closed_motion, free_speeds, project
from gearwright.errors import InputError, PlanningError
from gearwright.files.yaml.task_reader import read_task
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.motion import chain, pause, polynomial
from gearwright.parts import Limits
from gearwright.planning.paths.motions_of_closed_robots import ClosedLoopRobot
from gearwright.planning.paths.task_motions import task_motions
from gearwright.studio.session import Session
from support.mechanisms import bricard, double_four_bar, four_bar, with_parallelogram

ROBOT, ELSEWHERE = four_bar("rocker"), four_bar("crank")
MECH = gw.assemble(ROBOT, "tree")
START = project(ROBOT, [0.7, -0.3, 1.4]).q


def as_elsewhere(x):
    """Coordinates of the machine as those of the same machine that is cut elsewhere."""
    return np.array([x[0], x[2], x[0] + x[1] - x[2]])


def gaps(robot, q):
    """How far its pin is open along a motion, by the places of its two frames alone."""
    one, other = (gw.placement(gw.assemble(robot, "tree"), q, frame).position for frame in robot.loops[0].frames)
    return np.linalg.norm(one - other, axis=-1)


OTHER_SIZES = {
    *("actuator_redundancy", "angle", "dc_motor", "displacement", "distance", "pneumatic_cylinder", "servo_cylinder"),
    *("stepping_motor", "structure_matrix", "synchronous_motor", "tendon", "log_of_currents", "joint_axes"),
    *("joint_axis_derivatives", "integrate", "neutral", "approximate", "regressor_blocks", "reactions"),
    *("speed_observer_bound", "RedundantModel"),
}
"""Functions of all joints, or of whole configurations; compared in their own tests."""
REFUSED = {
    *("adaptive", "controller_by_name", "cascade", "computed_torque", "feedforward", "admittance", "hybrid_control"),
    *("position_force", "in_larger_machine", "impedance", "joint_gains", "lqr", "nominal_control", "operational_space"),
    *("pd", "poles", "state_feedback", "actuator_speeds", "actuator_torques", "base_parameters", "casadi_function"),
    *("casadi_rates", "closed_form", "compare", "compare_impacts", "compile", "complete_model"),
    *("constrained_dynamics", "energies", "energy_rows", "energy_balance", "fastest", "limit_use", "excite", "explain"),
    *("identify", "impact", "demands", "inverse_kinematics", "joint_forces", "lagrange_form", "linear_forms"),
    *("TorqueModel", "motor_inertias", "free_speeds", "closed_motion", "project", "recursive_form", "rollout"),
    *("simulate", "state_space", "feedback_linearisation", "compare_reductions", "elastic_form", "fastest_mode"),
    *("frequency_map", "frequency_response", "vibration_modes", "motor_motion", "natural_frequencies"),
    "needed_derivatives",
}
"""Functions that name the loop, or ask for whole configurations."""


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
@pytest.mark.parametrize("name", sorted({*STIFF_CALLS, *SOFT_CALLS} - OTHER_SIZES))
def test_every_function_gives_what_a_machine_of_followers_gives(name):
    """The same machine, with its bars held by a loop and by joints that mimic another: over independent coordinates."""
    call, robot = {**STIFF_CALLS, **SOFT_CALLS}[name], gw.load("elbow" if name in STIFF_CALLS else "elastic_elbow")
    closed, wanted = with_parallelogram(robot, "loop"), parts_of(call(with_parallelogram(robot, "followers")))
    if name in REFUSED:
        with pytest.raises((InputError, RuntimeError), match=r"'pin'|rod_joint|5|6|8"):
            call(closed)
        return
    found = parts_of(call(closed))
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted, strict=True):
        assert x == (y if isinstance(y, str) else pytest.approx(y, rel=1e-9, abs=1e-9))


@pytest.mark.parametrize(
    "kind", ["line", "arc", "circle", "track_poses", "least_torque", "distributed_positioning", "torque_ratio"]
)
def test_motions_of_all_joints_are_refused(kind):
    robot = with_parallelogram(gw.load("elbow"), "loop")
    q = [0.3, -0.3, 0.9]
    pose = gw.placement(robot, q, "tool")
    calls = {
        "line": lambda plan: plan.line(
            robot, "tool", q, pose.position + 0.05, limits=gw.planning.PathLimits(speed=0.1)
        ),
        "arc": lambda plan: plan.arc(
            robot,
            "tool",
            q,
            pose.position + 0.02,
            pose.position + 0.05 * np.eye(3)[0],
            limits=gw.planning.PathLimits(speed=0.1),
        ),
        "circle": lambda plan: plan.circle(
            robot,
            "tool",
            q,
            gw.planning.CircularPath(centre=pose.position + 0.02, axis=(0, 0, 1), angle=1.0),
            limits=gw.planning.PathLimits(speed=0.1),
        ),
        "track_poses": lambda plan: plan.track_poses(robot, "tool", (None, pose.position[None]), q),
        "least_torque": lambda plan: plan.least_torque(robot, "tool", MOTION),
        "distributed_positioning": lambda plan: plan.distributed_positioning(robot, "tool", MOTION, ["j1"], 0.1),
        "torque_ratio": lambda plan: plan.torque_ratio(robot, MOTION),
    }
    with pytest.raises(InputError, match="'pin'"):
        calls[kind](gw.planning)


def test_the_tree_itself_is_a_choice():
    gw.inverse_dynamics(MECH, START, START, START)
    assert gw.compile(gw.gravity, MECH)(START) == pytest.approx(gw.gravity(MECH, START), abs=1e-12)
    with pytest.raises(InputError, match="pin"):
        gw.closed_form(gw.gravity, ROBOT)
    with pytest.raises(InputError, match="coordinates='all'"):
        gw.assemble(ROBOT, "all")
    with pytest.raises(InputError, match="start"):
        gw.assemble(ROBOT, "tree", start=START)


def test_chained_closed_motions_are_each_of_them():
    there = closed_motion(ROBOT, polynomial([START[0]], [1.1], duration=0.5), START)
    back = closed_motion(ROBOT, polynomial([1.1], [0.8], duration=0.4), there.at(0.5))
    whole = chain(there, back)
    t = np.linspace(0.0, 0.4, 9)
    for order in range(4):
        assert whole.at(t, order)[:-1] == pytest.approx(there.at(t, order)[:-1], abs=1e-9)
        assert whole.at(0.5 + t, order)[1:] == pytest.approx(back.at(t, order)[1:], abs=1e-7 * 50**order)
    assert gaps(ROBOT, whole.at(np.linspace(0, 0.9, 37))).max() < 1e-12
    rested = chain(there, pause(there.at(0.5), 0.2), back)  # a motion that no loop closes keeps the polynomials
    assert rested.at(0.7 + t) == pytest.approx(back.at(t), abs=1e-8)


def test_compare_along_a_closed_motion_is_the_same_wherever_the_loop_is_cut():
    move = polynomial([START[0]], [1.4], duration=0.3)
    motions = [closed_motion(r, move, q).sample(9) for r, q in ((ROBOT, START), (ELSEWHERE, as_elsewhere(START)))]
    one, other = (gw.analysis.compare(r, m) for r, m in zip((ROBOT, ELSEWHERE), motions, strict=True))
    for kind in one.approximations:
        assert one.approximations[kind][:, 0] == pytest.approx(other.approximations[kind][:, 0], abs=1e-6)
    asked = gw.demands(ROBOT, motions[0], laws=loop_laws(ROBOT), actuators=())
    assert one.exact[:, 0] == pytest.approx(asked.tau[:, 0], abs=1e-7)
    assert not one.exact[:, 1:].any()
    with pytest.raises(InputError, match=r"pin.*by 0\.\d+"):
        gw.analysis.compare(ROBOT, polynomial(START, START + 0.2, duration=0.3).sample(9))


TASK = """
task: turn
start: {crank_joint: 0.7}
motions:
  - {to: {crank_joint: 1.2}, speed: 2, acceleration: 10}
  - {pause: 0.2}
  - {via: [{crank_joint: 0.9}, {crank_joint: 0.8}], speed: 2, acceleration: 10}
"""


def planned(text, robot=ROBOT):
    words = read_task(text)
    return task_motions(robot, words.motions, words.start)


def test_a_plan_of_the_free_joint_keeps_the_loop_closed():
    ways = planned(TASK)
    whole = chain(*ways)
    q = whole.at(np.linspace(0, whole.duration, 101))
    assert q[0, 0] == pytest.approx(0.7)
    assert [way.at(way.duration)[0] for way in ways] == pytest.approx([1.2, 1.2, 0.8])
    assert gaps(ROBOT, q).max() < 1e-9
    assert np.ptp(q[:, 2]) > 0.1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TASK.replace("{crank_joint: 1.2}", "[1.2, 0.5, 0.5]"), r"motions\[0\].*'coupler_joint'.* -0\.880782\b"),
        (TASK.replace("start: {crank_joint: 0.7}", "start: [0.7, 0.0, 0.0]"), r"'four_bar'.* 0\.644 m"),
        (TASK.replace("{crank_joint: 0.9}", "[0.9, 0.0, 0.0]"), r"motions\[2\].*'four_bar'.* 0\.783 m"),
        (TASK.replace("- {pause: 0.2}", "- {fastest: {via: [[1, 1, 1]]}}"), "'pin'"),
        (TASK.replace("- {pause: 0.2}", "- {line: {frame: coupler_end, to: {xyz: [0.5, 0.5, 0]}, speed: 1}}"), "'pin'"),
    ],
)
def test_a_plan_that_opens_a_loop_is_refused(text, words):
    with pytest.raises((InputError, PlanningError), match=words):
        planned(text)


def test_limits_of_a_joint_that_follows_its_loop_hold():
    for limits, words in (
        (Limits(position=(1.0, 1.55)), r"1\.62413.* 1 to 1\.55"),
        (Limits(speed=0.2), r"0\.77533.* 0\.2\b"),
    ):
        robot = ROBOT.with_joint("rocker_joint", limits=limits)
        with pytest.raises(PlanningError, match=f"'rocker_joint'.*{words}"):
            planned(TASK, robot)


def test_a_recording_must_be_closed(tmp_path):
    closed_motion(ROBOT, polynomial([START[0]], [1.1], duration=0.5), START).save(tmp_path / "good.csv", MECH)
    polynomial(START, START + 0.1, duration=0.5).save(tmp_path / "torn.csv", MECH)
    for name in ("good", "torn"):
        words = read_task(f"task: t\nmotions:\n  - {{file: {name}.csv}}\n")
        if name == "good":
            assert task_motions(ROBOT, words.motions, None, tmp_path)[0].duration == pytest.approx(0.5)
        else:
            with pytest.raises(InputError, match=r"torn\.csv.*pin"):
                task_motions(ROBOT, words.motions, None, tmp_path)


def test_degrees_of_freedom():
    """One of a four-bar (with an elastic drive its motor too), and of Bricard's linkage, which counting would deny."""
    for robot, count in ((ROBOT, 1), (ELSEWHERE, 1), (four_bar("rocker", 1e4), 2)):
        assert ClosedLoopRobot.from_robot(robot, gw.assemble(robot, "tree")).mobility == count
    for mech, laws in (bricard(), double_four_bar()):
        closure = gw.functions.constrained.closure.Closure(mech, tuple(laws))
        assert ClosedLoopRobot(gw.load("elbow"), mech, closure).mobility == 1
    assert ClosedLoopRobot.from_robot(gw.load("elbow"), gw.assemble(gw.load("elbow"))) is None


@pytest.mark.parametrize("stiffness", [None, 1e4])
def test_the_studio_moves_a_closed_robot(stiffness):
    session = Session(four_bar("rocker", stiffness))
    q = session.first_configuration()
    assert gaps(session.robot, q) < 1e-8
    assert gaps(session.robot, session.motion.motion.q).max() < 1e-6
    assert np.ptp(session.motion.motion.q[:, 0]) > 0.1
    for index in range(3):
        wanted = q.copy()
        wanted[index] += 0.05
        found = session.closed_configuration(wanted, index)
        assert found[index] == wanted[index]
        assert gaps(session.robot, found) < 1e-9
        assert np.abs(found - q).max() < 0.5
    torn = q.copy()
    torn[1] += 3.0
    assert (
        session.closed_configuration(torn, 1) is None
        or gaps(session.robot, session.closed_configuration(torn, 1)) < 1e-9
    )
    exact = session.quick_results().comparison.exact
    assert np.abs(exact[:, 0]).max() > 1.0
    assert not exact[:, 1:3].any()
    assert free_speeds(session.robot, q).names[0] == "crank_joint"
