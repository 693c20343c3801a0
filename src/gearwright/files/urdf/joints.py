"""The <joint> of a URDF: kind, axis, placement, limits, friction, and the joint it mimics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from gearwright.algebra import Vec
from gearwright.files.import_report import Findings, where
from gearwright.files.urdf.pose import read_origin
from gearwright.files.urdf.safe_xml import HUGE, Element, child, name_of, number, numbers, parse_numbers, report_others
from gearwright.parts import Joint, Limits
from gearwright.text import did_you_mean

KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "floating",
    "planar": "planar",
}
CHILDREN = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "actuator")
PANDA = ("mu_viscous", "mu_coulomb")
"""How the files of Franka's Panda write viscous [Nms/rad] and Coulomb friction [Nm] of a joint."""
DRAKE = ("drake:rotor_inertia", "drake:gear_ratio")


@dataclass(frozen=True)
class UrdfJoint:
    """A joint between two links by name; `joint.kind` may still be floating, which no part is."""

    name: str
    parent: str
    child: str
    joint: Joint
    element: Element
    rotor_inertia: float | None = None
    """Reflected to the joint already, as raisim states it."""

    @property
    def moves(self) -> bool:
        """Whether a motor can drive it and others can follow it."""
        return self.joint.kind in ("revolute", "prismatic")


def read_joint(found: Findings, element: Element) -> UrdfJoint | None:
    """A joint as it is written; None (with problems) when it cannot be placed."""
    report_others(found, element, ("name", "type"), (*CHILDREN, *DRAKE), "joint")
    name, written = name_of(found, element), name_of(found, element, "type")
    parent, kid = _link_name(found, element, "parent"), _link_name(found, element, "child")
    if written is not None and written not in KINDS:
        found.at(element, f"the type {written!r} is unknown. {did_you_mean(written, KINDS)}")
    rotation, position = read_origin(found, element)
    damping, friction, rotor = _dynamics(found, child(found, element, "dynamics"))
    axis, limits, follows = _axis(found, element, written), _limits(found, element, written), _mimic(found, element)
    if name is None or parent is None or kid is None or written not in KINDS:
        return None
    if written in ("floating", "planar") and (damping or friction):
        found.ignore(f"joint/dynamics of a {written} joint", element.sourceline)
    if KINDS[written] not in ("revolute", "prismatic"):
        damping = friction = 0.0
    joint = Joint(name, KINDS[written], axis, rotation, position, limits, follows, damping, friction)
    return UrdfJoint(name, parent, kid, joint, element, rotor)


def _link_name(found: Findings, element: Element, side: str) -> str | None:
    inner = child(found, element, side)
    if inner is None:
        found.at(element, f"there is no <{side} link=.../>. Name the {side} link.")
        return None
    return name_of(found, inner, "link")


def _axis(found: Findings, element: Element, kind: str | None) -> Vec:
    """The axis in the joint frame; (1, 0, 0) where none is written, as URDF defines."""
    inner = child(found, element, "axis")
    default = (1.0, 0.0, 0.0)
    if inner is None or kind in ("fixed", "floating"):
        return Vec(*default)
    report_others(found, inner, ("xyz",), (), "joint/axis")
    axis = Vec(*numbers(found, inner, "xyz", 3, default))
    if axis.dot(axis) < 1e-20:
        found.at(inner, f"the axis {tuple(axis)} has no direction. Give a vector of non-zero length.")
        return Vec(*default)
    return axis


def _limits(found: Findings, element: Element, kind: str | None) -> Limits:
    inner = child(found, element, "limit")
    if inner is None or kind == "fixed":
        return Limits()
    if kind in ("floating", "planar"):
        found.ignore(f"joint/limit of a {kind} joint", inner.sourceline)
        return Limits()
    report_others(found, inner, ("lower", "upper", "effort", "velocity"), (), "joint/limit")
    effort, speed = (_size(found, inner, word, _limit(found, inner, word)) for word in ("effort", "velocity"))
    return Limits(_range(found, inner, kind), speed, None, effort)


def _range(found: Findings, inner: Element, kind: str | None) -> tuple[float, float] | None:
    """The positions allowed; a limit that is not written is 0, as URDF defines, unless both are missing."""
    if kind == "continuous" or (inner.get("lower") is None and inner.get("upper") is None):
        return None
    lower, upper = (_bound(found, inner, word, sign) for word, sign in (("lower", -1), ("upper", 1)))
    if lower > upper:
        found.accept(where(inner), inner.sourceline, f"lower {lower:g} is above upper {upper:g}, taken as unlimited.")
        return None
    return None if (lower, upper) == (-HUGE, HUGE) else (lower, upper)


