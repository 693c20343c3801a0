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
    MassProperties,
    MjcfBody,
    PlacedJoint,
    mjcf_bodies,
    require_physical_bodies,
    unit_quaternion,
    vector_array,
)
from gearwright.export.mujoco.geoms import link_geoms, wheel_geom
from gearwright.export.mujoco.rotors import (
    ExportedWheels,
    RotorBody,
    RotorForm,
    carrier_mass_properties,
    exported_wheels,
)
from gearwright.files.size_limits import MAX_BODY_DEPTH
from gearwright.mechanism import Mechanism, NamedRow, Spring
from gearwright.parts import Link

MJCF_JOINT_TYPES = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}
STIFF_EQUALITY = {"solref": "0.004 1", "solimp": "0.9999 0.9999 0.001 0.5 1"}
"""Equalities as stiff as MuJoCo allows: 0.9999 is its largest impedance."""
SHAFT_PLACEHOLDER_MASS = 1e-14
"""Mass [kg] and inertia [kg m2] of the body of a shaft, whose true inertia is an armature."""

Element = ElementTree.Element


@dataclass
class MjcfDocument:
    """An MJCF document under construction, with the names and scales of its elements."""

    mech: Mechanism
    root: Element
    wheels: ExportedWheels
    names: dict[str, set[str]] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    scales: dict[str, float] = field(default_factory=dict)
    hinges: dict[str, dict[str, float]] = field(default_factory=dict)
    not_representable: list[str] = field(default_factory=list)
    places: dict[int, Element] = field(default_factory=dict)
    sites: dict[str, str] = field(default_factory=dict)

    def section_element(self, tag: str) -> Element:
        """Return a section of the document, created on first use."""
        element = self.root.find(tag)
        return add_element(self.root, tag) if element is None else element

    def unique_name(self, kind: str, proposed: str) -> str:
        """Return a name that is unique among MuJoCo's elements of a kind."""
        code = text.xml_forbidden_character(proposed)
        if code is not None or not proposed.strip():
            reason = f"XML cannot represent {code}" if code else "names must not be blank"
            raise InputError(f"{kind} {proposed!r} cannot be written as MJCF: {reason}. Rename it.")
        return text.unique_name(proposed, self.names.setdefault(kind, {"world"} if kind == "body" else set()))

    def add_site(self, name: str, body: int, **attributes: str) -> str:
        """Add a site on a body of the machine, -1 for the world; return its name."""
        fresh = self.sites[name] = self.unique_name("site", name)
        add_element(self.places[body], "site", name=fresh, size="0.01", **attributes)
        return fresh

    def joint_coefficients(self, row: NamedRow) -> dict[str, float]:
        """Return a row over our speeds as one over MuJoCo's joints."""
        return {self.joints[speed]: x / self.scales.get(speed, 1.0) for speed, x in row.items()}

    def add_tendon(self, name: str, row: NamedRow, **attributes: str) -> str:
        """Add a fixed tendon with the coefficients of a row; return its name."""
        fresh = self.unique_name("tendon", name)
        fixed = add_element(self.section_element("tendon"), "fixed", name=fresh, **attributes)
        for joint, x in self.joint_coefficients(row).items():
            add_element(fixed, "joint", joint=joint, coef=exact_number(x))
        return fresh


def add_element(parent: Element, tag: str, **attributes: str) -> Element:
    """Add a child element."""
    return ElementTree.SubElement(parent, tag, attributes)


def exact_number(x: Any) -> str:
    """Return a number as text, exact to the last bit."""
    return repr(float(x))


def exact_numbers(values: Iterable[Any]) -> str:
    """Return several numbers as text."""
    return " ".join(exact_number(x) for x in values)


def build_document(mech: Mechanism, title: str, form: RotorForm, links: Mapping[str, Link]) -> MjcfDocument:
    """Return a document of bodies, joints, wheels and springs of a machine, with limits and friction of its links."""
    wheels = exported_wheels(mech, form)
    mjcf = MjcfDocument(
        mech, ElementTree.Element("mujoco", model=title), wheels, not_representable=list(wheels.not_representable)
    )
    mjcf.unique_name("model", title)
    add_element(mjcf.root, "compiler", angle="radian", inertiafromgeom="false", autolimits="true")
    option = add_element(
        mjcf.root, "option", timestep="0.001", gravity=exact_numbers(mech.gravity), integrator="implicitfast"
    )
    add_element(option, "flag", contact="disable")
    bodies = mjcf_bodies(mech, [r.carrier for r in wheels.bodies])
    weights = {b.body: carrier_mass_properties(mech, wheels, b.body) for b in bodies}
    require_physical_bodies(mech, bodies, weights)
    _write_tree(mjcf, bodies, weights, links)
    _write_shafts(mjcf)
    _write_couplings(mjcf)
    for name, row, inertia in wheels.tendons:
        mjcf.add_tendon(name, row, armature=exact_number(inertia))
    for spring in mech.springs:
        _write_spring(mjcf, spring)
    return mjcf


