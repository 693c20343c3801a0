"""Restricted Python to LLVM text: loops over flat arrays that call kernels, such as the event loop of a run.

The same source runs as plain Python, so that it can be read, tested and stepped through. What it may contain:

- functions of annotated arguments and results: `float`, `int`, `Floats` and `Ints` (flat arrays), `Code` (the address of
  machine code, or a Python function), and one class whose annotations name the fields of the workspace;
- assignments to names, entries and fields; `for ... in range(...)`, `while`, `if`, `break`, `continue`, `return`;
- `+ - * / // %`, comparisons, `and`, `or`, `not`, `a if c else b`; `abs`, `min`, `max` of two, `sqrt`, `float`, `int`;
- `part(array, k)`, the array from an entry on; `run(code, table)`, a kernel for one state; `ask(code, t)`, a call back;
- numbers and flat tuples of floats that the module names.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

from gearwright.compiling.lanes import literal

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


class Value(NamedTuple):
    """A value in LLVM text and the word for its type."""

    text: str
    kind: str


class Signature(NamedTuple):
    """The types of a function's arguments and of its result."""

    arguments: tuple[str, ...]
    result: str


@dataclass
class Translation:
    """All functions of some modules as LLVM text.

    Args:
        modules: where the functions are.
        workspace: the class whose annotations name the fields, in their order.
        entries: functions that are called from outside.
    """

    modules: Sequence[ModuleType]
    workspace: type
    entries: Sequence[str]
    constants: dict[str, tuple[float, ...]] = field(default_factory=dict, init=False)

    def text(self) -> str:
        """Functions, constants and declarations."""
        found = [(module, node) for module in self.modules for node in _functions(module)]
        self.signatures = {node.name: _signature(node) for _, node in found}
        functions = [FunctionText(self, module, node).text() for module, node in found]
        tables = [
            f"@{name} = internal constant [{len(values)} x double] [{', '.join(f'double {literal(x)}' for x in values)}]"
            for name, values in self.constants.items()
        ]
        declared = ["declare double @llvm.sqrt.f64(double)", "declare double @llvm.fabs.f64(double)"]
        # Without builtins LLVM leaves loops as they are: calls of memset would need a linker.
        attributes = 'attributes #0 = { nounwind "no-builtins" }'
        return "\n".join([*tables, *functions, *declared, attributes])

    @property
    def fields(self) -> dict[str, tuple[int, str]]:
        """Per field of the workspace its place and type."""
        return fields_of(self.workspace)


def fields_of(workspace: type) -> dict[str, tuple[int, str]]:
    """Per field of a workspace its place and the word for its type."""
    return {name: (k, _word(kind)) for k, (name, kind) in enumerate(inspect.get_annotations(workspace).items())}


def _functions(module: ModuleType) -> list[ast.FunctionDef]:
    return [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.FunctionDef)]


def _signature(node: ast.FunctionDef) -> Signature:
    return Signature(tuple(_annotated(x.annotation) for x in node.args.args), _annotated(node.returns))


