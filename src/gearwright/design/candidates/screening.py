"""Screening of candidates: for all choices of a joint at once, the demand of the motion and its share of each limit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.drives.limit_kinds import JOINT_SPEED, LimitKind
from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates
from gearwright.design.candidates.drive_equations import ArrayReductions, limited_quantities, motor_series
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

    limit_shares: dict[LimitKind, Array]
    energy: Array
    temperature: Array

    @property
    def largest_share(self) -> Array:
        """The largest utilisation of any limit, (C,)."""
        return largest(self.limit_shares.values(), self.energy)


def largest(shares: Iterable[Array], like: Array) -> Array:
    """The largest of some utilisations, (C,); zeros without any."""
    return np.maximum.reduce([np.zeros_like(like), *shares])


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
    values = limited_quantities(series, drive_data, reductions) | pairs.shaft_quantities
    return Screening(
        {kind: values[kind.screened_quantity] / limit for kind, limit in pairs.limits.items()},
        energy=reductions.span * reductions.mean(series.voltage * series.current),
        temperature=pairs.steady_temperature(values["mean_square_current"]),
    )


def speed_shares(pairs: Candidates, motion: Motion) -> dict[LimitKind, Array]:
    """Utilisation of each speed limit, (C,); it does not depend on the load."""
    v, reductions = np.abs(motion.v[:, pairs.basis.speed_index]), ArrayReductions(motion.t)
    turning = np.abs(pairs.ratio)
    peak = reductions.peak(v)
    speeds = {"peak_motor_speed": turning * peak, "mean_motor_speed": turning * reductions.mean(v)}
    values = {kind: speeds[kind.characteristic] for kind in pairs.limits if kind.is_motor_speed}
    if JOINT_SPEED in pairs.limits:
        values[JOINT_SPEED] = np.full(len(pairs), peak)
    return {kind: value / pairs.limits[kind] for kind, value in values.items()}
