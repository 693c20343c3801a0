"""A robot where a machine is expected: every public function takes either, and this is the one place that tells them.

A robot is assembled once and its machine remembered as long as the robot lives, so that calls with a robot cost no more
than calls with its machine, and kernels compiled for one serve the other.
"""

from __future__ import annotations

import warnings
import weakref
from typing import TypeAlias

from gearwright.arguments import shown
from gearwright.errors import InputError, OpenLoopWarning, depth_of_the_caller
from gearwright.mechanism.assembly.assemble import assemble
from gearwright.mechanism.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.text import listed

RobotOrMech: TypeAlias = Robot | Mechanism
"""What a public function takes as its machine."""

_ASSEMBLED: dict[int, tuple[weakref.ref[Robot], Mechanism]] = {}
"""Machines of the robots in use, by the robot's identity: a robot's parts may hold arrays, which have no hash."""


def machine_of(function: str, robot_or_mech: RobotOrMech, answer: str = "") -> Mechanism:
    """The machine itself, or that of a robot; anything else is an error that names the function.

    Args:
        function: what the user called, for messages.
        robot_or_mech: what the user gave.
        answer: the function whose answer it gives, where that is another one: of compile(jacobian) `jacobian`.

    >>> from gearwright.parts import Link
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))])
    >>> machine_of("gravity", arm) is machine_of("gravity", arm)
    True
    """
    if isinstance(robot_or_mech, Mechanism):
        return robot_or_mech
    require_robot_or_machine(function, robot_or_mech)
    mention_loops(function, robot_or_mech, answer or function)
    number = id(robot_or_mech)
    if number not in _ASSEMBLED:
        mech = assemble(robot_or_mech)
        _ASSEMBLED[number] = weakref.ref(robot_or_mech, lambda _: _ASSEMBLED.pop(number, None)), mech
    return _ASSEMBLED[number][1]


CLOSING = {
    *("analyse", "closed_motion", "compare", "demand_slopes", "demands", "driven_motion", "free_speeds"),
    *("inverse_kinematics", "linearise", "project", "rates", "reactions", "recorded", "simulate", "task"),
    *("fastest_mode", "fixed_step", "rollout"),
    *("casadi_rates", "export.fmu", "export.mjcf", "export.state_space", "mujoco_check"),
}
"""Functions that keep the loops of a robot closed unless `laws=` leaves them out, or hand them on."""

PLACING = {
    *("placement", "jacobian", "jacobian_rate", "external_coordinates", "external_jacobian", "external_adjoint"),
    *("axial_rates", "centre_of_mass", "kinetic_energy", "potential_energy", "momentum", "energies", "energy_rows"),
    *("energy_balance", "neutral", "integrate", "difference", "parameters", "parameter_names", "parameter_groups"),
    *("structure_matrix", "motor_shares", "actuator_speeds", "actuator_redundancy", "motor_inertias", "approximate"),
    *("uncoupled_spins", "distance", "displacement", "angle", "coordinate", "tendon", "pneumatic_cylinder"),
    *("synchronous_motor", "dc_motor", "servo_cylinder", "stepping_motor", "read_log", "log_of_currents"),
    *("control.tracking_plot", "report", "bench", "names"),
}
"""Functions whose answers are the same with loops and without: where things are, what they are made of."""

TEARING = {
    *("line", "arc", "circle", "track", "least_torque", "distribute", "fastest", "limit_use", "torque_ratio", "excite"),
}
"""Functions that plan motions of all joints, which no loop would survive."""


def mention_loops(function: str, robot: Robot, answer: str) -> None:
    """Warn that a function cuts the loops of a robot open, or refuse where its answer would mean nothing.

    Until loops are part of the machine itself, every function passes here that does not close them.
    """
    if not robot.loops or answer in CLOSING or answer in PLACING:
        return
    loops = f"loop{'s' if len(robot.loops) > 1 else ''} {listed(repr(loop.name) for loop in robot.loops)}"
    if answer in TEARING:
        raise InputError(
            f"{function}: robot {robot.name!r} has the closed {loops}, which a motion of all joints would tear open. "
            "Plan the free joints (gw.contact.free_speeds names them); gw.contact.closed_motion adds the others."
        )
    warnings.warn(
        f"{function}: robot {robot.name!r} has the closed {loops}, cut open here: the answer is that of the open "
        "tree, without the forces that close it. gw.demands, gw.simulate, gw.reactions, gw.linearise and gw.analyse "
        "keep loops closed; give gw.assemble(robot), which is the tree, if that is meant.",
        OpenLoopWarning,
        stacklevel=depth_of_the_caller(),
    )


def require_robot_or_machine(function: str, given: object) -> None:
    """Refuse what is neither a robot nor a machine."""
    if not isinstance(given, Robot | Mechanism):
        raise InputError(
            f"{function}: mech={shown(given)}: a {type(given).__name__} is neither a robot nor a machine. "
            "Give a Robot, as gw.load(...) returns it, or a gw.Mechanism."
        )
