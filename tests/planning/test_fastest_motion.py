"""Time-optimal motions along a path: limits are met and kept, known times are found, the robot follows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, PlanningError
from gearwright.motion import EndRates, polynomial, s_curve
from gearwright.motion_demands.actuators import DriveInverses, motor_torque_demands, undriven_lines
from gearwright.motion_demands.forces_at_states import MotionRows, StateForces
from gearwright.parts import Drive, Gear, Joint, Limits, Link, Motor, Robot
from gearwright.planning import fastest, limit_use
from gearwright.planning.time_optimal.path_parametrisation import largest_squared_speeds
from gearwright.system.system import System
from support.planar_arms import planar_arm

TORQUES = {"puma560": {"torque": [200, 300, 150, 30, 30, 30]}}
WAYS = {
    "panda_like": [
        [0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7],
        [0.5, 0.6, -0.3, -1.0, 0.1, 1.2, 0.2],
        [-0.5, -0.6, -0.3, -2.0, -0.4, 2.2, -0.2],
    ],
    "puma560": [[0, -0.9, 0.3, 0.2, 0.6, 0.1], [0.8, 0.2, -0.5, 0.7, -0.3, 0.4], [-0.4, 0.6, 0.2, -0.8, 0.5, -0.6]],
    "scara": [[0, 0, -0.05, 0], [1, -1, -0.1, 2], [0.3, 0.5, -0.02, -1]],
    "mini_cheetah_leg": [[0, 0.3, -1], [0.5, 1.0, -0.5], [-0.3, 0.4, -1.4]],
}


def dc_arm(**motor) -> Robot:
    """A bar on a geared DC motor with friction, which current and voltage limit."""
    data = {"torque_constant": 0.05, "resistance": 1.0, "max_current": 8.0, "max_voltage": 24.0}
    rubbing = {"damping": 1e-4, "friction": 0.01}
    bar = Link("arm", mass=3, com=(0.3, 0, 0), inertia=np.diag([0.01, 0.05, 0.05]), joint=Joint(axis=(0, 1, 0)))
    return Robot("dc", [bar], [Drive("arm", Motor(1e-4, mass=0.3, **(data | rubbing | motor)), Gear(80))])


def table(speed=None, acceleration=None, effort=None) -> Robot:
    """One disc of 2 kg m2 about a vertical axis."""
    limits = Limits(speed=speed, acceleration=acceleration, effort=effort)
    return Robot("table", [Link("disc", joint=Joint(limits=limits), mass=1, inertia=np.diag([1.0, 1.0, 2.0]))])


@pytest.mark.parametrize("name", WAYS)
def test_some_limit_is_met_nearly_always_and_none_is_exceeded(name):
    """Panda: speeds and torques; puma: Coulomb and viscous friction; scara: losses of gears; leg: motor torques."""
    robot, given = gw.load(name), TORQUES.get(name, {})
    motion = fastest(robot, WAYS[name], **given)
    use = limit_use(robot, motion, samples=5_003, **given)
    assert use.largest_share.max() < 1 + 1e-6
    assert (use.largest_share > 0.99).mean() > 0.95
    assert np.allclose(motion.at([0.0, motion.duration]), np.array(WAYS[name])[[0, -1]], atol=1e-12)
    assert np.abs(motion.at([0.0, motion.duration], 1)).max() < 1e-9


def test_currents_and_voltages_limit_a_dc_motor():
    """Accelerated by its current, then by its voltage; the largest shares are those that the model of demands gives."""
    robot = dc_arm()
    motion = fastest(robot, [[0.0], [2.5]], intervals=200)
    use = limit_use(robot, motion, samples=4001)
    assert use.peak_shares["arm.current"] == pytest.approx(1.0, abs=1e-6)
    assert use.peak_shares["arm.voltage"] == pytest.approx(1.0, abs=1e-6)
    assert (use.largest_share > 0.99).mean() > 0.95
    needed = gw.demands(robot, motion)
    assert needed.peak("arm.current") == pytest.approx(8.0, rel=1e-6)
    assert needed.peak("arm.voltage") == pytest.approx(24.0, rel=1e-6)
    assert not needed.jumps
    assert all(excess.excess_ratio < 1e-6 for excess in needed.excesses)


def test_the_inductance_is_left_out_and_that_is_said():
    robot = dc_arm(inductance=1e-3)
    motion = fastest(robot, [[0.0], [2.5]], intervals=200)
    assert motion.duration == fastest(dc_arm(), [[0.0], [2.5]], intervals=200).duration
    assert all(word in limit_use(robot, motion).remarks[0] for word in ("inductance", "arm"))
    assert not limit_use(dc_arm(), motion).remarks


@pytest.mark.parametrize(
    ("limits", "time"),
    [
        ({"effort": 6.0}, 2 * np.sqrt(1.5 / 3.0)),
        ({"acceleration": 3.0}, 2 * np.sqrt(1.5 / 3.0)),
        ({"effort": 6.0, "speed": 1.0}, 1.5 / 1.0 + 1.0 / 3.0),
    ],
    ids=repr,
)
def test_one_joint_takes_the_analytic_time(limits, time):
    """A disc turned by 1.5 rad with 3 rad/s2: bang-bang, with a cruise where the speed is limited."""
    assert fastest(table(**limits), [[0.2], [1.7]]).duration == pytest.approx(time, rel=1e-4)


def test_viscous_friction_takes_the_analytic_time():
    """J w' = +-T - d w from rest to rest: both arcs in closed form, joined by a root."""
    from scipy.optimize import brentq

    J, T, d, way = 2.0, 6.0, 1.5, 1.5
    robot = table(effort=T).with_joint("disc", damping=d)

    def arcs(w):
        up, down = -J / d * np.log(1 - d * w / T), J / d * np.log(1 + d * w / T)
        return up, down, J / d * (T / d * up * d / J - w), J / d * (w - T / d * down * d / J)

    w = brentq(lambda w: sum(arcs(w)[2:]) - way, 1e-6, T / d - 1e-9)
    assert fastest(robot, [[0.0], [way]], intervals=4000).duration == pytest.approx(sum(arcs(w)[:2]), rel=1e-4)


