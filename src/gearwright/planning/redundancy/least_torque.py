"""Null-space motion of a redundant robot that minimises the torques or the energy of a whole motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers_by_name, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import inverse_dynamics
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.redundancy.null_space_search import (
    INFEASIBLE_MOTION_COST,
    CandidateMotions,
    NullSpaceOptions,
    optimise_null_space,
    planned_machine,
)
from gearwright.planning.time_optimal.line_actuators import ActuatorLines, LineActuator

RATIO_SAMPLES = 1001
"""Samples of a motion for its largest torque ratio and its energy."""
SMOOTHED_POWER_RATIO = 0.01
"""Power, relative to the largest of the motion, that rounds the corner of max(P, 0) during the search."""

DEFAULT_NULL_SPACE_SEARCH = NullSpaceOptions()


@check_arguments
def least_torque(
    robot: Robot | Mechanism,
    frame: int | str,
    motion: Trajectory,
    *,
    limits: ArrayLike | None = None,
    actuators: Mapping[str, LineActuator] | None = None,
    power: float = 8.0,
    search: NullSpaceOptions = DEFAULT_NULL_SPACE_SEARCH,
) -> Trajectory:
    r"""Return the same motion of a frame with null-space motion that minimises torques relative to their limits.

    The redundant joints move by $q(t) + \sum c_j B_j(t)$ with splines that start and end at rest, the others are solved
    from the pose, and the coefficients minimise $(\text{mean}\,|\tau / \text{limit}|^p)^{1/p}$ over the whole motion,
    with the exact inverse dynamics. A large p minimises the largest torque, p = 2 the mean square. Joints that do not
    move the frame (internal redundancy: a sliding counterweight, a moving attachment) are redundant joints like others.

    Args:
        robot: a robot, or a machine.
        frame: the body or frame whose motion is preserved.
        motion: a motion of all coordinates, as from `line`.
        limits: reference torque per speed, or for all; by default the limits of the robot's joints.
        actuators: joint -> `LineActuator` in place of the actuator at this joint; its limits of force and speed count.
        power: exponent p of the mean.
        search: whether the orientation is preserved, splines per redundant joint, steps, and accuracy.
    """
    real_number("least_torque", "power", power, least=2.0)
    loads = _ActuatorLoads.from_user("least_torque", robot, limits, actuators)

    def costs(candidates: CandidateMotions) -> Array:
        size: Array = np.mean(loads.ratios(candidates.q, candidates.v, candidates.a) ** power, axis=(1, 2))
        return np.asarray(size ** (1 / power))

    return optimise_null_space("least_torque", robot, frame, motion, costs, search)


@check_arguments
def least_energy(
    robot: Robot | Mechanism,
    frame: int | str,
    motion: Trajectory,
    *,
    limits: ArrayLike | None = None,
    actuators: Mapping[str, LineActuator] | None = None,
    search: NullSpaceOptions = DEFAULT_NULL_SPACE_SEARCH,
) -> Trajectory:
    r"""Return the same motion of a frame with null-space motion that minimises the energy of the actuators.

    The energy is $\sum_k \int \max(f_k \dot s_k, 0)\,dt$: mechanical work without recuperation. Forces beyond their
    limits are avoided. The arguments are those of `least_torque`; `mechanical_energy` computes the energy.
    """
    loads = _ActuatorLoads.from_user("least_energy", robot, limits, actuators)
    m = motion.sample(RATIO_SAMPLES)
    scale = max(mechanical_energy(robot, motion, actuators), 1e-300)
    rounding = SMOOTHED_POWER_RATIO * float(loads.drawn_power(m.q, m.v, m.a).max())

    def costs(candidates: CandidateMotions) -> Array:
        t, q, v, a = candidates
        excess = np.maximum(loads.ratios(q, v, a).max(axis=(1, 2)) - 1.0, 0.0)
        energy = np.trapezoid(loads.drawn_power(q, v, a, rounding), t, axis=1)
        return np.asarray(energy / scale + INFEASIBLE_MOTION_COST * excess)

    return optimise_null_space("least_energy", robot, frame, motion, costs, search)


@check_arguments
def torque_ratio(
    robot: Robot | Mechanism,
    motion: Trajectory,
    limits: ArrayLike | None = None,
    actuators: Mapping[str, LineActuator] | None = None,
) -> Array:
    """Return the largest |torque| of a motion over its limit, per speed (n,): above 1 the motion is infeasible.

    With `actuators`, forces of the actuators that replace those of joints, over their limits.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, -0.5, 0.4], [1.2, 0.6, -0.8], 1.0)
    >>> gw.planning.torque_ratio(gw.load("elbow"), swing, limits=[40, 60, 25]).round(2)
    array([1.46, 0.82, 0.49])
    """
    mech = tree_of("torque_ratio", robot)
    lines = ActuatorLines.from_user("torque_ratio", mech, actuators)
    m = motion.sample(RATIO_SAMPLES)
    scale = _force_limits("torque_ratio", robot, lines, limits)
    ratio: Array = np.abs(lines.forces(m.q, inverse_dynamics(mech, m.q, m.v, m.a)) / scale).max(axis=0)
    return ratio


@check_arguments
def mechanical_energy(
    robot: Robot | Mechanism, motion: Trajectory, actuators: Mapping[str, LineActuator] | None = None
) -> float:
    """Return the mechanical work of the actuators over a motion, without recuperation [J].

    >>> import gearwright as gw
    >>> lift = gw.motion.polynomial([0, 0, 0], [0, 0.5, 0], 1.0)
    >>> round(gw.planning.mechanical_energy(gw.load("elbow"), lift), 2)
    12.58
    """
    mech = planned_machine("mechanical_energy", robot)
    loads = _ActuatorLoads(mech, ActuatorLines.from_user("mechanical_energy", mech, actuators), np.ones(mech.n))
    m = motion.sample(RATIO_SAMPLES)
    return float(np.trapezoid(loads.drawn_power(m.q, m.v, m.a), m.t))


@dataclass(frozen=True)
class _ActuatorLoads:
    """Forces and speeds of the actuators of a machine, with their limits (n,)."""

    mech: Mechanism
    lines: ActuatorLines
    limits: Array

    @staticmethod
    def from_user(
        function: str,
        robot: Robot | Mechanism,
        limits: ArrayLike | None,
        actuators: Mapping[str, LineActuator] | None,
    ) -> _ActuatorLoads:
        mech = planned_machine(function, robot)
        lines = ActuatorLines.from_user(function, mech, actuators)
        return _ActuatorLoads(mech, lines, _force_limits(function, robot, lines, limits))

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        return self.lines.forces(q, inverse_dynamics(self.mech, q, v, a))

    def ratios(self, q: Array, v: Array, a: Array) -> Array:
        """Return the ratios of forces, and of limited speeds along line actuators, (..., T, n + limited)."""
        ratios = [np.abs(self.forces(q, v, a) / self.limits)]
        speed_limits = np.array([np.inf if x.speed is None else x.speed for x in self.lines.actuators.values()])
        if np.isfinite(speed_limits).any():
            ratios.append(np.abs(self.lines.speeds(q, v) / speed_limits)[..., np.isfinite(speed_limits)])
        return np.concatenate(ratios, axis=-1)

    def drawn_power(self, q: Array, v: Array, a: Array, rounding: float = 0.0) -> Array:
        """Return the sum of the positive powers of all actuators [W], (..., T), with corners rounded by a power."""
        rates = np.einsum("...ij,...j->...i", self.lines.rows(q), v) if self.lines.actuators else v
        power = self.forces(q, v, a) * rates
        drawn: Array = ((power + np.sqrt(power * power + rounding * rounding)) / 2).sum(axis=-1)
        return drawn


def _force_limits(function: str, robot: Robot | Mechanism, lines: ActuatorLines, limits: ArrayLike | None) -> Array:
    """Return the force limit of the actuator at each speed (n,)."""
    mech = lines.mech
    if limits is not None:
        values = list(numbers_by_name(function, "limits", limits, mech.speeds, above=0.0))
    else:
        robot_links = robot.links if isinstance(robot, Robot) else ()
        efforts = {link.joint_name: link.joint.limits.effort for link in robot_links}
        values = [efforts.get(name) for name in mech.speeds]
    for k, actuator in lines.actuators.items():
        values[k] = actuator.force
    if None in values:
        missing = mech.speeds[values.index(None)]
        raise InputError(f"{function}: joint {missing!r} has no torque limit. Give limits=, one per speed.")
    return np.array(values, dtype=float)
