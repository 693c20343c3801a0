"""Control of elastic drives: where feedback is stable, and what takes the springs in."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError, SimulationError
from gearwright.motion import polynomial
from support.controllers_in_c import decides_alike

J, M, K, D = 1.0, 2.0, 400.0, 0.8
"""Motor (at the joint side), link, spring and damper of one joint."""


def joint(damping=D) -> gw.Mechanism:
    link = gw.Body("link", mass=1e-9, inertia=np.diag([M, M, M]))
    rotor = gw.Spin("rotor", "base", (0, 0, 1), J, {"motor": 1.0})
    spring = gw.Spring("spring", {"link": 1.0, "motor": -1.0}, K, damping=damping)
    motors = [gw.Actuator("motor", {"motor": 1.0})]
    return gw.Mechanism([link], [rotor], ["motor"], [spring], motors, gravity=(0, 0, 0))


def grows(mech, control, size, until=4.0):
    """Whether the swing in the last third is larger than in the first."""
    q0 = np.full(mech.nq, 1e-3)
    steps = round(until / 1e-3)
    try:
        out = gw.rollout(
            mech,
            q0,
            np.zeros(mech.n),
            steps,
            1e-3,
            method="rk4",
            controller=control,
            options=gw.analysis.RolloutOptions(every=4),
        )
    except SimulationError:
        return True
    third = len(out.t) // 3
    swing = np.abs(out.v[:, :size]).max(axis=-1)
    return bool(swing[-third:].max() > swing[:third].max())


def critical_gain(kd_per_kp):
    """Routh for M J s4 + D (M + J) s3 + (K (M + J) + kd D) s2 + (K kd + kp D) s + K kp."""

    def stable(kp):
        kd = kd_per_kp * kp
        a4, a3, a2, a1, a0 = M * J, D * (M + J), K * (M + J) + kd * D, K * kd + kp * D, K * kp
        return a1 * (a3 * a2 - a4 * a1) > a3 * a3 * a0

    low, high = 1e-6, 1e6
    assert stable(low)
    assert not stable(high)
    for _ in range(80):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if stable(middle) else (low, middle)
    return low


def test_link_side_pd_is_unstable_above_the_gain_of_routh():
    mech, ratio = joint(), 0.1
    limit = critical_gain(ratio)
    for share, expected in ((0.8, False), (1.25, True)):
        kp = share * limit
        control = gw.control.pd(mech, [0.0], kp, ratio * kp, gravity=False, feedback="joint")
        assert grows(mech, control, 1, 12.0) is expected


def test_motor_side_pd_is_stable_at_any_gain():
    mech = joint()
    for kp in (10.0, 1e3, 2e4):
        assert not grows(mech, gw.control.pd(mech, [0.0], kp, 0.1 * kp, gravity=False), 1)


@pytest.mark.parametrize("pace", [0.05, 0.5])
def test_places_of_links_and_speeds_of_motors_are_stable_below_the_spring(pace):
    """Routh for M J s4 + M kd s3 + K (M + J) s2 + K kd s + K kp: whatever kd is, kp < K, without a damper."""
    mech = joint(damping=0.0)
    for share, expected in ((0.8, False), (1.25, True)):
        control = gw.control.pd(mech, [0.0], share * K, pace * K, gravity=False, feedback="both")
        assert grows(mech, control, 1, 12.0) is expected


@pytest.fixture(scope="module")
def elbow():
    mech = gw.assemble(gw.load("elastic_elbow"))
    return mech, gw.approximate(mech, "spong"), polynomial([0.0, 0.0, 0.0], [0.8, 0.5, -0.5], 0.8, order=7)


def tracked(plant, control, motion, model):
    start = gw.motor_motion(model, *(motion.at(0.0, k) for k in range(5))).q
    out = gw.rollout(
        plant,
        start,
        np.zeros(6),
        3200,
        2.5e-4,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=160),
    )
    return np.abs(out.q[:, :3] - motion.at(out.t)).max(), out


def slowest(mech, rest, link=(0, 0), motor=(0, 0)):
    """The largest real part of the poles of the linear model under PD control: theory, without a simulation."""
    zero = np.zeros(6)
    A, B = gw.linearise(mech, rest, zero, gw.inverse_dynamics(mech, rest, zero, zero))
    gains = np.hstack([k * np.eye(3) for k in (link[0], motor[0], link[1], motor[1])])
    return np.linalg.eigvals(A - B[:, 3:] @ gains).real.max()


def test_feedback_of_motor_link_and_torque_on_an_elastic_arm(elbow):
    """Link-side PD grows without dampers, motor-side PD does not; feedback of joint torque damps what is left."""
    mech, _, _ = elbow
    hold = [0.2, -0.1, 0.3]
    assert grows(mech, gw.control.pd(mech, hold, 2000, 100, feedback="joint"), 6, 0.3)
    motor = gw.control.pd(mech, hold, 2000, 100)
    steady = gw.control.state_feedback(mech, hold, np.zeros((3, 12)))
    rest = steady.references(np.zeros(1))["q_ref"][0]
    assert slowest(mech, rest, link=(2000, 100)) > 1.0
    assert slowest(mech, rest, motor=(2000, 100)) < -0.5
    left = {}
    for name, control in (("motor", motor), ("torque", gw.control.pd(mech, hold, 2000, 100, torque_feedback=2.0))):
        out = gw.rollout(
            mech,
            rest + 0.01,
            np.zeros(6),
            8000,
            2.5e-4,
            method="rk4",
            controller=control,
            options=gw.analysis.RolloutOptions(every=100),
        )
        left[name] = np.abs(out.v[-10:]).max()
        assert np.abs(out.q[-1, :3] - hold).max() < 5e-3
    assert left["torque"] < left["motor"] < 0.2


def test_motor_side_pd_comes_to_rest_at_the_reference(elbow):
    """The motors are told the sag of the springs: at rest the links, not the motors, are where they should be."""
    mech, _, _ = elbow
    hold = np.array([0.2, -0.1, 0.3])
    control = gw.control.pd(mech, hold, 2000, 100)
    rest = gw.control.state_feedback(mech, hold, np.zeros((3, 12))).references(np.zeros(1))["q_ref"][0]
    tau = control.kernel(rest, np.zeros(6), hold, np.zeros(3), np.zeros(3))
    full = np.concatenate([np.zeros(3), tau])
    np.testing.assert_allclose(gw.forward_dynamics(mech, rest, np.zeros(6), full), np.zeros(6), atol=1e-8)
    assert np.abs(rest[3:] - hold).max() > 1e-3


def test_feedback_linearisation_makes_four_integrators(elbow):
    mech, spong, motion = elbow
    peak, _ = tracked(spong, gw.control.feedback_linearisation(spong, motion, 20.0), motion, spong)
    assert peak < 1e-7
    pushed, _ = tracked(mech, gw.control.feedback_linearisation(mech, motion, 40.0), motion, spong)
    assert pushed == pytest.approx(0.0097, abs=5e-4)  # what it leaves out: rotors that push on the links


def test_feedforward_through_the_springs(elbow):
    """State feedback with the motors' own motion tracks exactly; a rigid feedforward leaves what the springs do."""
    _, spong, motion = elbow
    gains = np.zeros((3, 12))
    gains[:, 3:6], gains[:, 9:] = 2000 * np.eye(3), 100 * np.eye(3)
    exact, _ = tracked(spong, gw.control.state_feedback(spong, motion, gains), motion, spong)
    rigid, _ = tracked(spong, gw.control.feedforward(spong, motion, 2000, 100), motion, spong)
    assert exact < 1e-7
    assert rigid > 1e-3


