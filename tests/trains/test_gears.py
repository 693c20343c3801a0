"""Gears a designer names: each ratio and wheel speed against its gear graph, solved member by member."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gearwright as gw
from gearwright.mechanism import GearGraph, GearPair, TurningPair
from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Drive,
    Gear,
    Harmonic,
    Joint,
    Link,
    Member,
    Motor,
    Planetary,
    Rack,
    Robot,
    Screw,
    Series,
    Spur,
    Wolfrom,
    Worm,
)
from trains.arms import across, axis_in_parent, chain, explicit_chain, states
from trains.explicit import worst

M = Member(1e-3, 0.1, 8e-4)


def speeds(turning, gears, output):
    """Rates of all members relative to the mount per unit of the output; (inner, outer, axis) and (j, k, g)."""
    graph = GearGraph([TurningPair(*pair) for pair in turning], [GearPair(*gear) for gear in gears], "mount")
    rates = graph.turning_rates([output])
    return {link: graph.relative_row(rates, "mount", link).get(output, 0.0) for link in graph.links}


COAXIAL = [("mount", "sun", "a"), ("mount", "arm", "a"), ("arm", "planet", "p")]


def test_spur_with_idlers():
    gear = Spur(driver=20, driven=70, idlers=(31, 17), driver_member=M, driven_member=M, idler_members=(M, M))
    turning = [("mount", name, name) for name in ("driver", "i1", "i2", "out")]
    graph = speeds(turning, [("driver", "i1", -31 / 20), ("i1", "i2", -17 / 31), ("i2", "out", -70 / 17)], "out")
    assert gear.ratio == pytest.approx(graph["driver"])
    found = {wheel.name: wheel.ratio for wheel in gear.wheels()}
    assert found == pytest.approx(
        {"driver": graph["driver"], "idler1": graph["i1"], "idler2": graph["i2"], "driven": 1.0}
    )


@pytest.mark.parametrize("held", ["ring", "sun", "carrier"])
def test_stepped_planets(held):
    """Sun 20 - planet 40, second planet 25 - ring 85 (equal centre distances): through the graph with both meshes."""
    gear = Planetary(sun=20, planet=40, second_planet=25, ring=85, planets=3, held=held)
    names = {"ring": "ring", "sun": "sun", "carrier": "arm"}
    turning = [pair for pair in [*COAXIAL, ("mount", "ring", "a")] if pair[1] != names[held]]
    turning = [("mount" if a == names[held] else a, b, c) for a, b, c in turning]
    put = lambda name: "mount" if name == names[held] else name  # noqa: E731
    gears = [(put("sun"), "planet", -40 / 20, put("arm")), (put("ring"), "planet", 25 / 85, put("arm"))]
    output = names[gear.output_name]
    graph = speeds(turning, gears, output)
    for mine, theirs in (("sun", "sun"), ("ring", "ring"), ("carrier", "arm"), ("planet", "planet")):
        expected = 0.0 if theirs == names[held] else graph[theirs]
        assert gear.member_rates[mine] == pytest.approx(expected), mine


def test_wolfrom():
    gear = Wolfrom(sun=12, planet=24, ring=60, second_planet=21, second_ring=57)
    turning = [*COAXIAL, ("mount", "ring2", "a")]
    gears = [("sun", "planet", -24 / 12), ("mount", "planet", 24 / 60, "arm"), ("ring2", "planet", 21 / 57)]
    graph = speeds(turning, gears, "ring2")
    assert gear.member_rates == pytest.approx(
        {"sun": graph["sun"], "carrier": graph["arm"], "planet": graph["planet"], "ring": 1}
    )
    assert gear.ratio == pytest.approx((1 + 60 / 12) / (1 - 60 * 21 / (24 * 57)))


def test_rv():
    """Sun 16, planets 32 with cranks, 40 pins, disc with 39 lobes guided by the cranks, carrier out."""
    gear = Cycloidal(pins=40, sun=16, planet=32)
    assert gear.ratio == pytest.approx(1 + 32 / 16 * 40)
    # Carrier frame: planet at -(16/32)(s_sun - 1); the disc turns with the carrier, rolling 39 inside 40 on the crank.
    crank = 1 - 16 / 32 * (gear.ratio - 1)
    assert (1 - crank) * 39 == pytest.approx((0 - crank) * 40)


@pytest.mark.parametrize(
    ("gear", "ratio"),
    [
        (Bevel(driver=20, driven=40), -2.0),
        (Bevel(driver=20, driven=40, away=False), 2.0),
        (Worm(starts=1, wheel=50, hand="left"), -50.0),
        (Belt(driver=0.02, driven=0.05, crossed=True), -2.5),
        (Rack(radius=0.025), 40.0),
        (Rack(teeth=20, module=0.002, reverse=True), -50.0),
        (Screw(lead=0.02), -100 * math.pi),
        (Screw(lead=0.02, hand="left"), 100 * math.pi),
        (Harmonic(flexspline=200, circular=202), -100.0),
        (Harmonic(reduction=100, held="flexspline"), 101.0),
        (Cycloidal(pins=30), -29.0),
        (Series(stages=[Spur(driver=17, driven=51), Planetary(sun=18, planet=27, ring=72)]), -15.0),
    ],
)
def test_ratios(gear, ratio):
    assert gear.ratio == pytest.approx(ratio)


def test_sliding_joint():
    """Rack and screw: reflected inertia J / r^2 and J (2 pi / lead)^2 beside the mass."""
    slide = [Link("carriage", joint=Joint("x", "prismatic", (1, 0, 0)), mass=3.0)]
    for gear, inertia in ((Rack(radius=0.02), 2e-4), (Screw(lead=0.01), 2e-6)):
        mech = gw.assemble(Robot("slide", slide, [Drive("x", Motor(inertia), gear, axis=(0, 0, 1))]))
        assert gw.mass_matrix(mech, [0.1])[0, 0] == pytest.approx(3.0 + inertia * gear.ratio**2)


def test_wheels_of_a_bevel_drive_turn_about_their_own_axes():
    """The driver about the motor's axis, the driven gear about the joint's, against explicit bodies."""
    e, p = axis_in_parent("j3")
    u, _ = across(e)
    gear = Bevel(driver=20, driven=50, driver_member=M, driven_member=M)
    motor = Motor(3e-3, 0.4, 2e-3, position=(0.1, 0, 0))
    mech = gw.assemble(Robot("arm", chain(), [Drive("j3", motor, gear, axis=tuple(u))]))
    oracle = explicit_chain()
    oracle.wheel("rotor", "l2", {"j3": -2.5}, u, 3e-3, 2e-3, 0.4, (0.1, 0, 0))
    oracle.wheel("driver", "l2", {"j3": -2.5}, u, 1e-3, 8e-4, 0.1, (0.1, 0, 0))
    oracle.wheel("driven", "l2", {"j3": 1.0}, e, 1e-3, 8e-4, 0.1, p)
    for q, v, a in states(3):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


def test_series_of_planetary_stages():
    """First stage's carrier drives the second sun and is not a link (its planets orbit); the second's is link 3."""
    stage = {"sun": 40, "planet": 20, "ring": 80, "planets": 4, "radius": 0.06, "planet_member": M, "sun_member": M}
    gear = Series(stages=[Planetary(**stage, carrier_member=M), Planetary(**stage)])
    assert gear.ratio == pytest.approx(9.0)
    e, p = axis_in_parent("j3")
    mech = gw.assemble(Robot("arm", chain(), [Drive("j3", Motor(position=p), gear)]))
    oracle = explicit_chain()
    u, w = across(e)
    circle = [0.06 * (np.cos(t) * u + np.sin(t) * w) for t in np.arange(4) * np.pi / 2]
    body = (M.inertia, M.transverse_inertia, M.mass)
    oracle.wheel("sun1", "l2", {"j3": 9.0}, e, *body, p)
    oracle.wheel("arm1", "l2", {"j3": 3.0}, e, *body, p)
    oracle.wheel("sun2", "l2", {"j3": 3.0}, e, *body, p)
    oracle.wheel("arm2", "l2", {"j3": 1.0}, e, 0.0, 0.0, 0.0, p)
    for k, place in enumerate(circle):
        oracle.wheel(f"p1{k}", "arm1", {"j3": 3 * (-3 - 1)}, e, *body, place)
        oracle.wheel(f"p2{k}", "arm2", {"j3": -3 - 1}, e, *body, place)
    for q, v, a in states(3):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


def test_wolfrom_against_explicit_bodies():
    """Stepped planets on a carrier that drives nothing, every planet its own body on the carrier's."""
    ring, arm = Member(5e-3, 0.4, 4e-3), Member(2e-3, 0.3, 1.5e-3)
    gear = Wolfrom(
        sun=12, planet=24, ring=60, second_planet=21, second_ring=57, radius=0.05,
        sun_member=M, planet_member=M, carrier_member=arm, ring_member=ring,
    )  # fmt: skip
    e, p = axis_in_parent("j3")
    mech = gw.assemble(Robot("arm", chain(), [Drive("j3", Motor(position=p), gear)]))
    oracle = explicit_chain()
    s_arm = 1 / (1 - 60 * 21 / (24 * 57))
    oracle.wheel("sun", "l2", {"j3": 6 * s_arm}, e, 1e-3, 8e-4, 0.1, p)
    oracle.wheel("arm", "l2", {"j3": s_arm}, e, 2e-3, 1.5e-3, 0.3, p)
    oracle.wheel("ring", "l2", {"j3": 1.0}, e, 5e-3, 4e-3, 0.4, p)
    u, w = across(e)
    for k, t in enumerate(2 * np.pi * np.arange(3) / 3):
        own = {"j3": -60 / 24 * s_arm}  # rolling in the held ring
        oracle.wheel(f"p{k}", "arm", own, e, 1e-3, 8e-4, 0.1, 0.05 * (np.cos(t) * u + np.sin(t) * w))
    for q, v, a in states(3):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


