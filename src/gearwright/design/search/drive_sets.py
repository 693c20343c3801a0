"""Sets of choices, one per joint: objectives and utilisation of limits for many sets at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.analysis.drives.limit_kinds import CONTINUOUS_TORQUE, LimitKey
from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates
from gearwright.design.candidates.drive_influence import DriveSpace
from gearwright.design.candidates.screening import Screening, screen_candidates

ChoiceIndices = NDArray[np.intp]
"""Per set and joint the index of a choice among its candidates, (P, J)."""
CACHED_SERIES_VALUES = 40_000
"""Values of series that are computed together: a dozen such arrays fit into the caches of a processor."""
SCREENING_INSTANTS = 9
"""Number of evenly spaced times at which sets are screened before the whole motion."""
NEGLIGIBLE_FORCE_RATIO = 1e-12
"""Force relative to a drive's largest force, below which it does not act on a joint."""


class SetNumbers(NamedTuple):
    """The numbers of many sets, (P,) each; nan if a data sheet does not state them.

    Args:
        largest_share: largest utilisation of any limit.
        mass: [kg].
        energy: electrical, per cycle [J].
        price: in the currency of the user's file.
        temperature: of the hottest winding [K].
    """

    largest_share: Array
    mass: Array
    energy: Array
    price: Array
    temperature: Array

    def select_rows(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> SetNumbers:
        """The numbers of some of the sets."""
        return SetNumbers(*(column[rows] for column in self))


@dataclass(frozen=True)
class DriveSets:
    """All sets of choices.

    Args:
        space: forces as a function of the drives.
        options: per joint its candidates.
        influences: per joint the others whose drives act on it; by default computed from the motion.
    """

    space: DriveSpace
    options: tuple[Candidates, ...]
    influences: tuple[set[int], ...] | None = None

    @cached_property
    def joint_order(self) -> tuple[int, ...] | None:
        """Order of joints in which each follows all whose drives act on it; None if they act on each other."""
        waiting, ordered = set(range(len(self.options))), []
        while waiting:
            ready = [j for j in sorted(waiting, reverse=True) if not self._influencing_joints[j] & (waiting - {j})]
            if not ready:
                return None
            ordered.append(ready[0])
            waiting.remove(ready[0])
        return tuple(ordered)

    @cached_property
    def _influencing_joints(self) -> tuple[set[int], ...]:
        """Per joint the others whose drives act on it."""
        if self.influences is not None:
            return self.influences
        bases = self.space.drives

        def has_influence(k: int, j: int) -> bool:
            series = (bases[k].mass, bases[k].rest, bases[k].first, bases[k].second)
            return any(
                np.abs(x @ bases[j].share).max() > NEGLIGIBLE_FORCE_RATIO * np.abs(x).max(initial=1e-300)
                for x in series
            )

        return tuple({k for k in range(len(bases)) if k != j and has_influence(k, j)} for j in range(len(bases)))

    def screen_joint(
        self, joint: int, chosen: Mapping[int, ChoiceIndices], places: ChoiceIndices, only_peaks: bool = False
    ) -> Screening:
        """Screening of one joint of many sets, by indices (P,) of its candidates and of the joints acting on it.

        Sets are processed in blocks that fit into the processor's caches.
        """
        step = max(1, CACHED_SERIES_VALUES // len(self.space.t))
        parts = [
            self._screen_block(
                joint, {k: x[start : start + step] for k, x in chosen.items()}, places[start : start + step], only_peaks
            )
            for start in range(0, max(len(places), 1), step)
        ]
        if len(parts) == 1:
            return parts[0]
        return Screening(
            {kind: np.concatenate([part.limit_shares[kind] for part in parts]) for kind in parts[0].limit_shares},
            energy=np.concatenate([part.energy for part in parts]),
            temperature=np.concatenate([part.temperature for part in parts]),
        )

    def _screen_block(
        self, joint: int, chosen: Mapping[int, ChoiceIndices], places: ChoiceIndices, only_peaks: bool
    ) -> Screening:
        share, pairs = self.space.drives[joint].share, self.options[joint][places]
        force = self.space.bare @ share + pairs.added_force(share)
        for k in sorted(self._influencing_joints[joint]):
            force = force + self.options[k][chosen[k]].added_force(share)
        return screen_candidates(pairs, self.space.motion, force, only_peaks)

    def peak_share_bound(self, joint: int, chosen: Mapping[int, ChoiceIndices], places: ChoiceIndices) -> Array:
        """A lower bound of the largest utilisation of any limit of a joint, (P,), from few instants."""
        screening = self._sets_at_instants.screen_joint(joint, chosen, places, only_peaks=True)
        return screening.largest_share

    @cached_property
    def _sets_at_instants(self) -> DriveSets:
        """The same sets at few instants: those of the largest forces, accelerations and speeds, and some others."""
        times, ends = len(self.space.t), []
        for basis in self.space.drives:
            share = basis.share
            for series in (self.space.bare @ share, basis.mass @ share, basis.second @ share, basis.speed):
                ends += [int(series.argmax()), int(series.argmin())]
        rows = np.unique([*ends, *np.linspace(0, times - 1, SCREENING_INSTANTS).astype(int)])
        return DriveSets(
            self.space.at_samples(rows),
            tuple(pairs.at_samples(rows) for pairs in self.options),
            self._influencing_joints,
        )

    def evaluate_sets(self, sets: ChoiceIndices, share: float = inf) -> SetNumbers:
        """The numbers of whole sets.

        Args:
            sets: the sets, (P, J).
            share: allowed utilisation of every limit; for sets that exceed it at a single instant only mass and price
                are computed, and their use is inf.
        """
        fits = np.ones(len(sets), dtype=bool)
        if share < inf:
            for j in range(sets.shape[1]):
                remaining = np.flatnonzero(fits)
                fits[remaining] = self._evaluate_once(sets[remaining], j, self._peak_share_columns)[0] <= share
        columns = [self._evaluate_once(sets[fits], j, self._joint_numbers) for j in range(sets.shape[1])]
        largest_share, energy, temperature = (np.full(len(sets), x) for x in (inf, nan, nan))
        largest_share[fits] = np.max([column[0] for column in columns], axis=0)
        energy[fits] = np.sum([column[1] for column in columns], axis=0)
        temperature[fits] = np.max([column[2] for column in columns], axis=0)
        return SetNumbers(
            largest_share, self._summed_field(sets, "mass"), energy, self._summed_field(sets, "price"), temperature
        )

    def _peak_share_columns(
        self, joint: int, chosen: Mapping[int, ChoiceIndices], places: ChoiceIndices
    ) -> tuple[Array, ...]:
        return (self.peak_share_bound(joint, chosen, places),)

    def _joint_numbers(
        self, joint: int, chosen: Mapping[int, ChoiceIndices], places: ChoiceIndices
    ) -> tuple[Array, ...]:
        screening = self.screen_joint(joint, chosen, places)
        return screening.largest_share, screening.energy, screening.temperature

    def _evaluate_once(
        self,
        sets: ChoiceIndices,
        joint: int,
        columns_of: Callable[[int, Mapping[int, ChoiceIndices], ChoiceIndices], tuple[Array, ...]],
    ) -> tuple[Array, ...]:
        """Numbers of one joint of many sets; computed once if all sets have equal choices of all joints involved."""
        deciding = [joint, *sorted(self._influencing_joints[joint])]
        is_same = len(sets) > 1 and bool((sets[:, deciding] == sets[0, deciding]).all())
        rows = sets[:1] if is_same else sets
        numbers = columns_of(joint, {k: rows[:, k] for k in deciding}, rows[:, joint])
        return tuple(np.broadcast_to(x, len(sets)) for x in numbers) if is_same else numbers

    def _summed_field(self, sets: ChoiceIndices, field: str) -> Array:
        return np.asarray(np.sum([getattr(pairs, field)[sets[:, j]] for j, pairs in enumerate(self.options)], axis=0))

    def limit_shares(self, places: ChoiceIndices) -> dict[LimitKey, float]:
        """Utilisation of every limit by one set."""
        chosen = {j: np.array([place]) for j, place in enumerate(places)}
        return {
            LimitKey(self.space.drives[j].drive.title, kind): float(limit_share[0])
            for j in chosen
            for kind, limit_share in self.screen_joint(j, chosen, chosen[j]).limit_shares.items()
        }

    def tightest_limit(self, places: ChoiceIndices) -> tuple[LimitKey, float]:
        """The limit with the largest utilisation by one set, and this utilisation."""
        unlimited = LimitKey(self.space.drives[0].drive.title, CONTINUOUS_TORQUE), 0.0
        return max(self.limit_shares(places).items(), key=lambda item: item[1], default=unlimited)
