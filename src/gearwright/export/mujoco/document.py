"""The MJCF document of a machine: bodies, joints, wheels, tendons, equalities, sites, geoms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gearwright import text
from gearwright.errors import InputError
from gearwright.export.mujoco.bodies import (
    MjcfBody,
    PlacedJoint,
    Weight,
    array,
    mjcf_bodies,
    quaternion,
    refuse_unphysical,
)
from gearwright.export.mujoco.geoms import link_geoms, wheel_geom
from gearwright.export.mujoco.rotors import Form, RotorBody, Wheels, carrier_weight, wheels_of
from gearwright.files.size_limits import MAX_BODY_DEPTH
from gearwright.mechanism import Mechanism, Spring
from gearwright.mechanism.rows import NamedRow
from gearwright.parts import Link

KINDS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}
STIFF = {"solref": "0.004 1", "solimp": "0.9999 0.9999 0.001 0.5 1"}
"""Equalities as stiff as MuJoCo allows: 0.9999 is the largest impedance it takes."""
FEATHER = 1e-14
"""Mass [kg] and inertia [kg m2] of what stands for a shaft, whose inertia is an armature."""

Element = ElementTree.Element


@dataclass
class Document:
    """An MJCF document while it is made, and what must be known to use it."""

    mech: Mechanism
    root: Element
    wheels: Wheels
    names: dict[str, set[str]] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    scales: dict[str, float] = field(default_factory=dict)
    hinges: dict[str, dict[str, float]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    places: dict[int, Element] = field(default_factory=dict)
    sites: dict[str, str] = field(default_factory=dict)

    def section(self, tag: str) -> Element:
        """A section of the document, made when it is first needed."""
        found = self.root.find(tag)
        return add(self.root, tag) if found is None else found

    def name(self, kind: str, wanted: str) -> str:
        """A name that is unique among MuJoCo's elements of a kind."""
        code = text.beyond_xml(wanted)
        if code is not None or not wanted.strip():
            reason = f"XML cannot hold {code}" if code else "its names are not blank"
            raise InputError(f"{kind} {wanted!r} cannot be written as MJCF: {reason}. Rename it.")
        return text.fresh_name(wanted, self.names.setdefault(kind, {"world"} if kind == "body" else set()))

    def site(self, name: str, body: int, **where: str) -> str:
        """A site on a body of the machine, -1 for the world; its name."""
        fresh = self.sites[name] = self.name("site", name)
        add(self.places[body], "site", name=fresh, size="0.01", **where)
        return fresh

    def coefficients(self, row: NamedRow) -> dict[str, float]:
        """A row over our speeds as one over MuJoCo's joints."""
        return {self.joints[speed]: x / self.scales.get(speed, 1.0) for speed, x in row.items()}

    def tendon(self, name: str, row: NamedRow, **attributes: str) -> str:
        """A fixed tendon along a row; its name."""
        fresh = self.name("tendon", name)
        fixed = add(self.section("tendon"), "fixed", name=fresh, **attributes)
        for joint, x in self.coefficients(row).items():
            add(fixed, "joint", joint=joint, coef=number(x))
        return fresh


def add(parent: Element, tag: str, **attributes: str) -> Element:
    """A child element."""
    return ElementTree.SubElement(parent, tag, attributes)


def number(x: Any) -> str:
    """A number to the last bit."""
    return repr(float(x))


def numbers(values: Iterable[Any]) -> str:
    """Several numbers."""
    return " ".join(number(x) for x in values)


def document(mech: Mechanism, title: str, form: Form, links: Mapping[str, Link]) -> Document:
    """Bodies, joints, wheels and springs of a machine; limits and friction are those of its links."""
    wheels = wheels_of(mech, form)
    made = Document(mech, ElementTree.Element("mujoco", model=title), wheels, lost=list(wheels.lost))
    made.name("model", title)
    add(made.root, "compiler", angle="radian", inertiafromgeom="false", autolimits="true")
    option = add(made.root, "option", timestep="0.001", gravity=numbers(mech.gravity), integrator="implicitfast")
    add(option, "flag", contact="disable")
    bodies = mjcf_bodies(mech, [r.carrier for r in wheels.bodies])
    weights = {b.body: carrier_weight(mech, wheels, b.body) for b in bodies}
    refuse_unphysical(mech, bodies, weights)
    _write_tree(made, bodies, weights, links)
    _write_shafts(made)
    _write_ties(made)
    for name, row, inertia in wheels.tendons:
        made.tendon(name, row, armature=number(inertia))
    for spring in mech.springs:
        _write_spring(made, spring)
    return made


