"""Bodies and joints of a compiled MJCF model as links: a body with several joints becomes a chain.

A body's frame sits on its last joint here; every number of the body is moved there once. The coordinate of a hinge or
slide is MuJoCo's qpos, which is `ref` where the file draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import cos, sin
from typing import Any

from gearwright.algebra import IDENTITY, ZERO, Rot, Tensor, Vec
from gearwright.files.mjcf.equalities import Follower
from gearwright.files.mjcf.names import Names
from gearwright.parts import Joint, JointSpring, Limits, Link
from gearwright.parts.structure.frame_changes import PartPlace

FREE, BALL, SLIDE, HINGE = range(4)
KINDS = {FREE: "free", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}
SPEEDS = {FREE: 6, BALL: 3, SLIDE: 1, HINGE: 1}


def vec(values: Any) -> Vec:
    """Three numbers of an array."""
    return Vec(*(float(x) for x in values))


def rot(quaternion: Any) -> Rot:
    """The rotation of a quaternion of an array; that of no turn exactly."""
    w, *rest = (float(x) for x in quaternion)
    return Rot.of_quaternion(w, *rest) if any(rest) else IDENTITY


class LinkMaker:
    """Makes the links of a model."""

    def __init__(self, model: Any, names: Names, off: frozenset[str], followers: Mapping[int, Follower]) -> None:
        self.model, self.names, self.off, self.followers = model, names, off, followers

    def links(self) -> list[Link]:
        """All links, parents first."""
        return [link for body in range(1, self.model.nbody) for link in self._chain(body)]

    def origin(self, body: int) -> Vec:
        """Where the frame of a body's link is in the body's frame there: on its last joint."""
        m = self.model
        count = m.body_jntnum[body]
        if not count or m.jnt_type[m.body_jntadr[body]] == FREE:
            return ZERO
        return vec(m.jnt_pos[m.body_jntadr[body] + count - 1])

    def _chain(self, body: int) -> list[Link]:
        m = self.model
        first, count = int(m.body_jntadr[body]), int(m.body_jntnum[body])
        parent = int(m.body_parentid[body])
        place = PartPlace(rot(m.body_quat[body]), vec(m.body_pos[body]) - self.origin(parent))
        if not count:
            name = self.names.bodies[body]
            joint = Joint(self.names.joint(name), "fixed", rotation=place.rotation, position=place.position)
            return [self._weighed(Link(name, self.names.bodies[parent], joint), body)]
        links, before, carrier = [], ZERO, self.names.bodies[parent]
        for k in range(first, first + count):
            last = k == first + count - 1
            name = self.names.bodies[body] if last else self.names.link(self.names.joints[k])
            at = vec(m.jnt_pos[k])
            links.append(Link(name, carrier, self._joint(k, place.then(PartPlace(position=at - before)))))
            place, before, carrier = PartPlace(), at, name
        return [*links[:-1], self._weighed(links[-1], body)]

    def _weighed(self, link: Link, body: int) -> Link:
        m = self.model
        tensor = Tensor.diagonal(*(float(x) for x in m.body_inertia[body])).rotated(rot(m.body_iquat[body]))
        com = vec(m.body_ipos[body]) - self.origin(body)
        return replace(link, mass=float(m.body_mass[body]), com=com, inertia=tensor)

    def _joint(self, k: int, place: PartPlace) -> Joint:
        kind = int(self.model.jnt_type[k])
        if kind == FREE:
            return Joint(self.names.joints[k], "free")
        if kind == BALL:
            return Joint(self.names.joints[k], "spherical", rotation=place.rotation, position=place.position)
        follower = self.followers.get(k)
        if follower is not None and follower.leader is None:
            place = self._turned(k, place, follower.offset)
            return Joint(self.names.joints[k], "fixed", rotation=place.rotation, position=place.position)
        return self._single(k, self._turned(k, place, 0.0), follower)

    def _turned(self, k: int, place: PartPlace, q: float) -> PartPlace:
        """The placement of a joint whose coordinate is `ref` where the file draws it, moved by q from its zero."""
        axis, by = vec(self.model.jnt_axis[k]), q - float(self.model.qpos0[self.model.jnt_qposadr[k]])
        if not by:
            return place
        if self.model.jnt_type[k] == SLIDE:
            return place.then(PartPlace(position=axis * by))
        return place.then(PartPlace(Rot.about(axis, cos(by), sin(by))))

    def _single(self, k: int, place: PartPlace, follower: Follower | None) -> Joint:
        m, dof = self.model, int(self.model.jnt_dofadr[k])
        rubs = "frictionloss" not in self.off
        return Joint(
            self.names.joints[k],
            KINDS[int(m.jnt_type[k])],
            vec(m.jnt_axis[k]),
            place.rotation,
            place.position,
            limits=self._limits(k),
            follows=None if follower is None else (self._leader(follower), follower.factor, follower.offset),
            friction=float(m.dof_frictionloss[dof]) if rubs else 0.0,
            spring=self._spring(k, dof),
            armature=float(m.dof_armature[dof]),
        )

    def _leader(self, follower: Follower) -> str:
        assert follower.leader is not None
        return self.names.joints[follower.leader]

    def _limits(self, k: int) -> Limits:
        m = self.model
        position = effort = None
        if m.jnt_limited[k] and "limit" not in self.off:
            position = (float(m.jnt_range[k][0]), float(m.jnt_range[k][1]))
        if m.jnt_actfrclimited[k]:
            effort = float(abs(m.jnt_actfrcrange[k]).max())
        return Limits(position, effort=effort)

    def _spring(self, k: int, dof: int) -> JointSpring | None:
        m = self.model
        stiffness = float(m.jnt_stiffness[k]) if "spring" not in self.off else 0.0
        damping = float(m.dof_damping[dof]) if "damper" not in self.off else 0.0
        if not stiffness and not damping:
            return None
        return JointSpring(stiffness, damping, float(m.qpos_spring[m.jnt_qposadr[k]]) if stiffness else 0.0)


def report_on_joints(model: Any, names: Names, off: frozenset[str], lose: Callable[[str, str, str], None]) -> None:
    """Report what joints state and a robot has no word for."""
    for k in range(model.njnt):
        kind, dof = int(model.jnt_type[k]), int(model.jnt_dofadr[k])
        dofs = slice(dof, dof + SPEEDS[kind])
        if kind in (FREE, BALL):
            title = f"{KINDS[kind]} joint with"
            stated = {
                "stiffness": model.jnt_stiffness[k] if "spring" not in off else 0,
                "damping": model.dof_damping[dofs].any() if "damper" not in off else 0,
                "armature": model.dof_armature[dofs].any(),
                "friction loss": model.dof_frictionloss[dofs].any() if "frictionloss" not in off else 0,
                "limits": model.jnt_limited[k] if "limit" not in off else 0,
            }
            for word in (word for word, x in stated.items() if x):
                lose(f"{title} {word}", names.joints[k], "such a joint has no single coordinate, it moves without it")
            continue
        _report_on_nonlinear(model, k, dofs, names, off, lose)


def _report_on_nonlinear(
    model: Any, k: int, dofs: slice, names: Names, off: frozenset[str], lose: Callable[[str, str, str], None]
) -> None:
    stated = {
        "a stiffness of higher order": _any(model, "jnt_stiffnesspoly", k) and "spring" not in off,
        "a damping of higher order": _any(model, "dof_dampingpoly", dofs) and "damper" not in off,
        "a spring that yields": _any(model, "jnt_springyield", k) and "spring" not in off,
    }
    for word in (word for word, x in stated.items() if x):
        lose(f"joint with {word}", names.joints[k], "only the linear part is kept")
    low, high = (float(x) for x in model.jnt_actfrcrange[k])
    if model.jnt_actfrclimited[k] and low != -high:
        lose("joint with an unequal range of actuator forces", names.joints[k], "the larger end limits both ways")


def _any(model: Any, field: str, where: Any) -> bool:
    """Whether a field that older versions of MuJoCo lack is stated."""
    return hasattr(model, field) and bool(getattr(model, field)[where].any())
