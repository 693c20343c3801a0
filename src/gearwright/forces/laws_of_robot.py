"""The laws of a robot: what its file says about friction, losses, stops, elasticity, motors, cords, contacts.

Which laws act where a user gives some: `laws` instead of those of the robot, `extra_laws` beside them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from gearwright.argument_kinds import check_arguments
from gearwright.errors import GearwrightWarning, InputError, depth_of_the_caller
from gearwright.forces.contact.contacts_of_robot import surrounding_laws
from gearwright.forces.contact.end_stops import stop_laws
from gearwright.forces.cords.cords_of_robot import cord_laws
from gearwright.forces.friction.dry_friction import friction_laws
from gearwright.forces.law import Law
from gearwright.forces.motors.motors_of_robot import motor_laws
from gearwright.forces.transmission.elastic_drives import elastic_laws
from gearwright.forces.transmission.gear_losses import loss_laws
from gearwright.forces.transmission.train_losses import train_loss_laws
from gearwright.mechanism import Mechanism, RobotOrMech, assemble
from gearwright.parts import Robot
from gearwright.text import listed


@check_arguments
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


class LawChoice(NamedTuple):
    """Which laws act.

    Args:
        laws: all of them: those of the robot or those given instead, then the extra ones.
        left_out: the names of the robot's own laws that those given instead do not contain.
        robot: the name of the robot.
    """

    laws: tuple[Law, ...]
    left_out: tuple[str, ...] = ()
    robot: str = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is left out of the robot's laws, if anything is: one sentence."""
        if not self.left_out:
            return ()
        return (
            f"laws= replaces the laws of robot {self.robot!r}: {listed(self.left_out)} left out. Give extra_laws= to "
            "add to them, or laws=() to leave out all.",
        )

    def warned(self, caller: str) -> tuple[Law, ...]:
        """The laws, with a warning where some are left out: for a function whose result has no remarks."""
        for remark in self.remarks:
            warnings.warn(f"{caller}: {remark}", GearwrightWarning, stacklevel=depth_of_the_caller())
        return self.laws


def choose_laws(
    caller: str, robot_or_mech: RobotOrMech, laws: Any, extra_laws: Any, own: Callable[[Robot], Iterable[Law]]
) -> LawChoice:
    """The laws that act: everywhere the same rule.

    Args:
        caller: what the user called, for messages.
        robot_or_mech: a robot brings its own laws, a machine has none.
        laws: laws instead of those of the robot; () for none, None for its own.
        extra_laws: laws beside those.
        own: the laws of a robot, as the caller takes them.

    >>> import gearwright as gw
    >>> from gearwright.forces.coordinates.wrench_load import Wrench
    >>> arm, push = gw.load("puma560"), Wrench("push", "tool")
    >>> choose_laws("simulate", arm, [push], (), gw.laws).left_out[:2]
    ('joint1.friction', 'joint2.friction')
    >>> choose_laws("simulate", arm, (), [push], gw.laws).laws == (push,)
    True
    """
    extra = _sequence(caller, "extra_laws", extra_laws)
    given = None if laws is None else _sequence(caller, "laws", laws)
    if not isinstance(robot_or_mech, Robot):
        return LawChoice((*(given or ()), *extra))
    if given is None:
        return LawChoice((*own(robot_or_mech), *extra))
    known = {law.name for law in (*given, *extra)}
    missing = tuple(law.name for law in own(robot_or_mech) if law.name not in known) if given else ()
    return LawChoice((*given, *extra), missing, robot_or_mech.name)


def _sequence(caller: str, word: str, given: Any) -> tuple[Law, ...]:
    """Laws as a tuple."""
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise InputError(
            f"{caller}: {word} is a {type(given).__name__}; give a sequence of laws such as {word}=[push], () for none."
        )
    laws = tuple(given)
    for law in laws:
        if not isinstance(law, Law):
            raise InputError(f"{caller}: {law!r} in {word} is not a law. Give instances of gearwright.forces.Law.")
    return laws
