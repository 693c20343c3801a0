"""A coaxial rotor with ratio 1 equals the same body welded to the driven link."""

from __future__ import annotations

from hypothesis import given

from support import laws
from support.machines import motions


@given(motions().filter(lambda motion: any(b.joint == "revolute" and b.follows is None for b in motion[0].bars)))
def test_coaxial_rotor_of_ratio_one_is_welded(motion):
    assert laws.coaxial_rotor_of_ratio_one_is_welded(*motion) < 1e-12
