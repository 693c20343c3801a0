"""Load-dependent friction against the models M1 to M6 of Duclusaud, Passault, Padois and Ly (2025), written by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

import gearwright as gw
from gearwright.algebra.differentiation.dual_numbers import DualOperations, dual, partials_of
from gearwright.algebra.operations import FLOATS
from gearwright.errors import DriveError, InputError
from gearwright.forces.transmission.load_friction import load_friction_mesh
from gearwright.parts import Drive, Friction, Gear, Joint, Link, LoadFriction, Motor, Robot
from gearwright.simulation import IntegratorOptions

BASE, VISCOUS, STRIBECK, SPEED, ALPHA = 0.02, 0.003, 0.015, 0.8, 1.6
LM, LE, LMS, LES, QM, QE = 0.22, 0.06, 0.09, 0.03, 0.12, 0.2
BUDGETS = {
    "M1": lambda w, tm, te: 0.0,
    "M2": lambda w, tm, te: fade(w) * STRIBECK,
    "M3": lambda w, tm, te: LM * abs(te - tm),
    "M4": lambda w, tm, te: fade(w) * STRIBECK + (LM + fade(w) * LMS) * abs(te - tm),
    "M5": lambda w, tm, te: m5(w, tm, te),
    "M6": lambda w, tm, te: m5(w, tm, te) + quadratic(w, tm, te),
}
DIRECT = {"coulomb": BASE, "viscous": VISCOUS, "stribeck_speed": SPEED, "stribeck_exponent": ALPHA}
FRICTIONS = {
    "M1": Friction(**DIRECT, load=LoadFriction()),
    "M2": Friction(**DIRECT, static=BASE + STRIBECK, load=LoadFriction()),
    "M3": Friction(**DIRECT, load=LoadFriction(LM, LM)),
    "M4": Friction(**DIRECT, static=BASE + STRIBECK, load=LoadFriction(LM, LM, LMS, LMS)),
    "M5": Friction(**DIRECT, static=BASE + STRIBECK, load=LoadFriction(LM, LE, LMS, LES)),
    "M6": Friction(**DIRECT, static=BASE + STRIBECK, load=LoadFriction(LM, LE, LMS, LES, QM, QE, lag=1e-3)),
}


def fade(w):
    return np.exp(-(abs(w / SPEED) ** ALPHA))


def m5(w, tm, te):
    return fade(w) * STRIBECK + abs(LE * te - LM * tm) + fade(w) * abs(LES * te - LMS * tm)


def quadratic(w, tm, te):
    if te * tm >= 0:
        return 0.0
    return fade(w) * (QE * te**2 if abs(te) < abs(tm) else QM * tm**2)


def budget(model, w, tm, te):
    """The friction budget B of a model at the output shaft."""
    return VISCOUS * abs(w) + BASE + BUDGETS[model](w, tm, te)


def pendulum(friction, inertia=1e-3, ratio=1.0) -> Robot:
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=0.5, com=(0.2, 0, 0))
    return Robot("pendulum", [link], [Drive("j", Motor(inertia, friction=friction), Gear(ratio))])


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("model", ["M1", "M2", "M3", "M4", "M5"])
def test_sliding_loses_the_budget_of_the_transmitted_torques(model, engine):
    """T - O = sign(w) B(w, T, -O) at every sample of a run in all four quadrants."""
    run = gw.simulate(
        pendulum(FRICTIONS[model]),
        gw.State([0.5], [0.0]),
        until=3.0,
        samples=601,
        inputs={"j.torque": lambda t: 0.6 * np.sin(5.0 * t)},
        integrator=gw.analysis.IntegratorOptions(engine=engine),
    )
    w, T, loss = run["v.j"], run["j.motor_friction.input_torque"], run["j.motor_friction.loss_torque"]
    # M5 has two absolute values, whose signs may differ within the no-load torque
    sliding = (np.abs(w) > 1e-6) & ((T * (T - loss) > 0) | (model != "M5"))
    assert sliding.sum() > 400
    assert {"forward driving", "forward driven", "backward driving", "backward driven"} <= set(
        run.modes["j.motor_friction"]
    )
    expected = [budget(model, *x) for x in zip(w, T, loss - T, strict=True)]
    np.testing.assert_allclose((np.sign(w) * loss)[sliding], np.array(expected)[sliding], rtol=1e-9)
    assert run.drift < 1e-6


@pytest.mark.parametrize("speed", [0.3, -0.3, 4.0])
@pytest.mark.parametrize("model", ["M1", "M2", "M3", "M4", "M5"])
def test_demands_are_the_roots_of_the_budget(model, speed):
    """At constant speed te is gravity, and the motor's torque solves tm + te - sign(w) B(w, tm, te) = 0."""
    t = np.linspace(0, 2.0 / abs(speed), 41)
    motion = gw.motion.Motion(t, speed * t[:, None], np.full((41, 1), speed), np.zeros((41, 1)))
    robot = pendulum(FRICTIONS[model])
    demand = gw.demands(robot, motion)
    te = -gw.gravity(robot, demand.motion.q)[:, 0]

    def excess(tm, external):
        return tm + external - np.sign(speed) * budget(model, speed, tm, external)

    expected = [brentq(excess, -9.0, 9.0, args=(x,), xtol=1e-14) for x in te]
    # M5 has two absolute values, whose signs differ only within the no-load torque
    loaded = np.abs(te) > BASE + STRIBECK + VISCOUS * abs(speed)
    np.testing.assert_allclose(demand["j.torque"][loaded], np.array(expected)[loaded], rtol=1e-9)


