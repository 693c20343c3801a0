"""Body frames chosen so that most numbers of a machine are zero.

Every revolute axis becomes z, the x axis of a body the common normal to the next axis (Denavit and Hartenberg), the
fixed rotation of a joint a turn about x alone; what is left of it is an offset of the joint angle. Bodies behind a
prismatic joint keep the axes of their parent. Bodies on all other joints keep their frames: the speeds of free,
spherical and planar joints count in them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Rot, Vec, is_number
from gearwright.mechanism import BASE
from gearwright.tracing.simplify.editable_machine import EXACT, Draft, clean, clean_inertia, clean_rotation

NEARLY_PARALLEL = 0.2
"""Below this sine between two axes the foot of their common normal is too far away to be a good origin."""


class FrameChange(NamedTuple):
    """A new frame in the old one: `axes` turns new components into old ones; `origin` in the old frame."""

    axes: Rot = IDENTITY
    origin: Vec = ZERO

    def components(self, direction: Vec) -> Vec:
        """The components in the new frame of a direction given in the old one."""
        return self.axes.T @ direction


class Reframed(NamedTuple):
    """A draft in its new frames, and per body what to add to the angle of its joint."""

    draft: Draft
    offsets: tuple[float, ...]


def about_x(angle: float) -> Rot:
    """A turn about x."""
    return clean_rotation(Rot.about(Vec(1.0, 0.0, 0.0), math.cos(angle), math.sin(angle)))


def about_z(angle: float) -> Rot:
    """A turn about z."""
    return clean_rotation(Rot.about(Vec(0.0, 0.0, 1.0), math.cos(angle), math.sin(angle)))


def reframed(draft: Draft) -> Reframed:
    """The same machine in frames of few numbers; gravity points along -z of the base."""
    frames: list[FrameChange] = []
    offsets: list[float] = []
    bodies, inertias = [], []
    for i, body in enumerate(draft.bodies):
        k = draft.parent(i)
        outer = frames[k] if k != BASE else FrameChange(_base_axes(draft, i))
        frame, offset = _chosen(draft, i, outer)
        rotation = clean_rotation(outer.axes.T.after(body.rotation).after(frame.axes).after(about_z(-offset)))
        position = ZERO if k == BASE else _placed(draft, i, outer, frame)
        axis = Vec(*clean([*frame.components(body.axis)]))
        bodies.append(replace(body, rotation=rotation, position=position, axis=axis))
        inertias.append(clean_inertia(draft.inertias[i].moved(frame.axes.T, -frame.components(frame.origin))))
        frames.append(frame)
        offsets.append(offset)
    spins = [
        replace(s, axis=Vec(*clean([*frames[int(s.carrier)].components(s.axis)]))) if s.carrier != BASE else s
        for s in draft.spins
    ]
    gravity = Vec(0.0, 0.0, -_length(draft.gravity))
    return Reframed(Draft(tuple(bodies), tuple(inertias), tuple(spins), gravity), tuple(offsets))


def _base_axes(draft: Draft, i: int) -> Rot:
    """Axes of the base for the tree that starts with body i: z upwards, turned so that its first axis lies in y-z.

    The base is at rest, so each tree on it may see it turned about the vertical as it likes.
    """
    up = -draft.gravity if _length(draft.gravity) else draft.bodies[i].rotation @ draft.bodies[i].axis
    upright = _axes_with_z(up)
    return upright.after(about_z(_twist(draft, i, FrameChange(upright))))


def _chosen(draft: Draft, i: int, outer: FrameChange) -> tuple[FrameChange, float]:
    """The frame of body i, and the offset of its joint that goes with it."""
    body = draft.bodies[i]
    if not body.kind.pure:
        return FrameChange(), 0.0
    if body.kind.slides:
        axes = body.rotation.T.after(outer.axes)
        return FrameChange(axes, _sliding_origin(draft, i, outer)), 0.0
    u = outer.components(body.rotation @ body.axis)
    tilt = about_z(_heading(u)).after(about_x(math.atan2(math.hypot(u.x, u.y), u.z)))
    frame = FrameChange(body.rotation.T.after(outer.axes).after(tilt), _foot(draft, i, outer, u))
    turn = _own_turn(draft, i, frame)
    quarter = abs(math.remainder(turn, math.pi / 2)) <= EXACT
    return FrameChange(frame.axes.after(about_z(turn)), frame.origin), 0.0 if quarter else turn


def _own_turn(draft: Draft, i: int, frame: FrameChange) -> float:
    """How far to turn a body's axes about z: towards the next joint, or its centre of mass where none follows."""
    children = draft.children(i)
    if children:
        return _twist(draft, max(children, key=lambda k: (draft.sizes[k], -k)), frame)
    h = frame.components(draft.inertias[i].moment)
    if not (is_number(h.x) and is_number(h.y)):
        return 0.0
    x, y = clean([h.x, h.y])
    return 0.0 if x == 0 or y == 0 else math.atan2(y, x)


