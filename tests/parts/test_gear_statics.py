"""Forces in every kind of gear: balance of every member and of the whole box, power, and textbook formulas."""

from __future__ import annotations

import re
from dataclasses import fields
from math import asin, atan, cos, hypot, log, pi, radians, sin, sqrt, tan

import numpy as np
import pytest

from gearwright.errors import TrainError
from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Gear,
    Harmonic,
    Planetary,
    Rack,
    Screw,
    Series,
    Shaft,
    Spur,
    Wolfrom,
    Worm,
    gear_losses,
)
from gearwright.parts.gears.forces.tooth_forces import missing_tooth_data, tooth_forces_or_none
from gearwright.parts.gears.series import belt_tensions

LOADS = np.array([0.0, 1.0, 7.0])
QUADRANTS = [(sense, driving) for sense in (1.0, -1.0) for driving in (True, False)]


def gears(seed: int) -> list:
    """One of every kind with random sizes."""
    rng = np.random.default_rng(seed)
    whole = lambda low, high: int(rng.integers(low, high))  # noqa: E731
    near = lambda low, high: float(rng.uniform(low, high))  # noqa: E731
    driver, sun = whole(15, 30), 3 * whole(5, 9)
    planet = 3 * whole(5, 9)
    teeth = {"pressure_angle": near(0.25, 0.45), "helix_angle": near(-0.5, 0.5)}
    module, loses = near(5e-4, 4e-3), near(0.9, 1.0)
    stage = {"sun": sun, "planet": planet, "ring": sun + 2 * planet, "modules": module, "mesh_efficiency": loses}
    pins, e = whole(10, 40), near(5e-4, 2e-3)
    pulleys = {"driver": near(0.01, 0.03), "driven": near(0.02, 0.06), "distance": near(0.1, 0.4)}
    lead, starts = near(0.05, 0.4), whole(1, 4)
    cyclo = {"eccentricity": e, "pin_circle": e * pins / near(0.4, 0.9), "output_circle": near(0.01, 0.03)}
    idlers = [whole(15, 40) for _ in range(whole(0, 4))]
    return [
        Spur(driver=driver, driven=whole(31, 90), idlers=idlers, module=module, mesh_efficiency=loses, **teeth),
        Spur(driver=driver, driven=whole(41, 90), module=module, internal=True, efficiency=loses, **teeth),
        *(Planetary(held=held, planets=3, **stage, **teeth) for held in ("ring", "carrier", "sun")),
        Planetary(planets=1, **stage, **teeth),
        Planetary(sun=20, planet=40, second_planet=20, ring=80, modules=module, mesh_efficiency=loses),
        Wolfrom(
            sun=12, planet=24, ring=60, second_planet=21, second_ring=57, radius=near(0.01, 0.1), mesh_efficiency=loses
        ),
        Bevel(
            driver=driver, driven=whole(20, 60), module=module, face_width=6 * module, mesh_efficiency=loses, **teeth
        ),
        Bevel(driver=20, driven=25, module=module, face_width=6 * module, shaft_angle=near(0.8, 1.8), **teeth),
        Worm(starts=starts, wheel=whole(30, 60), module=module, lead_angle=lead, friction_coefficient=near(0, 0.04)),
        Worm(starts=starts, wheel=40, module=module, lead_angle=lead, efficiency=near(0.3, 0.9), hand="left"),
        Belt(pretension=near(0, 500), **pulleys),
        Belt(kind="chain", crossed=True, **pulleys),
        Rack(radius=near(0.01, 0.05), pressure_angle=near(0.2, 0.5), efficiency=loses),
        *(Cycloidal(pins=pins, held=held, discs=whole(1, 4), **cyclo) for held in ("pins", "discs")),
    ]


def about_origin(at, force, moment):
    return np.hstack([force, moment + np.cross(at, force)])


