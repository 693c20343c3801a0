"""linearise is the slope of the flow, in the tangent, away from equilibria too."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

import gearwright as gw
from support.compare import STEPS, rate, relative, tangent_slope
from support.machines import motions

FEW = settings(max_examples=8)  # every example traces a machine


@FEW
@given(motions(bodies=4, wheels=3))
def test_lower_rows_are_the_slopes_of_forward_dynamics(motion):
    _, mech, s = motion
    tau = gw.inverse_dynamics(mech, s.q, s.v, s.a)
    A, B = gw.linearise(mech, s.q, s.v, tau)
    n = mech.n
    assert A.shape == (2 * n, 2 * n)
    assert B.shape == (2 * n, n)
    da_dq = tangent_slope(lambda q: gw.forward_dynamics(mech, q, s.v, tau), mech, s.q)
    nearby = s.v + STEPS[:, None, None] * np.eye(n)
    da_dv = rate(gw.forward_dynamics(mech, s.q, nearby, tau)).T
    size = np.abs(da_dq).max()
    assert relative(A[n:, :n], da_dq) < 1e-6
    assert relative(A[n:, n:], da_dv, 1e-3 * size) < 1e-8
    assert relative(B[n:] @ gw.mass_matrix(mech, s.q), np.eye(n)) < 1e-7
    assert not B[:n].any()


@FEW
@given(motions(bodies=4, wheels=1))
def test_upper_rows_are_how_neighbours_drift_apart(motion):
    """d/dt of the difference of two motions: q moves with v, its neighbour at d with v + e."""
    _, mech, s = motion
    n = mech.n
    A, _ = gw.linearise(mech, s.q, s.v, s.a)
    rng = np.random.default_rng(0)
    for d, e in rng.uniform(-1, 1, (3, 2, n)):
        small = STEPS[:, None, None]  # steps beside the motion
        t = STEPS[None, :, None]  # steps in time
        here = gw.integrate(mech, s.q, s.v * t)
        there = gw.integrate(mech, gw.integrate(mech, s.q, d * small), (s.v + e * small) * t)
        apart = gw.difference(mech, here, there)  # (beside, in time, n)
        found = rate(rate(apart))
        assert relative(A[:n] @ np.concatenate([d, e]), found, scale=1.0) < 1e-8


@FEW
@given(motions(bodies=2, wheels=1, springs=1))
def test_batch_of_states(motion):
    _, mech, s = motion
    v = s.v * np.array([[1.0], [0.5]])
    A, B = gw.linearise(mech, s.q, v, s.a)
    A1, B1 = gw.linearise(mech, s.q, v[1], s.a)
    assert A.shape == (2, 2 * mech.n, 2 * mech.n)
    assert relative(A[1], A1) < 1e-12
    assert relative(B[1], B1) < 1e-12
