"""Recommendations for exceeded limits, computed from the model: another ratio, a slower motion, another part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gearwright.analysis.advice.catalogue_advice import CatalogueSearch
from gearwright.analysis.advice.drive_trials import DriveTrials
from gearwright.analysis.advice.ratio_advice import ADVICE_MARGIN, RatioScan, ratio_advice
from gearwright.analysis.drives.advice_value import Advice, LazyAdvice
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck
from gearwright.analysis.drives.limit_kinds import LimitKind
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.forces.transmission.drive_equation import DriveLoad

DURATION_FACTORS = np.geomspace(1.0, 20.0, 400)
"""Factors on the duration of the motion that are tried."""


class JointShares(NamedTuple):
    """Parts of the force at a drive's joint over the cycle.

    Args:
        static: static force, with the robot at rest in every configuration, (T,).
        dynamic: additional force due to the motion, without friction, (T,).
        payload_part: part due to the payload, (T,); None without a payload.
        payload_mass: mass of the payload [kg].
    """

    static: Array
    dynamic: Array
    payload_part: Array | None = None
    payload_mass: float = 0.0


@dataclass(frozen=True)
class Advisor:
    """A drive that exceeds some of its limits, with the data for recommendations.

    Args:
        drive: analysis of the drive.
        checks: its limits.
        trials: evaluation of other parts; None for a motor that drives several joints.
        all_shares: parts of the forces at joints, by joint.
        catalogue: catalogue in which other parts are searched.
    """

    drive: DriveAnalysis
    checks: dict[LimitKind, LimitCheck]
    trials: DriveTrials | None
    all_shares: Callable[[], Mapping[str, JointShares]]
    catalogue: Catalogue

    @cached_property
    def shares(self) -> JointShares | None:
        """Parts of the force at its joint; None for a motor that drives several joints."""
        return self.all_shares().get(self.drive.joint or "")

    @cached_property
    def ratio_scan(self) -> RatioScan | None:
        """The drive with other ratios."""
        return None if self.trials is None else RatioScan(self.trials, self.checks)

    @cached_property
    def catalogue_search(self) -> CatalogueSearch | None:
        """The drive with other catalogue entries."""
        return None if self.trials is None else CatalogueSearch(self.trials, self.checks, self.catalogue)


def with_advice(
    checks: Iterable[LimitCheck],
    drive: DriveAnalysis,
    trials: DriveTrials | None,
    all_shares: Callable[[], Mapping[str, JointShares]],
    table: Catalogue,
) -> list[LimitCheck]:
    """The limit checks of a drive, with recommendations for those that are exceeded, computed when they are read.

    Args:
        checks: limits of the drive.
        drive: analysis of the drive.
        trials: evaluation of other parts; None for a motor that drives several joints.
        all_shares: parts of the forces at joints, by joint.
        table: catalogue in which other parts are searched.
    """
    all_checks = list(checks)
    advisor = Advisor(drive, {check.kind: check for check in all_checks}, trials, all_shares, table)
    return [check if check.is_satisfied else _with_lazy_advice(check, advisor) for check in all_checks]


def _with_lazy_advice(check: LimitCheck, advisor: Advisor) -> LimitCheck:
    return replace(check, advice=LazyAdvice(lambda: _advice(check, advisor)))


def _advice(check: LimitCheck, advisor: Advisor) -> tuple[Advice, ...]:
    if check.limit <= 0 and "pretension" not in check.kind.recommendations:
        return (_no_allowance_advice(check),)
    advice = [x for name in check.kind.recommendations for x in RECOMMENDATIONS[name](check, advisor)]
    return tuple(advice) or (Advice("smaller value", share=check.limit / check.value),)


def _no_allowance_advice(check: LimitCheck) -> Advice:
    """The recommendation for a limit of zero or less, which no ratio and no slower motion satisfies."""
    if check.kind.above_ambient:
        return Advice("cooling", value=-check.limit)
    return Advice("actual limit", present=check.limit, unit=check.unit)


def _ratio_advice(check: LimitCheck, advisor: Advisor) -> Iterable[Advice]:
    return () if advisor.ratio_scan is None else ratio_advice(check.kind, advisor.ratio_scan)


def _entry_advice(check: LimitCheck, advisor: Advisor) -> list[Advice]:
    """The lightest motor or gearbox of the catalogue that satisfies the limits."""
    return [] if advisor.catalogue_search is None else [advisor.catalogue_search.entry_advice(check.kind)]


def _winding_advice(check: LimitCheck, advisor: Advisor) -> list[Advice]:
    """The same motor with another winding: voltage is proportional to the torque constant, current inversely."""
    constant = advisor.drive.motor.torque_constant
    if not constant:
        return []
    factor = ((1 - ADVICE_MARGIN) * check.limit / check.value) ** check.kind.torque_constant_power
    return [Advice("winding", value=float(factor * constant), present=float(constant))]


def _slowed_load_advice(check: LimitCheck, advisor: Advisor) -> list[Advice]:
    """Factor on the duration of the motion: speeds fall with it, dynamic forces with its square."""
    if advisor.shares is None or advisor.trials is None:
        return []
    static_peak = float(np.abs(advisor.shares.static).max())
    if static_peak >= check.limit:
        return [Advice("static load", value=static_peak, unit=check.unit)]
    slowed = advisor.trials.present_motor_series(_slowed_load(advisor.trials, advisor.shares))
    feasible = np.flatnonzero(slowed.peak_torque <= check.limit)
    return [Advice("longer motion", factor=float(DURATION_FACTORS[feasible[0]]))] if feasible.size else []


def _slowed_load(trials: DriveTrials, shares: JointShares) -> DriveLoad:
    """Load of the drive in slower motions, with the present joint friction as an upper bound."""
    present = trials.present_load
    behind = (
        trials.mech.speeds[trials.speed_index] != trials.drive.joint
    )  # these shares exclude the rotor of an elastic drive
    moving = shares.dynamic if behind else shares.dynamic - present.rotor_torque * trials.equation.ratio
    longer = DURATION_FACTORS[:, None]
    return present._replace(
        load=present.load - moving * (1 - longer**-2),
        rotor_torque=present.rotor_torque / longer**2,
        speed=present.speed / longer,
    )


def _payload_advice(check: LimitCheck, advisor: Advisor) -> list[Advice]:
    """The payload that satisfies a torque limit: its share of the load is proportional to its mass."""
    trials, shares = advisor.trials, advisor.shares
    if trials is None or shares is None or shares.payload_part is None:
        return []
    remaining = np.linspace(1.0, 0.0, 201)
    loads = trials.present_load._replace(load=trials.present_load.load - (1 - remaining[:, None]) * shares.payload_part)
    values = check.kind.value(trials.present_motor_series(loads))
    if not (values <= check.limit).any():
        return []
    mass, share = shares.payload_mass, remaining[np.flatnonzero(values <= check.limit)[0]]
    return [Advice("payload", value=float(share * mass), present=float(mass))]


RECOMMENDATIONS: dict[str, Callable[[LimitCheck, Advisor], Iterable[Advice]]] = {
    "ratio": _ratio_advice,
    "winding": _winding_advice,
    "entry": _entry_advice,
    "longer motion": lambda check, _: [Advice("longer motion", factor=check.value / check.limit)],
    "longer cycle": lambda check, _: [Advice("longer cycle", factor=check.value / check.limit)],
    "longer motion of a load": _slowed_load_advice,
    "payload": _payload_advice,
    "separate bearing": lambda check, _: [Advice("separate bearing")],
    "pretension": lambda check, _: [Advice("pretension", value=check.value)],
}
"""Recommendations by the names in the table of limits."""
