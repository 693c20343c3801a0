"""Wrenches on the bodies of a machine from forces along coordinates, by virtual displacements.

A force f along a coordinate s(q, t) does the work f ds. Each body gets its own virtual displacement and rotation; the
derivatives of s by these are the wrench of a unit force on that body.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Rot, Scalar, Vec
from gearwright.algebra.differentiation.dual_numbers import DualOperations
from gearwright.forces.coordinates.configuration import Configuration, FramePose
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import BASE

UNIT_VECTORS = (Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))


def body_wrenches(
    lines: Sequence[Line], forces: Sequence[Scalar], kinematics: SharedKinematics
) -> dict[int, list[Scalar]]:
    """Per body the wrench (6,) of forces along lines: force, then moment about its origin, world axes.

    The part of a line that depends on joint coordinates directly acts within the joints and gives no wrench on a body;
    wrenches on the base are left out.
    """
    wrenches: dict[int, list[Scalar]] = {}
    ops = DualOperations.for_displacement(kinematics.ops)
    perturbed = Configuration(
        kinematics.mech,
        kinematics.t,
        kinematics.q,
        ops,
        lambda body: _perturbed_pose(kinematics, body, ops),
    )
    for line, force in zip(lines, forces, strict=True):
        value = line.function(perturbed) if isinstance(line, Coordinate) else 0.0
        for (body, k), slope in ops.partials_of(value).items():
            wrench = wrenches.setdefault(body, [0.0] * 6)
            wrench[k] = wrench[k] + force * slope
    return wrenches


def _perturbed_pose(kinematics: SharedKinematics, body: int, ops: DualOperations) -> FramePose:
    """The placement of a body with derivatives by its displacement (0 to 2) and rotation (3 to 5), world axes."""
    R, p = kinematics.pose.world_placements[body]
    if body == BASE:
        return R, p
    origin = Vec(*(ops.with_partials(x, {(body, i): 1.0}) for i, x in enumerate(p)))
    columns = []
    for column in R.columns():
        rotation_derivatives = [unit.cross(column) for unit in UNIT_VECTORS]
        slopes = [
            {(body, 3 + k): tuple(derivative)[i] for k, derivative in enumerate(rotation_derivatives)} for i in range(3)
        ]
        columns.append(Vec(*(ops.with_partials(x, slope) for x, slope in zip(column, slopes, strict=True))))
    return Rot(*columns).T, origin
