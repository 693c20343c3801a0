"""Solution of the circuit equations of a gear graph for all rates, with any scalar type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gearwright.algebra import Scalar, is_number
from gearwright.errors import TrainError

RateTerms = dict[str, Scalar]


@dataclass
class CircuitEquation:
    """sum of coefficient * rate = 0; `used` are the rates that were eliminated from it."""

    name: str
    terms: RateTerms
    used: list[str] = field(default_factory=list)


class ContradictionError(TrainError):
    """A contradictory circuit of gear pairs: `pair` closes it, `loop` are the other pairs."""

    def __init__(self, pair: str, loop: Sequence[str], residual: str) -> None:
        self.pair, self.loop, self.residual = pair, loop, residual
        super().__init__(
            f"over-constrained: gear pair {self.pair} contradicts the circuit through {', '.join(self.loop)}: "
            f"together they require {residual} = 0 for independent speeds. Change a ratio or remove a gear pair."
        )


def is_negligible(x: Scalar, scale: float = 1.0) -> bool:
    """Whether a coefficient is zero: up to rounding for a number, after simplification for an expression."""
    if is_number(x):
        return bool(abs(x) <= 1e-9 * scale)
    return bool(x.simplify() == 0) if hasattr(x, "simplify") else False  # a traced symbol has no known value


def solve_rates(
    equations: Sequence[CircuitEquation], names: Sequence[str], independent: Sequence[str]
) -> dict[str, RateTerms]:
    """Return every rate as a row over the independent ones.

    Elimination takes the equation with the fewest unknown rates first, so an open train is solved wheel by wheel, in
    linear time and with short expressions.

    >>> solve_rates([CircuitEquation("mesh", {"wheel": 1.0, "joint": 3.0})], ["joint", "wheel"], ["joint"])
    {'joint': {'joint': 1}, 'wheel': {'joint': -3.0}}
    """
    known_rates = set(independent)
    rows: dict[str, RateTerms] = {}
    solved: dict[str, CircuitEquation] = {}
    system = _CircuitSystem([CircuitEquation(e.name, dict(e.terms)) for e in equations], known_rates)
    while (equation := system.next_equation()) is not None:
        unknown = [name for name in equation.terms if name not in known_rates]
        pivot = _pivot_rate(equation.terms, unknown)
        if pivot is None:
            _require_consistent(equation, solved)
            continue
        row = {
            name: _negative_quotient(c, equation.terms[pivot]) for name, c in equation.terms.items() if name != pivot
        }
        rows[pivot], solved[pivot] = row, equation
        system.substitute_rate(pivot, row)
    _require_determined(names, known_rates, rows)
    return _back_substitute(names, independent, rows)


class _CircuitSystem:
    """Remaining equations, and the equations in which each rate occurs."""

    def __init__(self, equations: Sequence[CircuitEquation], known_rates: set[str]) -> None:
        self.waiting = dict(enumerate(equations))
        self.known_rates = known_rates
        self.places: dict[str, set[int]] = {}
        for k, equation in self.waiting.items():
            for name in equation.terms:
                self.places.setdefault(name, set()).add(k)
        self.ready = [k for k in self.waiting if self._unknown_count(k) <= 1]

    def _unknown_count(self, k: int) -> int:
        return sum(name not in self.known_rates for name in self.waiting[k].terms)

    def next_equation(self) -> CircuitEquation | None:
        """Return the next equation, preferably one with a single unknown."""
        while self.ready:
            k = self.ready.pop()
            if k in self.waiting:
                return self.waiting.pop(k)
        return self.waiting.pop(min(self.waiting, key=self._unknown_count)) if self.waiting else None

    def substitute_rate(self, pivot: str, row: RateTerms) -> None:
        """Substitute a solution into the equations that contain its rate."""
        for k in self.places.pop(pivot, set()) & self.waiting.keys():
            _substitute_in_equation(self.waiting[k], pivot, row)
            for name in self.waiting[k].terms:
                self.places.setdefault(name, set()).add(k)
            if self._unknown_count(k) <= 1:
                self.ready.append(k)


def _negative_quotient(c: Scalar, divisor: Scalar) -> Scalar:
    """Return -c / divisor, without a division for 1 and -1, which would convert integers to floats."""
    if is_number(divisor) and divisor in (1, -1):
        return -c if divisor == 1 else c
    return -c / divisor


def _pivot_rate(terms: RateTerms, unknown: Sequence[str]) -> str | None:
    """Return the unknown to solve for, preferably the one with the largest numeric coefficient."""
    numbers = [name for name in unknown if is_number(terms[name]) and terms[name] != 0]
    if numbers:
        return max(numbers, key=lambda name: abs(terms[name]))
    return next((name for name in unknown if not is_negligible(terms[name])), None)


def _substitute_in_equation(equation: CircuitEquation, pivot: str, row: RateTerms) -> None:
    if pivot not in equation.terms:
        return
    factor = equation.terms.pop(pivot)
    for name, c in row.items():
        fresh = equation.terms[name] + factor * c if name in equation.terms else factor * c
        if is_negligible(fresh, abs(factor) if is_number(factor) else 1.0) and is_number(fresh):
            equation.terms.pop(name, None)
        else:
            equation.terms[name] = fresh
    equation.used.append(pivot)


def _require_consistent(equation: CircuitEquation, solved: dict[str, CircuitEquation]) -> None:
    """Raise an error if an equation without unknowns is not satisfied: the circuit would lock a joint."""
    left = {name: c for name, c in equation.terms.items() if not is_negligible(c)}
    if not left:
        return
    size = max((abs(c) for c in equation.terms.values() if is_number(c)), default=1.0)
    if all(is_number(c) and abs(c) <= 1e-9 * max(size, 1.0) for c in left.values()):
        return
    residual = " + ".join(f"({c:.6g}) {name}" if is_number(c) else f"({c}) {name}" for name, c in left.items())
    raise ContradictionError(equation.name, _pairs_of_loop(equation, solved), residual)


def _pairs_of_loop(equation: CircuitEquation, solved: dict[str, CircuitEquation]) -> list[str]:
    """Return the gear pairs that determined the rates of an equation."""
    names: dict[str, None] = {}
    waiting = list(equation.used)
    while waiting:
        before = solved[waiting.pop()]
        if before.name not in names:
            names[before.name] = None
            waiting += before.used
    return [name for name in names if name != equation.name]


def _require_determined(names: Sequence[str], known_rates: set[str], rows: dict[str, RateTerms]) -> None:
    free = [name for name in names if name not in known_rates and name not in rows]
    if free:
        tied = [name for name, row in rows.items() if free[0] in row]
        tied_text = f" (and with it {', '.join(tied)})" if tied else ""
        raise TrainError(
            f"under-constrained: no gear pair determines the speed of {free[0]!r}{tied_text}. Add a mesh with a moving "
            "gear, fix it, or declare it free, which gives it its own speed."
        )


def _back_substitute(
    names: Sequence[str], independent: Sequence[str], solutions: dict[str, RateTerms]
) -> dict[str, RateTerms]:
    """Substitute the later solutions into the earlier ones."""
    rows: dict[str, RateTerms] = {name: {name: 1} for name in independent}
    for pivot, row in reversed(solutions.items()):
        full: RateTerms = {}
        for name, factor in row.items():
            for base, c in rows[name].items():
                full[base] = full[base] + factor * c if base in full else factor * c
        rows[pivot] = {name: c for name, c in full.items() if not (is_number(c) and c == 0)}
    return {name: rows[name] for name in names}