def _write_tree(made: Document, bodies: list[MjcfBody], weights: dict[int, Weight], links: Mapping[str, Link]) -> None:
    world = add(made.root, "worldbody")
    places = made.places
    places[-1] = world
    depth = {-1: 0}
    for body in bodies:
        element = add(places[body.parent], "body", name=made.name("body", made.mech.bodies[body.body].name))
        depth[body.body] = depth[body.parent] + 1
        if depth[body.body] > MAX_BODY_DEPTH - 10:
            raise InputError(
                f"a chain of more than {MAX_BODY_DEPTH - 10} links is too deep for MJCF. Use YAML or URDF."
            )
        places[body.body] = element
        _write_body(made, element, body, weights[body.body], links)
    for frame in made.mech.frames:
        if frame.body not in places:
            made.lost.append(f"frame {frame.name!r}, on a link without mass that is only a joint there")
            continue
        where = {"pos": numbers(frame.position), "quat": numbers(quaternion(frame.rotation))}
        made.site(frame.name, int(frame.body), **where)
    for rotor in made.wheels.bodies:
        _write_rotor(made, places[rotor.carrier], rotor)
    written = {name for rotor in made.wheels.bodies for name in rotor.parts}
    for spin in made.mech.spins:
        if spin.rest is not None and spin.carrier in places and spin.name not in written:
            add(places[int(spin.carrier)], "geom", **wheel_geom(spin, array(spin.rest.position)))


def _write_body(made: Document, element: Element, body: MjcfBody, weight: Weight, links: Mapping[str, Link]) -> None:
    mech, own = made.mech, made.mech.bodies[body.body]
    element.attrib |= {"pos": numbers(body.place.position), "quat": numbers(quaternion(body.place.rotation))}
    for joint in body.joints:
        _write_joint(made, element, joint, links.get(mech.bodies[joint.body].name))
    if weight.mass or weight.tensor.any():
        _write_inertial(element, weight)
    link = links.get(own.name)
    children = [b.position for b in mech.bodies if b.parent == body.body]
    for geom in link_geoms(link, array(own.com), [array(p) for p in children]):
        add(element, "geom", **geom)


def _write_inertial(element: Element, weight: Weight) -> None:
    moments, axes = weight.principal()
    place = {"pos": numbers(weight.com), "quat": numbers(quaternion(axes))}
    add(element, "inertial", mass=number(weight.mass), diaginertia=numbers(moments), **place)


def _write_joint(made: Document, element: Element, joint: PlacedJoint, link: Link | None) -> None:
    body = made.mech.bodies[joint.body]
    name = made.joints[body.speed_name] = made.name("joint", body.speed_name)
    if body.joint == "free":
        add(element, "freejoint", name=name)
        return
    if body.joint not in KINDS:
        raise InputError(
            f"export.mjcf: joint {body.speed_name!r} is {body.joint}, which MuJoCo has no word for. Make it of "
            "revolute and prismatic joints."
        )
    words = {"name": name, "type": KINDS[body.joint], "pos": numbers(joint.position)}
    if body.joint != "spherical":
        words["axis"] = numbers(joint.axis)
        armature = made.wheels.joints.get(body.speed_name, 0.0) if body.follows is None else 0.0
        words |= {"armature": number(armature)} if armature else {}
        words |= _of_link(link)
    add(element, "joint", **words)


def _of_link(link: Link | None) -> dict[str, str]:
    """Limits and friction of a joint."""
    if link is None:
        return {}
    friction, limits = link.joint.total_friction, link.joint.limits
    words = {"damping": number(friction.viscous)} if friction.viscous else {}
    words |= {"frictionloss": number(friction.coulomb)} if friction.coulomb else {}
    if limits.position is not None and limits.position[0] < limits.position[1]:
        words["range"] = numbers(limits.position)
    if limits.effort is not None and limits.effort > 0:
        words["actuatorfrcrange"] = numbers((-limits.effort, limits.effort))
    return words


