"""The list of figures: name, where it stands in which work, what it shows, and what draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gearwright.errors import InputError
from gearwright.text import did_you_mean
from gearwright.works import arm_figures, contact_tasks, fernini, joint_figures, motion_figures, ten_problems


@dataclass(frozen=True)
class WorkFigure:
    """A figure of one of the five works, drawn anew from what Gearwright computes.

    Args:
        work: its authors.
        number: its number there.
        caption: what it shows.
        make: draws it.
    """

    work: str
    number: str
    caption: str
    make: Callable[[], Any]


SCIAVICCO = "Sciavicco, Siciliano and Villani"
CHEN = "Chen and Wang"
FERNINI = "Fernini"
HANDBOOK = "Vukobratovic and Potkonjak"


def _curves() -> dict[str, WorkFigure]:
    """Figures 6 to 13 of Fernini: energy, then torques, of 3 and 4 planets, each by a second program too."""
    found: dict[str, WorkFigure] = {}
    number = 6
    kinds = {"kinetic energy": fernini.energy_figure, "joint torques": fernini.torque_figure}
    for what, make in kinds.items():
        for planets in (3, 4):
            for other in (False, True):
                by = f" by a second engine ({fernini.ENGINE})" if other else ""
                caption = f"{what} with {planets} planets{by}"
                found[f"fernini_{number}"] = WorkFigure(FERNINI, str(number), caption, partial(make, planets, other))
                number += 1
    return found


FIGURES = {
    "sciavicco_1": WorkFigure(SCIAVICCO, "1", "an augmented link and what acts on it", arm_figures.augmented_link),
    "sciavicco_2": WorkFigure(SCIAVICCO, "2", "the elbow arm, its rotors and frames", arm_figures.elbow),
    "chen_wang_1": WorkFigure(CHEN, "1", "the arm of three degrees of freedom and its wheels", arm_figures.geared_arm),
    "chen_wang_2": WorkFigure(CHEN, "2", "its graph as drawn, and the canonical graph", arm_figures.graphs),
    "chen_wang_3": WorkFigure(
        CHEN, "3", "the equivalent open-loop chain, and whose wheels are whose", arm_figures.open_chain
    ),
    "chen_wang_4": WorkFigure(CHEN, "4", "the coordinate systems", arm_figures.coordinate_systems),
    "fernini_1": WorkFigure(FERNINI, "1", "the planetary stage with 3 to 6 planets", fernini.stage_figure),
    "fernini_2": WorkFigure(FERNINI, "2 to 4", "augmented links and what acts on them", fernini.link_figure),
    "fernini_5": WorkFigure(FERNINI, "5", "the arm at the start and at the end of its motion", fernini.arm_figure),
    "fernini_path": WorkFigure(FERNINI, "section 3", "the trajectory", fernini.path_figure),
    **_curves(),
    "vukobratovic_1": WorkFigure(HANDBOOK, "20.1, 20.12", "an open chain", arm_figures.chain),
    "vukobratovic_2": WorkFigure(HANDBOOK, "20.2 to 20.4", "geometry of links as vectors", arm_figures.link_geometry),
    "vukobratovic_5": WorkFigure(HANDBOOK, "20.5, 20.9", "links cut out of the chain", arm_figures.cut_links),
    "vukobratovic_6": WorkFigure(HANDBOOK, "20.6, 20.7", "drive and reaction in a joint", arm_figures.joint_transmits),
    "vukobratovic_8": WorkFigure(HANDBOOK, "20.8", "velocities of links", arm_figures.velocities),
    "vukobratovic_10": WorkFigure(
        HANDBOOK, "20.10", "errors with feedforward, schemes (a) and (b)", motion_figures.feedforward_schemes
    ),
    "vukobratovic_11": WorkFigure(HANDBOOK, "20.11", "problems 1 to 10 of robot dynamics", ten_problems.problems),
    "vukobratovic_13": WorkFigure(
        HANDBOOK, "20.13", "functional coordinates of two tasks", contact_tasks.functional_coordinates
    ),
    "vukobratovic_14": WorkFigure(HANDBOOK, "20.14", "reactions in two tasks", contact_tasks.reactions),
    "vukobratovic_15": WorkFigure(
        HANDBOOK, "20.15", "four models of what the hand touches", contact_tasks.surroundings
    ),
    "vukobratovic_16": WorkFigure(HANDBOOK, "20.16", "a hand on an elastic base", motion_figures.elastic_base),
    "vukobratovic_17": WorkFigure(
        HANDBOOK, "20.17", "a joint behind an elastic transmission", motion_figures.elastic_transmission
    ),
    "vukobratovic_18": WorkFigure(HANDBOOK, "20.18", "joints with vectors along their axes", joint_figures.specificity),
    "vukobratovic_19": WorkFigure(HANDBOOK, "20.19", "a revolute joint, extended and turned", arm_figures.rotations),
    "vukobratovic_20": WorkFigure(HANDBOOK, "20.20", "linear joints", joint_figures.linear_joint),
}


def draw(name: str) -> Any:
    """The matplotlib figure of that name.

    >>> draw("chen_wang_3").axes[0].get_title()
    'equivalent open-loop chain'
    """
    if name not in FIGURES:
        raise InputError(f"figure {name!r} is unknown. {did_you_mean(name, FIGURES)}")
    return FIGURES[name].make()
