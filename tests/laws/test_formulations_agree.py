"""Newton-Euler = Lagrange by Jacobians = the recursive forming of H and h."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import gearwright as gw
from gearwright.errors import JointError
from support import laws
from support.machines import motions


@given(motions())
def test_recursive_form_agrees(motion):
    assert laws.recursive_form_agrees(*motion) < 1e-12


@given(motions(kinds=("revolute", "prismatic", "fixed", "follower", "helical", "universal"), bodies=6))
def test_lagrange_form_agrees(motion):
    assert laws.lagrange_form_agrees(*motion) < 1e-12


@pytest.mark.parametrize("kind", ["spherical", "free", "planar"])
def test_lagrange_refuses_speeds_that_are_no_rates(kind):
    mech = gw.Mechanism([gw.Body("ball", joint=kind, mass=1, inertia=0.1 * np.eye(3))])
    with pytest.raises(JointError, match=rf"body 'ball'.* {kind} joint.*inverse_dynamics"):
        gw.equations.lagrange_form(mech, gw.neutral(mech), np.zeros(mech.n))


@pytest.mark.parametrize("name", ["vector_arm", "scara", "mini_cheetah"])
def test_linear_forms_are_jacobians_of_mass_centres(name):
    """(20.32) to (20.35): Lambda and Xi are Jacobians, Gamma and Delta what they do at constant speeds."""
    mech = gw.assemble(gw.load(name))
    rng = np.random.default_rng(3)
    q, v = gw.integrate(mech, gw.neutral(mech), rng.uniform(-1, 1, (2, mech.n))), rng.uniform(-1, 1, (2, mech.n))
    forms = gw.equations.linear_forms(mech, q, v)
    for k, body in enumerate(mech.bodies):
        J = gw.jacobian(mech, q, k, tuple(body.com))
        drift = np.einsum("...ij,...j->...i", gw.jacobian_rate(mech, q, v, k, tuple(body.com)), v)
        assert np.concatenate([forms.Xi[:, k], forms.Lambda[:, k]], axis=-2) == pytest.approx(J, abs=1e-12)
        assert np.concatenate([forms.Delta[:, k], forms.Gamma[:, k]], axis=-1) == pytest.approx(drift, abs=1e-11)
