"""Gains of controllers as parameters of rollouts and as unknowns of fits to logs."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.identification import RunFitOptions, RunLog, fit_run
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot

LINK = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
MOTOR = Motor(1e-4, torque_constant=0.05, resistance=2.0, friction=Friction(coulomb=0.01, viscous=2e-4))
ARM = Robot("arm", [LINK], [Drive("j", MOTOR, Gear(20.0))])
TRUE = {"pd.kp.0": 12.0, "pd.kd.0": 0.6, "j.motor.inertia": 2e-4}


def reference(t):
    q = 0.4 * np.sin(5 * t) + 0.2 * np.sin(17 * t)
    v = 2.0 * np.cos(5 * t) + 3.4 * np.cos(17 * t)
    return [q], [v], [-10.0 * np.sin(5 * t) - 57.8 * np.sin(17 * t)]


def pd(kp=20.0, kd=1.0):
    return gw.control.pd(ARM, reference, kp=kp, kd=kd, gravity=False)


def voltage_law(t, state, ops, gains):
    """A servo amplifier of a user: voltage in proportion to the error, with an integral."""
    error = 0.5 * ops.sin(6.0 * t) - state.q[0]
    voltage = gains["kp"] * error + gains["ki"] * state.states["sum"] - gains["kd"] * state.v[0]
    return {"j.voltage": voltage}, {"sum": error}


def user_controller(kp, ki, kd, period=None):
    """With a sampling period its states are next values, here of the same integral."""

    def voltage_servo(t, state, ops, gains):
        outputs, changes = voltage_law(t, state, ops, gains)
        if period is not None:
            changes = {"sum": state.states["sum"] + period * changes["sum"]}
        return outputs, changes

    return gw.Controller(voltage_servo, period, {"sum": 0.0}, scalars=True, parameters={"kp": kp, "ki": ki, "kd": kd})


def measured(controller, parameters, signals=("q.j",), step=2e-4, steps=10_000, every=25):
    """A log of positions with noise of 0.1 mrad."""
    options = gw.analysis.RolloutOptions(every=every)
    run = gw.rollout(
        ARM, [0.0], [0.0], steps, step, method="moreau", controller=controller, parameters=parameters, options=options
    )
    noise = 1e-4 * np.random.default_rng(0).standard_normal(len(run.t))
    series = {"q.j": run.q[:, 0] + noise, "v.j": run.v[:, 0]}
    return RunLog(run.t, {}, {name: series[name] for name in signals})


def test_gains_of_a_controller_are_parameters_of_rollouts_and_sensitivities() -> None:
    """Against runs of controllers made with other gains, and their central differences."""
    run = gw.rollout(
        ARM, [0.1], [0.0], 400, 1e-3, controller=pd(), parameters={"pd.kp.0": [15.0, 20.0]}, sensitivities=["pd.kp.0"]
    )

    def end(kp):
        return gw.rollout(ARM, [0.1], [0.0], 400, 1e-3, controller=pd(kp)).q[-1, 0]

    assert run.q[-1, :, 0] == pytest.approx([end(15.0), end(20.0)], rel=1e-12)
    slope = (end(20.001) - end(19.999)) / 0.002
    assert run.sensitivities["q"]["pd.kp.0"][-1, 1, 0] == pytest.approx(slope, rel=1e-5)


def test_gains_and_rotor_inertia_are_found_from_positions() -> None:
    log = measured(pd(), TRUE)
    bounds = {"pd.kp.0": (5.0, 50.0), "pd.kd.0": (0.1, 5.0), "j.motor.inertia": (2e-5, 1e-3)}
    fit = fit_run(ARM, [log], bounds, controller=pd())
    for name, value in TRUE.items():
        assert fit[name] == pytest.approx(value, rel=0.02), name
    assert fit.controller.law.kp == (fit["pd.kp.0"],)
    assert fit.robot.drives[0].motor.inertia == fit["j.motor.inertia"]
    again = gw.rollout(fit.robot, [0.0], [0.0], 2000, 1e-3, method="moreau", controller=fit.controller)
    assert np.abs(again.q[::5, 0] - log.measured["q.j"]).max() < 2e-3


def test_references_are_taken_from_the_log() -> None:
    """The controller was made for rest; the log has the reference that it followed."""
    log = measured(pd(), TRUE)
    q, v, _ = reference(log.times)
    followed = RunLog(log.t, {"q_ref.j": q[0], "v_ref.j": v[0]}, log.measured)
    at_rest = gw.control.pd(ARM, [0.0], kp=20.0, kd=1.0, gravity=False)
    known = {"j.motor.inertia": TRUE["j.motor.inertia"]}
    robot = gw.parts.with_parameters(ARM, known)
    fit = fit_run(robot, [followed], {"pd.kp.0": (5.0, 50.0), "pd.kd.0": (0.1, 5.0)}, controller=at_rest)
    assert fit["pd.kp.0"] == pytest.approx(TRUE["pd.kp.0"], rel=0.02)
    assert fit["pd.kd.0"] == pytest.approx(TRUE["pd.kd.0"], rel=0.02)
    with pytest.raises(InputError, match=r"q_ref\.j"):
        fit_run(robot, [RunLog(log.t, {"q_ref.k": q[0]}, log.measured)], ["pd.kp.0"], controller=at_rest)


@pytest.mark.parametrize("period", [None, 0.01])
def test_parameters_of_a_user_function_are_found(period) -> None:
    true = {"voltage_servo.kp": 30.0, "voltage_servo.ki": 40.0}
    log = measured(user_controller(20.0, 20.0, 0.5, period), true)
    bounds = {"voltage_servo.kp": (5.0, 100.0), "voltage_servo.ki": (5.0, 200.0)}
    fit = fit_run(ARM, [log], bounds, controller=user_controller(20.0, 20.0, 0.5, period))
    assert fit["voltage_servo.kp"] == pytest.approx(30.0, rel=0.02)
    assert fit["voltage_servo.ki"] == pytest.approx(40.0, rel=0.05)


def test_signals_of_a_motor_that_the_controller_drives_are_outputs() -> None:
    """The current follows from the voltage that the controller decides, with its derivatives by the gains."""
    log = measured(user_controller(20.0, 20.0, 0.5), {}, signals=("q.j", "v.j"))
    integral = np.concatenate([[0.0], np.cumsum(0.5 * np.sin(6 * log.times) - log.measured["q.j"])[:-1]]) * 5e-3
    voltage = 20 * (0.5 * np.sin(6 * log.times) - log.measured["q.j"]) + 20 * integral - 0.5 * log.measured["v.j"]
    current = (voltage - 0.05 * 20 * log.measured["v.j"]) / 2.0
    with_current = RunLog(log.t, {}, {"q.j": log.measured["q.j"], "j.current": current})
    options = RunFitOptions(evaluations=2, horizons=(), free_starts=False)
    fit = fit_run(
        ARM, [with_current], ["voltage_servo.kp"], controller=user_controller(20.0, 20.0, 0.5), options=options
    )
    problem, windows = fit.problem, fit.problem.simulator.windows(np.inf)
    (outputs,) = problem.simulator.simulate({"voltage_servo.kp": 20.0}, windows, True)
    assert np.abs(outputs.values["j.current"] - current).max() < 0.02 * np.abs(current).max()
    h = 1e-4
    up, down = (
        problem.simulator.simulate({"voltage_servo.kp": 20.0 + d}, windows, False)[0].values["j.current"]
        for d in (h, -h)
    )
    slopes = outputs.slopes["j.current"][:, 0]
    assert np.abs((up - down) / (2 * h) - slopes).max() < 1e-5 * np.abs(slopes).max()


@pytest.mark.parametrize("path", ["pd.kp.3", "pd.kp.-1", "pd.gain"])
def test_a_number_that_a_controller_lacks_is_named(path) -> None:
    with pytest.raises(InputError, match=rf"{path}.*controller 'pd'"):
        gw.rollout(ARM, [0.0], [0.0], 10, 1e-3, controller=pd(), parameters={path: [1.0]})


def test_a_function_with_other_arguments_is_named() -> None:
    with pytest.raises(InputError, match=r"<lambda>.*t, state, ops, parameters"):
        gw.Controller(lambda t, state, ops: voltage_law(t, state, ops, {}), scalars=True, parameters={"kp": 1.0})
