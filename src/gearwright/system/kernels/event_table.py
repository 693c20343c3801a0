"""The kernels of the event loop for one machine with its laws, from the cache or made now."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.compile import code_known_by, stored_code
from gearwright.compiling.host.disk_cache import Entry, key_of, read, write
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import CompilationError
from gearwright.functions.backend import kernel_mode
from gearwright.system.kernels.event_kernels import FORMULAS, looks_that_need_forces, needs_answers, program_of, title
from gearwright.system.kernels.event_structure import EventStructure, Places
from gearwright.system.kernels.identity import identity_of
from gearwright.system.kernels.traced_laws import OncePerSystem, require_traceable
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError, job_of, kernel


class EventTable:
    """Structure and kernels; `event_table` makes it.

    Args:
        system: the machine with its laws.
        structure: which places its holds, drags and guards have.
        codes: the kernels by name, see `event_kernels`.
    """

    def __init__(self, system: System, structure: EventStructure, codes: dict[str, MachineCode]) -> None:
        self.system, self.structure, self.codes = system, structure, codes

    def observed(self, t: Array, samples: Mapping[str, Array]) -> Array:
        """Signals of the laws in their order and the energy that they store, a row per sample.

        `samples` has rows of states, inputs, numbers of modes, accelerations and what laws feel.
        """
        count, first = len(t), np.cumsum([0, *self.structure.mode_count])
        chosen = np.zeros((count, max(int(first[-1]), 1)))
        for k in range(len(self.structure.mode_count)):
            chosen[np.arange(count), first[k] + samples["modes"][:, k]] = 1.0
        given = [samples["x"], t.reshape(-1, 1), samples["u"], chosen, samples["a"], samples["felt"]]
        out = np.empty((count, len(self.system.signals) + 1))
        self.codes["observed"].run(given, [array.strides[0] for array in given], out, 0, count)
        return out


def _stored(system: System) -> EventTable | None:
    """What an earlier process left in the cache, without tracing anything."""
    identity = identity_of(system)
    entry = None if identity is None else read(key_of("event_table", identity))
    if identity is None or entry is None:
        return None
    structure = EventStructure(**entry.facts)
    codes = {name: stored_code(title(name), identity) for name in wanted(structure)}
    found = {name: code for name, code in codes.items() if code is not None}
    return EventTable(system, structure, found) if len(found) == len(codes) else None


def _made(system: System) -> EventTable:
    """Traced and compiled now."""
    places = Places(system, require_traceable(system))
    places.structure.look_solved = looks_that_need_forces(places)
    places.structure.kinks = len(places.structure.look_solved) - places.structure.guards
    if places.structure.drags:
        places.structure.answers = needs_answers("follow", places)
        places.structure.look_answers = needs_answers("look", places)
    identity = identity_of(system)
    codes = {name: _code(name, places, identity) for name in wanted(places.structure)}
    if identity is not None:
        write(key_of("event_table", identity), Entry(places.structure.facts(), b""))
    return EventTable(system, places.structure, codes)


def wanted(structure: EventStructure) -> list[str]:
    """The kernels that there is something to compute for."""
    empty = {"look": not structure.guards + structure.kinks, "settling": not structure.guards}
    return [name for name in FORMULAS if not empty.get(name)]


def _code(name: str, places: Places, identity: str | None) -> MachineCode:
    program = program_of(name, places)
    if identity is None:
        return kernel(program, places.system.mech)
    try:
        code = code_known_by(identity, job_of(program, places.system.mech))
    except CompilationError as error:
        raise NoKernelError(f"the laws run in Python, not in machine code: {error}.") from error
    if code is None:
        raise NoKernelError("the event loop runs in Python: the laws have too many operations for machine code.")
    return code


class _Known:
    """What is known of a machine with its laws: its table, once there is one."""

    def __init__(self, system: System) -> None:
        self.system, self.table = system, _stored(system)

    def made(self) -> EventTable:
        """The table, whatever it takes."""
        if self.table is None:
            self.table = _made(self.system)
        return self.table


_KNOWN = OncePerSystem(_Known, 16)


def event_table(system: System, make: bool) -> EventTable | None:
    """The kernels of the event loop, made once per machine and laws; None if they are not known and not to be made.

    NoKernelError where there can be none.
    """
    if kernel_mode() == "off":
        raise NoKernelError("the laws run in Python, not in machine code: GEARWRIGHT_KERNELS is off.")
    known = _KNOWN.of(system)
    return known.made() if make else known.table
