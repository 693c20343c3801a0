"""Inputs of a run as functions of time: numbers, functions, and series that are interpolated smoothly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.arguments import as_floats, increasing, is_function, is_single, number, numbers, unmasked
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.text import did_you_mean

TAU = "tau."
"""An input called tau.<speed> is a generalized force: at the gear output."""


SWING = 0.01
"""Part of a series' range by which two ways to join its samples may differ where they show a curve."""


@dataclass(frozen=True)
class Signal:
    """A number as a function of time, and the times where it jumps or has a kink, at which a step must end.

    Between its `knots`, where it has any, it is a polynomial of degree 3 at most, which `curve` gives at many times.
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
    t, x = increasing("steps", "times", times, least=1), numbers("steps", "values", values, axes=1)
    if t.shape != x.shape:
        raise InputError(f"steps: there are {len(t)} times and {len(x)} values. Give as many values as times.")
    at = tuple(t.tolist())
    return _polynomials(lambda now: x[np.maximum(np.searchsorted(t, now, side="right") - 1, 0)], at, at)


def series(name: str, times: Any, values: Any) -> Signal:
    """Samples joined smoothly; before the first and after the last they stay constant."""
    t, x = (as_floats("simulate", f"input {name!r}", given) for given in (times, values))
    if t.ndim != 1 or t.shape != x.shape or len(t) < 2 or not (np.diff(t) > 0).all():
        raise InputError(
            f"simulate: input {name!r} has times {t.shape} and values {x.shape}. Give two or more increasing times and "
            "as many values."
        )
    numbers("simulate", f"input {name!r}", x)
    curve = _smooth(t, x)
    ends = (float(t[0]), float(t[-1]))
    return _polynomials(lambda now: curve(np.minimum(np.maximum(now, t[0]), t[-1])), ends, tuple(t.tolist()))


def _polynomials(curve: Callable[..., Any], breaks: tuple[float, ...], knots: tuple[float, ...]) -> Signal:
    return Signal(lambda now: float(curve(now)), breaks, knots=knots, curve=curve)


def _smooth(t: Array, x: Array) -> Callable[..., Any]:
    """A cubic spline where the samples follow a curve; monotone pieces where it would swing beyond plateaus and steps.

    Monotone pieces are less exact between samples of a smooth motion, but never leave the range of their ends.
    """
    from scipy.interpolate import CubicSpline, PchipInterpolator, make_interp_spline

    spline = CubicSpline(t, x) if len(t) > 3 else make_interp_spline(t, x, k=len(t) - 1)
    calm = PchipInterpolator(t, x)
    middles = 0.5 * (t[1:] + t[:-1])
    swing = np.abs(spline(middles) - calm(middles)).max()
    return spline if swing <= SWING * np.ptp(x) else calm


def signal(name: str, given: Any) -> Signal:
    """One input from what a user gives: a Signal, a number, a function of time, or (times, values)."""
    if isinstance(given, Signal):
        return given
    if is_function(given):
        return Signal(given)
    if isinstance(given, tuple) and len(given) == 2:
        return series(name, *given)
    if isinstance(given, str | bytes) or not is_single(given):
        raise InputError(
            f"simulate: input {name!r} is {given!r}. Give a number, a function of time, or (times, values)."
        )
    value = number("simulate", f"input {name!r}", given)
    return Signal(lambda _: value, constant=True)


@dataclass(frozen=True)
class Inputs:
    """All inputs of a run in order: functions of time, or one function that gives all forces at once.

    With `bounds`, no input goes beyond its own, whoever gives it.
    """

    names: tuple[str, ...]
    signals: Mapping[str, Signal]
    forces: Callable[[float], Any] | None = None
    initial: tuple[float, ...] = ()
    size: int = 0
    bounds: Array | None = None

    def cut(self, values: Array) -> Array:
        """Inputs within their bounds."""
        return values if self.bounds is None else np.clip(values, -self.bounds, self.bounds)

    @cached_property
    def constant(self) -> bool:
        """Whether nothing changes with time."""
        return self.forces is None and all(one.constant for one in self.signals.values())

    @cached_property
    def curves(self) -> dict[int, Signal]:
        """The signals that are polynomials between their knots, by their places."""
        return {k: self.signals[x] for k, x in enumerate(self.names) if x in self.signals and self.signals[x].curve}

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which a step must end."""
        return tuple(sorted({t for one in self.signals.values() for t in one.breaks}))

    def at(self, t: float) -> Array:
        """All inputs at a time, in the order of `names`."""
        return self._constants if self.constant else self._values(t)

    @cached_property
    def _constants(self) -> Array:
        return self._values(0.0)

    @cached_property
    def _given(self) -> tuple[tuple[int, Callable[[float], float]], ...]:
        """Where each signal goes."""
        return tuple((k, self.signals[name].at) for k, name in enumerate(self.names) if name in self.signals)

    def _values(self, t: float) -> Array:
        out = np.array(self.initial)
        if self.forces is not None:
            out[: self.size] = checked_output("inputs", self.forces(t), self.size, t)
        for k, at in self._given:
            out[k] = at(t)
        if not out.dot(out) < np.inf and not np.isfinite(out).all():
            bad = int(np.flatnonzero(~np.isfinite(out))[0])
            raise InputError(f"simulate: input {self.names[bad]!r} is {out[bad]} at t = {t:g} s. Give finite numbers.")
        return self.cut(out)


def gathered(mech: Mechanism, law_inputs: Mapping[str, float], given: Any) -> Inputs:
    """The inputs of a run.

    Args:
        mech: the machine; its forces are called tau.<speed>.
        law_inputs: inputs of laws by name with their values when nobody gives one.
        given: None, an array of n forces, a function of time that returns one, or a mapping from names to signals.
    """
    names = (*(TAU + speed for speed in mech.speeds), *law_inputs)
    initial = (*([0.0] * mech.n), *law_inputs.values())
    if given is None:
        return Inputs(names, {}, None, initial, mech.n)
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise InputError(f"simulate: there is no input {name!r}. {did_you_mean(name, names)}")
        return Inputs(names, {name: signal(name, x) for name, x in given.items()}, None, initial, mech.n)
    if is_function(given):
        return Inputs(names, {}, given, initial, mech.n)
    forces = checked_output("inputs", given, mech.n, 0.0).tolist()
    signals = {name: signal(name, force) for name, force in zip(names, forces, strict=False)}
    return Inputs(names, signals, None, initial, mech.n)


def checked_output(who: str, value: Any, size: int, t: float) -> Array:
    """Forces as a function of time or a controller returned them, (n,) finite numbers."""
    try:
        array = np.asarray(unmasked("simulate", who, value), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"simulate: {who} returned {value!r} at t = {t:g} s. Return {size} forces.") from None
    if array.shape != (size,):
        raise InputError(
            f"simulate: {who} returned an array of shape {array.shape} at t = {t:g} s; it must be ({size},), one force "
            "per speed, or a mapping from input names to numbers."
        )
    return array
