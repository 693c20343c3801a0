"""URDF+: closed loops (<loop>), gears (<coupling>), and the attribute `independent` of joints.

A coupling with the ratio n states: n times the sum of the predecessor's angles is the sum of the successor's, each over
all joints from the nearest common ancestor of the two links. Its dependent joint is the last one of the successor,
unless the file marks another one by `independent="false"`. An axisymmetric link without children on that joint is a
rotor: it becomes the motor of a drive, or of a gear train if several joints turn it. Any other link follows the other
joint.

A loop states that two points coincide; like other readers of URDF+, this one leaves their orientation free.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gearwright.algebra import Rot, Tensor, Vec
from gearwright.files.import_report import ImportFindings
from gearwright.files.placements import FramePlacement
from gearwright.files.urdf.joints import UrdfJoint
from gearwright.files.urdf.pose import read_origin
from gearwright.files.urdf.safe_xml import (
    Element,
    attribute_name,
    attribute_number,
    children_of_tags,
    only_child,
    report_unknown_content,
)
from gearwright.files.urdf.tolerated_errors import joint_axis_in_parent
from gearwright.parts import Drive, Frame, Gear, Gearwheel, Link, Loop, Mesh, Motor, Robot, Train, TrainMotor
from gearwright.parts.environment.loops_and_contacts import HOLDABLE_COORDINATES
from gearwright.text import did_you_mean

LOOP_ENDS = ("predecessor", "successor")
HELD_BY_LOOP_TYPE = {
    "revolute": HOLDABLE_COORDINATES[:3],
    "continuous": HOLDABLE_COORDINATES[:3],
    "spherical": HOLDABLE_COORDINATES[:3],
    "fixed": HOLDABLE_COORDINATES,
}
"""Coordinates of one end relative to the other that a loop of each type holds at zero."""
ROTOR_SYMMETRY_RATIO = 1e-6
"""Deviation of a rotor's inertia from a body of revolution about its joint, relative to its axial inertia."""


@dataclass(frozen=True)
class Coupling:
    """A gear between two links, as written in the file: n times the angles of the first are those of the second."""

    name: str
    links: tuple[str, str]
    ratio: float
    element: Element


@dataclass(frozen=True)
class UrdfPlus:
    """The additions of URDF+ in a file: couplings, loops with the frames at their ends, and dependent joints."""

    couplings: tuple[Coupling, ...]
    loops: tuple[Loop, ...]
    frames: tuple[Frame, ...]
    dependent: Mapping[str, int]
    """Joints marked `independent="false"`, with their lines."""


def read_urdf_plus(
    findings: ImportFindings, root: Element, links: Iterable[str], joints: Sequence[UrdfJoint]
) -> UrdfPlus:
    """Return the couplings, loops and marks of a file with these links and joints."""
    known = set(links)
    couplings = [_read_coupling(findings, element, known) for element in children_of_tags(root, "coupling")]
    loops: list[Loop] = []
    frames: list[Frame] = []
    for element in children_of_tags(root, "loop"):
        loop = _read_loop(findings, element, known, frames)
        loops += [] if loop is None else [loop]
    for kind, parts in (("coupling", couplings), ("loop", loops)):
        names = [part.name for part in parts if part is not None]
        for name in sorted({name for name in names if names.count(name) > 1}):
            findings.add(f"{kind} {name!r} occurs {names.count(name)} times. Rename all but one.")
    dependent = {joint.name: joint.element.sourceline for joint in joints if joint.is_dependent}
    return UrdfPlus(tuple(x for x in couplings if x is not None), tuple(loops), tuple(frames), dependent)


def _read_coupling(findings: ImportFindings, element: Element, links: set[str]) -> Coupling | None:
    report_unknown_content(findings, element, ("name", "type"), (*LOOP_ENDS, "ratio"), "coupling")
    if element.get("type", "rolling") != "rolling":
        findings.add_at(element, f"the type {element.get('type')!r} is unknown. Give 'rolling'.")
    name, ends = attribute_name(findings, element), [_end_link(findings, element, end, links) for end in LOOP_ENDS]
    ratio_element = only_child(findings, element, "ratio")
    ratio = 0.0 if ratio_element is None else attribute_number(findings, ratio_element, "value")
    if ratio == 0:
        findings.add_at(element, "its ratio is missing or 0. Give angle of the successor / angle of the predecessor.")
    first, second = ends
    if name is None or first is None or second is None or ratio == 0:
        return None
    return Coupling(name, (first, second), ratio, element)


