r"""Temperatures of a motor that repeats a cycle, a number of times or continuously, without simulating the warm-up.

Between two samples the mean of the squared current is used; the temperatures then satisfy a linear equation with
constant coefficients,

$\dot T = A_k T + b_k$, with $R (1 + \alpha (T_w - T_0)) \, \overline{i^2}_k$ as the heat of the winding,

so that one cycle maps $T(0)$ to $\Phi T(0) + c$. The periodic steady state is $T(0) = (1 - \Phi)^{-1} c$. If an
eigenvalue of $\Phi$ is 1 or more, it does not exist: the winding heats faster than it cools.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import array_item, concatenate_arrays, stack_arrays
from gearwright.algebra.differentiation.dual_numbers import map_bilinear, partials_of, primal_value
from gearwright.analysis.quadrature import at_moving_times
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.motors.thermal import temperatures_from_states
from gearwright.parts import Heat, Motor

MAX_CURRENT_ITERATIONS, CURRENT_TOLERANCE = 50, 1e-9
"""Iterations for the current of a warm, weaker magnet, and their relative tolerance."""
SERIES_NORM_LIMIT, MAX_EXPONENTIAL_TERMS = 0.5, 18
"""Norm of a matrix up to which the series of its exponential is summed, and the number of terms."""
EXPONENTIAL_TERM_TOLERANCE = 1e-25
"""Terms below this, relative to 1, change neither the sum nor its derivatives."""


class Temperatures(NamedTuple):
    """Temperatures of winding and housing over one cycle [K], (T,); infinite if there is no steady state."""

    winding: Array
    housing: Array


@check_arguments
def steady_temperatures(
    t: Scalar, current: Scalar, motor: Motor, ambient: float | None = None, cycles: int | None = None
) -> Temperatures:
    """Return the temperatures in the periodic steady state of a cycle; dual numbers if times, current or motor are.

    Args:
        t: times of one cycle [s], (T,).
        current: at these times, for a motor at its reference temperature [A], (T,); a warmer magnet needs more.
        motor: with `heat` and `resistance`.
        ambient: ambient temperature [K]; that of the motor's data by default.
        cycles: number of repetitions of a motor that starts at ambient temperature; the result is the last one. None:
            periodic steady state.

    >>> motor = Motor(torque_constant=0.05, resistance=2.0, heat=Heat(1.0, 4.0, 10.0, 100.0, copper=0.0))
    >>> t, current = np.linspace(0, 1, 11), np.full(11, 3.0)
    >>> round(float(steady_temperatures(t, current, motor).winding[0]) - 298.15, 6)    # R i^2 times 5 K/W
    90.0
    >>> round(float(steady_temperatures(t, current, motor, cycles=1).winding[-1]) - 298.15, 3)    # P t / C, nearly
    1.713
    """
    if motor.heat is None or motor.resistance is None:
        raise InputError("steady_temperatures: the data of the motor lack heat or resistance. Give both.")
    times = number_array("steady_temperatures", "t", primal_value(t), axes=1)
    if number_array("steady_temperatures", "current", primal_value(current)).shape != times.shape:
        raise InputError(f"steady_temperatures: current must have the shape {times.shape} of t. Give a value per time.")
    heat = motor.heat if ambient is None else replace(motor.heat, ambient=ambient)
    magnet_current = current = at_moving_times(t, current)
    temperatures = _cycle_temperatures(t, magnet_current, heat, motor.resistance, cycles)
    for _ in range(MAX_CURRENT_ITERATIONS if primal_value(heat.magnet) else 0):
        warmer_current = current / (1.0 + heat.magnet * (temperatures.housing - heat.reference))
        if not np.isfinite(primal_value(warmer_current)).all() or _has_converged(warmer_current, magnet_current):
            break
        magnet_current = warmer_current
        temperatures = _cycle_temperatures(t, magnet_current, heat, motor.resistance, cycles)
    return temperatures


def _has_converged(series: Scalar, previous: Scalar) -> bool:
    """Whether a series and its derivatives have converged."""
    pairs = [(primal_value(series), primal_value(previous))]
    pairs += [(slope, partials_of(previous).get(name, 0.0)) for name, slope in partials_of(series).items()]
    return all(np.abs(now - then).max() <= CURRENT_TOLERANCE * np.abs(now).max(initial=1e-300) for now, then in pairs)


def _cycle_temperatures(t: Scalar, current: Scalar, heat: Heat, resistance: Scalar, cycles: int | None) -> Temperatures:
    steps = array_item(t, np.s_[1:]) - array_item(t, np.s_[:-1])
    states = _temperature_states(mean_squares_between(current), steps, heat, resistance, cycles)
    if not np.isfinite(primal_value(states)[:, 0]).all():
        infinite = np.full(len(primal_value(t)), np.inf)
        return Temperatures(infinite, infinite)
    winding = array_item(states, 0)
    one_body = heat.housing_capacity is None
    return Temperatures(winding, _housing_temperature(winding, heat) if one_body else array_item(states, 1))


def mean_rise_fraction(heating: Scalar, copper: Scalar, above: Scalar) -> tuple[Scalar, Scalar]:
    r"""Numerator and denominator of the mean temperature rise of a winding in the steady state.

    $T - T_a = R_{th} \overline{i^2} R\, (1 + \alpha (T_a - T_r)) / (1 - R_{th} \overline{i^2} R\, \alpha)$; if the
    denominator is zero or less, the winding heats faster than it cools.

    Args:
        heating: $R_{th} \overline{i^2} R$ [K], with the resistance at the reference temperature.
        copper: $\alpha$ [1/K].
        above: $T_a - T_r$ [K].
    """
    return heating * (1 + copper * above), heating * -copper + 1


def mean_squares_between(current: Scalar) -> Scalar:
    """Means of the square of a current (T, ...) that is linear between samples, (T - 1, ...)."""
    later, earlier = array_item(current, np.s_[1:]), array_item(current, np.s_[:-1])
    return (later * later + later * earlier + earlier * earlier) / 3.0


def trial_temperatures(squares: Array, steps: Array, motor: Motor, cycles: int | None) -> list[Array]:
    """Temperature states over the last cycle of many trials at once, each (K + 1, trials) [K].

    Args:
        squares: mean squares of the current between samples, (K, trials) [A2].
        steps: between samples, (K,) [s].
        motor: with `heat` and `resistance`.
        cycles: as in `steady_temperatures`; infinite where there is no steady state.
    """
    assert motor.heat is not None
    return list(_temperature_states(squares, steps[:, None], motor.heat, motor.resistance, cycles))


def _temperature_states(squares: Scalar, steps: Scalar, heat: Heat, resistance: Scalar, cycles: int | None) -> Scalar:
    """The temperatures of the last cycle, (n, K + 1, ...), from mean squares (K, ...) of the current; infinite if none.

    Transitions from one time to another are affine, T -> T + D T + b, as arrays (D, b): (n, n + 1, K, ...). D is far
    smaller than 1, and its digits decide on the periodic steady state.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # a winding that burns out: infinite
        transitions = _from_start(_step_transitions(_temperature_rates(squares, heat, resistance), steps))
        cycle_transition = array_item(transitions, np.s_[:, :, -1])
        shape = primal_value(cycle_transition).shape[2:]
        size = len(primal_value(cycle_transition))
        if cycles is None:
            start = _periodic_start(cycle_transition)
        else:
            cold = stack_arrays([heat.ambient] * size, shape, axis=0)
            start = _start_after_cycles(cycle_transition, cold, cycles - 1)
        first = array_item(start, np.s_[:, None])
        return concatenate_arrays([first, _with_transition(transitions, first)], axis=1)