def test_averaged_members_state_their_error():
    """An oval wave generator and two cycloid discs enter averaged: the true inertia swings by at most the error."""
    oval = Member(2e-5, 0.1, transverse_inertia=(1.3e-5, 1.1e-5))
    assert Harmonic(reduction=100, generator_member=oval).averaging_error == pytest.approx(1e-6)
    stages = [Spur(driver=20, driven=60), Harmonic(reduction=100, generator_member=oval)]
    assert Series(stages=stages).averaging_error == pytest.approx(1e-6)
    gear = Cycloidal(pins=40, eccentricity=0.002, disc_member=Member(1e-4, 0.5))
    assert gear.averaging_error == pytest.approx(0.5 * 0.002**2)
    wheels = {w.name: w for w in gear.wheels()}
    assert wheels["orbit"].inertia == pytest.approx(2 * 0.5 * 0.002**2)  # two discs, m e^2 each, about the axis
    # About an axis across: each disc's m (e sin t)^2 summed over the pair, between 0 and 2 m e^2; the mean is used.
    true = [2 * 0.5 * (0.002 * math.sin(t)) ** 2 for t in np.linspace(0, math.pi, 19)]
    off = [abs(x - wheels["orbit"].transverse_inertia) for x in true]
    assert max(off) == pytest.approx(gear.averaging_error)


