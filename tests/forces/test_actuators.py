"""Linear actuators as laws: ties, shared states, inertia counted once, limits, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import DriveError
from gearwright.forces import DcMotorData, Line, Quantity
from gearwright.forces.actuators.dc_motor import dc_motor
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.system.evaluation import evaluate_system
from gearwright.system.system import System

DATA = {"torque_constant": 0.06, "resistance": 0.8, "inductance": 2e-3, "damping": 1e-4, "back_emf_constant": 0.055}
JOINTS = ("j1", "j2", "j3")


@pytest.fixture(scope="module")
def arm():
    return gw.assemble(gw.load("elbow"))


def state(seed, *, currents=3):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.5, 1.5, 3), rng.uniform(-2, 2, 3), rng.uniform(-5, 5, currents), rng.uniform(-20, 20, 3)


def evaluated(mech, laws, q, v, own, u):
    """Accelerations and rates of the laws' states in the engine of laws."""
    system = System(mech, laws, {})
    x = np.concatenate([q, v, own, [0.0, 0.0]])
    found = evaluate_system(system, 0.0, x, np.concatenate([np.zeros(mech.n), u]), ("on",) * len(laws))
    return found.a, np.array([rate for outcome in found.outcomes for rate in outcome.rates]), found.outcomes


def exact_dc(mech, q, v, i, u, kt=0.06, ke=0.055, R=0.8, L=2e-3, B=1e-4):
    """M a + bias = A (K i - B A'v), L di/dt = u - R i - K_E A'v: rotors in M, electrics outside."""
    w = gw.actuator_speeds(mech, v)
    a = gw.forward_dynamics(mech, q, v, gw.actuation.structure_matrix(mech) @ (kt * i - B * w))
    return a, (u - R * i - ke * w) / L


@pytest.mark.parametrize("seed", range(3))
def test_motors_on_moving_links_are_exact(arm, seed):
    q, v, i, u = state(seed)
    a, rates, _ = evaluated(arm, [dc_motor(arm, name, DcMotorData(**DATA)) for name in JOINTS], q, v, i, u)
    expected = exact_dc(arm, q, v, i, u)
    assert np.abs(a - expected[0]).max() < 1e-10 * np.abs(expected[0]).max()
    assert np.abs(rates - expected[1]).max() < 1e-10 * np.abs(expected[1]).max()


def test_machine_without_rotors_gets_them_on_the_diagonal(arm):
    """On "none" the actuator brings J itself: eq. 20.71, which is the approximation "diagonal" and not the truth."""
    q, v, i, u = state(5)
    bare = gw.approximate(arm, "none")
    rotors = {spin.name: spin.inertia for spin in arm.spins}
    motors = [dc_motor(bare, name, DcMotorData(inertia=rotors[f"{name}.rotor"], **DATA)) for name in JOINTS]
    assert all(motor.act("on", _seen(bare, q, v, [0.0], [0.0])).holds for motor in motors)
    a, rates, _ = evaluated(bare, motors, q, v, i, u)
    expected = exact_dc(gw.approximate(arm, "diagonal"), q, v, i, u)
    assert np.abs(a - expected[0]).max() < 1e-10 * np.abs(expected[0]).max()
    assert np.abs(rates - expected[1]).max() < 1e-10 * np.abs(expected[1]).max()
    assert np.abs(a - exact_dc(arm, q, v, i, u)[0]).max() > 1e-3 * np.abs(a).max()


def test_part_of_the_inertia_carried(arm):
    """A machine that has 40 % of each rotor, and actuators that bring the rest, is the diagonal model again."""
    q, v, i, u = state(6)
    diagonal = gw.approximate(arm, "diagonal")
    some = replace(diagonal, spins=[replace(spin, inertia=0.4 * spin.inertia) for spin in diagonal.spins])
    motors = [
        replace(dc_motor(diagonal, name, DcMotorData(**DATA)), carried=0.4 * J)
        for name, J in zip(JOINTS, INERTIAS, strict=True)
    ]
    a, rates, _ = evaluated(some, motors, q, v, i, u)
    expected = exact_dc(diagonal, q, v, i, u)
    assert np.abs(a - expected[0]).max() < 1e-10 * np.abs(expected[0]).max()
    assert np.abs(rates - expected[1]).max() < 1e-10 * np.abs(expected[1]).max()


INERTIAS = (5e-4, 3e-4, 2e-4)


