"""The laws of a robot: friction, losses, stops, elasticity, motors, cords and contacts of its file.

Arguments of functions: `laws` replaces the laws of the robot, `extra_laws` adds to them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from gearwright.argument_kinds import check_arguments
from gearwright.errors import GearwrightWarning, InputError, caller_stack_level
from gearwright.forces.contact.contacts_of_robot import environment_laws, loop_laws
from gearwright.forces.contact.end_stops import stop_laws
from gearwright.forces.cords.cords_of_robot import cord_laws
from gearwright.forces.friction.dry_friction import friction_laws
from gearwright.forces.law import Law
from gearwright.forces.motors.motors_of_robot import motor_laws
from gearwright.forces.transmission.elastic_drives import elastic_laws
from gearwright.forces.transmission.gear_losses import loss_laws
from gearwright.forces.transmission.train_losses import train_loss_laws
from gearwright.mechanism import Mechanism, RobotOrMech, assemble_tree
from gearwright.parts import Robot
from gearwright.text import listed_names


@check_arguments
def laws(
    robot: Robot, mech: Mechanism | None = None, inputs: Collection[str] = (), *, smooth: bool = False
) -> tuple[Law, ...]:
    """Return the force laws of a robot's data: friction, losses, stops, elastic elements, motors, contacts.

    Args:
        robot: the robot.
        mech: its machine, if it is already assembled.
        inputs: names of given inputs; a drive's motor is a law where its voltage or current is among them, otherwise
            its torque is an input.
        smooth: friction, stops and backlash without modes, for compiled fixed-step runs.

    >>> import gearwright as gw
    >>> laws(gw.load("elbow"))
    ()
    """
    machine = assemble_tree(robot) if mech is None else mech.tree
    return (
        *friction_laws(robot, machine, smooth=smooth),
        *stop_laws(robot, machine, smooth=smooth),
        *loss_laws(robot, machine),
        *train_loss_laws(robot, machine),
        *elastic_laws(robot, machine, smooth=smooth),
        *motor_laws(robot, machine, inputs),
        *environment_laws(robot),
        *cord_laws(robot, machine, smooth=smooth),
    )


class LawChoice(NamedTuple):
    """The laws that act.

    Args:
        laws: all of them: those of the robot or their replacements, then the extra ones.
        excluded_laws: the names of the robot's own laws that the replacements do not contain.
        robot: the name of the robot.
    """

    laws: tuple[Law, ...]
    excluded_laws: tuple[str, ...] = ()
    robot: str = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """A remark that names the robot's laws that are left out, if any."""
        if not self.excluded_laws:
            return ()
        return (
            f"laws= replaces the laws of robot {self.robot!r} and leaves out {listed_names(self.excluded_laws)}. Use "
            "extra_laws= to add laws, or laws=() to leave out all.",
        )

    def laws_with_warning(self, caller: str) -> tuple[Law, ...]:
        """The laws, with a warning if some are left out: for functions whose result has no remarks."""
        for remark in self.remarks:
            warnings.warn(f"{caller}: {remark}", GearwrightWarning, stacklevel=caller_stack_level())
        return self.laws


def choose_laws(
    caller: str, robot_or_mech: RobotOrMech, laws: Any, extra_laws: Any, own_laws: Callable[[Robot], Iterable[Law]]
) -> LawChoice:
    """The laws that act, by the rule that all functions share.

    Args:
        caller: the name of the called function, for messages.
        robot_or_mech: a robot has its own laws, a machine those of its closed loops.
        laws: replacements of the robot's laws; () for none, None for its own.
        extra_laws: additional laws.
        own_laws: the function that returns the laws of a robot.

    >>> import gearwright as gw
    >>> from gearwright.forces.coordinates.wrench_load import Wrench
    >>> arm, push = gw.load("puma560"), Wrench("push", "tool")
    >>> choose_laws("simulate", arm, [push], (), gw.laws).excluded_laws[:2]
    ('joint1.friction', 'joint2.friction')
    >>> choose_laws("simulate", arm, (), [push], gw.laws).laws == (push,)
    True
    """
    additional_laws = _law_sequence(caller, "extra_laws", extra_laws)
    replacing_laws = None if laws is None else _law_sequence(caller, "laws", laws)
    if not isinstance(robot_or_mech, Robot):
        machine_laws = loop_laws(robot_or_mech) if replacing_laws is None else replacing_laws
        return LawChoice((*machine_laws, *additional_laws))
    if replacing_laws is None:
        return LawChoice((*own_laws(robot_or_mech), *additional_laws))
    given_names = {law.name for law in (*replacing_laws, *additional_laws)}
    excluded_names = (
        tuple(law.name for law in own_laws(robot_or_mech) if law.name not in given_names) if replacing_laws else ()
    )
    return LawChoice((*replacing_laws, *additional_laws), excluded_names, robot_or_mech.name)


def _law_sequence(caller: str, word: str, candidate_laws: Any) -> tuple[Law, ...]:
    """Laws as a tuple."""
    if not isinstance(candidate_laws, Iterable) or isinstance(candidate_laws, str):
        raise InputError(
            f"{caller}: {word} is a {type(candidate_laws).__name__}; give a sequence of laws such as {word}=[push], () "
            "for none."
        )
    law_tuple = tuple(candidate_laws)
    for law in law_tuple:
        if not isinstance(law, Law):
            raise InputError(f"{caller}: {law!r} in {word} is not a law. Give instances of gearwright.forces.Law.")
    return law_tuple
