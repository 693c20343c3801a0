"""Base parameters with exact coefficients: fractions, or expressions in the named lengths of a machine.

No trigonometric simplification is needed. The dependent parameters are found in floating point; their coefficients are
then solved for exactly, at states with rational sines and cosines (t = tan(q/2)), over the field of rational
functions of the geometry's symbols, and checked at further such states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Rot, Scalar, Vec, is_number
from gearwright.dynamics.pose import place_machine
from gearwright.dynamics.regressor import regressor
from gearwright.equations.base_parameters_numeric import BaseParameters, numeric_base_parameters
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism

MIN_RATIONAL_STATES = 4
"""Least number of rational states for solving and checking the coefficients; more for few joints."""


def exact_base_parameters(mech: Mechanism, without: Sequence[str] = ()) -> BaseParameters:
    """Return the base parameters with SymPy coefficients; the geometry must be rational, or polynomial in symbols."""
    _refuse_odd_followers(mech)
    domain = _geometry_field(mech)
    rng = np.random.default_rng(11)
    nominal = {symbol: float(rng.uniform(0.3, 1.3)) for symbol in domain.symbols}
    numeric = numeric_base_parameters(
        map_geometry(mech, lambda x: x if is_number(x) else float(x.subs(nominal))), without
    )
    columns = _rational_columns(map_geometry(mech, lambda x: _field_element(domain, x)), domain)
    place_of = {name: k for k, name in enumerate(numeric.parameters)}
    combinations: list[dict[str, Scalar]] = [{leader: 1} for leader in numeric.leading_parameters]
    for name in dict.fromkeys(name for terms in numeric.combinations for name in list(terms)[1:]):
        joined = [k for k, terms in enumerate(numeric.combinations) if name in terms]
        guess = [numeric.combinations[k][name] for k in joined]
        system = [columns[numeric.chosen[k]] for k in joined], columns[place_of[name]]
        for k, coefficient in zip(joined, _exact_coefficients(domain, name, *system, nominal, guess), strict=True):
            combinations[k][name] = coefficient
    return replace(numeric, combinations=tuple(combinations))


def map_geometry(mech: Mechanism, change: Callable[[Scalar], Scalar]) -> Mechanism:
    """Return the machine with a function applied to every number of its geometry (positions, axes, rows, gravity)."""

    def map_vector(values: Any) -> Vec:
        return Vec(*(change(x) for x in values))

    bodies = [
        replace(
            b,
            axis=map_vector(b.axis),
            axis2=None if b.axis2 is None else map_vector(b.axis2),
            pitch=None if b.pitch is None else change(b.pitch),
            position=map_vector(b.position),
            rotation=Rot(*(map_vector(r) for r in b.rotation.rows())),
        )
        for b in mech.bodies
    ]
    spins = [replace(s, axis=map_vector(s.axis), ratio=[change(x) for x in s.ratio]) for s in mech.spins]
    springs = [replace(s, row=[change(x) for x in s.row], rest=change(s.rest)) for s in mech.springs]
    return replace(mech, bodies=bodies, spins=spins, springs=springs, actuators=(), gravity=map_vector(mech.gravity))


class _HalfAngles:
    """Cosine and sine of an angle by the tangent t of its half, which maps rational numbers to rational numbers."""

    @staticmethod
    def cos(t: Scalar, /) -> Scalar:
        return (1 - t * t) / (1 + t * t)

    @staticmethod
    def sin(t: Scalar, /) -> Scalar:
        return 2 * t / (1 + t * t)


def _rational_columns(mech: Mechanism, domain: Any) -> list[list[Any]]:
    """Return the columns of the regressor stacked over rational states, as elements of the field."""
    half_angles: Operations = _HalfAngles  # type: ignore[assignment]
    rng = np.random.default_rng(5)

    def random_elements(count: int) -> list[Any]:
        return [domain(Fraction(int(rng.integers(1, 12)) * int(rng.choice([-1, 1])), 8)) for _ in range(count)]

    rows: list[list[Any]] = []
    for _ in range(max(MIN_RATIONAL_STATES, 20 // mech.n + 2)):
        rows += regressor(
            place_machine(mech, random_elements(mech.nq), half_angles), random_elements(mech.n), random_elements(mech.n)
        )
    return [[domain.convert(x) for x in column] for column in zip(*rows, strict=True)]


def _exact_coefficients(
    domain: Any, name: str, leaders: list[list[Any]], column: list[Any], nominal: dict[Any, float], guess: list[float]
) -> list[Any]:
    """Return the exact coefficients of a column as a sum of leading columns, as SymPy expressions."""
    from sympy.polys.matrices import DomainMatrix

    rows = _independent_rows(domain, leaders, nominal)
    A = DomainMatrix([[leader[r] for leader in leaders] for r in rows], (len(rows), len(leaders)), domain)
    b = DomainMatrix([[column[r]] for r in rows], (len(rows), 1), domain)
    coefficients = [row[0] for row in A.lu_solve(b).to_list()]
    for r, right in enumerate(column):
        if sum((leader[r] * x for leader, x in zip(leaders, coefficients, strict=True)), domain.zero) != right:
            raise _irrational_error(f"the coefficients of {name!r} are not rational functions of it (near {guess})")
    return [domain.to_sympy(x).factor() for x in coefficients]


def _independent_rows(domain: Any, leaders: list[list[Any]], nominal: dict[Any, float]) -> list[int]:
    """Return well-conditioned independent rows, as many as unknowns."""
    from scipy.linalg import qr

    numbers = np.array([[float(domain.to_sympy(x).subs(nominal)) for x in leader] for leader in leaders])
    _, _, order = qr(numbers / np.linalg.norm(numbers, axis=1, keepdims=True), mode="economic", pivoting=True)
    return [int(k) for k in order[: len(leaders)]]


def _geometry_field(mech: Mechanism) -> Any:
    """The field of rational functions in the symbols of the geometry."""
    import sympy

    symbols_found: set[Any] = set()

    def collect_symbols(x: Scalar) -> Scalar:
        if not is_number(x):
            if not hasattr(x, "free_symbols"):
                raise InputError(
                    f"base_parameters: {x!r} is neither a number nor a SymPy expression. Give one of them."
                )
            symbols_found.update(x.free_symbols)
        return x

    map_geometry(mech, collect_symbols)
    symbols = sorted(symbols_found, key=str) or [sympy.Dummy("none")]
    return sympy.QQ.frac_field(*symbols)


def _field_element(domain: Any, x: Scalar) -> Any:
    """A number or expression of the geometry as an element of the field."""
    import sympy

    if not is_number(x):
        try:
            return domain.from_sympy(sympy.nsimplify(x, rational=True))
        except sympy.polys.polyerrors.CoercionFailed:
            raise _irrational_error(f"{x} is not a rational function of its symbols") from None
    near = Fraction(float(x)).limit_denominator(100_000)
    if abs(float(near) - x) > 1e-12 * max(1.0, abs(x)):
        raise _irrational_error(f"{x!r} is not a simple fraction")
    return domain(near) if near else 0.0  # a structural zero is preserved


def _irrational_error(reason: str) -> InputError:
    return InputError(
        f"base_parameters, exact: the geometry is not rational: {reason}. Use exact=False for coefficients in "
        "floating point, or give the geometry as fractions or SymPy symbols."
    )


def _refuse_odd_followers(mech: Mechanism) -> None:
    """Raise an error for mimic joints: tan(q/2) is rational only for multipliers 1 and -1 without offset."""
    for body in mech.bodies:
        if body.follows is not None and body.kind.has_rotation:
            _, multiplier, offset = body.follows
            if not (is_number(multiplier) and abs(multiplier) == 1 and is_number(offset) and offset == 0):
                raise InputError(
                    f"base_parameters, exact: joint {body.speed_name!r} follows another with multiplier {multiplier} "
                    f"and offset {offset}; exact coefficients require 1 or -1 and 0. Use exact=False."
                )