@pytest.mark.parametrize("seed", range(4))
def test_every_member_and_the_whole_box_are_in_balance(seed):
    """What acts on a member leaves no torque about its axis; bearings and outside torques cancel over the box."""
    for gear in gears(seed):
        box = gear.gear_statics()
        for sense, driving in QUADRANTS:
            found = box.solve_forces(LOADS, sense, driving)
            most = max(np.abs(push.force).max() for _, push in found.pushes) + 1
            total = np.zeros((len(LOADS), 6))
            for one in box.members:
                force, moment = np.split(found.bearings[one.name], 2, axis=1)
                along = (force if one.slides else moment) @ one.axis
                held = found.torques[one.name] if one.name in box.held else 0.0
                np.testing.assert_allclose(along, held, atol=1e-12 * most, err_msg=f"{gear.kind} {one.name}")
                total += about_origin(one.at, force, moment) if one.on is None else 0.0
                if one.name in (box.driver, box.driven):
                    outside = np.outer(found.torques[one.name], one.axis)
                    total += (
                        about_origin(one.at, outside, 0 * outside) if one.slides else np.hstack([0 * outside, outside])
                    )
            np.testing.assert_allclose(total, 0, atol=1e-12 * most, err_msg=gear.kind)


@pytest.mark.parametrize("seed", range(4))
def test_speeds_and_powers_are_those_of_the_gear(seed):
    """Rolling at the pitch points gives the ratio; power in is power out and what the gear's own losses tell."""
    for gear in gears(seed):
        box, table = gear.gear_statics(), gear_losses(gear)
        for sense, driving in QUADRANTS:
            found = box.solve_forces(LOADS[1:], sense, driving)
            assert abs(found.rates[box.driver]) == pytest.approx(abs(gear.ratio))
            np.testing.assert_allclose(found.torques[box.driven], -sense * LOADS[1:], rtol=1e-9)
            powers = found.torques[box.driver] * found.rates[box.driver] / (sense * LOADS[1:])
            if driving:
                np.testing.assert_allclose(1 / powers, table[0].efficiency if table else 1.0, rtol=1e-9)
            elif isinstance(gear, Planetary | Wolfrom | Worm) and table and gear.efficiency is None:
                np.testing.assert_allclose(powers, table[0].back_driving_efficiency, rtol=1e-9)


def test_the_housing_carries_the_difference_of_the_torques():
    """Of a coaxial gear: the held member's torque is that of the output less that of the input."""
    for gear in (gear for seed in range(3) for gear in gears(seed)):
        box = gear.gear_statics()
        if box.held:
            torques = {name: float(one[-1]) for name, one in box.solve_forces(LOADS).torques.items()}
            held = torques[box.held[0]]
            assert held == pytest.approx(-torques[box.driven] - torques[box.driver])
            assert abs(-torques[box.driven]) == pytest.approx(7.0)


def named(gear, torque=1.0, **how) -> dict:
    return {one.name: one for one in gear.tooth_forces(torque, **how)}


def test_a_bevel_pair_by_hand():
    """By hand: 15 and 45 teeth, 5 per inch, middle radius 1.293 in, 5 hp at 600 rev/min: 406 lbf."""
    inch, lbf, hp = 0.0254, 4.4482216, 745.69987
    pair = Bevel(driver=15, driven=45, module=inch / 5, face_width=2 * (1.5 - 1.293) / sin(atan(1 / 3)) * inch)
    torque = 3 * 5 * hp / (2 * pi * 600 / 60)
    assert pair.middle_radius == pytest.approx(3 * 1.293 * inch)
    pinion = named(pair, torque)["driver-driven"]
    assert pinion.tangential / lbf == pytest.approx(406, abs=0.5)
    assert pinion.radial / lbf == pytest.approx(406 * tan(radians(20)) * cos(radians(18.43)), abs=0.5)
    assert pinion.axial / lbf == pytest.approx(406 * tan(radians(20)) * sin(radians(18.43)), abs=0.5)
    driven = named(pair, torque)["driven bearing"]  # what is radial to the one is axial to the other
    assert (driven.radial, driven.axial) == (pytest.approx(pinion.axial), pytest.approx(pinion.radial))


