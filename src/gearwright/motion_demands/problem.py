"""The problem that `demands` solves: a machine with its laws, its actuators, and the forces of contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gearwright.algebra import Scalar
from gearwright.forces import Law, Line
from gearwright.mechanism import Mechanism
from gearwright.motion_demands.actuators import (
    DriveInverses,
    actuator_demands,
    motor_demands,
    motor_torque_demands,
)
from gearwright.motion_demands.given_contact_forces import with_contact_forces
from gearwright.parts import Robot
from gearwright.system.system import System


@dataclass(frozen=True)
class DemandProblem:
    """A machine with its laws and actuators; all numbers may depend on parameters (`Dual`).

    Args:
        robot: the robot or machine.
        mech: the machine.
        system: the machine with the laws that act on it, with contacts and constraints replaced by their forces.
        drives: its actuators.
        inputs: inputs of the laws, with forces of contacts, as given by the user.
        closing_lines: lines of the constraint forces that are not given, by the names of the forces.
        states: initial states of the laws and temperatures by name.
    """

    robot: Robot | Mechanism
    mech: Mechanism
    system: System
    drives: DriveInverses
    inputs: Any = None
    closing_lines: Mapping[str, Line] = field(default_factory=dict)
    states: Mapping[str, Scalar] = field(default_factory=dict)


def demand_problem(
    robot: Robot | Mechanism,
    mech: Mechanism,
    laws: Sequence[Law],
    *,
    contact: Any = None,
    actuators: Any = None,
    inputs: Any = None,
    states: Mapping[str, Scalar] | None = None,
) -> DemandProblem:
    """Return the problem for a machine with these laws; the other arguments are those of `demands`."""
    starts = states or {}
    acting, all_inputs, closing_lines = with_contact_forces(mech, laws, contact, inputs)
    if actuators is None:
        driven = motor_demands(robot if isinstance(robot, Robot) else None, mech, starts)
    else:
        driven = actuator_demands(actuators) or motor_torque_demands(mech)
    system = System(mech, acting)
    return DemandProblem(robot, mech, system, DriveInverses(driven), all_inputs, closing_lines, starts)
