"""The entry of a kernel from Python as machine code: it checks the arrays and runs the kernel without the interpreter.

The function has the C signature of a Python builtin (METH_FASTCALL | METH_KEYWORDS). What it does not expect (lists,
other dtypes, broadcasting, errors) it leaves to `self`, a Python callable, with the arguments as they came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.compiling.host import python_objects as objects
from gearwright.compiling.llvm.schedule import ArrayLayout


class EntryText:
    """LLVM text in which every result has a fresh name, and every check that fails ends at the label `slow`."""

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

    def at(self, base: str, offset: int | str) -> str:
        """The address so many bytes behind another."""
        return self.assign(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, kind: str, base: str, offset: int) -> str:
        """What stands so many bytes behind an address."""
        where = self.at(base, offset)
        return self.assign(f"load {kind}, ptr {where}")

    def from_table(self, name: str) -> str:
        """An entry of the table of addresses."""
        return self.load("ptr", "@addresses", 8 * objects.NAMES.index(name))

    def equal(self, kind: str, a: str, b: str | int) -> str:
        """Whether two values are equal."""
        return self.assign(f"icmp eq {kind} {a}, {b}")

    def choice(self, condition: str, kind: str, yes: str | int, no: str | int) -> str:
        """One of two values."""
        return self.assign(f"select i1 {condition}, {kind} {yes}, {kind} {no}")

    def all_of(self, conditions: Sequence[str]) -> str:
        """Whether all conditions hold."""
        whole = conditions[0]
        for condition in conditions[1:]:
            whole = self.assign(f"and i1 {whole}, {condition}")
        return whole

    def branch(self, condition: str, yes: str, no: str) -> None:
        """Go on at one of two labels."""
        self.append(f"br i1 {condition}, label %{yes}, label %{no}")

    def go_on_if(self, conditions: Sequence[str], label: str) -> None:
        """Go on at a new label if all conditions hold, else leave the call to Python."""
        self.branch(self.all_of(conditions), label, "slow")
        self.append(f"{label}:")

    def array(self, index: int, flags: int, label: str) -> str:
        """An argument that is a float64 array with the flags; another is left to Python."""
        x = self.load("ptr", "%args", 8 * index)
        type_of, ndarray = self.load("ptr", x, objects.TYPE), self.from_table("ndarray")
        self.go_on_if([self.equal("ptr", type_of, ndarray)], f"{label}.array")
        descr, float64 = self.load("ptr", x, objects.DESCR), self.from_table("float64")
        kind, double = self.load("i64", descr, objects.KIND), self.load("i64", float64, objects.KIND)
        found = self.assign(f"and i32 {self.load('i32', x, objects.FLAGS)}, {flags}")
        self.go_on_if([self.equal("i64", kind, double), self.equal("i32", found, flags)], f"{label}.double")
        return x

    def byte_range(self, array: str, rows: str, row_size: int) -> tuple[str, str]:
        """The addresses where an array's numbers begin and end, as integers."""
        begin = self.assign(f"ptrtoint ptr {self.load('ptr', array, objects.DATA)} to i64")
        return begin, self.assign(f"add i64 {begin}, {self.assign(f'mul i64 {rows}, {row_size}')}")


LONG_WORK, THREADED_WORK = 250_000, 30_000_000
"""Operations per call above which the interpreter is let go, and above which the call is left to threads."""


