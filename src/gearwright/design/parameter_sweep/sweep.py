"""Parameter sweeps and Monte Carlo: one measure of a robot for many values of its parameters, with figure.

Numbers are drawn over a parameter where it has a grid, else as distributions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np

from gearwright.analysis import Task
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.design.parameter_sweep.dask_cluster import cluster
from gearwright.design.parameter_sweep.kernel_points import kernel_points
from gearwright.design.parameter_sweep.local_workers import failing, local
from gearwright.design.parameter_sweep.measure_fingerprint import fingerprint, identity_of
from gearwright.design.parameter_sweep.measures import Analysed, Forces
from gearwright.design.parameter_sweep.points import Over, Points, points
from gearwright.design.parameter_sweep.result_store import Outcome, Store
from gearwright.design.parameter_sweep.swept_quantities import Measure, Subject, subject_of
from gearwright.errors import InputError
from gearwright.motion import Motion, Trajectory
from gearwright.parts import Robot
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.plots import Panel, figure, saved
from gearwright.plots.distributions import histograms
from gearwright.plots.notebook import Shown
from gearwright.simulation.progress import counting
from gearwright.text import did_you_mean

# Figures

UNITS = {
    **{"mass": "kg", "inertia": "kg m²", "transverse_inertia": "kg m²", "com": "m", "position": "m"},
    **{"resistance": "Ω", "inductance": "H", "torque_constant": "Nm/A", "ratio": "", "efficiency": ""},
}
"""Units of parameters by the last word of their path; of others SI is all that is said."""
MOST_CURVES = 6
"""Of more values of the other parameters some are drawn, evenly spread."""


def sweep_figure(found: Sweep, names: Sequence[str]) -> Any:
    """A matplotlib figure of some numbers of a sweep."""
    if found.sampled or len(found) == 1:
        return histograms({f"{name}{_bracket(unit)}": x for name, unit, x in (_shown(found, name) for name in names)})
    return _over_grid(found, names, [np.unique(found[name]) for name in found.names])


def _over_grid(found: Sweep, names: Sequence[str], grid: Sequence[Array]) -> Any:
    """One panel per number, over the parameter with the most values; a curve for every set of the others."""
    across = int(np.argmax([len(values) for values in grid]))
    path = found.names[across]
    others = [k for k in range(len(grid)) if k != across and len(grid[k]) > 1]
    sets = list(product(*(grid[k].tolist() for k in others)))
    drawn = [sets[k] for k in np.unique(np.linspace(0, len(sets) - 1, MOST_CURVES).round().astype(int))]
    panels = []
    for name in names:
        _, unit, values = _shown(found, name)
        curves = {_title(found, others, one): _curve(found, values, across, others, one) for one in drawn}
        panels.append(Panel(f"{name}{_bracket(unit)}", curves))
    return figure(grid[across], f"{path}{_bracket(_unit_of(path))}", panels)


def _curve(found: Sweep, values: Array, across: int, others: Sequence[int], at: Sequence[float]) -> Array:
    """Values where the other parameters have these, by rising values of the one across."""
    rows = np.all(found.values[:, list(others)] == np.asarray(at), axis=1) if others else np.ones(len(values), bool)
    _, first = np.unique(found.values[rows, across], return_index=True)
    return np.asarray(values[rows][first])


def _title(found: Sweep, others: Sequence[int], at: Sequence[float]) -> str:
    return ", ".join(f"{found.names[k]} {x:.4g}" for k, x in zip(others, at, strict=True))


def _shown(found: Sweep, name: str) -> tuple[str, str, Array]:
    """A number with its unit and values; temperatures in degrees Celsius."""
    unit, values = found.units.get(name, ""), found[name]
    return (name, "°C", values - ZERO_CELSIUS) if unit == "K" else (name, unit, values)


def _unit_of(path: str) -> str:
    words = [word for word in reversed(path.split(".")) if word in UNITS]
    return UNITS[words[0]] if words else "SI"


def _bracket(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def usual_numbers(numbers: Mapping[str, Array], most: int) -> list[str]:
    """Those drawn unless somebody says: of the rms torques of motors, or of all, the ones that vary most."""
    torques = [name for name in numbers if name.endswith(".rms_motor_torque")] or list(numbers)
    chosen = sorted(torques, key=lambda name: -_variation(numbers[name]))[:most]
    return [name for name in torques if name in chosen]


def _variation(values: Array) -> float:
    """Range of the finite ones relative to their size."""
    finite = values[np.isfinite(values)]
    size = np.abs(finite).max(initial=0.0)
    return float(np.ptp(finite) / size) if size else 0.0


# Sweeps


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


@check_arguments
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
    identity = _identity(subject, where) if store is not None else ""
    kept = Store(None if store is None else Path(store), identity, len(where))
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
    from gearwright.files.yaml.writer import write_yaml

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
