"""The largest force between teeth or on a bearing of a gear, with its derivatives by data of the gear and by torque.

Forces follow from the equilibrium of a gearbox, which is linear algebra in plain numbers. The derivatives at the
instant of the maximum are sixth-order differences with a step of one thousandth of the torque or of the gear's data:
they are accurate to about 1e-11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import dual, partials_of, primal_value
from gearwright.arrays import Array
from gearwright.parts.gears.forces.tooth_forces import ToothForce, tooth_forces_or_none
from gearwright.parts.map_numbers import largest_relative_slopes, map_dual_numbers

TOOTH_FORCE_STEP_RATIO = 1e-3
"""Relative step of the data of a gear."""
DIFFERENCE_OFFSETS = np.array([-3, -2, -1, 1, 2, 3])
DIFFERENCE_WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60
"""Offsets in steps and weights of the difference formula."""


def tooth_forces(gear: Any, torque: Scalar, speed: Scalar) -> tuple[ToothForce, ...]:
    """Forces in every mesh and on every bearing of a gear, depending on whether its motor drives or is driven, (T,)."""
    nominal, loads = map_dual_numbers(gear, primal_value), primal_value(torque)
    drives, driven = (tooth_forces_or_none(nominal, loads, driving) for driving in (True, False))
    driving = loads * primal_value(speed) >= 0
    return tuple(
        driving_force.select_where(driving, driven_force)
        for driving_force, driven_force in zip(drives, driven, strict=True)
    )


def largest_tooth_force(
    teeth: Sequence[ToothForce], gear: Any, torque: Scalar, speed: Scalar, bearing: bool
) -> Scalar | None:
    """The largest magnitude of a force between teeth, or on a bearing [N]; None without known geometry.

    Args:
        teeth: result of `tooth_forces`.
        gear: the gear; its data may be dual numbers.
        torque: at its output (T,), which may be a dual number.
        speed: of its output (T,).
        bearing: whether to return forces on bearings.
    """
    magnitudes = {k: moved_gear.size for k, moved_gear in enumerate(teeth) if moved_gear.is_bearing is bearing}
    if not magnitudes:
        return None
    index = max(magnitudes, key=lambda k: float(np.max(magnitudes[k])))
    instant = int(np.argmax(magnitudes[index]))
    nominal, load = map_dual_numbers(gear, primal_value), float(primal_value(torque)[instant])
    driving = load * float(primal_value(speed)[instant]) >= 0

    def sizes(gear: Any, loads: Array) -> Array:
        return np.asarray(tooth_forces_or_none(gear, loads, driving)[index].size)

    slopes: dict[str, float] = {}
    if load and partials_of(torque):
        by_load = _central_difference(
            sizes(nominal, load * (1 + TOOTH_FORCE_STEP_RATIO * DIFFERENCE_OFFSETS)), TOOTH_FORCE_STEP_RATIO * load
        )
        slopes = {name: by_load * float(x[instant]) for name, x in partials_of(torque).items()}
    for name, share in largest_relative_slopes(gear).items():
        gears = (_perturbed_gear(gear, name, k * TOOTH_FORCE_STEP_RATIO / share) for k in DIFFERENCE_OFFSETS)
        partial = _central_difference(
            np.array([sizes(moved_gear, np.array([load]))[0] for moved_gear in gears]), TOOTH_FORCE_STEP_RATIO / share
        )
        slopes[name] = slopes.get(name, 0.0) + partial
    return dual(float(magnitudes[index][instant]), slopes)


def _central_difference(values: Array, step: float) -> float:
    """The derivative at the middle of values that are a step apart."""
    return float(DIFFERENCE_WEIGHTS @ values) / step


def _perturbed_gear(gear: Any, name: str, step: float) -> Any:
    """The gear in plain numbers, with a parameter changed by a step."""
    return map_dual_numbers(gear, lambda x: x.c[0] + step * x.c[1].by.get(name, 0.0))
