"""Viscosity over temperature: closed forms, the balance of heat, all engines, files and fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.errors import DriveError
from gearwright.export.fmi import build
from gearwright.identification import RunLog, fit_run
from gearwright.parts import Drive, Friction, Gear, Joint, Link, LoadFriction, Lubricant, Motor, Robot

INERTIA, DAMPING, BETA, WARM = 0.02, 0.05, 0.03, 25.0


def disc(friction) -> Robot:
    link = Link("disc", joint=Joint("j", axis=(0, 0, 1), friction=friction), mass=1.0, inertia=INERTIA * np.eye(3))
    return Robot("disc", [link], gravity=(0, 0, 0))


def oil(**changes) -> Lubricant:
    return Lubricant(**{"temperature_coefficient": BETA, "reference": 298.15, **changes})


def coasting(friction, **options):
    engine = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12, **options)
    inputs = {} if friction.lubricant.capacity else {"j.friction.temperature": 298.15 + WARM}
    return gw.simulate(disc(friction), gw.State([0.0], [40.0]), until=0.6, samples=7, inputs=inputs, integrator=engine)


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_disc_coasts_with_the_viscosity_of_the_measured_temperature(engine) -> None:
    run = coasting(Friction(viscous=DAMPING, lubricant=oil()), engine=engine)
    rate = DAMPING * np.exp(-BETA * WARM) / INERTIA
    assert run["v.j"] == pytest.approx(40.0 * np.exp(-rate * run.t), rel=1e-8)


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("coulomb", [0.0, 0.3])
def test_the_lost_energy_heats_the_lubricant(engine, coulomb) -> None:
    """Against the two equations integrated by SciPy, and the balance of heat of a lubricant without a way out."""
    friction = Friction(coulomb, DAMPING, lubricant=oil(capacity=2.0, lubricant_ambient=3.0))
    run = coasting(friction, engine=engine)

    def rates(_, y):
        w, warm = y
        torque = coulomb + DAMPING * np.exp(-BETA * warm) * w
        return [-torque / INERTIA, (torque * w - warm / 3.0) / 2.0]

    solution = solve_ivp(rates, (0, 0.6), [40.0, 0.0], rtol=1e-11, atol=1e-12, t_eval=run.t)
    assert run["v.j"] == pytest.approx(solution.y[0], rel=1e-7)
    assert run["j.friction.temperature"] - 298.15 == pytest.approx(solution.y[1], rel=1e-7, abs=1e-9)
    closed = coasting(replace(friction, lubricant=oil(capacity=2.0, lubricant_ambient=1e12)), engine=engine)
    energy = 0.5 * INERTIA * closed["v.j"] ** 2
    assert 2.0 * (closed["j.friction.temperature"] - 298.15) == pytest.approx(energy[0] - energy, rel=1e-7, abs=1e-7)
    assert closed.drift < 1e-7


MOTOR_FRICTIONS = {
    "smooth": Friction(viscous=2e-3),
    "dry": Friction(0.01, 2e-3, 0.015, 1.0),
    "lugre": Friction(0.01, 2e-3, 0.015, 1.0, stiffness=0.05, damping=0.001),
    "load": Friction(0.01, 2e-3, load=LoadFriction(0.1, 0.05)),
    "bristles": Friction(0.01, 2e-3, stiffness=0.05, load=LoadFriction(0.1, 0.05)),
}


def arm(friction, **changes) -> Robot:
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
    return Robot("arm", [link], [Drive("j", Motor(1e-4, friction=friction), Gear(10.0))], **changes)


@pytest.mark.parametrize("kind", MOTOR_FRICTIONS)
def test_every_friction_has_the_viscosity_of_its_temperature(kind) -> None:
    """A warm lubricant is friction with that viscosity; fixed steps and adaptive runs agree on a heated one."""
    friction = MOTOR_FRICTIONS[kind]
    torque = {"tau.j": lambda t: 4.0 * np.sin(6 * t)}
    warm_inputs = {"j.motor_friction.temperature": 298.15 + WARM, **torque}
    state = gw.State([0.3], [0.0])
    warm = gw.simulate(arm(replace(friction, lubricant=oil())), state, until=1.0, samples=11, inputs=warm_inputs)
    thin = replace(friction, viscous=friction.viscous * np.exp(-BETA * WARM))
    plain = gw.simulate(arm(thin), state, until=1.0, samples=11, inputs=torque)
    assert warm["q.j"] == pytest.approx(plain["q.j"], rel=1e-6, abs=1e-7)
    heated = arm(replace(friction, lubricant=oil(capacity=0.05)))
    adaptive = gw.simulate(heated, state, until=1.0, samples=11, inputs=torque)
    t = np.arange(20001) * 0.5e-4
    stepped = gw.rollout(heated, [0.3], [0.0], 10000, 1e-4, method="moreau", inputs=4.0 * np.sin(6 * t)[:, None])
    name = "j.motor_friction.temperature"
    assert np.ptp(adaptive[name]) > 1.0
    assert stepped.states[name][::1000] == pytest.approx(adaptive[name], abs=0.01 * np.ptp(adaptive[name]))


@pytest.mark.skipif(build.find_compiler() is None, reason="there is no C compiler")
def test_an_fmu_has_the_temperature_as_a_state(tmp_path) -> None:
    """Co-simulation against `simulate`."""
    fmpy = pytest.importorskip("fmpy")
    heated = arm(replace(MOTOR_FRICTIONS["dry"], lubricant=oil(capacity=0.05)))
    start, names = gw.State([1.2], [0.0]), ["q.j", "j.motor_friction.temperature"]
    expected = gw.simulate(heated, start, until=0.5, samples=6)
    assert np.ptp(expected[names[1]]) > 0.1
    gw.export.fmu(heated, tmp_path / "heated.fmu", "3.0", state=start)
    options = {"fmi_type": "CoSimulation", "stop_time": 0.5, "output_interval": 0.1, "output": names}
    found = fmpy.simulate_fmu(str(tmp_path / "heated.fmu"), relative_tolerance=1e-9, **options)
    for name in names:
        assert found[name] == pytest.approx(expected[name], rel=1e-6), name


def test_files_state_and_write_it_in_degrees_celsius(tmp_path) -> None:
    robot = arm(replace(MOTOR_FRICTIONS["dry"], lubricant=oil(reference=313.15, capacity=40.0)))
    gw.save(robot, tmp_path / "arm.yaml")
    text = (tmp_path / "arm.yaml").read_text(encoding="utf-8")
    assert "lubricant" in text
    read = gw.load(tmp_path / "arm.yaml").drives[0].motor.friction.lubricant
    assert read == robot.drives[0].motor.friction.lubricant
    with pytest.raises(DriveError, match="kelvin"):
        oil(reference=40.0)
    with pytest.raises(DriveError, match=r"ambient=inf.*finite"):
        oil(ambient=float("inf"))
    with pytest.raises(DriveError, match="temperature_coefficient"):
        oil(temperature_coefficient=2.0)


def test_the_coefficient_is_found_from_a_log_with_temperatures() -> None:
    """The housing warms by 20 K; positions with noise of 0.1 mrad."""
    robot = arm(replace(MOTOR_FRICTIONS["dry"], lubricant=oil(temperature_coefficient=0.01)))
    true = {"j.motor_friction.lubricant.temperature_coefficient": 0.035, "j.motor_friction.viscous": 3e-3}
    t = 2.5e-4 * np.arange(16001)
    inputs = {"tau.j": 4.0 * np.sin(6 * t) + 2 * np.sin(15 * t), "j.motor_friction.temperature": 298.15 + 5.0 * t}
    stacked = {"tau": inputs["tau.j"][:, None], "j.motor_friction.temperature": inputs["j.motor_friction.temperature"]}
    run = gw.rollout(robot, [0.3], [0.0], 8000, 5e-4, method="moreau", inputs=stacked, parameters=true)
    q = run.q[::10, 0] + 1e-4 * np.random.default_rng(0).standard_normal(801)
    log = RunLog(run.t[::10], {name: x[::20] for name, x in inputs.items()}, {"q.j": q})
    fit = fit_run(robot, [log], {name: (0.2 * x, 5 * x) for name, x in true.items()})
    for name, value in true.items():
        assert fit[name] == pytest.approx(value, rel=0.03), name
    assert fit.robot.drives[0].motor.friction.lubricant.temperature_coefficient == fit[next(iter(true))]
