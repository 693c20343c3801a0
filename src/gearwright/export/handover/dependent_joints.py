"""Motion of the joints that depend on others: followers, and the dependent joints of closed loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.functions import speed_directions, whole_motion
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.programs import ClosedMechanism

FollowerRows = Mapping[str, tuple[str, float, float]]
"""Leader, multiplier and offset of each joint that follows another."""


class JointMotions(NamedTuple):
    """Configurations, speeds and accelerations of joints, (N, joints) each."""

    q: Array
    v: Array
    a: Array


def follower_rows(robot: Robot) -> dict[str, tuple[str, float, float]]:
    """Return leader, multiplier and offset of each joint that follows another, through chains of followers."""
    stated = {link.joint_name: link.joint.follows for link in robot.links if link.joint.follows is not None}
    rows = {}
    for name, follows in stated.items():
        leader, multiplier, offset = follows[0], float(follows[1]), float(follows[2])
        while leader in stated:
            leader, m, o = stated[leader]
            multiplier, offset = multiplier * float(m), multiplier * float(o) + offset
        rows[name] = (leader, multiplier, offset)
    return rows


@dataclass(frozen=True)
class AllJoints:
    """The joints of a machine, those of closed loops and followers included.

    Args:
        mech: the machine; its speeds are those of the independent joints.
        followers: the joints that follow others.
    """

    mech: Mechanism
    followers: FollowerRows = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all joints: those of the open tree, then the followers."""
        return (*self.mech.tree.speeds, *self.followers)

    @cached_property
    def _follower_map(self) -> tuple[Array, Array]:
        """Matrix and offsets of the positions of all joints by those of the open tree, (all, n), (all,)."""
        speeds = self.mech.tree.speeds
        matrix = np.vstack([np.eye(len(speeds)), np.zeros((len(self.followers), len(speeds)))])
        for k, (leader, multiplier, _) in enumerate(self.followers.values(), len(speeds)):
            matrix[k, speeds.index(leader)] = multiplier
        return matrix, np.array([0.0] * len(speeds) + [offset for _, _, offset in self.followers.values()])

    def motion(self, q: Array, v: Array, a: Array) -> JointMotions:
        """Return the motion of all joints for that of the independent ones, (N, n) each."""
        matrix, offsets = self._follower_map
        whole = [np.asarray(x) for x in whole_motion("passport", self.mech, q, v, a)]
        positions, speeds, rates = (x @ matrix.T for x in whole)
        return JointMotions(positions + offsets, speeds, rates)

    def independent_forces(self, motion: JointMotions, forces: Array) -> Array:
        """Return the forces on all joints (N, all) as forces on the independent ones with the same power, (N, n)."""
        tree = forces @ self._follower_map[0]
        if not isinstance(self.mech, ClosedMechanism):
            return np.asarray(tree)
        return np.asarray((tree[:, None] @ speed_directions(self.mech, motion.q[:, : self.mech.tree.n]))[:, 0])
