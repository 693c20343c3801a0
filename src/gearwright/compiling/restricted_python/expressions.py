"""Expressions of restricted Python as LLVM text: values, conditions and calls within one function."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from gearwright.compiling.llvm.vectors import literal

KINDS = {"float": "double", "int": "i64", "Floats": "ptr", "Ints": "ptr", "Code": "ptr", "Table": "ptr"}
"""What the words for types are in LLVM; every field of the workspace takes eight bytes."""

ENTRIES = {"Floats": ("float", "double"), "Ints": ("int", "i64")}

ARITHMETIC = {ast.Add: ("fadd", "add"), ast.Sub: ("fsub", "sub"), ast.Mult: ("fmul", "mul")}

COMPARED = {
    ast.Lt: ("olt", "slt"),
    ast.LtE: ("ole", "sle"),
    ast.Gt: ("ogt", "sgt"),
    ast.GtE: ("oge", "sge"),
    ast.Eq: ("oeq", "eq"),
    ast.NotEq: ("une", "ne"),
}


SORTS = """!0 = !{!"memory"}
!1 = !{!"field", !0, i64 0}
!2 = !{!"float", !0, i64 0}
!3 = !{!"int", !0, i64 0}
!4 = !{!1, !1, i64 0}
!5 = !{!2, !2, i64 0}
!6 = !{!3, !3, i64 0}"""
"""Sorts of memory that never overlap: fields of the workspace, entries of arrays of floats and of whole numbers."""


def sort_of(node: ast.expr, kind: str) -> str:
    """What LLVM is told of the memory that a field or an entry is in: a loop then need not read a field again."""
    tag = 4 if isinstance(node, ast.Attribute) else 5 if kind == "float" else 6
    return f", !tbaa !{tag}"


class Value(NamedTuple):
    """A value in LLVM text and the word for its type."""

    text: str
    kind: str


class Signature(NamedTuple):
    """The types of a function's arguments and of its result."""

    arguments: tuple[str, ...]
    result: str


class Known(NamedTuple):
    """What all functions of a translation share.

    Args:
        fields: per field of the workspace its place and the word for its type.
        signatures: of all functions.
        constants: flat tuples that were used so far, by name.
    """

    fields: Mapping[str, tuple[int, str]]
    signatures: Mapping[str, Signature]
    constants: dict[str, tuple[float, ...]]