def _temperature_rates(squares: Scalar, heat: Heat, resistance: Scalar) -> Scalar:
    """Matrices (A, b) of the rates of the temperatures under mean squares (K, ...), (n, n + 1, K, ...)."""
    rows = (_one_body_rates if heat.housing_capacity is None else _two_body_rates)(squares, heat, resistance)
    shape = primal_value(squares).shape
    return stack_arrays([stack_arrays(row, shape, axis=0) for row in rows], (len(rows[0]), *shape), axis=0)


def _step_transitions(rates: Scalar, steps: Scalar) -> Scalar:
    """Transitions over steps (K, ...) for rates A T + b: the series of the exponential, scaled and squared."""
    matrices = rates * steps
    size = len(primal_value(matrices))
    largest = float(np.abs(primal_value(matrices)).sum(axis=1).max(initial=SERIES_NORM_LIMIT))
    halvings = max(0, math.ceil(math.log2(largest / SERIES_NORM_LIMIT))) if math.isfinite(largest) else 0
    total = power = part = matrices / 2.0**halvings
    for k in range(2, MAX_EXPONENTIAL_TERMS):
        if np.abs(primal_value(power)).max(initial=0.0) < EXPONENTIAL_TERM_TOLERANCE:
            break
        power = map_bilinear(_matrix_product, array_item(power, np.s_[:, :size]), part) / k
        total = total + power
    for _ in range(halvings):
        total = _after(total, total)
    return total


def _matrix_product(x: Array, y: Array) -> Array:
    """Products of matrices (n, n, ...) and (n, m, ...), whose indices are the first two."""
    product: Array = x[:, 0, None] * y[0]
    for k in range(1, len(y)):
        product += x[:, k, None] * y[k]
    return product


