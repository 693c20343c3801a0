"""The equations of closed loops: gaps, rows over the speeds, and drifts, for any scalar type.

A loop is a constraint between frame A and frame B. Both frames are placed relative to their lowest common ancestor, so
joints between the base and this ancestor do not occur in the equations, not even with coefficients that vanish.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Rot, Scalar, Vec, is_zero
from gearwright.dynamics.kinematics import joint_motion
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import BASE, Mechanism
from gearwright.mechanism.joints.dofs import Dof, axis_acceleration

TRANSLATIONS, ROTATIONS = ("x", "y", "z"), ("rx", "ry", "rz")

LoopRow = dict[int, Scalar]
"""The entries of a row by speed, without structural zeros."""


@dataclass(frozen=True)
class LoopSide:
    """A frame of a loop: the bodies from below the common ancestor to its own, and its place on the last one."""

    path: tuple[int, ...]
    rotation: Rot
    position: Vec


@dataclass(frozen=True)
class LoopGeometry:
    """A loop: coordinates `held` of frame `A` relative to frame `B` are zero.

    Args:
        name: its name.
        A: the constrained frame.
        B: the frame relative to which it is constrained.
        held: some of x, y, z, rx, ry, rz, in this order.
    """

    name: str
    A: LoopSide
    B: LoopSide
    held: tuple[str, ...]

    @property
    def equation_names(self) -> tuple[str, ...]:
        """The names of its equations, `<loop>.<coordinate>`."""
        return tuple(f"{self.name}.{word}" for word in self.held)


class LoopEquation(NamedTuple):
    """One equation: its gap [m, rad], its row W, and its drift with W a + drift = 0."""

    gap: Scalar
    row: LoopRow
    drift: Scalar


class Axis(NamedTuple):
    """A degree of freedom on the path of a frame: direction and origin in axes of the common ancestor."""

    dof: Dof
    direction: Vec
    origin: Vec


class LoopFrameMotion(NamedTuple):
    """A frame relative to the common ancestor at accelerations of zero, all in the ancestor's axes."""

    rotation: Rot
    position: Vec
    axes: list[Axis]
    omega: Vec
    alpha: Vec
    velocity: Vec
    acceleration: Vec


def loop_geometry(mech: Mechanism, name: str, frames: Sequence[str | int], held: Sequence[str]) -> LoopGeometry:
    """Return a loop between two bodies or frames of a machine."""
    places = [mech.place_of(frame) for frame in frames]
    upward = [mech.body_paths[body] if body != BASE else () for body, _, _ in places]
    shared = set(upward[0]) & set(upward[1])
    ends = [
        LoopSide(tuple(i for i in reversed(path) if i not in shared), rotation or IDENTITY, position or ZERO)
        for path, (_, rotation, position) in zip(upward, places, strict=True)
    ]
    return LoopGeometry(name, ends[0], ends[1], tuple(word for word in (*TRANSLATIONS, *ROTATIONS) if word in held))


def loop_equations(pose: Pose, loop: LoopGeometry, v: Sequence[Scalar] | None = None) -> list[LoopEquation]:
    """Return the equations of a loop, one per held coordinate; without speeds all drifts are zero."""
    a, b = (_frame_motion(pose, end, v) for end in (loop.A, loop.B))
    equations: list[LoopEquation] = []
    translations = [TRANSLATIONS.index(word) for word in loop.held if word in TRANSLATIONS]
    rotations = [ROTATIONS.index(word) for word in loop.held if word in ROTATIONS]
    equations += _coincident_points(a, b) if len(translations) == 3 else _displacements(a, b, translations)
    equations += _equal_orientations(a, b) if len(rotations) == 3 else _tilts(a, b, rotations)
    return equations


def facing_cosines(pose: Pose, loop: LoopGeometry) -> list[Scalar]:
    """Return cosines that are positive in a closed loop: gaps of rotations vanish for frames turned by 180 deg, too."""
    rotations = [ROTATIONS.index(word) for word in loop.held if word in ROTATIONS]
    if not rotations:
        return []
    a, b = (_frame_motion(pose, end, None).rotation.columns() for end in (loop.A, loop.B))
    axes = [k for k in range(3) if k not in rotations] if len(rotations) == 2 else range(3)
    if len(rotations) == 1:  # the angle about one axis
        return [sum_of(b[k].dot(a[k]) for k in range(3) if k != rotations[0])]
    return [b[k].dot(a[k]) for k in axes]


def sum_of(values: Iterable[Scalar]) -> Scalar:
    """Return the sum, without an addition to zero."""
    total: Scalar = 0.0
    for x in values:
        total = total + x
    return total


def _frame_motion(pose: Pose, end: LoopSide, v: Sequence[Scalar] | None) -> LoopFrameMotion:
    R, p = IDENTITY, ZERO
    w = alpha = velocity = acceleration = ZERO
    axes: list[Axis] = []
    for count, i in enumerate(end.path):
        r = R @ pose.shift[i] if count else pose.shift[i]
        R, p = (R.after(pose.turn[i]), p + r) if count else (pose.turn[i], r)
        dofs = pose.dofs[i]
        placed = [Axis(dof, R @ dof.axis, p) for dof in dofs]
        axes += placed
        if v is None:
            continue
        turning, sliding = joint_motion([_along(axis) for axis in placed], v)
        velocity, acceleration = velocity + w.cross(r), acceleration + alpha.cross(r) + w.cross(w.cross(r))
        if sliding is not None:
            acceleration = acceleration + (w * 2).cross(sliding)
            if turning is not None:
                acceleration = acceleration + turning.cross(sliding)
            velocity = velocity + sliding
        if turning is not None:
            axis_turning = axis_acceleration([_along(axis) for axis in placed], v)
            alpha = alpha + w.cross(turning) if axis_turning is None else alpha + w.cross(turning) + axis_turning
            w = w + turning
    r = R @ end.position
    return LoopFrameMotion(
        R.after(end.rotation),
        p + r,
        axes,
        w,
        alpha,
        velocity + w.cross(r),
        acceleration + alpha.cross(r) + w.cross(w.cross(r)),
    )


