"""Controllers: any function of time and state, continuous or sampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import is_function, number_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.system.inputs import checked_forces
from gearwright.system.state import State
from gearwright.text import did_you_mean, listed_names


@check_arguments
@dataclass(frozen=True)
class Controller:
    """A controller: a function of time and state with its period, states and discontinuities.

    Args:
        function: (t, State) -> forces (n,), or a mapping from input names to numbers; with `states`, a pair of that
            and a mapping from state names to rates (to next values with a period).
        period: sampling period [s], with outputs and states held in between; None: continuous.
        states: states of the controller itself (an integral, a filter) with their initial values.
        breaks: times at which its outputs or their derivatives jump; an integration step ends there.
        scalars: whether it is written for generic scalars, as force laws are: it is then called with a third argument,
            the operations (`ops.where`, `ops.minimum`, ...), and must not branch on values with `if`. A continuous one
            runs in machine code; `gw.rollout` and `gw.export.c` accept it too.
        parameters: its gains and other numbers by name, passed to the function as its last argument; of a controller
            over scalars they can vary in `gw.rollout` and be unknowns of `gw.identification.fit_run`, by the paths
            `<function name>.<parameter>`; a lambda has the name `controller`.

    >>> Controller(lambda t, state: [-5.0 * state.v[0]], period=1e-3).period
    0.001
    """

    function: Callable[..., Any]
    period: float | None = None
    states: Mapping[str, float] = field(default_factory=dict)
    breaks: tuple[float, ...] = ()
    scalars: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not is_function(self.function):
            raise InputError(f"controller: {self.function!r} is not a function. Give a function of time and state.")
        if not isinstance(self.scalars, bool):
            raise InputError(f"controller: scalars={self.scalars!r} must be True or False.")
        if self.period is not None:
            hint = "Leave it out for a continuous controller."
            real_number("controller", "period", self.period, above=0.0, unit="seconds", example=1e-3, hint=hint)
        for word, kind in (("states", "state"), ("parameters", "parameter")):
            numbers = getattr(self, word)
            if not isinstance(numbers, Mapping):
                raise InputError(f"controller: {word}={numbers!r} is not a mapping. Give names with numbers.")
            for name, value in numbers.items():
                real_number("controller", f"{kind} {name!r}", value)
        number_array("controller", "breaks", self.breaks)
        self._require_arguments()

    def _require_arguments(self) -> None:
        """Raise an error if the function cannot be called with the arguments of this controller."""
        words = ["t", "state", *(["ops"] if self.scalars else []), *(["parameters"] if self.parameters else [])]
        try:
            signature(self.function).bind(*words)
        except TypeError:
            name = getattr(self.function, "__name__", type(self.function).__name__)
            raise InputError(
                f"controller: function {name}{signature(self.function)} is called with ({', '.join(words)}). Give it "
                "these arguments."
            ) from None
        except ValueError:  # of a built-in function, whose arguments are not known
            return

    def outputs_and_rates(self, t: float, state: State) -> tuple[Any, Array]:
        """The outputs of the function, and the rates or next values of the controller's states."""
        more = ((FLOATS,) if self.scalars else ()) + ((self.parameters,) if self.parameters else ())
        result = self.function(t, state, *more)
        return self._split_result(result, t) if self.states else (result, np.zeros(0))

    def _split_result(self, result: Any, t: float) -> tuple[Any, Array]:
        try:
            outputs, rates = result
            return outputs, np.array([float(rates[name]) for name in self.states])
        except (TypeError, ValueError, KeyError):
            raise InputError(
                f"controller: at t = {t:g} s it returned {result!r}. With states ({listed_names(self.states)}) it must "
                f"return (outputs, {'rates' if self.period is None else 'next values'} by name)."
            ) from None


def with_controller_output(inputs: Array, output: Any, t: float, names: tuple[str, ...], size: int) -> Array:
    """Inputs combined with a controller's outputs: forces are added, named inputs are replaced."""
    keep, add = output_effect(output, t, names, size)
    return keep * inputs + add


def output_effect(output: Any, t: float, names: tuple[str, ...], size: int) -> tuple[Array, Array]:
    """The effect of a controller's outputs on the inputs: a factor and a summand for each input."""
    keep, add = np.ones(len(names)), np.zeros(len(names))
    if isinstance(output, Mapping):
        for name, value in output.items():
            if name not in names:
                raise InputError(f"controller: there is no input {name!r}. {did_you_mean(name, names)}")
            k = names.index(name)
            keep[k], add[k] = 0.0, _output_number(name, value, t)
    else:
        add[:size] = checked_forces("the controller", output, size, t)
    if not np.isfinite(add).all():
        bad = int(np.flatnonzero(~np.isfinite(add))[0])
        raise InputError(f"controller: {names[bad]!r} is {add[bad]} at t = {t:g} s. Return finite numbers.")
    return keep, add


def _output_number(name: str, value: Any, t: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"controller: {name!r} is {value!r} at t = {t:g} s. Return a number.") from None


@check_arguments
def sampled_controller(function: Callable[[float, State], Any], period: float) -> Controller:
    """Return a controller that is called every `period` seconds; its outputs are held in between."""
    return Controller(function, period)


class _CalledOncePerTime:
    """A function that is called once per time: a sampled controller may have internal memory."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._t: float | None = None
        self._result: Any = None

    def __call__(self, t: float, *more: Any) -> Any:
        if t != self._t:
            self._result, self._t = self._function(t, *more), t
        return self._result


def as_controller(candidate: Any) -> Controller | None:
    """The controller of a run from a user's argument: None, a Controller, or a function of time and state."""
    if candidate is None:
        return None
    control = candidate if isinstance(candidate, Controller) else Controller(candidate)
    return control if control.period is None else replace(control, function=_CalledOncePerTime(control.function))