def test_a_gear_by_ratio_alone_is_the_same_machine():
    """A massless planetary stage and a plain gear of the same ratio give the same spins."""
    made = [
        gw.assemble(Robot("arm", chain(), [Drive("j3", Motor(1e-4), gear)]))
        for gear in (Gear(5.0), Planetary(sun=18, planet=27, ring=72))
    ]
    assert [(s.name, s.ratio, s.inertia) for s in made[0].spins] == [
        (s.name, s.ratio, s.inertia) for s in made[1].spins
    ]


def cycloidal_error(discs):
    """The largest relative error of M and torque against explicit discs that orbit on the eccentric."""
    disc, shaft, eccentricity, pins = Member(4e-3, 1.2, 2.5e-3), Member(1e-3, 0.3, 8e-4), 0.03, 12
    gear = Cycloidal(pins=pins, discs=discs, eccentricity=eccentricity, disc_member=disc, eccentric_member=shaft)
    e, p = axis_in_parent("j3")
    mech = gw.assemble(Robot("arm", chain(), [Drive("j3", Motor(position=p), gear)]))
    oracle = explicit_chain()
    oracle.wheel("eccentric", "l2", {"j3": -(pins - 1.0)}, e, 1e-3, 8e-4, 0.3, p)
    u, w = across(e)
    for k in range(discs):
        t = 2 * np.pi * k / discs
        place = eccentricity * (np.cos(t) * u + np.sin(t) * w)
        oracle.wheel(f"disc{k}", "eccentric", {"j3": 1.0 + pins - 1.0}, e, 4e-3, 2.5e-3, 1.2, place)
    found = 0.0
    for q, v, a in states(3):
        found = max(found, worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)))
        found = max(found, worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)))
    return found


