r"""How the instants at which something turns round depend on parameters.

Along a line with the speed s(t, p) it turns at s = 0, so that $dt/dp = -(\partial s / \partial p) / \dot s$.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.operations import FLOATS
from gearwright.algebra.variations import slopes_of, value_of, with_slopes
from gearwright.algebra.varied import VariedOperations
from gearwright.arrays import Array
from gearwright.forces.scene import Scene
from gearwright.system.motion_pieces import Piece
from gearwright.system.smooth_pieces import turning_lines

TURNING = 1e-9
"""Share of the largest acceleration times a piece's duration below which a speed is zero."""


def varied_times(pieces: Sequence[Piece]) -> Scalar:
    """The times of all pieces, (T,), with slopes where one piece ends and the next begins."""
    starts = np.cumsum([0, *(len(piece.t) for piece in pieces)])
    slopes: dict[str, Array] = {}
    for (_, after), start in zip(pairwise(pieces), starts[1:-1].tolist(), strict=True):
        for name, slope in _slopes_of_start(after).items():
            slopes.setdefault(name, np.zeros(starts[-1]))[start - 1 : start + 1] = slope
    return with_slopes(np.concatenate([piece.t for piece in pieces]), slopes)


def _slopes_of_start(piece: Piece) -> Mapping[str, float]:
    """Per parameter the slope of the time at which a piece begins; none where the motion itself ends a piece there."""
    now = piece.some([0]).numbers
    scene = Scene(piece.system.mech, now.x.q, now.x.v, VariedOperations(FLOATS), now.t)
    for line in turning_lines(piece.system):
        placed = line.placed(scene)
        speed, rate = placed.speed(now.x.v), value_of(placed.acceleration(now.a))
        if slopes_of(speed) and abs(value_of(speed)) <= TURNING * abs(rate) * (piece.t[-1] - piece.t[0]):
            return {name: -float(slope) / rate for name, slope in slopes_of(speed).items()}
    return {}
