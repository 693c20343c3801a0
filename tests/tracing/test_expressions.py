"""Operations asked for by their codes: the expressions are those that CasADi's own operators and functions make."""

from __future__ import annotations

import casadi as ca
import pytest

from gearwright.tracing.expressions import FUNCTIONS, OPERATORS, Drawn, applied, combined, without_repetitions
from gearwright.tracing.graph import Builder

X, Y = ca.SX.sym("x"), ca.SX.sym("y")


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize(("x", "y"), [(X, Y), (X, 2.5), (2.5, X), (X, X), (X, 1.0)])
def test_operators(name, x, y):
    assert ca.is_equal(combined(name, x, y), OPERATORS[name](x, y), 9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    operands = [X * Y, Y][: 2 if name in ("atan2", "fmin", "fmax") else 1]
    assert ca.is_equal(applied(name, operands), getattr(ca, name)(*operands), 9)


def test_choices():
    assert ca.is_equal(applied("if_else", [X, Y, 2.0]), ca.if_else(X, Y, 2.0), 9)


def test_repetitions_are_seen_among_expressions_that_end_alike():
    found = without_repetitions([X * Y, X + Y, Y * X, X * 2.0, X + Y, ca.sin(X), ca.sin(Y), ca.sin(X)])
    assert found == [0, 1, 3, 5, 6]


def test_repetitions_among_drawn_nodes_are_equal_places():
    builder = Builder()
    x, y = (Drawn(builder, builder.node("input", 0, k)) for k in range(2))
    assert without_repetitions([x, y, x, x * y, x * y]) == [0, 1, 3]
