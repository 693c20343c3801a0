r"""One frictional impact along its impulse path (Keller 1986), with Stronge's energetic restitution.

The normal impulse p is the independent variable. With $W = J M^{-1} J'$ over the normal row and one or two tangential
rows, $du/dp = W\,(1, -\mu\,\hat u_t)$ during sliding and $du/dp = W\,(1, \tau)$ with $du_t/dp = 0$ during sticking,
which requires $|\tau| \le \mu$. Compression ends at $u_n = 0$, after the work $W_c$ of the normal impulse; restitution
ends after it has returned $e^2 W_c$. So no energy is gained in any sequence of sliding, sticking and reversal.

Without restitution the law is that of several contacts and of time stepping (Moreau): no approach speed is left, and
friction opposes the remaining slip. The result therefore jumps between e = 0 and the limit e -> 0+.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot, inf, sqrt
from operator import mul

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SingularityError
from gearwright.functions.constrained.impulse_cone import cone_impulses
from gearwright.parts.environment.loops_and_contacts import ENERGETIC, NEWTON, POISSON

REST_SLIP_RATIO = 1e-10
"""Tangential speed, relative to the total, below which it is zero."""

MAX_IMPACT_PHASES = 20
"""Largest number of phases of sliding and sticking within one impact."""

MAX_IMPULSE_RATIO = 1e3
"""Largest ratio of the impulse to that which stops the contact."""

NORMAL_SPEED, NORMAL_WORK = 0, -1
"""Positions of the normal speed and of its work in the state of a path: speeds (k,), impulses (k,), work."""

NO_FINITE_IMPULSE = "impact: no finite impulse ends the impact: its rows are nearly dependent. Remove one."

ONSET_DIRECTION_COUNT = 720
"""Number of directions examined where a contact at rest starts to slide."""


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
    return _impulse_over_movable_rows(W, u, friction, restitution, law)


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
    return _impulse_over_movable_rows(W, np.array([0.0, *slip]), friction, restitution)


def _impulse_over_movable_rows(W: Array, u: Array, friction: float, restitution: float, law: str = ENERGETIC) -> Array:
    """Return the impulse along the path, over the mobile rows (planar machines have immobile ones)."""
    movable_rows = [0, *(k for k in range(1, len(u)) if W[k, k] > REST_SLIP_RATIO * W[0, 0])]
    impulse = np.zeros(len(u))
    impulse[movable_rows] = _impulse_along_path(
        W[np.ix_(movable_rows, movable_rows)], u[movable_rows], friction, restitution, law
    )
    return impulse


def _impulse_along_path(W: Array, u: Array, friction: float, restitution: float, law: str) -> Array:
    if len(u) == 1:
        return -(1.0 + restitution) * u / W[0, 0]
    path = _ImpulsePath(W, friction, u.copy(), np.zeros(len(u)))
    path.march_until(NORMAL_SPEED, 0.0)
    if restitution > 0 and law == POISSON:
        path.march_until(len(u), (1.0 + restitution) * path.impulse[0])
    elif restitution > 0:
        path.march_until(NORMAL_WORK, (1.0 - restitution**2) * path.work)
    return path.impulse


@dataclass
class _ImpulsePath:
    """Current speeds, impulses and normal work."""

    W: Array
    friction: float
    u: Array
    impulse: Array
    work: float = 0.0
    _size: float = field(init=False)

    def __post_init__(self) -> None:
        self._size = float(np.abs(self.u).max())

    def march_until(self, component: int, level: float) -> None:
        """Advance through sliding and sticking until a component of (speeds, impulses, work) rises to a level."""
        for _ in range(MAX_IMPACT_PHASES):
            direction, share = self._next_phase()
            if share is None:
                assert direction is not None
                finished = self._advance_curved(direction, component, level)
            else:
                finished = self._advance_straight(share, direction, component, level)
            if finished:
                return
        raise SingularityError(
            f"impact: the impact has not ended after {MAX_IMPACT_PHASES} phases of sliding and sticking. Its rows are "
            "nearly dependent, or friction is so large that it jams (Painleve's paradox): lower it, or make the "
            "contact compliant."
        )

    def _next_phase(self) -> tuple[Array | None, Array | None]:
        """The direction of the slip, None while it sticks, and the impulse per normal impulse if it is constant."""
        across = self.u[1:]
        speed = float(np.linalg.norm(across))
        if speed > REST_SLIP_RATIO * self._size:
            direction = across / speed
        else:
            answer = np.linalg.lstsq(self.W[1:, 1:], self.W[1:, 0], rcond=REST_SLIP_RATIO)[0]
            sticking = np.asarray(-answer, dtype=np.float64)
            if np.linalg.norm(sticking) <= self.friction:
                return None, np.array([1.0, *sticking])
            direction = self._onset_direction(sticking)
            self.u[1:] = 2 * REST_SLIP_RATIO * self._size * direction
        return direction, np.array([1.0, *(-self.friction * direction)]) if len(direction) == 1 else None

    @property
    def _slip_floor(self) -> float:
        return 0.5 * REST_SLIP_RATIO * self._size

    @property
    def _largest_impulse(self) -> float:
        sizes = np.linalg.eigvalsh(self.W)
        return MAX_IMPULSE_RATIO * self._size / float(sizes[sizes > REST_SLIP_RATIO * sizes[-1]][0])

    def _advance_straight(self, share: Array, direction: Array | None, component: int, level: float) -> bool:
        """A phase with a constant ratio of the impulses, in closed form: speeds are linear, their work is quadratic."""
        k, rate = len(self.u), self.W @ share
        state = [*self.u.tolist(), *self.impulse.tolist(), self.work]
        slopes = [*rate.tolist(), *share.tolist(), float(self.u[0])]
        curvature = float(rate[0]) if component == NORMAL_WORK else 0.0
        end = _rising_root(state[component] - level, slopes[component], 0.5 * curvature)
        stop = inf
        if direction is not None:
            stop = _rising_root(self._slip_floor - float(self.u[1:] @ direction), -float(rate[1:] @ direction), 0.0)
        p = min(end, stop)
        if p > self._largest_impulse:
            raise SingularityError(NO_FINITE_IMPULSE)
        self.work += p * (float(self.u[0]) + 0.5 * p * float(rate[0]))
        self.u, self.impulse = self.u + p * rate, self.impulse + p * share
        if end <= stop:
            return True
        self.u = np.concatenate([self.u[:1], np.zeros(k - 1)])
        return False

    def _advance_curved(self, direction: Array, component: int, level: float) -> bool:
        """A phase of sliding in two tangential directions, integrated over the normal impulse."""
        from scipy.integrate import solve_ivp

        k, W = len(self.u), self.W.tolist()

        def state_slopes(_: float, y: Array) -> list[float]:  # plain numbers: arrays of three take longer
            u = y[:k].tolist()
            part = -self.friction / hypot(u[1], u[2])
            share = (1.0, part * u[1], part * u[2])
            return [*(sum(map(mul, row, share)) for row in W), *share, u[0]]

        def sliding_ends(_: float, y: Array) -> float:
            return hypot(y[1], y[2]) - self._slip_floor

        def path_ends(_: float, y: Array) -> float:
            return float(y[component]) - level

        sliding_ends.terminal, sliding_ends.direction = True, -1.0  # type: ignore[attr-defined]
        path_ends.terminal, path_ends.direction = True, 1.0  # type: ignore[attr-defined]
        begin = np.concatenate([self.u, self.impulse, [self.work]])
        size = float(np.abs(begin).max())
        solution = solve_ivp(
            state_slopes,
            (0.0, self._largest_impulse),
            begin,
            "DOP853",
            events=[path_ends, sliding_ends],
            rtol=1e-11,
            atol=1e-14 * size,
        )
        y = solution.y[:, -1]
        self.u, self.impulse, self.work = y[:k], y[k : 2 * k], float(y[-1])
        if solution.t_events[0].size:
            return True
        if not solution.t_events[1].size:
            raise SingularityError(NO_FINITE_IMPULSE)
        self.u = np.concatenate([self.u[:1], np.zeros(k - 1)])
        return False

    def _onset_direction(self, sticking: Array) -> Array:
        """Return the direction in which a contact at rest starts to slide: that of its own change of speed."""
        if len(sticking) == 1:
            return -np.sign(sticking)
        angles = np.linspace(0.0, 2 * np.pi, ONSET_DIRECTION_COUNT + 1)
        directions = np.array([np.cos(angles), np.sin(angles)])
        changes = self.W[1:, :1] - self.friction * self.W[1:, 1:] @ directions
        sideways = directions[0] * changes[1] - directions[1] * changes[0]
        onward = (directions * changes).sum(axis=0)
        turns = np.flatnonzero((sideways[:-1] * sideways[1:] <= 0) & (onward[:-1] > 0))
        if not turns.size:
            return np.asarray(-sticking / np.linalg.norm(sticking))
        best = int(turns[np.argmax(onward[turns])])
        part = sideways[best] / (sideways[best] - sideways[best + 1])
        angle = angles[best] + part * (angles[1] - angles[0])
        return np.array([np.cos(angle), np.sin(angle)])


def _rising_root(value: float, slope: float, curvature: float) -> float:
    """The first p >= 0 at which value + slope p + curvature p^2 rises to zero, infinity if there is none.

    >>> _rising_root(-1.0, 2.0, 0.0), _rising_root(1.0, -3.0, 2.0), _rising_root(-1.0, -1.0, 0.0)
    (0.5, 1.0, inf)
    """
    if curvature == 0.0:
        return -value / slope if slope > 0 and value <= 0 else inf
    discriminant = slope * slope - 4.0 * curvature * value
    if discriminant < 0:
        return inf
    p = (-slope + sqrt(discriminant)) / (2.0 * curvature)  # where the slope is positive
    return p if p >= 0 else inf
