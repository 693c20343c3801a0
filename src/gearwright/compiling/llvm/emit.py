"""From a graph to LLVM text: functions that run over rows of (N, n) arrays, one state per lane."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from gearwright.compiling.llvm.schedule import ArrayLayout, Plan, group_size
from gearwright.compiling.llvm.vectors import COMPARISONS, HUGE_SCALE, Writer, compare, operation, select
from gearwright.tracing.graph import Graph, Node


class PieceWriter:
    """Writes one piece as a function `(args, workspace, begin, end, flags)` that loops over rows."""

    def __init__(
        self, graph: Graph, layout: ArrayLayout, plan: Plan, writer: Writer, checked: set[Hashable], pack: int
    ) -> None:
        self.graph, self.layout, self.plan, self.w, self.checked = graph, layout, plan, writer, checked
        self.values: dict[int, str] = {}
        self.columns: dict[tuple[int, int], str] = {}
        self.rows: dict[int, list[str]] = {}
        self.acc, self.pack = "%acc", pack
        self.pairs: dict[int, dict[str, int]] = {}
        self._plain: dict[int, bool] = {}
        for k, node in enumerate(graph.nodes):
            if node.op in ("sin", "cos"):
                self.pairs.setdefault(int(node.a), {})[node.op] = k
                angle = graph.nodes[int(node.a)]
                if angle.op == "input":  # the range check of an angle is its finite check too
                    checked.add((int(angle.a), int(angle.b)))

    def write(self, number: int, last: bool) -> str:
        """The whole function."""
        piece = self.plan.pieces[number]
        if self.w.width == 1 and self.pack > 1:
            self._packed_sincos(set(piece))
        for k in piece:
            self._compute(k)
            if k in self.plan.slots:
                self._keep(k)
            for first in self.plan.stores.get(k, ()):
                self._store(first)
        if last:
            self._finish()
        return self._function(f"piece{number}w{self.w.width}")

    def _finish(self) -> None:
        for first in self.plan.stores.get(-1, ()):
            self._store(first)
        for which, size in enumerate(self.layout.inputs):
            for entry in range(size):
                self.column(which, entry)
        for k in self.graph.guards:
            self._guard(self.value(k))

    def _function(self, name: str) -> str:
        # Frame and constant table start at pages, so that the time does not depend on where the stack happens to be.
        # The empty instructions keep LLVM from leaving %pad out, and from moving reads of the table out of the loop.
        t, w = self.w.type, self.w.width
        head = [f"define internal void @{name}(ptr %args, ptr %ws, i64 %begin, i64 %end, ptr %flags) #0 {{", "entry:"]
        head += ["  %pad = alloca [512 x i8], align 4096", '  call void asm sideeffect "", "r"(ptr %pad)']
        head += ["  %final = sub i64 %end, 1", *self._pointers(), "  br label %loop", "loop:"]
        head += [
            "  %row = phi i64 [ %begin, %entry ], [ %next, %loop ]",
            "  %w = phi ptr [ %ws, %entry ], [ %wnext, %loop ]",
        ]
        zero = self.w.splat(0.0)
        head += [f"  %acc = phi {t} [ {zero}, %entry ], [ {self.acc}, %loop ]"]
        head += [f'  %table = call ptr asm sideeffect "", "=r,0"(ptr @table{w})']
        tail = [f"  %next = add i64 %row, {w}", f"  %wnext = getelementptr i8, ptr %w, i64 {self.plan.size * w * 8}"]
        tail += ["  %more = icmp slt i64 %next, %end", "  br i1 %more, label %loop, label %done", "done:"]
        tail += [f"  %old = load {t}, ptr %flags, align {8 * w}", f"  %new = fadd {t} %old, {self.acc}"]
        tail += [f"  store {t} %new, ptr %flags, align {8 * w}", "  ret void", "}"]
        return "\n".join(head + self.w.lines + tail) + "\n"

    def _pointers(self) -> list[str]:
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
        """Per lane where its row starts; lanes past the end repeat the last row."""
        if array not in self.rows:
            found = []
            for lane in range(self.w.width):
                index = self.w.assign(f"add i64 %row, {lane}") if lane else "%row"
                if lane:
                    index = self.w.assign(f"call i64 @llvm.smin.i64(i64 {index}, i64 %final)")
                offset = self.w.assign(f"mul i64 {index}, %stride{array}")
                found.append(self.w.assign(f"getelementptr i8, ptr %base{array}, i64 {offset}"))
            self.rows[array] = found
        return self.rows[array]

    def column(self, which: int, entry: int) -> str:
        """An entry of an input over the states of this vector."""
        if (which, entry) not in self.columns:
            size = self.layout.inputs[which]
            g = group_size(size, self.w.width)
            first = min(entry - entry % g, size - g)
            fresh = self._load_scalars(which, first) if g == 1 else self._load_group(which, first)
            for k, value in enumerate(fresh):
                self.columns.setdefault((which, first + k), value)
                self._check_input(which, first + k)
        return self.columns[which, entry]

    def _load_scalars(self, which: int, entry: int) -> list[str]:
        w = self.w
        lanes = [w.assign(f"load double, ptr {self._at(row, entry)}, align 8") for row in self.row_pointers(which)]
        if w.width == 1:
            return lanes
        value = "poison"
        for lane, scalar in enumerate(lanes):
            value = w.assign(f"insertelement {w.type} {value}, double {scalar}, i64 {lane}")
        return [value]

    def _load_group(self, which: int, first: int) -> list[str]:
        w, g = self.w, min(4, self.w.width)
        part = f"<{g} x double>"
        rows = [w.assign(f"load {part}, ptr {self._at(row, first)}, align 8") for row in self.row_pointers(which)]
        if w.width == 8:
            both = ", ".join(f"i32 {k}" for k in range(8))
            rows = [
                w.assign(f"shufflevector {part} {rows[k]}, {part} {rows[k + 4]}, <8 x i32> <{both}>") for k in range(4)
            ]
        return w.transposed(rows)

    def _at(self, row: str, entry: int) -> str:
        return self.w.assign(f"getelementptr i8, ptr {row}, i64 {8 * entry}") if entry else row

    def _store(self, first: int) -> None:
        """Write a group of neighbouring outputs of all lanes."""
        group = self.graph.outputs[first : first + self.layout.output_group(self.w.width)]
        values = [self.value(k) for k in group]
        for k, value in zip(group, values, strict=True):
            self._check_output(k, value)
        rows = self.row_pointers(len(self.layout.inputs))
        if len(group) == 1:
            kind, parts = "double", self._lanes(values[0])
        else:
            kind, parts = f"<{len(group)} x double>", self._rows_of(values)
        for row, part in zip(rows, parts, strict=True):
            self.w.append(f"store {kind} {part}, ptr {self._at(row, first)}, align 8")

    def _lanes(self, value: str) -> Iterable[str]:
        """The scalars of a vector, one per lane."""
        w = self.w
        for lane in range(w.width):
            yield value if w.width == 1 else w.assign(f"extractelement {w.type} {value}, i64 {lane}")

    def _rows_of(self, values: Sequence[str]) -> list[str]:
        """Per lane a vector of its entries of all values."""
        w = self.w
        vectors = w.transposed(values)
        if w.width < 8:
            return vectors
        halves = [", ".join(f"i32 {k}" for k in range(start, start + 4)) for start in (0, 4)]
        return [
            w.assign(f"shufflevector {w.type} {x}, {w.type} poison, <4 x i32> <{half}>")
            for half in halves
            for x in vectors
        ]

    def _check_output(self, k: int, value: str) -> None:
        """Make the accumulator NaN if a result is not finite; inputs are checked where they are read."""
        if k not in self.checked and self.graph.nodes[k].op not in ("const", "input"):
            self.acc = self.w.fma(value, self.w.splat(0.0), self.acc)
            self.checked.add(k)

    def _check_input(self, which: int, entry: int) -> None:
        """Make the accumulator NaN if an entry is not finite."""
        if (which, entry) not in self.checked:
            self.checked.add((which, entry))
            self.acc = self.w.fma(self.columns[which, entry], self.w.splat(0.0), self.acc)

    def _check_angle(self, x: str) -> None:
        """Make the accumulator NaN if an angle is too large for the reduction, or not finite."""
        scale = HUGE_SCALE if self.w.fused else HUGE_SCALE * 1024
        self.acc = self.w.fma(self.w.binary("fmul", x, self.w.number(scale)), self.w.splat(0.0), self.acc)

    def _guard(self, x: str) -> None:
        """Make the accumulator NaN unless x >= 0."""
        w = self.w
        kind = "i1" if w.width == 1 else f"<{w.width} x i1>"
        fine = w.assign(f"fcmp oge {w.type} {x}, {w.splat(0.0)}")
        nan = w.splat(float("nan"))
        self.acc = w.assign(
            f"fadd {w.type} {self.acc}, {w.assign(f'select {kind} {fine}, {w.type} {w.splat(0.0)}, {w.type} {nan}')}"
        )

    def value(self, k: int) -> str:
        """The name of a node's value, read from an array, the table or the workspace when it is not at hand."""
        node = self.graph.nodes[k]
        if node.op == "const":
            return self.w.number(float(node.a))
        if node.op == "input":
            return self.column(int(node.a), int(node.b))
        if k not in self.values:
            self.values[k] = self.w.assign(f"load {self.w.type}, ptr {self._slot(k)}, align {8 * self.w.width}")
        return self.values[k]

    def _slot(self, k: int) -> str:
        return self.w.assign(f"getelementptr i8, ptr %w, i64 {self.plan.slots[k] * 8 * self.w.width}")

    def _keep(self, k: int) -> None:
        self.w.append(f"store {self.w.type} {self.values[k]}, ptr {self._slot(k)}, align {8 * self.w.width}")

    def _compute(self, k: int) -> None:
        if k in self.values:
            return
        node = self.graph.nodes[k]
        if node.op in ("sin", "cos"):
            self._sincos(int(node.a))
            return
        chosen = self._chosen(k)
        if chosen is None:
            chosen = operation(self.w, node.op, [self.value(operand) for operand in node.operands])
        self.values[k] = chosen

    def _chosen(self, k: int) -> str | None:
        """A choice in one instruction: CasADi writes `yes if c else no` as (c ? yes : 0) + (not c ? no : 0)."""
        nodes, node = self.graph.nodes, self.graph.nodes[k]
        if node.op != "add":
            return None
        yes, no = (nodes[operand] for operand in node.operands)
        if yes.op == no.op == "if_else_zero" and nodes[int(yes.a)].op == "not":
            yes, no = no, yes
        if yes.op != "if_else_zero" or no.op != "if_else_zero" or nodes[int(no.a)] != Node("not", int(yes.a)):
            return None
        condition = nodes[int(yes.a)]
        wanted = (*condition.operands, int(yes.b), int(no.b))
        if condition.op not in COMPARISONS or not all(self._at_hand(operand) for operand in wanted):
            return None
        first, second, *ways = (self.value(operand) for operand in wanted)
        return select(self.w, compare(self.w, COMPARISONS[condition.op], first, second), *ways)

    def _at_hand(self, k: int) -> bool:
        """Whether this piece has the value of a node."""
        return k in self.values or self.graph.nodes[k].op in ("const", "input")

    def _sincos(self, angle: int) -> None:
        """Sine and cosine of one angle together."""
        x = self.value(angle)
        self._check_angle(x)
        sine, cosine = self.w.sincos(x)
        for op, k in self.pairs[angle].items():
            self.values[k] = sine if op == "sin" else cosine

    def _packed_sincos(self, piece: set[int]) -> None:
        """For a single state, sines of several angles of a piece side by side in one vector, for the cost of one."""
        own = [angle for angle, both in self.pairs.items() if not piece.isdisjoint(both.values())]
        angles = [angle for angle in own if self._is_plain(angle)]
        for first in range(0, len(angles), self.pack):
            some = angles[first : first + self.pack]
            for angle in some:
                self._compute_with_operands(angle)
            self._sincos_side_by_side(some)

    def _sincos_side_by_side(self, angles: Sequence[int]) -> None:
        packed = self.w.packing(self.pack)
        vector = "zeroinitializer"
        for lane, angle in enumerate(angles):
            x = self.value(angle)
            self._check_angle(x)
            vector = packed.assign(f"insertelement {packed.type} {vector}, double {x}, i64 {lane}")
        both = dict(zip(("sin", "cos"), packed.sincos(vector), strict=True))
        for lane, angle in enumerate(angles):
            for op, k in self.pairs[angle].items():
                self.values[k] = packed.assign(f"extractelement {packed.type} {both[op]}, i64 {lane}")

    def _is_plain(self, k: int) -> bool:
        """Whether a node needs no sine itself."""
        if k not in self._plain:
            node = self.graph.nodes[k]
            self._plain[k] = node.op not in ("sin", "cos") and all(self._is_plain(one) for one in node.operands)
        return self._plain[k]

    def _compute_with_operands(self, k: int) -> None:
        if k in self.values:
            return
        node = self.graph.nodes[k]
        for operand in node.operands:
            self._compute_with_operands(operand)
        if node.op not in ("const", "input"):
            self._compute(k)
