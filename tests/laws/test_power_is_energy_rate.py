"""Power in = energy rate, with wrenches, springs and dampers."""

from __future__ import annotations

from hypothesis import given

from support import laws
from support.machines import motions


@given(motions(outside=True))
def test_power_in_is_energy_rate(motion):
    assert laws.power_in_is_energy_rate(*motion) < 1e-9