def _twist(draft: Draft, i: int, outer: FrameChange) -> float:
    """The turn about z after which the axis of joint i lies in the y-z plane, or else its position on x."""
    body = draft.bodies[i]
    if body.kind.slides and draft.children(i):
        inner = FrameChange(body.rotation.T.after(outer.axes))
        return _twist(draft, max(draft.children(i), key=lambda k: (draft.sizes[k], -k)), inner)
    along = body.axis if body.kind.pure else Vec(0.0, 0.0, 1.0)
    u = outer.components(body.rotation @ along)
    if math.hypot(u.x, u.y) > EXACT:
        return _heading(u)
    if draft.parent(i) == BASE:
        first = outer.components(body.rotation.columns()[0])
        return math.atan2(first.y, first.x)
    p = outer.components(body.position - outer.origin)
    x, y = clean([p.x, p.y], abs(p.z))
    return math.atan2(y, x)


def _heading(u: Vec) -> float:
    """The angle a of Rz(a) Rx(b) z = u."""
    x, y = clean([u.x, u.y], abs(u.z))
    return math.atan2(x, -y) if x or y else 0.0


def _foot(draft: Draft, i: int, outer: FrameChange, u: Vec) -> Vec:
    """The origin on the axis of revolute joint i, in the body's old frame: where the parent's axis is closest."""
    body = draft.bodies[i]
    p = outer.components(body.position - outer.origin)
    across = u.x * u.x + u.y * u.y
    if draft.parent(i) == BASE:
        slide = 0.0
    elif across > NEARLY_PARALLEL**2:
        slide = -(p.x * u.x + p.y * u.y) / across
    else:
        slide = -p.z / u.z
    return body.axis * slide


def _sliding_origin(draft: Draft, i: int, outer: FrameChange) -> Vec:
    """The origin of a body that only slides: its centre of mass if it ends the chain, else that of its parent."""
    body, inertia = draft.bodies[i], draft.inertias[i]
    if not draft.children(i) and is_number(inertia.mass) and inertia.mass and all(map(is_number, inertia.moment)):
        return inertia.moment * (1 / inertia.mass)
    return ZERO if draft.parent(i) == BASE else body.rotation.T @ (outer.origin - body.position)


def _placed(draft: Draft, i: int, outer: FrameChange, frame: FrameChange) -> Vec:
    """The new position of body i in its parent's new frame."""
    body = draft.bodies[i]
    where = body.position + body.rotation @ frame.origin
    size = max(abs(x) for x in (*body.position, *outer.origin, *frame.origin, 0.0))
    return Vec(*clean([*outer.components(where - outer.origin)], size))


def _axes_with_z(direction: Vec) -> Rot:
    """Axes whose z points along a direction; the given ones where it is z already."""
    z = Vec(*clean([*direction * (1 / _length(direction))]))
    helper = Vec(1.0, 0.0, 0.0) if abs(z.x) < 0.9 else Vec(0.0, 1.0, 0.0)
    y = z.cross(helper)
    y = y * (1 / _length(y))
    return clean_rotation(Rot(y.cross(z), y, z).T)


def _length(v: Vec) -> float:
    return math.sqrt(v.dot(v))
