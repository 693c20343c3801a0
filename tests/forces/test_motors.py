"""Motors as laws against their theory: steady states, time constants, limits, current control, power balance."""

from __future__ import annotations

from dataclasses import replace

import casadi
import numpy as np
import pytest
from scipy.linalg import expm

import gearwright as gw
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.errors import DriveError, InputError
from gearwright.forces.motors.motor import SPEED_LIMIT_BAND
from gearwright.forces.motors.motors_of_robot import motor_laws
from gearwright.parts import Cogging, CurrentControl, Heat, Motor, Ripple, Supply
from gearwright.tracing.symbols import Symbol, as_expression, symbol_operations
from support.motors import DISC, ROTOR, disc, discs, look, situation

K, R, L, J = 0.05, 0.5, 2e-3, ROTOR + DISC
PLAIN = Motor(ROTOR, torque_constant=K, resistance=R)
COIL = replace(PLAIN, inductance=L)
FULL = replace(
    COIL,
    cogging=Cogging(0.01, 12, 0.3),
    ripple=Ripple(0.05, 6, 0.2),
    heat=Heat(1.5, 4.0, 9.0, 120.0, magnet=-0.001, max_temperature=400.0),
)


def only(robot, *inputs):
    return motor_laws(robot, gw.assemble(robot), inputs)[0]


@pytest.mark.parametrize("motor", [PLAIN, COIL], ids=["two states", "three states"])
def test_steady_state_under_load(motor):
    """i = load / K and w = (u - R i) / K."""
    load = -0.1
    run = gw.simulate(disc(motor), until=20 * R * J / K**2, inputs={"j.voltage": 12.0, "tau.j": load})
    assert run["j.current"][-1] == pytest.approx(0.1 / K, rel=1e-7)
    assert run["v.j"][-1] == pytest.approx((12.0 - R * 0.1 / K) / K, rel=1e-7)


def test_the_whole_transient_is_that_of_the_linear_system():
    """[w, i]' = A [w, i] + b u, solved by the matrix exponential."""
    A = np.array([[0.0, K / J], [-K / L, -R / L]])
    run = gw.simulate(
        disc(COIL),
        until=0.2,
        inputs={"j.voltage": 12.0},
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
        samples=51,
    )
    end = -np.linalg.solve(A, [0.0, 12.0 / L])
    exact = np.array([end - expm(A * t) @ end for t in run.t])
    assert np.abs(run["v.j"] - exact[:, 0]).max() < 1e-7 * np.abs(exact[:, 0]).max()
    assert np.abs(run["j.current"] - exact[:, 1]).max() < 1e-7 * np.abs(exact[:, 1]).max()


def test_the_mechanical_time_constant_of_a_data_sheet():
    """maxon RE 30: tau_m = R J / kt^2 is given as 2.94 ms (its own rounding), after which it runs at 63 %."""
    sheet = Motor(34.7e-7, torque_constant=53.8e-3, resistance=2.45)
    robot = disc(sheet)
    robot = replace(robot, links=[replace(robot.links[0], inertia=np.zeros((3, 3)), mass=0.0)])
    run = gw.simulate(robot, until=2.94e-3, inputs={"j.voltage": 48.0})
    assert run["v.j"][-1] * 53.8e-3 / 48.0 == pytest.approx(1 - np.exp(-1), abs=2e-3)
    assert run["j.current"][0] == pytest.approx(19.6, rel=2e-3)  # the stall current of the same sheet


def test_the_gear_reflects_the_motor():
    """Through a gear of 50 the joint runs at a 50th of the motor's speed."""
    run = gw.simulate(disc(PLAIN, ratio=-50.0), until=2.0, inputs={"j.voltage": 12.0})
    assert run["v.j"][-1] == pytest.approx(-12.0 / K / 50, rel=1e-6)


