"""Figures 20.18 and 20.20 of Vukobratovic and Potkonjak: joints whose vectors lie along their axes, linear joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.algebra import ZERO, Rot, Vec
from gearwright.arrays import Array
from gearwright.files.placements import Vectors
from gearwright.plots.sketch import Arrow, Item, Label, Mark, Stroke, sketch
from gearwright.works.sketch_symbols import angle

UP, AHEAD = Vec(0.0, 0.0, 1.0), Vec(1.0, 0.0, 0.0)
TURN, ALPHA = 1.4, -1.4
"""Angles by which revolute and linear joints are drawn turned [rad]."""
SLIDE = 0.3
"""Length by which the linear joints are drawn out [m]."""
BESIDE, UPWARDS = np.array([-0.07, -0.04, -0.02]), np.array([0.0, 0.0, 1.0])
"""To the left of the picture, where names of joints stand, and up."""


def specificity() -> Any:
    """Figure 20.18: r before the joint, behind it, and both lie along the axis; r* stands in for them."""
    below, above = Vec(0.0, 0.0, -0.25), Vec(0.0, 0.0, 0.25)
    before, behind = Vec(-0.3, 0.0, -0.1), Vec(0.35, 0.0, 0.12)
    star_before, star = Vec(-0.25, 0.0, 0.0), Vec(0.25, 0.0, 0.0)
    cases = {
        "(a) at the upper end of link j-1": Vectors(UP, UP, behind, below, None, star_before),
        "(b) at the lower end of link j": Vectors(UP, UP, above, before, star),
        "(c) at both": Vectors(UP, UP, above, below, star, star_before),
    }
    return sketch({title: _joint(case, TURN, 0.0) for title, case in cases.items()}, columns=3, size=(4.0, 4.0))


def linear_joint() -> Any:
    """Figure 20.20: the extended position is fictive, turned by a constant alpha; r may well lie along the axis."""
    before, behind = Vec(-0.2, 0.0, -0.25), Vec(0.25, 0.0, 0.35)
    star_before, star = Vec(0.0, 0.0, -0.3), Vec(0.0, 0.0, 0.35)
    cases = {
        "(a) turned by alpha from the extended position": Vectors(AHEAD, AHEAD, behind, before, alpha=ALPHA),
        "(b) specificity at both ends": Vectors(
            AHEAD, AHEAD, Vec(0.3, 0.0, 0.0), Vec(-0.3, 0.0, 0.0), star, star_before, ALPHA
        ),
    }
    return sketch({title: _joint(case, 0.0, SLIDE) for title, case in cases.items()}, size=(5.0, 3.2))


def _joint(case: Vectors, turn: float, slide: float) -> list[Item]:
    """A joint in the frame j-1, its zero point at the origin: axis, vectors, the angle from the extended position."""
    e = case.e_before
    extended = case.seat().joint.rotation
    rotation = extended.after(Rot.about(case.e, np.cos(turn), np.sin(turn)))
    end = e * slide
    items: list[Item] = [Arrow(_at(e * -0.1), _at(e * (0.52 + slide)), "e j", 2)]
    items += _vector(ZERO, case.r_before, "r j-1,j", "C j-1", 4)
    items += _vector(end, rotation @ case.r, "r j,j", "C j", 1)
    if case.specificity_before:
        items += _vector(ZERO, case.specificity_before, "r* j-1,j", "", 5)
    if case.specificity:
        items += _vector(end, rotation @ case.specificity, "r* j,j", "", 5)
    names = {"S' j": ZERO, "S'' j": end} if slide else {"S j": ZERO}
    for name, at in names.items():
        items += [Mark(_at(at)), Label(_at(at) + BESIDE + (0.09 * UPWARDS if slide else 0), name)]
    return items + _opening(case, rotation, end, turn + case.alpha, "alpha j" if slide else "q j")


def _opening(case: Vectors, rotation: Rot, end: Vec, turn: float, name: str) -> list[Item]:
    """The angle across the axis from -r before the joint to r behind it, or from and to what stands in for them."""
    e = case.e_before
    first = _across(-(case.specificity_before or case.r_before), e)
    last = _across(rotation @ (case.specificity or case.r), e)
    sides: list[Item] = [Stroke([_at(end), _at(end) + side], 0, 1.0, "--") for side in (first, last)]
    return [*sides, Label(_at(end) + first, "a", 0), *angle(_at(end), 0.3 * first, _at(e), turn, name, 0, 2.0)]


def _vector(start: Vec, vector: Vec, name: str, head: str, colour: int) -> list[Item]:
    """An arrow with its name, and the point that it leads to; without one the name is near the head."""
    tip = start + vector
    share = 0.6 if head else 0.85
    return [
        Arrow(_at(start), _at(vector), "", colour),
        Label(_at(start + vector * share), name, colour),
        *([Mark(_at(tip), head)] if head else []),
    ]


def _across(vector: Vec, e: Vec) -> Array:
    """The direction perpendicular to the unit vector e, e x (r x e), as long as such lines are drawn."""
    across = _at(e.cross(vector.cross(e)))
    line: Array = 0.4 * across / np.linalg.norm(across)
    return line


def _at(vector: Vec) -> Array:
    return np.array(tuple(vector), dtype=float)
