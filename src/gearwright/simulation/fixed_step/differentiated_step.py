r"""Exact sensitivities of fixed-step motions: the step is differentiated, and its columns run in the compiled loop.

A step $x^+ = \Phi(x, u, p)$ is continuous in everything (friction and stops are projections of an impulse onto its
bounds), so the sensitivities $X = dx/dp$ satisfy $X^+ = \Phi_x X + \Phi_p$ without any jump condition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.llvm.schedule import ArrayLayout
from gearwright.compiling.rollout_loop import RolloutCode, compile_rollout
from gearwright.errors import CompilationError, InputError
from gearwright.forces import Law
from gearwright.functions.backend import kernel_mode
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.simulation.acting_laws import RobotLaws
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep
from gearwright.simulation.fixed_step.step_program import LAW_NUMBERS, MOREAU_METHOD, STEPPING_STATES
from gearwright.system import ControlLaw, ParametricLaw, law_parameter
from gearwright.text import did_you_mean
from gearwright.tracing.parameters import nominal_value
from gearwright.tracing.trace import PARAMETERS_INPUT, tangent_step

START_PREFIX, INPUT_PREFIX = "start.", "input."
"""Names of initial states (`start.q.<coordinate>`, `start.v.<speed>`, `start.<state>`) and of constant changes of
inputs (`input.tau.<speed>`, `input.<input>`)."""


MIN_DIFFERENTIATED_SWEEPS = 15
"""Least number of Gauss-Seidel sweeps of a differentiated step, whose sweeps are not repeated."""


def nominal_number(source: Robot | Mechanism, laws: Sequence[ParametricLaw], path: str) -> float:
    """The present number at a path of a robot, a machine, its laws or a control law."""
    of_law = law_parameter(laws, path)
    return nominal_value(source, path) if of_law is None else of_law


@dataclass(frozen=True)
class SensitivityNames:
    """What a motion is differentiated by, sorted by kind.

    Args:
        all: the names in the given order.
    """

    all: tuple[str, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The paths of parameters of the robot and its laws."""
        return tuple(name for name in self.all if not name.startswith((START_PREFIX, INPUT_PREFIX)))

    def unit_columns(self, entries: Sequence[str], prefix: str = "") -> Array:
        """A 1 where an entry has the name of a column, (entries, columns)."""
        return np.array([[float(prefix + entry == name) for name in self.all] for entry in entries]).reshape(
            len(entries), len(self.all)
        )

    def require_known(self, caller: str, states: Sequence[str], inputs: Sequence[str]) -> None:
        """Raise an error for an unknown initial state or input, and for names given twice."""
        if len(set(self.all)) < len(self.all):
            raise InputError(f"{caller}: sensitivities names {_first_repeated(self.all)!r} twice. Name each once.")
        for prefix, known in ((START_PREFIX, states), (INPUT_PREFIX, inputs)):
            for name in self.all:
                if name.startswith(prefix) and name.removeprefix(prefix) not in known:
                    names = [prefix + entry for entry in known]
                    raise InputError(f"{caller}: there is no {name!r} to differentiate by. {did_you_mean(name, names)}")


def _first_repeated(names: Sequence[str]) -> str:
    return next(name for k, name in enumerate(names) if name in names[:k])


