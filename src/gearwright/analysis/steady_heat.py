r"""Temperatures of a motor that repeats a cycle for ever, found without simulating the hours it takes to get warm.

Between two samples the current's square is taken by its mean; the temperatures then obey a linear equation whose
coefficients are constant,

$\dot T = A_k T + b_k$, with $R (1 + \alpha (T_w - T_0)) \, \overline{i^2}_k$ as the heat of the winding,

so that one cycle maps $T(0)$ to $\Phi T(0) + c$. It repeats itself where $T(0) = (1 - \Phi)^{-1} c$. If an eigenvalue
of $\Phi$ is 1 or more there is no such state: the winding heats faster than it cools.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.variations import bilinear, linear, slopes_of, value_of, with_slopes
from gearwright.algebra.varied_arrays import column, item, matrix_of
from gearwright.analysis.quadrature import at_moving_times
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.parts import Heat, Motor

ROUNDS, SETTLED = 50, 1e-9
"""Of the current that a warmer, weaker magnet asks for, and what change of it still counts [relative]."""
SMALL, TERMS = 0.5, 18
"""Size of a matrix up to which the series of its exponential is summed, and how many of its terms."""

ENDLESS = 1e100
"""Growth of a temperature within a cycle after which no rest cools it back."""


class Temperatures(NamedTuple):
    """Of winding and housing over one cycle [K], (T,); all infinite when there is no steady state."""

    winding: Array
    housing: Array


def steady_temperatures(t: Scalar, current: Scalar, motor: Motor, ambient: float | None = None) -> Temperatures:
    """Temperatures in the periodic steady state of a cycle; times, current and motor may vary, then they do too.

    Args:
        t: times of one cycle [s], (T,).
        current: at these times, for a motor at its reference temperature [A], (T,); a warmer magnet takes more.
        motor: with `heat` and `resistance`.
        ambient: of the air [K]; that of the motor's data unless given.

    >>> motor = Motor(torque_constant=0.05, resistance=2.0, heat=Heat(1.0, 4.0, 10.0, 100.0, copper=0.0))
    >>> found = steady_temperatures(np.linspace(0, 1, 11), np.full(11, 3.0), motor)
    >>> round(float(found.winding[0]) - 298.15, 6)    # R i^2 times 5 K/W
    90.0
    """
    if motor.heat is None or motor.resistance is None:
        raise InputError("steady temperatures: the motor has no heat or no resistance among its data. Give both.")
    heat, air = motor.heat, motor.heat.ambient if ambient is None else ambient
    current = at_moving_times(t, current)
    asked = current
    found = _cycle(t, asked, heat, motor.resistance, air)
    for _ in range(ROUNDS if value_of(heat.magnet) else 0):
        warm = current / (1.0 + heat.magnet * (found.housing - heat.reference))
        if not np.isfinite(value_of(warm)).all() or _settled(warm, asked):
            break
        asked = warm
        found = _cycle(t, asked, heat, motor.resistance, air)
    return found


def _settled(series: Scalar, before: Scalar) -> bool:
    """Whether a series does not change any more, nor does any of its slopes."""
    pairs = [(value_of(series), value_of(before))]
    pairs += [(slope, slopes_of(before).get(name, 0.0)) for name, slope in slopes_of(series).items()]
    return all(np.abs(now - then).max() <= SETTLED * np.abs(now).max(initial=1e-300) for now, then in pairs)


def _cycle(t: Scalar, current: Scalar, heat: Heat, resistance: Scalar, air: Scalar) -> Temperatures:
    later, sooner = item(current, np.s_[1:]), item(current, np.s_[:-1])
    squares = (later * later + later * sooner + sooner * sooner) / 3.0
    one_body = heat.housing_capacity is None
    rows = (_single if one_body else _double)(squares, heat, resistance, air)
    series = _repeating(
        *_solved(matrix_of(rows, np.shape(value_of(squares))), item(t, np.s_[1:]) - item(t, np.s_[:-1]))
    )
    if series is None:
        nowhere = np.full(len(value_of(t)), np.inf)
        return Temperatures(nowhere, nowhere)
    winding = column(series, 0)
    return Temperatures(winding, _outside(winding, heat, air) if one_body else column(series, 1))


def _solved(matrices: Scalar, steps: Scalar) -> tuple[Scalar, Scalar]:
    """Of rates A T + b, (K, n, n + 1), over steps (K,): T at the end is turns T + adds, (K, n, n) and (K, n)."""
    count, size, _ = value_of(matrices).shape
    with_one = linear(lambda x: np.concatenate([x, np.zeros((count, 1, size + 1))], axis=1), matrices)
    whole = _exponential(with_one * item(steps, np.s_[:, None, None]))
    return item(whole, np.s_[:, :size, :size]), item(whole, np.s_[:, :size, size])


def _exponential(matrices: Scalar) -> Scalar:
    """The exponentials of matrices (K, n, n), by their series at a small part of them, squared again and again."""
    largest = float(np.abs(value_of(matrices)).sum(axis=-1).max(initial=SMALL))
    halvings = max(0, math.ceil(math.log2(largest / SMALL)))
    part = matrices / 2.0**halvings
    total = power = np.eye(value_of(matrices).shape[-1]) + 0.0 * matrices
    for k in range(1, TERMS):
        power = bilinear(np.matmul, power, part) / k
        total = total + power
    with np.errstate(over="ignore", invalid="ignore"):  # a winding that heats without end is told as that
        for _ in range(halvings):
            total = bilinear(np.matmul, total, total)
    return total


def _repeating(turns: Scalar, adds: Scalar) -> Scalar | None:
    """The series (K + 1, n) with x[k + 1] = turns[k] x[k] + adds[k] that ends where it starts; None: it grows."""
    plain = value_of(turns)
    size = plain.shape[-1]
    whole = np.eye(size)
    for turn in plain:
        whole = turn @ whole
        if not np.abs(whole).max() < ENDLESS:
            return None
    if not np.abs(np.linalg.eigvals(whole)).max() < 1 - 1e-12:
        return None

    def follow(forced: Array) -> Array:
        ends = _marched(plain, forced, np.zeros(size))[-1]
        return _marched(plain, forced, np.linalg.solve(np.eye(size) - whole, ends))

    found = follow(value_of(adds))
    forced = adds + bilinear(lambda x, y: np.einsum("kij,kj->ki", x, y), turns, found[:-1])
    return with_slopes(found, {name: follow(x) for name, x in slopes_of(forced).items()})


def _marched(turns: Array, forced: Array, first: Array) -> Array:
    states = [first]
    for turn, add in zip(turns, forced, strict=True):
        states.append(turn @ states[-1] + add)
    return np.array(states)


def _outside(winding: Scalar, heat: Heat, air: Scalar) -> Scalar:
    """The housing that stores nothing lies between winding and air."""
    share = heat.housing_ambient / (heat.winding_housing + heat.housing_ambient)
    return air + share * (winding - air)


def _heating(squares: Scalar, heat: Heat, resistance: Scalar) -> tuple[Scalar, Scalar]:
    """Joule heat = slope T_w + constant."""
    slope = resistance * heat.copper * squares
    return slope, resistance * squares - slope * heat.reference


def _single(squares: Scalar, heat: Heat, resistance: Scalar, air: Scalar) -> list[list[Scalar]]:
    """Rows (A, b) of the rate of the one temperature."""
    slope, constant = _heating(squares, heat, resistance)
    way, capacity = 1.0 / (heat.winding_housing + heat.housing_ambient), heat.winding_capacity
    return [[(slope - way) / capacity, (constant + way * air) / capacity]]


def _double(squares: Scalar, heat: Heat, resistance: Scalar, air: Scalar) -> list[list[Scalar]]:
    """Rows (A, b) of the rates of winding and housing."""
    slope, constant = _heating(squares, heat, resistance)
    inner, outer = 1.0 / heat.winding_housing, 1.0 / heat.housing_ambient
    winding, housing = heat.winding_capacity, heat.housing_capacity
    return [
        [(slope - inner) / winding, inner / winding, constant / winding],
        [inner / housing, -(inner + outer) / housing, outer * air / housing],
    ]
