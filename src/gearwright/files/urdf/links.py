"""The <link> of a URDF: inertia turned into link axes, shapes as references."""

from __future__ import annotations

from gearwright.algebra import IDENTITY, Tensor, Vec
from gearwright.files.fields.link import refuse_escape
from gearwright.files.import_report import Findings
from gearwright.files.urdf.pose import read_origin
from gearwright.files.urdf.safe_xml import Element, child, children, name_of, number, numbers, report_others
from gearwright.parts import Link, Shape
from gearwright.parts.checks import unphysical

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_link(found: Findings, element: Element) -> Link | None:
    """A link that hangs on nothing yet; None (with a problem) without a name."""
    name = name_of(found, element)
    report_others(found, element, ("name",), ("inertial", "visual", "collision"), "link")
    mass, com, inertia = _inertial(found, child(found, element, "inertial"))
    rule = _broken_rule(mass, inertia)
    if name is None:
        return None
    if rule is not None:
        found.accept(f"link {name!r}", element.sourceline, f"no physical body, taken as effective: {rule}")
    return Link(
        name, mass=mass, com=com, inertia=inertia.rows(), effective=rule is not None, shapes=_shapes(found, element)
    )


def _inertial(found: Findings, element: Element | None) -> tuple[float, Vec, Tensor]:
    """Mass, centre of mass, and the tensor about it turned from the axes of <inertial> into those of the link."""
    if element is None:
        return 0.0, Vec(0.0, 0.0, 0.0), Tensor.diagonal(0.0, 0.0, 0.0)
    report_others(found, element, (), ("origin", "mass", "inertia"), "link/inertial")
    rotation, com = read_origin(found, element)
    mass_element, tensor_element = child(found, element, "mass"), child(found, element, "inertia")
    if mass_element is None:
        found.at(element, "<inertial> has no <mass>. Give <mass value=.../>, or leave <inertial> out.")
    if tensor_element is None:
        found.at(element, "<inertial> has no <inertia>. Give its six elements about the centre of mass.")
    mass = 0.0 if mass_element is None else number(found, mass_element, "value")
    tensor = Tensor(*(0.0 if tensor_element is None else _element(found, tensor_element, e) for e in TENSOR))
    return mass, com, tensor if rotation is IDENTITY else tensor.rotated(rotation)


def _element(found: Findings, element: Element, attribute: str) -> float:
    """An element of the tensor; those off the diagonal are 0 where they are not written."""
    return number(found, element, attribute, None if attribute in ("ixx", "iyy", "izz") else 0.0)


def _broken_rule(mass: float, inertia: Tensor) -> str | None:
    if mass < 0:
        return f"mass {mass:g} kg is negative."
    return unphysical(inertia)


def _shapes(found: Findings, element: Element) -> tuple[Shape, ...]:
    """Every <visual> and <collision> whose geometry is understood."""
    made = []
    for outer in children(element, "visual", "collision"):
        role = str(outer.tag)
        report_others(found, outer, ("name",), ("origin", "geometry", "material"), f"link/{role}")
        geometry = child(found, outer, "geometry")
        rotation, position = read_origin(found, outer)
        for kind in () if geometry is None else geometry:
            shape = _shape(found, kind, role)
            if shape is not None:
                made.append(Shape(shape[0], shape[1], shape[2], position, rotation, role))  # type: ignore[arg-type]
    return tuple(made)


def _shape(found: Findings, element: Element, role: str) -> tuple[str, tuple[float, ...], str | None] | None:
    """Kind, size and file of a geometry; None (and a line in the report) when it is another one."""
    kind = str(element.tag)
    if kind == "mesh":
        report_others(found, element, ("filename", "scale"), (), f"link/{role}/geometry/mesh")
        file = name_of(found, element, "filename")
        scale = numbers(found, element, "scale", 3, (1.0, 1.0, 1.0))
        return None if file is None or _leads_out(found, element, file) else (kind, scale, file)
    if kind == "box":
        return kind, numbers(found, element, "size", 3), None
    if kind == "cylinder":
        return kind, (number(found, element, "radius"), number(found, element, "length")), None
    if kind == "sphere":
        return kind, (number(found, element, "radius"),), None
    found.ignore(f"link/{role}/geometry/{kind}", element.sourceline)
    return None


def _leads_out(found: Findings, element: Element, file: str) -> bool:
    """Whether a mesh is named by a place outside the robot's folder, which is reported and not kept."""
    try:
        refuse_escape(file)
    except ValueError as error:
        found.ignore(f"mesh {error}", element.sourceline)
        return True
    return False
