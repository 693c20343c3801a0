"""The open tree of a robot: every public function takes a robot or a machine.

A robot is assembled once and its machine is cached for the lifetime of the robot, so calls with a robot cost no more
than calls with its machine, and both share compiled kernels.
"""

from __future__ import annotations

import weakref
from typing import TypeAlias

from gearwright.arguments import value_text
from gearwright.errors import InputError
from gearwright.mechanism.assembly.assemble import assemble_tree
from gearwright.mechanism.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.text import listed_names

RobotOrMech: TypeAlias = Robot | Mechanism
"""The type of the machine argument of public functions."""

_ASSEMBLED: dict[int, tuple[weakref.ref[Robot], Mechanism]] = {}
"""Machines of the robots in use, by the robot's id: parts with arrays cannot be hashed."""


def tree_of(function: str, robot_or_mech: RobotOrMech, answer: str = "") -> Mechanism:
    """Return the open tree of a robot or a machine; any other type raises an error that names the function.

    Functions that would cut closed loops open raise an error or issue a warning, see `require_tree`.

    Args:
        function: name of the called function, for messages.
        robot_or_mech: the user's argument.
        answer: the function that is evaluated, if it is another one: for compile(jacobian), `jacobian`.

    >>> from gearwright.parts import Link
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))])
    >>> tree_of("gravity", arm) is tree_of("gravity", arm)
    True
    """
    require_robot_or_machine(function, robot_or_mech)
    if robot_or_mech.loops:
        require_tree(function, robot_or_mech, answer or function)
    if isinstance(robot_or_mech, Mechanism):
        return robot_or_mech.tree
    number = id(robot_or_mech)
    if number not in _ASSEMBLED:
        mech = assemble_tree(robot_or_mech)
        _ASSEMBLED[number] = weakref.ref(robot_or_mech, lambda _: _ASSEMBLED.pop(number, None)), mech
    return _ASSEMBLED[number][1]


LOOP_CLOSING_FUNCTIONS = {
    *("analyse", "closed_motion", "compare", "demand_partials", "demands", "demands_of_given_torques", "free_speeds"),
    *("inverse_kinematics", "linearise", "project", "rates", "reactions", "recorded", "simulate", "task"),
    *("fastest_mode", "fixed_step", "rollout", "gym_environment"),
    *("control.controller_by_name", "control.in_larger_machine"),
    *("approach", "line", "arc", "circle", "track_poses", "path", "fastest", "limit_use"),
    *("casadi_rates", "export.fmu", "export.mjcf", "export.state_space", "mujoco_check"),
}
"""Functions that keep the loops of a robot closed unless `laws=` excludes them, or pass them on."""

LOOP_INDEPENDENT_FUNCTIONS = {
    *("placement", "jacobian", "jacobian_rate", "external_coordinates", "external_jacobian", "external_adjoint"),
    *("external_rates", "joint_axes", "joint_axis_derivatives"),
    *("axial_rates", "centre_of_mass", "kinetic_energy", "potential_energy", "momentum", "energies", "energy_rows"),
    *("energy_balance", "neutral", "integrate", "difference", "parameters", "parameter_names", "parameter_groups"),
    *("structure_matrix", "motor_shares", "actuator_speeds", "actuator_redundancy", "motor_inertias"),
    *("uncoupled_spins", "distance", "displacement", "angle", "coordinate", "tendon", "pneumatic_cylinder"),
    *("synchronous_motor", "dc_motor", "servo_cylinder", "stepping_motor", "read_log", "log_of_currents"),
    *("control.tracking_plot", "report", "bench", "names"),
}
"""Functions whose results do not depend on loops: geometry and parameters."""

LOOP_BREAKING_FUNCTIONS = {
    *("least_torque", "distributed_positioning"),
    *("torque_ratio", "least_energy", "least_time", "mechanical_energy"),
}
"""Functions that plan motions of all joints, which would violate the loops."""


def require_tree(function: str, robot_or_mech: RobotOrMech, answer: str) -> None:
    """Raise an error if a function would cut the loops of a robot or machine open."""
    if answer in LOOP_CLOSING_FUNCTIONS or answer in LOOP_INDEPENDENT_FUNCTIONS:
        return
    loops = listed_names(repr(loop.name) for loop in robot_or_mech.loops)
    title = f"robot {robot_or_mech.name!r}" if isinstance(robot_or_mech, Robot) else "the machine"
    if answer in LOOP_BREAKING_FUNCTIONS:
        raise InputError(
            f"{function}: {title} has the closed loops {loops}, which a motion of all joints would violate. Plan the "
            "independent joints (gw.assemble(robot).independent lists them); gw.contact.closed_motion adds the others."
        )
    raise InputError(
        f"{function}: {title} has the closed loops {loops}, which this function would cut open. Give "
        "gw.assemble(robot, coordinates='tree'), the open tree, if this is intended."
    )


def require_robot_or_machine(function: str, value: object) -> None:
    """Raise an error if an argument is neither a robot nor a machine."""
    if not isinstance(value, Robot | Mechanism):
        raise InputError(
            f"{function}: mech={value_text(value)}: a {type(value).__name__} is neither a robot nor a machine. "
            "Give a Robot, as gw.load(...) returns it, or a gw.Mechanism."
        )
