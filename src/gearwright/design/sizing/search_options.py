"""Options of the search for drives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import LARGEST_SEED, value_text, whole_number
from gearwright.design.search.drive_set_search import SEARCH_METHODS
from gearwright.design.variables.design_evaluation import DEFAULT_TRIALS
from gearwright.errors import InputError
from gearwright.text import did_you_mean

DEFAULT_SIZING_SAMPLES = 401
"""Number of samples for the screening; the selected design is analysed with more."""


@check_arguments
@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Options of the search for drives of `size_drives`.

    Args:
        samples: number of samples of the cycle in the screening, 2 or more.
        seed: of the stochastic search, for problems with too many sets or with variables.
        method: "enumerate" or "evolve" (genetic algorithm); by default according to the number of sets. Variables
            have a separate method.
        trials: number of proposed designs for problems with variables.
        front: the two objectives of the Pareto front; by default the objective and energy (for energy: and mass).
        verify_front: whether all designs of the front are analysed, and those that exceed a limit removed.
        model: an approximation ("diagonal", "reflected") for the screening instead of the exact machine, for
            comparison; the analysis of the selected design is always exact.
        assumed_efficiency: of gearboxes whose data sheets state none; without it they are skipped.
        progress: whether to show a progress bar during analyses; by default on a terminal.

    >>> SearchOptions(trials=0)
    Traceback (most recent call last):
    gearwright.errors.InputError: SearchOptions: trials=0 must be a whole number of at least 1. Give one such as 60.
    """

    samples: int = DEFAULT_SIZING_SAMPLES
    seed: int = 0
    method: str | None = None
    trials: int = DEFAULT_TRIALS
    front: Sequence[str] | None = None
    verify_front: bool = False
    model: str | None = None
    assumed_efficiency: float | None = None
    progress: bool | None = None

    def __post_init__(self) -> None:
        title = type(self).__name__
        counts = {
            "samples": whole_number(title, "samples", self.samples, least=2, example=DEFAULT_SIZING_SAMPLES),
            "seed": whole_number(title, "seed", self.seed, most=LARGEST_SEED),
            "trials": whole_number(title, "trials", self.trials, least=1, example=DEFAULT_TRIALS),
        }
        for name, count in counts.items():
            object.__setattr__(self, name, count)
        if self.method is not None and not (isinstance(self.method, str) and self.method in SEARCH_METHODS):
            remedy = did_you_mean(str(self.method), SEARCH_METHODS)
            raise InputError(f"{title}: method={value_text(self.method)} is unknown. {remedy}")
        if not isinstance(self.verify_front, bool):
            raise InputError(
                f"{title}: verify_front={value_text(self.verify_front)} must be True or False. Give one of them."
            )
