"""Inputs of a run as functions of time: numbers, functions, and smoothly interpolated series."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.arguments import (
    as_float_array,
    increasing_array,
    is_function,
    is_single_value,
    number_array,
    real_number,
    require_unmasked,
)
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.text import did_you_mean

FORCE_INPUT_PREFIX = "tau."
"""An input tau.<speed> is a generalised force at the gear output."""


MAX_SWING_RATIO = 0.01
"""Largest difference between spline and monotone interpolation of a smooth series, relative to its range."""


@dataclass(frozen=True)
class Signal:
    """A scalar function of time, and the times at which it or its slope jumps, where an integration step must end.

    Between its `knots`, if it has any, it is a polynomial of degree 3 at most; `curve` evaluates it at many times.
    """

    at: Callable[[float], float]
    breaks: tuple[float, ...] = ()
    constant: bool = False
    knots: tuple[float, ...] = ()
    curve: Callable[[Array], Array] | None = None


def steps(times: Sequence[float], values: Sequence[float]) -> Signal:
    """A signal that is constant from each time to the next; before the first it has the first value.

    >>> steps([0.0, 1.0], [2.0, 5.0]).at(0.5)
    2.0
    """
    t, x = increasing_array("steps", "times", times, least=1), number_array("steps", "values", values, axes=1)
    if t.shape != x.shape:
        raise InputError(f"steps: {len(t)} times and {len(x)} values are given. Give as many values as times.")
    change_times = tuple(t.tolist())
    return _piecewise_signal(
        lambda now: x[np.maximum(np.searchsorted(t, now, side="right") - 1, 0)], change_times, change_times
    )


def series(name: str, times: Any, values: Any) -> Signal:
    """A smooth interpolation of samples; constant before the first and after the last."""
    t, x = (as_float_array("simulate", f"input {name!r}", samples) for samples in (times, values))
    if t.ndim != 1 or t.shape != x.shape or len(t) < 2 or not (np.diff(t) > 0).all():
        raise InputError(
            f"simulate: input {name!r} has times {t.shape} and values {x.shape}. Give two or more increasing times and "
            "as many values."
        )
    number_array("simulate", f"input {name!r}", x)
    curve = _smooth_curve(t, x)
    ends = (float(t[0]), float(t[-1]))
    return _piecewise_signal(lambda now: curve(np.minimum(np.maximum(now, t[0]), t[-1])), ends, tuple(t.tolist()))


def _piecewise_signal(curve: Callable[..., Any], breaks: tuple[float, ...], knots: tuple[float, ...]) -> Signal:
    return Signal(lambda now: float(curve(now)), breaks, knots=knots, curve=curve)


def _smooth_curve(t: Array, x: Array) -> Callable[..., Any]:
    """A cubic spline for smooth samples; monotone interpolation where it would overshoot at plateaus and steps.

    Monotone interpolation is less accurate for a smooth motion, but does not leave the range of neighbouring samples.
    """
    from scipy.interpolate import CubicSpline, PchipInterpolator, make_interp_spline

    spline = CubicSpline(t, x) if len(t) > 3 else make_interp_spline(t, x, k=len(t) - 1)
    monotone = PchipInterpolator(t, x)
    middles = 0.5 * (t[1:] + t[:-1])
    swing = np.abs(spline(middles) - monotone(middles)).max()
    return spline if swing <= MAX_SWING_RATIO * np.ptp(x) else monotone


def input_signal(name: str, value_or_function: Any) -> Signal:
    """The signal of a user's argument: a Signal, a number, a function of time, or (times, values)."""
    if isinstance(value_or_function, Signal):
        return value_or_function
    if is_function(value_or_function):
        return Signal(value_or_function)
    if isinstance(value_or_function, tuple) and len(value_or_function) == 2:
        return series(name, *value_or_function)
    if isinstance(value_or_function, str | bytes) or not is_single_value(value_or_function):
        raise InputError(
            f"simulate: input {name!r} is {value_or_function!r}. Give a number, a function of time, or (times, values)."
        )
    value = real_number("simulate", f"input {name!r}", value_or_function)
    return Signal(lambda _: value, constant=True)


