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

from gearwright.analysis.advice.drive_trials import DriveTrials
from gearwright.analysis.advice.ratio_advice import ADVICE_MARGIN
from gearwright.analysis.drives.advice_value import Advice
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck
from gearwright.analysis.drives.limit_kinds import (
    GEARBOX,
    MOTOR,
    REQUIRED_MOTOR_DATA,
    LimitKind,
    limit_kinds,
    stated_limit,
)
from gearwright.analysis.drives.steady_temperatures import mean_rise_fraction
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.forces.transmission.gear_wheels import input_wheels
from gearwright.parts import DataSheet, Drive, GearboxSheet, Motor, MotorSheet, gear_losses, mounting_conflict

Sheet = TypeVar("Sheet", bound=DataSheet)
CLOSE_TRIAL_SHARE = 1.05
"""Largest share of its limits, under the present load, up to which a motor is evaluated in full."""


class EntryTrial(NamedTuple):
    """A catalogue entry in place of the present part.

    Args:
        sheet: data sheet of the entry.
        drive: analysis of the drive over the cycle.
        checks: limits of the drive with this entry.
    """

    sheet: DataSheet
    drive: DriveAnalysis
    checks: dict[LimitKind, LimitCheck]


@dataclass(frozen=True)
class CatalogueSearch:
    """The search for another motor or gearbox of a drive.

    Args:
        trials: the drive.
        checks: its present limits.
        catalogue: catalogue that is searched.
    """

    trials: DriveTrials
    checks: Mapping[LimitKind, LimitCheck]
    catalogue: Catalogue

    @property
    def violated_limits(self) -> set[LimitKind]:
        """Limits that are exceeded now."""
        return {kind for kind, check in self.checks.items() if not check.is_satisfied}

    def entry_advice(self, kind: LimitKind, life: float = 0.0) -> Advice:
        """The lightest motor, or gearbox of about the present ratio, that satisfies its limits, or the closest.

        Args:
            kind: the limit of a motor or a gearbox that is exceeded now.
            life: required life of gearboxes [h].
        """
        return self._motor_advice(kind) if kind.part == MOTOR else self._gearbox_advice(kind, life)

    def _motor_advice(self, kind: LimitKind) -> Advice:
        sheets = [sheet for sheet in self._motor_sheets if _states_limit(sheet, kind)]
        close = [sheet for sheet in sheets if self._rough_shares[sheet.key] <= CLOSE_TRIAL_SHARE]
        match = next((x for x in map(self._with_motor, close) if x is not None and self._is_feasible(x, kind)), None)
        if match is not None:
            return self._match_advice(MOTOR, match)
        if not sheets:
            return _no_entry_advice(kind)
        nearest = self._with_motor(min(sheets, key=lambda sheet: self._rough_shares[sheet.key]))
        return self._no_match_advice(nearest, kind)

    def _gearbox_advice(self, kind: LimitKind, life: float) -> Advice:
        all_tried = [self._with_gearbox(sheet) for sheet in self._gearbox_sheets if _states_limit(sheet, kind)]
        trials_with_data = [trial for trial in all_tried if trial is not None]
        long_lived = [trial for trial in trials_with_data if _gearbox_life(trial) >= life]
        match = next((trial for trial in long_lived if self._is_feasible(trial, kind)), None)
        if match is not None:
            return self._match_advice(GEARBOX, match)
        if not trials_with_data:
            return _no_entry_advice(kind)
        if not long_lived:
            longest = max(trials_with_data, key=_gearbox_life)
            return Advice("no gearbox life", entry=longest.sheet.key, result=_gearbox_life(longest))
        nearest = min(long_lived, key=lambda trial: self._tightest_limit(trial, GEARBOX)[1])
        return self._no_match_advice(nearest, kind)

    @cached_property
    def _motor_sheets(self) -> list[MotorSheet]:
        """Motors with sufficient data, the lightest first."""
        needed = (*REQUIRED_MOTOR_DATA, *(() if self.trials.drive_part.current_control is None else ("inductance",)))
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
        needed = ("mass", "ratio", "efficiency") if gear_losses(gear) else ("mass", "ratio")
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
        trial = self.trials.trial_limits(drive, motor, gearbox)
        return None if trial is None else EntryTrial(sheet, trial[0], {check.kind: check for check in trial[1]})

    def _match_advice(self, part: str, match: EntryTrial) -> Advice:
        tightest, share = self._tightest_limit(match, part)
        entry = Advice(part, entry=match.sheet.key, mass=match.sheet.mass)
        return replace(entry, share=share, quantity=tightest) if tightest else entry

    def _no_match_advice(self, nearest: EntryTrial | None, kind: LimitKind) -> Advice:
        if nearest is None:
            return _no_entry_advice(kind)
        tightest, share = self._tightest_limit(nearest, kind.part)
        sheet = nearest.sheet
        return Advice(f"no {kind.part}", entry=sheet.key, mass=sheet.mass, share=share, quantity=tightest)

    def _is_feasible(self, trial: EntryTrial, kind: LimitKind) -> bool:
        """Whether the exceeded limit is checked and satisfied by an entry, and no other limit is violated."""
        is_checked = (kind.instead_of or kind) in trial.checks or bool(kind.requirement)
        return is_checked and all(
            check.margin >= ADVICE_MARGIN for x, check in trial.checks.items() if self._is_relevant(x, kind.part)
        )

    def _is_relevant(self, kind: LimitKind, part: str) -> bool:
        """Whether an entry must satisfy a limit: one of its own, or one that is satisfied now."""
        return kind.part == part or kind not in self.violated_limits

    def _tightest_limit(self, trial: EntryTrial, part: str) -> tuple[str, float]:
        """The limit with the largest utilisation by an entry, and the utilisation; an empty name if it has no limit."""
        shares = {x.name: 1 - check.margin for x, check in trial.checks.items() if self._is_relevant(x, part)}
        return max(shares.items(), key=lambda share: share[1], default=("", 0.0))

    def _rough_share(self, sheet: MotorSheet) -> float:
        """The largest utilisation of a motor's limits under the present load, without its weight."""
        trials, motor = self.trials, self._motor_from_sheet(sheet)
        present = trials.present_load
        added_inertia = float(motor.inertia) - float(trials.drive_part.motor.inertia)
        series = trials.motor_series(
            replace(motor, heat=None, inductance=None),
            trials.equation_with_motor(motor),
            present._replace(rotor_torque=present.rotor_torque + added_inertia * self._torque_per_inertia),
        )
        assert series.mean_square_current is not None
        sources = trials.drive.limit_sources()._replace(motor=motor, motor_sheet=sheet)
        limits = {kind: stated_limit(kind, sources)[0] for kind in limit_kinds(MOTOR) if not kind.screened_as}
        shares = (kind.value(series) / limit for kind, limit in limits.items() if limit)
        return max(self._heating_share(motor, series.mean_square_current), *shares, 0.0)

    @property
    def _torque_per_inertia(self) -> Array:
        """Torque at the motor per unit of inertia on its shaft, (T,)."""
        trials = self.trials
        inertia = sum(float(spin.inertia) for spin in input_wheels(trials.mech, trials.drive.name))
        if inertia:
            return trials.present_load.rotor_torque / inertia
        return np.asarray(trials.equation.ratio * trials.motion.a[:, trials.speed_index])

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


def _states_limit(sheet: DataSheet, kind: LimitKind) -> bool:
    """Whether a data sheet states a limit and the data that its check needs."""
    return _has_fields(sheet, [field for field in (*kind.motor_data, kind.required_column) if field])


def _has_fields(sheet: DataSheet, fields: Iterable[str]) -> bool:
    return all(getattr(sheet, field) is not None for field in fields)


def _lightest_first(sheets: Iterable[Sheet]) -> list[Sheet]:
    return sorted(sheets, key=lambda sheet: sheet.mass or 0.0)


def _no_entry_advice(kind: LimitKind) -> Advice:
    return Advice(f"no other {kind.part}", quantity=kind.required_column.replace("_", " ") or None)