class Expressions:
    """The expressions of one function: local variables stand in memory, LLVM moves them to registers."""

    def __init__(self, known: Known, module: ModuleType, node: ast.FunctionDef) -> None:
        self.whole, self.module, self.node = known, module, node
        self.local: dict[str, str] = {}
        self.room: list[str] = []
        self.lines: list[str] = []
        self.count = 0

    # Instructions and labels

    def _type(self, kind: str) -> str:
        return KINDS.get(kind, "ptr")

    def _emit(self, line: str) -> None:
        self.lines.append("  " + line)

    def _new(self, line: str) -> str:
        self.count += 1
        self._emit(f"%y{self.count} = {line}")
        return f"%y{self.count}"

    def _labels(self, *names: str) -> list[str]:
        self.count += 1
        return [f"{name}{self.count}" for name in names]

    def _label(self, name: str) -> None:
        if not self._ended():
            self._go(name)
        self.lines.append(f"{name}:")

    def _go(self, name: str) -> None:
        self._emit(f"br label %{name}")

    def _ended(self) -> bool:
        return bool(self.lines) and self.lines[-1].lstrip().startswith(("br ", "ret "))

    def _refuse(self, node: ast.AST, why: str) -> NoReturn:
        raise SyntaxError(f"{self.node.name}, line {getattr(node, 'lineno', 0)}: {why}: {ast.unparse(node)}")

    def _store(self, name: str, value: Value) -> None:
        if name not in self.local:
            self.local[name] = value.kind
            self.room.append(f"  %v.{name} = alloca {self._type(value.kind)}")
        value = self._as(value, self.local[name])
        self._emit(f"store {self._type(value.kind)} {value.text}, ptr %v.{name}")

    # Conditions

    def _branch(self, test: ast.expr, yes: str, no: str) -> None:
        """Go on at one of two labels; `and` and `or` look no further than they must."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self._branch(test.operand, no, yes)
        elif isinstance(test, ast.BoolOp):
            for one in test.values[:-1]:
                (following,) = self._labels("next")
                pair = (following, no) if isinstance(test.op, ast.And) else (yes, following)
                self._branch(one, *pair)
                self.lines.append(f"{following}:")
            self._branch(test.values[-1], yes, no)
        else:
            self._emit(f"br i1 {self._condition(test)}, label %{yes}, label %{no}")

    def _condition(self, test: ast.expr) -> str:
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return self._compared(test)
        value = self.value(test)
        return self._new(
            f"fcmp une double {value.text}, 0.0" if value.kind == "float" else f"icmp ne i64 {value.text}, 0"
        )

    def _compared(self, test: ast.Compare) -> str:
        left, right = self.value(test.left), self.value(test.comparators[0])
        floats = "float" in (left.kind, right.kind)
        how = COMPARED[type(test.ops[0])][0 if floats else 1]
        if floats:
            left, right = self._as(left, "float"), self._as(right, "float")
            return self._new(f"fcmp {how} double {left.text}, {right.text}")
        return self._new(f"icmp {how} i64 {left.text}, {right.text}")

    # Expressions

    def value(self, node: ast.expr) -> Value:
        """An expression's value."""
        if isinstance(node, ast.Constant):
            return self._constant(node, node.value)
        if isinstance(node, ast.Name):
            return self._load(node.id) if node.id in self.local else self._named(node)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node, node.op, self.value(node.left), self.value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self._negative(self.value(node.operand))
        if isinstance(node, ast.IfExp):
            return self._chosen(node)
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, ast.Subscript | ast.Attribute):
            where, kind = self._place(node)
            return Value(self._new(f"load {self._type(kind)}, ptr {where}{sort_of(node, kind)}"), kind)
        self._refuse(node, "this cannot be translated")

    def _constant(self, node: ast.AST, value: Any) -> Value:
        if isinstance(value, float):
            return Value(literal(value), "float")
        if not isinstance(value, int):
            self._refuse(node, "constants are numbers")
        return Value(str(int(value)), "int")

    def _named(self, node: ast.Name) -> Value:
        """A number or a flat tuple that the module names."""
        found = getattr(self.module, node.id, None)
        if isinstance(found, tuple):
            self.whole.constants[node.id] = tuple(float(x) for x in found)
            return Value(f"@{node.id}", "Floats")
        return self._constant(node, found)

    def _load(self, name: str) -> Value:
        kind = self.local[name]
        return Value(self._new(f"load {self._type(kind)}, ptr %v.{name}"), kind)

    def _negative(self, value: Value) -> Value:
        if value.kind == "float":
            return Value(self._new(f"fneg double {value.text}"), "float")
        return Value(self._new(f"sub i64 0, {value.text}"), "int")

    def _arithmetic(self, node: ast.AST, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(op, ast.FloorDiv | ast.Mod):
            how = "sdiv" if isinstance(op, ast.FloorDiv) else "srem"
            return Value(self._new(f"{how} i64 {left.text}, {right.text}"), "int")
        if isinstance(op, ast.Div) or "float" in (left.kind, right.kind):
            left, right = self._as(left, "float"), self._as(right, "float")
            how = "fdiv" if isinstance(op, ast.Div) else ARITHMETIC[type(op)][0]
            return Value(self._new(f"{how} double {left.text}, {right.text}"), "float")
        if type(op) not in ARITHMETIC:
            self._refuse(node, "this operation cannot be translated")
        return Value(self._new(f"{ARITHMETIC[type(op)][1]} i64 {left.text}, {right.text}"), "int")

    def _chosen(self, node: ast.IfExp) -> Value:
        yes, no, after = self._labels("yes", "no", "after")
        name = f"choice.{self.count}"
        self._branch(node.test, yes, no)
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.lines.append(f"{label}:")
            self._store(name, self.value(part))
            self._go(after)
        self.lines.append(f"{after}:")
        return self._load(name)

    def _as(self, value: Value, kind: str) -> Value:
        """A value as another type: whole numbers become floats where they must."""
        if value.kind == kind or "ptr" in (self._type(value.kind), self._type(kind)):
            return value
        if kind == "float":
            return Value(self._new(f"sitofp i64 {value.text} to double"), "float")
        raise SyntaxError(f"{self.node.name}: a float is used as a whole number. Write int(...).")

    def _place(self, node: ast.expr) -> tuple[str, str]:
        """The address of an entry or a field, and its type."""
        if isinstance(node, ast.Attribute):
            place, kind = self.whole.fields[node.attr]
            base = self.value(node.value)
            return self._new(f"getelementptr i8, ptr {base.text}, i64 {8 * place}"), kind
        assert isinstance(node, ast.Subscript)
        base, index = self.value(node.value), self.value(node.slice)
        kind, llvm = ENTRIES[base.kind]
        return self._new(f"getelementptr {llvm}, ptr {base.text}, i64 {index.text}"), kind

    # Calls

    def _called(self, node: ast.Call) -> Value:
        assert isinstance(node.func, ast.Name)
        name, given = node.func.id, [self.value(x) for x in node.args]
        if hasattr(self, f"_call_{name}"):
            found: Value = getattr(self, f"_call_{name}")(*given)
            return found
        if name not in self.whole.signatures:
            self._refuse(node, "there is no such function")
        kinds, result = self.whole.signatures[name]
        passed = ", ".join(f"{self._type(kind)} {self._as(x, kind).text}" for x, kind in zip(given, kinds, strict=True))
        if result == "None":
            self._emit(f"call void @{name}({passed})")
            return Value("", "None")
        return Value(self._new(f"call {self._type(result)} @{name}({passed})"), result)

    def _call_part(self, array: Value, k: Value) -> Value:
        return Value(self._new(f"getelementptr {ENTRIES[array.kind][1]}, ptr {array.text}, i64 {k.text}"), array.kind)

    def _call_run(self, code: Value, table: Value) -> Value:
        found = self._new(f"call i32 {code.text}(ptr {table.text}, i64 0, i64 1)")
        return Value(self._new(f"zext i32 {found} to i64"), "int")

    def _call_ask(self, code: Value, t: Value) -> Value:
        return Value(self._new(f"call i64 {code.text}(double {t.text})"), "int")

    def _call_sqrt(self, x: Value) -> Value:
        return Value(self._new(f"call double @llvm.sqrt.f64(double {self._as(x, 'float').text})"), "float")

    def _call_abs(self, x: Value) -> Value:
        return Value(self._new(f"call double @llvm.fabs.f64(double {self._as(x, 'float').text})"), "float")

    def _call_float(self, x: Value) -> Value:
        return self._as(x, "float")

    def _call_int(self, x: Value) -> Value:
        return x if x.kind == "int" else Value(self._new(f"fptosi double {x.text} to i64"), "int")

    def _call_min(self, x: Value, y: Value) -> Value:
        return self._extreme(x, y, "lt")

    def _call_max(self, x: Value, y: Value) -> Value:
        return self._extreme(x, y, "gt")

    def _extreme(self, x: Value, y: Value, how: str) -> Value:
        """As Python does it: the second only if it is beyond the first."""
        if "float" in (x.kind, y.kind):
            x, y = self._as(x, "float"), self._as(y, "float")
            beyond = self._new(f"fcmp o{how} double {y.text}, {x.text}")
        else:
            beyond = self._new(f"icmp s{how} i64 {y.text}, {x.text}")
        kind = self._type(x.kind)
        return Value(self._new(f"select i1 {beyond}, {kind} {y.text}, {kind} {x.text}"), x.kind)
