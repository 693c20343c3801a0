"""The kernels of the event loop as programs: what each takes and gives."""

from __future__ import annotations

from typing import Any

from gearwright.algebra import Operations
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs
from gearwright.programs.sized import VectorProgram
from gearwright.system.event_kernels import Formula, Instant, follow, look, observed, settling, tied, tied_sizes
from gearwright.system.event_structure import Places
from gearwright.system.motion_rates import contents_of
from gearwright.system.vector_program import vector_program
from gearwright.tracing.symbols import depend_on, operations, symbols

FORMULAS: dict[str, tuple[Formula, bool]] = {
    "tied": (tied, False),
    "follow": (follow, True),
    "look": (look, True),
    "settling": (settling, True),
    "observed": (observed, True),
}
"""Per kernel what it computes, and whether it takes what the balance of forces gave."""


def program_of(name: str, places: Places) -> VectorProgram:
    """One of the kernels as a program."""
    formula, solved = FORMULAS[name]

    def run(mech: Mechanism, ops: Operations, given: Inputs) -> list[Any]:
        return formula(Instant(places, places.system.on(mech), ops, given))

    return vector_program(title(name), contents(places, solved), sizes_of(places)[name], run)


def title(name: str) -> str:
    """What a kernel is called in the cache."""
    return f"event_{name}"


def contents(places: Places, solved: bool) -> dict[str, int]:
    """The inputs of a kernel: state, time, inputs, a 1 per choice at hand; accelerations and what laws feel."""
    made, system = places.structure, places.system
    known = {**contents_of(system), "chosen": max(sum(made.mode_count), 1)}
    return {**known, "a": system.mech.n, "felt": made.felt} if solved else known


def sizes_of(places: Places) -> dict[str, int]:
    """Per kernel how many numbers it gives."""
    made, system = places.structure, places.system
    return {
        "tied": sum(tied_sizes(system.mech.n, made.directions, made.holds, made.drags).values()),
        "follow": system.own.stop + 2,
        "look": made.guards + made.kinks,
        "settling": made.guards,
        "observed": len(system.signals) + 1,
    }


def looks_that_need_forces(places: Places) -> list[int]:
    """Per guard and kink 1 where it depends on accelerations or on what laws feel; others follow from the state."""
    given = {name: symbols(name, size) for name, size in contents(places, solved=True).items()}
    found = look(Instant(places, places.system, operations(), given))
    return [int(depend_on([one], [*given["a"], *given["felt"]])) for one in found]


def needs_answers(name: str, places: Places) -> bool:
    """Whether a kernel depends on how flows answer; finding that out at every instant takes as long as the rest."""
    given = {name: symbols(name, size) for name, size in contents(places, solved=True).items()}
    made, now = places.structure, Instant(places, places.system, operations(), given)
    return depend_on(FORMULAS[name][0](now), given["felt"][made.holds + made.drags :])
