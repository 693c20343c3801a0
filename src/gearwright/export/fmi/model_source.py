"""The robot-specific C text of an FMU: sizes, tables, initial values and programs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright._version import __version__
from gearwright.arrays import Array
from gearwright.forces import event_tolerances
from gearwright.programs.program import VectorProgram
from gearwright.system.open_systems.instant_programs import InstantPrograms
from gearwright.system.open_systems.open_system import OpenSystem
from gearwright.system.vector_program import trace_job
from gearwright.text import c_comment, c_identifier
from gearwright.tracing.c_source import C_PRECISIONS, argument_names, c_source, function_declaration
from gearwright.tracing.graph import Graph
from gearwright.tracing.trace import PARAMETERS_INPUT, directional_derivative, trace_graph

FMU_REAL = C_PRECISIONS["double"]
DIFFERENTIATED_INPUTS = ("x", "u", PARAMETERS_INPUT)
"""Variables of differentiation of an instant; the unknowns a and felt are included."""

C_TOLERANCES = (
    "GUARD_VIOLATION_LEVEL",
    "EVENT_LOCATION_LEVEL",
    "NEAR_GUARD_LEVEL",
    "BREAKAWAY_SPEED",
    "HELD_SPEED_ROUNDING",
    "EVENT_CHECKS_PER_STEP",
    "MAX_EVENTS_WITHOUT_PROGRESS",
    "MAX_CHANGES_PER_LAW",
    "MAX_SEARCHED_MODES",
    "IMPACT_DURATION",
    "MAX_FLANK_CHANGES",
)
"""Tolerances of modes and events that the C code reads."""


@dataclass(frozen=True)
class FmuModel:
    """The model of an FMU: a robot with its laws.

    Args:
        name: the robot's name.
        open_model: the machine with its laws, modes included, and its inputs and parameters.
        start: the initial state vector, with supplied and dissipated work.
    """

    name: str
    open_model: OpenSystem
    start: Array

    @property
    def identifier(self) -> str:
        """The name as an identifier of files and functions."""
        return c_identifier(self.name)

    @cached_property
    def instant_programs(self) -> InstantPrograms:
        """Programs of the robot for the C code."""
        return InstantPrograms(self.open_model)

    @cached_property
    def instantiation_token(self) -> str:
        """Unique identifier of this FMU: a digest of its text."""
        digest = hashlib.sha256(self._model_text.encode()).hexdigest()
        return "{" + "-".join(digest[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))) + "}"

    @property
    def model_header(self) -> str:
        """Content of the file model.h."""
        names = f'#define MODEL_NAME "{self.identifier}"\n#define MODEL_TOKEN "{self.instantiation_token}"\n'
        title = self.name.encode("ascii", "backslashreplace").decode()  # ASCII for any compiler of an importer
        return f"{c_comment(f'{title}, written by Gearwright {__version__}')}\n\n{names}{self._model_text}"

    @cached_property
    def _model_text(self) -> str:
        kernels = [*self._named_kernels()]
        heads = [
            f"static {function_declaration(name, argument_names(graph, sizes), FMU_REAL)};"
            for name, graph, sizes in kernels
        ]
        bodies = [c_source(graph, name, sizes, len(graph.outputs)) for name, graph, sizes in kernels]
        return "\n".join([*self._size_definitions(), "", *self._table_definitions(), "", *heads, "", *bodies])

    @cached_property
    def event_count(self) -> int:
        """Number of event indicators, one per guard of every mode."""
        return len(self.instant_programs.table.guards)

    def _size_definitions(self) -> Iterable[str]:
        programs, system = self.instant_programs, self.open_model.system
        table = programs.table
        guards = [guard for _, guard in table.guards]
        sizes = {
            "N_STATES": system.law_slice.stop + 2,
            "N_COORDINATES": system.mech.nq,
            "N_SPEEDS": system.mech.n,
            "N_INPUTS": len(self.open_model.inputs),
            "N_PARAMETERS": len(self.open_model.parameters),
            "N_LAWS": len(system.laws),
            "N_CHOICES": len(table.choices),
            "N_HOLDS": len(table.holds),
            "N_DRAGS": len(table.drags),
            "N_GUARDS": len(guards),
            "N_IMPACTS": sum(guard.impact is not None for guard in guards),
            "N_BLOWS": len(programs.impact_guards),
        }
        for program in (programs.balance_program(), programs.signals_program(), programs.guards_program()):
            sizes[f"SIZE_{program.name.upper()}"] = program.shape(system.mech, {})[0]
        values = {**sizes, **{name: getattr(event_tolerances, name) for name in C_TOLERANCES}}
        return [f"#define {name} {value!r}" for name, value in values.items()]

    def _table_definitions(self) -> Iterable[str]:
        programs, table = self.instant_programs, self.instant_programs.table
        place = {choice: k for k, choice in enumerate(table.choices)}
        counts = [len(modes) for modes in programs.law_modes]
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
            "blow_choice": [place[choice] for choice, _ in programs.impact_guards],
            "blow_to": [place[choice[0], guard.to] for choice, guard in programs.impact_guards],
        }
        for name, entries in tables.items():
            yield _table_text("int", name, [str(int(x)) for x in entries])
        for name, numbers in (("x", self.start), ("u", self.first_inputs), ("p", self.open_model.nominal_values)):
            yield _table_text("double", f"start_{name}", [FMU_REAL.constant_text(float(x)) for x in numbers])

    @property
    def first_inputs(self) -> list[float]:
        """Return the default inputs: initial values of the laws, zero forces."""
        law_inputs = self.open_model.system.inputs
        return [float(law_inputs[name].initial) if name in law_inputs else 0.0 for name in self.open_model.inputs]

    def _named_kernels(self) -> Iterable[tuple[str, Graph, dict[str, int]]]:
        """Yield every program, and directional derivatives, as (C name, graph, inputs)."""
        programs, solved = self.instant_programs, (*DIFFERENTIATED_INPUTS, "a", "felt")
        for program in (programs.start_program(), programs.guards_program(), programs.impact_program()):
            yield self._plain_kernel(program)
        for program, names in (
            (programs.balance_program(), DIFFERENTIATED_INPUTS),
            (programs.rates_program(), solved),
            (programs.signals_program(), solved),
        ):
            yield self._plain_kernel(program)
            graph, sizes = directional_derivative(trace_job(program, self.open_model.system.mech), names)
            yield f"model_{program.name}_along", graph, sizes

    def _plain_kernel(self, program: VectorProgram) -> tuple[str, Graph, dict[str, int]]:
        job = trace_job(program, self.open_model.system.mech)
        return f"model_{program.name}", trace_graph(job), job.input_sizes()


def _table_text(kind: str, name: str, values: Sequence[str]) -> str:
    """Return a C array with one extra element, as C has no empty arrays."""
    return f"static const {kind} {name}[{len(values) + 1}] = {{{', '.join([*values, '0'])}}};"
