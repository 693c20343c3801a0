"""The order of execution of a traced program, and its split into pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.tracing.graph import Graph

OPERATIONS_PER_PIECE = 2000
"""Operations per piece of a split program: code that fits into the instruction cache."""

MAX_SHORT_OPERATIONS = 3000
"""Operations up to which a program is fully optimised by LLVM, and also has code for single states."""


@dataclass(frozen=True)
class ArrayLayout:
    """The arrays of a kernel: entries per input, number of outputs, whether the last input is called parameters."""

    inputs: tuple[int, ...]
    outputs: int
    parameters: bool = False

    def output_group(self, width: int) -> int:
        """Number of adjacent outputs that are written together."""
        return group_size(self.outputs, width)

    def output_groups(self, width: int) -> list[int]:
        """The first output of every group; the last group overlaps the one before it."""
        g = self.output_group(width)
        return [min(first, self.outputs - g) for first in range(0, self.outputs, g)]


def group_size(size: int, width: int) -> int:
    """Number of adjacent entries of an array that are moved together."""
    reach = min(4, width)
    return reach if size >= reach else 1


@dataclass(frozen=True)
class Schedule:
    """The schedule of a program.

    Args:
        pieces: per piece its nodes in order of execution.
        stores: node -> the groups of outputs that are complete with it; -1: at the end.
        slots: node -> index in the workspace, for the values that a later piece needs.
        size: number of entries of the workspace.
    """

    pieces: tuple[tuple[int, ...], ...]
    stores: dict[int, list[int]]
    slots: dict[int, int]
    size: int


def execution_order(graph: Graph) -> list[int]:
    """The computed nodes in order: sines and cosines (with their operands) first, without constants and inputs."""
    first = [False] * len(graph.nodes)
    for k in reversed(range(len(graph.nodes))):
        node = graph.nodes[k]
        if node.op in ("sin", "cos") or first[k]:
            first[k] = True
            for operand in node.operands:
                first[operand] = True
    computed = [k for k, node in enumerate(graph.nodes) if node.op not in ("const", "input")]
    return [k for k in computed if first[k]] + [k for k in computed if not first[k]]


def make_schedule(graph: Graph, layout: ArrayLayout, width: int, max_whole: int) -> Schedule:
    """Split a program of more than `max_whole` operations into pieces that pass values through a workspace."""
    order = execution_order(graph)
    pieces = _cut_into_pieces(order, OPERATIONS_PER_PIECE if len(order) > max_whole else max(len(order), 1))
    stores = _output_stores(graph, layout, width, order)
    return Schedule(pieces, stores, *_assign_slots(pieces, _last_uses(graph, layout, width, pieces, stores)))


def _cut_into_pieces(order: Sequence[int], size: int) -> tuple[tuple[int, ...], ...]:
    """Pieces of at most `size` operations, at least one piece."""
    return tuple(tuple(order[k : k + size]) for k in range(0, len(order), size)) or ((),)


def _output_stores(graph: Graph, layout: ArrayLayout, width: int, order: Sequence[int]) -> dict[int, list[int]]:
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


def _assign_slots(pieces: Sequence[Sequence[int]], last: dict[int, int]) -> tuple[dict[int, int], int]:
    """An index in the workspace for every value used by later pieces; indices are reused."""
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
