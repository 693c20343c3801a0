"""Differentials and remote drives against Pinocchio with every gear as its own body."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import SpinError
from gearwright.parts import (
    Gearwheel,
    Member,
    Mesh,
    Robot,
    Train,
    TrainMotor,
    bevel_differential,
    nested_shafts,
    planetary_differential,
)
from trains.arms import across, axis_in_parent, chain, explicit_chain, states
from trains.explicit import worst

PLANET = Member(6e-3, 0.4, 5e-3)
RADIUS = 0.07


def agreement(mech, oracle):
    found = 0.0
    for q, v, a in states(mech.n):
        found = max(found, worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)))
        found = max(found, worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)))
    return found


def bevel_train(count, arm_row=0.7):
    """A bevel differential on link 2 beside joint 3: side gears, a free arm, `count` radial planets.

    left meshes with link 3's gear (ratio 2), right is free; the arm follows at the mean of the two.
    """
    wheels = [
        Gearwheel("left", "l2", (0.3, 0.1, 1.0), 3e-3, mass=0.2, transverse_inertia=2e-3, position=(0.1, 0, 0)),
        Gearwheel("right", "l2", "left", 4e-3, mass=0.2, transverse_inertia=3e-3, position=(0.1, 0, 0)),
        Gearwheel("arm", "l2", "left", 5e-3, mass=0.3, transverse_inertia=4e-3, position=(0.1, 0, 0)),
        Gearwheel(
            "planet",
            "arm",
            "radial",
            PLANET.inertia,
            PLANET.mass,
            PLANET.mean_transverse_inertia,
            count=count,
            radius=RADIUS,
        ),
    ]
    meshes = [
        Mesh("left", "planet", teeth=(30, 20), kind="bevel", carrier="arm"),
        Mesh("right", "planet", teeth=(30, 20), kind="bevel", carrier="arm", sense=-1),
        Mesh("left", "l3", ratio=2.0, carrier="l2"),
    ]
    return Train("differential", wheels, meshes, free=["right"])


def bevel_oracle(count):
    oracle = explicit_chain(1, ("j1", "j2", "j3", "right"))
    e = np.array([0.3, 0.1, 1.0])
    e /= np.linalg.norm(e)
    at = np.array([0.1, 0, 0])
    oracle.wheel("left", "l2", {"j3": 2.0}, e, 3e-3, 2e-3, 0.2, at)
    oracle.wheel("right", "l2", {"right": 1.0}, e, 4e-3, 3e-3, 0.2, at)
    oracle.wheel("arm", "l2", {"j3": 1.0, "right": 0.5}, e, 5e-3, 4e-3, 0.3, at)
    # left - arm = -(20/30) planet, axes away from the apex: planet = -1.5 (2 j3 - j3 - right / 2)
    own = {"j3": -1.5, "right": 0.75}
    u, w = across(e)
    for k in range(count):
        t = 2 * np.pi * k / count
        out = np.cos(t) * u + np.sin(t) * w
        oracle.wheel(
            f"p{k}", "arm", own, out, PLANET.inertia, PLANET.mean_transverse_inertia, PLANET.mass, RADIUS * out
        )
    return oracle


@pytest.mark.parametrize("count", [3, 4])
def test_bevel_differential_with_orbiting_planets(count):
    """The mean moves the arm; the planets' own spin is balanced: energy, but no push on the link."""
    mech = gw.assemble(Robot("arm", chain(), trains=[bevel_train(count)]))
    assert mech.shafts == ("right",)
    rows = {s.name: s.ratio for s in mech.spins}
    np.testing.assert_allclose(rows["arm"], (0, 0, 1.0, 0.5))
    np.testing.assert_allclose(rows["planet"], (0, 0, -1.5, 0.75))
    assert next(s for s in mech.spins if s.name == "planet").coupling == 0
    assert agreement(mech, bevel_oracle(count)) < 1e-10


