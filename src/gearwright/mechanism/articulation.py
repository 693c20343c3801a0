"""The sparsity of a machine's equations: which speeds couple, and whether to solve link by link or by elimination.

A wheel whose rate depends on the speeds of one joint alone, carried by one of the two links of that joint or by the
base, acts within that joint. So does a shaft that turns such wheels only. A machine of such drives falls into nodes
that couple neighbours only, and is solved in steps whose number is proportional to that of its links. Other machines
are solved by eliminating the mass matrix in the order of minimum degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gearwright.mechanism.elements import BASE, Spin

if TYPE_CHECKING:
    from gearwright.mechanism.mechanism import Mechanism


SHAFTS = None
"""In the place of a node's body: it has none, only shafts."""


@dataclass(frozen=True)
class Node:
    """Speeds that are eliminated together: those of a body's joint and of the shafts tied to it, or shafts alone.

    Args:
        body: the body that the speeds move on its parent; None for shafts that hang on a link.
        host: the parent, or the link that carries the shafts' wheels; -1 for the base.
        speeds: the numbers of the speeds; none for a fixed joint.
        spins: the wheels whose rates depend on these speeds.
    """

    body: int | None
    host: int
    speeds: tuple[int, ...]
    spins: tuple[Spin, ...]


def articulation(mech: Mechanism) -> tuple[Node, ...] | None:
    """The nodes of a machine, hosts first; None where a wheel, a shaft or a follower ties more than neighbours.

    >>> from gearwright.mechanism import Body, Mechanism
    >>> solid = {"mass": 1.0, "inertia": ((1, 0, 0), (0, 1, 0), (0, 0, 1))}
    >>> links = [Body("a", **solid), Body("b", "a", **solid)]
    >>> rotor = Spin("rotor", "a", (0, 0, 1), 1e-4, {"b": 50})
    >>> [node.speeds for node in articulation(Mechanism(links, [rotor]))]
    [(0,), (1,)]
    >>> articulation(Mechanism(links, [Spin("far", "b", (0, 0, 1), 1e-5, {"a": 50})])) is None
    True
    """
    if any(body.follows is not None for body in mech.bodies):
        return None
    joints = [{dof.speed for dof in joint.dofs} for joint in mech.joints]
    root = _roots(mech.n, [*joints, *({index for index, _ in spin.terms} for spin in mech.spins)])
    tied: dict[int, tuple[list[int], list[Spin]]] = {k: ([], []) for k in root}
    for speed, k in enumerate(root):
        tied[k][0].append(speed)
    for spin in mech.spins:
        tied[root[spin.terms[0][0]]][1].append(spin)
    nodes = []
    for i, speeds in enumerate(joints):
        own, spins = tied.pop(root[min(speeds)], (None, None)) if speeds else ([], [])
        if own is None or spins is None:  # the speeds of another body were among them
            return None
        nodes.append(Node(i, mech.parent(i), tuple(own), tuple(spins)))
    for own, spins in tied.values():
        hosts = {int(spin.carrier) for spin in spins} - {BASE}
        nodes.append(Node(SHAFTS, min(hosts, default=BASE), tuple(own), tuple(spins)))
    return tuple(nodes) if all(map(_couples_neighbours, nodes)) else None


PER_LINK = 240
"""Operations with which a link is articulated to its parent, as counted in traced chains of revolute joints."""

PER_ENTRY, PER_FILL = 20, 1
"""Operations per entry of the mass matrix, and per product of two entries of a row that elimination takes."""


def cheaper_by_links(mech: Mechanism) -> bool:
    """Whether solving link by link takes fewer operations than eliminating the mass matrix, by an estimate.

    A speed with d speeds on its way to the base has d entries in the mass matrix, and d^2 products are taken when it is
    eliminated. Chains of 14 joints and more are solved link by link; short limbs on one body are not.

    >>> from gearwright.mechanism import Body, Mechanism
    >>> links = [Body(f"{i}", i - 1, mass=1, com=(1, 0, 0)) for i in range(20)]
    >>> cheaper_by_links(Mechanism(links[:7])), cheaper_by_links(Mechanism(links))
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
        if node.speeds and node.host != BASE:  # on the base both ways do the same
            eliminating += len(node.speeds) * depth * (PER_ENTRY + PER_FILL * depth)
            by_links += PER_LINK
    return by_links < eliminating


def _couples_neighbours(node: Node) -> bool:
    return all(spin.carrier in (BASE, node.host, node.body) for spin in node.spins)


def _roots(count: int, groups: Sequence[set[int]]) -> list[int]:
    """Per speed the smallest one that groups tie it to, directly or through others."""
    root = list(range(count))

    def find(k: int) -> int:
        while root[k] != k:
            root[k] = root[root[k]]
            k = root[k]
        return k

    for group in groups:
        found = {find(k) for k in group}
        for k in found:
            root[k] = min(found)
    return [find(k) for k in range(count)]


def coupled_speeds(mech: Mechanism) -> list[set[int]]:
    """Per speed the others it shares a non-zero entry of the mass matrix with.

    Two joints are coupled when one lies on the path of the other; a spin couples the speeds of its ratio row with each
    other and with the rotations on its carrier's path. Rows over several branches fill what the tree leaves empty.
    """
    neighbours: list[set[int]] = [set() for _ in range(mech.n)]

    def couple(group: set[int], others: set[int]) -> None:
        for i in group:
            neighbours[i] |= others - {i}

    for i, joint in enumerate(mech.joints):
        own = {dof.speed for dof in joint.dofs}
        along = {dof.speed for k in mech.paths[i] for dof in mech.joints[k].dofs}
        couple(own, along)
        couple(along, own)
    for spin in mech.spins:
        row = {index for index, _ in spin.terms}
        turning = {dof.speed for k in mech.paths[int(spin.carrier)] for dof in mech.joints[k].dofs if dof.angular}
        couple(row, row | turning)
        couple(turning, row)
    return neighbours


def elimination_order(couplings: Sequence[AbstractSet[int]]) -> tuple[int, ...]:
    """Minimum degree, the outermost speed first among equals.

    On a tree without coupling rows this eliminates leaves first, without fill-in; where rows couple everything it
    degenerates to the dense elimination.

    >>> elimination_order([{1}, {0, 2}, {1}])     # a chain couples neighbours only
    (2, 1, 0)
    """
    graph = {i: set(others) for i, others in enumerate(couplings)}
    order = []
    while graph:
        i = min(graph, key=lambda k: (len(graph[k]), -k))
        others = graph.pop(i)
        for k in others:
            graph[k] = (graph[k] | others) - {i, k}
        order.append(i)
    return tuple(order)
