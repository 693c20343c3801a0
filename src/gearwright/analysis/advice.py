"""What would help where a limit is not kept, computed from the model: a ratio, a slower motion, a larger article."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gearwright.analysis.drive_analysis import DriveAnalysis
from gearwright.analysis.limit_checks import PRETENSION, WINDING, LimitCheck
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.forces.dc_equations import DcEquations
from gearwright.parts import DataSheet

RATIOS = np.geomspace(0.1, 10.0, 401)
"""Ratios that are tried, as multiples of the present one."""

SPEEDS = ("joint speed", "motor speed", "continuous motor speed", "gearbox input speed", "gearbox mean input speed")


class JointShares(NamedTuple):
    """Parts of the force at a drive's joint over the cycle.

    Args:
        still: if the robot stood still in every place, (T,).
        carried: what its payload takes, (T,); None without one.
        payload: mass [kg].
    """

    still: Array
    carried: Array | None = None
    payload: float = 0.0


def advised(
    checks: Iterable[LimitCheck], drive: DriveAnalysis, shares: JointShares | None, table: Catalogue
) -> list[LimitCheck]:
    """The checks of a drive, those that are not kept with advice.

    Args:
        checks: limits of the drive.
        drive: what the task asks of it.
        shares: of the force at its joint; None for a motor that drives several.
        table: where larger articles are looked for.
    """
    return [one if one.kept else replace(one, advice=_advice(one, drive, shares, table)) for one in checks]


def _advice(check: LimitCheck, drive: DriveAnalysis, shares: JointShares | None, table: Catalogue) -> str:
    what = check.name.split(": ", 1)[1]
    if what.endswith(PRETENSION):
        return f"Tension it with {check.value:.4g} N."
    if check.limit <= 0:
        return _nothing_allowed(what, check)
    sentences = [
        *_other_ratio(what, check, drive),
        *_other_winding(what, check, drive),
        *_larger(what, check, drive, table),
        *_slower(what, check, drive, None if shares is None else shares.still),
        *_lighter(what, check, drive, shares),
    ]
    share = check.value / check.limit if check.least else check.limit / check.value
    return " ".join(sentences) or f"It must come to {share:.0%} of what it is."


def _nothing_allowed(what: str, check: LimitCheck) -> str:
    """Where a limit leaves nothing, no ratio and no slower motion helps."""
    if what == WINDING:
        warmer = f"The air itself is {-check.limit:.4g} K warmer than the winding may get"
        return f"{warmer}: cool it, or take a motor that bears more."
    return f"The limit of {check.limit:.4g} {check.unit} allows nothing at all: state what is really allowed."


def _torques(drive: DriveAnalysis) -> Array | None:
    """The motor's torque for each of the ratios tried, (R, T): load by the ratio, rotor times the ratio."""
    if drive.output_torque is None or drive.torque is None or drive.gear is None:
        return None
    ratio = float(drive.gear.ratio)
    own = drive.motor_torque - drive.output_torque / ratio
    return np.asarray(drive.output_torque / ratio / RATIOS[:, None] + own * RATIOS[:, None])


def _other_ratio(what: str, check: LimitCheck, drive: DriveAnalysis) -> list[str]:
    """Where another ratio would keep the limit: the one nearest to the present ratio."""
    torques = _torques(drive)
    if torques is None or drive.gear is None:
        return []
    values = {
        "continuous motor torque": np.sqrt([drive.mean(row**2) for row in torques]),
        WINDING: np.sqrt([drive.mean(row**2) for row in torques]),
        "peak motor torque": np.abs(torques).max(axis=1),
        "motor speed": drive.peak_motor_speed * RATIOS,
        "gearbox input speed": drive.peak_motor_speed * RATIOS,
        "continuous motor speed": drive.mean_motor_speed * RATIOS,
        "gearbox mean input speed": drive.mean_motor_speed * RATIOS,
        **_electrical(torques, drive),
    }.get(what)
    if values is None:
        return []
    if what == WINDING:
        return _cooler(values, drive)
    good = np.flatnonzero(values <= check.limit)
    if not good.size:
        best = int(values.argmin())
        return [
            f"No ratio keeps it with this motor: the best, {abs(drive.gear.ratio) * RATIOS[best]:.4g}, still takes "
            f"{values[best]:.4g} {check.unit}."
        ]
    nearest = good[np.abs(np.log(RATIOS[good])).argmin()]
    return [
        f"A ratio of {abs(drive.gear.ratio) * RATIOS[nearest]:.4g} instead of {abs(drive.gear.ratio):.4g} keeps it."
    ]


def _electrical(torques: Array, drive: DriveAnalysis) -> dict[str, Array]:
    """Current and voltage for each of the ratios tried, without the inductance."""
    motor = drive.motor
    if not motor.torque_constant:
        return {}
    winding = DcEquations(motor.torque_constant, motor.torque_constant, motor.resistance or 0.0)
    currents = np.asarray(winding.current(torques))
    voltages = np.asarray(winding.voltage(currents, 0.0, drive.motor_speed * RATIOS[:, None]))
    return {
        "peak current": np.abs(currents).max(axis=1),
        "continuous current": np.sqrt([drive.mean(row**2) for row in currents]),
        **({"voltage": np.abs(voltages).max(axis=1)} if motor.resistance else {}),
    }