def _along(axis: Axis) -> Dof:
    """The degree of freedom with its direction in the ancestor's axes."""
    return Dof(axis.dof.angular, axis.direction, axis.dof.speed, axis.dof.factor, axis.dof.stage)


def _point_columns(motion: LoopFrameMotion, point: Vec) -> list[tuple[Dof, Vec]]:
    """The velocity of a point of the frame's body per unit of each degree of freedom."""
    return [(x.dof, x.direction.cross(point - x.origin) if x.dof.angular else x.direction) for x in motion.axes]


def _turn_columns(motion: LoopFrameMotion) -> list[tuple[Dof, Vec]]:
    """The angular velocity per unit of each degree of freedom."""
    return [(x.dof, x.direction) for x in motion.axes if x.dof.angular]


def _row_along(e: Vec, plus: Sequence[tuple[Dof, Vec]], minus: Sequence[tuple[Dof, Vec]]) -> LoopRow:
    """The row e . (velocity of A minus velocity of B)."""
    row: LoopRow = {}
    for columns, sign in ((plus, 1.0), (minus, -1.0)):
        for dof, column in columns:
            share = dof.times_factor(e.dot(column))
            before = row.get(dof.speed, 0.0)
            row[dof.speed] = before + share if sign > 0 else before - share
    return {speed: x for speed, x in row.items() if not is_zero(x)}


def _coincident_points(a: LoopFrameMotion, b: LoopFrameMotion) -> list[LoopEquation]:
    """Both origins coincide, in axes of the common ancestor."""
    gap, drift = a.position - b.position, a.acceleration - b.acceleration
    plus, minus = _point_columns(a, a.position), _point_columns(b, b.position)
    rows = [_row_along(e, plus, minus) for e in IDENTITY.columns()]
    return [LoopEquation(x, row, y) for x, row, y in zip(gap, rows, drift, strict=True)]


def _displacements(a: LoopFrameMotion, b: LoopFrameMotion, held: Sequence[int]) -> list[LoopEquation]:
    """Some coordinates of A's origin in frame B: d/dt of b . (p_A - p_B), relative_velocity from frame B."""
    apart = a.position - b.position
    relative_velocity = a.velocity - b.velocity - b.omega.cross(apart)
    carried = b.acceleration + b.alpha.cross(apart) + b.omega.cross(b.omega.cross(apart))
    drift = a.acceleration - carried - (b.omega * 2).cross(relative_velocity)
    plus, minus = _point_columns(a, a.position), _point_columns(b, a.position)
    axes = b.rotation.columns()
    return [LoopEquation(axes[k].dot(apart), _row_along(axes[k], plus, minus), axes[k].dot(drift)) for k in held]


def _equal_orientations(a: LoopFrameMotion, b: LoopFrameMotion) -> list[LoopEquation]:
    """Both frames have the same axes: 1/2 sum b_i x a_i, the sine of the angle times the axis of rotation."""
    products = [x.cross(y) for x, y in zip(b.rotation.columns(), a.rotation.columns(), strict=True)]
    gap, drift = (products[0] + products[1] + products[2]) * 0.5, a.alpha - b.alpha
    rows = [_row_along(e, _turn_columns(a), _turn_columns(b)) for e in IDENTITY.columns()]
    return [LoopEquation(x, row, y) for x, row, y in zip(gap, rows, drift, strict=True)]


def _tilts(a: LoopFrameMotion, b: LoopFrameMotion, held: Sequence[int]) -> list[LoopEquation]:
    """One or two held rotations: sums of products b_i . a_j of axes that vanish.

    The rate of b . a is w . (a x b) with the relative angular velocity w; its drift follows from the rates of both.
    """
    A, B = a.rotation.columns(), b.rotation.columns()
    w, alpha = a.omega - b.omega, a.alpha - b.alpha
    equations = []
    for k in held:
        if len(held) == 2:
            free = 3 - sum(held)  # its axis tilts about k along the third one
            products = [(3 - k - free, free, 1.0 if (k + 1) % 3 == free else -1.0)]
        else:
            after, before = (k + 1) % 3, (k + 2) % 3
            products = [(before, after, 0.5), (after, before, -0.5)]
        gap: Scalar = 0.0
        normal = normal_rate = ZERO
        for i, j, share in products:
            gap = gap + share * B[i].dot(A[j])
            normal = normal + A[j].cross(B[i]) * share
            rate = a.omega.cross(A[j]).cross(B[i]) + A[j].cross(b.omega.cross(B[i]))
            normal_rate = normal_rate + rate * share
        drift = alpha.dot(normal) + w.dot(normal_rate)
        equations.append(LoopEquation(gap, _row_along(normal, _turn_columns(a), _turn_columns(b)), drift))
    return equations
