"""The reactions balance every body cut free, its wheels standing for themselves."""

from __future__ import annotations

from hypothesis import given

from support import laws
from support.machines import motions


@given(motions(outside=True))
def test_reactions_balance_every_body(motion):
    assert laws.reactions_balance_every_body(*motion) < 1e-9
