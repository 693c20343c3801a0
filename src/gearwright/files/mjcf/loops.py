"""Equalities `connect` and `weld` of a compiled MJCF model as closed loops of the robot.

MuJoCo's are soft, a loop is rigid. Of x, y, z, rx, ry, rz a loop holds those along and about which the two bodies can
move against each other: two in the plane of a planar linkage, which cannot leave its plane. Sites that a file names
stay the frames of their loop; elsewhere two frames are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import IDENTITY, Rot, Vec
from gearwright.arrays import Array
from gearwright.files.mjcf.equalities import active_equalities
from gearwright.files.mjcf.links import rot, vec
from gearwright.files.mjcf.names import Names
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import Frame, Loop
from gearwright.parts.environment.loops_and_contacts import HELD
from gearwright.parts.structure.frame_changes import PartPlace

LOOKS = 4
"""Configurations that are looked at; one may be singular by chance."""
STILL = 1e-9
"""A share of the largest motion below this is none."""


class Mobility(NamedTuple):
    """Axes, seen from those given, and which of x, y, z, rx, ry, rz along and about them can move."""

    axes: Rot
    moves: tuple[bool, ...]


def mobility(model: Any, bodies: tuple[int, int], position: Array, rotation: Array, turns: bool) -> Mobility:
    """How a point of the first body can move as the second one sees it, joints that follow others taken as free.

    Args:
        model: the model.
        bodies: the two bodies.
        position: of the point, in the first body.
        rotation: (3, 3), axes in the second body as columns.
        turns: whether turning matters too.
    """
    rates = _rates(model, bodies, position, rotation)
    scale = max(np.abs(rates).max(), 1e-300)
    parts = [rates[:3], rates[3:]] if turns else [rates[:3]]
    axes = next((found for part in parts if (found := _axes(part / scale)) is not None), np.eye(3))
    along = np.vstack([axes.T @ rates[:3], axes.T @ rates[3:]]) / scale
    moves = tuple(bool(x > STILL) for x in np.abs(along).max(axis=1))
    plain = IDENTITY if np.array_equal(axes, np.eye(3)) else Rot.of(axes.tolist())
    return Mobility(plain, moves)


def _axes(rates: Array) -> Array | None:
    """Axes along some of which nothing moves; None where all directions move."""
    vectors, values, _ = np.linalg.svd(rates, full_matrices=False)
    still = int((values < STILL).sum())
    if still == 0:
        return None
    if (np.abs(rates).max(axis=1) < STILL).sum() == still:
        return np.eye(3)
    return np.asarray(vectors * np.sign(np.linalg.det(vectors)), dtype=float)


def _rates(model: Any, bodies: tuple[int, int], position: Array, rotation: Array) -> Array:
    """(6, n times looks): relative velocities per unit speed, linear then angular, in the axes of the second."""
    mujoco, rng = mujoco_module(), np.random.default_rng(0)
    data = mujoco.MjData(model)
    found = []
    for _ in range(LOOKS):
        mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.3)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        point = data.xpos[bodies[0]] + data.xmat[bodies[0]].reshape(3, 3) @ position
        one, two = (_jacobian(model, data, body, point) for body in bodies)
        inward = (data.xmat[bodies[1]].reshape(3, 3) @ rotation).T
        found.append(np.vstack([inward @ (one - two)[:3], inward @ (one - two)[3:]]))
    return np.hstack(found)


def _jacobian(model: Any, data: Any, body: int, point: Array) -> Array:
    both = np.zeros((6, model.nv))
    mujoco_module().mj_jac(model, data, both[:3], both[3:], point.reshape(3, 1), body)
    return both


KINDS = {"connect": HELD[:3], "weld": HELD}
"""The coordinates that each kind holds."""


@dataclass(frozen=True)
class End:
    """One of the two places that an equality holds together, in a body of the model; `site` is -1 if it has none."""

    body: int
    place: PartPlace
    site: int = -1


@dataclass
class LoopReader:
    """Reads the loops of a model.

    Args:
        model: the model.
        names: its names.
        origins: the links' frames in the frames of their bodies.
        sites: the frames of named sites.
        frames: those that are made for loops, when they have been read.
    """

    model: Any
    names: Names
    origins: Sequence[Vec]
    sites: Mapping[int, Frame]
    frames: list[Frame] = field(default_factory=list)

    def read(self, off: frozenset[str]) -> list[Loop]:
        """The loops."""
        loops = [self._loop(e, kind) for e, kind in active_equalities(self.model, off) if kind in KINDS]
        return [loop for loop in loops if loop is not None]

    def _loop(self, e: int, kind: str) -> Loop | None:
        one, two = self._ends(e, kind)
        bodies = (one.body, two.body)
        title = str(self.model.eq(e).name) or " to ".join(self.names.bodies[body] for body in bodies)
        position: Array = np.array([*one.place.position], dtype=float)
        turned: Array = np.array(two.place.rotation.rows(), dtype=float)
        axes, moves = mobility(self.model, bodies, position, turned, turns=kind == "weld")
        held = [word for word, moving in zip(HELD, moves, strict=True) if moving and word in KINDS[kind]]
        if not held:
            self.names.found.note(f"{kind} {title!r} holds bodies that do not move against each other: left out")
            return None
        ends = [self._frame(title, end, PartPlace(axes)) for end in (one, two)]
        self._note(kind, title, bodies, held)
        return Loop(self.names.among("loops", title), ends, held)

    def _ends(self, e: int, kind: str) -> tuple[End, End]:
        ids = (int(self.model.eq_obj1id[e]), int(self.model.eq_obj2id[e]))
        if int(self.model.eq_objtype[e]) == int(mujoco_module().mjtObj.mjOBJ_SITE):
            one, two = map(self._at_site, ids)
            return one, two
        data = self.model.eq_data[e]
        if kind == "connect":
            return End(ids[0], PartPlace(position=vec(data[:3]))), End(ids[1], PartPlace(position=vec(data[3:6])))
        # a weld states its anchor in the second body, and where and how turned the first one sees it
        return End(ids[0], PartPlace(rot(data[6:10]), vec(data[3:6]))), End(ids[1], PartPlace(position=vec(data[:3])))

    def _at_site(self, site: int) -> End:
        place = PartPlace(rot(self.model.site_quat[site]), vec(self.model.site_pos[site]))
        return End(int(self.model.site_bodyid[site]), place, site)

    def _frame(self, title: str, end: End, turn: PartPlace) -> str:
        """The name of the frame at one end: that of its site where the axes may stay as they are."""
        if turn.rotation is IDENTITY and end.site in self.sites:
            return self.sites[end.site].name
        link = self.names.bodies[end.body]
        place = end.place.then(turn)
        frame = Frame(
            self.names.among("frames", f"{title}.{link}"),
            link,
            place.position - self.origins[end.body],
            place.rotation,
        )
        self.frames.append(frame)
        return frame.name

    def _note(self, kind: str, title: str, bodies: Sequence[int], held: Sequence[str]) -> None:
        text = f"{kind} {title!r} is a loop that holds {', '.join(held)}: a law (gw.laws), rigid here and soft there"
        self.names.found.note(text)
        for body in bodies:
            if self.model.body_mocapid[body] >= 0:
                self.names.found.note(
                    f"{kind} {title!r} holds {self.names.bodies[body]!r}, which mocap moves there and stands still here"
                )
