"""Temperatures of the motors of a robot at the start of the cycle that is analysed."""

from __future__ import annotations

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.analysis.drives.steady_temperatures import Temperatures, steady_temperatures
from gearwright.analysis.parametric_series import series_element
from gearwright.forces.motors.thermal import magnet_factor, temperature_quantities, temperatures_from_states
from gearwright.forces.robot_lines import robot_motors
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import Motor, Robot


def motor_temperatures(title: str, motor: Motor, demands: MotionDemands, cycles: int | None) -> Temperatures | None:
    """Temperatures of a motor over the last cycle (None: periodic steady state); None without thermal data."""
    current = demands.series.get(f"{title}.current")
    if current is None or motor.heat is None or motor.resistance is None:
        return None
    states = [demands.series.get(state.name) for state in temperature_quantities(title, motor.heat)]
    if all(state is not None for state in states):
        current = current * magnet_factor(motor.heat, temperatures_from_states(motor.heat, states))
    return steady_temperatures(demands.t, current, motor, cycles=cycles)


def start_temperatures(robot: Robot, demands: MotionDemands, cycles: int | None) -> dict[str, Scalar]:
    """Temperatures at the start of the last cycle by state names; without motors that have no steady state."""
    starts: dict[str, Scalar] = {}
    for title, motor in robot_motors(robot):
        temperatures = motor_temperatures(title, motor, demands, cycles)
        if temperatures is None or not np.isfinite(primal_value(temperatures.winding)).all():
            continue
        for state, series in zip(temperature_quantities(title, motor.heat), temperatures, strict=False):
            starts[state.name] = series_element(series, (0,), np.shape(primal_value(series)))
    return {name: x for name, x in starts.items() if name in demands.series}
