"""The workspace of one rigid contact: fields of restricted Python, and their values for interpreted source."""

from __future__ import annotations

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling import Floats, Ints

CONTACT_ROWS = 3
"""The lines of a contact: its normal and two tangents."""

PATH_SIZE = 7
"""The state of an impulse path: speeds, impulses, and the work of the normal one."""

CONTACT_VECTORS = (
    *("contact_speeds", "contact_impulse", "contact_slip", "contact_axis"),
    *("path_share", "path_impulses"),
)
PATH_VECTORS = ("path_state", "path_new", "path_whole", "path_stage", "path_rates", "path_total")
"""Arrays of a contact: over its lines, and of the state of its impulse path."""


ENERGETIC_LAW, POISSON_LAW, NEWTON_LAW = 0.0, 1.0, 2.0
"""Numbers, without a unit, of the laws of restitution of a contact with friction."""


class ContactWorkspace:
    """Every field that the source of one contact reads or writes; arrays are flat."""

    # Equations, right sides, unknowns in pivot order, and how far dependent equations contradict each other
    matrix: Floats
    right: Floats
    order: Ints
    residual: float

    # Number of lines, friction and law of restitution; responses and speeds along the lines, forces or impulses, slip
    contact_rows: int
    contact_facts: Floats
    contact_matrix: Floats
    contact_speeds: Floats
    contact_impulse: Floats
    contact_slip: Floats
    contact_axis: Floats
    contact_turn: float
    contact_ahead: float

    # The path of an impulse
    path_ways: int
    path_size: float
    path_matrix: Floats
    path_share: Floats
    path_impulses: Floats
    path_state: Floats
    path_new: Floats
    path_whole: Floats
    path_stage: Floats
    path_rates: Floats
    path_total: Floats


def contact_workspace(W: Array, u: Array, friction: float, restitution_law: float = ENERGETIC_LAW) -> ContactWorkspace:
    """The workspace of a contact for interpreted source: lists, whose entries take less time than those of arrays.

    Args:
        W: J M^-1 J' (k, k), the normal row first.
        u: speeds (k,).
        friction: mu.
        restitution_law: the number of its law of restitution.
    """
    s, k, square = ContactWorkspace(), len(u), CONTACT_ROWS * CONTACT_ROWS
    responses, speeds = np.zeros((CONTACT_ROWS, CONTACT_ROWS)), np.zeros(CONTACT_ROWS)
    responses[:k, :k], speeds[:k] = W, u
    s.matrix, s.right, s.order = np.zeros(square), np.zeros(CONTACT_ROWS), np.zeros(CONTACT_ROWS, dtype=np.int64)
    s.contact_rows, s.residual, s.contact_turn, s.contact_ahead = k, 0.0, 0.0, 0.0
    lists = {
        **{name: [0.0] * CONTACT_ROWS for name in CONTACT_VECTORS},
        **{name: [0.0] * PATH_SIZE for name in PATH_VECTORS},
        **{"contact_matrix": responses.ravel().tolist(), "contact_speeds": speeds.tolist()},
        **{"contact_facts": [friction, restitution_law], "path_matrix": [0.0] * square},
    }
    for name, numbers in lists.items():
        setattr(s, name, numbers)
    return s