def test_coulomb_friction_and_gravity_take_the_analytic_time():
    """A mass of 2 kg lifted by 0.5 m with 60 N against 2 g and 5 N of friction, and stopped by letting go."""
    joint = Joint("lift", "prismatic", axis=(0, 0, 1), friction=5.0, limits=Limits(effort=60.0))
    robot = Robot("hoist", [Link("cage", joint=joint, mass=2)])
    up, down = (60 - 2 * 9.81 - 5) / 2, (60 + 2 * 9.81 + 5) / 2
    peak = np.sqrt(2 * 0.5 / (1 / up + 1 / down))
    assert fastest(robot, [[0.0], [0.5]]).duration == pytest.approx(peak / up + peak / down, rel=1e-4)


def test_halves_of_the_limits_are_kept_by_a_share(tmp_path):
    robot = table(effort=6.0)
    motion = fastest(robot, [[0.0], [1.5]], share=0.5)
    use = limit_use(robot, motion)
    assert use.largest_share.max() == pytest.approx(0.5, abs=1e-6)
    use.plot(tmp_path / "use.svg")
    assert "tau.disc" in (tmp_path / "use.svg").read_text()


def replayed(mech, motion, torque, laps=2):
    """The largest distance from a motion of a machine that gets its torques, by Runge and Kutta's steps."""
    knots = motion.pieces.x
    q, v, worst = motion.at(0.0), motion.at(0.0, 1), 0.0
    for start, end in pairwise(knots):
        h = (end - start) / laps
        for k in range(laps):
            t = start + k * h
            # Within a piece the polynomials are smooth: an instant beyond its ends would see the next one's step.
            taus = [torque(min(max(x, start + 1e-12), end - 1e-12)) for x in (t, t + h / 2, t + h)]
            a1 = gw.forward_dynamics(mech, q, v, taus[0])
            a2 = gw.forward_dynamics(mech, q + h / 2 * v, v + h / 2 * a1, taus[1])
            a3 = gw.forward_dynamics(mech, q + h / 2 * v + h * h / 4 * a1, v + h / 2 * a2, taus[1])
            a4 = gw.forward_dynamics(mech, q + h * v + h * h / 2 * a2, v + h * a3, taus[2])
            q, v = q + h * v + h * h / 6 * (a1 + a2 + a3), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        worst = max(worst, float(np.abs(q - motion.at(end)).max()))
    return worst


