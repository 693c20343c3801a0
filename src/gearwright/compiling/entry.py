"""The entry from Python as machine code: checks the arrays and runs the kernel without any Python in between.

The function has the C signature of a Python builtin (METH_FASTCALL | METH_KEYWORDS). Whatever it does not expect
(lists, other dtypes, broadcasting, errors) it leaves to `self`, a Python callable, with the arguments as they came.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.compiling.plan import Layout
from gearwright.tracing.graph import LIBRARY

NAMES = (
    *LIBRARY,
    "PyMem_RawMalloc",
    "PyMem_RawFree",
    "PyObject_Vectorcall",
    "PyArray_NewFromDescr",
    "Py_IncRef",
    "Py_DecRef",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "ndarray",
    "float64",
    "out",
    "parameters",
)
"""What stands in the table of addresses, in this order: functions, then Python objects."""

# Fields of PyObject, PyTupleObject and PyArrayObject_fields by offset; `machine_code` checks them.
TYPE, TUPLE_SIZE, TUPLE_ITEM = 8, 16, 24
DATA, NDIM, DIMS, DESCR, FLAGS = 16, 24, 32, 56, 64
KIND = 24
"""Eight bytes of a dtype with its kind, byte order and type number: copies of a dtype have the same."""

READABLE, WRITABLE = 0x101, 0x501
"""NPY_ARRAY_C_CONTIGUOUS | ALIGNED, and the same with WRITEABLE."""

LONG_WORK, THREADED_WORK = 250_000, 30_000_000
"""Operations per call above which the interpreter is let go, and above which the call is left to threads."""


class _Text:
    """Instructions with fresh names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def put(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %y{self.count} = {text}")
        return f"%y{self.count}"

    def run(self, *texts: str) -> None:
        self.lines += [text if text.endswith(":") else "  " + text for text in texts]

    def load(self, kind: str, base: str, offset: int) -> str:
        where = self.put(f"getelementptr i8, ptr {base}, i64 {offset}")
        return self.put(f"load {kind}, ptr {where}")

    def known(self, name: str) -> str:
        return self.load("ptr", "@addresses", 8 * NAMES.index(name))

    def all(self, conditions: Sequence[str]) -> str:
        whole = conditions[0]
        for condition in conditions[1:]:
            whole = self.put(f"and i1 {whole}, {condition}")
        return whole

    def go_on(self, conditions: Sequence[str], label: str) -> None:
        """Go on at a label if all conditions hold, else leave it to Python."""
        self.run(f"br i1 {self.all(conditions)}, label %{label}, label %slow", f"{label}:")

    def array(self, index: int, flags: int, label: str) -> str:
        """An argument that is a float64 array with the flags, else leave it to Python."""
        x = self.load("ptr", "%args", 8 * index)
        kind, known = self.load("ptr", x, TYPE), self.known("ndarray")
        self.go_on([self.put(f"icmp eq ptr {kind}, {known}")], f"{label}.array")
        kind, double = (self.load("i64", x, KIND) for x in (self.load("ptr", x, DESCR), self.known("float64")))
        has = self.put(f"and i32 {self.load('i32', x, FLAGS)}, {flags}")
        fits = [self.put(f"icmp eq i64 {kind}, {double}"), self.put(f"icmp eq i32 {has}, {flags}")]
        self.go_on(fits, f"{label}.double")
        return x


def entry_from_python(layout: Layout, shape: tuple[int, ...], width: int, single: int, operations: int) -> str:
    """`pycall(self, args, nargs, kwnames)` for a kernel with these arrays."""
    t, count = _Text(), len(layout.inputs)
    t.run("define ptr @pycall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {", "entry:")
    t.lines[0] = t.lines[0].strip()
    t.run(f"%table = alloca [{2 * count + 2} x i64], align 16", f"%dims = alloca [{len(shape) + 1} x i64], align 16")
    _arguments(t, count, layout.parameters)
    xs, ndim, rows = _inputs(t, layout)
    limits = [
        t.put(f"icmp sgt i64 {rows}, 0"),
        t.put(f"icmp slt i64 {rows}, {THREADED_WORK // max(operations, 1) + 2}"),
    ]
    t.go_on(limits, "sized")
    batched = t.put(f"icmp eq i32 {ndim}, 2")
    t.run("br i1 %given, label %old, label %new", "old:")
    old = _given_output(t, layout, shape, xs, (ndim, rows, batched))
    t.run("br label %go", "new:")
    new = _new_output(t, shape, rows, batched)
    t.run("go:", f"%result = phi ptr [ {old[0]}, %{old[1]} ], [ {new[0]}, %{new[1]} ]")
    _fill_table(t, layout, xs)
    _call(t, rows, width, single, LONG_WORK // max(operations, 1) + 1)
    t.run(
        "slow:",
        f"%python = load ptr, ptr getelementptr (i8, ptr @addresses, i64 {8 * NAMES.index('PyObject_Vectorcall')})",
    )
    t.run("%answer = call ptr %python(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)", "ret ptr %answer")
    return "\n".join([*t.lines, "}"])


def _arguments(t: _Text, count: int, parameters: bool) -> None:
    """%given tells whether an output array came, by position or as out=.

    Values of keywords stand behind the positional arguments, so that parameters= as the first keyword is in its place.
    """
    t.run("%plain = icmp eq ptr %kwnames, null", "br i1 %plain, label %positional, label %keywords", "keywords:")
    size, name, out = t.load("i64", "%kwnames", TUPLE_SIZE), t.load("ptr", "%kwnames", TUPLE_ITEM), t.known("out")
    alone = [
        t.put(f"icmp eq i64 {size}, 1"),
        t.put(f"icmp eq i64 %nargs, {count}"),
        t.put(f"icmp eq ptr {name}, {out}"),
    ]
    t.run(f"br i1 {t.all(alone)}, label %inputs, label %{'named' if parameters else 'slow'}")
    sources = ["[ true, %keywords ]"]
    if parameters:
        t.run("named:")
        first = t.put(f"icmp eq ptr {name}, {t.known('parameters')}")
        t.go_on([first, t.put(f"icmp eq i64 %nargs, {count - 1}")], "parameters")
        t.run(f"br i1 {t.put(f'icmp eq i64 {size}, 1')}, label %inputs, label %both", "both:")
        second = t.put(f"icmp eq ptr {t.load('ptr', '%kwnames', TUPLE_ITEM + 8)}, {out}")
        last = t.all([t.put(f"icmp eq i64 {size}, 2"), second])
        t.run(f"br i1 {last}, label %inputs, label %slow")
        sources += ["[ false, %parameters ]", "[ true, %both ]"]
    t.run("positional:")
    exact, more = t.put(f"icmp eq i64 %nargs, {count}"), t.put(f"icmp eq i64 %nargs, {count + 1}")
    t.run(f"br i1 {t.put(f'or i1 {exact}, {more}')}, label %inputs, label %slow", "inputs:")
    t.run(f"%given = phi i1 {', '.join(sources)}, [ {more}, %positional ]")


def _inputs(t: _Text, layout: Layout) -> tuple[list[str], str, str]:
    """The input arrays, their common number of axes (1 or 2) and of rows."""
    xs: list[str] = []
    ndim = rows = ""
    for k, size in enumerate(layout.inputs):
        x = t.array(k, READABLE, f"in{k}")
        xs.append(x)
        axes = t.load("i32", x, NDIM)
        if k == 0:
            ndim = axes
            t.go_on([t.put(f"icmp ult i32 {t.put(f'sub i32 {axes}, 1')}, 2")], "in0.axes")
        else:
            t.go_on([t.put(f"icmp eq i32 {axes}, {ndim}")], f"in{k}.axes")
        dims = t.load("ptr", x, DIMS)
        first = t.load("i64", dims, 0)
        two = t.put(f"icmp eq i32 {axes}, 2")
        last_at = t.put(f"select i1 {two}, i64 8, i64 0")
        last = t.put(f"load i64, ptr {t.put(f'getelementptr i8, ptr {dims}, i64 {last_at}')}")
        found = t.put(f"select i1 {two}, i64 {first}, i64 1")
        fits = [t.put(f"icmp eq i64 {last}, {size}")]
        if k == 0:
            rows = found
        else:
            fits.append(t.put(f"icmp eq i64 {found}, {rows}"))
        t.go_on(fits, f"in{k}.size")
    return xs, ndim, rows


def _given_output(
    t: _Text, layout: Layout, shape: tuple[int, ...], xs: Sequence[str], batch: tuple[str, str, str]
) -> tuple[str, str]:
    """The output array that came: right shape, and apart from the inputs."""
    ndim, rows, batched = batch
    out = t.array(len(xs), WRITABLE, "out")
    axes = t.put(f"add i32 {ndim}, {len(shape) - 1}")
    t.go_on([t.put(f"icmp eq i32 {t.load('i32', out, NDIM)}, {axes}")], "out.axes")
    dims = t.load("ptr", out, DIMS)
    fits = ["true"]
    shift = t.put(f"select i1 {batched}, i64 8, i64 0")
    for k, size in enumerate(shape):
        where = t.put(f"getelementptr i8, ptr {dims}, i64 {t.put(f'add i64 {shift}, {8 * k}')}")
        fits.append(t.put(f"icmp eq i64 {t.put(f'load i64, ptr {where}')}, {size}"))
    t.run(f"br i1 {batched}, label %out.batch, label %out.shape", "out.batch:")
    same = t.put(f"icmp eq i64 {t.load('i64', dims, 0)}, {rows}")
    t.run("br label %out.shape", "out.shape:")
    fits.append(t.put(f"phi i1 [ true, %out.axes ], [ {same}, %out.batch ]"))
    begin = t.put(f"ptrtoint ptr {t.load('ptr', out, DATA)} to i64")
    end = t.put(f"add i64 {begin}, {t.put(f'mul i64 {rows}, {8 * layout.outputs}')}")
    for x, size in zip(xs, layout.inputs, strict=True):
        low = t.put(f"ptrtoint ptr {t.load('ptr', x, DATA)} to i64")
        high = t.put(f"add i64 {low}, {t.put(f'mul i64 {rows}, {8 * size}')}")
        before, after = t.put(f"icmp ule i64 {end}, {low}"), t.put(f"icmp ule i64 {high}, {begin}")
        fits.append(t.put(f"or i1 {before}, {after}"))
    t.go_on(fits, "out.apart")
    t.run(f"call void {t.known('Py_IncRef')}(ptr {out})")
    return out, "out.apart"


def _new_output(t: _Text, shape: tuple[int, ...], rows: str, batched: str) -> tuple[str, str]:
    """A new array of the right shape."""
    t.run("%from = getelementptr i8, ptr %dims, i64 8", f"store i64 {rows}, ptr %dims")
    for k, size in enumerate(shape):
        t.run(f"store i64 {size}, ptr {t.put(f'getelementptr i8, ptr %dims, i64 {8 * k + 8}')}")
    start = t.put(f"select i1 {batched}, ptr %dims, ptr %from")
    axes = t.put(f"select i1 {batched}, i32 {len(shape) + 1}, i32 {len(shape)}")
    double = t.known("float64")
    t.run(f"call void {t.known('Py_IncRef')}(ptr {double})")  # the new array takes the reference over
    make, kind = t.known("PyArray_NewFromDescr"), t.known("ndarray")
    fresh = t.put(
        f"call ptr {make}(ptr {kind}, ptr {double}, i32 {axes}, ptr {start}, ptr null, ptr null, i32 0, ptr null)"
    )
    t.run(f"br i1 {t.put(f'icmp eq ptr {fresh}, null')}, label %failed, label %go", "failed:", "ret ptr null")
    return fresh, "new"


def _fill_table(t: _Text, layout: Layout, xs: Sequence[str]) -> None:
    """Address and row stride of every array, as `batch` wants them."""
    for k, (x, size) in enumerate([*zip(xs, layout.inputs, strict=True), ("%result", layout.outputs)]):
        t.run(f"store ptr {t.load('ptr', x, DATA)}, ptr {t.put(f'getelementptr i8, ptr %table, i64 {16 * k}')}")
        t.run(f"store i64 {8 * size}, ptr {t.put(f'getelementptr i8, ptr %table, i64 {16 * k + 8}')}")


def _call(t: _Text, rows: str, width: int, single: int, long: int) -> None:
    """Run one state, a short batch, or a long one with the interpreter let go."""
    t.run(f"br i1 {t.put(f'icmp eq i64 {rows}, 1')}, label %one, label %many", "one:")
    t.run(f"%code1 = call i32 @batch{single}(ptr %table, i64 0, i64 1)", "br label %check", "many:")
    t.run(f"br i1 {t.put(f'icmp sgt i64 {rows}, {long}')}, label %long, label %short", "short:")
    t.run(f"%code2 = call i32 @batch{width}(ptr %table, i64 0, i64 {rows})", "br label %check", "long:")
    t.run(f"%state = call ptr {t.known('PyEval_SaveThread')}()")
    t.run(f"%code3 = call i32 @batch{width}(ptr %table, i64 0, i64 {rows})")
    t.run(f"call void {t.known('PyEval_RestoreThread')}(ptr %state)", "br label %check", "check:")
    t.run("%code = phi i32 [ %code1, %one ], [ %code2, %short ], [ %code3, %long ]")
    t.run("%fine = icmp eq i32 %code, 0", "br i1 %fine, label %done, label %bad", "done:", "ret ptr %result", "bad:")
    t.run(f"call void {t.known('Py_DecRef')}(ptr %result)", "br label %slow")
