"""Numbers that no robot has, though every rule allows them: most are right in another unit, which is named.

A data sheet prints 347 gcm2, 53.8 mNm/A and 0.513 mH; typed without a unit they are 347 kg m2, 53.8 Nm/A and 0.513 H.
Every quantity has a largest plausible value and the units in which people have it at hand. Beyond that value the first
of these units that makes it plausible is the probable one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from gearwright.algebra import Scalar, Tensor, Vec, is_number
from gearwright.files.units import UNITS
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.parts import Drive, Link, Robot


class Plausible(NamedTuple):
    """What robots have of a quantity.

    Args:
        most: the largest value that is not asked about, in SI units.
        dimension: of the quantity, a key of `UNITS`.
        units: in which it may have been meant, the most usual one first.
    """

    most: float
    dimension: str
    units: tuple[str, ...]


MASS = Plausible(3000.0, "mass", ("g", "mg"))
ROTOR = Plausible(2.0, "inertia", ("gcm2", "kgcm2", "kgmm2", "gmm2"))
LENGTH = Plausible(30.0, "length", ("mm", "um"))
ANGLE = Plausible(4 * math.pi, "angle", ("deg", "arcmin"))
JOINT_SPEED = Plausible(60.0, "angular speed", ("deg/s", "rpm"))
MOTOR_SPEED = Plausible(6000.0, "angular speed", ("rpm", "deg/s"))
TORQUE_CONSTANT = Plausible(30.0, "torque constant", ("mNm/A",))
RESISTANCE = Plausible(500.0, "resistance", ("mOhm",))
INDUCTANCE = Plausible(0.25, "inductance", ("mH", "uH"))
TORQUE = Plausible(1e5, "torque", ("Nmm",))
MOTOR_TORQUE = Plausible(5000.0, "torque", ("mNm", "Nmm"))
GRAVITY = Plausible(100.0, "acceleration", ("mm/s2",))
GYRATION = 5.0
"""The largest plausible radius of gyration of a link [m]."""


def implausible_numbers(robot: Robot) -> list[str]:
    """A sentence for every number of a robot that is probably meant in another unit.

    >>> from gearwright.parts import Gear, Motor
    >>> arm = Robot("arm", [Link("upper", mass=5)], [Drive("upper", Motor(inertia=347), Gear(100))])
    >>> implausible_numbers(arm)
    ["drive 'upper', motor.inertia: 347 kgm2 is more than robots have. Was 347 gcm2 meant? Then write the unit."]
    """
    found = list(_doubt("gravity", "", math.hypot(*robot.gravity), GRAVITY)) if _plain(*robot.gravity) else []
    for link in robot.links:
        found += _of_link(link)
    for drive in robot.drives:
        found += _of_drive(drive)
    if robot.payload is not None:
        found += _doubt("payload", "mass", robot.payload.mass, MASS)
    return found


def _of_link(link: Link) -> Iterator[str]:
    part, joint = f"link {link.name!r}", f"joint {link.joint_name!r}"
    yield from _doubt(part, "mass", link.mass, MASS)
    for word, place in (("com", link.com), ("joint.position", link.joint.position)):
        yield from _doubt(part, word, _largest(*Vec.of(place)), LENGTH)
    turns = "m" not in joint_kind(link.joint.kind).rates
    limits = link.joint.limits
    ends = [end for end in limits.position or () if math.isfinite(end)]
    if ends:
        yield from _doubt(joint, "limits.position", _largest(*ends), ANGLE if turns else LENGTH)
    if turns:
        yield from _doubt(joint, "limits.speed", limits.speed, JOINT_SPEED)
        yield from _doubt(joint, "limits.effort", limits.effort, TORQUE)
    yield from _gyration(part, link)


def _gyration(part: str, link: Link) -> Iterator[str]:
    """An inertia is m r^2: a radius beyond every link shows the unit in which the tensor was meant."""
    rows = Tensor.of(link.inertia).rows()
    moments = [rows[k][k] for k in range(3)]
    if link.effective or not _plain(link.mass, *moments) or link.mass <= 0:
        return
    largest = max(abs(float(x)) for x in moments)
    yield from _doubt(part, "inertia", largest, ROTOR._replace(most=max(link.mass, 0.1) * GYRATION**2, units=_TENSORS))


_TENSORS = ("kgcm2", "kgmm2", "gmm2")


def _of_drive(drive: Drive) -> Iterator[str]:
    part, motor = f"drive {drive.title!r}", drive.motor
    for word, rule in {
        "inertia": ROTOR,
        "mass": MASS,
        "torque_constant": TORQUE_CONSTANT,
        "resistance": RESISTANCE,
        "inductance": INDUCTANCE,
        "max_speed": MOTOR_SPEED,
        "max_torque": MOTOR_TORQUE,
    }.items():
        yield from _doubt(part, f"motor.{word}", getattr(motor, word), rule)


def _doubt(part: str, word: str, value: Scalar | None, rule: Plausible) -> Iterator[str]:
    if value is None or not _plain(value) or not rule.most < abs(value) < math.inf:
        return
    table = UNITS[rule.dimension]
    own = next(iter(table))
    probable = next((unit for unit in rule.units if abs(value) * table[unit] <= rule.most), None)
    ask = f"Was {value:g} {probable} meant? Then write the unit." if probable else "Check value and unit."
    place = f"{part}, {word}" if word else part
    yield f"{place}: {value:g} {own} is more than robots have. {ask}"


def _plain(*values: Scalar) -> bool:
    return all(is_number(x) for x in values)


def _largest(*values: Scalar) -> Scalar | None:
    """The entry of largest size, with its sign; None among symbols."""
    return max(values, key=abs) if _plain(*values) else None
