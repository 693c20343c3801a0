"""The redundant models of Melhem and Loria, projected, are the generalized model: on random chains, any rotor axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gearwright as gw
from support.chains import elastic_machine
from support.compare import STEPS, rate, relative

EXACT = ("full", "absolute", "link_frames", "points")
KINDS = st.lists(st.sampled_from(["revolute", "prismatic"]), min_size=1, max_size=4)
SEEDS = st.integers(0, 2**31)


def state(rng, mech):
    return rng.uniform(-1.5, 1.5, mech.n), rng.uniform(-2, 2, mech.n), rng.uniform(-2, 2, mech.n)


def velocity_forces(mech, q, v):
    """C v of the generalized model."""
    return gw.bias(replace(mech, springs=()), q, v) - gw.gravity(mech, q)


@pytest.mark.parametrize("form", EXACT)
@given(kinds=KINDS, seed=SEEDS)
def test_projection_is_the_generalized_model(form, kinds, seed):
    rng = np.random.default_rng(seed)
    mech = elastic_machine(rng, kinds)
    q, v, _ = state(rng, mech)
    found = gw.elastic.RedundantModel(mech, form).project(q, v)
    inertia = gw.mass_matrix(mech, q)
    scale = np.abs(inertia).max() * np.abs(v).max() ** 2
    assert relative(found.H, inertia) < 1e-9
    assert relative(found.C @ v, velocity_forces(mech, q, v), 1e-3 * scale) < 1e-9
    assert relative(found.g, gw.gravity(mech, q), 1.0) < 1e-9


@pytest.mark.parametrize("form", EXACT)
@given(kinds=KINDS, seed=SEEDS)
def test_velocities_carry_the_kinetic_energy(form, kinds, seed):
    rng = np.random.default_rng(seed)
    mech = elastic_machine(rng, kinds)
    q, v, _ = state(rng, mech)
    model = gw.elastic.RedundantModel(mech, form)
    nu = model.velocities(q, v)
    assert 0.5 * nu @ model.inertia @ nu == pytest.approx(gw.kinetic_energy(mech, q, v), rel=1e-11)


@pytest.mark.parametrize("form", EXACT)
@given(kinds=KINDS, seed=SEEDS)
def test_coriolis_is_skew(form, kinds, seed):
    """dH/dt - 2 C, with the rate of the generalized inertia taken by differences."""
    rng = np.random.default_rng(seed)
    mech = elastic_machine(rng, kinds)
    q, v, _ = state(rng, mech)
    slope = rate(gw.mass_matrix(mech, q + STEPS[:, None] * v))
    C = gw.elastic.RedundantModel(mech, form).project(q, v).C
    skew = slope - 2 * C
    assert relative(skew, -skew.T, max(np.abs(C).max(), 1e-3)) < 1e-8


@pytest.mark.parametrize("form", [*EXACT, "reduced", "reduced_bare"])
@given(kinds=KINDS, seed=SEEDS)
def test_rate_of_the_jacobian(form, kinds, seed):
    """Against differences along a slow motion: rotors turn up to 40 times as fast, and dJ/dt is linear in v."""
    rng = np.random.default_rng(seed)
    mech = elastic_machine(rng, kinds)
    q, v, _ = state(rng, mech)
    model, slow = gw.elastic.RedundantModel(mech, form), 0.02
    found = rate(model.jacobian(q + STEPS[:, None] * slow * v))
    assert relative(model.jacobian_rate(q, v) * slow, found, 1e-2 * slow) < 1e-8


@pytest.mark.parametrize(("form", "kind"), [("reduced", "spong"), ("reduced_bare", "spong_bare")])
@given(kinds=KINDS, seed=SEEDS)
def test_reduced_model_is_that_of_spong(form, kind, kinds, seed):
    """Rotors that only spin; as printed, the links even lose the tensors of the rotors they carry."""
    rng = np.random.default_rng(seed)
    mech = elastic_machine(rng, kinds)
    q, v, _ = state(rng, mech)
    simple = gw.approximate(mech, kind)
    found = gw.elastic.RedundantModel(mech, form).project(q, v)
    assert relative(found.H, gw.mass_matrix(simple, q)) < 1e-9
    scale = np.abs(found.H).max() * np.abs(v).max() ** 2
    assert relative(found.C @ v, velocity_forces(simple, q, v), 1e-3 * scale) < 1e-9


@given(kinds=KINDS, seed=SEEDS)
def test_what_the_reduced_models_lose(kinds, seed):
    """In the blocks of the full model: H2 = J2' M2 J3, and J2' M2 J2 as well where the rotors are not even carried."""
    rng = np.random.default_rng(seed)
    mech = elastic_machine(rng, kinds)
    q, v, _ = state(rng, mech)
    full, n = gw.elastic.RedundantModel(mech), len(kinds)
    J2, J3 = np.split(full.jacobian(q)[9 * n :], 2)
    M2 = full.inertia[9 * n : 12 * n, 9 * n : 12 * n]
    exact, simple, bare = (
        gw.elastic.RedundantModel(mech, f).project(q, v).H for f in ("full", "reduced", "reduced_bare")
    )
    pushes = J2.T @ M2 @ J3
    assert relative(exact - simple, pushes + pushes.T, np.abs(exact).max()) < 1e-12
    assert relative(simple - bare, J2.T @ M2 @ J2, np.abs(exact).max()) < 1e-12


@given(kinds=KINDS, seed=SEEDS)
def test_rigid_counterpart(kinds, seed):
    rng = np.random.default_rng(seed)
    soft = elastic_machine(rng, kinds)
    stiff = gw.approximate(soft, "rigid")
    q, v, _ = state(rng, stiff)
    for form in EXACT:
        rigid = gw.elastic.RedundantModel(stiff, form, joints="rigid")
        found = rigid.project(q, v)
        scale = np.abs(found.H).max() * np.abs(v).max() ** 2
        assert relative(found.H, gw.mass_matrix(stiff, q)) < 1e-9
        assert relative(found.C @ v, velocity_forces(stiff, q, v), 1e-3 * scale) < 1e-9
        assert relative(found.g, gw.gravity(stiff, q), 1.0) < 1e-9
        elastic = gw.elastic.RedundantModel(soft, form)
        E = np.vstack([np.eye(len(kinds))] * 2)
        assert relative(rigid.jacobian(q), elastic.jacobian(E @ q) @ E) < 1e-12
        assert relative(rigid.inertia, elastic.inertia) < 1e-12


@pytest.mark.parametrize("form", ["full", "absolute", "reduced", "reduced_bare", "link_frames"])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@given(joints=st.integers(1, 4), seed=SEEDS)
def test_constant_left_inverse_of_one_kind_of_joint(form, kind, joints, seed):
    model = gw.elastic.RedundantModel(elastic_machine(np.random.default_rng(seed), [kind] * joints), form)
    L = model.constant_left_inverse()
    assert L.shape == (2 * joints, model.size)
    assert np.abs(L @ model.jacobian(model.configurations(20, seed=seed)) - np.eye(2 * joints)).max() < 1e-12


@given(kinds=KINDS, seed=SEEDS)
def test_link_frames_have_a_constant_left_inverse_for_every_chain(kinds, seed):
    model = gw.elastic.RedundantModel(elastic_machine(np.random.default_rng(seed), kinds), "link_frames")
    q = model.configurations(20, seed=seed, slide=3.0)
    assert np.abs(model.constant_left_inverse() @ model.jacobian(q) - np.eye(model.mech.n)).max() < 1e-11


@given(kinds=KINDS, seed=SEEDS)
def test_any_left_inverse_gives_the_springs_and_the_forces(kinds, seed):
    rng = np.random.default_rng(seed)
    mech = elastic_machine(rng, kinds)
    q, v, a = state(rng, mech)
    model = gw.elastic.RedundantModel(mech, "link_frames")
    J, L = model.jacobian(q), model.left_inverse(q)
    arbitrary = L + rng.normal(size=L.shape) @ (np.eye(model.size) - J @ L)
    springs = gw.bias(mech, q, v) - gw.bias(replace(mech, springs=()), q, v)
    tau = gw.inverse_dynamics(mech, q, v, a)
    for inverse in (None, L, arbitrary):
        assert relative(J.T @ model.elastic_forces(q, v, inverse), springs) < 1e-9
        assert relative(J.T @ model.reactions(q, v, a, inverse), tau) < 1e-9


@given(joints=st.integers(1, 4), seed=SEEDS)
def test_reactions_of_all_masses_add_up_to_the_force_on_the_base(joints, seed):
    """In an arm of revolute joints the springs only turn, so the linear parts of Q are forces between the bodies."""
    rng = np.random.default_rng(seed)
    mech = elastic_machine(rng, ["revolute"] * joints)
    q, v, a = state(rng, mech)
    Q = gw.elastic.RedundantModel(mech).reactions(q, v, a)[: 6 * joints].reshape(-1, 3)
    on_base = joints  # the first rotor stands on the base, which carries it
    first = gw.placement(mech, q, 0).rotation @ gw.reactions(mech, q, v, a)[0, :3]
    assert relative(Q.sum(axis=0) - Q[on_base], first) < 1e-9
    assert relative(Q[on_base], -mech.spins[0].rest.mass * np.array(tuple(mech.gravity))) < 1e-12


@pytest.mark.parametrize("joints", [2, 3])
def test_the_printed_bias_is_wrong(joints):
    """The paper's C = J' M dJ/dt is off by percents of the largest entry in most arms, by tens of percents in some."""
    rng = np.random.default_rng(3)
    errors = []
    for _ in range(20):
        mech = elastic_machine(rng, ["revolute"] * joints)
        q, v, _ = state(rng, mech)
        model = gw.elastic.RedundantModel(mech)
        printed = model.jacobian(q).T @ model.inertia @ model.jacobian_rate(q, v) @ v
        exact = velocity_forces(mech, q, v)
        errors.append(relative(printed, exact))
        assert relative(printed + model.project(q, v).omitted, exact) < 1e-9
    assert np.median(errors) > 0.01
    assert max(errors) > 0.1


@given(seed=SEEDS)
def test_points_need_no_quadratic_terms(seed):
    rng = np.random.default_rng(seed)
    mech = elastic_machine(rng, ["revolute", "prismatic", "revolute"])
    q, v, _ = state(rng, mech)
    model = gw.elastic.RedundantModel(mech, "points")
    assert np.abs(model.quadratic(model.velocities(q, v))).max() == 0
    exact = model.jacobian(q).T @ model.inertia @ model.jacobian_rate(q, v)
    assert relative(exact @ v, velocity_forces(mech, q, v), 1e-3 * np.abs(gw.mass_matrix(mech, q)).max()) < 1e-9


@pytest.mark.parametrize("form", EXACT)
@pytest.mark.parametrize("name", ["elastic_elbow", "harmonic_6"])
def test_bundled_arms(name, form):
    mech = gw.assemble(gw.load(name))
    q, v, a = state(np.random.default_rng(0), mech)
    model = gw.elastic.RedundantModel(mech, form)
    found = model.project(q, v)
    assert relative(found.H, gw.mass_matrix(mech, q)) < 1e-12
    assert relative(found.C @ v, velocity_forces(mech, q, v)) < 1e-10
    assert relative(model.jacobian(q).T @ model.reactions(q, v, a), gw.inverse_dynamics(mech, q, v, a)) < 1e-10
