r"""Impulses or forces of several unilateral contacts with Coulomb friction, each in its friction cone.

With $W = J M^{-1} J'$ over all contacts (each a normal row, then none, one or two tangential ones) and the speeds
$u^+ = u + W P$: per contact $0 \le P_n \perp u_n^+ - b \ge 0$, and $|P_t| \le \mu P_n$ with $P_t$ against $u_t^+$ where
it slides. With accelerations for speeds and forces for impulses it is the same problem; sliding contacts then have a
given direction d, $P_t = -\mu P_n d$, and the problem may have no solution (Painleve's paradox).

The conditions are the zeros of $P_n - \max(0, P_n - r (u_n^+ - b))$ and $P_t - \Pi(P_t - r u_t^+)$, the projection on
the disc of radius $\mu P_n$ (Alart and Curnier 1991), found by a semismooth Newton method.
Where it does not converge, it is restarted after projected Gauss-Seidel sweeps. Rows may be linearly dependent: the
impulses of least change are taken. A single contact is solved directly, case by case, which also proves that no
solution exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.errors import SingularityError
from gearwright.functions.constrained.contact_impulses import CONE_ERROR_RATIO, MOVABLE_ROW_RATIO, solve_cone
from gearwright.functions.constrained.contact_workspace import contact_workspace

MAX_CONE_NEWTON_STEPS = 30
"""Number of Newton steps from one start."""

GAUSS_SEIDEL_SWEEPS = ((10, 1.0), (40, 1.0), (160, 1.0), (640, 0.7), (2560, 1.0), (10240, 0.7))
"""Gauss-Seidel sweeps, and their relaxation, before each further start of Newton's method.

