"""How warm the motors of trials are: in the last of so many cycles, many trials at once."""

from __future__ import annotations

import numpy as np

from gearwright.analysis.steady_heat import squares_between, temperatures_of_trials
from gearwright.arrays import Array
from gearwright.forces.heat import Warmth, magnet_factor, resistance_factor, warmth
from gearwright.parts import Heat, Motor

ROUNDS, SETTLED = 8, 1e-6
"""Of the current that a warmer magnet takes, and what change of the magnet still counts [relative]."""

MELTED = 5000.0
"""Temperature [K] beyond which the winding of a trial is not followed: there is none left."""


def factors(heat: Heat, warm: Warmth) -> tuple[Array, Array]:
    """What torque constant and resistance are of the stated ones."""
    return np.asarray(magnet_factor(heat, warm)), np.asarray(resistance_factor(heat, warm))


def warmth_along(motor: Motor, torque: Array, t: Array, cycles: int | None) -> Warmth | None:
    """Temperatures over the last cycle, like the torque, (trials, T) or (T,)."""
    heat = motor.heat
    if heat is None or not motor.resistance or not motor.torque_constant:
        return None
    nominal = (np.atleast_2d(torque) / float(motor.torque_constant)).T
    before = np.ones_like(nominal)
    for _ in range(ROUNDS):
        states = temperatures_of_trials(squares_between(nominal / before), np.diff(t), motor, cycles)
        found = warmth(heat, [np.minimum(np.nan_to_num(x, nan=MELTED), MELTED) for x in states])
        weaker, _ = factors(heat, found)
        if not heat.magnet or np.abs(weaker - before).max() <= SETTLED:
            break
        before = weaker
    return Warmth(*(np.asarray(x).T.reshape(torque.shape) for x in found))
