"""A motion whose motors' torques are known, as a run knows them: what their electronics then do."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.arrays import Array
from gearwright.mechanism import machine_of
from gearwright.motion import Motion
from gearwright.motion_demands.actuators import Drives, own_motors
from gearwright.motion_demands.motion_segments.smooth_segments import Piece
from gearwright.motion_demands.result import Case, MotionDemands, block_of, gathered_demands
from gearwright.motion_demands.stated_limits import stated_limits
from gearwright.parts import Robot
from gearwright.system.system import System


def driven_motion(
    robot: Robot,
    motion: Motion,
    torques: Array,
    rates: Array,
    missing: Array,
    known: Mapping[str, Array],
    warm: Mapping[str, float],
) -> MotionDemands:
    r"""What a motion takes whose motors give known torques, in the form that `demands` has.

    Nothing is asked of the laws: whether friction sticks, and what it holds, is in the torques already. Currents and
    voltages follow from the windings, $i = (\tau - \tau_{cogging}) / K$ and $v = R i + L\, di/dt + K \omega$.

    Args:
        robot: the robot.
        motion: of all its speeds.
        torques: of its motors [Nm], (T, actuators).
        rates: their rates of change [Nm/s], (T, actuators).
        missing: forces at the speeds that no motor gives, (T, n).
        known: series that are known better than from the torques, such as the current of a motor under voltage.
        warm: temperatures of the motors at the start by name [K]; that of their air unless given.
    """
    mech = machine_of("driven_motion", robot)
    asked = own_motors(robot, mech, warm)
    case = Case(robot, mech, asked, System(mech))
    nothing = np.zeros((len(motion.t), 0))
    piece = Piece(case.system, motion.t, [motion.q, motion.v, motion.a], nothing, [nothing], smooth=False)
    block = block_of(piece, [torques, rates], Drives(asked), (), {})
    block = block._replace(missing=missing, series={**block.series, **known})
    return gathered_demands(case, [block], stated_limits(robot, mech, own=True), (), frozenset())
