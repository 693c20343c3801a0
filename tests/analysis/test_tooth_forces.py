"""Forces between teeth and on the bearings of gears: T = F r by hand."""

from __future__ import annotations

from dataclasses import replace
from math import cos, hypot, pi, radians, tan

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Task, analyse
from gearwright.errors import TrainError
from gearwright.files import read_yaml
from gearwright.files.yaml.writer import write_yaml
from gearwright.motion import polynomial
from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Drive,
    Gear,
    Harmonic,
    Joint,
    Link,
    Motor,
    Planetary,
    Robot,
    Series,
    Spur,
    Wolfrom,
    Worm,
    gear_losses,
)

SWING = polynomial([0.0], [1.0], duration=0.5)


def axis(gear) -> Robot:
    link = Link("arm", "base", Joint("arm", axis=(0, 0, 1)), 1.0, (0, 0, 0), np.diag([0.4] * 3))
    return Robot("axis", [link], [Drive("arm", Motor(2e-5), gear)])


def named(gear) -> dict:
    return {one.name: one for one in gear.tooth_forces()}


def test_a_spur_pair():
    """The pinion's torque is F r1, the wheel's F r2; radial F tan(20 deg); the bearings carry both."""
    pair = Spur(driver=20, driven=60, module=0.001)
    mesh = named(pair)["driver-driven"]
    assert mesh.tangential * 0.030 == pytest.approx(1.0)  # per Nm at the wheel
    assert mesh.tangential * 0.010 == pytest.approx(1 / 3)  # of the pinion
    assert mesh.radial == pytest.approx(mesh.tangential * tan(radians(20)))
    assert named(pair)["driver bearing"].size == pytest.approx(mesh.tangential / cos(radians(20)))


def test_helical_teeth_push_along_the_axis():
    mesh = named(Spur(driver=20, driven=60, module=0.001, helix_angle=radians(15)))["driver-driven"]
    radius = 0.001 * 60 / (2 * cos(radians(15)))
    assert mesh.tangential == pytest.approx(1 / radius)
    assert mesh.axial == pytest.approx(mesh.tangential * tan(radians(15)))
    assert mesh.radial == pytest.approx(mesh.tangential * tan(radians(20)) / cos(radians(15)))


def test_an_idler_carries_both_meshes():
    found = named(Spur(driver=20, driven=60, idlers=(30,), module=0.001))
    assert found["driver-idler1"].tangential == pytest.approx(1 / 0.03)
    assert found["idler1-driven"].tangential == pytest.approx(1 / 0.03)
    assert found["idler1 bearing"].size == pytest.approx(2 * hypot(1 / 0.03, tan(radians(20)) / 0.03))


@pytest.mark.parametrize("held", ["ring", "carrier", "sun"])
def test_a_planetary_stage_is_in_balance(held):
    """Sun, ring and carrier: torques from the forces are those of the power balance, and the planet is in balance."""
    stage = Planetary(sun=18, planet=27, ring=72, planets=3, held=held, modules=0.001)
    found = named(stage)
    sun = 3 * found["sun-planet"].tangential * 0.009
    ring = 3 * found["planet-ring"].tangential * 0.036
    carrier = 3 * found["planet pin"].tangential * stage.planet_circle_radius
    torques = {"sun": sun, "ring": ring, "carrier": carrier}
    assert torques[stage.output_name] == pytest.approx(1.0)
    assert torques[stage.input_name] * abs(stage.ratio) == pytest.approx(1.0)
    assert carrier == pytest.approx(sun + ring)
    assert found["planet pin"].tangential == pytest.approx(2 * found["sun-planet"].tangential)


def test_stepped_planets_balance_about_their_own_axis():
    stage = Planetary(sun=20, planet=40, second_planet=20, ring=80, planets=3, modules=0.001)
    found = named(stage)
    assert found["sun-planet"].tangential * 40 == pytest.approx(found["planet-ring"].tangential * 20)
    sun, carrier = (
        3 * found["sun-planet"].tangential * 0.010,
        3 * found["planet pin"].tangential * stage.planet_circle_radius,
    )
    assert carrier == pytest.approx(1.0)
    assert sun * stage.ratio == pytest.approx(1.0)


def test_stages_in_series_carry_what_those_behind_leave():
    first, last = Spur(driver=20, driven=60, module=0.0005), Spur(driver=18, driven=90, module=0.001)
    found = named(Series(stages=[first, last]))
    assert found["stage2 driver-driven"].tangential == pytest.approx(1 / 0.045)
    assert found["stage1 driver-driven"].tangential == pytest.approx(1 / 5 / 0.015)