def _annotated(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and node.value is None:
        return "None"
    assert isinstance(node, ast.Name), "every argument and result has a plain annotation"
    return node.id


def _word(kind: Any) -> str:
    return kind if isinstance(kind, str) else str(kind.__name__)


class FunctionText:
    """One function: local variables stand in memory, LLVM moves them to registers."""

    def __init__(self, whole: Translation, module: ModuleType, node: ast.FunctionDef) -> None:
        self.whole, self.module, self.node = whole, module, node
        self.local: dict[str, str] = {}
        self.room: list[str] = []
        self.lines: list[str] = []
        self.count = 0
        self.loops: list[tuple[str, str]] = []

    def text(self) -> str:
        """The whole definition."""
        node, signature = self.node, self.whole.signatures[self.node.name]
        given = [f"{self._type(kind)} %{x.arg}" for x, kind in zip(node.args.args, signature.arguments, strict=True)]
        for x, kind in zip(node.args.args, signature.arguments, strict=True):
            self._store(x.arg, Value(f"%{x.arg}", kind))
        self._block(node.body)
        if not self._ended():
            self._emit("ret void" if signature.result == "None" else f"ret {self._type(signature.result)} 0")
        kind = "" if node.name in self.whole.entries else "internal "
        result = "void" if signature.result == "None" else self._type(signature.result)
        head = f"define {kind}{result} @{node.name}({', '.join(given)}) #0 {{"
        return "\n".join([head, "entry:", *self.room, *self.lines, "}"])

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

    def _refuse(self, node: ast.AST, why: str) -> None:
        raise SyntaxError(f"{self.node.name}, line {getattr(node, 'lineno', 0)}: {why}: {ast.unparse(node)}")

    # Statements

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if self._ended():  # what follows a return, break or continue cannot be reached
                return
            name = f"_{type(statement).__name__.lower()}"
            if not hasattr(self, name):
                self._refuse(statement, "this statement cannot be translated")
            getattr(self, name)(statement)

    def _expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._called(node.value)
        elif not isinstance(node.value, ast.Constant):  # a docstring
            self._refuse(node, "only calls stand alone")

    def _pass(self, _: ast.Pass) -> None:
        pass

    def _assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1 or isinstance(node.targets[0], ast.Tuple):
            self._refuse(node, "assign one name at a time")
        self._put(node.targets[0], self.value(node.value))

    def _augassign(self, node: ast.AugAssign) -> None:
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        self._put(node.target, self._arithmetic(node, node.op, self.value(read), self.value(node.value)))

    def _put(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._store(target.id, value)
            return
        where, kind = self._place(target)
        value = self._as(value, kind)
        self._emit(f"store {self._type(kind)} {value.text}, ptr {where}")

    def _store(self, name: str, value: Value) -> None:
        if name not in self.local:
            self.local[name] = value.kind
            self.room.append(f"  %v.{name} = alloca {self._type(value.kind)}")
        value = self._as(value, self.local[name])
        self._emit(f"store {self._type(value.kind)} {value.text}, ptr %v.{name}")

    def _return(self, node: ast.Return) -> None:
        result = self.whole.signatures[self.node.name].result
        if node.value is None:
            self._emit("ret void")
        else:
            self._emit(f"ret {self._type(result)} {self._as(self.value(node.value), result).text}")

    def _if(self, node: ast.If) -> None:
        yes, no, after = self._labels("then", "else", "after")
        self._branch(node.test, yes, no)
        self.lines.append(f"{yes}:")
        self._block(node.body)
        if not self._ended():
            self._go(after)
        self.lines.append(f"{no}:")
        self._block(node.orelse)
        if not self._ended():
            self._go(after)
        self.lines.append(f"{after}:")

    def _while(self, node: ast.While) -> None:
        test, body, after = self._labels("test", "body", "after")
        self._label(test)
        self._branch(node.test, body, after)
        self.lines.append(f"{body}:")
        self._loop(node.body, test, after)

    def _loop(self, body: Sequence[ast.stmt], again: str, after: str) -> None:
        self.loops.append((again, after))
        self._block(body)
        self.loops.pop()
        if not self._ended():
            self._go(again)
        self.lines.append(f"{after}:")

    def _for(self, node: ast.For) -> None:
        call = node.iter
        plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
        if not plain or not isinstance(node.target, ast.Name):
            self._refuse(node, "loops run over range(...)")
        assert isinstance(call, ast.Call)
        assert isinstance(node.target, ast.Name)
        bounds = [self._as(self.value(x), "int") for x in call.args]
        first = bounds[0] if len(bounds) > 1 else Value("0", "int")
        last, step = bounds[min(len(bounds) - 1, 1)], bounds[2] if len(bounds) > 2 else Value("1", "int")
        test, body, again, after = self._labels("test", "body", "again", "after")
        counter = f"{node.target.id}.{self.count}"
        self._store(counter, first)
        self._label(test)
        now = self._load(counter)
        down = len(bounds) > 2 and isinstance(call.args[2], ast.UnaryOp)
        more = self._new(f"icmp {'sgt' if down else 'slt'} i64 {now.text}, {last.text}")
        self._emit(f"br i1 {more}, label %{body}, label %{after}")
        self.lines.append(f"{body}:")
        self._store(node.target.id, now)
        self.loops.append((again, after))
        self._block(node.body)
        self.loops.pop()
        self._label(again)
        self._store(counter, Value(self._new(f"add i64 {self._load(counter).text}, {step.text}"), "int"))
        self._go(test)
        self.lines.append(f"{after}:")

    def _break(self, _: ast.Break) -> None:
        self._go(self.loops[-1][1])

    def _continue(self, _: ast.Continue) -> None:
        self._go(self.loops[-1][0])

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
            return Value(self._new(f"load {self._type(kind)}, ptr {where}"), kind)
        self._refuse(node, "this cannot be translated")
        raise AssertionError

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