@pytest.mark.parametrize("seed", range(3))
def test_any_tie_and_any_coordinates(arm, seed):
    """The same motors in other state coordinates y = P x, with full ties, f and d: the same motion."""
    rng = np.random.default_rng(seed)
    q, v, i, u = state(seed + 10)
    plain = [dc_motor(arm, name, DcMotorData(**DATA)) for name in JOINTS]
    mixed, own = [], []
    for motor, current in zip(plain, i, strict=True):
        P = np.eye(3) + 0.3 * rng.normal(size=(3, 3))
        Q = np.linalg.inv(P)
        C, tie = P @ np.array(motor.C) @ Q, np.array(motor.tie) @ Q
        names = tuple(Quantity(f"{motor.name}.y{k}", "") for k in range(3))
        fresh = replace(motor, C=C, f=P @ motor.f, d=P @ np.array(motor.d), tie=tie, variables=names)
        y = P @ motor.full_state(motor.line.position(q), motor.line.speed(v), [current])
        assert not fresh.position_states
        assert len(fresh.states) == 2
        assert np.allclose(fresh.full_state(0.0, motor.line.speed(v), y[list(fresh.own_states)]), y)
        mixed.append(fresh)
        own += list(y[list(fresh.own_states)])
    a, _, _ = evaluated(arm, plain, q, v, i, u)
    b, _, _ = evaluated(arm, mixed, q, v, own, u)
    assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()


def test_actuator_that_leads(arm):
    """T f = 0: the drive imposes its acceleration, and the others feel it as any acceleration."""
    lead = LinearActuator(
        "turret.servo",
        Line.for_machine(arm, "j1"),
        C=[[0, 1], [0, -4.0]],
        f=[0, 0],
        d=[0, 4.0],
        tie=[0, 1],
        variables=(Quantity("turret.way", "rad"), Quantity("turret.rate", "rad/s")),
        controls=(Quantity("turret.wish", "rad/s"),),
    )
    q, v, _, _ = state(3)
    a, _, outcomes = evaluated(arm, [lead], q, v, [], [1.5])
    assert a[0] == pytest.approx(4.0 * (1.5 - v[0]), abs=1e-10)
    force = outcomes[0].signals["turret.servo.force"]
    assert np.allclose(gw.inverse_dynamics(arm, q, v, a), [force, 0, 0], atol=1e-9)


def test_limits_are_kept(arm):
    q, v, i, _ = state(8)
    motors = [dc_motor(arm, name, DcMotorData(max_voltage=24.0, **DATA)) for name in JOINTS]
    beyond = evaluated(arm, motors, q, v, i, np.array([60.0, -60.0, 10.0]))
    within = evaluated(arm, motors, q, v, i, np.array([24.0, -24.0, 10.0]))
    assert np.array_equal(beyond[1], within[1])


def test_run_up_of_a_motor_without_inductance():
    """One rotor alone: speed u/K_E (1 - exp(-t K_T K_E/(R J)))."""
    rotor = gw.parts.Drive("shaft", gw.parts.Motor(inertia=2e-5), gw.parts.Gear(ratio=1.0))
    robot = gw.parts.Robot("motor", [gw.parts.Link("shaft", inertia=np.diag([1e-12, 1e-12, 1e-12]))], [rotor])
    mech = gw.assemble(robot)
    motor = dc_motor(mech, "shaft", DcMotorData(torque_constant=0.05, resistance=1.0))
    run = gw.simulate(mech, until=0.05, laws=[motor], inputs={"shaft.voltage": 10.0})
    J = 2e-5 + 1e-12
    expected = 10 / 0.05 * (1 - np.exp(-run.t * 0.05**2 / J))
    assert np.abs(run["v.shaft"] - expected).max() < 1e-6 * 200
    assert run.drift < 1e-8


def test_compiled_steps(arm):
    """Actuators whose inertia the machine carries are plain forces, which the fixed-step kernels take."""
    motors = [dc_motor(arm, name, DcMotorData(max_voltage=10.0, **DATA)) for name in JOINTS]
    options = {"until": 0.1, "laws": motors, "inputs": {"j1.voltage": 12.0, "j2.voltage": 5.0}, "samples": 11}
    fixed, free = (
        gw.simulate(arm, method="rk4", integrator=gw.analysis.IntegratorOptions(step=1e-4), **options),
        gw.simulate(arm, integrator=gw.analysis.IntegratorOptions(rtol=1e-11), **options),
    )
    assert np.abs(fixed.q - free.q).max() < 1e-9
    assert np.abs(fixed["j1.current"] - free["j1.current"]).max() < 1e-6


