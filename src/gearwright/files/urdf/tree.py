"""The tree of a URDF: one root, links in their order with parents first, joints that parts cannot say taken apart."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gearwright.algebra import Vec
from gearwright.files.import_report import Findings
from gearwright.files.placements import PartPlace
from gearwright.files.urdf.joints import UrdfJoint
from gearwright.parts import Joint, Link
from gearwright.text import did_you_mean, fresh_name, listed


@dataclass(frozen=True)
class Tree:
    """Links by name in the file's order, the joint that carries each, and the root."""

    links: Mapping[str, Link]
    carried_by: Mapping[str, UrdfJoint]
    root: str
    root_moves: bool = False

    def ordered(self) -> list[str]:
        """The names of the links in their order, but every parent before its children."""
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

    def fixed_to_root(self, name: str) -> PartPlace | None:
        """The placement of a link in the root when only fixed joints lie between; None otherwise."""
        steps = []
        while name != self.root:
            joint = self.carried_by[name]
            if joint.joint.kind != "fixed":
                return None
            steps.append(PartPlace(joint.joint.rotation, joint.joint.position))
            name = joint.parent
        place = PartPlace()
        for step in reversed(steps):
            place = place.then(step)
        return place


def grow(
    found: Findings,
    links: Mapping[str, Link],
    joints: Sequence[UrdfJoint],
    complete: bool,
    elements: Mapping[str | None, Any],
) -> Tree | None:
    """The tree, or None with problems: unknown links, two parents, two roots, circles.

    `complete`: every joint could be read, so that a link without one is a root indeed. `elements`: where links stand.
    """
    carried_by: dict[str, UrdfJoint] = {}
    for joint in joints:
        for side, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                found.at(joint.element, f"its {side} {name!r} is not a link. {did_you_mean(name, links)}")
        if joint.child in carried_by:
            other = carried_by[joint.child].name
            found.at(
                joint.element,
                f"its child {joint.child!r} hangs on joint {other!r} already. Cut one of the two.",
            )
        carried_by.setdefault(joint.child, joint)
    roots = [name for name in links if name not in carried_by]
    if len(roots) > 1 and complete:
        others = ", ".join(map(repr, roots[:20]))
        found.at(elements.get(roots[1]), f"there are {len(roots)} roots: {others}. Hang all but one on joints.")
    _refuse_circles(found, carried_by)
    return None if found.found else Tree(links, carried_by, roots[0])


def _refuse_circles(found: Findings, carried_by: Mapping[str, UrdfJoint]) -> None:
    """Walk every link towards the root once; coming back to a link of the same walk is a circle."""
    done: set[str] = set()
    for start in carried_by:
        walk: dict[str, None] = {}
        name = start
        while name in carried_by and name not in done and name not in walk:
            walk[name] = None
            name = carried_by[name].parent
        if name in walk:
            loop = list(walk)[list(walk).index(name) :]
            text = listed([*loop[:20], name], " -> ")
            found.at(
                carried_by[name].element,
                f"links carry each other in a circle: {text}. Cut one joint.",
            )
        done |= walk.keys()


def robot_links(found: Findings, tree: Tree) -> list[Link]:
    """The links as parts: the root on the base, and every joint as one (or several) that parts can say."""
    names = _Names(tree)
    base = _is_base(tree)
    called = {name: names.link(name) for name in tree.links}
    if base:
        called[tree.root] = "base"
        found.note(f"the root link {tree.root!r} has neither inertia nor shapes: it is the base")
    for name, other in called.items():
        if name != other and not (base and name == tree.root):
            found.rename("link", name, other, "'base' is the ground")
    made: list[Link] = []
    for name in tree.ordered():
        link = replace(tree.links[name], name=called[name])
        if name == tree.root:
            made += [] if base else [_rooted(found, link, names, tree.root_moves)]
        else:
            made += _hung(found, tree, tree.carried_by[name], link, called, names)
    return made


def _is_base(tree: Tree) -> bool:
    """A root without inertia and shapes that carries something stands for the ground itself."""
    root = tree.links[tree.root]
    empty = root.mass == 0 and not any(x for row in root.inertia for x in row) and not root.shapes
    return empty and not tree.root_moves and len(tree.links) > 1


class _Names:
    """Names that are not taken yet."""

    def __init__(self, tree: Tree) -> None:
        self._links = set(tree.links) | {"base"}
        self._joints = {joint.name for joint in tree.carried_by.values()}

    def link(self, name: str) -> str:
        """The link's name, unless it is the ground's."""
        return fresh_name("base_link", self._links) if name == "base" else name

    def new_link(self, name: str) -> str:
        return fresh_name(name, self._links)

    def new_joint(self, name: str) -> str:
        return fresh_name(name, self._joints)


def _rooted(found: Findings, link: Link, names: _Names, floating: bool) -> Link:
    """The root link on the base: free when asked for, else fixed, so that its inertia is kept though it rests."""
    joint = names.new_joint("floating_base" if floating else f"base_to_{link.name}")
    found.note(
        f"the root link {link.name!r} is {'free on' if floating else 'fixed to'} the base by the joint {joint!r}"
    )
    return replace(link, parent="base", joint=Joint(joint, "free" if floating else "fixed"))


def _hung(
    found: Findings, tree: Tree, joint: UrdfJoint, link: Link, called: Mapping[str, str], names: _Names
) -> list[Link]:
    parent = called[joint.parent]
    if joint.joint.kind == "floating":
        place = None if tree.root_moves else tree.fixed_to_root(joint.parent)
        if place is not None:
            inner = place.then(PartPlace(joint.joint.rotation, joint.joint.position))
            free = replace(joint.joint, kind="free", rotation=inner.rotation, position=inner.position)
            return [replace(link, parent="base", joint=free)]
        return _floating(found, joint, replace(link, parent=parent), names)
    return [replace(link, parent=parent, joint=joint.joint)]


def _floating(found: Findings, joint: UrdfJoint, link: Link, names: _Names) -> list[Link]:
    """Three slides through links without mass and a ball, for a floating joint on a link that moves."""
    found.note(f"floating joint {joint.name!r} on a moving link: read as {joint.name}.x, .y, .z and a ball joint")
    made: list[Link] = []
    parent, placed = link.parent, {"rotation": joint.joint.rotation, "position": joint.joint.position}
    for end in "xyz":
        name, axis = names.new_link(f"{link.name}.{end}"), Vec(*(float(end == other) for other in "xyz"))
        made.append(Link(name, parent, Joint(names.new_joint(f"{joint.name}.{end}"), "prismatic", axis, **placed)))
        parent, placed = name, {}
    return [*made, replace(link, parent=parent, joint=Joint(joint.name, "spherical", joint.joint.axis))]
