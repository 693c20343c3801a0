"""What a run remembers at every sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.functions.functions import kinetic_energy, potential_energy
from gearwright.mechanism.units import coordinate_unit, force_unit, speed_unit
from gearwright.simulation.run import Run, RunEvent
from gearwright.system.evaluation import Evaluation
from gearwright.system.observation import Observation
from gearwright.system.system import Modes, System

ENERGIES = ("stored", "supplied", "dissipated")
"""What is known only while a run goes on; kinetic and potential energy follow from the samples."""


STEPPED = "stepped"
"""What stands for the mode of a law where time stepping does not choose one."""


class Recorder:
    """Collects samples and makes a run of them."""

    def __init__(self, system: System, input_names: Sequence[str], name: str) -> None:
        self._system, self._inputs, self._name = system, tuple(input_names), name
        self._times: list[float] = []
        self._rows: list[list[float]] = []
        self._modes: list[Modes] = []
        self.events: list[RunEvent] = []
        self.remarks: list[str] = []
        self._waiting: list[tuple[float, Array, Array]] = []
        self._observe: Callable[[Array, Array, Array], Observation] | None = None

    def __len__(self) -> int:
        return len(self._times) + len(self._waiting)

    @property
    def last(self) -> float:
        """The time of the last sample."""
        return self._waiting[-1][0] if self._waiting else self._times[-1] if self._times else 0.0

    def record(self, t: float, x: Array, u: Array, modes: Modes, evaluation: Evaluation) -> None:
        """Remember one evaluated instant."""
        stored = float(sum(outcome.stored for outcome in evaluation.outcomes))
        self.keep(t, x, u, modes, evaluation.a, [outcome.signals for outcome in evaluation.outcomes], stored)

    def postpone(self, t: float, x: Array, u: Array, observe: Callable[[Array, Array, Array], Observation]) -> None:
        """Remember an instant of laws without modes; `observe` looks at all such instants together in the end."""
        self._waiting.append((t, x, u))
        self._observe = observe

    def keep_all(self, t: Array, x: Array, u: Array, observed: Observation) -> None:
        """Remember samples of laws without modes, or of a method that does not choose one, one per row."""
        names = [[one.name for one in law.signals] for law in self._system.laws]
        modes = tuple(law.modes[0] if len(law.modes) == 1 else STEPPED for law in self._system.laws)
        for k, now in enumerate(t.tolist()):
            signals = [{name: float(observed.signals[name][k]) for name in mine} for mine in names]
            self.keep(now, x[k], u[k], modes, observed.a[k], signals, float(observed.stored[k]))

    def _catch_up(self) -> None:
        if self._observe is not None and self._waiting:
            t, x, u = (np.array(column) for column in zip(*self._waiting, strict=True))
            self._waiting.clear()
            self.keep_all(t, x, u, self._observe(x[:, : self._system.own.stop], u, t))

    def keep(
        self, t: float, x: Array, u: Array, modes: Modes, a: Array, signals: Sequence[Mapping[str, Any]], stored: float
    ) -> None:
        """Remember one sample: signals are given per law."""
        system = self._system
        values = [float(mine[one.name]) for law, mine in zip(system.laws, signals, strict=True) for one in law.signals]
        moving, own = x[: system.v.stop].tolist(), x[system.own.start : system.controlled.stop].tolist()
        works = [float(x[system.supplied]), float(x[system.dissipated])]
        self._times.append(t)
        self._modes.append(modes)
        self._rows.append([*moving, *a.tolist(), *u.tolist(), *own, *values, stored, *works])

    def run(self) -> Run:
        """The run so far."""
        self._catch_up()
        names, units = self._columns()
        values = np.array(self._rows, dtype=float).reshape(len(self._rows), len(names))
        series = {name: values[:, k] for k, name in enumerate(names)}
        self._add_energies(series, values)
        units |= {name: "J" for name in series if name.startswith("energy.")}
        modes = {law.name: tuple(row[k] for row in self._modes) for k, law in enumerate(self._system.laws)}
        events, remarks = tuple(self.events), tuple(self.remarks)
        return Run(np.array(self._times), series, units, events, remarks, self._name, modes)

    def instants(self, most: int = 20) -> Iterator[tuple[float, Array, Array, Modes]]:
        """Time, state vector, inputs and modes of some of the samples."""
        self._catch_up()
        system, count = self._system, len(self._rows)
        moving, inputs, own = system.v.stop, len(self._inputs), system.controlled.stop - system.own.start
        for k in np.unique(np.linspace(0, count - 1, min(most, count)).astype(int)).tolist():
            row, first = np.array(self._rows[k]), moving + system.mech.n
            x = np.concatenate((row[:moving], row[first + inputs : first + inputs + own], row[-2:]))
            yield self._times[k], x, row[first : first + inputs], self._modes[k]

    def _add_energies(self, series: dict[str, Array], values: Array) -> None:
        """Energies of the machine, and what is missing in the balance of all."""
        system = self._system
        q, v = values[:, system.q], values[:, system.v]
        series["energy.kinetic"] = kinetic_energy(system.mech, q, v)
        series["energy.potential"] = potential_energy(system.mech, q)
        kept = series["energy.kinetic"] + series["energy.potential"] + series["energy.stored"]
        start = kept[0] if len(kept) else 0.0
        series["energy.balance"] = kept - start - series["energy.supplied"] + series["energy.dissipated"]

    def _columns(self) -> tuple[list[str], dict[str, str]]:
        system, mech = self._system, self._system.mech
        units: dict[str, str] = {}
        for name in mech.coordinates:
            units[f"q.{name}"] = coordinate_unit(mech, name)
        for letter, suffix in (("v", "/s"), ("a", "/s2")):
            for name in mech.speeds:
                units[f"{letter}.{name}"] = speed_unit(mech, name) + suffix
        for name in self._inputs:
            plain = name.removeprefix("tau.")
            units[name] = system.inputs[name].unit if name in system.inputs else force_unit(mech, plain)
        units.update({state.name: state.unit for state in system.states.values()})
        units.update(dict.fromkeys(system.controller_states, ""))
        units.update({one.name: one.unit for law in system.laws for one in law.signals})
        units.update({f"energy.{kind}": "J" for kind in ENERGIES})
        return list(units), units
