"""Linkages as graphs: links, and the joints between them. The open tree is chosen, the other joints close loops.

The tree is the one with the shortest loops; among those, the one that opens the fewest driven joints. A joint outside
the tree keeps its coordinate, limits, friction, spring and motor.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gearwright.algebra import IDENTITY, ZERO, MatrixLike, Vec, VectorLike, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.errors import StructureError
from gearwright.parts.builders.closing_joints import with_closing_joint
from gearwright.parts.drives.drive import Drive
from gearwright.parts.link import Joint, Link
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import FramePlacement, frame_placement, matrix_rows
from gearwright.text import listed_names

GROUND = "base"

SYMMETRIC_KINDS = ("fixed", "revolute", "prismatic", "helical")
"""Kinds whose coordinate is the same with parent and child exchanged, about the opposite axis."""
REVERSIBLE_KINDS = (*SYMMETRIC_KINDS, "universal", "spherical")
"""Kinds that remain of the same kind with parent and child exchanged; the coordinates of the last two are others."""


@check_arguments
@dataclass(frozen=True)
class Connection:
    """A joint between two links of a linkage.

    Args:
        joint: the joint, with a name; its position and rotation are in the parent's frame.
        parent: name of one link, or "base".
        child: name of the other link; the coordinate is that of the child relative to the parent. Universal and
            spherical joints have the coordinates of the link that is farther from the base in the chosen tree, relative
            to the other one; of an exchanged universal joint the first angle is that about `axis2`.
        position: origin of the joint frame in the child's frame [m], with the joint's coordinate at zero.
        rotation: rotation of the joint frame in the child's frame, (3, 3).
    """

    joint: Joint
    parent: str
    child: str
    position: VectorLike = ZERO
    rotation: MatrixLike = IDENTITY

    def __post_init__(self) -> None:
        if self.joint.name is None:
            raise StructureError(
                f"connection of {self.parent!r} and {self.child!r}: its joint has no name. Give one: Joint('pin')."
            )
        if self.parent == self.child:
            raise StructureError(
                f"joint {self.joint.name!r} connects {self.parent!r} with itself. Give two different links."
            )

    @property
    def is_symmetric(self) -> bool:
        """Whether parent and child can be exchanged, and the coordinate stays the same."""
        return self.joint.kind in SYMMETRIC_KINDS

    @property
    def has_offset(self) -> bool:
        """Whether the child's frame is not on the joint."""
        identity = frame_placement(ZERO, IDENTITY)
        return not _is_same(frame_placement(self.position, self.rotation), identity)

    def with_exchanged_links(self) -> Connection:
        """Return the same joint with parent and child exchanged; the coordinate of a symmetric joint is the same."""
        if self.joint.kind not in REVERSIBLE_KINDS:
            raise StructureError(
                f"joint {self.joint.name!r}: {self.child!r} is nearer to the base than its parent {self.parent!r}, and "
                f"the coordinates of a {self.joint.kind} joint cannot be counted the other way. Exchange parent and "
                "child."
            )
        axes = [None if x is None else tuple(Vec.from_values(x) * -1.0) for x in (self.joint.axis, self.joint.axis2)]
        axis, axis2 = axes if axes[1] is None else reversed(axes)
        joint = replace(self.joint, axis=axis, axis2=axis2, position=self.position, rotation=self.rotation)
        return Connection(joint, self.child, self.parent, self.joint.position, self.joint.rotation)


