r"""Impacts of several one-sided contacts, with a stated model that never gains energy.

together: first everything is stopped, as if all were plastic, by impulses $P_c$ in their cones; these take the work
$w_i = -\frac12 P_{n,i} u_{n,i}$ from the normal motion of contact i. Then each gets $e_i P_{c,i}$ once more (Poisson's
law), and what still approaches is stopped: $P_m$. The impulse is $P_c + \kappa (P_m - P_c)$ with the largest
$\kappa \le 1$ for which the energy after is at most that after $P_c$ plus $\sum e_i^2 w_i$ (what Stronge's law gives
back), and at most that before. Without friction and with one e, $\kappa = 1$: it is Newton's law.

Contacts with Newton's law instead leave with at least $-e\,u_n$ and friction against the slip that is left (Moreau);
that may gain energy. Poisson's law alone has no other bound than the energy before.

sequence: one contact after the other, in the order given, each by its path of impulse (Keller, Stronge), again and
again until none approaches. Every blow loses energy or keeps it. What still approaches after many blows is stopped
together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.arrays import Array
from gearwright.functions.constrained.impulse_cone import cone_impulses
from gearwright.functions.constrained.impulse_path import impulse_of_impact
from gearwright.parts.environment.loops_and_contacts import ENERGETIC, NEWTON, POISSON

BLOWS = 100
"""Blows per contact, one after the other, before what is left is stopped together."""

QUIET = 1e-12
"""Approaching with less than this part of the largest speed is rest."""


def impulses_together(
    W: Array,
    u: Array,
    blocks: Sequence[slice],
    friction: Sequence[float],
    restitution: Sequence[float],
    laws: Sequence[str] = (),
) -> Array:
    """The impulses (m,) of contacts that strike together.

    Args:
        W: J M^-1 J' (m, m).
        u: speeds before (m,).
        blocks: per contact where its rows stand, the normal one first.
        friction: per contact.
        restitution: per contact, 0 to 1.
        laws: per contact "energetic", "poisson" or "newton"; energetic unless given.

    >>> blocks = [slice(0, 1), slice(1, 2)]
    >>> W = np.array([[4.0, -2.0], [-2.0, 4.0]])                   # a rod that falls flat on both ends
    >>> u = np.array([-1.0, -1.0])
    >>> (u + W @ impulses_together(W, u, blocks, [0, 0], [0.5, 0.5])).round(9)
    array([0.5, 0.5])
    """
    normal, e = u[[rows.start for rows in blocks]], np.asarray(restitution, dtype=float)
    newton, poisson = (
        np.array([law == word for law in laws or [ENERGETIC] * len(blocks)]) for word in (NEWTON, POISSON)
    )
    target = np.where(newton, np.maximum(-e * normal, 0.0), 0.0)
    if newton.all():
        return cone_impulses(W, u, blocks, friction, target)
    stopping = cone_impulses(W, u, blocks, friction, np.zeros(len(blocks)))
    if not e.any():
        return stopping
    e = np.where(newton, 0.0, e)
    back = (1.0 + np.repeat(e, [rows.stop - rows.start for rows in blocks])) * stopping
    back = back + cone_impulses(W, u + W @ back, blocks, friction, target)
    if newton.any():
        return back
    pressed = stopping[[rows.start for rows in blocks]]
    returned = float(e**2 @ np.maximum(-0.5 * pressed * normal, 0.0))
    most = 0.0 if poisson.any() else min(_gained(W, u, stopping) + returned, 0.0)
    return stopping + _share(W, u, stopping, back - stopping, most) * (back - stopping)


def impulses_in_sequence(
    W: Array, u: Array, blocks: Sequence[slice], friction: Sequence[float], restitution: Sequence[float]
) -> Array:
    """The impulses (m,) of contacts that strike one after the other, in the order given.

    >>> blocks = [slice(0, 1), slice(1, 2)]
    >>> W = np.array([[4.0, -2.0], [-2.0, 4.0]])
    >>> u = np.array([-1.0, -1.0])
    >>> (u + W @ impulses_in_sequence(W, u, blocks, [0, 0], [1, 1])).round(9)
    array([1., 1.])
    """
    P, speed, size = np.zeros(len(u)), u.copy(), float(np.abs(u).max(initial=0.0))
    for _ in range(BLOWS):
        quiet = True
        for rows, mu, e in zip(blocks, friction, restitution, strict=True):
            if speed[rows.start] >= -QUIET * size:
                continue
            quiet = False
            blow = _alone(W[rows, rows], speed[rows], mu, e)
            P[rows], speed = P[rows] + blow, speed + W[:, rows] @ blow
        if quiet:
            return P
    return P + cone_impulses(W, speed, blocks, friction, np.zeros(len(blocks)))


def _alone(W: Array, u: Array, mu: float, e: float) -> Array:
    if len(u) == 1 or not mu:
        return np.concatenate([[-(1.0 + e) * u[0] / W[0, 0]], np.zeros(len(u) - 1)])
    return impulse_of_impact(W, u, mu, e)


def _gained(W: Array, u: Array, P: Array) -> float:
    """The change of kinetic energy by impulses."""
    return float(P @ u + 0.5 * P @ W @ P)


def _share(W: Array, u: Array, P: Array, more: Array, most: float) -> float:
    """The largest part, up to all, of more impulses that gains no more energy than allowed."""
    if _gained(W, u, P + more) <= most + 1e-15 * abs(most):
        return 1.0
    a, b, c = 0.5 * float(more @ W @ more), float(more @ (u + W @ P)), _gained(W, u, P) - most
    if a <= 0 or c > 0:
        return 0.0
    return float(np.clip((-b + np.sqrt(b * b - 4 * a * c)) / (2 * a), 0.0, 1.0))
