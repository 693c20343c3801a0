"""Where the energy of a cycle goes, how long a motor carries which torque, and how it warms up."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Task, analyse, steady_temperatures
from gearwright.analysis.drives.energy_flow import GEARS, RETURNED, SUPPLY, WINDINGS, WORK, energy_flows
from gearwright.errors import InputError
from gearwright.motion import s_curve
from gearwright.parts import Drive, Friction, Gear, Heat, Joint, Link, Motor, Robot

MASS, ARM, ANGLE, G = 2.0, 0.3, 1.0, 9.81
EFFICIENCY = 0.8
SLOW = {"speed": 0.5, "acceleration": 1.0, "jerk": 20.0}
UP, DOWN = s_curve([0.0], [ANGLE], **SLOW), s_curve([ANGLE], [0.0], **SLOW)


def lever(**motor) -> Robot:
    """One axis that lifts a mass: its motor always drives on the way up."""
    link = Link("arm", "base", Joint("arm", axis=(0, -1, 0)), MASS, (ARM, 0, 0), np.diag([0.01] * 3))
    data = {"torque_constant": 0.05, "resistance": 1.2, "heat": Heat(1.0, 3.0, 10.0, 30.0)} | motor
    return Robot("lever", [link], [Drive("arm", Motor(2e-6, **data), Gear(60.0, efficiency=EFFICIENCY))])


@pytest.fixture(scope="module")
def lifted():
    return analyse(lever(), Task(UP, repetitions=1), samples=401)


@pytest.fixture(scope="module")
def repeated():
    return analyse(lever(), Task([UP, DOWN], pause=1.0), samples=401)


def test_lifting_takes_the_potential_energy_and_the_losses_of_the_gear(lifted):
    split = lifted.drives["arm"].losses
    height = ARM * np.sin(ANGLE)
    assert split.work == pytest.approx(MASS * G * height, rel=1e-6)
    assert split.gear == pytest.approx((1 / EFFICIENCY - 1) * split.work, rel=1e-6)
    assert split.rotor == pytest.approx(0.0, abs=1e-9)


def test_the_winding_takes_what_its_resistance_turns_into_heat(lifted):
    drive = lifted.drives["arm"]
    warm = drive.temperatures.winding - drive.motor.heat.reference
    resistance = drive.motor.resistance * (1 + drive.motor.heat.copper * warm)
    heat = np.trapezoid(resistance * drive.current**2, drive.t)
    assert drive.losses.winding == pytest.approx(heat, rel=5e-3)


def test_bearings_take_their_friction():
    robot = lever(friction=Friction(0.002))
    plain, rough = (analyse(x, Task(UP, repetitions=1), samples=401).drives["arm"].losses for x in (lever(), robot))
    assert rough.gear - plain.gear == pytest.approx(0.002 * 60.0 * ANGLE, rel=1e-6)


@pytest.mark.parametrize("name", ["scara", "puma560", "wrist_puma"])
def test_what_enters_a_drive_leaves_it(name):
    robot = gw.load(name)
    count = len(gw.neutral(gw.assemble(robot)))
    way = s_curve([0.0] * count, [0.05] * count, speed=1.0, acceleration=4.0, jerk=80.0)
    flows = energy_flows(analyse(robot, Task(way, repetitions=1), samples=61).drives)
    moved = sum(flow.amount for flow in flows)
    assert flows
    for node in {flow.target for flow in flows} & {flow.source for flow in flows}:
        entering = sum(flow.amount for flow in flows if flow.target == node)
        leaving = sum(flow.amount for flow in flows if flow.source == node)
        assert entering == pytest.approx(leaving, abs=0.01 * moved)  # small flows are not shown


def test_the_supply_gives_the_electrical_energy_and_takes_some_back(repeated):
    flows = {(flow.source, flow.target): flow.amount for flow in energy_flows(repeated.drives)}
    drive = repeated.drives["arm"]
    assert flows[SUPPLY, "drive arm"] == pytest.approx(drive.energy)
    back = drive.energy_without_regeneration - drive.energy
    assert flows.get((SUPPLY, RETURNED), 0.0) == pytest.approx(back, rel=1e-3, abs=1e-3 * drive.energy)
    assert flows["drive arm", WINDINGS] + flows["drive arm", GEARS] == pytest.approx(drive.energy, rel=1e-3)
    assert ("drive arm", WORK) not in flows  # the cycle ends where it starts
    assert repeated.plot_energy().axes


def test_without_losses_no_energy_flows():
    robot = gw.load("elbow")
    way, back = (s_curve(a, b, **SLOW) for a, b in (([0.0] * 3, [0.3] * 3), ([0.3] * 3, [0.0] * 3)))
    found = analyse(robot, Task([way, back]), samples=101)
    assert not found.has_energy_flow
    with pytest.raises(InputError, match="no losses"):
        found.plot_energy()


def test_load_duration_has_the_mean_torque_as_its_area(repeated):
    drive = repeated.drives["arm"]
    shares, torques = drive.load_duration
    assert shares[0] == 0.0
    assert shares[-1] == pytest.approx(1.0)
    assert (np.diff(torques) <= 0).all()
    assert torques[0] == pytest.approx(drive.peak_motor_torque)
    area = float(np.sum(np.diff(shares) * torques[1:]))
    mean = float(np.trapezoid(np.abs(drive.motor_torque), drive.t) / drive.t[-1])
    assert area == pytest.approx(mean, rel=0.02)


def test_duty_is_shared_between_driving_braking_and_rest(repeated):
    duty = repeated.drives["arm"].duty
    assert sum(duty.values()) == pytest.approx(1.0)
    assert duty["at rest"] == pytest.approx(1.0 / repeated.task.cycle.duration, abs=0.02)
    assert duty["driving"] == pytest.approx(duty["braking"], abs=0.05)  # up it drives, down the mass drives it


def test_a_cold_motor_warms_up_to_its_steady_state(repeated):
    drive = repeated.drives["arm"]
    heating, ambient = drive.warm_up, drive.motor.heat.ambient
    final = drive.winding_temperature - ambient
    assert (np.diff(heating.winding) >= -1e-9).all()
    assert 0.99 * final <= heating.winding[-1] - ambient <= final + 1e-9
    cold = steady_temperatures(drive.t, drive.current, drive.motor, cycles=1)
    assert heating.winding[0] == cold.winding.max()
    assert heating.t[0] == pytest.approx(drive.t[-1])


def test_a_motor_without_thermal_data_has_no_warm_up():
    robot = lever(heat=None)
    drive = analyse(robot, Task([UP, DOWN]), samples=51).drives["arm"]
    assert drive.warm_up is None
    assert len(drive.plot_duty().axes) == 5
