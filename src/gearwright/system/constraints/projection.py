r"""Projection onto what is held: position and speed, in the metric of the mass matrix.

With the rows W of all holds that keep a place, $dq = -M^{-1} W' (W M^{-1} W')^+ (s - s_0)$ until s is there, then
$dv = -M^{-1} W' (W M^{-1} W')^+ (\dot s - \dot s_0)$: the smallest changes as kinetic energy measures them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate
from gearwright.forces.law import Hold
from gearwright.system.evaluation import situations_at
from gearwright.system.force_balance import rows_of
from gearwright.system.system import Modes, System

EXACT = 1e-14
"""How near to its place [m, rad] something must be, relative to the largest coordinate, before nothing is done."""

LOOSE = 1e-4
"""Directions that move what is held by less than this part of the most are left alone: errors would be blown up."""

TRIES = 40
"""Steps of Newton's method at most."""


@dataclass(frozen=True)
class HeldPlaces:
    """The holds of some modes that keep a place; `held_places` finds them.

    Args:
        system: the machine with its laws.
        holds: along lines that are not placed yet.
        owners: per hold the name of its law.
        beside: holds of the same laws that keep a speed but no place, such as friction that sticks in a contact.
        ways: directions (n, m) in which the machine may be moved, such as joints with the motors that follow them;
            None: all.
    """

    system: System
    holds: tuple[Hold, ...]
    owners: tuple[str, ...]
    beside: tuple[Hold, ...] = ()
    ways: Array | None = None

    def placed(self, t: float, x: Array, beside: bool = False) -> list[Hold]:
        """The holds along lines that are placed, with those beside them if wished."""
        scene = self.system.compiled.scene(t, x[self.system.q], x[self.system.v])
        wanted = (*self.holds, *self.beside) if beside else self.holds
        return [replace(hold, line=hold.line.placed(scene)) for hold in wanted]

    def missing(self, t: float, x: Array) -> Array:
        """Per hold how far it is from its place [m, rad]."""
        q = x[self.system.q].tolist()
        return _apart(self.placed(t, x), q)

    def hurrying(self, t: float, x: Array) -> Array:
        """Per hold how much faster it is than it should be [m/s, rad/s]."""
        return _hurry(self.placed(t, x), x[self.system.v].tolist())

    def rows(self, t: float, x: Array) -> Array:
        """W (holds, n)."""
        return rows_of([hold.line for hold in self.placed(t, x)], self.system.mech.n)

    def projected(self, t: float, x: Array) -> Array:
        """The state with position and speed on what is held."""
        out = self._moved(t, x)
        holds, v = self.placed(t, out, beside=True), out[self.system.v]
        out[self.system.v] = v - self._answer(out, holds, _hurry(holds, v.tolist()))
        return out

    def _moved(self, t: float, x: Array) -> Array:
        """The state with the position on what is held, as near as numbers come to it."""
        system, out, best = self.system, x.copy(), np.inf
        for _ in range(TRIES):
            holds, q = self.placed(t, out), out[system.q].tolist()
            apart = _apart(holds, q)
            gap = float(np.abs(apart).max())
            if gap <= EXACT * (1.0 + max(map(abs, q))) or (gap < 1e-9 and gap >= best):
                break
            best = min(best, gap)
            step = -self._answer(out, holds, apart)
            out[system.q] = integrate(system.mech, q, step.tolist(), FLOATS)
        return out

    def _answer(self, x: Array, holds: Sequence[Hold], error: Array) -> Array:
        """The smallest change along the holds that makes up for an error."""
        W = rows_of([hold.line for hold in holds], self.system.mech.n)
        M = self.system.compiled.mass_matrix(x[self.system.q])
        if self.ways is not None:
            W, M = W @ self.ways, self.ways.T @ M @ self.ways
        across = np.linalg.solve(M, W.T)
        forces = np.linalg.lstsq(W @ across, error, rcond=LOOSE**2)[0]
        moved = across @ forces
        return np.asarray(moved if self.ways is None else self.ways @ moved, dtype=np.float64)


def keeps_places(system: System) -> bool:
    """Whether a law keeps a place, so that runs must project onto it."""
    return any(law.keeps_places for law in system.laws)


def held_places(system: System, t: float, x: Array, u: Array, modes: Modes) -> HeldPlaces | None:
    """What keeps its place in given modes; None where nothing does."""
    if not keeps_places(system):
        return None
    situations = situations_at(system, t, x, u)
    found: list[tuple[Hold, str]] = []
    beside: list[Hold] = []
    for law, mode, situation in zip(system.laws, modes, situations, strict=True):
        holds = law.act(mode, situation).holds if law.keeps_places else ()
        kept = [hold for hold in holds if hold.place is not None]
        found += [(hold, law.name) for hold in kept]
        beside += [hold for hold in holds if kept and hold.place is None and hold.speed is not None]
    if not found:
        return None
    placed, owners = zip(*found, strict=True)
    return HeldPlaces(system, placed, owners, tuple(beside))


def _apart(holds: Sequence[Hold], q: Sequence[float]) -> Array:
    return np.array([hold.line.position(q) - hold.place for hold in holds], dtype=float)


def _hurry(holds: Sequence[Hold], v: Sequence[float]) -> Array:
    return np.array([hold.line.speed(v) - (hold.speed or 0.0) for hold in holds], dtype=float)
