"""A robot where a machine is expected: every public function takes either, and this is the one place that tells them.

A robot is assembled once and its machine remembered as long as the robot lives, so that calls with a robot cost no more
than calls with its machine, and kernels compiled for one serve the other.
"""

from __future__ import annotations

import weakref
from typing import TypeAlias

from gearwright.errors import InputError
from gearwright.mechanism.assembly.assemble import assemble
from gearwright.mechanism.mechanism import Mechanism
from gearwright.parts import Robot

RobotOrMech: TypeAlias = Robot | Mechanism
"""What a public function takes as its machine."""

_ASSEMBLED: dict[int, tuple[weakref.ref[Robot], Mechanism]] = {}
"""Machines of the robots in use, by the robot's identity: a robot's parts may hold arrays, which have no hash."""


def machine_of(function: str, robot_or_mech: RobotOrMech) -> Mechanism:
    """The machine itself, or that of a robot; anything else is an error that names the function.

    >>> from gearwright.parts import Link
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))])
    >>> machine_of("gravity", arm) is machine_of("gravity", arm)
    True
    """
    if isinstance(robot_or_mech, Mechanism):
        return robot_or_mech
    require_robot_or_machine(function, robot_or_mech)
    number = id(robot_or_mech)
    if number not in _ASSEMBLED:
        mech = assemble(robot_or_mech)
        _ASSEMBLED[number] = weakref.ref(robot_or_mech, lambda _: _ASSEMBLED.pop(number, None)), mech
    return _ASSEMBLED[number][1]


def require_robot_or_machine(function: str, given: object) -> None:
    """Refuse what is neither a robot nor a machine."""
    if not isinstance(given, Robot | Mechanism):
        raise InputError(
            f"{function}: a {type(given).__name__} is neither a robot nor a machine. "
            "Give a Robot, as gw.load(...) returns it, or a gw.Mechanism."
        )