def _with_transition(transition: Scalar, start: Scalar) -> Scalar:
    """The temperatures T + D T + b after a transition, (n, ...)."""
    size = len(primal_value(start))
    changed = map_bilinear(_matrix_product, array_item(transition, np.s_[:, :size]), array_item(start, np.s_[:, None]))
    return start + array_item(changed, np.s_[:, 0]) + array_item(transition, np.s_[:, size])


def _after(later: Scalar, earlier: Scalar) -> Scalar:
    """The transition of one step after another, (1 + D') (1 + D) - 1 and b' + (1 + D') b."""
    size = len(primal_value(later))
    return later + earlier + map_bilinear(_matrix_product, array_item(later, np.s_[:, :size]), earlier)


def _from_start(transitions: Scalar) -> Scalar:
    """The transitions from the start to the end of every step; neighbours are composed in pairs."""
    count = primal_value(transitions).shape[2]
    if count == 1:
        return transitions
    first, odd = array_item(transitions, np.s_[:, :, :1]), array_item(transitions, np.s_[:, :, 1::2])
    over_pairs = _from_start(_after(odd, array_item(transitions, np.s_[:, :, : count - 1 : 2])))
    even = array_item(transitions, np.s_[:, :, 2::2])
    before = array_item(over_pairs, np.s_[:, :, : (count - 1) // 2])
    unsorted = concatenate_arrays([first, over_pairs, _after(even, before)], axis=2)
    order = np.argsort([0, *range(1, count, 2), *range(2, count, 2)])
    return array_item(unsorted, np.s_[:, :, order])


def _periodic_start(cycle_transition: Scalar) -> Scalar:
    """The periodic temperatures (n, ...); infinite where the winding heats faster than it cools."""
    size = len(primal_value(cycle_transition))
    c = [array_item(cycle_transition, (i, size)) for i in range(size)]
    D = [[array_item(cycle_transition, (i, j)) for j in range(size)] for i in range(size)]
    if size == 1:
        start, growth = [-c[0] / D[0][0]], primal_value(D[0][0])
    else:
        determinant = D[0][0] * D[1][1] - D[0][1] * D[1][0]
        start = [(D[0][1] * c[1] - D[1][1] * c[0]) / determinant, (D[1][0] * c[0] - D[0][0] * c[1]) / determinant]
        (w, x), (y, z) = ([primal_value(entry) for entry in row] for row in D)
        growth = (w + z) / 2 + np.sqrt(((w - z) / 2) ** 2 + x * y)  # the largest eigenvalue
    exists = np.isfinite(primal_value(cycle_transition)).all(axis=(0, 1)) & (growth < -1e-12)
    whole = stack_arrays(start, np.shape(growth), axis=0)
    return whole if np.all(exists) else np.where(exists, primal_value(whole), np.inf)


def _start_after_cycles(cycle_transition: Scalar, start: Scalar, cycles: int) -> Scalar:
    """The temperatures (n, ...) after a number of cycles."""
    while cycles:
        if cycles % 2:
            start = _with_transition(cycle_transition, start)
        cycle_transition, cycles = _after(cycle_transition, cycle_transition), cycles // 2
    return start


def _housing_temperature(winding: Scalar, heat: Heat) -> Scalar:
    """Temperature of a housing without heat capacity, between winding and air."""
    return temperatures_from_states(heat, [winding]).housing


def _joule_heat(squares: Scalar, heat: Heat, resistance: Scalar) -> tuple[Scalar, Scalar]:
    """Joule heat = slope T_w + constant."""
    slope = resistance * heat.copper * squares
    return slope, resistance * squares - slope * heat.reference


def _one_body_rates(squares: Scalar, heat: Heat, resistance: Scalar) -> list[list[Scalar]]:
    """Rows (A, b) of the rate of the one temperature."""
    slope, constant = _joule_heat(squares, heat, resistance)
    conductance, capacity = 1.0 / (heat.winding_housing + heat.housing_ambient), heat.winding_capacity
    return [[(slope - conductance) / capacity, (constant + conductance * heat.ambient) / capacity]]


def _two_body_rates(squares: Scalar, heat: Heat, resistance: Scalar) -> list[list[Scalar]]:
    """Rows (A, b) of the rates of winding and housing."""
    slope, constant = _joule_heat(squares, heat, resistance)
    inner, outer = 1.0 / heat.winding_housing, 1.0 / heat.housing_ambient
    winding, housing = heat.winding_capacity, heat.housing_capacity
    return [
        [(slope - inner) / winding, inner / winding, constant / winding],
        [inner / housing, -(inner + outer) / housing, outer * heat.ambient / housing],
    ]
