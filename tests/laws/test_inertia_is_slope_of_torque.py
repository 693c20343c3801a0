"""M = d tau / d a."""

from __future__ import annotations

from hypothesis import given

from support import laws
from support.machines import motions


@given(motions())
def test_mass_matrix_is_slope_of_torque(motion):
    assert laws.mass_matrix_is_slope_of_torque(*motion) < 1e-11
