"""Controllers: any function of time and state, continuous or sampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import is_function, number, numbers
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.system.inputs import checked_output
from gearwright.system.state import State
from gearwright.text import did_you_mean, listed


@dataclass(frozen=True)
class Controller:
    """A controller with what a plain function cannot say about itself.

    Args:
        function: (t, State) -> forces (n,), or a mapping from input names to numbers; with `states`, a pair of that
            and the rates of the states (their next values with a period), a mapping from their names.
        period: time between two calls [s], the outputs and states being held in between; None: continuous.
        states: states of the controller itself (an integral, a filter) with their values at the start.
        breaks: times at which its outputs jump or have a kink, so that a step ends there.
        scalars: whether it is written over scalars of any kind, as laws are: then it is called with a third argument,
            the operations (`ops.where`, `ops.minimum`, ...), uses no `if` on its numbers, and a continuous one runs in
            machine code; `gw.rollout` and `gw.export.c` take it too.

    >>> Controller(lambda t, state: [-5.0 * state.v[0]], period=1e-3).period
    0.001
    """

    function: Callable[..., Any]
    period: float | None = None
    states: Mapping[str, float] = field(default_factory=dict)
    breaks: tuple[float, ...] = ()
    scalars: bool = False

    def __post_init__(self) -> None:
        if not is_function(self.function):
            raise InputError(f"controller: {self.function!r} is not a function of time and state.")
        if self.period is not None:
            hint = "Leave it out for a continuous controller."
            number("controller", "period", self.period, above=0.0, unit="seconds", example=1e-3, hint=hint)
        if not isinstance(self.states, Mapping):
            raise InputError(f"controller: states={self.states!r} must be a mapping from names to numbers.")
        for name, value in self.states.items():
            number("controller", f"state {name!r}", value)
        numbers("controller", "breaks", self.breaks)

    def answer(self, t: float, state: State) -> tuple[Any, Array]:
        """What the function returns, and the rates, or next values, of the controller's states."""
        answer = self.function(t, state, FLOATS) if self.scalars else self.function(t, state)
        return self._split(answer, t) if self.states else (answer, np.zeros(0))

    def _split(self, answer: Any, t: float) -> tuple[Any, Array]:
        try:
            outputs, rates = answer
            return outputs, np.array([float(rates[name]) for name in self.states])
        except (TypeError, ValueError, KeyError):
            raise InputError(
                f"controller: with states ({listed(self.states)}) it must return (outputs, "
                f"{'rates' if self.period is None else 'next values'} by name); at t = {t:g} s it returned {answer!r}."
            ) from None


def with_answer(known: Array, answer: Any, t: float, names: tuple[str, ...], size: int) -> Array:
    """Known inputs with a controller's answer: forces are added, named inputs are replaced."""
    keep, add = effect_of(answer, t, names, size)
    return keep * known + add


def effect_of(answer: Any, t: float, names: tuple[str, ...], size: int) -> tuple[Array, Array]:
    """What a controller's answer makes of the inputs: each is multiplied by the first, and the second is added."""
    keep, add = np.ones(len(names)), np.zeros(len(names))
    if isinstance(answer, Mapping):
        for name, value in answer.items():
            if name not in names:
                raise InputError(f"controller: there is no input {name!r}. {did_you_mean(name, names)}")
            k = names.index(name)
            keep[k], add[k] = 0.0, _number(name, value, t)
    else:
        add[:size] = checked_output("the controller", answer, size, t)
    if not np.isfinite(add).all():
        bad = int(np.flatnonzero(~np.isfinite(add))[0])
        raise InputError(f"controller: {names[bad]!r} is {add[bad]} at t = {t:g} s. Return finite numbers.")
    return keep, add


def _number(name: str, value: Any, t: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"controller: {name!r} is {value!r} at t = {t:g} s. Return a number.") from None


@check_arguments
def sampled_controller(function: Callable[[float, State], Any], period: float) -> Controller:
    """A controller that is called every `period` seconds, its outputs held in between."""
    return Controller(function, period)


class _AskedOnce:
    """A function that is called once per time, whoever asks again: a sampled controller may keep memory of its own."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._t: float | None = None
        self._answer: Any = None

    def __call__(self, t: float, *more: Any) -> Any:
        if t != self._t:
            self._answer, self._t = self._function(t, *more), t
        return self._answer


def controller_of(given: Any) -> Controller | None:
    """A controller for one run from what a user gives: None, a Controller, or a function of time and state."""
    if given is None:
        return None
    control = given if isinstance(given, Controller) else Controller(given)
    return control if control.period is None else replace(control, function=_AskedOnce(control.function))
