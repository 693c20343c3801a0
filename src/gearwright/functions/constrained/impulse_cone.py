r"""Impulses of several one-sided contacts with friction at once, each in its cone.

With $W = J M^{-1} J'$ over all contacts (each a normal row, then none, one or two tangential ones) and the speeds
$u^+ = u + W P$: per contact $0 \le P_n \perp u_n^+ - b \ge 0$, and $|P_t| \le \mu P_n$ with $P_t$ against $u_t^+$ where
it slides. Contacts are solved one by one, each exactly, until nothing changes (Gauss and Seidel).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SingularityError

ROUNDS, CALMER = 4000, 500
"""Rounds over all contacts at most; after every so many each contact changes by half as much, so that none swing."""

SAME = 1e-11
"""Changes of speeds below this part of the largest are none."""

NEAR = 1e-4
"""What is left where rounds end without agreement, as a part of the largest speed, that is still an answer."""

DIRECTIONS = 90
"""Directions of sliding that are looked at."""


def cone_impulses(W: Array, u: Array, blocks: Sequence[slice], friction: Sequence[float], target: Array) -> Array:
    """The impulses (m,) of contacts whose normal speeds afterwards are at least `target`, one per contact.

    Args:
        W: J M^-1 J' (m, m).
        u: speeds before (m,).
        blocks: per contact where its rows stand, the normal one first.
        friction: per contact its coefficient.
        target: per contact its least normal speed afterwards.

    >>> P = cone_impulses(np.eye(2), np.array([-1.0, 2.0]), [slice(0, 1), slice(1, 2)], [0.0, 0.0], np.zeros(2))
    >>> P.tolist()                                                  # the second one leaves
    [1.0, 0.0]
    """
    P, heads = np.zeros(len(u)), [rows.start for rows in blocks]
    P[heads] = _frictionless(W[np.ix_(heads, heads)], u[heads] - target)
    if not any(friction):
        return P
    speed = u + W @ P
    size = max(float(np.abs(u).max(initial=0.0)), float(np.abs(target).max(initial=0.0)), 1e-300)
    changed = 0.0
    for turn in range(ROUNDS):
        changed, part = 0.0, 0.5 ** (turn // CALMER)
        for k, rows in enumerate(blocks):
            own = W[rows, rows]
            more = _single(own, speed[rows] - own @ P[rows], friction[k], float(target[k])) - P[rows]
            step = W[:, rows] @ more
            P[rows], speed = P[rows] + part * more, speed + part * step
            changed = max(changed, float(np.abs(step).max()))
        if changed <= SAME * size:
            return P
    if changed <= NEAR * size:
        return P
    raise SingularityError(
        f"impact: after {ROUNDS} rounds over {len(blocks)} contacts their impulses still change by {changed:.2g} m/s. "
        "Friction is too large for these rows (the paradox of Painleve): lower it, or make a contact compliant."
    )


def _frictionless(W: Array, q: Array) -> Array:
    """The P >= 0 with W P + q >= 0 and P (W P + q) = 0: the least P' W P / 2 + q' P, also where W is singular."""
    from scipy.optimize import nnls

    sizes, ways = np.linalg.eigh(W)
    good = sizes > 1e-12 * max(float(sizes.max(initial=0.0)), 1e-300)
    roots = np.sqrt(sizes[good])
    return np.asarray(nnls(roots[:, None] * ways[:, good].T, -(ways[:, good].T @ q) / roots)[0], dtype=np.float64)


def _single(W: Array, u: Array, mu: float, target: float) -> Array:
    """The impulse of one contact, all others being as they are."""
    missing = target - u[0]
    if missing <= 0:
        return np.zeros(len(u))
    if len(u) == 1 or not mu:
        return np.concatenate([[missing / W[0, 0]], np.zeros(len(u) - 1)])
    stuck = np.linalg.lstsq(W, np.concatenate([[missing], -u[1:]]), rcond=1e-12)[0]
    if stuck[0] >= 0 and np.linalg.norm(stuck[1:]) <= mu * stuck[0]:
        return stuck
    return _sliding(W, u, mu, missing)


def _sliding(W: Array, u: Array, mu: float, missing: float) -> Array:
    """The impulse at the edge of the cone that acts against the sliding it leaves."""
    ways = np.array([[1.0, -1.0]]) if len(u) == 2 else _circle(np.linspace(0.0, 2 * np.pi, DIRECTIONS + 1))
    onward, sideways = _after(W, u, mu, missing, ways)
    if len(u) == 2:
        good = np.flatnonzero(onward >= 0)
        if good.size:
            return _along(W, mu, missing, ways[:, good[0]])
        raise _jammed()
    with np.errstate(invalid="ignore"):
        turns = np.flatnonzero(sideways[:-1] * sideways[1:] <= 0)
    straight = _circle(np.array([_root(W, u, mu, missing, int(k)) for k in turns]))
    onward = _after(W, u, mu, missing, straight)[0]
    if not turns.size or onward.max() < -SAME * float(np.abs(u).max()):
        raise _jammed()
    return _along(W, mu, missing, straight[:, int(np.argmax(onward))])


def _root(W: Array, u: Array, mu: float, missing: float, k: int) -> float:
    """The angle between two directions looked at in which sliding goes straight on."""
    from scipy.optimize import brentq

    (nn, na, nb), (an, aa, ab), (bn, ba, bb) = W.tolist()
    _, ua, ub = u.tolist()

    def sideways(angle: float) -> float:
        c, s = cos(angle), sin(angle)
        normal = missing / (nn - mu * (na * c + nb * s))
        a, b = ua + normal * (an - mu * (aa * c + ab * s)), ub + normal * (bn - mu * (ba * c + bb * s))
        return b * c - a * s

    low, high = 2 * np.pi * k / DIRECTIONS, 2 * np.pi * (k + 1) / DIRECTIONS
    if sideways(low) * sideways(high) > 0:
        return low
    return float(brentq(sideways, low, high, xtol=1e-15))


def _after(W: Array, u: Array, mu: float, missing: float, ways: Array) -> tuple[Array, Array]:
    """Speeds afterwards along and across directions of sliding; not finite where none presses."""
    pressing = W[0, 0] - mu * (W[0, 1:] @ ways)
    with np.errstate(divide="ignore", invalid="ignore"):
        normal = np.where(pressing > 0, missing / pressing, np.nan)
    across = u[1:, None] + normal * (W[1:, :1] - mu * W[1:, 1:] @ ways)
    onward = np.where(np.isfinite(normal), (across * ways).sum(axis=0), -np.inf)
    if len(ways) == 1:
        return onward, np.zeros_like(onward)
    return onward, across[1] * ways[0] - across[0] * ways[1]


def _along(W: Array, mu: float, missing: float, way: Array) -> Array:
    normal = missing / float(W[0, 0] - mu * (W[0, 1:] @ way))
    return np.concatenate([[normal], -mu * normal * way])


def _circle(angles: Array) -> Array:
    return np.array([np.cos(angles), np.sin(angles)])


def _jammed() -> SingularityError:
    return SingularityError(
        "impact: no impulse in the cone of friction ends it: sliding presses the contact ever harder (the paradox of "
        "Painleve). Lower its friction, or make the contact compliant (SoftContact)."
    )
