"""Figures of Fernini: the stage, the arm, its energies and torques for n and n + 1 planets."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.catalogue import load
from gearwright.export import MujocoCheck, mujoco_check
from gearwright.functions.dynamics import inverse_dynamics, kinetic_energy, placement
from gearwright.mechanism import Mechanism, assemble
from gearwright.motion import Trajectory, polynomial
from gearwright.planning import inverse_kinematics
from gearwright.plots import Panel, figure
from gearwright.plots.sketch import Disc, Item, Mark, sketch
from gearwright.works.robot_drawing import forces_on_link, skeleton, wheels

START, END = (0.8, 0.0, 0.0), (0.4499, 0.5864, 0.0)
"""Where the hand is before and after the motion of 1 s (section 3) [m]."""
SAMPLES = 201
ENGINE = "MuJoCo, every wheel a body"


class Motion(NamedTuple):
    """The motion at equal times."""

    t: Array
    q: Array
    v: Array
    a: Array


@cache
def way() -> Trajectory:
    """The path of section 3: the angles of both places by inverse kinematics, joined without jerk at the ends."""
    arm = load("planetary_2r")
    found = inverse_kinematics(arm, "tool", (None, np.array([START, END])), start=[0.1, 0.1], tolerance=1e-6)
    # At the stretched start an angle is known only to the root of the tolerance: it is zero.
    return polynomial([0.0, 0.0], found.q[1], duration=1.0, order=7)


@cache
def motion() -> Motion:
    """The motion, sampled."""
    t = np.linspace(0.0, 1.0, SAMPLES)
    return Motion(t, *(way().at(t, k) for k in range(3)))


@cache
def machine(planets: int) -> Mechanism:
    """The arm with so many planets per stage."""
    return assemble(load(f"planetary_2r_{planets}"))


@cache
def second_engine(planets: int) -> MujocoCheck:
    """The same by MuJoCo, where the paper used SolidWorks."""
    return mujoco_check(machine(planets), *motion()[1:])


def path_figure() -> Any:
    """The hand's place and the joint angles over time."""
    t, q, *_ = motion()
    tip = np.asarray(placement(machine(3), q, "tool").position)
    place = Panel("place of the hand [m]", {"x": tip[:, 0], "y": tip[:, 1]})
    angles = Panel("joint angles [rad]", {"joint 1": q[:, 0], "joint 2": q[:, 1]})
    return figure(t, "time [s]", [place, angles], columns=2)


def energy_figure(planets: int, other: bool) -> Any:
    """Kinetic energy with so many planets, by the recursion or by the second engine; what one more would add."""
    t, q, v, _ = motion()
    ours = {n: np.asarray(kinetic_energy(machine(n), q, v)) for n in (planets, planets + 1)}
    shown = second_engine(planets).kinetic_energy if other else ours[planets]
    name = ENGINE if other else f"{planets} planets"
    more = {f"{planets + 1} planets less {planets}": ours[planets + 1] - ours[planets]}
    second = Panel("difference [J]", {"this less the recursion": shown - ours[planets]} if other else more)
    return figure(t, "time [s]", [Panel("kinetic energy [J]", {name: shown}), second], columns=2)


def torque_figure(planets: int, other: bool) -> Any:
    """Joint torques with so many planets, by the recursion or by the second engine; what one more would add."""
    t, q, v, a = motion()
    ours = {n: np.asarray(inverse_dynamics(machine(n), q, v, a)) for n in (planets, planets + 1)}
    shown = second_engine(planets).tau if other else ours[planets]
    rest = shown - ours[planets] if other else ours[planets + 1] - ours[planets]
    title = f"{ENGINE}, less the recursion" if other else f"{planets + 1} planets less {planets}"
    panels = [Panel("torque [Nm]", _joints(shown)), Panel("difference [Nm]", _joints(rest), title=title)]
    return figure(t, "time [s]", panels, columns=2)


def _joints(values: Array) -> dict[str, Array]:
    return {f"joint {k + 1}": values[:, k] for k in range(values.shape[1])}


def stage_figure() -> Any:
    """Sun, planets and ring of the stage, by their teeth: radii are half the module times the teeth (figure 1)."""
    drawings: dict[str, list[Item]] = {}
    for planets in (3, 4, 5, 6):
        gear: Any = load(f"planetary_2r_{planets}").drives[0].gear
        module = 2 * gear.circle / (gear.sun + gear.planet)
        z = (0.0, 0.0, 1.0)
        items: list[Item] = [
            Disc((0, 0, 0), z, module * gear.ring / 2, 4),
            Disc((0, 0, 0), z, module * gear.sun / 2, 3),
        ]
        for k in range(planets):
            turn = 2 * np.pi * k / planets
            centre = gear.circle * np.array([np.cos(turn), np.sin(turn), 0.0])
            items += [Disc(centre, z, module * gear.planet / 2, 2), Mark(centre, "", 2)]
        drawings[f"{planets} planets: sun {gear.sun}, planet {gear.planet}, ring {gear.ring} teeth"] = items
    return sketch(drawings, "above")


def arm_figure() -> Any:
    """The arm stretched and at the end of its motion (figure 5)."""
    mech = machine(3)
    ends = {"start, (0.8, 0) m": np.zeros(2), "end, (0.4499, 0.5864) m": way().at(1.0)}
    return sketch({title: skeleton(mech, q) + wheels(mech, q, 0.05) for title, q in ends.items()}, "above")


def link_figure() -> Any:
    """Link 1 with its gears cut free, and link 2 with its load, a quarter through the motion (figures 2 to 4)."""
    mech, (_, *state) = machine(3), motion()
    at = tuple(x[SAMPLES // 4] for x in state)
    links = {"link 1 with sun and planets of stage 2": 0, "link 2 with the mass it holds": 1}
    return sketch({title: forces_on_link(mech, at, body) for title, body in links.items()}, "above")
