"""The Python entry of a kernel as machine code: it checks the arrays and runs the kernel without the interpreter.

The function has the C signature of a Python builtin (METH_FASTCALL | METH_KEYWORDS). All other calls (lists, other
dtypes, broadcasting, errors) are passed unchanged to `self`, a Python callable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.compiling.host import python_objects as objects
from gearwright.compiling.llvm.schedule import ArrayLayout


class EntryText:
    """LLVM text in which every result has a new name, and every failed check branches to the label `slow`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def assign(self, text: str) -> str:
        """Append `%new = text`."""
        self.count += 1
        self.lines.append(f"  %y{self.count} = {text}")
        return f"%y{self.count}"

    def append(self, *texts: str) -> None:
        """Append instructions without a result, and labels."""
        self.lines += [text if text.endswith(":") else "  " + text for text in texts]

    def address_at(self, base: str, offset: int | str) -> str:
        """The address at an offset in bytes from another."""
        return self.assign(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load_at(self, kind: str, base: str, offset: int) -> str:
        """The value at an offset in bytes from an address."""
        address = self.address_at(base, offset)
        return self.assign(f"load {kind}, ptr {address}")

    def from_table(self, name: str) -> str:
        """An entry of the table of addresses."""
        return self.load_at("ptr", "@addresses", 8 * objects.ADDRESS_NAMES.index(name))

    def compare_equal(self, kind: str, a: str, b: str | int) -> str:
        """Whether two values are equal."""
        return self.assign(f"icmp eq {kind} {a}, {b}")

    def select_value(self, condition: str, kind: str, yes: str | int, no: str | int) -> str:
        """One of two values."""
        return self.assign(f"select i1 {condition}, {kind} {yes}, {kind} {no}")

    def all_of(self, conditions: Sequence[str]) -> str:
        """Whether all conditions hold."""
        whole = conditions[0]
        for condition in conditions[1:]:
            whole = self.assign(f"and i1 {whole}, {condition}")
        return whole

    def branch_to(self, condition: str, yes: str, no: str) -> None:
        """Branch to one of two labels."""
        self.append(f"br i1 {condition}, label %{yes}, label %{no}")

    def continue_if(self, conditions: Sequence[str], label: str) -> None:
        """Continue at a new label if all conditions hold, else pass the call to Python."""
        self.branch_to(self.all_of(conditions), label, "slow")
        self.append(f"{label}:")

    def array_argument(self, index: int, flags: int, label: str) -> str:
        """An argument that is a float64 array with the flags; others are passed to Python."""
        x = self.load_at("ptr", "%args", 8 * index)
        type_of, ndarray = self.load_at("ptr", x, objects.TYPE_OFFSET), self.from_table("ndarray")
        self.continue_if([self.compare_equal("ptr", type_of, ndarray)], f"{label}.array")
        descr, float64 = self.load_at("ptr", x, objects.DESCR_OFFSET), self.from_table("float64")
        kind, double = (
            self.load_at("i64", descr, objects.DTYPE_KIND_OFFSET),
            self.load_at("i64", float64, objects.DTYPE_KIND_OFFSET),
        )
        masked = self.assign(f"and i32 {self.load_at('i32', x, objects.FLAGS_OFFSET)}, {flags}")
        self.continue_if(
            [self.compare_equal("i64", kind, double), self.compare_equal("i32", masked, flags)], f"{label}.double"
        )
        return x

    def byte_range(self, array: str, rows: str, row_size: int) -> tuple[str, str]:
        """The first and last address of an array's data, as integers."""
        begin = self.assign(f"ptrtoint ptr {self.load_at('ptr', array, objects.DATA_OFFSET)} to i64")
        return begin, self.assign(f"add i64 {begin}, {self.assign(f'mul i64 {rows}, {row_size}')}")


GIL_RELEASE_WORK, THREADED_WORK = 250_000, 30_000_000
"""Operations per call above which the GIL is released, and above which the call uses several threads."""


class InputBatch(NamedTuple):
    """The input arrays and their common number of axes (1 or 2), number of rows, and whether there are 2 axes."""

    arrays: tuple[str, ...]
    axes: str
    rows: str
    batched: str


def entry_from_python(layout: ArrayLayout, shape: tuple[int, ...], width: int, single: int, operations: int) -> str:
    """`pycall(self, args, nargs, kwnames)` for a kernel with these arrays."""
    t, count = EntryText(), len(layout.inputs)
    t.append(f"%table = alloca [{2 * count + 2} x i64], align 16", f"%dims = alloca [{len(shape) + 1} x i64], align 16")
    _count_arguments(t, count, layout.parameters)
    batch = _read_inputs(t, layout, most_rows=THREADED_WORK // max(operations, 1) + 2)
    t.append("br i1 %given, label %old, label %new", "old:")
    old = _given_output(t, layout, shape, batch)
    t.append("br label %go", "new:")
    new = _new_output(t, shape, batch)
    t.append("go:", f"%result = phi ptr [ {old}, %out.apart ], [ {new}, %new ]")
    _fill_table(t, layout, batch.arrays)
    _run_kernel(t, batch.rows, width, single, GIL_RELEASE_WORK // max(operations, 1) + 1)
    _leave_to_python(t)
    head = ["define ptr @pycall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {", "entry:"]
    return "\n".join([*head, *t.lines, "}"])


def _count_arguments(t: EntryText, count: int, parameters: bool) -> None:
    """Set %given if an output array is passed, by position or as out=; continue at `inputs` if all arrays are there.

    Values of keywords follow the positional arguments, so parameters= as the first keyword is in its position.
    """
    t.append("%plain = icmp eq ptr %kwnames, null", "br i1 %plain, label %positional, label %keywords", "keywords:")
    keywords = t.load_at("i64", "%kwnames", objects.TUPLE_SIZE_OFFSET)
    first = t.load_at("ptr", "%kwnames", objects.TUPLE_ITEM_OFFSET)
    out = t.from_table("out")
    only_out = [
        t.compare_equal("i64", keywords, 1),
        t.compare_equal("i64", "%nargs", count),
        t.compare_equal("ptr", first, out),
    ]
    t.branch_to(t.all_of(only_out), "inputs", "named" if parameters else "slow")
    sources = ["[ true, %keywords ]"]
    if parameters:
        t.append("named:")
        sources += _named_parameters(t, count, keywords, first, out)
    t.append("positional:")
    exact, one_more = t.compare_equal("i64", "%nargs", count), t.compare_equal("i64", "%nargs", count + 1)
    t.branch_to(t.assign(f"or i1 {exact}, {one_more}"), "inputs", "slow")
    t.append("inputs:", f"%given = phi i1 {', '.join(sources)}, [ {one_more}, %positional ]")


def _named_parameters(t: EntryText, count: int, keywords: str, first: str, out: str) -> list[str]:
    """The branches to `inputs` with parameters= as the first keyword: alone, or with out= as the second."""
    is_parameters = t.compare_equal("ptr", first, t.from_table("parameters"))
    t.continue_if([is_parameters, t.compare_equal("i64", "%nargs", count - 1)], "parameters")
    t.branch_to(t.compare_equal("i64", keywords, 1), "inputs", "both")
    t.append("both:")
    second = t.compare_equal("ptr", t.load_at("ptr", "%kwnames", objects.TUPLE_ITEM_OFFSET + 8), out)
    t.branch_to(t.all_of([t.compare_equal("i64", keywords, 2), second]), "inputs", "slow")
    return ["[ false, %parameters ]", "[ true, %both ]"]


def _read_inputs(t: EntryText, layout: ArrayLayout, most_rows: int) -> InputBatch:
    """The input arrays: all with one axis or all with two, the same number of rows, and not too many for one thread."""
    arrays: list[str] = []
    axes = rows = ""
    for k, size in enumerate(layout.inputs):
        x = t.array_argument(k, objects.READABLE_FLAGS, f"in{k}")
        arrays.append(x)
        own_axes = t.load_at("i32", x, objects.NDIM_OFFSET)
        axes = axes or own_axes
        one_or_two = f"icmp ult i32 {t.assign(f'sub i32 {own_axes}, 1')}, 2" if k == 0 else ""
        t.continue_if([t.assign(one_or_two or f"icmp eq i32 {own_axes}, {axes}")], f"in{k}.axes")
        own_rows, last = _rows_and_last_axis(t, x, own_axes)
        rows = rows or own_rows
        fits = [t.compare_equal("i64", last, size), *([t.compare_equal("i64", own_rows, rows)] if k else [])]
        t.continue_if(fits, f"in{k}.size")
    few = [t.assign(f"icmp sgt i64 {rows}, 0"), t.assign(f"icmp slt i64 {rows}, {most_rows}")]
    t.continue_if(few, "sized")
    return InputBatch(tuple(arrays), axes, rows, t.compare_equal("i32", axes, 2))


def _rows_and_last_axis(t: EntryText, array: str, axes: str) -> tuple[str, str]:
    """The number of rows of an array with one or two axes, and the length of its last axis."""
    dims = t.load_at("ptr", array, objects.DIMS_OFFSET)
    first = t.load_at("i64", dims, 0)
    two = t.compare_equal("i32", axes, 2)
    last_at = t.select_value(two, "i64", 8, 0)
    last = t.assign(f"load i64, ptr {t.address_at(dims, last_at)}")
    return t.select_value(two, "i64", first, 1), last


def _given_output(t: EntryText, layout: ArrayLayout, shape: tuple[int, ...], batch: InputBatch) -> str:
    """The given output array, with the right shape and no overlap with inputs; ends at the label `out.apart`."""
    out = t.array_argument(len(batch.arrays), objects.WRITABLE_FLAGS, "out")
    axes = t.assign(f"add i32 {batch.axes}, {len(shape) - 1}")
    t.continue_if([t.compare_equal("i32", t.load_at("i32", out, objects.NDIM_OFFSET), axes)], "out.axes")
    fits = ["true", *_shape_conditions(t, out, shape, batch), *_overlap_conditions(t, out, layout, batch)]
    t.continue_if(fits, "out.apart")
    t.append(f"call void {t.from_table('Py_IncRef')}(ptr {out})")
    return out


def _shape_conditions(t: EntryText, out: str, shape: tuple[int, ...], batch: InputBatch) -> list[str]:
    """Conditions for an output of the shape of one result, or of one for each row."""
    dims = t.load_at("ptr", out, objects.DIMS_OFFSET)
    shift = t.select_value(batch.batched, "i64", 8, 0)
    fits = []
    for k, size in enumerate(shape):
        address = t.address_at(dims, t.assign(f"add i64 {shift}, {8 * k}"))
        fits.append(t.compare_equal("i64", t.assign(f"load i64, ptr {address}"), size))
    t.branch_to(batch.batched, "out.batch", "out.shape")
    t.append("out.batch:")
    as_many = t.compare_equal("i64", t.load_at("i64", dims, 0), batch.rows)
    t.append("br label %out.shape", "out.shape:")
    return [*fits, t.assign(f"phi i1 [ true, %out.axes ], [ {as_many}, %out.batch ]")]


def _overlap_conditions(t: EntryText, out: str, layout: ArrayLayout, batch: InputBatch) -> list[str]:
    """Conditions for an output that shares no byte with an input."""
    begin, end = t.byte_range(out, batch.rows, 8 * layout.outputs)
    apart = []
    for x, size in zip(batch.arrays, layout.inputs, strict=True):
        low, high = t.byte_range(x, batch.rows, 8 * size)
        before, after = t.assign(f"icmp ule i64 {end}, {low}"), t.assign(f"icmp ule i64 {high}, {begin}")
        apart.append(t.assign(f"or i1 {before}, {after}"))
    return apart


def _new_output(t: EntryText, shape: tuple[int, ...], batch: InputBatch) -> str:
    """A new array of the right shape; if out of memory, NumPy's error is passed on."""
    t.append("%from = getelementptr i8, ptr %dims, i64 8", f"store i64 {batch.rows}, ptr %dims")
    for k, size in enumerate(shape):
        t.append(f"store i64 {size}, ptr {t.address_at('%dims', 8 * k + 8)}")
    start = t.select_value(batch.batched, "ptr", "%dims", "%from")
    axes = t.select_value(batch.batched, "i32", len(shape) + 1, len(shape))
    double = t.from_table("float64")
    t.append(f"call void {t.from_table('Py_IncRef')}(ptr {double})")  # the new array takes over the reference
    make, ndarray = t.from_table("PyArray_NewFromDescr"), t.from_table("ndarray")
    fresh = t.assign(
        f"call ptr {make}(ptr {ndarray}, ptr {double}, i32 {axes}, ptr {start}, ptr null, ptr null, i32 0, ptr null)"
    )
    t.branch_to(t.compare_equal("ptr", fresh, "null"), "failed", "go")
    t.append("failed:", "ret ptr null")
    return fresh


def _fill_table(t: EntryText, layout: ArrayLayout, arrays: Sequence[str]) -> None:
    """Write address and row stride of every array into the table for `batch`."""
    for k, (x, size) in enumerate([*zip(arrays, layout.inputs, strict=True), ("%result", layout.outputs)]):
        t.append(f"store ptr {t.load_at('ptr', x, objects.DATA_OFFSET)}, ptr {t.address_at('%table', 16 * k)}")
        t.append(f"store i64 {8 * size}, ptr {t.address_at('%table', 16 * k + 8)}")


def _run_kernel(t: EntryText, rows: str, width: int, single: int, long: int) -> None:
    """Run one state, a short batch, or a long one without the GIL; values that are not finite are passed to Python."""
    t.branch_to(t.compare_equal("i64", rows, 1), "one", "many")
    t.append("one:", f"%code1 = call i32 @batch{single}(ptr %table, i64 0, i64 1)", "br label %check", "many:")
    t.branch_to(t.assign(f"icmp sgt i64 {rows}, {long}"), "long", "short")
    t.append("short:", f"%code2 = call i32 @batch{width}(ptr %table, i64 0, i64 {rows})", "br label %check", "long:")
    t.append(f"%state = call ptr {t.from_table('PyEval_SaveThread')}()")
    t.append(f"%code3 = call i32 @batch{width}(ptr %table, i64 0, i64 {rows})")
    t.append(f"call void {t.from_table('PyEval_RestoreThread')}(ptr %state)", "br label %check", "check:")
    t.append("%code = phi i32 [ %code1, %one ], [ %code2, %short ], [ %code3, %long ]")
    t.append("%fine = icmp eq i32 %code, 0", "br i1 %fine, label %done, label %bad", "done:", "ret ptr %result", "bad:")
    t.append(f"call void {t.from_table('Py_DecRef')}(ptr %result)", "br label %slow")


def _leave_to_python(t: EntryText) -> None:
    """Call `self` with the unchanged arguments."""
    place = 8 * objects.ADDRESS_NAMES.index("PyObject_Vectorcall")
    t.append("slow:", f"%python = load ptr, ptr getelementptr (i8, ptr @addresses, i64 {place})")
    t.append("%answer = call ptr %python(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)", "ret ptr %answer")
