"""Search for the lightest catalogue entry that satisfies the limits of a drive; each entry is tried with its own data.

A motor is tried with its mass, rotor inertia, friction and winding, a gearbox with its ratio, mass, inertia and losses.
Data sheets without a number that this needs, or without the limit that is exceeded now, are skipped, and so are entries
that cannot be mounted on the remaining part. An entry must not violate a limit that the drive satisfies now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import NamedTuple, TypeVar

import numpy as np

from gearwright.analysis.advice.drive_trials import DriveTrials, motor_series
from gearwright.analysis.advice.ratio_advice import ADVICE_MARGIN
from gearwright.analysis.drives.advice_value import Advice
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import SHAFT_LIMITS, WINDING_LIMIT, LimitCheck
from gearwright.analysis.drives.steady_temperatures import mean_rise_fraction
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.forces.transmission.gear_wheels import input_wheels
from gearwright.parts import DataSheet, Drive, GearboxSheet, Motor, MotorSheet, losses_of, mounting_conflict

REQUIRED_MOTOR_FIELDS = ("mass", "inertia", "torque_constant", "resistance")
"""Columns that a motor's data sheet must contain for a trial."""
MOTOR_LIMIT_FIELDS = {
    "peak motor torque": "peak_torque",
    "motor speed": "peak_speed",
    "voltage": "voltage",
    "peak current": None,
    "continuous motor torque": "continuous_torque",
    "continuous current": "continuous_torque",
    "continuous motor speed": "continuous_speed",
    WINDING_LIMIT: "max_winding_temperature",
}
"""Limits of a motor, and the column of its data sheet with which they are checked."""
GEARBOX_LIMIT_FIELDS = {
    "gearbox peak torque": "peak_torque",
    "gearbox mean torque": "rated_torque",
    "gearbox input speed": "peak_input_speed",
    "gearbox mean input speed": "rated_input_speed",
    **dict(zip(SHAFT_LIMITS, ("radial_load", "axial_load", "tilting_moment"), strict=True)),
}
"""Limits of a gearbox, and the column of its data sheet with which they are checked."""
EQUIVALENT_LIMITS = {"continuous current": "continuous motor torque"}
"""Limit that is checked instead if a data sheet states more than the present one."""
LimitFields = Mapping[str, str | None]
Sheet = TypeVar("Sheet", bound=DataSheet)
CLOSE_TRIAL_SHARE = 1.05
"""Largest share of its limits, under the present load, up to which a motor is evaluated in full."""


class EntryTrial(NamedTuple):
    """A catalogue entry in place of the present part.

    Args:
        sheet: data sheet of the entry.
        drive: analysis of the drive over the cycle.
        checks: limits of the drive with this entry, by the limited quantity.
    """

    sheet: DataSheet
    drive: DriveAnalysis
    checks: dict[str, LimitCheck]


