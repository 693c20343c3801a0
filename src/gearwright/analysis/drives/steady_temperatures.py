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
from gearwright.algebra.differentiation.dual_arrays import (
    array_column,
    array_item,
    concatenate_arrays,
    stack_arrays,
    stack_matrices,
)
from gearwright.algebra.differentiation.dual_numbers import dual, map_bilinear, map_linear, partials_of, primal_value
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
"""Terms below this change neither the sum nor its derivatives."""


class Temperatures(NamedTuple):
    """Temperatures of winding and housing over one cycle [K], (T,); infinite if there is no steady state."""

    winding: Array
    housing: Array


@check_arguments
def steady_temperatures(
    t: Scalar, current: Scalar, motor: Motor, ambient: float | None = None, cycles: int | None = None
) -> Temperatures:
    """Temperatures in the periodic steady state of a cycle; dual numbers if times, current or motor are.

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
    one_body = heat.housing_capacity is None
    steps = array_item(t, np.s_[1:]) - array_item(t, np.s_[:-1])
    with np.errstate(over="ignore", invalid="ignore"):  # a winding that burns out within the cycle: infinite
        transitions = _step_transitions(_temperature_rates(mean_squares_between(current), heat, resistance), steps)
        cycle_transition = _transition_product(transitions)
        first = (
            _periodic_start(cycle_transition)
            if cycles is None
            else _start_after_cycles(cycle_transition, heat.ambient, cycles - 1)
        )
    if first is None or not np.isfinite(primal_value(first)).all():
        infinite = np.full(len(primal_value(t)), np.inf)
        return Temperatures(infinite, infinite)
    series = _temperature_series(transitions, first)
    winding = array_column(series, 0)
    return Temperatures(winding, _housing_temperature(winding, heat) if one_body else array_column(series, 1))


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
    heat = motor.heat
    assert heat is not None
    with np.errstate(over="ignore", invalid="ignore"):
        rates = _temperature_rates(squares.ravel(), heat, motor.resistance)
        size = rates.shape[-2]
        transitions = _step_transitions(rates, np.repeat(steps, squares.shape[1])).reshape(
            *squares.shape, size + 1, size + 1
        )
        states = [np.array([_start_temperatures(whole, heat, cycles) for whole in _transition_product(transitions)])]
        for transition in transitions[:, :, :size]:
            states.append(np.einsum("pij,pj->pi", transition[..., :size], states[-1]) + transition[..., size])
    return list(np.moveaxis(np.array(states), -1, 0))


def _start_temperatures(cycle_transition: Array, heat: Heat, cycles: int | None) -> Array:
    """The temperatures (n,) at the start of the last cycle; infinite if there is no steady state."""
    start = (
        _periodic_start(cycle_transition)
        if cycles is None
        else _start_after_cycles(cycle_transition, heat.ambient, cycles - 1)
    )
    return np.full(len(cycle_transition) - 1, np.inf) if start is None else np.asarray(start)


def _temperature_rates(squares: Scalar, heat: Heat, resistance: Scalar) -> Scalar:
    """Matrices (A, b) of the rates of the temperatures under mean squares of the current (K,), (K, n, n + 1)."""
    rows = (_one_body_rates if heat.housing_capacity is None else _two_body_rates)(squares, heat, resistance)
    return stack_matrices(rows, primal_value(squares).shape)


def _step_transitions(rates: Scalar, steps: Scalar) -> Scalar:
    """Transition matrices of (T, 1) over steps (K,) for rates A T + b, (K, n, n + 1): (K, n + 1, n + 1)."""
    count, size, _ = primal_value(rates).shape
    with_one = map_linear(lambda x: np.concatenate([x, np.zeros((count, 1, size + 1))], axis=1), rates)
    return _matrix_exponential(with_one * array_item(steps, np.s_[:, None, None]))


def _transition_product(transitions: Scalar) -> Scalar:
    """The ordered product of matrices (K, n, n), as (n, n); neighbours are multiplied in pairs."""
    while len(primal_value(transitions)) > 1:
        pairs = len(primal_value(transitions)) // 2
        later, earlier = (
            array_item(transitions, np.s_[1 : 2 * pairs : 2]),
            array_item(transitions, np.s_[0 : 2 * pairs : 2]),
        )
        remainder = array_item(transitions, np.s_[2 * pairs :])
        transitions = concatenate_arrays([map_bilinear(np.matmul, later, earlier), remainder])
    return array_item(transitions, 0)


def _periodic_start(cycle_transition: Scalar) -> Scalar | None:
    """The periodic temperatures (n,); None: the winding heats faster than it cools."""
    size = primal_value(cycle_transition).shape[0] - 1
    homogeneous, added = (
        array_item(cycle_transition, np.s_[:size, :size]),
        array_item(cycle_transition, np.s_[:size, size]),
    )
    matrix = primal_value(homogeneous)
    if not np.isfinite(matrix).all() or not np.abs(np.linalg.eigvals(matrix)).max() < 1 - 1e-12:
        return None
    left = np.eye(size) - matrix
    start = np.linalg.solve(left, primal_value(added))
    forced = added + map_linear(lambda x: x @ start, homogeneous)
    return dual(start, {name: np.linalg.solve(left, x) for name, x in partials_of(forced).items()})


def _start_after_cycles(cycle_transition: Scalar, ambient: Scalar, cycles: int) -> Scalar:
    """The temperatures (n,) after a number of cycles from ambient temperature."""
    size = primal_value(cycle_transition).shape[0] - 1
    states = stack_arrays([*[ambient] * size, 1.0], ())
    while cycles:
        if cycles % 2:
            states = map_bilinear(np.matmul, cycle_transition, states)
        cycle_transition, cycles = map_bilinear(np.matmul, cycle_transition, cycle_transition), cycles // 2
    return array_item(states, np.s_[:size])


def _temperature_series(transitions: Scalar, first: Scalar) -> Scalar:
    """The series of temperatures (K + 1, n) from the first."""
    matrices, size = primal_value(transitions), len(primal_value(first))

    def march(start: Array, forced: Array) -> Array:
        states = [start]
        for transition, add in zip(matrices[:, :size, :size], forced, strict=True):
            states.append(transition @ states[-1] + add)
        return np.array(states)

    series = march(primal_value(first), matrices[:, :size, size])
    zero = np.zeros(size)
    slopes = {}
    for name in {**partials_of(transitions), **partials_of(first)}:
        partial = partials_of(transitions).get(name, np.zeros_like(matrices))
        forced = np.einsum("kij,kj->ki", partial[:, :size, :size], series[:-1]) + partial[:, :size, size]
        slopes[name] = march(partials_of(first).get(name, zero), forced)
    return dual(series, slopes)


def _matrix_exponential(matrices: Scalar) -> Scalar:
    """The exponentials of matrices (K, n, n) by scaling and squaring of their series."""
    largest = float(np.abs(primal_value(matrices)).sum(axis=-1).max(initial=SERIES_NORM_LIMIT))
    halvings = max(0, math.ceil(math.log2(largest / SERIES_NORM_LIMIT)))
    part = matrices / 2.0**halvings
    total = power = np.eye(primal_value(matrices).shape[-1]) + 0.0 * matrices
    for k in range(1, MAX_EXPONENTIAL_TERMS):
        power = map_bilinear(np.matmul, power, part) / k
        total = total + power
        if np.abs(primal_value(power)).max(initial=0.0) < EXPONENTIAL_TERM_TOLERANCE:
            break
    with np.errstate(over="ignore", invalid="ignore"):  # thermal runaway gives infinity
        for _ in range(halvings):
            total = map_bilinear(np.matmul, total, total)
    return total


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
