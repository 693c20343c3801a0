"""Controllers by name, with gains from a natural frequency and a damping ratio."""

from __future__ import annotations

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.control.gains import joint_gains
from gearwright.control.joint_side import JointSide
from gearwright.control.joint_space.cascade import cascade
from gearwright.control.joint_space.controllers import computed_torque, feedforward, pd
from gearwright.errors import InputError
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.motion import Trajectory
from gearwright.motion_demands.closed_loop_motion import whole_motion_of
from gearwright.system import LawController
from gearwright.system.state import State
from gearwright.text import did_you_mean

NAMED_CONTROLLERS = ("pd", "computed_torque", "feedforward", "cascade")
BY_NAME_CALLER = "control.controller_by_name"


@check_arguments
def controller_by_name(
    name: str, robot: RobotOrMech, motion: Trajectory, frequency: float = 20.0, damping: float = 1.0
) -> LawController:
    r"""Return a joint controller whose gains follow from a natural frequency and a damping ratio.

    "pd" (with gravity) and "feedforward" take $k_p = M_{ii} \omega^2$, $k_d = 2 \zeta M_{ii} \omega$ at the start of
    the motion; "cascade" has a speed loop of bandwidth $\omega$ ($k_s = M_{ii} \omega$, $T_s = 4 / \omega$) inside a
    position loop of a quarter of it.

    Args:
        name: "pd", "computed_torque", "feedforward" or "cascade".
        robot: the robot, or a machine.
        motion: the motion of the joints.
        frequency: natural frequency [rad/s].
        damping: damping ratio, 1 is critical; not used by the cascade.
    """
    if name not in NAMED_CONTROLLERS:
        raise InputError(f"controller {name!r} is unknown. {did_you_mean(name, NAMED_CONTROLLERS)}")
    if name == "computed_torque":
        return computed_torque(robot, motion, frequency, damping)
    kp, kd = joint_gains(robot, motion.at(0.0), frequency, damping)
    if name == "pd":
        return pd(robot, motion, kp, kd)
    if name == "feedforward":
        return feedforward(robot, motion, kp, kd)
    return cascade(robot, motion, frequency / 4, kp / frequency, 4 / frequency)


def start_state(robot: RobotOrMech, motion: Trajectory) -> State:
    """Return the state at the start of a motion; the springs of elastic drives are undeflected."""
    side = JointSide(tree_of(BY_NAME_CALLER, robot))
    motion = whole_motion_of(BY_NAME_CALLER, robot, motion)
    q, v = motion.at(0.0), motion.at(0.0, 1)
    if motion.count != side.joint_count:
        raise InputError(
            f"{BY_NAME_CALLER}: the motion has {motion.count} coordinates, the robot {side.joint_count} joints."
        )
    return (
        State(side.speed_matrix @ q + side.rest_coordinates, side.speed_matrix @ v)
        if side.mech.shafts
        else State(np.array(q), v)
    )
