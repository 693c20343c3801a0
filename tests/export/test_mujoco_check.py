"""MuJoCo with every wheel as a body agrees along motions, and disagrees when a wheel is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError

NAMES = ("elbow", "grm3", "planetary_2r_3", "planetary_2r_6", "planetary_3r", "elastic_elbow", "wrist_puma", "scara")


@pytest.mark.parametrize("name", NAMES)
def test_torques_and_energies_agree(name):
    mech = gw.assemble(gw.load(name))
    q, v, a = np.random.default_rng(4).normal(size=(3, 5, mech.n)) * [[[0.5]], [[1.0]], [[2.0]]]
    found = gw.export.mujoco_check(mech, q, v, a)
    assert found.tau.shape == (5, mech.n)
    assert found.torque_error < 1e-12
    assert found.energy_error < 1e-12


def test_it_sees_what_is_wrong():
    """Reflected inertias alone: MuJoCo is told the whole machine, the comparison the poorer one."""
    mech = gw.assemble(gw.load("elbow"))
    state = [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8]
    whole = gw.export.mujoco_check(mech, *state)
    poor = gw.inverse_dynamics(gw.approximate(mech, "reflected"), *state)
    assert np.abs(poor - whole.tau).max() > 1e-3


def test_free_joints_are_refused():
    body = gw.Body("b", joint="free", mass=1, inertia=np.eye(3))
    mech = gw.Mechanism([body])
    with pytest.raises(InputError, match="quaternion"):
        gw.export.mujoco_check(mech, gw.neutral(mech), np.zeros(6), np.zeros(6))


def test_a_robot_is_taken_too():
    robot = replace(gw.load("planetary_2r_3"), name="x")
    assert gw.export.mujoco_check(robot, [0.1, 0.2], [1.0, 2.0], [0.0, 1.0]).torque_error < 1e-12
