"""Momentum changes by external forces only."""

from __future__ import annotations

from hypothesis import given

from support import laws
from support.machines import motions


@given(motions(outside=True))
def test_momentum_rate_is_external_force(motion):
    assert laws.momentum_rate_is_external_force(*motion) < 1e-9


@given(motions(bodies=4, wheels=4))
def test_free_flight_keeps_momentum(motion):
    assert laws.free_flight_keeps_momentum(*motion) < 1e-6
