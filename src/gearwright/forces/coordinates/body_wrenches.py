"""What forces along coordinates are to the bodies of a machine: wrenches, found by moving each body by itself.

A force f along a coordinate s(q, t) does the work f ds. Bodies that are moved one by one, each by a small displacement
and turn of its own, tell what of it each of them feels: the slopes of s are the wrench of a unit force.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Rot, Scalar, Vec
from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.differentiation.taylor_series import Jet, JetOperations
from gearwright.forces.coordinates.configuration import Configuration, Placing
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import BASE

UNITS = (Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))


def body_wrenches(lines: Sequence[Line], forces: Sequence[Scalar], scene: Scene) -> dict[int, list[Scalar]]:
    """Per body (6,): force, then moment about its origin, world axes, of forces along lines.

    What a line takes from coordinates of joints directly acts within the joints and puts no wrench on a body; what
    acts on the base moves nothing and is left out.
    """
    found: dict[int, list[Scalar]] = {}
    moved = Configuration(scene.mech, scene.t, scene.q, JetOperations(scene.ops), lambda body: _moved(scene, body))
    for line, force in zip(lines, forces, strict=True):
        value = line.function(moved) if isinstance(line, Coordinate) else 0.0
        slopes = value.c[1] if isinstance(value, Jet) else None
        for (body, k), slope in (slopes.by if isinstance(slopes, Slopes) else {}).items():
            wrench = found.setdefault(body, [0.0] * 6)
            wrench[k] = wrench[k] + force * slope
    return found


def _moved(scene: Scene, body: int) -> Placing:
    """A body with slopes by its own displacement (0 to 2) and its own turn (3 to 5), world axes."""
    R, p = scene.pose.world[body]
    if body == BASE:
        return R, p
    place = Vec(*(Jet([x, Slopes({(body, i): 1.0})]) for i, x in enumerate(p)))
    columns = []
    for column in R.columns():
        turned = [unit.cross(column) for unit in UNITS]
        slopes = [{(body, 3 + k): tuple(turn)[i] for k, turn in enumerate(turned)} for i in range(3)]
        columns.append(Vec(*(Jet([x, Slopes(slope)]) for x, slope in zip(column, slopes, strict=True))))
    return Rot(*columns).T, place
