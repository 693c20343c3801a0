"""Motions of robots with closed loops: those of the free joints are planned, the others follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightError, PlanningError
from gearwright.functions.constrained.closure import OPEN, Closure, closure_of
from gearwright.functions.dynamics import integrate
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory, chain, polynomial
from gearwright.motion.default_motion import ways
from gearwright.motion.piecewise_polynomials import piecewise
from gearwright.motion_demands.stated_limits import neutral_within_limits, ranges
from gearwright.parts import Robot
from gearwright.planning.kinematics.joint_ranges import Joints
from gearwright.planning.paths.closed_loop_motion import closed_motion
from gearwright.text import listed

SHARES = (1.0, 0.5, 0.25, 0.1, 0.03)
"""Parts of the default motion that are tried, since loops bound what a joint can do."""
LOOKS, STEP = 4, 0.2
"""Configurations at which degrees of freedom are counted, and how far apart they are [rad, m]."""
SEEDS = 20
"""Configurations all over the ranges from which a closed one is sought."""
RECORDED = 201
"""Instants at which a recording is looked at."""
MET = 1e-6
"""How far a joint may end from where a motion is to take it [rad, m]."""


@dataclass(frozen=True)
class ClosedRobot:
    """A robot with its loops.

    Args:
        robot: the robot.
        mech: the same, assembled.
        closure: what closes it.
    """

    robot: Robot
    mech: Mechanism
    closure: Closure

    @staticmethod
    def of(robot: Robot, mech: Mechanism) -> ClosedRobot | None:
        """None where no loop closes the robot."""
        closure = closure_of("task", robot, mech, None)
        return None if closure is None else ClosedRobot(robot, mech, closure)

    @cached_property
    def start(self) -> Array:
        """The closed configuration (nq,) nearest to neutral, or to the middle of ranges that do not hold it."""
        q = neutral_within_limits(self.robot, self.mech)[0]
        away = np.sin(1.0 + 2.4 * np.arange(self.mech.n))  # bars that lie on one line say nothing of where to go
        near = [integrate(self.mech, q, size * away) for size in (0.0, 0.05, 0.2, 0.5, 1.0)]
        for begin in (*near, *Joints.of(self.robot).seeds(SEEDS)):
            found, gap = self.closure.nearest(begin, range(self.mech.n))
            if gap < OPEN and self._inside(found):
                return found
        raise PlanningError(
            f"robot {self.robot.name!r}: no configuration is found in which its loops close "
            f"({listed(loop.name for loop in self.robot.loops)}). Give one, or look at lengths."
        )

    def _inside(self, q: Array) -> bool:
        return all(lower - MET <= q[k] <= upper + MET for _, k, lower, upper in ranges(self.robot, self.mech))

    @cached_property
    def mobility(self) -> int:
        """The degrees of freedom that the loops leave, drives' shafts included, at configurations in general position.

        A configuration may be singular by chance; so several closed ones are looked at.
        """
        rng, q, found = np.random.default_rng(0), self.start, []
        for _ in range(LOOKS):
            rows = self.closure.at(q).rows
            free = self.closure.free(rows)
            found.append(len(free.indices))
            step = free.directions @ rng.uniform(-STEP, STEP, len(free.indices))
            there, gap = self.closure.nearest(integrate(self.mech, q, step), range(self.mech.n))
            q = there if gap < OPEN else q
        return min(found)

    def whole(self, joints: Array) -> Array:
        """A configuration (nq,) from that of the joints: shafts of elastic drives stand at zero, and close nothing."""
        return np.concatenate([joints, np.zeros(self.mech.nq - len(joints))])

    def free_joints(self, q: Array) -> tuple[int, ...]:
        """The joints that are free at a closed configuration."""
        free = self.closure.free(self.closure.at(q).rows).indices
        return tuple(k for k in free if self.mech.speeds[k] not in self.mech.shafts)

    def at(self, joints: Array, stated: set[str]) -> Array:
        """The configuration of the joints with those that are not stated moved until the loops close."""
        moving = [k for k, name in enumerate(self.mech.speeds[: len(joints)]) if name not in stated]
        q, gap = self.closure.nearest(self.whole(joints), moving)
        if gap > OPEN:
            raise PlanningError(
                f"the loops of robot {self.robot.name!r} do not close with {listed(sorted(stated))} as stated: a gap "
                f"of {gap:.3g} m or rad is left. State the free joints alone."
            )
        return q[: len(joints)]

    def require_closed(self, name: str, motion: Trajectory) -> None:
        """Refuse a recording that opens a loop."""
        short = motion.sample(RECORDED)
        self.closure.require_closed_motion(name, np.array([self.whole(q) for q in short.q]), short.t)

    def closed(self, motion: Trajectory, stated: Iterable[str]) -> Trajectory:
        """A motion of the joints with the free ones as planned and the others closing the loops.

        Args:
            motion: of all joints, from a closed configuration.
            stated: names of joints that must end where it takes them.

        Raises:
            PlanningError: loops do not close along the way, or not where a joint is stated to be, or limits are passed.
        """
        start = self.whole(motion.at(0.0))
        own = list(self.free_joints(start))
        free = Trajectory(piecewise(motion.pieces.c[:, :, own], motion.pieces.x))
        found = closed_motion(self.robot, free, start).of(self.robot)
        self._require_ends(found, motion, set(stated))
        self._require_limits(found)
        return found

    def _require_ends(self, found: Trajectory, motion: Trajectory, stated: set[str]) -> None:
        there, wanted = found.at(found.duration), motion.at(motion.duration)
        for k, name in enumerate(found.names):
            if name in stated and abs(there[k] - wanted[k]) > MET:
                free = [self.mech.speeds[j] for j in self.free_joints(self.whole(there))]
                raise PlanningError(
                    f"joint {name!r} is to be at {wanted[k]:.6g}, where the loops of {self.robot.name!r} do not close: "
                    f"with {listed(free)} as stated it is at {there[k]:.6g}. State {listed(free)} alone."
                )

    def _require_limits(self, found: Trajectory) -> None:
        low, high = found.extremes(0)
        for link, k, lower, upper in ranges(self.robot, self.mech):
            if k < found.count and (low[k] < lower - MET or high[k] > upper + MET):
                worst = low[k] if low[k] < lower - MET else high[k]
                raise PlanningError(
                    f"joint {link.joint_name!r} follows its loop to {worst:.6g}, outside its limits {lower:g} to "
                    f"{upper:g}. Choose another end, or a shorter motion."
                )
        peaks = found.peak(1)
        for link in self.robot.links:
            fastest = link.joint.limits.speed
            if fastest is not None and link.joint_name in found.names:
                k = found.names.index(link.joint_name)
                if peaks[k] > float(fastest) * (1 + MET):
                    raise PlanningError(
                        f"joint {link.joint_name!r} follows its loop with up to {peaks[k]:.6g}, faster than its limit "
                        f"{float(fastest):g}. State a lower speed."
                    )

    def default_motion(self) -> Trajectory:
        """Two ways of the free joints through three points about `start`, all others following: the robot's tour.

        As large as loops and limits allow, of a few sizes.
        """
        q = self.start
        own = list(self.free_joints(q))
        if not own:
            raise PlanningError(
                f"robot {self.robot.name!r}: its loops leave no joint free, so there is nothing to move."
            )
        tour = ways(self.robot, self.mech, own)
        points = tour.at(np.array([0.0, 0.5, 1.0]) * tour.duration)
        reasons = []
        for share in SHARES:
            at = q[own] + share * (points - points[0])
            way = chain(*(polynomial(a, b, duration=tour.duration / 2, order=7) for a, b in pairwise(at)))
            try:
                found = closed_motion(self.robot, way, q).of(self.robot)
                self._require_limits(found)
            except GearwrightError as error:
                reasons.append(str(error))
                continue
            return found
        raise PlanningError(
            f"robot {self.robot.name!r}: no default motion of {listed(self.mech.speeds[k] for k in own)} keeps its "
            f"loops closed ({reasons[-1]}). Give a motion."
        )
