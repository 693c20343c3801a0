r"""Impulses or forces of several one-sided contacts with friction at once, each in its cone.

With $W = J M^{-1} J'$ over all contacts (each a normal row, then none, one or two tangential ones) and the speeds
$u^+ = u + W P$: per contact $0 \le P_n \perp u_n^+ - b \ge 0$, and $|P_t| \le \mu P_n$ with $P_t$ against $u_t^+$ where
it slides. With accelerations for speeds and forces for impulses it is the same problem; contacts that slide already
then have a given direction d, $P_t = -\mu P_n d$, and the problem may have no solution (the paradox of Painleve).

The conditions are the zeros of $P_n - \max(0, P_n - r (u_n^+ - b))$ and $P_t - \Pi(P_t - r u_t^+)$, the projection on
the disc of radius $\mu P_n$ (Alart and Curnier 1991), found by Newton's method for functions that are differentiable
piecewise. Where it does not converge, projected Gauss-Seidel sweeps bring it nearer. Rows may depend on each other:
the impulses of least change are taken. A single contact is solved directly, by its cases, which also tells for certain
that there is no solution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.errors import SingularityError

NEWTON_STEPS = 30
"""Newton steps from one start."""

SWEEPS = (10, 40, 160)
"""Gauss-Seidel sweeps before each further start of Newton's method."""

SAME = 1e-11
"""Errors of speeds below this part of the largest are none."""

NEAR = 1e-7
"""What is left where no start converges, as a part of the largest speed, that is still a solution."""

FAR = 1e9
"""Impulses larger than this many times what stops a contact alone are on no way to a solution."""

DEPENDENT = 1e-11
"""Singular values below this part of the largest are zero: rows that depend on each other."""

DIRECTIONS = 72
"""Directions between which that of a single contact that begins to slide is looked for."""

BISECTIONS = 50
"""Halvings of the angle between two of them."""

MOVED = 1e-12
"""A row moves something if its entry of W is this part of the largest, or more."""


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
    found = ContactProblem.of(W, u, blocks, friction, target).solved()
    if found is None:
        raise SingularityError(
            f"impact: no impulses of {len(blocks)} contacts within their cones of friction are consistent: friction is "
            "too large for these rows (the paradox of Painleve). Lower it, or make a contact compliant."
        )
    return found


