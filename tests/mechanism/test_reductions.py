"""Reductions of elastic machines as values: rigid, Spong's model with and without the carried rotors, undamped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gearwright as gw
from gearwright.errors import InputError
from support.compare import relative
from support.designs import revolution
from support.elastic_arms import elastic_elbow
from support.machines import random_parts_design

KINDS = st.lists(st.sampled_from(["revolute", "prismatic"]), min_size=1, max_size=4)


def robots(seed: int, kinds: list[str]):
    """A robot with all drives elastic, the same one with rigid gears, and random numbers."""
    rng = np.random.default_rng(seed)
    soft = random_parts_design(rng, kinds, wheels=len(kinds) + 1, elastic=len(kinds)).robot()
    hard = replace(soft, drives=[replace(d, gear=replace(d.gear, stiffness=None, damping=0.0)) for d in soft.drives])
    return soft, hard, rng


@given(st.integers(0, 2**31), KINDS)
def test_rigid_is_the_robot_with_rigid_gears(seed, kinds):
    soft, hard, rng = robots(seed, kinds)
    mech, expected = gw.approximate(gw.assemble(soft), "rigid"), gw.assemble(hard)
    assert mech.speeds == expected.speeds
    assert not mech.springs
    q, v, a = rng.uniform(-1, 1, (3, mech.n))
    assert relative(gw.inverse_dynamics(mech, q, v, a), gw.inverse_dynamics(expected, q, v, a)) < 1e-12
    assert relative(gw.actuation.structure_matrix(mech), gw.actuation.structure_matrix(expected)) < 1e-15


@given(st.integers(0, 2**31), KINDS)
def test_rigid_is_the_projection_at_equal_speeds_for_every_stiffness(seed, kinds):
    """E' H E, and E' H a = u - bias of the rigid machine at any twist."""
    soft, _, rng = robots(seed, kinds)
    elastic = gw.assemble(soft)
    elastic = replace(
        elastic, springs=[replace(s, stiffness=s.stiffness * 10 ** rng.uniform(-2, 2)) for s in elastic.springs]
    )
    rigid = gw.approximate(elastic, "rigid")
    E = np.array([[name.removesuffix(".motor") == joint for joint in rigid.speeds] for name in elastic.speeds], float)
    q, v, u = rng.uniform(-1, 1, (3, rigid.n))
    twisted = E @ q + np.concatenate([np.zeros(rigid.n), rng.uniform(-0.1, 0.1, elastic.n - rigid.n)])
    H = gw.mass_matrix(elastic, twisted)
    assert relative(E.T @ H @ E, gw.mass_matrix(rigid, q)) < 1e-12
    a = gw.forward_dynamics(elastic, twisted, E @ v, np.concatenate([np.zeros(rigid.n), E[rigid.n :] @ u]))
    assert relative(E.T @ H @ a, u - gw.bias(rigid, q, v), 1e-2 * np.abs(H @ a).max()) < 1e-9


@given(st.integers(0, 2**31), KINDS)
def test_spong_drops_the_coupling_block_alone(seed, kinds):
    soft, _, rng = robots(seed, kinds)
    exact = gw.assemble(soft)
    simple = gw.approximate(exact, "spong")
    q, v = rng.uniform(-1, 1, (2, exact.n))
    joints = len(kinds)
    form, reduced = gw.elastic.elastic_form(exact, q, v), gw.elastic.elastic_form(simple, q, v)
    assert not reduced.H2.any()
    assert relative(reduced.H1, form.H1) < 1e-13
    assert relative(reduced.H3, form.H3) < 1e-13
    assert relative(reduced.g, form.g) < 1e-13
    assert not reduced.C[:, joints:].any(), "no gyroscopic terms"


@given(st.integers(0, 2**31), KINDS)
def test_bare_model_lacks_the_tensors_of_the_carried_rotors(seed, kinds):
    """H1 less J_w' I_m J_w of every rotor that turns with a shaft, by Jacobians of its carrier."""
    soft, _, rng = robots(seed, kinds)
    exact = gw.assemble(soft)
    q = rng.uniform(-1, 1, exact.n)
    missing = np.zeros((exact.n, exact.n))
    for spin in exact.spins:
        if spin.carrier >= 0 and any(exact.speeds[k] in exact.shafts for k, _ in spin.terms):
            R, _ = gw.placement(exact, q, spin.carrier)
            Jw = R.T @ gw.jacobian(exact, q, spin.carrier)[3:]
            missing += Jw.T @ revolution(np.array([*spin.axis]), spin.inertia, spin.rest.transverse_inertia) @ Jw
    bare, kept = (gw.mass_matrix(gw.approximate(exact, kind), q) for kind in ("spong_bare", "spong"))
    assert relative(kept - bare, missing, 1e-3 * np.abs(kept).max()) < 1e-9
    assert relative(gw.gravity(gw.approximate(exact, "spong_bare"), q), gw.gravity(exact, q)) < 1e-12


