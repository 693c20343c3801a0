"""A prescribed motion along a line: where it is there, how fast, and the row along which a force acts."""

from __future__ import annotations

from gearwright.algebra import Scalar
from gearwright.algebra.operations import ARRAYS
from gearwright.algebra.taylor import Taylor, TaylorOperations
from gearwright.algebra.variations import derivatives_of, rate_of, series_of_derivatives
from gearwright.algebra.varied import VariedOperations
from gearwright.algebra.varied_arrays import columns_of, full, stacked
from gearwright.forces.line import ConstantLine, Line
from gearwright.forces.scene import Scene
from gearwright.mechanism.rows import spread
from gearwright.system.motion_pieces import Piece


def motion_along(line: Line, piece: Piece) -> list[Scalar]:
    """The coordinate along a line and as many of its time derivatives as the motion has, each (T,)."""
    if isinstance(line, ConstantLine):
        speeds = [_full(line.speed(columns_of(x)), piece) for x in piece.motion[1:]]
        place = line.position(columns_of(piece.motion[0])) if -1 not in line.places else 0.0
        return [_full(place, piece), *speeds]
    if not piece.system.mech.straight:
        return _instants(line, piece)
    length = len(piece.motion)
    q = [series_of_derivatives(column) for column in zip(*map(columns_of, piece.motion), strict=True)]
    ops, t = VariedOperations(TaylorOperations(ARRAYS)), Taylor([piece.t, 1.0]).cut(length)
    scene = Scene(piece.system.mech, q, [rate_of(x) for x in q], ops, t)
    return [_full(x, piece) for x in derivatives_of(line.placed(scene).position(q), length)]


def row_along(line: Line, piece: Piece) -> Scalar:
    """The row of a line at every time, (T, n)."""
    q, v = (columns_of(x) for x in piece.motion[:2])
    terms = line.placed(Scene(piece.system.mech, q, v, VariedOperations(ARRAYS), piece.t)).terms
    return stacked(spread(terms, piece.system.mech.n), piece.t.shape)


def _instants(line: Line, piece: Piece) -> list[Scalar]:
    """Position, speed and acceleration of a motion whose speeds are not the rates of its coordinates."""
    q, v, a = (columns_of(x) for x in piece.motion[:3])
    placed = line.placed(Scene(piece.system.mech, q, v, VariedOperations(ARRAYS), piece.t))
    return [_full(x, piece) for x in (placed.position(q), placed.speed(v), placed.acceleration(a))]


def _full(value: Scalar, piece: Piece) -> Scalar:
    return full(value, piece.t.shape)
