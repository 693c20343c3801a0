"""The complete model of machine and actuators, against the corrected equations of Vukobratovic and Potkonjak."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, SingularityError
from gearwright.forces import DcMotorData, Line, Quantity
from gearwright.forces.actuators.dc_motor import dc_motor, dc_motors
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.system.evaluation import evaluate_system, state_vector_rates
from gearwright.system.open_systems.complete_model import complete_model
from gearwright.system.system import System

KT, KE, R, L, B = 0.06, 0.055, 0.8, 2e-3, 1e-4
DATA = {"torque_constant": KT, "back_emf_constant": KE, "resistance": R, "damping": B}
JOINTS = ("j1", "j2", "j3")
INERTIAS, RATIOS = np.array([5e-4, 3e-4, 2e-4]), np.array([120.0, 100.0, 80.0])


@pytest.fixture(scope="module")
def arm():
    return gw.assemble(gw.load("elbow"))


def motors(mech, inductance=L, inertias=None):
    own = {} if inertias is None else dict(zip(JOINTS, inertias, strict=True))
    return [dc_motor(mech, name, DcMotorData(inertia=own.get(name), inductance=inductance, **DATA)) for name in JOINTS]


def handbook(H, h, C, F, D, T, x):
    """Eqs 20.80 to 20.82, with the missing F: drift and input matrix of all actuators' states."""
    K = np.linalg.inv(np.eye(len(H)) - H @ T @ F)
    return C @ x + F @ K @ (H @ T @ C @ x + h), D + F @ K @ H @ T @ D


def written_down(inductance):
    """C, F, D, T of eqs 20.65 and 20.67 at the joint side: x_j = [theta, thetad, (i)], M N = tau, q = theta/N."""
    size = 3 if inductance else 2
    C, F, D, T = np.zeros((3 * size,) * 2), np.zeros((3 * size, 3)), np.zeros((3 * size, 3)), np.zeros((3, 3 * size))
    for k, (J, N) in enumerate(zip(INERTIAS, RATIOS, strict=True)):
        s = slice(size * k, size * (k + 1))
        if inductance:
            C[s, s] = [[0, 1, 0], [0, -B / J, KT / J], [0, -KE / L, -R / L]]
            D[s, k] = [0, 0, 1 / L]
        else:
            C[s, s] = [[0, 1], [0, -KT * KE / R / J - B / J]]
            D[s, k] = [0, KT / (R * J)]
        F[s, k] = [0, -1 / J / N, 0][:size]
        T[k, s] = [0, 1 / N, 0][:size]
    return C, F, D, T


def random_state(seed, size):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.5, 1.5, size), rng.uniform(-20, 20, 3)


@pytest.mark.parametrize("inductance", [L, 0.0])
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_exact_geared_equations(arm, seed, inductance):
    """M qdd + bias = A (K_T i - B A'qd), L di/dt = u - R i - K_E A'qd with every rotor in M, to 1e-10."""
    x, u = random_state(seed, 9 if inductance else 6)
    q, v = x[:3], x[3:6]
    w = gw.actuator_speeds(arm, v)
    i = x[6:] if inductance else (u - KE * w) / R
    a = gw.forward_dynamics(arm, q, v, gw.actuation.structure_matrix(arm) @ (KT * i - B * w))
    expected = np.concatenate([v, a, (u - R * i - KE * w) / L if inductance else []])
    found = complete_model(arm, motors(arm, inductance)).rates(x, u)
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("inductance", [L, 0.0])
def test_the_corrected_closed_form(arm, inductance):
    """With H and h of the bare chain the handbook's form is the diagonal model; with M less J N^2 it is exact."""
    C, F, D, T = written_down(inductance)
    bare = gw.approximate(arm, "none")
    exact, diagonal = motors(arm, inductance), complete_model(bare, motors(bare, inductance, INERTIAS))
    x, u = random_state(7, 9 if inductance else 6)
    q, v = x[:3], x[3:6]
    for model, H, h in (
        (diagonal, gw.mass_matrix(bare, q), gw.bias(bare, q, v)),
        (complete_model(arm, exact), gw.mass_matrix(arm, q) - np.diag(INERTIAS * RATIOS**2), gw.bias(arm, q, v)),
    ):
        stacked = model.actuator_states(x)
        drift, inputs = handbook(H, h, C, F, D, T, stacked)
        rates = model.actuator_states(model.rates(x, u))  # the same map, since it is linear
        assert np.abs(rates - (drift + inputs @ u)).max() < 1e-10 * np.abs(rates).max()
        assert np.allclose(
            model.actuator_states(model.input_matrix(x).T).T, inputs, rtol=1e-10, atol=1e-12 * np.abs(inputs).max()
        )
        assert np.allclose(model.drift(x) + model.input_matrix(x) @ u, model.rates(x, u), rtol=1e-12)


