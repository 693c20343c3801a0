"""The sparsity of a machine's equations: coupled speeds, and the choice of articulated bodies or elimination.

A wheel whose rate depends on the speeds of one joint alone, and whose carrier is one of the two links of that joint or
the base, acts within that joint. So does a shaft that turns only such wheels. A machine of such drives divides into
nodes that are coupled to their neighbours only, and is solved in a number of steps proportional to the number of links.
Other machines are solved by elimination of the mass matrix in minimum-degree order.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gearwright.mechanism.elements import BASE, Spin

if TYPE_CHECKING:
    from gearwright.mechanism.mechanism import Mechanism


NO_BODY = None
"""Marker for a node without a body, with shafts only."""


@dataclass(frozen=True)
class ArticulationNode:
    """Speeds that are eliminated together: those of a body's joint and its shafts, or shafts alone.

    Args:
        body: the body that the speeds move relative to its parent; None for shafts on a link.
        host: the parent, or the link that carries the shafts' wheels; -1 for the base.
        speeds: the numbers of the speeds; none for a fixed joint.
        spins: the wheels whose rates depend on these speeds.
    """

    body: int | None
    host: int
    speeds: tuple[int, ...]
    spins: tuple[Spin, ...]


def articulation_nodes(mech: Mechanism) -> tuple[ArticulationNode, ...] | None:
    """Return the nodes of a machine, hosts first; None where a wheel, shaft or mimic joint couples distant links.

    >>> from gearwright.mechanism import Body, Mechanism
    >>> solid = {"mass": 1.0, "inertia": ((1, 0, 0), (0, 1, 0), (0, 0, 1))}
    >>> links = [Body("a", **solid), Body("b", "a", **solid)]
    >>> rotor = Spin("rotor", "a", (0, 0, 1), 1e-4, {"b": 50})
    >>> [node.speeds for node in articulation_nodes(Mechanism(links, [rotor]))]
    [(0,), (1,)]
    >>> articulation_nodes(Mechanism(links, [Spin("far", "b", (0, 0, 1), 1e-5, {"a": 50})])) is None
    True
    """
    if any(body.follows is not None for body in mech.bodies):
        return None
    joints = [{dof.speed for dof in joint.dofs} for joint in mech.joints]
    smallest_tied = _smallest_tied_speeds(
        mech.n, [*joints, *({index for index, _ in spin.terms} for spin in mech.spins)]
    )
    tied: dict[int, tuple[list[int], list[Spin]]] = {k: ([], []) for k in smallest_tied}
    for speed, k in enumerate(smallest_tied):
        tied[k][0].append(speed)
    for spin in mech.spins:
        tied[smallest_tied[spin.terms[0][0]]][1].append(spin)
    nodes = []
    for i, speeds in enumerate(joints):
        node_speeds, spins = tied.pop(smallest_tied[min(speeds)], (None, None)) if speeds else ([], [])
        if node_speeds is None or spins is None:  # the speeds of another body were among them
            return None
        nodes.append(ArticulationNode(i, mech.parent_of(i), tuple(node_speeds), tuple(spins)))
    for node_speeds, spins in tied.values():
        hosts = {int(spin.carrier) for spin in spins} - {BASE}
        nodes.append(ArticulationNode(NO_BODY, min(hosts, default=BASE), tuple(node_speeds), tuple(spins)))
    return tuple(nodes) if all(map(_couples_neighbours, nodes)) else None


OPERATIONS_PER_LINK = 240
"""Operations per link of the articulated-body algorithm, counted in traced chains of revolute joints."""

OPERATIONS_PER_ENTRY, OPERATIONS_PER_PRODUCT = 20, 1
"""Operations per entry of the mass matrix, and per product of two entries of a row in the elimination."""


def is_cheaper_by_links(mech: Mechanism) -> bool:
    """Whether the articulated-body algorithm takes fewer operations than elimination of the mass matrix (estimate).

    A speed with d speeds on its path to the base has d entries in the mass matrix, and its elimination takes d^2
    products. Chains of 14 joints and more are solved by articulated bodies; short limbs on one body are not.

    >>> from gearwright.mechanism import Body, Mechanism
    >>> links = [Body(f"{i}", i - 1, mass=1, com=(1, 0, 0)) for i in range(20)]
    >>> is_cheaper_by_links(Mechanism(links[:7])), is_cheaper_by_links(Mechanism(links))
    (False, True)
    """
    nodes = mech.articulation
    if nodes is None:
        return False
    depths: dict[int | None, int] = {BASE: 0}
    eliminating = by_links = 0
    for node in nodes:
        depth = depths[node.host] + len(node.speeds)
        if node.body is not None:
            depths[node.body] = depth
        if node.speeds and node.host != BASE:  # on the base both methods are equal
            eliminating += len(node.speeds) * depth * (OPERATIONS_PER_ENTRY + OPERATIONS_PER_PRODUCT * depth)
            by_links += OPERATIONS_PER_LINK
    return by_links < eliminating


def _couples_neighbours(node: ArticulationNode) -> bool:
    return all(spin.carrier in (BASE, node.host, node.body) for spin in node.spins)


def _smallest_tied_speeds(count: int, groups: Sequence[set[int]]) -> list[int]:
    """Return per speed the smallest speed in its connected component of groups."""
    root = list(range(count))

    def find_root(k: int) -> int:
        while root[k] != k:
            root[k] = root[root[k]]
            k = root[k]
        return k

    for group in groups:
        group_roots = {find_root(k) for k in group}
        for k in group_roots:
            root[k] = min(group_roots)
    return [find_root(k) for k in range(count)]


def coupled_speeds(mech: Mechanism) -> list[set[int]]:
    """Return per speed the other speeds with a nonzero entry of the mass matrix.

    Two joints are coupled if one lies on the path of the other; a spin couples the speeds of its ratio row with each
    other and with the rotations on its carrier's path. Rows over several branches add entries outside the tree pattern.
    """
    neighbours: list[set[int]] = [set() for _ in range(mech.n)]

    def add_neighbours(group: set[int], added: set[int]) -> None:
        for i in group:
            neighbours[i] |= added - {i}

    for i, joint in enumerate(mech.joints):
        joint_speeds = {dof.speed for dof in joint.dofs}
        path_speeds = {dof.speed for k in mech.body_paths[i] for dof in mech.joints[k].dofs}
        add_neighbours(joint_speeds, path_speeds)
        add_neighbours(path_speeds, joint_speeds)
    for spin in mech.spins:
        row = {index for index, _ in spin.terms}
        turning = {dof.speed for k in mech.body_paths[int(spin.carrier)] for dof in mech.joints[k].dofs if dof.angular}
        add_neighbours(row, row | turning)
        add_neighbours(turning, row)
    return neighbours


def elimination_order(couplings: Sequence[AbstractSet[int]]) -> tuple[int, ...]:
    """Return the minimum-degree order of elimination, the outermost speed first among equals.

    On a tree without coupling rows this eliminates leaves first, without fill-in; where rows couple all speeds it
    is the dense elimination.

    >>> elimination_order([{1}, {0, 2}, {1}])     # a chain: only neighbours are coupled
    (2, 1, 0)
    """
    graph = {i: set(neighbours) for i, neighbours in enumerate(couplings)}
    order = []
    while graph:
        i = min(graph, key=lambda k: (len(graph[k]), -k))
        neighbours = graph.pop(i)
        for k in neighbours:
            graph[k] = (graph[k] | neighbours) - {i, k}
        order.append(i)
    return tuple(order)
