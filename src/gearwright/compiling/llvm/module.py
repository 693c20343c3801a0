"""A whole LLVM module: pieces, the loop over them, the constant tables and the entry from Python."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from gearwright.compiling.host.processor import HostProcessor
from gearwright.compiling.host.python_objects import ADDRESS_NAMES
from gearwright.compiling.llvm.emit import PieceWriter
from gearwright.compiling.llvm.python_entry import entry_from_python
from gearwright.compiling.llvm.schedule import MAX_SHORT_OPERATIONS, ArrayLayout, make_schedule
from gearwright.compiling.llvm.vectors import VectorWriter, hex_literal
from gearwright.tracing.graph import Graph

VECTORS_PER_BLOCK = 4
"""Vectors that one piece processes before the next piece is fetched."""

ALLOCATE_INDEX, FREE_INDEX = ADDRESS_NAMES.index("PyMem_RawMalloc"), ADDRESS_NAMES.index("PyMem_RawFree")
"""Indices of the allocator functions in the table of addresses."""


def has_scalar_code(graph: Graph) -> bool:
    """Whether a kernel gets code for a single state in addition to vectors: it pays for short kernels."""
    return len(graph.nodes) <= MAX_SHORT_OPERATIONS


def module_text(graph: Graph, layout: ArrayLayout, shape: tuple[int, ...], host: HostProcessor) -> str:
    """LLVM text of a kernel."""
    widths = (1, host.width) if has_scalar_code(graph) else (host.width,)
    parts = [width_text(graph, layout, host, width) for width in widths]
    parts.append(entry_from_python(layout, shape, host.width, widths[0], graph.operation_count.arithmetic_count))
    return frame_module(parts, host, widths)


def single_state_text(graph: Graph, layout: ArrayLayout, shape: tuple[int, ...], host: HostProcessor) -> str:
    """LLVM text of a kernel for single states only: LLVM compiles it in less than half the time."""
    entry = entry_from_python(layout, shape, 1, 1, graph.operation_count.arithmetic_count)
    return frame_module([width_text(graph, layout, host, 1), entry], host, (1,))


def bare_text(graph: Graph, layout: ArrayLayout, _: tuple[int, ...], host: HostProcessor) -> str:
    """The same without an entry from Python, for other machine code to call."""
    return frame_module([width_text(graph, layout, host, 1)], host, (1,))


def frame_module(parts: Sequence[str], host: HostProcessor, widths: tuple[int, ...]) -> str:
    """A module of these functions: with the table of addresses, declarations and attributes."""
    head = [f'target triple = "{host.triple}"', "@addresses = dso_local global [64 x ptr] zeroinitializer"]
    tail = f'attributes #0 = {{ nounwind noinline "prefer-vector-width"="{host.width * 64}" }}'
    return "\n".join([*head, *parts, _declaration_lines(widths), tail])


def width_text(graph: Graph, layout: ArrayLayout, host: HostProcessor, width: int) -> str:
    """All pieces for vectors of one width, the loop over them, and their constant table."""
    schedule = make_schedule(graph, layout, width, host.max_whole_operations)
    wide = host.has_wide_table and width > 1
    table: dict[str, int] = {}
    checked: set[Hashable] = set()
    pieces = []
    for number in range(len(schedule.pieces)):
        writer = VectorWriter(width, host.has_fma, wide, table)
        piece = PieceWriter(graph, layout, schedule, writer, checked, host.width)
        pieces.append(piece.write_piece(number, number == len(schedule.pieces) - 1))
    repeat = width if wide else 1
    entries = [f"double {bits}" for bits in (table or [hex_literal(0.0)]) for _ in range(repeat)]
    constants = f"@table{width} = internal constant [{len(entries)} x double] [{', '.join(entries)}], align 4096"
    return "\n".join([constants, *pieces, _batch_function(len(schedule.pieces), schedule.size, width)])


def _batch_function(pieces: int, slots: int, width: int) -> str:
    """`batch(args, begin, end)`: returns 0 on success, 1 if a value is not finite, 2 if out of memory."""
    kind, align = ("double" if width == 1 else f"<{width} x double>"), 8 * width
    lines = [f"define i32 @batch{width}(ptr %args, i64 %begin, i64 %end) #0 {{", "entry:"]
    lines += [f"  %flags = alloca {kind}, align {align}", f"  store {kind} zeroinitializer, ptr %flags, align {align}"]
    if pieces == 1:
        lines += [
            f"  call void @piece0w{width}(ptr %args, ptr null, i64 %begin, i64 %end, ptr %flags)",
            "  br label %done",
        ]
    else:
        lines += _block_loop(pieces, slots, width)
    return "\n".join([*lines, "done:", *return_lines(width), "}"])


def return_lines(width: int) -> list[str]:
    """Return 1 if a flag is NaN, else 0."""
    kind = "double" if width == 1 else f"<{width} x double>"
    lines = [f"  %sum = load {kind}, ptr %flags, align {8 * width}"]
    if width == 1:
        lines.append("  %bad = fcmp uno double %sum, %sum")
    else:
        lines += [
            f"  %bits = fcmp uno {kind} %sum, %sum",
            f"  %bad = call i1 @llvm.vector.reduce.or.v{width}i1(<{width} x i1> %bits)",
        ]
    return [*lines, "  %code = zext i1 %bad to i32", "  ret i32 %code"]


def _block_loop(pieces: int, slots: int, width: int) -> list[str]:
    """The loop over blocks of rows; each block passes all pieces, with its values in a workspace on the heap."""
    lines = [*allocate_lines(workspace_bytes(slots, width)), "  br label %block", "block:"]
    lines += [
        "  %row = phi i64 [ %begin, %start ], [ %next, %block ]",
        f"  %next = add i64 %row, {VECTORS_PER_BLOCK * width}",
    ]
    lines += ["  %stop = call i64 @llvm.smin.i64(i64 %next, i64 %end)"]
    for number in range(pieces):
        lines.append(f"  call void @piece{number}w{width}(ptr %args, ptr %ws, i64 %row, i64 %stop, ptr %flags)")
    lines += ["  %more = icmp slt i64 %next, %end", "  br i1 %more, label %block, label %over", "over:"]
    return [*lines, *free_lines(), "  br label %done"]


def workspace_bytes(slots: int, width: int) -> int:
    """Bytes for the values passed from piece to piece in one block."""
    return VECTORS_PER_BLOCK * max(slots, 1) * width * 8


def allocate_lines(size: int) -> list[str]:
    """Allocate `size` bytes at %ws, aligned to a cache line; return 2 if out of memory."""
    lines = [f"  %pm = getelementptr i8, ptr @addresses, i64 {8 * ALLOCATE_INDEX}", "  %malloc = load ptr, ptr %pm"]
    lines += [f"  %raw = call ptr %malloc(i64 {size + 64})", "  %none = icmp eq ptr %raw, null"]
    lines += ["  br i1 %none, label %fail, label %start", "fail:", "  ret i32 2", "start:"]
    lines += ["  %asint = ptrtoint ptr %raw to i64", "  %up = add i64 %asint, 63", "  %aligned = and i64 %up, -64"]
    return [*lines, "  %ws = inttoptr i64 %aligned to ptr"]


def free_lines() -> list[str]:
    """Free the memory."""
    lines = [f"  %pf = getelementptr i8, ptr @addresses, i64 {8 * FREE_INDEX}", "  %free = load ptr, ptr %pf"]
    return [*lines, "  call void %free(ptr %raw)"]


def _declaration_lines(widths: tuple[int, ...]) -> str:
    lines = ["declare i64 @llvm.smin.i64(i64, i64)"]
    for width in widths:
        kind, suffix = ("double", "f64") if width == 1 else (f"<{width} x double>", f"v{width}f64")
        for name in ("fma", "fmuladd"):
            lines.append(f"declare {kind} @llvm.{name}.{suffix}({kind}, {kind}, {kind})")
        for name in ("sqrt", "fabs", "floor"):
            lines.append(f"declare {kind} @llvm.{name}.{suffix}({kind})")
        if width > 1:
            lines.append(f"declare i1 @llvm.vector.reduce.or.v{width}i1(<{width} x i1>)")
    return "\n".join(lines)