@dataclass(frozen=True)
class InputSignals:
    """All inputs of a run in order: functions of time, or one function that returns all forces.

    With `bounds`, every input is clipped to its own bound.
    """

    names: tuple[str, ...]
    signals: Mapping[str, Signal]
    forces: Callable[[float], Any] | None = None
    initial: tuple[float, ...] = ()
    size: int = 0
    bounds: Array | None = None

    def within_bounds(self, values: Array) -> Array:
        """Inputs clipped to their bounds."""
        return values if self.bounds is None else np.clip(values, -self.bounds, self.bounds)

    @cached_property
    def is_constant(self) -> bool:
        """Whether all inputs are constant."""
        return self.forces is None and all(signal.constant for signal in self.signals.values())

    @cached_property
    def curve_signals(self) -> dict[int, Signal]:
        """The signals that are polynomials between their knots, by their indices."""
        return {k: self.signals[x] for k, x in enumerate(self.names) if x in self.signals and self.signals[x].curve}

    @property
    def break_times(self) -> tuple[float, ...]:
        """Times at which a step must end."""
        return tuple(sorted({t for signal in self.signals.values() for t in signal.breaks}))

    def values_at(self, t: float) -> Array:
        """All inputs at a time, in the order of `names`."""
        return self._constant_values if self.is_constant else self._computed_values(t)

    @cached_property
    def _constant_values(self) -> Array:
        return self._computed_values(0.0)

    @cached_property
    def _indexed_signals(self) -> tuple[tuple[int, Callable[[float], float]], ...]:
        """The index and function of each given signal."""
        return tuple((k, self.signals[name].at) for k, name in enumerate(self.names) if name in self.signals)

    def _computed_values(self, t: float) -> Array:
        out = np.array(self.initial)
        if self.forces is not None:
            out[: self.size] = checked_forces("inputs", self.forces(t), self.size, t)
        for k, value_at in self._indexed_signals:
            out[k] = value_at(t)
        if not out.dot(out) < np.inf and not np.isfinite(out).all():
            bad = int(np.flatnonzero(~np.isfinite(out))[0])
            raise InputError(f"simulate: input {self.names[bad]!r} is {out[bad]} at t = {t:g} s. Give finite numbers.")
        return self.within_bounds(out)


def gather_inputs(mech: Mechanism, law_inputs: Mapping[str, float], specification: Any) -> InputSignals:
    """The inputs of a run.

    Args:
        mech: the machine; its forces are tau.<speed>.
        law_inputs: inputs of laws by name with their default values.
        specification: None, an array of n forces, a function of time that returns one, or a mapping from names to
            signals.
    """
    names = (*(FORCE_INPUT_PREFIX + speed for speed in mech.speeds), *law_inputs)
    initial = (*([0.0] * mech.n), *law_inputs.values())
    if specification is None:
        return InputSignals(names, {}, None, initial, mech.n)
    if isinstance(specification, Mapping):
        for name in specification:
            if name not in names:
                raise InputError(f"simulate: there is no input {name!r}. {did_you_mean(name, names)}")
        return InputSignals(
            names, {name: input_signal(name, x) for name, x in specification.items()}, None, initial, mech.n
        )
    if is_function(specification):
        return InputSignals(names, {}, specification, initial, mech.n)
    forces = checked_forces("inputs", specification, mech.n, 0.0).tolist()
    signals = {name: input_signal(name, force) for name, force in zip(names, forces, strict=False)}
    return InputSignals(names, signals, None, initial, mech.n)


def checked_forces(caller: str, value: Any, size: int, t: float) -> Array:
    """The checked forces from a function of time or a controller, (n,) finite numbers."""
    try:
        array = np.asarray(require_unmasked("simulate", caller, value), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"simulate: {caller} returned {value!r} at t = {t:g} s. Return {size} forces.") from None
    if array.shape != (size,):
        raise InputError(
            f"simulate: {caller} returned an array of shape {array.shape} at t = {t:g} s. Return ({size},), one force "
            "per speed, or a mapping from input names to numbers."
        )
    return array
