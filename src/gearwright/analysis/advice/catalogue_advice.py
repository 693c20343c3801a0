"""Which article of the catalogue would keep the limits of a drive: each is tried with its own numbers.

A motor is tried with its mass, rotor inertia, friction and winding, a gearbox with its ratio, mass, inertia and losses.
Sheets that lack a number which that needs, or the limit that is not kept now, are passed over, and so are those that
cannot be bolted to the part that stays. What an article may not break is all that the drive keeps now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import NamedTuple, TypeVar

import numpy as np

from gearwright.analysis.advice.drive_trials import DriveTrials, motor_series
from gearwright.analysis.advice.ratio_advice import SAFE
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import SHAFT_LIMITS, WINDING, LimitCheck
from gearwright.analysis.drives.steady_temperatures import mean_rise
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.forces.transmission.gear_wheels import wheels_before
from gearwright.parts import DataSheet, Drive, GearboxSheet, Motor, MotorSheet, losses_of, mounting_conflict

NEEDED = ("mass", "inertia", "torque_constant", "resistance")
"""What the sheet of a motor must print to be tried."""
OF_MOTOR = {
    "peak motor torque": "peak_torque",
    "motor speed": "peak_speed",
    "voltage": "voltage",
    "peak current": None,
    "continuous motor torque": "continuous_torque",
    "continuous current": "continuous_torque",
    "continuous motor speed": "continuous_speed",
    WINDING: "max_winding_temperature",
}
"""The limits of a motor, and what its sheet must print so that they are checked."""
OF_GEARBOX = {
    "gearbox peak torque": "peak_torque",
    "gearbox mean torque": "rated_torque",
    "gearbox input speed": "peak_input_speed",
    "gearbox mean input speed": "rated_input_speed",
    **dict(zip(SHAFT_LIMITS, ("radial_load", "axial_load", "tilting_moment"), strict=True)),
}
"""The same of a gearbox."""
CHECKED_AS = {"continuous current": "continuous motor torque"}
"""What is compared instead where a sheet prints more than the present one."""
Limits = Mapping[str, str | None]
Sheet = TypeVar("Sheet", bound=DataSheet)
CLOSE = 1.05
"""Up to which share of its limits, by the present load, a motor is looked at closely."""


class Tried(NamedTuple):
    """An article in the place of the present one.

    Args:
        sheet: of the article.
        drive: over the cycle.
        checks: the limits that it has then, by what they limit.
    """

    sheet: DataSheet
    drive: DriveAnalysis
    checks: dict[str, LimitCheck]


@dataclass(frozen=True)
class ArticleSearch:
    """A drive whose motor or gearbox may be another.

    Args:
        trials: the drive.
        checks: its limits as they are now, by what they limit.
        table: where articles are looked for.
    """

    trials: DriveTrials
    checks: Mapping[str, LimitCheck]
    table: Catalogue

    @property
    def failing(self) -> set[str]:
        """What is not kept now."""
        return {what for what, check in self.checks.items() if not check.kept}

    def motor_advice(self, what: str) -> str:
        """The lightest motor that keeps its limits, in words.

        Args:
            what: the limit that is not kept now.
        """
        sheets = [one for one in self._motors if _prints(one, what, OF_MOTOR)]
        close = [one for one in sheets if self._rough[one.key] <= CLOSE]
        found = next((x for x in map(self._with_motor, close) if x is not None and self._able(x, what, OF_MOTOR)), None)
        if found is not None:
            return self._named("motor", found, OF_MOTOR)
        if not sheets:
            return _nothing("motor", what, OF_MOTOR)
        nearest = self._with_motor(min(sheets, key=lambda one: self._rough[one.key]))
        return self._missed("motor", "the nearest", nearest, what, OF_MOTOR)

    def gearbox_advice(self, what: str, life: float = 0.0) -> str:
        """The lightest gearbox of about the present ratio that keeps its limits, in words.

        Args:
            what: the limit that is not kept now.
            life: how long it must live [h].
        """
        kind = "gearbox of about this ratio"
        all_tried = [self._with_gearbox(one) for one in self._gearboxes if _prints(one, what, OF_GEARBOX)]
        tried = [one for one in all_tried if one is not None]
        lasting = [one for one in tried if _life(one) >= life]
        found = next((one for one in lasting if self._able(one, what, OF_GEARBOX)), None)
        if found is not None:
            return self._named(kind, found, OF_GEARBOX)
        if not tried:
            return _nothing(kind, what, OF_GEARBOX)
        if not lasting:
            longest = max(tried, key=_life)
            return f"No {kind} of the catalogue lives so long: the best, {longest.sheet.key}, {_life(longest):.4g} h."
        nearest = min(lasting, key=lambda one: self._tightest(one, OF_GEARBOX)[1])
        return self._missed(kind, "the nearest", nearest, what, OF_GEARBOX)

    @cached_property
    def _motors(self) -> list[MotorSheet]:
        """Those that can be tried, the lightest first."""
        needed = (*NEEDED, *(() if self.trials.part.current_control is None else ("inductance",)))
        present = self.trials.part.motor.catalogue
        return _lightest_first(
            one
            for one in self.table.motors.values()
            if one.key != present and _has(one, needed) and _fits(one, self.trials.drive.gearbox_sheet)
        )

    @cached_property
    def _gearboxes(self) -> list[GearboxSheet]:
        """Those of about the present ratio that can be tried, the lightest first."""
        gear = self.trials.part.gear
        needed = ("mass", "ratio", "efficiency") if losses_of(gear) else ("mass", "ratio")
        present = getattr(gear, "catalogue", None)
        return _lightest_first(
            one
            for one in self.table.gearboxes.values()
            if one.key != present
            and _has(one, needed)
            and same_ratio(one.ratio, self.trials.drive)
            and _fits(self.trials.drive.motor_sheet, one)
        )

    @cached_property
    def _rough(self) -> dict[str, float]:
        return {one.key: self._roughly(one) for one in self._motors}

    @cached_property
    def _known(self) -> dict[str, Tried | None]:
        """What was tried already: several limits ask for the same articles."""
        return {}

    def _with_motor(self, sheet: MotorSheet) -> Tried | None:
        """The drive with another motor."""
        if sheet.key not in self._known:
            drive = replace(self.trials.part, motor=self._motor(sheet))
            self._known[sheet.key] = self._tried(sheet, drive, sheet, self.trials.drive.gearbox_sheet)
        return self._known[sheet.key]

    def _with_gearbox(self, sheet: GearboxSheet) -> Tried | None:
        """The drive with another gearbox, as stiff as the present one."""
        if sheet.key not in self._known:
            old = self.trials.part.gear
            spring = {} if old.stiffness is None else {"stiffness": old.stiffness, "damping": old.damping}
            drive = replace(self.trials.part, gear=sheet.gear(**spring))
            self._known[sheet.key] = self._tried(sheet, drive, self.trials.drive.motor_sheet, sheet)
        return self._known[sheet.key]

    def _motor(self, sheet: MotorSheet) -> Motor:
        """An article in the place of the present motor, behind the same current limit."""
        old = self.trials.part.motor
        return sheet.motor(position=old.position, included=old.included, max_current=old.max_current)

    def _tried(
        self, sheet: DataSheet, drive: Drive, motor: MotorSheet | None, gearbox: GearboxSheet | None
    ) -> Tried | None:
        asked = self.trials.fitted(drive)
        if asked is None:
            return None
        series, checks = self.trials.limits(drive, asked, motor, gearbox)
        return Tried(sheet, series, {check.what: check for check in checks})

    def _named(self, kind: str, found: Tried, own: Limits) -> str:
        what, share = self._tightest(found, own)
        taken = f", {share:.0%} of the {what}" if what else ""
        told = f"{found.sheet.key} ({found.sheet.mass:.3g} kg{taken})"
        return f"The lightest {kind} of the catalogue that keeps its limits here is {told}."

    def _missed(self, kind: str, which: str, found: Tried | None, what: str, own: Limits) -> str:
        if found is None:
            return _nothing(kind, what, own)
        most, share = self._tightest(found, own)
        told = f"{which}, {found.sheet.key} ({found.sheet.mass:.3g} kg), takes {share:.0%} of the {most}"
        return f"No {kind} of the catalogue keeps its limits here: {told}."

    def _able(self, found: Tried, what: str, own: Limits) -> bool:
        """Whether what is not kept now is checked and kept then, and nothing else is broken."""
        checked = CHECKED_AS.get(what, what) in found.checks or what not in own
        return checked and all(one.margin >= SAFE for x, one in found.checks.items() if self._counts(x, own))

    def _counts(self, what: str, own: Limits) -> bool:
        """Whether an article must keep a limit: its own, and those that are kept now."""
        return what in own or what not in self.failing

    def _tightest(self, found: Tried, own: Limits) -> tuple[str, float]:
        """The limit of which an article takes the largest share, and the share; an empty word where it has none."""
        shares = {x: 1 - one.margin for x, one in found.checks.items() if self._counts(x, own)}
        return max(shares.items(), key=lambda one: one[1], default=("", 0.0))

    def _roughly(self, sheet: MotorSheet) -> float:
        """The largest share of its limits that a motor takes under the present load, its weight left out."""
        trials, motor = self.trials, self._motor(sheet)
        now = trials.asked
        more = float(motor.inertia) - float(trials.part.motor.inertia)
        told = motor_series(
            replace(motor, heat=None, inductance=None),
            trials.part.gear,
            now._replace(own=now.own + more * self._per_inertia),
            trials.drive.t,
        )
        assert told.current is not None
        assert told.voltage is not None
        pairs = (
            (_top(told.torque), sheet.peak_torque),
            (_top(told.speed), sheet.peak_speed),
            (_top(told.voltage), sheet.voltage),
            (_top(told.current), motor.max_current),
            (float(np.sqrt(trials.mean(told.torque**2))), sheet.continuous_torque),
            (float(trials.mean(np.abs(told.speed))), sheet.continuous_speed),
        )
        heated = self._heated(motor, float(trials.mean(told.current**2)))
        return max([heated, *(value / limit for value, limit in pairs if limit)])

    @property
    def _per_inertia(self) -> Array:
        """The torque at the motor that a unit of inertia on its shaft takes, (T,)."""
        trials = self.trials
        inertia = sum(float(spin.inertia) for spin in wheels_before(trials.mech, trials.drive.name))
        if inertia:
            return trials.asked.own / inertia
        return np.asarray(trials.asked.ratio * trials.motion.a[:, trials.at])

    def _heated(self, motor: Motor, squares: float) -> float:
        """The share of its warming that a winding takes in the mean of a steady state."""
        heat, air = motor.heat, self.trials.air(motor)
        if heat is None or heat.max_temperature is None or air is None:
            return 0.0
        if heat.max_temperature <= air:
            return inf
        heating = (heat.winding_housing + heat.housing_ambient) * float(motor.resistance or 0.0) * squares
        rise, rest = mean_rise(heating, heat.copper, air - heat.reference)
        return float(rise / rest / (heat.max_temperature - air)) if rest > 0 else inf


def same_ratio(ratio: float | None, drive: DriveAnalysis) -> bool:
    """Whether an article's ratio is about that of a drive."""
    return drive.gear is not None and ratio is not None and 0.7 < ratio / abs(float(drive.gear.ratio)) < 1.4


