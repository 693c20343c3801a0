"""Results of a benchmark, as data and as text."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gearwright.compiling.host.known_processor import host_processor
from gearwright.plots import NotebookFigure, bar_figure, save_if_path

INVERSE_BATCH_TASK = "inverse dynamics, batch"
"""The task in the figure."""


@dataclass(frozen=True)
class ContenderTime:
    """One contender on one task: its median time per state, and its ratio to Gearwright's."""

    robot: str
    task: str
    contender: str
    nanoseconds: float
    ratio: float


@dataclass(frozen=True)
class Target:
    """A target: `value` must be at least (or at most) `limit`."""

    description: str
    value: float
    limit: float
    unit: str = "x"
    at_most: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the target is met."""
        return self.value <= self.limit if self.at_most else self.value >= self.limit

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        verdict = "pass" if self.is_met else "FAIL"
        return f"{verdict}  {self.value:8.4g} {self.unit:<4} ({sign} {self.limit:g})  {self.description}"


@dataclass(frozen=True)
class ChainTiming:
    """A chain of `joints` joints: operations, first compilation [s] and time per state [ns] of inverse dynamics."""

    joints: int
    operations: int
    compilation: float
    nanoseconds: float


@dataclass(frozen=True)
class BenchmarkReport(NotebookFigure):
    """Results of one run."""

    comparisons: Sequence[ContenderTime]
    targets: Sequence[Target]
    chain_timings: Sequence[ChainTiming]
    missing_peers: Sequence[str] = ()

    @property
    def is_met(self) -> bool:
        """Whether all targets are met."""
        return all(promise.is_met for promise in self.targets)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the time ratios of all contenders for inverse dynamics; written if a path is given."""
        batches = [line for line in self.comparisons if line.task == INVERSE_BATCH_TASK]
        robots = list(dict.fromkeys(line.robot for line in batches))
        ratio = {(line.contender, line.robot): line.ratio for line in batches}
        contenders = dict.fromkeys(line.contender for line in batches)
        series = {name: [ratio.get((name, robot), 0.0) for robot in robots] for name in contenders}
        return save_if_path(
            bar_figure(robots, series, "time / Gearwright's time", "Inverse dynamics, batch, one thread", "_"), path
        )

    def as_data(self) -> dict[str, Any]:
        """Return plain lists and numbers, with a description of the computer."""
        return {
            "machine": machine_text(),
            "comparisons": [asdict(x) for x in self.comparisons],
            "promises": [{**asdict(x), "kept": x.is_met} for x in self.targets],
            "sizes": [asdict(x) for x in self.chain_timings],
            "missing": list(self.missing_peers),
        }

    def __str__(self) -> str:
        lines = [machine_text(), ""]
        if self.comparisons:
            lines += [f"{'robot':<24}{'task':<34}{'contender':<34}{'ns/state':>12}{'ratio':>9}"]
            lines += [
                f"{x.robot:<24}{x.task:<34}{x.contender:<34}{x.nanoseconds:>12.1f}{x.ratio:>9.1f}"
                for x in self.comparisons
            ]
        if self.chain_timings:
            lines += ["", f"{'joints':>6}{'operations':>12}{'compilation s':>15}{'ns/state':>10}   (inverse dynamics)"]
            lines += [
                f"{x.joints:>6}{x.operations:>12}{x.compilation:>15.3f}{x.nanoseconds:>10.1f}"
                for x in self.chain_timings
            ]
        lines += ["", *(str(promise) for promise in self.targets)]
        lines += [f"not installed: {', '.join(self.missing_peers)}"] if self.missing_peers else []
        return "\n".join(lines)


def machine_text() -> str:
    """Return a description of the computer, in one line.

    >>> "lanes" in machine_text()
    True
    """
    cpu_host = host_processor()
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{cpu_host.cpu}, {cpu_host.width} lanes of float64, {system}, one thread"
