"""Inverse kinematics: poses are reached, limits kept, all branches found, what cannot be reached is said."""

from __future__ import annotations

import os
from importlib.metadata import files

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.parts import Drive, Gear, Link, Motor, Robot
from gearwright.planning.kinematics import solution_branches
from gearwright.planning.kinematics.inverse_kinematics import descent_for
from gearwright.planning.kinematics.joint_ranges import JointRanges
from gearwright.planning.kinematics.wrist_partitioned import arm_axes, wrist_partitioned_arm
from support.planar_arms import following_arm, planar_arm

ARMS = {
    "ur5_like": "tool",
    "puma560": "tool",
    "harmonic_6": "tool",
    "manutec_r3_full": "load",
    "panda_like": "flange",
    "panda_like_calibrated": "flange",
}
COUNT = 10_000 if os.environ.get("GEARWRIGHT_PROFILE") == "full" else 1_000


def configurations(robot, count, seed=1):
    joints = JointRanges.from_robot(robot)
    low, high = joints.search_ranges
    return joints, joints.with_unloaded_shafts(np.random.default_rng(seed).uniform(low, high, (count, joints.mech.n)))


@pytest.mark.parametrize("name", ARMS)
def test_reachable_poses_are_reached_within_limits(name):
    robot, frame = gw.load(name), ARMS[name]
    joints, q = configurations(robot, COUNT)
    wanted = gw.placement(joints.mech, q, frame)
    found = gw.inverse_kinematics(robot, frame, wanted)
    assert found.reached.mean() > 0.995
    there = gw.placement(joints.mech, found.q[found.reached], frame)
    assert np.abs(there.position - wanted.position[found.reached]).max() < 2e-9
    assert np.abs(there.rotation - wanted.rotation[found.reached]).max() < 2e-9
    assert (found.q >= joints.lower - 1e-12).all()
    assert (found.q <= joints.upper + 1e-12).all()
    assert np.allclose(found.q, joints.with_unloaded_shafts(found.q))