@check_arguments
def linkage(name: str, links: Sequence[Link], connections: Sequence[Connection], **parts: Any) -> Robot:
    """Return the robot of a graph of links and joints; the joints outside the chosen tree close loops.

    A joint outside the tree remains a joint, see `with_closing_joint`. A link keeps its frame: if its frame is not on
    the joint that carries it, it is fixed to a link without mass on this joint.

    Args:
        name: name of the robot.
        links: the links, without parent and joint.
        connections: the joints between them and to the base, in any order.
        parts: the other arguments of `Robot`: drives, frames, gravity, ...

    Raises:
        StructureError: a link does not exist or is not connected with the base, or joints have the same name.

    >>> bar = dict(mass=1.0, com=(0.5, 0, 0))
    >>> links = [Link(name, **bar) for name in ("left", "top", "right")]
    >>> pins = [Connection(Joint("a"), "base", "left"), Connection(Joint("b", position=(1, 0, 0)), "left", "top"),
    ...         Connection(Joint("c", position=(2, 0, 0)), "base", "right"),
    ...         Connection(Joint("d", position=(2, 0, 0)), "top", "right", (1, 0, 0))]
    >>> robot = linkage("bars", links, pins)
    >>> [(link.parent, link.name) for link in robot.links], [loop.name for loop in robot.loops]
    ([('base', 'left'), ('left', 'top'), ('top', 'right.d'), ('base', 'right')], ['d'])
    """
    for link in links:
        if link.parent != GROUND or link.joint != Joint():
            raise StructureError(
                f"linkage {name!r}: link {link.name!r} states a parent or a joint. State its joints as connections."
            )
    return with_connections(Robot(name, links, **parts), connections, {link.name for link in links})


def with_connections(robot: Robot, connections: Sequence[Connection], loose: Collection[str]) -> Robot:
    """Return the robot with joints between its links; `loose` names the links that no joint carries so far."""
    _require_names(robot, connections)
    graph = _Graph.of_links(robot, connections, loose)
    tree = _shortest_tree(graph, _first_tree(robot, graph, loose))
    towards_child = _oriented_edges(graph, tree)
    carried = {edge.child: edge for edge in towards_child if edge.connection is not None}
    links: list[Link] = []
    for link in _parents_first(robot.links, {edge.child: edge.parent for edge in towards_child}):
        edge = carried.get(link.name)
        links += [link] if edge is None or edge.connection is None else _carried_links(link, edge.connection)
    drives = [_drive_of_connection(drive, connections, carried) for drive in robot.drives]
    robot = replace(robot, links=tuple(links), drives=tuple(drives))
    for k, edge in enumerate(graph.edges):
        if k not in tree and edge.connection is not None:
            robot = _with_closing_connection(robot, edge.connection)
    return robot


class _Edge(NamedTuple):
    """A joint between two links: a stated connection, or one that a link has already (None)."""

    parent: str
    child: str
    length: int
    is_driven: bool
    connection: Connection | None

    def with_exchanged_links(self) -> _Edge:
        flipped = None if self.connection is None else self.connection.with_exchanged_links()
        return self._replace(parent=self.child, child=self.parent, connection=flipped)


