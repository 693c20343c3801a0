"""The C text of an FMU that is special of a robot: sizes, tables, numbers at the start, and its programs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright._version import __version__
from gearwright.arrays import Array
from gearwright.programs.program import VectorProgram
from gearwright.system.open_systems.instant_programs import InstantPrograms
from gearwright.system.open_systems.open_system import OpenSystem
from gearwright.system.vector_program import job_of
from gearwright.text import c_comment, c_identifier
from gearwright.tracing.c_source import PRECISIONS, argument_names, c_source, declaration
from gearwright.tracing.graph import Graph
from gearwright.tracing.trace import PARAMETERS, directional, traced

REAL = PRECISIONS["double"]
POINT = ("x", "u", PARAMETERS)
"""By what an instant is differentiated; what is solved for, a and felt, comes with it."""


@dataclass(frozen=True)
class FmuModel:
    """A robot with its laws as it stands in an FMU.

    Args:
        name: the robot's name.
        opened: the machine with its laws, modes included, and its inputs and parameters.
        start: the state vector at the start, with the two works.
    """

    name: str
    opened: OpenSystem
    start: Array

    @property
    def identifier(self) -> str:
        """The name as that of files and functions."""
        return c_identifier(self.name)

    @cached_property
    def programs(self) -> InstantPrograms:
        """What the C knows of the robot."""
        return InstantPrograms(self.opened)

    @cached_property
    def token(self) -> str:
        """What tells this FMU from others: a digest of its text."""
        digest = hashlib.sha256(self._text.encode()).hexdigest()
        return "{" + "-".join(digest[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))) + "}"

    @property
    def header(self) -> str:
        """The file model.h."""
        names = f'#define MODEL_NAME "{self.identifier}"\n#define MODEL_TOKEN "{self.token}"\n'
        title = self.name.encode("ascii", "backslashreplace").decode()  # an importer may build it with any compiler
        return f"{c_comment(f'{title}, written by Gearwright {__version__}')}\n\n{names}{self._text}"

    @cached_property
    def _text(self) -> str:
        kernels = [*self._kernels()]
        heads = [f"static {declaration(name, argument_names(graph, sizes), REAL)};" for name, graph, sizes in kernels]
        bodies = [c_source(graph, name, sizes, len(graph.outputs)) for name, graph, sizes in kernels]
        return "\n".join([*self._sizes(), "", *self._tables(), "", *heads, "", *bodies])

    @cached_property
    def event_count(self) -> int:
        """Event indicators, one per guard of every mode."""
        return len(self.programs.table.guards)

    def _sizes(self) -> Iterable[str]:
        programs, system = self.programs, self.opened.system
        table = programs.table
        guards = [guard for _, guard in table.guards]
        sizes = {
            "N_STATES": system.own.stop + 2,
            "N_COORDINATES": system.mech.nq,
            "N_SPEEDS": system.mech.n,
            "N_INPUTS": len(self.opened.inputs),
            "N_PARAMETERS": len(self.opened.parameters),
            "N_LAWS": len(system.laws),
            "N_CHOICES": len(table.choices),
            "N_HOLDS": len(table.holds),
            "N_DRAGS": len(table.drags),
            "N_GUARDS": len(guards),
            "N_IMPACTS": sum(guard.impact is not None for guard in guards),
            "N_BLOWS": len(programs.blow_guards),
        }
        for program in (programs.act(), programs.observe(), programs.guards()):
            sizes[f"SIZE_{program.name.upper()}"] = program.shape(system.mech, {})[0]
        return [f"#define {name} {size}" for name, size in sizes.items()]

    def _tables(self) -> Iterable[str]:
        programs, table = self.programs, self.programs.table
        place = {choice: k for k, choice in enumerate(table.choices)}
        counts = [len(modes) for modes in programs.modes]
        guards = [guard for _, guard in table.guards]
        impact_number = iter(range(len(guards)))
        tables: dict[str, Sequence[int]] = {
            "law_first": [sum(counts[:k]) for k in range(len(counts))],
            "choice_law": [k for k, _ in table.choices],
            "hold_choice": [place[choice] for choice, _ in table.holds],
            "hold_keeps": [int(hold.speed is not None) for _, hold in table.holds],
            "drag_choice": [place[choice] for choice, _ in table.drags],
            "guard_choice": [place[choice] for choice, _ in table.guards],
            "guard_to": [place[choice[0], guard.to] for choice, guard in table.guards],
            "guard_decided": [int(guard.rate is not None) for guard in guards],
            "guard_impact": [-1 if guard.impact is None else next(impact_number) for guard in guards],
            "blow_choice": [place[choice] for choice, _ in programs.blow_guards],
            "blow_to": [place[choice[0], guard.to] for choice, guard in programs.blow_guards],
        }
        for name, whole in tables.items():
            yield _array("int", name, [str(int(x)) for x in whole])
        for name, numbers in (("x", self.start), ("u", self.first_inputs), ("p", self.opened.nominal)):
            yield _array("double", f"start_{name}", [REAL.constant(float(x)) for x in numbers])

    @property
    def first_inputs(self) -> list[float]:
        """The inputs when nobody gives any: as the laws begin, forces zero."""
        known = self.opened.system.inputs
        return [float(known[name].initial) if name in known else 0.0 for name in self.opened.inputs]

    def _kernels(self) -> Iterable[tuple[str, Graph, dict[str, int]]]:
        """Every program, and those that are differentiated along a direction, as (C name, graph, inputs)."""
        programs, solved = self.programs, (*POINT, "a", "felt")
        for program in (programs.start(), programs.guards(), programs.blow()):
            yield self._plain(program)
        for program, names in ((programs.act(), POINT), (programs.follow(), solved), (programs.observe(), solved)):
            yield self._plain(program)
            graph, sizes = directional(job_of(program, self.opened.system.mech), names)
            yield f"model_{program.name}_along", graph, sizes

    def _plain(self, program: VectorProgram) -> tuple[str, Graph, dict[str, int]]:
        job = job_of(program, self.opened.system.mech)
        return f"model_{program.name}", traced(job), job.sizes()


def _array(kind: str, name: str, values: Sequence[str]) -> str:
    """A table; C has no empty ones."""
    return f"static const {kind} {name}[{len(values) + 1}] = {{{', '.join([*values, '0'])}}};"
