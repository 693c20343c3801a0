"""Search for a ratio that satisfies a limit: the equations of the drive for many ratios at once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.analysis.advice.drive_trials import DriveTrials, MotorSeries
from gearwright.analysis.drives.advice_value import Advice
from gearwright.analysis.drives.limit_checks import WINDING_LIMIT, LimitCheck
from gearwright.analysis.drives.steady_temperatures import steady_temperatures
from gearwright.arrays import Array

RATIO_FACTORS = np.geomspace(0.1, 10.0, 401)
"""Ratios that are tried, as multiples of the present one."""
ADVICE_MARGIN = 0.005
"""Reserve, as a share of a limit: between the samples of an analysis a peak may be slightly higher."""
JOINT_LIMIT_NAMES = ("joint torque", "joint force")
BoolMask = NDArray[np.bool_]


@dataclass(frozen=True)
class RatioScan:
    """A drive with other ratios and its present motor.

    Args:
        trials: the drive.
        checks: its present limits, by the limited quantity.
    """

    trials: DriveTrials
    checks: dict[str, LimitCheck]

    @cached_property
    def ratios(self) -> Array:
        """Magnitudes of the ratios that are tried, rounded to the four digits of the message, (R,)."""
        return np.array([float(f"{abs(self.trials.present_load.ratio) * factor:.4g}") for factor in RATIO_FACTORS])

    @cached_property
    def _motor_series(self) -> MotorSeries:
        return self.trials.present_motor_series(self.trials.load_with_ratios(self.ratios))

    @cached_property
    def limit_values(self) -> dict[str, Array]:
        """Per limit that depends on the ratio its values, (R,); for the winding the mean square of its current."""
        series, mean = self._motor_series, self.trials.cycle_mean
        top, middle = np.abs(series.speed).max(axis=1), mean(np.abs(series.speed))
        values = {
            "peak motor torque": np.abs(series.torque).max(axis=1),
            "continuous motor torque": np.sqrt(mean(series.torque**2)),
            "motor speed": top,
            "gearbox input speed": top,
            "continuous motor speed": middle,
            "gearbox mean input speed": middle,
            **dict.fromkeys(JOINT_LIMIT_NAMES, self.ratios * np.abs(series.torque).max(axis=1)),
        }
        if series.current is not None:
            values["peak current"] = np.abs(series.current).max(axis=1)
            squares = values[WINDING_LIMIT] = mean(series.current**2)
            values["continuous current"] = np.sqrt(squares)
        if series.voltage is not None:
            values["voltage"] = np.abs(series.voltage).max(axis=1)
        return values

    def limit_value(self, quantity: str, k: int) -> float:
        """Value of a limited quantity with one of the ratios."""
        return self._winding_rise(k) if quantity == WINDING_LIMIT else float(self.limit_values[quantity][k])

    @cached_property
    def feasible_ratios(self) -> dict[str, BoolMask]:
        """Per limit that depends on the ratio, whether each ratio satisfies it, (R,)."""
        least = {
            quantity: (1 - ADVICE_MARGIN) * self.checks[quantity].limit
            for quantity in self.checks
            if quantity in self.limit_values
        }
        return {
            quantity: self._thermally_feasible(most)
            if quantity == WINDING_LIMIT
            else self.limit_values[quantity] <= most
            for quantity, most in least.items()
        }

    @cached_property
    def jointly_feasible_ratios(self) -> BoolMask:
        """Whether each ratio satisfies every limit that depends on it, (R,)."""
        return np.all(list(self.feasible_ratios.values()), axis=0)

    def violated_limits(self, k: int, ignored: str) -> list[str]:
        """Other limits that one of the ratios exceeds."""
        return [quantity for quantity, mask in self.feasible_ratios.items() if quantity != ignored and not mask[k]]

    def _thermally_feasible(self, limit: float) -> BoolMask:
        """Ratios whose winding stays below a temperature rise: bisection, as it grows with the mean square current."""
        squares = self.limit_values[WINDING_LIMIT]
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
        nominal = self._motor_series.nominal_current(drive.motor)[k]
        warm = steady_temperatures(drive.t, nominal, drive.motor, self.trials.ambient, self.trials.cycles)
        return float(warm.winding.max()) - air


RATIO_DEPENDENT_LIMITS = (
    "peak motor torque",
    "continuous motor torque",
    "motor speed",
    "gearbox input speed",
    "continuous motor speed",
    "gearbox mean input speed",
    "peak current",
    "continuous current",
    "voltage",
    WINDING_LIMIT,
)


def ratio_advice(quantity: str, scan: RatioScan) -> tuple[Advice, ...]:
    """The ratio nearest to the present one that satisfies a limit, and all others if possible; else the best ratio.

    Args:
        quantity: the limit that is exceeded.
        scan: ratios of the drive.
    """
    if quantity not in RATIO_DEPENDENT_LIMITS or quantity not in scan.limit_values:
        return ()
    good = scan.feasible_ratios[quantity]
    if not good.any():
        return (_no_ratio_advice(quantity, scan),)
    k = _nearest_ratio_index(
        good & scan.jointly_feasible_ratios if (good & scan.jointly_feasible_ratios).any() else good
    )
    return (
        Advice(
            "ratio",
            ratio=float(scan.ratios[k]),
            present=abs(float(scan.trials.present_load.ratio)),
            result=scan.limit_value(quantity, k),
            unit=scan.checks[quantity].unit,
            has_present_wheels=not _has_free_ratio(scan.trials),
            exceeded=tuple(scan.violated_limits(k, quantity)),
        ),
    )


def _nearest_ratio_index(good: BoolMask) -> int:
    places = np.flatnonzero(good)
    return int(places[np.abs(np.log(RATIO_FACTORS[places])).argmin()])


def _no_ratio_advice(quantity: str, scan: RatioScan) -> Advice:
    best = int(scan.limit_values[quantity].argmin())
    return Advice(
        "no ratio",
        ratio=float(scan.ratios[best]),
        result=scan.limit_value(quantity, best),
        unit=scan.checks[quantity].unit,
        ratio_range=(float(scan.ratios[0]), float(scan.ratios[-1])),
        has_present_wheels=not _has_free_ratio(scan.trials),
    )


def _has_free_ratio(trials: DriveTrials) -> bool:
    """Whether the gear states its ratio as a number that can be changed."""
    return any(field.name == "ratio" for field in fields(trials.drive_part.gear))
