"""Screening of candidates: for all choices of a joint at once, the demand of the motion and its share of each limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.drives.limit_checks import SHAFT_LIMITS, WINDING_LIMIT
from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates
from gearwright.design.candidates.drive_equations import (
    JOINT_SPEED_LIMIT,
    LOAD_INDEPENDENT_LIMITS,
    ArrayReductions,
    limit_values,
    motor_series,
)
from gearwright.motion import Motion


@dataclass(frozen=True)
class Screening:
    """Demands of a motion on every choice of one joint.

    Args:
        limit_shares: utilisation of each limit, (C,).
        energy: electrical energy over the motion [J], with regeneration, (C,).
        temperature: mean temperature of the winding in the periodic steady state [K], (C,); nan without thermal data,
            inf if the winding heats faster than it cools.
    """

    limit_shares: dict[str, Array]
    energy: Array
    temperature: Array

    @property
    def largest_share(self) -> Array:
        """The largest utilisation of any limit, (C,)."""
        return np.max(list(self.limit_shares.values()), axis=0)


def screen_candidates(pairs: Candidates, motion: Motion, carried: Array) -> Screening:
    r"""Demands of a motion on the choices of one joint; the rotor itself needs $J (n Y^2 + Y^1)$.

    Args:
        pairs: the choices.
        motion: of all joints.
        carried: force at the joint of the machine with all other drives, without this one, (T,) or (C, T).
    """
    basis, at = pairs.basis, pairs.basis.speed_index
    load = carried + pairs.mass[:, None] * basis.mass[:, at] + pairs.inertia[:, None] * basis.rest[:, at]
    rotor_torque = pairs.inertia[:, None] * (pairs.ratio[:, None] * basis.second[:, at] + basis.first[:, at])
    reductions, drive_data = ArrayReductions(motion.t), pairs.drive_data
    series = motor_series(drive_data, load, rotor_torque, motion.v[:, at], ARRAYS)
    values = limit_values(series, drive_data, reductions) | dict.fromkeys(SHAFT_LIMITS, 1.0)
    return Screening(
        {name: values[name] / limit for name, limit in pairs.limit_values.items()},
        energy=reductions.span * reductions.mean(series.voltage * series.current),
        temperature=pairs.steady_temperature(values[WINDING_LIMIT]),
    )


def speed_shares(pairs: Candidates, motion: Motion) -> dict[str, Array]:
    """Utilisation of each speed limit, (C,) or one number; it does not depend on the load."""
    v, reductions = np.abs(motion.v[:, pairs.basis.speed_index]), ArrayReductions(motion.t)
    peak, mean = reductions.peak(v), reductions.mean(v)
    turning = np.abs(pairs.ratio)
    uses = {
        name: turning * (mean if "continuous" in name or "mean" in name else peak) for name in LOAD_INDEPENDENT_LIMITS
    }
    shares = {name: value / pairs.values_of_limit(name) for name, value in uses.items()}
    return (
        {JOINT_SPEED_LIMIT: peak / pairs.values_of_limit(JOINT_SPEED_LIMIT), **shares}
        if JOINT_SPEED_LIMIT in pairs.gearbox_columns.limits
        else shares
    )