def _bound(found: Findings, inner: Element, word: str, sign: int) -> float:
    value = _limit(found, inner, word)
    if inner.get(word) is None:
        return 0.0
    return sign * HUGE if value is None else value


def _limit(found: Findings, inner: Element, word: str) -> float | None:
    """A limit; None where it is not written or so large that it means "unlimited"."""
    text = inner.get(word)
    if text is None:
        return None
    values = parse_numbers(text, inf)
    if isinstance(values, str) or len(values) != 1:
        found.at(inner, f"{word}: {values if isinstance(values, str) else 'give one number.'}")
        return None
    return values[0] if abs(values[0]) < HUGE else None


def _size(found: Findings, inner: Element, word: str, value: float | None) -> float | None:
    """A number that is not a size of anything when it is negative; it is then taken as not written."""
    if value is not None and value < 0:
        found.accept(where(inner), inner.sourceline, f"{word} {value:g} is negative, taken as not written.")
        return None
    return value


def _dynamics(found: Findings, inner: Element | None) -> tuple[float, float, float | None]:
    """Damping, friction, and the reflected rotor inertia that raisim writes here.

    Panda's files write friction beside these as `mu_viscous` and `mu_coulomb`, which add to them.
    """
    if inner is None:
        return 0.0, 0.0, None
    report_others(found, inner, ("damping", "friction", "rotor_inertia", *PANDA), (), "joint/dynamics")
    rotor = None if inner.get("rotor_inertia") is None else number(found, inner, "rotor_inertia")
    if rotor is not None and rotor < 0:
        found.at(inner, f"rotor_inertia {rotor:g} kg m2 is negative. Give 0 or more.")
        rotor = None
    words = ("damping", "friction", *PANDA)
    damping, friction, viscous, coulomb = (
        _size(found, inner, word, number(found, inner, word, 0.0)) or 0.0 for word in words
    )
    if viscous or coulomb:
        found.note(
            f"{where(inner)}: mu_viscous {viscous:g} and mu_coulomb {coulomb:g} are added to damping {damping:g} and "
            f"friction {friction:g}"
        )
    return damping + viscous, friction + coulomb, rotor


def _mimic(found: Findings, element: Element) -> tuple[str, float, float] | None:
    inner = child(found, element, "mimic")
    if inner is None:
        return None
    report_others(found, inner, ("joint", "multiplier", "offset"), (), "joint/mimic")
    leader = name_of(found, inner, "joint")
    multiplier, offset = number(found, inner, "multiplier", 1.0), number(found, inner, "offset", 0.0)
    return None if leader is None else (leader, multiplier, offset)


def checked_followers(found: Findings, joints: list[UrdfJoint]) -> list[UrdfJoint]:
    """The joints with their mimics checked: the leader exists, moves, and there is no circle."""
    known = {joint.name: joint for joint in joints}
    return [_checked(found, joint, known) for joint in joints]


def _checked(found: Findings, joint: UrdfJoint, known: dict[str, UrdfJoint]) -> UrdfJoint:
    if joint.joint.follows is None:
        return joint
    leader = known.get(joint.joint.follows[0])
    if leader is None:
        missing = joint.joint.follows[0]
        text = f"it mimics {missing!r}, which is not a joint, and moves by itself. {did_you_mean(missing, known)}"
        found.accept(f"joint {joint.name!r}", joint.element.sourceline, text)
        return replace(joint, joint=replace(joint.joint, follows=None))
    if _in_circle(joint, known):
        found.at(joint.element, "joints mimic each other in a circle. Let one of them move by itself.")
    elif not joint.moves or not leader.moves:
        still = joint if not joint.moves else leader
        found.ignore(f"joint/mimic of {joint.name!r}: {still.name!r} is {still.joint.kind}", joint.element.sourceline)
        return replace(joint, joint=replace(joint.joint, follows=None))
    return joint


def _in_circle(joint: UrdfJoint, known: dict[str, UrdfJoint]) -> bool:
    """Whether following the leaders comes back to the joint itself."""
    visited, now = {joint.name}, joint
    while now.joint.follows is not None and now.joint.follows[0] in known:
        now = known[now.joint.follows[0]]
        if now.name == joint.name:
            return True
        if now.name in visited:
            return False
        visited.add(now.name)
    return False
