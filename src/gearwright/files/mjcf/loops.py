"""Equalities `connect` and `weld` of a compiled MJCF model as closed loops of the robot.

MuJoCo's equalities are soft, a loop is rigid. Of x, y, z, rx, ry, rz a loop constrains those in which the two bodies
can move relative to each other, such as two for a planar linkage. Sites named in the file are the frames of their loop;
otherwise two frames are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import IDENTITY, Rot, Vec
from gearwright.arrays import Array
from gearwright.files.mjcf.equalities import active_equalities
from gearwright.files.mjcf.links import rotation_of_quaternion, vector_of_array
from gearwright.files.mjcf.names import MjcfNames
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import Frame, Loop
from gearwright.parts.environment.loops_and_contacts import HOLDABLE_COORDINATES
from gearwright.parts.structure.frame_changes import FramePlacement

MOBILITY_SAMPLES = 4
"""Number of sampled configurations; one alone might be singular."""
IMMOBILE_SHARE = 1e-9
"""Relative to the largest motion; smaller motions count as none."""


class LoopMobility(NamedTuple):
    """Axes, relative to the given ones, and which of x, y, z, rx, ry, rz along and about them can move."""

    axes: Rot
    moves: tuple[bool, ...]


def loop_mobility(model: Any, bodies: tuple[int, int], position: Array, rotation: Array, turns: bool) -> LoopMobility:
    """Return the possible motion of a point of the first body relative to the second; mimic joints count as free.

    Args:
        model: the model.
        bodies: the two bodies.
        position: of the point, in the first body.
        rotation: (3, 3), axes in the second body as columns.
        turns: whether to include rotations.
    """
    rates = _relative_velocities(model, bodies, position, rotation)
    scale = max(np.abs(rates).max(), 1e-300)
    parts = [rates[:3], rates[3:]] if turns else [rates[:3]]
    axes = next((candidate for part in parts if (candidate := _still_axes(part / scale)) is not None), np.eye(3))
    along = np.vstack([axes.T @ rates[:3], axes.T @ rates[3:]]) / scale
    moves = tuple(bool(x > IMMOBILE_SHARE) for x in np.abs(along).max(axis=1))
    plain = IDENTITY if np.array_equal(axes, np.eye(3)) else Rot.from_rows(axes.tolist())
    return LoopMobility(plain, moves)


def _still_axes(rates: Array) -> Array | None:
    """Return axes of which some have no motion; None if all directions move."""
    vectors, values, _ = np.linalg.svd(rates, full_matrices=False)
    still = int((values < IMMOBILE_SHARE).sum())
    if still == 0:
        return None
    if (np.abs(rates).max(axis=1) < IMMOBILE_SHARE).sum() == still:
        return np.eye(3)
    return np.asarray(vectors * np.sign(np.linalg.det(vectors)), dtype=float)


def _relative_velocities(model: Any, bodies: tuple[int, int], position: Array, rotation: Array) -> Array:
    """Return relative velocities per unit speed, (6, n times samples), linear then angular, in axes of the second."""
    mujoco, rng = mujoco_module(), np.random.default_rng(0)
    data = mujoco.MjData(model)
    velocities = []
    for _ in range(MOBILITY_SAMPLES):
        mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.3)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        point = data.xpos[bodies[0]] + data.xmat[bodies[0]].reshape(3, 3) @ position
        first_jacobian, second_jacobian = (_body_jacobian(model, data, body, point) for body in bodies)
        inward = (data.xmat[bodies[1]].reshape(3, 3) @ rotation).T
        velocities.append(
            np.vstack(
                [inward @ (first_jacobian - second_jacobian)[:3], inward @ (first_jacobian - second_jacobian)[3:]]
            )
        )
    return np.hstack(velocities)


def _body_jacobian(model: Any, data: Any, body: int, point: Array) -> Array:
    both = np.zeros((6, model.nv))
    mujoco_module().mj_jac(model, data, both[:3], both[3:], point.reshape(3, 1), body)
    return both


HELD_BY_EQUALITY = {"connect": HOLDABLE_COORDINATES[:3], "weld": HOLDABLE_COORDINATES}
"""The coordinates that each kind constrains."""


@dataclass(frozen=True)
class LoopEnd:
    """One of the two anchors of an equality, in a body of the model; `site` is -1 if it has none."""

    body: int
    place: FramePlacement
    site: int = -1


@dataclass
class LoopReader:
    """Reads the loops of a model.

    Args:
        model: the model.
        names: its names.
        origins: the links' frames in the frames of their bodies.
        sites: the frames of named sites.
        frames: frames made for loops, after reading.
    """

    model: Any
    names: MjcfNames
    origins: Sequence[Vec]
    sites: Mapping[int, Frame]
    frames: list[Frame] = field(default_factory=list)

    def read_loops(self, off: frozenset[str]) -> list[Loop]:
        """The loops."""
        loops = [self._read_loop(e, kind) for e, kind in active_equalities(self.model, off) if kind in HELD_BY_EQUALITY]
        return [loop for loop in loops if loop is not None]

    def _read_loop(self, e: int, kind: str) -> Loop | None:
        first_end, second_end = self._loop_ends(e, kind)
        bodies = (first_end.body, second_end.body)
        title = str(self.model.eq(e).name) or " to ".join(self.names.bodies[body] for body in bodies)
        position: Array = np.array([*first_end.place.position], dtype=float)
        turned: Array = np.array(second_end.place.rotation.rows(), dtype=float)
        axes, moves = loop_mobility(self.model, bodies, position, turned, turns=kind == "weld")
        held = [
            word
            for word, moving in zip(HOLDABLE_COORDINATES, moves, strict=True)
            if moving and word in HELD_BY_EQUALITY[kind]
        ]
        if not held:
            self.names.findings.add_note(
                f"{kind} {title!r} constrains bodies that do not move relative to each other; it is ignored"
            )
            return None
        ends = [self._end_frame_name(title, end, FramePlacement(axes)) for end in (first_end, second_end)]
        self._note_loop(kind, title, bodies, held)
        return Loop(self.names.unique_name("loops", title), ends, held)

    def _loop_ends(self, e: int, kind: str) -> tuple[LoopEnd, LoopEnd]:
        ids = (int(self.model.eq_obj1id[e]), int(self.model.eq_obj2id[e]))
        if int(self.model.eq_objtype[e]) == int(mujoco_module().mjtObj.mjOBJ_SITE):
            first_end, second_end = map(self._site_end, ids)
            return first_end, second_end
        data = self.model.eq_data[e]
        if kind == "connect":
            return LoopEnd(ids[0], FramePlacement(position=vector_of_array(data[:3]))), LoopEnd(
                ids[1], FramePlacement(position=vector_of_array(data[3:6]))
            )
        # a weld gives its anchor in the second body, and the relative pose in the first
        return LoopEnd(ids[0], FramePlacement(rotation_of_quaternion(data[6:10]), vector_of_array(data[3:6]))), LoopEnd(
            ids[1], FramePlacement(position=vector_of_array(data[:3]))
        )

    def _site_end(self, site: int) -> LoopEnd:
        place = FramePlacement(
            rotation_of_quaternion(self.model.site_quat[site]), vector_of_array(self.model.site_pos[site])
        )
        return LoopEnd(int(self.model.site_bodyid[site]), place, site)

    def _end_frame_name(self, title: str, end: LoopEnd, turn: FramePlacement) -> str:
        """Return the name of the frame at one end: that of its site if the axes are unchanged."""
        if turn.rotation is IDENTITY and end.site in self.sites:
            return self.sites[end.site].name
        link = self.names.bodies[end.body]
        place = end.place.compose_with(turn)
        frame = Frame(
            self.names.unique_name("frames", f"{title}.{link}"),
            link,
            place.position - self.origins[end.body],
            place.rotation,
        )
        self.frames.append(frame)
        return frame.name

    def _note_loop(self, kind: str, title: str, bodies: Sequence[int], held: Sequence[str]) -> None:
        text = (
            f"{kind} {title!r} is read as a loop that constrains {', '.join(held)}: a law (gw.laws), rigid here, "
            "soft in MuJoCo"
        )
        self.names.findings.add_note(text)
        for body in bodies:
            if self.model.body_mocapid[body] >= 0:
                self.names.findings.add_note(
                    f"{kind} {title!r} constrains the mocap body {self.names.bodies[body]!r}, which is fixed here"
                )
