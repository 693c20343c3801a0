r"""Temperatures of a motor that repeats a cycle for ever, found without simulating the hours it takes to get warm.

Between two samples the current's square is taken by its mean; the temperatures then obey a linear equation whose
coefficients are constant,

$\dot T = A_k T + b_k$, with $R (1 + \alpha (T_w - T_0)) \, \overline{i^2}_k$ as the heat of the winding,

so that one cycle maps $T(0)$ to $\Phi T(0) + c$. It repeats itself where $T(0) = (1 - \Phi)^{-1} c$. If an eigenvalue
of $\Phi$ is 1 or more there is no such state: the winding heats faster than it cools.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.parts import Heat, Motor

ROUNDS, SETTLED = 50, 1e-9
"""Of the current that a warmer, weaker magnet asks for, and what change of it still counts [relative]."""


class Temperatures(NamedTuple):
    """Of winding and housing over one cycle [K], (T,); all infinite when there is no steady state."""

    winding: Array
    housing: Array


def steady_temperatures(t: Array, current: Array, motor: Motor, ambient: float | None = None) -> Temperatures:
    """Temperatures in the periodic steady state of a cycle.

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
    heat, air = motor.heat, float(motor.heat.ambient if ambient is None else ambient)
    asked = current
    found = _cycle(t, asked, heat, float(motor.resistance), air)
    for _ in range(ROUNDS if heat.magnet else 0):
        warm = current / (1 + heat.magnet * (found.housing - heat.reference))
        if not np.isfinite(warm).all() or np.abs(warm - asked).max() <= SETTLED * np.abs(warm).max(initial=1e-300):
            break
        asked = warm
        found = _cycle(t, asked, heat, float(motor.resistance), air)
    return found


def _cycle(t: Array, current: Array, heat: Heat, resistance: float, air: float) -> Temperatures:
    from scipy.linalg import expm

    squares = (current[1:] ** 2 + current[1:] * current[:-1] + current[:-1] ** 2) / 3
    one_body = heat.housing_capacity is None
    matrices = (_single if one_body else _double)(squares, heat, resistance, air)
    steps = expm(matrices * np.diff(t)[:, None, None])
    size = steps.shape[-1] - 1
    whole = np.eye(size + 1)
    for step in steps:
        whole = step @ whole
    turned, constant = whole[:size, :size], whole[:size, size]
    if not np.abs(np.linalg.eigvals(turned)).max() < 1 - 1e-12:
        nowhere = np.full(len(t), np.inf)
        return Temperatures(nowhere, nowhere)
    states = [np.append(np.linalg.solve(np.eye(size) - turned, constant), 1.0)]
    for step in steps:
        states.append(step @ states[-1])
    series = np.array(states)
    winding = series[:, 0]
    return Temperatures(winding, _outside(winding, heat, air) if one_body else series[:, 1])


def _outside(winding: Array, heat: Heat, air: float) -> Array:
    """The housing that stores nothing lies between winding and air."""
    share = heat.housing_ambient / (heat.winding_housing + heat.housing_ambient)
    return air + share * (winding - air)


def _heating(squares: Array, heat: Heat, resistance: float) -> tuple[Array, Array]:
    """Joule heat = slope T_w + constant."""
    slope = resistance * float(heat.copper) * squares
    return slope, resistance * squares - slope * float(heat.reference)


def _single(squares: Array, heat: Heat, resistance: float, air: float) -> Array:
    slope, constant = _heating(squares, heat, resistance)
    way = 1 / float(heat.winding_housing + heat.housing_ambient)
    matrices = np.zeros((len(squares), 2, 2))
    matrices[:, 0, 0] = (slope - way) / heat.winding_capacity
    matrices[:, 0, 1] = (constant + way * air) / heat.winding_capacity
    return matrices


def _double(squares: Array, heat: Heat, resistance: float, air: float) -> Array:
    slope, constant = _heating(squares, heat, resistance)
    inner, outer = 1 / float(heat.winding_housing), 1 / float(heat.housing_ambient)
    assert heat.housing_capacity is not None
    matrices = np.zeros((len(squares), 3, 3))
    matrices[:, 0, 0] = (slope - inner) / heat.winding_capacity
    matrices[:, 0, 1] = inner / heat.winding_capacity
    matrices[:, 0, 2] = constant / heat.winding_capacity
    matrices[:, 1, 0] = inner / heat.housing_capacity
    matrices[:, 1, 1] = -(inner + outer) / heat.housing_capacity
    matrices[:, 1, 2] = outer * air / heat.housing_capacity
    return matrices
