"""Runs: named series with units, the energy book-keeping, files, pictures and comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.files.formats import write_text
from gearwright.plots import figure, saved
from gearwright.plots.notebook import Shown
from gearwright.plots.spans import Span
from gearwright.simulation.phases import contact_phases
from gearwright.simulation.run_files import csv_text, read_series, write_parquet
from gearwright.system.series_picture import block, overview
from gearwright.text import did_you_mean, visible

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