def _write_rotor(made: Document, element: Element, rotor: RotorBody) -> None:
    inner = add(element, "body", name=made.name("body", rotor.name), pos=numbers(rotor.weight.com))
    name = made.name("joint", rotor.shaft or rotor.name)
    if rotor.shaft is not None:
        made.joints[rotor.shaft], made.scales[rotor.shaft] = name, rotor.row[rotor.shaft]
    else:
        made.hinges[name] = dict(rotor.row)
    add(inner, "joint", name=name, type="hinge", axis=numbers(rotor.axis))
    _write_inertial(inner, Weight(rotor.weight.mass, np.zeros(3), rotor.weight.tensor))
    spin = next(s for s in made.mech.spins if s.name == rotor.parts[0])
    add(inner, "geom", **wheel_geom(spin, np.zeros(3)))


def _write_shafts(made: Document) -> None:
    """A feather on the world for every shaft that no wheel's hinge stands for."""
    world = made.section("worldbody")
    for shaft in made.mech.shafts:
        armature = made.wheels.joints.get(shaft, 0.0)
        if shaft in made.joints:
            hinge = next(e for e in made.root.iter("joint") if e.get("name") == made.joints[shaft])
            hinge.attrib |= {"armature": number(armature / made.scales[shaft] ** 2)} if armature else {}
            continue
        name = made.joints[shaft] = made.name("joint", shaft)
        inner = add(world, "body", name=made.name("body", shaft))
        add(
            inner,
            "joint",
            name=name,
            type="hinge",
            axis="0 0 1",
            **({"armature": number(armature)} if armature else {}),
        )
        add(inner, "inertial", mass=number(FEATHER), pos="0 0 0", diaginertia=numbers((FEATHER,) * 3))


def _write_ties(made: Document) -> None:
    """Followers and wheels, held by equalities; the one that follows comes first, which makes them stiffest."""
    for body in made.mech.bodies:
        if body.follows is not None:
            leader, factor, offset = body.follows
            names = [made.joints[body.speed_name], made.joints[_joint_name(made.mech, leader)]]
            _tie(made, names[0], names[1], float(factor), float(offset))
    for hinge, row in made.hinges.items():
        terms = made.coefficients(row)
        if len(terms) == 1:
            ((joint, ratio),) = terms.items()
            _tie(made, hinge, joint, ratio, 0.0)
            continue
        name = made.name("tendon", hinge)
        fixed = add(made.section("tendon"), "fixed", name=name)
        add(fixed, "joint", joint=hinge, coef="-1.0")
        for joint, ratio in terms.items():
            add(fixed, "joint", joint=joint, coef=number(ratio))
        add(made.section("equality"), "tendon", name=made.name("equality", hinge), tendon1=name, **STIFF)


def _joint_name(mech: Mechanism, leader: str | int) -> str:
    return leader if isinstance(leader, str) else mech.bodies[leader].speed_name


def _tie(made: Document, follower: str, leader: str, factor: float, offset: float) -> None:
    words = {"joint1": follower, "joint2": leader, "polycoef": numbers((offset, factor, 0, 0, 0)), **STIFF}
    add(made.section("equality"), "joint", name=made.name("equality", follower), **words)


def _write_spring(made: Document, spring: Spring) -> None:
    """At the joint where it acts on one alone that has none yet, else along a tendon."""
    row = {made.mech.speeds[k]: float(c) for k, c in spring.terms}
    numbers_of = {"stiffness": float(spring.stiffness), "damping": float(spring.damping)}
    if len(row) == 1:
        ((joint, c),) = made.coefficients(row).items()
        element = next(e for e in made.root.iter("joint") if e.get("name") == joint)
        if "stiffness" not in element.attrib:
            damping = float(element.get("damping", "0")) + numbers_of["damping"] * c * c
            element.attrib |= {"damping": number(damping)} if damping else {}
            if numbers_of["stiffness"]:
                words = {"stiffness": numbers_of["stiffness"] * c * c, "springref": float(spring.rest) / c}
                element.attrib |= {word: number(x) for word, x in words.items()}
            return
    stated = {word: number(x) for word, x in numbers_of.items() if x}
    if "stiffness" in stated:
        stated["springlength"] = number(spring.rest)
    made.tendon(spring.name, row, **stated)


def written(made: Document) -> str:
    """The document as text."""
    ElementTree.indent(made.root)
    return text.xml(ElementTree.tostring(made.root, encoding="unicode") + "\n")


__all__ = ["Document", "add", "document", "number", "numbers", "written"]
