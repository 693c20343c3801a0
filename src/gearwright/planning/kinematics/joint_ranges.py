"""What the joints of a machine may do while a frame is placed: limits, windings, where the shafts rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import is_number
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError
from gearwright.functions.dynamics import integrate, neutral
from gearwright.functions.elastic.shaft_equations import unloaded_shafts
from gearwright.mechanism import Mechanism, machine_of
from gearwright.mechanism.joints.dofs import Dof
from gearwright.parts import Robot

UNLIMITED = 1e6
"""Stands for no limit in kernels, whose inputs are finite [rad, m]."""
TURN = 2 * np.pi
REACH = 1.0
"""How far from zero a prismatic joint without limits is tried [m]."""


@dataclass(frozen=True)
class Joints:
    """The joints of a machine, one entry per speed.

    Args:
        mech: the machine.
        lower: lowest coordinates that a robot's limits allow, minus infinity without one.
        upper: highest coordinates.
        winds: whether whole turns change nothing and some turn of the joint always lies inside its limits.
    """

    mech: Mechanism
    lower: Array
    upper: Array
    winds: NDArray[np.bool_]

    @staticmethod
    def of(robot_or_mech: Robot | Mechanism) -> Joints:
        """The joints of a robot, with its limits, or of a machine, which has none."""
        mech = machine_of("inverse_kinematics", robot_or_mech)
        lower, upper = np.full(mech.n, -np.inf), np.full(mech.n, np.inf)
        if isinstance(robot_or_mech, Robot):
            _tighten(mech, robot_or_mech, lower, upper)
        whole = [_whole_turns([dof for j in mech.joints for dof in j.dofs if dof.speed == k]) for k in range(mech.n)]
        plain = np.array([where >= 0 for where in mech.layout.coordinate_of], dtype=bool)
        return Joints(mech, lower, upper, np.array(whole, dtype=bool) & plain & (upper - lower >= TURN))

    @cached_property
    def stops(self) -> tuple[Array, Array]:
        """Limits as the step of a kernel takes them: joints that wind have none while it searches."""
        open_below, open_above = self.winds | np.isinf(self.lower), self.winds | np.isinf(self.upper)
        return np.where(open_below, -UNLIMITED, self.lower), np.where(open_above, UNLIMITED, self.upper)

    @cached_property
    def coordinates(self) -> NDArray[np.int_]:
        """Per speed the index of its coordinate, -1 for free and spherical joints."""
        return np.array(self.mech.layout.coordinate_of, dtype=int)

    @cached_property
    def middles(self) -> Array:
        """Around what a joint that winds is wound: the middle of its limits, zero without two of them."""
        low, high = (np.where(np.isinf(self.lower) | np.isinf(self.upper), 0.0, x) for x in (self.lower, self.upper))
        return (low + high) / 2

    @cached_property
    def ranges(self) -> tuple[Array, Array]:
        """Where each joint is tried: its limits, at most a turn; a turn, or a metre to both sides, without any."""
        reach = np.where([rate == "m" for rate in self.mech.layout.rates], REACH, np.pi)
        low = np.where(np.isinf(self.lower), np.minimum(-reach, self.upper - 2 * reach), self.lower)
        high = np.where(np.isinf(self.upper), np.maximum(reach, self.lower + 2 * reach), self.upper)
        middle = (low + high) / 2
        return np.where(self.winds, middle - np.pi, low), np.where(self.winds, middle + np.pi, high)

    def seeds(self, count: int) -> Array:
        """Configurations spread over the ranges of all joints, (count, nq): the same ones every time."""
        from scipy.stats import qmc

        low, high = self.ranges
        spread = qmc.Halton(self.mech.n, scramble=True, rng=7).random(count)
        speeds = low + (high - low) * spread
        plain = self.coordinates >= 0
        q = integrate(self.mech, np.tile(neutral(self.mech), (count, 1)), np.where(plain, 0.0, speeds))
        q[:, self.coordinates[plain]] = speeds[:, plain]
        return q

    def wound(self, q: Array, near: Array | None = None) -> Array:
        """The same placement with joints that wind turned by whole turns, inside their limits, close to `near`."""
        q = np.array(q)
        where = self.coordinates[self.winds]
        low, high = self.lower[self.winds], self.upper[self.winds]
        aim = self.middles[self.winds] if near is None else near[..., where]
        x = aim + (q[..., where] - aim + np.pi) % TURN - np.pi
        x = np.where(x > high, x - TURN, x)
        q[..., where] = np.where(x < low, x + TURN, x)
        return q

    def way(self, q0: Array, q1: Array) -> Array:
        """The difference of two configurations' coordinates, whole turns left out, (..., nq)."""
        way: Array = q1 - q0
        turns = self.coordinates[self.winds]
        way[..., turns] = (way[..., turns] + np.pi) % TURN - np.pi
        return way

    def apart(self, q0: Array, q1: Array) -> Array:
        """The largest of these differences, (...)."""
        found: Array = np.abs(self.way(q0, q1)).max(axis=-1)
        return found

    @cached_property
    def springs(self) -> tuple[Array, Array]:
        """How shafts follow coordinates while springs rest, theta = F q + f: F (shafts, nq) and f (shafts,)."""
        rows, rest = unloaded_shafts(self.mech)
        follow = np.zeros((len(self.mech.shafts), self.mech.nq))
        plain = [k for k in range(first_shaft(self.mech)) if self.coordinates[k] >= 0]
        follow[:, self.coordinates[plain]] = rows[:, plain]
        return follow, rest

    def rested(self, q: Array) -> Array:
        """The configuration with every shaft where the springs are at rest."""
        if not self.mech.shafts:
            return q
        follow, rest = self.springs
        q = np.array(q)
        q[..., self.coordinates[first_shaft(self.mech) :]] = rest + q @ follow.T
        return q

    @cached_property
    def carried(self) -> Array:
        """Speeds of all, shafts included, per unit of each joint's speed while springs rest, (n, joints)."""
        first = first_shaft(self.mech)
        if not self.mech.shafts:
            return np.eye(self.mech.n)
        columns = np.where(self.coordinates[:first] >= 0, self.springs[0][:, self.coordinates[:first]], 0.0)
        return np.vstack([np.eye(first), columns])

    def outside(self, q: Array) -> list[tuple[int, str, float, float, float]]:
        """Which coordinates lie beyond their limits: (speed, name, value, lower, upper)."""
        found = []
        for k, where in enumerate(self.coordinates):
            x = float(q[where]) if where >= 0 else 0.0
            if where >= 0 and not self.lower[k] - 1e-9 <= x <= self.upper[k] + 1e-9:
                found.append((k, self.mech.speeds[k], x, float(self.lower[k]), float(self.upper[k])))
        return found

    def require_inside(self, function: str, name: str, q: Array) -> None:
        """An error that names the first joint beyond its limits."""
        for _, joint, x, low, high in self.outside(q)[:1]:
            raise InputError(
                f"{function}: {name} has {joint!r} at {x:g}, outside its limits {low:g} to {high:g}. "
                "Give a configuration inside the limits."
            )


def _tighten(mech: Mechanism, robot: Robot, lower: Array, upper: Array) -> None:
    """The limits of all joints; a follower's count for the joint it follows, q = factor q_leader + offset."""
    limits = {link.name: link.joint.limits.position for link in robot.links}
    for body, joint in zip(mech.bodies, mech.joints, strict=True):
        ends = limits.get(body.name)
        speeds = {dof.speed for dof in joint.dofs}
        if ends is None or len(speeds) != 1 or not all(is_number(x) for x in (*ends, joint.factor, joint.offset)):
            continue
        if joint.factor == 0:
            continue
        low, high = sorted((float(x) - joint.offset) / joint.factor for x in ends)
        (k,) = speeds
        lower[k], upper[k] = max(lower[k], low), min(upper[k], high)


def _whole_turns(dofs: list[Dof]) -> bool:
    """Whether a whole turn of a speed brings back every body that it moves."""
    return bool(dofs) and all(dof.angular and is_number(dof.factor) and float(dof.factor).is_integer() for dof in dofs)
