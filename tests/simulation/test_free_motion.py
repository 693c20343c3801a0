"""Motion without laws: energy is kept, closed solutions are met, methods and machines agree."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Friction, Joint, Link, Robot

BALL = gw.Mechanism([gw.Body("ball", joint="prismatic", axis=(0, 0, 1), mass=2.0)])


@pytest.mark.slow
@pytest.mark.parametrize(("robot", "start"), [("elbow", [0.3, 0.5, -0.8]), ("manutec_r3", [0.3, 0.9, -0.8])])
def test_a_hundred_seconds_of_free_swing_keep_the_energy(robot, start):
    run = gw.simulate(
        gw.assemble(gw.load(robot)),
        start,
        until=100.0,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-13),
    )
    assert np.ptp(run["energy.kinetic"]) > 1.0
    assert np.abs(run["energy.balance"]).max() < 1e-9 * run["energy.kinetic"].max()


def test_a_falling_mass_meets_the_parabola():
    run = gw.simulate(BALL, ([1.0], [2.0]), until=2.0, samples=11)
    np.testing.assert_allclose(run["q.ball"], 1.0 + 2.0 * run.t - 0.5 * 9.81 * run.t**2, atol=1e-11)
    np.testing.assert_allclose(run["v.ball"], 2.0 - 9.81 * run.t, atol=1e-11)
    np.testing.assert_allclose(run["a.ball"], -9.81)


@pytest.mark.parametrize("method", ["adaptive", "stiff"])
def test_a_damped_spring_meets_its_closed_solution(method):
    spring = gw.Spring("spring", {"ball": 1.0}, stiffness=800.0, damping=4.0)
    mech = gw.Mechanism(BALL.bodies, springs=[spring], gravity=(0, 0, 0))
    run = gw.simulate(
        mech, [0.1], until=1.0, method=method, integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-12)
    )
    decay, omega = 4.0 / (2 * 2.0), np.sqrt(800.0 / 2.0 - (4.0 / (2 * 2.0)) ** 2)
    exact = 0.1 * np.exp(-decay * run.t) * (np.cos(omega * run.t) + decay / omega * np.sin(omega * run.t))
    np.testing.assert_allclose(run["q.ball"], exact, atol=2e-7)
    assert run["energy.dissipated"][-1] > 0.5 * 0.5 * 800 * 0.1**2
    assert run.drift < 1e-5


def test_a_free_body_turns_as_its_momentum_wants():
    body = gw.Body("body", joint="free", mass=1.0, inertia=np.diag([0.1, 0.2, 0.3]))
    mech = gw.Mechanism([body], gravity=(0, 0, 0))
    v = np.array([0.3, -0.2, 0.1, 1.0, 8.0, 0.5])
    run = gw.simulate(
        mech, (gw.neutral(mech), v), until=3.0, integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-12)
    )
    momentum = gw.momentum(mech, run.q, run.v)
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-8)
    np.testing.assert_allclose(run.q[-1, :3], momentum[0, :3] * 3.0, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, 3:], axis=1), 1.0, atol=1e-8)


def test_stiff_and_adaptive_agree_on_an_arm_and_tighter_is_better():
    mech = gw.assemble(gw.load("elbow"))
    fine = gw.simulate(
        mech, [0.3, 0.5, -0.8], until=1.0, integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-12)
    )
    stiff = gw.simulate(
        mech,
        [0.3, 0.5, -0.8],
        until=1.0,
        method="stiff",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    coarse = gw.simulate(
        mech, [0.3, 0.5, -0.8], until=1.0, integrator=gw.analysis.IntegratorOptions(rtol=1e-4, atol=1e-5)
    )
    moving = [name for name in fine.series if name[:2] in ("q.", "v.")]
    near, far = fine.compare(stiff, moving), fine.compare(coarse, moving)
    assert max(near.values()) < 1e-5
    assert max(far.values()) > 10 * max(near.values())


def test_torques_of_a_motion_bring_that_motion_about():
    from gearwright.motion import polynomial

    mech = gw.assemble(gw.load("panda_like"))
    path = polynomial(np.zeros(7), np.linspace(0.3, 0.9, 7), duration=1.0)
    motion = path.sample(1001)
    tau = gw.inverse_dynamics(mech, motion.q, motion.v, motion.a)
    given = {f"tau.{name}": (motion.t, tau[:, k]) for k, name in enumerate(mech.speeds)}
    run = gw.simulate(mech, motion.q[0], until=1.0, inputs=given, samples=11)
    np.testing.assert_allclose(run.q, path.at(run.t), atol=1e-7)
    exact = lambda t: gw.inverse_dynamics(mech, path.at(t), path.at(t, 1), path.at(t, 2))  # noqa: E731
    run = gw.simulate(
        mech, motion.q[0], until=1.0, inputs=exact, samples=11, integrator=gw.analysis.IntegratorOptions(rtol=1e-10)
    )
    np.testing.assert_allclose(run.q, path.at(run.t), atol=1e-9)


def test_the_default_method_suits_the_problem_and_says_so():
    slow = gw.simulate(BALL, [0.0], until=1.0)
    damper = gw.Spring("damper", {"ball": 1.0}, stiffness=1.0, damping=1e6)
    fast = gw.simulate(gw.Mechanism(BALL.bodies, springs=[damper]), [0.1], until=1.0)
    assert "adaptive" in slow.remarks[0]
    assert "stiff" in fast.remarks[0]
    assert "1/s" in fast.remarks[0]


def test_what_becomes_stiff_on_the_way_is_handed_over():
    """Bristles that are slow at rest decay at stiffness times speed over friction: 2e5 1/s once the joint turns."""
    friction = Friction(coulomb=1.0, viscous=0.1, stiffness=1e4, damping=1.0)
    link = Link("disc", joint=Joint("j", friction=friction), mass=1.0, inertia=np.diag([0.02, 0.02, 0.02]))
    run = gw.simulate(Robot("disc", [link]), until=2.0, inputs={"tau.j": 3.0})
    first, handed_over = run.remarks
    assert "adaptive" in first
    assert "stiff from t = " in handed_over
    slid = 20.0 * (1 - np.exp(-0.1 / 0.02 * run.t))  # to (tau - F_C) / d, but for what the bristles spare at first
    assert np.abs(run["v.j"] - slid)[run.t > 1.0].max() < 1e-3
    assert run.drift < 1e-5