def test_replayed_with_its_own_torques_the_robot_follows():
    mech = gw.assemble(gw.load("elbow"))
    motion = fastest(mech, [[0, -0.5, 0.4], [0.6, 0.3, 0.4], [1.2, 0.6, -0.8]], torque=[40, 60, 25], intervals=150)

    def torque(t):
        return gw.inverse_dynamics(mech, motion.at(t), motion.at(t, 1), motion.at(t, 2))

    assert replayed(mech, motion, torque) < 1e-6


def test_replayed_by_its_voltages_a_motor_with_friction_follows():
    """The whole chain in a simulation: voltages, currents, friction at the rotor, gear, arm against gravity."""
    robot = dc_arm()
    motion = fastest(robot, [[0.0], [2.5]], intervals=60)
    needed = gw.demands(robot, motion, samples=366)
    run = gw.simulate(
        robot,
        needed.start,
        until=motion.duration,
        inputs=needed.input_signals,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9),
        samples=50,
    )
    assert np.abs(run.q - motion.at(run.t)).max() < 1e-6


def test_a_motion_at_95_percent_runs_in_closed_loop_within_the_limits():
    """PD with the planned torques on an arm that is 3 % heavier than the model; without the spare share it fails."""
    limit = np.array([40.0, 60.0, 25.0])
    model = gw.load("elbow")
    links = [replace(link, mass=1.03 * link.mass) for link in model.links]
    plant, mech = gw.assemble(replace(model, links=links)), gw.assemble(model)
    peaks = {}
    for share in (0.95, 1.0):
        motion = fastest(model, [[0, -0.5, 0.4], [1.2, 0.6, -0.8]], torque=limit, share=share, intervals=400)
        steps = 1000
        h = motion.duration / steps
        t = np.arange(steps) * h
        wanted = [motion.at(t, k) for k in range(3)]
        ahead = gw.inverse_dynamics(mech, *wanted)
        q, v, peak, apart = motion.at(0.0), np.zeros(3), 0.0, 0.0
        for k in range(steps):
            tau = ahead[k] + 400 * (wanted[0][k] - q) + 40 * (wanted[1][k] - v)
            a = gw.forward_dynamics(plant, q, v, tau)
            q, v = q + h * v + h * h / 2 * a, v + h * a
            peak, apart = max(peak, (np.abs(tau) / limit).max()), max(apart, np.abs(q - wanted[0][k]).max())
        peaks[share] = peak
        assert apart < 0.02
    assert peaks[0.95] < 1.0 < peaks[1.0]


def test_the_path_of_a_trajectory_is_kept_and_its_time_is_not():
    robot = planar_arm((0.4, 0.3), effort=8.0)
    slow = gw.motion.spline([[0.0, 0.2], [0.6, 0.9], [1.2, 0.4]], [0.0, 2.0, 4.0])
    quick = fastest(robot, slow)
    assert quick.duration < 0.5 * slow.duration
    passed = slow.at(np.linspace(0, slow.duration, 4001))
    for q in quick.at(np.linspace(0, quick.duration, 50)):
        assert np.linalg.norm(passed - q, axis=1).min() < 1e-3
    assert limit_use(robot, quick).largest_share.max() < 1 + 1e-6