def test_cycloidal_discs():
    """Three discs are the same from every side and exact; two are averaged, and the error is real."""
    assert cycloidal_error(3) < 1e-10
    assert 1e-6 < cycloidal_error(2) < 1e-2


def test_held_discs_against_explicit_bodies():
    """The pins go out: three discs circle with the eccentric without turning; their own inertia rests on the mount."""
    disc, eccentricity, pins = Member(4e-3, 1.2, 2.5e-3, position=(0.1, -0.2, 0.05)), 0.03, 12
    gear = Cycloidal(pins=pins, held="discs", discs=3, eccentricity=eccentricity, disc_member=disc)
    e, _ = axis_in_parent("j3")
    mech = gw.assemble(Robot("arm", chain(), [Drive("j3", gear=gear)]))
    oracle = explicit_chain()
    oracle.wheel("eccentric", "l2", {"j3": float(pins)}, e, 0.0, 0.0, 0.0, (0.1, -0.2, 0.05))
    u, w = across(e)
    for k, t in enumerate(2 * np.pi * np.arange(3) / 3):
        place = eccentricity * (np.cos(t) * u + np.sin(t) * w)
        oracle.wheel(f"disc{k}", "eccentric", {"j3": -float(pins)}, e, 4e-3, 2.5e-3, 1.2, place)
    for q, v, a in states(3):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


@pytest.mark.parametrize(
    "make",
    [
        lambda planet: Planetary(sun=40, planet=20, ring=80, radius=0.06, planet_member=planet, stiffness=1e4),
        lambda planet: Cycloidal(pins=12, discs=3, eccentricity=0.02, disc_member=planet),
    ],
)
def test_members_already_in_the_link_are_not_counted_twice(make):
    """Orbiting planets and discs marked as included change no link, and turn as before."""
    machines = [
        gw.assemble(Robot("arm", chain(), [Drive("j3", gear=make(Member(1e-3, 0.5, 8e-4, included=included)))]))
        for included in (False, True)
    ]
    bare = gw.assemble(Robot("arm", chain()))
    mass = bare.bodies[1].mass
    assert [m.bodies[1].mass for m in machines] == pytest.approx([mass + 1.5, mass])
    assert [(s.ratio, s.inertia) for s in machines[0].spins] == [(s.ratio, s.inertia) for s in machines[1].spins]


def test_rv_against_explicit_bodies():
    """Sun, three planets with cranks on the driven link, discs that keep the link's orientation and circle."""
    sun, crank, disc = Member(5e-4, 0.1, 4e-4), Member(3e-4, 0.15, 2e-4), Member(4e-3, 1.2, 2.5e-3)
    eccentricity, radius = 0.02, 0.05
    gear = Cycloidal(
        pins=12, sun=16, planet=32, discs=3, eccentricity=eccentricity, radius=radius,
        sun_member=sun, eccentric_member=crank, disc_member=disc,
    )  # fmt: skip
    e, p = axis_in_parent("j3")
    mech = gw.assemble(Robot("arm", chain(), [Drive("j3", Motor(position=p), gear)]))
    oracle = explicit_chain()
    oracle.wheel("sun", "l2", {"j3": 25.0}, e, 5e-4, 4e-4, 0.1, p)
    u, w = across(e)
    turns = [2 * np.pi * k / 3 for k in range(3)]
    oracle.wheel("phase", "l2", {"j3": -11.0}, e, 0.0, 0.0, 0.0, p)  # where the discs' centres are
    oracle.wheel("carrier", "l2", {"j3": 1.0}, e, 0.0, 0.0, 0.0, p)  # what turns with link 3
    for k, t in enumerate(turns):
        out = np.cos(t) * u + np.sin(t) * w
        oracle.wheel(f"disc{k}", "phase", {"j3": 12.0}, e, 4e-3, 2.5e-3, 1.2, eccentricity * out)
        oracle.wheel(f"crank{k}", "carrier", {"j3": -12.0}, e, 3e-4, 2e-4, 0.15, radius * out)
    for q, v, a in states(3):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


@pytest.mark.parametrize("modules", [(0.001,), [0.001, 0.001, 0.002]])
def test_modules_of_planets_are_one_or_two(modules):
    with pytest.raises(gw.errors.TrainError, match=r"planetary: modules="):
        Planetary(sun=18, planet=27, ring=72, modules=modules)
