"""The largest force between teeth or on a bearing of a gear, with its slopes where gear or torque vary.

Forces are told by the balance of a gear box, which is linear algebra in plain numbers. Its slopes at the one instant
that counts are differences of sixth order, a thousandth of the torque or of the gear's own numbers apart: they are
right to about 1e-11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import slopes_of, value_of, with_slopes
from gearwright.arrays import Array
from gearwright.parts.gears.forces.tooth_forces import ToothForce, tooth_forces_of
from gearwright.parts.map_numbers import slopes_in, with_varied

STEP = 1e-3
"""By which share the numbers of a gear are moved."""
STEPS = np.array([-3, -2, -1, 1, 2, 3])
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60
"""How many steps to either side is looked, and with which weight a value there counts in the slope."""


def tooth_forces(gear: Any, torque: Scalar, speed: Scalar) -> tuple[ToothForce, ...]:
    """Forces in every mesh and on every bearing of a gear, by whether its motor drives or is driven, each (T,)."""
    plain, loads = with_varied(gear, value_of), value_of(torque)
    drives, driven = (tooth_forces_of(plain, loads, driving) for driving in (True, False))
    driving = loads * value_of(speed) >= 0
    return tuple(one.where(driving, other) for one, other in zip(drives, driven, strict=True))


def largest_tooth_force(
    teeth: Sequence[ToothForce], gear: Any, torque: Scalar, speed: Scalar, bearing: bool
) -> Scalar | None:
    """The largest size of a force between teeth, or on a bearing [N]; None where the gear tells none.

    Args:
        teeth: as `tooth_forces` tells them.
        gear: the gear; its numbers may vary.
        torque: of its output (T,), which may vary.
        speed: of its output (T,).
        bearing: whether forces on bearings are meant.
    """
    told = {k: one.size for k, one in enumerate(teeth) if one.is_bearing is bearing}
    if not told:
        return None
    which = max(told, key=lambda k: float(np.max(told[k])))
    at = int(np.argmax(told[which]))
    plain, load = with_varied(gear, value_of), float(value_of(torque)[at])
    driving = load * float(value_of(speed)[at]) >= 0

    def sizes(gear: Any, loads: Array) -> Array:
        return np.asarray(tooth_forces_of(gear, loads, driving)[which].size)

    slopes: dict[str, float] = {}
    if load and slopes_of(torque):
        by_load = _slope(sizes(plain, load * (1 + STEP * STEPS)), STEP * load)
        slopes = {name: by_load * float(x[at]) for name, x in slopes_of(torque).items()}
    for name, share in slopes_in(gear).items():
        gears = (_moved(gear, name, k * STEP / share) for k in STEPS)
        own = _slope(np.array([sizes(one, np.array([load]))[0] for one in gears]), STEP / share)
        slopes[name] = slopes.get(name, 0.0) + own
    return with_slopes(float(told[which][at]), slopes)


def _slope(values: Array, step: float) -> float:
    """The slope in the middle of values a step apart."""
    return float(WEIGHTS @ values) / step


def _moved(gear: Any, name: str, step: float) -> Any:
    """The gear in plain numbers, a parameter moved by a step."""
    return with_varied(gear, lambda x: x.c[0] + step * x.c[1].by.get(name, 0.0))