def test_toppra_with_its_own_torque_limits_takes_as_long():
    """The same path and limits stated in toppra's own words, the torques one by one: their grid, their rows."""
    toppra = pytest.importorskip("toppra", reason="toppra is not installed")
    constraint = toppra.constraint
    mech, points = gw.assemble(gw.load("elbow")), np.array([[0, -0.5, 0.4], [0.6, 0.3, 0.4], [1.2, 0.6, -0.8]])
    limit, way = np.array([40.0, 60.0, 25.0]), np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(way)])
    tau = constraint.JointTorqueConstraint(
        lambda q, v, a: gw.inverse_dynamics(mech, q, v, a),
        np.stack([-limit, limit], axis=1),
        np.zeros(3),
        discretization_scheme=constraint.DiscretizationType.Interpolation,
    )
    grid = np.linspace(0, knots[-1], 1001)
    path = toppra.SplineInterpolator(knots, points, bc_type="natural")
    solver = toppra.algorithm.TOPPRA([tau], path, gridpoints=grid, parametrizer="ParametrizeConstAccel")
    theirs = solver.compute_trajectory(0, 0).duration
    assert fastest(mech, points, torque=limit).duration == pytest.approx(theirs, rel=5e-4)


@pytest.mark.parametrize("seed", range(6))
def test_largest_speeds_are_those_of_a_linear_programme(seed):
    """The largest x everywhere has the largest sum: one programme over the whole path, by another solver.

    Steps are short, so that a larger x allows a larger next one; that is what reachability relies on.
    """
    from scipy.optimize import linprog

    rng, count, rows = np.random.default_rng(seed), 25, 4
    s = np.concatenate([[0.0], np.cumsum(rng.uniform(0.02, 0.06, count))])
    a, b = rng.uniform(0.5, 1.5, (count, rows)) * rng.choice([-1, 1], (count, rows)), rng.normal(size=(count, rows))
    a[:, 0], b[:, 0] = 0.0, np.abs(b[:, 0])  # a limit of speed
    c, g = rng.uniform(-0.5, 0.5, (count, rows)), np.ones((count, rows))
    found = largest_squared_speeds(s, a, b, c, g, size=1.0)
    into = np.arange(count)
    left = np.zeros((count, rows, count + 1))  # a u + b x with u = (x[i + 1] - x[i]) / (2 d)
    slope = a / (2 * np.diff(s))[:, None]
    left[into, :, into], left[into, :, into + 1] = b - slope, slope
    left = left.reshape(-1, count + 1)
    both, bound = np.vstack([left, -left]), np.concatenate([(g - c).ravel(), (g + c).ravel()])
    ends = [(0, 0), *[(0, None)] * (count - 1), (0, 0)]
    best = linprog(-np.ones(count + 1), both, bound, bounds=ends)
    assert (found is not None) == best.success
    if found is not None:
        assert found == pytest.approx(best.x, abs=1e-8)


def test_a_trajectory_rests_where_it_rested():
    robot = table(effort=6.0)
    there, back = (s_curve([x], [1.5 - x], speed=1.0, acceleration=2.0, jerk=20.0) for x in (0.0, 1.5))
    quick = fastest(robot, gw.motion.chain(there, gw.motion.pause([1.5], 0.25), back))
    assert quick.duration == pytest.approx(2 * 2 * np.sqrt(0.5) + 0.25, rel=1e-4)
    turning = gw.motion.fourier(2.0, [0.0], [[0.0]], [[1.0]])  # swings between two rests
    assert fastest(robot, turning).duration == pytest.approx(2 * 2 * np.sqrt(2 / np.pi / 3.0), rel=1e-3)


