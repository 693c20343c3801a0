"""Inverse kinematics and time-optimal motions against peers that are installed.

Inverse kinematics: success, poses per second in a batch, and one pose from Python. Fastest motions: how often
some limit is met, whether all are kept, and what planning costs.

python benchmarks/planning.py [--poses 10000] [--peer-poses 200]

Every solver gets the same random reachable poses and joint limits, its own start and restarts; ours must place the
frame to 1e-9, peers to 1e-6. Counted is the processor time of all threads. Prints a line per number that must hold, and
ends with 1 if one does not. Peers that are not installed are named.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import gearwright as gw
from gearwright.bench.peers import Pinocchio
from gearwright.bench.report import Target
from gearwright.planning.kinematics.joint_ranges import JointRanges

ARMS = {"ur5_like": "tool", "puma560": "tool", "panda_like": "flange", "panda_like_calibrated": "flange"}
ELASTIC = {"harmonic_6": "tool", "manutec_r3_full": "load"}
PEERS = {"a loop over Pinocchio": "pinocchio", "TRAC-IK": "trac_ik"}
"""Peer -> the module it needs; TRAC-IK is `pip install pytracik`."""
TIMEOUT = 0.02
"""What TRAC-IK may take for a pose [s]."""


def poses(robot: gw.parts.Robot, frame: str, count: int):
    joints = JointRanges.from_robot(robot)
    q = np.random.default_rng(1).uniform(*joints.search_ranges, (count, joints.mech.n))
    return joints, gw.placement(joints.mech, q, frame)


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def offset(joints: JointRanges, frame: str) -> tuple[str, np.ndarray, np.ndarray]:
    """The body that carries a frame, and its rotation and position on it."""
    body = joints.mech.bodies[joints.mech.place_of(frame)[0]].name
    (R, p), (S, o) = (gw.placement(joints.mech, np.zeros(joints.mech.n), x) for x in (frame, body))
    return body, S.T @ R, S.T @ (p - o)


class PinocchioLoop:
    """The damped least squares of Pinocchio's own example, with limits and restarts: what people write."""

    def __init__(self, robot: gw.parts.Robot, joints: JointRanges, body: str) -> None:
        peer = Pinocchio(joints.mech)
        self.pin, self.model, self.data, self.joints = peer.pin, peer.model, peer.data, joints
        self.joint = self.model.getJointId(joints.mech.bodies[joints.mech.body_index(body)].speed_name)
        self.low, self.high = joints.search_limits
        self.rng = np.random.default_rng(0)

    def solve(self, R: np.ndarray, p: np.ndarray, rounds: int = 40) -> bool:
        """Whether a pose of the body was reached."""
        pin, model, data = self.pin, self.model, self.data
        wanted = pin.SE3(R, p)
        for _ in range(rounds):
            q = self.rng.uniform(*self.joints.search_ranges)
            for _ in range(100):
                pin.forwardKinematics(model, data, q)
                between = data.oMi[self.joint].actInv(wanted)
                error = pin.log(between).vector
                if np.linalg.norm(error) < 1e-6:
                    return True
                J = -pin.Jlog6(between.inverse()) @ pin.computeJointJacobian(model, data, q, self.joint)
                step = -J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), error)
                q = np.clip(q + step * min(1.0, 0.5 / np.abs(step).max()), self.low, self.high)
        return False


class TracIk:
    """TRAC-IK with its own restarts until it runs out of time."""

    def __init__(self, robot: gw.parts.Robot, joints: JointRanges, body: str) -> None:
        from trac_ik import TracIK

        with tempfile.TemporaryDirectory() as folder:
            gw.save(robot, Path(folder) / "robot.urdf")
            self.solver = TracIK("base", body, str(Path(folder) / "robot.urdf"), timeout=TIMEOUT, epsilon=1e-6)
        self.start = np.mean(joints.search_ranges, axis=0)

    def solve(self, R: np.ndarray, p: np.ndarray) -> bool:
        """Whether a pose of the body was reached."""
        return self.solver.ik(p, np.ascontiguousarray(R), self.start) is not None


SOLVERS = {"a loop over Pinocchio": PinocchioLoop, "TRAC-IK": TracIk}


