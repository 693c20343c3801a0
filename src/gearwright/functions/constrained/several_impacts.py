r"""Impacts of several unilateral contacts, with models that never gain energy.

together: compression first, as a plastic impact with impulses $P_c$ in their cones; these do the work
$w_i = -\frac12 P_{n,i} u_{n,i}$ on the normal motion of contact i. Then each contact gets $e_i P_{c,i}$ in addition
(Poisson's law), and contacts that still approach are stopped: $P_m$. The impulse is $P_c + \kappa (P_m - P_c)$ with the
largest $\kappa \le 1$ for which the final energy is at most that after $P_c$ plus $\sum e_i^2 w_i$ (the energy that
Stronge's law returns), and at most the initial energy. Without friction and with equal e, $\kappa = 1$: Newton's law.
Contacts with Newton's law separate with at least $-e\,u_n$ and friction opposite to the final slip (Moreau); this may
gain energy. For Poisson's law alone the only bound is the initial energy.

sequence: impacts of single contacts in the given order, each by its impulse path (Keller, Stronge), repeated until no
contact approaches. No impact gains energy. Contacts that still approach after many impacts are stopped together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.arrays import Array
from gearwright.functions.constrained.impulse_cone import cone_impulses
from gearwright.functions.constrained.impulse_path import impulse_of_impact
from gearwright.parts.environment.loops_and_contacts import ENERGETIC, NEWTON, POISSON

MAX_IMPACTS_PER_CONTACT = 100
"""Number of sequential impacts per contact before the remaining ones are stopped together."""

REST_APPROACH_RATIO = 1e-12
"""Approach speed, relative to the largest speed, below which it is zero."""


def impulses_together(
    W: Array,
    u: Array,
    blocks: Sequence[slice],
    friction: Sequence[float],
    restitution: Sequence[float],
    laws: Sequence[str] = (),
) -> Array:
    """Return the impulses (m,) of simultaneous impacts.

    Args:
        W: J M^-1 J' (m, m).
        u: speeds before (m,).
        blocks: rows of each contact, the normal one first.
        friction: coefficient of each contact.
        restitution: coefficient of each contact, 0 to 1.
        laws: "energetic", "poisson" or "newton" for each contact; energetic unless given.

    >>> blocks = [slice(0, 1), slice(1, 2)]
    >>> W = np.array([[4.0, -2.0], [-2.0, 4.0]])                   # a rod that lands flat on both ends
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
    most = 0.0 if poisson.any() else min(_energy_gain(W, u, stopping) + returned, 0.0)
    return stopping + _feasible_share(W, u, stopping, back - stopping, most) * (back - stopping)


def impulses_in_sequence(
    W: Array, u: Array, blocks: Sequence[slice], friction: Sequence[float], restitution: Sequence[float]
) -> Array:
    """Return the impulses (m,) of impacts in sequence, in the order given.

    >>> blocks = [slice(0, 1), slice(1, 2)]
    >>> W = np.array([[4.0, -2.0], [-2.0, 4.0]])
    >>> u = np.array([-1.0, -1.0])
    >>> (u + W @ impulses_in_sequence(W, u, blocks, [0, 0], [1, 1])).round(9)
    array([1., 1.])
    """
    P, speed, size = np.zeros(len(u)), u.copy(), float(np.abs(u).max(initial=0.0))
    for _ in range(MAX_IMPACTS_PER_CONTACT):
        quiet = True
        for rows, mu, e in zip(blocks, friction, restitution, strict=True):
            if speed[rows.start] >= -REST_APPROACH_RATIO * size:
                continue
            quiet = False
            impulse = _single_contact_impulse(W[rows, rows], speed[rows], mu, e)
            P[rows], speed = P[rows] + impulse, speed + W[:, rows] @ impulse
        if quiet:
            return P
    return P + cone_impulses(W, speed, blocks, friction, np.zeros(len(blocks)))


def _single_contact_impulse(W: Array, u: Array, mu: float, e: float) -> Array:
    if len(u) == 1 or not mu:
        return np.concatenate([[-(1.0 + e) * u[0] / W[0, 0]], np.zeros(len(u) - 1)])
    return impulse_of_impact(W, u, mu, e)


def _energy_gain(W: Array, u: Array, P: Array) -> float:
    """Return the change of kinetic energy by impulses."""
    return float(P @ u + 0.5 * P @ W @ P)


def _feasible_share(W: Array, u: Array, P: Array, more: Array, most: float) -> float:
    """Return the largest fraction, up to 1, of the additional impulses that gains no more energy than allowed."""
    if _energy_gain(W, u, P + more) <= most + 1e-15 * abs(most):
        return 1.0
    a, b, c = 0.5 * float(more @ W @ more), float(more @ (u + W @ P)), _energy_gain(W, u, P) - most
    if a <= 0 or c > 0:
        return 0.0
    return float(np.clip((-b + np.sqrt(b * b - 4 * a * c)) / (2 * a), 0.0, 1.0))
