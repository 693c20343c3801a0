"""A consistent initial state: the nearest state that satisfies all constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces import Law
from gearwright.forces.contact.contacts_of_robot import environment_laws
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.parts import Robot
from gearwright.system.constraints.projection import position_constraints
from gearwright.system.constraints.shaft_places import following_directions, with_static_shafts, with_unloaded_shafts
from gearwright.system.evaluation import situations_at
from gearwright.system.state import State, initial_state, state_vector
from gearwright.system.system import System

START_CLOSURE_TOLERANCE = 1e-9
"""Largest constraint error [m, rad] of a projected state."""


MotorPositions: TypeAlias = Literal["unloaded", "static", "given"]


@check_arguments
def project(
    robot_or_mech: RobotOrMech,
    state: Any = None,
    laws: Sequence[Law] | None = None,
    t: float = 0.0,
    *,
    motors: MotorPositions = "unloaded",
    extra_laws: Sequence[Law] = (),
) -> State:
    r"""Return the state nearest to a given one that satisfies all constraints in position and speed.

    Newton's method in the metric of the mass matrix M: the smallest $dq' M\,dq$, then the smallest change of kinetic
    energy that satisfies the constraints in speed (zero, or the speed of a moving frame). The motors of elastic drives
    follow their joints, so the projection does not load the springs.

    Args:
        robot_or_mech: the robot, with the laws of its file unless `laws` are given, or a machine.
        state: as for `simulate`: a State, (q, v), or q alone.
        laws: replacements of the robot's laws, of which those with position constraints are used; a warning names
            the loops and contacts that are omitted. () for none.
        t: time [s], for moving frames.
        motors: positions of the motors of elastic drives: "unloaded" (springs relaxed), "static" (springs carry the
            static load, with constraint forces of least norm) or "given" (deflections of the given state).
        extra_laws: additional laws.

    Raises:
        InputError: there is no constraint, the constraints cannot be satisfied from the state, or no deflection
            balances the machine.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> pen = gw.contact.Constraint("pen", 2, gw.contact.fixed_frame("desk", (0, 0, 0.2)), held=("z",))
    >>> start = project(arm, [0.1, 0.3, 0.2], [pen])
    >>> round(float(gw.placement(arm, start.q, 2)[1][2]), 12)
    0.2
    """
    mech, time = tree_of("project", robot_or_mech), real_number("project", "t", t, unit="s")
    initial = initial_state(mech, state, robot_or_mech)
    law_choice = choose_laws("project", robot_or_mech, laws, extra_laws, lambda robot: laws_of(robot, mech))
    if isinstance(robot_or_mech, Robot):
        environment_names = {
            law.name for law in environment_laws(robot_or_mech)
        }  # friction and losses hold no positions
        law_choice = law_choice._replace(
            excluded_laws=tuple(name for name in law_choice.excluded_laws if name in environment_names)
        )
    system = System(mech, law_choice.laws_with_warning("project"))
    x = state_vector(system, initial)
    u = np.array(system.initial_inputs)
    situations = situations_at(system, time, x, u)
    modes = tuple(law.initial_mode(situation) for law, situation in zip(system.laws, situations, strict=True))
    constraints = position_constraints(system, time, x, u, modes)
    if constraints is None:
        raise InputError("project: no law has a position constraint. Give constraints (Constraint).")
    if motors not in get_args(MotorPositions):
        raise InputError(f"project: motors={motors!r} is unknown. Use one of {', '.join(get_args(MotorPositions))}.")
    if mech.shafts:
        constraints = replace(constraints, directions=following_directions(mech))
        x = x if motors == "given" else with_unloaded_shafts(system, x)
    projected = constraints.project_state(time, x)
    position_errors = constraints.position_errors(time, projected)
    worst = int(np.argmax(np.abs(position_errors)))
    if not abs(position_errors[worst]) < START_CLOSURE_TOLERANCE:
        raise InputError(
            f"project: the error of {constraints.holds[worst].line.name} stays at {position_errors[worst]:.3g} (m or "
            "rad): from this state the constraints cannot be satisfied together. Start nearer to a consistent state, "
            "or check the lengths."
        )
    if mech.shafts and motors == "static":
        projected = with_static_shafts(constraints, time, projected, u, modes)
    return replace(initial, q=projected[system.q], v=projected[system.v])
