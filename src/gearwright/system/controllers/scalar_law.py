"""A user's function over scalars as a control law."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gearwright.algebra import ARRAYS, Scalar
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.functions import neutral
from gearwright.mechanism import Mechanism
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement
from gearwright.system.controllers.controller import Controller
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.system.law_parameters import NamedNumbers
from gearwright.system.state import State
from gearwright.text import listed_names

SCALAR_LAW_TIME = "t"
"""The reference of such a law: the time [s]."""


@dataclass(frozen=True)
class ScalarLaw(ControlLaw):
    """The function of a `Controller` over scalars as a control law; its reference is the time.

    Args:
        mech: the controlled machine.
        function: (t, State, operations) -> outputs, and with states their rates or next values.
        initial_states: names of its states with their initial values.
        sample_period: sampling period [s]; None: continuous.
        driven_inputs: names of its outputs.
        measured_states: states of the run's laws that it reads.
        by_name: whether it returns a mapping, whose entries replace inputs; otherwise forces, which are added.
        parameters: its numbers by name, the last argument of the function if there are any.
    """

    mech: Mechanism
    function: Callable[..., Any]
    initial_states: tuple[tuple[str, float], ...]
    sample_period: float | None
    driven_inputs: tuple[str, ...]
    measured_states: tuple[str, ...]
    by_name: bool
    parameters: NamedNumbers = field(default_factory=NamedNumbers)

    @property
    def name(self) -> str:
        """The name of the function."""
        name = getattr(self.function, "__name__", "")
        return name if name.isidentifier() else "controller"

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of its outputs."""
        return self.driven_inputs

    @property
    def adds_forces(self) -> bool:
        """Whether its forces are added to the given ones."""
        return not self.by_name

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """The time."""
        return {SCALAR_LAW_TIME: ("time",)}

    @property
    def sensors(self) -> tuple[str, ...]:
        """States of the run's laws that it reads."""
        return self.measured_states

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states with their initial values."""
        return tuple(Quantity(name, "", initial) for name, initial in self.initial_states)

    @property
    def period(self) -> float | None:
        """The sampling period [s]."""
        return self.sample_period

    def decide(self, measured: Measurement) -> Decision:
        """The outputs and state changes that the function returns."""
        state_names = [name for name, _ in self.initial_states]
        named_states = dict(
            zip((*self.measured_states, *state_names), (*measured.sensors, *measured.states), strict=True)
        )
        state = State(measured.q, measured.v, named_states)
        outputs, changes = _outputs_and_changes(
            self.function,
            state_names,
            measured.reference[SCALAR_LAW_TIME][0],
            state,
            (measured.ops, *_last_argument(self.parameters)),
        )
        values = [outputs[name] for name in self.driven_inputs] if self.by_name else list(outputs)
        state_changes = [changes[name] for name in state_names]
        return (
            Decision(values, rates=state_changes)
            if self.sample_period is None
            else Decision(values, next=state_changes)
        )


def control_law_of(caller: str, control: object, mech: Mechanism) -> LawController:
    """The control law of a controller: one of `gw.control`, or a `Controller` over scalars on this machine."""
    if isinstance(control, LawController):
        return control
    if not isinstance(control, Controller) or not control.scalars:
        restriction = "without scalars=True" if isinstance(control, Controller) else ""
        raise InputError(
            f"{caller}: controller is a {type(control).__name__} {restriction}".rstrip()
            + ", which cannot be compiled. Give "
            "a controller of gw.control, a ControlLaw of your own, or gw.Controller(function, scalars=True) with a "
            "function (t, state, ops). gw.simulate accepts any function."
        )
    recorder = _StateRecorder(control.states)
    q, v = np.array(neutral(mech), dtype=float), np.zeros(mech.n)
    with np.errstate(all="ignore"):
        outputs, _ = _outputs_and_changes(
            control.function,
            [*control.states],
            np.float64(0.0),
            State(q, v, recorder),
            (ARRAYS, *_last_argument(control.parameters)),
        )
    by_name = isinstance(outputs, Mapping)
    names = tuple(outputs) if by_name else tuple(f"tau.{speed}" for speed in mech.speeds)
    law = ScalarLaw(
        mech,
        control.function,
        tuple(control.states.items()),
        control.period,
        names,
        tuple(recorder.foreign_names),
        by_name,
        NamedNumbers({name: float(x) for name, x in control.parameters.items()}),
    )
    return law_controller(law, _time_reference, control.breaks)


def _last_argument(parameters: Mapping[str, Scalar]) -> tuple[Mapping[str, Scalar], ...]:
    return (parameters,) if parameters else ()


def _time_reference(t: Array) -> Array:
    return np.asarray(t, dtype=float)[:, None]


def _outputs_and_changes(
    function: Callable[..., Any], state_names: list[str], t: Scalar, state: State, more: tuple[Any, ...]
) -> tuple[Any, Mapping[str, Scalar]]:
    result = function(t, state, *more)
    if not state_names:
        return result, {}
    try:
        outputs, changes = result
        return outputs, {name: changes[name] for name in state_names}
    except (TypeError, ValueError, KeyError):
        raise InputError(
            f"controller: it returned {result!r}. With states ({listed_names(state_names)}) it must return (outputs, "
            "rates or next values by name)."
        ) from None


class _StateRecorder(Mapping[str, float]):
    """States by any name that a function reads; it records those that are not its own."""

    def __init__(self, own_states: Mapping[str, float]) -> None:
        self._own_states = own_states
        self.foreign_names: dict[str, None] = {}

    def __getitem__(self, name: str) -> float:
        if name not in self._own_states:
            self.foreign_names[name] = None
        return np.float64(self._own_states.get(name, 0.0))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __iter__(self) -> Iterator[str]:
        return iter(self._own_states)

    def __len__(self) -> int:
        return len(self._own_states)
