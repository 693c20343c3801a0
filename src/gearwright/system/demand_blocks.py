"""What one smooth piece of a motion asks for: forces, inputs and states by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.varied_arrays import column, item
from gearwright.arrays import Array
from gearwright.forces.line import Line
from gearwright.system.asked_actuators import Drives
from gearwright.system.demanded_forces import Push
from gearwright.system.motion_along import row_along
from gearwright.system.motion_pieces import Piece


class Block(NamedTuple):
    """All series over one piece, which may depend on parameters; `missing` (T, n) are forces that no actuator gives."""

    t: Array
    q: Scalar
    v: Scalar
    a: Scalar
    tau: Scalar
    missing: Scalar
    series: dict[str, Scalar]
    tied: frozenset[str] = frozenset()


def block_of(
    piece: Piece, forces: Sequence[Scalar], drives: Drives, others: Sequence[Push], closing: Mapping[str, Line]
) -> Block:
    """The series of a piece; the other pushes are those that close loops, then those that no actuator gives."""
    mech, count = piece.system.mech, len(drives.asked)
    pushes = [*drives.pushes, *others]
    driven, missing = (
        _at_speeds(piece, forces[0], pushes, which)
        for which in (range(count), range(count + len(closing), len(pushes)))
    )
    tied = {name: column(forces[0], count + k) for k, name in enumerate(closing)}
    laws = {name: column(piece.states, k) for k, name in enumerate(piece.system.states)}
    q, v, a = piece.motion[:3]
    shafts = {
        f"{letter}.{name}": column(x, k - mech.n)
        for k, name in enumerate(mech.speeds)
        if name in mech.shafts
        for letter, x in (("q", q), ("v", v))
    }
    series = {**drives.inverted(piece, forces), **laws, **shafts, **tied}
    return Block(piece.t, q, v, a, driven, missing, series, frozenset(tied))


def _at_speeds(piece: Piece, forces: Scalar, pushes: Sequence[Push], which: Sequence[int]) -> Scalar:
    """What some of the forces are at the speeds, (T, n)."""
    total: Scalar = np.zeros((len(piece.t), piece.system.mech.n))
    for k in which:
        total = total + item(forces, np.s_[:, k, None]) * row_along(pushes[k].line, piece)
    return total