@pytest.mark.parametrize("motor", [PLAIN, COIL, FULL], ids=["plain", "coil", "full"])
def test_energy_in_a_run(motor):
    robot = disc(motor)
    run = gw.simulate(
        robot,
        until=0.3,
        inputs={"j.voltage": lambda t: 12 * np.sin(20 * t)},
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )
    assert np.abs(run["energy.balance"]).max() < 1e-8 * np.abs(run["energy.supplied"]).max()


LIMITS = {"max_current": 6.0, "max_voltage": 20.0, "max_speed": 150.0, "max_torque": 0.5}
SUPPLIES = [
    None,
    Supply(24.0),
    Supply(24.0, 0.3),
    Supply(24.0, 0.3, False, 28.0, 2.0),
    Supply(24.0, 0.3, True, 26.0, 2.0),
]


@pytest.mark.parametrize("supply", SUPPLIES, ids=["ideal", "stiff", "soft", "brake", "both"])
@pytest.mark.parametrize("seed", range(12))
def test_no_power_is_lost(seed, supply):
    """Torque times speed and the rate of what is stored are what is supplied less what is dissipated, everywhere."""
    rng = np.random.default_rng(seed)
    motors = [replace(m, **(LIMITS if rng.random() < 0.5 else {})) for m in (PLAIN, COIL, FULL)]
    robot = discs(motors, supply)
    controlled = replace(robot.drives[2], current_control=CurrentControl(3000.0))
    robot = robot.with_drive(controlled)
    inputs = ["j0.voltage", "j1.voltage", "j2.current_reference"]
    for law in motor_laws(robot, gw.assemble(robot), inputs):
        first = [law_input.name for law_input in law.inputs]
        v, q = rng.normal(size=3) * 300, rng.normal(size=3)
        states = [rng.normal() * 8 if s.unit != "K" else rng.uniform(290, 390) for s in law.states]
        at = situation(robot, v, states, rng.normal(size=len(first)) * 20, q=list(q))
        action, outcome = look(law, at)
        power = sum(force.value * force.line.speed(at.v) for force in action.forces)
        now = [s + 0.0 for s in states]
        h = 1e-6
        later = [s + h * r for s, r in zip(now, outcome.rates, strict=True)]
        before = [s - h * r for s, r in zip(now, outcome.rates, strict=True)]
        ends = [
            look(law, situation(robot, v, x, at.inputs, q=list(q + sign * h * v)))[1].stored
            for x, sign in ((later, 1), (before, -1))
        ]
        stored = (ends[0] - ends[1]) / (2 * h)
        scale = abs(power) + abs(outcome.supplied) + outcome.dissipated
        assert outcome.dissipated >= 0
        assert power + stored == pytest.approx(outcome.supplied - outcome.dissipated, abs=2e-7 * scale)


def test_torque_over_a_turn():
    law = only(disc(FULL), "j.voltage")
    ambient = 298.15
    for angle in np.linspace(0, 2, 7):
        at = situation(disc(FULL), [0.0], [3.0, ambient, ambient], [0.0], q=[angle])
        torque = look(law, at)[0].forces[0].value
        expected = K * 3.0 * (1 + 0.05 * np.sin(6 * angle + 0.2)) + 0.01 * np.sin(12 * angle + 0.3)
        assert torque == pytest.approx(expected, rel=1e-13)


def test_the_current_limit_is_reached_and_kept():
    for motor in (PLAIN, COIL):
        limited = replace(motor, max_current=6.0)
        run = gw.simulate(disc(limited), until=0.3, inputs={"j.voltage": 12.0})
        assert run["j.current"].max() <= 6.0 * (1 + 1e-5)
        begins = run.t > 10 * 0.1 * L / R
        accelerating = begins & (run["v.j"] < (12 - 1.2 * R * 6.0) / K)
        assert run["j.current"][accelerating].min() > 5.99
        assert run["a.j"][accelerating].min() == pytest.approx(K * 6.0 / J, rel=2e-3)


