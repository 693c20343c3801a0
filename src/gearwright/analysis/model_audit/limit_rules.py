"""Rules on limits: effort and speed of motor and gear, side of the gear, forgotten ratios, power of known motors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gearwright.analysis.model_audit.findings import AuditFinding
from gearwright.analysis.model_audit.joint_data import JointData
from gearwright.catalogue import Catalogue

LIMIT_EXCESS = 0.05
"""Relative excess of a limit over what motor and gear give that is reported."""
SAME_NUMBER = 0.03
"""Relative difference of two numbers that are taken as the same one."""
SMALLEST_RATIO = 1.1
"""Smallest reduction, a ratio, that is reported as omitted."""
SMALLEST_RATIO_OF_LIMITS = 3.0
"""The same where only a limit of the joint is known: that of a smaller ratio could be a reduced limit."""


def limit_findings(
    stated: Mapping[str, JointData], true: Mapping[str, JointData], source: str
) -> Iterator[AuditFinding]:
    """Yield limits that exceed what motor and gear give, or that are on the motor side of the gear.

    Args:
        stated: limits of the model.
        true: data with motor and gear, or other limits of the same joints.
        source: text that names the second source.
    """
    for name, data in stated.items():
        other = true.get(name)
        if other is None:
            continue
        ratio = _forgotten_ratio(data, other)
        if ratio is not None:
            yield _ratio_finding(data, other, ratio, source)
            continue
        torque, rate = _at_motor(other)
        checks = (
            ("effort limit", data.effort, other.largest_effort, torque, data.force_unit),
            ("speed limit", data.speed, other.largest_speed, rate, data.speed_unit),
        )
        for kind, value, largest, at_motor, unit in checks:
            if value is None or largest is None or not value or not largest:
                continue
            on_motor_side = at_motor is not None and abs(value - at_motor) <= SAME_NUMBER * at_motor
            if value > largest * (1 + LIMIT_EXCESS) or on_motor_side:
                yield _limit_finding(data, kind, value, largest, unit, on_motor_side, other, source)


def _at_motor(data: JointData) -> tuple[float | None, float | None]:
    """Return torque and speed at the motor side of a gear: of the motor, else the limits of the joint reflected."""
    n = abs(data.ratio or 1.0)
    if n < SMALLEST_RATIO:
        return None, None
    effort, speed = (None, None) if n < SMALLEST_RATIO_OF_LIMITS else (data.effort, data.speed)
    torque = data.motor_torque if data.motor_torque is not None else effort and effort / n
    return torque, data.motor_speed if data.motor_speed is not None else speed and speed * n


def _limit_finding(
    data: JointData,
    kind: str,
    value: float,
    largest: float,
    unit: str,
    on_motor_side: bool,
    other: JointData,
    source: str,
) -> AuditFinding:
    side = f", the number at the motor side of the ratio {abs(other.ratio or 1.0):g}" if on_motor_side else ""
    return AuditFinding(
        kind,
        f"joint {data.joint!r}",
        f"the {kind} is {value:.4g} {unit}{side}; {source} gives {largest:.4g} {unit}, a factor of "
        f"{value / largest:.3g}.",
        value,
        largest,
        unit,
        f"Set it to {largest:.4g} {unit}, or correct motor and gear.",
    )


def _forgotten_ratio(data: JointData, other: JointData) -> float | None:
    """Return k if the effort is too small and the speed too large by the same factor k; None otherwise."""
    numbers = (data.effort, data.speed, other.largest_effort, other.largest_speed)
    if any(x is None or not x or x == float("inf") for x in numbers):
        return None
    effort, speed, largest_effort, largest_speed = (float(x) for x in numbers if x is not None)
    down, up = largest_effort / effort, speed / largest_speed
    ratio = (down * up) ** 0.5 if down > 0 and up > 0 else 1.0
    same = abs(down - up) <= 2 * SAME_NUMBER * ratio
    if same and (ratio >= SMALLEST_RATIO or ratio <= 1 / SMALLEST_RATIO):
        return ratio
    return None


def _ratio_finding(data: JointData, other: JointData, ratio: float, source: str) -> AuditFinding:
    effort, speed = other.largest_effort or 0.0, other.largest_speed or 0.0
    whole = other.ratio is not None and abs(ratio - abs(other.ratio)) <= SAME_NUMBER * ratio
    where = "both limits are at the motor side" if whole else "a reduction is forgotten or applied twice"
    return AuditFinding(
        "ratio",
        f"joint {data.joint!r}",
        f"the limits {data.effort:.4g} {data.force_unit} and {data.speed:.4g} {data.speed_unit} differ from "
        f"{effort:.4g} {data.force_unit} and {speed:.4g} {data.speed_unit} ({source}) by the ratio {ratio:.4g}: "
        f"{where}.",
        ratio,
        1.0,
        "",
        f"Set the effort limit to {effort:.4g} {data.force_unit} and the speed limit to {speed:.4g} {data.speed_unit}.",
    )


def power_findings(
    stated: Mapping[str, JointData], masses: Mapping[str, float], catalogue: Catalogue
) -> Iterator[AuditFinding]:
    """Yield joints whose effort times speed exceeds that of any known motor of the same mass.

    The mass is that of the motor; without it the mass of the two links at the joint, which contain the motor.
    """
    density, key = largest_power_density(catalogue)
    for name, data in stated.items():
        mass, what = (data.motor_mass, "its motor") if data.motor_mass else (masses.get(name), "the links at the joint")
        if not data.effort or not data.speed or not mass or density == 0:
            continue
        power = data.effort * data.speed
        if power > density * mass and power < float("inf"):
            yield AuditFinding(
                "power",
                f"joint {name!r}",
                f"effort {data.effort:.4g} {data.force_unit} x speed {data.speed:.4g} {data.speed_unit} is "
                f"{power:.4g} W; {what} of {mass:.3g} kg can give at most {density * mass:.4g} W ({density:.4g} W/kg "
                f"of {key}).",
                power,
                density * mass,
                "W",
                "Check both limits, their units, and the side of the gear to which each belongs.",
            )


def largest_power_density(catalogue: Catalogue) -> tuple[float, str]:
    """Return the largest peak torque x top speed per mass of the motors of a catalogue [W/kg], and its key."""
    best = (0.0, "")
    for key, sheet in catalogue.motors.items():
        torque = sheet.peak_torque or sheet.stall_torque or sheet.continuous_torque
        if torque and sheet.top_speed and sheet.mass:
            best = max(best, (torque * sheet.top_speed / sheet.mass, key))
    return best