@pytest.mark.parametrize("name", ["ur5_like", "panda_like"])
def test_a_pose_alone_is_as_in_a_batch(name):
    robot, frame = gw.load(name), ARMS[name]
    joints, q = configurations(robot, 12)
    R, p = gw.placement(joints.mech, q, frame)
    together = gw.inverse_kinematics(robot, frame, (R.reshape(3, 4, 3, 3), p.reshape(3, 4, 3)))
    assert together.q.shape == (3, 4, joints.mech.nq)
    for k in range(12):
        alone = gw.inverse_kinematics(robot, frame, (R[k], p[k]))
        assert alone.q.shape == (joints.mech.nq,)
        assert np.abs(alone.q - together.q[k // 4, k % 4]).max() < 1e-9


@pytest.mark.parametrize("name", ["puma560", "harmonic_6"])
def test_wrist_partitioned_arms_have_eight_branches(name):
    """Two shoulders, two elbows, two wrists: all different, all at the pose, and closed under the flip of the wrist."""
    robot, frame = gw.load(name), ARMS[name]
    joints, q = configurations(robot, 5, seed=3)
    wanted = gw.placement(joints.mech, q, frame)
    found = gw.inverse_kinematics(robot, frame, wanted, branches="all")
    assert found.q.shape == (5, 8, joints.mech.nq)
    assert found.reached.all()
    assert np.abs(found.pose.position - wanted.position[:, None]).max() < 2e-9
    assert np.abs(found.pose.rotation - wanted.rotation[:, None]).max() < 2e-9
    assert (joints.largest_difference(found.q, q[:, None]).min(axis=1) < 1e-6).all()
    flipped = np.array(found.q)
    flipped[..., 3:6] = flipped[..., 3:6] * [1, -1, 1] + [np.pi, 0, np.pi]
    flipped = joints.with_unloaded_shafts(joints.with_nearest_turns(flipped))
    assert (joints.largest_difference(found.q[:, :, None], flipped[:, None]).min(axis=2) < 1e-6).all()


@pytest.mark.parametrize("name", ["puma560", "manutec_r3_full", "ur5_like"])
def test_a_closed_form_finds_what_restarts_find(name, monkeypatch):
    """Also where limits leave fewer than eight; without a closed form restarts do it alone."""
    robot, frame = gw.load(name), ARMS[name]
    joints, q = configurations(robot, 6, seed=5)
    poses = gw.placement(joints.mech, q, frame)
    by_form = gw.inverse_kinematics(robot, frame, poses, branches="all")
    assert by_form.reached.any(axis=1).all()
    monkeypatch.setattr(solution_branches, "arm_axes", lambda descent, base: None)
    by_restarts = gw.inverse_kinematics(robot, frame, poses, branches="all")
    for k in range(6):
        mine, other = (found.q[k][found.reached[k]] for found in (by_form, by_restarts))
        assert len(mine) == len(other)
        assert (joints.largest_difference(mine[:, None], other[None]).min(axis=1) < 1e-6).all()


@pytest.mark.parametrize(("name", "found"), [("puma560", True), ("ur5_like", False), ("panda_like_calibrated", False)])
def test_wrist_partitioned_arms_are_known(name, found):
    """A calibrated arm (one joint held, so that six are left) has axes that do not quite meet."""
    robot = gw.load(name)
    held = ("joint3",) if name.startswith("panda") else ()
    descent = descent_for(robot, ARMS[name], (1.0,) * 6, held)
    arm = arm_axes(descent, descent.start_configurations[0])
    assert (wrist_partitioned_arm(arm) is not None) is found


def test_joints_with_followers_have_no_closed_form():
    descent = descent_for(following_arm(-2.0, 0.0), "tip", (1.0,) * 6)
    assert arm_axes(descent, descent.start_configurations[0]) is None


@pytest.mark.parametrize("bend", [0.0, 1e-5, -1e-3])
def test_branches_near_singularities_are_not_counted_twice(bend):
    """A straight wrist turns freely inside: what that connects is one branch; else there are eight."""
    robot = gw.load("puma560")
    mech = gw.assemble(robot)
    pose = gw.placement(mech, [0.3, 0.4, 0.5, 0.6, bend, 0.8], "tool")
    found = gw.inverse_kinematics(robot, "tool", pose, branches="all")
    assert len(found.q) == (8 if bend else 7)
    assert found.reached.all()
    assert found.is_singular.any()


def test_branches_of_a_planar_arm_are_those_of_the_cosine_law():
    robot = planar_arm()
    found = gw.inverse_kinematics(robot, "tip", (None, [0.5, 0.2, 0.0]), branches="all")
    elbow = np.arccos((0.5**2 + 0.2**2 - 0.4**2 - 0.3**2) / (2 * 0.4 * 0.3))
    assert np.allclose(np.sort(found.q[:, 1]), [-elbow, elbow], atol=1e-8)
    shoulder = np.arctan2(0.2, 0.5) - np.arctan2(0.3 * np.sin(found.q[:, 1]), 0.4 + 0.3 * np.cos(found.q[:, 1]))
    assert np.allclose(found.q[:, 0], shoulder, atol=1e-8)


def test_fewer_branches_are_padded():
    robot = planar_arm(position=(-3.0, 3.0))
    reachable, stretched = [0.5, 0.2, 0.0], [0.9, 0.0, 0.0]
    found = gw.inverse_kinematics(robot, "tip", (None, [reachable, stretched]), branches="all")
    assert found.q.shape == (2, 2, 2)
    assert found.reached.tolist() == [[True, True], [False, False]]
    assert np.isnan(found.q[1, 1]).all()


def test_out_of_reach_gives_the_nearest():
    """A planar arm stretches towards a point beyond its reach: closed form."""
    found = gw.inverse_kinematics(planar_arm(), "tip", (None, [0.0, 1.0, 0.0]))
    assert not found.reached
    assert float(found.error) == pytest.approx(0.3, abs=1e-6)
    assert np.allclose(found.pose.position, [0.0, 0.7, 0.0], atol=1e-3)
    assert found.is_singular


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
def test_poses_that_only_limits_keep_out_of_reach():
    """Kinova's Jaco turns its elbow from 0.33 to 5.95 rad: many poses around its neutral one have no configuration.

    Solved is what one of all branches inside the limits solves, each turned by whole turns; the others are solved
    without limits, and a pose beyond the arm's length is not.
    """
    (path,) = [str(f.locate()) for f in files("example-robot-data") or () if f.name == "kinova.urdf"] or [None]
    if path is None:
        pytest.skip("example-robot-data is not installed")
    robot, frame = gw.load(path), "j2s6s200_end_effector"
    joints, q = configurations(robot, 100)
    assert gw.inverse_kinematics(robot, frame, gw.placement(robot, q, frame)).reached.all()
    around = gw.placement(robot, np.random.default_rng(2).normal(size=(8, 6)), frame)
    found = gw.inverse_kinematics(robot, frame, around)
    low, high = np.where(np.isinf(joints.lower), -np.pi, joints.lower), joints.upper
    every = gw.inverse_kinematics(joints.mech, frame, around, branches="all").q
    inside = (low + (every - low) % (2 * np.pi) <= high + 1e-9).all(axis=-1).any(axis=-1)
    assert 0 < inside.sum() < 8
    assert (found.reached == inside).all()
    assert (found.is_beyond_limits == ~inside).all()
    alone = gw.inverse_kinematics(robot, frame, tuple(x[inside.argmin()] for x in around), branches="all")
    assert alone.is_beyond_limits.tolist() == [True]
    assert not gw.inverse_kinematics(robot, frame, (None, [2.0, 0.0, 0.3])).is_beyond_limits


def test_the_nearest_of_a_spatial_arm_is_a_minimum():
    """No joint can bring it closer: the error is orthogonal to every column of the Jacobian."""
    robot = gw.load("puma560")
    mech = gw.assemble(robot)
    R, p = gw.placement(mech, np.full(6, 0.4), "tool")
    found = gw.inverse_kinematics(robot, "tool", (R, p * 3))
    left = p * 3 - found.pose.position
    turn = gw.planning.kinematics.poses.rotation_vector(found.pose.rotation, R)
    slope = gw.jacobian(mech, found.q, "tool").T @ np.concatenate([left, turn])
    assert not found.reached
    assert np.abs(slope).max() < 1e-4 * np.linalg.norm(left)


@pytest.mark.parametrize(("side", "push"), [(1, 0.05), (-1, -0.05)])
def test_a_joint_at_its_limit_leaves_the_work_to_the_others(side, push):
    """A step with a joint pushed against its limit is a step with that joint held; pushed back, it moves."""
    mech = gw.assemble(planar_arm((0.4, 0.3, 0.2)))
    step = gw.compile("reaching_step", mech, body="tip")
    q = np.array([0.4, 0.5 * side, 0.6])
    J = gw.jacobian(mech, q, "tip")
    R, p = gw.placement(mech, q, "tip")
    low, high = np.full(3, -9.0), np.full(3, 9.0)
    (high if side > 0 else low)[1] = q[1]

    def stepped(way, mobility):
        pose = np.concatenate([R.ravel(), p + way * J[:3, 1]])
        return step(q, pose, np.repeat([1.0, 0.0], 3), np.array(mobility), low, high, np.array([0.1]))[:3]

    assert np.array_equal(stepped(push, [1.0, 1.0, 1.0]), stepped(push, [1.0, 0.0, 1.0]))
    assert not np.array_equal(stepped(-push, [1.0, 1.0, 1.0]), stepped(-push, [1.0, 0.0, 1.0]))
    assert np.abs(stepped(push, [1.0, 1.0, 1.0]) - q).max() > 1e-3


def test_start_chooses_branch_and_winding():
    robot = gw.load("ur5_like")
    mech = gw.assemble(robot)
    q = np.array([4.0, -1.2, 1.5, -5.0, 0.8, 0.2])
    found = gw.inverse_kinematics(robot, "tool", gw.placement(mech, q, "tool"), start=q + 0.1)
    assert np.abs(found.q - q).max() < 1e-7


def test_shafts_stand_where_springs_rest_and_may_be_left_out_of_start():
    robot = gw.load("elastic_elbow")
    mech = gw.assemble(robot)
    joints = np.array([0.3, -0.5, 0.8])
    pose = gw.placement(mech, [*joints, 0, 0, 0], "tool")
    found = gw.inverse_kinematics(robot, "tool", (None, pose.position), start=joints + 0.05)
    assert np.allclose(found.q, [*joints, *joints], atol=1e-8)
    springs = [sum(f * found.q[k] for k, f in s.terms) - s.rest for s in mech.springs]
    assert np.abs(springs).max() < 1e-12


def test_followers_follow_and_their_limits_count():
    """A finger that follows with factor -2: its limits are those of the joint it follows."""
    robot = following_arm(-2.0, 0.1, position=(-1.9, 2.1))
    joints = JointRanges.from_robot(robot)
    assert np.allclose([joints.lower[0], joints.upper[0]], [-1.0, 1.0])
    there = gw.placement(joints.mech, [0.7], "tip")
    found = gw.inverse_kinematics(robot, "tip", (None, there.position))
    assert found.reached
    assert found.q == pytest.approx([0.7])


def test_half_turns_of_followers_are_not_windings():
    assert not JointRanges.from_robot(following_arm(0.5, 0.0)).is_winding.any()
    assert JointRanges.from_robot(following_arm(-2.0, 0.0)).is_winding.all()


def test_singular_configurations_are_reported():
    robot = gw.load("puma560")
    mech = gw.assemble(robot)
    straight = np.array([0.3, 0.4, 0.5, 0.6, 0.0, 0.8])
    bent = straight + np.array([0, 0, 0, 0, 0.7, 0])
    poses = gw.placement(mech, np.array([straight, bent]), "tool")
    found = gw.inverse_kinematics(robot, "tool", poses, start=np.array([straight, bent]))
    assert found.is_singular.tolist() == [True, False]


def test_held_joints_stay():
    robot = gw.load("panda_like")
    mech = gw.assemble(robot)
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7])
    pose = gw.placement(mech, q, "flange")
    start = np.array([0.0, 0.0, 0.3, -1.2, 0.3, 1.4, 0.5])
    found = gw.inverse_kinematics(robot, "flange", pose, start=start, held=["joint3"])
    assert found.reached
    assert found.q[2] == 0.3
    every = gw.inverse_kinematics(robot, "flange", pose, start=start, held=["joint3"], branches="all")
    assert every.reached.sum() >= 1
    assert (every.q[:, 2] == 0.3).all()