def test_the_printed_input_matrix_is_wrong_without_inductance(arm):
    """Eq. 20.82 lacks an F: sizes do not match, and leaving the term out (as for three states) is wrong for two."""
    bare = gw.approximate(arm, "none")
    q, v = np.array([0.3, -0.5, 0.8]), np.zeros(3)
    H = gw.mass_matrix(bare, q)
    for inductance, term_matters in ((0.0, True), (L, False)):
        _, F, D, T = written_down(inductance)
        K = np.linalg.inv(np.eye(3) - H @ T @ F)
        with pytest.raises(ValueError, match="broadcast"):
            D + K @ H @ T @ D
        model = complete_model(bare, motors(bare, inductance, INERTIAS))
        x = np.concatenate([q, v, np.zeros(3 if inductance else 0)])
        right = model.actuator_states(model.input_matrix(x).T).T
        assert bool(np.abs(D - right).max() > 0.1 * np.abs(D).max()) is term_matters


def test_the_equations_of_a_dc_driven_robot_are_the_diagonal_model(arm):
    """Eq. 20.71: H qdd + J N^2 qdd + h + (K_T K_E/R) N^2 qd = (N K_T/R) u, and where it is wrong."""
    x, u = random_state(4, 6)
    q, v = x[:3], x[3:]
    bare, diagonal = gw.approximate(arm, "none"), gw.approximate(arm, "diagonal")
    star = gw.mass_matrix(bare, q) + np.diag(INERTIAS * RATIOS**2)
    assert np.allclose(gw.mass_matrix(diagonal, q), star, rtol=1e-13)
    h = gw.bias(bare, q, v) + (KT * KE / R + B) * RATIOS**2 * v
    expected = np.linalg.solve(star, RATIOS * KT / R * u - h)
    found = complete_model(diagonal, motors(diagonal, 0.0)).rates(x, u)[3:]
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
    exact = complete_model(arm, motors(arm, 0.0)).rates(x, u)[3:]
    assert np.abs(found - exact).max() > 1e-3 * np.abs(exact).max()
    missing = gw.mass_matrix(arm, q) - star  # "off-diagonal terms do not change" is not so: sum J (b h' + h b')
    spins = zip(INERTIAS, RATIOS, np.eye(3), gw.equations.axial_rates(arm, q), strict=True)
    coupling = sum(J * N * (np.outer(e, h) + np.outer(h, e)) for J, N, e, h in spins)
    assert np.allclose(missing, coupling, atol=1e-12)
    assert np.abs(missing - np.diag(np.diag(missing))).max() > 0.02


def test_equals_the_engine_of_laws_on_coupled_rows():
    """A gear train in which each motor moves several joints; actuators of three kinds, one without an inductance."""
    mech = gw.assemble(gw.load("grm3"))
    laws = [
        dc_motor(mech, "m1", DcMotorData(inertia=1e-3, inductance=L, **DATA)),
        dc_motor(mech, "m2", DcMotorData(inertia=2e-3, **DATA)),
        LinearActuator(
            "m3.motor",
            Line.for_machine(mech, mech.actuators[2].row),
            C=[[0, 1, 0], [-30.0, -0.5, 8.0], [1.0, -3.0, -20.0]],
            f=[0, -50.0, 0.7],
            d=[[0, 0], [2.0, 0], [1.0, 40.0]],
            tie=[0.0, 0.8, 0.1],
            offset=[0, 0.3, -2.0],
            variables=tuple(Quantity(f"m3.x{k}", "") for k in range(3)),
            controls=(Quantity("m3.u", ""), Quantity("m3.w", "")),
            carried=0.01,
        ),
    ]
    model = complete_model(mech, laws)
    rng = np.random.default_rng(2)
    x, u = rng.uniform(-1, 1, (5, len(model.state_names))), rng.uniform(-5, 5, (5, 4))
    system = System(mech, laws, {})
    for state, inputs, found in zip(x, u, model.rates(x, u), strict=True):
        whole = np.concatenate([state, [0, 0]])
        evaluation = evaluate_system(system, 0.0, whole, np.concatenate([np.zeros(3), inputs]), ("on",) * 3)
        expected = state_vector_rates(system, whole, np.concatenate([np.zeros(3), inputs]), evaluation, np.zeros(0))[
            :-2
        ]
        assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