class Batch(NamedTuple):
    """The input arrays, and what they have in common: number of axes (1 or 2), of rows, whether there are 2 axes."""

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
    _run_kernel(t, batch.rows, width, single, LONG_WORK // max(operations, 1) + 1)
    _leave_to_python(t)
    head = ["define ptr @pycall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {", "entry:"]
    return "\n".join([*head, *t.lines, "}"])


def _count_arguments(t: EntryText, count: int, parameters: bool) -> None:
    """%given tells whether an output array came, by position or as out=; go on at `inputs` when all arrays are there.

    Values of keywords stand behind the positional arguments, so that parameters= as the first keyword is in its place.
    """
    t.append("%plain = icmp eq ptr %kwnames, null", "br i1 %plain, label %positional, label %keywords", "keywords:")
    keywords = t.load("i64", "%kwnames", objects.TUPLE_SIZE)
    first = t.load("ptr", "%kwnames", objects.TUPLE_ITEM)
    out = t.from_table("out")
    only_out = [t.equal("i64", keywords, 1), t.equal("i64", "%nargs", count), t.equal("ptr", first, out)]
    t.branch(t.all_of(only_out), "inputs", "named" if parameters else "slow")
    ways = ["[ true, %keywords ]"]
    if parameters:
        t.append("named:")
        ways += _named_parameters(t, count, keywords, first, out)
    t.append("positional:")
    exact, one_more = t.equal("i64", "%nargs", count), t.equal("i64", "%nargs", count + 1)
    t.branch(t.assign(f"or i1 {exact}, {one_more}"), "inputs", "slow")
    t.append("inputs:", f"%given = phi i1 {', '.join(ways)}, [ {one_more}, %positional ]")


def _named_parameters(t: EntryText, count: int, keywords: str, first: str, out: str) -> list[str]:
    """The ways to `inputs` with parameters= as the first keyword: alone, or with out= as the second."""
    named = t.equal("ptr", first, t.from_table("parameters"))
    t.go_on_if([named, t.equal("i64", "%nargs", count - 1)], "parameters")
    t.branch(t.equal("i64", keywords, 1), "inputs", "both")
    t.append("both:")
    second = t.equal("ptr", t.load("ptr", "%kwnames", objects.TUPLE_ITEM + 8), out)
    t.branch(t.all_of([t.equal("i64", keywords, 2), second]), "inputs", "slow")
    return ["[ false, %parameters ]", "[ true, %both ]"]


def _read_inputs(t: EntryText, layout: ArrayLayout, most_rows: int) -> Batch:
    """The input arrays: all with one axis or all with two, equally many rows, and not too many for one thread."""
    arrays: list[str] = []
    axes = rows = ""
    for k, size in enumerate(layout.inputs):
        x = t.array(k, objects.READABLE, f"in{k}")
        arrays.append(x)
        own_axes = t.load("i32", x, objects.NDIM)
        axes = axes or own_axes
        one_or_two = f"icmp ult i32 {t.assign(f'sub i32 {own_axes}, 1')}, 2" if k == 0 else ""
        t.go_on_if([t.assign(one_or_two or f"icmp eq i32 {own_axes}, {axes}")], f"in{k}.axes")
        own_rows, last = _rows_and_last_axis(t, x, own_axes)
        rows = rows or own_rows
        fits = [t.equal("i64", last, size), *([t.equal("i64", own_rows, rows)] if k else [])]
        t.go_on_if(fits, f"in{k}.size")
    few = [t.assign(f"icmp sgt i64 {rows}, 0"), t.assign(f"icmp slt i64 {rows}, {most_rows}")]
    t.go_on_if(few, "sized")
    return Batch(tuple(arrays), axes, rows, t.equal("i32", axes, 2))


def _rows_and_last_axis(t: EntryText, array: str, axes: str) -> tuple[str, str]:
    """The number of rows of an array with one or two axes, and the length of its last axis."""
    dims = t.load("ptr", array, objects.DIMS)
    first = t.load("i64", dims, 0)
    two = t.equal("i32", axes, 2)
    last_at = t.choice(two, "i64", 8, 0)
    last = t.assign(f"load i64, ptr {t.at(dims, last_at)}")
    return t.choice(two, "i64", first, 1), last


def _given_output(t: EntryText, layout: ArrayLayout, shape: tuple[int, ...], batch: Batch) -> str:
    """The output array that came, with the right shape and apart from the inputs; ends at the label `out.apart`."""
    out = t.array(len(batch.arrays), objects.WRITABLE, "out")
    axes = t.assign(f"add i32 {batch.axes}, {len(shape) - 1}")
    t.go_on_if([t.equal("i32", t.load("i32", out, objects.NDIM), axes)], "out.axes")
    fits = ["true", *_has_shape(t, out, shape, batch), *_is_apart(t, out, layout, batch)]
    t.go_on_if(fits, "out.apart")
    t.append(f"call void {t.from_table('Py_IncRef')}(ptr {out})")
    return out


def _has_shape(t: EntryText, out: str, shape: tuple[int, ...], batch: Batch) -> list[str]:
    """Conditions for an output of the shape of one result, or of one for each row."""
    dims = t.load("ptr", out, objects.DIMS)
    shift = t.choice(batch.batched, "i64", 8, 0)
    fits = []
    for k, size in enumerate(shape):
        where = t.at(dims, t.assign(f"add i64 {shift}, {8 * k}"))
        fits.append(t.equal("i64", t.assign(f"load i64, ptr {where}"), size))
    t.branch(batch.batched, "out.batch", "out.shape")
    t.append("out.batch:")
    as_many = t.equal("i64", t.load("i64", dims, 0), batch.rows)
    t.append("br label %out.shape", "out.shape:")
    return [*fits, t.assign(f"phi i1 [ true, %out.axes ], [ {as_many}, %out.batch ]")]


def _is_apart(t: EntryText, out: str, layout: ArrayLayout, batch: Batch) -> list[str]:
    """Conditions for an output that shares no byte with an input."""
    begin, end = t.byte_range(out, batch.rows, 8 * layout.outputs)
    apart = []
    for x, size in zip(batch.arrays, layout.inputs, strict=True):
        low, high = t.byte_range(x, batch.rows, 8 * size)
        before, after = t.assign(f"icmp ule i64 {end}, {low}"), t.assign(f"icmp ule i64 {high}, {begin}")
        apart.append(t.assign(f"or i1 {before}, {after}"))
    return apart


def _new_output(t: EntryText, shape: tuple[int, ...], batch: Batch) -> str:
    """A new array of the right shape; without memory for it NumPy's error is handed on."""
    t.append("%from = getelementptr i8, ptr %dims, i64 8", f"store i64 {batch.rows}, ptr %dims")
    for k, size in enumerate(shape):
        t.append(f"store i64 {size}, ptr {t.at('%dims', 8 * k + 8)}")
    start = t.choice(batch.batched, "ptr", "%dims", "%from")
    axes = t.choice(batch.batched, "i32", len(shape) + 1, len(shape))
    double = t.from_table("float64")
    t.append(f"call void {t.from_table('Py_IncRef')}(ptr {double})")  # the new array takes the reference over
    make, ndarray = t.from_table("PyArray_NewFromDescr"), t.from_table("ndarray")
    fresh = t.assign(
        f"call ptr {make}(ptr {ndarray}, ptr {double}, i32 {axes}, ptr {start}, ptr null, ptr null, i32 0, ptr null)"
    )
    t.branch(t.equal("ptr", fresh, "null"), "failed", "go")
    t.append("failed:", "ret ptr null")
    return fresh


def _fill_table(t: EntryText, layout: ArrayLayout, arrays: Sequence[str]) -> None:
    """Address and row stride of every array, as `batch` wants them."""
    for k, (x, size) in enumerate([*zip(arrays, layout.inputs, strict=True), ("%result", layout.outputs)]):
        t.append(f"store ptr {t.load('ptr', x, objects.DATA)}, ptr {t.at('%table', 16 * k)}")
        t.append(f"store i64 {8 * size}, ptr {t.at('%table', 16 * k + 8)}")


def _run_kernel(t: EntryText, rows: str, width: int, single: int, long: int) -> None:
    """Run one state, a short batch, or a long one with the interpreter let go; what is not finite goes to Python."""
    t.branch(t.equal("i64", rows, 1), "one", "many")
    t.append("one:", f"%code1 = call i32 @batch{single}(ptr %table, i64 0, i64 1)", "br label %check", "many:")
    t.branch(t.assign(f"icmp sgt i64 {rows}, {long}"), "long", "short")
    t.append("short:", f"%code2 = call i32 @batch{width}(ptr %table, i64 0, i64 {rows})", "br label %check", "long:")
    t.append(f"%state = call ptr {t.from_table('PyEval_SaveThread')}()")
    t.append(f"%code3 = call i32 @batch{width}(ptr %table, i64 0, i64 {rows})")
    t.append(f"call void {t.from_table('PyEval_RestoreThread')}(ptr %state)", "br label %check", "check:")
    t.append("%code = phi i32 [ %code1, %one ], [ %code2, %short ], [ %code3, %long ]")
    t.append("%fine = icmp eq i32 %code, 0", "br i1 %fine, label %done, label %bad", "done:", "ret ptr %result", "bad:")
    t.append(f"call void {t.from_table('Py_DecRef')}(ptr %result)", "br label %slow")


def _leave_to_python(t: EntryText) -> None:
    """Call `self` with the arguments as they came."""
    place = 8 * objects.NAMES.index("PyObject_Vectorcall")
    t.append("slow:", f"%python = load ptr, ptr getelementptr (i8, ptr @addresses, i64 {place})")
    t.append("%answer = call ptr %python(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)", "ret ptr %answer")
