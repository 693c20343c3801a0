"""The bus of a supply: Kirchhoff's laws everywhere, braking, regeneration, motors that feel each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.forces.motors.motors_of_robot import motor_laws
from gearwright.forces.motors.supply_circuit import solve_bus
from gearwright.parts import CurrentControl, Motor, Supply
from support.motors import ROTOR, disc, discs, look, situation

K, R = 0.05, 0.5
MOTOR = Motor(ROTOR, torque_constant=K, resistance=R)
KINDS = {
    "battery": Supply(24.0, 0.3),
    "stiff": Supply(24.0),
    "diode and brake": Supply(24.0, 0.3, False, 28.0, 2.0),
    "stiff diode and brake": Supply(24.0, 0.0, False, 28.0, 2.0),
    "battery and brake": Supply(24.0, 0.3, True, 26.0, 2.0),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("slope", [0.0, 0.4, 3.0])
def test_kirchhoff(name, slope):
    """Currents add up, every element is on its characteristic, and nothing jumps when the load changes a little."""
    supply = KINDS[name]
    last = None
    for a in np.linspace(-60.0, 40.0, 2001):
        line = solve_bus(supply, a, slope, FLOATS)
        assert line.source == pytest.approx(a + slope * line.voltage + line.brake, abs=1e-9)
        assert line.brake >= -1e-9
        if supply.regenerates or line.source > 1e-9:
            assert line.voltage == pytest.approx(24.0 - supply.resistance * line.source, abs=1e-9)
        if not supply.regenerates:
            assert line.source >= -1e-9
        if line.brake > 1e-9:  # the chopper holds the threshold until the resistor is on all the time
            assert line.voltage == pytest.approx(max(supply.brake_voltage, 2.0 * line.brake), abs=1e-9)
        jump = 0.0 if last is None else abs(line.voltage - last)
        expected = 4.0 if supply.resistance == 0 or not supply.regenerates else 0.5
        assert jump < expected + 1e-9
        last = line.voltage


def test_two_motors_share_the_bus():
    """Stalled at full duty: V = V0 / (1 + Rs (1/R + 1/R))."""
    robot = discs([MOTOR, MOTOR], KINDS["battery"])
    (law,) = motor_laws(robot, gw.assemble(robot), ["j0.voltage", "j1.voltage"])
    _, outcome = look(law, situation(robot, [0.0, 0.0], [], [24.0, 24.0]))
    voltage = 24.0 / (1 + 0.3 * 2 / R)
    assert outcome.signals["supply.bus_voltage"] == pytest.approx(voltage, rel=1e-14)
    assert outcome.signals["j0.current"] == pytest.approx(voltage / R, rel=1e-14)
    _, alone = look(law, situation(robot, [0.0, 0.0], [], [24.0, 0.0]))
    assert alone.signals["j0.current"] == pytest.approx(24.0 / (1 + 0.3 / R) / R, rel=1e-14)


def test_drives_with_a_supply_of_their_own():
    robot = discs([MOTOR, MOTOR, MOTOR], KINDS["battery"])
    robot = robot.with_drive(replace(robot.drives[1], supply=Supply(48.0)))
    laws = motor_laws(robot, gw.assemble(robot))
    assert [(law.name, len(law.windings)) for law in laws] == [("supply", 2), ("j1.supply", 1)]


def test_half_the_duty_draws_half_the_current_from_the_bus():
    """An ideal chopper: power in is power out."""
    coil = replace(MOTOR, inductance=1e-3)
    robot = disc(coil, KINDS["battery"])
    (law,) = motor_laws(robot, gw.assemble(robot))
    _, outcome = look(law, situation(robot, [100.0], [10.0], [12.0]))
    assert outcome.signals["supply.source_current"] == pytest.approx(5.0, rel=1e-14)
    assert outcome.signals["supply.bus_voltage"] == pytest.approx(24.0 - 0.3 * 5.0, rel=1e-14)
    assert outcome.signals["j.terminal_voltage"] == pytest.approx(0.5 * 22.5, rel=1e-14)


@pytest.mark.parametrize("name", ["battery", "diode and brake"])
@pytest.mark.parametrize("inductance", [None, 1e-3])
def test_braking_returns_or_burns_the_kinetic_energy(name, inductance):
    """From full speed the command falls to a half: the battery gets energy back, or the resistor gets hot."""
    robot = disc(replace(MOTOR, inductance=inductance), KINDS[name])
    run = gw.simulate(
        robot,
        until=2.0,
        inputs={"j.voltage": lambda t: 24.0 if t < 1.0 else 12.0},
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
        samples=4001,
    )
    braking = (run.t > 1.02) & (run.t < 1.1)
    if name == "battery":
        assert run["supply.source_current"][braking].min() < -1.0
        assert run["supply.bus_voltage"][braking].max() > 24.0
        assert np.abs(run["supply.brake_power"]).max() == 0
    else:
        assert run["supply.source_current"].min() >= -1e-9
        burnt = np.trapezoid(run["supply.brake_power"], run.t)
        kinetic = run["energy.kinetic"]
        assert 0.05 * kinetic.max() < burnt < kinetic.max()
    assert np.abs(run["energy.balance"]).max() < 1e-6 * run["energy.supplied"].max()


def test_current_limits_on_a_sagging_bus():
    """Exact, although a motor at its limit makes the bus quadratic; and the duty never exceeds one."""
    robot = discs([replace(MOTOR, max_current=10.0), MOTOR], Supply(24.0, 0.3))
    (law,) = motor_laws(robot, gw.assemble(robot))
    kept = 0
    for speed in np.linspace(-400, 400, 81):
        _, outcome = look(law, situation(robot, [speed, 100.0], [], [24.0, 6.0]))
        voltage = outcome.signals["supply.bus_voltage"]
        expected = min(10.0, (voltage - K * speed) / R)
        assert outcome.signals["j0.current"] == pytest.approx(expected, abs=1e-7)
        assert abs(outcome.signals["j0.terminal_voltage"]) <= voltage * (1 + 1e-12)
        kept += expected == 10.0
    assert kept > 40


def test_more_power_than_the_source_has():
    """24 V behind 3 Ohm give 48 W at most: a limit beyond that is not reached, and nothing breaks."""
    robot = disc(replace(MOTOR, max_current=20.0), Supply(24.0, 3.0))
    (law,) = motor_laws(robot, gw.assemble(robot))
    for speed in np.linspace(-480, 480, 49):
        _, outcome = look(law, situation(robot, [speed], [], [24.0]))
        delivered = outcome.signals["supply.bus_voltage"] * outcome.signals["supply.source_current"]
        assert delivered <= 48.0 * (1 + 1e-12)
        assert outcome.signals["j.current"] <= 20.0 * (1 + 1e-9)


@pytest.mark.parametrize("name", ["diode and brake", "stiff diode and brake"])
@pytest.mark.parametrize("rtol", [1e-8, 1e-10])
def test_a_coil_on_a_source_that_takes_nothing_back(name, rtol):
    """While the back-EMF is between what the source and the brake hold, no current flows; CVODE gave up there."""
    robot = disc(replace(MOTOR, inductance=1e-3), KINDS[name])
    run = gw.simulate(
        robot,
        gw.State([0.0], [300.0]),
        1.0,
        inputs={"j.voltage": 12.0},
        method="stiff",
        integrator=gw.analysis.IntegratorOptions(rtol=rtol, atol=rtol / 100),
    )
    assert run.v[-1, 0] * K == pytest.approx(0.5 * 28.0, rel=2e-3)  # braked down to where the brake lets go
    assert run["supply.source_current"].min() >= -1e-9
    assert np.abs(run["energy.balance"]).max() < 1e-5 * run["energy.kinetic"].max()


def test_a_current_that_electronics_do_not_give_is_remarked_upon():
    """A reference of 30 A on electronics of 10 A, then one that their voltage cannot bring about."""
    coil = replace(MOTOR, inductance=1e-3, max_current=10.0)
    for motor, amperes, name, limit in (
        (coil, 30.0, "j.current_reference", "10 A"),
        (replace(coil, max_current=None), 60.0, "j.terminal_voltage", "24 V"),
    ):
        robot = disc(motor, Supply(24.0))
        robot = replace(robot, drives=[replace(robot.drives[0], current_control=CurrentControl(2000.0))])
        run = gw.simulate(robot, until=0.02, inputs={"j.current_reference": amperes}, samples=21)
        (said,) = [remark for remark in run.remarks if name in remark]
        assert limit in said
    calm = gw.simulate(robot, until=0.02, inputs={"j.current_reference": 2.0}, samples=21)
    assert not [remark for remark in calm.remarks if "j." in remark]
