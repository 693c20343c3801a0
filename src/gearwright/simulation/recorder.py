"""What a run remembers at every sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.functions.dynamics import kinetic_energy, potential_energy
from gearwright.mechanism.units import coordinate_unit, force_unit, speed_unit
from gearwright.simulation.run import Run, RunEvent
from gearwright.system.evaluation import Evaluation
from gearwright.system.kernels.observation import Observation
from gearwright.system.system import Modes, System

ENERGIES = ("stored", "supplied", "dissipated")
"""What is known only while a run goes on; kinetic and potential energy follow from the samples."""


STEPPED = "stepped"
"""What stands for the mode of a law where time stepping does not choose one."""


class Block(NamedTuple):
    """N samples: times (N,), a row of values each, and the numbers of the modes of all laws (N, laws)."""

    t: Array
    values: Array
    modes: Any


class Recorder:
    """Collects samples, in blocks or one by one, and makes a run of them."""

    def __init__(self, system: System, input_names: Sequence[str], name: str) -> None:
        self._system, self._inputs, self._name = system, tuple(input_names), name
        self._blocks: list[Block] = []
        self._single: list[tuple[float, list[float], list[int]]] = []
        self.events: list[RunEvent] = []
        self.remarks: list[str] = []
        self._waiting: list[tuple[float, Array, Array]] = []
        self._observe: Callable[[Array, Array, Array], Observation] | None = None
        self.feed: Callable[[], None] = lambda: None
        """Brings samples that somebody else keeps."""

    def __len__(self) -> int:
        return sum(len(block.t) for block in self._blocks) + len(self._single) + len(self._waiting)

    @property
    def last(self) -> float:
        """The time of the last sample."""
        self._catch_up()
        return float(self._blocks[-1].t[-1]) if self._blocks else 0.0

    def remark_once(self, remarks: Sequence[str]) -> None:
        """Note remarks on events, each kind (what stands before its time) once."""
        for remark in remarks:
            kind = remark.partition(" at t = ")[0]
            if not any(known.startswith(kind) for known in self.remarks):
                self.remarks.append(remark)

    def record(self, t: float, x: Array, u: Array, modes: Modes, evaluation: Evaluation) -> None:
        """Remember one evaluated instant."""
        system, outcomes = self._system, evaluation.outcomes
        numbers = [law.modes.index(mode) for law, mode in zip(system.laws, modes, strict=True)]
        signals = [
            float(one.signals[x.name]) for law, one in zip(system.laws, outcomes, strict=True) for x in law.signals
        ]
        stored = np.array([float(sum(outcome.stored for outcome in outcomes))])
        rows = self._rows(x[None], u[None], evaluation.a[None], np.array([signals]).reshape(1, -1), stored)
        self._single.append((t, rows[0].tolist(), numbers))

    def postpone(self, t: float, x: Array, u: Array, observe: Callable[[Array, Array, Array], Observation]) -> None:
        """Remember an instant of laws without modes; `observe` looks at all such instants together in the end."""
        self._waiting.append((t, x, u))
        self._observe = observe

    def keep_all(self, t: Array, x: Array, u: Array, observed: Observation) -> None:
        """Remember samples of laws without modes, or of a method that does not choose one, one per row."""
        signals = [observed.signals[one.name] for law in self._system.laws for one in law.signals]
        columns = np.array(signals, dtype=float).reshape(len(signals), len(t)).T
        modes = np.zeros((len(t), len(self._system.laws)), dtype=int)
        modes[:, [len(law.modes) > 1 for law in self._system.laws]] = -1
        self.keep(t, x, u, modes, observed.a, columns, observed.stored)

    def keep(self, t: Array, x: Array, u: Array, modes: Any, a: Array, signals: Array, stored: Array) -> None:
        """Remember samples, one per row: state vectors, inputs, numbers of modes, accelerations, signals in order."""
        self._gather()
        self._blocks.append(Block(t, self._rows(x, u, a, signals, stored), modes))

    def _rows(self, x: Array, u: Array, a: Array, signals: Array, stored: Array) -> Array:
        """The values of samples in the order of the columns."""
        system = self._system
        moving, own = x[:, : system.v.stop], x[:, system.own.start : system.controlled.stop]
        return np.column_stack((moving, a, u, own, signals, stored, x[:, system.supplied :]))

    def _gather(self) -> None:
        """Make a block of what was kept one by one."""
        if self._single:
            t, values, modes = zip(*self._single, strict=True)
            self._single.clear()
            self._blocks.append(Block(np.array(t), np.array(values), np.array(modes).reshape(len(t), -1)))

    def _catch_up(self) -> None:
        self.feed()
        self._gather()
        if self._observe is not None and self._waiting:
            t, x, u = (np.array(column) for column in zip(*self._waiting, strict=True))
            self._waiting.clear()
            self.keep_all(t, x, u, self._observe(x[:, : self._system.own.stop], u, t))

    def _all(self) -> Block:
        """All samples so far."""
        self._catch_up()
        laws, names = self._system.laws, self._columns()[0]
        if not self._blocks:
            return Block(np.zeros(0), np.zeros((0, len(names))), np.zeros((0, len(laws)), dtype=int))
        self._blocks = [Block(*map(np.concatenate, zip(*self._blocks, strict=True)))]
        return self._blocks[0]

    def run(self) -> Run:
        """The run so far."""
        found = self._all()
        names, units = self._columns()
        series = {name: found.values[:, k] for k, name in enumerate(names)}
        self._add_energies(series, found.values)
        units |= {name: "J" for name in series if name.startswith("energy.")}
        modes = {
            law.name: tuple(map((*law.modes, STEPPED).__getitem__, found.modes[:, k].tolist()))
            for k, law in enumerate(self._system.laws)
        }
        return Run(found.t, series, units, tuple(self.events), tuple(self.remarks), self._name, modes)

    def instants(self, most: int = 20) -> Iterator[tuple[float, Array, Array, Modes]]:
        """Time, state vector, inputs and modes of some of the samples."""
        found = self._all()
        system, count = self._system, len(found.t)
        moving, inputs, own = system.v.stop, len(self._inputs), system.controlled.stop - system.own.start
        for k in np.unique(np.linspace(0, count - 1, min(most, count)).astype(int)).tolist():
            row, first = found.values[k], moving + system.mech.n
            x = np.concatenate((row[:moving], row[first + inputs : first + inputs + own], row[-2:]))
            modes = tuple((*law.modes, STEPPED)[m] for law, m in zip(system.laws, found.modes[k].tolist(), strict=True))
            yield float(found.t[k]), x, row[first : first + inputs], modes

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
