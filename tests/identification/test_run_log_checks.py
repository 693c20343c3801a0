"""Units, clipped inputs, delays and missing inputs of run logs are named, with start values that are far from true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.identification import RunFit, RunFitOptions, RunLog, Unknown, fit_run
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot

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
