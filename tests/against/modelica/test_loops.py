"""Closed loops of the Modelica Standard Library as graphs of links and joints, against its reference runs.

Their tolerance is 1e-6, and their energy is off by up to 4e-4 of its changes after 5 s.
"""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.functions.constrained.closing import speed_directions
from gearwright.parts import Connection, Joint, Link, Robot, linkage
from support.references import Reference

LOOPS = Reference("Modelica Standard Library, mechanisms with loops")
STANDARD_GRAVITY = 9.80665
"""Gravity of `World` [m/s2], `Modelica.Constants.g_n`."""

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def tensor(part: dict[str, Any]) -> np.ndarray:
    """The inertia of a cylinder or box along r, whose frame is parallel to the world."""
    along = np.array(part["r"]) / np.linalg.norm(part["r"])
    inertia = part["inertia_cm"]
    if "axial" in inertia:
        return inertia["transverse"] * np.eye(3) + (inertia["axial"] - inertia["transverse"]) * np.outer(along, along)
    width = np.array(part["width_direction"], dtype=float)
    width -= along * (along @ width)
    width = width / np.linalg.norm(width) if np.linalg.norm(width) > 1e-9 else np.array([0.0, 0.0, 1.0])
    axes = {"along_length": along, "along_width": width, "along_height": np.cross(along, width)}
    return sum(inertia[name] * np.outer(e, e) for name, e in axes.items())


def link(name: str, part: dict[str, Any]) -> Link:
    return Link(name, mass=part["mass"], com=tuple(np.array(part["r"]) / 2), inertia=tensor(part))


def fourbar1(data: dict[str, Any]) -> Robot:
    """A crank, a slider, and a rod with mass between a ball and a universal joint."""
    links = [link("b1", data["b1"]), link("b2", data["b2"]), link("rod", data["b3_rod"])]
    joints = [
        Connection(Joint("j1", axis=X), "base", "b1"),
        Connection(Joint("j2", "prismatic", axis=X, position=(1.2, 0, 0)), "base", "b2"),
        Connection(Joint("universal", "universal", axis=Y, axis2=Z, position=data["b2"]["r"]), "b2", "rod"),
        Connection(Joint("ball", "spherical", position=data["b1"]["r"]), "b1", "rod", data["rod_vector"]),
    ]
    return linkage("fourbar1", links, joints, gravity=(0, -STANDARD_GRAVITY, 0), independent=["j1"])


def planar_fourbar(data: dict[str, Any]) -> Robot:
    """Three boxes, with a damper at the first joint."""
    links = [link(name, data[name]) for name in ("body1", "body2", "body4")]
    joints = [
        Connection(Joint("j1", axis=Z, damping=0.1), "base", "body1"),
        Connection(Joint("j2", axis=Z, position=data["body1"]["r"]), "body1", "body2"),
        Connection(Joint("j3", axis=Z, position=data["body3"]["r"]), "base", "body4"),
        Connection(Joint("j4", axis=Z, position=data["body2"]["r"]), "body2", "body4", data["body4"]["r"]),
    ]
    return linkage("planar_fourbar", links, joints, gravity=(0, -STANDARD_GRAVITY, 0), independent=["j1"])


def engine1a(data: dict[str, Any]) -> Robot:
    """A crank of four parts with a flywheel, a rod and a piston."""
    parts = data["crank"]
    links = [*(link(part["name"], part) for part in parts), link("piston", data["piston"]), link("rod", data["rod"])]
    pin = np.array(data["crank_pin"]) - parts[2]["start"]
    joints = [Connection(Joint("j1", axis=X, armature=data["shaft_inertia"]["J"]), "base", parts[0]["name"])]
    joints += [
        Connection(Joint(f"f{k}", "fixed", position=tuple(np.subtract(b["start"], a["start"]))), a["name"], b["name"])
        for k, (a, b) in enumerate(pairwise(parts))
    ]
    joints += [
        Connection(Joint("slide", "prismatic", axis=(0, -1, 0), position=data["cylinder_top"]), "base", "piston"),
        Connection(Joint("gudgeon", axis=X, position=data["piston"]["r"]), "piston", "rod"),
        Connection(Joint("pin", axis=X, position=tuple(pin)), parts[2]["name"], "rod", data["rod"]["r"]),
    ]
    return linkage("engine1a", links, joints, gravity=(0, -STANDARD_GRAVITY, 0), independent=["j1"])


CASES = {
    "Fourbar1": (fourbar1, {"j2": -0.2}, 5.235987755982989, "j1.phi"),
    "PlanarFourbar": (planar_fourbar, {}, 0.0, "revolute1.phi"),
    "Engine1a": (engine1a, {"slide": 0.05}, 10.0, "inertia.phi"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_angle_of_the_driving_joint(name, reference: Path):
    make, start, speed, signal = CASES[name]
    folder = reference / "modelica_loops"
    robot = make(json.loads((folder / "models.json").read_text())["models"][name])
    rows = list(csv.DictReader((folder / f"{name}.csv").read_text().splitlines()))
    t, phi = (np.array([float(row[key]) for row in rows]) for key in ("time", signal))
    tree = gw.assemble(robot, "tree")
    near = dict(zip(tree.coordinates, gw.neutral(tree), strict=True)) | start
    mech = gw.assemble(robot, start=list(near.values()))
    assert mech.speeds == ("j1",)
    state = gw.State(mech.reference, speed_directions(mech, mech.reference) @ [speed])
    run = gw.simulate(
        robot, state, until=t[-1], samples=t, integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11)
    )
    found = run.q[:, mech.coordinates.index("j1")]
    deviation = (found - phi) / np.ptp(phi)
    LOOPS.agrees(f"{name}, angle over 2.5 s, relative to its range", deviation[t <= 2.5], 1e-4)
    LOOPS.agrees(f"{name}, angle over 5 s, relative to its range", deviation, 4e-4)
