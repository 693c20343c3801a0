"""How warm the motors of a robot are when a task has been repeated often enough: where its cycle is looked at."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.analysis.drives.steady_temperatures import Temperatures, steady_temperatures
from gearwright.analysis.parametric_series import picked
from gearwright.forces.motors.thermal import magnet_factor, warm_states, warmth
from gearwright.forces.robot_lines import motors_of
from gearwright.motion_demands.result import MotionDemands
from gearwright.motion_demands.sensitivity import SlopedDemands
from gearwright.parts import Motor, Robot

AnyDemands: TypeAlias = MotionDemands | SlopedDemands
"""What a motion asks for, in numbers or with slopes."""


def motor_temperatures(title: str, motor: Motor, found: AnyDemands, cycles: int | None) -> Temperatures | None:
    """Of a motor over the last of so many cycles (None: for ever); None where its data do not tell them."""
    current = found.series.get(f"{title}.current")
    if current is None or motor.heat is None or motor.resistance is None:
        return None
    states = [found.series.get(state.name) for state in warm_states(title, motor.heat)]
    if all(state is not None for state in states):
        current = current * magnet_factor(motor.heat, warmth(motor.heat, states))
    return steady_temperatures(found.t, current, motor, cycles=cycles)


def start_temperatures(robot: Robot, found: AnyDemands, cycles: int | None) -> dict[str, Scalar]:
    """Temperatures at the start of the last cycle by the names of states; none where nothing gets steady."""
    starts: dict[str, Scalar] = {}
    for title, motor in motors_of(robot):
        warm = motor_temperatures(title, motor, found, cycles)
        if warm is None or not np.isfinite(value_of(warm.winding)).all():
            continue
        for state, series in zip(warm_states(title, motor.heat), warm, strict=False):
            starts[state.name] = picked(series, (0,), np.shape(value_of(series)))
    return {name: x for name, x in starts.items() if name in found.series}