def test_power_is_booked(arm):
    motors = [dc_motor(arm, name, DcMotorData(**DATA)) for name in JOINTS]
    run = gw.simulate(arm, [0.2, -0.4, 0.5], until=0.3, laws=motors, inputs={"j2.voltage": 12.0, "j1.voltage": 5.0})
    assert run.drift < 1e-8
    assert np.ptp(run["j1.current"]) > 0.1


def _seen(mech, q, v, own, u):
    from gearwright.algebra.operations import FLOATS
    from gearwright.forces import Situation

    return Situation(0.0, list(q), list(v), own, u, FLOATS, mech)


BAD = {
    "zero tie": ({"tie": [0, 0, 0]}, "'j1.motor': .*`tie`"),
    "short f": ({"f": [0, -1.0]}, "'j1.motor': f .* 2 .* 3 "),
    "rows of C": ({"C": [[0, 1, 0]]}, "'j1.motor': C .* 1 .* 3 states"),
    "running away": ({"f": [0, 2.0, 0]}, "'j1.motor': T f = 2 "),
    "carried too much": ({"carried": 1.0}, "'j1.motor': carried=1 .*0.0005"),
    "limit": ({"limits": (-3.0,)}, "'j1.motor': limit=-3"),
    "two limits": ({"limits": (3.0, 4.0)}, r"'j1.motor': limits \(3.0, 4.0\).* 1 inputs"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_refusals(arm, change, message):
    with pytest.raises(DriveError, match=message):
        replace(dc_motor(arm, "j1", DcMotorData(**DATA)), **change)


def test_refusals_of_motors(arm):
    with pytest.raises(DriveError, match=r"resistance=0.0"):
        dc_motor(arm, "j1", DcMotorData(torque_constant=0.05, resistance=0.0))
    with pytest.raises(DriveError, match=r"'j1'.*0\.001 kg m2 .*0\.0005 kg m2.*'j1\.rotor'"):
        dc_motor(arm, "j1", DcMotorData(torque_constant=0.05, resistance=1.0, inertia=1e-3))
    with pytest.raises(DriveError, match=r"'j1'.*'j1\.rotor'.*inertia="):
        dc_motor(gw.approximate(arm, "none"), "j1", DcMotorData(torque_constant=0.05, resistance=1.0))
    with pytest.raises(gw.errors.GearwrightError, match=r"'j9'.*j1, j2, j3"):
        dc_motor(arm, "j9", DcMotorData(torque_constant=0.05, resistance=1.0, inertia=1e-4))


def test_inputs_beyond_the_electronics_are_remarked_upon(arm):
    """500 V on electronics of 48 V run like 48 V, and the run says so; within the limit it says nothing."""
    runs = {}
    for volts in (500.0, 48.0):
        motors = [dc_motor(arm, "j1", DcMotorData(max_voltage=48.0, **DATA))]
        runs[volts] = gw.simulate(arm, until=0.05, laws=motors, inputs={"j1.voltage": volts}, samples=11)
    np.testing.assert_allclose(runs[500.0].q, runs[48.0].q, atol=1e-9)
    said = [remark for remark in runs[500.0].remarks if "j1.voltage" in remark]
    assert len(said) == 1
    assert "500 V" in said[0]
    assert "48 V" in said[0]
    assert not [remark for remark in runs[48.0].remarks if "j1.voltage" in remark]


def test_a_valve_opens_no_further_than_it_can():
    """The same for every actuator with limited inputs: here a servo valve, whose opening is a fraction."""
    link = gw.parts.Link("ram", joint=gw.parts.Joint("ram", "prismatic", axis=(1, 0, 0)), mass=5.0)
    mech = gw.assemble(gw.parts.Robot("press", [link]))
    lead = LinearActuator(
        name="valve", line=Line.for_machine(mech, "ram"), C=[[0.0, 1.0], [0.0, -4.0]], f=[0.0, 0.0], d=[0.0, 4.0],
        tie=[0, 1], variables=(Quantity("ram.way", "m"), Quantity("ram.rate", "m/s")),
        controls=(Quantity("ram.opening", ""),), limits=(1.0,),
    )  # fmt: skip
    run = gw.simulate(mech, until=0.1, laws=[lead], inputs={"ram.opening": lambda t: 30.0 * t}, samples=11)
    (said,) = [remark for remark in run.remarks if "ram.opening" in remark]
    assert "64%" in said  # 7 of 11 samples
