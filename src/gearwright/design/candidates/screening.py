"""Screening of candidates: for all choices of a joint at once, the demand of the motion and its share of each limit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gearwright.algebra import Scalar
from gearwright.analysis.drives.drive_series import DriveSeries, series_of_drive
from gearwright.analysis.drives.limit_kinds import JOINT_SPEED, LimitKind, field_value
from gearwright.arrays import Array
from gearwright.design.candidates.candidates import SHAFT_QUANTITIES, Candidates
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


def screen_candidates(pairs: Candidates, motion: Motion, force: Array, only_peaks: bool = False) -> Screening:
    """Demands of a motion on the choices of one joint.

    Args:
        pairs: the choices.
        motion: of all joints.
        force: of the whole machine at the drive, (C, T).
        only_peaks: whether only limits of largest values are compared, at few instants of the motion.
    """
    series = screened_series(pairs, motion, force)
    limits = {kind: limit for kind, limit in pairs.limits.items() if kind.is_peak or not only_peaks}
    shares = {kind: screened_value(kind, series, pairs) / limit for kind, limit in limits.items()}
    if only_peaks:
        unknown = np.zeros(len(pairs))
        return Screening(shares, unknown, unknown)
    return Screening(shares, series.energy, pairs.steady_temperature(series.mean_square_current))


def screened_series(pairs: Candidates, motion: Motion, force: Array) -> DriveSeries:
    """The series of all choices of one joint, (C, T), by the equation of the analysis.

    Windings are at their reference temperature, and the voltage of an inductance is not included: both are part of the
    analysis of the selected design.
    """
    return series_of_drive(motion.t, pairs.drive_load(force), pairs.equation, pairs.winding_under)


def screened_value(kind: LimitKind, series: DriveSeries, pairs: Candidates) -> Scalar:
    """The quantity that is compared with a limit, (C,)."""
    if kind.screened_as == "wear":
        return series.wear(pairs.life_exponent[:, None])
    if kind.screened_quantity in SHAFT_QUANTITIES:
        return pairs.shaft_quantities[kind.screened_quantity]
    return field_value(series, kind.screened_quantity)


def speed_shares(pairs: Candidates, motion: Motion) -> dict[LimitKind, Array]:
    """Utilisation of each speed limit, (C,); it does not depend on the load."""
    v = pairs.basis.speed
    zero = np.zeros_like(v)
    per_ratio = DriveSeries(motion.t, zero, zero, v, zero, v, None, None)
    factors = {kind: np.abs(pairs.ratio) for kind in pairs.limits if kind.is_motor_speed}
    factors |= {kind: np.ones(len(pairs)) for kind in pairs.limits if kind is JOINT_SPEED}
    return {kind: factor * kind.value(per_ratio) / pairs.limits[kind] for kind, factor in factors.items()}
