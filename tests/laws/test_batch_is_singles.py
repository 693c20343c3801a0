"""A batch equals its single states."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

import gearwright as gw
from support import laws
from support.compare import relative
from support.machines import motions


@settings(max_examples=20)  # each example calls every function 7 times
@given(motions())
def test_batch_is_its_single_states(motion):
    assert laws.batch_is_its_single_states(*motion) < 1e-12


@given(motions(bodies=3))
def test_leading_axes_broadcast(motion):
    _, mech, s = motion
    q, v, a = s.q + np.zeros((4, 1, 1)), s.v * np.arange(3)[:, None], s.a
    tau = gw.inverse_dynamics(mech, q, v, a)
    assert tau.shape == (4, 3, mech.n)
    assert relative(tau[3, 2], gw.inverse_dynamics(mech, s.q, 2 * s.v, s.a)) < 1e-12
    assert gw.inverse_dynamics(mech, q[:0], v, a).shape == (0, 3, mech.n)
