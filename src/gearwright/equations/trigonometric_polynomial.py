"""Trigonometric polynomials in a normal form, the scalar behind closed forms, and their products of c2, s23, ...

A value is a sum of number x monomial of symbols x product of harmonics, one harmonic per group of parallel joints:
cos(k . q) or sin(k . q) with an integer vector k over the group. Products within a group are converted to sums (cos a
cos b = (cos(a - b) + cos(a + b))/2), products across groups stay products. The form is unique, so equal values are
equal term by term and no simplifier is needed.

For readable output, harmonics are converted back to products, cos(2 q2 + q3) + cos(q3) = 2 c2 c23, in which every angle
is a sum of distinct joint angles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

from gearwright.errors import InputError

# The normal form


class HarmonicFactor(NamedTuple):
    """cos or sin of k . q, k over the joints of one group; the first non-zero entry of k is positive."""

    group: int
    kind: Literal["cos", "sin"]
    k: tuple[int, ...]


HarmonicProduct: TypeAlias = tuple[HarmonicFactor, ...]
"""A product of harmonics, at most one per group, in the order of the groups; () is 1."""

Monomial: TypeAlias = tuple[tuple[str, int], ...]
"""A product of powers of symbols, in the order of their names; () is 1. Powers may be negative."""

TermKey: TypeAlias = tuple[HarmonicProduct, Monomial]


@dataclass(frozen=True, slots=True)
class TrigPolynomial:
    """A trigonometric polynomial, with addition, subtraction and multiplication.

    >>> c, s = cosine_and_sine(0, (1,))
    >>> c * c + s * s
    1
    >>> 2 * c * s
    sin[0](2,)
    >>> symbol_polynomial("m") * (c + 1) - symbol_polynomial("m")
    m*cos[0](1,)
    """

    terms: dict[TermKey, float]

    __array_ufunc__ = None

    def __add__(self, other: TrigPolynomial | float) -> TrigPolynomial:
        fresh = dict(self.terms)
        for key, value in _polynomial_terms(other):
            _add_term(fresh, key, value)
        return TrigPolynomial(fresh)

    __radd__ = __add__

    def __neg__(self) -> TrigPolynomial:
        return TrigPolynomial({key: -value for key, value in self.terms.items()})

    def __sub__(self, other: TrigPolynomial | float) -> TrigPolynomial:
        return self + -other

    def __rsub__(self, other: TrigPolynomial | float) -> TrigPolynomial:
        return -self + other

    def __mul__(self, other: TrigPolynomial | float) -> TrigPolynomial:
        if not isinstance(other, TrigPolynomial):
            factor = float(other)
            return TrigPolynomial({key: value * factor for key, value in self.terms.items()} if factor else {})
        fresh: dict[TermKey, float] = {}
        for (waves, powers), value in self.terms.items():
            for (more_waves, more_powers), more in other.terms.items():
                monomial = _multiply_monomials(powers, more_powers)
                for factor, product in _multiply_harmonics(waves, more_waves):
                    _add_term(fresh, (product, monomial), value * more * factor)
        return TrigPolynomial(fresh)

    __rmul__ = __mul__

    def __truediv__(self, other: TrigPolynomial | float) -> TrigPolynomial:
        return self * (1 / other)

    def __rtruediv__(self, other: float) -> TrigPolynomial:
        """A number divided by one monomial; other divisors do not give a polynomial."""
        if len(self.terms) != 1:
            raise InputError(f"closed form: cannot divide by the sum {self!r}. Give the divisor as a number.")
        ((waves, powers), value) = next(iter(self.terms.items()))
        if waves:
            raise InputError(
                f"closed form: cannot divide by {self!r}, which depends on an angle. Give the divisor as a number."
            )
        return TrigPolynomial({((), tuple((name, -power) for name, power in powers)): other / value})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TrigPolynomial | Real):
            return NotImplemented
        return not (self + TrigPolynomial(dict(_polynomial_terms(other))) * -1.0).without_rounding().terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms))

    def __repr__(self) -> str:
        return " + ".join(_term_text(key, value) for key, value in sorted(self.terms.items())) or "0"

    def without_rounding(self, tolerance: float = 1e-11) -> TrigPolynomial:
        """Return the polynomial without terms that are rounding errors of larger ones."""
        largest = max((abs(value) for value in self.terms.values()), default=0.0)
        limit = tolerance * max(largest, tolerance)
        return TrigPolynomial({key: value for key, value in self.terms.items() if abs(value) > limit})


def symbol_polynomial(name: str) -> TrigPolynomial:
    """A symbol as a polynomial."""
    return TrigPolynomial({((), ((name, 1),)): 1.0})


def cosine_and_sine(group: int, k: Sequence[int]) -> tuple[TrigPolynomial, TrigPolynomial]:
    """The cosine and sine of k . q in a group."""
    return tuple(_harmonic_polynomial(group, kind, tuple(k)) for kind in ("cos", "sin"))  # type: ignore[return-value]


def _harmonic_polynomial(group: int, kind: Literal["cos", "sin"], k: tuple[int, ...]) -> TrigPolynomial:
    sign, waves = _normalised_harmonic(group, kind, k)
    return TrigPolynomial({(waves, ()): sign} if sign else {})


def _polynomial_terms(value: TrigPolynomial | Real | float) -> Iterator[tuple[TermKey, float]]:
    if isinstance(value, TrigPolynomial):
        yield from value.terms.items()
    elif value:
        yield ((), ()), float(value)


def _add_term(terms: dict[TermKey, float], key: TermKey, value: float) -> None:
    total = terms.get(key, 0.0) + value
    if total:
        terms[key] = total
    else:
        terms.pop(key, None)


def _multiply_monomials(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    powers = dict(a)
    for name, power in b:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _normalised_harmonic(group: int, kind: Literal["cos", "sin"], k: tuple[int, ...]) -> tuple[float, HarmonicProduct]:
    """The sign and the harmonic with its first entry positive; cos 0 = 1, sin 0 = 0."""
    first = next((x for x in k if x), 0)
    if first == 0:
        return (1.0, ()) if kind == "cos" else (0.0, ())
    if first > 0:
        return 1.0, (HarmonicFactor(group, kind, k),)
    return (1.0 if kind == "cos" else -1.0), (HarmonicFactor(group, kind, tuple(-x for x in k)),)


@lru_cache(maxsize=200_000)
def _multiply_harmonics(a: HarmonicProduct, b: HarmonicProduct) -> tuple[tuple[float, HarmonicProduct], ...]:
    """The product of two products of harmonics as a sum."""
    if not a or not b:
        return ((1.0, a or b),)
    harmonic_by_group = {wave.group: wave for wave in a}
    sums: list[tuple[float, HarmonicProduct]] = [
        (1.0, tuple(w for w in a if all(w.group != harmonic.group for harmonic in b)))
    ]
    for harmonic in b:
        pairs = (
            _same_group(harmonic_by_group[harmonic.group], harmonic)
            if harmonic.group in harmonic_by_group
            else [(1.0, (harmonic,))]
        )
        sums = [(x * y, left + right) for x, left in sums for y, right in pairs]
    return tuple((factor, tuple(sorted(waves))) for factor, waves in sums if factor)


def _same_group(a: HarmonicFactor, b: HarmonicFactor) -> list[tuple[float, HarmonicProduct]]:
    """Product to sum: cos cos, sin sin, sin cos."""
    plus = tuple(x + y for x, y in zip(a.k, b.k, strict=True))
    minus = tuple(x - y for x, y in zip(a.k, b.k, strict=True))
    if a.kind == b.kind:  # cos a cos b = (cos(a - b) + cos(a + b))/2, sin a sin b the same with a minus
        up, down = _normalised_harmonic(a.group, "cos", plus), _normalised_harmonic(a.group, "cos", minus)
        sign = 1.0 if a.kind == "cos" else -1.0
        return [(0.5 * down[0], down[1]), (sign * 0.5 * up[0], up[1])]
    # sin a cos b = (sin(a + b) + sin(a - b))/2, cos a sin b = (sin(a + b) - sin(a - b))/2
    up, down = _normalised_harmonic(a.group, "sin", plus), _normalised_harmonic(a.group, "sin", minus)
    sign = 1.0 if a.kind == "sin" else -1.0
    return [(0.5 * up[0], up[1]), (sign * 0.5 * down[0], down[1])]


def _term_text(key: TermKey, value: float) -> str:
    waves, powers = key
    factors = [] if value == 1 and (waves or powers) else [f"{value:g}"]
    factors += [name if power == 1 else f"{name}^{power}" for name, power in powers]
    return "*".join(factors + [f"{wave.kind}[{wave.group}]{wave.k}" for wave in waves])


# Products of simple angles

Wave: TypeAlias = tuple[str, int, tuple[int, ...]]
"""'c' or 's', group, and the joints of the group with their signs (+1 or -1)."""


class WaveProduct(NamedTuple):
    """A product of powers of cosines and sines and of symbols."""

    waves: tuple[tuple[Wave, int], ...]
    monomial: Monomial


def products_of_waves(value: TrigPolynomial) -> dict[WaveProduct, float]:
    """Return the same polynomial in cosines and sines of simple angles.

    cos(A + B) = 2 cA cB - cos(A - B) and sin(A + B) = 2 sA cB - sin(A - B); cos 2A = 1 - 2 sA^2, sin 2A = 2 sA cA.
    """
    waiting: dict[tuple[HarmonicProduct, WaveProduct], float] = {}
    finished: dict[WaveProduct, float] = {}
    for (waves, monomial), factor in value.without_rounding().terms.items():
        waiting[waves, WaveProduct((), monomial)] = factor
    while waiting:
        (waves, written), factor = waiting.popitem()
        compound = next((wave for wave in waves if max(map(abs, wave.k)) > 1), None)
        if compound is None:
            _add_factor(finished, _times_waves(written, tuple((w.kind[0], w.group, w.k) for w in waves)), factor)
            continue
        other_waves = tuple(wave for wave in waves if wave is not compound)
        fixed, harmonics = _expand_harmonic(compound)
        for scale, wave in harmonics:
            _add_factor(waiting, (tuple(sorted((*other_waves, *wave))), written), scale * factor)
        for scale, pair in fixed:
            _add_factor(waiting, (other_waves, _times_waves(written, pair)), scale * factor)
    largest = max((abs(x) for x in finished.values()), default=0.0)
    return {key: x for key, x in finished.items() if abs(x) > 1e-11 * largest}


def _add_factor(terms: dict[Any, float], key: Any, factor: float) -> None:
    terms[key] = terms.get(key, 0.0) + factor


def _times_waves(product: WaveProduct, waves: tuple[Wave, ...]) -> WaveProduct:
    total = dict(product.waves)
    for wave in waves:
        total[wave] = total.get(wave, 0) + 1
    return WaveProduct(tuple(sorted(total.items())), product.monomial)


def _expand_harmonic(
    wave: HarmonicFactor,
) -> tuple[list[tuple[float, tuple[Wave, ...]]], list[tuple[float, HarmonicProduct]]]:
    """Return a compound harmonic as products of simple cosines and sines, and harmonics still to be expanded."""
    group, kind, k = wave
    A = tuple(max(-1, min(1, x)) for x in k)
    B = tuple(x - y for x, y in zip(k, A, strict=True))
    if max(map(abs, B)) > 1:  # three times an angle or more: rare, not expanded
        return [(1.0, ((kind[0], group, k),))], []
    if A == B:
        if kind == "cos":
            return [(-2.0, (("s", group, A), ("s", group, A)))], [(1.0, ())]
        return [(2.0, (("s", group, A), ("c", group, A)))], []
    difference = tuple(x - y for x, y in zip(A, B, strict=True))
    sign, positive = _positive_multiples(difference)
    scale = -1.0 if kind == "cos" else -sign
    outer = ("c" if kind == "cos" else "s", group, A)
    inner = ("c", group, _positive_multiples(B)[1])  # the cosine is even
    return [(2.0, (outer, inner))], [(scale, (HarmonicFactor(group, kind, positive),))]


def _positive_multiples(k: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
    """Return the extracted sign, and the vector with its first nonzero entry positive."""
    first = next(x for x in k if x)
    return (1.0, k) if first > 0 else (-1.0, tuple(-x for x in k))
