"""Sweeps and Monte Carlo: the same measure of a robot for many values of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.analysis import Task
from gearwright.arrays import Array
from gearwright.design.measures import Analysed, Forces, digest
from gearwright.design.points import Points, points
from gearwright.design.store import Outcome, Store
from gearwright.design.sweep_figure import sweep_figure, usual_numbers
from gearwright.design.workers import cluster, failing, local
from gearwright.errors import InputError
from gearwright.motion import Motion, Trajectory
from gearwright.parts import Robot, parameter, with_parameters
from gearwright.plots import saved
from gearwright.plots.notebook import Shown
from gearwright.simulation.progress import counting
from gearwright.text import did_you_mean

Measure = Callable[[Robot], Mapping[str, float]]


@dataclass(frozen=True)
class Sweep(Shown):
    """The results of a sweep.

    Args:
        names: of the parameters.
        values: of the parameters, (N, P).
        numbers: per name of a measure its values, (N,); nan where a point failed.
        errors: per point that failed, why.
        units: of the numbers, where the measure tells them.
        sampled: whether the points were drawn from distributions; else they are a grid.
    """

    names: tuple[str, ...]
    values: Array
    numbers: Mapping[str, Array]
    errors: Mapping[int, str]
    units: Mapping[str, str] = field(default_factory=dict)
    sampled: bool = False

    def plot(self, *names: str, path: str | Path | None = None, most: int = 4) -> Any:
        """Numbers over the parameter of a grid; of drawn samples histograms with the median.

        Args:
            names: of numbers; those rms torques of motors (of other measures: numbers) that vary most unless given.
            path: .png, .svg or .pdf, where the figure is saved too.
            most: how many are drawn where none are named.
        """
        for name in names:
            self[name]
        return saved(sweep_figure(self, names or usual_numbers(self.numbers, most)), path)

    def __getitem__(self, name: str) -> Array:
        """A parameter or a number by name, (N,)."""
        if name in self.names:
            return np.asarray(self.values[:, self.names.index(name)])
        if name not in self.numbers:
            raise InputError(f"sweep: {name!r}: {did_you_mean(name, (*self.names, *self.numbers))}")
        return self.numbers[name]

    def __len__(self) -> int:
        return len(self.values)


def sweep(
    robot: Robot,
    over: Mapping[str, Any],
    measure: Measure | Task | Trajectory | Motion,
    *,
    samples: int | None = None,
    seed: int = 0,
    store: str | Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool | None = None,
) -> Sweep:
    """Measure a robot for many values of its parameters.

    Args:
        robot: the robot.
        over: path of a parameter ("elbow.gear.ratio", "payload.mass") -> its values, of which all combinations are
            taken; or -> `Uniform(low, high)` or `Normal(mean, deviation)`, of which `samples` points are drawn.
        measure: a task (all characteristics of its analysis), a motion (peak and rms of the joint forces, through
            kernels), or a function of a robot that returns numbers by name; other processes must be able to import it.
        samples: how many points of distributions (a Latin hypercube).
        seed: of the samples.
        store: a file (SQLite) in which results are kept as they come: called again, the sweep goes on where it was.
        workers: processes on this machine; one per core unless given.
        scheduler: address of a Dask scheduler, whose workers compute instead.
        progress: whether a bar is drawn; on a terminal unless given.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> swing = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> found = sweep(gw.load("elbow"), {"j2.gear.ratio": [50.0, 100.0]}, swing)
    >>> bool(found["peak.j2"][1] > found["peak.j2"][0])
    True
    """
    where = points(over, samples, seed)
    for name in where.names:
        parameter(robot, name)
    measured = _measure(measure)
    kept = Store(None if store is None else Path(store), _identity(robot, where, measured))
    try:
        known = {outcome.point: outcome for outcome in kept.outcomes()}
        missing = [index for index in range(len(where)) if index not in known]
        with counting(len(where), len(known), progress, "sweeping") as count:
            for outcomes in _computed(robot, where, measured, missing, workers, scheduler):
                kept.add(outcomes)
                known |= {outcome.point: outcome for outcome in outcomes}
                count(len(known))
        return _gathered(where, known, measured.units(robot) if hasattr(measured, "units") else {})
    finally:
        kept.close()


def _measure(measure: Any) -> Measure:
    if isinstance(measure, Task):
        return Analysed(measure)
    if isinstance(measure, Trajectory):
        return Forces(measure.sample(201))
    if isinstance(measure, Motion):
        return Forces(measure)
    if not callable(measure):
        raise InputError(f"sweep: measure={measure!r} is not a task, a motion or a function of a robot.")
    return measure


def _identity(robot: Robot, where: Points, measure: Measure) -> str:
    """What the sweep is, so that a file of another one is recognised."""
    from gearwright.files.yaml_writer import write_yaml

    what = getattr(measure, "identity", None) or f"{measure.__module__}.{getattr(measure, '__qualname__', '')}"
    return digest(write_yaml(robot), where.names, where.values, what)


def _computed(
    robot: Robot, where: Points, measure: Measure, missing: list[int], workers: int | None, scheduler: str | None
) -> Iterator[list[Outcome]]:
    """Results as they come: many at once through a kernel, else point by point."""
    batch = getattr(measure, "batch", None)
    if batch is not None and scheduler is None and missing:
        columns = batch(robot, where.names, where.values[missing])
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        yield [
            Outcome(index, dict(zip(columns, row, strict=True)), None) for index, row in zip(missing, rows, strict=True)
        ]
        return
    job = partial(failing, partial(_point, robot, where, measure))
    found = local(job, missing, workers) if scheduler is None else cluster(job, missing, scheduler)
    for outcome in found if missing else ():
        yield [outcome]


def _point(robot: Robot, where: Points, measure: Measure, index: int) -> dict[str, float]:
    return dict(measure(with_parameters(robot, where.at(index))))


def _gathered(where: Points, known: Mapping[int, Outcome], units: Mapping[str, str]) -> Sweep:
    names = dict.fromkeys(name for index in sorted(known) for name in known[index].numbers)
    numbers = {
        name: np.array([known[index].numbers.get(name, np.nan) for index in range(len(where))]) for name in names
    }
    errors = {index: outcome.error for index, outcome in known.items() if outcome.error is not None}
    return Sweep(where.names, where.values, numbers, errors, units, where.sampled)
