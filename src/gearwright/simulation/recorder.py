"""The samples of a run: state, inputs, accelerations, signals, energies and modes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.functions import kinetic_energy, potential_energy
from gearwright.mechanism.units import coordinate_unit, force_unit, speed_unit
from gearwright.simulation.run import STEPPED_MODE, Run, RunEvent
from gearwright.system.evaluation import Evaluation
from gearwright.system.kernels.observation import Observation, observe_states
from gearwright.system.system import Modes, System

RECORDED_ENERGIES = ("stored", "supplied", "dissipated")
"""Energies recorded during a run; kinetic and potential energy follow from the samples."""


class SampleBlock(NamedTuple):
    """N samples: times (N,), a row of values each, and the numbers of the modes of all laws (N, laws)."""

    t: Array
    values: Array
    modes: Any


class Recorder:
    """Collects samples, in blocks or one by one, and makes a run from them."""

    def __init__(self, system: System, input_names: Sequence[str], name: str) -> None:
        self._system, self._inputs, self._name = system, tuple(input_names), name
        self._blocks: list[SampleBlock] = []
        self._single: list[tuple[float, list[float], list[int]]] = []
        self.events: list[RunEvent] = []
        self.remarks: list[str] = []
        self._waiting: list[tuple[float, Array, Array]] = []

    def __len__(self) -> int:
        return sum(len(block.t) for block in self._blocks) + len(self._single) + len(self._waiting)

    @property
    def last_time(self) -> float:
        """The time of the last sample."""
        self._gather_all()
        return float(self._blocks[-1].t[-1]) if self._blocks else 0.0

    def remark_once(self, remarks: Sequence[str]) -> None:
        """Add remarks on events, each kind (the text before its time) once."""
        for remark in remarks:
            kind = remark.partition(" at t = ")[0]
            if not any(earlier.startswith(kind) for earlier in self.remarks):
                self.remarks.append(remark)

    def record_sample(self, t: float, x: Array, u: Array, modes: Modes, evaluation: Evaluation) -> None:
        """Record one evaluated instant."""
        system, outcomes = self._system, evaluation.outcomes
        numbers = [law.modes.index(mode) for law, mode in zip(system.laws, modes, strict=True)]
        signals = [
            float(law_outcome.signals[x.name])
            for law, law_outcome in zip(system.laws, outcomes, strict=True)
            for x in law.signals
        ]
        stored = np.array([float(sum(outcome.stored for outcome in outcomes))])
        row = self._sample_rows(x[None], u[None], evaluation.a[None], np.array([signals]).reshape(1, -1), stored)
        self._single.append((t, row[0].tolist(), numbers))

    def defer(self, t: float, x: Array, u: Array) -> None:
        """Record an instant of laws without modes; all such instants are evaluated together at the end."""
        self._waiting.append((t, x, u))

    def add_blocks(self, t: Array, x: Array, u: Array, observed: Observation) -> None:
        """Record samples of laws without modes, or of a method that does not choose modes, one per row."""
        signals = [observed.signals[quantity.name] for law in self._system.laws for quantity in law.signals]
        columns = np.array(signals, dtype=float).reshape(len(signals), len(t)).T
        modes = np.zeros((len(t), len(self._system.laws)), dtype=int)
        modes[:, [len(law.modes) > 1 for law in self._system.laws]] = -1
        self.add_block(t, x, u, modes, observed.a, columns, observed.stored)

    def add_block(self, t: Array, x: Array, u: Array, modes: Any, a: Array, signals: Array, stored: Array) -> None:
        """Record samples, one per row: state vectors, inputs, indices of modes, accelerations, signals in order."""
        self._gather_single_samples()
        self._blocks.append(SampleBlock(t, self._sample_rows(x, u, a, signals, stored), modes))

    def _sample_rows(self, x: Array, u: Array, a: Array, signals: Array, stored: Array) -> Array:
        """The values of samples in the order of the columns."""
        system = self._system
        moving, states = x[:, : system.v.stop], x[:, system.law_slice.start : system.controller_slice.stop]
        return np.column_stack((moving, a, u, states, signals, stored, x[:, system.supplied_index :]))

    def _gather_single_samples(self) -> None:
        """Make a block of the samples that were recorded one by one."""
        if self._single:
            t, values, modes = zip(*self._single, strict=True)
            self._single.clear()
            self._blocks.append(SampleBlock(np.array(t), np.array(values), np.array(modes).reshape(len(t), -1)))

    def _gather_all(self) -> None:
        self._gather_single_samples()
        if self._waiting:
            t, x, u = (np.array(column) for column in zip(*self._waiting, strict=True))
            self._waiting.clear()
            self.add_blocks(t, x, u, observe_states(self._system, x[:, : self._system.law_slice.stop], u, t))

    def _all_samples(self) -> SampleBlock:
        """All samples so far."""
        self._gather_all()
        laws, names = self._system.laws, self._column_units()[0]
        if not self._blocks:
            return SampleBlock(np.zeros(0), np.zeros((0, len(names))), np.zeros((0, len(laws)), dtype=int))
        self._blocks = [SampleBlock(*map(np.concatenate, zip(*self._blocks, strict=True)))]
        return self._blocks[0]

    def run_so_far(self) -> Run:
        """The run so far."""
        samples = self._all_samples()
        names, units = self._column_units()
        series = {name: samples.values[:, k] for k, name in enumerate(names)}
        self._add_energies(series, samples.values)
        units |= {name: "J" for name in series if name.startswith("energy.")}
        modes = {
            law.name: tuple(map((*law.modes, STEPPED_MODE).__getitem__, samples.modes[:, k].tolist()))
            for k, law in enumerate(self._system.laws)
        }
        return Run(samples.t, series, units, tuple(self.events), tuple(self.remarks), self._name, modes)

    def sample_instants(self, most: int = 20) -> Iterator[tuple[float, Array, Array, Modes]]:
        """Time, state vector, inputs and modes of some of the samples."""
        samples = self._all_samples()
        system, count = self._system, len(samples.t)
        moving, inputs, state_count = (
            system.v.stop,
            len(self._inputs),
            system.controller_slice.stop - system.law_slice.start,
        )
        for k in np.unique(np.linspace(0, count - 1, min(most, count)).astype(int)).tolist():
            row, first = samples.values[k], moving + system.mech.n
            x = np.concatenate((row[:moving], row[first + inputs : first + inputs + state_count], row[-2:]))
            modes = tuple(
                (*law.modes, STEPPED_MODE)[m] for law, m in zip(system.laws, samples.modes[k].tolist(), strict=True)
            )
            yield float(samples.t[k]), x, row[first : first + inputs], modes

    def _add_energies(self, series: dict[str, Array], values: Array) -> None:
        """Add the energies of the machine and the error of the energy balance."""
        system = self._system
        q, v = values[:, system.q], values[:, system.v]
        series["energy.kinetic"] = kinetic_energy(system.mech, q, v)
        series["energy.potential"] = potential_energy(system.mech, q)
        mechanical = series["energy.kinetic"] + series["energy.potential"] + series["energy.stored"]
        start = mechanical[0] if len(mechanical) else 0.0
        series["energy.balance"] = mechanical - start - series["energy.supplied"] + series["energy.dissipated"]

    def _column_units(self) -> tuple[list[str], dict[str, str]]:
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
        units.update({quantity.name: quantity.unit for law in system.laws for quantity in law.signals})
        units.update({f"energy.{kind}": "J" for kind in RECORDED_ENERGIES})
        return list(units), units
