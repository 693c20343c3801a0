r"""Temperatures of a motor that repeats a cycle, often or for ever, without simulating the hours it takes to get warm.

Between two samples the current's square is taken by its mean; the temperatures then obey a linear equation whose
coefficients are constant,

$\dot T = A_k T + b_k$, with $R (1 + \alpha (T_w - T_0)) \, \overline{i^2}_k$ as the heat of the winding,

so that one cycle maps $T(0)$ to $\Phi T(0) + c$. It repeats itself where $T(0) = (1 - \Phi)^{-1} c$. If an eigenvalue
of $\Phi$ is 1 or more there is no such state: the winding heats faster than it cools.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import chained, column, item, matrix_of, stacked
from gearwright.algebra.differentiation.dual_numbers import bilinear, linear, slopes_of, value_of, with_slopes
from gearwright.analysis.quadrature import at_moving_times
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.motors.thermal import warmth
from gearwright.parts import Heat, Motor

ROUNDS, SETTLED = 50, 1e-9
"""Of the current that a warmer, weaker magnet asks for, and what change of it still counts [relative]."""
SMALL, TERMS = 0.5, 18
"""Size of a matrix up to which the series of its exponential is summed, and how many of its terms."""
NOTHING = 1e-25
"""Terms below this change neither the sum nor its slopes."""


class Temperatures(NamedTuple):
    """Of winding and housing over one cycle [K], (T,); all infinite when there is no steady state."""

    winding: Array
    housing: Array


@check_arguments
def steady_temperatures(
    t: Scalar, current: Scalar, motor: Motor, ambient: float | None = None, cycles: int | None = None
) -> Temperatures:
    """Temperatures in the periodic steady state of a cycle; times, current and motor may vary, then they do too.

    Args:
        t: times of one cycle [s], (T,).
        current: at these times, for a motor at its reference temperature [A], (T,); a warmer magnet takes more.
        motor: with `heat` and `resistance`.
        ambient: of the air [K]; that of the motor's data unless given.
        cycles: how often the cycle is done with a motor that begins as cold as the air; what is told is the last one.
            None: for ever.

    >>> motor = Motor(torque_constant=0.05, resistance=2.0, heat=Heat(1.0, 4.0, 10.0, 100.0, copper=0.0))
    >>> t, current = np.linspace(0, 1, 11), np.full(11, 3.0)
    >>> round(float(steady_temperatures(t, current, motor).winding[0]) - 298.15, 6)    # R i^2 times 5 K/W
    90.0
    >>> round(float(steady_temperatures(t, current, motor, cycles=1).winding[-1]) - 298.15, 3)    # P t / C, nearly
    1.713
    """
    if motor.heat is None or motor.resistance is None:
        raise InputError("steady temperatures: the motor has no heat or no resistance among its data. Give both.")
    times = numbers("steady_temperatures", "t", value_of(t), axes=1)
    if numbers("steady_temperatures", "current", value_of(current)).shape != times.shape:
        raise InputError(f"steady_temperatures: current must have the shape {times.shape} of t. Give one per time.")
    heat = motor.heat if ambient is None else replace(motor.heat, ambient=ambient)
    asked = current = at_moving_times(t, current)
    found = _cycle(t, asked, heat, motor.resistance, cycles)
    for _ in range(ROUNDS if value_of(heat.magnet) else 0):
        warm = current / (1.0 + heat.magnet * (found.housing - heat.reference))
        if not np.isfinite(value_of(warm)).all() or _settled(warm, asked):
            break
        asked = warm
        found = _cycle(t, asked, heat, motor.resistance, cycles)
    return found


def _settled(series: Scalar, before: Scalar) -> bool:
    """Whether a series does not change any more, nor does any of its slopes."""
    pairs = [(value_of(series), value_of(before))]
    pairs += [(slope, slopes_of(before).get(name, 0.0)) for name, slope in slopes_of(series).items()]
    return all(np.abs(now - then).max() <= SETTLED * np.abs(now).max(initial=1e-300) for now, then in pairs)


def _cycle(t: Scalar, current: Scalar, heat: Heat, resistance: Scalar, cycles: int | None) -> Temperatures:
    one_body = heat.housing_capacity is None
    steps = item(t, np.s_[1:]) - item(t, np.s_[:-1])
    with np.errstate(over="ignore", invalid="ignore"):  # a winding that burns within the cycle: told as infinite
        turns = _turned(_rates(squares_between(current), heat, resistance), steps)
        whole = _product(turns)
        first = _repeated(whole) if cycles is None else _warmed(whole, heat.ambient, cycles - 1)
    if first is None or not np.isfinite(value_of(first)).all():
        nowhere = np.full(len(value_of(t)), np.inf)
        return Temperatures(nowhere, nowhere)
    series = _marched(turns, first)
    winding = column(series, 0)
    return Temperatures(winding, _outside(winding, heat) if one_body else column(series, 1))


def mean_rise(heating: Scalar, copper: Scalar, above: Scalar) -> tuple[Scalar, Scalar]:
    r"""How far a winding is above the air in the mean of a steady state, as a fraction: above the line and below it.

    $T - T_a = R_{th} \overline{i^2} R\, (1 + \alpha (T_a - T_r)) / (1 - R_{th} \overline{i^2} R\, \alpha)$; where
    what is below the line is zero or less, it heats faster than it cools.

    Args:
        heating: $R_{th} \overline{i^2} R$ [K], with the resistance at the reference temperature.
        copper: $\alpha$ [1/K].
        above: $T_a - T_r$ [K].
    """
    return heating * (1 + copper * above), heating * -copper + 1


def squares_between(current: Scalar) -> Scalar:
    """Means of the square of a current (T, ...) that goes straight from sample to sample, (T - 1, ...)."""
    later, sooner = item(current, np.s_[1:]), item(current, np.s_[:-1])
    return (later * later + later * sooner + sooner * sooner) / 3.0


def temperatures_of_trials(squares: Array, steps: Array, motor: Motor, cycles: int | None) -> list[Array]:
    """The temperatures that are states over the last cycle of many trials at once, each (K + 1, trials) [K].

    Args:
        squares: mean squares of the current between samples, (K, trials) [A2].
        steps: between samples, (K,) [s].
        motor: with `heat` and `resistance`.
        cycles: as in `steady_temperatures`; infinite where there is no steady state.
    """
    heat = motor.heat
    assert heat is not None
    with np.errstate(over="ignore", invalid="ignore"):
        rates = _rates(squares.ravel(), heat, motor.resistance)
        size = rates.shape[-2]
        turns = _turned(rates, np.repeat(steps, squares.shape[1])).reshape(*squares.shape, size + 1, size + 1)
        states = [np.array([_first(whole, heat, cycles) for whole in _product(turns)])]
        for turn in turns[:, :, :size]:
            states.append(np.einsum("pij,pj->pi", turn[..., :size], states[-1]) + turn[..., size])
    return list(np.moveaxis(np.array(states), -1, 0))


def _first(whole: Array, heat: Heat, cycles: int | None) -> Array:
    """The temperatures (n,) with which the last cycle begins; infinite where there are none."""
    found = _repeated(whole) if cycles is None else _warmed(whole, heat.ambient, cycles - 1)
    return np.full(len(whole) - 1, np.inf) if found is None else np.asarray(found)


def _rates(squares: Scalar, heat: Heat, resistance: Scalar) -> Scalar:
    """Matrices (A, b) of the rates of the temperatures under mean squares of the current (K,), (K, n, n + 1)."""
    rows = (_single if heat.housing_capacity is None else _double)(squares, heat, resistance)
    return matrix_of(rows, value_of(squares).shape)


def _turned(rates: Scalar, steps: Scalar) -> Scalar:
    """Of rates A T + b, (K, n, n + 1), over steps (K,): the matrices that take (T, 1) to the end, (K, n + 1, n + 1)."""
    count, size, _ = value_of(rates).shape
    with_one = linear(lambda x: np.concatenate([x, np.zeros((count, 1, size + 1))], axis=1), rates)
    return _exponential(with_one * item(steps, np.s_[:, None, None]))


def _product(turns: Scalar) -> Scalar:
    """All matrices (K, n, n), one after the other, as one (n, n); neighbours are multiplied at once."""
    while len(value_of(turns)) > 1:
        pairs = len(value_of(turns)) // 2
        later, sooner = item(turns, np.s_[1 : 2 * pairs : 2]), item(turns, np.s_[0 : 2 * pairs : 2])
        rest = item(turns, np.s_[2 * pairs :])
        turns = chained([bilinear(np.matmul, later, sooner), rest])
    return item(turns, 0)


def _repeated(whole: Scalar) -> Scalar | None:
    """The temperatures (n,) to which a cycle comes back; None: it heats faster than it cools."""
    size = value_of(whole).shape[0] - 1
    turned, added = item(whole, np.s_[:size, :size]), item(whole, np.s_[:size, size])
    plain = value_of(turned)
    if not np.isfinite(plain).all() or not np.abs(np.linalg.eigvals(plain)).max() < 1 - 1e-12:
        return None
    left = np.eye(size) - plain
    found = np.linalg.solve(left, value_of(added))
    forced = added + linear(lambda x: x @ found, turned)
    return with_slopes(found, {name: np.linalg.solve(left, x) for name, x in slopes_of(forced).items()})


def _warmed(whole: Scalar, ambient: Scalar, cycles: int) -> Scalar:
    """The temperatures (n,) after so many cycles that began at that of the air."""
    size = value_of(whole).shape[0] - 1
    states = stacked([*[ambient] * size, 1.0], ())
    while cycles:
        if cycles % 2:
            states = bilinear(np.matmul, whole, states)
        whole, cycles = bilinear(np.matmul, whole, whole), cycles // 2
    return item(states, np.s_[:size])


def _marched(turns: Scalar, first: Scalar) -> Scalar:
    """The series (K + 1, n) of temperatures that begins with the first."""
    plain, size = value_of(turns), len(value_of(first))

    def follow(start: Array, forced: Array) -> Array:
        states = [start]
        for turn, add in zip(plain[:, :size, :size], forced, strict=True):
            states.append(turn @ states[-1] + add)
        return np.array(states)

    found = follow(value_of(first), plain[:, :size, size])
    rest = np.zeros(size)
    slopes = {}
    for name in {**slopes_of(turns), **slopes_of(first)}:
        moved = slopes_of(turns).get(name, np.zeros_like(plain))
        forced = np.einsum("kij,kj->ki", moved[:, :size, :size], found[:-1]) + moved[:, :size, size]
        slopes[name] = follow(slopes_of(first).get(name, rest), forced)
    return with_slopes(found, slopes)


def _exponential(matrices: Scalar) -> Scalar:
    """The exponentials of matrices (K, n, n), by their series at a small part of them, squared again and again."""
    largest = float(np.abs(value_of(matrices)).sum(axis=-1).max(initial=SMALL))
    halvings = max(0, math.ceil(math.log2(largest / SMALL)))
    part = matrices / 2.0**halvings
    total = power = np.eye(value_of(matrices).shape[-1]) + 0.0 * matrices
    for k in range(1, TERMS):
        power = bilinear(np.matmul, power, part) / k
        total = total + power
        if np.abs(value_of(power)).max(initial=0.0) < NOTHING:
            break
    with np.errstate(over="ignore", invalid="ignore"):  # a winding that heats without end is told as that
        for _ in range(halvings):
            total = bilinear(np.matmul, total, total)
    return total


def _outside(winding: Scalar, heat: Heat) -> Scalar:
    """The housing that stores nothing lies between winding and air."""
    return warmth(heat, [winding]).housing


def _heating(squares: Scalar, heat: Heat, resistance: Scalar) -> tuple[Scalar, Scalar]:
    """Joule heat = slope T_w + constant."""
    slope = resistance * heat.copper * squares
    return slope, resistance * squares - slope * heat.reference


def _single(squares: Scalar, heat: Heat, resistance: Scalar) -> list[list[Scalar]]:
    """Rows (A, b) of the rate of the one temperature."""
    slope, constant = _heating(squares, heat, resistance)
    way, capacity = 1.0 / (heat.winding_housing + heat.housing_ambient), heat.winding_capacity
    return [[(slope - way) / capacity, (constant + way * heat.ambient) / capacity]]


def _double(squares: Scalar, heat: Heat, resistance: Scalar) -> list[list[Scalar]]:
    """Rows (A, b) of the rates of winding and housing."""
    slope, constant = _heating(squares, heat, resistance)
    inner, outer = 1.0 / heat.winding_housing, 1.0 / heat.housing_ambient
    winding, housing = heat.winding_capacity, heat.housing_capacity
    return [
        [(slope - inner) / winding, inner / winding, constant / winding],
        [inner / housing, -(inner + outer) / housing, outer * heat.ambient / housing],
    ]
