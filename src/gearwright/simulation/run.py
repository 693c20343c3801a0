"""Runs: named series with units, energy balance, phases of contacts, CSV and Parquet files, figures and comparisons.

The phases of a contact are approach, impact, constrained motion and release. Parquet files hold units as metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.arguments import as_floats, increasing
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError, MissingExtraError
from gearwright.file_access import open_regular, replacement, write_text
from gearwright.forces.contact.contact import FREE
from gearwright.forces.contact.soft_contact import PRESS
from gearwright.motion.csv_columns import read_columns
from gearwright.motion.csv_files import write_columns
from gearwright.plots import figure, saved
from gearwright.plots.notebook import Shown
from gearwright.plots.time_spans import Span
from gearwright.system.series_figure import block, overview
from gearwright.text import did_you_mean, listed, visible

# Phases of contacts

STEPPED = "stepped"
APPROACH, IMPACT, CONSTRAINED, RELEASE = "approach", "impact", "constrained", "release"
TINT = {APPROACH: 0, CONSTRAINED: 1, RELEASE: 2, IMPACT: 3}
"""What a contact does: not yet touching, meeting its surface at one instant, touching, having let go."""


def contact_phases(
    t: Sequence[float], modes: Mapping[str, Sequence[str]], events: Iterable[tuple[str, float, str]], known: set[str]
) -> dict[str, tuple[Span, ...]]:
    """Per contact its phases in order of time.

    Args:
        t: times of the samples.
        modes: modes of the laws at the samples.
        events: (law, time, mode) in order of time.
        known: the names of series; contacts report a gap.
    """
    happened = list(events)
    found = {}
    for name, met in modes.items():
        if f"{name}.gap" in known and STEPPED not in met and len(t):
            mine = [(at, what) for x, at, what in happened if x == name]
            found[name] = tuple(_phases(float(t[0]), float(t[-1]), met[0], mine))
    return found


def _phases(begin: float, end: float, first: str, changes: Sequence[tuple[float, str]]) -> list[Span]:
    """What one contact does; that it starts in contact is not an impact."""
    now, since = APPROACH if first == FREE else CONSTRAINED, begin
    found: list[Span] = []
    for at, what in changes:
        if at <= begin:
            continue
        if what == FREE:
            following = RELEASE
            meets = now != CONSTRAINED  # thrown back at once
        else:
            following, meets = CONSTRAINED, now != CONSTRAINED and what != PRESS
        if following != now or meets:
            found += [_span(now, since, at)] if at > since else []
            found += [_span(IMPACT, at, at)] if meets else []
            now, since = following, at
    return [*found, _span(now, since, end)] if end > since else found


def _span(kind: str, begin: float, end: float) -> Span:
    return Span(kind, begin, end, TINT[kind])


# Files


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError(
            "Parquet files need pyarrow, which is not installed: pip install 'gearwright[parquet]'. CSV needs nothing."
        ) from None
    return pyarrow, pyarrow.parquet


def write_parquet(path: Path, t: Array, series: Mapping[str, Array], units: Mapping[str, str]) -> None:
    """All series as columns; the unit of each is its field's metadata."""
    arrow, parquet = _parquet()
    columns = {"t": t, **series}
    fields = [
        arrow.field(name, arrow.float64(), metadata={"unit": "s" if name == "t" else units.get(name, "")})
        for name in columns
    ]
    table = arrow.table([np.asarray(x) for x in columns.values()], schema=arrow.schema(fields))
    with replacement(path) as new:
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
    t = table.times()
    return t, {name: table.values[:, k] for k, name in enumerate(table.header) if name != "t"}, {}


def _floats(path: Path, name: str, column: Any) -> Array:
    """A column of real numbers; what is missing is nan, except among the times."""
    try:
        values = as_floats(str(path), f"column {name!r}", column.to_numpy())
        return increasing(str(path), "column 't'", values) if name == "t" else values
    except InputError as error:
        raise FileError(str(error)) from None


def _read_parquet(path: Path) -> tuple[Array, dict[str, Array], dict[str, str]]:
    arrow, parquet = _parquet()
    try:
        with open_regular(path) as file:
            table = parquet.read_table(file)
    except (OSError, arrow.ArrowInvalid) as error:
        raise FileError(f"{path}: {error}. Give a Parquet file that a run was saved to.") from None
    names = table.column_names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise FileError(f"{path}: column {twice[0]!r} appears twice. Remove one of them.")
    columns = {name: _floats(path, name, table.column(name)) for name in names}
    if "t" not in columns:
        raise FileError(f"{path}: missing column t (the times). It has {listed(columns)}.")
    units = {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in table.schema}
    return columns.pop("t"), columns, {name: units[name] for name in columns}


# Runs

ENERGIES = ("kinetic", "potential", "stored", "supplied", "dissipated")
"""What the balance is made of."""

