"""The list of figures: name, where it stands in which work, what it shows, and what draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gearwright.errors import InputError
from gearwright.text import did_you_mean
from gearwright.works import arms, fernini, joints, problems, runs, tasks


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
    "sciavicco_1": WorkFigure(SCIAVICCO, "1", "an augmented link and what acts on it", arms.augmented_link),
    "sciavicco_2": WorkFigure(SCIAVICCO, "2", "the elbow arm, its rotors and frames", arms.elbow),
    "chen_wang_1": WorkFigure(CHEN, "1", "the arm of three degrees of freedom and its wheels", arms.geared_arm),
    "chen_wang_2": WorkFigure(CHEN, "2", "its graph as drawn, and the canonical graph", arms.graphs),
    "chen_wang_3": WorkFigure(CHEN, "3", "the equivalent open-loop chain, and whose wheels are whose", arms.open_chain),
    "chen_wang_4": WorkFigure(CHEN, "4", "the coordinate systems", arms.coordinate_systems),
    "fernini_1": WorkFigure(FERNINI, "1", "the planetary stage with 3 to 6 planets", fernini.stage_figure),
    "fernini_2": WorkFigure(FERNINI, "2 to 4", "augmented links and what acts on them", fernini.link_figure),
    "fernini_5": WorkFigure(FERNINI, "5", "the arm at the start and at the end of its motion", fernini.arm_figure),
    "fernini_path": WorkFigure(FERNINI, "section 3", "the trajectory", fernini.path_figure),
    **_curves(),
    "vukobratovic_1": WorkFigure(HANDBOOK, "20.1, 20.12", "an open chain", arms.chain),
    "vukobratovic_2": WorkFigure(HANDBOOK, "20.2 to 20.4", "geometry of links as vectors", arms.link_geometry),
    "vukobratovic_5": WorkFigure(HANDBOOK, "20.5, 20.9", "links cut out of the chain", arms.cut_links),
    "vukobratovic_6": WorkFigure(HANDBOOK, "20.6, 20.7", "drive and reaction in a joint", arms.joint_transmits),
    "vukobratovic_8": WorkFigure(HANDBOOK, "20.8", "velocities of links", arms.velocities),
    "vukobratovic_10": WorkFigure(
        HANDBOOK, "20.10", "errors with feedforward, schemes (a) and (b)", runs.feedforward_schemes
    ),
    "vukobratovic_11": WorkFigure(HANDBOOK, "20.11", "problems 1 to 10 of robot dynamics", problems.problems),
    "vukobratovic_13": WorkFigure(
        HANDBOOK, "20.13", "functional coordinates of two tasks", tasks.functional_coordinates
    ),
    "vukobratovic_14": WorkFigure(HANDBOOK, "20.14", "reactions in two tasks", tasks.reactions),
    "vukobratovic_15": WorkFigure(HANDBOOK, "20.15", "four models of what the hand touches", tasks.surroundings),
    "vukobratovic_16": WorkFigure(HANDBOOK, "20.16", "a hand on an elastic base", runs.elastic_base),
    "vukobratovic_17": WorkFigure(
        HANDBOOK, "20.17", "a joint behind an elastic transmission", runs.elastic_transmission
    ),
    "vukobratovic_18": WorkFigure(HANDBOOK, "20.18", "joints with vectors along their axes", joints.specificity),
    "vukobratovic_19": WorkFigure(HANDBOOK, "20.19", "a revolute joint, extended and turned", arms.rotations),
    "vukobratovic_20": WorkFigure(HANDBOOK, "20.20", "linear joints", joints.linear_joint),
}


def draw(name: str) -> Any:
    """The matplotlib figure of that name.

    >>> draw("chen_wang_3").axes[0].get_title()
    'equivalent open-loop chain'
    """
    if name not in FIGURES:
        raise InputError(f"figure {name!r} is unknown. {did_you_mean(name, FIGURES)}")
    return FIGURES[name].make()