def test_full_state_gains_stabilise_an_elastic_arm(elbow):
    mech, _, _ = elbow
    hold = [0.2, -0.1, 0.3]
    found = gw.control.lqr(mech, hold, [1e5] * 6 + [1e2] * 6, [1e-2] * 3)
    assert found.poles.real.max() < -1.0
    control = gw.control.state_feedback(mech, hold, found.K)
    rest = control.references(np.zeros(1))["q_ref"][0]
    out = gw.rollout(
        mech,
        rest + 0.02,
        np.zeros(6),
        8000,
        2.5e-4,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=8000),
    )
    assert np.abs(out.q[-1] - rest).max() < 1e-3


def test_the_observer_finds_the_links_from_the_motors(elbow):
    """A wrong start of the estimate is forgotten, and the controller runs on the estimate."""
    mech, _, motion = elbow
    control = gw.control.elastic_observer(gw.control.pd(mech, motion, 2000, 100), [0.05, 0.05, -0.05], 100.0)
    _, out = tracked(mech, control, motion, gw.approximate(mech, "spong"))
    gap = np.stack([np.abs(out.states[f"estimate.q.j{k}"] - out.q[:, k - 1]) for k in (1, 2, 3)], axis=-1)
    assert gap[0].max() == pytest.approx(0.05)
    assert gap[-1].max() < 1e-3


