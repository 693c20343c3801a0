"""Controllers with gains from two numbers, for who wants to name one: the command line, first trials."""

from __future__ import annotations

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.control.gains import joint_gains
from gearwright.control.joint_side import JointSide
from gearwright.control.joint_space.cascade import cascade
from gearwright.control.joint_space.controllers import computed_torque, feedforward, pd
from gearwright.errors import InputError
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.motion.trajectory import Trajectory
from gearwright.system.controllers.law_controller import LawController
from gearwright.system.state import State
from gearwright.text import did_you_mean

NAMES = ("pd", "computed_torque", "feedforward", "cascade")
CALLER = "control.by_name"


@check_arguments
def by_name(
    name: str, robot: RobotOrMech, motion: Trajectory, frequency: float = 20.0, damping: float = 1.0
) -> LawController:
    r"""A controller of the joints whose gains follow from a natural frequency and a damping.

    "pd" (with gravity) and "feedforward" take $k_p = M_{ii} \omega^2$, $k_d = 2 \zeta M_{ii} \omega$ at the start of
    the motion; "cascade" has a speed loop of bandwidth $\omega$ ($k_s = M_{ii} \omega$, $T_s = 4 / \omega$) inside a
    position loop of a quarter of it.

    Args:
        name: "pd", "computed_torque", "feedforward" or "cascade".
        robot: the robot, or a machine.
        motion: the motion of the joints.
        frequency: [rad/s].
        damping: 1 is critical; the cascade has its own.
    """
    if name not in NAMES:
        raise InputError(f"there is no controller {name!r}. {did_you_mean(name, NAMES)}")
    if name == "computed_torque":
        return computed_torque(robot, motion, frequency, damping)
    kp, kd = joint_gains(robot, motion.at(0.0), frequency, damping)
    if name == "pd":
        return pd(robot, motion, kp, kd)
    if name == "feedforward":
        return feedforward(robot, motion, kp, kd)
    return cascade(robot, motion, frequency / 4, kp / frequency, 4 / frequency)


def start_of(robot: RobotOrMech, motion: Trajectory) -> State:
    """The state at the start of a motion; motors of elastic drives stand where their springs are at rest."""
    side = JointSide(machine_of(CALLER, robot))
    q, v = motion.at(0.0), motion.at(0.0, 1)
    if motion.count != side.count:
        raise InputError(f"{CALLER}: the motion is of {motion.count} coordinates, the robot has {side.count} joints.")
    return State(side.carried @ q + side.rest, side.carried @ v) if side.mech.shafts else State(np.array(q), v)
