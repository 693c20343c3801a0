"""Vectors, rotations, tensors and inertias: identities over exact fractions and over complex numbers."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gearwright.algebra import IDENTITY, ZERO, Hinge, Inertia, MassMoments, Rot, Tensor, Vec, is_number, is_zero

FEW = settings(max_examples=20)  # identities of polynomials: a few random points settle them
fractions = st.fractions(min_value=-3, max_value=3, max_denominator=12)
complexes = st.complex_numbers(max_magnitude=3, allow_nan=False, allow_infinity=False)


def vectors(scalars=fractions):
    return st.builds(Vec, scalars, scalars, scalars)


def tensors(scalars=fractions):
    return st.builds(Tensor, *[scalars] * 6)


def rotations():
    """Rational quaternions of any length make exact rational rotations."""
    whole = st.integers(-4, 4)
    return st.tuples(whole, whole, whole, whole).filter(any).map(lambda q: Rot.from_quaternion(*map(F, q)))


def inertias():
    return st.builds(Inertia, fractions, vectors(), tensors())


def near(x, y, tolerance=1e-12):
    flat = lambda z: [complex(k) for part in z for k in (part if isinstance(part, Vec) else [part])]  # noqa: E731
    return all(abs(a - b) <= tolerance for a, b in zip(flat(x), flat(y), strict=True))


@FEW
@given(vectors(), vectors(), vectors())
def test_vector_products(a, b, c):
    assert a.cross(b) == -b.cross(a)
    assert a.dot(a.cross(b)) == 0
    assert a.cross(b.cross(c)) == b * a.dot(c) - c * a.dot(b)
    assert a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b)) == Vec(0, 0, 0)
    assert a.cross(b).dot(c) == b.cross(c).dot(a)
    assert near(Rot.cross_matrix(a) @ b, a.cross(b))


@FEW
@given(vectors(complexes), vectors(complexes))
def test_vector_products_are_bilinear_over_complex_numbers(a, b):
    """No conjugation hides in them, or a complex step would go wrong."""
    assert near([(a * 1j).dot(b)], [1j * a.dot(b)])
    assert near((a * 1j).cross(b), a.cross(b) * 1j)


@FEW
@given(rotations(), rotations(), vectors(), vectors())
def test_rotations(R, Q, a, b):
    assert R.after(R.T) == Rot.from_rows([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert R.after(Q) @ a == R @ (Q @ a)
    assert (R @ a).cross(R @ b) == R @ a.cross(b)
    assert (R @ a).dot(R @ b) == a.dot(b)
    assert Rot(*R.columns()) == R.T


@FEW
@given(rotations())
def test_rodrigues_is_the_quaternion(R):
    """Half-angle (3, 4)/5 about (1, 2, 2)/3, written both ways, exactly."""
    axis, cos, sin = Vec(F(1, 3), F(2, 3), F(2, 3)), F(9 - 16, 25), F(24, 25)
    assert Rot.about_axis(axis, cos, sin) == Rot.from_quaternion(F(3), F(4, 3), F(8, 3), F(8, 3))
    assert Rot.about_axis(axis, cos, sin) @ axis == axis
    turned = R @ axis
    assert Rot.about_axis(turned, cos, sin) == R.after(Rot.about_axis(axis, cos, sin)).after(R.T)


@FEW
@given(tensors(), rotations(), vectors())
def test_tensors(I, R, a):
    assert I.rotated_by(R) @ (R @ a) == R @ (I @ a)
    assert I.full_matrix() @ a == I @ a
    assert Tensor.from_rows(I.rows()) == I
    assert (I + I) - I == I


@FEW
@given(vectors(), vectors(), fractions)
def test_dyads_and_point_masses(r, a, m):
    assert Tensor.dyad(r, m) @ a == r * (m * r.dot(a))
    assert Tensor.of_point_mass(r, m) @ a == r.cross(a).cross(r) * m


@FEW
@given(rotations(), fractions, fractions)
def test_body_of_revolution(R, axial, across):
    e = R @ Vec(F(0), F(0), F(1))
    expected = Tensor(across, F(0), F(0), across, F(0), axial).rotated_by(R)
    assert near(Tensor.of_revolution(e, axial, across), expected)


@FEW
@given(inertias(), rotations(), vectors(), rotations(), vectors())
def test_moving_an_inertia_twice(body, R, r, Q, p):
    assert near(body.transformed_by(R, r).transformed_by(Q, p), body.transformed_by(Q.after(R), Q @ r + p), 1e-9)


@FEW
@given(fractions, vectors(), tensors(), rotations(), vectors())
def test_moving_is_steiner(m, com, central, R, r):
    moved = Inertia.of_body(m, com, central).transformed_by(R, r)
    assert near(moved, Inertia.of_body(m, R @ com + r, central.rotated_by(R)), 1e-9)


@FEW
@given(inertias(), rotations(), vectors(), vectors(), vectors())
def test_energy_does_not_depend_on_the_frame(body, R, r, w, v):
    """v . F + w . N of the momentum, from the own frame and from one in which it lies turned by R at r."""
    momentum, angular = body.inertia_wrench(w, v)
    W = R @ w
    V = R @ v - W.cross(r)  # velocity of the point of the body that sits at the other origin
    other, turned = body.transformed_by(R, r).inertia_wrench(W, V)
    assert near([v.dot(momentum) + w.dot(angular)], [V.dot(other) + W.dot(turned)], 1e-9)


@FEW
@given(inertias(), inertias())
def test_inertias_add_like_their_ten_parameters(a, b):
    assert list(a + b) == [x + y for x, y in zip(a, b, strict=True)]
    assert len(list(Inertia.zero_inertia())) == 10


def test_structural_zeros_are_numbers_only():
    import sympy

    assert is_zero(0)
    assert is_zero(0.0)
    assert not is_zero(sympy.Symbol("x"))
    assert not is_number(1j)
    assert is_number(F(1, 3))


def test_equal_and_hashable():
    assert {Vec(1, 2, 3), Vec(1, 2, 3)} == {Vec.from_values([1, 2, 3])}
    assert {IDENTITY, Rot.from_rows(IDENTITY)} == {IDENTITY}
    assert len({Tensor.diagonal(1, 2, 3), Tensor.diagonal(1, 2, 3)}) == 1
    assert Vec(0.0, 0.0, 0.0) == ZERO
    assert repr(Tensor.diagonal(1, 2, 3)) == "Tensor(1, 0.0, 0.0, 2, 0.0, 3)"
    with pytest.raises(ValueError, match="unpack"):
        Vec.from_values([1, 2])


@FEW
@given(inertias(), rotations(), vectors(), vectors(), vectors())
def test_moments_are_the_inertia_in_another_form(body, R, r, w, a):
    moments = MassMoments.from_inertia(body)
    assert near(moments.angular_moment(w), body.tensor @ w)
    for x, y in zip(moments.inertia_wrench(w, a), body.inertia_wrench(w, a), strict=True):
        assert near(x, y)
    moved, expected = moments.transformed_by(R, r), MassMoments.from_inertia(body.transformed_by(R, r))
    assert near([moved.mass, moved.first, *moved.second], [expected.mass, expected.first, *expected.second], 1e-9)


@FEW
@given(inertias(), vectors(), vectors(), vectors())
def test_field_is_newton_and_euler(body, w, alpha, a):
    """F = m a + alpha x h + w x (w x h), N = h x a + I alpha + w x I w."""
    h, I = body.moment, body.tensor
    force, moment = MassMoments.from_inertia(body).field_wrench(Rot.acceleration_field(w, alpha), a)
    assert near(force, a * body.mass + alpha.cross(h) + w.cross(w.cross(h)))
    assert near(moment, h.cross(a) + I @ alpha + w.cross(I @ w), 1e-9)


TURNS = [(1, 0), (0, 1), (0, -1), (-1, 0), (F(3, 5), F(4, 5)), (F(5, 13), F(-12, 13))]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("tilt", TURNS)
def test_hinge_is_a_rotation(turn, tilt):
    x, z, v = Vec(1, 0, 0), Vec(0, 0, 1), Vec(F(1, 2), F(-2, 3), F(3, 4))
    plain = Rot.about_axis(x, *tilt).after(Rot.about_axis(z, *turn))
    hinge = Hinge(turn, tilt)
    assert hinge @ v == plain @ v
    assert hinge.T @ v == plain.T @ v
    assert hinge.T.T @ v == plain @ v
    assert near(hinge.after(plain) @ v, plain @ (plain @ v))
    assert near(plain.after(hinge.T) @ v, v)
    I = Tensor(F(1), F(2), F(3), F(4), F(5), F(6))
    assert near(I.rotated_by(hinge), I.rotated_by(plain))
    assert near(I.rotated_by(hinge.T), I.rotated_by(plain.T))
