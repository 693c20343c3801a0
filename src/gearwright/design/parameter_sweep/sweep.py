"""Sweeps and Monte Carlo: the same measure of a robot for many values of its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from gearwright.analysis import Task
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.design.cluster import cluster
from gearwright.design.fingerprint import fingerprint, identity_of
from gearwright.design.kernel_points import kernel_points
from gearwright.design.measures import Analysed, Forces
from gearwright.design.points import Over, Points, points
from gearwright.design.store import Outcome, Store
from gearwright.design.subject import Measure, Subject, subject_of
from gearwright.design.sweep_figure import sweep_figure, usual_numbers
from gearwright.design.workers import failing, local
from gearwright.errors import InputError
from gearwright.motion import Motion, Trajectory
from gearwright.parts import Robot
from gearwright.plots import saved
from gearwright.plots.notebook import Shown
from gearwright.simulation.progress import counting
from gearwright.text import did_you_mean


@dataclass(frozen=True)
class Sweep(Shown):
    """The results of a sweep.

    Args:
        names: of the parameters.
        values: of the parameters, (N, P).
        numbers: per name of a measure its values, (N,); nan where a point failed.
        errors: per point that failed, why.
        units: of the numbers, where the measure tells them.
        sampled: whether points were drawn from distributions or listed one by one; else they are a grid.
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
    over: Over,
    measure: Measure | Task | Trajectory | Motion,
    *,
    samples: int | None = None,
    seed: int = 0,
    store: str | Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    catalogue: Catalogue | None = None,
    progress: bool | None = None,
) -> Sweep:
    """Measure a robot for many values of its parameters.

    Args:
        robot: the robot.
        over: path of a parameter -> its values, of which all combinations are taken; or -> `Uniform(low, high)` or
            `Normal(mean, deviation)`, of which `samples` points are drawn, the same ones at each combination. Or a
            list of points, each a mapping of paths to numbers. Paths are those of the robot ("elbow.gear.ratio",
            "payload.mass"), of what it touches ("wall.friction"), of the beams of its links ("upper.section.outer",
            "upper.length") and of the task ("task.pause", "task.ambient", "task.stretch").
        measure: a task (all characteristics of its analysis), a motion (peak and rms of the joint forces, through
            kernels), or a function of a robot that returns numbers by name; other processes must be able to import it.
        samples: how many points of distributions (a Latin hypercube).
        seed: of the samples.
        store: a file (SQLite) in which results are kept as they come: called again, the sweep goes on where it was.
        workers: processes on this machine; one per core unless given.
        scheduler: address of a Dask scheduler, whose workers compute instead.
        catalogue: where data sheets are found that motors and gears name, for a task; the bundled one unless given.
        progress: whether a bar is drawn; on a terminal unless given.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> swing = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> found = sweep(gw.load("elbow"), {"j2.gear.ratio": [50.0, 100.0]}, swing)
    >>> bool(found["peak.j2"][1] > found["peak.j2"][0])
    True
    """
    where = points(over, samples, seed)
    subject = subject_of(robot, _measure(measure, catalogue), where.names)
    kept = Store(None if store is None else Path(store), _identity(subject, where) if store is not None else "")
    try:
        known = {outcome.point: outcome for outcome in kept.outcomes()}
        missing = [index for index in range(len(where)) if index not in known]
        with counting(len(where), len(known), progress, "sweeping") as count:
            for outcomes in _computed(subject, where, missing, workers, scheduler):
                kept.add(outcomes)
                known |= {outcome.point: outcome for outcome in outcomes}
                count(len(known))
        units = getattr(subject.measure, "units", None)
        return _gathered(where, known, {} if units is None else units(subject.robot))
    finally:
        kept.close()


def _measure(measure: Any, catalogue: Catalogue | None) -> Measure:
    if isinstance(measure, Task):
        return Analysed(measure, catalogue=catalogue)
    if catalogue is not None:
        raise InputError("sweep: a catalogue is for a task, but the measure is not one. Leave the catalogue out.")
    if isinstance(measure, Trajectory):
        return Forces(measure.sample(201))
    if isinstance(measure, Motion):
        return Forces(measure)
    if not callable(measure):
        raise InputError(f"sweep: measure={measure!r} is not a task, a motion or a function of a robot.")
    return cast(Measure, measure)


def _identity(subject: Subject, where: Points) -> str:
    """What the sweep is, so that a file of another one is recognised."""
    from gearwright.files.yaml_writer import write_yaml

    return fingerprint(write_yaml(subject.robot), where.names, where.values, identity_of(subject.measure))


def _computed(
    subject: Subject, where: Points, missing: list[int], workers: int | None, scheduler: str | None
) -> Iterator[list[Outcome]]:
    """Results as they come: many at once through a kernel, else point by point."""
    if not missing:
        return
    if scheduler is None:
        many = kernel_points(subject, where, missing)
        if many is not None:
            yield from many
            return
    job = partial(failing, partial(_point, subject, where))
    found = local(job, missing, workers) if scheduler is None else cluster(job, missing, scheduler)
    yield from ([outcome] for outcome in found)


def _point(subject: Subject, where: Points, index: int) -> dict[str, float]:
    return subject.numbers(where.at(index))


def _gathered(where: Points, known: Mapping[int, Outcome], units: Mapping[str, str]) -> Sweep:
    names = dict.fromkeys(name for index in sorted(known) for name in known[index].numbers)
    numbers = {
        name: np.array([known[index].numbers.get(name, np.nan) for index in range(len(where))]) for name in names
    }
    errors = {index: outcome.error for index, outcome in known.items() if outcome.error is not None}
    return Sweep(where.names, where.values, numbers, errors, units, where.sampled)