class DifferentiatedStep(FixedStep):
    """A fixed-step simulation whose states are followed by their sensitivities; `differentiated_step` makes it.

    The vector of states is [x, X], column after column in the order of `names`.
    """

    def __init__(
        self,
        source: Robot | Mechanism,
        laws: tuple[Law, ...] | RobotLaws,
        method: str,
        parameters: tuple[str, ...],
        names: tuple[str, ...],
        sweeps: int = 10,
        control: ControlLaw | None = None,
    ) -> None:
        super().__init__(source, laws, method, False, parameters, sweeps, control, tries=1)
        self._differentiated_arguments = (source, laws, method, parameters, names, sweeps, control)
        self.names = SensitivityNames(names)
        self.plain_states = self.states
        diagnostics = len(STEPPING_STATES) if method == MOREAU_METHOD else 0
        self.moving_states = self.plain_states[: len(self.plain_states) - diagnostics]
        self.names.require_known("rollout", self.moving_states, self.inputs)
        self.states = (*self.plain_states, *(f"d {state} / d {name}" for name in names for state in self.moving_states))

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return DifferentiatedStep, self._differentiated_arguments

    @property
    def _seeds(self) -> dict[str, list[list[float]]]:
        """Per input of a step the constant derivatives of its entries, (entries, columns)."""
        law_paths = self.plan.law_paths
        entries = {name: self.inputs for name in self._job.input_sizes() if name.startswith("inputs")}
        entries |= {LAW_NUMBERS: law_paths} if law_paths else {}
        machine_paths = tuple(path for path in self.parameters if path not in law_paths)
        entries |= {PARAMETERS_INPUT: machine_paths} if machine_paths else {}
        return {
            name: self.names.unit_columns(known, INPUT_PREFIX if name.startswith("inputs") else "").tolist()
            for name, known in entries.items()
        }

    @cached_property
    def _tangent(self) -> Any:
        return tangent_step(self._job, "x", len(self.moving_states), self._seeds)

    @cached_property
    def _compiled_loop(self) -> tuple[RolloutCode | None, int, str]:
        if kernel_mode() == "off":
            return None, 0, "the steps run in Python, not in machine code: GEARWRIGHT_KERNELS is off."
        graph, _ = self._tangent
        sizes = {**self._job.input_sizes(), "x": len(self.states)}
        try:
            code = compile_rollout(
                graph, ArrayLayout(tuple(sizes.values()), len(self.states), self._job.parameter_count > 0)
            )
        except CompilationError as error:
            return None, 0, f"the steps run in Python, not in machine code: {error}."
        why = f"a step has {len(graph.nodes):,} operations, too many for LLVM." if code is None else ""
        return code, graph.operation_count.arithmetic_count if code else 0, why

    def _one_step(self, values: dict[str, Array]) -> Array:
        """The states and sensitivities after a step without machine code."""
        _, function = self._tangent
        rows = len(values["x"])
        columns = [np.broadcast_to(x, (rows, x.shape[-1])) for x in values.values()]
        return np.array([np.asarray(function(*(x[k] for x in columns))[1]).ravel() for k in range(rows)])

    def with_first_columns(self, x: Array) -> Array:
        """States (N, nx) followed by the initial values of their sensitivities."""
        start = self.names.unit_columns(self.moving_states, START_PREFIX).T.ravel()
        return np.concatenate([x, np.broadcast_to(start, (len(x), len(start)))], axis=1)

    def split_columns(self, record: Array) -> tuple[Array, Array]:
        """States (..., nx) and sensitivities (..., columns, moving states) of a record."""
        size, shape = len(self.plain_states), (len(self.names.all), len(self.moving_states))
        return record[..., :size], record[..., size:].reshape(*record.shape[:-1], *shape)

    def sensitivity_series(self, columns: Array) -> dict[str, dict[str, Array]]:
        """Per signal ("q", "v" or a state of a law) and name the derivatives, from columns (T, ..., names, states)."""
        nq, n = self.mech.nq, self.mech.n
        signals: dict[str, Any] = {"q": slice(0, nq), "v": slice(nq, nq + n)}
        signals |= {state: k for k, state in enumerate(self.moving_states) if k >= nq + n}
        return {
            signal: {name: columns[..., k, place] for k, name in enumerate(self.names.all)}
            for signal, place in signals.items()
        }


def differentiated_step(
    source: Robot | Mechanism,
    laws: tuple[Law, ...] | RobotLaws,
    method: str,
    names: Sequence[str],
    options: Mapping[str, Any],
    parameters: Sequence[str] = (),
) -> DifferentiatedStep:
    """A fixed-step simulation with sensitivities, compiled at its first run; made once per machine, laws and names.

    Args:
        source: the robot or machine.
        laws: the active laws, or those of the robot.
        method: "euler", "rk4" or "moreau".
        names: what the states are differentiated by: paths of numbers, `start.<state>`, `input.<input>`.
        options: `sweeps` of "moreau", which are all done in every step, and `control`.
        parameters: paths of further numbers that are inputs.
    """
    paths = dict.fromkeys([*parameters, *SensitivityNames(tuple(names)).parameters])
    arguments = (source, laws, method, tuple(paths), tuple(names), options.get("sweeps", 10), options.get("control"))
    try:
        return _cached_step(*arguments)
    except TypeError:  # something in it cannot be a key
        return DifferentiatedStep(*arguments)


_cached_step = lru_cache(maxsize=16)(DifferentiatedStep)
