"""Times of several contenders, taken in turns so that all of them meet the same neighbours.

What is counted is the processor time of this process, all its threads together: another process that takes the core
away in the middle of a sample is nobody's fault.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

ROUNDS = 21
LONG_ENOUGH = 2e-3
"""A sample repeats a contender until it takes about so long [s]."""


@dataclass(frozen=True)
class Times:
    """Per contender its seconds per call, one sample per round."""

    samples: Mapping[str, Sequence[float]]

    def median(self, name: str) -> float:
        """The median time of a contender [s]."""
        return statistics.median(self.samples[name])

    def ratio(self, slower: str, faster: str) -> float:
        """The median over the rounds of the ratio within a round: what a busy neighbour does to both cancels."""
        pairs = zip(self.samples[slower], self.samples[faster], strict=True)
        return statistics.median(a / b for a, b in pairs)


def interleaved(contenders: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> Times:
    """Time every contender once per round, all in turn.

    >>> sorted(interleaved({"sum": lambda: sum(range(100)), "nothing": lambda: None}, rounds=3).samples)
    ['nothing', 'sum']
    """
    repeats = {name: _repeats(call) for name, call in contenders.items()}
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            samples[name].append(_seconds(call, repeats[name]))
    return Times(samples)


def _repeats(call: Callable[[], object]) -> int:
    call()
    once = min(_seconds(call, 1) for _ in range(3))
    return max(1, round(LONG_ENOUGH / max(once, 1e-9)))


def _seconds(call: Callable[[], object], repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats
