"""Machine code of a whole fixed-step simulation: the loop over steps is inside the loop over blocks of states.

A block of states stays in the first-level cache for all its steps. A step reads the state where the previous step has
written it: in the record of samples or, between two samples, in one of two alternating buffers.

An iterative step has more results than a state: the iterate for its next try, the last entry a residual. It is repeated
from the same state until the residuals of all states of a block are at most 1, in one of three alternating buffers;
samples are copied.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from gearwright.arrays import Array
from gearwright.compiling.compile import MAX_COMPILED_OPERATIONS, MAX_OPTIMISED_OPERATIONS
from gearwright.compiling.host import disk_cache
from gearwright.compiling.host.known_processor import host_processor
from gearwright.compiling.host.machine_code import array_address, load_linked_code
from gearwright.compiling.host.processor import HostProcessor, compile_module
from gearwright.compiling.llvm.module import (
    VECTORS_PER_BLOCK,
    allocate_lines,
    frame_module,
    free_lines,
    has_scalar_code,
    return_lines,
    width_text,
    workspace_bytes,
)
from gearwright.compiling.llvm.schedule import MAX_SHORT_OPERATIONS, ArrayLayout, make_schedule
from gearwright.tracing.graph import Graph

_RUN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_int64] * 4)


class RolloutCode:
    """A loaded fixed-step simulation."""

    def __init__(self, code: bytes, width: int, scalar: bool) -> None:
        self._engine = load_linked_code(code)
        self._batch = _RUN(self._engine.get_function_address(f"rollout{width}"))
        self._single = _RUN(self._engine.get_function_address("rollout1")) if scalar else self._batch

    def run_steps(self, feeds: Sequence[Array], record: Array, rows: tuple[int, int], every: int) -> bool:
        """Fill record[1:] (samples, states, size) for some rows from record[0]; False if a value is not finite.

        `feeds` are the inputs of a step after its state, (steps, states, size), with 1 if one serves all steps or
        states. The GIL is released meanwhile.
        """
        samples, row = record.strides[:2]
        table = [array_address(record), row, 0]
        for feed in feeds:
            per_step, per_state = (
                0 if size == 1 else stride for size, stride in zip(feed.shape[:2], feed.strides[:2], strict=True)
            )
            table += [array_address(feed), per_state, per_step]
        table += [array_address(record) + samples, row, samples]
        packed = (ctypes.c_int64 * len(table))(*table)
        function = self._single if rows[1] - rows[0] == 1 else self._batch
        result: int = function(ctypes.addressof(packed), *rows, (len(record) - 1) * every, every)
        if result == 2:
            raise MemoryError("no memory for the workspace of a simulation")
        return result == 0


def compile_rollout(graph: Graph, layout: ArrayLayout, tries: int = 1) -> RolloutCode | None:
    """The code of a traced step in a loop, from the cache or compiled now; None if the step is too large.

    Its key in the cache is the list of its operations, since laws may be user-defined. With more than one of `tries`,
    the second input and the results after the state are the iterate passed from try to try.
    """
    if len(graph.nodes) > MAX_COMPILED_OPERATIONS:
        return None
    machine, scalar = host_processor(), has_scalar_code(graph)
    key = disk_cache.entry_key("rollout", graph, layout, tries, machine)
    entry = disk_cache.read_entry(key)
    if entry is None:
        entry = disk_cache.CacheEntry({}, _compile_module(graph, layout, tries, machine))
        disk_cache.write_entry(key, entry)
    return RolloutCode(entry.code, machine.width, scalar)


def _compile_module(graph: Graph, layout: ArrayLayout, tries: int, machine: HostProcessor) -> bytes:
    size = len(graph.nodes)
    return compile_module(
        rollout_text(graph, layout, machine, tries),
        machine,
        2 if size <= MAX_SHORT_OPERATIONS else 1 if size <= MAX_OPTIMISED_OPERATIONS else 0,
    )


def rollout_text(graph: Graph, layout: ArrayLayout, machine: HostProcessor, tries: int = 1) -> str:
    """LLVM text of the simulation."""
    widths = (1, machine.width) if has_scalar_code(graph) else (machine.width,)
    parts = []
    for width in widths:
        cut = make_schedule(graph, layout, width, machine.max_whole_operations)
        parts += [
            width_text(graph, layout, machine, width),
            _rollout_function(layout, len(cut.pieces), cut.size, width, tries),
        ]
    if tries > 1:
        parts.append("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    return frame_module(parts, machine, widths)


def _rollout_function(layout: ArrayLayout, pieces: int, slots: int, width: int, tries: int) -> str:
    """`rollout(args, begin, end, steps, every)`: returns 0 on success, 1 if a value is not finite, 2 if out of memory.

    `args` has (address, bytes per state, bytes per step) of the state at the start, of every other input, and of the
    record, whose steps are samples.
    """
    kind, align, count = ("double" if width == 1 else f"<{width} x double>"), 8 * width, len(layout.inputs)
    values, place, row = (
        workspace_bytes(slots, width),
        VECTORS_PER_BLOCK * width * layout.outputs * 8,
        8 * layout.outputs,
    )
    stride = f"%state{count}" if tries == 1 else f"{row}"
    lines = [f"define i32 @rollout{width}(ptr %args, i64 %begin, i64 %end, i64 %steps, i64 %every) #0 {{", "entry:"]
    lines += [f"  %flags = alloca {kind}, align {align}", f"  store {kind} zeroinitializer, ptr %flags, align {align}"]
    lines += [f"  %table = alloca [{2 * count + 2} x i64], align 16", *allocate_lines(values + 3 * place)]
    lines += _read_arguments(count)
    lines += [f"  %s{k} = add i64 %aligned, {values + k * place}" for k in range(3)]
    lines += [f"  store i64 {stride}, ptr %stride{count}", "  br label %block"]
    lines += ["block:", "  %row = phi i64 [ %begin, %start ], [ %next, %rest ]"]
    lines += [
        f"  %next = add i64 %row, {VECTORS_PER_BLOCK * width}",
        "  %stop = call i64 @llvm.smin.i64(i64 %next, i64 %end)",
    ]
    lines += [f"  %shift = mul i64 %row, {stride}"]
    lines += [f"  %{name}0 = sub i64 %s{k}, %shift" for k, name in enumerate("abc")]
    lines += ["  store i64 %base0, ptr %at0", "  store i64 %state0, ptr %stride0", "  br label %step"]
    calls = [
        f"  call void @piece{number}w{width}(ptr %table, ptr %ws, i64 %row, i64 %stop, ptr %flags)"
        for number in range(pieces)
    ]
    lines += _step_lines(count, calls) if tries == 1 else _repeated_step_lines(layout, calls, tries)
    lines += ["rest:", "  %others = icmp slt i64 %next, %end", "  br i1 %others, label %block, label %over", "over:"]
    return "\n".join([*lines, *free_lines(), *return_lines(width), "}"])


def _read_arguments(count: int) -> list[str]:
    """Read %base, %state and %step of every array, and %at, its position in the table for the pieces."""
    lines = []
    for k in range(count + 1):
        for j, name in enumerate(("base", "state", "step")):
            lines += [f"  %p{name}{k} = getelementptr i8, ptr %args, i64 {24 * k + 8 * j}"]
            lines += [f"  %{name}{k} = load i64, ptr %p{name}{k}"]
        lines += [f"  %at{k} = getelementptr i8, ptr %table, i64 {16 * k}"]
        lines += [f"  %stride{k} = getelementptr i8, ptr %table, i64 {16 * k + 8}"]
        lines += [f"  store i64 %state{k}, ptr %stride{k}"]
    return lines


def _step_lines(count: int, calls: list[str]) -> list[str]:
    """One step of a block: inputs advance, the state is written to the record after every `every` steps."""
    lines = [*_step_begin_lines(count, "step", {"a": "b", "b": "a"}), "  %to = select i1 %keep, i64 %sample, i64 %a"]
    lines += [f"  store i64 %to, ptr %at{count}", *calls, "  store i64 %to, ptr %at0"]
    return [*lines, *_step_end_lines(count)]


def _repeated_step_lines(layout: ArrayLayout, calls: list[str], tries: int) -> list[str]:
    """One step of a block, repeated until its residuals are at most 1; then the state is copied to the record."""
    count, row, size = len(layout.inputs), 8 * layout.outputs, 8 * layout.inputs[0]
    lines = [
        *_step_begin_lines(count, "onward", {"a": "spare", "b": "to", "c": "b"}),
        "  store i64 %state1, ptr %stride1",
        "  br label %try",
    ]
    lines += ["try:", "  %tried = phi i64 [ 1, %step ], [ %t1, %again ]"]
    lines += ["  %to = phi i64 [ %a, %step ], [ %spare, %again ]", "  %spare = phi i64 [ %c, %step ], [ %to, %again ]"]
    lines += [f"  store i64 %to, ptr %at{count}", *calls, "  br label %check"]
    lines += ["check:", "  %i = phi i64 [ %row, %try ], [ %i1, %fine ]"]
    lines += [f"  %io = mul i64 %i, {row}", "  %ia = add i64 %to, %io", f"  %ir = add i64 %ia, {row - 8}"]
    lines += ["  %ip = inttoptr i64 %ir to ptr", "  %residual = load double, ptr %ip"]
    lines += ["  %large = fcmp ogt double %residual, 1.0", "  br i1 %large, label %failed, label %fine"]
    lines += ["fine:", "  %i1 = add i64 %i, 1", "  %unseen = icmp slt i64 %i1, %stop"]
    lines += ["  br i1 %unseen, label %check, label %done"]
    lines += ["failed:", "  %t1 = add i64 %tried, 1", f"  %may = icmp sle i64 %t1, {tries}"]
    lines += ["  br i1 %may, label %again, label %done"]
    lines += ["again:", f"  %found = add i64 %to, {size}", "  store i64 %found, ptr %at1"]
    lines += [f"  store i64 {row}, ptr %stride1", "  br label %try"]
    lines += ["done:", "  store i64 %to, ptr %at0", f"  store i64 {row}, ptr %stride0"]
    lines += ["  br i1 %keep, label %copy, label %onward"]
    lines += ["copy:", "  %j = phi i64 [ %row, %done ], [ %j1, %copy ]", f"  %jo = mul i64 %j, {row}"]
    lines += ["  %ja = add i64 %to, %jo", "  %jp = inttoptr i64 %ja to ptr", f"  %ko = mul i64 %j, %state{count}"]
    lines += ["  %ka = add i64 %sample, %ko", "  %kp = inttoptr i64 %ka to ptr"]
    lines += [f"  call void @llvm.memcpy.p0.p0.i64(ptr %kp, ptr %jp, i64 {size}, i1 false)"]
    lines += ["  %j1 = add i64 %j, 1", "  %uncopied = icmp slt i64 %j1, %stop"]
    lines += ["  br i1 %uncopied, label %copy, label %onward", "onward:"]
    return [*lines, *_step_end_lines(count)]


def _step_begin_lines(count: int, last: str, places: dict[str, str]) -> list[str]:
    """Counters, buffers and inputs of a step.

    Args:
        count: number of inputs.
        last: the label after which the next step begins.
        places: per buffer of states its value in the next step.
    """
    lines = ["step:"]
    for name, first, then in (("k", "0", "k1"), ("left", "%every", "l1"), ("sample", f"%base{count}", "sample1")):
        lines += [f"  %{name} = phi i64 [ {first}, %block ], [ %{then}, %{last} ]"]
    for name, then in places.items():
        lines += [f"  %{name} = phi i64 [ %{name}0, %block ], [ %{then}, %{last} ]"]
    for j in range(1, count):
        lines += [f"  %move{j} = mul i64 %k, %step{j}", f"  %now{j} = add i64 %base{j}, %move{j}"]
        lines += [f"  store i64 %now{j}, ptr %at{j}"]
    return [*lines, "  %l0 = sub i64 %left, 1", "  %keep = icmp eq i64 %l0, 0"]


def _step_end_lines(count: int) -> list[str]:
    """The next step, or the next block."""
    lines = [f"  %after = add i64 %sample, %step{count}"]
    lines += ["  %sample1 = select i1 %keep, i64 %after, i64 %sample", "  %l1 = select i1 %keep, i64 %every, i64 %l0"]
    return [
        *lines,
        "  %k1 = add i64 %k, 1",
        "  %more = icmp slt i64 %k1, %steps",
        "  br i1 %more, label %step, label %rest",
    ]
