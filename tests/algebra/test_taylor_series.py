"""Taylor series as scalars: every operation of the table against SymPy's derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

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
