"""Figures of Fernini: the stage, the arm, its energies and torques for n and n + 1 planets."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.catalogue import load
from gearwright.export import MujocoCheck, mujoco_check
from gearwright.functions import inverse_dynamics, kinetic_energy, placement
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.motion import Trajectory, polynomial
from gearwright.planning import inverse_kinematics
from gearwright.plots import Panel, panel_figure
from gearwright.plots.sketch import Disc, Mark, SketchItem, sketch_figure
from gearwright.works.robot_drawing import forces_on_link, skeleton_items, wheel_items

START_POSITION, END_POSITION = (0.8, 0.0, 0.0), (0.4499, 0.5864, 0.0)
"""Position of the hand at the start and end of the motion of 1 s (section 3) [m]."""
MOTION_SAMPLES = 201
SECOND_ENGINE_NAME = "MuJoCo, every wheel a body"


class SampledMotion(NamedTuple):
    """The motion at equal times."""

    t: Array
    q: Array
    v: Array
    a: Array


@cache
def planned_trajectory() -> Trajectory:
    """The trajectory of section 3: joint angles of both positions by inverse kinematics, with zero jerk at the ends."""
    arm = load("planetary_2r")
    solution = inverse_kinematics(
        arm, "tool", (None, np.array([START_POSITION, END_POSITION])), start=[0.1, 0.1], tolerance=1e-6
    )
    # At the extended (singular) start the angle is accurate only to the root of the tolerance: set it to zero.
    return polynomial([0.0, 0.0], solution.q[1], duration=1.0, order=7)


@cache
def sampled_motion() -> SampledMotion:
    """The motion, sampled."""
    t = np.linspace(0.0, 1.0, MOTION_SAMPLES)
    return SampledMotion(t, *(planned_trajectory().at(t, k) for k in range(3)))


@cache
def arm_mechanism(planets: int) -> Mechanism:
    """The arm with a number of planets per stage."""
    return assemble_tree(load(f"planetary_2r_{planets}"))


@cache
def second_engine(planets: int) -> MujocoCheck:
    """The same with MuJoCo, where the paper used SolidWorks."""
    return mujoco_check(arm_mechanism(planets), *sampled_motion()[1:])


def path_figure() -> Any:
    """The hand's position and the joint angles over time."""
    t, q, *_ = sampled_motion()
    tip = np.asarray(placement(arm_mechanism(3), q, "tool").position)
    place = Panel("position of the hand [m]", {"x": tip[:, 0], "y": tip[:, 1]})
    angles = Panel("joint angles [rad]", {"joint 1": q[:, 0], "joint 2": q[:, 1]})
    return panel_figure(t, "time [s]", [place, angles], columns=2)


def energy_figure(planets: int, use_second_engine: bool) -> Any:
    """Kinetic energy for a number of planets, by the recursion or the second engine, and the effect of one more."""
    t, q, v, _ = sampled_motion()
    energies = {n: np.asarray(kinetic_energy(arm_mechanism(n), q, v)) for n in (planets, planets + 1)}
    shown = second_engine(planets).kinetic_energy if use_second_engine else energies[planets]
    name = SECOND_ENGINE_NAME if use_second_engine else f"{planets} planets"
    more = {f"{planets + 1} planets minus {planets}": energies[planets + 1] - energies[planets]}
    second = Panel(
        "difference [J]", {"this minus the recursion": shown - energies[planets]} if use_second_engine else more
    )
    return panel_figure(t, "time [s]", [Panel("kinetic energy [J]", {name: shown}), second], columns=2)


def torque_figure(planets: int, use_second_engine: bool) -> Any:
    """Joint torques for a number of planets, by the recursion or the second engine, and the effect of one more."""
    t, q, v, a = sampled_motion()
    torques = {n: np.asarray(inverse_dynamics(arm_mechanism(n), q, v, a)) for n in (planets, planets + 1)}
    shown = second_engine(planets).tau if use_second_engine else torques[planets]
    difference = shown - torques[planets] if use_second_engine else torques[planets + 1] - torques[planets]
    title = (
        f"{SECOND_ENGINE_NAME}, minus the recursion" if use_second_engine else f"{planets + 1} planets minus {planets}"
    )
    panels = [
        Panel("torque [Nm]", _series_by_joint(shown)),
        Panel("difference [Nm]", _series_by_joint(difference), title=title),
    ]
    return panel_figure(t, "time [s]", panels, columns=2)


def _series_by_joint(values: Array) -> dict[str, Array]:
    return {f"joint {k + 1}": values[:, k] for k in range(values.shape[1])}


def stage_figure() -> Any:
    """Sun, planets and ring of the stage, by their teeth: radii are half the module times the teeth (figure 1)."""
    drawings: dict[str, list[SketchItem]] = {}
    for planets in (3, 4, 5, 6):
        gear: Any = load(f"planetary_2r_{planets}").drives[0].gear
        module = 2 * gear.planet_circle_radius / (gear.sun + gear.planet)
        z = (0.0, 0.0, 1.0)
        items: list[SketchItem] = [
            Disc((0, 0, 0), z, module * gear.ring / 2, 4),
            Disc((0, 0, 0), z, module * gear.sun / 2, 3),
        ]
        for k in range(planets):
            turn = 2 * np.pi * k / planets
            centre = gear.planet_circle_radius * np.array([np.cos(turn), np.sin(turn), 0.0])
            items += [Disc(centre, z, module * gear.planet / 2, 2), Mark(centre, "", 2)]
        drawings[f"{planets} planets: sun {gear.sun}, planet {gear.planet}, ring {gear.ring} teeth"] = items
    return sketch_figure(drawings, "above")


def arm_figure() -> Any:
    """The arm in the extended position and at the end of its motion (figure 5)."""
    mech = arm_mechanism(3)
    ends = {"start, (0.8, 0) m": np.zeros(2), "end, (0.4499, 0.5864) m": planned_trajectory().at(1.0)}
    return sketch_figure(
        {title: skeleton_items(mech, q) + wheel_items(mech, q, 0.05) for title, q in ends.items()}, "above"
    )


def link_figure() -> Any:
    """Free-body diagrams of link 1 with gears and link 2 with load, at a quarter of the motion (figures 2 to 4)."""
    mech, (_, *state) = arm_mechanism(3), sampled_motion()
    at = tuple(x[MOTION_SAMPLES // 4] for x in state)
    links = {"link 1 with sun and planets of stage 2": 0, "link 2 with its payload": 1}
    return sketch_figure({title: forces_on_link(mech, at, body) for title, body in links.items()}, "above")
