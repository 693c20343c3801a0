"""Sets of choices, one per joint: what each costs, and how much of its limits it takes, for many sets at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates, Screening, screen
from gearwright.design.candidates.drive_influence import DriveSpace

Places = NDArray[np.intp]
"""Per set and joint the place of a choice among its candidates, (P, J)."""
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
    """

    space: DriveSpace
    options: tuple[Candidates, ...]

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
        bases = self.space.drives

        def acts(k: int, j: int) -> bool:
            series = (bases[k].mass, bases[k].rest, bases[k].first, bases[k].second)
            return any(np.abs(x[:, bases[j].at]).max() > NEGLIGIBLE * np.abs(x).max(initial=1e-300) for x in series)

        return tuple({k for k in range(len(bases)) if k != j and acts(k, j)} for j in range(len(bases)))

    def screened(self, joint: int, chosen: dict[int, Places], places: Places) -> Screening:
        """One joint of many sets: `places` (P,) of its candidates, and those of the joints that act on it."""
        at = self.space.drives[joint].at
        load = np.broadcast_to(self.space.bare[:, at], (len(places), len(self.space.t)))
        for k in sorted(self._acting[joint]):
            load = load + self._added(k, chosen[k], at)
        return screen(self.options[joint][places], self.space.motion, load)

    def _added(self, k: int, places: Places, at: int) -> Array:
        """What chosen drives of a joint add to a force, (P, T)."""
        some, basis = self.options[k], self.space.drives[k]
        mass, inertia, ratio = (x[places, None] for x in (some.mass, some.inertia, some.ratio))
        turning = basis.rest[:, at] + ratio * (basis.first[:, at] + ratio * basis.second[:, at])
        return np.asarray(mass * basis.mass[:, at] + inertia * turning)

    def evaluated(self, sets: Places) -> SetNumbers:
        """The numbers of whole sets."""
        chosen = {j: sets[:, j] for j in range(sets.shape[1])}
        found = [self.screened(j, chosen, sets[:, j]) for j in range(sets.shape[1])]
        return SetNumbers(
            use=np.max([one.worst for one in found], axis=0),
            mass=self._summed(sets, "mass"),
            energy=np.sum([one.energy for one in found], axis=0),
            price=self._summed(sets, "price"),
            temperature=np.max([one.temperature for one in found], axis=0),
        )

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