def _read_loop(findings: ImportFindings, element: Element, links: set[str], frames: list[Frame]) -> Loop | None:
    """Return a loop, and add the frames at its ends to `frames`."""
    report_unknown_content(findings, element, ("name", "type"), (*LOOP_ENDS, "axis"), "loop")
    name, kind = attribute_name(findings, element), element.get("type", "revolute")
    if kind not in HELD_BY_LOOP_TYPE:
        findings.add_at(
            element, f"the type {kind!r} of a loop is not supported. {did_you_mean(kind, HELD_BY_LOOP_TYPE)}"
        )
    ends = [_end_link(findings, element, end, links) for end in LOOP_ENDS]
    if name is None or None in ends or kind not in HELD_BY_LOOP_TYPE:
        return None
    for end, link in zip(LOOP_ENDS, ends, strict=True):
        inner = only_child(findings, element, end)
        rotation, position = read_origin(findings, inner)
        frames.append(Frame(f"{name}.{end}", str(link), tuple(position), rotation.rows()))
    if kind == "revolute":
        findings.add_note(f"loop {name!r}: its two points coincide; the orientation about them is left free")
    return Loop(name, [f"{name}.{end}" for end in LOOP_ENDS], HELD_BY_LOOP_TYPE[kind])


def _end_link(findings: ImportFindings, element: Element, end: str, links: set[str]) -> str | None:
    inner = only_child(findings, element, end)
    if inner is None:
        findings.add_at(element, f"the element <{end} link=.../> is missing. Give the {end} link.")
        return None
    link = attribute_name(findings, inner, "link")
    if link is not None and link not in links:
        findings.add_at(inner, f"the link {link!r} does not exist. {did_you_mean(link, links)}")
        return None
    return link


def with_couplings(findings: ImportFindings, robot: Robot, plus: UrdfPlus, final_names: Mapping[str, str]) -> Robot:
    """Return the robot with rotors, followers, loops and independent joints; links have their final names.

    Args:
        findings: takes notes and problems.
        robot: the robot of the ordinary elements.
        plus: the additions.
        final_names: name of a link in the robot by its name in the file.
    """
    tied: set[str] = set()
    for coupling in plus.couplings:
        robot = _with_coupling(findings, robot, coupling, plus.dependent, final_names, tied)
    frames = [replace(frame, link=final_names[frame.link]) for frame in plus.frames]
    robot = replace(robot, loops=plus.loops, frames=(*robot.frames, *frames))
    in_loops = joints_in_loops(robot)
    for name, line in plus.dependent.items():
        if name not in tied.union(in_loops):
            text = "it is marked dependent, but no coupling or loop determines it; it is read as an independent joint."
            findings.add_accepted(f"joint {name!r}", line, text)
    marked = plus.dependent.keys() & {*in_loops}
    return replace(robot, independent=[name for name in in_loops if name not in marked] if marked else ())


def joints_in_loops(robot: Robot) -> list[str]:
    """Return the joints that move one end of a loop relative to the other, without those that follow others."""
    ends = {link.name: link.name for link in robot.links} | {frame.name: frame.link for frame in robot.frames}
    parents = {link.name: link.parent for link in robot.links}
    between: set[str] = set()
    for loop in robot.loops:
        first, second = (_chain_to_base(parents, ends.get(frame, "base")) for frame in loop.frames)
        between |= {*first} ^ {*second}
    moving = [link for link in robot.links if link.joint.kind != "fixed" and link.joint.follows is None]
    return [link.joint_name for link in moving if link.name in between]


def _chain_to_base(parents: Mapping[str, str], name: str) -> list[str]:
    """Return a link and all links that carry it, without the base."""
    chain = []
    while name in parents:
        chain.append(name)
        name = parents[name]
    return chain


def _with_coupling(
    findings: ImportFindings,
    robot: Robot,
    coupling: Coupling,
    dependent: Mapping[str, int],
    final_names: Mapping[str, str],
    tied: set[str],
) -> Robot:
    """Return the robot with the dependent joint of a coupling as a rotor or a follower; its name is added to `tied`."""
    by_name = {link.name: link for link in robot.links}
    parents = {link.name: link.parent for link in robot.links}
    chains = [_chain_to_base(parents, final_names[name]) for name in coupling.links]
    shared = {*chains[0]} & {*chains[1]}
    paths = [[by_name[x] for x in reversed(chain) if x not in shared] for chain in chains]
    coefficients: dict[str, float] = {}
    for path, factor in zip(paths, (coupling.ratio, -1.0), strict=True):
        for link in path:
            if link.joint.kind in ("revolute", "prismatic"):
                coefficients[link.joint_name] = coefficients.get(link.joint_name, 0.0) + factor
            elif link.joint.kind != "fixed":
                text = (
                    f"joint {link.joint_name!r} between its links is {link.joint.kind}. Couple joints with one angle."
                )
                findings.add_at(coupling.element, text)
                return robot
    candidates = [x for x in coefficients if x in dependent and x not in tied] or list(coefficients)
    if len(coefficients) < 2 or candidates[-1] in tied:
        text = (
            "it does not tie a further joint to others: its links are rigidly connected, or already coupled. Remove it."
        )
        findings.add_at(coupling.element, text)
        return robot
    name = candidates[-1]
    tied.add(name)
    row = {joint: -x / coefficients[name] for joint, x in coefficients.items() if joint != name}
    return _with_dependent_joint(findings, robot, coupling, robot.link_of_joint(name), row)