def test_states_have_the_forces_that_demands_finds():
    """One statement of friction and losses, two ways to ask it: along a motion, and state by state."""
    robot = gw.load("scara")
    mech = gw.assemble(robot)
    needed = gw.demands(robot, polynomial([0, 0, -0.05, 0], [1, -1, -0.1, 2], 0.6, order=7), actuators=(), samples=41)
    asked = motor_torque_demands(mech)
    machine = StateForces(
        System(mech, gw.laws(robot)), (*DriveInverses(asked).force_lines, *undriven_lines(mech, asked))
    )
    q, v, a = (getattr(needed.motion, x)[1:-1] for x in "qva")
    forces = machine.forces_at(MotionRows(q, v, a), machine.likely_modes(q, v))
    assert np.abs(forces @ machine.line_rows - needed.tau[1:-1]).max() < 1e-9 * np.abs(needed.tau).max()


HEAVY = Robot("heavy", [Link("bar", joint=Joint(axis=(0, 1, 0), limits=Limits(effort=10.0)), mass=5, com=(0.5, 0, 0))])
BENT = [[0.0, 0.2], [0.6, 0.9]]
WRONG = {
    "limits that forbid it": (lambda: fastest(HEAVY, [[-1.0], [1.0]]), PlanningError, r"tau\.bar.*\b10\b"),
    "no limits": (lambda: fastest(planar_arm(), BENT), InputError, r"acceleration.*torque"),
    "speed alone": (lambda: fastest(planar_arm(speed=1.0), BENT), InputError, r"acceleration.*torque"),
    "outside": (
        lambda: fastest(planar_arm(position=(-1, 1), effort=5.0), [[0, 0], [0, 2]]),
        InputError,
        r"'j1'.*\b2\b",
    ),
    "elastic": (lambda: fastest(gw.load("elastic_elbow"), np.zeros((2, 6)), torque=9), InputError, "j1.motor.*elastic"),
    "one point": (lambda: fastest(table(effort=1.0), [[0.0]]), InputError, r"\b2\b.*configurations"),
    "the same twice": (lambda: fastest(table(effort=1.0), [[0.0], [0.0]]), InputError, r"\b0 and 1\b"),
    "columns": (lambda: fastest(table(effort=1.0), [[0.0, 1.0], [1.0, 2.0]]), InputError, "2 coordinates.*'?disc"),
    "share": (lambda: fastest(table(effort=1.0), [[0.0], [1.0]], share=1.5), InputError, r"share=1\.5"),
    "motor": (
        lambda: fastest(dc_arm(), [[0.0], [1.0]], motors=gw.planning.MotorLimits(current={"leg": 1.0})),
        InputError,
        "'leg'.*arm",
    ),
    "volts": (
        lambda: fastest(dc_arm(torque_constant=None), [[0.0], [1.0]], motors=gw.planning.MotorLimits(voltage=12.0)),
        InputError,
        "torque_constant",
    ),
    "moving": (
        lambda: fastest(table(effort=1.0), polynomial([0.0], [1.0], 1.0, end_rates=EndRates(start_speed=[1.0]))),
        InputError,
        "rest",
    ),
    "memory": (
        lambda: limit_use(gw.load("harmonic_6"), polynomial(np.zeros(6), np.ones(6), 1.0)),
        InputError,
        "elastic",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_planned_is_said(case):
    call, kind, fact = WRONG[case]
    with pytest.raises(kind, match=fact):
        call()


def test_a_line_of_a_tool_is_kept_at_full_speed():
    arm, q = gw.load("ur5_like"), np.array([0.1, -1.2, 1.5, 0.3, 0.8, 0.2])
    mech = gw.assemble(arm)
    p, way = gw.placement(mech, q, "tool").position, np.array([0.0, 0.2, -0.1])
    quick = fastest(
        arm, gw.planning.line(arm, "tool", q, p + way, limits=gw.planning.PathLimits(speed=0.3)), intervals=400
    )
    passed = gw.placement(mech, quick.at(np.linspace(0, quick.duration, 501)), "tool").position - p
    along = passed @ way / (way @ way)
    assert np.abs(passed - along[:, None] * way).max() < 1e-6
    assert (np.diff(along) >= -1e-12).all()
    assert 0.999 < limit_use(arm, quick).largest_share.max() < 1 + 1e-6
