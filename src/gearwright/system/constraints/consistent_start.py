"""A consistent start: the nearest state that holds all constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.forces.contact.contacts_of_robot import surrounding_laws
from gearwright.forces.law import Law
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.parts import Robot
from gearwright.system.constraints.projection import held_places
from gearwright.system.constraints.shaft_places import following_ways, with_static_shafts, with_unloaded_shafts
from gearwright.system.evaluation import situations_at
from gearwright.system.state import State, initial_state, state_vector
from gearwright.system.system import System

CLOSED = 1e-9
"""How near to its place [m, rad] everything must come."""


MotorPlaces: TypeAlias = Literal["unloaded", "static", "given"]


@check_arguments
def project(
    robot_or_mech: RobotOrMech,
    state: Any = None,
    laws: Sequence[Law] | None = None,
    t: float = 0.0,
    *,
    motors: MotorPlaces = "unloaded",
    extra_laws: Sequence[Law] = (),
) -> State:
    r"""The state nearest to a given one that holds all constraints, in position and speed.

    Newton's method in the metric of the mass matrix M: the smallest $dq' M\,dq$, then the smallest change of kinetic
    energy that brings the speeds along everything held to rest (or to the speed of a moving frame). The motors of
    elastic drives follow their joints, so that no spring is loaded by the way to the constraints.

    Args:
        robot_or_mech: the robot, with the laws of its file unless `laws` are given, or a machine.
        state: as for `simulate`: a State, (q, v), or q alone.
        laws: laws instead of those of the robot, of which those count that hold something in its place; a warning
            names its loops and contacts that are left out. () for none.
        t: time [s], for frames that move.
        motors: where the motors of elastic drives are: "unloaded" (their springs are relaxed), "static" (their springs
            carry what acts at rest there, with the least forces of the constraints) or "given" (springs stay as far
            deflected as in the state given).
        extra_laws: laws beside those of the robot.

    Raises:
        InputError: nothing is held, the constraints cannot be met from there, or no deflection balances the machine.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> pen = gw.contact.Constraint("pen", 2, gw.contact.fixed_frame("desk", (0, 0, 0.2)), held=("z",))
    >>> start = project(arm, [0.1, 0.3, 0.2], [pen])
    >>> round(float(gw.placement(arm, start.q, 2)[1][2]), 12)
    0.2
    """
    mech, now = machine_of("project", robot_or_mech), number("project", "t", t, unit="s")
    given = initial_state(mech, state)
    chosen = choose_laws("project", robot_or_mech, laws, extra_laws, lambda own: laws_of(own, mech))
    if isinstance(robot_or_mech, Robot):
        around = {law.name for law in surrounding_laws(robot_or_mech)}  # friction and losses have no place to hold
        chosen = chosen._replace(left_out=tuple(name for name in chosen.left_out if name in around))
    system = System(mech, chosen.warned("project"))
    x = state_vector(system, given)
    u = np.array(system.first_inputs)
    situations = situations_at(system, now, x, u)
    modes = tuple(law.start(one) for law, one in zip(system.laws, situations, strict=True))
    held = held_places(system, now, x, u, modes)
    if held is None:
        raise InputError("project: no law holds anything in its place there. Give constraints (Constraint).")
    if motors not in get_args(MotorPlaces):
        raise InputError(f"project: motors={motors!r} is unknown. Use one of {', '.join(get_args(MotorPlaces))}.")
    if mech.shafts:
        held = replace(held, ways=following_ways(mech))
        x = x if motors == "given" else with_unloaded_shafts(system, x)
    out = held.projected(now, x)
    left = held.missing(now, out)
    worst = int(np.argmax(np.abs(left)))
    if not abs(left[worst]) < CLOSED:
        raise InputError(
            f"project: {held.holds[worst].line.name} stays {left[worst]:.3g} (m or rad) from its place: from this "
            "state the constraints cannot be met together. Start nearer to a state that holds them, or look at lengths."
        )
    if mech.shafts and motors == "static":
        out = with_static_shafts(held, now, out, u, modes)
    return replace(given, q=out[system.q], v=out[system.v])
