r"""One frictional impact along its path of impulse (Keller 1986), ended by the energy of the normal impulse (Stronge).

The normal impulse p plays the part of time. With $W = J M^{-1} J'$ over the normal row and one or two tangential rows,
$du/dp = W\,(1, -\mu\,\hat u_t)$ while it slides and $du/dp = W\,(1, \tau)$ with $du_t/dp = 0$ while it sticks, which
it does where $|\tau| \le \mu$. Compression ends where $u_n = 0$, having taken the work $W_c$ from the normal motion;
restitution ends where it has given back $e^2 W_c$. So no energy is gained, whatever slides, sticks or turns round.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SingularityError
from gearwright.functions.constrained.impulse_cone import cone_impulses
from gearwright.parts.environment.loops_and_contacts import ENERGETIC, NEWTON, POISSON

STILL = 1e-10
"""A tangential speed below this part of the whole counts as none."""

PHASES = 20
"""Phases of sliding and sticking within one impact."""

FAR = 1e3
"""How many times the impulse that would stop everything may be needed."""

ANGLES = 720
"""Directions of sliding that are looked at where something at rest begins to slide."""


def impulse_of_impact(W: Array, u: Array, friction: float, restitution: float, law: str = ENERGETIC) -> Array:
    """The impulse (k,) of one contact: normal first, then one or two tangential ones.

    Args:
        W: J M^-1 J' (k, k).
        u: speeds before (k,), the normal one negative where it strikes.
        friction: mu.
        restitution: e, 0 to 1.
        law: what it is: "energetic" (Stronge), "poisson" (a share of the normal impulse, along the same path) or
            "newton" (a share of the normal speed, with friction against the slip that is left).

    >>> impulse_of_impact(np.eye(2), np.array([-1.0, 0.5]), friction=0.1, restitution=0.5).round(9)
    array([ 1.5 , -0.15])
    """
    if u[0] >= 0:
        return np.zeros(len(u))
    if law == NEWTON:
        return cone_impulses(W, u, [slice(0, len(u))], [friction], np.array([-restitution * u[0]]))
    return _moved_impulse(W, u, friction, restitution, law)


def impulse_without_collision(W: Array, slip: Array, friction: float, restitution: float) -> Array:
    """The impulse (k,) of a contact that neither approaches nor leaves, but is pressed in by its own sliding.

    Args:
        W: J M^-1 J' (k, k).
        slip: speeds along the surface (k - 1,).
        friction: mu.
        restitution: energetic coefficient, 0 to 1.

    >>> W = np.array([[1.0, 1.5], [1.5, 4.0]])              # sliding forward with mu = 1 presses it in
    >>> impulse_without_collision(W, np.array([5.0]), 1.0, 0.0).round(6)
    array([ 4.285714, -2.857143])
    """
    return _moved_impulse(W, np.array([0.0, *slip]), friction, restitution)


def _moved_impulse(W: Array, u: Array, friction: float, restitution: float, law: str = ENERGETIC) -> Array:
    """Along the path, over the rows that anything moves: planar machines do not move across."""
    moved = [0, *(k for k in range(1, len(u)) if W[k, k] > STILL * W[0, 0])]
    impulse = np.zeros(len(u))
    impulse[moved] = _along_path(W[np.ix_(moved, moved)], u[moved], friction, restitution, law)
    return impulse


def _along_path(W: Array, u: Array, friction: float, restitution: float, law: str) -> Array:
    if len(u) == 1:
        return -(1.0 + restitution) * u / W[0, 0]
    path = _Path(W, friction, u.copy(), np.zeros(len(u)))
    path.until(lambda y: y[0])
    if restitution > 0 and law == POISSON:
        whole = (1.0 + restitution) * path.impulse[0]
        path.until(lambda y: y[len(u)] - whole)
    elif restitution > 0:
        goal = (1.0 - restitution**2) * path.work
        path.until(lambda y: y[-1] - goal)
    return path.impulse


@dataclass
class _Path:
    """Speeds, impulses and normal work so far."""

    W: Array
    friction: float
    u: Array
    impulse: Array
    work: float = 0.0
    _size: float = field(init=False)

    def __post_init__(self) -> None:
        self._size = float(np.abs(self.u).max())

    def until(self, ends: Any) -> None:
        """March on until a number of (speeds, impulses, work) rises to zero, through all that slides and sticks."""
        for _ in range(PHASES):
            if self._phase(ends):
                return
        raise SingularityError(
            f"impact: after {PHASES} phases of sliding and sticking the impact has not ended. Its rows are nearly "
            "dependent, or friction is so large that it jams (the paradox of Painleve): lower it, or make the contact "
            "compliant."
        )

    def _phase(self, ends: Any) -> bool:
        """One phase of sliding in a sense or of sticking; True where the end is reached."""
        from scipy.integrate import solve_ivp

        k, rate, slides = len(self.u), *self._rate()

        def slopes(_: float, y: Array) -> Array:
            share = rate(y[:k])
            return np.concatenate([self.W @ share, share, [y[0]]])

        def stops(_: float, y: Array) -> float:
            return slides(y[1:k])

        def over(_: float, y: Array) -> float:
            return float(ends(y))

        stops.terminal, stops.direction = True, -1.0  # type: ignore[attr-defined]
        over.terminal, over.direction = True, 1.0  # type: ignore[attr-defined]
        sizes = np.linalg.eigvalsh(self.W)
        far = FAR * self._size / float(sizes[sizes > STILL * sizes[-1]][0])
        begin = np.concatenate([self.u, self.impulse, [self.work]])
        size = float(np.abs(begin).max())
        found = solve_ivp(slopes, (0.0, far), begin, "DOP853", events=[over, stops], rtol=1e-11, atol=1e-14 * size)
        y = found.y[:, -1]
        self.u, self.impulse, self.work = y[:k], y[k : 2 * k], float(y[-1])
        if found.t_events[0].size:
            return True
        if not found.t_events[1].size:
            raise SingularityError("impact: no finite impulse ends it: its rows are nearly dependent. Leave one out.")
        self.u = np.concatenate([self.u[:1], np.zeros(k - 1)])
        return False

    def _rate(self) -> tuple[Any, Any]:
        """The impulse per normal impulse as a function of the speeds, and what is positive while that lasts."""
        across = self.u[1:]
        speed = float(np.linalg.norm(across))
        if speed > STILL * self._size:
            return self._sliding(across / speed)
        answer = np.linalg.lstsq(self.W[1:, 1:], self.W[1:, 0], rcond=STILL)[0]
        sticking = np.asarray(-answer, dtype=np.float64)
        if np.linalg.norm(sticking) <= self.friction:
            share = np.concatenate([[1.0], sticking])
            return lambda u: share, lambda u: 1.0
        way = self._onset(sticking)
        self.u[1:] = 2 * STILL * self._size * way
        return self._sliding(way)

    def _sliding(self, way: Array) -> tuple[Any, Any]:
        floor = 0.5 * STILL * self._size

        def share(u: Array) -> Array:
            sense = way if len(way) == 1 else u[1:] / np.linalg.norm(u[1:])
            return np.concatenate([[1.0], -self.friction * sense])

        def lasts(across: Array) -> float:
            return float(across @ way if len(way) == 1 else np.linalg.norm(across)) - floor

        return share, lasts

    def _onset(self, sticking: Array) -> Array:
        """The sense in which something at rest begins to slide: along its own change of speed."""
        if len(sticking) == 1:
            return -np.sign(sticking)
        angles = np.linspace(0.0, 2 * np.pi, ANGLES + 1)
        ways = np.array([np.cos(angles), np.sin(angles)])
        changes = self.W[1:, :1] - self.friction * self.W[1:, 1:] @ ways
        sideways = ways[0] * changes[1] - ways[1] * changes[0]
        onward = (ways * changes).sum(axis=0)
        turns = np.flatnonzero((sideways[:-1] * sideways[1:] <= 0) & (onward[:-1] > 0))
        if not turns.size:
            return np.asarray(-sticking / np.linalg.norm(sticking))
        best = int(turns[np.argmax(onward[turns])])
        part = sideways[best] / (sideways[best] - sideways[best + 1])
        angle = angles[best] + part * (angles[1] - angles[0])
        return np.array([np.cos(angle), np.sin(angle)])
