"""Choice of body frames in which most numbers of a machine are zero.

Every revolute axis becomes z, the x axis of a body the common normal to the next axis (Denavit and Hartenberg), the
fixed rotation of a joint a rotation about x alone; the remainder is an offset of the joint angle. Bodies behind a
prismatic joint have the axes of their parent. Bodies on all other joints keep their frames, in which the speeds of
free, spherical and planar joints are expressed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Rot, Vec, is_number
from gearwright.mechanism import BASE
from gearwright.tracing.simplify.editable_machine import (
    ROUNDING_ZERO_RATIO,
    EditableMachine,
    inertia_with_exact_zeros,
    rotation_with_exact_zeros,
    with_exact_zeros,
)

NEARLY_PARALLEL = 0.2
"""Sine of the angle between two axes below which the foot of their common normal is too far away as an origin."""


class FrameChange(NamedTuple):
    """A new frame relative to the old one: `axes` maps new components to old ones; `origin` is in the old frame."""

    axes: Rot = IDENTITY
    origin: Vec = ZERO

    def components(self, direction: Vec) -> Vec:
        """The components in the new frame of a direction given in the old one."""
        return self.axes.T @ direction


class ReframedMachine(NamedTuple):
    """A draft in its new frames, and the offset of each joint angle."""

    draft: EditableMachine
    offsets: tuple[float, ...]


def rotation_about_x(angle: float) -> Rot:
    """A rotation about x."""
    return rotation_with_exact_zeros(Rot.about_axis(Vec(1.0, 0.0, 0.0), math.cos(angle), math.sin(angle)))


def rotation_about_z(angle: float) -> Rot:
    """A rotation about z."""
    return rotation_with_exact_zeros(Rot.about_axis(Vec(0.0, 0.0, 1.0), math.cos(angle), math.sin(angle)))


def choose_frames(draft: EditableMachine) -> ReframedMachine:
    """The same machine in frames with few nonzero numbers; gravity points along -z of the base."""
    frames: list[FrameChange] = []
    offsets: list[float] = []
    bodies, inertias = [], []
    for i, body in enumerate(draft.bodies):
        k = draft.parent_of(i)
        outer = frames[k] if k != BASE else FrameChange(_base_axes(draft, i))
        frame, offset = _choose_frame(draft, i, outer)
        rotation = rotation_with_exact_zeros(
            outer.axes.T.after(body.rotation).after(frame.axes).after(rotation_about_z(-offset))
        )
        position = ZERO if k == BASE else _position_in_parent(draft, i, outer, frame)
        axis = Vec(*with_exact_zeros([*frame.components(body.axis)]))
        bodies.append(replace(body, rotation=rotation, position=position, axis=axis))
        inertias.append(
            inertia_with_exact_zeros(draft.inertias[i].transformed_by(frame.axes.T, -frame.components(frame.origin)))
        )
        frames.append(frame)
        offsets.append(offset)
    spins = [
        replace(s, axis=Vec(*with_exact_zeros([*frames[int(s.carrier)].components(s.axis)])))
        if s.carrier != BASE
        else s
        for s in draft.spins
    ]
    gravity = Vec(0.0, 0.0, -_vector_length(draft.gravity))
    return ReframedMachine(EditableMachine(tuple(bodies), tuple(inertias), tuple(spins), gravity), tuple(offsets))


def _base_axes(draft: EditableMachine, i: int) -> Rot:
    """Axes of the base for the tree that starts with body i: z upwards, turned so that its first axis lies in y-z.

    The base is at rest, so each tree on it may use its own rotation about the vertical.
    """
    up = -draft.gravity if _vector_length(draft.gravity) else draft.bodies[i].rotation @ draft.bodies[i].axis
    upright = _axes_with_z(up)
    return upright.after(rotation_about_z(_joint_turn(draft, i, FrameChange(upright))))


def _choose_frame(draft: EditableMachine, i: int, outer: FrameChange) -> tuple[FrameChange, float]:
    """The frame of body i, and the offset of its joint that goes with it."""
    body = draft.bodies[i]
    if not body.kind.pure:
        return FrameChange(), 0.0
    if body.kind.is_prismatic:
        axes = body.rotation.T.after(outer.axes)
        return FrameChange(axes, _sliding_origin(draft, i, outer)), 0.0
    u = outer.components(body.rotation @ body.axis)
    tilt = rotation_about_z(_heading_angle(u)).after(rotation_about_x(math.atan2(math.hypot(u.x, u.y), u.z)))
    frame = FrameChange(body.rotation.T.after(outer.axes).after(tilt), _common_normal_foot(draft, i, outer, u))
    turn = _axis_turn(draft, i, frame)
    quarter = abs(math.remainder(turn, math.pi / 2)) <= ROUNDING_ZERO_RATIO
    return FrameChange(frame.axes.after(rotation_about_z(turn)), frame.origin), 0.0 if quarter else turn


def _axis_turn(draft: EditableMachine, i: int, frame: FrameChange) -> float:
    """The rotation of a body's axes about z: towards the next joint, or its centre of mass if it is the last body."""
    children = draft.children_of(i)
    if children:
        return _joint_turn(draft, max(children, key=lambda k: (draft.subtree_sizes[k], -k)), frame)
    h = frame.components(draft.inertias[i].moment)
    if not (is_number(h.x) and is_number(h.y)):
        return 0.0
    x, y = with_exact_zeros([h.x, h.y])
    return 0.0 if x == 0 or y == 0 else math.atan2(y, x)


