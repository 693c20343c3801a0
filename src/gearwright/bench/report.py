"""What a benchmark found, as data and as text."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gearwright.compiling.host.known_processor import host
from gearwright.plots import bars, saved
from gearwright.plots.notebook import Shown

BATCH = "inverse dynamics, batch"
"""The task that is drawn."""


@dataclass(frozen=True)
class ContenderTime:
    """One contender on one task: its median time per state, and how many times Gearwright's that is."""

    robot: str
    task: str
    contender: str
    nanoseconds: float
    ratio: float


@dataclass(frozen=True)
class Promise:
    """A number that must hold: `value` at least (or at most) `limit`."""

    what: str
    value: float
    limit: float
    unit: str = "x"
    at_most: bool = False

    @property
    def kept(self) -> bool:
        """Whether it holds."""
        return self.value <= self.limit if self.at_most else self.value >= self.limit

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        verdict = "pass" if self.kept else "FAIL"
        return f"{verdict}  {self.value:8.4g} {self.unit:<4} ({sign} {self.limit:g})  {self.what}"


@dataclass(frozen=True)
class Size:
    """A chain of that many joints: operations, first compilation [s] and time per state [ns] of inverse dynamics."""

    joints: int
    operations: int
    compilation: float
    nanoseconds: float


@dataclass(frozen=True)
class Report(Shown):
    """Everything one run measured."""

    comparisons: Sequence[ContenderTime]
    promises: Sequence[Promise]
    sizes: Sequence[Size]
    missing: Sequence[str] = ()

    @property
    def kept(self) -> bool:
        """Whether all promises hold."""
        return all(promise.kept for promise in self.promises)

    def plot(self, path: str | Path | None = None) -> Any:
        """How many times as long as Gearwright every contender takes for inverse dynamics; also into a file."""
        batches = [line for line in self.comparisons if line.task == BATCH]
        robots = list(dict.fromkeys(line.robot for line in batches))
        ratio = {(line.contender, line.robot): line.ratio for line in batches}
        contenders = dict.fromkeys(line.contender for line in batches)
        series = {name: [ratio.get((name, robot), 0.0) for robot in robots] for name in contenders}
        return saved(bars(robots, series, "time over Gearwright's", "Inverse dynamics, batch, one thread", "_"), path)

    def as_data(self) -> dict[str, Any]:
        """Plain lists and numbers, with the machine they were measured on."""
        return {
            "machine": machine(),
            "comparisons": [asdict(x) for x in self.comparisons],
            "promises": [{**asdict(x), "kept": x.kept} for x in self.promises],
            "sizes": [asdict(x) for x in self.sizes],
            "missing": list(self.missing),
        }

    def __str__(self) -> str:
        lines = [machine(), ""]
        if self.comparisons:
            lines += [f"{'robot':<24}{'task':<34}{'contender':<34}{'ns/state':>12}{'ratio':>9}"]
            lines += [
                f"{x.robot:<24}{x.task:<34}{x.contender:<34}{x.nanoseconds:>12.1f}{x.ratio:>9.1f}"
                for x in self.comparisons
            ]
        if self.sizes:
            lines += ["", f"{'joints':>6}{'operations':>12}{'compilation s':>15}{'ns/state':>10}   (inverse dynamics)"]
            lines += [
                f"{x.joints:>6}{x.operations:>12}{x.compilation:>15.3f}{x.nanoseconds:>10.1f}" for x in self.sizes
            ]
        lines += ["", *(str(promise) for promise in self.promises)]
        lines += [f"not installed: {', '.join(self.missing)}"] if self.missing else []
        return "\n".join(lines)


def machine() -> str:
    """The machine, in a line.

    >>> "lanes" in machine()
    True
    """
    here = host()
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{here.cpu}, {here.width} lanes of float64, {system}, one thread"
