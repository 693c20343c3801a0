"""What one smooth piece of a motion asks for: forces, inputs and states by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.line import Line
from gearwright.motion import Motion
from gearwright.system.asked_actuators import Drives
from gearwright.system.demanded_forces import Push
from gearwright.system.motion_along import row_along
from gearwright.system.motion_pieces import Piece


class Block(NamedTuple):
    """All series over one piece; `missing` (T, n) are forces that no actuator gives."""

    motion: Motion
    tau: Array
    missing: Array
    series: dict[str, Array]
    tied: frozenset[str] = frozenset()


def block_of(
    piece: Piece, forces: Sequence[Array], drives: Drives, others: Sequence[Push], closing: Mapping[str, Line]
) -> Block:
    """The series of a piece; the other pushes are those that close loops, then those that no actuator gives."""
    mech, count = piece.system.mech, len(drives.asked)
    rows = [row_along(one.line, piece) for one in (*drives.pushes, *others)]
    driven, missing = (
        sum((forces[0][:, k, None] * rows[k] for k in which), np.zeros((len(piece.t), mech.n)))
        for which in (range(count), range(count + len(closing), len(rows)))
    )
    tied = {name: forces[0][:, count + k] for k, name in enumerate(closing)}
    laws = {name: piece.states[:, k] for k, name in enumerate(piece.system.states)}
    q, v, a = piece.motion[:3]
    shafts = {
        f"{letter}.{name}": x[:, k - mech.n]
        for k, name in enumerate(mech.speeds)
        if name in mech.shafts
        for letter, x in (("q", q), ("v", v))
    }
    return Block(
        Motion(piece.t, q, v, a),
        driven,
        missing,
        {**drives.inverted(piece, forces), **laws, **shafts, **tied},
        frozenset(tied),
    )
