"""Runs: named series with units, energy balance, phases of contacts, CSV and Parquet files, figures and comparisons.

The phases of a contact are approach, impact, constrained motion and release. Parquet files hold units as metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, increasing_array
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError, MissingExtraError
from gearwright.file_access import create_folder, open_regular, replacement_file, write_text
from gearwright.forces.contact.contact import FREE_MODE
from gearwright.forces.contact.soft_contact import PRESS_MODE
from gearwright.motion.csv_columns import read_columns
from gearwright.motion.csv_files import write_columns
from gearwright.plots import NotebookFigure, panel_figure, save_if_path
from gearwright.plots.time_spans import TimeSpan
from gearwright.system.series_figure import block_panels, overview_panels
from gearwright.text import did_you_mean, listed_names, visible_text

# Phases of contacts

STEPPED_MODE = "stepped"
"""Replaces the mode of a law if time stepping does not choose one."""
APPROACH, IMPACT, CONSTRAINED, RELEASE = "approach", "impact", "constrained", "release"
PHASE_TINTS = {APPROACH: 0, CONSTRAINED: 1, RELEASE: 2, IMPACT: 3}
"""Phases of a contact: approach, impact at one instant, constrained motion, release."""


def contact_phases(
    t: Sequence[float],
    modes: Mapping[str, Sequence[str]],
    events: Iterable[tuple[str, float, str]],
    series_names: set[str],
) -> dict[str, tuple[TimeSpan, ...]]:
    """Per contact its phases in order of time.

    Args:
        t: times of the samples.
        modes: modes of the laws at the samples.
        events: (law, time, mode) in order of time.
        series_names: the names of series; contacts report a gap.
    """
    happened = list(events)
    phases = {}
    for name, contact_modes in modes.items():
        if f"{name}.gap" in series_names and STEPPED_MODE not in contact_modes and len(t):
            changes = [(time, mode) for x, time, mode in happened if x == name]
            phases[name] = tuple(_phases_of_contact(float(t[0]), float(t[-1]), contact_modes[0], changes))
    return phases


def _phases_of_contact(begin: float, end: float, first: str, changes: Sequence[tuple[float, str]]) -> list[TimeSpan]:
    """The phases of one contact; a start in contact is not an impact."""
    now, since = APPROACH if first == FREE_MODE else CONSTRAINED, begin
    spans: list[TimeSpan] = []
    for time, mode in changes:
        if time <= begin:
            continue
        if mode == FREE_MODE:
            following = RELEASE
            meets = now != CONSTRAINED  # immediate rebound
        else:
            following, meets = CONSTRAINED, now != CONSTRAINED and mode != PRESS_MODE
        if following != now or meets:
            spans += [_phase_span(now, since, time)] if time > since else []
            spans += [_phase_span(IMPACT, time, time)] if meets else []
            now, since = following, time
    return [*spans, _phase_span(now, since, end)] if end > since else spans


def _phase_span(kind: str, begin: float, end: float) -> TimeSpan:
    return TimeSpan(kind, begin, end, PHASE_TINTS[kind])


# Files


def _import_parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError(
            "Parquet files need pyarrow, which is not installed: pip install 'gearwright[parquet]', or save as CSV."
        ) from None
    return pyarrow, pyarrow.parquet


def write_parquet(path: Path, t: Array, series: Mapping[str, Array], units: Mapping[str, str]) -> None:
    """All series as columns; the unit of each is its field's metadata."""
    arrow, parquet = _import_parquet()
    columns = {"t": t, **series}
    fields = [
        arrow.field(name, arrow.float64(), metadata={"unit": "s" if name == "t" else units.get(name, "")})
        for name in columns
    ]
    table = arrow.table([np.asarray(x) for x in columns.values()], schema=arrow.schema(fields))
    with replacement_file(path) as new:
        parquet.write_table(table, new)


def csv_text(t: Array, series: Mapping[str, Array]) -> str:
    """All series as CSV text, the times first."""
    values = np.column_stack(list(series.values())) if series else np.zeros((len(t), 0))
    return write_columns(list(series), values, t)


