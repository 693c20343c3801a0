"""Elastic drives and their rigid limit: the identities that hold exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gearwright as gw
from support.compare import relative
from support.machines import random_parts_design


@st.composite
def pairs(draw):
    """A robot whose drives are all elastic, the same one with rigid gears, and E that joins motors to joints."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    kinds = draw(st.lists(st.sampled_from(["revolute", "prismatic"]), min_size=1, max_size=4))
    soft = random_parts_design(rng, kinds, wheels=len(kinds), elastic=len(kinds)).robot()
    rigid = replace(soft, drives=[replace(d, gear=replace(d.gear, stiffness=None, damping=0.0)) for d in soft.drives])
    elastic, stiff = gw.assemble(soft), gw.assemble(rigid)
    E = np.array([[name.removesuffix(".motor") == joint for joint in stiff.speeds] for name in elastic.speeds], float)
    return elastic, stiff, E, rng


@given(pairs())
def test_joined_inertia_is_the_rigid_one(pair):
    elastic, stiff, E, rng = pair
    q = rng.uniform(-1, 1, stiff.n)
    assert relative(E.T @ gw.mass_matrix(elastic, E @ q) @ E, gw.mass_matrix(stiff, q)) < 1e-12


@given(pairs())
def test_joined_forces_are_the_rigid_right_hand_side(pair):
    """At equal speeds, for any twist of the springs: E' H a = u - (C v + g) of the rigid robot."""
    elastic, stiff, E, rng = pair
    q, v, u = rng.uniform(-1, 1, (3, stiff.n))
    motors = slice(stiff.n, None)
    twisted = E @ q
    twisted[motors] += rng.uniform(-0.1, 0.1, stiff.n)
    tau = np.concatenate([np.zeros(stiff.n), E[motors] @ u])
    a = gw.forward_dynamics(elastic, twisted, E @ v, tau)
    found = E.T @ gw.mass_matrix(elastic, twisted) @ a
    expected = u - gw.bias(stiff, q, v)
    assert relative(found, expected, 1e-2 * np.abs(gw.mass_matrix(elastic, twisted) @ a).max()) < 1e-9


@given(pairs())
def test_untwisted_accelerations_do_not_depend_on_stiffness(pair):
    elastic, stiff, E, rng = pair
    q, v, u = rng.uniform(-1, 1, (3, stiff.n))
    tau = np.concatenate([np.zeros(stiff.n), E[stiff.n :] @ u])
    harder = replace(elastic, springs=[replace(k, stiffness=100 * k.stiffness) for k in elastic.springs])
    a, b = (gw.forward_dynamics(m, E @ q, E @ v, tau) for m in (elastic, harder))
    assert relative(a, b) < 1e-9
    assert relative(a[: stiff.n], gw.forward_dynamics(stiff, q, v, u)) > 1e-6, "they are not the rigid ones"


@pytest.mark.parametrize("stiffer", [1e2, 1e4])
def test_static_deflection_vanishes_with_stiffness(stiffer):
    """At rest the motor's coordinate leads by tau/K."""
    soft = random_parts_design(np.random.default_rng(5), ["revolute"] * 3, wheels=3, elastic=3).robot()
    mech = gw.assemble(soft)
    mech = replace(mech, springs=[replace(k, stiffness=stiffer * k.stiffness) for k in mech.springs])
    n = mech.n // 2
    joint = {name: k for k, name in enumerate(mech.speeds)}
    q = np.zeros(mech.n)
    held = gw.gravity(mech, q)
    for spring in mech.springs:
        name = spring.name.removesuffix(".spring")
        j = joint[soft.drive(name).joint]
        q[joint[f"{soft.drive(name).joint}.motor"]] = held[j] / spring.stiffness
    assert np.abs(gw.bias(mech, q, 0 * q)[:n]).max() < 1e-9
