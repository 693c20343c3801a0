"""Figures 20.13 to 20.15 of Vukobratovic and Potkonjak: contact tasks and models of the environment."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.plots.sketch import Area, Arrow, Disc, Label, Mark, SketchItem, Stroke, sketch_figure
from gearwright.works.sketch_symbols import (
    FREE_COLOUR,
    GROUND_COLOUR,
    HELD_COLOUR,
    INK_COLOUR,
    angle_arc,
    blank_sheet,
    damper_symbol,
    ground_symbol,
    mass_block,
    points_in_space,
    spring_symbol,
)

X_UNIT, Y_UNIT, Z_UNIT = np.eye(3)
HOLE_RADIUS = 0.13
"""Radius of the hole."""


def functional_coordinates() -> Any:
    """Figure 20.13: coordinates of the hand relative to the workpiece; free ones in blue, constrained ones in red."""
    return sketch_figure(
        {
            "(a) writing: s1 to s5 free, s6 constrained": _desk_surface()
            + _pen_items(0.35)
            + _writing_coordinates(0.35),
            "(b) peg in hole: s1, s2 free, s3 to s6 constrained": _drilled_block()
            + _peg_cylinder(0.15, 0.5)
            + _peg_coordinates(),
        }
    )


def contact_reactions() -> Any:
    """Figure 20.14: forces and moments on the hand along the constrained coordinates of figure 20.13."""
    writing = [*_desk_surface(), *_pen_items(0.0), Arrow(_pen_tip(0.0), 0.4 * Z_UNIT, "F (s6)", HELD_COLOUR)]
    first = _axis_with_turn(X_UNIT, Y_UNIT, 1.0, "F1 (s3)", HELD_COLOUR, "F3 (s5)", 5)
    second = _axis_with_turn(Y_UNIT, -Z_UNIT, 0.7, "F2 (s4)", HELD_COLOUR, "F4 (s6)", 5)
    title = "(b) peg in hole: forces F1, F2, moments F3, F4"
    return sketch_figure(
        {"(a) writing: one force": writing, title: _drilled_block() + _peg_cylinder(-0.25, 0.35) + first + second}
    )


def environment_models() -> Any:
    """Figure 20.15: four models of the environment, each with more dynamics than the previous one."""
    drawings: dict[str, list[SketchItem]] = {
        "(a) rigid": ground_symbol((-0.5, 0), (0.5, 0)) + _hand_on_surface(0.0),
        "(b) stiffness and damping": _surface_plate(0.45) + _spring_and_damper(0.45) + _hand_on_surface(0.45),
        "(c) and an equivalent mass": mass_block((-0.4, 0.45), (0.4, 0.7), "me")
        + _spring_and_damper(0.45)
        + _hand_on_surface(0.7),
        "(d) and an outer spring": _outer_spring(),
    }
    paper = blank_sheet((-0.5, -0.1), (0.7, 1.7))
    return sketch_figure(
        {title: paper + items for title, items in drawings.items()}, "above", columns=4, size=(2.5, 3.4)
    )


def _hand_on_surface(height: float) -> list[SketchItem]:
    """The last link, its tip at a height, and the coordinate from the surface at rest."""
    arrow_start = points_in_space([0.42, height])
    return [
        Stroke(points_in_space([(-0.25, height + 0.65), (0, height + 0.2), (0, height)]), INK_COLOUR, 3.0),
        Mark(points_in_space([0, height])),
        Arrow(arrow_start, (0, 0.3, 0), "s6", FREE_COLOUR),
    ]


def _surface_plate(height: float) -> list[SketchItem]:
    return [Stroke(points_in_space([(-0.4, height), (0.4, height)]), INK_COLOUR, 2.0)]


def _spring_and_damper(height: float) -> list[SketchItem]:
    feet = spring_symbol((-0.22, height), (-0.22, 0), "k") + damper_symbol((0.18, height), (0.18, 0), "b")
    return feet + ground_symbol((-0.5, 0), (0.5, 0))


def _outer_spring() -> list[SketchItem]:
    mass = mass_block((-0.4, 0.45), (0.4, 0.7), "me")
    return (
        mass
        + _spring_and_damper(0.45)
        + spring_symbol((0, 1.05), (0, 0.7), "outer k")
        + _surface_plate(1.05)
        + _hand_on_surface(1.05)
    )


def _desk_surface() -> list[SketchItem]:
    return [Area([0 * X_UNIT, X_UNIT, X_UNIT + 0.8 * Y_UNIT, 0.8 * Y_UNIT], GROUND_COLOUR)]


def _pen_tip(height: float) -> Any:
    return np.array([0.6, 0.45, height])


def _pen_items(height: float) -> list[SketchItem]:
    tip = _pen_tip(height)
    top = tip + np.array([0.12, -0.05, 0.4])
    return [Stroke([tip, top], INK_COLOUR, 4.0), Mark(tip), Label(top, "hand")]


def _writing_coordinates(height: float) -> list[SketchItem]:
    """Position of the tip and rotations of the hand in the frame of the desk."""
    x, y, _ = tip = _pen_tip(height)
    foot = np.array([x, y, 0])
    items: list[SketchItem] = [
        Stroke([x * X_UNIT, foot, y * Y_UNIT], FREE_COLOUR, 1.0, "--"),
        Stroke([foot, tip], HELD_COLOUR, 1.3, "--"),
    ]
    for at, name, colour in (
        (y * Y_UNIT, "s1 = x'", FREE_COLOUR),
        (x * X_UNIT, "s2 = y'", FREE_COLOUR),
        (tip, "s6 = z'", HELD_COLOUR),
    ):
        items.append(Label((foot + at) / 2, name, colour))
    for axis, side, name, turn in (
        (X_UNIT, Y_UNIT, "x'", "s3"),
        (Y_UNIT, -Z_UNIT, "y'", "s4"),
        (Z_UNIT, X_UNIT, "z'", "s5"),
    ):
        items += _axis_with_turn(axis, side, 1.25 if axis is not Z_UNIT else 0.7, name, INK_COLOUR, turn, FREE_COLOUR)
    return items


def _axis_with_turn(
    axis: Any, side: Any, length: float, name: str, colour: int, turn: str, turning: int
) -> list[SketchItem]:
    """An axis of the object's frame, and near its end the rotation about it."""
    turn_arc = angle_arc(0.8 * length * axis, 0.09 * side, axis, np.deg2rad(290), turn, turning)
    return [Arrow((0, 0, 0), length * axis, name, colour), *turn_arc]


