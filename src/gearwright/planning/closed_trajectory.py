"""A motion of a machine with closed loops that is exact in every derivative, as those of free joints are.

At a time the dependent coordinates close the loops. The coefficients of their series of time follow one by one: with
those below c_k known, and c_k left out, the gaps have the coefficients r_k, and W c_k = -r_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra.operations import ARRAYS
from gearwright.algebra.taylor import Taylor, TaylorOperations
from gearwright.arguments import numbers, whole
from gearwright.arrays import Array
from gearwright.forces.scene import Scene
from gearwright.functions.closure import Closure
from gearwright.mechanism.rows import spread
from gearwright.motion import Trajectory

CORRECTIONS = 3
"""Newton steps from the polynomials, which are close already."""

AHEAD = 4
"""Derivatives beyond those asked for that are computed with them: who asks for one soon asks for the next."""


@dataclass(frozen=True)
class Follower:
    """Dependent coordinates that follow free ones.

    Args:
        closure: the machine with what closes it.
        free: the motion of the free coordinates.
        own: where these stand among the speeds.
        rest: where those stand that follow.
    """

    closure: Closure
    free: Trajectory
    own: tuple[int, ...]
    rest: tuple[int, ...]

    def derivatives(self, t: Array, near: Array, order: int) -> list[Array]:
        """All coordinates and `order` of their derivatives at times (T,), each (T, n), near others (T, n)."""
        given = [self.free.at(t, k) for k in range(order + 1)]
        q = near.copy()
        q[:, self.own] = given[0]
        for _ in range(CORRECTIONS):
            gap, inverse = self._gap(t, q)
            q[:, self.rest] -= np.einsum("tij,tj->ti", inverse, gap)
        inverse = self._gap(t, q)[1]
        series = [[column] for column in q.T]
        for k, index in enumerate(self.own):
            series[index] = list(Taylor.of_derivatives([x[:, k] for x in given]).c)
        for k in range(1, order + 1):
            missing = np.einsum("tij,tj->ti", inverse, self._coefficient(t, series, k))
            for j, index in enumerate(self.rest):
                series[index].append(-missing[:, j])
        filled = [Taylor(c).cut(order + 1).derivatives() for c in series]
        return [np.stack([x[k] + np.zeros(len(t)) for x in filled], axis=-1) for k in range(order + 1)]

    def _gap(self, t: Array, q: Array) -> tuple[Array, Array]:
        """How far from closed (T, m), and what takes that away from the dependent coordinates, (T, rest, m)."""
        mech, columns = self.closure.mech, list(q.T)
        scene = Scene(mech, columns, [np.zeros(len(t))] * mech.n, ARRAYS, t)
        placed = [line.placed(scene) for line in self.closure.lines]
        gap = [line.position(columns) + np.zeros(len(t)) for line in placed]
        rows = [[x + np.zeros(len(t)) for x in spread(line.terms, mech.n)] for line in placed]
        W = np.moveaxis(np.array(rows), -1, 0)[:, :, self.rest]
        return np.stack(gap, axis=-1), np.asarray(np.linalg.pinv(W), dtype=np.float64)

    def _coefficient(self, t: Array, series: Sequence[list[Array]], k: int) -> Array:
        """The coefficients of power k of the gaps, (T, m)."""
        q = [Taylor(c).cut(k + 1) for c in series]
        now = Taylor([t, 1.0]).cut(k + 1)
        scene = Scene(self.closure.mech, q, [x.rate() for x in q], TaylorOperations(ARRAYS), now)
        found = [line.placed(scene).position(q) for line in self.closure.lines]
        return np.stack([(x.c[k] if isinstance(x, Taylor) else 0.0) + np.zeros(len(t)) for x in found], axis=-1)


@dataclass(frozen=True, repr=False)
class ClosedTrajectory(Trajectory):
    """A motion that keeps loops closed, exactly at every time and in every derivative.

    Its `pieces` are polynomials that keep them closed nearly; `follower` closes them.
    """

    follower: Follower | None = None

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Position (0), speed (1), acceleration (2), jerk (3) ... at times t, shape t.shape + (n,)."""
        whole("trajectory", "derivative", derivative)
        times = numbers("trajectory", "t", t)
        values = self._known(np.clip(times, 0.0, self.duration).ravel(), derivative)[derivative]
        values = values[:, : self.count].reshape(*times.shape, self.count)
        resting = (times < 0) | (times > self.duration)
        return np.where(resting[..., None], 0.0, values) if derivative else values

    def kinks(self, order: int) -> list[float]:
        """Those of the free coordinates."""
        assert self.follower is not None
        return self.follower.free.kinks(order)

    @cached_property
    def _last(self) -> dict[bytes, list[Array]]:
        """The times asked for last, with all that is known there: derivatives are asked for one after the other."""
        return {}

    def _known(self, t: Array, derivative: int) -> list[Array]:
        key = t.tobytes()
        if len(self._last.get(key, ())) <= derivative:
            assert self.follower is not None
            near = self.pieces(t)
            whole_q = np.zeros((len(t), self.follower.closure.mech.n))
            whole_q[:, : self.count] = near
            found = self.follower.derivatives(t, whole_q, max(2, derivative + AHEAD if derivative else 0))
            self._last.clear()
            self._last[key] = found
        return self._last[key]