def _joint_turn(draft: EditableMachine, i: int, outer: FrameChange) -> float:
    """The rotation about z after which the axis of joint i lies in the y-z plane, or else its position on x."""
    body = draft.bodies[i]
    if body.kind.is_prismatic and draft.children_of(i):
        inner = FrameChange(body.rotation.T.after(outer.axes))
        return _joint_turn(draft, max(draft.children_of(i), key=lambda k: (draft.subtree_sizes[k], -k)), inner)
    along = body.axis if body.kind.pure else Vec(0.0, 0.0, 1.0)
    u = outer.components(body.rotation @ along)
    if math.hypot(u.x, u.y) > ROUNDING_ZERO_RATIO:
        return _heading_angle(u)
    if draft.parent_of(i) == BASE:
        first = outer.components(body.rotation.columns()[0])
        return math.atan2(first.y, first.x)
    p = outer.components(body.position - outer.origin)
    x, y = with_exact_zeros([p.x, p.y], abs(p.z))
    return math.atan2(y, x)


def _heading_angle(u: Vec) -> float:
    """The angle a of Rz(a) Rx(b) z = u."""
    x, y = with_exact_zeros([u.x, u.y], abs(u.z))
    return math.atan2(x, -y) if x or y else 0.0


def _common_normal_foot(draft: EditableMachine, i: int, outer: FrameChange, u: Vec) -> Vec:
    """The origin on the axis of revolute joint i, in the body's old frame: the point closest to the parent's axis."""
    body = draft.bodies[i]
    p = outer.components(body.position - outer.origin)
    across = u.x * u.x + u.y * u.y
    if draft.parent_of(i) == BASE:
        slide = 0.0
    elif across > NEARLY_PARALLEL**2:
        slide = -(p.x * u.x + p.y * u.y) / across
    else:
        slide = -p.z / u.z
    return body.axis * slide


def _sliding_origin(draft: EditableMachine, i: int, outer: FrameChange) -> Vec:
    """The origin of a body on a prismatic joint: its centre of mass if it ends the chain, else that of its parent."""
    body, inertia = draft.bodies[i], draft.inertias[i]
    if not draft.children_of(i) and is_number(inertia.mass) and inertia.mass and all(map(is_number, inertia.moment)):
        return inertia.moment * (1 / inertia.mass)
    return ZERO if draft.parent_of(i) == BASE else body.rotation.T @ (outer.origin - body.position)


def _position_in_parent(draft: EditableMachine, i: int, outer: FrameChange, frame: FrameChange) -> Vec:
    """The new position of body i in its parent's new frame."""
    body = draft.bodies[i]
    joint_position = body.position + body.rotation @ frame.origin
    size = max(abs(x) for x in (*body.position, *outer.origin, *frame.origin, 0.0))
    return Vec(*with_exact_zeros([*outer.components(joint_position - outer.origin)], size))


def _axes_with_z(direction: Vec) -> Rot:
    """Axes whose z points along a direction; unchanged if it is z already."""
    z = Vec(*with_exact_zeros([*direction * (1 / _vector_length(direction))]))
    helper = Vec(1.0, 0.0, 0.0) if abs(z.x) < 0.9 else Vec(0.0, 1.0, 0.0)
    y = z.cross(helper)
    y = y * (1 / _vector_length(y))
    return rotation_with_exact_zeros(Rot(y.cross(z), y, z).T)


def _vector_length(v: Vec) -> float:
    return math.sqrt(v.dot(v))
