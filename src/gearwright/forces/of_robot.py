"""The laws of a robot: what its file says about friction, losses, stops and motors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from gearwright.forces.law import Law
from gearwright.forces.motors_of_robot import motor_laws
from gearwright.mechanism import Mechanism, assemble
from gearwright.parts import Robot

Builder = Callable[[Robot, Mechanism, Collection[str]], Iterable[Law]]

BUILDERS: tuple[Builder, ...] = (motor_laws,)
"""What makes laws of a robot's data; a new kind of law adds a line."""


def laws(robot: Robot, mech: Mechanism | None = None, inputs: Collection[str] = ()) -> tuple[Law, ...]:
    """All laws that a robot's data state.

    Args:
        robot: the robot.
        mech: its machine, if it is assembled already.
        inputs: names of inputs that somebody gives; a drive's motor is a law where its voltage or current is among
            them, otherwise its torque is given directly.

    >>> import gearwright as gw
    >>> laws(gw.load("elbow"))
    ()
    """
    machine = assemble(robot) if mech is None else mech
    return tuple(law for build in BUILDERS for law in build(robot, machine, inputs))
