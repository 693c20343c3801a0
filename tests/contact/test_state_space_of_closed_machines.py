"""Linear models of machines with closed loops and laws, in independent coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from support.mechanisms import four_bar


@pytest.mark.parametrize("q", [[0.7], [1.3]])
def test_torques_alone_give_the_linear_model(q):
    """The same as `linearise`, at rest and in motion, wherever the loop is cut."""
    for speed in (0.0, 1.5):
        models = [gw.export.state_space(four_bar(cut), q, [speed], laws=(), u=[5.0]) for cut in ("rocker", "crank")]
        wanted = gw.linearise(four_bar("rocker"), q, [speed], [5.0])
        for model in models:
            assert model.states == ("q_crank_joint", "v_crank_joint")
            assert pytest.approx(wanted.A, rel=1e-9) == model.A
            assert pytest.approx(wanted.B, rel=1e-9) == model.B
            assert model.x == pytest.approx([*q, speed])


def test_the_model_is_that_of_small_motions():
    """Steady torques hold an elastic four-bar, and a small disturbance moves a run as the model says."""
    from scipy.linalg import expm

    robot = four_bar("rocker", 3000.0)
    mech = gw.assemble(robot)
    model = gw.export.state_space(robot, mech.closed([0.7, 0.7]))
    f = mech.n
    assert model.A.shape == (2 * f, 2 * f)
    disturbance = 1e-5 * np.array([1.0, -0.5, 0.0, 0.0])
    start = mech.closed(model.x[:f] + disturbance[:f], near=mech.closed([0.7, 0.7]))
    torques = dict(zip((f"tau.{x}" for x in mech.speeds), model.u, strict=True))
    run = gw.simulate(
        robot, (start, np.zeros(mech.tree.n)), until=0.02, inputs=torques, samples=3,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-11, atol=1e-13),
    )  # fmt: skip
    moved = run.q[-1, list(mech.independent_indices)] - model.x[:f]
    assert moved == pytest.approx((expm(0.02 * model.A) @ disturbance)[:f], abs=2e-9)
    assert np.abs(moved - disturbance[:f]).max() > 1e-6


def test_voltages_and_motor_torques_of_a_palletiser():
    robot = gw.load("palletiser")
    model = gw.export.state_space(robot, [0.1, 0.2, -0.1, 0.0], inputs="motor_torque", laws=())
    mech = gw.assemble(robot)
    gravity = gw.gravity(mech, mech.closed([0.1, 0.2, -0.1, 0.0]))
    assert gw.actuator_torques(mech, gravity) == pytest.approx(model.u, abs=1e-9)
    assert model.outputs[:4] == ("q_turn", "q_shoulder", "q_crank", "q_flange")
