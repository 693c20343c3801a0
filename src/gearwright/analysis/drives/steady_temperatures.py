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
from gearwright.algebra.differentiation.dual_numbers import map_bilinear, map_linear, partials_of, primal_value
from gearwright.analysis.quadrature import at_moving_times
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.motors.thermal import MotorTemperatures, magnet_factor, temperatures_from_states
from gearwright.parts import Heat, Motor
from gearwright.parts.map_numbers import map_dual_numbers

MAX_MAGNET_ITERATIONS, MAGNET_TOLERANCE = 500, 1e-9
"""Iterations for the strength of a warm magnet, relative to the stated one, and their tolerance. Two or three suffice,
but close to the current that burns a winding."""
MAX_MAGNET_FEEDBACK, MAX_MEAN_ITERATIONS = 0.9, 50
"""Largest assumed change of the magnet's response per change of its strength, and iterations of mean temperatures."""
SERIES_NORM_LIMIT, MAX_EXPONENTIAL_TERMS = 0.5, 18
"""Norm of a matrix up to which the series of its exponential is summed, and the number of terms."""
EXPONENTIAL_TERM_TOLERANCE = 1e-25
"""Terms below this, relative to 1, change neither the sum nor its derivatives."""


class Temperatures(NamedTuple):
    """Temperatures of winding and housing over one cycle [K], (T,); infinite if there is no steady state."""

    winding: Array
    housing: Array


class WarmUp(NamedTuple):
    """Highest temperatures within cycles after a cold start.

    Args:
        t: ends of these cycles [s], (K,).
        winding: [K], (K,).
        housing: [K], (K,).
    """

    t: Array
    winding: Array
    housing: Array


WARM_UP_POINTS = 40
"""Number of cycles of a warm-up."""
WARM_UP_REMAINDER = 0.01
"""Share of the temperature rise that remains at the end of a warm-up."""
MAX_WARM_UP_CYCLES = 2**24
"""Most cycles of a warm-up."""


def warm_up(t: Array, current: Array, motor: Motor) -> WarmUp:
    """Return the highest temperatures within cycles after a cold start, until 99 % of the rise in the steady state.

    Args:
        t: times of one cycle [s], (T,).
        current: as in `steady_temperatures`; the cycle has a periodic steady state.
        motor: with `heat` and `resistance`.

    >>> motor = Motor(torque_constant=0.05, resistance=2.0, heat=Heat(1.0, 4.0, 10.0, 100.0, copper=0.0))
    >>> heating = warm_up(np.linspace(0, 1, 11), np.full(11, 3.0), motor)
    >>> [round(float(x) - 298.15, 1) for x in heating.winding[[0, -1]]], round(float(heating.t[-1]))
    ([1.7, 89.3], 2048)
    """
    assert motor.heat is not None
    ambient = motor.heat.ambient

    def highest(cycles: int | None) -> tuple[float, float]:
        temperatures = steady_temperatures(t, current, motor, cycles=cycles)
        return float(temperatures.winding.max()), float(temperatures.housing.max())

    final = highest(None)
    count = 1
    while count < MAX_WARM_UP_CYCLES and any(
        warm - ambient < (1 - WARM_UP_REMAINDER) * (last - ambient)
        for warm, last in zip(highest(count), final, strict=True)
    ):
        count *= 2
    cycles = np.unique(np.linspace(1, count, WARM_UP_POINTS).round().astype(int))
    rows = np.array([highest(int(k)) for k in cycles])
    return WarmUp(cycles * float(t[-1] - t[0]), rows[:, 0], rows[:, 1])


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
    nominal = array_item(at_moving_times(t, current), np.s_[:, None])
    warm = warm_temperatures(t, nominal, heat, motor.resistance, cycles)
    return Temperatures(*(array_item(x, np.s_[:, 0]) for x in warm))


