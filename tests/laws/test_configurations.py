"""integrate and difference are inverse to each other and stay on the manifold; J and dJ/dt belong to them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import gearwright as gw
from support.compare import along, rate, relative, tangent_slope
from support.machines import motions


@given(motions())
def test_difference_undoes_integrate(motion):
    _, mech, s = motion
    v = 0.5 * s.v  # a turn of more than half a revolution comes back the short way round
    assert relative(gw.difference(mech, s.q, gw.integrate(mech, s.q, v)), v) < 1e-10


@given(motions())
def test_integrate_undoes_difference(motion):
    _, mech, s = motion
    other = gw.integrate(mech, gw.neutral(mech), s.a)
    found = gw.integrate(mech, s.q, gw.difference(mech, s.q, other))
    assert relative(gw.difference(mech, other, found), np.zeros(mech.n), scale=1.0) < 1e-10
    for body in mech.bodies:
        for x, y in zip(gw.placement(mech, found, body.name), gw.placement(mech, other, body.name), strict=True):
            assert relative(x, y, scale=1.0) < 1e-10


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-8, 1e-5, 9e-4, 1.1e-3, 9.9e-3, 1.01e-2, 1.0, 3.0])
@pytest.mark.parametrize("joint", ["spherical", "free"])
def test_series_and_formula_meet(joint, size):
    """Near zero rotation the formulas change over to series: both sides must give the same."""
    rng = np.random.default_rng(3)
    mech = gw.Mechanism([gw.Body("ball", joint=joint, mass=1, inertia=np.eye(3))])
    v = rng.normal(size=mech.n)
    v[-3:] *= size / np.linalg.norm(v[-3:])
    q = gw.integrate(mech, gw.neutral(mech), v)
    assert np.linalg.norm(q[-4:]) == pytest.approx(1, abs=1e-14)
    assert relative(gw.difference(mech, gw.neutral(mech), q), v) < 1e-11
    half = gw.integrate(mech, gw.integrate(mech, gw.neutral(mech), v / 2), v / 2)  # a screw is its own composition
    assert np.abs(half - q).max() < 1e-14 * (1 + np.abs(q).max()) * 10


@pytest.mark.parametrize("turn", [0.0, 1e-9, 9e-3, 1.1e-2, 1.0, -3.0, 5.0])
def test_a_cart_drives_on_a_circle_as_a_free_body_does(turn):
    """A planar joint is a free one that keeps to the plane; its angle counts turns."""
    solid = {"mass": 1, "inertia": np.eye(3)}
    cart, body = (gw.Mechanism([gw.Body("b", joint=kind, **solid)]) for kind in ("planar", "free"))
    start, flight = [0.3, -0.2, 0.8], [0.3, -0.2, 0.0, np.cos(0.4), 0.0, 0.0, np.sin(0.4)]
    q = gw.integrate(cart, start, [0.7, -0.4, turn])
    p = gw.integrate(body, flight, [0.7, -0.4, 0.0, 0.0, 0.0, turn])
    for found, expected in zip(gw.placement(cart, q, "b"), gw.placement(body, p, "b"), strict=True):
        assert relative(found, expected, scale=1.0) < 1e-14
    assert relative(gw.difference(cart, start, q), [0.7, -0.4, turn]) < 1e-13
    assert q[2] == pytest.approx(0.8 + turn, abs=1e-15)


def test_a_screw_by_hand():
    """Half a turn about z while driving along the body's own x: half a circle of radius v/w."""
    mech = gw.Mechanism([gw.Body("car", joint="free", mass=1, inertia=np.eye(3))])
    q = gw.integrate(mech, gw.neutral(mech), [1.0, 0, 0, 0, 0, np.pi])
    assert np.abs(q - [0, 2 / np.pi, 0, 0, 0, 0, 1]).max() < 1e-15


@given(motions())
def test_neutral_is_a_configuration(motion):
    _, mech, _ = motion
    q = gw.neutral(mech)
    assert q.shape == (mech.nq,)
    assert gw.difference(mech, q, q) == pytest.approx(np.zeros(mech.n), abs=0)


@given(motions())
def test_jacobian_is_the_slope_of_placement(motion):
    design, mech, s = motion
    body, point = len(design.bars) - 1, np.array([0.2, -0.1, 0.3])
    J = gw.jacobian(mech, s.q, body, point)

    def spot(q: np.ndarray) -> np.ndarray:
        R, p = gw.placement(mech, q, body)
        return R @ point + p

    assert relative(tangent_slope(spot, mech, s.q), J[:3], scale=1.0) < 1e-10
    slope = tangent_slope(lambda q: gw.placement(mech, q, body).rotation, mech, s.q)
    spin = np.einsum("ijk,lj->ilk", slope, gw.placement(mech, s.q, body).rotation)  # dR R' = S(w)
    assert relative(np.stack([spin[2, 1], spin[0, 2], spin[1, 0]]), J[3:], scale=1.0) < 1e-10


@given(motions())
def test_jacobian_rate_is_the_rate_of_the_jacobian(motion):
    design, mech, s = motion
    body, point = len(design.bars) - 1, np.array([0.2, -0.1, 0.3])
    q, _ = along(mech, s)
    found = gw.jacobian_rate(mech, s.q, s.v, body, point)
    assert relative(found, rate(gw.jacobian(mech, q, body, point)), scale=1.0) < 1e-9


@given(motions())
def test_yaw_pitch_roll_is_the_rotation(motion):
    _, mech, s = motion
    place = gw.placement(mech, s.q, 0)
    (cy, cp, cr), (sy, sp, sr) = np.cos(place.yaw_pitch_roll), np.sin(place.yaw_pitch_roll)
    yaw = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    pitch = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    roll = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    assert relative(yaw @ pitch @ roll, place.rotation) < 1e-12


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_yaw_pitch_roll_upright(pitch):
    mech = gw.Mechanism([gw.Body("mast", axis=(0, 1, 0), mass=1, com=(1, 0, 0))])
    assert gw.placement(mech, [pitch], "mast").yaw_pitch_roll == pytest.approx([0, pitch, 0], abs=1e-12)
