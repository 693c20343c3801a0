"""The drive equation: its inverse, closed forms, dual numbers, and many drives at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gearwright.algebra.differentiation.dual_numbers import DualOperations, dual_parameters, partials_of
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.forces.transmission.drive_equation import DriveEquation, DriveLoad, winding_equations
from gearwright.parts import Friction, Heat, LoadFriction, Losses, Motor

TABLE = (Losses(0.0, 0.9, no_load_torque=2e-3), Losses(60.0, 0.7), Losses(200.0, 0.8, 0.77, 1e-3))
EQUATIONS = {
    "lossless": DriveEquation(50.0, (), Friction()),
    "table": DriveEquation(-40.0, TABLE, Friction(0.01, 1e-4)),
    "stribeck": DriveEquation(30.0, (Losses(efficiency=0.8),), Friction(0.01, 0.0, static=0.02, stribeck_speed=5.0)),
    "self-locking": DriveEquation(60.0, (Losses(efficiency=0.4),), Friction(0.005)),
    "load friction": DriveEquation(35.0, (), Friction(0.01, 1e-4, load=LoadFriction(motor=0.1, joint=0.05))),
}


def random_load(seed: int, count: int = 40) -> DriveLoad:
    rng = np.random.default_rng(seed)
    speed = rng.normal(size=count) * (rng.random(count) < 0.8)
    return DriveLoad(20 * rng.normal(size=count), 0.1 * rng.normal(size=count), speed, np.sign(speed))


@pytest.mark.parametrize("name", EQUATIONS)
def test_the_output_torque_is_the_inverse_of_the_motor_torque(name):
    load, equation = random_load(1), EQUATIONS[name]
    torque = equation.motor_torque(load, ARRAYS)
    assert equation.output_torque(torque, load, ARRAYS) == pytest.approx(load.load, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", EQUATIONS)
def test_losses_are_never_negative_and_vanish_at_rest(name):
    """The motor's power is that of the load and of the rotor, and what is lost."""
    load, equation = random_load(2), EQUATIONS[name]
    torque = equation.motor_torque(load, ARRAYS)
    lost = (torque - load.rotor_torque) * equation.motor_speed(load) - load.load * load.speed
    assert lost.min() >= -1e-12
    rest = load.direction == 0
    assert torque[rest] == pytest.approx((load.load / equation.ratio + load.rotor_torque)[rest], rel=1e-14)


@pytest.mark.parametrize("name", EQUATIONS)
def test_numbers_columns_and_dual_numbers_give_the_same(name):
    load, equation = random_load(3), EQUATIONS[name]
    series = equation.motor_torque(load, ARRAYS)
    one_by_one = [equation.motor_torque(DriveLoad(*map(float, row)), FLOATS) for row in zip(*load, strict=True)]
    assert series == pytest.approx(one_by_one, rel=1e-14)
    columns = replace(equation, ratio=np.array([[equation.ratio], [2 * equation.ratio]])).motor_torque(load, ARRAYS)
    assert columns[0] == pytest.approx(series, rel=1e-14)
    ratio, step = dual_parameters({"ratio": equation.ratio})["ratio"], 1e-5 * equation.ratio
    slope = partials_of(replace(equation, ratio=ratio).motor_torque(load, DualOperations(ARRAYS)))["ratio"]
    up, down = (replace(equation, ratio=equation.ratio + sign * step).motor_torque(load, ARRAYS) for sign in (1, -1))
    assert slope == pytest.approx((up - down) / (2 * step), rel=1e-6, abs=1e-8)


def test_a_warm_winding_needs_more_current_and_voltage():
    motor = Motor(torque_constant=0.1, resistance=2.0, inductance=1e-3, heat=Heat(1.0, 4.0, 10.0, 100.0, magnet=-1e-3))
    cold = winding_equations(motor)
    assert (cold.current_for_torque(0.5), cold.terminal_voltage(5.0, 100.0, 30.0), cold.heat(5.0)) == (5.0, 13.1, 50.0)
    hot = winding_equations(motor, type("Warm", (), {"winding": 398.15, "housing": 348.15})())
    assert hot.current_for_torque(0.5) == pytest.approx(5.0 / (1 - 1e-3 * (348.15 - motor.heat.reference)))
    assert hot.resistance == pytest.approx(2.0 * (1 + motor.heat.copper * (398.15 - motor.heat.reference)))
    assert winding_equations(Motor(resistance=1.0)) is None
    assert winding_equations(Motor(torque_constant=0.1)).resistance is None
