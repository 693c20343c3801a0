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
    with pytest.raises(JointError, match=rf"body 'ball' has a {kind} joint.*Use inverse_dynamics"):
        gw.equations.lagrange_form(mech, gw.neutral(mech), np.zeros(mech.n))