@dataclass(frozen=True)
class ContactProblem:
    """Coulomb's conditions for k contacts, as arrays: a normal row each, and two tangential ones (empty if missing).

    Args:
        W: (3, 3, k, k): what an impulse along a direction of one contact does along one of another.
        u: speeds before, less the targets (3, k).
        friction: (k,).
        given: the direction of contacts that slide already (2, k), zeros for others.
        places: where each row stands among those that were given (3, k), -1 for a row that is missing.
        size: length of the vector of impulses.
    """

    W: Array
    u: Array
    friction: Array
    given: Array
    places: Array
    size: int

    @staticmethod
    def of(
        W: Array,
        u: Array,
        blocks: Sequence[slice],
        friction: Sequence[float],
        target: Array,
        given: Sequence[Array | None] | None = None,
    ) -> ContactProblem:
        """From rows in blocks; `given` are directions of contacts that slide already."""
        k = len(blocks)
        places = np.full((3, k), -1)
        directions = np.zeros((2, k))
        for i, rows in enumerate(blocks):
            count = rows.stop - rows.start if friction[i] else 1
            places[:count, i] = range(rows.start, rows.start + count)
            if given is not None and given[i] is not None:
                directions[: count - 1, i] = given[i]
        largest = np.abs(np.diag(W)).max(initial=0.0)
        moved = np.append(np.diag(W) > MOVED * largest, False)
        moved[-1] = False
        places[1:] = np.where(moved[places[1:]], places[1:], -1)  # planar machines do not move across
        return ContactProblem(
            _gathered(W, places),
            np.where(places >= 0, np.append(u, 0.0)[places], 0.0) - np.array([target, np.zeros(k), np.zeros(k)]),
            np.asarray(friction, dtype=float),
            directions,
            places,
            len(u),
        )

    def solved(self, start: Array | None = None) -> Array | None:
        """The impulses (m,); None where none are found. `start` are impulses (m,) to begin with."""
        if self.u.shape[1] == 1:
            alone = self._of_one_contact()
            return None if alone is None else self._spread(alone[:, None])
        P = self._start() if start is None else np.where(self.places >= 0, np.append(start, 0.0)[self.places], 0.0)
        best, least = P, self.error(P)
        for sweeps in (0, *SWEEPS):
            P = self._swept(P, sweeps)
            P, error = self._newton(P)
            if error < least:
                best, least = P, error
            if least <= SAME * self.scale:
                break
            P = best
        return self._spread(best) if least <= NEAR * self.scale else None

    def _of_one_contact(self) -> Array | None:
        """The impulses (3,) of a single contact, by its cases: open, sticking, or sliding in some direction."""
        W, u, mu = self.W[:, :, 0, 0], self.u[:, 0], float(self.friction[0])
        if u[0] >= 0:
            return np.zeros(3)
        if not self._slides[0]:
            stuck = -np.linalg.lstsq(W, u, rcond=DEPENDENT)[0]
            left = np.abs(u + W @ stuck).max()
            if left <= SAME * self.scale and np.hypot(*stuck[1:]) <= mu * stuck[0] * (1 + SAME):
                return np.asarray(stuck)

        def sliding(d: Array) -> tuple[Array, Array]:
            """Impulses (3, ...) of sliding along directions d (2, ...), and the slip after them (2, ...)."""
            answer = W[0, 0] - mu * (W[0, 1:] @ d)
            normal = -u[0] / np.where(answer > MOVED * W[0, 0], answer, np.nan)
            P = np.concatenate([normal[None], -mu * normal * d])
            return P, u[1:].reshape(2, *(1 for _ in d.shape[1:])) + np.tensordot(W[1:], P, 1)

        if self._slides[0]:
            P, _ = sliding(self.given)
            return P[:, 0] if np.isfinite(P).all() else None
        if self.places[2, 0] < 0:
            ways = np.array([[1.0, -1.0], [0.0, 0.0]])
            P, slip = sliding(ways)
            ahead = np.flatnonzero((slip * ways).sum(axis=0) > 0)
            return P[:, ahead[0]] if len(ahead) else None
        return _first_direction(sliding)

    @cached_property
    def scale(self) -> float:
        """The largest speed."""
        return max(float(np.abs(self.u).max(initial=0.0)), 1e-300)

    @cached_property
    def _r(self) -> Array:
        """Impulse per speed with which each contact answers (k,), along its normal and across."""
        own = np.einsum("abkk->abk", self.W)
        largest = max(float(np.abs(own).max(initial=0.0)), 1e-300)
        normal = np.where(own[0, 0] > MOVED * largest, own[0, 0], largest)
        return np.array([1.0 / normal, 1.0 / np.maximum(own[1, 1] + own[2, 2], 1e-3 * normal)])

    @cached_property
    def _slides(self) -> NDArray[np.bool_]:
        return np.asarray((self.given != 0).any(axis=0))

    def speeds(self, P: Array) -> Array:
        """Speeds after impulses, less the targets (3, k)."""
        return np.asarray(self.u + np.einsum("abkj,bj->ak", self.W, P))

    def error(self, P: Array) -> float:
        """How far the conditions are violated, as a speed."""
        after, (rn, rt) = self.speeds(P), self._r
        normal = np.abs(np.minimum(P[0] / rn, after[0])).max(initial=0.0)
        across = np.abs((P[1:] - self._projected(P, after)) / rt).max(initial=0.0)
        return float(max(normal, across))

    def _projected(self, P: Array, after: Array) -> Array:
        """Where friction of these impulses should be (2, k)."""
        most = self.friction * np.maximum(P[0], 0.0)
        pulled = P[1:] - self._r[1] * after[1:]
        size = np.maximum(np.hypot(*pulled), 1e-300)
        return np.where(self._slides, -most * self.given, np.minimum(most / size, 1.0) * pulled)

    def _swept(self, P: Array, sweeps: int) -> Array:
        """After projected Gauss-Seidel sweeps."""
        P, after, most = P.copy(), self.speeds(P), FAR * self.scale * self._r.max()
        for _ in range(sweeps):
            if np.abs(P).max() > most:  # it diverges: sliding presses it in
                return np.zeros_like(P)
            for i in range(P.shape[1]):
                old = P[:, i].copy()
                P[0, i] = max(0.0, old[0] - self._r[0, i] * after[0, i])
                after += self.W[:, 0, :, i] * (P[0, i] - old[0])
                P[1:, i] = self._projected(P, after)[:, i]
                after += np.einsum("abk,b->ak", self.W[:, 1:, :, i], P[1:, i] - old[1:])
        return P

    def _newton(self, P: Array) -> tuple[Array, float]:
        """The best of Newton's iterates, and its error."""
        best, least, signatures = P, self.error(P), set[bytes]()
        for _ in range(NEWTON_STEPS):
            matrix, right, signature = self._linearised(P)
            P = self._least_change(P, matrix, right)
            error = self.error(P)
            if error < least:
                best, least = P, error
            if least <= SAME * self.scale or (signature in signatures and error > 0.5 * least and least < error):
                break
            signatures.add(signature)
        return best, least

    def _least_change(self, P: Array, matrix: Array, right: Array) -> Array:
        """The solution nearest to P of equations that may depend on each other."""
        flat = P.ravel()
        change = np.linalg.lstsq(matrix, right - matrix @ flat, rcond=DEPENDENT)[0]
        return np.asarray((flat + change).reshape(P.shape))

    def _linearised(self, P: Array) -> tuple[Array, Array, bytes]:
        """Newton's equations (3k, 3k) for the next impulses, their right side, and the modes they stand for."""
        k = P.shape[1]
        after, (rn, rt) = self.speeds(P), self._r
        presses = P[0] - rn * after[0] > 0
        pulled = P[1:] - rt * after[1:]
        size = np.hypot(*pulled)
        most = self.friction * np.maximum(P[0], 0.0)
        sticks = presses & ~self._slides & (size <= most)
        slides = presses & ~sticks
        W = self.W.transpose(0, 2, 1, 3).reshape(3 * k, 3 * k)
        eye, u = np.eye(3 * k), self.u.ravel()
        matrix, right = eye.copy(), np.zeros(3 * k)
        index = np.arange(k)
        for rows in (index[presses], k + index[sticks], 2 * k + index[sticks]):
            r = rn[rows % k] if len(rows) and rows[0] < k else rt[rows % k]
            matrix[rows], right[rows] = r[:, None] * W[rows], -r * u[rows]
        empty = (self.places < 0).ravel()
        way = -pulled / np.maximum(size, 1e-300)
        for i in index[slides]:
            d = self.given[:, i] if self._slides[i] else way[:, i]
            rows = np.array([k + i, 2 * k + i])
            matrix[rows, i] = self.friction[i] * d
            if not self._slides[i]:
                turning = min(most[i] / max(size[i], 1e-300), 1.0) * (np.eye(2) - np.outer(d, d))
                matrix[rows] -= turning @ (eye[rows] - rt[i] * W[rows])
                right[rows] -= turning @ (rt[i] * u[rows])
        matrix[empty], right[empty] = eye[empty], 0.0
        return matrix, right, presses.tobytes() + sticks.tobytes()

    def _start(self) -> Array:
        """Without friction."""
        P = np.zeros_like(self.u)
        P[0] = _frictionless(self.W[0, 0], self.u[0])
        return P

    def _spread(self, P: Array) -> Array:
        """As a vector over all rows, inside the cones to the last digit."""
        P = P.copy()
        P[0] = np.maximum(P[0], 0.0)
        most = self.friction * P[0]
        P[1:] *= np.minimum(most / np.maximum(np.hypot(*P[1:]), 1e-300), 1.0)
        out = np.zeros(self.size)
        out[self.places[self.places >= 0]] = P[self.places >= 0]
        return out