def test_max_torque_and_max_voltage_are_limits_too():
    run = gw.simulate(disc(replace(PLAIN, max_torque=0.2, max_voltage=10.0)), until=6.0, inputs={"j.voltage": 30.0})
    assert run["j.motor_torque"].max() == pytest.approx(0.2, rel=1e-12)
    assert run["v.j"][-1] == pytest.approx(10.0 / K, rel=1e-6)
    assert run["j.terminal_voltage"].max() <= 10.0 * (1 + 1e-12)


@pytest.mark.parametrize("motor", [PLAIN, COIL, replace(COIL, max_current=8.0)], ids=["plain", "coil", "limited"])
def test_the_speed_limit(motor):
    """No load: it stops at the top speed; braking from above it is still possible."""
    run = gw.simulate(disc(replace(motor, max_speed=120.0)), until=1.0, inputs={"j.voltage": 12.0})
    assert 120.0 * (1 - SPEED_LIMIT_BAND) < run["v.j"][-1] <= 120.0 * (1 + 1e-8)
    law = only(disc(replace(PLAIN, max_speed=120.0)), "j.voltage")
    assert look(law, situation(disc(PLAIN), [119.0], [], [0.0]))[0].forces[0].value == pytest.approx(-K * K * 119 / R)


@pytest.mark.parametrize("sense", [1, -1])
def test_the_rate_of_the_current_is_limited(sense):
    slow = disc(replace(COIL, max_current_rate=500.0))
    run = gw.simulate(slow, until=0.01, inputs={"j.voltage": sense * 12.0}, samples=101)
    assert run["j.current"][50] == pytest.approx(sense * 500.0 * run.t[50], rel=1e-7)


def test_a_current_controller_has_the_bandwidth_it_states():
    robot = disc(COIL, current_control=CurrentControl(2000.0))
    run = gw.simulate(
        robot,
        until=0.005,
        inputs={"j.current_reference": 4.0},
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
        samples=51,
    )
    assert np.abs(run["j.current"] - 4.0 * (1 - np.exp(-2000.0 * run.t))).max() < 1e-8
    assert run["a.j"][-1] == pytest.approx(K * run["j.current"][-1] / J, rel=1e-9)


def test_a_current_controller_does_not_wind_up():
    """The reference cannot be reached at full speed; when it drops, the current follows within some time constants."""
    robot = disc(replace(COIL, max_voltage=12.0), current_control=CurrentControl(2000.0))
    until = {"j.current_reference": lambda t: 8.0 if t < 1.0 else -2.0}
    run = gw.simulate(robot, until=1.1, inputs=until, samples=2201)
    assert run["j.current"][(run.t > 0.9) & (run.t < 1.0)].max() < 4.0
    after = run["j.current"][run.t > 1.0 + 10 / 2000.0]
    assert np.abs(after + 2.0).max() < 0.02


def test_a_current_controller_reaches_its_reference_on_a_sagging_bus():
    robot = disc(COIL, Supply(24.0, 1.0), current_control=CurrentControl(2000.0))
    run = gw.simulate(robot, until=0.05, inputs={"j.current_reference": 8.0})
    assert run["supply.bus_voltage"][-1] < 23.0
    assert run["j.current"][-1] == pytest.approx(8.0, rel=2e-3)


def test_current_control_without_inductance_is_refused():
    with pytest.raises(DriveError, match=r"'j': .*2000.0 rad/s.*inductance"):
        disc(PLAIN, current_control=CurrentControl(2000.0))
    with pytest.raises(DriveError, match=r"j\.current_reference: .*inductance"):
        gw.simulate(disc(PLAIN), until=0.1, inputs={"j.current_reference": 1.0})