def _state_feedback(mech, motion):
    gains = np.zeros((3, 12))
    gains[:, 3:6], gains[:, 9:] = 2000 * np.eye(3), 100 * np.eye(3)
    return gw.control.state_feedback(mech, motion, gains)


ELASTIC_LAWS = {
    "torque feedback": lambda mech, motion: gw.control.pd(mech, motion, 2000, 100, torque_feedback=1.0),
    "state feedback": _state_feedback,
    "feedback linearisation": lambda mech, motion: gw.control.feedback_linearisation(mech, motion, 40.0),
    "speed observer": lambda mech, motion: gw.control.speed_observer(
        gw.control.pd(mech, motion, 2000, 100),
        [0.0, 0.0, 0.0],
        gw.control.SpeedObserverBound(150.0, 60.0, 3.2, 1e4),
    ),
    "observer": lambda mech, motion: gw.control.elastic_observer(
        gw.control.pd(mech, motion, 2000, 100), [0.05, 0.05, -0.05], 100.0
    ),
}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", ELASTIC_LAWS)
def test_elastic_laws_decide_alike_in_run_batch_kernel_and_c(name, elbow, tmp_path):
    _, spong, motion = elbow
    period, count = 1e-3, 40
    control = gw.control.with_sampling(ELASTIC_LAWS[name](spong, motion), period)
    start = gw.motor_motion(spong, *(motion.at(0.0, k) for k in range(5))).q
    times = period * np.arange(count + 1)
    run = gw.simulate(
        spong,
        start,
        times[-1],
        controller=control,
        samples=times,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13),
    )
    out = gw.rollout(
        spong,
        start,
        np.zeros(6),
        8 * count,
        period / 8,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=8),
    )
    np.testing.assert_allclose(out.q, run.q, atol=1e-7)
    decides_alike(spong, control, out, tmp_path)


def test_observers_run_in_a_simulation(elbow):
    mech, spong, motion = elbow
    control = gw.control.elastic_observer(gw.control.pd(mech, motion, 2000, 100), [0.05, 0.05, -0.05], 100.0)
    start = gw.motor_motion(spong, *(motion.at(0.0, k) for k in range(5))).q
    run = gw.simulate(mech, start, 0.8, controller=control, samples=5)
    _, out = tracked(mech, control, motion, spong)
    np.testing.assert_allclose(run.q, out.q[::5], atol=1e-6)
    np.testing.assert_allclose(run["estimate.q.j1"], out.states["estimate.q.j1"][::5], atol=1e-6)


def test_what_does_not_fit_an_elastic_machine_is_refused(elbow):
    mech, _, motion = elbow
    with pytest.raises(InputError, match=r"state_feedback: .*\b3\b.* 6\b.*motion\.moving_average"):
        gw.control.state_feedback(mech, motion, np.zeros((3, 12)))
    with pytest.raises(InputError, match=r"feedback_linearisation: 0 shafts.* 3 joints"):
        gw.control.feedback_linearisation(gw.load("elbow"), [0.0] * 3)
    with pytest.raises(InputError, match="torque_feedback=1"):
        gw.control.pd(gw.load("elbow"), [0.0] * 3, 1.0, 1.0, torque_feedback=1.0)
    with pytest.raises(InputError, match=r"control\.elastic_observer: "):
        gw.control.elastic_observer(gw.control.pd(gw.load("elbow"), [0.0] * 3, 1.0, 1.0), [0.0] * 3)