def test_refusals(arm):
    with pytest.raises(InputError, match=r"complete_model: .*LinearActuator"):
        complete_model(arm, [])
    with pytest.raises(InputError, match=r"actuators=\['j1'\].*LinearActuator"):
        complete_model(arm, ["j1"])
    with pytest.raises(InputError, match=r"complete_model: .*simulate"):
        complete_model(gw.assemble(gw.load("mini_cheetah")), motors(arm))
    model = complete_model(arm, motors(arm))
    with pytest.raises(InputError, match=r"j1\.current"):
        model.rates(np.zeros(8), np.zeros(3))
    with pytest.raises(InputError, match=r"j1\.voltage"):
        model.rates(np.zeros(9), np.zeros(2))
    names = (Quantity("way", ""), Quantity("rate", ""))
    led = LinearActuator(
        "a", Line.for_machine(arm, "j1"), [[0, 1], [0, 0]], [0, 0], [0, 1], [0, 1], names, (Quantity("u", ""),)
    )
    with pytest.raises(SingularityError, match=r"a .*T f = 0"):
        complete_model(arm, [led, led])


def rubbing_elbow(**changes):
    """The elbow arm with viscous friction at a joint and at a motor, and motors by their data."""
    robot = gw.load("elbow").with_joint("j2", damping=3.0)
    drives = [replace(d, motor=replace(d.motor, torque_constant=KT, resistance=R, inductance=L)) for d in robot.drives]
    drives[0] = replace(drives[0], motor=replace(drives[0].motor, damping=2e-4))
    robot = replace(robot, drives=drives)
    return robot.with_joint("j1", **changes) if changes else robot


def test_viscous_friction_of_the_robot_is_taken_along():
    """-d b b' v for the joint (b = 1) and for the motor (b = 120)."""
    robot = rubbing_elbow()
    mech = gw.assemble(robot)
    motors_of_robot = dc_motors(robot, mech)
    x, u = random_state(4, 9)
    plain, rubbing = complete_model(mech, motors_of_robot), complete_model(robot, motors_of_robot)
    v = x[3:6]
    missing = gw.mass_matrix(mech, x[:3]) @ (rubbing.rates(x, u) - plain.rates(x, u))[3:6]
    np.testing.assert_allclose(missing, -np.array([2e-4 * 120**2, 3.0, 0.0]) * v, rtol=1e-9, atol=1e-9)


def test_viscous_friction_is_that_of_a_simulation():
    robot = rubbing_elbow()
    voltages = [4.0, 8.0, -3.0]
    model = complete_model(robot, dc_motors(robot, gw.assemble(robot)))
    inputs = {f"{name}.voltage": value for name, value in zip(JOINTS, voltages, strict=True)}
    run = gw.simulate(robot, [0.1, 0.4, -0.3], until=0.05, inputs=inputs)
    currents = np.stack([run[f"{name}.current"] for name in JOINTS], axis=-1)
    rates = model.rates(np.concatenate([run.q, run.v, currents], axis=-1), np.tile(voltages, (len(run.t), 1)))
    np.testing.assert_allclose(rates[:, 3:6], run.a, rtol=1e-8, atol=1e-8)


def test_what_is_not_linear_is_refused_by_name():
    """Losses of gears and dry friction do not fall under the table without a word."""
    robot = rubbing_elbow()
    lossy_drive = replace(robot.drives[1], gear=replace(robot.drives[1].gear, efficiency=0.8))
    for bad, name in (
        (robot.with_drive(lossy_drive), r"'j2.gear' \(GearLoss\)"),
        (rubbing_elbow(friction=0.5), r"'j1.friction' \(DryFriction\)"),
    ):
        mech = gw.assemble(bad)
        with pytest.raises(InputError, match=name):
            complete_model(bad, dc_motors(bad, mech))
        found = [complete_model(*given) for given in ((bad, dc_motors(bad, mech), ()), (mech, dc_motors(bad, mech)))]
        np.testing.assert_array_equal(*(model.drift(np.full(9, 0.1)) for model in found))
