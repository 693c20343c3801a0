"""Solving the circuit equations of a gear graph for every rate, over scalars of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gearwright.algebra import Scalar, is_number
from gearwright.errors import TrainError

Rates = dict[str, Scalar]


@dataclass
class Equation:
    """sum of coefficient * rate = 0; `used` are the rates that were eliminated from it."""

    name: str
    terms: Rates
    used: list[str] = field(default_factory=list)


class ContradictionError(TrainError):
    """A loop of gear pairs that contradicts itself: `pair` closes it, `loop` are the pairs of the way round."""

    def __init__(self, pair: str, loop: Sequence[str], rest: str) -> None:
        self.pair, self.loop, self.rest = pair, loop, rest
        super().__init__(
            f"over-constrained: gear pair {self.pair} contradicts the way round through {', '.join(self.loop)}: "
            f"together they ask for {rest} = 0 where these speeds should be free. Change a ratio or remove a gear pair."
        )


def vanishes(x: Scalar, scale: float = 1.0) -> bool:
    """Whether a coefficient is zero: to rounding for a number, after simplification for an expression."""
    if is_number(x):
        return bool(abs(x) <= 1e-9 * scale)
    return bool(x.simplify() == 0) if hasattr(x, "simplify") else False  # of a traced symbol nothing is known


def solve(equations: Sequence[Equation], names: Sequence[str], independent: Sequence[str]) -> dict[str, Rates]:
    """Every rate as a row over the independent ones.

    Elimination takes the equation with the fewest unknown rates first, so that a train that can be followed wheel by
    wheel is followed wheel by wheel, in linear time and with short expressions.

    >>> solve([Equation("mesh", {"wheel": 1.0, "joint": 3.0})], ["joint", "wheel"], ["joint"])
    {'joint': {'joint': 1}, 'wheel': {'joint': -3.0}}
    """
    known = set(independent)
    found: dict[str, Rates] = {}
    solved: dict[str, Equation] = {}
    system = _System([Equation(e.name, dict(e.terms)) for e in equations], known)
    while (equation := system.simplest()) is not None:
        unknown = [name for name in equation.terms if name not in known]
        pivot = _pivot(equation.terms, unknown)
        if pivot is None:
            _require_closed(equation, solved)
            continue
        row = {name: _quotient(c, equation.terms[pivot]) for name, c in equation.terms.items() if name != pivot}
        found[pivot], solved[pivot] = row, equation
        system.substitute(pivot, row)
    _require_determined(names, known, found)
    return _back(names, independent, found)


class _System:
    """Equations still to be used, and where each rate occurs in them."""

    def __init__(self, equations: Sequence[Equation], known: set[str]) -> None:
        self.waiting = dict(enumerate(equations))
        self.known = known
        self.places: dict[str, set[int]] = {}
        for k, equation in self.waiting.items():
            for name in equation.terms:
                self.places.setdefault(name, set()).add(k)
        self.ready = [k for k in self.waiting if self._unknowns(k) <= 1]

    def _unknowns(self, k: int) -> int:
        return sum(name not in self.known for name in self.waiting[k].terms)

    def simplest(self) -> Equation | None:
        """The next equation: one with a single unknown while there is one."""
        while self.ready:
            k = self.ready.pop()
            if k in self.waiting:
                return self.waiting.pop(k)
        return self.waiting.pop(min(self.waiting, key=self._unknowns)) if self.waiting else None

    def substitute(self, pivot: str, row: Rates) -> None:
        """Put a solution into the equations that contain its rate."""
        for k in self.places.pop(pivot, set()) & self.waiting.keys():
            _substitute(self.waiting[k], pivot, row)
            for name in self.waiting[k].terms:
                self.places.setdefault(name, set()).add(k)
            if self._unknowns(k) <= 1:
                self.ready.append(k)


def _quotient(c: Scalar, divisor: Scalar) -> Scalar:
    """-c / divisor; by 1 and -1 without a division, which would turn whole numbers beside symbols into floats."""
    if is_number(divisor) and divisor in (1, -1):
        return -c if divisor == 1 else c
    return -c / divisor


def _pivot(terms: Rates, unknown: Sequence[str]) -> str | None:
    """The unknown to solve for: a plain number as divisor if there is one, the largest of them."""
    numbers = [name for name in unknown if is_number(terms[name]) and terms[name] != 0]
    if numbers:
        return max(numbers, key=lambda name: abs(terms[name]))
    return next((name for name in unknown if not vanishes(terms[name])), None)


def _substitute(equation: Equation, pivot: str, row: Rates) -> None:
    if pivot not in equation.terms:
        return
    factor = equation.terms.pop(pivot)
    for name, c in row.items():
        fresh = equation.terms[name] + factor * c if name in equation.terms else factor * c
        if vanishes(fresh, abs(factor) if is_number(factor) else 1.0) and is_number(fresh):
            equation.terms.pop(name, None)
        else:
            equation.terms[name] = fresh
    equation.used.append(pivot)


def _require_closed(equation: Equation, solved: dict[str, Equation]) -> None:
    """An equation without unknowns must hold by itself: else the train's loop locks a joint."""
    left = {name: c for name, c in equation.terms.items() if not vanishes(c)}
    if not left:
        return
    size = max((abs(c) for c in equation.terms.values() if is_number(c)), default=1.0)
    if all(is_number(c) and abs(c) <= 1e-9 * max(size, 1.0) for c in left.values()):
        return
    rest = " + ".join(f"({c:.6g}) {name}" if is_number(c) else f"({c}) {name}" for name, c in left.items())
    raise ContradictionError(equation.name, _loop(equation, solved), rest)


def _loop(equation: Equation, solved: dict[str, Equation]) -> list[str]:
    """The gear pairs through which the rates of an equation were found."""
    names: dict[str, None] = {}
    waiting = list(equation.used)
    while waiting:
        before = solved[waiting.pop()]
        if before.name not in names:
            names[before.name] = None
            waiting += before.used
    return [name for name in names if name != equation.name]


def _require_determined(names: Sequence[str], known: set[str], found: dict[str, Rates]) -> None:
    free = [name for name in names if name not in known and name not in found]
    if free:
        tied = [name for name, row in found.items() if free[0] in row]
        also = f" (and with it {', '.join(tied)})" if tied else ""
        raise TrainError(
            f"under-constrained: no gear pair fixes the speed of {free[0]!r}{also}: it is free. Mesh it with something "
            "that moves, hold it, or declare it free so that it gets a speed of its own."
        )


def _back(names: Sequence[str], independent: Sequence[str], found: dict[str, Rates]) -> dict[str, Rates]:
    """Put the later solutions into the earlier ones."""
    rows: dict[str, Rates] = {name: {name: 1} for name in independent}
    for pivot, row in reversed(found.items()):
        full: Rates = {}
        for name, factor in row.items():
            for base, c in rows[name].items():
                full[base] = full[base] + factor * c if base in full else factor * c
        rows[pivot] = {name: c for name, c in full.items() if not (is_number(c) and c == 0)}
    return {name: rows[name] for name in names}
