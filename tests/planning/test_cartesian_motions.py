"""Cartesian paths: the frame keeps to them, the joints do not jump, limits are kept, what is impossible is said."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, PlanningError
from gearwright.planning import CircularPath, PathLimits, arc, circle, line, rotation_from_euler, slerp, track_poses
from gearwright.planning.kinematics.poses import rotation_vector
from support.planar_arms import planar_arm

UR5 = np.array([0.1, -1.2, 1.5, 0.3, 0.8, 0.2])


@pytest.fixture(scope="module")
def ur5():
    return gw.load("ur5_like")


def placed(robot, motion, frame, count=333):
    t = np.linspace(0, motion.duration, count)
    return t, gw.placement(gw.assemble(robot), motion.at(t), frame)


def test_a_line_is_straight_and_turns_about_one_axis(ur5):
    R, p = gw.placement(gw.assemble(ur5), UR5, "tool")
    goal = (rotation_from_euler(0.3, -0.2, 0.4) @ R, p + np.array([0.05, 0.2, -0.1]))
    motion = line(ur5, "tool", UR5, goal, limits=PathLimits(speed=0.4, acceleration=2.0))
    t, (S, x) = placed(ur5, motion, "tool")
    along = (x - p) @ (goal[1] - p) / np.sum((goal[1] - p) ** 2)
    assert np.abs(x - p - along[:, None] * (goal[1] - p)).max() < 1e-6
    assert np.abs(S - slerp(R, goal[0], along)).max() < 1e-5
    assert np.allclose(motion.at(0.0), UR5, atol=1e-9)
    assert np.allclose(x[-1], goal[1], atol=1e-9)
    speed = np.linalg.norm(np.gradient(x, t, axis=0), axis=1)
    assert speed.max() < 0.4 * (1 + 1e-3)


def test_limits_along_the_line_are_kept_and_one_is_met(ur5):
    p = gw.placement(gw.assemble(ur5), UR5, "tool").position
    limits = [{"speed": 0.1}, {"speed": 10.0, "acceleration": 0.5}, {"speed": 0.3, "acceleration": 2.0, "jerk": 20.0}]
    for given in limits:
        motion = line(ur5, "tool", UR5, p + np.array([0.0, 0.1, 0.0]), limits=PathLimits(**given))
        t = np.linspace(0, motion.duration, 2001)
        J = gw.jacobian(gw.assemble(ur5), motion.at(t), "tool")
        rate = gw.jacobian_rate(gw.assemble(ur5), motion.at(t), motion.at(t, 1), "tool")
        v = (J[:, :3] @ motion.at(t, 1)[..., None])[..., 0]
        a = (J[:, :3] @ motion.at(t, 2)[..., None] + rate[:, :3] @ motion.at(t, 1)[..., None])[..., 0]
        jerk = np.gradient(a, t, axis=0, edge_order=2)
        peaks = {"speed": v, "acceleration": a, "jerk": jerk}
        ratios = {name: np.linalg.norm(peaks[name], axis=1).max() / limit for name, limit in given.items()}
        assert all(ratio <= 1 + 1e-9 for ratio in ratios.values())
        assert max(ratios.values()) > 1 - 1e-5


def test_turning_keeps_its_limits(ur5):
    R, p = gw.placement(gw.assemble(ur5), UR5, "tool")
    goal = (rotation_from_euler(0.5, 0.0, 0.0) @ R, p)
    limits = {"turn_speed": 0.4, "turn_acceleration": 1.0, "turn_jerk": 10.0}
    motion = line(ur5, "tool", UR5, goal, limits=PathLimits(speed=1.0, **limits))
    t = np.linspace(0, motion.duration, 2001)
    J, v = gw.jacobian(gw.assemble(ur5), motion.at(t), "tool"), motion.at(t, 1)
    rate = gw.jacobian_rate(gw.assemble(ur5), motion.at(t), v, "tool")
    turning = (J[:, 3:] @ v[..., None])[..., 0]
    faster = (J[:, 3:] @ motion.at(t, 2)[..., None] + rate[:, 3:] @ v[..., None])[..., 0]
    assert np.linalg.norm(turning, axis=1).max() == pytest.approx(0.4, rel=1e-5)
    assert np.linalg.norm(faster, axis=1).max() <= 1.0 + 1e-9
    assert np.linalg.norm(np.gradient(faster, t, axis=0, edge_order=2), axis=1).max() <= 10.0 * (1 + 1e-3)


def test_motions_are_smooth_enough_for_elastic_drives(ur5):
    p = gw.placement(gw.assemble(ur5), UR5, "tool").position
    motion = line(ur5, "tool", UR5, p + np.array([0.0, 0.1, 0.0]), limits=PathLimits(speed=0.2))
    assert motion.smoothness == 4
    knots = motion.pieces.x[1:-1]
    for k in range(5):
        jump = motion.at(knots + 1e-9, k) - motion.at(knots - 1e-9, k)
        assert np.abs(jump).max() < 1e-5 * max(1.0, np.abs(motion.at(knots, k + 1)).max())
    ends = motion.at([0.0, motion.duration], 1), motion.at([0.0, motion.duration], 2)
    assert np.abs(ends).max() < 1e-9


def test_an_arc_keeps_its_radius(ur5):
    R, p = gw.placement(gw.assemble(ur5), UR5, "tool")
    motion = arc(
        ur5, "tool", UR5, p + np.array([0, 0.05, 0.05]), (R, p + np.array([0, 0.1, 0.0])), limits=PathLimits(speed=0.3)
    )
    _, (S, x) = placed(ur5, motion, "tool")
    assert np.abs(np.linalg.norm(x - p - [0, 0.05, 0], axis=1) - 0.05).max() < 1e-6
    assert np.abs(S - R).max() < 1e-6
    assert np.allclose(x[-1], p + np.array([0, 0.1, 0]), atol=1e-8)
    assert x[:, 2].max() == pytest.approx(p[2] + 0.05, abs=1e-5)


@pytest.mark.parametrize("turning", [False, True])
def test_a_circle_comes_back(ur5, turning):
    R, p = gw.placement(gw.assemble(ur5), UR5, "tool")
    angle = 2 * np.pi if not turning else 1.0
    motion = circle(
        ur5,
        "tool",
        UR5,
        CircularPath(centre=p + np.array([0, 0.06, 0]), axis=[0, 0, 2], angle=angle, turning=turning),
        limits=PathLimits(speed=0.2, turn_speed=0.5),
    )
    _, (S, x) = placed(ur5, motion, "tool")
    assert np.abs(np.linalg.norm(x - p - [0, 0.06, 0], axis=1) - 0.06).max() < 1e-6
    turned = rotation_vector(R, S)
    assert np.abs(turned[:, :2]).max() < 1e-6
    assert turned[-1, 2] == pytest.approx(angle if turning else 0.0, abs=1e-7)
    if not turning:
        assert np.abs(motion.at(motion.duration) - UR5).max() < 1e-7


def test_a_line_of_an_elastic_arm_moves_its_shafts_along():
    robot = gw.load("harmonic_6")
    mech = gw.assemble(robot)
    start = np.array([0.2, -0.7, 1.2, 0.3, 0.9, 0.1])
    p = gw.placement(mech, [*start, *np.zeros(6)], "tool").position
    motion = line(robot, "tool", start, p + np.array([0.03, 0.03, 0.03]), limits=PathLimits(speed=0.2))
    q = motion.at(np.linspace(0, motion.duration, 50))
    assert np.abs(q[:, :6] - q[:, 6:]).max() < 1e-9


def test_tracking_does_not_jump_where_single_solutions_would():
    """A pose that winds a wrist around: single solutions change branch or winding, the tracked one goes on."""
    robot = gw.load("puma560")
    mech = gw.assemble(robot)
    q = np.array([0.3, -0.5, 0.9, 0.4, 0.9, 0.2]) + np.linspace(0, 1, 60)[:, None] * [0.5, 0.3, -0.4, 2.0, 0.3, 5.0]
    poses = gw.placement(mech, q, "tool")
    tracked = track_poses(robot, "tool", poses, q[0])
    alone = gw.inverse_kinematics(robot, "tool", poses).q
    assert np.abs(tracked - q).max() < 1e-6
    assert np.abs(np.diff(alone, axis=0)).max() > 1.0


def test_steps_that_are_too_long_are_divided():
    robot = gw.load("puma560")
    mech = gw.assemble(robot)
    q = np.array([0.3, -0.5, 0.9, 0.4, 0.9, 0.2]) + np.linspace(0, 1, 4)[:, None] * [1.5, 0.3, -0.4, 1.0, 0.3, 1.0]
    poses = gw.placement(mech, q, "tool")
    assert np.abs(track_poses(robot, "tool", poses, q[0]) - q).max() < 1e-6


def test_speed_limits_are_kept_or_named():
    robot = planar_arm((0.4, 0.3), speed=1.0)
    start = [0.3, 0.8]
    p = gw.placement(gw.assemble(robot), start, "tip").position
    motion = line(robot, "tip", start, (None, p + np.array([-0.1, 0.1, 0])), limits=PathLimits(speed=0.2))
    assert np.abs(motion.at(np.linspace(0, motion.duration, 200), 1)).max() <= 1.0
    with pytest.raises(PlanningError, match=r"joint 'j\d' .*\b1\b"):
        line(robot, "tip", start, (None, p + np.array([-0.1, 0.1, 0])), limits=PathLimits(speed=2.0))


IMPOSSIBLE = {
    "out of reach": (dict(to=(None, [1.5, 0.3, 0])), r"'tip'.*singularity"),
    "through the base": (dict(to=(None, [-0.5, -0.2, 0])), "'tip'"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_what_cannot_be_followed_is_said(case):
    arguments, fact = IMPOSSIBLE[case]
    with pytest.raises(PlanningError, match=fact):
        line(planar_arm((0.4, 0.3)), "tip", [0.3, 0.8], limits=PathLimits(speed=0.3), **arguments)


def test_a_limit_in_the_way_is_named():
    robot = planar_arm((0.4, 0.3), position=(-1.0, 1.0))
    with pytest.raises(PlanningError, match=r"limit.*\bj1\b"):
        line(robot, "tip", [0.0, 0.8], (None, [0.2, 0.2, 0.0]), limits=PathLimits(speed=0.3))


@pytest.mark.parametrize(
    ("call", "fact"),
    [
        (lambda r, p: line(r, "tol", UR5, p, limits=PathLimits(speed=1)), r"'tol'.*'tool'"),
        (lambda r, p: line(r, "tool", UR5 + 9, p, limits=PathLimits(speed=1)), r"'shoulder_pan' at 9\.1.*6\.28319"),
        (lambda r, p: line(r, "tool", UR5, p, limits=PathLimits(speed=-1)), "speed=-1"),
        (lambda r, p: line(r, "tool", UR5, [p, p], limits=PathLimits(speed=1)), r"line: the end .*\(3,\)"),
        (
            lambda r, p: line(r, "tool", UR5, (2 * np.eye(3), p), limits=PathLimits(speed=1)),
            r"line: to .*\b3\b.*rotation",
        ),
        (
            lambda r, p: line(
                r, "tool", UR5, gw.placement(gw.assemble(r), UR5, "tool").position, limits=PathLimits(speed=1)
            ),
            "length",
        ),
        (lambda r, p: arc(r, "tool", UR5, p, p, limits=PathLimits(speed=1)), "arc: start"),
        (
            lambda r, p: circle(r, "tool", UR5, CircularPath(centre=p, axis=[0, 0, 0]), limits=PathLimits(speed=1)),
            r"circle: .*axis=\[0\.0, 0\.0, 0\.0\]",
        ),
        (lambda r, p: track_poses(r, "tool", (np.eye(3), p), UR5), r"track_poses: .*\(T, \.\.\.\)"),
    ],
)
def test_bad_input_is_refused(ur5, call, fact):
    with pytest.raises(InputError, match=fact):
        call(ur5, np.array([0.4, 0.2, 0.3]))


def test_a_start_elsewhere_is_refused(ur5):
    p = np.tile([0.4, 0.2, 0.3], (5, 1))
    with pytest.raises(PlanningError, match=r"'tool'.*start.*\(0\.4, 0\.2, 0\.3\)"):
        track_poses(ur5, "tool", (np.eye(3), p), UR5)