@pytest.mark.parametrize("hand", [1, -1])
def test_a_spiral_bevel_pair(hand):
    """F_a = F_t / cos(beta) (tan(alpha) sin(delta) +- sin(beta) cos(delta)): of both senses that with more thrust."""
    alpha, beta, cone = radians(20), radians(35), atan(0.5)
    pair = Bevel(driver=20, driven=40, module=2e-3, face_width=0.015, helix_angle=hand * beta)
    for torque in (1.0, np.linspace(0.1, 9.0, 50)):
        mesh = named(pair, torque)["driver-driven"]
        thrust = mesh.tangential / cos(beta) * (tan(alpha) * sin(cone) + sin(beta) * cos(cone))
        np.testing.assert_allclose(mesh.axial, thrust, rtol=1e-9)
        np.testing.assert_allclose(mesh.size, mesh.tangential / cos(alpha) / cos(beta), rtol=1e-9)


def test_a_worm_by_hand():
    """Two threads on 2 in, wheel of 30 teeth on 5 in, 14.5 degrees, friction 0.03, 1 hp at 1200 rev/min into the worm.

    By hand with W the force between the teeth: 52.5 lbf = W (cos a sin l + f cos l), and so W = 278 lbf,
    separating W sin a = 69.6 lbf, round the wheel W (cos a cos l - f sin l) = 264 lbf.
    """
    inch, lbf = 0.0254, 4.4482216
    lead, alpha, mu = atan(2 / 6 / 2), radians(14.5), 0.03
    how = {"lead_angle": lead, "friction_coefficient": mu, "pressure_angle": alpha}
    gear = Worm(starts=2, wheel=30, module=inch / 6, **how)
    tangential = 745.69987 / (2 * pi * 20) / inch  # 1 hp at 1200 rev/min on a radius of 1 in
    assert tangential / lbf == pytest.approx(52.5, abs=0.05)
    normal = tangential / (cos(alpha) * sin(lead) + mu * cos(lead))
    round_wheel = normal * (cos(alpha) * cos(lead) - mu * sin(lead))
    worm = named(gear, round_wheel * 2.5 * inch)["worm-wheel"]
    assert worm.tangential == pytest.approx(tangential)
    assert worm.axial / lbf == pytest.approx(264, abs=0.5)
    assert worm.radial / lbf == pytest.approx(69.6, abs=0.1)
    assert worm.tangential * inch * gear.ratio == pytest.approx(
        round_wheel * 2.5 * inch / gear_losses(gear)[0].efficiency
    )
    back = named(gear, round_wheel * 2.5 * inch, driving=False)["worm-wheel"]
    assert back.axial == pytest.approx(round_wheel)
    assert back.tangential < worm.tangential


def test_a_belt_by_its_wrap_angle():
    """Shaft load sqrt(F1^2 + F2^2 - 2 F1 F2 cos(wrap)), F1 - F2 = T / r, F1 + F2 = 2 F0 until a span is loose."""
    belt = Belt(driver=0.02, driven=0.06, distance=0.3, pretension=100.0)
    for torque, tight, slack in ((6.0, 150.0, 50.0), (18.0, 300.0, 0.0)):
        found = named(belt, torque)
        assert found["driver-driven tight span"].size == pytest.approx(tight)
        assert found["driver-driven slack span"].size == pytest.approx(slack)
        wrap = pi - 2 * asin(0.04 / 0.3)
        load = sqrt(tight**2 + slack**2 - 2 * tight * slack * cos(wrap))
        assert found["driver bearing"].size == pytest.approx(load)
        assert found["driven bearing"].size == pytest.approx(load)
    assert belt.wrap_angle == pytest.approx(wrap)
    assert named(belt, 0.0)["driver bearing"].size == pytest.approx(200 * sin(wrap / 2))
    assert belt_tensions(belt, 18.0)[0].needed == pytest.approx(150.0)


