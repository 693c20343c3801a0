"""Inverting a linear actuator: states and input from the motion along its line and the force it must give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.arrays import Array
from gearwright.errors import DriveError

if TYPE_CHECKING:
    from gearwright.forces.actuator import LinearActuator


class Demand(NamedTuple):
    """What is asked of an actuator over a smooth piece of motion.

    Args:
        t: times (T,) [s].
        way: position along the line and its derivatives, each (T,); they may depend on parameters.
        force: force on the machine along the line and its derivatives, each (T,); likewise.
    """

    t: Array
    way: Sequence[Scalar]
    force: Sequence[Scalar]


class Answer(NamedTuple):
    """States of an actuator's own (T, states), inputs (T, inputs), and what else is known by name, each (T,)."""

    states: Scalar
    inputs: Scalar
    shown: Mapping[str, Scalar] = MappingProxyType({})


@dataclass(frozen=True)
class Inversion:
    r"""The inverse of $\dot x = C x + f M + d u + e$ by its relative degree r, the first with $T C^{r-1} d \ne 0$.

    The tie gives $T x$ from the speed; differentiating it along the equations gives $T C x$, $T C^2 x$, ... from the
    acceleration, the force and their derivatives, until the input appears. What these rows leave open of x is the
    actuator's inner motion, which is integrated along.
    """

    actuator: LinearActuator

    def __post_init__(self) -> None:
        if len(self.actuator.controls) != 1:
            raise DriveError(
                f"actuator {self.actuator.name!r} has {len(self.actuator.controls)} inputs, so that many of them give "
                "the same force. Tie them together to one, or use a law that says how they share."
            )
        if self.rows.shape[0] > len(self.C):
            raise DriveError(
                f"actuator {self.actuator.name!r}: its input {self.actuator.controls[0].name!r} never reaches its "
                "output. Check d and C."
            )
        pace = np.abs(np.linalg.eigvals(self.C)).max()
        if self.inner.size and np.linalg.eigvals(self._inner_rate).real.max() > 1e-6 * pace:
            raise DriveError(
                f"actuator {self.actuator.name!r}: its inner motion is unstable when its output is prescribed (it is "
                "not of minimum phase), so that no input follows a motion for long. Prescribe another output."
            )

    @cached_property
    def C(self) -> Array:
        """The matrix of its states."""
        return np.array(self.actuator.C)

    @cached_property
    def d(self) -> Array:
        """The column of its input."""
        return np.array(self.actuator.d)[:, 0]

    @cached_property
    def rows(self) -> Array:
        """T, T C, ..., T C^(r-1), (r, states); one row too many if no input ever appears."""
        rows, sizes = [np.array(self.actuator.tie)], [np.abs(self.actuator.tie)]
        for _ in range(len(self.C)):
            if abs(rows[-1] @ self.d) > 1e-10 * (sizes[-1] @ np.abs(self.d)):
                break
            rows.append(rows[-1] @ self.C)
            sizes.append(sizes[-1] @ np.abs(self.C))
        return np.array(rows)

    @property
    def degree(self) -> int:
        """The relative degree r: the force is needed with r - 1 derivatives, the motion with r + 1."""
        return len(self.rows)

    @cached_property
    def _known(self) -> tuple[Array, Array]:
        """Rows of x that are known, and a scale per state that makes them of like size."""
        ways = np.eye(len(self.C))[list(self.actuator.ways)]
        rows = np.concatenate([self.rows, ways])
        rows = rows / np.abs(rows).max(axis=1, keepdims=True)
        largest = np.abs(rows).max(axis=0)
        return rows, 1 / np.where(largest > 0, largest, 1.0)

    @cached_property
    def inner(self) -> Array:
        """Directions of x, scaled, that the known rows leave open, as columns."""
        rows, scale = self._known
        _, sizes, directions = np.linalg.svd(rows * scale)
        rank = int((sizes > 1e-10 * sizes.max()).sum())
        return directions[rank:].T

    @cached_property
    def _closed(self) -> Array:
        """C with the input chosen so that the output does as it must."""
        row = self.rows[-1]
        closed: Array = self.C - np.outer(self.d, row @ self.C) / (row @ self.d)
        return closed

    @cached_property
    def _inner_rate(self) -> Array:
        _, scale = self._known
        rate: Array = self.inner.T @ (self._closed / scale[:, None] * scale) @ self.inner
        return rate

    def solve(self, demand: Demand, inner: Array | None = None) -> tuple[Answer, Array]:
        """States and input over a piece, and the inner motion at its end; `inner` is the one at its start."""
        actuator = self.actuator
        output = [f - actuator.carried * w for f, w in zip(demand.force, demand.way[2:], strict=False)]
        values, wanted = self._chain(demand, output)
        fixed = self._fixed(values, demand.way[0])
        push = np.outer(output[0], actuator.f) + np.outer(wanted / (self.rows[-1] @ self.d), self.d) + actuator.offset
        x, last = self._with_inner(demand.t, fixed, push, inner)
        u = (wanted - x @ (self.rows[-1] @ self.C)) / (self.rows[-1] @ self.d)
        return Answer(x[:, list(actuator.own)], u[:, None]), last

    def _chain(self, demand: Demand, output: Sequence[Array]) -> tuple[list[Array], Array]:
        """T C^j x for j below r, and what T C^(r-1) (C x + d u) must be."""
        e, f = np.array(self.actuator.offset), np.array(self.actuator.f)
        known = list(demand.way[1 : self.degree + 2])  # T x and its derivatives
        values = []
        for row in self.rows:
            values.append(known[0])
            less = [row @ f * m for m in output[: len(known) - 1]]
            known = [y - z for y, z in zip(known[1:], less, strict=True)]
            known[0] = known[0] - row @ e
        return values, known[0]

    def _fixed(self, values: Sequence[Array], position: Array) -> Array:
        """The part of x that the known rows give, (T, states)."""
        factors = self.actuator.ways.values()
        right = np.array([*values, *(factor * position for factor in factors)])
        rows, scale = self._known
        whole = np.concatenate([self.rows, np.eye(len(self.C))[list(self.actuator.ways)]])
        sizes = np.abs(whole).max(axis=1, keepdims=True)
        found: Array = (scale[:, None] * (np.linalg.pinv(rows * scale) @ (right / sizes))).T
        return found

    def _with_inner(self, t: Array, fixed: Array, push: Array, start: Array | None) -> tuple[Array, Array]:
        """The whole of x once the inner motion is integrated, and that motion at the end."""
        if not self.inner.size:
            return fixed, np.zeros(0)
        _, scale = self._known
        if start is None:
            start = self.inner.T @ (np.array([x.initial for x in self.actuator.variables]) / scale)
        forcing = ((fixed @ self._closed.T + push) / scale) @ self.inner
        moved = _integrated(self._inner_rate, t, forcing, start)
        return fixed + moved @ self.inner.T * scale, moved[-1]


def _integrated(rate: Array, t: Array, forcing: Array, start: Array) -> Array:
    """Z of z' = rate z + forcing(t), the forcing through a spline, (T, z)."""
    from scipy.integrate import solve_ivp
    from scipy.interpolate import make_interp_spline

    curve = make_interp_spline(t, forcing, k=min(5, len(t) - 1))
    size = max(np.abs(forcing).max(), np.abs(start).max(), 1e-12)
    done = solve_ivp(
        lambda now, z: rate @ z + curve(now), (t[0], t[-1]), start, "LSODA", t, rtol=1e-10, atol=1e-12 * size
    )
    found: Array = done.y.T
    return found
