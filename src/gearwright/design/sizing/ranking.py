"""Ranking of sets for analysis, the best first, corrected by the screening errors found in earlier analyses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gearwright.analysis import LimitKey
from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Choice
from gearwright.design.candidates.objectives import DesignPoint, pareto_front_indices
from gearwright.design.search.drive_set_search import SearchResult
from gearwright.design.sizing.verification import Violations
from gearwright.design.variables.design_evaluation import SizingProblem
from gearwright.errors import InputError

MAX_SCREENING_ERROR = 10.0
"""Largest screening error relative to a limit, for windings without a steady state."""
MAX_REPEATED_SEARCHES = 3
"""Number of repeated searches if no set is feasible with the screening errors."""
NEAR_MISS_FACTOR = 1.25
"""Screening errors are estimates: if no set is feasible, sets up to this multiple of the limit are analysed."""
SAME_OBJECTIVE_RATIO = 1e-9
"""Relative: objectives that differ by less are equal."""
RANKING_CHUNK_SIZE = 200
"""Number of sets whose screening errors are evaluated together."""


def _choice_keys(choice: Choice) -> tuple[str, str]:
    return choice.motor.key, "" if choice.gearbox is None else choice.gearbox.key


def _design_keys(design: DesignPoint) -> tuple[tuple[str, str], ...]:
    return tuple(map(_choice_keys, design.choices))


class DesignRanking:
    """Sets in the order in which they are analysed.

    An analysis shows a higher utilisation than the screening because of the errors of a closed loop, of temperature
    variation and of inductive voltage. The ratio of both for a set that exceeds a limit is the screening error, which
    is applied to all other sets: those that would exceed the limit too are deferred. If none is left, the search is
    repeated with these screening errors.

    Args:
        sets: results of the screening, the best first.
        problem: the sizing problem; None if screening errors do not apply to other designs, because other variables
            vary too or the screening is that of an approximation.
    """

    def __init__(self, sets: SearchResult, problem: SizingProblem | None) -> None:
        self._sets, self._problem = sets, problem
        self._pending_designs = list(sets.designs)
        self._design_by_keys = {_design_keys(design): design for design in sets.designs} if problem is not None else {}
        self._tried_keys: set[tuple[tuple[str, str], ...]] = set()
        self._screening_errors: dict[LimitKey, float] = {}
        self._searches = 0
        self.refusal = ""  # why no set is feasible with the screening errors, if known

    def __iter__(self) -> Iterator[DesignPoint]:
        while (position := self._next_position()) is not None:
            design = self._pending_designs.pop(position)
            self._tried_keys.add(_design_keys(design))
            yield design

    def skipped_designs(self, winner: DesignPoint) -> Iterator[DesignPoint]:
        """Untried sets better than the winner that are nearly feasible with the screening errors, the best first."""
        better = self._better_designs(winner)
        uses = self._corrected_shares(better)
        for design, share in zip(better, uses, strict=True):
            if share <= NEAR_MISS_FACTOR * self._allowed_share:
                self._tried_keys.add(_design_keys(design))
                yield design

    def _better_designs(self, winner: DesignPoint) -> list[DesignPoint]:
        """Untried sets better than the winner, the best first."""
        if self._problem is None:
            return []
        objective = self._problem.objective
        bound = winner.objective_value(objective) * (1 - SAME_OBJECTIVE_RATIO)
        better = [
            design
            for keys, design in self._design_by_keys.items()
            if keys not in self._tried_keys and design.objective_value(objective) < bound
        ]
        return sorted(better, key=lambda design: design.objective_value(objective))

    def record_error(self, design: DesignPoint, violations: Violations) -> None:
        """Update the screening errors from the analysis of a set; the latest is used, from the most similar set."""
        if self._problem is None:
            return
        uses = self._problem.screened_shares(design)
        errors: dict[LimitKey, float] = {}
        for key, violation in violations.items():
            plain = key._replace(in_closed_loop=False)
            if uses.get(plain, 0.0) > 0:
                errors[plain] = max(errors.get(plain, 1.0), min(violation.share / uses[plain], MAX_SCREENING_ERROR))
        self._screening_errors |= errors

    def search_result(self, winner: DesignPoint) -> SearchResult:
        """The result; its front has the sets that are feasible with the screening errors, and the winner."""
        if self._problem is None or not self._screening_errors:
            return self._sets
        designs = self._sets.designs
        feasible = [
            design
            for design, bears in zip(designs, self._are_feasible(designs), strict=True)
            if bears and design is not winner
        ]
        feasible.append(winner)
        first, second = (np.array([design.objective_value(name) for design in feasible]) for name in self._problem.pair)
        return self._sets._replace(front=tuple(feasible[k] for k in pareto_front_indices(first, second)))

    def unanalysed_remarks(self, winner: DesignPoint) -> Iterator[str]:
        """A remark on better sets that were not analysed because similar ones failed."""
        count = len(self._better_designs(winner))
        if count and self._screening_errors:
            factors = ", ".join(f"{key} ({factor:.3g} times)" for key, factor in self._screening_errors.items())
            sets = "one better set was" if count == 1 else f"{count} better sets were"
            yield (
                f"{sets} not analysed: the analyses show a higher utilisation of these limits than the screening, "
                f"{factors}, and with the same factors these sets exceed them."
            )

    def _next_position(self) -> int | None:
        """Index of the best set that is feasible with the screening errors, or else of one that nearly is."""
        position = self._first_feasible()
        if position is None and self._screening_errors and self._searches < MAX_REPEATED_SEARCHES:
            self._searches += 1
            self._search_again()
            position = self._first_feasible()
        return self._closest_position() if position is None else position

    def _first_feasible(self) -> int | None:
        for start in range(0, len(self._pending_designs), RANKING_CHUNK_SIZE):
            feasible = np.flatnonzero(self._are_feasible(self._pending_designs[start : start + RANKING_CHUNK_SIZE]))
            if feasible.size:
                return start + int(feasible[0])
        return None

    def _closest_position(self) -> int | None:
        if not self._pending_designs:
            return None
        uses = self._corrected_shares(self._pending_designs)
        best = int(uses.argmin())
        return best if uses[best] <= NEAR_MISS_FACTOR * self._allowed_share else None

    def _are_feasible(self, designs: Sequence[DesignPoint]) -> NDArray[np.bool_]:
        return np.asarray(self._corrected_shares(designs) <= self._allowed_share)

    def _corrected_shares(self, designs: Sequence[DesignPoint]) -> Array:
        """The largest utilisation of any limit by each set with the screening errors; without them all are feasible."""
        if self._problem is None or not self._screening_errors or not designs:
            return np.zeros(len(designs))
        sets, places = self._problem.corrected_sets(self._screening_errors), self._problem.choice_indices(designs)
        chunks = [
            sets.evaluate_sets(places[start : start + RANKING_CHUNK_SIZE]).largest_share
            for start in range(0, len(places), RANKING_CHUNK_SIZE)
        ]
        return np.concatenate(chunks)

    @property
    def _allowed_share(self) -> float:
        return 1.0 if self._problem is None else self._problem.share

    def _search_again(self) -> None:
        """Search more sets with the screening errors."""
        assert self._problem is not None
        try:
            more = self._problem.best_sets_under(self._screening_errors)
        except InputError as error:
            self.refusal = str(error).removeprefix("size_drives: ")
            return
        self._design_by_keys |= {_design_keys(design): design for design in more.designs}
        self._pending_designs = [design for design in more.designs if _design_keys(design) not in self._tried_keys]
        self._sets = more._replace(
            evaluated_count=self._sets.evaluated_count + more.evaluated_count, remarks=self._sets.remarks
        )