def test_a_flat_belt_slips_by_euler():
    """At the needed pretension F1 / F2 = exp(mu theta)."""
    belt = Belt(driver=0.02, driven=0.06, distance=0.3, pretension=1.0, friction_coefficient=0.4, crossed=True)
    needed = belt.needed_pretension(6.0)
    assert log((needed + 50) / (needed - 50)) == pytest.approx(0.4 * (pi + 2 * asin(0.08 / 0.3)))


def test_a_cycloidal_reducer_by_summing_its_pins():
    """Many pins, each with a force in proportion to its lever, one by one; the largest: 4 T / K R Zg."""
    pins, e, around, inner = 400, 1e-4, 0.06, 0.03
    found = named(Cycloidal(pins=pins, eccentricity=e, pin_circle=around, output_circle=inner, discs=1))
    at = around * np.exp(2j * pi * (np.arange(pins) + 0.5) / pins)
    ways = (at - e * pins) / np.abs(at - e * pins)
    levers = np.maximum(ways.imag * e * (pins - 1), 0)
    forces = levers / np.sum(levers**2)
    together = np.sum(forces * ways)
    assert found["disc-pins"].tangential == pytest.approx(together.imag, rel=1e-3)
    assert found["disc-pins"].radial == pytest.approx(abs(together.real), rel=1e-3)
    assert found["one pin"].size == pytest.approx(forces.max(), rel=1e-3)
    K = e * pins / around
    assert found["one pin"].size == pytest.approx(4 / (K * around * (pins - 1)))
    assert found["disc-output"].size == pytest.approx(4 / (pi * inner))


def test_a_harmonic_drive_by_its_stated_model():
    found = named(Harmonic(flexspline=200, circular=202, radius=0.03, pressure_angle=0.5), 60.0)
    zone = found["one zone of teeth"]
    assert 2 * zone.tangential * 0.03 == pytest.approx(60.0)
    assert found["one lobe of the wave generator"].radial == pytest.approx(zone.tangential * tan(0.5))
    other = named(Harmonic(flexspline=200, circular=202, radius=0.03, held="flexspline"), 60.0)
    assert 2 * other["one zone of teeth"].tangential * 0.0303 == pytest.approx(60.0)


def test_a_rack_and_a_screw():
    rack = named(Rack(radius=0.02), 100.0)
    assert rack["pinion bearing"].size == pytest.approx(100 / cos(radians(20)))
    assert rack["rack guide"].radial == pytest.approx(100 * tan(radians(20)))
    assert rack["rack guide"].tangential == pytest.approx(0, abs=1e-9)
    assert named(Screw(lead=0.01), 100.0)["screw bearing"].axial == 100.0


def test_stages_hand_losses_on():
    """Each stage carries what the one behind it takes from it, its losses included, and leaves when driven back."""
    belt, worm = Belt(driver=0.02, driven=0.06, distance=0.3, pretension=50), Worm(wheel=40, efficiency=0.5)
    found = named(Series(stages=[belt, worm]), 80.0)
    assert found["stage1 driver-driven tight span"].size == pytest.approx(50 + 80 / 40 / 0.5 / 0.06 / 2)
    back = named(Series(stages=[belt, Worm(wheel=40, efficiency=0.8)]), 80.0, driving=False)
    assert back["stage1 driver-driven tight span"].size == pytest.approx(50 + 80 / 40 * 0.75 / 0.06 / 2)
    (tension,) = belt_tensions(Series(stages=[belt, worm]), 80.0)
    assert tension.name == "stage1 belt"
    assert tension.needed == pytest.approx(80 / 40 / 0.5 / 0.06 / 2)


