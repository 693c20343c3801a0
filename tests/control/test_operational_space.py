"""Control of a frame, observers of external forces, gains from the model."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.motion import polynomial


@pytest.fixture(scope="module")
def puma():
    mech = gw.assemble(gw.load("puma560"))
    begin = np.array([0.3, -0.5, 0.8, 0.4, 0.6, -0.3])
    return mech, polynomial(begin, begin + 0.3 * np.cos(np.arange(6)), 0.6), mech.bodies[-1].name


def test_a_frame_is_tracked_to_integrator_accuracy(puma):
    mech, motion, hand = puma
    control = gw.control.operational_space(mech, hand, motion, 15.0)
    out = gw.rollout(
        mech,
        motion.at(0.0),
        np.zeros(6),
        600,
        1e-3,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=60),
    )
    found, wanted = gw.placement(mech, out.q, hand), gw.placement(mech, motion.at(out.t), hand)
    np.testing.assert_allclose(found.position, wanted.position, atol=1e-9)
    np.testing.assert_allclose(found.rotation, wanted.rotation, atol=1e-8)


def test_errors_of_a_frame_die_out_as_stated(puma):
    mech, motion, hand = puma
    start = motion.at(0.0)
    hold = gw.placement(mech, start + 0.03, hand)
    control = gw.control.operational_space(mech, hand, (hold.rotation, hold.position), 10.0)
    out = gw.rollout(
        mech,
        start,
        np.zeros(6),
        500,
        1e-3,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=50),
    )
    p = gw.placement(mech, out.q, hand).position - hold.position
    t = out.t[:, None]
    np.testing.assert_allclose(p, p[0] * (1 + 10 * t) * np.exp(-10 * t), atol=1e-8)


def test_a_frame_gives_way_like_a_spring(puma):
    """A steady wrench on the hand shifts it by F / K, and turns it by an angle whose sine is M / K."""
    mech, motion, hand = puma
    q = motion.at(0.0)
    hold = gw.placement(mech, q, hand)
    gains = [800.0] * 3 + [40.0] * 3, [120.0] * 3 + [4.0] * 3
    control = gw.control.impedance(mech, hand, (hold.rotation, hold.position), *gains)
    wrench = np.array([4.0, -8.0, 6.0, 1.0, -0.5, 0.8])
    tau = gw.jacobian(mech, q, hand).T @ wrench
    out = gw.rollout(
        mech,
        q,
        np.zeros(6),
        8000,
        1e-3,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=8000),
        inputs=tau,
    )
    found = gw.placement(mech, out.q[-1], hand)
    felt = np.linalg.solve(gw.jacobian(mech, out.q[-1], hand).T, tau)  # held in joint space, while J turned a little
    turn = found.rotation @ hold.rotation.T
    sine = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    np.testing.assert_allclose(800.0 * (found.position - hold.position), felt[:3], atol=0.02)
    np.testing.assert_allclose(40.0 * sine, felt[3:], atol=0.002)


def test_a_redundant_arm_keeps_its_elbow_quiet():
    arm = gw.assemble(gw.load("panda_like"))
    q = np.linspace(0.3, 0.9, 7)
    hand = arm.bodies[-1].name
    hold = gw.placement(arm, q, hand)
    control = gw.control.operational_space(
        arm, hand, (hold.rotation, hold.position), 10.0, orientation=False, null_space_damping=8.0
    )
    spin = np.linalg.svd(gw.jacobian(arm, q, hand)[:3])[2][-1]
    out = gw.rollout(
        arm, q, 0.5 * spin, 1000, 1e-3, method="rk4", controller=control, options=gw.analysis.RolloutOptions(every=100)
    )
    np.testing.assert_allclose(gw.placement(arm, out.q, hand).position, np.tile(hold.position, (11, 1)), atol=1e-7)
    assert np.linalg.norm(out.v[-1]) < 0.5 * np.linalg.norm(out.v[0])


def test_the_momentum_observer_follows_external_forces():
    """r' = gain (external - r): a step of force appears as 1 - exp(-gain t), in the joint where it acts."""
    arm = gw.load("elbow")
    motion = polynomial([0, 0, 0], [1.0, 0.5, -0.5], 0.4)
    control = gw.control.momentum_observer(gw.control.computed_torque(arm, motion, 20.0), 60.0, threshold=[9.0, 2.0, 1])
    push = np.array([0.0, 3.0, -1.5])
    out = gw.rollout(
        arm,
        np.zeros(3),
        np.zeros(3),
        400,
        1e-3,
        method="rk4",
        controller=control,
        options=gw.analysis.RolloutOptions(every=20),
        inputs=push,
    )
    found = control.signals(out)
    rise = 1 - np.exp(-60.0 * out.t)
    for k, joint in enumerate(("j1", "j2", "j3")):
        np.testing.assert_allclose(found[f"external.{joint}"], push[k] * rise, atol=1e-5)
    np.testing.assert_allclose(found["collision"], 1.5 * rise, atol=1e-5)
    run = gw.simulate(
        gw.assemble(arm), until=0.4, controller=control, inputs={"tau.j2": 3.0, "tau.j3": -1.5}, samples=out.t
    )
    np.testing.assert_allclose(control.signals(run)["external.j2"], 3.0 * rise, atol=1e-5)


