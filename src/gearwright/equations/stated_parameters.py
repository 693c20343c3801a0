"""Base parameters that the user states by name, and coefficients of a closed form expressed in them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np

from gearwright.equations.trigonometric_polynomial import Monomial
from gearwright.errors import InputError
from gearwright.text import did_you_mean

EXACT_FIT = 1e-9
"""Largest remainder of a coefficient, relative to its largest term, that counts as zero."""

ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y,
    ast.Pow: lambda x, y: x**y,
}


class StatedParameters:
    """Named combinations of parameters, such as pi1 to pi9 of a publication.

    Args:
        content: symbols (lengths, ratios, gravity) that may multiply a combination.
        texts: name -> expression in the symbols, such as "m2x + a2*m3".
        symbols: all symbols of the closed form.
    """

    def __init__(self, content: Collection[str], texts: Mapping[str, str], symbols: Collection[str]) -> None:
        self.content = set(content)
        self.names = tuple(texts)
        self.basis = [
            ((), {k: float(x) for k, x in _polynomial(name, text, symbols).items()}) for name, text in texts.items()
        ]

    def resolve_coefficient(self, coefficient: Mapping[Monomial, float]) -> list[tuple[Monomial, int, float]]:
        """Return the terms (powers of lengths and ratios, number of the parameter, factor) of a coefficient."""
        candidates = list(dict.fromkeys(self._candidates(coefficient)))
        columns = [_times(self.basis[number][1], front) for front, number in candidates]
        rows = list(dict.fromkeys(monomial for column in (coefficient, *columns) for monomial in column))
        A = np.array([[column.get(row, 0.0) for column in columns] for row in rows]).reshape(len(rows), len(columns))
        b = np.array([coefficient.get(row, 0.0) for row in rows])
        x = np.linalg.lstsq(A, b, rcond=None)[0]
        remainder = np.abs(b - A @ x)
        scale = float(np.abs(b).max())
        if remainder.max() > EXACT_FIT * scale:
            term = "*".join(f"{name}**{power}" if power != 1 else name for name, power in rows[int(remainder.argmax())])
            raise InputError(
                f"closed_form: base_parameters ({', '.join(self.names)}) do not contain the term {term} of this "
                "machine. State a parameter with it, or leave base_parameters out."
            )
        pairs = zip(candidates, x, strict=True)
        return [(front, number, float(c)) for (front, number), c in pairs if abs(c) > EXACT_FIT * scale]

    def _candidates(self, coefficient: Mapping[Monomial, float]) -> Iterator[tuple[Monomial, int]]:
        for number, (_, combination) in enumerate(self.basis):
            for parameter_product in combination:
                for monomial in coefficient:
                    front = _quotient(monomial, parameter_product)
                    if front is not None and all(name in self.content for name, _ in front):
                        yield front, number


def _quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    powers = dict(monomial)
    for name, power in divisor:
        powers[name] = powers.get(name, 0) - power
    return None if any(p < 0 for p in powers.values()) else tuple(sorted((n, p) for n, p in powers.items() if p))


def _times(combination: Mapping[Monomial, float], front: Monomial) -> dict[Monomial, float]:
    product: dict[Monomial, float] = {}
    for monomial, x in combination.items():
        powers = dict(monomial)
        for name, power in front:
            powers[name] = powers.get(name, 0) + power
        product[tuple(sorted(powers.items()))] = x
    return product


def _polynomial(parameter: str, text: str, symbols: Collection[str]) -> dict[Monomial, Any]:
    """Return the combination of an expression of names, numbers, + - * / and whole powers."""
    import sympy as sp

    def value(node: ast.AST) -> Any:
        if isinstance(node, ast.Name):
            if node.id not in symbols:
                raise InputError(
                    f"closed_form: base parameter {parameter!r}: there is no symbol {node.id!r}. "
                    f"{did_you_mean(node.id, symbols)}"
                )
            return sp.Symbol(node.id)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return sp.nsimplify(node.value, rational=True)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return ARITHMETIC[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        raise SyntaxError

    try:
        total = value(ast.parse(text, mode="eval").body)
        names = sorted(str(x) for x in total.free_symbols)
        terms = sp.Poly(total, *map(sp.Symbol, names)).terms() if names else []
    except (SyntaxError, sp.PolynomialError, TypeError):
        terms = []
    if not terms:
        raise InputError(
            f"closed_form: base parameter {parameter!r}: {text!r} is not a sum of products of symbols. "
            'Write it like "m2x + a2*m3".'
        )
    return {tuple((n, p) for n, p in zip(names, powers, strict=True) if p): x for powers, x in terms}
