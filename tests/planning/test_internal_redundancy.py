"""Joints that do not move the tip: counterweights, moving attachments and variable ratios as redundancy.

Vukobratovic and Potkonjak, section 20.5.1: such redundancy changes the inner structure of a robot, to avoid the torque
and speed limits of its actuators. The numbers come from equations written by hand and from scans.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline
from scipy.optimize import minimize

import gearwright as gw
from gearwright.errors import InputError, PlanningError
from gearwright.forces import Coordinate, distance
from gearwright.parts import Joint, Limits, Link, Robot
from gearwright.planning import (
    HoldingTorque,
    LineActuator,
    fastest,
    least_energy,
    least_time,
    least_torque,
    limit_use,
    mechanical_energy,
    torque_ratio,
    track_poses,
)

G, MASS, COM, INERTIA, WEIGHT = 9.81, 6.0, 0.6, 0.3, 8.0
TORQUE, FORCE = 20.0, 150.0
START, END = np.array([-np.pi / 2, 0.05]), np.array([0.0, 0.05])


def boom(slide: Joint, mass: float = WEIGHT, parent: str = "boom") -> Robot:
    """A boom that turns in a vertical plane, and a mass on a slide that does not move its tip."""
    arm = Link(
        "boom", "base", Joint("j1", limits=Limits(effort=TORQUE)), MASS, (COM, 0, 0), np.diag([0.0, INERTIA, INERTIA])
    )
    carriage = Link("slide", parent, slide, mass, (0, 0, 0), np.zeros((3, 3)))
    tip = Link("tip", "boom", Joint("flange", "fixed", position=(1.0, 0, 0)))
    return Robot("boom", [arm, carriage, tip] if parent == "boom" else [carriage, arm, tip], gravity=(0, -G, 0))


@pytest.fixture(scope="module")
def balanced():
    """A boom with a counterweight behind its joint."""
    limits = Limits(position=(0.0, 0.6), effort=FORCE)
    return boom(Joint("weight", "prismatic", axis=(-1, 0, 0), limits=limits))


@pytest.fixture(scope="module")
def lift():
    """From hanging to horizontal in 1.5 s, with the counterweight at rest."""
    return gw.motion.polynomial(START, END, 1.5)


def by_hand(q, v, a):
    """Torque of the joint and force of the counterweight at a distance s behind it."""
    (angle, s), (w, u), (dw, du) = (np.moveaxis(x, -1, 0) for x in (q, v, a))
    inertia = INERTIA + MASS * COM**2 + WEIGHT * s**2
    torque = inertia * dw + 2 * WEIGHT * s * u * w + G * (MASS * COM - WEIGHT * s) * np.cos(angle)
    force = WEIGHT * (du - s * w**2) - WEIGHT * G * np.sin(angle)
    return np.stack([torque, force], axis=-1)


def ratio_by_hand(motion):
    m = motion.sample(801)
    return np.abs(by_hand(m.q, m.v, m.a) / [TORQUE, FORCE])


def test_the_machine_is_the_one_written_by_hand(balanced):
    q, v, a = np.random.default_rng(1).normal(size=(3, 20, 2))
    assert np.allclose(gw.inverse_dynamics(balanced, q, v, a), by_hand(q, v, a), rtol=1e-12, atol=1e-12)


def test_a_counterweight_does_what_the_limits_forbid_without_it(balanced, lift):
    """Locked it needs 1.6 of the torque limit, even at rest; moved it keeps all limits, and the tip moves alike."""
    better = least_torque(balanced, "tip", lift)
    assert torque_ratio(balanced, lift)[0] > 1.5
    assert torque_ratio(balanced, better).max() < 0.95
    assert torque_ratio(balanced, better) == pytest.approx(ratio_by_hand(better).max(axis=0), rel=1e-4)
    t = np.linspace(0, 1.5, 50)
    assert np.allclose(better.at(t)[:, 0], lift.at(t)[:, 0], atol=1e-6)
    assert np.abs(better.at(t)[:, 1] - 0.05).max() > 0.1
    with pytest.raises(PlanningError, match=r"tau\."):
        fastest(balanced, lift)
    assert fastest(balanced, better).duration < 1.5


def test_least_torque_is_that_of_another_optimiser_over_other_functions(balanced, lift):
    """The hand-written equations, minimised over values of a spline at nine times by a quasi-Newton method."""
    t, knots, power = np.linspace(0, 1.5, 201), np.linspace(0, 1.5, 9), 4.0
    rest = [(1, 0.0), (2, 0.0)]

    def cost(values):
        s = make_interp_spline(knots, np.concatenate([[0.05], values]), k=5, bc_type=(rest, rest))
        q, v, a = (np.stack([lift.at(t, k)[:, 0], s(t, k)], axis=-1) for k in range(3))
        beyond = max(float(np.max(q[:, 1] - 0.6)), float(np.max(-q[:, 1])), 0.0)
        ratio = np.abs(by_hand(q, v, a) / [TORQUE, FORCE])
        return np.mean(ratio**power) ** (1 / power) + 1e3 * beyond

    best = minimize(cost, np.linspace(0.05, 0.4, 9)[1:], method="BFGS", options={"maxiter": 300})
    better = least_torque(balanced, "tip", lift, power=power, search=gw.planning.NullSpaceOptions(coefficients=12))
    size = np.mean(ratio_by_hand(better) ** power) ** (1 / power)
    assert size == pytest.approx(best.fun, rel=0.03)


def test_least_energy_is_the_least_of_a_scan(balanced):
    """Over the top and down, where the work of lifting is not recovered: one coefficient is scanned by hand."""
    over = gw.motion.polynomial([0.0, 0.05], [np.pi, 0.05], 1.5)
    best = least_energy(
        balanced, "tip", over, search=gw.planning.NullSpaceOptions(coefficients=1), limits=[100.0, 1000.0]
    )
    end = best.at(1.5)[1]
    shape = (best.at(np.linspace(0, 1.5, 401))[:, 1] - 0.05) / (end - 0.05)
    assert shape[[0, -1]] == pytest.approx([0.0, 1.0])

    def energy(motion):
        m = motion.sample(4001)
        return np.trapezoid(np.maximum(by_hand(m.q, m.v, m.a) * m.v, 0.0).sum(axis=1), m.t)

    def with_end(s):
        pieces = best.pieces.c.copy()
        pieces[:, :, 1] *= (s - 0.05) / (end - 0.05)
        pieces[-1, :, 1] += 0.05 - 0.05 * (s - 0.05) / (end - 0.05)
        return gw.motion.Trajectory(type(best.pieces)(pieces, best.pieces.x))

    assert mechanical_energy(balanced, best) == pytest.approx(energy(best), rel=1e-4)
    scan = {s: energy(with_end(s)) for s in np.linspace(0.0, 0.6, 61)}
    assert energy(best) <= min(scan.values()) * (1 + 1e-3)
    free = least_energy(balanced, "tip", over, limits=[100.0, 1000.0])
    assert energy(free) < 0.92 * energy(over)
    assert mechanical_energy(balanced, free) == pytest.approx(energy(free), rel=1e-4)


def test_least_time_is_below_that_of_every_straight_path(balanced, lift):
    """What the limits forbid even at rest becomes feasible, and faster than along 12 straight paths of both joints."""
    quick = least_time(balanced, "tip", lift, search=gw.planning.NullSpaceOptions(coefficients=2, steps=8))
    straight = [fastest(balanced, [START, [0.0, s]], intervals=300).duration for s in np.linspace(0.1, 0.6, 11)]
    assert quick.duration < 1.001 * min(straight)
    assert limit_use(balanced, quick).largest_share.max() < 1 + 1e-6
    assert ratio_by_hand(quick).max() < 1 + 1e-6
    assert quick.at(quick.duration)[0] == pytest.approx(0.0, abs=1e-6)


def test_criteria_move_internal_joints(balanced):
    """The gradient of the gravity torque moves the counterweight while the tip turns."""
    angles = np.linspace(-0.6, -0.2, 15)
    positions = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    plain, better = (
        track_poses(balanced, "tip", (None, positions), [-0.6, 0.05], criterion=criterion)
        for criterion in (None, HoldingTorque(0.5, limits=[TORQUE, FORCE]))
    )
    assert np.allclose(plain[:, 1], 0.05, atol=1e-9)
    assert better[-1, 1] > 0.1
    assert np.allclose(better[:, 0], angles, atol=1e-8)
    reached = gw.inverse_kinematics(balanced, "tip", (None, positions[-1]), start=[-0.6, 0.3], held=["weight"])
    assert reached.q == pytest.approx([-0.2, 0.3], abs=1e-8)


CYLINDER, EYE, FOOT = 125.0, 0.4, -0.5


@pytest.fixture(scope="module")
def crane():
    """A boom on a cylinder whose foot slides along x below the joint."""
    joint = Joint("foot", "prismatic", position=(0, FOOT, 0), axis=(1, 0, 0), limits=Limits((-0.1, 0.6), effort=400.0))
    robot = boom(joint, mass=3.0, parent="base")
    strut = distance(gw.assemble(robot), "slide", ("boom", (EYE, 0, 0)), name="strut")
    return robot, {"j1": LineActuator(strut, force=CYLINDER, speed=0.6)}


def test_a_cylinder_pushes_with_its_lever(crane):
    """Force of the cylinder: torque over lever, by the cross product of eye and direction; the foot bears the rest."""
    robot, actuators = crane
    motion = gw.motion.polynomial([0.1, -0.3], [0.3, 0.2], 2.0)  # foot first: it is the first link
    m = motion.sample(1001)
    eye = EYE * np.stack([np.cos(m.q[:, 1]), np.sin(m.q[:, 1])], axis=1)
    along = eye - np.stack([m.q[:, 0], np.full(1001, FOOT)], axis=1)
    unit = along / np.linalg.norm(along, axis=1, keepdims=True)
    lever = eye[:, 0] * unit[:, 1] - eye[:, 1] * unit[:, 0]
    torque = (INERTIA + MASS * COM**2) * m.a[:, 1] + G * MASS * COM * np.cos(m.q[:, 1])
    force = torque / lever
    foot = 3.0 * m.a[:, 0] + force * unit[:, 0]
    ratio = torque_ratio(robot, motion, actuators=actuators)
    assert ratio == pytest.approx([np.abs(foot).max() / 400, np.abs(force).max() / CYLINDER], rel=1e-9)
    use = limit_use(robot, motion, actuators=actuators, samples=1001).peak_shares
    assert use["strut.force"] == pytest.approx(ratio[1], rel=1e-9)
    rate = np.gradient(np.linalg.norm(along, axis=1), m.t)
    assert use["strut.speed"] == pytest.approx(np.abs(rate).max() / 0.6, rel=1e-3)


def test_a_moving_attachment_does_what_the_cylinder_cannot_alone(crane):
    """Raised to 52 degrees, the cylinder's lever about a foot below the joint is 0.15 m; a slide lengthens it."""
    robot, actuators = crane
    motion = gw.motion.polynomial([0.0, 0.0], [0.0, 0.9], 2.0)
    assert torque_ratio(robot, motion, actuators=actuators)[1] > 1.15
    with pytest.raises(PlanningError, match=r"strut\.force"):
        fastest(robot, motion, actuators=actuators)
    better = least_torque(robot, "tip", motion, actuators=actuators)
    assert max(limit_use(robot, better, actuators=actuators).peak_shares.values()) < 1.0
    quick = fastest(robot, better, actuators=actuators)
    assert limit_use(robot, quick, actuators=actuators).largest_share.max() < 1 + 1e-6
    assert quick.duration < 2.0