def read_series(path: Path) -> tuple[Array, dict[str, Array], dict[str, str]]:
    """Times, series and units from a file."""
    if path.suffix == ".parquet":
        return _read_parquet(path)
    table = read_columns(path, letters=None)
    t = table.time_column()
    return t, {name: table.values[:, k] for k, name in enumerate(table.header) if name != "t"}, {}


def _float_column(path: Path, name: str, column: Any) -> Array:
    """A column of real numbers; missing entries are NaN, except among the times."""
    try:
        values = as_float_array(str(path), f"column {name!r}", column.to_numpy())
        return increasing_array(str(path), "column 't'", values) if name == "t" else values
    except InputError as error:
        raise FileError(str(error)) from None


def _read_parquet(path: Path) -> tuple[Array, dict[str, Array], dict[str, str]]:
    arrow, parquet = _import_parquet()
    try:
        with open_regular(path) as file:
            table = parquet.read_table(file)
    except (OSError, arrow.ArrowInvalid) as error:
        raise FileError(f"{path}: {error}. Give a Parquet file that a run was saved to.") from None
    names = table.column_names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise FileError(f"{path}: column {twice[0]!r} appears twice. Remove one of them.")
    columns = {name: _float_column(path, name, table.column(name)) for name in names}
    if "t" not in columns:
        raise FileError(f"{path}: missing column t (the times). It has {listed_names(columns)}.")
    units = {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in table.schema}
    return columns.pop("t"), columns, {name: units[name] for name in columns}


# Runs

BALANCE_ENERGIES = ("kinetic", "potential", "stored", "supplied", "dissipated")
"""Terms of the energy balance."""

LEAST_MOVED_ENERGY_RATIO = 1e-2
"""Share of the largest energy in the balance that always counts as moved: an arm may be at rest, or sampled only at its
turning points, but rounding and tolerances are relative to the energies themselves."""


def _peak_magnitude(values: Array) -> float:
    return float(np.abs(values).max()) if values.size else 0.0


@dataclass(frozen=True)
class RunEvent:
    """An event of a run: a change of a law's mode, or an event of the user."""

    t: float
    name: str
    kind: str


