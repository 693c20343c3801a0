"""Taylor series as scalars: every operation of the table against SymPy's derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from gearwright.algebra.differentiation.dual_numbers import Dual, DualOperations
from gearwright.algebra.differentiation.partials import Partials
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.algebra.operations import ARRAYS, FLOATS

T = sp.Symbol("t")
X, Y = 0.7 + 1.3 * T - 0.4 * T**2 + 0.9 * T**3, 1.9 - 0.6 * T + 0.3 * T**2
ONE = {
    "cos": sp.cos(X),
    "sin": sp.sin(X),
    "exp": sp.exp(X),
    "tanh": sp.tanh(X),
    "sqrt": sp.sqrt(X),
    "absolute": X,
    "floor": sp.Integer(0),
}
TWO = {"arctan2": sp.atan(X / Y), "minimum": X, "maximum": Y}


def series(expression):
    return Taylor.of_derivatives(expected(expression))


def expected(expression):
    return [float(sp.diff(expression, T, k).subs(T, 0)) for k in range(5)]


@pytest.mark.parametrize("name", ONE)
def test_operations_of_one(name):
    found = getattr(TaylorOperations(FLOATS), name)(series(X))
    assert np.allclose(found.derivatives(), expected(ONE[name]), rtol=1e-12)


@pytest.mark.parametrize("name", TWO)
def test_operations_of_two(name):
    found = getattr(TaylorOperations(FLOATS), name)(series(X), series(Y))
    assert np.allclose(found.derivatives(), expected(TWO[name]), rtol=1e-12)


def test_absolute_and_choices_follow_the_branch_of_each_entry():
    ops = TaylorOperations(ARRAYS)
    x = Taylor([np.array([-2.0, 3.0]), np.array([1.0, 1.0]), 0.5])
    assert [c.tolist() for c in ops.absolute(x).c[:2]] == [[2.0, 3.0], [-1.0, 1.0]]
    assert [c.tolist() for c in ops.maximum(1.0, x).c[:2]] == [[1.0, 3.0], [0.0, 1.0]]
    assert ops.where(x > 0, 5.0, 7.0).tolist() == [7.0, 5.0]


@pytest.mark.parametrize("name", [*ONE, "arctan2"])
def test_plain_numbers_stay_plain(name):
    ops = TaylorOperations(FLOATS)
    arguments = (0.3, 0.4) if name == "arctan2" else (0.3,)
    assert getattr(ops, name)(*arguments) == getattr(FLOATS, name)(*arguments)


@pytest.mark.parametrize("rate", [2.0, -2.0])
def test_where_two_series_are_equal_the_larger_is_the_one_that_grows_faster(rate):
    """max(x, 0) + min(x, 0) = x and max(x, 0) - min(x, 0) = |x|, for t > 0, also where x = 0."""
    x, ops = Taylor([0.0, rate, 3.0]), TaylorOperations(FLOATS)
    higher, lower = ops.maximum(x, 0.0), ops.minimum(x, 0.0)
    assert (higher + lower).c == x.c
    assert (higher - lower).c == ops.absolute(x).c == tuple(np.sign(rate) * np.array(x.c))
    outer = DualOperations(ops)
    assert (outer.maximum(x, 0.0) + outer.minimum(x, 0.0)).c == x.c


def test_the_larger_of_two_keeps_its_slopes_in_several_directions():
    """The gradient of max(x, y) is that of x where x > y, and |-x| has that of x."""
    x, y, ops = Dual([3.0, Partials({"x": 1.0})]), Dual([2.0, Partials({"y": 1.0})]), DualOperations(FLOATS)
    assert ops.maximum(x, y).c[1].by == ops.absolute(-x).c[1].by == {"x": 1.0}
    assert ops.minimum(x, y).c[1].by == {"y": 1.0}
    assert ops.maximum(x, 5.0).c[0] == 5.0
    rows = Dual([np.array([1.0, -2.0]), np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]])])  # a row per direction
    assert np.array_equal(DualOperations(ARRAYS).absolute(rows).c[0], [1.0, 2.0])
    assert np.array_equal(DualOperations(ARRAYS).absolute(rows).c[1], [[1.0, 0.0], [0.0, -1.0], [3.0, -4.0]])


def test_numbers_of_two_ranks_differentiate_independently_of_each_other():
    """f = sin(p x t) x: derivatives by parameter, displacement and time of each other, in any order of nesting."""
    p, x, t = sp.symbols("p x t")
    f, at = sp.sin(p * x * t) * x**2 / p, {p: 0.7, x: 1.3, t: 0.9}
    outer = DualOperations.for_displacement(DualOperations(TaylorOperations(FLOATS)))
    inner = TaylorOperations.for_displacement(outer)
    assert inner.rank > outer.rank > Dual.first_rank > Taylor.first_rank
    parameter, clock = Dual([0.7, Partials({"p": 1.0})]), Taylor([0.9, 1.0])
    displaced = inner.series([outer.with_partials(1.3, {"x": 1.0}), 1.0, 0.0])
    found = inner.sin(parameter * displaced * clock) * displaced * displaced / parameter
    third = outer.partials_of(2.0 * inner.coefficient(found, 2))["x"]  # by displacement, twice and once
    assert third.c[0].c[0] == pytest.approx(float(sp.diff(f, x, 3).subs(at)), rel=1e-12)
    mixed = float(sp.diff(f, x, 3, p, t).subs(at))
    assert third.c[1].by["p"].c[1] == pytest.approx(mixed, rel=1e-12)


@pytest.mark.parametrize("operate", [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b])
def test_a_series_is_a_constant_for_one_of_higher_rank_on_either_side(operate):
    clock, displaced = (
        Taylor([2.0, 1.0]),
        TaylorOperations.for_displacement(TaylorOperations(FLOATS)).series([3.0, 1.0]),
    )
    for first, second in ((clock, displaced), (displaced, clock)):
        found = operate(first, second)
        assert found.rank == displaced.rank
        values = [x.c[0] for x in (first, second)]
        assert found.c[0].c[0] == operate(*values)


def test_displacements_have_no_order():
    """In time the larger of two equal values is the one that grows; a displacement may have either sign."""
    in_time, displaced = TaylorOperations(FLOATS), TaylorOperations.for_displacement(FLOATS)
    assert in_time.maximum(Taylor([0.0, 1.0]), 0.0).c == (0.0, 1.0)
    assert displaced.maximum(displaced.series([0.0, 1.0]), 0.0).c == (0.0, 0.0)
