"""Bodies and joints of a compiled MJCF model as links: a body with several joints becomes a chain.

The frame of a link is at the body's last joint; every number of the body is transformed there once. The coordinate of a
hinge or slide is MuJoCo's qpos, which is `ref` in the drawn configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import cos, sin
from typing import Any

from gearwright.algebra import IDENTITY, ZERO, Rot, Tensor, Vec
from gearwright.files.mjcf.equalities import JointFollower
from gearwright.files.mjcf.names import MjcfNames
from gearwright.parts import Joint, JointSpring, Limits, Link
from gearwright.parts.structure.frame_changes import FramePlacement

MJ_FREE, MJ_BALL, MJ_SLIDE, MJ_HINGE = range(4)
JOINT_KINDS_BY_TYPE = {MJ_FREE: "free", MJ_BALL: "spherical", MJ_SLIDE: "prismatic", MJ_HINGE: "revolute"}
SPEED_COUNTS_BY_TYPE = {MJ_FREE: 6, MJ_BALL: 3, MJ_SLIDE: 1, MJ_HINGE: 1}


def vector_of_array(values: Any) -> Vec:
    """Three numbers of an array."""
    return Vec(*(float(x) for x in values))


def rotation_of_quaternion(quaternion: Any) -> Rot:
    """The rotation of a quaternion of an array; exact for the identity."""
    w, *vector_part = (float(x) for x in quaternion)
    return Rot.from_quaternion(w, *vector_part) if any(vector_part) else IDENTITY


class MjcfLinkReader:
    """Makes the links of a model."""

    def __init__(
        self, model: Any, names: MjcfNames, off: frozenset[str], followers: Mapping[int, JointFollower]
    ) -> None:
        self.model, self.names, self.off, self.followers = model, names, off, followers

    def read_links(self) -> list[Link]:
        """All links, parents first."""
        return [link for body in range(1, self.model.nbody) for link in self._body_links(body)]

    def link_origin(self, body: int) -> Vec:
        """Return the frame of a body's link, at its last joint, in the body's frame of the file."""
        m = self.model
        count = m.body_jntnum[body]
        if not count or m.jnt_type[m.body_jntadr[body]] == MJ_FREE:
            return ZERO
        return vector_of_array(m.jnt_pos[m.body_jntadr[body] + count - 1])

    def _body_links(self, body: int) -> list[Link]:
        m = self.model
        first, count = int(m.body_jntadr[body]), int(m.body_jntnum[body])
        parent = int(m.body_parentid[body])
        place = FramePlacement(
            rotation_of_quaternion(m.body_quat[body]), vector_of_array(m.body_pos[body]) - self.link_origin(parent)
        )
        if not count:
            name = self.names.bodies[body]
            joint = Joint(self.names.new_joint_name(name), "fixed", rotation=place.rotation, position=place.position)
            return [self._with_inertia(Link(name, self.names.bodies[parent], joint), body)]
        links, before, carrier = [], ZERO, self.names.bodies[parent]
        for k in range(first, first + count):
            last = k == first + count - 1
            name = self.names.bodies[body] if last else self.names.new_link_name(self.names.joints[k])
            at = vector_of_array(m.jnt_pos[k])
            links.append(
                Link(name, carrier, self._read_joint(k, place.compose_with(FramePlacement(position=at - before))))
            )
            place, before, carrier = FramePlacement(), at, name
        return [*links[:-1], self._with_inertia(links[-1], body)]

    def _with_inertia(self, link: Link, body: int) -> Link:
        m = self.model
        tensor = Tensor.diagonal(*(float(x) for x in m.body_inertia[body])).rotated_by(
            rotation_of_quaternion(m.body_iquat[body])
        )
        com = vector_of_array(m.body_ipos[body]) - self.link_origin(body)
        return replace(link, mass=float(m.body_mass[body]), com=com, inertia=tensor)

    def _read_joint(self, k: int, place: FramePlacement) -> Joint:
        kind = int(self.model.jnt_type[k])
        if kind == MJ_FREE:
            return Joint(self.names.joints[k], "free")
        if kind == MJ_BALL:
            return Joint(self.names.joints[k], "spherical", rotation=place.rotation, position=place.position)
        follower = self.followers.get(k)
        if follower is not None and follower.leader is None:
            place = self._shifted_placement(k, place, follower.offset)
            return Joint(self.names.joints[k], "fixed", rotation=place.rotation, position=place.position)
        return self._single_speed_joint(k, self._shifted_placement(k, place, 0.0), follower)

    def _shifted_placement(self, k: int, place: FramePlacement, q: float) -> FramePlacement:
        """Return the placement of a joint with the coordinate `ref` in the drawn configuration, moved to its zero."""
        axis, displacement = (
            vector_of_array(self.model.jnt_axis[k]),
            q - float(self.model.qpos0[self.model.jnt_qposadr[k]]),
        )
        if not displacement:
            return place
        if self.model.jnt_type[k] == MJ_SLIDE:
            return place.compose_with(FramePlacement(position=axis * displacement))
        return place.compose_with(FramePlacement(Rot.about_axis(axis, cos(displacement), sin(displacement))))

    def _single_speed_joint(self, k: int, place: FramePlacement, follower: JointFollower | None) -> Joint:
        m, dof = self.model, int(self.model.jnt_dofadr[k])
        has_friction = "frictionloss" not in self.off
        return Joint(
            self.names.joints[k],
            JOINT_KINDS_BY_TYPE[int(m.jnt_type[k])],
            vector_of_array(m.jnt_axis[k]),
            place.rotation,
            place.position,
            limits=self._joint_limits(k),
            follows=None if follower is None else (self._leader_name(follower), follower.factor, follower.offset),
            friction=float(m.dof_frictionloss[dof]) if has_friction else 0.0,
            spring=self._joint_spring(k, dof),
            armature=float(m.dof_armature[dof]),
        )

    def _leader_name(self, follower: JointFollower) -> str:
        assert follower.leader is not None
        return self.names.joints[follower.leader]

    def _joint_limits(self, k: int) -> Limits:
        m = self.model
        position = effort = None
        if m.jnt_limited[k] and "limit" not in self.off:
            position = (float(m.jnt_range[k][0]), float(m.jnt_range[k][1]))
        if m.jnt_actfrclimited[k]:
            effort = float(abs(m.jnt_actfrcrange[k]).max())
        return Limits(position, effort=effort)

    def _joint_spring(self, k: int, dof: int) -> JointSpring | None:
        m = self.model
        stiffness = float(m.jnt_stiffness[k]) if "spring" not in self.off else 0.0
        damping = float(m.dof_damping[dof]) if "damper" not in self.off else 0.0
        if not stiffness and not damping:
            return None
        return JointSpring(stiffness, damping, float(m.qpos_spring[m.jnt_qposadr[k]]) if stiffness else 0.0)


def report_unsupported_joints(
    model: Any, names: MjcfNames, off: frozenset[str], add_unrepresentable: Callable[[str, str, str], None]
) -> None:
    """Report properties of joints that a robot cannot represent."""
    for k in range(model.njnt):
        kind, dof = int(model.jnt_type[k]), int(model.jnt_dofadr[k])
        dofs = slice(dof, dof + SPEED_COUNTS_BY_TYPE[kind])
        if kind in (MJ_FREE, MJ_BALL):
            title = f"{JOINT_KINDS_BY_TYPE[kind]} joint with"
            stated = {
                "stiffness": model.jnt_stiffness[k] if "spring" not in off else 0,
                "damping": model.dof_damping[dofs].any() if "damper" not in off else 0,
                "armature": model.dof_armature[dofs].any(),
                "friction loss": model.dof_frictionloss[dofs].any() if "frictionloss" not in off else 0,
                "limits": model.jnt_limited[k] if "limit" not in off else 0,
            }
            for word in (word for word, x in stated.items() if x):
                add_unrepresentable(
                    f"{title} {word}", names.joints[k], "ignored, since such a joint has no single coordinate"
                )
            continue
        _report_nonlinear_joint(model, k, dofs, names, off, add_unrepresentable)


def _report_nonlinear_joint(
    model: Any,
    k: int,
    dofs: slice,
    names: MjcfNames,
    off: frozenset[str],
    add_unrepresentable: Callable[[str, str, str], None],
) -> None:
    stated = {
        "a stiffness of higher order": _is_field_stated(model, "jnt_stiffnesspoly", k) and "spring" not in off,
        "a damping of higher order": _is_field_stated(model, "dof_dampingpoly", dofs) and "damper" not in off,
        "a spring that yields": _is_field_stated(model, "jnt_springyield", k) and "spring" not in off,
    }
    for word in (word for word, x in stated.items() if x):
        add_unrepresentable(f"joint with {word}", names.joints[k], "only the linear part is kept")
    low, high = (float(x) for x in model.jnt_actfrcrange[k])
    if model.jnt_actfrclimited[k] and low != -high:
        add_unrepresentable(
            "joint with an unequal range of actuator forces",
            names.joints[k],
            "the larger magnitude is used for both directions",
        )


def _is_field_stated(model: Any, field: str, index: Any) -> bool:
    """Whether a field is set that older versions of MuJoCo lack."""
    return hasattr(model, field) and bool(getattr(model, field)[index].any())
