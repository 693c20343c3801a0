"""Sets of choices, one per joint: what each costs, and how much of its limits it takes, for many sets at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates, Screening, screen
from gearwright.design.candidates.drive_equations import PEAKS
from gearwright.design.candidates.drive_influence import DriveSpace

Places = NDArray[np.intp]
"""Per set and joint the place of a choice among its candidates, (P, J)."""
CACHED = 40_000
"""Values of a series that are computed together: a dozen such arrays fit into the caches of a processor."""
INSTANTS = 9
"""Evenly spaced times at which sets are looked at before the whole motion is."""
NEGLIGIBLE = 1e-12
"""Share of a drive's largest force below which it does not act on a joint."""


class SetNumbers(NamedTuple):
    """The numbers of many sets, (P,) each; nan where a sheet does not say.

    Args:
        use: the largest share of any limit.
        mass: [kg].
        energy: electrical, per cycle [J].
        price: in the currency of the user's file.
        temperature: of the warmest winding [K].
    """

    use: Array
    mass: Array
    energy: Array
    price: Array
    temperature: Array

    def at(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> SetNumbers:
        """Those of some of the sets."""
        return SetNumbers(*(column[rows] for column in self))


@dataclass(frozen=True)
class DriveSets:
    """All sets of choices that there are.

    Args:
        space: forces as a function of the drives.
        options: per joint its candidates.
        acting: per joint the others whose drives act on it; found from the motion unless given.
    """

    space: DriveSpace
    options: tuple[Candidates, ...]
    acting: tuple[set[int], ...] | None = None

    @cached_property
    def order(self) -> tuple[int, ...] | None:
        """Joints so that each comes after all whose drives act on it; None when they act on each other."""
        waiting, done = set(range(len(self.options))), []
        while waiting:
            ready = [j for j in sorted(waiting, reverse=True) if not self._acting[j] & (waiting - {j})]
            if not ready:
                return None
            done.append(ready[0])
            waiting.remove(ready[0])
        return tuple(done)

    @cached_property
    def _acting(self) -> tuple[set[int], ...]:
        """Per joint the others whose drives act on it."""
        if self.acting is not None:
            return self.acting
        bases = self.space.drives

        def acts(k: int, j: int) -> bool:
            series = (bases[k].mass, bases[k].rest, bases[k].first, bases[k].second)
            return any(np.abs(x[:, bases[j].at]).max() > NEGLIGIBLE * np.abs(x).max(initial=1e-300) for x in series)

        return tuple({k for k in range(len(bases)) if k != j and acts(k, j)} for j in range(len(bases)))

    def screened(self, joint: int, chosen: Mapping[int, Places], places: Places) -> Screening:
        """One joint of many sets: `places` (P,) of its candidates, and those of the joints that act on it.

        Series are made for so many sets at once as the processor's caches hold.
        """
        step = max(1, CACHED // len(self.space.t))
        parts = [
            self._screened(joint, {k: x[start : start + step] for k, x in chosen.items()}, places[start : start + step])
            for start in range(0, max(len(places), 1), step)
        ]
        if len(parts) == 1:
            return parts[0]
        return Screening(
            {name: np.concatenate([one.use[name] for one in parts]) for name in parts[0].use},
            energy=np.concatenate([one.energy for one in parts]),
            temperature=np.concatenate([one.temperature for one in parts]),
        )

    def _screened(self, joint: int, chosen: Mapping[int, Places], places: Places) -> Screening:
        at = self.space.drives[joint].at
        load = np.broadcast_to(self.space.bare[:, at], (len(places), len(self.space.t)))
        for k in sorted(self._acting[joint]):
            load = load + self._added(k, chosen[k], at)
        return screen(self.options[joint][places], self.space.motion, load)

    def _added(self, k: int, places: Places, at: int) -> Array:
        """What chosen drives of a joint add to a force, (P, T)."""
        some, basis = self.options[k][places], self.space.drives[k]
        mass, inertia, ratio = (x[:, None] for x in (some.mass, some.inertia, some.ratio))
        turning = basis.rest[:, at] + ratio * (basis.first[:, at] + ratio * basis.second[:, at])
        return np.asarray(mass * basis.mass[:, at] + inertia * turning)

    def peak_use(self, joint: int, chosen: Mapping[int, Places], places: Places) -> Array:
        """A lower bound of the largest share of any limit that a joint of many sets takes, (P,), from few instants."""
        found = self._at_instants.screened(joint, chosen, places).use
        return np.asarray(np.max([found[name] for name in PEAKS if name in found], axis=0))

    @cached_property
    def _at_instants(self) -> DriveSets:
        """The same sets at few instants: those of the largest forces, accelerations and speeds, and some between."""
        times, ends = len(self.space.t), []
        for basis in self.space.drives:
            at = basis.at
            for series in (self.space.bare[:, at], basis.mass[:, at], basis.second[:, at], self.space.motion.v[:, at]):
                ends += [int(series.argmax()), int(series.argmin())]
        rows = np.unique([*ends, *np.linspace(0, times - 1, INSTANTS).astype(int)])
        return DriveSets(self.space.at_times(rows), tuple(some.at_times(rows) for some in self.options), self._acting)

    def evaluated(self, sets: Places, share: float = inf) -> SetNumbers:
        """The numbers of whole sets.

        Args:
            sets: the sets, (P, J).
            share: of every limit that may be taken; of sets that take more of one at a single instant only mass and
                price are computed, and their use is inf.
        """
        fits = np.ones(len(sets), dtype=bool)
        if share < inf:
            for j in range(sets.shape[1]):
                left = np.flatnonzero(fits)
                fits[left] = self._once(sets[left], j, self._peak_uses)[0] <= share
        columns = [self._once(sets[fits], j, self._numbers) for j in range(sets.shape[1])]
        use, energy, temperature = (np.full(len(sets), x) for x in (inf, nan, nan))
        use[fits] = np.max([one[0] for one in columns], axis=0)
        energy[fits] = np.sum([one[1] for one in columns], axis=0)
        temperature[fits] = np.max([one[2] for one in columns], axis=0)
        return SetNumbers(use, self._summed(sets, "mass"), energy, self._summed(sets, "price"), temperature)

    def _peak_uses(self, joint: int, chosen: Mapping[int, Places], places: Places) -> tuple[Array, ...]:
        return (self.peak_use(joint, chosen, places),)

    def _numbers(self, joint: int, chosen: Mapping[int, Places], places: Places) -> tuple[Array, ...]:
        found = self.screened(joint, chosen, places)
        return found.worst, found.energy, found.temperature

    def _once(
        self, sets: Places, joint: int, columns_of: Callable[[int, Mapping[int, Places], Places], tuple[Array, ...]]
    ) -> tuple[Array, ...]:
        """Numbers of one joint of many sets; computed once where neither its choice nor those that act on it differ."""
        deciding = [joint, *sorted(self._acting[joint])]
        same = len(sets) > 1 and bool((sets[:, deciding] == sets[0, deciding]).all())
        rows = sets[:1] if same else sets
        numbers = columns_of(joint, {k: rows[:, k] for k in deciding}, rows[:, joint])
        return tuple(np.broadcast_to(x, len(sets)) for x in numbers) if same else numbers

    def _summed(self, sets: Places, word: str) -> Array:
        return np.asarray(np.sum([getattr(some, word)[sets[:, j]] for j, some in enumerate(self.options)], axis=0))

    def uses(self, places: Places) -> dict[str, float]:
        """Of one set the share of every limit that is taken, by names as an analysis has them."""
        chosen = {j: np.array([place]) for j, place in enumerate(places)}
        return {
            f"{self.space.drives[j].drive.title}: {name}": float(use[0])
            for j in chosen
            for name, use in self.screened(j, chosen, chosen[j]).use.items()
        }

    def tightest(self, places: Places) -> tuple[str, float]:
        """The limit that one set misses most, or keeps least, and its use."""
        uses = self.uses(places)
        worst = max(uses, key=lambda name: uses[name])
        return worst, uses[worst]
