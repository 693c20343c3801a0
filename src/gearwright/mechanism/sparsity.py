"""Which speeds the mass matrix couples, and in which order to eliminate them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gearwright.mechanism.mechanism import Mechanism


def coupled_speeds(mech: Mechanism) -> list[set[int]]:
    """Per speed the others it shares a non-zero entry of the mass matrix with.

    Two joints are coupled when one lies on the path of the other; a spin couples the speeds of its ratio row with each
    other and with the rotations on its carrier's path. Rows over several branches fill what the tree leaves empty.
    """
    neighbours: list[set[int]] = [set() for _ in range(mech.n)]

    def couple(group: set[int], others: set[int]) -> None:
        for i in group:
            neighbours[i] |= others - {i}

    for i, path in enumerate(mech.paths):
        own = {dof.speed for dof in mech.joints[i].dofs}
        along = {dof.speed for k in path for dof in mech.joints[k].dofs}
        couple(own, along)
        couple(along, own)
    for spin in mech.spins:
        row = {index for index, _ in spin.terms}
        path = mech.paths[int(spin.carrier)] if spin.carrier != -1 else ()
        turning = {dof.speed for k in path for dof in mech.joints[k].dofs if dof.angular}
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
