"""The kernels of the event loop for an open system, with parameters as inputs, for exported C code.

They are those of `system.kernels.event_kernels`, over x = [q, v, states of the laws], the time, the named inputs and
the parameters, a 1 per current mode, accelerations and reactions. Further programs give initial modes and outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.energy import kinetic_energy, potential_energy
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.pose import place_machine
from gearwright.errors import NotTraceableError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.kernels.event_kernels import (
    EVENT_FORMULAS,
    ModeInstant,
    analyse_dependence,
    initial_mode_indices,
    kernel_inputs,
    kernel_sizes,
    signal_values,
)
from gearwright.system.kernels.event_structure import LawPlaces
from gearwright.system.kernels.event_table import required_kernels
from gearwright.system.kernels.traced_laws import law_survey, survey_laws
from gearwright.system.open_systems.open_system import OpenSystem
from gearwright.system.system import System
from gearwright.system.vector_program import vector_program
from gearwright.tracing.simplify.equivalent_machine import simplify_machine
from gearwright.tracing.symbols import Symbol, new_symbols
from gearwright.tracing.trace import PARAMETERS_INPUT


class InstantPrograms:
    """The programs of one open system.

    Args:
        opened: the machine with its laws, with parameters as inputs.
    """

    def __init__(self, opened: OpenSystem) -> None:
        self.opened, self.system = opened, opened.system

    @cached_property
    def places(self) -> LawPlaces:
        """The structure of the laws for any values of the parameters."""
        count = len(self.opened.parameters)
        system = self.opened.with_values(new_symbols(PARAMETERS_INPUT, count)) if count else self.system
        places = _places_of(system, self.system)
        analyse_dependence(places)
        return places

    @cached_property
    def program_names(self) -> list[str]:
        """The names of all programs: required kernels of the event loop, initial modes of all laws, outputs."""
        names = [name for name in required_kernels(self.places.structure) if name not in ("observed", "initial")]
        return [*names, "initial", "observe"] if self.system.laws else [*names, "observe"]

    def instant_inputs(self, after_solve: bool) -> dict[str, int]:
        """The inputs that describe an instant, with their sizes (at least 1: C has no empty arrays)."""
        sizes = kernel_inputs(self.places, after_solve)
        named = {"u": max(len(self.opened.inputs), 1), PARAMETERS_INPUT: max(len(self.opened.parameters), 1)}
        return {"x": sizes.pop("x"), "t": sizes.pop("t"), **named, **{k: n for k, n in sizes.items() if k != "u"}}

    def program(self, name: str) -> VectorProgram:
        """One of the programs; see `EVENT_FORMULAS`.

        `initial` gives the initial mode of every law; `observe` signals of the laws, stored, kinetic and potential
        energy, and generalised forces of inputs and laws.
        """
        if name == "initial":
            return self._vector_program(name, self._initial_formula, len(self.system.laws), False)
        if name == "observe":
            size = len(self.system.signals) + 3 + self.system.mech.n
            return self._vector_program(name, self._output_formula, size, True)
        formula, after_solve = EVENT_FORMULAS[name]

        def event_formula(_: Mechanism, ops: Operations, arguments: Inputs) -> list[Any]:
            return formula(self._instant(ops, arguments))

        return self._vector_program(name, event_formula, kernel_sizes(self.places)[name], after_solve)

    def _vector_program(self, name: str, formula: Callable[..., Any], size: int, after_solve: bool) -> VectorProgram:
        return vector_program(name, self.instant_inputs(after_solve), size, formula)

    def _instant(self, ops: Operations, arguments: Inputs) -> ModeInstant:
        """The laws at an instant, over the scalars of the arguments."""
        opened = self.opened
        values = arguments[PARAMETERS_INPUT][: len(opened.parameters)]
        system = opened.with_values(values)
        places = self.places
        if system is not self.system:  # the survey of the laws must leave no trace of its own symbols
            aside = [Symbol(x.sx, []) if isinstance(x, Symbol) else x for x in values]
            places = _places_of(opened.with_values(aside), self.system)
        u = opened.all_inputs(system, arguments["u"][: len(opened.inputs)])
        return ModeInstant(places, system, ops, {**arguments, "u": u})

    def _initial_formula(self, _: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        count = len(self.system.laws)
        return initial_mode_indices(count, lambda given: self._instant(ops, given), arguments, range(count))

    def _output_formula(self, _: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        instant = self._instant(ops, arguments)
        x, machine = instant.system.motion_of(instant.arguments["x"]), simplify_machine(instant.system.mech)
        pose = place_machine(machine.mech, machine.coordinates_for(x.q), ops)
        return [
            *signal_values(instant),
            kinetic_energy(pose, x.v),
            potential_energy(place_machine(instant.system.mech, x.q, ops)),
            *inverse_dynamics(pose, x.v, instant.arguments["a"]),
        ]


def _places_of(system: System, nominal: System) -> LawPlaces:
    """The structure of a system's laws with other numbers or symbols."""
    survey = law_survey(nominal) if system is nominal else survey_laws(system)
    for obstacle in survey.obstacles:
        raise NotTraceableError(obstacle)
    return LawPlaces(system, survey)