RESTING = 1e-2
"""Part of the largest energy in the balance that counts as moved in any case: nothing moves in a held arm, and samples
may meet a swing at its turning points alone, but rounding and tolerances are relative to the energies themselves."""


def _peak(values: Array) -> float:
    return float(np.abs(values).max()) if values.size else 0.0


@dataclass(frozen=True)
class RunEvent:
    """Something that happened during a run: a law changed its mode, or a user's event."""

    t: float
    name: str
    what: str


@dataclass(frozen=True)
class Run(Shown):
    """What a simulation computed.

    Args:
        t: times [s], (T,).
        series: values (T,) by name: `q.<coordinate>`, `v.<speed>`, `a.<speed>`, `tau.<speed>`, inputs, states and
            signals of laws, and `energy.kinetic`, `.potential`, `.stored`, `.supplied`, `.dissipated`, `.balance`.
        units: unit of each series.
        events: events in order of time.
        remarks: what was decided and noticed, for the person.
        name: what ran.
        modes: mode of every law at each sample, by the law's name; "stepped" where time stepping does not choose one.

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

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} samples" if len(self.t) else "empty"
        return f"<Run {visible(self.name)}: {span}, {len(self.series)} series, {len(self.events)} events>"

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
        """Generalized forces given from outside, (T, n)."""
        return self.block("tau")

    @property
    def drift(self) -> float:
        """The largest error of the book-keeping relative to the largest energy that moved.

        stored(t) - stored(0) = supplied - dissipated; what is missing, per peak of kinetic energy and works.
        """
        error = float(np.abs(self["energy.balance"]).max()) if len(self.t) else 0.0
        return error / self.moved if self.moved > 0 else 0.0

    @property
    def moved(self) -> float:
        """The largest energy that moved [J]: the peak of kinetic energy and works.

        It does not vanish where something is held: a hundredth of the largest energy in the balance is the least.
        """
        peaks = {kind: _peak(self.series.get(f"energy.{kind}", np.zeros(0))) for kind in ENERGIES}
        least = RESTING * max(peaks.values())
        return max(least, *(peaks[kind] for kind in ("kinetic", "supplied", "dissipated")))

    def save(self, path: str | Path) -> Path:
        """Write all series to a CSV or Parquet file, by its ending."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix == ".csv":
            write_text(target, csv_text(self.t, self.series))
        elif target.suffix == ".parquet":
            write_parquet(target, self.t, self.series, self.units)
        else:
            raise InputError(f"{target}: a run is saved as .csv or .parquet. Choose one of these endings.")
        return target

    @staticmethod
    def read(path: str | Path) -> Run:
        """A run from a CSV or Parquet file that `save` wrote."""
        t, series, units = read_series(Path(path))
        return Run(t, series, units, name=Path(path).stem)

    def plot(self, *prefixes: str, path: str | Path | None = None) -> Any:
        """A figure with one panel per kind of series and unit; with `path` it is saved too.

        Where there are contacts their phases stand behind the curves, each contact in a row.

        Args:
            prefixes: beginnings of names, such as "q", "v", "shoulder.current"; positions, speeds, forces, what motors
                do, contacts, and energies unless given.
            path: .png, .svg or .pdf.
        """
        blocks = [one for prefix in prefixes for one in block(prefix, self.series, self.units, "run")]
        phases = self.phases
        panels = blocks or overview(self.series, self.units, list(phases))
        return saved(figure(self.t, "time [s]", panels, title=self.name, spans=phases), path)

    @property
    def phases(self) -> dict[str, tuple[Span, ...]]:
        """What each contact does, as spans (kind, begin, end) in order of time.

        Kinds are approach, impact, constrained and release. An impact is an instant; thrown back, a contact goes from
        release to release. Meeting a surface without mass that gives way is not an impact. Time stepping finds no
        moments and has no phases.
        """
        happened = ((event.name, event.t, event.what) for event in self.events)
        return contact_phases(self.t.tolist(), self.modes, happened, set(self.series))

    def compare(self, other: Run, names: Sequence[str] | None = None) -> dict[str, float]:
        """Largest difference per series, relative to its range in this run; the other is interpolated to its times.

        Only the time both cover is compared. Series that one of them lacks are left out unless asked for by `names`.
        """
        from scipy.interpolate import CubicSpline

        shared = [name for name in self.series if name in other.series] if names is None else list(names)
        inside = (self.t >= other.t[0]) & (self.t <= other.t[-1])
        if not inside.any():
            raise InputError(f"run: {self!r} and {other!r} have no time in common.")
        found = {}
        for name in shared:
            mine = self[name][inside]
            there = CubicSpline(other.t, other[name])(self.t[inside])
            span = float(np.ptp(mine))
            found[name] = float(np.abs(there - mine).max()) / (span if span > 0 else 1.0)
        return found
