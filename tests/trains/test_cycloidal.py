"""Cycloidal and RV reducers wherever they stand: elastic, off the joint's axis, before another stage."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Cycloidal, Drive, Member, Motor, Robot, Series, Spur
from trains.arms import across, axis_in_parent, chain, explicit_chain, states
from trains.explicit import worst

SUN, CRANK, DISC = Member(5e-4, 0.1, 4e-4), Member(3e-4, 0.15, 2e-4), Member(4e-3, 1.2, 2.5e-3)
ECCENTRICITY, RADIUS = 0.02, 0.05
AXIS, PLACE = axis_in_parent("j3")


def reducer(**more):
    members = {"sun_member": SUN, "eccentric_member": CRANK, "disc_member": DISC}
    size = {"eccentricity": ECCENTRICITY, "radius": RADIUS}
    return Cycloidal(pins=12, sun=16, planet=32, discs=3, **size, **members, **more)


def explicit(speed, per_output, axis, speeds):
    """Sun, cranks and discs as bodies on link 2; the output turns `per_output` times as fast as `speed`."""
    oracle = explicit_chain(1, speeds)
    row = lambda rate: {speed: rate * per_output}  # noqa: E731
    oracle.wheel("sun", "l2", row(25.0), axis, SUN.inertia, SUN.mean_transverse_inertia, SUN.mass, PLACE)
    oracle.wheel("phase", "l2", row(-11.0), axis, 0.0, 0.0, 0.0, PLACE)  # where the discs' centres are
    oracle.wheel("carrier", "l2", row(1.0), axis, 0.0, 0.0, 0.0, PLACE)  # what turns with the output
    u, w = across(axis)
    for k, t in enumerate(2 * np.pi * np.arange(3) / 3):
        out = np.cos(t) * u + np.sin(t) * w
        oracle.wheel(
            f"disc{k}",
            "phase",
            row(12.0),
            axis,
            DISC.inertia,
            DISC.mean_transverse_inertia,
            DISC.mass,
            ECCENTRICITY * out,
        )
        oracle.wheel(
            f"crank{k}",
            "carrier",
            row(-12.0),
            axis,
            CRANK.inertia,
            CRANK.mean_transverse_inertia,
            CRANK.mass,
            RADIUS * out,
        )
    return oracle


TILTED = AXIS + 0.4 * across(AXIS)[0]
TILTED /= np.linalg.norm(TILTED)
CASES = {
    "elastic": (reducer(stiffness=9000.0), None, "j3.motor", 1.0),
    "off the axis": (reducer(), TILTED, "j3", 1.0),
    "before a stage": (Series(stages=[reducer(), Spur(driver=20, driven=60)]), None, "j3", -3.0),
    "elastic before a stage": (
        Series(stages=[reducer(), Spur(driver=20, driven=60)], stiffness=9000.0),
        None,
        "j3.motor",
        -3.0,
    ),
}


@pytest.mark.parametrize(("gear", "axis", "speed", "per_output"), CASES.values(), ids=CASES)
def test_rv_against_explicit_bodies(gear, axis, speed, per_output):
    drive = Drive("j3", Motor(position=tuple(PLACE)), gear, axis=None if axis is None else tuple(axis))
    mech = gw.assemble(Robot("arm", chain(), [drive]))
    oracle = explicit(speed, per_output, AXIS if axis is None else axis, mech.speeds)
    mech = gw.Mechanism(mech.bodies, mech.spins, mech.shafts, gravity=mech.gravity)
    for q, v, a in states(mech.n):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


@pytest.mark.parametrize("mass", [0.0, 1.2])
@pytest.mark.parametrize("eccentricity", [0.0, 0.03])
def test_held_discs_rest_on_the_mount(mass, eccentricity):
    """Discs that are held do not turn: their own inertia is the mount's, whether their mass counts or not."""
    disc = Member(4e-3, mass, 2.5e-3, position=(0.1, -0.2, 0.05))
    gear = Cycloidal(pins=12, held="discs", discs=3, eccentricity=eccentricity, disc_member=disc)
    mech = gw.assemble(Robot("arm", chain(), [Drive("j3", gear=gear)]))
    oracle = explicit_chain()
    oracle.wheel("eccentric", "l2", {"j3": 12.0}, AXIS, 0.0, 0.0, 0.0, disc.position)
    u, w = across(AXIS)
    for k, t in enumerate(2 * np.pi * np.arange(3) / 3):
        out = eccentricity * (np.cos(t) * u + np.sin(t) * w)
        oracle.wheel(f"disc{k}", "eccentric", {"j3": -12.0}, AXIS, 4e-3, 2.5e-3, mass, out)
    for q, v, a in states(3):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


def test_held_discs_that_are_nothing_make_no_wheel():
    gear = Cycloidal(pins=12, held="discs")
    assert gear.wheels() == ()
