"""Bodies for MuJoCo: links without mass become further joints of the next one, inertias principal axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import IDENTITY, ZERO, Rot, Vec, is_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Body, Mechanism
from gearwright.parts.structure.frame_changes import PartPlace
from gearwright.text import listed

MOVES = ("revolute", "prismatic", "spherical")
ROUNDING = 1e-9
"""How far three principal moments may miss the triangle inequality by rounding, relative to the largest."""


@dataclass(frozen=True)
class PlacedJoint:
    """A joint of a body, in the body's frame at zero."""

    body: int
    axis: Vec
    position: Vec


@dataclass(frozen=True)
class MjcfBody:
    """A body as MuJoCo sees it: the machine's body, its place in the parent's frame, its joints from the parent on."""

    body: int
    parent: int
    place: PartPlace
    joints: tuple[PlacedJoint, ...]


@dataclass(frozen=True)
class Weight:
    """Mass [kg], centre of mass [m], tensor about it [kg m2], (3, 3)."""

    mass: float
    com: Array
    tensor: Array

    def less(self, other: Weight) -> Weight:
        """What is left when another body is taken out."""
        mass = self.mass - other.mass
        moment = self.mass * self.com - other.mass * other.com
        com = moment / mass if mass > 0 else self.com
        central = self.tensor + self.mass * _steiner(self.com - com)
        return Weight(mass, com, central - other.tensor - other.mass * _steiner(other.com - com))

    def principal(self) -> tuple[Array, Array]:
        """Principal moments, rising, and the axes as columns of a rotation."""
        moments, axes = np.linalg.eigh(self.tensor)
        axes[:, 2] *= np.linalg.det(axes)
        if 0 < moments[2] - moments[0] - moments[1] <= ROUNDING * abs(moments[2]):
            moments[2] = moments[0] + moments[1]
        return moments, axes

    def accepted(self) -> bool:
        """Whether MuJoCo takes it as a moving body: mass, positive moments, triangle inequality."""
        moments, _ = self.principal()
        return bool(self.mass > 0 and moments[0] > 0 and moments[0] + moments[1] >= moments[2])


def weight_of(body: Body) -> Weight:
    """The augmented link as numbers."""
    flat = [body.mass, *body.com, *body.inertia]
    if not all(is_number(x) for x in flat):
        raise InputError(f"link {body.name!r} holds a symbol: a file cannot. Put a number in its place first.")
    return Weight(float(body.mass), array(body.com), np.array(body.inertia.rows(), dtype=float))


def array(v: Any) -> Array:
    """Three numbers as an array."""
    return np.array([float(x) for x in Vec.of(v)])


def quaternion(rotation: Rot | Array) -> tuple[float, ...]:
    """Unit quaternion (w, x, y, z) of a rotation, by the largest of its four squares."""
    R = np.array(rotation.rows() if isinstance(rotation, Rot) else rotation, dtype=float)
    trace = float(np.trace(R))
    squares = np.array([trace, *(2 * R[k, k] - trace for k in range(3))]) + 1.0
    k = int(np.argmax(squares))
    apart = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if k == 0:
        q = np.array([squares[0], *apart])
    else:
        i = k - 1
        q = np.array([apart[i], *(R[i, j] + R[j, i] for j in range(3))])
        q[k] = squares[k]
    return tuple(float(x) for x in q / np.linalg.norm(q))


def _steiner(r: Array) -> Array:
    return np.asarray(r @ r * np.eye(3) - np.outer(r, r))


def mjcf_bodies(mech: Mechanism, kept: Iterable[int]) -> list[MjcfBody]:
    """All bodies but those merged into the next, parents first; bodies in `kept` carry something and are not merged."""
    children: dict[int, list[int]] = {}
    for i in range(len(mech.bodies)):
        children.setdefault(mech.parent(i), []).append(i)
    merged = {i for i in range(len(mech.bodies)) if i not in set(kept) and _only_a_joint(mech, i, children)}
    return [_body(mech, i, merged) for i in range(len(mech.bodies)) if i not in merged]


def _only_a_joint(mech: Mechanism, i: int, children: dict[int, list[int]]) -> bool:
    body, after = mech.bodies[i], children.get(i, [])
    weightless = not any(is_number(x) and x for x in (body.mass, *body.inertia))
    next_moves = len(after) == 1 and mech.bodies[after[0]].joint in MOVES
    # MuJoCo takes no rotation after a ball on one body
    return weightless and body.joint in ("revolute", "prismatic") and next_moves


def _body(mech: Mechanism, i: int, merged: set[int]) -> MjcfBody:
    chain = [i]
    while mech.parent(chain[0]) in merged:
        chain.insert(0, mech.parent(chain[0]))
    joints: list[PlacedJoint] = []
    turn, offset = IDENTITY, ZERO  # the frame at hand in that of body i, from the end of the chain
    for k in reversed(chain):
        body = mech.bodies[k]
        if body.joint != "fixed":
            joints.insert(0, PlacedJoint(k, turn @ body.axis, offset))
        turn = turn.after(body.rotation.T)
        offset = offset - turn @ body.position
    # (turn, offset) is now the parent's frame in that of body i
    back = turn.T
    return MjcfBody(i, mech.parent(chain[0]), PartPlace(back, -(back @ offset)), tuple(joints))


def refuse_unphysical(mech: Mechanism, bodies: Sequence[MjcfBody], weights: dict[int, Weight]) -> None:
    """Name every moving link that MuJoCo would not take."""
    moving = [body.body for body in bodies if body.joints]
    heavy = {i for i in moving if weights[i].accepted() or _carries_fixed_mass(mech, i, weights)}
    refused = [mech.bodies[i].name for i in moving if i not in heavy]
    if refused:
        raise InputError(
            f"MuJoCo refuses moving links whose mass and principal moments no body has: {listed(refused)}. Give them "
            "the mass and inertia of a body (effective links have only combinations of numbers that matter), or fix "
            "the joints of links without mass."
        )


def _carries_fixed_mass(mech: Mechanism, i: int, weights: dict[int, Weight]) -> bool:
    """A link without any mass of its own may move if something with mass is fixed to it."""
    if weights[i].mass or weights[i].tensor.any():
        return False
    fixed = [k for k, body in enumerate(mech.bodies) if body.joint == "fixed" and mech.parent(k) == i]
    return any(weights[k].accepted() or _carries_fixed_mass(mech, k, weights) for k in fixed)
