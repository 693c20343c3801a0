"""What "reflected", "diagonal" and "none" are, stated by their formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import gearwright as gw
from gearwright.errors import InputError
from support.compare import relative
from support.machines import motions


def rows(mech: gw.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    return np.array([spin.ratio for spin in mech.spins]).reshape(-1, mech.n), np.array([s.inertia for s in mech.spins])


@given(motions(shafts=0))
def test_formulas_of_the_mass_matrix(motion):
    _, mech, s = motion
    B, J = rows(mech)
    bare = gw.mass_matrix(gw.Mechanism(mech.bodies, gravity=mech.gravity), s.q)
    assert relative(gw.mass_matrix(gw.approximate(mech, "none"), s.q), bare) < 1e-13
    assert relative(gw.mass_matrix(gw.approximate(mech, "reflected"), s.q), bare + B.T @ np.diag(J) @ B) < 1e-13
    assert relative(gw.mass_matrix(gw.approximate(mech, "diagonal"), s.q), bare + np.diag(J @ B**2)) < 1e-13
    assert gw.approximate(mech, "exact") == mech


@given(motions())
def test_approximations_keep_gravity_and_lose_gyroscopic_forces(motion):
    _, mech, s = motion
    for kind in ("reflected", "diagonal", "none"):
        simple = gw.approximate(mech, kind)
        assert relative(gw.gravity(simple, s.q), gw.gravity(mech, s.q)) < 1e-14
        bare = gw.approximate(mech, "none")
        assert relative(gw.bias(simple, s.q, s.v), gw.bias(bare, s.q, s.v)) < 1e-13


@given(motions())
def test_a_shaft_keeps_its_inertia(motion):
    """Without any wheel a shaft would have no inertia: "none" keeps it, without its push on the carrier."""
    _, mech, s = motion
    M = gw.mass_matrix(gw.approximate(mech, "none"), s.q)
    first = mech.n - len(mech.shafts)
    assert np.linalg.eigvalsh(M).min() > 0
    B, J = rows(mech)
    shafts = B[:, first:]
    assert relative(M[first:, first:], (shafts.T * J) @ shafts) < 1e-13


@given(motions())
def test_none_leaves_the_joints_to_the_links(motion):
    """The joints' block is that of the bodies alone, whatever wheels turn with shafts and joints at once."""
    _, mech, s = motion
    first = mech.n - len(mech.shafts)
    none = gw.approximate(mech, "none")
    M = gw.mass_matrix(none, s.q)
    bare = gw.Mechanism(mech.bodies, gravity=mech.gravity)
    q = s.q[..., : mech.nq - len(mech.shafts)]
    assert relative(M[:first, :first], gw.mass_matrix(bare, q)) < 1e-13
    assert not M[:first, first:].any()


def test_unknown_kind():
    mech = gw.Mechanism([gw.Body("arm", mass=1, com=(1, 0, 0))])
    with pytest.raises(InputError, match=r"approximation 'armature'.*reflected"):
        gw.approximate(mech, "armature")