def test_two_bevel_planets_are_refused():
    with pytest.raises(SpinError, match=r"'planet'.*2 .*carrier"):
        gw.assemble(Robot("arm", chain(), trains=[bevel_train(2)]))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_bevel_planets_on_a_link(count):
    """The arm is link 3: each planet is an ordinary wheel with its own axis, any number is exact."""
    e, p = axis_in_parent("j3")
    axis = np.array(chain()[2].joint.axis) / np.linalg.norm(chain()[2].joint.axis)
    u, w = across(axis)
    train = Train(
        "bevels",
        [
            Gearwheel("left", "l2", "j3", 3e-3, mass=0.2, transverse_inertia=2e-3),
            Gearwheel("right", "l2", "j3", 4e-3, mass=0.2, transverse_inertia=3e-3),
            Gearwheel(
                "planet",
                "l3",
                "radial",
                PLANET.inertia,
                PLANET.mass,
                PLANET.mean_transverse_inertia,
                count=count,
                radius=RADIUS,
            ),
        ],
        [
            Mesh("left", "planet", teeth=(30, 20), kind="bevel"),
            Mesh("right", "planet", teeth=(30, 20), kind="bevel", sense=-1),
        ],
        free=["right"],
    )
    mech = gw.assemble(Robot("arm", chain(), trains=[train]))
    oracle = explicit_chain(1, ("j1", "j2", "j3", "right"))
    oracle.wheel("right", "l2", {"right": 1.0}, e, 4e-3, 3e-3, 0.2, p)
    oracle.wheel("left", "l2", {"j3": 2.0, "right": -1.0}, e, 3e-3, 2e-3, 0.2, p)
    for k in range(count):
        t = 2 * np.pi * k / count
        out = np.cos(t) * u + np.sin(t) * w
        oracle.wheel(
            f"p{k}",
            "l3",
            {"j3": -1.5, "right": 1.5},
            out,
            PLANET.inertia,
            PLANET.mean_transverse_inertia,
            PLANET.mass,
            RADIUS * out,
        )
    assert agreement(mech, oracle) < 1e-10


@pytest.mark.parametrize("count", [3, 4, 5])
def test_planetary_with_no_member_held(count):
    """Sun driven by joint 3, ring free, the arm between them: two inputs, orbiting planets on a moving link."""
    planets, meshes = planetary_differential("stage", "sun", "ring", "arm", (40, 20, 80), count, PLANET, RADIUS)
    wheels = [
        Gearwheel("sun", "l2", "j3", 3e-3, mass=0.2, transverse_inertia=2e-3),
        Gearwheel("ring", "l2", "j3", 9e-3, mass=0.5, transverse_inertia=6e-3),
        Gearwheel("arm", "l2", "j3", 5e-3, mass=0.3, transverse_inertia=4e-3),
        Gearwheel("helper", "l2", (0.0, 1.0, 0.2), 1e-3, mass=0.1, transverse_inertia=9e-4),
    ]
    meshes = [*meshes, Mesh("helper", "sun", ratio=-2.0), Mesh("helper", "l1", ratio=1.5, carrier="l2")]
    # the helper ties the sun to joint 2, which shares link 2 with it
    train = Train("stage", [*wheels, *planets], meshes, free=["ring"])
    mech = gw.assemble(Robot("arm", chain(), trains=[train]))
    oracle = explicit_chain(1, ("j1", "j2", "j3", "ring"))
    e, p = axis_in_parent("j3")
    helper = {"j2": -1.5}  # relative to link 2: link 1 turns at -j2 relative to link 2
    sun = {"j2": 0.75}
    # Willis: arm = (Zs sun + Zr ring) / (Zs + Zr), planet - arm = -(Zs / Zp) (sun - arm)
    arm = {"j2": 0.75 / 3, "ring": 2 / 3}
    own = {"j2": -2 * (0.75 - 0.25), "ring": -2 * (-2 / 3)}
    oracle.wheel("helper", "l2", helper, (0, 1, 0.2), 1e-3, 9e-4, 0.1)
    oracle.wheel("sun", "l2", sun, e, 3e-3, 2e-3, 0.2, p)
    oracle.wheel("ring", "l2", {"ring": 1.0}, e, 9e-3, 6e-3, 0.5, p)
    oracle.wheel("arm", "l2", arm, e, 5e-3, 4e-3, 0.3, p)
    u, w = across(e)
    for k in range(count):
        t = 2 * np.pi * k / count
        oracle.wheel(
            f"p{k}",
            "arm",
            own,
            e,
            PLANET.inertia,
            PLANET.mean_transverse_inertia,
            PLANET.mass,
            RADIUS * (np.cos(t) * u + np.sin(t) * w),
        )
    assert agreement(mech, oracle) < 1e-10