def _fits(motor: MotorSheet | None, gearbox: GearboxSheet | None) -> bool:
    """Whether nothing that both data sheets state keeps a motor from being mounted on a gearbox."""
    return motor is None or gearbox is None or mounting_conflict(motor, gearbox) is None


def _life(tried: Tried) -> float:
    """How long a gearbox lives [h]; 0 where its sheet does not say."""
    return float(tried.drive.life or 0.0)


def _top(values: Array) -> float:
    return float(np.abs(values).max())


def _prints(sheet: DataSheet, what: str, own: Limits) -> bool:
    """Whether a sheet prints a limit."""
    heats = what != WINDING or getattr(sheet, "heat", None) is not None
    return heats and _has(sheet, [word for word in [own.get(what)] if word])


def _has(sheet: DataSheet, words: Iterable[str]) -> bool:
    return all(getattr(sheet, word) is not None for word in words)


def _lightest_first(sheets: Iterable[Sheet]) -> list[Sheet]:
    return sorted(sheets, key=lambda one: one.mass or 0.0)


def _nothing(kind: str, what: str, own: Limits) -> str:
    word = own.get(what)
    lacking = f" whose sheet prints {word.replace('_', ' ')} and all else that a trial needs" if word else ""
    return f"The catalogue has no other {kind}{lacking}: it would take a larger one."
