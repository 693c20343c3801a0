r"""One frictional impact along its impulse path (Keller 1986), with Stronge's energetic restitution.

The normal impulse p is the independent variable. With $W = J M^{-1} J'$ over the normal row and one or two tangential
rows, $du/dp = W\,(1, -\mu\,\hat u_t)$ during sliding and $du/dp = W\,(1, \tau)$ with $du_t/dp = 0$ during sticking,
which requires $|\tau| \le \mu$. Compression ends at $u_n = 0$, after the work $W_c$ of the normal impulse; restitution
ends after it has returned $e^2 W_c$. So no energy is gained in any sequence of sliding, sticking and reversal.

Without restitution the law is that of several contacts and of time stepping (Moreau): no approach speed is left, and
friction opposes the remaining slip. The result therefore jumps between e = 0 and the limit e -> 0+.
"""

from __future__ import annotations

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SingularityError
from gearwright.functions.constrained.contact_impulse_path import follow_impulse
from gearwright.functions.constrained.contact_workspace import ENERGETIC_LAW, POISSON_LAW, contact_workspace
from gearwright.functions.constrained.impulse_cone import cone_impulses
from gearwright.parts.environment.loops_and_contacts import ENERGETIC, NEWTON, POISSON


def impulse_of_impact(W: Array, u: Array, friction: float, restitution: float, law: str = ENERGETIC) -> Array:
    """Return the impulse (k,) of one contact: normal first, then one or two tangential components.

    Args:
        W: J M^-1 J' (k, k).
        u: speeds before impact (k,), the normal one negative on approach.
        friction: mu.
        restitution: e, 0 to 1.
        law: definition of e: "energetic" (Stronge), "poisson" (ratio of normal impulses, along the same path) or
            "newton" (ratio of normal speeds, with friction opposite to the final slip).

    >>> impulse_of_impact(np.eye(2), np.array([-1.0, 0.5]), friction=0.1, restitution=0.5).round(9)
    array([ 1.5 , -0.15])
    """
    if u[0] >= 0:
        return np.zeros(len(u))
    if law == NEWTON or not restitution:
        return cone_impulses(W, u, [slice(0, len(u))], [friction], np.array([-restitution * u[0]]))
    return _impulse_along_path(W, u, friction, restitution, law)


def impulse_without_collision(W: Array, slip: Array, friction: float, restitution: float) -> Array:
    """Return the impulse (k,) of a tangential impact: zero normal speed, normal force driven by sliding (Painleve).

    Args:
        W: J M^-1 J' (k, k).
        slip: speeds along the surface (k - 1,).
        friction: mu.
        restitution: energetic coefficient, 0 to 1.

    >>> W = np.array([[1.0, 1.5], [1.5, 4.0]])              # sliding forward with mu = 1 increases the normal force
    >>> impulse_without_collision(W, np.array([5.0]), 1.0, 0.0).round(6)
    array([ 4.285714, -2.857143])
    """
    return _impulse_along_path(W, np.array([0.0, *slip]), friction, restitution)


def _impulse_along_path(W: Array, u: Array, friction: float, restitution: float, law: str = ENERGETIC) -> Array:
    s = contact_workspace(W, u, friction, POISSON_LAW if law == POISSON else ENERGETIC_LAW)
    if follow_impulse(s, restitution) != 0:
        raise SingularityError(
            "impact: no finite impulse ends the impact. Its rows are nearly dependent, or friction is so large that it "
            "jams (Painleve's paradox): lower it, or make the contact compliant."
        )
    return np.array(s.contact_impulse[: len(u)])
