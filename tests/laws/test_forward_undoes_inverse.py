"""Forward after inverse dynamics is the identity, with wrenches and a moving base."""

from __future__ import annotations

from hypothesis import given

from support import laws
from support.machines import motions


@given(motions(outside=True))
def test_forward_undoes_inverse(motion):
    assert laws.forward_undoes_inverse(*motion) < 1e-8
