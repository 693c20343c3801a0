"""Excitation and identification of machines with closed loops, in independent coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.identification import ExcitationOptions, Log, excite
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.motion import Motion
from gearwright.parts import Limits

FEW = ExcitationOptions(starts=1, steps=6, samples=40)


def test_base_parameters_do_not_depend_on_rounding_of_the_closure():
    """Nearly flat parallelograms in the walk of random states made two more of them than the 26 that act."""
    mech = gw.assemble(gw.load("palletiser"))
    rng = np.random.default_rng(0)
    q = mech.closed(rng.uniform([-2, -0.3, -0.3, -3], [2, 0.9, 0.9, 3], (200, 4)))
    Y = gw.regressor(mech, q, *rng.normal(size=(2, 200, 4))).reshape(800, -1)
    sizes = np.linalg.norm(Y, axis=0)
    Y = Y[:, sizes > 1e-9 * sizes.max()]
    wanted = np.linalg.matrix_rank(Y / np.linalg.norm(Y, axis=0), tol=1e-9)
    assert wanted == 26
    assert TorqueModel(mech, ()).base.rank == gw.base_parameters(mech).rank == wanted


def test_an_excitation_keeps_loops_closed_and_dependent_joints_in_their_limits():
    robot = gw.load("palletiser").with_joint("elbow", limits=Limits(position=(-0.6, 0.5)))
    mech = gw.assemble(robot)
    found = excite(robot, period=4.0, search=FEW)
    q = mech.closed(found.motion.sample(200).q)
    elbow = q[:, mech.coordinates.index("elbow")]
    assert -0.6 <= elbow.min() < elbow.max() <= 0.5
    assert np.ptp(elbow) > 0.05
    assert np.isfinite(found.condition)


def test_parameters_of_a_closed_machine_are_identified():
    """From torques of the four motors of a palletiser with errors of 1 mNm: torques of other states to 1 %."""
    robot = gw.load("palletiser")
    mech = gw.assemble(robot)
    motion = excite(robot, period=6.0, search=FEW).motion.sample(601)
    tau = gw.inverse_dynamics(mech, motion.q, motion.v, motion.a)
    noise = 1e-3 * np.random.default_rng(0).normal(size=tau.shape)
    found = gw.identify(robot, Log(t=motion.t, q=motion.q, tau=tau + noise), friction=(), cutoff=20.0)
    rng = np.random.default_rng(1)
    q = rng.uniform(-0.2, 0.5, (20, 4))
    v, a = rng.normal(size=(2, 20, 4))
    wanted = gw.inverse_dynamics(mech, q, v, a)
    found_tau = found.predict(Motion(np.arange(20.0), q, v, a))
    assert found_tau == pytest.approx(wanted, abs=0.01 * np.abs(wanted).max())
