"""Units, clipped inputs, delays and missing inputs of run logs are named, with start values that are far from true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.forces import VoltageServo
from gearwright.forces.robot_lines import motor_line
from gearwright.identification import RunFit, RunFitOptions, RunLog, Unknown, fit_run
from gearwright.parts import Drive, Friction, Gear, Joint, Link, LoadFriction, Motor, Robot

LINK = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
GUESS = Robot("arm", [LINK], [Drive("j", Motor(1e-4, friction=Friction(coulomb=0.01, viscous=2e-4)), Gear(20))])
TRUE = {"j.motor.inertia": 2e-4, "j.motor_friction.coulomb": 0.02, "j.motor_friction.viscous": 3e-4}
OPTIONS = RunFitOptions(evaluations=20, proposals=False)


@pytest.fixture(scope="module")
def log() -> RunLog:
    t = 5e-5 * np.arange(40001)
    torque = 3 * np.sin(4.4 * t) + 2 * np.sin(11.9 * t)
    every = gw.analysis.RolloutOptions(every=50)
    run = gw.rollout(
        GUESS,
        [0.2],
        [0.0],
        20000,
        1e-4,
        method="moreau",
        inputs=torque[:, None],
        parameters=TRUE,
        options=every,
    )
    q = run.q[:, 0] + 1e-4 * np.random.default_rng(0).standard_normal(len(run.t))
    return RunLog(run.t, {"tau.j": torque[::100]}, {"q.j": q}, name="bench")


def fitted(log: RunLog) -> RunFit:
    return fit_run(GUESS, [log], [Unknown(name, None, 0.05 * x, 20 * x) for name, x in TRUE.items()], options=OPTIONS)


def test_a_good_log_has_no_remark(log) -> None:
    fit = fitted(log)
    assert not fit.remarks
    assert not fit.information.remarks


def test_units_of_signals_inputs_and_times_are_named(log) -> None:
    q, torque = np.asarray(log.measured["q.j"]), np.asarray(log.inputs["tau.j"])
    assert any(
        "'q.j' is probably in degrees" in x for x in fitted(replace(log, measured={"q.j": np.rad2deg(q)})).remarks
    )
    thousandths = fitted(replace(log, inputs={"tau.j": 1e3 * torque})).remarks
    assert any("'tau.j' is probably in thousandths" in remark for remark in thousandths)
    with pytest.raises(InputError, match=r"bench: the times.*milliseconds"):
        fitted(replace(log, t=1e3 * log.times))
    milliseconds = np.arange(round(1e3 * log.duration) + 1.0)
    inputs, measured = (
        {name: np.interp(milliseconds, 1e3 * log.times, x) for name, x in series.items()}
        for series in (log.inputs, log.measured)
    )
    with pytest.raises(InputError, match=r"bench: the times have steps of 1 s.*milliseconds"):
        fitted(RunLog(milliseconds, inputs, measured, name="bench"))


def with_speed(log) -> RunLog:
    """The log with a measured speed [rad/s]."""
    q = np.asarray(log.measured["q.j"])
    return replace(log, measured={"q.j": q, "v.j": np.gradient(q, log.times)})


def test_reversed_signs_are_named_and_not_taken_for_units(log) -> None:
    q, torque = np.asarray(log.measured["q.j"]), np.asarray(log.inputs["tau.j"])
    for change in ({"measured": {"q.j": -q}}, {"inputs": {"tau.j": -torque}}):
        remarks = fitted(replace(log, **change)).remarks
        assert any("reversed" in remark for remark in remarks)
        assert not any("unit" in remark for remark in remarks)


def test_revolutions_per_minute_and_constant_signals_are_named(log) -> None:
    both = with_speed(log)
    rpm = fitted(replace(both, measured={**both.measured, "v.j": 30 / np.pi * both.measured["v.j"]})).remarks
    assert any("'v.j' is probably in revolutions per minute" in remark for remark in rpm)
    dead = replace(both, measured={**both.measured, "v.j": 0 * log.times}).require_usable()
    assert any("'v.j' is constant" in remark for remark in dead)
    assert not both.require_usable()


def test_a_delay_below_the_sampling_period_and_that_of_one_signal_are_named_and_found(log) -> None:
    q = np.asarray(log.measured["q.j"])
    late = fitted(replace(log, measured={"q.j": np.interp(log.times - 0.003, log.times, q)})).remarks
    assert any("a delay of the measured signals" in remark and "'delay'" in remark for remark in late)
    both = with_speed(log)
    speed = np.interp(log.times - 0.012, log.times, both.measured["v.j"])
    both = replace(both, measured={**both.measured, "v.j": speed})
    assert any("signal 'v.j'" in remark and "'delay.v.j'" in remark for remark in fitted(both).remarks)
    unknowns = [Unknown(name, None, 0.05 * x, 20 * x) for name, x in TRUE.items()]
    fit = fit_run(GUESS, [both], [*unknowns, Unknown("delay.v.j", 0.0, 0.0, 0.03)], options=OPTIONS)
    assert fit["delay.v.j"] == pytest.approx(0.012, abs=2e-4)
    with pytest.raises(InputError, match=r"delay\.v\.k.*.*'v\.k'"):
        fit_run(GUESS, [both], [*unknowns, Unknown("delay.v.k", 0.0, 0.0, 0.03)], options=OPTIONS)


def test_predictions_begin_without_offset_and_delay() -> None:
    """A free disc keeps its initial error for ever: an offset of its encoder may not become one."""
    disc = gw.Mechanism([gw.Body("disc", axis=(0, 0, 1), mass=1.0, inertia=0.02 * np.eye(3))], gravity=(0, 0, 0))
    t = np.linspace(0.0, 1.0, 201)
    log = RunLog(t, {"tau.disc": 0 * t}, {"q.disc": 0.5 + 2.0 * (t - 0.01)}, name="free")
    names = [
        Unknown("offset.q.disc", 0.0, -1.0, 1.0, prior=(0.5, 1e-6)),
        Unknown("delay", 0.0, 0.0, 0.1, prior=(0.01, 1e-6)),
    ]
    options = RunFitOptions(horizons=(), proposals=False, starts=1)
    fit = fit_run(disc, [log], names, options=options)
    (score,) = fit.validate([log])
    assert score.mean_absolute < 1e-4


def test_predictions_begin_with_the_state_of_the_first_samples(log) -> None:
    """A speed from differences of the noisy encoder would be wrong by some 50 mrad/s, six times that of the state."""
    start = 100
    later = RunLog(
        log.times[start:],
        {"tau.j": np.asarray(log.inputs["tau.j"])[start:]},
        {"q.j": np.asarray(log.measured["q.j"])[start:] + 1e-3 * np.random.default_rng(1).standard_normal(301)},
    )
    (score,) = fitted(log).validate([later])
    assert score.rms < 1.6e-3


def test_a_number_that_a_law_does_not_have_is_named_with_the_law(log) -> None:
    with pytest.raises(InputError, match=r"'j\.motor_friction' .*coulomb"):
        fit_run(GUESS, [log], ["j.motor_friction.coulombs"])


def test_clipped_inputs_delays_and_missing_inputs_are_named(log) -> None:
    q, torque = np.asarray(log.measured["q.j"]), np.asarray(log.inputs["tau.j"])
    clipped = fitted(replace(log, inputs={"tau.j": np.clip(torque, -1.5, 1.5)})).remarks
    assert any("'tau.j'" in remark and "saturated" in remark for remark in clipped)
    square = RunLog(log.t, {"tau.j": np.sign(torque)}, log.measured)
    assert not any("saturated" in remark for remark in square.require_usable())
    late = fitted(replace(log, measured={"q.j": np.interp(log.times - 0.03, log.times, q)})).remarks
    assert any("delay" in remark for remark in late)
    free = fitted(replace(log, inputs={})).remarks
    assert any("no input that changes" in remark for remark in free)


def test_a_delay_of_zero_is_determined(log) -> None:
    """A change is compared with the range of an unknown whose value is zero, not with the value."""
    delay = Unknown("delay", 0.0, 0.0, 0.02)
    robot = gw.parts.with_parameters(
        GUESS, {name.replace("motor_friction", "motor.friction"): x for name, x in TRUE.items()}
    )
    fit = fit_run(robot, [log], ["j.motor.inertia", delay], options=OPTIONS)
    assert fit["delay"] == pytest.approx(0.0, abs=5e-4)
    assert not any("no effect" in remark for remark in fit.information.remarks)
    assert 0 < fit.deviations["delay"] < 1e-3


def test_an_input_that_is_held_once_is_a_command_and_a_resting_joint_may_be_saturated(log) -> None:
    t = np.asarray(log.t)
    ramp = np.minimum(t, 0.6 * t[-1])
    (remark,) = replace(log, inputs={"tau.j": ramp}, measured={"q.j": ramp}).require_usable()
    assert "'q.j'" in remark
    assert "rests" in remark


def test_a_switch_keeps_its_value_until_the_next_sample() -> None:
    """Linear interpolation would turn a motor off between two samples, and the error of the release would follow."""
    log = RunLog([0.0, 0.1, 0.2, 0.3], {"on": [1, 1, 0, 1], "tau": [0.0, 1.0, 3.0, 2.0]}, {"q": [0.0, 0.1, 0.2, 0.4]})
    times = np.array([0.0, 0.15, 0.1999, 0.2, 0.25, 0.3])
    assert log.input_at("on", times).tolist() == [1, 1, 1, 0, 0, 1]
    assert log.input_at("tau", times) == pytest.approx([0.0, 2.0, 2.998, 3.0, 2.5, 2.0])


def test_a_released_servo_is_simulated_fitted_and_predicted() -> None:
    """Lifted, then released and back-driven by its load: predicted by a fit to powered runs, within twice the noise."""
    friction = Friction(coulomb=0.01, viscous=0.005, load=LoadFriction(motor=0.1, joint=0.1))
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=0.5, com=(0, 0, -0.1))
    robot = Robot("bench", [link], [Drive("j", Motor(1e-3, friction=friction), Gear(1.0))])
    line = motor_line(gw.assemble(robot), "j")
    servo = VoltageServo("servo", line, 2.0, 0.4, 3.0, supply_voltage=7.4, port="j")
    true = {"servo.resistance": 2.5, "j.motor_friction.load.motor": 0.15, "j.motor_friction.load.joint": 0.08}

    def servo_log(goal, kp: float, released: float) -> RunLog:
        t = 5e-5 * np.arange(60_001)
        inputs = {"servo.goal": goal(t), "servo.enabled": np.where(t < released, 1.0, 0.0)}
        every = gw.analysis.RolloutOptions(every=50)
        numbers = {**true, "servo.kp": kp}
        run = gw.rollout(
            robot, [0.0], [0.0], 30_000, 1e-4, method="moreau", extra_laws=[servo], inputs=inputs, parameters=numbers,
            options=every,
        )  # fmt: skip
        noise = 1e-3 * np.random.default_rng(0).standard_normal(len(run.t))
        sampled = {name: values[::100] for name, values in inputs.items()}
        return RunLog(run.t, sampled, {"q.j": run.q[:, 0] + noise}, {"servo.kp": kp}, f"released at {released:g} s")

    powered = [servo_log(lambda t: 1.2 * np.sin(2 * t) * np.sin(3.1 * t), kp, 9.0) for kp in (1.0, 3.0)]
    dropped = servo_log(lambda t: 1.4 * np.minimum(t, 1), 2.0, 1.5)
    assert np.ptp(dropped.measured["q.j"]) > 1.5
    unknowns = {"servo.resistance": (1.0, 8.0)}
    unknowns |= {f"j.motor_friction.load.{word}": (0.02, 0.6) for word in ("motor", "joint")}
    fit = fit_run(robot, powered, unknowns, extra_laws=[servo])
    (score,) = fit.validate([dropped])
    assert score.rms < 2e-3
    both = fit_run(robot, [*powered, dropped], unknowns, extra_laws=[servo])
    for name, value in true.items():
        assert abs(both[name] - value) < 4 * both.deviations[name]
    assert both.deviations["j.motor_friction.load.joint"] < 0.5 * fit.deviations["j.motor_friction.load.joint"]
    assert not both.remarks