@pytest.mark.parametrize(("torque", "external"), [(0.9, -0.6), (0.3, -0.8), (-0.2, 0.7)])
def test_quadratic_terms_are_those_of_m6_once_the_load_is_constant(torque, external):
    """An ideal drive turns a disc without gravity at constant speed; the load's memory has followed after 30 lags."""
    friction, speed = FRICTIONS["M6"], 0.4 * np.sign(external + torque)
    mesh = load_friction_mesh(friction, abs(speed), 0.0, FLOATS)
    sense = np.sign(speed)
    memory = min(abs(torque), abs(external))
    for _ in range(200):  # the fixed point of the memory, for a given T
        mesh = load_friction_mesh(friction, abs(speed), memory, FLOATS)
        drives = sense * torque > 0
        out = torque - mesh.torque_loss(torque, sense, bool(drives))
        memory = min(abs(torque), abs(out))
    assert torque - out == pytest.approx(sense * budget("M6", speed, torque, -out), rel=1e-9)


def test_the_memory_of_the_load_follows_the_torque_of_both_sides():
    run = gw.simulate(
        pendulum(FRICTIONS["M6"]),
        gw.State([0.5], [0.0]),
        until=1.5,
        samples=301,
        inputs={"j.torque": lambda t: 0.6 * np.sin(1.5 * t)},
    )
    w, T, loss = run["v.j"], run["j.motor_friction.input_torque"], run["j.motor_friction.loss_torque"]
    expected = np.array([budget("M6", *x) for x in zip(w, T, loss - T, strict=True)])
    sliding = (np.abs(w) > 1e-3) & (T * (T - loss) > 0)
    error = np.abs(np.sign(w) * loss - expected)[sliding]
    assert np.median(error) < 2e-4  # a lag of 1 ms, of terms up to 0.02 Nm
    assert run.drift < 1e-6


@pytest.mark.parametrize("model", ["M4", "M5", "M6"])
def test_it_breaks_away_at_the_budget_at_rest(model):
    """A slow ramp of the motor's torque at rest, without load and with a load that the friction holds."""
    robot = replace(pendulum(FRICTIONS[model]), gravity=(0.0, 0.0, 0.0))
    load = gw.forces.Load("load", gw.forces.Line.for_machine(gw.assemble(robot), "j"))
    run = gw.simulate(
        robot,
        gw.State([0.0], [0.0]),
        until=1.0,
        samples=[0.0, 1.0],
        inputs={"j.torque": lambda t: 0.4 + 0.8 * t, "load": -0.4},
        extra_laws=[load],
    )
    start = next(event.t for event in run.events if event.name == "j.motor_friction" and event.t > 0)
    tm = brentq(lambda x: x - 0.4 - budget(model, 0.0, x, -0.4), 0.4, 3.0)
    assert 0.4 + 0.8 * start == pytest.approx(tm, rel=1e-7)


def test_fixed_steps_converge_to_the_located_events():
    robot, start = pendulum(FRICTIONS["M6"]), gw.State([0.5], [0.0])
    inputs = {"j.torque": lambda t: 0.6 * np.sin(5.0 * t)}
    exact = gw.simulate(robot, start, until=1.0, samples=11, inputs=inputs)
    errors = [
        np.abs(
            gw.simulate(
                robot,
                start,
                until=1.0,
                samples=11,
                inputs=inputs,
                method="moreau",
                integrator=IntegratorOptions(step=step),
            ).q
            - exact.q
        ).max()
        for step in (1e-3, 2.5e-4)
    ]
    assert errors[1] < 0.4 * errors[0] < 4e-3


