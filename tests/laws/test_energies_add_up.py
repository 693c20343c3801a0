"""The parts of the energy add up, are what each part has by itself, and are linear in the parameters."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw

NAMES = ("elbow", "vector_arm", "elastic_elbow", "grm3", "planetary_3r", "wrist_bendix", "mini_cheetah")


def moving(name, lead=()):
    mech = gw.assemble(gw.load(name))
    rng = np.random.default_rng(5)
    v = rng.uniform(-2, 2, (*lead, mech.n))
    return mech, gw.integrate(mech, gw.neutral(mech), rng.uniform(-1, 1, (*lead, mech.n))), v


@pytest.mark.parametrize("name", NAMES)
def test_they_add_up(name):
    """Eqs (13), (15) and (23) of Sciavicco, Siciliano and Villani."""
    mech, q, v = moving(name, (2, 3))
    parts = gw.equations.energies(mech, q, v)
    assert parts.kinetic == pytest.approx(gw.kinetic_energy(mech, q, v), rel=1e-12)
    assert parts.potential == pytest.approx(gw.potential_energy(mech, q), rel=1e-12)
    assert parts.links.shape == (2, 3, len(mech.bodies))
    assert parts.couplings.shape == (2, 3, len(mech.spins))
    assert parts.springs.shape == (2, 3, len(mech.springs))


def test_translation_and_rotation_of_links():
    """1/2 m v_C^2 and 1/2 w' I w, by Jacobians at the centres of mass."""
    mech, q, v = moving("vector_arm")
    parts = gw.equations.energies(mech, q, v)
    for k, body in enumerate(mech.bodies):
        speed = gw.jacobian(mech, q, k, tuple(body.com)) @ v
        turning = gw.placement(mech, q, k).rotation.T @ speed[3:]
        xx, xy, xz, yy, yz, zz = body.inertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)
        assert parts.translation[k] == pytest.approx(0.5 * body.mass * speed[:3] @ speed[:3])
        assert parts.rotation[k] == pytest.approx(0.5 * turning @ tensor @ turning)


@pytest.mark.parametrize("name", NAMES)
def test_linear_in_the_parameters(name):
    """Eq. (30): T = beta_T . pi, U = beta_U . pi."""
    mech, q, v = moving(name, (3,))
    rows = gw.equations.energy_rows(mech, q, v)
    pi = gw.parameters(mech)
    assert rows.kinetic @ pi == pytest.approx(gw.kinetic_energy(mech, q, v), rel=1e-11)
    assert rows.potential @ pi == pytest.approx(gw.potential_energy(mech, q), rel=1e-11, abs=1e-12)


def test_the_lagrangian_gives_the_regressor():
    """Eqs (32) and (33): y = d/dt (d beta_T / dv) - d beta_T / dq + d beta_U / dq, by central differences."""
    mech, q, v = moving("elbow")
    a, step, unit = np.array([1.2, 0.5, -0.8]), 1e-4, np.eye(mech.n)

    def beta(dq=0.0, dv=0.0):
        return np.array(gw.equations.energy_rows(mech, q + dq, v + dv))

    def slope(function):
        return (function(step) - function(-step)) / (2 * step)

    for k in range(mech.n):
        by_place = slope(lambda h, k=k: beta(h * unit[k]))
        momentum_rate = slope(
            lambda t, k=k: slope(lambda h: beta(t * v, t * a + h * unit[k])[0])  # beta_T is quadratic in v
        )
        expected = gw.regressor(mech, q, v, a)[k]
        assert momentum_rate - by_place[0] + by_place[1] == pytest.approx(expected, rel=1e-6, abs=1e-5)


def test_terms_of_the_elbow_by_hand():
    """Rotor 3 on link 2 turns about x2, where w = q1' (s2, c2, 0): its coupling is k3 I3 q3' q1' s2."""
    q, v = np.array([0.3, -0.5, 0.8]), np.array([0.7, -0.4, 0.9])
    parts = gw.equations.energies(gw.load("elbow"), q, v)
    assert parts.wheels == pytest.approx(0.5 * np.array([5e-4, 3e-4, 2e-4]) * (np.array([120, 100, 80]) * v) ** 2)
    assert parts.couplings[0] == 0
    assert parts.couplings[1] == pytest.approx(100 * 3e-4 * v[1] * v[0])
    assert parts.couplings[2] == pytest.approx(80 * 2e-4 * v[2] * v[0] * np.sin(q[1]))


def test_a_standing_carrier_leaves_the_wheels_alone():
    """With v such that only joint 3 moves, links 1 and 2 and every coupling rest."""
    parts = gw.equations.energies(gw.load("elbow"), [0.3, -0.5, 0.8], [0, 0, 2.0])
    assert parts.links[:2] == pytest.approx([0, 0])
    assert parts.couplings == pytest.approx([0, 0, 0])
    assert parts.links[2] > 0
