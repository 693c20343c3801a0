"""Links to look at: the shapes they state, or rods from joint to joint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightError
from gearwright.mechanism.joint_kinds import joint_kind
from gearwright.parts import Link, Robot, Shape
from gearwright.scene.mesh_files import read_mesh
from gearwright.scene.numbers import matrix, vector
from gearwright.scene.solid import Solid
from gearwright.scene.triangles import Triangles, box, cylinder, joined, rod, sphere, towards, turned

ROD, JOINT = 0.026, 0.038
"""Radii of rods and joints relative to the robot's reach."""


def link_solids(robot: Robot, reach: float, folder: Path | None, warn: Callable[[str], None]) -> Iterator[Solid]:
    """Every link: its meshes and shapes where it states some that can be drawn, else rods; and its joint."""
    for link in robot.links:
        shown = list(_shapes(link, folder, warn))
        yield from shown or [Solid(link.name, "link", link.name, _rods(robot, link, reach))]
        if not shown:
            yield Solid(f"{link.name}.joint", "joint", link.name, _joint(link, reach))
    yield Solid("base", "link", "base", _pedestal(robot, reach))
    yield from _payload(robot, reach)


def _shapes(link: Link, folder: Path | None, warn: Callable[[str], None]) -> Iterator[Solid]:
    drawn = [shape for shape in link.shapes if shape.role == "visual"] or list(link.shapes)
    for shape in drawn:
        try:
            mesh = read_mesh(shape, folder) if shape.kind == "mesh" else _primitive(shape)
        except GearwrightError as error:
            warn(f"link {link.name!r} is drawn without a mesh: {error}")
            continue
        yield Solid(link.name, "mesh", link.name, mesh, matrix(shape.rotation), vector(shape.position))


def _primitive(shape: Shape) -> Triangles:
    size = [float(x) for x in shape.size]
    if shape.kind == "box":
        return box(*size[:3])
    return sphere(size[0]) if shape.kind == "sphere" else cylinder(size[0], size[-1])


def _rods(robot: Robot, link: Link, reach: float) -> Triangles:
    """Rods from the link's joint to the joints and frames that it carries, or to its centre of mass."""
    ends = _ends(robot, link.name) or [vector(link.com)]
    long = [end for end in ends if np.linalg.norm(end) > 0.02 * reach]
    return joined([rod(end, ROD * reach) for end in long] or [sphere(1.2 * ROD * reach)])


def _ends(robot: Robot, name: str) -> list[Array]:
    ends = [vector(link.joint.position) for link in robot.links if link.parent == name]
    return ends + [vector(frame.position) for frame in robot.frames if frame.link == name]


def _joint(link: Link, reach: float) -> Triangles:
    """A drum about the axis of a joint that turns, a block along that of one that slides, a ball where it has more."""
    kind, size = joint_kind(link.joint.kind), JOINT * reach
    if len(kind.speeds) != 1:
        return sphere(0.8 * size)
    form = cylinder(size, 2.1 * size) if kind.turns else box(1.3 * size, 1.3 * size, 2.4 * size)
    return form.moved(towards(vector(link.joint.axis)), (0, 0, 0))


def _pedestal(robot: Robot, reach: float) -> Triangles:
    foot = turned(np.array([[1e-6, -0.04], [0.14, -0.04], [0.14, -0.02], [0.06, 0.0], [1e-6, 0.0]]) * reach)
    ends: Sequence[Array] = [end for end in _ends(robot, "base") if np.linalg.norm(end) > 0.02 * reach]
    return foot if not ends else joined([foot, *(rod(end, 1.3 * ROD * reach) for end in ends)])


def _payload(robot: Robot, reach: float) -> Iterator[Solid]:
    payload = robot.payload
    if payload is None or not float(payload.mass):
        return
    link = payload.link or robot.last_link().name
    yield Solid("payload", "payload", link, sphere(1.5 * ROD * reach), position=vector(payload.position))
