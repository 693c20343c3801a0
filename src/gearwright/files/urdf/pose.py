"""Placements as URDF writes them: a position, and the angles roll, pitch and yaw about fixed axes x, y and z."""

from __future__ import annotations

from math import atan2, cos, sin

from gearwright.algebra import Rot, Vec
from gearwright.files.import_report import Findings
from gearwright.files.placements import HERE, PartPlace, X, of_rpy
from gearwright.files.urdf.safe_xml import Element, child, numbers, report_others


def rpy_of_rotation(R: Rot) -> tuple[float, float, float]:
    """Angles whose rotation is R to the last digits, also where pitch is a right angle and roll and yaw turn alike.

    Roll is taken first; yaw and pitch then come from R Rx(-roll) = Rz Ry, in which neither is small over small.

    >>> rpy_of_rotation(of_rpy(0.0, 0.0, 0.0))
    (0.0, 0.0, 0.0)
    """
    roll = atan2(R.c.y, R.c.z)
    rest = R.after(Rot.about(X, cos(roll), -sin(roll)))
    yaw = atan2(-rest.a.y, rest.b.y)
    pitch = atan2(-rest.c.x, rest.c.z)
    return roll + 0.0, pitch + 0.0, yaw + 0.0


def read_origin(found: Findings, element: Element) -> PartPlace:
    """The rotation and position of an element's <origin>; none where there is no such element."""
    origin = child(found, element, "origin")
    if origin is None:
        return HERE
    report_others(found, origin, ("xyz", "rpy"), (), "origin")
    position = Vec(*numbers(found, origin, "xyz", 3, (0.0, 0.0, 0.0)))
    return PartPlace(of_rpy(*numbers(found, origin, "rpy", 3, (0.0, 0.0, 0.0))), position)