def test_floating_bases_move_too():
    robot = gw.load("mini_cheetah")
    mech = gw.assemble(robot)
    found = gw.inverse_kinematics(robot, "fr_foot", (None, [0.4, -0.2, 0.1]))
    assert found.reached
    assert np.allclose(gw.placement(mech, found.q, "fr_foot").position, [0.4, -0.2, 0.1], atol=1e-8)


def test_elastic_drive_with_two_stages_is_at_rest():
    table = Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]), com=(0.2, 0, 0))
    drive = Drive("table", Motor(inertia=1e-4), Gear(ratio=100, stiffness=5000))
    robot = Robot("r", [table], [drive])
    found = gw.inverse_kinematics(robot, "table", (gw.planning.rotation_from_euler(0.7, 0, 0), None))
    assert np.allclose(found.q, [0.7, 0.7], atol=1e-8)


POSE = (np.eye(3), np.array([0.3, 0.2, 0.4]))
MIRROR = np.diag([1.0, 1.0, -1.0])
WRONG = {
    "frame": (dict(frame="tol"), r"'tol'.*'tool'"),
    "mirror": (dict(pose=(MIRROR, POSE[1])), "mirror.*rotation|rotation.*mirror"),
    "scaled": (dict(pose=(1.1 * np.eye(3), POSE[1])), r"0\.21"),
    "nan": (dict(pose=(np.full((3, 3), np.nan), POSE[1])), "rotation"),
    "shape": (dict(pose=(np.eye(4), POSE[1])), r"\(4, 4\)"),
    "flat": (dict(pose=np.zeros(7)), r"\(rotation, position\)"),
    "nothing": (dict(pose=(None, None)), "neither"),
    "position": (dict(pose=(np.eye(3), [0.1, np.inf, 0])), "finite"),
    "batches": (dict(pose=(np.tile(np.eye(3), (2, 1, 1)), np.zeros((3, 3)))), "broadcast"),
    "start outside": (dict(start=[7.0, 0, 0, 0, 0, 0]), r"'shoulder_pan'.*\b7\b.*-6\.28"),
    "start short": (dict(start=[0.0]), r"\b6\b"),
    "starts": (dict(start=np.zeros((3, 6))), "start"),
    "branches": (dict(branches="some"), r"'one'.*'all'"),
    "tolerance": (dict(tolerance=-1.0), r"tolerance=-1\.0"),
    "held": (dict(held=["j9"], start=np.zeros(6)), "j9"),
    "held nowhere": (dict(held=["shoulder_pan"]), "start="),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_input_is_refused(case):
    arguments, fact = WRONG[case]
    robot = gw.load("ur5_like")
    with pytest.raises(InputError, match=fact):
        gw.inverse_kinematics(robot, **{"frame": "tool", "pose": POSE, **arguments})


def test_redundant_arms_have_no_list_of_branches():
    with pytest.raises(InputError, match="held="):
        gw.inverse_kinematics(gw.load("panda_like"), "flange", POSE, branches="all")


def test_frames_on_the_base_are_refused():
    mech = gw.Mechanism([gw.Body("arm", mass=1, com=(1, 0, 0))], frames=[gw.BodyFrame("world", "base")])
    with pytest.raises(InputError, match=r"'world'.*base"):
        gw.inverse_kinematics(mech, "world", POSE)


def test_kernels_off_gives_the_same(monkeypatch):
    robot = gw.load("ur5_like")
    pose = gw.placement(gw.assemble(robot), np.full(6, 0.4), "tool")
    fast = gw.inverse_kinematics(robot, "tool", pose, start=np.full(6, 0.3))
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")
    slow = gw.inverse_kinematics(gw.load("ur5_like"), "tool", pose, start=np.full(6, 0.3))
    assert np.abs(fast.q - slow.q).max() < 1e-9
