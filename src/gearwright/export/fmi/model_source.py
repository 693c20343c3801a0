"""The machine-specific part of an FMU as C: the kernels of its event loop, and the loop's workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright._version import __version__
from gearwright.arrays import Array
from gearwright.simulation.compiled_loop.c_source import C_EVENT_CAPACITY, engine_c_text, workspace_c_text
from gearwright.simulation.compiled_loop.workspace_sizes import WorkspaceSizes
from gearwright.system.open_systems.instant_programs import InstantPrograms
from gearwright.system.open_systems.open_system import OpenSystem
from gearwright.system.vector_program import trace_job
from gearwright.text import c_comment, c_identifier
from gearwright.tracing.c_source import C_PRECISIONS, argument_names, c_source, function_declaration
from gearwright.tracing.graph import Graph
from gearwright.tracing.trace import PARAMETERS_INPUT, directional_derivative, trace_graph

FMU_REAL = C_PRECISIONS["double"]
DIFFERENTIATED_INPUTS = ("x", "u", PARAMETERS_INPUT)
"""Variables of differentiation of an instant; accelerations and reactions are included after the solve."""

ENGINE_HEAD = "/* The event engine, printed from its source in Python. */\n\n#include <math.h>\n"

KERNEL_ARGUMENTS = {"x": "x_at", "t": "t_at", PARAMETERS_INPUT: "p"}
"""Fields of the workspace for inputs of kernels that have another name."""
KERNEL_RESULTS = {
    "tied": "a0",
    "follow": "moved",
    "look": "looks",
    "settling": "violations",
    "displace": "displaced",
    "initial": "initial_modes",
    "flanks": "violations",
    "tied_along": "a0_along",
    "follow_along": "rates_along",
}
"""Fields of the workspace for the results of kernels."""


@dataclass(frozen=True)
class FmuKernel:
    """A function of the model in C.

    Args:
        name: its name in the workspace.
        graph: its operations.
        sizes: its inputs with their sizes.
    """

    name: str
    graph: Graph
    sizes: Mapping[str, int]

    @property
    def c_name(self) -> str:
        """Its name in C."""
        return f"model_{self.name}"

    @property
    def declaration(self) -> str:
        """Its declaration in C."""
        return f"static {function_declaration(self.c_name, argument_names(self.graph, self.sizes), FMU_REAL)};"

    @property
    def definition(self) -> str:
        """Its definition in C."""
        return c_source(self.graph, self.c_name, self.sizes, len(self.graph.outputs))

    @property
    def wrapper(self) -> str:
        """Its call with a workspace."""
        names = [*map(_field_of_input, self.sizes), KERNEL_RESULTS[self.name]]
        arguments = ", ".join(f"s->{name}" for name in names)
        head = f"static int run_{self.name}(void *table)\n{{\n  const LoopWorkspace *s = (const LoopWorkspace *)table;"
        return f"{head}\n  {self.c_name}({arguments});\n  return 0;\n}}\n"


def _field_of_input(name: str) -> str:
    """The field of the workspace for an input of a kernel."""
    if name.startswith("d_"):
        return f"{name.removeprefix('d_').replace(PARAMETERS_INPUT, 'p')}_along"
    return KERNEL_ARGUMENTS.get(name, name)


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

    @property
    def engine_header(self) -> str:
        """Content of the file engine.h, the same for all models."""
        return f"{ENGINE_HEAD}\n{engine_c_text()}\n"

    @cached_property
    def _model_text(self) -> str:
        kernels = [*self._kernels()]
        in_loop = [kernel for kernel in kernels if kernel.name in KERNEL_RESULTS]
        return "\n".join(
            [
                *self._size_definitions(),
                "",
                *self._start_definitions(),
                "",
                *(kernel.declaration for kernel in kernels),
                "",
                *(kernel.definition for kernel in kernels),
                *(kernel.wrapper for kernel in in_loop),
                self._workspace_text([kernel.name for kernel in in_loop]),
            ]
        )

    def _workspace_text(self, kernels: Sequence[str]) -> str:
        opened, structure = self.open_model, self.instant_programs.places.structure
        sizes = WorkspaceSizes(opened.system, structure, len(opened.inputs), 0, C_EVENT_CAPACITY)
        return workspace_c_text(sizes, len(opened.parameters), kernels)

    @property
    def event_count(self) -> int:
        """Number of event indicators, one per guard of a law; its modes share them."""
        return self.instant_programs.places.structure.guards

    def _size_definitions(self) -> Iterable[str]:
        system = self.open_model.system
        sizes = {
            "N_STATES": system.law_slice.stop + 2,
            "N_COORDINATES": system.mech.nq,
            "N_SPEEDS": system.mech.n,
            "N_INPUTS": len(self.open_model.inputs),
            "N_PARAMETERS": len(self.open_model.parameters),
            "N_LAWS": len(system.laws),
            "N_GUARDS": self.event_count,
            "N_OUTPUTS": self.instant_programs.program("observe").shape(system.mech, {})[0],
        }
        return [f"#define {name} {value!r}" for name, value in sizes.items()]

    def _start_definitions(self) -> Iterable[str]:
        for name, numbers in (("x", self.start), ("u", self.first_inputs), ("p", self.open_model.nominal_values)):
            texts = [*(FMU_REAL.constant_text(float(x)) for x in numbers), "0"]  # C has no empty arrays
            yield f"static const double start_{name}[] = {{{', '.join(texts)}}};"

    @property
    def first_inputs(self) -> list[float]:
        """Return the default inputs: initial values of the laws, zero forces."""
        law_inputs = self.open_model.system.inputs
        return [float(law_inputs[name].initial) if name in law_inputs else 0.0 for name in self.open_model.inputs]

    def _kernels(self) -> Iterable[FmuKernel]:
        """Yield all kernels, and directional derivatives."""
        programs, mech = self.instant_programs, self.open_model.system.mech
        for name in programs.program_names:
            job = trace_job(programs.program(name), mech)
            yield FmuKernel(name, trace_graph(job), job.input_sizes())
        for name, after_solve in (("tied", ()), ("follow", ("a", "felt")), ("observe", ("a", "felt"))):
            job = trace_job(programs.program(name), mech)
            yield FmuKernel(f"{name}_along", *directional_derivative(job, (*DIFFERENTIATED_INPUTS, *after_solve)))
