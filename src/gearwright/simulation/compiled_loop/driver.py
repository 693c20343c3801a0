"""A run's event loop in machine code: the workspace it needs, and what Python asks it to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.host.machine_code import MachineCode, address_of
from gearwright.compiling.restricted_python.compiled_code import DriverCode, Memory, called_back, driver_code
from gearwright.simulation.compiled_loop.chebyshev_inputs import InputPieces
from gearwright.simulation.compiled_loop.source import (
    event_location,
    force_balance,
    inputs_and_rates,
    loop,
    mode_settling,
    steps,
)
from gearwright.simulation.compiled_loop.source.workspace import Work
from gearwright.system.kernels.event_kernels import tied_sizes
from gearwright.system.kernels.event_structure import EventStructure
from gearwright.system.system import Modes, System

MODULES = (force_balance, inputs_and_rates, steps, event_location, mode_settling, loop)
ENTRIES = ("advance", "after_event", "settle", "take", "record_here", "rates_asked")

EVENTS = 4096
"""Changes of modes that are noted before Python takes them over."""


def code() -> DriverCode:
    """The machine code of the loop: one for all machines."""
    return driver_code(MODULES, Work, ENTRIES)


@dataclass(frozen=True)
class LoopKernels:
    """What the loop calls.

    Args:
        structure: places of holds, drags and guards; an empty one where laws act by forces alone.
        tied: what the balance of forces needs; None where laws act by forces alone.
        follow: the rates.
        look: guards and kinks; None where there are none.
        settling: how much guards are violated; None where there are none.
    """

    structure: EventStructure
    tied: MachineCode | None
    follow: MachineCode
    look: MachineCode | None
    settling: MachineCode | None


@dataclass(frozen=True)
class LoopInputs:
    """What drives the loop: pieces over time, or a function that writes inputs and rates of the controller's states.

    Args:
        pieces: inputs over time; None where they are called back.
        control: kernel of a controller that sees the state, see `system.controllers.law_controller`.
        callback: (t, state vector, inputs to write, rates to write).
        bounds: largest magnitudes of the inputs, None for none.
        watcher: (t, state vector, levels to write) of events that a user watches.
        watched: how many there are.
    """

    pieces: InputPieces | None
    control: MachineCode | None
    callback: Callable[[float, Array, Array, Array], None] | None
    bounds: Array | None
    watcher: Callable[[float, Array, Array], None] | None
    watched: int


class Driver:
    """The loop of one run.

    Args:
        system: the machine with its laws.
        kernels: what the loop calls.
        inputs: what drives it.
        times: of the samples [s].
        tolerances: relative and absolute.
        longest: the longest step [s].
    """

    def __init__(
        self,
        system: System,
        kernels: LoopKernels,
        inputs: LoopInputs,
        times: Array,
        tolerances: tuple[float, float],
        longest: float,
    ) -> None:
        self.system, self.kernels, self.failure = system, kernels, None  # type: System, LoopKernels, BaseException | None
        self.memory = Memory(Work)
        self._entries = {name: code().function(name) for name in ENTRIES}
        self._modes: dict[Modes, Array] = {}
        self._size(kernels.structure, inputs)
        self._tolerances(tolerances, longest, float(times[-1] - times[0]))
        self._structure(kernels.structure)
        self._room(kernels.structure)
        self._kernels(kernels)
        self._inputs(inputs)
        self._samples(times)

    def call(self, name: str) -> int:
        """Run an entry of the loop; what a function that it called back has raised is raised here."""
        status = self._entries[name](self.memory.address)
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        return status

    # The workspace

    def _size(self, made: EventStructure, inputs: LoopInputs) -> None:
        system, memory = self.system, self.memory
        sizes = {"nx": system.size, "nm": system.own.stop, "nq": system.mech.nq, "n": system.mech.n}
        sizes |= {"nu": system.input_size, "laws": len(made.mode_count), "holds": made.holds, "drags": made.drags}
        sizes |= {"directions": made.directions, "guards": made.guards, "kinks": made.kinks}
        sizes |= {"watched": inputs.watched, "felt_size": made.felt, "controls": len(system.controller_states)}
        for name, value in sizes.items():
            memory[name] = value

    def _tolerances(self, tolerances: tuple[float, float], longest: float, span: float) -> None:
        memory = self.memory
        memory["rtol"], memory["atol"] = tolerances
        memory["longest"], memory["span"], memory["event_room"] = min(longest, 1e300), span, EVENTS

    def _structure(self, made: EventStructure) -> None:
        memory = self.memory
        memory["answers"], memory["look_answers"] = int(made.answers), int(made.look_answers)
        memory["first_choice"] = np.concatenate(([0], np.cumsum(made.mode_count)))
        for name, values in made.facts().items():
            if isinstance(values, list):
                memory[name] = values or [0]

    def _room(self, made: EventStructure) -> None:
        """Empty arrays for what the loop computes."""
        system, memory, most = self.system, self.memory, made.holds + made.drags + 2
        nx, laws, looks = system.size, len(made.mode_count), made.guards + made.kinks + memory["watched"]
        floats = {"x_at": system.own.stop, "t_at": 1, "u": system.input_size, "chosen": sum(made.mode_count)}
        floats |= {"a": system.mech.n, "felt": made.felt, "moved": system.own.stop + 2, "looks": looks}
        floats |= {"violations": made.guards, "state": nx, "controlled": len(system.controller_states), "x": nx}
        floats |= {"squares": most, "matrix": most * most, "right": most * (1 + made.drags), "z": most}
        floats |= {
            "K": 16 * nx,
            "y": nx,
            "y_kept": 2 * nx,
            "y_new": nx,
            "F": 7 * nx,
            "y_look": nx,
            "x_before": nx,
            "blow_jump": most,
        }
        floats |= {"looked": 4 * looks, "sides": made.kinks, "sides_new": made.kinks, "kink_times": 200}
        floats |= {"event_t": EVENTS, "x_asked": nx, "rates_found": nx}
        floats |= {"held_add": system.input_size}
        ints = {"modes": laws, "visited": laws * (40 * (laws + 1) + 2), "changed": laws, "weights": laws}
        ints |= {"way": most, "lead": most, "member_place": most, "member_unknown": most, "member_keeps": most}
        ints |= {"member_firm": most, "drag_at": most, "drag_unknown": most, "blow_way": most, "blow_unknown": most}
        ints |= {"event_law": EVENTS, "event_mode": EVENTS}
        for name, count in (*floats.items(), *ints.items()):
            memory[name] = np.zeros(max(count, 1))
        memory["held_keep"] = np.ones(system.input_size)

    def _kernels(self, kernels: LoopKernels) -> None:
        made, memory, n = kernels.structure, self.memory, self.system.mech.n
        known = ["x_at", "t_at", "u"] if kernels.tied is None else ["x_at", "t_at", "u", "chosen"]
        solved = known if kernels.tied is None else [*known, "a", "felt"]
        sizes = tied_sizes(n, made.directions, made.holds, made.drags)
        tied, start = np.zeros(sum(sizes.values()) + 1), 0
        for name, count in sizes.items():
            memory[name] = tied[start : start + max(count, 1)]
            start += count
        self._tied = tied
        memory["has_ties"] = int(kernels.tied is not None)
        for name, code, taken, out in (
            ("tied", kernels.tied, known, "a0"),
            ("follow", kernels.follow, solved, "moved"),
            ("look", kernels.look, solved, "looks"),
            ("settling", kernels.settling, solved, "violations"),
        ):
            if code is not None:
                memory[name] = code
                memory[f"{name}_table"] = self._table(*taken, out)

    def _table(self, *names: str) -> list[int]:
        """What a kernel is given for one state: the addresses of its inputs and of its result."""
        return [x for name in names for x in (address_of(self.memory[name]), 0)]

    def _inputs(self, inputs: LoopInputs) -> None:
        memory = self.memory
        memory["calls"], memory["bounded"] = int(inputs.pieces is None), int(inputs.bounds is not None)
        memory["bounds"] = np.zeros(1) if inputs.bounds is None else np.minimum(inputs.bounds, 1e300)
        pieces = inputs.pieces
        if pieces is not None:
            memory["pieces"], memory["room"] = pieces.coefficients.shape[:2]
            memory["piece_begin"], memory["piece_middle"] = pieces.begin, pieces.middle
            memory["piece_half"], memory["piece_degree"] = pieces.half, pieces.degree
            memory["coefficients"] = pieces.coefficients.reshape(-1)
        elif inputs.callback is not None:
            memory["callback"] = called_back(self._kept(inputs.callback, "u", "controlled"))
        memory["has_control"] = int(inputs.control is not None)
        if inputs.control is not None:
            memory["t_control"], memory["commands"] = np.zeros(1), np.zeros(memory["nu"] + memory["controls"])
            memory["control"] = inputs.control
            memory["control_table"] = self._table("state", "t_control", "u", "commands")
        if inputs.watcher is not None:
            self._levels = memory["looks"][memory["guards"] + memory["kinks"] :]
            memory["watcher"] = called_back(self._watching(inputs.watcher))

    def _kept(self, function: Callable[..., None], *outputs: str) -> Callable[[float], int]:
        """A function that is called back: what it raises is kept, since machine code would lose it."""
        state, written = self.memory["state"], [self.memory[name] for name in outputs]
        return self._guarded(lambda t: function(t, state, *written))

    def _watching(self, function: Callable[[float, Array, Array], None]) -> Callable[[float], int]:
        state = self.memory["state"]
        return self._guarded(lambda t: function(t, state, self._levels))

    def _guarded(self, function: Callable[[float], None]) -> Callable[[float], int]:
        def call(t: float) -> int:
            if self.failure is not None:
                return 1
            try:
                function(t)
            except BaseException as error:
                self.failure = error
                return 1
            return 0

        return call

    def _samples(self, times: Array) -> None:
        made, memory, count = self.kernels.structure, self.memory, len(times)
        memory["sample_times"], memory["sample_count"] = times, count
        rows = {"x": self.system.size, "u": self.system.input_size, "modes": len(made.mode_count)}
        rows |= {"a": self.system.mech.n, "felt": made.felt}
        for name, size in rows.items():
            memory[f"sample_{name}"] = np.zeros(max(count * size, 1))

    # What Python reads and writes

    @property
    def modes(self) -> Modes:
        """Per law its mode."""
        if not self.kernels.structure.mode_count:
            return self.system.first_modes
        return self._named(self.memory["modes"].tolist())

    def _named(self, numbers: Any) -> Modes:
        return tuple(law.modes[k] for law, k in zip(self.system.laws, numbers, strict=True))

    def go_on_from(self, t: float, x: Array, modes: Modes, step: float | None) -> None:
        """Go on from another time, state and modes, with a step to try first."""
        memory = self.memory
        memory["t"], memory["h"] = t, -1.0 if step is None else step
        memory["x"][:] = x
        if self.kernels.structure.mode_count:
            memory["modes"][:] = [law.modes.index(mode) for law, mode in zip(self.system.laws, modes, strict=True)]
        self.call("take")

    def hold(self, keep: Array, add: Array) -> None:
        """What a sampled controller said: inputs are what they are times `keep`, plus `add`."""
        self.memory["held_keep"][:], self.memory["held_add"][:] = keep, add

    def rates(self, t: float, x: Array) -> Array:
        """The rates at any state; not a number where there are none."""
        memory = self.memory
        memory["t_asked"] = t
        memory["x_asked"][:] = x
        return memory["rates_found"].copy() if self.call("rates_asked") == 0 else np.full(self.system.size, np.nan)

    def changes(self) -> list[tuple[float, str, str]]:
        """The changes of modes that were noted: time, law and mode; they are forgotten here."""
        memory, laws, count = self.memory, self.system.laws, self.memory["events"]
        memory["events"] = 0
        times, which, to = (memory[f"event_{name}"][:count].tolist() for name in ("t", "law", "mode"))
        return [(t, laws[k].name, laws[k].modes[m]) for t, k, m in zip(times, which, to, strict=True)]

    def samples(self, begin: int) -> dict[str, Array]:
        """The samples from one on: states, inputs, modes, accelerations and what laws feel, one row each."""
        end, memory = self.memory["sampled"], self.memory
        found = {}
        for name in ("x", "u", "modes", "a", "felt"):
            values = memory[f"sample_{name}"]
            width = len(values) // max(memory["sample_count"], 1)
            found[name] = values[begin * width : end * width].reshape(end - begin, width)
        return found
