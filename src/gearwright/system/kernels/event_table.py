"""The kernels of the event loop for one machine with its laws, cached or newly compiled."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.compile import code_by_identity, code_from_cache
from gearwright.compiling.host.disk_cache import CacheEntry, entry_key, read_entry, write_entry
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import CompilationError, NotTraceableError
from gearwright.functions.backend import kernel_mode
from gearwright.system.kernels.event_kernels import (
    EVENT_FORMULAS,
    analyse_dependence,
    event_program,
    kernel_title,
)
from gearwright.system.kernels.event_structure import MAX_RESPONSE_ENTRIES, EventStructure, LawPlaces, TooLargeError
from gearwright.system.kernels.identity import identity_of
from gearwright.system.kernels.traced_laws import SystemCache, require_traceable
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError, compile_program, trace_job


class EventTable:
    """Structure and kernels of the event loop; `event_table` creates it.

    Args:
        system: the machine with its laws.
        structure: the places of its holds, drags and guards.
        codes: the kernels by name, see `event_kernels`.
    """

    def __init__(self, system: System, structure: EventStructure, codes: dict[str, MachineCode]) -> None:
        self.system, self.structure, self.codes = system, structure, codes

    def signal_rows(self, t: Array, samples: Mapping[str, Array]) -> Array:
        """Signals of the laws in their order and their stored energy, a row per sample.

        `samples` has rows of states, inputs, mode indices, accelerations and reactions.
        """
        count, first = len(t), np.cumsum([0, *self.structure.mode_count])
        chosen = np.zeros((count, max(int(first[-1]), 1)))
        for k in range(len(self.structure.mode_count)):
            chosen[np.arange(count), first[k] + samples["modes"][:, k]] = 1.0
        arguments = [samples["x"], t.reshape(-1, 1), samples["u"], chosen, samples["a"], samples["felt"]]
        out = np.empty((count, len(self.system.signals) + 1))
        self.codes["observed"].run_rows(arguments, [array.strides[0] for array in arguments], out, 0, count)
        return out


def _cached_table(system: System) -> EventTable | None:
    """The table from the cache of an earlier process, without tracing; None if it is not there."""
    identity = identity_of(system)
    entry = None if identity is None else read_entry(entry_key("event_table", identity))
    if identity is None or entry is None:
        return None
    structure = EventStructure(**entry.facts)
    codes = {name: code_from_cache(kernel_title(name), identity) for name in required_kernels(structure)}
    available = {name: code for name, code in codes.items() if code is not None}
    return EventTable(system, structure, available) if len(available) == len(codes) else None


def _compile_table(system: System) -> EventTable:
    """The newly traced and compiled table."""
    places = LawPlaces(system, require_traceable(system))
    if system.mech.n * places.structure.directions > MAX_RESPONSE_ENTRIES:
        raise TooLargeError(
            f"the event loop runs in Python: {places.structure.directions} constraint directions and {system.mech.n} "
            "speeds exceed the limit of machine code."
        )
    analyse_dependence(places)
    identity = identity_of(system)
    try:
        codes = {name: _kernel_code(name, places, identity) for name in required_kernels(places.structure)}
    except NotTraceableError as obstacle:  # an initial mode that cannot be traced
        raise NoKernelError(f"the event loop runs in Python: {obstacle}") from obstacle
    if identity is not None:
        write_entry(entry_key("event_table", identity), CacheEntry(places.structure.cache_facts(), b""))
    return EventTable(system, places.structure, codes)


def required_kernels(structure: EventStructure) -> list[str]:
    """The names of the kernels that the structure needs."""
    empty = {"look": not structure.guards + structure.kinks, "settling": not structure.guards}
    empty["displace"] = not structure.has_position_holds
    empty["initial"] = empty["flanks"] = not structure.drag_count
    return [name for name in EVENT_FORMULAS if not empty.get(name)]


def _kernel_code(name: str, places: LawPlaces, identity: str | None) -> MachineCode:
    program = event_program(name, places)
    if identity is None:
        return compile_program(program, places.system.mech)
    try:
        code = code_by_identity(identity, trace_job(program, places.system.mech))
    except CompilationError as error:
        raise NoKernelError(f"the laws run in Python, not in machine code: {error}.") from error
    if code is None:
        raise NoKernelError("the event loop runs in Python: the laws have too many operations for machine code.")
    return code


class _TableEntry:
    """The table of a machine with its laws, created on demand."""

    def __init__(self, system: System) -> None:
        self.system, self.table = system, _cached_table(system)

    def get_table(self) -> EventTable:
        """The table, compiled if necessary."""
        if self.table is None:
            self.table = _compile_table(self.system)
        return self.table


_EVENT_TABLES = SystemCache(_TableEntry, 16)


def event_table(system: System, make: bool) -> EventTable | None:
    """The kernels of the event loop, created once per machine and laws; None if they are not cached and not `make`.

    NoKernelError if they cannot be created.
    """
    if kernel_mode() == "off":
        raise NoKernelError("the laws run in Python, not in machine code: GEARWRIGHT_KERNELS is off.")
    entry = _EVENT_TABLES.for_system(system)
    return entry.get_table() if make else entry.table
