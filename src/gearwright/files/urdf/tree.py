"""The tree of a URDF: one root, parents before children, and decomposition of joints that parts do not have."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gearwright.algebra import Vec
from gearwright.files.import_report import ImportFindings
from gearwright.files.placements import FramePlacement
from gearwright.files.urdf.joints import UrdfJoint
from gearwright.parts import Joint, Link
from gearwright.text import did_you_mean, listed_names, unique_name


@dataclass(frozen=True)
class LinkTree:
    """Links by name in the file's order, the joint that carries each, and the root."""

    links: Mapping[str, Link]
    carried_by: Mapping[str, UrdfJoint]
    root: str
    root_moves: bool = False

    def ordered_names(self) -> list[str]:
        """Return the names of the links in their order, with every parent before its children."""
        place = {name: index for index, name in enumerate(self.links)}
        kids: dict[str, list[str]] = {name: [] for name in self.links}
        for name, joint in self.carried_by.items():
            kids[joint.parent].append(name)
        names, ready, ordered = list(self.links), [place[self.root]], []
        while ready:
            name = names[heapq.heappop(ready)]
            ordered.append(name)
            for kid in kids[name]:
                heapq.heappush(ready, place[kid])
        return ordered

    def placement_in_root(self, name: str) -> FramePlacement | None:
        """Return the placement of a link in the root if all joints between are fixed; None otherwise."""
        steps = []
        while name != self.root:
            joint = self.carried_by[name]
            if joint.joint.kind != "fixed":
                return None
            steps.append(FramePlacement(joint.joint.rotation, joint.joint.position))
            name = joint.parent
        place = FramePlacement()
        for step in reversed(steps):
            place = place.compose_with(step)
        return place


def build_tree(
    findings: ImportFindings,
    links: Mapping[str, Link],
    joints: Sequence[UrdfJoint],
    all_joints_read: bool,
    elements: Mapping[str | None, Any],
) -> LinkTree | None:
    """Return the tree; None with problems: unknown links, two parents, two roots, cycles.

    `all_joints_read`: all joints could be read, so a link without a joint is a root. `elements`: the elements of links.
    """
    carried_by: dict[str, UrdfJoint] = {}
    for joint in joints:
        for side, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                findings.add_at(joint.element, f"its {side} {name!r} is not a link. {did_you_mean(name, links)}")
        if joint.child in carried_by:
            carrying_joint = carried_by[joint.child].name
            findings.add_at(
                joint.element,
                f"its child {joint.child!r} already has the parent joint {carrying_joint!r}. Remove one of the two.",
            )
        carried_by.setdefault(joint.child, joint)
    roots = [name for name in links if name not in carried_by]
    if len(roots) > 1 and all_joints_read:
        root_names = ", ".join(map(repr, roots[:20]))
        findings.add_at(
            elements.get(roots[1]), f"there are {len(roots)} root links: {root_names}. Connect all but one by joints."
        )
    _refuse_circles(findings, carried_by)
    return None if findings.entries else LinkTree(links, carried_by, roots[0])


def _refuse_circles(findings: ImportFindings, carried_by: Mapping[str, UrdfJoint]) -> None:
    """Follow every link towards the root once, and add a problem for each cycle."""
    done: set[str] = set()
    for start in carried_by:
        walk: dict[str, None] = {}
        name = start
        while name in carried_by and name not in done and name not in walk:
            walk[name] = None
            name = carried_by[name].parent
        if name in walk:
            loop = list(walk)[list(walk).index(name) :]
            text = listed_names([*loop[:20], name], " -> ")
            findings.add_at(
                carried_by[name].element,
                f"links form a cycle: {text}. Remove one joint.",
            )
        done |= walk.keys()


