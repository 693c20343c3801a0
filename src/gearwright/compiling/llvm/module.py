"""A whole LLVM module: pieces, the loop over them, the constant tables and the entry from Python."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from gearwright.compiling.host.processor import Host
from gearwright.compiling.host.python_objects import NAMES
from gearwright.compiling.llvm.emit import PieceWriter
from gearwright.compiling.llvm.python_entry import entry_from_python
from gearwright.compiling.llvm.schedule import SHORT, ArrayLayout, plan
from gearwright.compiling.llvm.vectors import Writer, literal
from gearwright.tracing.graph import Graph

BLOCK = 4
"""Vectors that run through one piece before the next piece is fetched."""

ALLOCATE, FREE = NAMES.index("PyMem_RawMalloc"), NAMES.index("PyMem_RawFree")
"""Places of the allocator in the table of addresses."""


def scalar_too(graph: Graph) -> bool:
    """Whether a kernel gets code for one state beside the code for vectors: it pays as long as it is short."""
    return len(graph.nodes) <= SHORT


def module_text(graph: Graph, layout: ArrayLayout, shape: tuple[int, ...], host: Host) -> str:
    """LLVM text of a kernel."""
    widths = (1, host.width) if scalar_too(graph) else (host.width,)
    parts = [width_text(graph, layout, host, width) for width in widths]
    parts.append(entry_from_python(layout, shape, host.width, widths[0], graph.operations.arithmetic))
    return framed(parts, host, widths)


def single_state_text(graph: Graph, layout: ArrayLayout, shape: tuple[int, ...], host: Host) -> str:
    """LLVM text of a kernel that is asked for one state after another: LLVM takes less than half the time for it."""
    entry = entry_from_python(layout, shape, 1, 1, graph.operations.arithmetic)
    return framed([width_text(graph, layout, host, 1), entry], host, (1,))


def bare_text(graph: Graph, layout: ArrayLayout, _: tuple[int, ...], host: Host) -> str:
    """The same without an entry from Python, for other machine code to call."""
    return framed([width_text(graph, layout, host, 1)], host, (1,))


def framed(parts: Sequence[str], host: Host, widths: tuple[int, ...]) -> str:
    """A module of these functions: with the table of addresses, declarations and attributes."""
    head = [f'target triple = "{host.triple}"', "@addresses = dso_local global [64 x ptr] zeroinitializer"]
    tail = f'attributes #0 = {{ nounwind noinline "prefer-vector-width"="{host.width * 64}" }}'
    return "\n".join([*head, *parts, _declarations(widths), tail])


def width_text(graph: Graph, layout: ArrayLayout, host: Host, width: int) -> str:
    """All pieces for vectors of one width, the loop over them, and their constant table."""
    cut = plan(graph, layout, width, host.whole)
    wide = host.wide_table and width > 1
    table: dict[str, int] = {}
    checked: set[Hashable] = set()
    pieces = []
    for number in range(len(cut.pieces)):
        writer = Writer(width, host.fused, wide, table)
        piece = PieceWriter(graph, layout, cut, writer, checked, host.width)
        pieces.append(piece.write(number, number == len(cut.pieces) - 1))
    repeat = width if wide else 1
    numbers = ", ".join(f"double {bits}" for bits in table for _ in range(repeat)) or f"double {literal(0.0)}"
    size = max(len(table), 1) * repeat
    constants = f"@table{width} = internal constant [{size} x double] [{numbers}], align 4096"
    return "\n".join([constants, *pieces, _batch(len(cut.pieces), cut.size, width)])


def _batch(pieces: int, slots: int, width: int) -> str:
    """`batch(args, begin, end)`: 0 if all went well, 1 if something was not finite, 2 without memory."""
    kind, align = ("double" if width == 1 else f"<{width} x double>"), 8 * width
    lines = [f"define i32 @batch{width}(ptr %args, i64 %begin, i64 %end) #0 {{", "entry:"]
    lines += [f"  %flags = alloca {kind}, align {align}", f"  store {kind} zeroinitializer, ptr %flags, align {align}"]
    if pieces == 1:
        lines += [
            f"  call void @piece0w{width}(ptr %args, ptr null, i64 %begin, i64 %end, ptr %flags)",
            "  br label %done",
        ]
    else:
        lines += _blocks(pieces, slots, width)
    return "\n".join([*lines, "done:", *verdict(width), "}"])


def verdict(width: int) -> list[str]:
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


def _blocks(pieces: int, slots: int, width: int) -> list[str]:
    """The loop over blocks of rows; each block runs through all pieces, its values in a workspace on the heap."""
    lines = [*allocated(workspace(slots, width)), "  br label %block", "block:"]
    lines += ["  %row = phi i64 [ %begin, %start ], [ %next, %block ]", f"  %next = add i64 %row, {BLOCK * width}"]
    lines += ["  %stop = call i64 @llvm.smin.i64(i64 %next, i64 %end)"]
    for number in range(pieces):
        lines.append(f"  call void @piece{number}w{width}(ptr %args, ptr %ws, i64 %row, i64 %stop, ptr %flags)")
    lines += ["  %more = icmp slt i64 %next, %end", "  br i1 %more, label %block, label %over", "over:"]
    return [*lines, *freed(), "  br label %done"]


def workspace(slots: int, width: int) -> int:
    """Bytes for the values that pass from piece to piece in one block."""
    return BLOCK * max(slots, 1) * width * 8


def allocated(size: int) -> list[str]:
    """Memory %ws of that many bytes at a cache line; return 2 if there is none."""
    lines = [f"  %pm = getelementptr i8, ptr @addresses, i64 {8 * ALLOCATE}", "  %malloc = load ptr, ptr %pm"]
    lines += [f"  %raw = call ptr %malloc(i64 {size + 64})", "  %none = icmp eq ptr %raw, null"]
    lines += ["  br i1 %none, label %fail, label %start", "fail:", "  ret i32 2", "start:"]
    lines += ["  %asint = ptrtoint ptr %raw to i64", "  %up = add i64 %asint, 63", "  %aligned = and i64 %up, -64"]
    return [*lines, "  %ws = inttoptr i64 %aligned to ptr"]


def freed() -> list[str]:
    """Give the memory back."""
    lines = [f"  %pf = getelementptr i8, ptr @addresses, i64 {8 * FREE}", "  %free = load ptr, ptr %pf"]
    return [*lines, "  call void %free(ptr %raw)"]


def _declarations(widths: tuple[int, ...]) -> str:
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