def test_gains_close_the_loop_they_promise():
    arm = gw.load("elbow")
    q = [0.3, 0.4, 0.5]
    wanted = [-8.0, -9.0, -10.0, -11.0, -12 + 3j, -12 - 3j]
    found = gw.control.poles(arm, q, wanted)
    np.testing.assert_allclose(np.sort_complex(found.poles), np.sort_complex(np.array(wanted)), rtol=1e-6)
    best = gw.control.lqr(arm, q, [100.0] * 3 + [1.0] * 3, [1e-3] * 3)
    zero = np.zeros(3)
    A, B = gw.linearise(arm, q, zero, gw.inverse_dynamics(arm, q, zero, zero))
    weights, effort = np.diag([100.0] * 3 + [1.0] * 3), 1e-3 * np.eye(3)

    def cost(K):
        """The integral from all unit starts: trace of the solution of a Lyapunov equation."""
        from scipy.linalg import solve_continuous_lyapunov

        return np.trace(solve_continuous_lyapunov((A - B @ K).T, -(weights + K.T @ effort @ K)))

    for change in np.random.default_rng(0).normal(size=(4, 3, 6)):
        assert cost(best.K) < cost(best.K * (1 + 0.02 * change))


def test_a_mode_that_no_input_reaches_is_named():
    two = gw.Mechanism([gw.Body("a", mass=1, com=(0.1, 0, 0)), gw.Body("b", mass=1, com=(0.1, 0, 0))])
    for gains in (
        lambda: gw.control.lqr(two, [0, 0], [1] * 4, [1.0], inputs=["a"]),
        lambda: gw.control.poles(two, [0, 0], [-1, -2, -3, -4], inputs=["a"]),
    ):
        with pytest.raises(InputError, match=r" 0 1/s .*\ba\b.*\bb\b"):
            gains()


def test_weights_that_do_not_see_a_mode_are_refused():
    with pytest.raises(InputError, match=r"control\.lqr: .*\bQ\b"):
        gw.control.lqr(gw.load("elbow"), [0.0] * 3, [0.0] * 6, [1.0] * 3)


def test_frames_that_cannot_be_moved_are_refused():
    with pytest.raises(InputError, match=r"\b3 joints.*\b6\b.*orientation=False"):
        gw.control.operational_space(gw.load("elbow"), "link3", (np.eye(3), np.zeros(3)))
    with pytest.raises(InputError, match=r"control\.impedance: .* 3\.0 "):
        gw.control.impedance(gw.load("puma560"), 5, 3.0, 1.0, 1.0)
