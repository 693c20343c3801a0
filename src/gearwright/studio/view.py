"""The view of a scene in one visitor's window: nodes for bodies and solids, moved as the robot moves.

The page takes rotations as quaternions (w, x, y, z).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.scene import SOLID_COLOURS, Scene, Solid


def quaternion_from_rotation(rotation: Array) -> Array:
    """Return a rotation (3, 3) as a unit quaternion (w, x, y, z).

    >>> quaternion_from_rotation(np.diag([1.0, -1.0, -1.0]))
    array([0., 1., 0., 0.])
    """
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(rotation).as_quat(scalar_first=True))


def rotation_from_quaternion(wxyz: Array) -> Array:
    """Return a quaternion (w, x, y, z) as a rotation (3, 3).

    >>> rotation_from_quaternion(np.array([0.0, 1.0, 0.0, 0.0])).diagonal()
    array([ 1., -1., -1.])
    """
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_quat(wxyz, scalar_first=True).as_matrix())


ROBOT_NODE = "/robot"


class SceneView:
    """Shows a scene to one client and updates its poses.

    Nodes are numbered, as names of links may contain any character. Use it from one thread only.

    Args:
        api: viser's handle of the client.
        root: node below which the robot is drawn.
        opacity: factor of the opacity of all solids: below 1 for a reference design beside the robot.
    """

    def __init__(self, api: Any, root: str = ROBOT_NODE, opacity: float = 1.0) -> None:
        self.api, self._root, self._opacity = api, root, opacity
        self._bodies: dict[str, Any] = {}
        self._solids: dict[tuple[str, str], tuple[Solid, Any]] = {}
        self._count = 0
        self._hidden: set[str] = set()
        self._colours: dict[str, tuple[int, int, int]] = {}

    def show_scene(self, scene: Scene, q: Sequence[float] | Array) -> None:
        """Draw a scene, keeping nodes whose mesh did not change."""
        self._update_solids(scene)
        self.move_robot(q)

    def _update_solids(self, scene: Scene) -> None:
        self.scene = scene
        names = [*(body.name for body in scene.mech.bodies), "base"]
        if set(names) != set(self._bodies):
            self._reset_bodies(names)
        fresh: dict[tuple[str, str], tuple[Solid, Any]] = {}
        for solid in scene.solids:
            key = (solid.kind, solid.name)
            while key in fresh:  # a link may have several meshes
                key = (key[0], key[1] + "'")
            old = self._solids.pop(key, None)
            if old is not None and _is_same_node(old[0], solid):
                fresh[key] = (solid, old[1])
                continue
            if old is not None:
                old[1].remove()
            fresh[key] = (solid, self._add_solid(solid))
        for _, handle in self._solids.values():
            handle.remove()
        self._solids = fresh

    def move_robot(self, q: Sequence[float] | Array) -> None:
        """Move every body and wheel to its pose at the coordinates."""
        if len(q) != self.scene.mech.nq:
            return  # coordinates of a changed robot that is not drawn yet
        with self.api.atomic():
            for name, (rotation, position) in self.scene.body_placements(q).items():
                _set_pose(self._bodies[name], rotation, position)
            x = self.scene.coordinates_by_speed(q)
            for solid, handle in self._solids.values():
                if solid.is_moving:
                    _set_pose(handle, *solid.pose_on_body(x))

    def hide_kinds(self, kinds: set[str]) -> None:
        """Hide all solids of some kinds and show the others."""
        self._hidden = kinds
        for solid, handle in self._solids.values():
            handle.visible = solid.kind not in kinds

    def colour_solids(self, colours: dict[str, tuple[int, int, int]]) -> None:
        """Show solids in other colours, by name; all others in that of their kind."""
        self._colours = colours
        for solid, handle in self._solids.values():
            handle.color = colours.get(solid.name, SOLID_COLOURS[solid.kind])

    def remove(self) -> None:
        """Remove the robot from the view."""
        for handle in self._bodies.values():
            handle.remove()
        self._bodies, self._solids = {}, {}

    def _reset_bodies(self, names: Sequence[str]) -> None:
        for handle in self._bodies.values():
            handle.remove()
        self._solids = {}
        self._bodies = {
            name: self.api.scene.add_frame(f"{self._root}/b{index}", show_axes=False)
            for index, name in enumerate(names)
        }

    def _add_solid(self, solid: Solid) -> Any:
        self._count += 1
        parent = self._bodies[solid.carrier].name
        rotation, position = solid.pose_on_body({})
        return self.api.scene.add_mesh_simple(
            f"{parent}/s{self._count}",
            solid.mesh.vertices.astype(np.float32),
            solid.mesh.faces.astype(np.uint32),
            color=self._colours.get(solid.name, SOLID_COLOURS[solid.kind]),
            opacity=None if solid.opacity * self._opacity == 1 else solid.opacity * self._opacity,
            flat_shading=True,
            side="double" if solid.kind == "mesh" else "front",
            wxyz=quaternion_from_rotation(rotation),
            position=position,
            visible=solid.kind not in self._hidden,
        )


def fitting_camera(scene: Scene, q: Sequence[float] | Array) -> tuple[Array, Array]:
    """Return the point to look at and the position of a camera that sees the whole robot in a configuration [m]."""
    low, high = scene.bounding_box(q)
    middle, size = (low + high) / 2, float(np.linalg.norm(high - low))
    return middle, middle + 0.8 * size * np.array([0.72, -1.0, 0.42])


def _is_same_node(old: Solid, new: Solid) -> bool:
    """Whether two solids are drawn by the same node: their rates may differ."""
    return (
        old.carrier == new.carrier
        and old.is_moving == new.is_moving
        and np.array_equal(old.mesh.vertices, new.mesh.vertices)
        and np.array_equal(old.position, new.position)
        and np.array_equal(old.rotation, new.rotation)
    )


def _set_pose(handle: Any, rotation: Array, position: Array) -> None:
    handle.wxyz, handle.position = quaternion_from_rotation(rotation), position
