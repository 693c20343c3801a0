"""The <joint> of a URDF: kind, axis, placement, limits, friction, and the joint it mimics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from gearwright.algebra import Vec
from gearwright.files.import_report import ImportFindings, element_path
from gearwright.files.urdf.pose import read_origin
from gearwright.files.urdf.safe_xml import (
    MAX_URDF_NUMBER,
    Element,
    attribute_name,
    attribute_number,
    attribute_numbers,
    only_child,
    parse_numbers,
    report_unknown_content,
)
from gearwright.parts import Joint, Limits
from gearwright.text import did_you_mean

JOINT_KINDS_BY_URDF_TYPE = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "floating",
    "planar": "planar",
}
JOINT_CHILDREN = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "actuator")
PANDA_FRICTION_ATTRIBUTES = ("mu_viscous", "mu_coulomb")
"""Attributes of viscous [Nms/rad] and Coulomb friction [Nm] in the files of Franka's Panda."""
DRAKE_JOINT_TAGS = ("drake:rotor_inertia", "drake:gear_ratio")


@dataclass(frozen=True)
class UrdfJoint:
    """A joint between two links by name; `joint.kind` may still be floating, which parts do not have."""

    name: str
    parent: str
    child: str
    joint: Joint
    element: Element
    rotor_inertia: float | None = None
    """Rotor inertia reflected to the joint, as in raisim."""
    is_dependent: bool = False
    """Whether URDF+ marks it as dependent: `independent="false"`."""

    @property
    def is_single_speed(self) -> bool:
        """Whether a motor can drive it and others can follow it."""
        return self.joint.kind in ("revolute", "prismatic")


def read_joint(findings: ImportFindings, element: Element) -> UrdfJoint | None:
    """Return a joint as written in the file; None (with problems) if it cannot be placed."""
    report_unknown_content(
        findings, element, ("name", "type", "independent"), (*JOINT_CHILDREN, *DRAKE_JOINT_TAGS), "joint"
    )
    name, written = attribute_name(findings, element), attribute_name(findings, element, "type")
    parent, kid = _link_name(findings, element, "parent"), _link_name(findings, element, "child")
    if written is not None and written not in JOINT_KINDS_BY_URDF_TYPE:
        findings.add_at(element, f"the type {written!r} is unknown. {did_you_mean(written, JOINT_KINDS_BY_URDF_TYPE)}")
    rotation, position = read_origin(findings, element)
    damping, friction, rotor = _joint_dynamics(findings, only_child(findings, element, "dynamics"))
    axis, limits, follows = (
        _joint_axis(findings, element, written),
        _joint_limits(findings, element, written),
        _mimicked_joint(findings, element),
    )
    if name is None or parent is None or kid is None or written not in JOINT_KINDS_BY_URDF_TYPE:
        return None
    if written in ("floating", "planar") and (damping or friction):
        findings.add_ignored(f"joint/dynamics of a {written} joint", element.sourceline)
    if JOINT_KINDS_BY_URDF_TYPE[written] not in ("revolute", "prismatic"):
        damping = friction = 0.0
    joint = Joint(name, JOINT_KINDS_BY_URDF_TYPE[written], axis, rotation, position, limits, follows, damping, friction)
    return UrdfJoint(name, parent, kid, joint, element, rotor, _is_marked_dependent(findings, element))


def _is_marked_dependent(findings: ImportFindings, element: Element) -> bool:
    written = element.get("independent", "true").strip().lower()
    if written not in ("true", "false", "1", "0"):
        findings.add_at(element, f"independent is {written!r}. Give true or false.")
    return written in ("false", "0")


def _link_name(findings: ImportFindings, element: Element, side: str) -> str | None:
    inner = only_child(findings, element, side)
    if inner is None:
        findings.add_at(element, f"the element <{side} link=.../> is missing. Give the {side} link.")
        return None
    return attribute_name(findings, inner, "link")


def _joint_axis(findings: ImportFindings, element: Element, kind: str | None) -> Vec:
    """Return the axis in the joint frame; by default (1, 0, 0), as URDF defines."""
    inner = only_child(findings, element, "axis")
    default = (1.0, 0.0, 0.0)
    if inner is None or kind in ("fixed", "floating"):
        return Vec(*default)
    report_unknown_content(findings, inner, ("xyz",), (), "joint/axis")
    axis = Vec(*attribute_numbers(findings, inner, "xyz", 3, default))
    if axis.dot(axis) < 1e-20:
        findings.add_at(inner, f"the axis {tuple(axis)} is zero. Give a vector of non-zero length.")
        return Vec(*default)
    return axis


def _joint_limits(findings: ImportFindings, element: Element, kind: str | None) -> Limits:
    inner = only_child(findings, element, "limit")
    if inner is None or kind == "fixed":
        return Limits()
    if kind in ("floating", "planar"):
        findings.add_ignored(f"joint/limit of a {kind} joint", inner.sourceline)
        return Limits()
    report_unknown_content(findings, inner, ("lower", "upper", "effort", "velocity"), (), "joint/limit")
    effort, speed = (
        _nonnegative_or_none(findings, inner, word, _read_limit(findings, inner, word))
        for word in ("effort", "velocity")
    )
    return Limits(_position_range(findings, inner, kind), speed, None, effort)


