"""The list of figures: name, work, figure number, caption, and drawing function."""

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
    """A figure of one of the five works, redrawn from results of Gearwright.

    Args:
        work: its authors.
        number: its number there.
        caption: its caption.
        make: function that draws it.
    """

    work: str
    number: str
    caption: str
    make: Callable[[], Any]


SCIAVICCO_AUTHORS = "Sciavicco, Siciliano and Villani"
CHEN_AUTHORS = "Chen and Wang"
FERNINI_AUTHORS = "Fernini"
HANDBOOK_AUTHORS = "Vukobratovic and Potkonjak"


def _fernini_curves() -> dict[str, WorkFigure]:
    """Figures 6 to 13 of Fernini: energy and torques for 3 and 4 planets, each also by a second program."""
    curves: dict[str, WorkFigure] = {}
    number = 6
    kinds = {"kinetic energy": fernini.energy_figure, "joint torques": fernini.torque_figure}
    for quantity, make in kinds.items():
        for planets in (3, 4):
            for use_second_engine in (False, True):
                by = f" by a second engine ({fernini.SECOND_ENGINE_NAME})" if use_second_engine else ""
                caption = f"{quantity} with {planets} planets{by}"
                curves[f"fernini_{number}"] = WorkFigure(
                    FERNINI_AUTHORS, str(number), caption, partial(make, planets, use_second_engine)
                )
                number += 1
    return curves


WORK_FIGURES = {
    "sciavicco_1": WorkFigure(
        SCIAVICCO_AUTHORS, "1", "free-body diagram of an augmented link", arm_figures.augmented_link
    ),
    "sciavicco_2": WorkFigure(SCIAVICCO_AUTHORS, "2", "the elbow arm, its rotors and frames", arm_figures.elbow_arm),
    "chen_wang_1": WorkFigure(
        CHEN_AUTHORS, "1", "the arm with three degrees of freedom and its wheels", arm_figures.geared_arm
    ),
    "chen_wang_2": WorkFigure(
        CHEN_AUTHORS, "2", "its graph as drawn, and the canonical graph", arm_figures.gear_graph_figure
    ),
    "chen_wang_3": WorkFigure(
        CHEN_AUTHORS, "3", "the equivalent open-loop chain, with the wheels of each link", arm_figures.open_chain
    ),
    "chen_wang_4": WorkFigure(CHEN_AUTHORS, "4", "the coordinate systems", arm_figures.coordinate_systems),
    "fernini_1": WorkFigure(FERNINI_AUTHORS, "1", "the planetary stage with 3 to 6 planets", fernini.stage_figure),
    "fernini_2": WorkFigure(FERNINI_AUTHORS, "2 to 4", "free-body diagrams of augmented links", fernini.link_figure),
    "fernini_5": WorkFigure(
        FERNINI_AUTHORS, "5", "the arm at the start and at the end of its motion", fernini.arm_figure
    ),
    "fernini_path": WorkFigure(FERNINI_AUTHORS, "section 3", "the trajectory", fernini.path_figure),
    **_fernini_curves(),
    "vukobratovic_1": WorkFigure(HANDBOOK_AUTHORS, "20.1, 20.12", "an open chain", arm_figures.open_chain_with_slide),
    "vukobratovic_2": WorkFigure(
        HANDBOOK_AUTHORS, "20.2 to 20.4", "geometry of links as vectors", arm_figures.link_geometry
    ),
    "vukobratovic_5": WorkFigure(HANDBOOK_AUTHORS, "20.5, 20.9", "free-body diagrams of links", arm_figures.cut_links),
    "vukobratovic_6": WorkFigure(
        HANDBOOK_AUTHORS, "20.6, 20.7", "drive and reaction in a joint", arm_figures.joint_force_parts
    ),
    "vukobratovic_8": WorkFigure(HANDBOOK_AUTHORS, "20.8", "velocities of links", arm_figures.link_velocities),
    "vukobratovic_10": WorkFigure(
        HANDBOOK_AUTHORS,
        "20.10",
        "schemes (a) and (b) of feedforward, and their errors",
        motion_figures.feedforward_schemes,
    ),
    "vukobratovic_11": WorkFigure(
        HANDBOOK_AUTHORS, "20.11", "problems 1 to 10 of robot dynamics", ten_problems.ten_problems_figure
    ),
    "vukobratovic_13": WorkFigure(
        HANDBOOK_AUTHORS, "20.13", "functional coordinates of two tasks", contact_tasks.functional_coordinates
    ),
    "vukobratovic_14": WorkFigure(HANDBOOK_AUTHORS, "20.14", "reactions in two tasks", contact_tasks.contact_reactions),
    "vukobratovic_15": WorkFigure(
        HANDBOOK_AUTHORS, "20.15", "four models of the environment", contact_tasks.environment_models
    ),
    "vukobratovic_16": WorkFigure(HANDBOOK_AUTHORS, "20.16", "a hand on an elastic base", motion_figures.elastic_base),
    "vukobratovic_17": WorkFigure(
        HANDBOOK_AUTHORS, "20.17", "a joint with an elastic transmission", motion_figures.elastic_transmission
    ),
    "vukobratovic_18": WorkFigure(
        HANDBOOK_AUTHORS, "20.18", "joints with vectors along their axes", joint_figures.specificity_vectors
    ),
    "vukobratovic_19": WorkFigure(
        HANDBOOK_AUTHORS, "20.19", "a revolute joint, extended and rotated", arm_figures.turned_joint
    ),
    "vukobratovic_20": WorkFigure(HANDBOOK_AUTHORS, "20.20", "linear joints", joint_figures.linear_joint),
}


def draw_figure(name: str) -> Any:
    """Return the matplotlib figure of that name.

    >>> draw_figure("chen_wang_3").axes[0].get_title()
    'equivalent open-loop chain'
    """
    if name not in WORK_FIGURES:
        raise InputError(f"figure {name!r} is unknown. {did_you_mean(name, WORK_FIGURES)}")
    return WORK_FIGURES[name].make()