@pytest.mark.parametrize(("torque", "external"), [(0.7, 0.0), (0.9, -0.3), (0.15, -0.8), (-0.1, 0.9)])
@pytest.mark.parametrize("model", list(FRICTIONS))
def test_bristles_slip_at_the_budget_of_the_load(model, torque, external):
    """A disc against a load, driving and back-driven: slipping in one direction, friction is the budget."""
    robot = replace(pendulum(replace(FRICTIONS[model], stiffness=3000.0)), gravity=(0, 0, 0))
    load = gw.forces.Load("load", gw.forces.Line.for_machine(gw.assemble(robot), "j"))
    inputs = {"j.torque": torque, "load": external}
    run = gw.simulate(robot, gw.State([0.0], [0.0]), until=0.4, samples=41, inputs=inputs, extra_laws=[load])
    force, w = -run["j.motor_friction.force"], run.v[:, 0]
    T = torque - 1e-3 * run.a[:, 0]  # after acceleration of the rotor
    slipping = np.abs(run.q[:, 0]) > 0.01
    assert slipping.sum() > 10
    expected = [np.sign(w[k]) * budget(model, w[k], T[k], force[k] - T[k]) for k in range(len(w))]
    np.testing.assert_allclose(force[slipping], np.array(expected)[slipping], rtol=2e-3)
    assert run.drift < 1e-6


def test_bristles_deflect_before_they_slip():
    robot = replace(pendulum(replace(FRICTIONS["M5"], stiffness=50.0)), gravity=(0, 0, 0))
    run = gw.simulate(robot, gw.State([0.0], [0.0]), 0.02, samples=3, inputs={"j.torque": lambda t: 0.7 * t})
    assert run["q.j"][2] < 2.0 * 0.7 * 0.01 / 50.0


@pytest.mark.parametrize("word", ["coulomb", "viscous", "static", "stribeck_speed", "stribeck_exponent"])
@pytest.mark.parametrize("quantity", ["drive", "back", "input_torque", "output_torque"])
def test_the_mesh_is_differentiable_by_every_number_of_the_friction(word, quantity):
    _check_derivative(quantity, lambda x: _changed(FRICTIONS["M6"], word, x), getattr(FRICTIONS["M6"], word))


@pytest.mark.parametrize(
    "word", ["motor", "joint", "motor_stribeck", "joint_stribeck", "motor_quadratic", "joint_quadratic"]
)
@pytest.mark.parametrize("quantity", ["drive", "back", "input_torque", "output_torque"])
def test_the_mesh_is_differentiable_by_every_share(word, quantity):
    load = FRICTIONS["M6"].load
    _check_derivative(
        quantity, lambda x: _changed(FRICTIONS["M6"], "load", _changed(load, word, x)), getattr(load, word)
    )


def _changed(part, word, value):
    copy = object.__new__(type(part))
    for name in part.__dataclass_fields__:
        object.__setattr__(copy, name, value if name == word else getattr(part, name))
    return copy


def _check_derivative(quantity, friction_at, x):
    def value(y, ops=FLOATS):
        return getattr(load_friction_mesh(friction_at(y), 0.5, 0.3, ops), quantity)

    slope = partials_of(value(dual(x, {"x": 1.0}), DualOperations(FLOATS))).get("x", 0.0)
    difference = (value(x * (1 + 1e-5)) - value(x * (1 - 1e-5))) / (2e-5 * x)
    assert slope == pytest.approx(difference, rel=1e-6, abs=1e-8)


def test_files_keep_it(tmp_path):
    robot = pendulum(FRICTIONS["M6"])
    gw.save(robot, tmp_path / "pendulum.yaml")
    assert gw.load(tmp_path / "pendulum.yaml").drives[0].motor.friction == FRICTIONS["M6"]


def test_bad_input_by_name():
    with pytest.raises(DriveError, match=r"motor_stribeck.*1\.1"):
        LoadFriction(motor=0.6, motor_stribeck=0.5)
    with pytest.raises(DriveError, match="joint"):
        LoadFriction(joint=-0.1)
    with pytest.raises(DriveError, match=r"damping.*3\.0"):
        Friction(coulomb=1.0, stiffness=10.0, damping=3.0, load=LoadFriction())
    both = Drive("j", Motor(1e-3, friction=FRICTIONS["M5"]), Gear(3.0, efficiency=0.8))
    with pytest.raises(InputError, match="j"):
        gw.laws(replace(pendulum(FRICTIONS["M5"]), drives=(both,)))
    at_joint = Robot("door", [Link("leaf", joint=Joint("hinge", friction=FRICTIONS["M3"]), mass=1.0, com=(1, 0, 0))])
    with pytest.raises(InputError, match=r"hinge\.friction"):
        gw.laws(at_joint)
