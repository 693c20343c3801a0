"""Reactions of machines with closed loops: the forces that close them join as wrenches on the bodies they tie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.forces.coordinates.body_wrenches import body_wrenches
from gearwright.functions.constrained.closure import Closure, closing_forces, closure_of, given_forces
from gearwright.functions.public_call import run
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.programs import dynamics_programs
from gearwright.programs.inputs import checked


def closing_wrenches(
    robot_or_mech: RobotOrMech,
    motion: tuple[ArrayLike, ArrayLike, ArrayLike],
    wrenches: Mapping[Any, ArrayLike] | None,
    base_motion: Any,
    contact: Mapping[str, ArrayLike] | None,
    laws: tuple[Any, Any],
) -> Mapping[Any, ArrayLike] | None:
    """The wrenches given and those of what closes the machine, per body (..., 6); `laws` has those and extra ones."""
    mech = machine_of("reactions", robot_or_mech)
    closure = closure_of("reactions", robot_or_mech, mech, *laws)
    if closure is None:
        return wrenches
    sizes = (mech.nq, mech.n, mech.n)
    parts = [checked("reactions", mech, name, x, m) for name, x, m in zip("qva", motion, sizes, strict=True)]
    given = None if contact is None else given_forces("reactions", closure, contact)
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in parts), *(x.shape for x in given or ()))
    q, v, a = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in parts)
    if given is None:
        needed = run(dynamics_programs.INVERSE_DYNAMICS, mech, (q, v, a), wrenches=wrenches, base_motion=base_motion)
        forces = _closing(closure, q, needed)
    else:
        forces = np.stack([np.broadcast_to(x, lead) for x in given], axis=-1)
    return _joined(wrenches, _wrenches(closure, q, forces))


def _closing(closure: Closure, q: Array, needed: Array) -> Array:
    forces = np.zeros((*q.shape[:-1], len(closure.lines)))
    for k in np.ndindex(*q.shape[:-1]):
        here = closure.at(q[k])
        closure.require_closed("reactions", here)
        forces[k] = closing_forces(closure, here.rows, needed[k])
    return forces


def _wrenches(closure: Closure, q: Array, forces: Array) -> dict[str, Array]:
    """Per body's name its wrench (..., 6)."""
    found: dict[str, Array] = {}
    for k in np.ndindex(*q.shape[:-1]):
        for body, wrench in body_wrenches(closure.lines, forces[k].tolist(), closure.scene(q[k])).items():
            name = closure.mech.bodies[body].name
            found.setdefault(name, np.zeros((*q.shape[:-1], 6)))[k] = wrench
    return found


def _joined(given: Mapping[Any, ArrayLike] | None, closing: dict[str, Array]) -> Mapping[Any, ArrayLike]:
    """Both together; wrenches on one body add."""
    total: dict[Any, Any] = dict(given or {})
    for name, wrench in closing.items():
        total[name] = wrench + np.asarray(total[name], dtype=float) if name in total else wrench
    return total