def _position_range(findings: ImportFindings, inner: Element, kind: str | None) -> tuple[float, float] | None:
    """Return the position range; a missing limit is 0, as URDF defines, unless both are missing."""
    if kind == "continuous" or (inner.get("lower") is None and inner.get("upper") is None):
        return None
    lower, upper = (_position_bound(findings, inner, word, sign) for word, sign in (("lower", -1), ("upper", 1)))
    if lower > upper:
        findings.add_accepted(
            element_path(inner),
            inner.sourceline,
            f"lower {lower:g} is above upper {upper:g}; the joint is treated as unlimited.",
        )
        return None
    return None if (lower, upper) == (-MAX_URDF_NUMBER, MAX_URDF_NUMBER) else (lower, upper)


def _position_bound(findings: ImportFindings, inner: Element, word: str, sign: int) -> float:
    value = _read_limit(findings, inner, word)
    if inner.get(word) is None:
        return 0.0
    return sign * MAX_URDF_NUMBER if value is None else value


def _read_limit(findings: ImportFindings, inner: Element, word: str) -> float | None:
    """Return a limit; None if it is missing or so large that it means "unlimited"."""
    text = inner.get(word)
    if text is None:
        return None
    values = parse_numbers(text, inf)
    if isinstance(values, str) or len(values) != 1:
        findings.add_at(inner, f"{word}: {values if isinstance(values, str) else 'give one number.'}")
        return None
    return values[0] if abs(values[0]) < MAX_URDF_NUMBER else None


def _nonnegative_or_none(findings: ImportFindings, inner: Element, word: str, value: float | None) -> float | None:
    """Return a non-negative number; a negative one is treated as missing."""
    if value is not None and value < 0:
        findings.add_accepted(element_path(inner), inner.sourceline, f"{word} {value:g} is negative; it is ignored.")
        return None
    return value


def _joint_dynamics(findings: ImportFindings, inner: Element | None) -> tuple[float, float, float | None]:
    """Return damping, friction, and the reflected rotor inertia of raisim.

    The additional attributes `mu_viscous` and `mu_coulomb` of Panda's files are added to them.
    """
    if inner is None:
        return 0.0, 0.0, None
    report_unknown_content(
        findings, inner, ("damping", "friction", "rotor_inertia", *PANDA_FRICTION_ATTRIBUTES), (), "joint/dynamics"
    )
    rotor = None if inner.get("rotor_inertia") is None else attribute_number(findings, inner, "rotor_inertia")
    if rotor is not None and rotor < 0:
        findings.add_at(inner, f"rotor_inertia {rotor:g} kg m2 is negative. Give 0 or more.")
        rotor = None
    words = ("damping", "friction", *PANDA_FRICTION_ATTRIBUTES)
    damping, friction, viscous, coulomb = (
        _nonnegative_or_none(findings, inner, word, attribute_number(findings, inner, word, 0.0)) or 0.0
        for word in words
    )
    if viscous or coulomb:
        findings.add_note(
            f"{element_path(inner)}: mu_viscous {viscous:g} and mu_coulomb {coulomb:g} are added to damping "
            f"{damping:g} and friction {friction:g}"
        )
    return damping + viscous, friction + coulomb, rotor


def _mimicked_joint(findings: ImportFindings, element: Element) -> tuple[str, float, float] | None:
    inner = only_child(findings, element, "mimic")
    if inner is None:
        return None
    report_unknown_content(findings, inner, ("joint", "multiplier", "offset"), (), "joint/mimic")
    leader = attribute_name(findings, inner, "joint")
    multiplier, offset = (
        attribute_number(findings, inner, "multiplier", 1.0),
        attribute_number(findings, inner, "offset", 0.0),
    )
    return None if leader is None else (leader, multiplier, offset)


def checked_followers(findings: ImportFindings, joints: list[UrdfJoint]) -> list[UrdfJoint]:
    """Return the joints with checked mimics: the leader exists and moves, and there is no cycle."""
    by_name = {joint.name: joint for joint in joints}
    return [_checked_follower(findings, joint, by_name) for joint in joints]


def _checked_follower(findings: ImportFindings, joint: UrdfJoint, by_name: dict[str, UrdfJoint]) -> UrdfJoint:
    if joint.joint.follows is None:
        return joint
    leader = by_name.get(joint.joint.follows[0])
    if leader is None:
        leader_name = joint.joint.follows[0]
        text = (
            f"it mimics {leader_name!r}, which is not a joint; it is read as an independent joint. "
            f"{did_you_mean(leader_name, by_name)}"
        )
        findings.add_accepted(f"joint {joint.name!r}", joint.element.sourceline, text)
        return replace(joint, joint=replace(joint.joint, follows=None))
    if _is_in_circle(joint, by_name):
        findings.add_at(joint.element, "joints mimic each other in a cycle. Make one of them independent.")
    elif not joint.is_single_speed or not leader.is_single_speed:
        fixed_joint = joint if not joint.is_single_speed else leader
        findings.add_ignored(
            f"joint/mimic of {joint.name!r}: {fixed_joint.name!r} is {fixed_joint.joint.kind}", joint.element.sourceline
        )
        return replace(joint, joint=replace(joint.joint, follows=None))
    return joint


def _is_in_circle(joint: UrdfJoint, by_name: dict[str, UrdfJoint]) -> bool:
    """Whether the leaders of a joint form a cycle."""
    visited, current = {joint.name}, joint
    while current.joint.follows is not None and current.joint.follows[0] in by_name:
        current = by_name[current.joint.follows[0]]
        if current.name == joint.name:
            return True
        if current.name in visited:
            return False
        visited.add(current.name)
    return False