@pytest.mark.parametrize("count", [1, 2, 3])
def test_planetary_with_no_member_held_on_a_link(count):
    """The arm is link 3, sun and ring are both driven: planets on a link, any number is exact."""
    e, p = axis_in_parent("j3")
    axis = np.array(chain()[2].joint.axis) / np.linalg.norm(chain()[2].joint.axis)
    u, w = across(axis)
    body = {"mass": PLANET.mass, "transverse_inertia": PLANET.mean_transverse_inertia}
    wheels = [
        Gearwheel("sun", "l2", "j3", 3e-3, mass=0.2, transverse_inertia=2e-3),
        Gearwheel("ring", "l2", "j3", 9e-3, mass=0.5, transverse_inertia=6e-3),
        Gearwheel("planets", "l3", "parallel", PLANET.inertia, count=count, radius=RADIUS, towards=tuple(u), **body),
    ]
    meshes = [Mesh("sun", "planets", teeth=(40, 20)), Mesh("ring", "planets", teeth=(80, 20), kind="internal")]
    mech = gw.assemble(Robot("arm", chain(), trains=[Train("stage", wheels, meshes, free=["ring"])]))
    oracle = explicit_chain(1, ("j1", "j2", "j3", "ring"))
    oracle.wheel("ring", "l2", {"ring": 1.0}, e, 9e-3, 6e-3, 0.5, p)
    oracle.wheel("sun", "l2", {"j3": 3.0, "ring": -2.0}, e, 3e-3, 2e-3, 0.2, p)
    own = {"j3": -4.0, "ring": 4.0}  # planet - arm = (80/20) (ring - arm)
    for k in range(count):
        t = 2 * np.pi * k / count
        place = RADIUS * (np.cos(t) * u + np.sin(t) * w)
        oracle.wheel(f"p{k}", "l3", own, axis, PLANET.inertia, PLANET.mean_transverse_inertia, PLANET.mass, place)
    assert agreement(mech, oracle) < 1e-10


def test_nested_shafts():
    """A motor at the base drives joint 3 through shafts in joints 1 and 2: their motion is in its row."""
    train = nested_shafts("remote", ["j1", "j2", "j3"], ["l1", "l2", "l3"], [1.5, -2.0], [2e-3, 3e-3])
    motor = TrainMotor("m3", "remote.1")
    train = Train(train.name, train.wheels, train.meshes, [motor])
    mech = gw.assemble(Robot("arm", chain(), trains=[train]))
    np.testing.assert_allclose(gw.actuation.structure_matrix(mech)[:, 0], [1.0, 1.5, -3.0])
    oracle = explicit_chain()
    (e1, p1), (e2, p2) = axis_in_parent("j1"), axis_in_parent("j2")
    oracle.wheel("s1", "base", {"j1": 1.0, "j2": 1.5, "j3": -3.0}, e1, 2e-3, 1e-3, 0.0, p1)
    oracle.wheel("s2", "l1", {"j2": 1.0, "j3": -2.0}, e2, 3e-3, 1.5e-3, 0.0, p2)
    assert agreement(mech, oracle) < 1e-10


def test_bevel_differential_as_a_part():
    """Two side gears and the output's gear: mean moves the arm (link 1), difference the output (link 2)."""
    members = (Member(2e-3, 0.2, 1.5e-3), Member(2e-3, 0.2, 1.5e-3))
    motors = [TrainMotor("left", "d.left"), TrainMotor("right", "d.right")]
    train = bevel_differential("d", "l1", "l2", (20, 30), members, motors, arm_joint="j1")
    mech = gw.assemble(Robot("arm", chain(), trains=[train]))
    np.testing.assert_allclose(gw.actuation.structure_matrix(mech).T, [(1, -1.5, 0), (1, 1.5, 0)])
    oracle = explicit_chain()
    e, p = axis_in_parent("j1")
    oracle.wheel("left", "base", {"j1": 1.0, "j2": -1.5}, e, 2e-3, 1.5e-3, 0.2, p)
    oracle.wheel("right", "base", {"j1": 1.0, "j2": 1.5}, e, 2e-3, 1.5e-3, 0.2, p)
    assert agreement(mech, oracle) < 1e-10
