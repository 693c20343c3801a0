"""Reactions of machines with closed loops: constraint forces act as wrenches on the connected bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.forces.coordinates.body_wrenches import body_wrenches
from gearwright.functions.constrained.closure import Closure, closing_forces, closure_of, given_forces
from gearwright.functions.public_call import run_program
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.programs import ClosedMechanism, dynamics_programs, machine_of
from gearwright.programs.inputs import checked_array


def closing_wrenches(
    robot_or_mech: RobotOrMech,
    motion: tuple[ArrayLike, ArrayLike, ArrayLike],
    wrenches: Mapping[Any, ArrayLike] | None,
    base_motion: Any,
    contact: Mapping[str, ArrayLike] | None,
    laws: tuple[Any, Any],
) -> Mapping[Any, ArrayLike] | None:
    """Return the given wrenches plus those of the constraints per body (..., 6); `laws` has all constraints."""
    mech = tree_of("reactions", robot_or_mech)
    closure = closure_of("reactions", robot_or_mech, mech, *laws)
    if closure is None:
        return wrenches
    sizes = (mech.nq, mech.n, mech.n)
    parts = [checked_array("reactions", mech, name, x, m) for name, x, m in zip("qva", motion, sizes, strict=True)]
    contact_forces = None if contact is None else given_forces("reactions", closure, contact)
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in parts), *(x.shape for x in contact_forces or ()))
    q, v, a = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in parts)
    if contact_forces is None:
        needed = run_program(
            dynamics_programs.INVERSE_DYNAMICS, mech, (q, v, a), wrenches=wrenches, base_motion=base_motion
        )
        whole = machine_of("reactions", robot_or_mech)
        is_embedded = isinstance(whole, ClosedMechanism) and closure.laws == loop_laws(robot_or_mech)
        independent = whole.closure.independent if is_embedded else None
        forces = _closing_forces(closure, q, needed, independent)
    else:
        forces = np.stack([np.broadcast_to(x, lead) for x in contact_forces], axis=-1)
    return _sum_wrenches(wrenches, _wrenches_by_body(closure, q, forces))


def _closing_forces(closure: Closure, q: Array, needed: Array, independent: Sequence[int] | None) -> Array:
    forces = np.zeros((*q.shape[:-1], len(closure.constraint_lines)))
    for k in np.ndindex(*q.shape[:-1]):
        constraint_state = closure.constraint_state(q[k])
        closure.require_closed("reactions", constraint_state)
        forces[k] = closing_forces(closure, constraint_state.rows, needed[k], independent)
    return forces


def _wrenches_by_body(closure: Closure, q: Array, forces: Array) -> dict[str, Array]:
    """Return the wrench (..., 6) by name of body."""
    wrenches: dict[str, Array] = {}
    for k in np.ndindex(*q.shape[:-1]):
        for body, wrench in body_wrenches(
            closure.constraint_lines, forces[k].tolist(), closure.kinematics_at(q[k])
        ).items():
            name = closure.mech.bodies[body].name
            wrenches.setdefault(name, np.zeros((*q.shape[:-1], 6)))[k] = wrench
    return wrenches


def _sum_wrenches(
    external: Mapping[Any, ArrayLike] | None, closing_wrenches_by_body: dict[str, Array]
) -> Mapping[Any, ArrayLike]:
    """Return the sums of both per body."""
    total: dict[Any, Any] = dict(external or {})
    for name, wrench in closing_wrenches_by_body.items():
        total[name] = wrench + np.asarray(total[name], dtype=float) if name in total else wrench
    return total
