"""The view of a scene in one visitor's window: nodes for bodies and solids, moved as the robot moves.

Rotations are given to the page as quaternions (w, x, y, z).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.scene import COLOURS, Scene, Solid


def quaternion(rotation: Array) -> Array:
    """A rotation (3, 3) as a unit quaternion (w, x, y, z).

    >>> quaternion(np.diag([1.0, -1.0, -1.0]))
    array([0., 1., 0., 0.])
    """
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(rotation).as_quat(scalar_first=True))


def matrix(wxyz: Array) -> Array:
    """A quaternion (w, x, y, z) as a rotation (3, 3).

    >>> matrix(np.array([0.0, 1.0, 0.0, 0.0])).diagonal()
    array([ 1., -1., -1.])
    """
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_quat(wxyz, scalar_first=True).as_matrix())


ROOT = "/robot"


class View:
    """Shows a scene to one client and keeps it where the robot is.

    Names of links come from files and may contain anything, so nodes are numbered. All of it is for one thread.
    """

    def __init__(self, api: Any) -> None:
        self.api = api
        self._bodies: dict[str, Any] = {}
        self._solids: dict[tuple[str, str], tuple[Solid, Any]] = {}
        self._count = 0
        self._hidden: set[str] = set()

    def show(self, scene: Scene, q: Sequence[float] | Array) -> None:
        """Draw a scene, keeping nodes whose mesh did not change."""
        self._show(scene)
        self.move(q)

    def _show(self, scene: Scene) -> None:
        self.scene = scene
        names = [*(body.name for body in scene.mech.bodies), "base"]
        if set(names) != set(self._bodies):
            self._start_anew(names)
        fresh: dict[tuple[str, str], tuple[Solid, Any]] = {}
        for solid in scene.solids:
            key = (solid.kind, solid.name)
            while key in fresh:  # a link may have several meshes
                key = (key[0], key[1] + "'")
            old = self._solids.pop(key, None)
            if old is not None and _same(old[0], solid):
                fresh[key] = (solid, old[1])
                continue
            if old is not None:
                old[1].remove()
            fresh[key] = (solid, self._drawn(solid))
        for _, handle in self._solids.values():
            handle.remove()
        self._solids = fresh

    def move(self, q: Sequence[float] | Array) -> None:
        """Put every body and wheel where coordinates have it."""
        if len(q) != self.scene.mech.nq:
            return  # of a robot that has just changed and is about to be drawn
        with self.api.atomic():
            for name, (rotation, position) in self.scene.bodies(q).items():
                _set_pose(self._bodies[name], rotation, position)
            x = self.scene.coordinates(q)
            for solid, handle in self._solids.values():
                if solid.moves:
                    _set_pose(handle, *solid.pose(x))

    def hide(self, kinds: set[str]) -> None:
        """Hide all solids of some kinds and show the others."""
        self._hidden = kinds
        for solid, handle in self._solids.values():
            handle.visible = solid.kind not in kinds

    def _start_anew(self, names: Sequence[str]) -> None:
        for handle in self._bodies.values():
            handle.remove()
        self._solids = {}
        self._bodies = {
            name: self.api.scene.add_frame(f"{ROOT}/b{index}", show_axes=False) for index, name in enumerate(names)
        }

    def _drawn(self, solid: Solid) -> Any:
        self._count += 1
        parent = self._bodies[solid.carrier].name
        rotation, position = solid.pose({})
        return self.api.scene.add_mesh_simple(
            f"{parent}/s{self._count}",
            solid.mesh.vertices.astype(np.float32),
            solid.mesh.faces.astype(np.uint32),
            color=COLOURS[solid.kind],
            opacity=None if solid.opacity == 1 else solid.opacity,
            flat_shading=True,
            side="double" if solid.kind == "mesh" else "front",
            wxyz=quaternion(rotation),
            position=position,
            visible=solid.kind not in self._hidden,
        )


def _same(old: Solid, new: Solid) -> bool:
    """Whether two solids are drawn by the same node: their rates may differ."""
    return (
        old.carrier == new.carrier
        and old.moves == new.moves
        and np.array_equal(old.mesh.vertices, new.mesh.vertices)
        and np.array_equal(old.position, new.position)
        and np.array_equal(old.rotation, new.rotation)
    )


def _set_pose(handle: Any, rotation: Array, position: Array) -> None:
    handle.wxyz, handle.position = quaternion(rotation), position
