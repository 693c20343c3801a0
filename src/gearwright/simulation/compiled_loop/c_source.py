"""The event engine and its workspace as C99, printed from the source of the event loop, for exported models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from gearwright.compiling.restricted_python.c_printer import c_text
from gearwright.compiling.restricted_python.walker import workspace_fields
from gearwright.forces.event_tolerances import EVENT_LOCATION_LEVEL, MIN_STEPS_WITH_EVENTS
from gearwright.simulation.compiled_loop import directional_derivatives
from gearwright.simulation.compiled_loop.driver import LOOP_MODULES
from gearwright.simulation.compiled_loop.source import loop
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace
from gearwright.simulation.compiled_loop.workspace_sizes import WorkspaceSizes
from gearwright.simulation.integrators.stiffness_detection import CHECK_EVERY, STIFF_STEP_DECAY

C_LOOP_ENTRIES = ("advance", "after_event", "find_consistent_modes", "restart_in_modes", "check_guards")
C_POINT_ENTRIES = ("evaluate_inputs", "evaluate_point", "differentiate_point")

C_EVENT_CAPACITY = 1024
"""Capacity for changes of modes before they are discarded: exported models do not list them."""


@cache
def engine_c_text() -> str:
    """The workspace of the event loop, its results, and the functions that exported models call, in C99."""
    results = {name: value for name, value in vars(loop).items() if name.startswith(("LOOP_", "MODES_", "DENSE_"))}
    tolerances = {"EVENT_LOCATION_LEVEL": EVENT_LOCATION_LEVEL, "MIN_STEPS_WITH_EVENTS": MIN_STEPS_WITH_EVENTS}
    tolerances |= {"CHECK_EVERY": CHECK_EVERY, "STIFF_STEP_DECAY": STIFF_STEP_DECAY}
    modules = (*LOOP_MODULES, directional_derivatives)
    return c_text(modules, LoopWorkspace, (*C_LOOP_ENTRIES, *C_POINT_ENTRIES), results | tolerances)


def workspace_c_text(sizes: WorkspaceSizes, parameters: int, kernels: Sequence[str]) -> str:
    """The structure of a model's laws, the arrays of its workspace, and the function that connects them, in C99.

    Args:
        sizes: the sizes of its workspace; each input is a line in time.
        parameters: number of parameters.
        kernels: names of the kernels, which the functions `run_<name>` call.
    """
    numbers = {**sizes.numbers, "has_ties": 1, "pieces": 1, "room": 2}
    floats, ints = sizes.float_arrays | sizes.exported_arrays(parameters), sizes.int_arrays | {"piece_degree": 1}
    constants, fields = sizes.constant_arrays, workspace_fields(LoopWorkspace)
    return "\n".join(
        [
            *(_table_text(fields[name][1], name, values) for name, values in constants.items()),
            "\ntypedef struct {",
            *(f"  double {name}[{max(count, 1)}];" for name, count in floats.items()),
            *(f"  int {name}[{max(count, 1)}];" for name, count in ints.items()),
            "} LoopArrays;\n\nstatic void connect_loop(LoopWorkspace *s, LoopArrays *arrays)\n{",
            *(f"  s->{name} = {value};" for name, value in numbers.items()),
            *(f"  s->{name} = law_{name};" for name in constants),
            *(f"  s->{name} = arrays->{name};" for name in (*floats, *ints) if name in fields),
            *_term_connections(sizes.balance_terms),
            *(f"  s->{name} = run_{name};\n  s->{name}_table = s;" for name in kernels),
            "}\n",
        ]
    )


def _term_connections(terms: Mapping[str, int]) -> Iterable[str]:
    """The fields of all terms of the force balance, and of their derivatives, in one array each."""
    for suffix in ("", "_along"):
        start = 0
        for name, count in terms.items():
            yield f"  s->{name}{suffix} = arrays->terms{suffix} + {start};"
            start += count


def _table_text(kind: str, name: str, values: Sequence[float]) -> str:
    """A constant array with one extra element, as C has no empty arrays."""
    texts = [repr(float(x)) if kind == "Floats" else str(int(x)) for x in values]
    return f"static {'double' if kind == 'Floats' else 'int'} law_{name}[] = {{{', '.join([*texts, '0'])}}};"
