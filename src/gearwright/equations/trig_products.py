"""From harmonics to the products that people write: cos(2 q2 + q3) + cos(q3) = 2 c2 c23.

In the result every angle is a sum of distinct joint angles, so that c2, s23 and the like suffice.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from gearwright.equations.trig_polynomial import Harmonic, Harmonics, Monomial, Trig

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
            _add(done, _times(written, tuple((w.kind[0], w.group, w.k) for w in waves)), factor)
            continue
        others = tuple(wave for wave in waves if wave is not compound)
        fixed, rest = _opened(compound)
        for scale, wave in rest:
            _add(waiting, (tuple(sorted((*others, *wave))), written), scale * factor)
        for scale, pair in fixed:
            _add(waiting, (others, _times(written, pair)), scale * factor)
    largest = max((abs(x) for x in done.values()), default=0.0)
    return {key: x for key, x in done.items() if abs(x) > 1e-11 * largest}


def _add(terms: dict[Any, float], key: Any, factor: float) -> None:
    terms[key] = terms.get(key, 0.0) + factor


def _times(product: Product, waves: tuple[Wave, ...]) -> Product:
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
