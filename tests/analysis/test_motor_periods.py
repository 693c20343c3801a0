"""Energy and currents of motors with cogging and ripple do not depend on how often a cycle is looked at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Task, analyse
from gearwright.analysis.cycle import motor_periods
from gearwright.analysis.cycle.motor_periods import period_samples
from gearwright.motion import EndRates, polynomial
from gearwright.parts import Cogging, Drive, Gear, Joint, KinematicError, Link, Motor, Ripple, Robot, Torsion

K, R, L, DAMPING, RATIO = 0.05, 0.5, 1e-3, 2e-4, 50.0
BARE = Motor(1e-5, torque_constant=K, resistance=R, inductance=L, damping=DAMPING)
ARM = Link("rod", joint=Joint("j", axis=(0, 0, 1)), mass=1.0, com=(0.3, 0, 0), inertia=np.diag([0.01, 0.02, 0.02]))
THERE = [polynomial([0.0], [1.5], duration=0.6, order=7), polynomial([1.5], [0.0], duration=0.6, order=7)]


def arm(gear=None, **motor) -> Robot:
    return Robot("arm", [ARM], [Drive("j", replace(BARE, **motor), gear or Gear(RATIO))])


def steady(speed: float) -> Task:
    """One second at a constant speed of the motor [rad/s]."""
    v = speed / RATIO
    return Task([polynomial([0.0], [v], duration=1.0, order=3, end_rates=EndRates(start_speed=v, end_speed=v))])


PHASES = [0.0, 1.0, np.pi / 2]


@pytest.mark.parametrize("phase", PHASES)
def test_energy_of_cogging_at_constant_speed(phase):
    """Mean power R (T^2 + A^2/2) / K^2 + w T; 500 periods in a second are still at 501 samples, at any phase."""
    periods, amplitude = 12, 0.02
    speed = 2 * np.pi * 500 / periods
    drive = analyse(arm(cogging=Cogging(amplitude, periods, phase)), steady(speed)).drives["j"]
    torque = DAMPING * speed
    assert drive.energy == pytest.approx(R * (torque**2 + amplitude**2 / 2) / K**2 + speed * torque, rel=1e-4)
    assert drive.rms_current == pytest.approx(np.sqrt(torque**2 + amplitude**2 / 2) / K, rel=1e-4)
    assert drive.peak_current == pytest.approx((torque + amplitude) / K, rel=1e-2)


@pytest.mark.parametrize("phase", PHASES)
def test_energy_of_ripple_at_constant_speed(phase):
    """Mean power R T^2 / K^2 (1 - f^2)^(-3/2) + w T, the mean of (1 + f sin)^-2 over a period."""
    periods, fraction = 20, 0.2
    speed = 2 * np.pi * 500 / periods
    drive = analyse(arm(ripple=Ripple(fraction, periods, phase), damping=4e-4), steady(speed)).drives["j"]
    torque = 4e-4 * speed
    assert drive.energy == pytest.approx(R * torque**2 / K**2 * (1 - fraction**2) ** -1.5 + speed * torque, rel=1e-4)


@pytest.mark.parametrize("samples", [11, 501, 1001])
def test_a_cycle_with_both_is_converged(samples):
    """There and back: 0.5 % to 4 % off by 501 to 1001 samples before; the reference takes 40,001."""
    robot = arm(cogging=Cogging(0.02, 12), ripple=Ripple(0.05, 6), damping=0.0)
    found, fine = (analyse(robot, Task(THERE), samples=n).drives["j"] for n in (samples, 40_001))
    assert found.energy == pytest.approx(fine.energy, rel=1e-6)
    assert found.rms_current == pytest.approx(fine.rms_current, rel=1e-6)
    assert found.energy_without_regeneration == pytest.approx(fine.energy_without_regeneration, rel=1e-3)
    assert found.peak_voltage == pytest.approx(fine.peak_voltage, rel=1e-2)


def test_other_drives_are_looked_at_as_often_as_before():
    """Nothing periodic, or no winding that feels it: the samples are those that were asked for."""
    assert analyse(arm(), Task(THERE)).samples == 501
    deaf = Robot("arm", [ARM], [Drive("j", Motor(1e-5, cogging=Cogging(0.02, 12)), Gear(RATIO))])
    assert analyse(deaf, Task(THERE)).samples == 501
    assert analyse(arm(cogging=Cogging(0.02, 12)), Task(THERE), samples=9001).samples == 9001


def test_periods_of_an_elastic_drive_count_at_its_shafts():
    """Cogging turns with the motor behind its spring, kinematic errors of the gear per turn of motor or joint."""
    twice = Torsion(errors=[KinematicError(1e-4, 2.0, per="motor")])
    soft = Gear(RATIO, stiffness=2e3, torsion=twice)
    for robot, waves in ((arm(Gear(RATIO, stiffness=2e3), cogging=Cogging(0.02, 12)), 12.0), (arm(soft), 2.0)):
        (needed,) = period_samples(robot, gw.assemble(robot), THERE[0]).values()
        fastest = waves * RATIO * 1.5 / 0.6 * 35 / 16  # of 35 s^4 - 84 s^5 + 70 s^6 - 20 s^7 in the middle
        assert needed == pytest.approx(motor_periods.SAMPLES_PER_PERIOD * 0.6 * fastest / (2 * np.pi), rel=0.01)


def test_periods_that_are_too_short_are_remarked_upon(monkeypatch):
    monkeypatch.setattr("gearwright.analysis.task_analysis.MAX_CYCLE_SAMPLES", 1000)
    found = analyse(arm(cogging=Cogging(0.02, 12)), Task(THERE))
    assert found.samples == 1000
    assert any("cogging" in remark and remark.startswith("j:") for remark in found.remarks)
