"""How warm the motors of trials are: in the last of so many cycles, many trials at once."""

from __future__ import annotations

import numpy as np

from gearwright.analysis.quadrature import integral_weights
from gearwright.analysis.steady_heat import mean_temperatures
from gearwright.arrays import Array
from gearwright.forces.heat import Warmth, magnet_factor, resistance_factor, warm_states, warming, warmth
from gearwright.parts import Heat, Motor

ROUNDS = 8
"""Of the current that a warmer magnet takes."""

MELTED = 5000.0
"""Temperature [K] beyond which the winding of a trial is not followed: there is none left."""


def factors(heat: Heat, warm: Warmth) -> tuple[Array, Array]:
    """What torque constant and resistance are of the stated ones."""
    return np.asarray(magnet_factor(heat, warm)), np.asarray(resistance_factor(heat, warm))


def warmth_along(motor: Motor, torque: Array, t: Array, cycles: int | None) -> Warmth | None:
    """Temperatures over the last cycle, like the torque; between two samples the current is the mean of both."""
    heat = motor.heat
    if heat is None or not motor.resistance or not motor.torque_constant:
        return None
    nominal, steps = (torque / float(motor.torque_constant)).T, np.diff(t)
    states = _warm_starts(motor, nominal, t, cycles)
    found = [warmth(heat, states)]
    for k, step in enumerate(steps):
        weaker, more = factors(heat, found[-1])
        power = motor.resistance * more * ((nominal[k] + nominal[k + 1]) / (2 * weaker)) ** 2
        rates = warming(heat, found[-1], power)
        states = [np.minimum(x + step * slope, MELTED) for x, slope in zip(states, rates, strict=True)]
        found.append(warmth(heat, states))
    return Warmth(*(np.stack(x, axis=-1) for x in zip(*found, strict=True)))


def _warm_starts(motor: Motor, nominal: Array, t: Array, cycles: int | None) -> list[Array]:
    """The temperatures with which the last cycle begins, by the mean heat of those before it.

    A warmer magnet takes more current than the nominal one (T, ...), so that some rounds are needed.
    """
    heat = motor.heat
    assert heat is not None
    span = float(t[-1] - t[0])
    means = np.tensordot(integral_weights(t) / span, nominal**2, axes=1)
    states = [np.full(means.shape, float(one.initial)) for one in warm_states("", heat)]
    for _ in range(ROUNDS if heat.magnet else 1):
        weaker, _ = factors(heat, warmth(heat, states))
        hot = mean_temperatures(np.ravel(means / weaker**2), motor, None if cycles is None else (cycles - 1) * span)
        states = [np.minimum(np.nan_to_num(x, nan=MELTED), MELTED).reshape(means.shape) for x in hot]
    return states