def _write_tree(
    mjcf: MjcfDocument, bodies: list[MjcfBody], weights: dict[int, MassProperties], links: Mapping[str, Link]
) -> None:
    world = add_element(mjcf.root, "worldbody")
    places = mjcf.places
    places[-1] = world
    depth = {-1: 0}
    for body in bodies:
        element = add_element(
            places[body.parent], "body", name=mjcf.unique_name("body", mjcf.mech.bodies[body.body].name)
        )
        depth[body.body] = depth[body.parent] + 1
        if depth[body.body] > MAX_BODY_DEPTH - 10:
            raise InputError(
                f"a chain of more than {MAX_BODY_DEPTH - 10} links is too deep for MJCF. Use YAML or URDF."
            )
        places[body.body] = element
        _write_body(mjcf, element, body, weights[body.body], links)
    for frame in mjcf.mech.frames:
        if frame.body not in places:
            mjcf.not_representable.append(f"frame {frame.name!r}, on a massless link that is only a joint in MJCF")
            continue
        attributes = {"pos": exact_numbers(frame.position), "quat": exact_numbers(unit_quaternion(frame.rotation))}
        mjcf.add_site(frame.name, int(frame.body), **attributes)
    for rotor in mjcf.wheels.bodies:
        _write_rotor(mjcf, places[rotor.carrier], rotor)
    written = {name for rotor in mjcf.wheels.bodies for name in rotor.parts}
    for spin in mjcf.mech.spins:
        if spin.rest is not None and spin.carrier in places and spin.name not in written:
            add_element(places[int(spin.carrier)], "geom", **wheel_geom(spin, vector_array(spin.rest.position)))


def _write_body(
    mjcf: MjcfDocument, element: Element, body: MjcfBody, weight: MassProperties, links: Mapping[str, Link]
) -> None:
    mech, machine_body = mjcf.mech, mjcf.mech.bodies[body.body]
    element.attrib |= {
        "pos": exact_numbers(body.place.position),
        "quat": exact_numbers(unit_quaternion(body.place.rotation)),
    }
    for joint in body.joints:
        _write_joint(mjcf, element, joint, links.get(mech.bodies[joint.body].name))
    if weight.mass or weight.tensor.any():
        _write_inertial(element, weight)
    link = links.get(machine_body.name)
    children = [b.position for b in mech.bodies if b.parent == body.body]
    for geom in link_geoms(link, vector_array(machine_body.com), [vector_array(p) for p in children]):
        add_element(element, "geom", **geom)


def _write_inertial(element: Element, weight: MassProperties) -> None:
    moments, axes = weight.principal_moments()
    place = {"pos": exact_numbers(weight.com), "quat": exact_numbers(unit_quaternion(axes))}
    add_element(element, "inertial", mass=exact_number(weight.mass), diaginertia=exact_numbers(moments), **place)


def _write_joint(mjcf: MjcfDocument, element: Element, joint: PlacedJoint, link: Link | None) -> None:
    body = mjcf.mech.bodies[joint.body]
    name = mjcf.joints[body.speed_name] = mjcf.unique_name("joint", body.speed_name)
    if body.joint == "free":
        add_element(element, "freejoint", name=name)
        return
    if body.joint not in MJCF_JOINT_TYPES:
        raise InputError(
            f"export.mjcf: joint {body.speed_name!r} is {body.joint}, which MuJoCo does not have. Replace it by "
            "revolute and prismatic joints."
        )
    attributes = {"name": name, "type": MJCF_JOINT_TYPES[body.joint], "pos": exact_numbers(joint.position)}
    if body.joint != "spherical":
        attributes["axis"] = exact_numbers(joint.axis)
        armature = mjcf.wheels.joints.get(body.speed_name, 0.0) if body.follows is None else 0.0
        attributes |= {"armature": exact_number(armature)} if armature else {}
        attributes |= _link_attributes(link)
    add_element(element, "joint", **attributes)


def _link_attributes(link: Link | None) -> dict[str, str]:
    """Return limits and friction of a joint."""
    if link is None:
        return {}
    friction, limits = link.joint.total_friction, link.joint.limits
    attributes = {"damping": exact_number(friction.viscous)} if friction.viscous else {}
    attributes |= {"frictionloss": exact_number(friction.coulomb)} if friction.coulomb else {}
    if limits.position is not None and limits.position[0] < limits.position[1]:
        attributes["range"] = exact_numbers(limits.position)
    if limits.effort is not None and limits.effort > 0:
        attributes["actuatorfrcrange"] = exact_numbers((-limits.effort, limits.effort))
    return attributes


