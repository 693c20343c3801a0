"""Logs of motors: coupled wrists, friction of coupled motors, presliding, delays; against synthetic data."""

from __future__ import annotations

import numpy as np
import pytest

from gearwright.errors import InputError
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.identification import Log, TorqueModel, fit_consistent, identify, log_of_motors, signal_delay
from gearwright.mechanism import Actuator, Body, Mechanism, Spin
from gearwright.motion import Motion

N = np.array([[50.0, 0.0], [30.0, 30.0]])


def wrist() -> Mechanism:
    """Two joints; the second motor turns with the sum of both."""
    I = 0.02 * np.eye(3)
    bodies = [
        Body("a", axis=(0, 1, 0), mass=2.0, com=(0.2, 0, 0.1), inertia=I),
        Body("b", "a", axis=(0, 0, 1), position=(0.4, 0, 0), mass=1.0, com=(0.1, 0.05, 0.1), inertia=I),
    ]
    spins = [
        Spin("m1.rotor", "base", (0, 1, 0), 1e-4, {"a": 50.0}, coupling=0.0),
        Spin("m2.rotor", "a", (0, 1, 0), 2e-4, {"a": 30.0, "b": 30.0}, coupling=0.0),
    ]
    return Mechanism(bodies, spins, actuators=[Actuator("m1", tuple(N[0])), Actuator("m2", tuple(N[1]))])


def motion() -> Motion:
    t = np.linspace(0.0, 8.0, 1601)
    w = np.array([[1.1, 2.3], [1.7, 2.9]])
    q, v, a = (
        np.stack([np.sum(f(row * t[:, None]), axis=1) for row in w], axis=1)
        for f in (
            np.sin,
            lambda x: np.cos(x) * x / np.maximum(t, 1e-12)[:, None],
            lambda x: -np.sin(x) * (x / np.maximum(t, 1e-12)[:, None]) ** 2,
        )
    )
    v[0] = w.sum(axis=1)
    return Motion(t, q, v, a)


def motor_torques(mech: Mechanism, moved: Motion) -> np.ndarray:
    """Torques of motors with friction at joint b (0.3 Nm, 0.2 Nms) and at the coupled motor (0.02 Nm, 1e-3 Nms)."""
    tau = inverse_dynamics(mech, moved.q, moved.v, moved.a)
    tau[:, 1] += 0.3 * np.sign(moved.v[:, 1]) + 0.2 * moved.v[:, 1]
    speeds = moved.v @ N.T
    return tau @ np.linalg.inv(N) + np.stack([0 * moved.t, 0.02 * np.sign(speeds[:, 1]) + 1e-3 * speeds[:, 1]], axis=1)


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")  # no noise, so residuals are rounding
def test_a_coupled_wrist_is_identified_from_motor_angles_and_torques():
    mech, moved = wrist(), motion()
    read = log_of_motors(mech, moved.t, moved.q @ N.T, motor_torques(mech, moved))
    np.testing.assert_allclose(read.q, moved.q, atol=1e-12)
    estimate = identify(mech, Log(read.t, read.q, read.tau, moved.v, moved.a))
    found = dict(zip(estimate.columns, estimate.values, strict=True))
    expected = {
        "b.coulomb": 0.3,
        "b.viscous": 0.2,
        "a.coulomb": 0.0,
        "m2.motor.coulomb": 0.02,
        "m2.motor.viscous": 1e-3,
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-8)
    assert max(estimate.fit.relative_errors.values()) < 1e-9


@pytest.mark.filterwarnings("ignore::gearwright.errors.GearwrightWarning")
def test_a_consistent_fit_does_not_pull_large_friction_to_zero():
    """Friction of a heavy arm: hundreds of Nm at the joint, while the nominal machine states none."""
    mech, moved = wrist(), motion()
    tau = inverse_dynamics(mech, moved.q, moved.v, moved.a) + 300.0 * np.sign(moved.v) + 2000.0 * moved.v
    tau += np.random.default_rng(1).normal(size=tau.shape)
    fit = fit_consistent(identify(mech, Log(moved.t, moved.q, tau, moved.v, moved.a)), nominal_deviation=0.1)
    coupled = 30.0 * fit.values["m2.motor.coulomb"]
    for name in ("a.coulomb", "b.coulomb"):
        assert fit.values[name] + coupled == pytest.approx(300.0, rel=0.02)


def test_presliding_builds_up_over_its_width_after_a_reversal():
    """Dahl: z = 1 - 2 exp(-s / b) at the distance s from a reversal; at rest it stays."""
    t = np.linspace(0.0, 2.0, 2001)
    speed = np.where(t < 0.8, 1.0, np.where(t < 1.0, -1e-2, 0.0))[:, None]
    mech = Mechanism([Body("arm", mass=1.0, com=(0.2, 0, 0))])
    z = TorqueModel(mech, presliding=1e-3).friction_directions(Motion(t, 0 * speed, speed, 0 * speed))[:, 0]
    assert z[799] == pytest.approx(1.0, abs=1e-12)
    s = 1e-2 * 0.2  # the path back, after which it rests
    assert z[-1] == pytest.approx(-(1 - 2 * np.exp(-s / 1e-3)), abs=0.05)
    assert np.ptp(z[1002:]) == 0


@pytest.mark.parametrize("delay", [-4.3e-3, 0.0, 3.07e-3, 0.021])
def test_a_delay_is_found_within_its_standard_deviation(delay):
    def wave(t):
        return np.sin(2 * t) + 0.4 * np.sin(7 * t)

    t, noise = np.arange(0.0, 6.0, 0.004), np.random.default_rng(2).normal(size=1500)
    found = signal_delay(t, wave(t), 5.0 + wave(t - delay) + 1e-4 * noise)
    assert abs(found.delay - delay) < 4 * found.standard_deviation
    assert found.offset == pytest.approx(5.0, abs=1e-4)
    assert found.standard_deviation < 5e-6


def test_bad_input_by_name():
    t = np.arange(0.0, 1.0, 0.01)
    with pytest.raises(InputError, match="signal_delay"):
        signal_delay(t, np.ones_like(t), np.sin(t))
    with pytest.raises(InputError, match="m1"):
        log_of_motors(wrist(), t, np.zeros((100, 3)), np.zeros((100, 2)))
    with pytest.raises(InputError, match="presliding"):
        TorqueModel(wrist(), presliding=-1.0)
