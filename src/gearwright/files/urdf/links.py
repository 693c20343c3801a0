"""The <link> of a URDF: inertia transformed into link axes, shapes as references."""

from __future__ import annotations

from gearwright.algebra import IDENTITY, Tensor, Vec
from gearwright.files.fields.link import require_inside_folder
from gearwright.files.import_report import ImportFindings
from gearwright.files.urdf.pose import read_origin
from gearwright.files.urdf.safe_xml import (
    Element,
    attribute_name,
    attribute_number,
    attribute_numbers,
    children_of_tags,
    only_child,
    report_unknown_content,
)
from gearwright.parts import Link, Shape
from gearwright.parts.checks import tensor_defect

URDF_TENSOR_ATTRIBUTES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_link(findings: ImportFindings, element: Element) -> Link | None:
    """Return a link without a joint yet; None (with a problem) without a name."""
    name = attribute_name(findings, element)
    report_unknown_content(findings, element, ("name",), ("inertial", "visual", "collision"), "link")
    mass, com, inertia = _read_inertial(findings, only_child(findings, element, "inertial"))
    rule = _broken_inertia_rule(mass, inertia)
    if name is None:
        return None
    if rule is not None:
        findings.add_accepted(
            f"link {name!r}",
            element.sourceline,
            f"its inertia is physically impossible, so it is treated as effective: {rule}",
        )
    return Link(
        name,
        mass=mass,
        com=com,
        inertia=inertia.rows(),
        effective=rule is not None,
        shapes=_read_shapes(findings, element),
    )


def _read_inertial(findings: ImportFindings, element: Element | None) -> tuple[float, Vec, Tensor]:
    """Return mass, centre of mass, and the tensor about it, transformed from the axes of <inertial> into link axes."""
    if element is None:
        return 0.0, Vec(0.0, 0.0, 0.0), Tensor.diagonal(0.0, 0.0, 0.0)
    report_unknown_content(findings, element, (), ("origin", "mass", "inertia"), "link/inertial")
    rotation, com = read_origin(findings, element)
    mass_element, tensor_element = only_child(findings, element, "mass"), only_child(findings, element, "inertia")
    if mass_element is None:
        findings.add_at(element, "<inertial> has no <mass>. Give <mass value=.../>, or leave <inertial> out.")
    if tensor_element is None:
        findings.add_at(element, "<inertial> has no <inertia>. Give its six elements about the centre of mass.")
    mass = 0.0 if mass_element is None else attribute_number(findings, mass_element, "value")
    tensor = Tensor(
        *(
            0.0 if tensor_element is None else _tensor_element(findings, tensor_element, e)
            for e in URDF_TENSOR_ATTRIBUTES
        )
    )
    return mass, com, tensor if rotation is IDENTITY else tensor.rotated_by(rotation)


def _tensor_element(findings: ImportFindings, element: Element, attribute: str) -> float:
    """Return an element of the tensor; missing off-diagonal elements are 0."""
    return attribute_number(findings, element, attribute, None if attribute in ("ixx", "iyy", "izz") else 0.0)


def _broken_inertia_rule(mass: float, inertia: Tensor) -> str | None:
    if mass < 0:
        return f"mass {mass:g} kg is negative."
    return tensor_defect(inertia)


def _read_shapes(findings: ImportFindings, element: Element) -> tuple[Shape, ...]:
    """Return every <visual> and <collision> with a supported geometry."""
    shapes = []
    for outer in children_of_tags(element, "visual", "collision"):
        role = str(outer.tag)
        report_unknown_content(findings, outer, ("name",), ("origin", "geometry", "material"), f"link/{role}")
        geometry = only_child(findings, outer, "geometry")
        rotation, position = read_origin(findings, outer)
        for kind in () if geometry is None else geometry:
            shape = _read_geometry(findings, kind, role)
            if shape is not None:
                shapes.append(Shape(shape[0], shape[1], shape[2], position, rotation, role))  # type: ignore[arg-type]
    return tuple(shapes)


def _read_geometry(
    findings: ImportFindings, element: Element, role: str
) -> tuple[str, tuple[float, ...], str | None] | None:
    """Return kind, size and file of a geometry; None (with a line in the report) if it is not supported."""
    kind = str(element.tag)
    if kind == "mesh":
        report_unknown_content(findings, element, ("filename", "scale"), (), f"link/{role}/geometry/mesh")
        file = attribute_name(findings, element, "filename")
        scale = attribute_numbers(findings, element, "scale", 3, (1.0, 1.0, 1.0))
        return None if file is None or _is_outside_folder(findings, element, file) else (kind, scale, file)
    if kind == "box":
        return kind, attribute_numbers(findings, element, "size", 3), None
    if kind == "cylinder":
        return (
            kind,
            (attribute_number(findings, element, "radius"), attribute_number(findings, element, "length")),
            None,
        )
    if kind == "sphere":
        return kind, (attribute_number(findings, element, "radius"),), None
    findings.add_ignored(f"link/{role}/geometry/{kind}", element.sourceline)
    return None


def _is_outside_folder(findings: ImportFindings, element: Element, file: str) -> bool:
    """Whether a mesh is outside the robot's folder; such a mesh is reported and ignored."""
    try:
        require_inside_folder(file)
    except ValueError as error:
        findings.add_ignored(f"mesh {error}", element.sourceline)
        return True
    return False
