"""Gears at constant speed: agreement with runs and demands, and their friction from points of a test bench."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.actuation import SteadyGear
from gearwright.errors import InputError
from gearwright.identification import fit_gear_losses
from gearwright.parts import Drive, Friction, Gear, Joint, Link, LoadFriction, Losses, Motor, Planetary, Robot, Worm

GEARS = {
    "worm": (Worm(wheel=40, lead_angle=0.06, friction_coefficient=0.1), Friction(coulomb=0.02, viscous=1e-4)),
    "efficiency": (Gear(-50, efficiency=0.7, no_load_torque=0.01), Friction(viscous=1e-4)),
    "table": (Gear(30, losses=[Losses(0.0, 0.6, no_load_torque=0.01), Losses(200.0, 0.9)]), Friction()),
    "planetary": (
        Planetary(sun=18, planet=27, ring=72, friction_coefficient=0.3),
        Friction(coulomb=0.01, static=0.02, stribeck_speed=20.0),
    ),
    "load": (Gear(20), Friction(coulomb=0.02, viscous=1e-4, load=LoadFriction(motor=0.2, joint=0.1))),
    "lossless": (Gear(20), Friction()),
}
OUTPUT, SPEED = np.array([-8.0, -3.0, 2.0, 9.0]), np.array([-70.0, -20.0, 35.0, 90.0])


@pytest.mark.parametrize("kind", GEARS)
def test_torques_are_those_of_a_drive_at_constant_speed(kind: str) -> None:
    """Demands of a horizontal arm at constant speed, lifted and lowered."""
    gear, friction = GEARS[kind]
    steady = SteadyGear(gear, friction)
    for output in OUTPUT:
        joint, mass = Joint("j", axis=(0, -np.sign(output), 0)), abs(output) / (0.1 * 9.81)
        link = Link("arm", joint=joint, mass=mass, com=(0.1, 0, 0))
        robot = Robot("crane", [link], [Drive("j", Motor(1e-6, friction=friction), gear)])
        for speed in SPEED:
            rate = speed / gear.ratio
            rates = gw.motion.EndRates(start_speed=rate, end_speed=rate)
            motion = gw.motion.polynomial([-rate / 2], [rate / 2], 1.0, end_rates=rates)
            demands = gw.demands(robot, motion, samples=5)
            load = output * np.cos(demands.motion.q[:, 0])
            assert demands["j.torque"] == pytest.approx(steady.input_torque(load, speed), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", GEARS)
def test_output_torque_and_efficiency_follow_from_input_torque(kind: str) -> None:
    steady = SteadyGear(*GEARS[kind])
    output, speed = (x.ravel() for x in np.meshgrid(OUTPUT, SPEED))
    entering = steady.input_torque(output, speed)
    delivered, supplied = output * speed / float(steady.gear.ratio), entering * speed
    assert (supplied - delivered >= -1e-12).all()
    efficiency = steady.efficiency(output, speed)
    driving, driven = delivered > 0, (delivered < 0) & (supplied < 0)
    assert efficiency[driving] == pytest.approx((delivered / supplied)[driving])
    assert efficiency[driven] == pytest.approx((supplied / delivered)[driven])
    assert (efficiency[~driving & ~driven] == 0).all()
    back = steady.output_torque(entering, speed)
    assert back[driving] == pytest.approx(output[driving])
    if kind != "worm":
        assert back == pytest.approx(output)
    else:
        assert np.isnan(steady.output_torque(0.0, 30.0))  # lowered without motor: self-locking


def test_planted_friction_is_within_its_intervals() -> None:
    """Friction of the thread and of the bearings from loads in both directions, with noise at either side."""
    true = SteadyGear(Worm(wheel=40, lead_angle=0.2, friction_coefficient=0.08), Friction(coulomb=0.02, viscous=1e-4))
    start = SteadyGear(Worm(wheel=40, lead_angle=0.2, friction_coefficient=0.2), Friction(coulomb=0.001, viscous=1e-6))
    expected = {"gear.friction_coefficient": 0.08, "friction.coulomb": 0.02, "friction.viscous": 1e-4}
    z = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        output, speed = rng.uniform(-40, 40, 60), rng.choice([-1, 1], 60) * rng.uniform(5, 150, 60)
        torque = true.input_torque(output, speed) + 5e-3 * rng.standard_normal(60)
        fit = fit_gear_losses(start, output, torque, speed)
        z += [(fit.values[name] - value) / fit.deviations[name] for name, value in expected.items()]
        assert fit.rms == pytest.approx(5e-3, rel=0.35)
        assert not fit.remarks
    assert np.max(np.abs(z)) < 4
    assert 0.85 <= np.mean(np.abs(z) < 1.96) <= 1.0
    assert np.std(z) == pytest.approx(1.0, abs=0.25)


def test_an_unknown_torque_constant_and_a_reversed_sign() -> None:
    true = SteadyGear(Gear(-50, efficiency=0.75), Friction(coulomb=0.03))
    output, speed = (x.ravel() for x in np.meshgrid([-20.0, -5.0, 5.0, 20.0], [-90.0, -20.0, 20.0, 90.0]))
    torque = true.input_torque(output, speed)
    unknowns = ["input_scale", "gear.efficiency", "friction.coulomb"]
    start = SteadyGear(Gear(-50, efficiency=0.6), Friction(coulomb=0.01))
    fit = fit_gear_losses(start, output, torque / 1.3, speed, unknowns=unknowns)
    assert [fit.values[name] for name in unknowns] == pytest.approx([1.3, 0.75, 0.03], rel=1e-5)
    one_way = output * speed < 0  # the ratio is negative: the motor drives
    frictionless = SteadyGear(Gear(-50, efficiency=0.75)).input_torque(output, speed)
    start = SteadyGear(Gear(-50, efficiency=0.6))
    driving = fit_gear_losses(start, output[one_way], frictionless[one_way], speed[one_way], unknowns=unknowns[:2])
    assert set(driving.information.poorly_determined) == set(unknowns[:2])
    reversed_fit = fit_gear_losses(start, -output, frictionless, speed)
    assert any("-50" in remark and "sign" in remark for remark in reversed_fit.remarks)


@pytest.mark.parametrize("error_of", ["input", "output"])
def test_a_torque_constant_that_falls_with_the_current(error_of) -> None:
    """Stated torques of a motor that reaches a T / (1 + s T); half of them contradict a constant factor."""
    gear = SteadyGear(Gear(50, efficiency=0.75))
    stated, speed = (x.ravel() for x in np.meshgrid([0.2, 0.5, 1.0, 2.0], [20.0, 90.0]))
    output = gear.output_torque(0.9 * stated / (1 + 0.2 * stated), speed)
    unknowns = ["input_scale", "input_saturation"]
    fit = fit_gear_losses(gear, output, stated, speed, error_of=error_of, unknowns=unknowns)
    assert [fit.values[name] for name in unknowns] == pytest.approx([0.9, 0.2], rel=1e-5)
    assert fit.motor_torque([2.0, -2.0]) == pytest.approx([1.8 / 1.4, -1.8 / 1.4], rel=1e-5)
    constant = fit_gear_losses(gear, output, stated, speed, error_of=error_of, unknowns=unknowns[:1])
    assert fit.information_criterion < constant.information_criterion - 20


def test_a_loss_that_is_absent_is_at_its_bound() -> None:
    true = SteadyGear(Gear(20, efficiency=0.8))
    speed = np.linspace(10.0, 100.0, 12)
    fit = fit_gear_losses(
        SteadyGear(Gear(20, efficiency=0.6), Friction(coulomb=0.01)),
        3 + 0.1 * speed,
        true.input_torque(3 + 0.1 * speed, speed),
        speed,
    )
    assert any("friction.coulomb" in remark and "bound" in remark for remark in fit.remarks)


def test_shares_of_load_friction_and_stribeck_friction() -> None:
    load = LoadFriction(motor=0.15, joint=0.05)
    true = SteadyGear(Gear(20), Friction(coulomb=0.02, load=load))
    output, speed = (x.ravel() for x in np.meshgrid([-20.0, -5.0, 5.0, 20.0], [-90.0, -20.0, 20.0, 90.0]))
    start = SteadyGear(Gear(20), Friction(coulomb=0.01, load=LoadFriction(motor=0.1, joint=0.1)))
    fit = fit_gear_losses(start, output, true.input_torque(output, speed), speed)
    assert fit.gear.friction.load.motor == pytest.approx(0.15, rel=1e-4)
    assert fit.gear.friction.load.joint == pytest.approx(0.05, rel=1e-4)
    output, speed = np.full(24, 5.0), np.linspace(5.0, 120.0, 24)
    stribeck = Friction(coulomb=0.02, static=0.05, stribeck_speed=30.0)
    start = SteadyGear(Gear(20), Friction(coulomb=0.01, static=0.02, stribeck_speed=10.0))
    torque = SteadyGear(Gear(20), stribeck).input_torque(output, speed)
    found = fit_gear_losses(start, output, torque, speed).gear.friction
    assert [found.coulomb, found.static, found.stribeck_speed] == pytest.approx([0.02, 0.05, 30.0], rel=1e-4)


def test_bad_benches_are_refused_by_name() -> None:
    gear = SteadyGear(Gear(20, efficiency=0.8), Friction(coulomb=0.01))
    points = np.ones(5), np.ones(5), np.ones(5)
    cases = [
        (lambda: gear.input_torque(1.0, 0.0), "speed"),
        (lambda: gear.efficiency(1.0, [1.0, 0.0]), "speed"),
        (lambda: gear.input_torque(np.nan, 1.0), "output_torque"),
        (lambda: fit_gear_losses(gear, np.ones(4), *points[1:]), r"output_torque \(4,\)"),
        (lambda: fit_gear_losses(gear, *(x[:2] for x in points)), "2"),
        (lambda: fit_gear_losses(gear, *points, unknowns=["friction.viscous"]), r"'friction\.viscous'"),
        (lambda: fit_gear_losses(SteadyGear(Gear(20)), *points), "number"),
        (lambda: fit_gear_losses(gear, *points, error_of="both"), "error_of"),
        (lambda: SteadyGear(Gear(20, efficiency=0.8), Friction(load=LoadFriction(0.1, 0.1))), "load"),
        (lambda: SteadyGear(Gear(20), Friction(load=LoadFriction(0.1, 0.1, motor_quadratic=1.0))), "quadratic"),
    ]
    for call, word in cases:
        with pytest.raises(InputError, match=word):
            call()