Newton's method may cycle between modes where contacts are redundant and one of them is at the edge of its cone. Sweeps
converge there, but slowly: redundant impulses drift by small steps until a cone stops them. Sweeps without relaxation
may cycle themselves where friction is large."""

ACCEPTED_CONE_ERROR_RATIO = 1e-7
"""Residual, relative to the largest speed, that is still accepted where no start converges."""

DIVERGED_IMPULSE_RATIO = 1e9
"""Ratio of an impulse to that of a single contact above which the iteration diverges."""

CONE_RANK_RATIO = 1e-11
"""Singular values below this fraction of the largest are zero (linearly dependent rows)."""


def cone_impulses(W: Array, u: Array, blocks: Sequence[slice], friction: Sequence[float], target: Array) -> Array:
    """Return the impulses (m,) of contacts with normal speeds after impact of at least `target`, one per contact.

    Args:
        W: J M^-1 J' (m, m).
        u: speeds before (m,).
        blocks: rows of each contact, the normal one first.
        friction: friction coefficient of each contact.
        target: least normal speed of each contact after impact.

    >>> P = cone_impulses(np.eye(2), np.array([-1.0, 2.0]), [slice(0, 1), slice(1, 2)], [0.0, 0.0], np.zeros(2))
    >>> P.tolist()                                                  # the second contact separates
    [1.0, 0.0]
    """
    impulses = ContactProblem.from_blocks(W, u, blocks, friction, target).solve_impulses()
    if impulses is None:
        raise SingularityError(
            f"impact: no consistent impulses of {len(blocks)} contacts exist within their friction cones: friction is "
            "too large for these rows (Painleve's paradox). Lower it, or make a contact compliant."
        )
    return impulses


@dataclass(frozen=True)
class ContactProblem:
    """Coulomb's conditions for k contacts as arrays: one normal and two tangential rows each (empty if missing).

    Args:
        W: (3, 3, k, k): change of speed along a direction of one contact per impulse along one of another.
        u: speeds before impact, minus the targets (3, k).
        friction: friction coefficients (k,).
        slip_directions: direction of sliding contacts (2, k), zeros for others.
        places: index of each row in the input (3, k), -1 for a missing row.
        size: length of the vector of impulses.
    """

    W: Array
    u: Array
    friction: Array
    slip_directions: Array
    places: Array
    size: int

    @staticmethod
    def from_blocks(
        W: Array,
        u: Array,
        blocks: Sequence[slice],
        friction: Sequence[float],
        target: Array,
        slip_directions: Sequence[Array | None] | None = None,
    ) -> ContactProblem:
        """Return the problem for rows in blocks; `slip_directions` are directions of sliding contacts."""
        k = len(blocks)
        places = np.full((3, k), -1)
        directions = np.zeros((2, k))
        for i, rows in enumerate(blocks):
            count = rows.stop - rows.start if friction[i] else 1
            places[:count, i] = range(rows.start, rows.start + count)
            if slip_directions is not None and slip_directions[i] is not None:
                directions[: count - 1, i] = slip_directions[i]
        largest = np.abs(np.diag(W)).max(initial=0.0)
        is_movable = np.append(np.diag(W) > MOVABLE_ROW_RATIO * largest, False)
        is_movable[-1] = False
        places[1:] = np.where(is_movable[places[1:]], places[1:], -1)  # immobile rows of planar machines
        return ContactProblem(
            _matrix_by_contact(W, places),
            np.where(places >= 0, np.append(u, 0.0)[places], 0.0) - np.array([target, np.zeros(k), np.zeros(k)]),
            np.asarray(friction, dtype=float),
            directions,
            places,
            len(u),
        )

    def solve_impulses(self, start: Array | None = None) -> Array | None:
        """Return the impulses (m,); None if none are found. `start` is the initial guess (m,)."""
        if self.u.shape[1] == 1:
            alone = self._solve_single_contact()
            return None if alone is None else self._row_impulses(alone[:, None])
        P = (
            self._frictionless_start()
            if start is None
            else np.where(self.places >= 0, np.append(start, 0.0)[self.places], 0.0)
        )
        best, least = self._newton_iterate(P)
        for sweeps, relaxation in GAUSS_SEIDEL_SWEEPS:
            if least <= CONE_ERROR_RATIO * self.speed_scale:
                break
            P = self._gauss_seidel(P, sweeps, relaxation)
            iterate, error = self._newton_iterate(P)
            if error < least:
                best, least = iterate, error
        return self._row_impulses(best) if least <= ACCEPTED_CONE_ERROR_RATIO * self.speed_scale else None

    def _solve_single_contact(self) -> Array | None:
        """Return the impulses (3,) of a single contact, case by case: open, sticking, or sliding in some direction."""
        s = contact_workspace(self.W[:, :, 0, 0], self.u[:, 0], float(self.friction[0]))
        s.contact_slip[:2] = self.slip_directions[:, 0].tolist()
        return np.array(s.contact_impulse) if solve_cone(s, int(self._is_sliding[0])) == 0 else None

    @cached_property
    def speed_scale(self) -> float:
        """The largest speed."""
        return max(float(np.abs(self.u).max(initial=0.0)), 1e-300)

    @cached_property
    def _response_factors(self) -> Array:
        """Impulse per speed of each contact, along its normal and its tangents."""
        own_blocks = np.einsum("abkk->abk", self.W)
        largest = max(float(np.abs(own_blocks).max(initial=0.0)), 1e-300)
        normal = np.where(own_blocks[0, 0] > MOVABLE_ROW_RATIO * largest, own_blocks[0, 0], largest)
        return np.array([1.0 / normal, 1.0 / np.maximum(own_blocks[1, 1] + own_blocks[2, 2], 1e-3 * normal)])

    @cached_property
    def _is_sliding(self) -> NDArray[np.bool_]:
        return np.asarray((self.slip_directions != 0).any(axis=0))

    def speeds_after(self, P: Array) -> Array:
        """Return the speeds after impulses, minus the targets (3, k)."""
        return np.asarray(self.u + np.einsum("abkj,bj->ak", self.W, P))

    def violation_speed(self, P: Array) -> float:
        """Return the violation of the conditions as a speed."""
        after, (rn, rt) = self.speeds_after(P), self._response_factors
        normal = np.abs(np.minimum(P[0] / rn, after[0])).max(initial=0.0)
        across = np.abs((P[1:] - self._projected_friction(P, after)) / rt).max(initial=0.0)
        return float(max(normal, across))

    def _projected_friction(self, P: Array, after: Array, chosen: slice = slice(None)) -> Array:
        """Return the projection of the tangential impulses of the chosen contacts on their friction discs (2, k)."""
        most = self.friction[chosen] * np.maximum(P[0, chosen], 0.0)
        pulled = P[1:, chosen] - self._response_factors[1, chosen] * after[1:, chosen]
        size = np.maximum(np.hypot(*pulled), 1e-300)
        sliding_friction = -most * self.slip_directions[:, chosen]
        return np.where(self._is_sliding[chosen], sliding_friction, np.minimum(most / size, 1.0) * pulled)

    def _gauss_seidel(self, P: Array, sweeps: int, relaxation: float) -> Array:
        """Return the impulses after projected Gauss-Seidel sweeps with relaxation."""
        P, after, most = (
            P.copy(),
            self.speeds_after(P),
            DIVERGED_IMPULSE_RATIO * self.speed_scale * self._response_factors.max(),
        )
        for _ in range(sweeps):
            if np.abs(P).max() > most:  # divergence: sliding increases the normal force
                return np.zeros_like(P)
            for i in range(P.shape[1]):
                old = P[:, i].copy()
                P[0, i] += relaxation * (max(0.0, old[0] - self._response_factors[0, i] * after[0, i]) - old[0])
                after += self.W[:, 0, :, i] * (P[0, i] - old[0])
                P[1:, i] += relaxation * (self._projected_friction(P, after, slice(i, i + 1))[:, 0] - old[1:])
                after += self.W[:, 1, :, i] * (P[1, i] - old[1]) + self.W[:, 2, :, i] * (P[2, i] - old[2])
        return P

    def _newton_iterate(self, P: Array) -> tuple[Array, float]:
        """Return the best Newton iterate and its error."""
        best, least, signatures = P, self.violation_speed(P), set[bytes]()
        for _ in range(MAX_CONE_NEWTON_STEPS):
            matrix, right, signature = self._newton_equations(P)
            P = self._least_change(P, matrix, right)
            error = self.violation_speed(P)
            if error < least:
                best, least = P, error
            if least <= CONE_ERROR_RATIO * self.speed_scale or (
                signature in signatures and error > 0.5 * least and least < error
            ):
                break
            signatures.add(signature)
        return best, least

    def _least_change(self, P: Array, matrix: Array, right: Array) -> Array:
        """Return the solution nearest to P of equations that may be linearly dependent."""
        flat = P.ravel()
        change = np.linalg.lstsq(matrix, right - matrix @ flat, rcond=CONE_RANK_RATIO)[0]
        return np.asarray((flat + change).reshape(P.shape))

    def _newton_equations(self, P: Array) -> tuple[Array, Array, bytes]:
        """Return Newton's equations (3k, 3k) for the next impulses, their right-hand side, and their modes."""
        k = P.shape[1]
        after, (rn, rt) = self.speeds_after(P), self._response_factors
        presses = P[0] - rn * after[0] > 0
        pulled = P[1:] - rt * after[1:]
        size = np.hypot(*pulled)
        most = self.friction * np.maximum(P[0], 0.0)
        sticks = presses & ~self._is_sliding & (size <= most)
        slides = presses & ~sticks
        W = self.W.transpose(0, 2, 1, 3).reshape(3 * k, 3 * k)
        eye, u = np.eye(3 * k), self.u.ravel()
        matrix, right = eye.copy(), np.zeros(3 * k)
        index = np.arange(k)
        for rows in (index[presses], k + index[sticks], 2 * k + index[sticks]):
            r = rn[rows % k] if len(rows) and rows[0] < k else rt[rows % k]
            matrix[rows], right[rows] = r[:, None] * W[rows], -r * u[rows]
        empty = (self.places < 0).ravel()
        slip_direction = -pulled / np.maximum(size, 1e-300)
        for i in index[slides]:
            d = self.slip_directions[:, i] if self._is_sliding[i] else slip_direction[:, i]
            rows = np.array([k + i, 2 * k + i])
            matrix[rows, i] = self.friction[i] * d
            if not self._is_sliding[i]:
                turning = min(most[i] / max(size[i], 1e-300), 1.0) * (np.eye(2) - np.outer(d, d))
                matrix[rows] -= turning @ (eye[rows] - rt[i] * W[rows])
                right[rows] -= turning @ (rt[i] * u[rows])
        matrix[empty], right[empty] = eye[empty], 0.0
        return matrix, right, presses.tobytes() + sticks.tobytes()

    def _frictionless_start(self) -> Array:
        """Return the impulses without friction."""
        P = np.zeros_like(self.u)
        P[0] = _solve_frictionless(self.W[0, 0], self.u[0])
        return P

    def _row_impulses(self, P: Array) -> Array:
        """Return the impulses as a vector over all rows, inside the cones to the last digit."""
        P = P.copy()
        P[0] = np.maximum(P[0], 0.0)
        most = self.friction * P[0]
        P[1:] *= np.minimum(most / np.maximum(np.hypot(*P[1:]), 1e-300), 1.0)
        out = np.zeros(self.size)
        out[self.places[self.places >= 0]] = P[self.places >= 0]
        return out


def _matrix_by_contact(W: Array, places: Array) -> Array:
    """Return W by directions and contacts (3, 3, k, k), zeros for missing rows."""
    wide = np.pad(W, ((0, 1), (0, 1)))
    wide[-1], wide[:, -1] = 0.0, 0.0
    return np.asarray(wide[places[:, None, :, None], places[None, :, None, :]])


def _solve_frictionless(W: Array, q: Array) -> Array:
    """Solve the LCP P >= 0, W P + q >= 0, P (W P + q) = 0 as min P' W P / 2 + q' P, also for singular W."""
    from scipy.optimize import nnls

    sizes, eigenvectors = np.linalg.eigh(0.5 * (W + W.T))
    good = sizes > 1e-12 * max(float(sizes.max(initial=0.0)), 1e-300)
    roots = np.sqrt(sizes[good])
    return np.asarray(
        nnls(roots[:, None] * eigenvectors[:, good].T, -(eigenvectors[:, good].T @ q) / roots)[0], dtype=np.float64
    )
