"""The JAX backend: the answers of the recursions, under jit, vmap and grad."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright import jax_function
from gearwright.catalogue import robots
from gearwright.errors import InputError
from support.bundled import PUBLIC, arguments, fixed_for, flat, public
from support.compare import relative
from support.machines import random_design, random_state

jax = pytest.importorskip("jax")

KINDS = ["planar", "revolute", "spherical", "prismatic", "helical", "universal"]


@pytest.fixture(autouse=True)
def float64():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture
def drawn():
    rng = np.random.default_rng(8)
    mech = random_design(rng, KINDS, shafts=1, springs=1, chain=True).written()
    return mech, random_state(rng, mech)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "momentum"])
def test_jit_returns_what_the_recursion_returns(name, drawn):
    mech, s = drawn
    arguments = {"mass_matrix": (s.q,), "momentum": (s.q, s.v)}.get(name, (s.q, s.v, s.a))
    found = jax.jit(jax_function(getattr(gw, name), mech))(*arguments)
    assert found.dtype == np.float64
    assert relative(found, getattr(gw, name)(mech, *arguments)) < 1e-12


def test_batches_broadcast_and_vmap_agrees(drawn):
    mech, s = drawn
    f = jax_function("inverse_dynamics", mech)
    speeds = s.v * np.linspace(-1, 1, 5)[:, None]
    expected = gw.inverse_dynamics(mech, s.q, speeds, s.a)
    assert relative(jax.jit(f)(s.q, speeds, s.a), expected) < 1e-12
    assert relative(jax.jit(jax.vmap(f, in_axes=(None, 0, None)))(s.q, speeds, s.a), expected) < 1e-12


def test_slope_by_accelerations_is_the_mass_matrix(drawn):
    mech, s = drawn
    for derivative in (jax.jacfwd, jax.jacrev):
        slope = jax.jit(derivative(jax_function(gw.inverse_dynamics, mech), argnums=2))(s.q, s.v, s.a)
        assert relative(slope, gw.mass_matrix(mech, s.q)) < 1e-12


def test_grad_under_vmap_and_jit_is_the_kernels_derivative():
    mech = random_design(np.random.default_rng(9), ("revolute", "prismatic", "revolute"), shafts=1, springs=1).written()
    q, v, tau = np.random.default_rng(2).uniform(-1, 1, (3, 5, mech.n))
    f = jax_function(gw.forward_dynamics, mech)
    found = jax.jit(jax.vmap(jax.grad(lambda *x: f(*x).sum())))(q, v, tau)
    assert found.dtype == np.float64
    assert relative(found, gw.compile(gw.forward_dynamics, mech).jacobian("q")(q, v, tau).sum(axis=1)) < 1e-11


def test_parameters_stay_inputs():
    arm = gw.Mechanism([gw.Body("arm", mass=2, com=(0.5, 0, 0), axis=(0, -1, 0))])
    f = jax_function(gw.gravity, arm, parameters=["arm.mass"])
    assert float(jax.grad(lambda p: f(np.zeros(1), p)[0])(np.array([2.0]))[0]) == pytest.approx(0.5 * 9.81)


def test_refuses_float32_and_wrong_shapes(drawn):
    mech, s = drawn
    f = jax_function(gw.inverse_dynamics, mech)
    with pytest.raises(InputError, match=rf"\bv .*\({len(s.v) - 1},\).*\b{len(s.v)}\b"):
        f(s.q, s.v[:-1], s.a)
    with pytest.raises(InputError, match=r"\b2\b.*q, v, a"):
        f(s.q, s.v)
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(InputError, match="jax_enable_x64"):
        jax_function(gw.inverse_dynamics, mech)


@pytest.mark.parametrize("robot", robots())
def test_functions_are_the_same_on_every_robot(robot):
    mech = gw.assemble(gw.load(robot))
    for name in ("inverse_dynamics", "placement"):
        given, fixed = arguments(name, mech), fixed_for(name, mech)
        found = jax_function(name, mech, **fixed)(*given)
        assert relative(flat(found), flat(getattr(gw, name)(mech, *given, *fixed.values()))) < 1e-12
    assert isinstance(found, gw.analysis.Placement)


@pytest.mark.parametrize("name", PUBLIC)
def test_all_functions_are_the_same_on_one(name):
    mech = gw.assemble(gw.load("elbow"))
    given, fixed = arguments(name, mech), fixed_for(name, mech)
    found = jax_function(name, mech, **fixed)(*given)
    assert relative(flat(found), flat(public(name)(mech, *given, *fixed.values()))) < 1e-12
