"""Restricted Python to LLVM text: loops over flat arrays that call kernels, such as the event loop of a run.

The same source runs as plain Python, so that it can be read, tested and stepped through. What it may contain:

- functions of annotated arguments and results: `float`, `int`, `Floats` and `Ints` (flat arrays), `Code` (the address
  of machine code, or a Python function), and one class whose annotations name the fields of the workspace;
- assignments to names, entries and fields; `for ... in range(...)`, `while`, `if`, `break`, `continue`, `return`;
- `+ - * / // %`, comparisons, `and`, `or`, `not`, `a if c else b`; `abs`, `min`, `max` of two, `sqrt`, `float`, `int`;
- `part(array, k)`, the array from an entry on; `run(code, table)`, a kernel for one state; `ask(code, t)`, a call back;
- numbers and flat tuples of floats that the module names.

`//` and `%` are those of whole numbers that are not negative.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from gearwright.compiling.llvm.vectors import literal
from gearwright.compiling.restricted_python.expressions import SORTS, Expressions, Known, Signature, Value, sort_of


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

    def text(self) -> str:
        """Functions, constants and declarations."""
        found = [(module, node) for module in self.modules for node in _functions(module)]
        known = Known(fields_of(self.workspace), {node.name: _signature(node) for _, node in found}, {})
        functions = [FunctionText(known, module, node).text(node.name in self.entries) for module, node in found]
        tables = [_table(name, values) for name, values in known.constants.items()]
        declared = ["declare double @llvm.sqrt.f64(double)", "declare double @llvm.fabs.f64(double)"]
        # Without builtins LLVM leaves loops as they are: calls of memset would need a linker.
        attributes = 'attributes #0 = { nounwind "no-builtins" }'
        return "\n".join([*tables, *functions, *declared, attributes, SORTS])


def _table(name: str, values: Sequence[float]) -> str:
    numbers = ", ".join(f"double {literal(x)}" for x in values)
    return f"@{name} = internal constant [{len(values)} x double] [{numbers}]"


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


class FunctionText(Expressions):
    """One function, statement by statement."""

    def __init__(self, known: Known, module: ModuleType, node: ast.FunctionDef) -> None:
        super().__init__(known, module, node)
        self.loops: list[tuple[str, str]] = []

    def text(self, is_entry: bool) -> str:
        """The whole definition."""
        node, signature = self.node, self.whole.signatures[self.node.name]
        given = [f"{self._type(kind)} %{x.arg}" for x, kind in zip(node.args.args, signature.arguments, strict=True)]
        for x, kind in zip(node.args.args, signature.arguments, strict=True):
            self._store(x.arg, Value(f"%{x.arg}", kind))
        self._block(node.body)
        if not self._ended():
            self._emit("ret void" if signature.result == "None" else f"ret {self._type(signature.result)} 0")
        kind = "" if is_entry else "internal "
        result = "void" if signature.result == "None" else self._type(signature.result)
        head = f"define {kind}{result} @{node.name}({', '.join(given)}) #0 {{"
        return "\n".join([head, "entry:", *self.room, *self.lines, "}"])

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
        self._write(node.targets[0], self.value(node.value))

    def _augassign(self, node: ast.AugAssign) -> None:
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        self._write(node.target, self._arithmetic(node, node.op, self.value(read), self.value(node.value)))

    def _write(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._store(target.id, value)
            return
        where, kind = self._place(target)
        value = self._as(value, kind)
        self._emit(f"store {self._type(kind)} {value.text}, ptr {where}{sort_of(target, kind)}")

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
