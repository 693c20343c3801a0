"""Currents and voltages for a motion with known motor torques, such as that of a simulation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.arrays import Array
from gearwright.mechanism import tree_of
from gearwright.motion import Motion
from gearwright.motion_demands.actuators import DriveInverses, motor_demands
from gearwright.motion_demands.motion_segments.smooth_segments import SmoothSegment
from gearwright.motion_demands.problem import DemandProblem
from gearwright.motion_demands.result import MotionDemands, gather_demands
from gearwright.motion_demands.stated_limits import stated_limits
from gearwright.parts import Robot
from gearwright.system.system import System


def demands_of_given_torques(
    robot: Robot,
    motion: Motion,
    torques: Array,
    rates: Array,
    missing: Array,
    known_series: Mapping[str, Array],
    temperatures: Mapping[str, float],
) -> MotionDemands:
    r"""Return the demands of a motion with known motor torques, in the form of `demands`.

    The laws are not evaluated: friction, sticking or sliding, is already in the torques. Currents and voltages follow
    from the windings, $i = (\tau - \tau_{cogging}) / K$ and $v = R i + L\, di/dt + K \omega$.

    Args:
        robot: the robot.
        motion: motion of all its speeds.
        torques: motor torques [Nm], (T, actuators).
        rates: time derivatives of the torques [Nm/s], (T, actuators).
        missing: generalized forces that no motor produces, (T, n).
        known_series: series that replace those computed from the torques, such as the simulated current of a motor.
        temperatures: initial temperatures of the motors by name [K]; the ambient temperature unless given.
    """
    mech = tree_of("demands_of_given_torques", robot)
    problem = DemandProblem(robot, mech, System(mech), DriveInverses(motor_demands(robot, mech, temperatures)))
    empty = np.zeros((len(motion.t), 0))
    segment = SmoothSegment(problem.system, motion.t, [motion.q, motion.v, motion.a], empty, [empty], is_smooth=False)
    bounds = stated_limits(robot, mech, own_motors=True)
    return gather_demands(
        problem, [segment], [torques, rates], (), bounds=bounds, missing=missing, known_series=known_series
    )
