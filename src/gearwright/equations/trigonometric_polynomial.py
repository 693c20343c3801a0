"""Trigonometric polynomials in a normal form, the scalar behind closed forms, and their products of c2, s23, ...

A value is a sum of number x monomial of symbols x product of harmonics, one harmonic per group of parallel joints:
cos(k . q) or sin(k . q) with an integer vector k over the group. Products within a group are turned into sums (cos a
cos b = (cos(a - b) + cos(a + b))/2), products across groups stay products. The form is unique, so equal values are
equal term by term and nothing needs a simplifier.

For reading, harmonics become products again, cos(2 q2 + q3) + cos(q3) = 2 c2 c23, in which every angle is a sum of
distinct joint angles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

from gearwright.errors import InputError

# The normal form


class Harmonic(NamedTuple):
    """cos or sin of k . q, k over the joints of one group; the first non-zero entry of k is positive."""

    group: int
    kind: Literal["cos", "sin"]
    k: tuple[int, ...]


Harmonics: TypeAlias = tuple[Harmonic, ...]
"""A product of harmonics, at most one per group, in the order of the groups; () is 1."""

Monomial: TypeAlias = tuple[tuple[str, int], ...]
"""A product of powers of symbols, in the order of their names; () is 1. Powers may be negative."""

Key: TypeAlias = tuple[Harmonics, Monomial]


@dataclass(frozen=True, slots=True)
class Trig:
    """A trigonometric polynomial; adds, subtracts and multiplies with its like and with numbers.

    >>> c, s = angle(0, (1,))
    >>> c * c + s * s
    1
    >>> 2 * c * s
    sin[0](2,)
    >>> symbol("m") * (c + 1) - symbol("m")
    m*cos[0](1,)
    """

    terms: dict[Key, float]

    __array_ufunc__ = None

    def __add__(self, other: Trig | float) -> Trig:
        fresh = dict(self.terms)
        for key, value in _terms(other):
            _collect(fresh, key, value)
        return Trig(fresh)

    __radd__ = __add__

    def __neg__(self) -> Trig:
        return Trig({key: -value for key, value in self.terms.items()})

    def __sub__(self, other: Trig | float) -> Trig:
        return self + -other

    def __rsub__(self, other: Trig | float) -> Trig:
        return -self + other

    def __mul__(self, other: Trig | float) -> Trig:
        if not isinstance(other, Trig):
            factor = float(other)
            return Trig({key: value * factor for key, value in self.terms.items()} if factor else {})
        fresh: dict[Key, float] = {}
        for (waves, powers), value in self.terms.items():
            for (more_waves, more_powers), more in other.terms.items():
                monomial = _times(powers, more_powers)
                for factor, product in _product(waves, more_waves):
                    _collect(fresh, (product, monomial), value * more * factor)
        return Trig(fresh)

    __rmul__ = __mul__

    def __truediv__(self, other: Trig | float) -> Trig:
        return self * (1 / other)

    def __rtruediv__(self, other: float) -> Trig:
        """A number over one monomial; anything else has no place among polynomials."""
        if len(self.terms) != 1:
            raise InputError(f"closed form: cannot divide by the sum {self!r}. Give the divisor as a number.")
        ((waves, powers), value) = next(iter(self.terms.items()))
        if waves:
            raise InputError(f"closed form: cannot divide by {self!r}, which depends on an angle.")
        return Trig({((), tuple((name, -power) for name, power in powers)): other / value})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trig | Real):
            return NotImplemented
        return not (self + Trig(dict(_terms(other))) * -1.0).cleaned().terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms))

    def __repr__(self) -> str:
        return " + ".join(_text(key, value) for key, value in sorted(self.terms.items())) or "0"

    def cleaned(self, tolerance: float = 1e-11) -> Trig:
        """Without the terms that are rounding errors of larger ones."""
        largest = max((abs(value) for value in self.terms.values()), default=0.0)
        limit = tolerance * max(largest, tolerance)
        return Trig({key: value for key, value in self.terms.items() if abs(value) > limit})


def symbol(name: str) -> Trig:
    """A symbol as a polynomial."""
    return Trig({((), ((name, 1),)): 1.0})


def angle(group: int, k: Sequence[int]) -> tuple[Trig, Trig]:
    """The cosine and sine of k . q in a group."""
    return tuple(_wave(group, kind, tuple(k)) for kind in ("cos", "sin"))  # type: ignore[return-value]


def _wave(group: int, kind: Literal["cos", "sin"], k: tuple[int, ...]) -> Trig:
    sign, waves = _normal(group, kind, k)
    return Trig({(waves, ()): sign} if sign else {})


def _terms(value: Trig | Real | float) -> Iterator[tuple[Key, float]]:
    if isinstance(value, Trig):
        yield from value.terms.items()
    elif value:
        yield ((), ()), float(value)


def _collect(terms: dict[Key, float], key: Key, value: float) -> None:
    total = terms.get(key, 0.0) + value
    if total:
        terms[key] = total
    else:
        terms.pop(key, None)


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    powers = dict(a)
    for name, power in b:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _normal(group: int, kind: Literal["cos", "sin"], k: tuple[int, ...]) -> tuple[float, Harmonics]:
    """The sign and the harmonic with its first entry positive; cos 0 = 1, sin 0 = 0."""
    first = next((x for x in k if x), 0)
    if first == 0:
        return (1.0, ()) if kind == "cos" else (0.0, ())
    if first > 0:
        return 1.0, (Harmonic(group, kind, k),)
    return (1.0 if kind == "cos" else -1.0), (Harmonic(group, kind, tuple(-x for x in k)),)


@lru_cache(maxsize=200_000)
def _product(a: Harmonics, b: Harmonics) -> tuple[tuple[float, Harmonics], ...]:
    """The product of two products of harmonics as a sum."""
    if not a or not b:
        return ((1.0, a or b),)
    mine = {wave.group: wave for wave in a}
    sums: list[tuple[float, Harmonics]] = [(1.0, tuple(w for w in a if all(w.group != other.group for other in b)))]
    for other in b:
        pairs = _same_group(mine[other.group], other) if other.group in mine else [(1.0, (other,))]
        sums = [(x * y, left + right) for x, left in sums for y, right in pairs]
    return tuple((factor, tuple(sorted(waves))) for factor, waves in sums if factor)


def _same_group(a: Harmonic, b: Harmonic) -> list[tuple[float, Harmonics]]:
    """Product to sum: cos cos, sin sin, sin cos."""
    plus = tuple(x + y for x, y in zip(a.k, b.k, strict=True))
    minus = tuple(x - y for x, y in zip(a.k, b.k, strict=True))
    if a.kind == b.kind:  # cos a cos b = (cos(a - b) + cos(a + b))/2, sin a sin b the same with a minus
        up, down = _normal(a.group, "cos", plus), _normal(a.group, "cos", minus)
        sign = 1.0 if a.kind == "cos" else -1.0
        return [(0.5 * down[0], down[1]), (sign * 0.5 * up[0], up[1])]
    # sin a cos b = (sin(a + b) + sin(a - b))/2, cos a sin b = (sin(a + b) - sin(a - b))/2
    up, down = _normal(a.group, "sin", plus), _normal(a.group, "sin", minus)
    sign = 1.0 if a.kind == "sin" else -1.0
    return [(0.5 * up[0], up[1]), (sign * 0.5 * down[0], down[1])]


def _text(key: Key, value: float) -> str:
    waves, powers = key
    factors = [] if value == 1 and (waves or powers) else [f"{value:g}"]
    factors += [name if power == 1 else f"{name}^{power}" for name, power in powers]
    return "*".join(factors + [f"{wave.kind}[{wave.group}]{wave.k}" for wave in waves])


# Products of simple angles

Wave: TypeAlias = tuple[str, int, tuple[int, ...]]
"""'c' or 's', group, and which joints of the group are added (+1) or subtracted (-1)."""


class Product(NamedTuple):
    """A product of powers of waves and of symbols."""

    waves: tuple[tuple[Wave, int], ...]
    monomial: Monomial


def products(value: Trig) -> dict[Product, float]:
    """The same polynomial over waves of simple angles.

    cos(A + B) = 2 cA cB - cos(A - B) and sin(A + B) = 2 sA cB - sin(A - B); cos 2A = 1 - 2 sA^2, sin 2A = 2 sA cA.
    """
    waiting: dict[tuple[Harmonics, Product], float] = {}
    done: dict[Product, float] = {}
    for (waves, monomial), factor in value.cleaned().terms.items():
        waiting[waves, Product((), monomial)] = factor
    while waiting:
        (waves, written), factor = waiting.popitem()
        compound = next((wave for wave in waves if max(map(abs, wave.k)) > 1), None)
        if compound is None:
            _add(done, _times_waves(written, tuple((w.kind[0], w.group, w.k) for w in waves)), factor)
            continue
        others = tuple(wave for wave in waves if wave is not compound)
        fixed, rest = _opened(compound)
        for scale, wave in rest:
            _add(waiting, (tuple(sorted((*others, *wave))), written), scale * factor)
        for scale, pair in fixed:
            _add(waiting, (others, _times_waves(written, pair)), scale * factor)
    largest = max((abs(x) for x in done.values()), default=0.0)
    return {key: x for key, x in done.items() if abs(x) > 1e-11 * largest}


def _add(terms: dict[Any, float], key: Any, factor: float) -> None:
    terms[key] = terms.get(key, 0.0) + factor


def _times_waves(product: Product, waves: tuple[Wave, ...]) -> Product:
    total = dict(product.waves)
    for wave in waves:
        total[wave] = total.get(wave, 0) + 1
    return Product(tuple(sorted(total.items())), product.monomial)


def _opened(wave: Harmonic) -> tuple[list[tuple[float, tuple[Wave, ...]]], list[tuple[float, Harmonics]]]:
    """A compound harmonic as finished products of waves, and harmonics still to be looked at."""
    group, kind, k = wave
    A = tuple(max(-1, min(1, x)) for x in k)
    B = tuple(x - y for x, y in zip(k, A, strict=True))
    if max(map(abs, B)) > 1:  # three times an angle or more: rare, and left as it is
        return [(1.0, ((kind[0], group, k),))], []
    if A == B:
        if kind == "cos":
            return [(-2.0, (("s", group, A), ("s", group, A)))], [(1.0, ())]
        return [(2.0, (("s", group, A), ("c", group, A)))], []
    difference = tuple(x - y for x, y in zip(A, B, strict=True))
    sign, positive = _positive(difference)
    scale = -1.0 if kind == "cos" else -sign
    outer = ("c" if kind == "cos" else "s", group, A)
    inner = ("c", group, _positive(B)[1])  # the cosine is even
    return [(2.0, (outer, inner))], [(scale, (Harmonic(group, kind, positive),))]


def _positive(k: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
    """The vector with its first non-zero entry positive, and the sign that was taken out."""
    first = next(x for x in k if x)
    return (1.0, k) if first > 0 else (-1.0, tuple(-x for x in k))
