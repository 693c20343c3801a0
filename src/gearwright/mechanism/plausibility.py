"""Implausibly large numbers, most of them given in another unit, and the probable unit.

A data sheet states 347 gcm2, 53.8 mNm/A and 0.513 mH; without a unit these are 347 kg m2, 53.8 Nm/A and 0.513 H.
Every quantity has a largest plausible value and a list of common units. Above that value, the first of these units in
which the number is plausible is the probable one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from gearwright.algebra import Scalar, Tensor, Vec, is_number
from gearwright.files.units import UNITS_BY_DIMENSION
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.parts import Drive, Link, Robot


class PlausibleRange(NamedTuple):
    """The plausible range of a quantity.

    Args:
        most: largest plausible value in SI units.
        dimension: dimension of the quantity, a key of `UNITS_BY_DIMENSION`.
        units: units in which it may have been given, the most common first.
    """

    most: float
    dimension: str
    units: tuple[str, ...]


PLAUSIBLE_MASS = PlausibleRange(3000.0, "mass", ("g", "mg"))
PLAUSIBLE_ROTOR_INERTIA = PlausibleRange(2.0, "inertia", ("gcm2", "kgcm2", "kgmm2", "gmm2"))
PLAUSIBLE_LENGTH = PlausibleRange(30.0, "length", ("mm", "um"))
PLAUSIBLE_ANGLE = PlausibleRange(4 * math.pi, "angle", ("deg", "arcmin"))
PLAUSIBLE_JOINT_SPEED = PlausibleRange(60.0, "angular speed", ("deg/s", "rpm"))
PLAUSIBLE_MOTOR_SPEED = PlausibleRange(6000.0, "angular speed", ("rpm", "deg/s"))
PLAUSIBLE_TORQUE_CONSTANT = PlausibleRange(30.0, "torque constant", ("mNm/A",))
PLAUSIBLE_RESISTANCE = PlausibleRange(500.0, "resistance", ("mOhm",))
PLAUSIBLE_INDUCTANCE = PlausibleRange(0.25, "inductance", ("mH", "uH"))
PLAUSIBLE_TORQUE = PlausibleRange(1e5, "torque", ("Nmm",))
PLAUSIBLE_MOTOR_TORQUE = PlausibleRange(5000.0, "torque", ("mNm", "Nmm"))
PLAUSIBLE_GRAVITY = PlausibleRange(100.0, "acceleration", ("mm/s2",))
MAX_GYRATION_RADIUS = 5.0
"""The largest plausible radius of gyration of a link [m]."""


def implausible_numbers(robot: Robot) -> list[str]:
    """Return a remark for every number of a robot that is probably given in another unit.

    >>> from gearwright.parts import Gear, Motor
    >>> arm = Robot("arm", [Link("upper", mass=5)], [Drive("upper", Motor(inertia=347), Gear(100))])
    >>> implausible_numbers(arm)
    ["drive 'upper', motor.inertia: 347 kgm2 is implausibly large. Was 347 gcm2 meant? Then state the unit."]
    """
    warnings = (
        list(_range_warnings("gravity", "", math.hypot(*robot.gravity), PLAUSIBLE_GRAVITY))
        if _are_numbers(*robot.gravity)
        else []
    )
    for link in robot.links:
        warnings += _link_warnings(link)
    for drive in robot.drives:
        warnings += _drive_warnings(drive)
    if robot.payload is not None:
        warnings += _range_warnings("payload", "mass", robot.payload.mass, PLAUSIBLE_MASS)
    return warnings


def _link_warnings(link: Link) -> Iterator[str]:
    part, joint = f"link {link.name!r}", f"joint {link.joint_name!r}"
    yield from _range_warnings(part, "mass", link.mass, PLAUSIBLE_MASS)
    for word, place in (("com", link.com), ("joint.position", link.joint.position)):
        yield from _range_warnings(part, word, _largest_entry(*Vec.from_values(place)), PLAUSIBLE_LENGTH)
    turns = "m" not in joint_kind(link.joint.kind).rates
    limits = link.joint.limits
    ends = [end for end in limits.position or () if math.isfinite(end)]
    if ends:
        yield from _range_warnings(
            joint, "limits.position", _largest_entry(*ends), PLAUSIBLE_ANGLE if turns else PLAUSIBLE_LENGTH
        )
    if turns:
        yield from _range_warnings(joint, "limits.speed", limits.speed, PLAUSIBLE_JOINT_SPEED)
        yield from _range_warnings(joint, "limits.effort", limits.effort, PLAUSIBLE_TORQUE)
    yield from _inertia_warnings(part, link)


def _inertia_warnings(part: str, link: Link) -> Iterator[str]:
    """Check the radius of gyration r of an inertia m r^2 to detect the unit of the tensor."""
    rows = Tensor.from_rows(link.inertia).rows()
    moments = [rows[k][k] for k in range(3)]
    if link.effective or not _are_numbers(link.mass, *moments) or link.mass <= 0:
        return
    largest = max(abs(float(x)) for x in moments)
    yield from _range_warnings(
        part,
        "inertia",
        largest,
        PLAUSIBLE_ROTOR_INERTIA._replace(most=max(link.mass, 0.1) * MAX_GYRATION_RADIUS**2, units=_INERTIA_UNITS),
    )


_INERTIA_UNITS = ("kgcm2", "kgmm2", "gmm2")


def _drive_warnings(drive: Drive) -> Iterator[str]:
    part, motor = f"drive {drive.title!r}", drive.motor
    for word, rule in {
        "inertia": PLAUSIBLE_ROTOR_INERTIA,
        "mass": PLAUSIBLE_MASS,
        "torque_constant": PLAUSIBLE_TORQUE_CONSTANT,
        "resistance": PLAUSIBLE_RESISTANCE,
        "inductance": PLAUSIBLE_INDUCTANCE,
        "max_speed": PLAUSIBLE_MOTOR_SPEED,
        "max_torque": PLAUSIBLE_MOTOR_TORQUE,
    }.items():
        yield from _range_warnings(part, f"motor.{word}", getattr(motor, word), rule)


def _range_warnings(part: str, word: str, value: Scalar | None, rule: PlausibleRange) -> Iterator[str]:
    if value is None or not _are_numbers(value) or not rule.most < abs(value) < math.inf:
        return
    table = UNITS_BY_DIMENSION[rule.dimension]
    si_unit = next(iter(table))
    probable = next((unit for unit in rule.units if abs(value) * table[unit] <= rule.most), None)
    question = f"Was {value:g} {probable} meant? Then state the unit." if probable else "Check value and unit."
    place = f"{part}, {word}" if word else part
    yield f"{place}: {value:g} {si_unit} is implausibly large. {question}"


def _are_numbers(*values: Scalar) -> bool:
    return all(is_number(x) for x in values)


def _largest_entry(*values: Scalar) -> Scalar | None:
    """Return the entry of largest magnitude, with its sign; None for symbols."""
    return max(values, key=abs) if _are_numbers(*values) else None
