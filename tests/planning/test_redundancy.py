"""Redundant arms: every criterion does what it says, and the frame does not notice."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, PlanningError
from gearwright.planning import (
    Capsule,
    CircularPath,
    HoldingTorque,
    JointLimits,
    KineticEnergy,
    Manipulability,
    MotionShares,
    Obstacles,
    circle,
    distributed_positioning,
    least_torque,
    line,
    sphere,
    torque_ratio,
    track_poses,
)
from gearwright.planning.kinematics.inverse_kinematics import descent_for
from gearwright.planning.kinematics.obstacles import segment_distance
from gearwright.planning.kinematics.redundancy_criteria import Criterion
from gearwright.planning.paths.pose_tracking import joint_step
from support.planar_arms import macro_and_micro, planar_arm

START = np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7])
FULL = (1.0,) * 6


@pytest.fixture(scope="module")
def panda():
    return gw.load("panda_like")


def reach_out(panda, criterion):
    p = gw.placement(gw.assemble(panda), START, "flange").position
    return line(
        panda,
        "flange",
        START,
        p + np.array([-0.1, 0.15, -0.1]),
        limits=gw.planning.PathLimits(speed=0.3),
        options=gw.planning.PathOptions(criterion=criterion),
    )


@pytest.mark.parametrize(
    "criterion", [JointLimits(3.0), Manipulability(3.0), HoldingTorque(3.0, limits=50.0)], ids=repr
)
def test_costs_fall_against_the_least_motion(panda, criterion):
    plain, better = reach_out(panda, None), reach_out(panda, criterion)
    descent = descent_for(panda, "flange", FULL)
    ends = [criterion.cost(descent, motion.at(motion.duration)) for motion in (plain, better)]
    assert ends[1] < ends[0] - 1e-4
    t = np.linspace(0, plain.duration, 99)
    mech = gw.assemble(panda)
    there = [gw.placement(mech, motion.at(t), "flange") for motion in (plain, better)]
    assert np.abs(there[0].position - there[1].position).max() < 2e-6
    assert np.abs(there[0].rotation - there[1].rotation).max() < 2e-6


def test_internal_motion_does_not_move_the_frame(panda):
    descent = descent_for(panda, "flange", FULL)
    J = gw.jacobian(gw.assemble(panda), START, "flange")
    moved = joint_step(descent, START, np.zeros(6), JointLimits(), share_step=1.0)
    assert np.abs(moved).max() > 1e-2
    assert np.abs(J @ moved).max() < 1e-8


def test_least_kinetic_energy_is_least(panda):
    """No internal motion added to it saves energy: N' M v = 0, and the energy is below that of the least motion."""
    descent, mech = descent_for(panda, "flange", FULL), gw.assemble(panda)
    step = np.array([0.1, -0.2, 0.3, 0.2, 0.1, -0.4])
    v = joint_step(descent, START, step, KineticEnergy())
    plain = joint_step(descent, START, step, Criterion())
    null = np.linalg.svd(gw.jacobian(mech, START, "flange"))[2][-1]
    M = gw.mass_matrix(mech, START)
    assert np.allclose(gw.jacobian(mech, START, "flange") @ v, step, atol=1e-8)
    assert abs(null @ M @ v) < 1e-8 * np.linalg.norm(M @ v)
    assert gw.kinetic_energy(mech, START, v) < gw.kinetic_energy(mech, START, plain)


def test_internal_motion_is_followed_to_second_order(panda):
    """With twice as many poses the end of a path of least kinetic energy is four times as exact."""
    R, p = gw.placement(gw.assemble(panda), START, "flange")
    ends = []
    for count in (9, 17, 33, 65):
        way = p + np.linspace(0, 1, count)[:, None] * np.array([-0.1, 0.15, -0.1])
        ends.append(track_poses(panda, "flange", (R, way), START, criterion=KineticEnergy())[-1])
    changes = np.linalg.norm(np.diff(ends, axis=0), axis=1)
    assert changes[0] / changes[1] > 3
    assert changes[1] / changes[2] > 3


