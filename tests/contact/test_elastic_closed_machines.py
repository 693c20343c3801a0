"""Elastic drives of machines with closed loops, in independent speeds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.motion import polynomial
from gearwright.parts import Drive, Gear, JointSpring, Motor
from support.mechanisms import four_bar, with_parallelogram

LOOPED, FOLLOWING = (with_parallelogram(gw.load("elastic_elbow"), by) for by in ("loop", "followers"))
TURN = polynomial([0.7], [1.1], duration=0.4, order=7)


def test_motor_motion_is_smooth_and_leaves_no_force_at_the_joint():
    """Speeds and accelerations of the motor are the slopes of its position along a motion of the crank."""
    robot = four_bar("rocker", 3000.0)
    t, h = 0.17, 1e-4
    motions = [gw.motor_motion(robot, *[TURN.at(t + k * h, order) for order in range(5)]) for k in (-1, 0, 1)]
    before, now, after = motions
    assert (after.q - before.q)[1] / (2 * h) == pytest.approx(now.v[1], rel=1e-6)
    assert (after.v - before.v)[1] / (2 * h) == pytest.approx(now.a[1], rel=1e-5)
    mech = gw.assemble(robot)
    tau = gw.inverse_dynamics(mech, mech.closed(now.q), now.v, now.a)
    assert tau == pytest.approx(now.tau, abs=1e-8 * abs(now.tau[1]))
    other = gw.motor_motion(four_bar("crank", 3000.0), *[TURN.at(t, order) for order in range(5)])
    assert np.array([*other]) == pytest.approx(np.array([*now]), rel=1e-8, abs=1e-9)


def test_motor_motion_in_batches():
    robot = four_bar("rocker", 3000.0)
    t = np.linspace(0.0, 0.4, 4)
    many = gw.motor_motion(robot, *[TURN.at(t, order) for order in range(5)])
    one = gw.motor_motion(robot, *[TURN.at(t[2], order) for order in range(5)])
    assert many.tau[2] == pytest.approx(one.tau, rel=1e-10)


def test_reduced_models_of_a_parallelogram():
    """Each model has the motor motion of the machine of followers."""
    motion = polynomial([0.3, -0.5, 0.8], [0.5, -0.3, 0.6], duration=0.5, order=7)
    found, wanted = (gw.analysis.compare_reductions(robot, motion, count=5) for robot in (LOOPED, FOLLOWING))
    for kind, reduced in found.reduced.items():
        for x, y in zip(reduced, wanted.reduced[kind], strict=True):
            assert x == pytest.approx(y, rel=1e-9, abs=1e-9)
    assert [x.motor for x in found.reduction_errors()] == [x.motor for x in wanted.reduction_errors()]


def test_a_rigid_model_stays_on_the_branch_of_the_machine():
    robot = four_bar("rocker", 3000.0)
    mech = gw.assemble(robot, start=[0.7, -0.2, 1.5, 0.7])
    rigid = gw.approximate(mech, "rigid")
    assert rigid.speeds == ("crank_joint",)
    assert rigid.reference == pytest.approx(mech.reference[:3], abs=1e-9)


def test_feedback_linearisation_of_a_four_bar_has_no_error():
    """The motor stands on the base, so the model is exact, and the start is on the reference."""
    robot = four_bar("rocker", 3000.0)
    mech = gw.assemble(robot)
    first = [TURN.at(0.0, order) for order in range(5)]
    start = gw.motor_motion(robot, *first)
    control = gw.control.feedback_linearisation(robot, TURN, 30.0)
    exact = gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11)
    run = gw.simulate(mech, mech.closed(start.q), until=0.4, controller=control, samples=5, integrator=exact)
    assert run.q[:, 0] == pytest.approx(TURN.at(run.t)[:, 0], abs=1e-6)


def test_springs_and_drives_of_dependent_joints_are_named():
    soft = four_bar("rocker", 3000.0).with_joint("rocker_joint", spring=JointSpring(5.0))
    with pytest.raises(InputError, match=r"elastic_form.*'rocker_joint'"):
        gw.elastic.elastic_form(soft, [0.7, 0.7], [0.0, 0.0])
    assert np.isfinite(gw.motor_motion(soft, *[TURN.at(0.1, order) for order in range(5)]).tau).all()
    rocker = Drive("rocker_joint", Motor(3e-4), Gear(50.0, stiffness=3e3), "base", (0, 0, 1))
    robot = replace(four_bar("rocker"), drives=[rocker])
    mech = gw.assemble(robot, independent=["crank_joint"])
    with pytest.raises(InputError, match="'rocker_joint'"):
        gw.elastic.required_derivative_orders(mech)
    assert gw.elastic.required_derivative_orders(robot) == {"rocker_joint.motor": 4}