def test_an_analysis_tells_peaks_and_what_is_missing():
    gear = Planetary(sun=18, planet=27, ring=72, modules=0.001)
    found = analyse(axis(gear), Task([SWING]), samples=51)
    drive = found.drives["arm"]
    most = 0.4 * np.abs(found.demands.motion.a).max()
    push = most / 5 / (3 * 0.009)
    assert drive.peak_mesh_force == pytest.approx(push / cos(radians(20)))
    assert drive.peak_gear_bearing_force == pytest.approx(2 * push)
    assert drive.tooth_forces["planet pin"] == drive.peak_gear_bearing_force
    bare = analyse(axis(Spur(driver=20, driven=60)), Task([SWING]), samples=11)
    assert bare.drives["arm"].peak_mesh_force is None
    assert any("arm" in remark and "module" in remark for remark in bare.remarks)
    plain = analyse(axis(Gear(50)), Task([SWING]), samples=11)
    assert any("arm" in remark and "teeth" in remark for remark in plain.remarks)


def test_joint_reactions_of_a_drive_by_hand():
    """A mass beside a vertical axis: its weight and centripetal force, and the weight's moment across the axis."""
    link = Link("arm", "base", Joint("arm", axis=(0, 0, 1)), 2.0, (0.5, 0, 0), np.diag([1e-6] * 3))
    robot = Robot("axis", [link], [Drive("arm", Motor(1e-9), Gear(1.0))])
    found = analyse(robot, Task([SWING]), samples=101)
    motion, drive = found.demands.motion, found.drives["arm"]
    along = 2.0 * 0.5 * np.hypot(motion.v[:, 0] ** 2, motion.a[:, 0])
    assert drive.peak_joint_force == pytest.approx(np.hypot(along, 2.0 * 9.81).max())
    assert drive.peak_tilting_moment == pytest.approx(2.0 * 9.81 * 0.5)


def test_teeth_in_files_round_trip_and_are_checked():
    pair = Spur(driver=20, driven=60, module=0.001, helix_angle=0.2, pressure_angle=0.3)
    again = read_yaml(write_yaml(axis(pair)))
    assert again.drives[0].gear == pair
    with pytest.raises(TrainError, match="helix_angle"):
        Spur(driver=20, driven=60, module=0.001, helix_angle=pi)
    assert gw.assemble(again).n == 1


def test_forces_over_the_cycle_go_by_who_drives():
    """A worm's thread rubs: accelerating it takes more round the worm than the efficiency, braking less."""
    worm = Worm(starts=2, wheel=40, module=0.002, lead_angle=0.2, friction_coefficient=0.05)
    found = analyse(axis(worm), Task([SWING]), samples=41)
    drive = found.drives["arm"]
    mesh = drive.tooth_loads[0]
    handed = 0.4 * found.demands.motion.a[:, 0]
    np.testing.assert_allclose(mesh.axial, np.abs(handed) / 0.04, atol=1e-9)
    radius, losses = 2 * 0.002 / (2 * tan(0.2)), gear_losses(worm)[0]
    driving = handed * found.demands.motion.v[:, 0] >= 0
    at_worm = np.abs(handed) / 20 * np.where(driving, 1 / losses.efficiency, losses.back_driving_efficiency)
    np.testing.assert_allclose(mesh.tangential * radius, at_worm, atol=1e-9)
    assert driving.any()
    assert not driving.all()
    assert drive.tooth_forces["worm-wheel"] == pytest.approx(mesh.size.max())
    assert found.summary()["tooth_forces"]["arm"] == pytest.approx(drive.tooth_forces)


def test_a_belt_that_is_too_loose_is_a_limit_with_advice():
    belt = Belt(driver=0.02, driven=0.06, distance=0.3, pretension=20.0)
    found = analyse(axis(belt), Task([SWING]), samples=51)
    needed = 0.4 * np.abs(found.demands.motion.a).max() / 0.06 / 2
    check = next(one for one in found.limits if one.name == "arm: belt pretension")
    assert (check.value, check.limit, check.unit) == (pytest.approx(needed), 20.0, "N")
    assert not check.is_satisfied
    assert [(advice.kind, advice.value) for advice in check.advice] == [("pretension", check.value)]
    tight = analyse(axis(replace(belt, pretension=1.01 * needed)), Task([SWING]), samples=51)
    assert next(one for one in tight.limits if one.name == "arm: belt pretension").is_satisfied


@pytest.mark.parametrize(
    "gear",
    [
        Bevel(driver=20, driven=40, module=2e-3, face_width=0.01, shaft_angle=1.2, helix_angle=0.3),
        Worm(wheel=40, module=0.002, lead_angle=0.1, efficiency=0.6),
        Belt(driver=0.02, driven=0.06, distance=0.3, pretension=20.0, friction_coefficient=0.3),
        Harmonic(reduction=100, radius=0.03, pressure_angle=0.5),
        Cycloidal(pins=20, eccentricity=0.001, pin_circle=0.04, output_circle=0.02),
        Wolfrom(sun=12, planet=24, ring=60, second_planet=21, second_ring=57, radius=0.02, pressure_angle=0.3),
    ],
    ids=lambda gear: gear.kind,
)
def test_the_words_of_other_gears_round_trip(gear):
    again = read_yaml(write_yaml(axis(gear)))
    assert again.drives[0].gear == gear
    assert again.drives[0].gear.tooth_forces(2.0) == gear.tooth_forces(2.0)
