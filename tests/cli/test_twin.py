"""`gearwright twin`: a synthetic log of a geared joint, the written robot, the report, and wrong input."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot

TRUE = {"j.motor.inertia": 2e-4, "j.motor.friction.coulomb": 0.02, "j.motor.friction.viscous": 3e-4}


def bench(damping: float = 0.0) -> Robot:
    motor = Motor(1e-4, damping=damping, friction=Friction(coulomb=0.01, viscous=2e-4))
    link = Link("arm", joint=Joint("j", axis=(0, 1, 0)), mass=1.0, com=(0, 0, -0.3))
    return Robot("bench", [link], [Drive("j", motor, Gear(20.0))])


def write_log(path, seed: int, **changes: float) -> None:
    """A log of 2 s, simulated with a tenth of the step of the fit, with noise of 0.1 mrad."""
    step, every, steps = 1e-4, 50, 20000
    t = step * np.arange(2 * steps + 1) / 2
    generator = np.random.default_rng(seed)
    torque = sum(a * np.sin(w * t + p) for a, w, p in zip((3, 2), (4.4, 11.9), generator.uniform(0, 6, 2), strict=True))
    run = gw.rollout(
        bench(),
        [0.2],
        [0.0],
        steps,
        step,
        method="moreau",
        inputs=torque[:, None],
        options=gw.analysis.RolloutOptions(every=every),
        parameters=TRUE | changes,
    )
    q = run.q[:, 0] + 1e-4 * generator.standard_normal(len(run.t))
    rows = np.column_stack([run.t, np.interp(run.t, t, torque), q, 0 * q])
    np.savetxt(path, rows, delimiter=",", header="t,tau.j,q.j,bench.temperature", comments="")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gw.save(bench(), "bench.yaml")
    for k in range(2):
        write_log(f"log{k}.csv", k)
    return tmp_path


UNKNOWNS = (
    *("-u", "j.motor.inertia=1e-5..1e-2", "-u", "j.motor_friction.coulomb=0..1"),
    *("-u", "j.motor_friction.viscous=1e-6..0.1", "--ignore", "*.temperature"),
)


def test_the_numbers_are_found_predict_another_log_and_are_written(run, files):
    words = ("twin", "bench.yaml", "log0.csv", *UNKNOWNS, "--hold-out", "log1.csv", "-o", "fitted.yaml")
    code, out, err = run(*words, "--report", "page", "--json", "--quiet")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    fitted = gw.load("fitted.yaml")
    for entry, (path, true) in zip(facts["unknowns"], TRUE.items(), strict=True):
        assert entry["value"] == pytest.approx(true, rel=0.01)
        assert entry["determined"]
        assert gw.parts.parameter(fitted, path) == pytest.approx(entry["value"], rel=1e-9)
    assert facts["hold_out_errors"][0]["mean_absolute"] < 1e-3
    assert facts["hold_out_errors"][0]["log"] == "log1"
    page = (files / "page" / "index.html").read_text(encoding="utf-8")
    assert "j.motor_friction.coulomb" in page
    assert "Validation" in page


def test_damping_beside_friction_is_not_counted_twice(run, files):
    """The law's viscous friction is the sum of friction and damping of the motor; both stay in the written robot."""
    gw.save(bench(damping=1e-4), "bench.yaml")
    assert run("twin", "bench.yaml", "log0.csv", *UNKNOWNS, "-o", "fitted.yaml").code == 0
    motor = gw.load("fitted.yaml").drives[0].motor
    assert motor.damping == 1e-4
    assert motor.friction.viscous + motor.damping == pytest.approx(3e-4, rel=0.02)


def test_what_the_log_does_not_tell_is_said(run, files):
    code, out, err = run("twin", "bench.yaml", "log0.csv", *UNKNOWNS, "-u", "arm.com.y=-1..1")
    assert code == 0
    assert "arm.com.y" in err
    assert "determined" in out


def test_wrong_input_is_refused_by_name(refused, files):
    words = ("twin", "bench.yaml", "log0.csv", "--ignore", "bench.*")
    refused("twin", "bench.yaml", "log0.csv", "-u", "j.motor.inertia", words=["no measured signal 'bench.temperature'"])
    refused(*words, "-u", "j.motor.inertia=1", words=["--unknown 'j.motor.inertia=1'", "0..2"])
    refused(*words, "-u", "j.motor.inertia=2..1", words=["'j.motor.inertia'", "not below upper"])
    refused(*words, "-u", "j.motor.inertia=1 kg..2 kg", words=["'1 kg'", "mass"])
    refused(*words, "-u", "j.motor.inertia=1 gcm2..2", words=["only one of 1 gcm2 and 2"])
    refused(*words, "-u", "j.motor.inertia", "--report", "log0.csv", words=["log0.csv", "folder"])
    refused(*words, "-u", "j.motor_friction.coulombs", words=["law 'j.motor_friction'", "'j.motor_friction.coulomb'?"])
    refused(*words, "-u", "j.motor.inertias", words=["j.motor.inertias", "Active laws"])
    refused(*words, "-u", "offset.q.k", words=["no log measures 'q.k'"])
    refused(*words, "-u", "j.motor.inertia", "-o", "fitted.txt", words=["ends in .yaml"])
    refused("twin", "bench.yaml", "none.csv", "-u", "j.motor.inertia", words=["none.csv"])
    refused(*words, "-u", "j.motor.inertia", "--ignore", "q.*", words=["no measured signal is given"])
