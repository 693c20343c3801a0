"""LLVM text of a graph's operations on vectors of states, one state per lane, with sines and transposes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from gearwright.tracing.graph import LIBRARY

HUGE_SCALE = 2.0**994
"""An angle of 2^30 or more overflows when multiplied by it, which marks the state as one this code cannot do."""

# Minimax polynomials of sine and cosine on [-pi/4, pi/4] (the coefficients of fdlibm's kernels).
SINE = (1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
        -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01)  # fmt: skip
COSINE = (-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
          2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02)  # fmt: skip
TWO_OVER_PI = 0.6366197723675814
ROUNDER = 6755399441055744.0  # 1.5 2^52: adding it rounds to an integer, which then stands in the low bits
# pi/2 in pieces. With fused multiply-add each product is exact to the last bit; without it, each piece is short enough
# for its product with a quadrant number below 2^20 to be exact.
FUSED_PIECES = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
SHORT_PIECES = (
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624871116645580e-21,
    8.47842766036889956997e-32,
)


def literal(x: float) -> str:
    """A number as LLVM writes it: the bits."""
    return "0x" + struct.pack(">d", x).hex().upper()


@dataclass
class Writer:
    """Writes instructions on vectors of `width` doubles, each result under a fresh name.

    Args:
        width: states per vector; 1 makes plain doubles.
        fused: whether the machine has fused multiply-add.
        table: numbers used so far, by place in the constant table.
        wide_table: the table repeats each number in every lane; otherwise it is broadcast when read.
        lines: what was written.
        count: number of names given.
        prefix: what names begin with.
    """

    width: int
    fused: bool
    wide_table: bool
    table: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    count: int = 0
    prefix: str = "x"

    @property
    def type(self) -> str:
        """The LLVM type of a value."""
        return "double" if self.width == 1 else f"<{self.width} x double>"

    @property
    def bits(self) -> str:
        """The integer type of the same size."""
        return "i64" if self.width == 1 else f"<{self.width} x i64>"

    def assign(self, text: str) -> str:
        """Append `%new = text`."""
        self.count += 1
        name = f"%{self.prefix}{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def append(self, text: str) -> None:
        """Append an instruction without a result."""
        self.lines.append("  " + text)

    def packing(self, width: int) -> Writer:
        """A writer of vectors into the same function and table, for scalars packed side by side."""
        return Writer(width, self.fused, False, self.table, self.lines, prefix=f"p{self.count}.")

    def splat(self, value: float) -> str:
        """A number in every lane as an immediate vector."""
        if self.width == 1:
            return literal(value)
        return "<" + ", ".join([f"double {literal(value)}"] * self.width) + ">"

    def bit_splat(self, value: int) -> str:
        """An integer in every lane."""
        return str(value) if self.width == 1 else "<" + ", ".join([f"i64 {value}"] * self.width) + ">"

    def number(self, value: float) -> str:
        """A number, read from the constant table as a memory operand."""
        place = self.table.setdefault(literal(value), len(self.table))
        size = 8 * (self.width if self.wide_table else 1)
        where = self.assign(f"getelementptr i8, ptr %table, i64 {place * size}")
        if self.wide_table:
            return self.assign(f"load {self.type}, ptr {where}, align {size}")
        return self.broadcast(self.assign(f"load double, ptr {where}, align 8"))

    def broadcast(self, scalar: str) -> str:
        """One double in every lane."""
        if self.width == 1:
            return scalar
        first = self.assign(f"insertelement {self.type} poison, double {scalar}, i64 0")
        zeros = ", ".join(["i32 0"] * self.width)
        return self.assign(f"shufflevector {self.type} {first}, {self.type} poison, <{self.width} x i32> <{zeros}>")

    def binary(self, op: str, a: str, b: str) -> str:
        """fadd, fsub, fmul, fdiv; products and sums may fuse."""
        return self.assign(f"{op} contract {self.type} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        """The sum a b + c, rounded once where the machine can."""
        name = "fma" if self.fused else "fmuladd"
        suffix = "f64" if self.width == 1 else f"v{self.width}f64"
        return self.assign(f"call {self.type} @llvm.{name}.{suffix}({self.type} {a}, {self.type} {b}, {self.type} {c})")

    def unary(self, intrinsic: str, a: str) -> str:
        """An LLVM intrinsic of one argument, such as sqrt or fabs."""
        suffix = "f64" if self.width == 1 else f"v{self.width}f64"
        return self.assign(f"call {self.type} @llvm.{intrinsic}.{suffix}({self.type} {a})")

    def horner(self, coefficients: Sequence[float], z: str) -> str:
        """A polynomial, highest power first."""
        value = self.number(coefficients[0])
        for c in coefficients[1:]:
            value = self.fma(value, z, self.number(c))
        return value

    def sincos(self, x: str) -> tuple[str, str]:
        """Sine and cosine to less than 2 ulp for |x| < 2^30 (2^20 without fused multiply-add).

        Reduction by multiples of pi/2 in three pieces after Cody and Waite, then minimax polynomials; the quadrant
        swaps and negates. Larger arguments are the caller's to refuse.
        """
        t = self.fma(x, self.number(TWO_OVER_PI), self.number(ROUNDER))
        k = self.binary("fsub", t, self.number(ROUNDER))
        r = self._reduced(x, k)
        z = self.binary("fmul", r, r)
        sine = self.fma(self.binary("fmul", z, r), self.horner(SINE, z), r)
        half = self.fma(z, self.number(-0.5), self.number(1.0))
        cosine = self.fma(self.binary("fmul", z, z), self.horner(COSINE, z), half)
        return self._quadrant(t, sine, cosine)

    def _reduced(self, x: str, k: str) -> str:
        """The rest x - k pi/2."""
        if self.fused:
            for piece in FUSED_PIECES:
                x = self.fma(k, self.number(-piece), x)
            return x
        products = [self.binary("fmul", k, self.number(piece)) for piece in SHORT_PIECES]
        first = self.binary("fsub", x, products[0])
        rest = self.binary("fsub", first, products[1])
        lost = self.binary("fsub", self.binary("fsub", first, rest), products[1])  # what rounding `rest` took away
        small = self.binary("fadd", products[2], products[3])
        return self.binary("fadd", rest, self.binary("fsub", lost, small))

    def _quadrant(self, t: str, sine: str, cosine: str) -> tuple[str, str]:
        """Swap and negate by the two low bits of the quadrant number."""
        number = self.assign(f"bitcast {self.type} {t} to {self.bits}")
        odd = self.assign(f"and {self.bits} {number}, {self.bit_splat(1)}")
        swap = self.assign(f"icmp ne {self.bits} {odd}, {self.bit_splat(0)}")
        condition = "i1" if self.width == 1 else f"<{self.width} x i1>"
        choose = f"select {condition} {swap}, {self.type}"
        s = self.assign(f"{choose} {cosine}, {self.type} {sine}")
        c = self.assign(f"{choose} {sine}, {self.type} {cosine}")
        after = self.assign(f"add {self.bits} {number}, {self.bit_splat(1)}")
        return self._signed(s, number), self._signed(c, after)

    def _signed(self, value: str, quadrant: str) -> str:
        """Negate where bit 1 of the quadrant number is set."""
        two = self.assign(f"and {self.bits} {quadrant}, {self.bit_splat(2)}")
        sign = self.assign(f"shl {self.bits} {two}, {self.bit_splat(62)}")
        raw = self.assign(f"bitcast {self.type} {value} to {self.bits}")
        return self.assign(f"bitcast {self.bits} {self.assign(f'xor {self.bits} {raw}, {sign}')} to {self.type}")

    def shuffle(self, a: str, b: str, pattern: Sequence[int]) -> str:
        """Lanes of two vectors chosen by number."""
        lanes = ", ".join(f"i32 {k}" for k in pattern)
        return self.assign(f"shufflevector {self.type} {a}, {self.type} {b}, <{len(pattern)} x i32> <{lanes}>")

    def transposed(self, rows: Sequence[str]) -> list[str]:
        """min(4, width) vectors of neighbouring entries as vectors over states, or back: its own inverse.

        Vectors of eight hold rows k and k + 4 in their halves, and each half is transposed by itself.
        """
        w = self.width
        if w == 1:
            return list(rows)
        even = [k if k % 2 == 0 else w + k - 1 for k in range(w)]
        odd = [k + 1 if k % 2 == 0 else w + k for k in range(w)]
        pairs = [self.shuffle(rows[k], rows[k + 1], lanes) for k in range(0, len(rows), 2) for lanes in (even, odd)]
        if w == 2:
            return pairs
        low = [k if k % 4 < 2 else w + k - 2 for k in range(w)]
        high = [k + 2 if k % 4 < 2 else w + k for k in range(w)]
        return [self.shuffle(pairs[k], pairs[k + 2], lanes) for lanes in (low, high) for k in (0, 1)]


# Operations of a graph

ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}


def operation(w: Writer, op: str, args: Sequence[str]) -> str:
    """The value of one operation; truth is 1.0 or 0.0, as in CasADi."""
    if op in ARITHMETIC:
        return w.binary(ARITHMETIC[op], *args)
    if op == "neg":
        return w.assign(f"fneg {w.type} {args[0]}")
    if op in ("sqrt", "fabs", "floor"):
        return w.unary(op, args[0])
    if op in LIBRARY:
        return _library(w, op, args)
    if op in COMPARISONS:
        return _truth(w, compare(w, COMPARISONS[op], *args))
    return _logical(w, op, args)


def _logical(w: Writer, op: str, args: Sequence[str]) -> str:
    zero, one = w.splat(0.0), w.splat(1.0)
    if op == "not":
        return _truth(w, compare(w, "oeq", args[0], zero))
    if op == "and":
        return _truth(w, compare(w, "une", w.binary("fmul", *args), zero))
    if op == "or":
        return _truth(w, compare(w, "une", w.binary("fadd", *(w.unary("fabs", x) for x in args)), zero))
    if op == "if_else_zero":
        return select(w, compare(w, "une", args[0], zero), args[1], zero)
    if op in ("min", "max"):
        return _extreme(w, "olt" if op == "min" else "ogt", *args)
    positive = select(w, compare(w, "ogt", args[0], zero), one, zero)  # sign
    return select(w, compare(w, "olt", args[0], zero), w.splat(-1.0), positive)


def _extreme(w: Writer, relation: str, a: str, b: str) -> str:
    """The smaller or larger of two; NaN if either is, as in NumPy."""
    chosen = select(w, compare(w, relation, a, b), a, b)
    return select(w, compare(w, "uno", a, a), a, chosen)  # where only b is NaN, it is chosen already


def compare(w: Writer, relation: str, a: str, b: str) -> str:
    """Where a relation holds between two values."""
    return w.assign(f"fcmp {relation} {w.type} {a}, {b}")


def select(w: Writer, condition: str, yes: str, no: str) -> str:
    """One of two values, lane by lane."""
    kind = "i1" if w.width == 1 else f"<{w.width} x i1>"
    return w.assign(f"select {kind} {condition}, {w.type} {yes}, {w.type} {no}")


def _truth(w: Writer, condition: str) -> str:
    return select(w, condition, w.splat(1.0), w.splat(0.0))


def _library(w: Writer, op: str, args: Sequence[str]) -> str:
    """A call of the mathematical library for every lane; its address stands in the table of addresses."""
    place = w.assign(f"getelementptr i8, ptr @addresses, i64 {8 * LIBRARY.index(op)}")
    function = w.assign(f"load ptr, ptr {place}")
    results = []
    for lane in range(w.width):
        scalars = [x if w.width == 1 else w.assign(f"extractelement {w.type} {x}, i64 {lane}") for x in args]
        results.append(w.assign(f"call double {function}({', '.join(f'double {x}' for x in scalars)})"))
    if w.width == 1:
        return results[0]
    value = "poison"
    for lane, scalar in enumerate(results):
        value = w.assign(f"insertelement {w.type} {value}, double {scalar}, i64 {lane}")
    return value
