"""dV/dq = gravity + springs."""

from __future__ import annotations

from hypothesis import given

from support import laws
from support.machines import motions


@given(motions())
def test_potential_slope_is_gravity_and_springs(motion):
    assert laws.potential_slope_is_gravity_and_springs(*motion) < 1e-10
