"""The scene of a robot: solids on its bodies, and their poses."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.pose import place_machine
from gearwright.errors import GearwrightWarning, InputError
from gearwright.functions import neutral
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.drive_locations import drive_locations
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.parts import Robot
from gearwright.scene.drive_solids import drive_solids
from gearwright.scene.link_solids import link_rods, link_solids
from gearwright.scene.solid import Solid
from gearwright.scene.trains.axis_lines import TrainPlacement
from gearwright.scene.trains.train_links import train_link_solids
from gearwright.scene.trains.train_solids import TrainScene
from gearwright.scene.triangles import as_matrix, as_vector

SOLID_COLOURS: Mapping[str, tuple[int, int, int]] = {
    "link": (206, 210, 219),
    "housing": (176, 190, 208),
    "mesh": (205, 208, 216),
    "joint": (128, 141, 164),
    "stator": (96, 104, 120),
    "rotor": (224, 122, 58),
    "shaft": (150, 156, 168),
    "gear": (240, 184, 66),
    "ring": (120, 156, 190),
    "planet": (250, 214, 120),
    "carrier": (172, 180, 194),
    "belt": (70, 70, 76),
    "payload": (200, 70, 84),
}
"""Red, green and blue of every kind of solid, 0 to 255."""

LARGE_JOINT_COUNT = 12
"""Number of joints above which drawn parts are smaller relative to the robot."""


@dataclass(frozen=True)
class Scene:
    """A robot's solids.

    Args:
        robot: the robot.
        mech: the same, assembled.
        solids: links, joints, motors and wheels, each on a body.
        reach: extent of the robot from its base in its neutral configuration [m], for the sizes of solids.
        remarks: on solids that could not be drawn as stated.
    """

    robot: Robot
    mech: Mechanism
    solids: tuple[Solid, ...]
    reach: float
    remarks: tuple[str, ...] = ()

    def coordinates_by_speed(self, q: Sequence[float] | Array) -> dict[str, float]:
        """The coordinate of each speed that is the rate of a coordinate, for the rotation of wheels [rad, m]."""
        places = zip(self.mech.speeds, self.mech.layout.coordinate_of, strict=True)
        return {name: float(q[index]) for name, index in places if index >= 0}

    def body_placements(self, q: Sequence[float] | Array) -> dict[str, tuple[Array, Array]]:
        """Per body, and for "base", its rotation (3, 3) and origin (3,) in the world."""
        world = place_machine(self.mech, [float(x) for x in q], FLOATS).world_placements
        names = [*(body.name for body in self.mech.bodies), "base"]
        return {name: (as_matrix(pose[0]), as_vector(pose[1])) for name, pose in zip(names, world, strict=True)}

    def bounding_box(self, q: Sequence[float] | Array | None = None) -> tuple[Array, Array]:
        """Bounding box: smallest and largest coordinates [m] of all solids, by default in neutral, (3,) each."""
        q = neutral(self.mech) if q is None else q
        bodies, x = self.body_placements(q), self.coordinates_by_speed(q)
        corners = []
        for solid in self.solids:
            (body_rotation, origin), (rotation, position) = bodies[solid.carrier], solid.pose_on_body(x)
            points = (solid.mesh.vertices @ rotation.T + position) @ body_rotation.T + origin
            corners += [points.min(axis=0), points.max(axis=0)]
        return np.min(corners, axis=0), np.max(corners, axis=0)


def scene_of(robot: Robot, folder: str | Path | None = None) -> Scene:
    """The scene of a robot, made from its parts; no mesh is needed.

    Links are drawn by their meshes and shapes, else as rods; motors and gears at their stated positions, in true
    proportions if radii or modules are stated. Wheels turn at their true speeds.

    Args:
        robot: the robot.
        folder: folder of the meshes: that of the robot file.

    >>> import gearwright as gw
    >>> scene = scene_of(gw.load("planetary_3r"))
    >>> sun = next(solid for solid in scene.solids if solid.name == "j1.sun")
    >>> sun.carrier, sun.turning
    ('base', {'j1': 5.0})
    """
    scene = scene_with_remarks(robot, folder)
    if scene.remarks:
        warnings.warn("\n".join([f"robot {robot.name!r}:", *scene.remarks]), GearwrightWarning, stacklevel=2)
    return scene


def scene_with_remarks(robot: Robot, folder: str | Path | None = None) -> Scene:
    """As `scene_of`, without a warning: problems with meshes are only listed in the `remarks` of the scene.

    For threads, because catching warnings affects the whole process.
    """
    if not isinstance(robot, Robot):
        raise InputError(f"scene_of: {type(robot).__name__} is not a robot and cannot be drawn. Give the Robot.")
    mech, remarks = assemble_tree(robot), list[str]()
    reach = robot_reach(mech, robot)
    trains = _train_scene(mech, robot, reach) if robot.trains else None
    formed = {} if trains is None else train_link_solids(trains)
    solids = list(link_solids(robot, reach, None if folder is None else Path(folder), remarks.append, formed))
    for drive_place in drive_locations(robot):
        rods = [] if drive_place.mount in formed else link_rods(robot, drive_place.mount, reach)
        solids += drive_solids(drive_place, reach, rods)
    solids += [] if trains is None else trains.solids()
    return Scene(robot, mech, tuple(solids), reach, tuple(remarks))


def _train_scene(mech: Mechanism, robot: Robot, reach: float) -> TrainScene:
    world = place_machine(mech, [float(x) for x in neutral(mech)], FLOATS).world_placements
    names = [*(body.name for body in mech.bodies), "base"]
    poses = {name: (as_matrix(pose[0]), as_vector(pose[1])) for name, pose in zip(names, world, strict=True)}
    return TrainScene(TrainPlacement(TrainStructure(parents_first(robot.links), robot.trains), poses, reach))


def robot_reach(mech: Mechanism, robot: Robot) -> float:
    """The size of a robot [m]: diagonal of the box around its joints, centres of mass and frames when neutral.

    Less for a robot of more than `LARGE_JOINT_COUNT` joints, whose parts are smaller.
    """
    world = place_machine(mech, [float(x) for x in neutral(mech)], FLOATS).world_placements
    points = [np.zeros(3)]
    for index, body in enumerate(mech.bodies):
        rotation, origin = as_matrix(world[index][0]), as_vector(world[index][1])
        points += [origin, origin + rotation @ as_vector(body.com)]
    for frame in mech.frames:
        pose = world[int(frame.body)]  # index -1 is the base
        points.append(as_vector(pose[1]) + as_matrix(pose[0]) @ as_vector(frame.position))
    spread = np.ptp(points, axis=0)
    crowding = max(1.0, len(mech.bodies) / LARGE_JOINT_COUNT) ** 0.5
    return max(float(np.linalg.norm(spread)) / crowding, 0.05)