def test_shares_divide_the_motion():
    robot = macro_and_micro()
    descent = descent_for(robot, "tip", (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    q, step = np.array([0.0, 0.0, 0.4, 1.2]), np.array([0.01, 0.02, 0, 0, 0, 0])
    even = joint_step(descent, q, step, Criterion())
    micro = joint_step(descent, q, step, MotionShares(shares=(("x", 1e-4), ("y", 1e-4))))
    assert np.abs(micro[:2]).max() < 0.05 * np.abs(even[:2]).max()
    J = gw.jacobian(gw.assemble(robot), q, "tip")[:3]
    assert np.allclose(J @ micro, step[:3], atol=1e-9)
    with pytest.raises(InputError, match="joint 'z'"):
        joint_step(descent, q, step, MotionShares(shares=(("z", 1.0),)))


@pytest.mark.parametrize("kind", ["sphere", "capsule"])
def test_links_keep_away_from_obstacles(kind):
    """A planar arm of four bars moves its tip along a line and draws its elbow back from what lies beside it."""
    robot = planar_arm((0.3, 0.3, 0.3, 0.2))
    start = np.array([1.2, -0.9, -0.7, -0.3])
    mech = gw.assemble(robot)
    elbow = gw.placement(mech, start, "l2").position
    out = elbow / np.linalg.norm(elbow)
    spot = elbow + 0.17 * out
    thing = sphere(spot, 0.05) if kind == "sphere" else Capsule(spot - [0, 0, 1], spot + np.array([0, 0, 1]), 0.05)
    criterion = Obstacles(4.0, obstacles=(thing,), radius=0.03, margin=0.15)
    p = gw.placement(mech, start, "tip").position
    goal = (None, p + np.array([-0.1, 0.1, 0.0]))
    descent = descent_for(robot, "tip", (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    clear = [
        criterion.clearance(
            descent,
            line(
                robot,
                "tip",
                start,
                goal,
                limits=gw.planning.PathLimits(speed=0.3),
                options=gw.planning.PathOptions(criterion=c),
            ).pieces.c[-1],
        )
        for c in (None, criterion)
    ]
    assert clear[0].min() < 0.06
    assert clear[1][-1] > clear[0][-1] + 0.02


def test_distances_of_segments_are_those_of_sampled_points():
    rng = np.random.default_rng(5)
    a, b, c, d = rng.uniform(-1, 1, (4, 30, 3))
    b[:5], d[:3] = a[:5], c[:3]  # points
    d[5:8] = c[5:8] + 2 * (b[5:8] - a[5:8])  # parallel
    s = np.linspace(0, 1, 201)[:, None, None]
    first, second = a + s * (b - a), c + s * (d - c)
    nearest = np.linalg.norm(first[:, None] - second[None], axis=-1).min(axis=(0, 1))
    found = segment_distance(a, b, c, d)
    assert (found <= nearest + 1e-12).all()
    assert np.abs(found - nearest).max() < 1e-2


def test_macro_and_micro_share_a_motion():
    """The tip goes around quickly; averaged over a time the rails do a fraction of it, the arm the rest."""
    robot = macro_and_micro()
    mech = gw.assemble(robot)
    start = np.array([0.0, 0.0, 0.4, 1.2])
    p = gw.placement(mech, start, "tip").position
    motion = circle(
        robot,
        "tip",
        start,
        CircularPath(centre=p + np.array([0.04, 0, 0]), axis=[0, 0, 1], angle=4 * np.pi, oriented=False),
        limits=gw.planning.PathLimits(speed=1.0),
    )
    shared = distributed_positioning(robot, "tip", motion, ["x", "y"], 0.4, oriented=False)
    t = np.linspace(-0.2, motion.duration + 0.2, 500)
    apart = gw.placement(mech, motion.at(t), "tip").position - gw.placement(mech, shared.at(t + 0.2), "tip").position
    assert np.abs(apart).max() < 1e-6
    before, after = (np.abs(m.at(np.linspace(0, m.duration, 2001), 2)).max(axis=0) for m in (motion, shared))
    assert (after[:2] < 0.3 * before[:2]).all()
    assert shared.duration == pytest.approx(motion.duration + 0.4)


def test_what_the_fast_joints_cannot_do_is_said():
    robot = macro_and_micro()
    start = np.array([0.0, 0.0, 0.4, 1.2])
    p = gw.placement(gw.assemble(robot), start, "tip").position
    motion = line(robot, "tip", start, (None, p + np.array([0.4, 0.3, 0.0])), limits=gw.planning.PathLimits(speed=2.0))
    with pytest.raises(PlanningError, match=r"'tip'.*x, y.*\b2 s"):
        distributed_positioning(robot, "tip", motion, ["x", "y"], 2.0, oriented=False)
    with pytest.raises(InputError, match="slow="):
        distributed_positioning(robot, "tip", motion, [], 0.2)
    with pytest.raises(InputError, match="joint 'z'"):
        distributed_positioning(robot, "tip", motion, ["z"], 0.2)


def test_internal_redundancy_does_what_the_limits_forbid_without_it():
    """Three bars in a vertical plane, 12 Nm per joint: with the third joint locked the limits forbid the motion."""
    robot = planar_arm((0.4, 0.4, 0.3), effort=12.0, gravity=(0, -9.81, 0))
    mech = gw.assemble(robot)
    start = np.array([0.2, 1.4, 1.45])
    p = gw.placement(mech, start, "tip").position
    goal = (None, p + 0.4 * np.array([np.cos(-2.7), np.sin(-2.7), 0.0]))
    least_motion = line(robot, "tip", start, goal, limits=gw.planning.PathLimits(speed=1.2))
    locked = line(
        robot,
        "tip",
        start,
        goal,
        limits=gw.planning.PathLimits(speed=1.2),
        options=gw.planning.PathOptions(held=["j2"]),
    )
    spared = least_torque(robot, "tip", least_motion, search=gw.planning.NullSpaceOptions(oriented=False))
    assert torque_ratio(robot, locked).max() > 1.1
    assert torque_ratio(robot, least_motion).max() > 1.1
    assert torque_ratio(robot, spared).max() < 0.95
    t = np.linspace(0, spared.duration, 300)
    apart = gw.placement(mech, spared.at(t), "tip").position - gw.placement(mech, locked.at(t), "tip").position
    assert np.abs(apart).max() < 1e-6
    assert np.allclose(spared.at(0.0), start, atol=1e-9)


@pytest.mark.parametrize(
    ("robot", "frame", "fact"),
    [
        (planar_arm((0.4, 0.3, 0.2)), "tip", "joint 'j0'.*limits="),
        (gw.load("elastic_elbow"), "tool", "elastic"),
    ],
)
def test_least_torque_refuses(robot, frame, fact):
    mech = gw.assemble(robot)
    motion = gw.motion.polynomial(np.zeros(mech.n), np.full(mech.n, 0.1), 1.0)
    with pytest.raises(InputError, match=fact):
        least_torque(robot, frame, motion, search=gw.planning.NullSpaceOptions(oriented=False))


def test_arms_that_can_spare_nothing_are_refused():
    motion = gw.motion.polynomial([0.3, 0.8], [0.4, 0.9], 1.0)
    with pytest.raises(InputError, match=r"\b2 joints.*\b2\b"):
        least_torque(
            planar_arm((0.4, 0.3), effort=5.0), "tip", motion, search=gw.planning.NullSpaceOptions(oriented=False)
        )
