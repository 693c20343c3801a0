"""Numbers of gears and trains as kernel inputs: spin, carrier and rows follow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError


def moved(robot, **wheels):
    """grm3 with other numbers for its train, changed part by part."""
    (train,) = robot.trains
    fresh = [replace(w, **wheels.get(w.name, {})) for w in train.wheels]
    meshes = [replace(m, ratio=wheels["g37"]) if (m.first, m.second) == ("w7", "link3") else m for m in train.meshes]
    return replace(robot, trains=(replace(train, wheels=fresh, meshes=meshes),))


def test_train_as_parameters():
    """An inertia (lumped into link 2) and a ratio (in the rows of w6 and w7) stay symbolic through the graph."""
    robot = gw.load("grm3")
    paths = ["gears.wheels.w7.inertia", "gears.wheels.w7.mass", "gears.meshes.3.ratio"]
    kernel = gw.compile(gw.inverse_dynamics, robot, parameters=paths)
    q, v, a = [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8]
    for inertia, mass, ratio in ((1e-3, 0.4, 2.5), (4e-3, 1.1, -3.5)):
        mech = gw.assemble(moved(robot, w7={"inertia": inertia, "mass": mass}, g37=ratio))
        found = kernel(q, v, a, parameters=np.array([inertia, mass, ratio]))
        np.testing.assert_allclose(found, gw.inverse_dynamics(mech, q, v, a), rtol=1e-11)


def test_gear_members_as_parameters():
    robot = gw.load("planetary_3r")
    paths = ["j1.gear.planet_member.mass", "j3.gear.planet_member.inertia", "j3.gear.radius"]
    kernel = gw.compile(gw.mass_matrix, robot, parameters=paths)
    gears = {d.joint: d.gear for d in robot.drives}
    new = {
        "j1": replace(gears["j1"], planet_member=replace(gears["j1"].planet_member, mass=0.7)),
        "j3": replace(gears["j3"], planet_member=replace(gears["j3"].planet_member, inertia=5e-5), radius=0.055),
    }
    other = replace(robot, drives=[replace(d, gear=new.get(d.joint, d.gear)) for d in robot.drives])
    q = [0.1, 0.5, -0.4, 0.2]
    found = kernel(q, parameters=np.array([0.7, 5e-5, 0.055]))
    np.testing.assert_allclose(found, gw.mass_matrix(gw.assemble(other), q), rtol=1e-11, atol=1e-14)


def test_unknown_train():
    with pytest.raises(InputError, match="'gears'"):
        gw.compile(gw.mass_matrix, gw.load("grm3"), parameters=["gear.wheels.w7.inertia"])
