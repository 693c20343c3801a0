"""From a graph to LLVM text: functions that run over rows of (N, n) arrays, one state per lane."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from gearwright.compiling.llvm.schedule import ArrayLayout, Schedule, group_size
from gearwright.compiling.llvm.vectors import (
    ANGLE_OVERFLOW_SCALE,
    LLVM_FLOAT_RELATIONS,
    VectorWriter,
    write_comparison,
    write_operation,
    write_select,
)
from gearwright.tracing.graph import Graph, GraphNode


class PieceWriter:
    """Writes one piece as a function `(args, workspace, begin, end, flags)` that loops over rows."""

    def __init__(
        self, graph: Graph, layout: ArrayLayout, plan: Schedule, writer: VectorWriter, checked: set[Hashable], pack: int
    ) -> None:
        self.graph, self.layout, self.plan, self.writer, self.checked = graph, layout, plan, writer, checked
        self.values: dict[int, str] = {}
        self.columns: dict[tuple[int, int], str] = {}
        self.rows: dict[int, list[str]] = {}
        self.accumulator, self.pack = "%acc", pack
        self.pairs: dict[int, dict[str, int]] = {}
        self._plain: dict[int, bool] = {}
        for k, node in enumerate(graph.nodes):
            if node.op in ("sin", "cos"):
                self.pairs.setdefault(int(node.a), {})[node.op] = k
                angle = graph.nodes[int(node.a)]
                if angle.op == "input":  # the range check of an angle includes the finite check
                    checked.add((int(angle.a), int(angle.b)))

    def write_piece(self, number: int, last: bool) -> str:
        """The whole function."""
        piece = self.plan.pieces[number]
        if self.writer.width == 1 and self.pack > 1:
            self._compute_packed_sincos(set(piece))
        for k in piece:
            self._compute_node(k)
            if k in self.plan.slots:
                self._store_in_slot(k)
            for first in self.plan.stores.get(k, ()):
                self._store_group(first)
        if last:
            self._finish_piece()
        return self._function_text(f"piece{number}w{self.writer.width}")

    def _finish_piece(self) -> None:
        for first in self.plan.stores.get(-1, ()):
            self._store_group(first)
        for array, size in enumerate(self.layout.inputs):
            for entry in range(size):
                self.input_column(array, entry)
        for k in self.graph.guards:
            self._check_guard(self.node_value(k))

    def _function_text(self, name: str) -> str:
        # Frame and constant table are page-aligned, so that the run time does not depend on the stack address.
        # The empty instructions keep LLVM from removing %pad, and from moving reads of the table out of the loop.
        t, w = self.writer.vector_type, self.writer.width
        head = [f"define internal void @{name}(ptr %args, ptr %ws, i64 %begin, i64 %end, ptr %flags) #0 {{", "entry:"]
        head += ["  %pad = alloca [512 x i8], align 4096", '  call void asm sideeffect "", "r"(ptr %pad)']
        head += ["  %final = sub i64 %end, 1", *self._array_pointers(), "  br label %loop", "loop:"]
        head += [
            "  %row = phi i64 [ %begin, %entry ], [ %next, %loop ]",
            "  %w = phi ptr [ %ws, %entry ], [ %wnext, %loop ]",
        ]
        zero = self.writer.splat_text(0.0)
        head += [f"  %acc = phi {t} [ {zero}, %entry ], [ {self.accumulator}, %loop ]"]
        head += [f'  %table = call ptr asm sideeffect "", "=r,0"(ptr @table{w})']
        tail = [f"  %next = add i64 %row, {w}", f"  %wnext = getelementptr i8, ptr %w, i64 {self.plan.size * w * 8}"]
        tail += ["  %more = icmp slt i64 %next, %end", "  br i1 %more, label %loop, label %done", "done:"]
        tail += [f"  %old = load {t}, ptr %flags, align {8 * w}", f"  %new = fadd {t} %old, {self.accumulator}"]
        tail += [f"  store {t} %new, ptr %flags, align {8 * w}", "  ret void", "}"]
        return "\n".join(head + self.writer.lines + tail) + "\n"

    def _array_pointers(self) -> list[str]:
        """Base and row stride of every array, read once."""
        lines = []
        for k in range(len(self.layout.inputs) + 1):
            lines += [f"  %pb{k} = getelementptr i8, ptr %args, i64 {16 * k}", f"  %base{k} = load ptr, ptr %pb{k}"]
            lines += [
                f"  %ps{k} = getelementptr i8, ptr %args, i64 {16 * k + 8}",
                f"  %stride{k} = load i64, ptr %ps{k}",
            ]
        return lines

    def row_pointers(self, array: int) -> list[str]:
        """Per lane the address of its row; lanes past the end repeat the last row."""
        if array not in self.rows:
            pointers = []
            for lane in range(self.writer.width):
                index = self.writer.assign(f"add i64 %row, {lane}") if lane else "%row"
                if lane:
                    index = self.writer.assign(f"call i64 @llvm.smin.i64(i64 {index}, i64 %final)")
                offset = self.writer.assign(f"mul i64 {index}, %stride{array}")
                pointers.append(self.writer.assign(f"getelementptr i8, ptr %base{array}, i64 {offset}"))
            self.rows[array] = pointers
        return self.rows[array]

    def input_column(self, array: int, entry: int) -> str:
        """An entry of an input over the states of this vector."""
        if (array, entry) not in self.columns:
            size = self.layout.inputs[array]
            g = group_size(size, self.writer.width)
            first = min(entry - entry % g, size - g)
            fresh = self._load_scalars(array, first) if g == 1 else self._load_group(array, first)
            for k, value in enumerate(fresh):
                self.columns.setdefault((array, first + k), value)
                self._check_input(array, first + k)
        return self.columns[array, entry]

    def _load_scalars(self, array: int, entry: int) -> list[str]:
        w = self.writer
        lanes = [
            w.assign(f"load double, ptr {self._entry_pointer(row, entry)}, align 8") for row in self.row_pointers(array)
        ]
        if w.width == 1:
            return lanes
        value = "poison"
        for lane, scalar in enumerate(lanes):
            value = w.assign(f"insertelement {w.vector_type} {value}, double {scalar}, i64 {lane}")
        return [value]

    def _load_group(self, array: int, first: int) -> list[str]:
        w, g = self.writer, min(4, self.writer.width)
        part = f"<{g} x double>"
        rows = [
            w.assign(f"load {part}, ptr {self._entry_pointer(row, first)}, align 8") for row in self.row_pointers(array)
        ]
        if w.width == 8:
            both = ", ".join(f"i32 {k}" for k in range(8))
            rows = [
                w.assign(f"shufflevector {part} {rows[k]}, {part} {rows[k + 4]}, <8 x i32> <{both}>") for k in range(4)
            ]
        return w.transpose_lanes(rows)

    def _entry_pointer(self, row: str, entry: int) -> str:
        return self.writer.assign(f"getelementptr i8, ptr {row}, i64 {8 * entry}") if entry else row

    def _store_group(self, first: int) -> None:
        """Write a group of neighbouring outputs of all lanes."""
        group = self.graph.outputs[first : first + self.layout.output_group(self.writer.width)]
        values = [self.node_value(k) for k in group]
        for k, value in zip(group, values, strict=True):
            self._check_output(k, value)
        rows = self.row_pointers(len(self.layout.inputs))
        if len(group) == 1:
            kind, parts = "double", self._lane_scalars(values[0])
        else:
            kind, parts = f"<{len(group)} x double>", self._lane_rows(values)
        for row, part in zip(rows, parts, strict=True):
            self.writer.append(f"store {kind} {part}, ptr {self._entry_pointer(row, first)}, align 8")

    def _lane_scalars(self, value: str) -> Iterable[str]:
        """The scalars of a vector, one per lane."""
        w = self.writer
        for lane in range(w.width):
            yield value if w.width == 1 else w.assign(f"extractelement {w.vector_type} {value}, i64 {lane}")

    def _lane_rows(self, values: Sequence[str]) -> list[str]:
        """Per lane a vector of its entries of all values."""
        w = self.writer
        vectors = w.transpose_lanes(values)
        if w.width < 8:
            return vectors
        halves = [", ".join(f"i32 {k}" for k in range(start, start + 4)) for start in (0, 4)]
        return [
            w.assign(f"shufflevector {w.vector_type} {x}, {w.vector_type} poison, <4 x i32> <{half}>")
            for half in halves
            for x in vectors
        ]

    def _check_output(self, k: int, value: str) -> None:
        """Make the accumulator NaN if a result is not finite; inputs are checked where they are read."""
        if k not in self.checked and self.graph.nodes[k].op not in ("const", "input"):
            self.accumulator = self.writer.write_fma(value, self.writer.splat_text(0.0), self.accumulator)
            self.checked.add(k)

    def _check_input(self, array: int, entry: int) -> None:
        """Make the accumulator NaN if an entry is not finite."""
        if (array, entry) not in self.checked:
            self.checked.add((array, entry))
            self.accumulator = self.writer.write_fma(
                self.columns[array, entry], self.writer.splat_text(0.0), self.accumulator
            )

    def _check_angle(self, x: str) -> None:
        """Make the accumulator NaN if an angle is too large for the reduction, or not finite."""
        scale = ANGLE_OVERFLOW_SCALE if self.writer.fused else ANGLE_OVERFLOW_SCALE * 1024
        self.accumulator = self.writer.write_fma(
            self.writer.write_binary("fmul", x, self.writer.load_constant(scale)),
            self.writer.splat_text(0.0),
            self.accumulator,
        )

    def _check_guard(self, x: str) -> None:
        """Make the accumulator NaN unless x >= 0."""
        w = self.writer
        kind = "i1" if w.width == 1 else f"<{w.width} x i1>"
        fine = w.assign(f"fcmp oge {w.vector_type} {x}, {w.splat_text(0.0)}")
        nan = w.splat_text(float("nan"))
        self.accumulator = w.assign(
            f"fadd {w.vector_type} {self.accumulator}, "
            f"{w.assign(f'select {kind} {fine}, {w.vector_type} {w.splat_text(0.0)}, {w.vector_type} {nan}')}"
        )

    def node_value(self, k: int) -> str:
        """The name of a node's value; read from an array, the table or the workspace if it is not in a register."""
        node = self.graph.nodes[k]
        if node.op == "const":
            return self.writer.load_constant(float(node.a))
        if node.op == "input":
            return self.input_column(int(node.a), int(node.b))
        if k not in self.values:
            self.values[k] = self.writer.assign(
                f"load {self.writer.vector_type}, ptr {self._slot_pointer(k)}, align {8 * self.writer.width}"
            )
        return self.values[k]

    def _slot_pointer(self, k: int) -> str:
        return self.writer.assign(f"getelementptr i8, ptr %w, i64 {self.plan.slots[k] * 8 * self.writer.width}")

    def _store_in_slot(self, k: int) -> None:
        self.writer.append(
            f"store {self.writer.vector_type} {self.values[k]}, ptr {self._slot_pointer(k)}, align "
            f"{8 * self.writer.width}"
        )

    def _compute_node(self, k: int) -> None:
        if k in self.values:
            return
        node = self.graph.nodes[k]
        if node.op in ("sin", "cos"):
            self._compute_sincos(int(node.a))
            return
        value = self._select_value(k)
        if value is None:
            value = write_operation(self.writer, node.op, [self.node_value(operand) for operand in node.operands])
        self.values[k] = value

    def _select_value(self, k: int) -> str | None:
        """A choice in one instruction: CasADi writes `yes if c else no` as (c ? yes : 0) + (not c ? no : 0)."""
        nodes, node = self.graph.nodes, self.graph.nodes[k]
        if node.op != "add":
            return None
        yes, no = (nodes[operand] for operand in node.operands)
        if yes.op == no.op == "if_else_zero" and nodes[int(yes.a)].op == "not":
            yes, no = no, yes
        if yes.op != "if_else_zero" or no.op != "if_else_zero" or nodes[int(no.a)] != GraphNode("not", int(yes.a)):
            return None
        condition = nodes[int(yes.a)]
        operands = (*condition.operands, int(yes.b), int(no.b))
        if condition.op not in LLVM_FLOAT_RELATIONS or not all(self._is_available(operand) for operand in operands):
            return None
        first, second, *choices = (self.node_value(operand) for operand in operands)
        return write_select(
            self.writer, write_comparison(self.writer, LLVM_FLOAT_RELATIONS[condition.op], first, second), *choices
        )

    def _is_available(self, k: int) -> bool:
        """Whether this piece has the value of a node."""
        return k in self.values or self.graph.nodes[k].op in ("const", "input")

    def _compute_sincos(self, angle: int) -> None:
        """Compute sine and cosine of one angle together."""
        x = self.node_value(angle)
        self._check_angle(x)
        sine, cosine = self.writer.write_sincos(x)
        for op, k in self.pairs[angle].items():
            self.values[k] = sine if op == "sin" else cosine

    def _compute_packed_sincos(self, piece: set[int]) -> None:
        """For a single state, compute the sines of several angles of a piece in one vector, at the cost of one."""
        piece_angles = [angle for angle, both in self.pairs.items() if not piece.isdisjoint(both.values())]
        angles = [angle for angle in piece_angles if self._is_without_sincos(angle)]
        for first in range(0, len(angles), self.pack):
            group = angles[first : first + self.pack]
            for angle in group:
                self._compute_with_operands(angle)
            self._sincos_side_by_side(group)

    def _sincos_side_by_side(self, angles: Sequence[int]) -> None:
        packed = self.writer.packed_writer(self.pack)
        vector = "zeroinitializer"
        for lane, angle in enumerate(angles):
            x = self.node_value(angle)
            self._check_angle(x)
            vector = packed.assign(f"insertelement {packed.vector_type} {vector}, double {x}, i64 {lane}")
        both = dict(zip(("sin", "cos"), packed.write_sincos(vector), strict=True))
        for lane, angle in enumerate(angles):
            for op, k in self.pairs[angle].items():
                self.values[k] = packed.assign(f"extractelement {packed.vector_type} {both[op]}, i64 {lane}")

    def _is_without_sincos(self, k: int) -> bool:
        """Whether a node itself is neither sine nor cosine."""
        if k not in self._plain:
            node = self.graph.nodes[k]
            self._plain[k] = node.op not in ("sin", "cos") and all(
                self._is_without_sincos(operand) for operand in node.operands
            )
        return self._plain[k]

    def _compute_with_operands(self, k: int) -> None:
        if k in self.values:
            return
        node = self.graph.nodes[k]
        for operand in node.operands:
            self._compute_with_operands(operand)
        if node.op not in ("const", "input"):
            self._compute_node(k)