@dataclass(frozen=True)
class Run(NotebookFigure):
    """The result of a simulation: named series with units, events, modes and remarks.

    Args:
        t: times [s], (T,).
        series: values (T,) by name: `q.<coordinate>`, `v.<speed>`, `a.<speed>`, `tau.<speed>`, inputs, states and
            signals of laws, and `energy.kinetic`, `.potential`, `.stored`, `.supplied`, `.dissipated`, `.balance`.
        units: unit of each series.
        events: events in order of time.
        remarks: choices of the program and observations, as text.
        name: name of the robot or machine.
        modes: mode of every law at each sample, by the law's name; "stepped" where time stepping does not choose one.
        sensitivities: per signal ("q", "v", states and signals of laws) and name the derivatives at the samples, as
            requested by `simulate(..., sensitivities=)`.

    >>> import gearwright as gw
    >>> run = gw.simulate(gw.assemble(gw.load("elbow")), [0.0, 0.5, 0.0], until=0.1)
    >>> run["q.j2"][0], run.units["v.j2"]
    (np.float64(0.5), 'rad/s')
    """

    t: Array
    series: Mapping[str, Array]
    units: Mapping[str, str] = field(default_factory=dict)
    events: tuple[RunEvent, ...] = ()
    remarks: tuple[str, ...] = ()
    name: str = "run"
    modes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sensitivities: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} samples" if len(self.t) else "empty"
        return f"<Run {visible_text(self.name)}: {span}, {len(self.series)} series, {len(self.events)} events>"

    def __getitem__(self, name: str) -> Array:
        """A series by name, (T,)."""
        if name == "t":
            return self.t
        if name not in self.series:
            raise InputError(f"run: there is no series {name!r}. {did_you_mean(name, self.series)}")
        return self.series[name]

    def block(self, prefix: str) -> Array:
        """All series whose names begin with `prefix` and a dot, side by side, (T, count)."""
        chosen = [values for name, values in self.series.items() if name.startswith(f"{prefix}.")]
        return np.column_stack(chosen) if chosen else np.zeros((len(self.t), 0))

    @property
    def q(self) -> Array:
        """Configurations, (T, nq)."""
        return self.block("q")

    @property
    def v(self) -> Array:
        """Speeds, (T, n)."""
        return self.block("v")

    @property
    def a(self) -> Array:
        """Accelerations, (T, n)."""
        return self.block("a")

    @property
    def tau(self) -> Array:
        """Applied generalized forces, (T, n)."""
        return self.block("tau")

    @property
    def drift(self) -> float:
        """The largest error of the energy balance, relative to the largest energy exchanged.

        The balance is stored(t) - stored(0) = supplied - dissipated; its error is divided by `moved_energy`.
        """
        error = float(np.abs(self["energy.balance"]).max()) if len(self.t) else 0.0
        return error / self.moved_energy if self.moved_energy > 0 else 0.0

    @property
    def moved_energy(self) -> float:
        """The largest energy exchanged [J]: the peak of kinetic energy and work.

        It is at least a hundredth of the largest energy in the balance, so it is not zero for an arm at rest.
        """
        peaks = {kind: _peak_magnitude(self.series.get(f"energy.{kind}", np.zeros(0))) for kind in BALANCE_ENERGIES}
        least = LEAST_MOVED_ENERGY_RATIO * max(peaks.values())
        return max(least, *(peaks[kind] for kind in ("kinetic", "supplied", "dissipated")))

    @check_arguments
    def save(self, path: str | Path) -> Path:
        """Write all series to a CSV or Parquet file, chosen by the suffix."""
        target = Path(path)
        create_folder(target.parent)
        if target.suffix == ".csv":
            write_text(target, csv_text(self.t, self.series))
        elif target.suffix == ".parquet":
            write_parquet(target, self.t, self.series, self.units)
        else:
            raise InputError(f"{target}: a run is saved as .csv or .parquet. Choose one of these suffixes.")
        return target

    @staticmethod
    @check_arguments
    def read(path: str | Path) -> Run:
        """A run from a CSV or Parquet file that `save` wrote."""
        t, series, units = read_series(Path(path))
        return Run(t, series, units, name=Path(path).stem)

    def plot(self, *prefixes: str, path: str | Path | None = None) -> Any:
        """A figure with one panel per kind of series and unit; with `path` it is saved too.

        Phases of contacts are drawn behind the curves, one row per contact.

        Args:
            prefixes: beginnings of names, such as "q", "v", "shoulder.current"; default: positions, speeds, forces,
                signals of motors, contacts, and energies.
            path: .png, .svg or .pdf.
        """
        blocks = [panel for prefix in prefixes for panel in block_panels(prefix, self.series, self.units, "run")]
        phases = self.phases
        panels = blocks or overview_panels(self.series, self.units, list(phases))
        return save_if_path(panel_figure(self.t, "time [s]", panels, title=self.name, spans=phases), path)

    @property
    def phases(self) -> dict[str, tuple[TimeSpan, ...]]:
        """The phases of each contact, as spans (kind, begin, end) in order of time.

        Kinds are approach, impact, constrained and release. An impact is an instant; after a rebound, a contact goes
        from release to release. Touching a compliant surface without mass is not an impact. Time stepping locates no
        events and has no phases.
        """
        happened = ((event.name, event.t, event.kind) for event in self.events)
        return contact_phases(self.t.tolist(), self.modes, happened, set(self.series))

    @check_arguments
    def compare(self, other: Run, names: Sequence[str] | None = None) -> dict[str, float]:
        """Largest difference per series, relative to its range in this run; the other run is interpolated to its times.

        Only the common time span is compared. Series that one of them lacks are skipped unless listed in `names`.
        """
        from scipy.interpolate import CubicSpline

        shared = [name for name in self.series if name in other.series] if names is None else list(names)
        inside = (self.t >= other.t[0]) & (self.t <= other.t[-1])
        if not inside.any():
            raise InputError(f"run: {self!r} and {other!r} have no time in common.")
        differences = {}
        for name in shared:
            values = self[name][inside]
            interpolated = CubicSpline(other.t, other[name])(self.t[inside])
            span = float(np.ptp(values))
            differences[name] = float(np.abs(interpolated - values).max()) / (span if span > 0 else 1.0)
        return differences
