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
class ArrayLayout:
    """The arrays of a kernel: entries per input, number of outputs, whether the last input is called parameters."""

    inputs: tuple[int, ...]
    outputs: int
    parameters: bool = False

    def output_group(self, width: int) -> int:
        """How many neighbouring outputs are written together."""
        return group_size(self.outputs, width)

    def output_groups(self, width: int) -> list[int]:
        """The first output of every group; the last group overlaps the one before it."""
        g = self.output_group(width)
        return [min(first, self.outputs - g) for first in range(0, self.outputs, g)]


def group_size(size: int, width: int) -> int:
    """How many neighbouring entries of an array of that size are moved together."""
    reach = min(4, width)
    return reach if size >= reach else 1


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


def plan(graph: Graph, layout: ArrayLayout, width: int, whole: int) -> Plan:
    """Cut a program of more than `whole` operations into pieces; what later pieces need goes through a workspace."""
    order = execution_order(graph)
    pieces = _cut(order, PIECE if len(order) > whole else max(len(order), 1))
    stores = _stores(graph, layout, width, order)
    return Plan(pieces, stores, *_slots(pieces, _last_uses(graph, layout, width, pieces, stores)))


def _cut(order: Sequence[int], size: int) -> tuple[tuple[int, ...], ...]:
    """Pieces of a size, at least one."""
    return tuple(tuple(order[k : k + size]) for k in range(0, len(order), size)) or ((),)


def _stores(graph: Graph, layout: ArrayLayout, width: int, order: Sequence[int]) -> dict[int, list[int]]:
    """Per node the groups of outputs whose last member it computes; -1: groups of constants and inputs alone."""
    place = {k: number for number, k in enumerate(order)}
    stores: dict[int, list[int]] = {}
    for first in layout.output_groups(width):
        computed = [k for k in graph.outputs[first : first + layout.output_group(width)] if k in place]
        stores.setdefault(max(computed, key=place.__getitem__, default=-1), []).append(first)
    return stores


def _last_uses(
    graph: Graph, layout: ArrayLayout, width: int, pieces: Sequence[Sequence[int]], stores: dict[int, list[int]]
) -> dict[int, int]:
    """Per computed node the last piece that needs it: as an operand, to be stored, or as a guard at the end."""
    home = {k: p for p, piece in enumerate(pieces) for k in piece}
    end, last = len(pieces) - 1, dict(home)
    uses = [(operand, p) for k, p in home.items() for operand in graph.nodes[k].operands]
    for trigger, groups in stores.items():
        for first in groups:
            members = graph.outputs[first : first + layout.output_group(width)]
            uses += [(k, home.get(trigger, end)) for k in members]
    uses += [(k, end) for k in graph.guards]
    for k, p in uses:
        if k in last:
            last[k] = max(last[k], p)
    return last


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
