"""The largest force between teeth or on a bearing of a gear, with its derivatives by data of the gear and by torque."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import array_item
from gearwright.algebra.differentiation.dual_numbers import dual, partials_of, primal_value
from gearwright.parts import ToothForce
from gearwright.parts.gears.forces.tooth_forces import first_number, tooth_forces_or_none
from gearwright.parts.map_numbers import map_dual_numbers


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

    Its derivatives are those at the instant of the maximum.

    Args:
        teeth: result of `tooth_forces`.
        gear: the gear; its data may be dual numbers.
        torque: at its output (T,), which may be a dual number.
        speed: of its output (T,).
        bearing: whether to return forces on bearings.
    """
    magnitudes = {k: force.size for k, force in enumerate(teeth) if force.is_bearing is bearing}
    if not magnitudes:
        return None
    index = max(magnitudes, key=lambda k: float(np.max(magnitudes[k])))
    instant = int(np.argmax(magnitudes[index]))
    load = array_item(torque, np.s_[instant : instant + 1])
    driving = bool(first_number(primal_value(load)) * float(primal_value(speed)[instant]) >= 0)
    at_maximum = first_number(tooth_forces_or_none(gear, load, driving)[index].size)
    return dual(float(magnitudes[index][instant]), partials_of(at_maximum))
