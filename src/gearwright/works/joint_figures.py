"""Figures 20.18 and 20.20 of Vukobratovic and Potkonjak: joints whose vectors lie along their axes, linear joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.algebra import ZERO, Rot, Vec
from gearwright.arrays import Array
from gearwright.files.placements import VukobratovicVectors
from gearwright.plots.sketch import Arrow, Label, Mark, SketchItem, Stroke, sketch_figure
from gearwright.works.sketch_symbols import angle_arc

UP_AXIS, FORWARD_AXIS = Vec(0.0, 0.0, 1.0), Vec(1.0, 0.0, 0.0)
DRAWN_TURN, DRAWN_ALPHA = 1.4, -1.4
"""Rotation angles of the drawn revolute and linear joints [rad]."""
DRAWN_SLIDE = 0.3
"""Displacement of the drawn linear joints [m]."""
LABEL_OFFSET, UP_DIRECTION = np.array([-0.07, -0.04, -0.02]), np.array([0.0, 0.0, 1.0])
"""Directions to the left of the picture, for names of joints, and up."""


def specificity_vectors() -> Any:
    """Figure 20.18: r before the joint, behind it, or both parallel to the axis; r* replaces them."""
    below, above = Vec(0.0, 0.0, -0.25), Vec(0.0, 0.0, 0.25)
    before, behind = Vec(-0.3, 0.0, -0.1), Vec(0.35, 0.0, 0.12)
    star_before, star = Vec(-0.25, 0.0, 0.0), Vec(0.25, 0.0, 0.0)
    cases = {
        "(a) at the upper end of link j-1": VukobratovicVectors(UP_AXIS, UP_AXIS, behind, below, None, star_before),
        "(b) at the lower end of link j": VukobratovicVectors(UP_AXIS, UP_AXIS, above, before, star),
        "(c) at both": VukobratovicVectors(UP_AXIS, UP_AXIS, above, below, star, star_before),
    }
    return sketch_figure(
        {title: _joint_items(case, DRAWN_TURN, 0.0) for title, case in cases.items()}, columns=3, size=(4.0, 4.0)
    )


def linear_joint() -> Any:
    """Figure 20.20: the fictitious extended position, rotated by a constant alpha; r may be parallel to the axis."""
    before, behind = Vec(-0.2, 0.0, -0.25), Vec(0.25, 0.0, 0.35)
    star_before, star = Vec(0.0, 0.0, -0.3), Vec(0.0, 0.0, 0.35)
    cases = {
        "(a) turned by alpha from the extended position": VukobratovicVectors(
            FORWARD_AXIS, FORWARD_AXIS, behind, before, alpha=DRAWN_ALPHA
        ),
        "(b) specificity at both ends": VukobratovicVectors(
            FORWARD_AXIS, FORWARD_AXIS, Vec(0.3, 0.0, 0.0), Vec(-0.3, 0.0, 0.0), star, star_before, DRAWN_ALPHA
        ),
    }
    return sketch_figure(
        {title: _joint_items(case, 0.0, DRAWN_SLIDE) for title, case in cases.items()}, size=(5.0, 3.2)
    )


def _joint_items(case: VukobratovicVectors, turn: float, slide: float) -> list[SketchItem]:
    """A joint in the frame j-1, its zero point at the origin: axis, vectors, the angle from the extended position."""
    e = case.e_before
    extended = case.link_placement().joint.rotation
    rotation = extended.after(Rot.about_axis(case.e, np.cos(turn), np.sin(turn)))
    end = e * slide
    items: list[SketchItem] = [Arrow(_as_array(e * -0.1), _as_array(e * (0.52 + slide)), "e j", 2)]
    items += _labelled_vector(ZERO, case.r_before, "r j-1,j", "C j-1", 4)
    items += _labelled_vector(end, rotation @ case.r, "r j,j", "C j", 1)
    if case.specificity_before:
        items += _labelled_vector(ZERO, case.specificity_before, "r* j-1,j", "", 5)
    if case.specificity:
        items += _labelled_vector(end, rotation @ case.specificity, "r* j,j", "", 5)
    names = {"S' j": ZERO, "S'' j": end} if slide else {"S j": ZERO}
    for name, at in names.items():
        items += [
            Mark(_as_array(at)),
            Label(_as_array(at) + LABEL_OFFSET + (0.09 * UP_DIRECTION if slide else 0), name),
        ]
    return items + _opening_angle(case, rotation, end, turn + case.alpha, "alpha j" if slide else "q j")


def _opening_angle(case: VukobratovicVectors, rotation: Rot, end: Vec, turn: float, name: str) -> list[SketchItem]:
    """The angle about the axis from -r before the joint to r behind it, or between their replacements."""
    e = case.e_before
    first = _perpendicular_line(-(case.specificity_before or case.r_before), e)
    last = _perpendicular_line(rotation @ (case.specificity or case.r), e)
    sides: list[SketchItem] = [Stroke([_as_array(end), _as_array(end) + side], 0, 1.0, "--") for side in (first, last)]
    return [
        *sides,
        Label(_as_array(end) + first, "a", 0),
        *angle_arc(_as_array(end), 0.3 * first, _as_array(e), turn, name, 0, 2.0),
    ]


def _labelled_vector(start: Vec, vector: Vec, name: str, head: str, colour: int) -> list[SketchItem]:
    """An arrow with its name and its end point; without an end point the name is near the head."""
    tip = start + vector
    share = 0.6 if head else 0.85
    return [
        Arrow(_as_array(start), _as_array(vector), "", colour),
        Label(_as_array(start + vector * share), name, colour),
        *([Mark(_as_array(tip), head)] if head else []),
    ]


def _perpendicular_line(vector: Vec, e: Vec) -> Array:
    """The direction perpendicular to the unit vector e, e x (r x e), with the length of drawn lines."""
    across = _as_array(e.cross(vector.cross(e)))
    line: Array = 0.4 * across / np.linalg.norm(across)
    return line


def _as_array(vector: Vec) -> Array:
    return np.array(tuple(vector), dtype=float)