def test_a_wheel_between_joint_and_shaft_is_divided():
    body = gw.Body("arm", mass=2, com=(0.3, 0, 0), inertia=np.diag([0.01, 0.04, 0.04]))
    rotor = gw.Spin("rotor", "arm", (0, 0, 1), 1e-4, {"arm.motor": 50})
    planet = gw.Spin("planet", "arm", (0, 0, 1), 1e-3, {"arm": 3, "arm.motor": 5})
    spring = gw.Spring("k", {"arm": 1, "arm.motor": -1}, 900.0)
    mech = gw.Mechanism([body], [rotor, planet], ("arm.motor",), [spring])
    form, reduced = (gw.elastic.elastic_form(m, [0.2, 0.1], [1.0, 2.0]) for m in (mech, gw.approximate(mech, "spong")))
    assert form.H2[0, 0] == pytest.approx(1e-4 * 50 + 1e-3 * 5 + 1e-3 * 15)
    assert reduced.H2[0, 0] == 0
    assert relative(reduced.H1, form.H1) < 1e-14
    assert relative(reduced.H3, form.H3) < 1e-14


def test_reflected_values_were_never_in_the_links():
    """The splines of the series elastic leg are figures reflected to the joint: nothing of them is taken off."""
    mech = gw.assemble(gw.load("sea_leg"))
    bare = gw.approximate(mech, "spong_bare")
    lost = mech.bodies[0].inertia.yy - bare.bodies[0].inertia.yy
    assert lost == pytest.approx(next(s for s in mech.spins if s.name == "knee.rotor").inertia)


def test_full_models_are_the_machine_itself():
    mech = gw.assemble(elastic_elbow())
    assert gw.approximate(mech, "nicosia_tomei") == mech
    assert gw.approximate(gw.assemble(gw.load("elbow")), "rigid") == gw.assemble(gw.load("elbow"))
    assert gw.approximate(mech, "rigid") == gw.assemble(gw.load("elbow"))


def test_undamped_keeps_everything_else():
    mech = gw.assemble(elastic_elbow(damping=3.0))
    assert gw.approximate(mech, "undamped") == gw.assemble(elastic_elbow())


def test_springs_in_a_row_become_rigid_together():
    body = gw.Body("arm", mass=2, com=(0.3, 0, 0))
    spins = [gw.Spin("rotor", "base", (0, 0, 1), 1e-4, {"m": 50}), gw.Spin("wheel", "base", (0, 0, 1), 1e-2, {"s": 2})]
    springs = [
        gw.Spring("a", {"m": 1, "s": -2}, 900.0),
        gw.Spring("b", {"s": 1, "arm": -3}, 800.0),
        gw.Spring("parallel", {"m": 1, "arm": -6}, 100.0),
        gw.Spring("balance", {"arm": 1}, 10.0, rest=0.2),
    ]
    mech = gw.approximate(gw.Mechanism([body], spins, ("m", "s"), springs, [gw.Actuator("x", {"m": 50})]), "rigid")
    assert mech.speeds == ("arm",)
    assert [s.name for s in mech.springs] == ["balance"]
    assert [s.ratio for s in mech.spins] == [(300.0,), (6.0,)]
    assert mech.actuators[0].row == (300.0,)


def test_what_cannot_be_reduced():
    tensor = np.diag([0.1, 0.1, 0.1])
    bodies = [
        gw.Body("a", mass=2, com=(0.3, 0, 0), inertia=tensor),
        gw.Body("b", 0, mass=1, com=(0.3, 0, 0), position=(0.5, 0, 0)),
    ]
    spins = [gw.Spin("rotor", "base", (0, 0, 1), 1e-4, {"m": 50}), gw.Spin("on", "a", (1, 0, 0), 1e-9, {"m": 1})]
    loop = [gw.Spring("first", {"m": 1, "a": -1}, 900.0), gw.Spring("second", {"m": 1, "b": -1}, 800.0)]
    mech = gw.Mechanism(bodies, spins, ("m",), loop)
    with pytest.raises(InputError, match=r"'second'.*\bb, a\b"):
        gw.approximate(mech, "rigid")
    with pytest.raises(InputError, match=r"'spong_bare': spin 'on'.*carrier 'a'.*`rest`"):
        gw.approximate(mech, "spong_bare")