def _write_rotor(mjcf: MjcfDocument, element: Element, rotor: RotorBody) -> None:
    inner = add_element(element, "body", name=mjcf.unique_name("body", rotor.name), pos=exact_numbers(rotor.weight.com))
    name = mjcf.unique_name("joint", rotor.shaft or rotor.name)
    if rotor.shaft is not None:
        mjcf.joints[rotor.shaft], mjcf.scales[rotor.shaft] = name, rotor.row[rotor.shaft]
    else:
        mjcf.hinges[name] = dict(rotor.row)
    add_element(inner, "joint", name=name, type="hinge", axis=exact_numbers(rotor.axis))
    _write_inertial(inner, MassProperties(rotor.weight.mass, np.zeros(3), rotor.weight.tensor))
    spin = next(s for s in mjcf.mech.spins if s.name == rotor.parts[0])
    add_element(inner, "geom", **wheel_geom(spin, np.zeros(3)))


def _write_shafts(mjcf: MjcfDocument) -> None:
    """Write a body of negligible mass for every shaft without a wheel's hinge."""
    world = mjcf.section_element("worldbody")
    for shaft in mjcf.mech.shafts:
        armature = mjcf.wheels.joints.get(shaft, 0.0)
        if shaft in mjcf.joints:
            hinge = next(e for e in mjcf.root.iter("joint") if e.get("name") == mjcf.joints[shaft])
            hinge.attrib |= {"armature": exact_number(armature / mjcf.scales[shaft] ** 2)} if armature else {}
            continue
        name = mjcf.joints[shaft] = mjcf.unique_name("joint", shaft)
        inner = add_element(world, "body", name=mjcf.unique_name("body", shaft))
        add_element(
            inner,
            "joint",
            name=name,
            type="hinge",
            axis="0 0 1",
            **({"armature": exact_number(armature)} if armature else {}),
        )
        add_element(
            inner,
            "inertial",
            mass=exact_number(SHAFT_PLACEHOLDER_MASS),
            pos="0 0 0",
            diaginertia=exact_numbers((SHAFT_PLACEHOLDER_MASS,) * 3),
        )


def _write_couplings(mjcf: MjcfDocument) -> None:
    """Write equalities of mimic joints and wheels; the dependent joint comes first, which is stiffest."""
    for body in mjcf.mech.bodies:
        if body.follows is not None:
            leader, factor, offset = body.follows
            names = [mjcf.joints[body.speed_name], mjcf.joints[_joint_name(mjcf.mech, leader)]]
            _add_equality(mjcf, names[0], names[1], float(factor), float(offset))
    for hinge, row in mjcf.hinges.items():
        terms = mjcf.joint_coefficients(row)
        if len(terms) == 1:
            ((joint, ratio),) = terms.items()
            _add_equality(mjcf, hinge, joint, ratio, 0.0)
            continue
        name = mjcf.unique_name("tendon", hinge)
        fixed = add_element(mjcf.section_element("tendon"), "fixed", name=name)
        add_element(fixed, "joint", joint=hinge, coef="-1.0")
        for joint, ratio in terms.items():
            add_element(fixed, "joint", joint=joint, coef=exact_number(ratio))
        add_element(
            mjcf.section_element("equality"),
            "tendon",
            name=mjcf.unique_name("equality", hinge),
            tendon1=name,
            **STIFF_EQUALITY,
        )


def _joint_name(mech: Mechanism, leader: str | int) -> str:
    return leader if isinstance(leader, str) else mech.bodies[leader].speed_name


def _add_equality(mjcf: MjcfDocument, follower: str, leader: str, factor: float, offset: float) -> None:
    attributes = {
        "joint1": follower,
        "joint2": leader,
        "polycoef": exact_numbers((offset, factor, 0, 0, 0)),
        **STIFF_EQUALITY,
    }
    add_element(mjcf.section_element("equality"), "joint", name=mjcf.unique_name("equality", follower), **attributes)


def _write_spring(mjcf: MjcfDocument, spring: Spring) -> None:
    """Write a spring at its joint, or along a tendon if it acts on several or the joint has one already."""
    row = {mjcf.mech.speeds[k]: float(c) for k, c in spring.terms}
    spring_values = {"stiffness": float(spring.stiffness), "damping": float(spring.damping)}
    if len(row) == 1:
        ((joint, c),) = mjcf.joint_coefficients(row).items()
        element = next(e for e in mjcf.root.iter("joint") if e.get("name") == joint)
        if "stiffness" not in element.attrib:
            damping = float(element.get("damping", "0")) + spring_values["damping"] * c * c
            element.attrib |= {"damping": exact_number(damping)} if damping else {}
            if spring_values["stiffness"]:
                words = {"stiffness": spring_values["stiffness"] * c * c, "springref": float(spring.rest) / c}
                element.attrib |= {word: exact_number(x) for word, x in words.items()}
            return
    tendon_attributes = {word: exact_number(x) for word, x in spring_values.items() if x}
    if "stiffness" in tendon_attributes:
        tendon_attributes["springlength"] = exact_number(spring.rest)
    mjcf.add_tendon(spring.name, row, **tendon_attributes)


def document_text(mjcf: MjcfDocument) -> str:
    """Return the document as text."""
    ElementTree.indent(mjcf.root)
    return text.xml_text(ElementTree.tostring(mjcf.root, encoding="unicode") + "\n")


__all__ = ["MjcfDocument", "add_element", "build_document", "document_text", "exact_number", "exact_numbers"]
