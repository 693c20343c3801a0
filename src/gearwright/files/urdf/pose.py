"""Poses in URDF: a position, and the angles roll, pitch and yaw about fixed axes x, y and z."""

from __future__ import annotations

from math import atan2, cos, sin

from gearwright.algebra import Rot, Vec
from gearwright.files.import_report import ImportFindings
from gearwright.files.placements import IDENTITY_PLACEMENT, X_AXIS, FramePlacement, rotation_of_rpy
from gearwright.files.urdf.safe_xml import Element, attribute_numbers, only_child, report_unknown_content


def rpy_of_rotation(R: Rot) -> tuple[float, float, float]:
    """Return the angles of a rotation R, accurate also near gimbal lock (pitch of a right angle).

    Roll is computed first; yaw and pitch then follow from R Rx(-roll) = Rz Ry, without a quotient of small numbers.

    >>> rpy_of_rotation(rotation_of_rpy(0.0, 0.0, 0.0))
    (0.0, 0.0, 0.0)
    """
    roll = atan2(R.c.y, R.c.z)
    remainder = R.after(Rot.about_axis(X_AXIS, cos(roll), -sin(roll)))
    yaw = atan2(-remainder.a.y, remainder.b.y)
    pitch = atan2(-remainder.c.x, remainder.c.z)
    return roll + 0.0, pitch + 0.0, yaw + 0.0


def read_origin(findings: ImportFindings, element: Element) -> FramePlacement:
    """Return rotation and position of an element's <origin>; by default the identity."""
    origin = only_child(findings, element, "origin")
    if origin is None:
        return IDENTITY_PLACEMENT
    report_unknown_content(findings, origin, ("xyz", "rpy"), (), "origin")
    position = Vec(*attribute_numbers(findings, origin, "xyz", 3, (0.0, 0.0, 0.0)))
    return FramePlacement(rotation_of_rpy(*attribute_numbers(findings, origin, "rpy", 3, (0.0, 0.0, 0.0))), position)