@dataclass(frozen=True)
class CatalogueSearch:
    """The search for another motor or gearbox of a drive.

    Args:
        trials: the drive.
        checks: its present limits, by the limited quantity.
        catalogue: catalogue that is searched.
    """

    trials: DriveTrials
    checks: Mapping[str, LimitCheck]
    catalogue: Catalogue

    @property
    def violated_limits(self) -> set[str]:
        """Limits that are exceeded now."""
        return {quantity for quantity, check in self.checks.items() if not check.is_kept}

    def motor_advice(self, quantity: str) -> Advice:
        """The lightest motor that satisfies its limits, or the closest.

        Args:
            quantity: the limit that is exceeded now.
        """
        sheets = [sheet for sheet in self._motor_sheets if _states_limit(sheet, quantity, MOTOR_LIMIT_FIELDS)]
        close = [sheet for sheet in sheets if self._rough_shares[sheet.key] <= CLOSE_TRIAL_SHARE]
        match = next(
            (
                x
                for x in map(self._with_motor, close)
                if x is not None and self._is_feasible(x, quantity, MOTOR_LIMIT_FIELDS)
            ),
            None,
        )
        if match is not None:
            return self._match_advice("motor", match, MOTOR_LIMIT_FIELDS)
        if not sheets:
            return _no_entry_advice("motor", quantity, MOTOR_LIMIT_FIELDS)
        nearest = self._with_motor(min(sheets, key=lambda sheet: self._rough_shares[sheet.key]))
        return self._no_match_advice("motor", nearest, quantity, MOTOR_LIMIT_FIELDS)

    def gearbox_advice(self, quantity: str, life: float = 0.0) -> Advice:
        """The lightest gearbox of about the present ratio that satisfies its limits, or the closest.

        Args:
            quantity: the limit that is exceeded now.
            life: required life [h].
        """
        all_tried = [
            self._with_gearbox(trial)
            for trial in self._gearbox_sheets
            if _states_limit(trial, quantity, GEARBOX_LIMIT_FIELDS)
        ]
        tried = [trial for trial in all_tried if trial is not None]
        long_lived = [trial for trial in tried if _gearbox_life(trial) >= life]
        match = next((trial for trial in long_lived if self._is_feasible(trial, quantity, GEARBOX_LIMIT_FIELDS)), None)
        if match is not None:
            return self._match_advice("gearbox", match, GEARBOX_LIMIT_FIELDS)
        if not tried:
            return _no_entry_advice("gearbox", quantity, GEARBOX_LIMIT_FIELDS)
        if not long_lived:
            longest = max(tried, key=_gearbox_life)
            return Advice("no gearbox life", entry=longest.sheet.key, result=_gearbox_life(longest))
        nearest = min(long_lived, key=lambda trial: self._tightest_limit(trial, GEARBOX_LIMIT_FIELDS)[1])
        return self._no_match_advice("gearbox", nearest, quantity, GEARBOX_LIMIT_FIELDS)

    @cached_property
    def _motor_sheets(self) -> list[MotorSheet]:
        """Motors with sufficient data, the lightest first."""
        needed = (*REQUIRED_MOTOR_FIELDS, *(() if self.trials.drive_part.current_control is None else ("inductance",)))
        present = self.trials.drive_part.motor.catalogue
        return _lightest_first(
            sheet
            for sheet in self.catalogue.motors.values()
            if sheet.key != present
            and _has_fields(sheet, needed)
            and _is_mountable(sheet, self.trials.drive.gearbox_sheet)
        )

    @cached_property
    def _gearbox_sheets(self) -> list[GearboxSheet]:
        """Gearboxes of about the present ratio with sufficient data, the lightest first."""
        gear = self.trials.drive_part.gear
        needed = ("mass", "ratio", "efficiency") if losses_of(gear) else ("mass", "ratio")
        present = getattr(gear, "catalogue", None)
        return _lightest_first(
            sheet
            for sheet in self.catalogue.gearboxes.values()
            if sheet.key != present
            and _has_fields(sheet, needed)
            and is_similar_ratio(sheet.ratio, self.trials.drive)
            and _is_mountable(self.trials.drive.motor_sheet, sheet)
        )

    @cached_property
    def _rough_shares(self) -> dict[str, float]:
        return {sheet.key: self._rough_share(sheet) for sheet in self._motor_sheets}

    @cached_property
    def _trial_cache(self) -> dict[str, EntryTrial | None]:
        """Cache of trials: several limits need the same entries."""
        return {}

    def _with_motor(self, sheet: MotorSheet) -> EntryTrial | None:
        """The drive with another motor."""
        if sheet.key not in self._trial_cache:
            drive = replace(self.trials.drive_part, motor=self._motor_from_sheet(sheet))
            self._trial_cache[sheet.key] = self._entry_trial(sheet, drive, sheet, self.trials.drive.gearbox_sheet)
        return self._trial_cache[sheet.key]

    def _with_gearbox(self, sheet: GearboxSheet) -> EntryTrial | None:
        """The drive with another gearbox of the present stiffness."""
        if sheet.key not in self._trial_cache:
            old = self.trials.drive_part.gear
            spring = {} if old.stiffness is None else {"stiffness": old.stiffness, "damping": old.damping}
            drive = replace(self.trials.drive_part, gear=sheet.gear(**spring))
            self._trial_cache[sheet.key] = self._entry_trial(sheet, drive, self.trials.drive.motor_sheet, sheet)
        return self._trial_cache[sheet.key]

    def _motor_from_sheet(self, sheet: MotorSheet) -> Motor:
        """The motor of a data sheet in place of the present one, with the same current limit."""
        old = self.trials.drive_part.motor
        return sheet.motor(position=old.position, included=old.included, max_current=old.max_current)

    def _entry_trial(
        self, sheet: DataSheet, drive: Drive, motor: MotorSheet | None, gearbox: GearboxSheet | None
    ) -> EntryTrial | None:
        load = self.trials.load_with_drive(drive)
        if load is None:
            return None
        series, checks = self.trials.trial_limits(drive, load, motor, gearbox)
        return EntryTrial(sheet, series, {check.quantity: check for check in checks})

    def _match_advice(self, kind: str, match: EntryTrial, limit_fields: LimitFields) -> Advice:
        quantity, share = self._tightest_limit(match, limit_fields)
        entry = Advice(kind, entry=match.sheet.key, mass=match.sheet.mass)
        return replace(entry, share=share, quantity=quantity) if quantity else entry

    def _no_match_advice(
        self, kind: str, nearest: EntryTrial | None, quantity: str, limit_fields: LimitFields
    ) -> Advice:
        if nearest is None:
            return _no_entry_advice(kind, quantity, limit_fields)
        tightest, share = self._tightest_limit(nearest, limit_fields)
        return Advice(f"no {kind}", entry=nearest.sheet.key, mass=nearest.sheet.mass, share=share, quantity=tightest)

    def _is_feasible(self, trial: EntryTrial, quantity: str, limit_fields: LimitFields) -> bool:
        """Whether the exceeded limit is checked and satisfied by an entry, and no other limit is violated."""
        is_checked = EQUIVALENT_LIMITS.get(quantity, quantity) in trial.checks or quantity not in limit_fields
        return is_checked and all(
            check.margin >= ADVICE_MARGIN for x, check in trial.checks.items() if self._is_relevant(x, limit_fields)
        )

    def _is_relevant(self, quantity: str, limit_fields: LimitFields) -> bool:
        """Whether an entry must satisfy a limit: one of its own, or one that is satisfied now."""
        return quantity in limit_fields or quantity not in self.violated_limits

    def _tightest_limit(self, trial: EntryTrial, limit_fields: LimitFields) -> tuple[str, float]:
        """The limit with the largest utilisation by an entry, and the utilisation; an empty name if it has no limit."""
        shares = {x: 1 - check.margin for x, check in trial.checks.items() if self._is_relevant(x, limit_fields)}
        return max(shares.items(), key=lambda check: check[1], default=("", 0.0))

    def _rough_share(self, sheet: MotorSheet) -> float:
        """The largest utilisation of a motor's limits under the present load, without its weight."""
        trials, motor = self.trials, self._motor_from_sheet(sheet)
        present = trials.present_load
        more = float(motor.inertia) - float(trials.drive_part.motor.inertia)
        series = motor_series(
            replace(motor, heat=None, inductance=None),
            trials.drive_part.gear,
            present._replace(rotor_torque=present.rotor_torque + more * self._torque_per_inertia),
            trials.drive.t,
        )
        assert series.current is not None
        assert series.voltage is not None
        pairs = (
            (_peak_magnitude(series.torque), sheet.peak_torque),
            (_peak_magnitude(series.speed), sheet.peak_speed),
            (_peak_magnitude(series.voltage), sheet.voltage),
            (_peak_magnitude(series.current), motor.max_current),
            (float(np.sqrt(trials.cycle_mean(series.torque**2))), sheet.continuous_torque),
            (float(trials.cycle_mean(np.abs(series.speed))), sheet.continuous_speed),
        )
        heated = self._heating_share(motor, float(trials.cycle_mean(series.current**2)))
        return max([heated, *(value / limit for value, limit in pairs if limit)])

    @property
    def _torque_per_inertia(self) -> Array:
        """Torque at the motor per unit of inertia on its shaft, (T,)."""
        trials = self.trials
        inertia = sum(float(spin.inertia) for spin in input_wheels(trials.mech, trials.drive.name))
        if inertia:
            return trials.present_load.rotor_torque / inertia
        return np.asarray(trials.present_load.ratio * trials.motion.a[:, trials.speed_index])

    def _heating_share(self, motor: Motor, squares: float) -> float:
        """The mean steady-state temperature rise of a winding as a share of the allowed rise."""
        heat, air = motor.heat, self.trials.ambient_temperature(motor)
        if heat is None or heat.max_temperature is None or air is None:
            return 0.0
        if heat.max_temperature <= air:
            return inf
        heating = (heat.winding_housing + heat.housing_ambient) * float(motor.resistance or 0.0) * squares
        rise, denominator = mean_rise_fraction(heating, heat.copper, air - heat.reference)
        return float(rise / denominator / (heat.max_temperature - air)) if denominator > 0 else inf


