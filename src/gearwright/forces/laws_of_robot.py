"""The laws of a robot: what its file says about friction, losses, stops, elasticity, motors, cords, contacts."""

from __future__ import annotations

from collections.abc import Collection

from gearwright.forces.contact.contacts_of_robot import surrounding_laws
from gearwright.forces.contact.end_stops import stop_laws
from gearwright.forces.cords.cords_of_robot import cord_laws
from gearwright.forces.friction.dry_friction import friction_laws
from gearwright.forces.law import Law
from gearwright.forces.motors.motors_of_robot import motor_laws
from gearwright.forces.transmission.elastic_drives import elastic_laws
from gearwright.forces.transmission.gear_losses import loss_laws
from gearwright.forces.transmission.train_losses import train_loss_laws
from gearwright.mechanism import Mechanism, assemble
from gearwright.parts import Robot


def laws(
    robot: Robot, mech: Mechanism | None = None, inputs: Collection[str] = (), *, smooth: bool = False
) -> tuple[Law, ...]:
    """All laws that a robot's data state.

    Args:
        robot: the robot.
        mech: its machine, if it is assembled already.
        inputs: names of inputs that somebody gives; a drive's motor is a law where its voltage or current is among
            them, otherwise its torque is given directly.
        smooth: friction, stops and backlash without modes, for compiled fixed-step runs.

    >>> import gearwright as gw
    >>> laws(gw.load("elbow"))
    ()
    """
    machine = assemble(robot) if mech is None else mech
    return (
        *friction_laws(robot, machine, smooth=smooth),
        *stop_laws(robot, machine, smooth=smooth),
        *loss_laws(robot, machine),
        *train_loss_laws(robot, machine),
        *elastic_laws(robot, machine, smooth=smooth),
        *motor_laws(robot, machine, inputs),
        *surrounding_laws(robot),
        *cord_laws(robot, machine, smooth=smooth),
    )