def robot_links(findings: ImportFindings, tree: LinkTree) -> tuple[list[Link], dict[str, str]]:
    """Return the links as parts, and their names by those in the file.

    The root is on the base, and every joint is one or several supported joints.
    """
    names = _FreshNames(tree)
    base = _is_base(tree)
    called = {name: names.link_name(name) for name in tree.links}
    if base:
        called[tree.root] = "base"
        findings.add_note(f"the root link {tree.root!r} has neither inertia nor shapes: it is the base")
    for name, new_name in called.items():
        if name != new_name and not (base and name == tree.root):
            findings.add_renaming("link", name, new_name, "'base' is the ground")
    links: list[Link] = []
    for name in tree.ordered_names():
        link = replace(tree.links[name], name=called[name])
        if name == tree.root:
            links += [] if base else [_root_on_base(findings, link, names, tree.root_moves)]
        else:
            links += _links_on_joint(findings, tree, tree.carried_by[name], link, called, names)
    return links, called


def _is_base(tree: LinkTree) -> bool:
    """Whether the root represents the ground: no inertia, no shapes, and at least one child."""
    root = tree.links[tree.root]
    empty = root.mass == 0 and not any(x for row in root.inertia for x in row) and not root.shapes
    return empty and not tree.root_moves and len(tree.links) > 1


class _FreshNames:
    """Unique names of links and joints."""

    def __init__(self, tree: LinkTree) -> None:
        self._links = set(tree.links) | {"base"}
        self._joints = {joint.name for joint in tree.carried_by.values()}

    def link_name(self, name: str) -> str:
        """Return the link's name, or another one if it is that of the ground."""
        return unique_name("base_link", self._links) if name == "base" else name

    def new_link(self, name: str) -> str:
        return unique_name(name, self._links)

    def new_joint(self, name: str) -> str:
        return unique_name(name, self._joints)


def _root_on_base(findings: ImportFindings, link: Link, names: _FreshNames, floating: bool) -> Link:
    """Return the root link on the base: free if requested, else fixed, which keeps its inertia."""
    joint = names.new_joint("floating_base" if floating else f"base_to_{link.name}")
    findings.add_note(
        f"the root link {link.name!r} is {'free on' if floating else 'fixed to'} the base by the joint {joint!r}"
    )
    return replace(link, parent="base", joint=Joint(joint, "free" if floating else "fixed"))


def _links_on_joint(
    findings: ImportFindings,
    tree: LinkTree,
    joint: UrdfJoint,
    link: Link,
    called: Mapping[str, str],
    names: _FreshNames,
) -> list[Link]:
    parent = called[joint.parent]
    if joint.joint.kind == "floating":
        place = None if tree.root_moves else tree.placement_in_root(joint.parent)
        if place is not None:
            inner = place.compose_with(FramePlacement(joint.joint.rotation, joint.joint.position))
            free = replace(joint.joint, kind="free", rotation=inner.rotation, position=inner.position)
            return [replace(link, parent="base", joint=free)]
        return _floating_links(findings, joint, replace(link, parent=parent), names)
    return [replace(link, parent=parent, joint=joint.joint)]


def _floating_links(findings: ImportFindings, joint: UrdfJoint, link: Link, names: _FreshNames) -> list[Link]:
    """Return three prismatic joints on massless links and a spherical joint, for a floating joint on a moving link."""
    findings.add_note(
        f"floating joint {joint.name!r} on a moving link: read as {joint.name}.x, .y, .z and a spherical joint"
    )
    links: list[Link] = []
    parent, placed = link.parent, {"rotation": joint.joint.rotation, "position": joint.joint.position}
    for end in "xyz":
        name, axis = names.new_link(f"{link.name}.{end}"), Vec(*(float(end == letter) for letter in "xyz"))
        links.append(Link(name, parent, Joint(names.new_joint(f"{joint.name}.{end}"), "prismatic", axis, **placed)))
        parent, placed = name, {}
    return [*links, replace(link, parent=parent, joint=Joint(joint.name, "spherical", joint.joint.axis))]
