"""Bodies for MuJoCo: massless links become further joints of the next body; inertias have principal axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import IDENTITY, ZERO, Rot, Vec, is_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Body, Mechanism
from gearwright.parts.structure.frame_changes import FramePlacement
from gearwright.text import listed_names

MJCF_MOVING_KINDS = ("revolute", "prismatic", "spherical")
TRIANGLE_INEQUALITY_TOLERANCE = 1e-9
"""Largest violation of the triangle inequality of principal moments by rounding, relative to the largest."""


@dataclass(frozen=True)
class PlacedJoint:
    """A joint of a body, in the body's frame at zero."""

    body: int
    axis: Vec
    position: Vec


@dataclass(frozen=True)
class MjcfBody:
    """A body of MuJoCo: the machine's body, its pose in the parent's frame, its joints from the parent on."""

    body: int
    parent: int
    place: FramePlacement
    joints: tuple[PlacedJoint, ...]


@dataclass(frozen=True)
class MassProperties:
    """Mass [kg], centre of mass [m], tensor about it [kg m2], (3, 3)."""

    mass: float
    com: Array
    tensor: Array

    def without_body(self, other: MassProperties) -> MassProperties:
        """Return the inertia without another body."""
        mass = self.mass - other.mass
        moment = self.mass * self.com - other.mass * other.com
        com = moment / mass if mass > 0 else self.com
        central = self.tensor + self.mass * _steiner_term(self.com - com)
        return MassProperties(mass, com, central - other.tensor - other.mass * _steiner_term(other.com - com))

    def principal_moments(self) -> tuple[Array, Array]:
        """Principal moments, increasing, and the axes as columns of a rotation."""
        moments, axes = np.linalg.eigh(self.tensor)
        axes[:, 2] *= np.linalg.det(axes)
        if 0 < moments[2] - moments[0] - moments[1] <= TRIANGLE_INEQUALITY_TOLERANCE * abs(moments[2]):
            moments[2] = moments[0] + moments[1]
        return moments, axes

    def is_accepted(self) -> bool:
        """Whether MuJoCo accepts it as a moving body: mass, positive moments, triangle inequality."""
        moments, _ = self.principal_moments()
        return bool(self.mass > 0 and moments[0] > 0 and moments[0] + moments[1] >= moments[2])


def mass_properties(body: Body) -> MassProperties:
    """Return the inertia of the augmented link as numbers."""
    flat = [body.mass, *body.com, *body.inertia]
    if not all(is_number(x) for x in flat):
        raise InputError(
            f"link {body.name!r} has a symbol, which a file cannot represent. Replace it by a number first."
        )
    return MassProperties(float(body.mass), vector_array(body.com), np.array(body.inertia.rows(), dtype=float))


def vector_array(v: Any) -> Array:
    """Return three numbers as an array."""
    return np.array([float(x) for x in Vec.from_values(v)])


def unit_quaternion(rotation: Rot | Array) -> tuple[float, ...]:
    """Return the unit quaternion (w, x, y, z) of a rotation, by the largest of its four squares."""
    R = np.array(rotation.rows() if isinstance(rotation, Rot) else rotation, dtype=float)
    trace = float(np.trace(R))
    squares = np.array([trace, *(2 * R[k, k] - trace for k in range(3))]) + 1.0
    k = int(np.argmax(squares))
    differences = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if k == 0:
        q = np.array([squares[0], *differences])
    else:
        i = k - 1
        q = np.array([differences[i], *(R[i, j] + R[j, i] for j in range(3))])
        q[k] = squares[k]
    return tuple(float(x) for x in q / np.linalg.norm(q))


def _steiner_term(r: Array) -> Array:
    return np.asarray(r @ r * np.eye(3) - np.outer(r, r))


def mjcf_bodies(mech: Mechanism, carriers: Iterable[int]) -> list[MjcfBody]:
    """Return all bodies except merged ones, parents first; bodies in `carriers` carry a part and are not merged."""
    children: dict[int, list[int]] = {}
    for i in range(len(mech.bodies)):
        children.setdefault(mech.parent_of(i), []).append(i)
    merged = {i for i in range(len(mech.bodies)) if i not in set(carriers) and _is_massless_joint(mech, i, children)}
    return [_mjcf_body(mech, i, merged) for i in range(len(mech.bodies)) if i not in merged]


def _is_massless_joint(mech: Mechanism, i: int, children: dict[int, list[int]]) -> bool:
    body, after = mech.bodies[i], children.get(i, [])
    weightless = not any(is_number(x) and x for x in (body.mass, *body.inertia))
    next_moves = len(after) == 1 and mech.bodies[after[0]].joint in MJCF_MOVING_KINDS
    # MuJoCo allows no rotation after a ball joint on one body
    return weightless and body.joint in ("revolute", "prismatic") and next_moves


def _mjcf_body(mech: Mechanism, i: int, merged: set[int]) -> MjcfBody:
    chain = [i]
    while mech.parent_of(chain[0]) in merged:
        chain.insert(0, mech.parent_of(chain[0]))
    joints: list[PlacedJoint] = []
    turn, offset = IDENTITY, ZERO  # the current frame in that of body i, from the end of the chain
    for k in reversed(chain):
        body = mech.bodies[k]
        if body.joint != "fixed":
            joints.insert(0, PlacedJoint(k, turn @ body.axis, offset))
        turn = turn.after(body.rotation.T)
        offset = offset - turn @ body.position
    # (turn, offset) is now the parent's frame in that of body i
    back = turn.T
    return MjcfBody(i, mech.parent_of(chain[0]), FramePlacement(back, -(back @ offset)), tuple(joints))


def require_physical_bodies(mech: Mechanism, bodies: Sequence[MjcfBody], weights: dict[int, MassProperties]) -> None:
    """Raise an error that names every moving link that MuJoCo rejects."""
    moving = [body.body for body in bodies if body.joints]
    heavy = {i for i in moving if weights[i].is_accepted() or _carries_fixed_mass(mech, i, weights)}
    refused = [mech.bodies[i].name for i in moving if i not in heavy]
    if refused:
        raise InputError(
            f"MuJoCo rejects moving links with mass and principal moments of no rigid body: {listed_names(refused)}. "
            "Give them the mass and inertia of a rigid body (effective links have only identifiable combinations), or "
            "fix the joints of massless links."
        )


def _carries_fixed_mass(mech: Mechanism, i: int, weights: dict[int, MassProperties]) -> bool:
    """Whether a massless link has a body with mass fixed to it, so that it may move."""
    if weights[i].mass or weights[i].tensor.any():
        return False
    fixed = [k for k, body in enumerate(mech.bodies) if body.joint == "fixed" and mech.parent_of(k) == i]
    return any(weights[k].is_accepted() or _carries_fixed_mass(mech, k, weights) for k in fixed)