def test_inputs_that_no_motor_can_take_are_refused():
    bare = disc(Motor(ROTOR, resistance=1.0))
    with pytest.raises(DriveError, match=r"'j' .*torque_constant"):
        gw.simulate(bare, until=0.1, inputs={"j.voltage": 1.0})
    both = {"j.voltage": 1.0, "j.current_reference": 1.0}
    with pytest.raises(InputError, match=r"j\.voltage .*j\.current_reference"):
        gw.simulate(disc(COIL), until=0.1, inputs=both)
    with pytest.raises(InputError):
        gw.simulate(disc(COIL), until=0.1, inputs={"k.voltage": 1.0})


def test_without_a_voltage_the_torque_is_given_directly():
    robot = disc(COIL)
    assert motor_laws(robot, gw.assemble(robot), ["tau.j"]) == ()
    run = gw.simulate(robot, until=1.0, inputs={"tau.j": 0.1})
    assert run["v.j"][-1] == pytest.approx(0.1 / J)


def test_every_scalar_gives_the_same():
    """Floats, batches and symbols: the law is written once."""
    robot = disc(replace(FULL, **LIMITS), Supply(24.0, 0.3, False, 28.0, 2.0))
    law = only(robot, "j.voltage")
    rng = np.random.default_rng(5)
    turning, warm = rng.normal(size=(40, 4)) * [1.0, 200.0, 8.0, 30.0], rng.uniform(290, 390, size=(40, 2))
    rows = np.column_stack([turning[:, :3], warm, turning[:, 3]])

    def numbers(columns, ops):
        q, v, i, winding, housing, u = columns
        action, outcome = look(law, situation(robot, [v], [i, winding, housing], [u], q=[q], ops=ops))
        return [action.forces[0].value, *outcome.rates, outcome.supplied, outcome.dissipated, outcome.stored]

    singles = np.array([numbers([float(x) for x in row], FLOATS) for row in rows])
    batch = np.column_stack(numbers(list(rows.T), ARRAYS))
    symbols, tape = casadi.SX.sym("x", 6), []
    results = numbers([Symbol(symbols[k], tape) for k in range(6)], symbol_operations())
    traced = casadi.Function("f", [symbols], [casadi.vertcat(*map(as_expression, results))])
    compiled = np.array([np.array(traced(row)).ravel() for row in rows])
    scale = np.abs(singles).max(axis=0)
    assert (np.abs(batch - singles) / scale).max() < 1e-12
    assert (np.abs(compiled - singles) / scale).max() < 1e-12


def test_compiled_fixed_steps_lead_to_the_same_motion():
    """Winding, limits, cogging, heat and a supply in machine code: RK4 of 10 us against the adaptive method."""
    robot = disc(replace(FULL, max_current=6.0), Supply(24.0, 0.3, False, 28.0, 2.0))
    given = {"j.voltage": 24.0}
    exact = gw.simulate(
        robot, until=0.2, inputs=given, integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12), samples=21
    )
    steps = gw.simulate(
        robot, until=0.2, inputs=given, method="rk4", integrator=gw.analysis.IntegratorOptions(step=1e-5), samples=21
    )
    for name in ("q.j", "v.j", "j.current", "j.winding_temperature"):
        assert np.abs(steps[name] - exact[name]).max() < 1e-5 * np.abs(exact[name]).max()


def test_motors_of_gear_trains_are_driven_too():
    """Their torque acts along their row of the structure matrix."""
    robot = gw.load("wrist_roll3")
    (train,) = robot.trains
    motors = [replace(one, motor=replace(one.motor, torque_constant=K, resistance=R)) for one in train.motors]
    driven = replace(robot, trains=[replace(train, motors=motors)])
    mech = gw.assemble(driven)
    laws = motor_laws(driven, mech, [f"{motors[1].name}.voltage"])
    (force,) = laws[0].act("on", situation(driven, [0.0] * mech.n, [], [5.0])).forces
    row = np.zeros(mech.n)
    for index, factor in force.line.terms:
        row[index] = factor * force.value
    actuator = next(one for one in mech.actuators if one.name == motors[1].name)
    assert row == pytest.approx(np.array(actuator.row) * K * 5.0 / R)