def test_a_variable_ratio_is_a_joint_like_others():
    """A motor whose angle is r(x) q with r = 20 + x: its torque is tau / r and it must turn r times as fast."""
    joint = Joint("x", "prismatic", axis=(0, 0, 1), limits=Limits((0.0, 30.0), effort=1e4))
    robot = boom(joint, mass=0.01, parent="base")
    mech = gw.assemble(robot)
    motor = Coordinate.for_machine(mech, "motor", lambda c: (20 + c.q[0]) * c.q[1])
    actuators = {"j1": LineActuator(motor, force=1.0, speed=60.0)}
    motion = gw.motion.polynomial([0.0, -np.pi / 2], [0.0, 0.0], 2.0)
    assert torque_ratio(robot, motion, actuators=actuators)[1] == pytest.approx(
        torque_ratio(robot, motion, limits=[1e4, 20.0])[1], rel=1e-12
    )
    better = least_torque(robot, "tip", motion, actuators=actuators)
    assert torque_ratio(robot, motion, actuators=actuators)[1] > 1.5
    assert max(limit_use(robot, better, actuators=actuators).peak_shares.values()) < 1.0


def test_robots_with_nothing_to_spare_and_wrong_actuators_are_refused(balanced, lift):
    bar = Robot("bar", [Link("l", "base", Joint("j", limits=Limits(effort=5.0)), 1.0, (0.5, 0, 0), np.eye(3) * 0.1)])
    single = gw.motion.polynomial([0.0], [0.3], 1.0)
    for function in (least_torque, least_energy):
        with pytest.raises(InputError, match=r"\b1 joints?\b"):
            function(bar, "l", single)
    other = gw.assemble(bar)
    wrong = {"j1": LineActuator(gw.forces.Line.for_machine(other, "j"), 10.0)}
    with pytest.raises(InputError, match="machine"):
        torque_ratio(balanced, lift, actuators=wrong)
    with pytest.raises(InputError, match="'j9'"):
        torque_ratio(balanced, lift, actuators={"j9": wrong["j1"]})
    with pytest.raises(InputError, match="force"):
        LineActuator(wrong["j1"].line, -1.0)
    with pytest.raises(InputError, match="1 coordinates"):
        least_torque(balanced, "tip", single)
