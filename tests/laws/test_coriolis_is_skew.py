"""C v are the velocity forces, and dM/dt - 2C is skew."""

from __future__ import annotations

from hypothesis import given

from support import laws
from support.machines import motions


@given(motions())
def test_coriolis_matrix_makes_the_bias(motion):
    assert laws.coriolis_matrix_makes_the_bias(*motion) < 1e-12


@given(motions())
def test_inertia_rate_less_twice_coriolis_is_skew(motion):
    assert laws.inertia_rate_less_twice_coriolis_is_skew(*motion) < 1e-9
