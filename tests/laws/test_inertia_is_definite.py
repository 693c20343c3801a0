"""M is symmetric and positive definite."""

from __future__ import annotations

from hypothesis import given

from support import laws
from support.machines import motions


@given(motions())
def test_mass_matrix_is_symmetric(motion):
    assert laws.mass_matrix_is_symmetric(*motion) < 1e-14


@given(motions())
def test_mass_matrix_is_positive_definite(motion):
    assert laws.mass_matrix_is_definite(*motion) == 0
