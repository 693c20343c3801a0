"""Figure 20.11 of Vukobratovic and Potkonjak: problems 1 to 10 of robot dynamics, one sketch each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gearwright.plots.sketch import Arrow, Disc, Item, Label, Stroke, sketch
from gearwright.works.sketch_symbols import (
    FREE,
    HELD,
    INK,
    SPRING,
    Place,
    arm,
    block,
    damper,
    flat,
    ground,
    sheet,
    spring,
)

SHOULDER, ELBOW, WRIST, TIP = (0.0, 0.2), (0.35, 0.95), (1.1, 0.85), (1.1, 0.45)
DESK = 0.45
"""Height of the surface that the tip touches."""


def problems() -> Any:
    """All ten, in the order of the text."""
    drawings: dict[str, list[Item]] = {
        "1 rigid chain": _robot(),
        "2 geometric constraint": _robot() + _desk() + [_push()],
        "3 friction": _robot() + _desk() + _friction(),
        "4 flexible links": _flexible_links(),
        "5 elastic transmission": _robot() + _transmission(),
        "6 elastic support": _elastic_support(),
        "7 surroundings on springs": _robot() + _held_object(),
        "8 surroundings give way": _robot() + _soft_desk(),
        "9 both sides give way": _soft_tip() + _soft_desk(),
        "10 impact": _impact(),
    }
    paper = sheet((-0.45, -0.42), (1.55, 1.15))
    return sketch({title: paper + items for title, items in drawings.items()}, "above", columns=5, size=(2.6, 2.3))


def _floor() -> list[Item]:
    return [*ground((-0.3, 0.05), (0.3, 0.05)), Stroke(flat([(0, 0.05), (0, 0.155)]), INK, 3.0)]


def _robot(wrist: Place = WRIST, tip: Place = TIP) -> list[Item]:
    return _floor() + arm([SHOULDER, ELBOW, wrist, tip])


def _desk() -> list[Item]:
    return ground((0.75, DESK), (1.5, DESK), 10)


def _push() -> Item:
    """What the surface does to the tip, drawn beside the tool."""
    return Arrow(flat([TIP[0] + 0.08, DESK]), (0, 0.35, 0), "F", HELD)


def _friction() -> list[Item]:
    along = Arrow(flat([TIP[0] + 0.12, DESK + 0.1]), (0.28, 0, 0), "v", FREE)
    back = Arrow(flat([TIP[0] - 0.05, DESK + 0.04]), (-0.3, 0, 0), "", HELD)
    return [along, back, Label(flat([0.58, DESK + 0.27]), "friction", HELD)]


def _flexible_links() -> list[Item]:
    """Each link is bent to one side of the straight line, which is dashed."""
    items = _floor()
    for start, end in pairwise(np.array([SHOULDER, ELBOW, WRIST, TIP])):
        along, shares = end - start, np.linspace(0, 1, 21)[:, None]
        bend = 0.2 * np.sin(np.pi * shares) * np.array([-along[1], along[0]])
        straight = start + shares * along
        items += [Stroke(flat(straight), INK, 1.0, "--"), Stroke(flat(straight + bend), SPRING, 3.0)]
    return items + [Disc(place, (0, 0, 1), 0.045, FREE) for place in flat([SHOULDER, ELBOW, WRIST])]


def _transmission() -> list[Item]:
    """The motor of joint 2 sits at the base; what leads to the joint gives way."""
    motor = (-0.25, 0.25)
    wheels: list[Item] = [Disc(flat(place), (0, 0, 1), 0.1) for place in (motor, ELBOW)]
    return [*wheels, *spring((-0.25, 0.35), (0.25, 0.95)), Label(flat([-0.5, 0.68]), "motor", 3)]


def _elastic_support() -> list[Item]:
    feet = [item for x in (-0.2, 0.2) for item in spring((x, 0.05), (x, -0.3))]
    plate = block((-0.35, 0.05), (0.35, 0.14))
    return feet + plate + ground((-0.4, -0.3), (0.4, -0.3)) + arm([SHOULDER, ELBOW, WRIST, TIP])


def _held_object() -> list[Item]:
    box = block((0.85, DESK - 0.2), (1.35, DESK))
    feet = spring((0.97, DESK - 0.2), (0.97, -0.1)) + damper((1.23, DESK - 0.2), (1.23, -0.1))
    return box + feet + ground((0.75, -0.1), (1.45, -0.1))


def _soft_desk() -> list[Item]:
    """A surface with a dent below the tip, on springs without a mass."""
    x = np.linspace(0.7, 1.5, 61)
    surface = DESK + 0.12 - 0.12 * np.exp(-(((x - TIP[0]) / 0.13) ** 2))
    springs = [
        item
        for foot in (0.85, TIP[0], 1.35)
        for item in spring((foot, float(np.interp(foot, x, surface))), (foot, 0.1), width=0.05)
    ]
    return [Stroke(flat(np.stack([x, surface], axis=-1)), INK, 1.8), *springs, *ground((0.7, 0.1), (1.5, 0.1), 10)]


def _soft_tip() -> list[Item]:
    """The tool ends above the surface; between it and the tip is a spring."""
    end = (TIP[0], TIP[1] + 0.25)
    return _robot(WRIST, end) + spring(end, TIP, width=0.05, turns=3)


def _impact() -> list[Item]:
    """The tip comes down with a speed; rays show where it strikes."""
    above = 0.12
    rays = np.array([(np.cos(turn), np.sin(turn)) for turn in np.deg2rad([15, 50, 130, 165])])
    strikes: list[Item] = [Stroke(flat([TIP + 0.08 * ray, TIP + 0.22 * ray]), 3, 2.0) for ray in rays]
    speed = Arrow(flat([TIP[0] + 0.2, DESK + 0.55]), (0, -0.28, 0), "v", FREE)
    return [*_robot((WRIST[0], WRIST[1] + above), (TIP[0], TIP[1] + above)), *_desk(), *strikes, speed]
