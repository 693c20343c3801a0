"""How warm motors get in so many cycles, and what voltage and energy a warm winding takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.analysis import Task, analyse, steady_temperatures
from gearwright.analysis.advice.drive_trials import cycle_temperatures
from gearwright.motion import s_curve
from gearwright.parts import Drive, Gear, Heat, Joint, Link, Motor, Robot

T = np.linspace(0.0, 2.0, 81)
CURRENT = 4.0 * np.sin(np.pi * T) + 1.0


def robot(**heat) -> Robot:
    """One axis against gravity whose motor gets hot."""
    link = Link("arm", "base", Joint("arm", axis=(0, 1, 0)), 2.0, (0.3, 0, 0), np.diag([0.1] * 3))
    motor = Motor(2e-5, torque_constant=0.05, resistance=1.2, inductance=2e-4, heat=Heat(1.0, 3.0, 10.0, 30.0, **heat))
    return Robot("axis", [link], [Drive("arm", motor, Gear(60.0))])


LIMITS = {"speed": 2.0, "acceleration": 8.0, "jerk": 100.0}
WAYS = [s_curve([0.0], [1.0], **LIMITS), s_curve([1.0], [0.0], **LIMITS)]


def integrated(motor: Motor, cycles: int) -> np.ndarray:
    """Winding and housing over the last of so many cycles, by an integrator of another kind."""
    heat = motor.heat

    def rates(t, temperatures):
        winding, housing = temperatures
        i = np.interp(t % T[-1], T, CURRENT) / (1 + heat.magnet * (housing - heat.reference))
        power = motor.resistance * (1 + heat.copper * (winding - heat.reference)) * i**2
        out = (winding - housing) / heat.winding_housing
        away = (housing - heat.ambient) / heat.housing_ambient
        return [(power - out) / heat.winding_capacity, (out - away) / heat.housing_capacity]

    end = cycles * T[-1]
    times = end - T[-1] + T
    done = solve_ivp(rates, (0.0, end), [heat.ambient] * 2, "RK45", times, rtol=1e-9, atol=1e-9, max_step=0.02)
    return done.y


@pytest.mark.parametrize("cycles", [1, 2, 7])
@pytest.mark.parametrize("magnet", [0.0, -0.002])
def test_so_many_cycles_as_an_integrator_finds_them(cycles, magnet):
    motor = Motor(torque_constant=0.05, resistance=1.2, heat=Heat(1.0, 3.0, 10.0, 30.0, magnet=magnet))
    found = steady_temperatures(T, CURRENT, motor, cycles=cycles)
    winding, housing = integrated(motor, cycles)
    # A weaker magnet is taken at the last cycle's temperature all along, so that it is told a little too warm.
    allowed = 0.02 if not magnet else 0.05 * (winding.max() - motor.heat.ambient)
    assert np.abs(found.winding - winding).max() < allowed
    assert np.abs(found.housing - housing).max() < allowed


def test_many_cycles_end_in_the_steady_state():
    motor = Motor(torque_constant=0.05, resistance=1.2, heat=Heat(1.0, 3.0, 10.0, 30.0))
    forever, often = (steady_temperatures(T, CURRENT, motor, cycles=cycles) for cycles in (None, 100_000))
    assert often.winding == pytest.approx(forever.winding, abs=1e-6)
    assert forever.winding[0] == pytest.approx(forever.winding[-1], abs=1e-9)


def test_too_much_current_is_endless_for_ever_and_finite_for_a_while():
    motor = Motor(torque_constant=0.05, resistance=1.2, heat=Heat(1.0, 3.0, 10.0, 30.0))
    hot = np.full(len(T), 20.0)
    assert np.isinf(steady_temperatures(T, hot, motor).winding).all()
    assert np.isfinite(steady_temperatures(T, hot, motor, cycles=1).winding).all()


def test_a_warm_winding_takes_more_voltage_and_energy():
    """By hand: R (1 + alpha (T - T0)) i beside a winding that keeps its resistance."""
    found, cold = (analyse(robot(copper=copper), Task(WAYS)).drives["arm"] for copper in (0.0039, 0.0))
    assert found.current == pytest.approx(cold.current, abs=1e-12)
    more = 1.2 * 0.0039 * (found.temperatures.winding - 298.15) * found.current
    assert np.abs(more).max() > 0.1
    assert found.voltage == pytest.approx(cold.voltage + more, rel=1e-5, abs=1e-4)
    burnt = np.trapezoid(more * found.current, found.t)
    assert found.energy - cold.energy == pytest.approx(burnt, rel=1e-3)


def test_the_cycle_of_the_analysis_is_the_one_that_repeats_itself():
    found = analyse(robot(magnet=-0.001), Task(WAYS))
    series = found.demands.series["arm.winding_temperature"]
    assert series == pytest.approx(found.drives["arm"].temperatures.winding, abs=0.02)
    assert series[0] == pytest.approx(series[-1], abs=0.02)
    assert found.demands.start["arm.winding_temperature"] == series[0]


def test_repetitions_and_air_count():
    tasks = [Task(WAYS, repetitions=n) for n in (1, 20, "continuous")]
    warm = [analyse(robot(), task).drives["arm"] for task in tasks]
    assert warm[0].winding_temperature < warm[1].winding_temperature < warm[2].winding_temperature
    assert warm[0].energy < warm[1].energy < warm[2].energy
    winter, summer = (analyse(robot(copper=0.0), Task(WAYS, ambient=air)).drives["arm"] for air in (273.15, 313.15))
    assert summer.winding_temperature - winter.winding_temperature == pytest.approx(40.0, abs=1e-6)
    assert summer.ambient == 313.15


def test_joints_on_springs_have_their_own_speed():
    """The joint's speed is the prescribed one, not that of its motor's shaft."""
    way = gw.motion.polynomial([0, 0, 0], [0.5, 0.4, 0.3], duration=0.6, order=7)
    found = analyse(gw.load("elastic_elbow"), Task([way]), samples=101)
    for k, joint in enumerate(("j1", "j2", "j3")):
        assert found.drives[joint].speed == pytest.approx(way.at(found.t, 1)[:, k], abs=1e-9)
    rigid = analyse(gw.load("elbow"), Task([way]), samples=101)
    ratios = [(found.drives[joint].inertia_ratio, rigid.drives[joint].inertia_ratio) for joint in found.drives]
    assert all(ours == pytest.approx(theirs, rel=0.2) for ours, theirs in ratios)


@pytest.mark.parametrize("magnet", [0.0, -0.002])
@pytest.mark.parametrize("capacity", [None, 30.0])
@pytest.mark.parametrize("cycles", [None, 3])
@pytest.mark.parametrize("span", [2.0, 4000.0])
def test_motors_that_advice_tries_are_as_warm_as_those_that_are_analysed(magnet, capacity, cycles, span):
    """Also where samples are much further apart than a winding takes to warm up; many trials as one by one."""
    motor = Motor(torque_constant=0.05, resistance=1.2, heat=Heat(1.0, 3.0, 3.0, capacity, magnet=magnet))
    t, torques = T * span / T[-1], np.array([[0.2], [0.4]]) * 0.05 * CURRENT
    found = cycle_temperatures(motor, torques, t, cycles)
    for k, torque in enumerate(torques):
        exact = steady_temperatures(t, torque / 0.05, motor, cycles=cycles)
        assert found.winding[k] == pytest.approx(exact.winding, abs=1e-3)
        assert found.housing[k] == pytest.approx(exact.housing, abs=1e-3)
        assert cycle_temperatures(motor, torque, t, cycles).winding == pytest.approx(found.winding[k], abs=1e-3)


@pytest.mark.parametrize("housing_capacity", [50.0, 500.0, 5000.0])
def test_a_constant_current_heats_by_the_sum_of_resistances(housing_capacity):
    """R i^2 (R_wh + R_ha), to the last digits also where the housing needs hours to warm up."""
    motor = Motor(torque_constant=0.05, resistance=2.0, heat=Heat(1.0, 4.0, 10.0, housing_capacity, copper=0.0))
    found = steady_temperatures(T, np.full(len(T), 3.0), motor)
    assert np.abs(found.winding / (motor.heat.ambient + 90.0) - 1.0).max() < 2e-13
    assert np.abs(found.housing / (motor.heat.ambient + 72.0) - 1.0).max() < 2e-13


@pytest.mark.parametrize("capacity", [None, 30.0, 500.0])
def test_temperatures_with_a_warm_magnet_are_those_under_the_current_that_it_needs(capacity):
    """A motor without magnet at the current i / m has the same temperatures, also just below the current that burns."""
    heat = Heat(1.0, 3.0, 20.0, capacity, copper=0.0039, magnet=-0.001)
    motor = Motor(torque_constant=0.05, resistance=1.2, heat=heat)
    low, high = 0.5, 5.0  # factors of the current with and without a steady state
    while high > 1.01 * low:
        middle = (low + high) / 2
        is_steady = np.isfinite(steady_temperatures(T, middle * CURRENT, motor).winding).all()
        low, high = (middle, high) if is_steady else (low, middle)
    factors = [0.5 * low, low, high]
    trials = cycle_temperatures(motor, 0.05 * np.outer(factors, CURRENT), T, None)
    for k, factor in enumerate(factors[:2]):
        found = steady_temperatures(T, factor * CURRENT, motor)
        strength = 1 + heat.magnet * (found.housing - heat.reference)
        without = replace(motor, heat=replace(heat, magnet=0.0))
        again = steady_temperatures(T, factor * CURRENT / strength, without)
        assert found.winding == pytest.approx(again.winding, rel=1e-7)
        assert trials.winding[k] == pytest.approx(found.winding, rel=1e-7)
    assert np.isinf(steady_temperatures(T, high * CURRENT, motor).winding).all()
    assert (trials.winding[2] == trials.winding.max()).all()


@pytest.mark.parametrize(("payload", "hottest"), [(2.5, 345.0), (3.0, 345.0), (4.0, 400.0)])
def test_a_recommended_ratio_keeps_the_winding_cool_enough_where_others_burn_out(payload, hottest):
    """The analysis with the recommended ratio satisfies the limit, beside ratios with which the winding burns out."""
    weak = robot(magnet=-0.001, max_temperature=hottest)
    task = Task(WAYS, payload=gw.parts.Payload(payload, (0.3, 0, 0)), pause=0.1)
    rise = next(x for x in analyse(weak, task, samples=101).limits if "winding temperature" in x.name)
    assert not rise.is_satisfied
    ratio = next(x for x in rise.advice if x.kind == "ratio")
    assert ratio.result <= rise.limit
    drive = replace(weak.drives[0], gear=Gear(ratio.ratio))
    checks = analyse(replace(weak, drives=(drive,)), task, samples=101).limits
    assert next(x for x in checks if x.name == rise.name).value == pytest.approx(ratio.result, rel=1e-6)