def _with_dependent_joint(
    findings: ImportFindings, robot: Robot, coupling: Coupling, link: Link, row: Mapping[str, float]
) -> Robot:
    """Return the robot whose dependent joint turns by this combination of other joints."""
    motor = _rotor(link) if all(other.parent != link.name for other in robot.links) else None
    terms = " + ".join(f"{x:g} x {joint!r}" for joint, x in row.items())
    driven = {drive.joint for drive in robot.drives}
    if motor is not None and not (len(row) == 1 and driven & row.keys()):
        findings.add_note(
            f"coupling {coupling.name!r} (line {coupling.element.sourceline}): link {link.name!r} is read as a rotor "
            f"that turns by {terms}; limits and shapes of the rotor are not used"
        )
        rest = [other for other in robot.links if other.name != link.name]
        axis = tuple(joint_axis_in_parent(link))
        if len(row) == 1:
            ((joint, ratio),) = row.items()
            drive = Drive(joint, motor, Gear(ratio), link.parent, axis)
            return replace(robot, links=rest, drives=(*robot.drives, drive))
        train = _sum_train(coupling.name, link, motor, robot, row)
        if train is not None:
            return replace(robot, links=rest, trains=(*robot.trains, train))
    if len(row) == 1:
        ((joint, ratio),) = row.items()
        findings.add_note(f"coupling {coupling.name!r}: joint {link.joint_name!r} turns by {terms}")
        follower = replace(link, joint=replace(link.joint, follows=(joint, ratio, 0.0)))
        return replace(robot, links=[follower if other.name == link.name else other for other in robot.links])
    text = (
        f"joint {link.joint_name!r} turns by {terms}, which is supported only for an axisymmetric rotor on the link "
        "that carries these joints, with equal factors. Split it into couplings of two joints."
    )
    findings.add_at(coupling.element, text)
    return robot


def _rotor(link: Link) -> Motor | None:
    """Return a link as a rotor in the frame of its parent; None unless it is axisymmetric about its revolute joint."""
    if link.joint.kind != "revolute":
        return None
    place = FramePlacement(Rot.from_rows(link.joint.rotation), Vec.from_values(link.joint.position))
    axis, com = joint_axis_in_parent(link), place.rotation @ Vec.from_values(link.com)
    tensor = Tensor.from_rows(link.inertia).rotated_by(place.rotation)
    axial = axis.dot(tensor @ axis)
    transverse = (tensor.xx + tensor.yy + tensor.zz - axial) / 2
    sideways = com - axis * axis.dot(com)
    deviations = [*(tensor - Tensor.of_revolution(axis, axial, transverse)), link.mass * sideways.dot(sideways)]
    if axial <= 0 or max(abs(float(x)) for x in deviations) > ROTOR_SYMMETRY_RATIO * axial:
        return None
    return Motor(
        axial,
        link.mass,
        transverse,
        tuple(place.position + com),
        damping=link.joint.damping,
        friction=link.joint.friction,
    )


def _sum_train(name: str, rotor: Link, motor: Motor, robot: Robot, row: Mapping[str, float]) -> Train | None:
    """Return the train of a rotor that turns by n times the sum of the angles of consecutive joints; None for others.

    A wheel coaxial with each joint but the last turns, relative to the link before that joint, by the sum of the angles
    from there on.
    """
    chain = [link for link in robot.links if link.joint_name in row]
    ratios = set(row.values())
    consecutive = all(after.parent == before.name for before, after in pairwise(chain))
    if len(ratios) > 1 or not consecutive or chain[0].parent != rotor.parent:
        return None
    sides = [f"{name}.side{k}" for k in range(1, len(chain))]
    wheels = [Gearwheel(rotor.name, rotor.parent, tuple(joint_axis_in_parent(rotor)))]
    wheels += [Gearwheel(side, link.parent, link.joint_name) for side, link in zip(sides, chain, strict=False)]
    meshes = [Mesh(rotor.name, sides[0], ratio=ratios.pop(), carrier=rotor.parent)]
    inner = [*sides[1:], chain[-1].name]
    meshes += [
        Mesh(side, next_one, ratio=1.0, carrier=link.name)
        for side, next_one, link in zip(sides, inner, chain, strict=False)
    ]
    return Train(name, wheels, meshes, [TrainMotor(rotor.joint_name, rotor.name, motor=motor)])
