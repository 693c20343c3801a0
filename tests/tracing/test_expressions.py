"""Operations asked for by their codes: the expressions are those that CasADi's own operators and functions make."""

from __future__ import annotations

import casadi as ca
import pytest

from gearwright.tracing.expressions import (
    CASADI_FUNCTIONS,
    CASADI_OPERATORS,
    GraphExpression,
    apply_function,
    apply_operator,
    distinct_places,
)
from gearwright.tracing.graph import GraphBuilder

X, Y = ca.SX.sym("x"), ca.SX.sym("y")


@pytest.mark.parametrize("name", CASADI_OPERATORS)
@pytest.mark.parametrize(("x", "y"), [(X, Y), (X, 2.5), (2.5, X), (X, X), (X, 1.0)])
def test_operators(name, x, y):
    assert ca.is_equal(apply_operator(name, x, y), CASADI_OPERATORS[name](x, y), 9)


@pytest.mark.parametrize("name", CASADI_FUNCTIONS)
def test_functions(name):
    operands = [X * Y, Y][: 2 if name in ("atan2", "fmin", "fmax") else 1]
    assert ca.is_equal(apply_function(name, operands), getattr(ca, name)(*operands), 9)


def test_choices():
    assert ca.is_equal(apply_function("if_else", [X, Y, 2.0]), ca.if_else(X, Y, 2.0), 9)


def test_repetitions_are_seen_among_expressions_that_end_alike():
    found = distinct_places([X * Y, X + Y, Y * X, X * 2.0, X + Y, ca.sin(X), ca.sin(Y), ca.sin(X)])
    assert found == [0, 1, 3, 5, 6]


def test_repetitions_among_drawn_nodes_are_equal_places():
    builder = GraphBuilder()
    x, y = (GraphExpression(builder, builder.add_node("input", 0, k)) for k in range(2))
    assert distinct_places([x, y, x, x * y, x * y]) == [0, 1, 3]
