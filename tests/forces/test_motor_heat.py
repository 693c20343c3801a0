"""A motor getting warm: steady temperatures, both time constants, and what warmth does to R and K."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import gearwright as gw
from gearwright.forces.motors.motors_of_robot import motor_laws
from gearwright.forces.motors.thermal import MotorTemperatures, temperature_rates, temperatures_from_states
from gearwright.parts import CurrentControl, Heat, Motor
from support.motors import ROTOR, disc, look, situation

K, R = 0.05, 0.5
SHEET = Heat(1.7, 6.0, 16.9 / 1.7, 593 / 6.0, ambient=293.15)
"""maxon RE 30: 1.7 and 6.0 K/W, time constants 16.9 and 593 s."""


def test_steady_temperatures():
    """Each resistance carries the whole heat."""
    power = 4.0
    winding = 293.15 + power * (1.7 + 6.0)
    assert temperature_rates(SHEET, MotorTemperatures(winding, 293.15 + power * 6.0), power) == pytest.approx(
        (0, 0), abs=1e-14
    )


def test_run_up_is_that_of_two_bodies():
    """Constant heat: the solution of the linear system of two bodies."""
    heat = replace(SHEET, copper=0.0)
    Cw, Ch = heat.winding_capacity, heat.housing_capacity
    A = np.array([[-1 / 1.7 / Cw, 1 / 1.7 / Cw], [1 / 1.7 / Ch, -(1 / 1.7 + 1 / 6.0) / Ch]])
    b = np.array([4.0 / Cw, 0.0])
    end = -np.linalg.solve(A, b)
    found = solve_ivp(
        lambda t, T: temperature_rates(heat, temperatures_from_states(heat, T + 293.15), 4.0),
        (0, 900),
        [0, 0],
        rtol=1e-10,
        atol=1e-10,
    )
    assert found.y[:, -1] == pytest.approx(end - expm(A * 900) @ end, rel=1e-8)
    assert heat.winding_time_constant == pytest.approx(16.9)
    assert heat.housing_time_constant == pytest.approx(593)


def test_a_housing_without_capacity_is_two_resistances_in_series():
    one = Heat(1.7, 6.0, 10.0)
    now = temperatures_from_states(one, [298.15 + 77.0])
    assert now.housing == pytest.approx(298.15 + 60.0)
    assert temperature_rates(one, now, 10.0) == pytest.approx((0.0,), abs=1e-14)


def test_a_stalled_motor_settles_where_its_warm_resistance_says():
    """At constant current i: T - Ta = Rth i^2 R0 (1 + alpha (T - T0)), a linear equation."""
    heat = Heat(1.7, 6.0, 2.0, 5.0, ambient=293.15, reference=298.15, magnet=-0.001, max_temperature=398.15)
    robot = disc(Motor(ROTOR, torque_constant=K, resistance=R, inductance=1e-3, heat=heat))
    robot = robot.with_drive(replace(robot.drives[0], current_control=CurrentControl(1000.0)))
    held = replace(robot, links=[replace(robot.links[0], inertia=np.diag([1e6] * 3))])
    run = gw.simulate(held, until=2000.0, inputs={"j.current_reference": 4.0}, method="stiff")
    gain = 7.7 * 16.0 * R
    winding = (293.15 + gain * (1 - heat.copper * 298.15)) / (1 - gain * heat.copper)
    assert run["j.winding_temperature"][-1] == pytest.approx(winding, rel=1e-6)
    housing = 293.15 + 6.0 / 7.7 * (winding - 293.15)
    assert run["j.housing_temperature"][-1] == pytest.approx(housing, rel=1e-6)
    assert run["j.motor_torque"][-1] == pytest.approx(4.0 * K * (1 - 0.001 * (housing - 298.15)), rel=1e-6)
    assert run["j.temperature_margin"][-1] == pytest.approx(398.15 - winding, rel=1e-5)


def test_a_warm_motor_draws_less_current():
    heat = Heat(1.7, 6.0, 10.0, 100.0, reference=298.15)
    robot = disc(Motor(ROTOR, torque_constant=K, resistance=R, heat=heat))
    (law,) = motor_laws(robot, gw.assemble(robot))
    _, cold = look(law, situation(robot, [0.0], [298.15, 298.15], [12.0]))
    _, warm = look(law, situation(robot, [0.0], [398.15, 298.15], [12.0]))
    assert cold.signals["j.current"] / warm.signals["j.current"] == pytest.approx(1.39)  # 0.39 % per kelvin
