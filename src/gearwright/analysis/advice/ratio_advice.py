"""Which ratio would keep a limit: the equations of the drive for many ratios at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.analysis.advice.drive_trials import DriveTrials, Series
from gearwright.analysis.drives.limit_checks import WINDING, LimitCheck
from gearwright.analysis.drives.steady_temperatures import steady_temperatures
from gearwright.arrays import Array
from gearwright.text import listed

RATIOS = np.geomspace(0.1, 10.0, 401)
"""Ratios that are tried, as multiples of the present one."""
SAFE = 0.005
"""Share of a limit that is left free: between the samples of an analysis a peak may be a little higher."""
JOINT = ("joint torque", "joint force")
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RatioScan:
    """A drive with other ratios, its motor as it is.

    Args:
        trials: the drive.
        checks: its limits as they are now, by what they limit.
    """

    trials: DriveTrials
    checks: dict[str, LimitCheck]

    @cached_property
    def ratios(self) -> Array:
        """What is tried, without sign, in the four digits that are told, (R,)."""
        return np.array([float(f"{abs(self.trials.asked.ratio) * one:.4g}") for one in RATIOS])

    @cached_property
    def _series(self) -> Series:
        return self.trials.series(self.trials.with_ratios(self.ratios))

    @cached_property
    def values(self) -> dict[str, Array]:
        """What a ratio changes, per limit (R,); of the winding the mean square of its current."""
        told, mean = self._series, self.trials.mean
        top, middle = np.abs(told.speed).max(axis=1), mean(np.abs(told.speed))
        found = {
            "peak motor torque": np.abs(told.torque).max(axis=1),
            "continuous motor torque": np.sqrt(mean(told.torque**2)),
            "motor speed": top,
            "gearbox input speed": top,
            "continuous motor speed": middle,
            "gearbox mean input speed": middle,
            **dict.fromkeys(JOINT, self.ratios * np.abs(told.torque).max(axis=1)),
        }
        if told.current is not None:
            found["peak current"] = np.abs(told.current).max(axis=1)
            squares = found[WINDING] = mean(told.current**2)
            found["continuous current"] = np.sqrt(squares)
        if told.voltage is not None:
            found["voltage"] = np.abs(told.voltage).max(axis=1)
        return found

    def value(self, what: str, k: int) -> float:
        """What a limit comes to with one of the ratios."""
        return self._warmed(k) if what == WINDING else float(self.values[what][k])

    @cached_property
    def kept(self) -> dict[str, Mask]:
        """With which ratios each limit is kept that depends on them, (R,)."""
        least = {what: (1 - SAFE) * self.checks[what].limit for what in self.checks if what in self.values}
        return {
            what: self._cool_enough(most) if what == WINDING else self.values[what] <= most
            for what, most in least.items()
        }

    @cached_property
    def all_kept(self) -> Mask:
        """With which ratios every limit is kept that depends on them, (R,)."""
        return np.all(list(self.kept.values()), axis=0)

    def broken(self, k: int, but: str) -> list[str]:
        """Which other limits one of the ratios does not keep."""
        return [what for what, mask in self.kept.items() if what != but and not mask[k]]

    def _cool_enough(self, most: float) -> Mask:
        """A winding is the warmer the larger the mean square of its current: the largest that will do is searched."""
        squares = self.values[WINDING]
        order = np.argsort(squares)
        low, high = -1, len(order)  # all up to `low` are cool enough, none from `high` on
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._warmed(int(order[middle])) <= most else (low, middle)
        cool = np.zeros(len(order), dtype=bool)
        cool[order[: low + 1]] = True
        return cool

    def _warmed(self, k: int) -> float:
        """How far the winding gets above the air with one of the ratios [K]."""
        one, current = self.trials.drive, self._series.current
        air = self.trials.air(one.motor)
        assert current is not None
        assert air is not None
        nominal = self._series.nominal(one.motor)[k]
        warm = steady_temperatures(one.t, nominal, one.motor, self.trials.ambient, self.trials.cycles)
        return float(warm.winding.max()) - air


ADVISED = (
    "peak motor torque",
    "continuous motor torque",
    "motor speed",
    "gearbox input speed",
    "continuous motor speed",
    "gearbox mean input speed",
    "peak current",
    "continuous current",
    "voltage",
    WINDING,
)


def ratio_advice(what: str, scan: RatioScan) -> list[str]:
    """The ratio nearest to the present one that keeps a limit, and the others if one does; what is best if none does.

    Args:
        what: the limit that is not kept.
        scan: of the drive.
    """
    if what not in ADVISED or what not in scan.values:
        return []
    good = scan.kept[what]
    same = "" if _free(scan.trials) else ", with the wheels and losses of the gear as they are,"
    if not good.any():
        return [_nearest_miss(what, scan, same)]
    k = _nearest(good & scan.all_kept if (good & scan.all_kept).any() else good)
    ratio, now, unit = scan.ratios[k], abs(scan.trials.asked.ratio), scan.checks[what].unit
    but = scan.broken(k, what)
    told = f"A ratio of {ratio:.4g} instead of {now:.4g}{same} keeps it: {scan.value(what, k):.4g} {unit}."
    return [told, *_but(but)]


def _but(broken: Sequence[str]) -> list[str]:
    return [f"It does not keep {listed(broken)}."] if broken else []


def _nearest(good: Mask) -> int:
    places = np.flatnonzero(good)
    return int(places[np.abs(np.log(RATIOS[places])).argmin()])


def _nearest_miss(what: str, scan: RatioScan, same: str) -> str:
    best = int(scan.values[what].argmin())
    value, unit = scan.value(what, best), scan.checks[what].unit
    least, most = scan.ratios[0], scan.ratios[-1]
    still = f"comes to {value:.4g} {unit}" if np.isfinite(value) else "heats without end"
    return (
        f"No ratio from {least:.4g} to {most:.4g}{same} keeps it with this motor: with the best, "
        f"{scan.ratios[best]:.4g}, it still {still}."
    )


def _free(trials: DriveTrials) -> bool:
    """Whether the gear states its ratio as a number that can be changed."""
    return any(field.name == "ratio" for field in fields(trials.part.gear))
