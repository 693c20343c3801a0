"""A prescribed motion along a line: where it is there, how fast, and the row along which a force acts."""

from __future__ import annotations

import numpy as np

from gearwright.algebra.operations import ARRAYS
from gearwright.algebra.taylor import Taylor, TaylorOperations
from gearwright.arrays import Array
from gearwright.forces.line import ConstantLine, Line
from gearwright.forces.scene import Scene
from gearwright.mechanism.rows import spread
from gearwright.system.motion_pieces import Piece


def motion_along(line: Line, piece: Piece) -> list[Array]:
    """The coordinate along a line and as many of its time derivatives as the motion has, each (T,)."""
    if isinstance(line, ConstantLine):
        speeds = [_full(line.speed(list(x.T)), piece) for x in piece.motion[1:]]
        place = line.position(list(piece.motion[0].T)) if -1 not in line.places else 0.0
        return [_full(place, piece), *speeds]
    if not piece.system.mech.straight:
        return _instants(line, piece)
    length = len(piece.motion)
    q = [Taylor.of_derivatives(list(column)) for column in np.moveaxis(np.array(piece.motion), -1, 0)]
    scene = Scene(
        piece.system.mech, q, [x.rate() for x in q], TaylorOperations(ARRAYS), Taylor([piece.t, 1.0]).cut(length)
    )
    value = line.placed(scene).position(q)
    known = value.derivatives() if isinstance(value, Taylor) else [value]
    return [_full(known[k] if k < len(known) else 0.0, piece) for k in range(length)]


def row_along(line: Line, piece: Piece) -> Array:
    """The row of a line at every time, (T, n)."""
    q, v = (list(x.T) for x in piece.motion[:2])
    terms = line.placed(Scene(piece.system.mech, q, v, ARRAYS, piece.t)).terms
    return np.stack([_full(x, piece) for x in spread(terms, piece.system.mech.n)], axis=-1)


def _instants(line: Line, piece: Piece) -> list[Array]:
    """Position, speed and acceleration of a motion whose speeds are not the rates of its coordinates."""
    q, v, a = (list(x.T) for x in piece.motion[:3])
    placed = line.placed(Scene(piece.system.mech, q, v, ARRAYS, piece.t))
    return [_full(x, piece) for x in (placed.position(q), placed.speed(v), placed.acceleration(a))]


def _full(value: object, piece: Piece) -> Array:
    return np.broadcast_to(np.asarray(value, dtype=float), piece.t.shape)
