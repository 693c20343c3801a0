"""What would help where a limit is not kept, computed from the model: a ratio, a slower motion, a larger article."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gearwright.analysis.advice.catalogue_advice import OF_GEARBOX, OF_MOTOR, ArticleSearch
from gearwright.analysis.advice.drive_trials import Asked, DriveTrials
from gearwright.analysis.advice.ratio_advice import JOINT, SAFE, RatioScan, ratio_advice
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import PRETENSION, SHAFT_LIMITS, WINDING, LimitCheck
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue

SPEEDS = ("joint speed", "motor speed", "gearbox input speed")
MEAN_SPEEDS = ("continuous motor speed", "gearbox mean input speed")
STRETCHES = np.geomspace(1.0, 20.0, 400)
"""How many times as long a motion is tried."""


class JointShares(NamedTuple):
    """Parts of the force at a drive's joint over the cycle.

    Args:
        still: if the robot stood still in every place, (T,).
        dynamic: what its motion adds to that, without friction, (T,).
        carried: what its payload takes, (T,); None without one.
        payload: mass [kg].
    """

    still: Array
    dynamic: Array
    carried: Array | None = None
    payload: float = 0.0


@dataclass(frozen=True)
class Advisor:
    """What is known of a drive some of whose limits are not kept.

    Args:
        drive: what the task asks of it.
        checks: its limits by what they limit.
        trials: of other parts; None for a motor that drives several joints.
        shares: of the force at its joint; None for such a motor.
        table: where larger articles are looked for.
    """

    drive: DriveAnalysis
    checks: dict[str, LimitCheck]
    trials: DriveTrials | None
    shares: JointShares | None
    table: Catalogue

    @cached_property
    def scan(self) -> RatioScan | None:
        """The drive with other ratios."""
        return None if self.trials is None else RatioScan(self.trials, self.checks)

    @cached_property
    def search(self) -> ArticleSearch | None:
        """The drive with other articles."""
        return None if self.trials is None else ArticleSearch(self.trials, self.checks, self.table)


def advised(
    checks: Iterable[LimitCheck],
    drive: DriveAnalysis,
    trials: DriveTrials | None,
    shares: JointShares | None,
    table: Catalogue,
) -> list[LimitCheck]:
    """The checks of a drive, those that are not kept with advice.

    Args:
        checks: limits of the drive.
        drive: what the task asks of it.
        trials: the drive with other parts; None for a motor that drives several joints.
        shares: of the force at its joint; None for such a motor.
        table: where larger articles are looked for.
    """
    listed = list(checks)
    about = Advisor(drive, {one.what: one for one in listed}, trials, shares, table)
    return [one if one.kept else replace(one, advice=_advice(one, about)) for one in listed]


def _advice(check: LimitCheck, about: Advisor) -> str:
    what = check.what
    if what.endswith(PRETENSION):
        return f"Tension it with {check.value:.4g} N."
    if check.limit <= 0:
        return _nothing_allowed(what, check)
    sentences = [
        *([] if about.scan is None else ratio_advice(what, about.scan)),
        *_other_winding(what, check, about.drive),
        *_other_article(what, about.search),
        *_slower(what, check, about),
        *_lighter(what, check, about),
        *(["Or carry the link by a bearing of its own."] if what in SHAFT_LIMITS else []),
    ]
    return " ".join(sentences) or f"It must come to {check.limit / check.value:.0%} of what it is."


def _nothing_allowed(what: str, check: LimitCheck) -> str:
    """Where a limit leaves nothing, no ratio and no slower motion helps."""
    if what == WINDING:
        warmer = f"The air itself is {-check.limit:.4g} K warmer than the winding may get"
        return f"{warmer}: cool it, or take a motor that bears more."
    return f"The limit of {check.limit:.4g} {check.unit} allows nothing at all: state what is really allowed."


def _other_article(what: str, search: ArticleSearch | None) -> list[str]:
    """The lightest motor or gearbox of the catalogue that would do."""
    if search is None or what not in {*OF_MOTOR, *OF_GEARBOX}:
        return []
    return [search.motor_advice(what) if what in OF_MOTOR else search.gearbox_advice(what)]


def _other_winding(what: str, check: LimitCheck, drive: DriveAnalysis) -> list[str]:
    """The same motor with another winding: voltages grow with its torque constant, currents fall with it."""
    constant = drive.motor.torque_constant
    if what not in ("voltage", "peak current") or not constant:
        return []
    least = (1 - SAFE) * check.limit / check.value
    factor = least if what == "voltage" else 1 / least
    return [f"The same motor wound for {factor * constant:.4g} instead of {constant:.4g} Nm/A keeps it."]


def _slower(what: str, check: LimitCheck, about: Advisor) -> list[str]:
    """By how much the motion must be stretched in time: speeds fall with it, dynamic forces with its square."""
    if what in SPEEDS:
        return [f"A motion {check.value / check.limit:.3g} times as long keeps it."]
    if what in MEAN_SPEEDS:
        return [f"A cycle {check.value / check.limit:.3g} times as long keeps it."]
    if what not in JOINT or about.shares is None or about.trials is None:
        return []
    still = np.abs(about.shares.still).max()
    if still >= check.limit:
        return [f"Standing still alone takes {still:.4g} {check.unit}: carry less, or allow more."]
    kept = np.flatnonzero(_joint_peaks(about.trials, _stretched(about.trials, about.shares)) <= check.limit)
    return [f"A motion {STRETCHES[kept[0]]:.3g} times as long keeps it."] if kept.size else []


def _stretched(trials: DriveTrials, shares: JointShares) -> Asked:
    """What is asked of the drive by longer motions; friction at the joint is taken as it is now, which is the most."""
    now = trials.asked
    behind = trials.mech.speeds[trials.at] != trials.drive.joint  # the rotor of an elastic drive is not in these shares
    moving = shares.dynamic if behind else shares.dynamic - now.own * now.ratio
    longer = STRETCHES[:, None]
    return now._replace(load=now.load - moving * (1 - longer**-2), own=now.own / longer**2, speed=now.speed / longer)


def _joint_peaks(trials: DriveTrials, asked: Asked) -> Array:
    return np.asarray(np.abs(trials.series(asked).torque).max(axis=1) * abs(trials.asked.ratio))


def _lighter(what: str, check: LimitCheck, about: Advisor) -> list[str]:
    """How much less payload would keep a torque: what it takes of the load is in proportion to its mass."""
    trials, shares = about.trials, about.shares
    if trials is None or shares is None or shares.carried is None:
        return []
    left = np.linspace(1.0, 0.0, 201)
    asked = trials.asked._replace(load=trials.asked.load - (1 - left[:, None]) * shares.carried)
    values = _torque_value(what, trials, asked)
    if values is None or not (values <= check.limit).any():
        return []
    mass, share = shares.payload, left[np.flatnonzero(values <= check.limit)[0]]
    return [f"A payload of {share * mass:.3g} instead of {mass:.3g} kg keeps it."]


def _torque_value(what: str, trials: DriveTrials, asked: Asked) -> Array | None:
    """What a limit of torques comes to in every trial; None of other limits."""
    if what in JOINT:
        return _joint_peaks(trials, asked)
    if what == "gearbox peak torque":
        return np.asarray(np.abs(asked.load).max(axis=1))
    if what == "peak motor torque":
        return np.asarray(np.abs(trials.series(asked).torque).max(axis=1))
    if what == "continuous motor torque":
        return np.sqrt(trials.mean(trials.series(asked).torque ** 2))
    return None
