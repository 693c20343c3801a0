"""The generalized model in blocks: reference numbers, and what holds for every machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import gearwright as gw
from support.compare import relative
from support.elastic_arms import elastic_elbow, random_elastic
from support.machines import motions


def two_joints() -> gw.Mechanism:
    """Links 1 and 2 and rotors 1 and 2 of the elbow, elastic."""
    arm = elastic_elbow()
    return gw.assemble(replace(arm, links=arm.links[:2], drives=arm.drives[:2], frames=()))


def test_published_numbers():
    mech = two_joints()
    q, v = [0.3, -0.5, 0.302, -0.501], [0.7, -0.4, 0.75, -0.38]
    form = gw.elastic.elastic_form(mech, q, v)
    H = [[0.25594232, 0, 0, 0.03], [0, 0.29, 0, 0], [0, 0, 7.2, 0], [0.03, 0, 0, 3]]
    assert np.abs(form.H - H).max() < 1e-8
    assert np.abs(form.H1 - np.array(H)[:2, :2]).max() < 1e-8
    assert np.abs(form.H2 - np.array(H)[:2, 2:]).max() < 1e-8
    assert np.abs(form.H3 - np.diag([7.2, 3])).max() < 1e-12
    assert np.abs(form.C @ v - [-0.06597133, -0.05772491, 0, 0]).max() < 1e-8
    assert np.abs(form.g - [0, 8.60908493, 0, 0]).max() < 1e-8
    assert np.abs(form.K_e @ q - [-16, 6, 16, -6]).max() < 1e-9
    a = np.linalg.solve(form.H, [0, 0, 3, 40] - form.C @ v - form.g - form.K_e @ q)
    assert np.abs(a - [61.04611769, -50.17710353, -1.80555556, 14.72287216]).max() < 1e-7
    assert np.abs(gw.forward_dynamics(mech, q, v, [0, 0, 3, 40]) - a).max() < 1e-9


@given(motions(shafts=2, springs=2))
def test_the_blocks_are_the_equations(motion):
    """H a + C v + g + K_e q + D_e v - preload = tau, rests of springs included."""
    _, mech, s = motion
    form = gw.elastic.elastic_form(mech, s.q, s.v)
    where = np.array(mech.layout.coordinate_of)
    q = np.where(where >= 0, s.q[where], 0.0)
    tau = form.H @ s.a + form.C @ s.v + form.g + form.K_e @ q + form.D_e @ s.v - form.preload
    assert relative(tau, gw.inverse_dynamics(mech, s.q, s.v, s.a)) < 1e-10


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.lists(st.sampled_from(["revolute", "prismatic"]), min_size=2, max_size=5))
def test_structure_with_motors_before_their_joints(seed, kinds):
    """H3 is constant, H2 strictly triangular along every path, K_e positive semidefinite and zero on rigid motions."""
    mech = random_elastic(seed, kinds)
    q, v = np.random.default_rng(seed).uniform(-1, 1, (2, 3, mech.n))
    form = gw.elastic.elastic_form(mech, q, v)
    joints = len(kinds)
    assert relative(form.H3, np.broadcast_to(form.H3[0], (3, joints, joints))) < 1e-13
    order = [mech.speeds[:joints].index(name.removesuffix(".motor")) for name in mech.shafts]
    by_joint = np.empty_like(form.H2)
    by_joint[..., order] = form.H2
    assert relative(np.tril(by_joint), np.zeros_like(by_joint), np.abs(form.H3).max()) < 1e-13
    assert np.linalg.eigvalsh(form.K_e).min() > -1e-9 * np.abs(form.K_e).max()
    together = np.array(
        [[name.removesuffix(".motor") == joint for joint in mech.speeds[:joints]] for name in mech.speeds]
    )
    assert not np.abs(form.K_e @ together).max() > 1e-12 * np.abs(form.K_e).max()
    assert np.linalg.matrix_rank(form.K_e) == joints


def test_a_rigid_machine_has_empty_blocks():
    mech = gw.assemble(gw.load("elbow"))
    form = gw.elastic.elastic_form(mech, [0.1, 0.2, 0.3], [0, 0, 0])
    assert form.H2.shape == (3, 0)
    assert form.H3.shape == (0, 0)
    assert relative(form.H, gw.mass_matrix(mech, [0.1, 0.2, 0.3])) < 1e-15