class _Graph(NamedTuple):
    """The joints of a linkage; fixed ones have no length."""

    edges: tuple[_Edge, ...]

    @classmethod
    def of_links(cls, robot: Robot, connections: Iterable[Connection], loose: Collection[str]) -> _Graph:
        driven = {drive.joint for drive in robot.drives}

        def edge(parent: str, child: str, joint: str, kind: str, connection: Connection | None) -> _Edge:
            return _Edge(parent, child, int(kind != "fixed"), joint in driven, connection)

        stated = [edge(x.parent, x.name, x.joint_name, x.joint.kind, None) for x in robot.links if x.name not in loose]
        fresh = [edge(x.parent, x.child, str(x.joint.name), x.joint.kind, x) for x in connections]
        return cls((*stated, *fresh))

    def neighbours(self, tree: Iterable[int]) -> dict[str, list[tuple[int, str]]]:
        """Return per link the edges of a tree at it, and the links at their other ends."""
        neighbours: dict[str, list[tuple[int, str]]] = {GROUND: []}
        for k in tree:
            edge = self.edges[k]
            neighbours.setdefault(edge.parent, []).append((k, edge.child))
            neighbours.setdefault(edge.child, []).append((k, edge.parent))
        return neighbours

    def paths(self, tree: Iterable[int]) -> dict[str, tuple[int, ...]]:
        """Return per link the edges of a tree from the base to it, in breadth-first order."""
        neighbours, waiting = self.neighbours(tree), [GROUND]
        paths: dict[str, tuple[int, ...]] = {GROUND: ()}
        for link in waiting:
            for k, other in neighbours.get(link, []):
                if other not in paths:
                    paths[other] = (*paths[link], k)
                    waiting.append(other)
        return paths

    def loop(self, paths: Mapping[str, tuple[int, ...]], k: int) -> set[int]:
        """Return the edges of a tree in the loop that another edge closes."""
        edge = self.edges[k]
        return set(paths[edge.parent]) ^ set(paths[edge.child])

    def cost(self, tree: frozenset[int]) -> tuple[int, ...]:
        """Return what is smaller for a better tree, in this order.

        Reversed joints that change their coordinates, reversed driven joints, opened fixed joints, the total length of
        all loops, opened driven joints, and links whose frame is not on the joint that carries them.
        """
        paths = self.paths(tree)
        opened = [k for k in range(len(self.edges)) if k not in tree]
        loops = [self.loop(paths, k) for k in opened]
        inner = [self.edges[k] for k in tree]
        reversed_edges = [x for x in inner if len(paths[x.parent]) > len(paths[x.child])]
        changed = sum(x.connection is None or not x.connection.is_symmetric for x in reversed_edges)
        lengths = sum(self.edges[j].length for loop in loops for j in loop)
        aside = sum(x.connection is not None and x.connection.has_offset for x in inner)
        return (
            changed,
            sum(x.is_driven for x in reversed_edges),
            sum(self.edges[k].length == 0 for k in opened),
            lengths,
            sum(self.edges[k].is_driven for k in opened),
            aside + len(reversed_edges),
        )


def _first_tree(robot: Robot, graph: _Graph, loose: Collection[str]) -> frozenset[int]:
    """Return a tree over all links that contains the joints that links have already, breadth first."""
    stated = {k for k, edge in enumerate(graph.edges) if edge.connection is None}
    at_link: dict[str, list[int]] = {}
    for k, edge in enumerate(graph.edges):
        for end in (edge.parent, edge.child):
            at_link.setdefault(end, []).append(k)
    tree, reached = set(stated), set(graph.paths(stated))
    waiting = [GROUND, *(link.name for link in robot.links if link.name not in loose and link.name in reached)]
    for link in waiting:
        for k in at_link.get(link, []):
            edge = graph.edges[k]
            other = edge.child if edge.parent == link else edge.parent
            if other not in reached:
                tree.add(k)
                fresh = [x for x in graph.paths(tree) if x not in reached]
                reached.update(fresh)
                waiting += fresh
    lost = [link.name for link in robot.links if link.name not in reached]
    if lost:
        raise StructureError(
            f"robot {robot.name!r}: no joints connect {listed_names(lost)} with the base. Add a joint to the base, or "
            "a free one."
        )
    return frozenset(tree)


def _shortest_tree(graph: _Graph, tree: frozenset[int]) -> frozenset[int]:
    """Return a tree of least cost: opened edges are exchanged with edges of their loops as long as this helps."""
    cost, improved = graph.cost(tree), True
    while improved:
        improved = False
        paths = graph.paths(tree)
        for k in range(len(graph.edges)):
            if k in tree:
                continue
            for j in sorted(graph.loop(paths, k)):
                trial = tree - {j} | {k}
                if graph.edges[j].connection is not None and (trial_cost := graph.cost(trial)) < cost:
                    tree, cost, improved = trial, trial_cost, True
                    break
            if improved:
                break
    return tree


def _oriented_edges(graph: _Graph, tree: frozenset[int]) -> list[_Edge]:
    """Return the edges of a tree from the base outwards."""
    paths = graph.paths(tree)
    edges = [graph.edges[k] for k in sorted(tree)]
    return [x if len(paths[x.parent]) < len(paths[x.child]) else x.with_exchanged_links() for x in edges]