def test_forces_over_a_cycle_are_those_of_each_torque():
    torques = np.array([-3.0, 0.0, 5.0])
    for gear in gears(1):
        series = named(gear, torques)
        for k, torque in enumerate(torques):
            for name, one in named(gear, float(torque)).items():
                assert series[name].size[k] == pytest.approx(one.size, abs=1e-12)


def test_rounding_is_not_told_as_a_force():
    """Pins of straight teeth carry a force round the carrier's axis alone, whatever the load."""
    stage = Planetary(sun=18, planet=27, ring=72, planets=3, modules=0.001)
    pin = named(stage, np.array([0.7, 3.1, 12.0]))["planet pin"]
    assert (pin.radial == 0).all()
    assert (pin.axial == 0).all()
    assert (pin.tangential > 0).all()


def test_what_is_missing_is_told_by_name():
    incomplete = [
        ({"module"}, Spur(driver=20, driven=60)),
        ({"modules"}, Planetary(sun=18, planet=27, ring=72)),
        ({"radius"}, Wolfrom(sun=12, planet=24, ring=60, second_planet=21, second_ring=57)),
        ({"module", "face_width"}, Bevel(driver=20, driven=60)),
        ({"face_width"}, Bevel(driver=20, driven=60, module=1e-3)),
        ({"module", "lead_angle"}, Worm(wheel=40)),
        ({"distance", "pretension"}, Belt(driver=0.02, driven=0.06)),
        ({"distance"}, Belt(driver=0.02, driven=0.06, kind="chain")),
        ({"eccentricity", "pin_circle", "output_circle"}, Cycloidal(pins=20)),
        (set(), Gear(50)),
    ]
    for names, gear in incomplete:
        words = set(re.findall(r"\w+", missing_tooth_data(gear)))
        assert words & {field.name for field in fields(gear)} == names
        assert tooth_forces_or_none(gear) == ()
    series = Series(stages=[Shaft(), Spur(driver=20, driven=60)])
    assert re.match(r"stage 2: .*\bmodule\b", missing_tooth_data(series))
    assert tooth_forces_or_none(series) == ()
    assert "RV" in missing_tooth_data(Cycloidal(pins=40, sun=16, planet=32))
    for gear in gears(0):
        assert missing_tooth_data(gear) is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Bevel(driver=20, driven=40, module=1e-3, face_width=0.06), "face_width"),
        (lambda: Bevel(driver=20, driven=40, shaft_angle=2.9), r"bevel: .*shaft_angle of 2\.9 rad"),
        (lambda: Bevel(driver=20, driven=40, shaft_angle=90.0), "shaft_angle"),
        (lambda: Belt(driver=0.02, driven=0.06, pretension=-1.0), "pretension"),
        (lambda: Cycloidal(pins=20, eccentricity=0.01, pin_circle=0.05), r"cycloidal: 20 pins.*0\.05 m.*0\.01 m"),
        (lambda: Harmonic(reduction=100, radius=0.0), "radius"),
        (lambda: Rack(radius=0.1, pressure_angle=20.0), "pressure_angle"),
        (lambda: Worm(wheel=40, module=0.0), "module"),
    ],
)
def test_geometry_that_cannot_be_is_refused(wrong, words):
    with pytest.raises(TrainError, match=words):
        wrong()


def test_an_idler_between_equal_wheels_carries_most_where_it_is_placed():
    """No other place of the idler gives its bearing more than is told."""
    told = named(Spur(driver=20, driven=20, idlers=(20,), module=1e-3))["idler1 bearing"].size
    push, alpha = 1 / 0.01, radians(20)
    for bend in np.linspace(0, 2 * pi, 181):
        one = push * np.exp(1j * (pi / 2 - alpha)) / cos(alpha)
        other = push * np.exp(1j * (bend + pi / 2 + alpha)) / cos(alpha)
        assert abs(one + other) <= told * (1 + 1e-12)
    assert told == pytest.approx(2 * hypot(push, push * tan(alpha)))
