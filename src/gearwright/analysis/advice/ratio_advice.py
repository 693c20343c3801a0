"""Search for a ratio that satisfies a limit: the equations of the drive for many ratios at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.analysis.advice.drive_trials import DriveTrials
from gearwright.analysis.drives.advice_value import Advice
from gearwright.analysis.drives.drive_series import DriveSeries
from gearwright.analysis.drives.limit_checks import LimitCheck
from gearwright.analysis.drives.limit_kinds import LimitKind
from gearwright.analysis.drives.steady_temperatures import steady_temperatures
from gearwright.arrays import Array

RATIO_FACTORS = np.geomspace(0.1, 10.0, 401)
"""Ratios that are tried, as multiples of the present one."""
ADVICE_MARGIN = 0.005
"""Reserve, as a share of a limit: between the samples of an analysis a peak may be slightly higher."""
RATIO_QUANTITIES = {
    "peak_torque",
    "peak_motor_torque",
    "rms_motor_torque",
    "peak_motor_speed",
    "mean_motor_speed",
    "peak_current",
    "rms_current",
    "mean_square_current",
    "peak_voltage",
}
"""Limited quantities that depend on the ratio."""
BoolMask = NDArray[np.bool_]


@dataclass(frozen=True)
class RatioScan:
    """A drive with other ratios and its present motor.

    Args:
        trials: the drive.
        checks: its present limits.
    """

    trials: DriveTrials
    checks: Mapping[LimitKind, LimitCheck]

    @cached_property
    def ratios(self) -> Array:
        """Magnitudes of the ratios that are tried, rounded to the four digits of the message, (R,)."""
        return np.array([float(f"{abs(self.trials.equation.ratio) * factor:.4g}") for factor in RATIO_FACTORS])

    @cached_property
    def _motor_series(self) -> DriveSeries:
        return self.trials.series_with_ratios(self.ratios)

    def limit_values(self, kind: LimitKind) -> Array | None:
        """The quantity that is compared with a limit, (R,); None if it does not depend on the ratio."""
        if kind.screened_quantity not in RATIO_QUANTITIES:
            return None
        values: Array | None = getattr(self._motor_series, kind.screened_quantity)
        return values

    def limit_value(self, kind: LimitKind, k: int) -> float:
        """Value of a limited quantity with one of the ratios."""
        return self._winding_rise(k) if kind.screened_as else float(getattr(self._motor_series, kind.characteristic)[k])

    @cached_property
    def feasible_ratios(self) -> dict[LimitKind, BoolMask]:
        """Per limit that depends on the ratio, whether each ratio satisfies it, (R,)."""
        allowed = {kind: (1 - ADVICE_MARGIN) * check.limit for kind, check in self.checks.items()}
        values = {kind: self.limit_values(kind) for kind in allowed}
        return {
            kind: self._thermally_feasible(x, allowed[kind]) if kind.screened_as else x <= allowed[kind]
            for kind, x in values.items()
            if x is not None
        }

    @cached_property
    def jointly_feasible_ratios(self) -> BoolMask:
        """Whether each ratio satisfies every limit that depends on it, (R,)."""
        return np.all(list(self.feasible_ratios.values()), axis=0)

    def violated_limits(self, k: int, ignored: LimitKind) -> list[str]:
        """Names of other limits that one of the ratios exceeds."""
        return [kind.name for kind, mask in self.feasible_ratios.items() if kind != ignored and not mask[k]]

    def _thermally_feasible(self, squares: Array, limit: float) -> BoolMask:
        """Ratios whose winding stays below a temperature rise: bisection, as it grows with the mean square current."""
        order = np.argsort(squares)
        low, high = -1, len(order)  # all up to `low` are cool enough, none from `high` on
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._winding_rise(int(order[middle])) <= limit else (low, middle)
        cool = np.zeros(len(order), dtype=bool)
        cool[order[: low + 1]] = True
        return cool

    def _winding_rise(self, k: int) -> float:
        """Temperature rise of the winding with one of the ratios [K]."""
        drive, current = self.trials.drive, self._motor_series.current
        air = self.trials.ambient_temperature(drive.motor)
        assert current is not None
        assert air is not None
        assert drive.motor.torque_constant is not None
        nominal = self._motor_series.motor_torque[k] / float(drive.motor.torque_constant)
        warm = steady_temperatures(drive.t, nominal, drive.motor, self.trials.ambient, self.trials.cycles)
        return float(warm.winding.max()) - air


def ratio_advice(kind: LimitKind, scan: RatioScan) -> tuple[Advice, ...]:
    """The ratio nearest to the present one that satisfies a limit, and all others if possible; else the best ratio.

    Args:
        kind: the limit that is exceeded.
        scan: ratios of the drive.
    """
    if kind not in scan.feasible_ratios:
        return ()
    good = scan.feasible_ratios[kind]
    if not good.any():
        return (_no_ratio_advice(kind, scan),)
    k = _nearest_ratio_index(
        good & scan.jointly_feasible_ratios if (good & scan.jointly_feasible_ratios).any() else good
    )
    return (
        Advice(
            "ratio",
            ratio=float(scan.ratios[k]),
            present=abs(float(scan.trials.equation.ratio)),
            result=scan.limit_value(kind, k),
            unit=scan.checks[kind].unit,
            has_present_wheels=not _has_free_ratio(scan.trials),
            exceeded=tuple(scan.violated_limits(k, kind)),
        ),
    )


def _nearest_ratio_index(good: BoolMask) -> int:
    places = np.flatnonzero(good)
    return int(places[np.abs(np.log(RATIO_FACTORS[places])).argmin()])


def _no_ratio_advice(kind: LimitKind, scan: RatioScan) -> Advice:
    values = scan.limit_values(kind)
    assert values is not None
    best = int(values.argmin())
    return Advice(
        "no ratio",
        ratio=float(scan.ratios[best]),
        result=scan.limit_value(kind, best),
        unit=scan.checks[kind].unit,
        ratio_range=(float(scan.ratios[0]), float(scan.ratios[-1])),
        has_present_wheels=not _has_free_ratio(scan.trials),
    )


def _has_free_ratio(trials: DriveTrials) -> bool:
    """Whether the gear states its ratio as a number that can be changed."""
    return any(field.name == "ratio" for field in fields(trials.drive_part.gear))
