"""Joint ranges for inverse kinematics: limits, whole turns, and undeflected shafts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import is_number
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError
from gearwright.functions import integrate, neutral
from gearwright.functions.elastic.shaft_equations import unloaded_shafts
from gearwright.mechanism import Mechanism, tree_of
from gearwright.mechanism.joints.dofs import Dof
from gearwright.parts import Robot

KERNEL_NO_LIMIT = 1e6
"""Value for no limit in kernels, whose inputs are finite [rad, m]."""
WINDING_PERIOD = 2 * np.pi
"""Period of a joint that may turn without end [rad]."""
FREE_SLIDE_RANGE = 1.0
"""Search range of a prismatic joint without limits [m]."""


@dataclass(frozen=True)
class JointRanges:
    """The joints of a machine, one entry per speed.

    Args:
        mech: the machine.
        lower: lower limits of the coordinates, minus infinity without one.
        upper: upper limits.
        is_winding: whether whole turns do not change the pose and every angle has an equivalent inside the limits.
    """

    mech: Mechanism
    lower: Array
    upper: Array
    is_winding: NDArray[np.bool_]

    @staticmethod
    def from_robot(robot_or_mech: Robot | Mechanism) -> JointRanges:
        """Return the joints of a robot, with its limits, or of a machine, which has none."""
        mech = tree_of("inverse_kinematics", robot_or_mech)
        lower, upper = np.full(mech.n, -np.inf), np.full(mech.n, np.inf)
        if isinstance(robot_or_mech, Robot):
            _tighten_limits(mech, robot_or_mech, lower, upper)
        turns_fully = [
            _is_full_turn([dof for j in mech.joints for dof in j.dofs if dof.speed == k]) for k in range(mech.n)
        ]
        plain = np.array([index >= 0 for index in mech.layout.coordinate_of], dtype=bool)
        return JointRanges(
            mech, lower, upper, np.array(turns_fully, dtype=bool) & plain & (upper - lower >= WINDING_PERIOD)
        )

    @cached_property
    def search_limits(self) -> tuple[Array, Array]:
        """Limits for the step of a kernel: joints with whole turns have none during the search."""
        open_below, open_above = self.is_winding | np.isinf(self.lower), self.is_winding | np.isinf(self.upper)
        return np.where(open_below, -KERNEL_NO_LIMIT, self.lower), np.where(open_above, KERNEL_NO_LIMIT, self.upper)

    @cached_property
    def coordinate_indices(self) -> NDArray[np.int_]:
        """Index of the coordinate of each speed, -1 for free and spherical joints."""
        return np.array(self.mech.layout.coordinate_of, dtype=int)

    @cached_property
    def mid_positions(self) -> Array:
        """Centre of the range of joints with whole turns: the middle of the limits, or zero."""
        low, high = (np.where(np.isinf(self.lower) | np.isinf(self.upper), 0.0, x) for x in (self.lower, self.upper))
        return (low + high) / 2

    @cached_property
    def search_ranges(self) -> tuple[Array, Array]:
        """Search range of each joint: its limits, at most one turn; without limits one turn, or 1 m to both sides."""
        reach = np.where([rate == "m" for rate in self.mech.layout.rates], FREE_SLIDE_RANGE, np.pi)
        low = np.where(np.isinf(self.lower), np.minimum(-reach, self.upper - 2 * reach), self.lower)
        high = np.where(np.isinf(self.upper), np.maximum(reach, self.lower + 2 * reach), self.upper)
        middle = (low + high) / 2
        return np.where(self.is_winding, middle - np.pi, low), np.where(self.is_winding, middle + np.pi, high)

    def spread_configurations(self, count: int) -> Array:
        """Return configurations spread over the ranges of all joints, (count, nq), the same at every call."""
        from scipy.stats import qmc

        low, high = self.search_ranges
        fractions = qmc.Halton(self.mech.n, scramble=True, rng=7).random(count)
        speeds = low + (high - low) * fractions
        plain = self.coordinate_indices >= 0
        q = integrate(self.mech, np.tile(neutral(self.mech), (count, 1)), np.where(plain, 0.0, speeds))
        q[:, self.coordinate_indices[plain]] = speeds[:, plain]
        return q

    def with_nearest_turns(self, q: Array, near: Array | None = None) -> Array:
        """Return the configuration shifted by whole turns, inside the limits and close to `near`."""
        q = np.array(q)
        indices = self.coordinate_indices[self.is_winding]
        low, high = self.lower[self.is_winding], self.upper[self.is_winding]
        aim = self.mid_positions[self.is_winding] if near is None else near[..., indices]
        x = aim + (q[..., indices] - aim + np.pi) % WINDING_PERIOD - np.pi
        x = np.where(x > high, x - WINDING_PERIOD, x)
        q[..., indices] = np.where(x < low, x + WINDING_PERIOD, x)
        return q

    def coordinate_difference(self, q0: Array, q1: Array) -> Array:
        """Return the difference of two configurations, without whole turns, (..., nq)."""
        difference: Array = q1 - q0
        turns = self.coordinate_indices[self.is_winding]
        difference[..., turns] = (difference[..., turns] + np.pi) % WINDING_PERIOD - np.pi
        return difference

    def largest_difference(self, q0: Array, q1: Array) -> Array:
        """Return the largest of these differences, (...)."""
        distance: Array = np.abs(self.coordinate_difference(q0, q1)).max(axis=-1)
        return distance

    @cached_property
    def unloaded_shaft_relation(self) -> tuple[Array, Array]:
        """Coordinates of shafts with undeflected springs, theta = F q + f: F (shafts, nq) and f (shafts,)."""
        rows, offsets = unloaded_shafts(self.mech)
        factors = np.zeros((len(self.mech.shafts), self.mech.nq))
        plain = [k for k in range(first_shaft(self.mech)) if self.coordinate_indices[k] >= 0]
        factors[:, self.coordinate_indices[plain]] = rows[:, plain]
        return factors, offsets

    def with_unloaded_shafts(self, q: Array) -> Array:
        """Return the configuration with undeflected springs."""
        if not self.mech.shafts:
            return q
        factors, offsets = self.unloaded_shaft_relation
        q = np.array(q)
        q[..., self.coordinate_indices[first_shaft(self.mech) :]] = offsets + q @ factors.T
        return q

    @cached_property
    def speed_matrix(self) -> Array:
        """All speeds, shafts included, per unit speed of each joint with undeflected springs, (n, joints)."""
        first = first_shaft(self.mech)
        if not self.mech.shafts:
            return np.eye(self.mech.n)
        columns = np.where(
            self.coordinate_indices[:first] >= 0,
            self.unloaded_shaft_relation[0][:, self.coordinate_indices[:first]],
            0.0,
        )
        return np.vstack([np.eye(first), columns])

    def limit_violations(self, q: Array) -> list[tuple[int, str, float, float, float]]:
        """Return the coordinates outside their limits: (speed, name, value, lower, upper)."""
        violations = []
        for k, index in enumerate(self.coordinate_indices):
            x = float(q[index]) if index >= 0 else 0.0
            if index >= 0 and not self.lower[k] - 1e-9 <= x <= self.upper[k] + 1e-9:
                violations.append((k, self.mech.speeds[k], x, float(self.lower[k]), float(self.upper[k])))
        return violations

    def require_within_limits(self, function: str, name: str, q: Array) -> None:
        """Raise an error that names the first joint outside its limits."""
        for _, joint, x, low, high in self.limit_violations(q)[:1]:
            raise InputError(
                f"{function}: {name} has {joint!r} at {x:g}, outside its limits {low:g} to {high:g}. "
                "Give a configuration inside the limits."
            )


def _tighten_limits(mech: Mechanism, robot: Robot, lower: Array, upper: Array) -> None:
    """Apply the limits of all joints; those of a mimic joint limit its leader, q = factor q_leader + offset."""
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


def _is_full_turn(dofs: list[Dof]) -> bool:
    """Whether a whole turn of a speed returns every body that it moves to its pose."""
    return bool(dofs) and all(dof.angular and is_number(dof.factor) and float(dof.factor).is_integer() for dof in dofs)
