"""In which order a traced program runs, and where it is cut into pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.tracing.graph import Graph

PIECE = 2000
"""Operations per function when a program is cut: code that fits into the instruction cache."""

SHORT = 3000
"""Up to so many operations a program is optimised as well as LLVM can, and has code for single states too."""


@dataclass(frozen=True)
class Layout:
    """The arrays of a kernel: entries per input, number of outputs, whether the last input is called parameters."""

    inputs: tuple[int, ...]
    outputs: int
    parameters: bool = False

    def group(self, size: int, width: int) -> int:
        """How many neighbouring entries of an array of that size are moved together."""
        reach = min(4, width)
        return reach if size >= reach else 1

    def groups(self, width: int) -> list[int]:
        """The first output of every group; the last group overlaps the one before it."""
        g = self.group(self.outputs, width)
        return [min(first, self.outputs - g) for first in range(0, self.outputs, g)]


@dataclass(frozen=True)
class Plan:
    """How a program runs.

    Args:
        pieces: per piece its nodes in order of execution.
        stores: node -> the groups of outputs that are complete with it; -1: at the end.
        slots: node -> place in the workspace, for the values that a later piece needs.
        size: number of places.
    """

    pieces: tuple[tuple[int, ...], ...]
    stores: dict[int, list[int]]
    slots: dict[int, int]
    size: int


def execution_order(graph: Graph) -> list[int]:
    """Constants and inputs left out, sines and cosines (with what they need) first."""
    first = [False] * len(graph.nodes)
    for k in reversed(range(len(graph.nodes))):
        node = graph.nodes[k]
        if node.op in ("sin", "cos") or first[k]:
            first[k] = True
            for operand in node.operands:
                first[operand] = True
    computed = [k for k, node in enumerate(graph.nodes) if node.op not in ("const", "input")]
    return [k for k in computed if first[k]] + [k for k in computed if not first[k]]


def plan(graph: Graph, layout: Layout, width: int, whole: int) -> Plan:
    """Cut a program of more than `whole` operations into pieces; what later pieces need goes through a workspace."""
    order = execution_order(graph)
    step = PIECE if len(order) > whole else max(len(order), 1)
    pieces = tuple(tuple(order[k : k + step]) for k in range(0, len(order), step)) or ((),)
    home = {k: p for p, piece in enumerate(pieces) for k in piece}
    last = dict(home)

    def use(k: int, p: int) -> None:
        if k in home:
            last[k] = max(last[k], p)

    for k in order:
        for operand in graph.nodes[k].operands:
            use(operand, home[k])
    stores: dict[int, list[int]] = {}
    place = {k: number for number, k in enumerate(order)}
    for first in layout.groups(width):
        members = graph.outputs[first : first + layout.group(layout.outputs, width)]
        trigger = max((k for k in members if k in place), key=lambda k: place[k], default=-1)
        stores.setdefault(trigger, []).append(first)
        for k in members:
            use(k, home.get(trigger, len(pieces) - 1))
    for k in graph.guards:
        use(k, len(pieces) - 1)
    return Plan(pieces, stores, *_slots(pieces, last))


def _slots(pieces: Sequence[Sequence[int]], last: dict[int, int]) -> tuple[dict[int, int], int]:
    """A place in the workspace for every value that outlives its piece; places are used again."""
    free: list[int] = []
    slots: dict[int, int] = {}
    ending: dict[int, list[int]] = {}
    size = 0
    for p, piece in enumerate(pieces):
        for k in piece:
            if last[k] > p:
                if not free:
                    free.append(size)
                    size += 1
                slots[k] = free.pop()
                ending.setdefault(last[k], []).append(slots[k])
        free += ending.get(p, [])
    return slots, size
