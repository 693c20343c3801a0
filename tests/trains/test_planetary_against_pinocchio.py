"""Planetary stages against Pinocchio with sun, ring, carrier and every planet as its own body."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import SpinError
from gearwright.parts import Drive, Member, Motor, Planetary, Robot
from trains.arms import across, axis_in_parent, chain, explicit_chain, states
from trains.explicit import worst

ZS, ZP, ZR = 40, 20, 80
RADIUS = 0.06
SUN = Member(4e-3, 0.3, 3e-3)
PLANET = Member(6e-3, 0.4, 5e-3)
RING = Member(2e-2, 1.1, 1.5e-2)
ARM = Member(9e-3, 0.6, 7e-3)
ROTOR = Motor(8e-3, 0.5, 6e-3)
# Willis, worked out by hand: speeds of sun, ring, carrier and planet (absolute, over the mount) per unit output.
BY_HAND = {
    "ring": {"sun": 3.0, "ring": 0.0, "carrier": 1.0, "planet": -3.0},
    "carrier": {"sun": -2.0, "ring": 1.0, "carrier": 0.0, "planet": 4.0},
    "sun": {"sun": 0.0, "ring": 1.5, "carrier": 1.0, "planet": 3.0},
}


def gear(held, planets, towards=None, **more):
    members = {"sun_member": SUN, "planet_member": PLANET, "ring_member": RING, "carrier_member": ARM}
    return Planetary(
        sun=ZS, planet=ZP, ring=ZR, planets=planets, held=held, radius=RADIUS, towards=towards, **members, **more
    )


def explicit(held, planets, output="j3", elastic=False, seed=1):
    """Every member on link 2 about joint 3's axis; the planets ride on the carrier's own body (or on link 3)."""
    shaft = "j3.motor" if elastic else output
    speeds = ("j1", "j2", "j3", *([shaft] if elastic else []))
    oracle = explicit_chain(seed, speeds)
    e, p = axis_in_parent("j3", seed)
    s = BY_HAND[held]
    driver = "ring" if held == "sun" else "sun"
    oracle.wheel("rotor", "l2", {shaft: s[driver]}, e, ROTOR.inertia, ROTOR.transverse_inertia, ROTOR.mass, p)
    for name, member in (("sun", SUN), ("ring", RING), ("carrier", ARM)):
        if name != held:
            oracle.wheel(name, "l2", {shaft: s[name]}, e, member.inertia, member.transverse_inertia, member.mass, p)
    u, w = across(e)
    rides, centre = ("l2", p) if held == "carrier" else ("carrier", np.zeros(3))
    for k in range(planets):
        t = 2 * np.pi * k / planets
        place = centre + RADIUS * (np.cos(t) * u + np.sin(t) * w)
        rate = {shaft: s["planet"] - s["carrier"]}
        oracle.wheel(f"planet{k}", rides, rate, e, PLANET.inertia, PLANET.transverse_inertia, PLANET.mass, place)
    return oracle


def drive(held, planets, **more):
    e, p = axis_in_parent("j3")
    motor = Motor(ROTOR.inertia, ROTOR.mass, ROTOR.transverse_inertia, position=p)
    # The first planet's direction is stated on the link that carries it: link 3's frame when the carrier is link 3.
    u, _ = across(e)
    rotation = np.array(chain()[2].joint.rotation)
    towards = u if held == "carrier" else rotation.T @ u
    return Drive("j3", motor, gear(held, planets, towards, **more))


def error(robot, oracle):
    mech = gw.assemble(robot)
    mech = gw.Mechanism(mech.bodies, mech.spins, mech.shafts, gravity=mech.gravity)
    found = 0.0
    for q, v, a in states(mech.n):
        found = max(found, worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)))
        found = max(found, worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)))
    return found


@pytest.mark.parametrize("held", ["ring", "carrier", "sun"])
@pytest.mark.parametrize("planets", [1, 2, 3, 4, 5])
def test_carrier_is_a_link(held, planets):
    """Exact for any number: the carrier is held on link 2, or is link 3 itself."""
    assert gear(held, planets, (1, 0, 0)).ratio == pytest.approx(BY_HAND[held]["ring" if held == "sun" else "sun"])
    assert error(Robot("arm", chain(), [drive(held, planets)]), explicit(held, planets)) < 1e-10


@pytest.mark.parametrize("held", ["ring", "sun"])
@pytest.mark.parametrize("planets", [3, 4, 5])
def test_carrier_is_no_link(held, planets):
    """Behind a spring the carrier is a wheel of its own, with the planets orbiting on it."""
    robot = Robot("arm", chain(), [drive(held, planets, stiffness=9000.0)])
    assert error(robot, explicit(held, planets, elastic=True)) < 1e-10


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ("ring", {"sun": 5.0, "ring": 0.0, "carrier": 1.0, "planet": -5 / 3}),
        ("carrier", {"sun": -4.0, "ring": 1.0, "carrier": 0.0, "planet": 8 / 3}),
        ("sun", {"sun": 0.0, "ring": 1.25, "carrier": 1.0, "planet": 5 / 3}),
    ],
)
def test_willis(held, expected):
    """The speeds by Willis for 18, 27 and 72 teeth."""
    assert Planetary(sun=18, planet=27, ring=72, held=held).member_rates == pytest.approx(expected)


@pytest.mark.parametrize("planets", [1, 2])
def test_too_few_orbiting_planets_are_refused(planets):
    with pytest.raises(SpinError, match=rf"{planets} planets.*carrier"):
        gw.assemble(Robot("arm", chain(), [drive("ring", planets, stiffness=9000.0)]))


@pytest.mark.parametrize(("planets", "least"), [(2, 1e-5), (1, 1e-4)])
def test_the_refused_error_is_real(planets, least):
    """The reduction of three and more planets applied to fewer is wrong, and by how much depends on the carrier."""
    oracle = explicit("ring", planets, elastic=True)
    many = gw.assemble(Robot("arm", chain(), [drive("ring", 3, stiffness=9000.0)]))
    share = planets / 3  # the same reduction, for `planets` planets: it is linear in their number
    base = gw.assemble(Robot("arm", chain(), [Drive("j3", drive("ring", 3).motor, _without_planets())]))
    found = 0.0
    for q, *_ in states(4):
        M = gw.mass_matrix(base, q) + share * (gw.mass_matrix(many, q) - gw.mass_matrix(base, q))
        found = max(found, worst(M, oracle.mass_matrix(q)))
    assert least < found < 0.2


def _without_planets():
    stage = {"sun": ZS, "planet": ZP, "ring": ZR, "radius": RADIUS, "stiffness": 9000.0}
    return Planetary(**stage, sun_member=SUN, ring_member=RING, carrier_member=ARM)