def _parents_first(links: Iterable[Link], parents: Mapping[str, str]) -> list[Link]:
    """Return the links in the given order, but parents before children."""
    ordered, placed, waiting = [], {GROUND}, list(links)
    while waiting:
        link = next(x for x in waiting if parents[x.name] in placed)
        ordered.append(link)
        placed.add(link.name)
        waiting.remove(link)
    return ordered


def _carried_links(link: Link, connection: Connection) -> list[Link]:
    """Return the link on its joint, fixed to a link without mass there if its frame is elsewhere."""
    if not connection.has_offset:
        return [replace(link, parent=connection.parent, joint=connection.joint)]
    carrier = Link(_carrier_name(connection), connection.parent, connection.joint)
    back = _inverse(frame_placement(connection.position, connection.rotation))
    joint = Joint(f"{carrier.name}.frame", "fixed", position=tuple(back.position), rotation=back.rotation.rows())
    return [carrier, replace(link, parent=carrier.name, joint=joint)]


def _carrier_name(connection: Connection) -> str:
    return f"{connection.child}.{connection.joint.name}"


def _drive_of_connection(drive: Drive, connections: Iterable[Connection], carried: Mapping[str, _Edge]) -> Drive:
    """Return the drive, with its mount and axis as stated where the tree exchanges parent and child of its joint."""
    connection = next((x for x in connections if x.joint.name == drive.joint), None)
    edge = None if connection is None else carried.get(connection.parent)
    if connection is None or edge is None or edge.connection is None or edge.connection.joint.name != drive.joint:
        return drive
    mount = connection.parent if drive.mounted_on is None else drive.mounted_on
    places = {
        connection.parent: frame_placement(connection.joint.position, connection.joint.rotation),
        connection.child: frame_placement(connection.position, connection.rotation),
    }
    if mount not in places:
        return drive
    axis = tuple(places[mount].direction_in_outer(connection.joint.axis)) if drive.axis is None else drive.axis
    position = places[mount].position if drive.motor.position is None else drive.motor.position
    return replace(drive, mounted_on=mount, axis=axis, motor=replace(drive.motor, position=tuple(position)))


def _with_closing_connection(robot: Robot, connection: Connection) -> Robot:
    """Return the robot with a joint outside the tree; the link that is divided must have mass."""
    if connection.child == GROUND or (_is_massless(robot.link(connection.child)) and connection.parent != GROUND):
        connection = connection.with_exchanged_links()
    return with_closing_joint(
        robot, connection.joint, connection.parent, connection.child, connection.position, connection.rotation
    )


def _is_massless(link: Link) -> bool:
    return is_number(link.mass) and link.mass == 0


def _inverse(place: FramePlacement) -> FramePlacement:
    rotation = place.rotation.T
    return FramePlacement(rotation, rotation @ (place.position * -1.0))


def _is_same(one: FramePlacement, other: FramePlacement) -> bool:
    """Whether two placements are equal in numbers."""
    values = [[*place.position, *(x for row in matrix_rows(place.rotation) for x in row)] for place in (one, other)]
    return all(is_number(x) and is_number(y) and x == y for x, y in zip(*values, strict=True))


def _require_names(robot: Robot, connections: Sequence[Connection]) -> None:
    known = [GROUND, *(link.name for link in robot.links)]
    doubled = [name for name in known if known.count(name) > 1]
    if doubled:
        raise StructureError(f"robot {robot.name!r}: two links are called {doubled[0]!r}. Rename one of them.")
    for connection in connections:
        for name in (connection.parent, connection.child):
            if name not in known:
                raise StructureError(
                    f"robot {robot.name!r}, joint {connection.joint.name!r}: there is no link {name!r}. Use one of "
                    f"{listed_names(known)}."
                )
    names = [str(connection.joint.name) for connection in connections]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise StructureError(f"robot {robot.name!r}: two joints are called {repeated[0]!r}. Rename one of them.")
