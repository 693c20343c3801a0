"""LLVM text of a graph's operations on vectors of states, one state per lane, with sines and transposes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from gearwright.tracing.graph import LIBRARY_FUNCTIONS

ANGLE_OVERFLOW_SCALE = 2.0**994
"""Factor that overflows when multiplied by an angle of 2^30 or more, which marks the state as out of range."""

# Minimax polynomials of sine and cosine on [-pi/4, pi/4] (the coefficients of fdlibm's kernels).
SINE_COEFFICIENTS = (1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
        -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01)  # fmt: skip
COSINE_COEFFICIENTS = (-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
          2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02)  # fmt: skip
TWO_OVER_PI = 0.6366197723675814
"""2/pi: quarter turns per unit of angle [1/rad]."""
ROUNDING_SHIFT = 6755399441055744.0  # 1.5 2^52: adding it rounds to an integer in the low bits
# pi/2 in pieces. With fused multiply-add each product is exact to the last bit; without it, each piece is short enough
# for its product with a quadrant number below 2^20 to be exact.
FUSED_HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
SPLIT_HALF_PI = (
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624871116645580e-21,
    8.47842766036889956997e-32,
)


def hex_literal(x: float) -> str:
    """A number as LLVM writes it: the bits."""
    return "0x" + struct.pack(">d", x).hex().upper()


@dataclass
class VectorWriter:
    """Writes instructions on vectors of `width` doubles, each result under a new name.

    Args:
        width: states per vector; 1 makes plain doubles.
        fused: whether the machine has fused multiply-add.
        table: numbers used so far, by index in the constant table.
        wide_table: the table repeats each number in every lane; otherwise it is broadcast when read.
        lines: the instructions so far.
        count: number of names so far.
        prefix: prefix of the names.
    """

    width: int
    fused: bool
    wide_table: bool
    table: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    count: int = 0
    prefix: str = "x"

    @property
    def vector_type(self) -> str:
        """The LLVM type of a value."""
        return "double" if self.width == 1 else f"<{self.width} x double>"

    @property
    def integer_type(self) -> str:
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

    def packed_writer(self, width: int) -> VectorWriter:
        """A writer of vectors into the same function and table, for scalars packed side by side."""
        return VectorWriter(width, self.fused, False, self.table, self.lines, prefix=f"p{self.count}.")

    def splat_text(self, value: float) -> str:
        """A number in every lane as an immediate vector."""
        if self.width == 1:
            return hex_literal(value)
        return "<" + ", ".join([f"double {hex_literal(value)}"] * self.width) + ">"

    def bit_splat(self, value: int) -> str:
        """An integer in every lane."""
        return str(value) if self.width == 1 else "<" + ", ".join([f"i64 {value}"] * self.width) + ">"

    def load_constant(self, value: float) -> str:
        """A number, read from the constant table as a memory operand."""
        place = self.table.setdefault(hex_literal(value), len(self.table))
        size = 8 * (self.width if self.wide_table else 1)
        address = self.assign(f"getelementptr i8, ptr %table, i64 {place * size}")
        if self.wide_table:
            return self.assign(f"load {self.vector_type}, ptr {address}, align {size}")
        return self.broadcast_scalar(self.assign(f"load double, ptr {address}, align 8"))

    def broadcast_scalar(self, scalar: str) -> str:
        """One double in every lane."""
        if self.width == 1:
            return scalar
        first = self.assign(f"insertelement {self.vector_type} poison, double {scalar}, i64 0")
        zeros = ", ".join(["i32 0"] * self.width)
        return self.assign(
            f"shufflevector {self.vector_type} {first}, {self.vector_type} poison, <{self.width} x i32> <{zeros}>"
        )

    def write_binary(self, op: str, a: str, b: str) -> str:
        """fadd, fsub, fmul, fdiv; products and sums may fuse."""
        return self.assign(f"{op} contract {self.vector_type} {a}, {b}")

    def write_fma(self, a: str, b: str, c: str) -> str:
        """The sum a b + c, rounded once if the processor has fused multiply-add."""
        name = "fma" if self.fused else "fmuladd"
        suffix = "f64" if self.width == 1 else f"v{self.width}f64"
        return self.assign(
            f"call {self.vector_type} @llvm.{name}.{suffix}({self.vector_type} {a}, {self.vector_type} {b}, "
            f"{self.vector_type} {c})"
        )

    def write_intrinsic(self, intrinsic: str, a: str) -> str:
        """An LLVM intrinsic of one argument, such as sqrt or fabs."""
        suffix = "f64" if self.width == 1 else f"v{self.width}f64"
        return self.assign(f"call {self.vector_type} @llvm.{intrinsic}.{suffix}({self.vector_type} {a})")

    def write_polynomial(self, coefficients: Sequence[float], z: str) -> str:
        """A polynomial, highest power first."""
        value = self.load_constant(coefficients[0])
        for c in coefficients[1:]:
            value = self.write_fma(value, z, self.load_constant(c))
        return value

    def write_sincos(self, x: str) -> tuple[str, str]:
        """Sine and cosine to less than 2 ulp for |x| < 2^30 (2^20 without fused multiply-add).

        Reduction by multiples of pi/2 in three pieces after Cody and Waite, then minimax polynomials; the quadrant
        swaps and negates. The caller refuses larger arguments.
        """
        t = self.write_fma(x, self.load_constant(TWO_OVER_PI), self.load_constant(ROUNDING_SHIFT))
        k = self.write_binary("fsub", t, self.load_constant(ROUNDING_SHIFT))
        r = self._reduce_angle(x, k)
        z = self.write_binary("fmul", r, r)
        sine = self.write_fma(self.write_binary("fmul", z, r), self.write_polynomial(SINE_COEFFICIENTS, z), r)
        half = self.write_fma(z, self.load_constant(-0.5), self.load_constant(1.0))
        cosine = self.write_fma(self.write_binary("fmul", z, z), self.write_polynomial(COSINE_COEFFICIENTS, z), half)
        return self._apply_quadrant(t, sine, cosine)

    def _reduce_angle(self, x: str, k: str) -> str:
        """The remainder x - k pi/2."""
        if self.fused:
            for piece in FUSED_HALF_PI:
                x = self.write_fma(k, self.load_constant(-piece), x)
            return x
        products = [self.write_binary("fmul", k, self.load_constant(piece)) for piece in SPLIT_HALF_PI]
        first = self.write_binary("fsub", x, products[0])
        reduced = self.write_binary("fsub", first, products[1])
        lost = self.write_binary(
            "fsub", self.write_binary("fsub", first, reduced), products[1]
        )  # rounding error of `rest`
        small = self.write_binary("fadd", products[2], products[3])
        return self.write_binary("fadd", reduced, self.write_binary("fsub", lost, small))

    def _apply_quadrant(self, t: str, sine: str, cosine: str) -> tuple[str, str]:
        """Swap and negate by the two low bits of the quadrant number."""
        number = self.assign(f"bitcast {self.vector_type} {t} to {self.integer_type}")
        odd = self.assign(f"and {self.integer_type} {number}, {self.bit_splat(1)}")
        swap = self.assign(f"icmp ne {self.integer_type} {odd}, {self.bit_splat(0)}")
        condition = "i1" if self.width == 1 else f"<{self.width} x i1>"
        choose = f"select {condition} {swap}, {self.vector_type}"
        s = self.assign(f"{choose} {cosine}, {self.vector_type} {sine}")
        c = self.assign(f"{choose} {sine}, {self.vector_type} {cosine}")
        after = self.assign(f"add {self.integer_type} {number}, {self.bit_splat(1)}")
        return self._apply_sign(s, number), self._apply_sign(c, after)

    def _apply_sign(self, value: str, quadrant: str) -> str:
        """Negate where bit 1 of the quadrant number is set."""
        two = self.assign(f"and {self.integer_type} {quadrant}, {self.bit_splat(2)}")
        sign = self.assign(f"shl {self.integer_type} {two}, {self.bit_splat(62)}")
        raw = self.assign(f"bitcast {self.vector_type} {value} to {self.integer_type}")
        return self.assign(
            f"bitcast {self.integer_type} {self.assign(f'xor {self.integer_type} {raw}, {sign}')} to {self.vector_type}"
        )

    def shuffle_lanes(self, a: str, b: str, pattern: Sequence[int]) -> str:
        """Lanes of two vectors chosen by number."""
        lanes = ", ".join(f"i32 {k}" for k in pattern)
        return self.assign(
            f"shufflevector {self.vector_type} {a}, {self.vector_type} {b}, <{len(pattern)} x i32> <{lanes}>"
        )

    def transpose_lanes(self, rows: Sequence[str]) -> list[str]:
        """Transpose min(4, width) vectors of adjacent entries to vectors over states, or back: its own inverse.

        Vectors of eight hold rows k and k + 4 in their halves, and each half is transposed separately.
        """
        w = self.width
        if w == 1:
            return list(rows)
        even = [k if k % 2 == 0 else w + k - 1 for k in range(w)]
        odd = [k + 1 if k % 2 == 0 else w + k for k in range(w)]
        pairs = [
            self.shuffle_lanes(rows[k], rows[k + 1], lanes) for k in range(0, len(rows), 2) for lanes in (even, odd)
        ]
        if w == 2:
            return pairs
        low = [k if k % 4 < 2 else w + k - 2 for k in range(w)]
        high = [k + 2 if k % 4 < 2 else w + k for k in range(w)]
        return [self.shuffle_lanes(pairs[k], pairs[k + 2], lanes) for lanes in (low, high) for k in (0, 1)]


# Operations of a graph

LLVM_FLOAT_OPERATIONS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
LLVM_FLOAT_RELATIONS = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}


def write_operation(w: VectorWriter, op: str, args: Sequence[str]) -> str:
    """The value of one operation; truth is 1.0 or 0.0, as in CasADi."""
    if op in LLVM_FLOAT_OPERATIONS:
        return w.write_binary(LLVM_FLOAT_OPERATIONS[op], *args)
    if op == "neg":
        return w.assign(f"fneg {w.vector_type} {args[0]}")
    if op in ("sqrt", "fabs", "floor"):
        return w.write_intrinsic(op, args[0])
    if op in LIBRARY_FUNCTIONS:
        return _call_library(w, op, args)
    if op in LLVM_FLOAT_RELATIONS:
        return _write_truth(w, write_comparison(w, LLVM_FLOAT_RELATIONS[op], *args))
    return _write_logical(w, op, args)


def _write_logical(w: VectorWriter, op: str, args: Sequence[str]) -> str:
    zero, unit = w.splat_text(0.0), w.splat_text(1.0)
    if op == "not":
        return _write_truth(w, write_comparison(w, "oeq", args[0], zero))
    if op == "and":
        return _write_truth(w, write_comparison(w, "une", w.write_binary("fmul", *args), zero))
    if op == "or":
        return _write_truth(
            w, write_comparison(w, "une", w.write_binary("fadd", *(w.write_intrinsic("fabs", x) for x in args)), zero)
        )
    if op == "if_else_zero":
        return write_select(w, write_comparison(w, "une", args[0], zero), args[1], zero)
    if op in ("min", "max"):
        return _write_extreme(w, "olt" if op == "min" else "ogt", *args)
    positive = write_select(w, write_comparison(w, "ogt", args[0], zero), unit, zero)  # sign
    return write_select(w, write_comparison(w, "olt", args[0], zero), w.splat_text(-1.0), positive)


def _write_extreme(w: VectorWriter, relation: str, a: str, b: str) -> str:
    """The smaller or larger of two; NaN if either is, as in NumPy."""
    chosen = write_select(w, write_comparison(w, relation, a, b), a, b)
    return write_select(w, write_comparison(w, "uno", a, a), a, chosen)  # where only b is NaN, it is chosen already


def write_comparison(w: VectorWriter, relation: str, a: str, b: str) -> str:
    """Where a relation holds between two values."""
    return w.assign(f"fcmp {relation} {w.vector_type} {a}, {b}")


def write_select(w: VectorWriter, condition: str, yes: str, no: str) -> str:
    """One of two values, lane by lane."""
    kind = "i1" if w.width == 1 else f"<{w.width} x i1>"
    return w.assign(f"select {kind} {condition}, {w.vector_type} {yes}, {w.vector_type} {no}")


def _write_truth(w: VectorWriter, condition: str) -> str:
    return write_select(w, condition, w.splat_text(1.0), w.splat_text(0.0))


def _call_library(w: VectorWriter, op: str, args: Sequence[str]) -> str:
    """A call of the mathematical library for every lane; its address is in the table of addresses."""
    place = w.assign(f"getelementptr i8, ptr @addresses, i64 {8 * LIBRARY_FUNCTIONS.index(op)}")
    function = w.assign(f"load ptr, ptr {place}")
    results = []
    for lane in range(w.width):
        scalars = [x if w.width == 1 else w.assign(f"extractelement {w.vector_type} {x}, i64 {lane}") for x in args]
        results.append(w.assign(f"call double {function}({', '.join(f'double {x}' for x in scalars)})"))
    if w.width == 1:
        return results[0]
    value = "poison"
    for lane, scalar in enumerate(results):
        value = w.assign(f"insertelement {w.vector_type} {value}, double {scalar}, i64 {lane}")
    return value
