"""Figure 20.11 of Vukobratovic and Potkonjak: problems 1 to 10 of robot dynamics, one sketch each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gearwright.plots.sketch import Arrow, Disc, Label, SketchItem, Stroke, sketch_figure
from gearwright.works.sketch_symbols import (
    FREE_COLOUR,
    HELD_COLOUR,
    INK_COLOUR,
    SPRING_COLOUR,
    PlanePoint,
    arm_symbol,
    blank_sheet,
    damper_symbol,
    ground_symbol,
    mass_block,
    points_in_space,
    spring_symbol,
)

SHOULDER_POINT, ELBOW_POINT, WRIST_POINT, TIP_POINT = (0.0, 0.2), (0.35, 0.95), (1.1, 0.85), (1.1, 0.45)
DESK_HEIGHT = 0.45
"""Height of the contact surface."""


def ten_problems_figure() -> Any:
    """All ten, in the order of the text."""
    drawings: dict[str, list[SketchItem]] = {
        "1 rigid chain": _robot_items(),
        "2 geometric constraint": _robot_items() + _desk_ground() + [_contact_force()],
        "3 friction": _robot_items() + _desk_ground() + _friction_arrows(),
        "4 flexible links": _flexible_links(),
        "5 elastic transmission": _robot_items() + _elastic_transmission(),
        "6 elastic support": _elastic_support(),
        "7 environment on springs": _robot_items() + _held_object(),
        "8 compliant environment": _robot_items() + _soft_desk(),
        "9 compliant tip and environment": _soft_tip() + _soft_desk(),
        "10 impact": _impact_items(),
    }
    paper = blank_sheet((-0.45, -0.42), (1.55, 1.15))
    return sketch_figure(
        {title: paper + items for title, items in drawings.items()}, "above", columns=5, size=(2.6, 2.3)
    )


def _floor_items() -> list[SketchItem]:
    return [
        *ground_symbol((-0.3, 0.05), (0.3, 0.05)),
        Stroke(points_in_space([(0, 0.05), (0, 0.155)]), INK_COLOUR, 3.0),
    ]


def _robot_items(wrist: PlanePoint = WRIST_POINT, tip: PlanePoint = TIP_POINT) -> list[SketchItem]:
    return _floor_items() + arm_symbol([SHOULDER_POINT, ELBOW_POINT, wrist, tip])


def _desk_ground() -> list[SketchItem]:
    return ground_symbol((0.75, DESK_HEIGHT), (1.5, DESK_HEIGHT), 10)


def _contact_force() -> SketchItem:
    """The contact force on the tip, drawn next to the tool."""
    return Arrow(points_in_space([TIP_POINT[0] + 0.08, DESK_HEIGHT]), (0, 0.35, 0), "F", HELD_COLOUR)


def _friction_arrows() -> list[SketchItem]:
    along = Arrow(points_in_space([TIP_POINT[0] + 0.12, DESK_HEIGHT + 0.1]), (0.28, 0, 0), "v", FREE_COLOUR)
    back = Arrow(points_in_space([TIP_POINT[0] - 0.05, DESK_HEIGHT + 0.04]), (-0.3, 0, 0), "", HELD_COLOUR)
    return [along, back, Label(points_in_space([0.58, DESK_HEIGHT + 0.27]), "friction", HELD_COLOUR)]


def _flexible_links() -> list[SketchItem]:
    """Each link is deflected to one side of the dashed straight line."""
    items = _floor_items()
    for start, end in pairwise(np.array([SHOULDER_POINT, ELBOW_POINT, WRIST_POINT, TIP_POINT])):
        along, shares = end - start, np.linspace(0, 1, 21)[:, None]
        bend = 0.2 * np.sin(np.pi * shares) * np.array([-along[1], along[0]])
        straight = start + shares * along
        items += [
            Stroke(points_in_space(straight), INK_COLOUR, 1.0, "--"),
            Stroke(points_in_space(straight + bend), SPRING_COLOUR, 3.0),
        ]
    return items + [
        Disc(place, (0, 0, 1), 0.045, FREE_COLOUR)
        for place in points_in_space([SHOULDER_POINT, ELBOW_POINT, WRIST_POINT])
    ]


def _elastic_transmission() -> list[SketchItem]:
    """The motor of joint 2 is at the base; the transmission to the joint is compliant."""
    motor = (-0.25, 0.25)
    wheels: list[SketchItem] = [Disc(points_in_space(place), (0, 0, 1), 0.1) for place in (motor, ELBOW_POINT)]
    return [*wheels, *spring_symbol((-0.25, 0.35), (0.25, 0.95)), Label(points_in_space([-0.5, 0.68]), "motor", 3)]


def _elastic_support() -> list[SketchItem]:
    feet = [item for x in (-0.2, 0.2) for item in spring_symbol((x, 0.05), (x, -0.3))]
    plate = mass_block((-0.35, 0.05), (0.35, 0.14))
    return (
        feet
        + plate
        + ground_symbol((-0.4, -0.3), (0.4, -0.3))
        + arm_symbol([SHOULDER_POINT, ELBOW_POINT, WRIST_POINT, TIP_POINT])
    )


def _held_object() -> list[SketchItem]:
    box = mass_block((0.85, DESK_HEIGHT - 0.2), (1.35, DESK_HEIGHT))
    feet = spring_symbol((0.97, DESK_HEIGHT - 0.2), (0.97, -0.1)) + damper_symbol(
        (1.23, DESK_HEIGHT - 0.2), (1.23, -0.1)
    )
    return box + feet + ground_symbol((0.75, -0.1), (1.45, -0.1))


def _soft_desk() -> list[SketchItem]:
    """A surface with a dent below the tip, on massless springs."""
    x = np.linspace(0.7, 1.5, 61)
    surface = DESK_HEIGHT + 0.12 - 0.12 * np.exp(-(((x - TIP_POINT[0]) / 0.13) ** 2))
    springs = [
        item
        for foot in (0.85, TIP_POINT[0], 1.35)
        for item in spring_symbol((foot, float(np.interp(foot, x, surface))), (foot, 0.1), width=0.05)
    ]
    return [
        Stroke(points_in_space(np.stack([x, surface], axis=-1)), INK_COLOUR, 1.8),
        *springs,
        *ground_symbol((0.7, 0.1), (1.5, 0.1), 10),
    ]


def _soft_tip() -> list[SketchItem]:
    """The tool ends above the surface; between it and the tip is a spring."""
    end = (TIP_POINT[0], TIP_POINT[1] + 0.25)
    return _robot_items(WRIST_POINT, end) + spring_symbol(end, TIP_POINT, width=0.05, turns=3)


def _impact_items() -> list[SketchItem]:
    """The tip approaches with a speed; rays mark the impact."""
    above = 0.12
    rays = np.array([(np.cos(turn), np.sin(turn)) for turn in np.deg2rad([15, 50, 130, 165])])
    strikes: list[SketchItem] = [
        Stroke(points_in_space([TIP_POINT + 0.08 * ray, TIP_POINT + 0.22 * ray]), 3, 2.0) for ray in rays
    ]
    speed = Arrow(points_in_space([TIP_POINT[0] + 0.2, DESK_HEIGHT + 0.55]), (0, -0.28, 0), "v", FREE_COLOUR)
    return [
        *_robot_items((WRIST_POINT[0], WRIST_POINT[1] + above), (TIP_POINT[0], TIP_POINT[1] + above)),
        *_desk_ground(),
        *strikes,
        speed,
    ]
