"""Figures 20.13 to 20.15 of Vukobratovic and Potkonjak: tasks in contact, and what the hand touches."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.plots.sketch import Area, Arrow, Disc, Item, Label, Mark, Stroke, sketch
from gearwright.works.sketch_symbols import FREE, GROUND, HELD, INK, angle, block, damper, flat, ground, sheet, spring

X, Y, Z = np.eye(3)
HOLE = 0.13
"""Radius of the hole."""


def functional_coordinates() -> Any:
    """Figure 20.13: where the hand is, seen from what it works on; free coordinates in blue, held ones in red."""
    return sketch(
        {
            "(a) writing: s1 to s5 free, s6 held": _desk() + _pen(0.35) + _writing_coordinates(0.35),
            "(b) peg in hole: s1, s2 free, s3 to s6 held": _drilled() + _peg(0.15, 0.5) + _peg_coordinates(),
        }
    )


def reactions() -> Any:
    """Figure 20.14: what the object does to the hand along and about the held coordinates of figure 20.13."""
    writing = [*_desk(), *_pen(0.0), Arrow(_tip(0.0), 0.4 * Z, "F (s6)", HELD)]
    first = _axis(X, Y, 1.0, "F1 (s3)", HELD, "F3 (s5)", 5)
    second = _axis(Y, -Z, 0.7, "F2 (s4)", HELD, "F4 (s6)", 5)
    title = "(b) peg in hole: forces F1, F2, moments F3, F4"
    return sketch({"(a) writing: one force": writing, title: _drilled() + _peg(-0.25, 0.35) + first + second})


def surroundings() -> Any:
    """Figure 20.15: four models of what the hand touches, each with more dynamics than the one before."""
    drawings: dict[str, list[Item]] = {
        "(a) rigid": ground((-0.5, 0), (0.5, 0)) + _hand(0.0),
        "(b) stiffness and damping": _plate(0.45) + _feet(0.45) + _hand(0.45),
        "(c) and an equivalent mass": block((-0.4, 0.45), (0.4, 0.7), "me") + _feet(0.45) + _hand(0.7),
        "(d) and an outer spring": _outer_spring(),
    }
    paper = sheet((-0.5, -0.1), (0.7, 1.7))
    return sketch({title: paper + items for title, items in drawings.items()}, "above", columns=4, size=(2.5, 3.4))


def _hand(height: float) -> list[Item]:
    """The last link, its tip at a height, and the coordinate that counts from the surface at rest."""
    rest = flat([0.42, height])
    return [
        Stroke(flat([(-0.25, height + 0.65), (0, height + 0.2), (0, height)]), INK, 3.0),
        Mark(flat([0, height])),
        Arrow(rest, (0, 0.3, 0), "s6", FREE),
    ]


def _plate(height: float) -> list[Item]:
    return [Stroke(flat([(-0.4, height), (0.4, height)]), INK, 2.0)]


def _feet(height: float) -> list[Item]:
    feet = spring((-0.22, height), (-0.22, 0), "k") + damper((0.18, height), (0.18, 0), "b")
    return feet + ground((-0.5, 0), (0.5, 0))


def _outer_spring() -> list[Item]:
    mass = block((-0.4, 0.45), (0.4, 0.7), "me")
    return mass + _feet(0.45) + spring((0, 1.05), (0, 0.7), "outer k") + _plate(1.05) + _hand(1.05)


def _desk() -> list[Item]:
    return [Area([0 * X, X, X + 0.8 * Y, 0.8 * Y], GROUND)]


def _tip(height: float) -> Any:
    return np.array([0.6, 0.45, height])


def _pen(height: float) -> list[Item]:
    tip = _tip(height)
    top = tip + np.array([0.12, -0.05, 0.4])
    return [Stroke([tip, top], INK, 4.0), Mark(tip), Label(top, "hand")]


def _writing_coordinates(height: float) -> list[Item]:
    """Place of the tip and turns of the hand in the frame of the desk."""
    x, y, _ = tip = _tip(height)
    foot = np.array([x, y, 0])
    items: list[Item] = [Stroke([x * X, foot, y * Y], FREE, 1.0, "--"), Stroke([foot, tip], HELD, 1.3, "--")]
    for at, name, colour in ((y * Y, "s1 = x'", FREE), (x * X, "s2 = y'", FREE), (tip, "s6 = z'", HELD)):
        items.append(Label((foot + at) / 2, name, colour))
    for axis, side, name, turn in ((X, Y, "x'", "s3"), (Y, -Z, "y'", "s4"), (Z, X, "z'", "s5")):
        items += _axis(axis, side, 1.25 if axis is not Z else 0.7, name, INK, turn, FREE)
    return items


def _axis(axis: Any, side: Any, length: float, name: str, colour: int, turn: str, turning: int) -> list[Item]:
    """An axis of the object's frame, and near its end the turn about it."""
    way = angle(0.8 * length * axis, 0.09 * side, axis, np.deg2rad(290), turn, turning)
    return [Arrow((0, 0, 0), length * axis, name, colour), *way]


def _drilled() -> list[Item]:
    """A block, its hole about z' of the frame at the mouth; two of its sides are seen."""
    corner = np.array([-0.5, -0.4, 0.0])
    width, depth, low = X, 0.8 * Y, -0.45 * Z
    top = [corner, corner + width, corner + width + depth, corner + depth]
    front = [corner, corner + width, corner + width + low, corner + low]
    side = [corner + width, corner + width + depth, corner + width + depth + low, corner + width + low]
    return [*(Area(face, GROUND) for face in (top, front, side)), Disc((0, 0, 0), Z, HOLE, INK)]


def _peg(low: float, high: float) -> list[Item]:
    """A cylinder about z'; what is below the mouth of the hole is dashed."""
    visible = max(low, 0.0)
    front, back = _ring(visible, 210, 390), _ring(high, 30, 210)  # the picture's right is at 30 degrees
    hidden = [[_ring(low, turn, turn)[0], _ring(visible, turn, turn)[0]] for turn in (30, 210)] + [_ring(low, 0, 360)]
    dashed: list[Item] = [Stroke(points, INK, 1.2, "--") for points in hidden] if low < 0 else []
    return [*dashed, Area([*front, *back], 3), Disc(high * Z, Z, HOLE, 3)]


def _ring(height: float, start: float, end: float) -> list[Any]:
    """Points of the peg's surface between two angles from x' [deg]."""
    turns = np.deg2rad(np.linspace(start, end, 61))[:, None]
    return list(height * Z + HOLE * (np.cos(turns) * X + np.sin(turns) * Y))


def _peg_coordinates() -> list[Item]:
    items = _axis(Z, X, 0.9, "s1 = z'", FREE, "s2", FREE)
    return items + _axis(X, Y, 1.0, "s3 = x'", HELD, "s5", HELD) + _axis(Y, -Z, 0.7, "s4 = y'", HELD, "s6", HELD)
