"""Gearwright's "diagonal" approximation against MuJoCo, whose armature it is."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from support.compare import relative
from support.machines import random_design, random_state
from support.mujoco_oracle import MujocoOracle
from support.references import Reference

MUJOCO = Reference("MuJoCo with armature, against reflected rotors")


@pytest.mark.parametrize("seed", range(12))
def test_diagonal_is_armature(seed):
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.choice(["revolute", "prismatic", "spherical"], size=5, p=[0.5, 0.3, 0.2])]
    design = random_design(rng, [*kinds, "revolute"], wheels=5, twins=False, chain=seed % 2 == 0)
    exact = design.written()
    mech = gw.approximate(exact, "diagonal")
    s = random_state(rng, mech)
    oracle = MujocoOracle(design)
    # MuJoCo goes through the principal axes of every tensor, which costs it a few digits.
    MUJOCO.agrees(
        "inverse dynamics, relative", relative(gw.inverse_dynamics(mech, s.q, s.v, s.a), oracle.torque(s)), 1e-9
    )
    MUJOCO.agrees("mass matrix, relative", relative(gw.mass_matrix(mech, s.q), oracle.mass_matrix(s)), 1e-9)
    assert relative(gw.inverse_dynamics(exact, s.q, s.v, s.a), oracle.torque(s)) > 1e-3, "armature is not exact"