def _first_direction(sliding: Callable[[Array], tuple[Array, Array]]) -> Array | None:
    """The impulses (3,) of the first direction of sliding that agrees with the slip it leaves; None without one."""

    def across(angle: Array) -> tuple[Array, Array, Array]:
        d = np.array([np.cos(angle), np.sin(angle)])
        P, slip = sliding(d)
        return P, d[0] * slip[1] - d[1] * slip[0], (d * slip).sum(axis=0)

    angles = np.linspace(-np.pi, np.pi, DIRECTIONS + 1)
    _, turn, ahead = across(angles)
    for k in range(DIRECTIONS):
        # The slip turns from one side of the direction to the other, and leads ahead.
        if turn[k] * turn[k + 1] <= 0 and max(ahead[k], ahead[k + 1]) > 0:
            low, high, left = angles[k], angles[k + 1], turn[k]
            for _ in range(BISECTIONS):
                middle = 0.5 * (low + high)
                value = across(np.array([middle]))[1][0]
                low, high = (middle, high) if value * left > 0 else (low, middle)
            P, _, onward = across(np.array([0.5 * (low + high)]))
            if onward[0] > 0:
                return P[:, 0]
    return None


def _gathered(W: Array, places: Array) -> Array:
    """W by directions and contacts (3, 3, k, k), zeros where a row is missing."""
    wide = np.pad(W, ((0, 1), (0, 1)))
    wide[-1], wide[:, -1] = 0.0, 0.0
    return np.asarray(wide[places[:, None, :, None], places[None, :, None, :]])


def _frictionless(W: Array, q: Array) -> Array:
    """The P >= 0 with W P + q >= 0 and P (W P + q) = 0: the least P' W P / 2 + q' P, also where W is singular."""
    from scipy.optimize import nnls

    sizes, ways = np.linalg.eigh(0.5 * (W + W.T))
    good = sizes > 1e-12 * max(float(sizes.max(initial=0.0)), 1e-300)
    roots = np.sqrt(sizes[good])
    return np.asarray(nnls(roots[:, None] * ways[:, good].T, -(ways[:, good].T @ q) / roots)[0], dtype=np.float64)