def _other_winding(what: str, check: LimitCheck, drive: DriveAnalysis) -> list[str]:
    """The same motor with another winding: voltages grow with its torque constant, currents fall with it."""
    constant = drive.motor.torque_constant
    if what not in ("voltage", "peak current") or not constant:
        return []
    factor = check.limit / check.value if what == "voltage" else check.value / check.limit
    return [f"The same motor wound for {factor * constant:.3g} instead of {constant:.3g} Nm/A keeps it."]


def _cooler(values: Array, drive: DriveAnalysis) -> list[str]:
    best = int(values.argmin())
    assert drive.gear is not None
    if values[best] > 0.98 * drive.rms_motor_torque:
        return []
    return [
        f"A ratio of {abs(drive.gear.ratio) * RATIOS[best]:.4g} instead of {abs(drive.gear.ratio):.4g} takes the least "
        f"current, {values[best] / drive.rms_motor_torque:.0%} of the present."
    ]


def _larger(what: str, check: LimitCheck, drive: DriveAnalysis, table: Catalogue) -> list[str]:
    """The lightest article of the catalogue that bears it."""
    if what in ("continuous motor torque", "peak motor torque", WINDING):
        word = "peak_torque" if what.startswith("peak") else "continuous_torque"
        needed = drive.peak_motor_torque if what.startswith("peak") else drive.rms_motor_torque
        return lightest(table.motors.values(), word, needed, "motor")
    if what in ("gearbox peak torque", "gearbox mean torque"):
        word = "peak_torque" if "peak" in what else "rated_torque"
        near = [box for box in table.gearboxes.values() if same_ratio(box.ratio, drive)]
        return lightest(near, word, check.value, "gearbox of about this ratio")
    return []


def same_ratio(ratio: float | None, drive: DriveAnalysis) -> bool:
    """Whether an article's ratio is about that of a drive."""
    return drive.gear is not None and ratio is not None and 0.7 < ratio / abs(float(drive.gear.ratio)) < 1.4


def lightest(sheets: Iterable[DataSheet], word: str, needed: float, what: str) -> list[str]:
    """The lightest article whose number is large enough, in words."""
    able = [sheet for sheet in sheets if (getattr(sheet, word) or 0.0) >= needed and sheet.mass is not None]
    if not able:
        return [f"Nothing in the catalogue bears {needed:.4g} Nm: it would take a larger {what}."]
    best = min(able, key=lambda sheet: sheet.mass or 0.0)
    numbers = f"{getattr(best, word):.4g} Nm, {best.mass:.3g} kg"
    return [f"The lightest {what} that bears {needed:.4g} Nm is {best.key} ({numbers})."]


def _slower(what: str, check: LimitCheck, drive: DriveAnalysis, still: Array | None) -> list[str]:
    """By how much the motion must be stretched in time: speeds fall with it, dynamic forces with its square."""
    if what in SPEEDS:
        return [f"A motion {check.value / check.limit:.3g} times as long keeps it."]
    if what not in ("joint torque", "joint force") or still is None or drive.torque is None:
        return []
    if np.abs(still).max() >= check.limit:
        return [f"Standing still alone takes {np.abs(still).max():.4g} {check.unit}: carry less, or allow more."]
    moving = drive.torque - still
    stretches = np.geomspace(1.0, 20.0, 400)
    peaks = np.abs(still + moving / stretches[:, None] ** 2).max(axis=1)
    kept = np.flatnonzero(peaks <= check.limit)
    return [f"A motion {stretches[kept[0]]:.3g} times as long keeps it."] if kept.size else []


def _lighter(what: str, check: LimitCheck, drive: DriveAnalysis, shares: JointShares | None) -> list[str]:
    """How much less payload would keep a torque: what it takes is in proportion to its mass."""
    if shares is None or shares.carried is None or drive.torque is None:
        return []
    ratio = 1.0 if drive.gear is None else float(drive.gear.ratio)
    series, part = {
        "joint torque": (drive.torque, shares.carried),
        "joint force": (drive.torque, shares.carried),
        "peak motor torque": (drive.motor_torque, shares.carried / ratio),
        "continuous motor torque": (drive.motor_torque, shares.carried / ratio),
        "gearbox peak torque": (drive.output_torque, shares.carried),
    }.get(what, (None, None))
    if series is None or part is None:
        return []
    left = np.linspace(1.0, 0.0, 201)
    rows = series - (1 - left[:, None]) * part
    means = what.startswith("continuous")
    values = np.sqrt([drive.mean(row**2) for row in rows]) if means else np.abs(rows).max(axis=1)
    kept = np.flatnonzero(values <= check.limit)
    mass = shares.payload
    return [f"A payload of {left[kept[0]] * mass:.3g} instead of {mass:.3g} kg keeps it."] if kept.size else []