def _drilled_block() -> list[SketchItem]:
    """A block with a hole about z' of the frame at its mouth; two sides are visible."""
    corner = np.array([-0.5, -0.4, 0.0])
    width, depth, low = X_UNIT, 0.8 * Y_UNIT, -0.45 * Z_UNIT
    top = [corner, corner + width, corner + width + depth, corner + depth]
    front = [corner, corner + width, corner + width + low, corner + low]
    side = [corner + width, corner + width + depth, corner + width + depth + low, corner + width + low]
    return [
        *(Area(face, GROUND_COLOUR) for face in (top, front, side)),
        Disc((0, 0, 0), Z_UNIT, HOLE_RADIUS, INK_COLOUR),
    ]


def _peg_cylinder(low: float, high: float) -> list[SketchItem]:
    """A cylinder about z'; the part below the mouth of the hole is dashed."""
    visible = max(low, 0.0)
    front, back = _peg_circle(visible, 210, 390), _peg_circle(high, 30, 210)  # the picture's right is at 30 degrees
    hidden = [[_peg_circle(low, turn, turn)[0], _peg_circle(visible, turn, turn)[0]] for turn in (30, 210)] + [
        _peg_circle(low, 0, 360)
    ]
    dashed: list[SketchItem] = [Stroke(points, INK_COLOUR, 1.2, "--") for points in hidden] if low < 0 else []
    return [*dashed, Area([*front, *back], 3), Disc(high * Z_UNIT, Z_UNIT, HOLE_RADIUS, 3)]


def _peg_circle(height: float, start: float, end: float) -> list[Any]:
    """Points of the peg's surface between two angles from x' [deg]."""
    turns = np.deg2rad(np.linspace(start, end, 61))[:, None]
    return list(height * Z_UNIT + HOLE_RADIUS * (np.cos(turns) * X_UNIT + np.sin(turns) * Y_UNIT))


def _peg_coordinates() -> list[SketchItem]:
    items = _axis_with_turn(Z_UNIT, X_UNIT, 0.9, "s1 = z'", FREE_COLOUR, "s2", FREE_COLOUR)
    return (
        items
        + _axis_with_turn(X_UNIT, Y_UNIT, 1.0, "s3 = x'", HELD_COLOUR, "s5", HELD_COLOUR)
        + _axis_with_turn(Y_UNIT, -Z_UNIT, 0.7, "s4 = y'", HELD_COLOUR, "s6", HELD_COLOUR)
    )
