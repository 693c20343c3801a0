"""Closed loops are never cut open in silence: functions keep them closed, or refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from architecture.test_robot_or_machine import MOTION, SOFT_CALLS, STIFF_CALLS, parts_of
from gearwright.contact import closed_motion, free_speeds, project
from gearwright.errors import InputError, PlanningError
from gearwright.files.yaml.task_reader import read_task
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.motion import chain, pause, polynomial
from gearwright.parts import Limits, NamedState
from gearwright.planning.paths.motions_of_closed_robots import ClosedLoopRobot
from gearwright.planning.paths.task_motions import task_motions
from gearwright.studio.session import Session
from support.mechanisms import bricard, double_four_bar, four_bar, with_parallelogram
from support.parallel_ankle import parallel_ankle

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
    *("stepping_motor", "synchronous_motor", "tendon", "log_of_currents", "joint_axes", "joint_axis_derivatives"),
    *("integrate", "neutral", "approximate", "regressor_blocks", "reactions", "speed_observer_bound", "RedundantModel"),
    *(
        *("pd", "cascade", "controller_by_name", "adaptive", "impedance"),
        "operational_space",
        "admittance",
        "hybrid_control",
        "position_force",
        "joint_forces",
        "frequency_map",
        *("feedback_linearisation", "compare_reductions"),
        "computed_torque",
        "feedforward",
        "base_parameters",
        "excite",
        "demands",
        "inverse_kinematics",
        "project",
        "rollout",
        "simulate",
        "fastest",
    ),
}
"""Functions of all joints, or of whole configurations; compared below or in their own tests."""
WHOLE = {"closed_motion", "compile", "free_speeds"}
"""Functions that ask for whole configurations, by the names of their coordinates."""
FOREIGN = {"casadi_function", "casadi_rates"}
"""Functions of CasADi, which takes whole configurations and refuses others itself."""
ROUNDING = {"poles": 1e-7}
"""Largest differences; the search for gains that place poles enlarges rounding."""


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
@pytest.mark.parametrize("name", sorted({*STIFF_CALLS, *SOFT_CALLS} - OTHER_SIZES))
def test_every_function_gives_what_a_machine_of_followers_gives(name):
    """The same machine, with its bars held by a loop and by joints that mimic another: over independent coordinates."""
    call, robot = {**STIFF_CALLS, **SOFT_CALLS}[name], gw.load("elbow" if name in STIFF_CALLS else "elastic_elbow")
    closed, wanted = with_parallelogram(robot, "loop"), parts_of(call(with_parallelogram(robot, "followers")))
    if name in WHOLE:
        with pytest.raises(InputError, match="crank_joint, rod_joint"):
            call(closed)
        return
    if name in FOREIGN:
        with pytest.raises(RuntimeError, match="Function::call"):
            call(closed)
        return
    found = parts_of(call(closed))
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted, strict=True):
        if name != "compare" or not isinstance(y, str):  # its machine has the loop
            assert x == (y if isinstance(y, str) else pytest.approx(y, rel=1e-9, abs=ROUNDING.get(name, 1e-9)))


LOOPED, FOLLOWING = (with_parallelogram(gw.load("elbow"), by) for by in ("loop", "followers"))


def test_base_parameters_of_a_closed_machine():
    """As many as of the machine of followers, and the same torques."""
    found, wanted = gw.base_parameters(LOOPED), gw.base_parameters(FOLLOWING)
    assert found.rank == wanted.rank
    q, v, a = np.random.default_rng(2).uniform(-1, 1, (3, 20, 3))
    combined = found.base_columns(gw.regressor(LOOPED, q, v, a)) @ found.combine(gw.parameters(LOOPED))
    assert combined == pytest.approx(gw.inverse_dynamics(FOLLOWING, q, v, a), abs=1e-9)
    with pytest.raises(InputError, match="exact"):
        gw.base_parameters(LOOPED, exact=True)


def test_an_exciting_motion_of_independent_joints():
    wide = gw.identification.MotionLimits([-1.0] * 3, [1.0] * 3, [2.0] * 3, [9.0] * 3)
    search = gw.identification.ExcitationOptions(starts=1, steps=2, samples=40)
    found = gw.identification.excite(LOOPED, wide, search=search)
    assert found.motion.at(0.3).shape == (3,)
    assert np.isfinite(found.condition)


def test_runs_from_independent_coordinates():
    """The loop as a constraint, and the bars as followers: the same motion of the independent joints."""
    start, run_of = ([0.3, -0.5, 0.8], [0.4, 0.2, -0.3]), gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
    runs = [gw.simulate(x, start, until=0.2, samples=5, integrator=run_of) for x in (LOOPED, FOLLOWING)]
    assert runs[0].q[:, :3] == pytest.approx(runs[1].q, abs=1e-8)
    assert runs[0].q[:, 3:] == pytest.approx(runs[1].q[:, [2, 2]] * [1, -1], abs=1e-8)
    assert gw.simulate(gw.assemble(LOOPED), start, until=0.2, samples=5, integrator=run_of).q == pytest.approx(
        runs[0].q, abs=1e-9
    )
    batches = [gw.rollout(x, *start, steps=100, step=1e-4, method="moreau").q[-1] for x in (LOOPED, FOLLOWING)]
    assert batches[0][:3] == pytest.approx(batches[1], abs=1e-7)


CONTROLLERS = {
    "computed_torque": lambda r: gw.control.computed_torque(r, MOTION, 20.0),
    "approximate": lambda r: gw.control.computed_torque(r, MOTION, 20.0, model="diagonal"),
    "pd": lambda r: gw.control.pd(r, MOTION, 5000.0, 500.0),
    "adaptive": lambda r: gw.control.adaptive(r, MOTION, 5.0, 300.0, 0.5, adapted=["link3.m"]),
    "operational_space": lambda r: gw.control.operational_space(r, "tool", MOTION, 20.0, orientation=False),
    "state_feedback": lambda r: gw.control.state_feedback(r, MOTION, np.hstack([5000 * np.eye(3), 500 * np.eye(3)])),
    "reference": lambda r: gw.control.feedforward(r, MOTION, 5000.0, 500.0),
    "measured": lambda r: gw.control.feedforward(r, MOTION, 5000.0, 500.0, "measured"),
}


@pytest.mark.parametrize("name", CONTROLLERS)
def test_controllers_of_independent_joints(name):
    """From a start beside the reference both machines follow it in the same way."""
    start, exact = ([0.05, 0.0, -0.05], [0.0, 0.0, 0.0]), gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11)
    runs = [
        gw.simulate(robot, start, until=0.4, controller=CONTROLLERS[name](robot), samples=5, integrator=exact)
        for robot in (LOOPED, FOLLOWING)
    ]
    assert runs[0].q[:, :3] == pytest.approx(runs[1].q, abs=1e-8)
    assert np.abs(runs[0].q[:, 3] - runs[0].q[:, 2]).max() < 1e-9


NO_PARALLELOGRAM = gw.assemble(
    replace(LOOPED, frames=[replace(x, position=(0.33, 0.02, 0)) if x.name == "rod_end" else x for x in LOOPED.frames]),
    start=[0.3, -0.5, 0.8, 0.8, -0.8],
)
"""The palletiser with a rod of another length: its dependent speeds depend on the configuration."""
BENT_MOTION = polynomial([0.3, -0.5, 0.8], [0.5, -0.3, 0.6], 0.3)
TOOL_CONTROLLERS = {
    "operational_space": lambda r, frame: gw.control.operational_space(r, frame, BENT_MOTION, 20.0, orientation=False),
    "impedance": lambda r, frame: gw.control.impedance(r, frame, BENT_MOTION, 2000.0, 300.0, orientation=False),
}


@pytest.mark.parametrize("name", TOOL_CONTROLLERS)
def test_controllers_of_frames_of_loops(name):
    """Exact along the reference, for which dependent joints accelerate at constant independent speeds."""
    mech, exact = NO_PARALLELOGRAM, gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11)
    start = mech.closed(BENT_MOTION.at(0.0)), np.zeros(5)
    control = TOOL_CONTROLLERS[name](mech, "rod_end")
    run = gw.simulate(mech, start, until=0.3, controller=control, samples=4, integrator=exact)
    assert run.q == pytest.approx(mech.closed(BENT_MOTION.at(run.t)), abs=1e-6)


def test_adaptive_control_of_a_machine_cut_at_two_places():
    turn = polynomial([0.7], [1.5], duration=0.5)
    runs = [
        gw.simulate(
            robot, [0.65], until=0.5, samples=4, integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
            controller=gw.control.adaptive(robot, turn, 5.0, 20.0, 0.5, adapted=["crank.m", "rocker.Izz"]),
        )
        for robot in (ROBOT, ELSEWHERE)
    ]  # fmt: skip
    assert runs[0].q[:, 0] == pytest.approx(runs[1].q[:, 0], abs=1e-7)
    assert np.abs(runs[0].q[:, 0] - turn.at(runs[0].t)[:, 0]).max() > 1e-4


def test_wrenches_in_joints_of_closed_loops():
    """Those of `reactions`; the bearing part does no work on the joint, and the drives have the power of the motors."""
    q, v, a = [0.3, -0.5, 0.8], [0.4, 0.2, -0.3], [1.0, -1.0, 0.5]
    q = NO_PARALLELOGRAM.closed(q)
    found = gw.equations.joint_forces(NO_PARALLELOGRAM, q, v, a)
    assert found.total == pytest.approx(gw.reactions(NO_PARALLELOGRAM, q, v, a))
    assert found.drive[3:] == pytest.approx(0.0, abs=1e-9)  # no motor at crank and rod
    assert np.abs(found.drive[:3, 5]).min() > 1e-2


def test_vibrations_of_a_machine_cut_at_two_places():
    """An elastic drive at the crank of a four-bar, whose G depends on the configuration."""
    soft = four_bar("rocker", 3000.0), four_bar("crank", 3000.0)
    for motors in ("free", "held"):
        found = [gw.analysis.vibration_modes(robot, [0.7], motors) for robot in soft]
        assert found[0].frequencies == pytest.approx(found[1].frequencies, rel=1e-9)
        assert found[0].frequencies[0] > 1
        assert gw.analysis.natural_frequencies(soft[0], [[0.7], [0.9]], motors)[0] == pytest.approx(
            found[0].frequencies, rel=1e-9
        )
    responses = [gw.analysis.frequency_response(robot, [0.7], "crank_joint", [3.0, 9.0]).values for robot in soft]
    assert responses[0] == pytest.approx(responses[1], rel=1e-8)


def test_small_vibrations_are_those_of_runs():
    """Held motors: the frequency of a run from a small deflection about its equilibrium."""
    robot = four_bar("rocker", 3000.0)
    mech = gw.assemble(robot)
    M, K = gw.mass_matrix(mech, mech.closed([0.7, 0.7])), gw.analysis.natural_frequencies(robot, [0.7], "held")
    crank = [mech.speeds.index("crank_joint")]
    rough = np.sqrt(3000.0 / M[np.ix_(crank, crank)].item()) / (2 * np.pi)
    assert K.item() == pytest.approx(rough, rel=0.02)  # gravity and the change of G are small beside the spring


def test_frequencies_over_the_workspace():
    soft = [with_parallelogram(gw.load("elastic_elbow"), by) for by in ("loop", "followers")]
    ranges = ((-0.6, -0.2), (0.5, 1.0))
    maps = [gw.analysis.frequency_map(x, ("j2", "j3"), ranges, q=[0.1, -0.4, 0.7], count=3) for x in soft]
    assert maps[0].values == pytest.approx(maps[1].values, rel=1e-9)


def test_computed_torque_of_a_four_bar_has_no_error():
    turn = polynomial([0.7], [1.5], duration=1.0)
    control = gw.control.computed_torque(ROBOT, turn, 20.0)
    run = gw.simulate(ROBOT, [0.7], until=1.0, controller=control, samples=6)
    assert run.q[:, 0] == pytest.approx(turn.at(run.t)[:, 0], abs=1e-8)
    assert gaps(ROBOT, run.q).max() < 1e-8
    with pytest.raises(InputError, match=r"control\.pd.*elastic"):
        gw.control.pd(four_bar("rocker", 1e4), [0.7], 1.0, 1.0)


def test_demands_of_a_motion_of_independent_coordinates():
    for robot in (LOOPED, with_parallelogram(gw.load("elastic_elbow"), "loop")):
        followers = replace(robot, loops=[], links=with_parallelogram(gw.load("elbow"), "followers").links)
        found, wanted = (gw.demands(x, MOTION, samples=21) for x in (robot, followers))
        for name in ("j1.torque", "j2.torque", "j3.torque"):
            assert found[name] == pytest.approx(wanted[name], rel=1e-6, abs=1e-9)
    sampled = gw.demands(LOOPED, MOTION.sample(21))
    assert sampled["j2.torque"][::4] == pytest.approx(gw.demands(FOLLOWING, MOTION.sample(21))["j2.torque"][::4])


@pytest.mark.parametrize("output", ["force", "motor_torque"])
def test_a_cascade_of_a_closed_machine(output):
    """The run of the machine of followers; references are motions of the independent joints, or of all."""
    swing = polynomial([0.3, -0.5, 0.8], [0.5, -0.3, 0.6], duration=0.3, order=5)
    gains = (
        {"kp": 20.0, "ks": 150.0, "Ts": 0.05, "nominal": True}
        if output == "force"
        else {"kp": 20.0, "ks": 0.02, "Ts": 0.1}
    )
    ends = []
    for robot, motion in (
        (FOLLOWING, swing),
        (LOOPED, swing),
        (LOOPED, closed_motion(LOOPED, swing, gw.assemble(LOOPED).closed([0.3, -0.5, 0.8]))),
    ):
        control = gw.control.cascade(robot, motion, output=output, **gains)
        ends.append(gw.simulate(robot, [0.3, -0.5, 0.8], 0.2, controller=control, samples=3).q[-1, :3])
    assert abs(ends[0][2] - 0.8) > 0.05
    assert ends[1] == pytest.approx(ends[0], abs=1e-8)
    assert ends[2] == pytest.approx(ends[1], abs=1e-9)
    torn = polynomial(np.zeros(5), [0.1, 0.2, 0.3, 0.1, 0.0], duration=1.0)
    with pytest.raises(InputError, match="pin"):
        gw.control.cascade(LOOPED, torn, output=output, **gains)


def test_nominal_control_of_independent_joints():
    """The forces of inverse dynamics along the motion of a linkage whose G depends on the configuration."""
    stored = gw.control.nominal_control(NO_PARALLELOGRAM, BENT_MOTION, 9)
    v, a = (BENT_MOTION.at(stored.t, k) for k in (1, 2))
    wanted = gw.inverse_dynamics(NO_PARALLELOGRAM, NO_PARALLELOGRAM.closed(stored.q), v, a)
    assert stored.joints == ("j1", "j2", "j3")
    assert stored.tau == pytest.approx(wanted, abs=1e-8)


def test_inverse_kinematics_from_independent_coordinates():
    pose = gw.placement(LOOPED, [0.3, -0.5, 0.8], "tool")
    found = gw.inverse_kinematics(LOOPED, "tool", (None, pose.position), start=[0.2, -0.4, 0.7])
    assert found.q == pytest.approx([0.3, -0.5, 0.8, 0.8, -0.8], abs=1e-8)


def test_a_complete_model_of_a_closed_machine():
    """The machine, whose loops are embedded, has the model of the robot without laws."""
    data = gw.actuation.DcMotorData(torque_constant=0.05, resistance=0.5, inductance=1e-3)
    motors = [gw.actuation.dc_motor(NO_PARALLELOGRAM, f"j{k}", data) for k in (1, 2, 3)]
    model = gw.actuation.complete_model(NO_PARALLELOGRAM, motors)
    q, v = [0.3, -0.5, 0.8], np.array([0.4, 0.2, -0.3])
    rates = model.rates(np.concatenate([q, v, [1.0, -2.0, 3.0]]), np.zeros(3))
    ratios = np.diag(gw.actuator_speeds(NO_PARALLELOGRAM, np.eye(3)))
    tau = ratios * 0.05 * np.array([1.0, -2.0, 3.0])
    assert rates[3:6] == pytest.approx(gw.forward_dynamics(NO_PARALLELOGRAM, q, v, tau), rel=1e-9)


def test_motors_on_dependent_joints_have_no_constant_structure_matrix():
    mech = gw.assemble(LOOPED, independent=["j1", "j2", "crank_joint"])
    with pytest.raises(InputError, match=r"j3.*dependent"):
        gw.actuation.structure_matrix(mech)


@pytest.mark.parametrize("kind", ["line", "arc", "circle"])
def test_a_frame_moves_along_a_path_with_closed_loops(kind):
    """The motion is that of the same machine without a loop, whose bars follow its elbow; loops are closed exactly."""
    looped, following = (with_parallelogram(gw.load("elbow"), by) for by in ("loop", "followers"))
    q, limits = [0.3, -0.3, 0.9], gw.planning.PathLimits(speed=0.1)
    p = gw.placement(looped, q, "tool").position
    calls = {
        "line": lambda robot: gw.planning.line(robot, "tool", q, (None, p + 0.05), limits=limits),
        "arc": lambda robot: gw.planning.arc(
            robot, "tool", q, p + 0.02, (None, p + 0.05 * np.eye(3)[0]), limits=limits
        ),
        "circle": lambda robot: gw.planning.circle(
            robot,
            "tool",
            q,
            gw.planning.CircularPath(centre=p + 0.02, axis=(0, 0, 1), angle=1.0, oriented=False),
            limits=limits,
        ),
    }
    closed, plain = calls[kind](looped), calls[kind](following)
    t = np.linspace(0.0, plain.duration, 21)
    assert closed.duration == pytest.approx(plain.duration, rel=1e-9)
    assert gaps(looped, closed.at(t)).max() < 1e-12
    for order, accuracy in enumerate((1e-8, 1e-6, 1e-4)):
        found = closed.at(t, order)
        assert found[:, :3] == pytest.approx(plain.at(t, order), abs=accuracy)
        assert found[:, 3] == pytest.approx(found[:, 2], abs=1e-9)  # the crank is parallel to the fore-arm


def test_an_approach_to_a_surface_with_closed_loops():
    """The motion of the machine of followers; the tool touches at rest."""
    looped, following = (with_parallelogram(gw.load("elbow"), by) for by in ("loop", "followers"))
    q, limits = [0.3, -0.3, 0.9], gw.planning.PathLimits(speed=0.1)
    p = gw.placement(looped, q, "tool").position
    wall = gw.contact.Plane((p[0] + 0.05, 0.0, 0.0), (-1.0, 0.0, 0.0))
    closed, plain = (gw.planning.approach(robot, "tool", q, wall, limits=limits) for robot in (looped, following))
    t = np.linspace(0.0, plain.duration, 11)
    assert gaps(looped, closed.at(t)).max() < 1e-12
    assert closed.at(t)[:, :3] == pytest.approx(plain.at(t), abs=1e-8)
    assert gw.placement(looped, closed.at(closed.duration), "tool").position[0] == pytest.approx(p[0] + 0.05, abs=1e-8)


def test_poses_are_tracked_with_closed_loops():
    robot = with_parallelogram(gw.load("elbow"), "loop")
    q = gw.assemble(robot).closed([0.3, -0.3, 0.9])
    positions = gw.placement(robot, q, "tool").position + np.linspace(0, 0.06, 7)[:, None] * [1.0, -1.0, 0.5]
    found = gw.planning.track_poses(robot, "tool", (None, positions), q)
    assert gaps(robot, found).max() < 1e-11
    assert gw.placement(robot, found, "tool").position == pytest.approx(positions, abs=1e-9)
    far = positions[-1] + np.linspace(0, 3, 9)[:, None] * [1.0, 0, 0]
    with pytest.raises(PlanningError, match="tool"):
        gw.planning.track_poses(robot, "tool", (None, far), found[-1])


@pytest.mark.parametrize("kind", ["least_torque", "distributed_positioning", "torque_ratio"])
def test_motions_of_all_joints_are_refused(kind):
    robot = with_parallelogram(gw.load("elbow"), "loop")
    calls = {
        "least_torque": lambda plan: plan.least_torque(robot, "tool", MOTION),
        "distributed_positioning": lambda plan: plan.distributed_positioning(robot, "tool", MOTION, ["j1"], 0.1),
        "torque_ratio": lambda plan: plan.torque_ratio(robot, MOTION),
    }
    with pytest.raises(InputError, match="'pin'"):
        calls[kind](gw.planning)


def test_the_tree_itself_is_a_choice():
    gw.inverse_dynamics(MECH, START, START, START)
    assert gw.compile(gw.gravity, MECH)(START) == pytest.approx(gw.gravity(MECH, START), abs=1e-12)
    assert [gw.closed_form(gw.gravity, x).shape for x in (ROBOT, MECH)] == [(1,), (3,)]
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
    rested = chain(there, pause(there.at(0.5), 0.2), back)
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


def test_the_first_state_of_a_robot_is_its_start_and_its_branch():
    """The state has rounded numbers, which leave the loop open: the driven joint stays as stated, the others follow."""
    mech = gw.assemble(ROBOT)
    for q in mech.assembly_modes([0.9]).values():
        rounded = dict(zip(mech.coordinates, q.round(1).tolist(), strict=True))
        robot = replace(ROBOT, states=[NamedState("home", rounded)])
        closed = gw.assemble(robot)
        assert closed.reference[0] == 0.9
        assert closed.reference == pytest.approx(q, abs=1e-9)
        loops = ClosedLoopRobot.from_robot(robot, closed.tree)
        assert loops.start_configuration == pytest.approx(q, abs=1e-9)
        assert planned(TASK, robot)[0].at(0.0) == pytest.approx(closed.closed([0.7]), abs=1e-9)
        assert Session(robot).first_configuration() == pytest.approx(q, abs=1e-9)
        only_driven = gw.assemble(replace(robot, states=[NamedState("home", {"crank_joint": 0.8})]))
        assert only_driven.reference[0] == 0.8


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TASK.replace("{crank_joint: 1.2}", "[1.2, 0.5, 0.5]"), r"motions\[0\].*'coupler_joint'.* -0\.880782\b"),
        (TASK.replace("start: {crank_joint: 0.7}", "start: [0.7, 0.0, 0.0]"), r"'four_bar'.* 0\.644 m"),
        (TASK.replace("{crank_joint: 0.9}", "[0.9, 0.0, 0.0]"), r"motions\[2\].*'four_bar'.* 0\.783 m"),
        (TASK.replace("- {pause: 0.2}", "- {fastest: {via: [[1, 1, 1]], torque: 9}}"), r"motions\[1\].*'four_bar'"),
        (
            TASK.replace("- {pause: 0.2}", "- {line: {frame: coupler_end, to: {position: [0.5, 0.5, 0]}, speed: 1}}"),
            "'coupler_end'",
        ),
    ],
)
def test_a_plan_that_opens_a_loop_is_refused(text, words):
    with pytest.raises((InputError, PlanningError), match=words):
        planned(text)


def test_stated_joints_that_determine_the_loops_are_independent():
    """Pitch and roll of an ankle, shoulder and elbow of a palletiser: their motors follow; one joint is too few."""
    ankle, arm = parallel_ankle(), gw.load("palletiser")
    for robot, goal in ((ankle, {"pitch": 0.2, "roll": 0.1}), (arm, {"shoulder": 0.2, "elbow": 0.1})):
        words = read_task(f"task: t\nmotions:\n  - {{to: {goal}, speed: 0.5, acceleration: 5}}\n")
        (way,) = task_motions(robot, words.motions)
        q, mech = way.at(np.linspace(0, way.duration, 9)), gw.assemble(robot)
        gw.inverse_dynamics(mech, q, np.zeros(mech.n), np.zeros(mech.n))  # raises where a loop is open
        assert [q[-1, mech.coordinates.index(name)] for name in goal] == pytest.approx([*goal.values()], abs=1e-12)
    words = read_task("task: t\nmotions:\n  - {to: {elbow: 0.1}, speed: 0.5, acceleration: 5}\n")
    with pytest.raises(PlanningError, match="turn, shoulder, crank"):
        task_motions(arm, words.motions)


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