def compared(name: str, frame: str, count: int, peer_count: int) -> list[Target]:
    robot = gw.load(name)
    joints, (R, p) = poses(robot, frame, count)
    gw.inverse_kinematics(robot, frame, (R[0], p[0]))  # compiled before the clock starts
    found = gw.inverse_kinematics(robot, frame, (R, p))
    batch = seconds(lambda: gw.inverse_kinematics(robot, frame, (R, p))) / count
    some = min(count, 300)
    single = seconds(lambda: [gw.inverse_kinematics(robot, frame, (R[k], p[k])) for k in range(some)]) / some
    print(f"{name:22} {1 / batch:9.0f} poses/s in a batch, one pose from Python {1e6 * single:5.0f} us")
    promises = [Target(f"{name}: reachable poses solved to 1e-9", 100 * found.reached.mean(), 99.5, "%")]
    if name in ELASTIC:
        return promises
    body, turn, shift = offset(joints, frame)
    S = R @ turn.T
    o = p - (S @ shift)
    times = {}
    for peer in installed():
        solver = SOLVERS[peer](robot, joints, body)
        solved: list[bool] = []
        times[peer] = (
            seconds(lambda s=solver, d=solved: d.extend(map(s.solve, S[:peer_count], o[:peer_count]))) / peer_count
        )
        print(f"{'':22} {1 / times[peer]:9.0f} poses/s by {peer}, {100 * np.mean(solved):.1f} % solved to 1e-6")
    for peer, spent in times.items():
        promises.append(Target(f"{name}: batch vs {peer}", spent / batch, 10))
        promises.append(Target(f"{name}: one pose from Python vs {peer}", spent / single, 2))
    return promises


def planned(name: str, points: int = 5) -> list[Target]:
    """The fastest motion through random points: what it costs, beside toppra with a loop over Pinocchio."""
    robot = gw.load(name)
    joints = JointRanges.from_robot(robot)
    low, high = joints.search_ranges
    path = low + (high - low) * np.random.default_rng(2).uniform(0.25, 0.75, (points, joints.mech.n))
    gw.planning.fastest(robot, path, intervals=20)  # compiled before the clock starts
    found: list[gw.motion.Trajectory] = []
    spent = seconds(lambda: found.append(gw.planning.fastest(robot, path)))
    use = gw.planning.limit_use(robot, found[0], samples=20_001)
    print(f"{name:22} {1e3 * spent:9.0f} ms for the fastest motion through {points} points, {found[0].duration:.4f} s")
    if find_spec("pinocchio") is not None and find_spec("toppra") is not None:
        length, peer = with_pinocchio(robot, joints, path)
        print(f"{'':22} {1e3 * peer:9.0f} ms by toppra with Pinocchio, {length:.4f} s, not checked between its points")
    busy, beyond = 100 * (use.largest_share > 0.99).mean(), max(use.largest_share.max() - 1, 1e-16)
    return [
        Target(f"{name}: instants of the fastest motion at a limit", busy, 95, "%"),
        Target(f"{name}: limits kept, one over the excess", 1 / beyond, 1e6),
    ]


def with_pinocchio(robot: gw.parts.Robot, joints: JointRanges, path: np.ndarray) -> tuple[float, float]:
    """Length of the motion and processor time [s] of what people write: toppra, torques by Pinocchio one by one."""
    import toppra
    from toppra import constraint

    peer = Pinocchio(joints.mech)
    limits = [link.joint.limits for link in robot.links if link.joint.limits.effort]
    torque, speed = (np.array([[-getattr(x, w), getattr(x, w)] for x in limits]) for w in ("effort", "speed"))
    way = np.linalg.norm(np.diff(path, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(way)]) / way.sum()

    def plan() -> None:
        curve = toppra.SplineInterpolator(knots, path, bc_type="natural")
        scheme = constraint.DiscretizationType.Interpolation
        tau = constraint.JointTorqueConstraint(
            lambda q, v, a: np.array(peer.pin.rnea(peer.model, peer.data, q, v, a)),
            torque,
            np.zeros(len(torque)),
            discretization_scheme=scheme,
        )
        grid = np.linspace(0, knots[-1], 2001)
        rules = [constraint.JointVelocityConstraint(speed), tau]
        solver = toppra.algorithm.TOPPRA(rules, curve, gridpoints=grid, parametrizer="ParametrizeConstAccel")
        lengths.append(float(solver.compute_trajectory(0, 0).duration))

    lengths: list[float] = []
    spent = seconds(plan)
    return lengths[0], spent


def installed() -> list[str]:
    return [name for name, module in PEERS.items() if find_spec(module) is not None]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=10_000, help="random reachable poses per arm")
    parser.add_argument("--peer-poses", type=int, default=200, help="of these, how many the peers get")
    given = parser.parse_args()
    os.environ["GEARWRIGHT_THREADS"] = "1"
    missing = [name for name in PEERS if name not in installed()]
    if missing:
        print(f"not installed, so not compared: {', '.join(missing)}")
    found = [
        promise
        for name, frame in {**ARMS, **ELASTIC}.items()
        for promise in compared(name, frame, given.poses, given.peer_poses)
    ]
    found += [promise for name in ("panda_like", "ur5_like") for promise in planned(name)]
    print(*found, sep="\n")
    return 0 if all(promise.is_met for promise in found) else 1


if __name__ == "__main__":
    sys.exit(main())