def is_similar_ratio(ratio: float | None, drive: DriveAnalysis) -> bool:
    """Whether the ratio of a catalogue entry is about that of a drive."""
    return drive.gear is not None and ratio is not None and 0.7 < ratio / abs(float(drive.gear.ratio)) < 1.4


def _is_mountable(motor: MotorSheet | None, gearbox: GearboxSheet | None) -> bool:
    """Whether a motor can be mounted on a gearbox as far as both data sheets state it."""
    return motor is None or gearbox is None or mounting_conflict(motor, gearbox) is None


def _gearbox_life(trial: EntryTrial) -> float:
    """Life of a gearbox [h]; 0 if its data sheet does not rate it."""
    return float(trial.drive.life or 0.0)


def _peak_magnitude(values: Array) -> float:
    return float(np.abs(values).max())


def _states_limit(sheet: DataSheet, quantity: str, limit_fields: LimitFields) -> bool:
    """Whether a data sheet states a limit."""
    heats = quantity != WINDING_LIMIT or getattr(sheet, "heat", None) is not None
    return heats and _has_fields(sheet, [field for field in [limit_fields.get(quantity)] if field])


def _has_fields(sheet: DataSheet, fields: Iterable[str]) -> bool:
    return all(getattr(sheet, field) is not None for field in fields)


def _lightest_first(sheets: Iterable[Sheet]) -> list[Sheet]:
    return sorted(sheets, key=lambda sheet: sheet.mass or 0.0)


def _no_entry_advice(kind: str, quantity: str, limit_fields: LimitFields) -> Advice:
    field = limit_fields.get(quantity)
    return Advice(f"no other {kind}", quantity=field.replace("_", " ") if field else None)
