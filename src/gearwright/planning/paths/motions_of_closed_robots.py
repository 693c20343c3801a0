"""Motions of robots with closed loops: the independent joints are planned, the others follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightError, InputError, PlanningError, SingularityError
from gearwright.functions import integrate
from gearwright.functions.constrained.closure import DEPENDENT_ROW_RATIO, MAX_LOOP_GAP, Closure, closure_of
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory, chain, polynomial
from gearwright.motion.default_motion import default_trajectory
from gearwright.motion.piecewise_polynomials import piecewise_polynomial
from gearwright.motion_demands.closed_loop_motion import ClosedTrajectory, closed_motion, whole_motion_of
from gearwright.motion_demands.stated_limits import joint_ranges, neutral_within_limits
from gearwright.parts import Robot
from gearwright.planning.kinematics.joint_ranges import JointRanges
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.closed_loops.closed_mechanism import assemble
from gearwright.text import listed_names

MOTION_SHARES = (1.0, 0.5, 0.25, 0.1, 0.03)
"""Scale factors of the default motion that are tried, since loops limit the joint ranges."""
MOBILITY_SAMPLES, MOBILITY_STEP = 4, 0.2
"""Number of configurations at which degrees of freedom are counted, and their distance [rad, m]."""
CLOSURE_SEEDS = 20
"""Start configurations in the search for a closed one."""
RECORDING_SAMPLES = 201
"""Instants at which a recording is checked."""
JOINT_END_TOLERANCE = 1e-6
"""Largest deviation of a joint from its stated end position [rad, m]."""


@dataclass(frozen=True)
class ClosedLoopRobot:
    """A robot with its loops.

    Args:
        robot: the robot.
        mech: the same, assembled.
        closure: its loop constraints.
    """

    robot: Robot
    mech: Mechanism
    closure: Closure

    @staticmethod
    def from_robot(robot: Robot, mech: Mechanism) -> ClosedLoopRobot | None:
        """Return the robot with its loops; None without loops."""
        closure = closure_of("task", robot, mech, None)
        return None if closure is None else ClosedLoopRobot(robot, mech, closure)

    @cached_property
    def start_configuration(self) -> Array:
        """That of the first state of the robot's file; otherwise the closed configuration (nq,) nearest to neutral.

        Ranges that exclude neutral are entered in their middle.
        """
        if self.robot.states and self._is_within_limits(stated := self._closed_mechanism.reference):
            return stated
        q = neutral_within_limits(self.robot, self.mech)[0]
        away = np.sin(1.0 + 2.4 * np.arange(self.mech.n))  # collinear bars are singular: start away from them
        near = [integrate(self.mech, q, size * away) for size in (0.0, 0.05, 0.2, 0.5, 1.0)]
        for begin in (*near, *JointRanges.from_robot(self.robot).spread_configurations(CLOSURE_SEEDS)):
            try:
                closed, gap = self.closure.nearest_closed(begin, range(self.mech.n))
            except SingularityError:  # frames of a loop that are turned by half a turn
                continue
            if gap < MAX_LOOP_GAP and self._is_within_limits(closed):
                return closed
        raise PlanningError(
            f"robot {self.robot.name!r}: no configuration that closes its loops was found "
            f"({listed_names(loop.name for loop in self.robot.loops)}). Give one, or check the lengths."
        )

    @property
    def _closed_mechanism(self) -> ClosedMechanism:
        mech = machine_of("task", self.robot)
        assert isinstance(mech, ClosedMechanism)
        return mech

    def start_with(self, joints: Array, stated: set[str]) -> Array:
        """Return the joint configuration that closes the loops with these stated joints.

        If they include all independent ones, it is on the branch of the start configuration.
        """
        mech, q = self._closed_mechanism, self.full_configuration(joints)
        independent = [k for k in mech.independent_indices if k < len(joints)]
        if stated.issuperset(mech.coordinates[k] for k in independent):
            try:
                closed = mech.closed(q[list(mech.independent_indices)], near=self.start_configuration)
            except InputError:  # the way there passes a singular configuration
                return self.closed_configuration(joints, stated)
            others = [k for k in range(len(joints)) if k not in independent and mech.coordinates[k] in stated]
            if np.abs(closed[others] - q[others]).max(initial=0.0) < JOINT_END_TOLERANCE:
                return closed[: len(joints)]
        return self.closed_configuration(joints, stated)

    def _is_within_limits(self, q: Array) -> bool:
        return all(
            lower - JOINT_END_TOLERANCE <= q[k] <= upper + JOINT_END_TOLERANCE
            for _, k, lower, upper in joint_ranges(self.robot, self.mech)
        )

    @cached_property
    def mobility(self) -> int:
        """The degrees of freedom with closed loops, drives' shafts included, at configurations in general position.

        A single configuration may be singular, so several are used.
        """
        rng, q, free_counts = np.random.default_rng(0), self.start_configuration, []
        for _ in range(MOBILITY_SAMPLES):
            rows = self.closure.constraint_state(q).rows
            free = self.closure.free_speeds(rows)
            free_counts.append(len(free.indices))
            step = free.directions @ rng.uniform(-MOBILITY_STEP, MOBILITY_STEP, len(free.indices))
            closed, gap = self.closure.nearest_closed(integrate(self.mech, q, step), range(self.mech.n))
            q = closed if gap < MAX_LOOP_GAP else q
        return min(free_counts)

    def full_configuration(self, joints: Array) -> Array:
        """Return a configuration (nq,) from joint coordinates; shafts of elastic drives are zero."""
        return np.concatenate([joints, np.zeros(self.mech.nq - len(joints))])

    def free_joints(self, q: Array, stated: Iterable[str] = ()) -> tuple[int, ...]:
        """Return the independent joints at a closed configuration.

        If the stated joints alone determine all joints that move in loops, they are the independent ones of the loops,
        such as pitch and roll of a parallel ankle; otherwise the driven joints are.
        """
        rows = self.closure.constraint_state(q).rows
        free = self.closure.free_speeds(rows).indices
        driven = tuple(k for k in free if self.mech.speeds[k] not in self.mech.shafts)
        moves_loops = np.abs(rows).max(axis=0) > DEPENDENT_ROW_RATIO * np.abs(rows).max()
        in_loops = [k for k in driven if moves_loops[k]]
        chosen = [k for k, name in enumerate(self.mech.speeds) if name in set(stated) and moves_loops[k]]
        if len(chosen) != len(in_loops) or set(chosen) == set(in_loops):
            return driven
        others = [k for k in range(self.mech.n) if k not in chosen and moves_loops[k]]
        if np.linalg.matrix_rank(rows[:, others]) < np.linalg.matrix_rank(rows):
            return driven  # the stated joints depend on each other
        return tuple(sorted({*driven} - {*in_loops} | {*chosen}))

    def closed_configuration(self, joints: Array, stated: set[str]) -> Array:
        """Return the joint configuration that closes the loops by moving the joints that are not stated."""
        moving = [k for k, name in enumerate(self.mech.speeds[: len(joints)]) if name not in stated]
        q, gap = self.closure.nearest_closed(self.full_configuration(joints), moving)
        if gap > MAX_LOOP_GAP:
            raise PlanningError(
                f"the loops of robot {self.robot.name!r} do not close with {listed_names(sorted(stated))} as stated: a "
                f"gap of {gap:.3g} m or rad remains. State the independent joints only."
            )
        return q[: len(joints)]

    def require_closed(self, name: str, motion: Trajectory) -> None:
        """Raise an error for a recording that opens a loop."""
        short = motion.sample(RECORDING_SAMPLES)
        self.closure.require_closed_motion(name, np.array([self.full_configuration(q) for q in short.q]), short.t)

    def closed_trajectory(self, motion: Trajectory, stated: Iterable[str]) -> Trajectory:
        """Return a joint motion with the independent joints as planned and the others closing the loops.

        Args:
            motion: of all joints, from a closed configuration.
            stated: names of joints whose end positions must be attained.

        Raises:
            PlanningError: loops do not close along the path or at a stated position, or limits are exceeded.
        """
        if isinstance(motion, ClosedTrajectory):  # planned with closed loops
            self._require_limits(motion)
            return motion
        start = self.full_configuration(motion.at(0.0))
        stated = tuple(stated)
        free_indices = list(self.free_joints(start, stated))
        free = Trajectory(piecewise_polynomial(motion.pieces.c[:, :, free_indices], motion.pieces.x))
        if free_indices == list(self.free_joints(start)):
            trajectory = closed_motion(self.robot, free, start).with_robot_names(self.robot)
        else:
            names = [self.mech.speeds[k] for k in free_indices]
            machine = assemble(self.robot, independent=names, start=start)
            trajectory = whole_motion_of("task", machine, free).with_robot_names(self.robot)
        self._require_ends(trajectory, motion, set(stated))
        self._require_limits(trajectory)
        return trajectory

    def _require_ends(self, trajectory: Trajectory, motion: Trajectory, stated: set[str]) -> None:
        end, target = trajectory.at(trajectory.duration), motion.at(motion.duration)
        for k, name in enumerate(trajectory.names):
            if name in stated and abs(end[k] - target[k]) > JOINT_END_TOLERANCE:
                free = [self.mech.speeds[j] for j in self.free_joints(self.full_configuration(end))]
                raise PlanningError(
                    f"joint {name!r} is stated at {target[k]:.6g}, where the loops of {self.robot.name!r} do not "
                    f"close: with {listed_names(free)} as stated it is at {end[k]:.6g}. State {listed_names(free)} "
                    "only."
                )

    def _require_limits(self, trajectory: Trajectory) -> None:
        low, high = trajectory.extremes(0)
        for link, k, lower, upper in joint_ranges(self.robot, self.mech):
            if k < trajectory.count and (low[k] < lower - JOINT_END_TOLERANCE or high[k] > upper + JOINT_END_TOLERANCE):
                worst = low[k] if low[k] < lower - JOINT_END_TOLERANCE else high[k]
                raise PlanningError(
                    f"joint {link.joint_name!r} follows its loop to {worst:.6g}, outside its limits {lower:g} to "
                    f"{upper:g}. Choose another end, or a shorter motion."
                )
        peaks = trajectory.peak(1)
        for link in self.robot.links:
            fastest = link.joint.limits.speed
            if fastest is not None and link.joint_name in trajectory.names:
                k = trajectory.names.index(link.joint_name)
                if peaks[k] > float(fastest) * (1 + JOINT_END_TOLERANCE):
                    raise PlanningError(
                        f"joint {link.joint_name!r} follows its loop with up to {peaks[k]:.6g}, above its limit "
                        f"{float(fastest):g}. State a lower speed."
                    )

    def default_motion(self) -> Trajectory:
        """Return the default motion: independent joints through three points about `start`, the others following.

        The largest of a few sizes that loops and limits allow.
        """
        q = self.start_configuration
        free_indices = list(self.free_joints(q))
        if not free_indices:
            raise PlanningError(f"robot {self.robot.name!r}: its loops leave no degree of freedom, so it cannot move.")
        unbounded = default_trajectory(self.robot, self.mech, free_indices)
        points = unbounded.at(np.array([0.0, 0.5, 1.0]) * unbounded.duration)
        reasons = []
        for share in MOTION_SHARES:
            via_points = q[free_indices] + share * (points - points[0])
            free_motion = chain(
                *(polynomial(a, b, duration=unbounded.duration / 2, order=7) for a, b in pairwise(via_points))
            )
            try:
                trajectory = closed_motion(self.robot, free_motion, q).with_robot_names(self.robot)
                self._require_limits(trajectory)
            except GearwrightError as error:
                reasons.append(str(error))
                continue
            return trajectory
        raise PlanningError(
            f"robot {self.robot.name!r}: no default motion of "
            f"{listed_names(self.mech.speeds[k] for k in free_indices)} keeps its "
            f"loops closed ({reasons[-1]}). Give a motion."
        )
