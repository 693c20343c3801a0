"""The event loop of a run in machine code: its workspace, and the entries that Python calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.host.machine_code import MachineCode, array_address
from gearwright.compiling.restricted_python.compiled_code import (
    RestrictedCode,
    WorkspaceMemory,
    as_callback,
    compile_restricted,
)
from gearwright.functions.constrained import contact_impulse_path, contact_impulses, dependent_equations
from gearwright.functions.constrained.contact_workspace import NEWTON_LAW
from gearwright.simulation.compiled_loop.chebyshev_inputs import ChebyshevInputs
from gearwright.simulation.compiled_loop.source import (
    constraint_projection,
    contact_cone,
    elimination,
    event_location,
    force_balance,
    guard_choice,
    impacts,
    implicit_steps,
    inputs_and_rates,
    loop,
    mode_settling,
    steps,
)
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace
from gearwright.simulation.compiled_loop.workspace_sizes import WorkspaceSizes
from gearwright.system.kernels.event_structure import EventStructure
from gearwright.system.system import Modes, System

LOOP_MODULES = (
    dependent_equations,
    elimination,
    contact_cone,
    force_balance,
    inputs_and_rates,
    implicit_steps,
    steps,
    constraint_projection,
    event_location,
    guard_choice,
    contact_impulses,
    contact_impulse_path,
    impacts,
    mode_settling,
    loop,
)
LOOP_ENTRIES = (
    "advance",
    "after_event",
    "find_consistent_modes",
    "restart_in_modes",
    "record_current_state",
    "requested_rates",
)

EVENT_CAPACITY = 4096
"""Capacity for changes of modes before Python reads them."""


def loop_machine_code() -> RestrictedCode:
    """The machine code of the loop, the same for all machines."""
    return compile_restricted(LOOP_MODULES, LoopWorkspace, LOOP_ENTRIES)


@dataclass(frozen=True)
class LoopKernels:
    """The kernels that the loop calls.

    Args:
        structure: positions of holds, drags and guards; empty if laws act by forces alone.
        tied: the terms of the balance of forces; None if laws act by forces alone.
        follow: the rates.
        look: guards and branch points; None if there are none.
        settling: the violations of the guards; None if there are none.
        displace: the configuration after a displacement; None if no position is constrained.
        initial: the initial modes of gears; None if there are none.
        flanks: the violations of their flanks' guards under impulses; None if there are none.
    """

    structure: EventStructure
    tied: MachineCode | None
    follow: MachineCode
    look: MachineCode | None
    settling: MachineCode | None
    displace: MachineCode | None = None
    initial: MachineCode | None = None
    flanks: MachineCode | None = None


@dataclass(frozen=True)
class LoopInputs:
    """Inputs of the loop: pieces over time, or a function that writes inputs and rates of the controller's states.

    Args:
        pieces: inputs over time; None if they are called back.
        control: kernel of a controller with state feedback, see `system.controllers.law_controller`.
        callback: (t, state vector, inputs to write, rates to write).
        bounds: largest magnitudes of the inputs, None for none.
        watcher: (t, state vector, levels to write) of events of the user.
        watched_events: number of these events.
    """

    pieces: ChebyshevInputs | None
    control: MachineCode | None
    callback: Callable[[float, Array, Array, Array], None] | None
    bounds: Array | None
    watcher: Callable[[float, Array, Array], None] | None
    watched_events: int


class LoopDriver:
    """The loop of one run.

    Args:
        system: the machine with its laws.
        kernels: the kernels that the loop calls.
        inputs: inputs and controller.
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
        self.memory = WorkspaceMemory(LoopWorkspace)
        self._entries = {name: loop_machine_code().entry_function(name) for name in LOOP_ENTRIES}
        self._modes: dict[Modes, Array] = {}
        self._write_tolerances(tolerances, longest, float(times[-1] - times[0]))
        self._allocate_arrays(kernels.structure, inputs.watched_events)
        self._connect_kernels(kernels)
        self._connect_inputs(inputs)
        self._allocate_samples(times)

    def call_entry(self, name: str) -> int:
        """Run an entry of the loop; an error of a function that it called back is raised here."""
        status = self._entries[name](self.memory.address)
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        return status

    # The workspace

    def _write_tolerances(self, tolerances: tuple[float, float], longest: float, span: float) -> None:
        memory = self.memory
        memory["rtol"], memory["atol"] = tolerances
        memory["longest"], memory["span"] = min(longest, 1e300), span

    def _allocate_arrays(self, structure: EventStructure, watched_events: int) -> None:
        """Write sizes and constant arrays, and allocate arrays for the results of the loop."""
        sizes = WorkspaceSizes(self.system, structure, self.system.input_size, watched_events, EVENT_CAPACITY)
        zeros = {name: np.zeros(max(count, 1)) for name, count in (sizes.float_arrays | sizes.int_arrays).items()}
        constants = {name: values or [0] for name, values in sizes.constant_arrays.items()}
        memory, self._balance_terms = self.memory, sizes.balance_terms
        for name, value in {**sizes.numbers, **constants, **zeros}.items():
            memory[name] = value
        memory["held_keep"] = np.ones(self.system.input_size)
        if structure.contact_facts[1:] == [NEWTON_LAW]:  # remarks on the energy that it gains are made in Python
            memory["contact_law"] = -1

    def _connect_kernels(self, kernels: LoopKernels) -> None:
        memory, sizes = self.memory, self._balance_terms
        inputs_before = ["x_at", "t_at", "u"] if kernels.tied is None else ["x_at", "t_at", "u", "chosen"]
        inputs_after = inputs_before if kernels.tied is None else [*inputs_before, "a", "felt"]
        tied, start = np.zeros(sum(sizes.values()) + 1), 0
        for name, count in sizes.items():
            memory[name] = tied[start : start + max(count, 1)]
            start += count
        self._tied = tied
        memory["has_ties"] = int(kernels.tied is not None)
        for name, code, input_names, out in (
            ("tied", kernels.tied, inputs_before, "a0"),
            ("follow", kernels.follow, inputs_after, "moved"),
            ("look", kernels.look, inputs_after, "looks"),
            ("settling", kernels.settling, inputs_after, "violations"),
            ("displace", kernels.displace, inputs_before, "displaced"),
            ("initial", kernels.initial, inputs_before, "initial_modes"),
            ("flanks", kernels.flanks, inputs_after, "violations"),
        ):
            if code is not None:
                memory[name] = code
                memory[f"{name}_table"] = self._address_table(*input_names, out)

    def _address_table(self, *names: str) -> list[int]:
        """The argument table of a kernel for one state: the addresses of its inputs and of its result."""
        return [x for name in names for x in (array_address(self.memory[name]), 0)]

    def _connect_inputs(self, inputs: LoopInputs) -> None:
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
            memory["callback"] = as_callback(self._state_callback(inputs.callback, "u", "controlled"))
        memory["has_control"] = int(inputs.control is not None)
        if inputs.control is not None:
            memory["t_control"], memory["commands"] = np.zeros(1), np.zeros(memory["nu"] + memory["controls"])
            memory["control"] = inputs.control
            memory["control_table"] = self._address_table("state", "t_control", "u", "commands")
        if inputs.watcher is not None:
            self._levels = memory["looks"][memory["guards"] + memory["kinks"] :]
            memory["watcher"] = as_callback(self._event_callback(inputs.watcher))

    def _state_callback(self, function: Callable[..., None], *outputs: str) -> Callable[[float], int]:
        """A function that is called back; its error is stored, since machine code cannot pass it on."""
        state, written = self.memory["state"], [self.memory[name] for name in outputs]
        return self._catching_errors(lambda t: function(t, state, *written))

    def _event_callback(self, function: Callable[[float, Array, Array], None]) -> Callable[[float], int]:
        state = self.memory["state"]
        return self._catching_errors(lambda t: function(t, state, self._levels))

    def _catching_errors(self, function: Callable[[float], None]) -> Callable[[float], int]:
        def callback(t: float) -> int:
            if self.failure is not None:
                return 1
            try:
                function(t)
            except BaseException as error:
                self.failure = error
                return 1
            return 0

        return callback

    def _allocate_samples(self, times: Array) -> None:
        structure, memory, count = self.kernels.structure, self.memory, len(times)
        memory["sample_times"], memory["sample_count"] = times, count
        rows = {"x": self.system.size, "u": self.system.input_size, "modes": len(structure.mode_count)}
        rows |= {"a": self.system.mech.n, "felt": structure.reaction_size}
        for name, size in rows.items():
            memory[f"sample_{name}"] = np.zeros(max(count * size, 1))

    # Access from Python

    @property
    def modes(self) -> Modes:
        """Per law its mode."""
        if not self.kernels.structure.mode_count:
            return self.system.first_modes
        return self._mode_names(self.memory["modes"].tolist())

    def _mode_names(self, numbers: Any) -> Modes:
        return tuple(law.modes[k] for law, k in zip(self.system.laws, numbers, strict=True))

    def continue_from(self, t: float, x: Array, modes: Modes, step: float | None) -> None:
        """Continue from another time, state and modes, with a first trial step."""
        memory = self.memory
        memory["t"], memory["h"] = t, -1.0 if step is None else step
        memory["x"][:] = x
        if self.kernels.structure.mode_count:
            memory["modes"][:] = [law.modes.index(mode) for law, mode in zip(self.system.laws, modes, strict=True)]
        self.call_entry("restart_in_modes")

    def hold_inputs(self, keep: Array, add: Array) -> None:
        """Set the outputs of a sampled controller: inputs become inputs times `keep`, plus `add`."""
        self.memory["held_keep"][:], self.memory["held_add"][:] = keep, add

    def state_rates(self, t: float, x: Array) -> Array:
        """The rates at any state; NaN where they cannot be computed."""
        memory = self.memory
        memory["t_asked"] = t
        memory["x_asked"][:] = x
        return (
            memory["rates_found"].copy()
            if self.call_entry("requested_rates") == 0
            else np.full(self.system.size, np.nan)
        )

    def take_mode_changes(self) -> list[tuple[float, str, str]]:
        """The changes of modes since the last call: time, law and mode."""
        memory, laws, count = self.memory, self.system.laws, self.memory["events"]
        memory["events"] = 0
        times, law_numbers, mode_numbers = (memory[f"event_{name}"][:count].tolist() for name in ("t", "law", "mode"))
        return [(t, laws[k].name, laws[k].modes[m]) for t, k, m in zip(times, law_numbers, mode_numbers, strict=True)]

    def samples_from(self, begin: int) -> dict[str, Array]:
        """The samples from an index on: states, inputs, modes, accelerations and signals of laws, one row each."""
        end, memory = self.memory["sampled"], self.memory
        samples = {}
        for name in ("x", "u", "modes", "a", "felt"):
            values = memory[f"sample_{name}"]
            width = len(values) // max(memory["sample_count"], 1)
            samples[name] = values[begin * width : end * width].reshape(end - begin, width)
        return samples