def warm_temperatures(
    t: Scalar, current: Scalar, heat: Heat, resistance: Scalar, cycles: int | None
) -> MotorTemperatures:
    r"""Temperatures over the last cycle of motors of one kind under many currents at once, (T, R) [K].

    A warm magnet of strength m, relative to the stated one, needs the current i / m; the temperatures under it give the
    strength f(m). $m = f(m)$ is solved by Newton steps with the slope for mean temperatures, from their solution.

    Args:
        t: times of one cycle [s], (T,).
        current: for motors at their reference temperature [A], (T, R).
        heat: thermal data.
        resistance: of the windings [Ohm].
        cycles: as in `steady_temperatures`; infinite temperatures where the winding burns out.
    """
    steps = array_item(array_item(t, np.s_[1:]) - array_item(t, np.s_[:-1]), np.s_[:, None])
    nominal = map_dual_numbers(heat, primal_value)
    means = _mean_heating(primal_value(current), primal_value(steps), nominal, float(primal_value(resistance)))
    start, feedback = _mean_magnet(means, nominal) if cycles is None else (np.ones_like(means), np.zeros_like(means))
    columns, magnet = np.arange(len(means)), start[None]
    known: list[tuple[Array, MotorTemperatures]] = []
    for left in reversed(range(MAX_MAGNET_ITERATIONS if nominal.magnet else 1)):
        squares = mean_squares_between(array_item(current, np.s_[:, columns]) / magnet)
        states = _temperature_states(squares, steps, heat, resistance, cycles)
        with np.errstate(invalid="ignore"):  # infinite temperatures
            rows = [array_item(states, k) for k in range(len(primal_value(states)))]
            temperatures = temperatures_from_states(heat, rows)
            response = magnet_factor(heat, temperatures)
            strength = primal_value(response)
            is_burnt = ~((strength > 0) & np.isfinite(primal_value(temperatures.winding))).all(axis=0)
            is_known = is_burnt | _has_converged(response, magnet) | (not left)
        known.append((columns[is_known], _known_temperatures(temperatures, is_known, is_burnt)))
        if is_known.all():
            break
        response, magnet = (array_item(x, np.s_[:, ~is_known]) for x in (response, magnet))
        feedback, columns = feedback[~is_known], columns[~is_known]
        change = map_linear(lambda x: x.mean(axis=0), response - magnet)  # what varies in a cycle has no feedback
        magnet = response + change * (feedback / (1 - feedback))
    order = np.argsort(np.concatenate([places for places, _ in known]))
    series = (concatenate_arrays(parts, axis=1) for parts in zip(*(x for _, x in known), strict=True))
    return MotorTemperatures(*(array_item(x, np.s_[:, order]) for x in series))


def _known_temperatures(temperatures: MotorTemperatures, columns: Array, is_burnt: Array) -> MotorTemperatures:
    """The temperatures of some columns, infinite where a winding burns out."""
    kept = (array_item(x, np.s_[:, columns]) for x in temperatures)
    burnt = is_burnt[columns]
    return MotorTemperatures(*(np.where(burnt, np.inf, primal_value(x)) if burnt.any() else x for x in kept))


def _has_converged(series: Scalar, previous: Scalar) -> Array:
    """Whether each column of a series (T, R) and its derivatives has converged, (R,)."""
    pairs = [(primal_value(series), primal_value(previous))]
    pairs += [(slope, partials_of(previous).get(name, 0.0)) for name, slope in partials_of(series).items()]
    changes = [np.abs(now - then).max(axis=0) <= MAGNET_TOLERANCE * np.abs(now).max(axis=0) for now, then in pairs]
    return np.all(changes, axis=0)


def _mean_heating(current: Array, steps: Array, heat: Heat, resistance: float) -> Array:
    """The mean heating of windings at the reference temperature as a temperature rise [K], (R,)."""
    squares = (mean_squares_between(current) * steps).sum(axis=0) / steps.sum()
    return np.asarray((heat.winding_housing + heat.housing_ambient) * resistance * squares)


def _mean_magnet(means: Array, heat: Heat) -> tuple[Array, Array]:
    r"""The strength of magnets in the steady state of mean temperatures and its feedback, (R,); 1 and 0 without one.

    Heating is proportional to $1/m^2$, and amplified by $1 / (1 - \alpha h / m^2)$ by the copper: for the response f,
    $df/dm = 2 (f_a - f) / (m (1 - \alpha h / m^2))$, with $f_a$ at ambient temperature.
    """
    magnet, share = np.ones_like(means), heat.housing_ambient / (heat.winding_housing + heat.housing_ambient)
    cold = 1 + heat.magnet * (heat.ambient - heat.reference)
    with np.errstate(all="ignore"):
        for _ in range(MAX_MEAN_ITERATIONS):
            rise, denominator = mean_rise_fraction(means / magnet**2, heat.copper, heat.ambient - heat.reference)
            housing = heat.ambient + share * rise / denominator
            response = magnet_factor(heat, MotorTemperatures(housing, housing))
            feedback = np.clip(2 * (cold - response) / (magnet * denominator), 0.0, MAX_MAGNET_FEEDBACK)
            step = (response - magnet) / (1 - feedback)
            magnet = magnet + step
            if (np.abs(step) <= MAGNET_TOLERANCE).all():
                break
        exists = (np.abs(step) <= MAGNET_TOLERANCE) & (magnet > 0) & (denominator > 0)
    return np.where(exists, magnet, 1.0), np.where(exists, feedback, 0.0)


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
