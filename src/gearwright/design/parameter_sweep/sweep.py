"""Parameter sweeps and Monte Carlo: one measure of a robot for many values of its parameters, with figure.

Numbers are drawn over a parameter of a grid, otherwise as distributions.
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
from gearwright.design.parameter_sweep.dask_cluster import compute_on_cluster
from gearwright.design.parameter_sweep.kernel_points import kernel_points
from gearwright.design.parameter_sweep.local_workers import compute_locally, with_error_caught
from gearwright.design.parameter_sweep.measure_fingerprint import fingerprint, measure_identity
from gearwright.design.parameter_sweep.measures import AnalysisMeasure, ForceMeasure
from gearwright.design.parameter_sweep.points import SweepPoints, SweepRanges, sweep_points
from gearwright.design.parameter_sweep.result_store import PointOutcome, ResultStore
from gearwright.design.parameter_sweep.swept_quantities import Measure, SweepSubject, subject_of
from gearwright.errors import InputError
from gearwright.motion import Motion, Trajectory
from gearwright.parts import Robot
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.plots import NotebookFigure, Panel, histogram_figure, panel_figure, save_if_path
from gearwright.simulation.progress import counting_bar
from gearwright.text import did_you_mean, listed_names

# Figures

PARAMETER_UNITS = {
    **{"mass": "kg", "inertia": "kg m²", "transverse_inertia": "kg m²", "com": "m", "position": "m"},
    **{"resistance": "Ω", "inductance": "H", "torque_constant": "Nm/A", "ratio": "", "efficiency": ""},
}
"""Units of parameters by the last part of their path; others are in SI units without label."""
MAX_CURVES = 6
"""Largest number of curves; of more values of the other parameters an even selection is drawn."""


def sweep_figure(result: Sweep, names: Sequence[str]) -> Any:
    """A matplotlib figure of some numbers of a sweep."""
    if result.is_sampled or len(result) == 1:
        return histogram_figure(
            {
                f"{name}{_bracketed_unit(unit)}": x
                for name, unit, x in (_displayed_number(result, name) for name in names)
            }
        )
    return _grid_figure(result, names, [np.unique(result[name]) for name in result.names])


def _grid_figure(result: Sweep, names: Sequence[str], grid: Sequence[Array]) -> Any:
    """One panel per number over the parameter with the most values; one curve per combination of the others."""
    abscissa = int(np.argmax([len(values) for values in grid]))
    path = result.names[abscissa]
    remaining = [k for k in range(len(grid)) if k != abscissa and len(grid[k]) > 1]
    sets = list(product(*(grid[k].tolist() for k in remaining)))
    chosen = [sets[k] for k in np.unique(np.linspace(0, len(sets) - 1, MAX_CURVES).round().astype(int))]
    panels = []
    for name in names:
        _, unit, values = _displayed_number(result, name)
        curves = {
            _curve_title(result, remaining, combination): _grid_curve(result, values, abscissa, remaining, combination)
            for combination in chosen
        }
        panels.append(Panel(f"{name}{_bracketed_unit(unit)}", curves))
    return panel_figure(grid[abscissa], f"{path}{_bracketed_unit(_parameter_unit(path))}", panels)


def _grid_curve(
    result: Sweep, values: Array, abscissa: int, remaining: Sequence[int], combination: Sequence[float]
) -> Array:
    """Values at given other parameters, sorted by the parameter on the axis."""
    rows = (
        np.all(result.values[:, list(remaining)] == np.asarray(combination), axis=1)
        if remaining
        else np.ones(len(values), bool)
    )
    _, first = np.unique(result.values[rows, abscissa], return_index=True)
    return np.asarray(values[rows][first])


def _curve_title(result: Sweep, remaining: Sequence[int], combination: Sequence[float]) -> str:
    return ", ".join(f"{result.names[k]} {x:.4g}" for k, x in zip(remaining, combination, strict=True))


def _displayed_number(result: Sweep, name: str) -> tuple[str, str, Array]:
    """A number with its unit and values; temperatures in degrees Celsius."""
    unit, values = result.units.get(name, ""), result[name]
    return (name, "°C", values - ZERO_CELSIUS) if unit == "K" else (name, unit, values)


def _parameter_unit(path: str) -> str:
    segments = [segment for segment in reversed(path.split(".")) if segment in PARAMETER_UNITS]
    return PARAMETER_UNITS[segments[0]] if segments else "SI"


def _bracketed_unit(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def default_numbers(numbers: Mapping[str, Array], most: int) -> list[str]:
    """Default numbers of the figure: of the rms motor torques, or of all numbers, those that vary most."""
    torques = [name for name in numbers if name.endswith(".rms_motor_torque")] or list(numbers)
    chosen = sorted(torques, key=lambda name: -_relative_range(numbers[name]))[:most]
    return [name for name in torques if name in chosen]


def _relative_range(values: Array) -> float:
    """Range of the finite values relative to their size."""
    finite = values[np.isfinite(values)]
    size = np.abs(finite).max(initial=0.0)
    return float(np.ptp(finite) / size) if size else 0.0


# Sweeps


@dataclass(frozen=True)
class Sweep(NotebookFigure):
    """The results of a sweep.

    Args:
        names: of the parameters.
        values: of the parameters, (N, P).
        numbers: name of a result -> its values, (N,); nan for failed points.
        errors: per failed point its error.
        units: of the results, if the measure states them.
        is_sampled: whether points are samples of distributions or a list; otherwise they are a grid.
    """

    names: tuple[str, ...]
    values: Array
    numbers: Mapping[str, Array]
    errors: Mapping[int, str]
    units: Mapping[str, str] = field(default_factory=dict)
    is_sampled: bool = False

    def plot(self, *names: str, path: str | Path | None = None, most: int = 4) -> Any:
        """Figure of results over the parameter of a grid, or histograms of samples with their median.

        Args:
            names: of results; by default the rms motor torques (or other results) that vary most.
            path: .png, .svg or .pdf file in which the figure is also saved.
            most: largest number of panels without names.
        """
        for name in names:
            self[name]
        return save_if_path(sweep_figure(self, names or default_numbers(self.numbers, most)), path)

    def __getitem__(self, name: str) -> Array:
        """A parameter or a number by name, (N,)."""
        if name in self.names:
            return np.asarray(self.values[:, self.names.index(name)])
        if name not in self.numbers:
            raise InputError(f"sweep: {name!r}: {did_you_mean(name, (*self.names, *self.numbers))}")
        return self.numbers[name]

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        failed = f", {len(self.errors)} failed" if self.errors else ""
        return f"<Sweep over {listed_names(self.names)}: {len(self)} points, {len(self.numbers)} results{failed}>"


@check_arguments
@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """How the points of a sweep are drawn and computed.

    Args:
        seed: of the samples of distributions.
        workers: number of processes on this machine; by default one per core.
        scheduler: address of a Dask scheduler whose workers compute the points.
        progress: whether to show a progress bar; by default on a terminal.

    >>> SweepOptions(workers=1).seed
    0
    """

    seed: int = 0
    workers: int | None = None
    scheduler: str | None = None
    progress: bool | None = None


DEFAULT_SWEEP_OPTIONS = SweepOptions()


@check_arguments
def sweep(
    robot: Robot,
    over: SweepRanges,
    measure: Measure | Task | Trajectory | Motion,
    *,
    samples: int | None = None,
    store: str | Path | None = None,
    catalogue: Catalogue | None = None,
    options: SweepOptions = DEFAULT_SWEEP_OPTIONS,
) -> Sweep:
    """Evaluate a robot for many values of its parameters.

    Args:
        robot: the robot.
        over: path of a parameter -> its values, in all combinations; or -> `Uniform(low, high)` or
            `Normal(mean, deviation)`, of which `samples` points are drawn, the same at each combination. Or a list of
            points, each a mapping of paths to numbers. Paths are those of the robot ("elbow.gear.ratio",
            "payload.mass"), of its contacts ("wall.friction"), of the beams of its links ("upper.section.outer",
            "upper.length") and of the task ("task.pause", "task.ambient", "task.time_scale").
        measure: a task (all characteristics of its analysis), a motion (peak and rms of the joint forces, through
            kernels), or an importable function of a robot that returns numbers by name.
        samples: number of samples of the distributions (a Latin hypercube).
        store: file (SQLite) for results as they are computed; another call resumes the sweep.
        catalogue: data sheets that motors and gears name, for a task; by default the bundled ones.
        options: seed of the samples, processes or Dask scheduler, progress bar.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> swing = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> found = sweep(gw.load("elbow"), {"j2.gear.ratio": [50.0, 100.0]}, swing)
    >>> found  # doctest: +ELLIPSIS
    <Sweep over j2.gear.ratio: 2 points, ... results>
    >>> bool(found["peak.j2"][1] > found["peak.j2"][0])
    True
    """
    swept = sweep_points(over, samples, options.seed)
    subject = subject_of(robot, _resolve_measure(measure, catalogue), swept.names)
    identity = _sweep_identity(subject, swept) if store is not None else ""
    results = ResultStore(None if store is None else Path(store), identity, len(swept))
    try:
        outcome_by_point = {outcome.point: outcome for outcome in results.outcomes()}
        missing = [index for index in range(len(swept)) if index not in outcome_by_point]
        with counting_bar(len(swept), len(outcome_by_point), options.progress, "sweeping") as count:
            for outcomes in _compute_outcomes(subject, swept, missing, options):
                results.add(outcomes)
                outcome_by_point |= {outcome.point: outcome for outcome in outcomes}
                count(len(outcome_by_point))
        units = getattr(subject.measure, "units", None)
        return _collect_outcomes(swept, outcome_by_point, {} if units is None else units(subject.robot))
    finally:
        results.close()


def _resolve_measure(measure: Any, catalogue: Catalogue | None) -> Measure:
    if isinstance(measure, Task):
        return AnalysisMeasure(measure, catalogue=catalogue)
    if catalogue is not None:
        raise InputError("sweep: catalogue needs a task, but the measure is not a task. Omit catalogue.")
    if isinstance(measure, Trajectory):
        return ForceMeasure(measure.sample(201))
    if isinstance(measure, Motion):
        return ForceMeasure(measure)
    if not callable(measure):
        raise InputError(f"sweep: measure={measure!r} must be a task, a motion or a function of a robot.")
    return cast(Measure, measure)


def _sweep_identity(subject: SweepSubject, swept: SweepPoints) -> str:
    """Identity of the sweep, which its store must have."""
    from gearwright.files.yaml.writer import write_yaml

    return fingerprint(write_yaml(subject.robot), swept.names, swept.values, measure_identity(subject.measure))


def _compute_outcomes(
    subject: SweepSubject, swept: SweepPoints, missing: list[int], options: SweepOptions
) -> Iterator[list[PointOutcome]]:
    """Results in order of completion: in blocks through a kernel, else point by point."""
    if not missing:
        return
    if options.scheduler is None:
        batches = kernel_points(subject, swept, missing)
        if batches is not None:
            yield from batches
            return
    job = partial(with_error_caught, partial(_point_numbers, subject, swept))
    outcomes = (
        compute_locally(job, missing, options.workers)
        if options.scheduler is None
        else compute_on_cluster(job, missing, options.scheduler)
    )
    yield from ([outcome] for outcome in outcomes)


def _point_numbers(subject: SweepSubject, swept: SweepPoints, index: int) -> dict[str, float]:
    return subject.measured_numbers(swept.parameters_at(index))


def _collect_outcomes(
    swept: SweepPoints, outcome_by_point: Mapping[int, PointOutcome], units: Mapping[str, str]
) -> Sweep:
    names = dict.fromkeys(name for index in sorted(outcome_by_point) for name in outcome_by_point[index].numbers)
    numbers = {
        name: np.array([outcome_by_point[index].numbers.get(name, np.nan) for index in range(len(swept))])
        for name in names
    }
    errors = {index: outcome.error for index, outcome in outcome_by_point.items() if outcome.error is not None}
    return Sweep(swept.names, swept.values, numbers, errors, units, swept.is_sampled)
