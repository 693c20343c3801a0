"""Translation of restricted Python to LLVM text: loops over flat arrays that call kernels, such as the event loop.

The same source runs as plain Python, so it can be read, tested and debugged. It may contain:

- functions of annotated arguments and results: `float`, `int`, `Floats` and `Ints` (flat arrays), `Code` (the address
  of machine code, or a Python function), and one class whose annotations name the fields of the workspace;
- assignments to names, entries and fields; `for ... in range(...)`, `while`, `if`, `break`, `continue`, `return`;
- `+ - * / // %`, comparisons, `and`, `or`, `not`, `a if c else b`; `abs`, `min`, `max` of two, `sqrt`, `float`, `int`;
- `array_tail(array, k)`, the array from an index on; `run_kernel(code, table)`, a kernel for one state;
  `invoke_callback(code, t)`, a callback;
- numbers and flat tuples of floats defined in the module.

`//` and `%` are defined for non-negative integers only.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

from gearwright.compiling.llvm.vectors import hex_literal
from gearwright.compiling.restricted_python.expressions import MEMORY_TAGS, ExpressionTranslator, memory_tag
from gearwright.compiling.restricted_python.walker import (
    TranslationContext,
    TypedValue,
    function_definitions,
    translation_context,
)


@dataclass
class Translation:
    """All functions of some modules as LLVM text.

    Args:
        modules: modules with the functions.
        workspace: the class whose annotations name the fields, in their order.
        entries: functions that are called from Python.
    """

    modules: Sequence[ModuleType]
    workspace: type
    entries: Sequence[str]

    def module_text(self) -> str:
        """Functions, constants and declarations."""
        definitions = function_definitions(self.modules)
        context = translation_context(self.workspace, definitions)
        functions = [
            FunctionTranslator(context, module, node).function_text(node.name in self.entries)
            for module, node in definitions
        ]
        tables = [_constant_table(name, values) for name, values in context.constants.items()]
        declared = ["declare double @llvm.sqrt.f64(double)", "declare double @llvm.fabs.f64(double)"]
        # Without builtins LLVM does not replace loops by calls of memset, which would need a linker.
        attributes = 'attributes #0 = { nounwind "no-builtins" }'
        return "\n".join([*tables, *functions, *declared, attributes, MEMORY_TAGS])


def _constant_table(name: str, values: Sequence[float]) -> str:
    numbers = ", ".join(f"double {hex_literal(x)}" for x in values)
    return f"@{name} = internal constant [{len(values)} x double] [{numbers}]"


class FunctionTranslator(ExpressionTranslator):
    """One function, statement by statement."""

    def __init__(self, context: TranslationContext, module: ModuleType, node: ast.FunctionDef) -> None:
        super().__init__(context, module, node)
        self.loops: list[tuple[str, str]] = []

    def function_text(self, is_entry: bool) -> str:
        """The whole definition."""
        node, signature = self.node, self.context.signatures[self.node.name]
        parameters = [
            f"{self._llvm_type(kind)} %{x.arg}" for x, kind in zip(node.args.args, signature.arguments, strict=True)
        ]
        for x, kind in zip(node.args.args, signature.arguments, strict=True):
            self._store_local(x.arg, TypedValue(f"%{x.arg}", kind))
        self._translate_block(node.body)
        if not self._is_terminated():
            self._emit_line("ret void" if signature.result == "None" else f"ret {self._llvm_type(signature.result)} 0")
        kind = "" if is_entry else "internal "
        result = "void" if signature.result == "None" else self._llvm_type(signature.result)
        head = f"define {kind}{result} @{node.name}({', '.join(parameters)}) #0 {{"
        return "\n".join([head, "entry:", *self.allocations, *self.lines, "}"])

    # Statements

    def _translate_expr(self, node: ast.Expr) -> None:
        if not self._is_docstring(node):
            self.expression_value(node.value)

    def _translate_assign(self, node: ast.Assign) -> None:
        self._store_to(self._assigned_target(node), self.expression_value(node.value))

    def _translate_augassign(self, node: ast.AugAssign) -> None:
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        self._store_to(
            node.target,
            self._arithmetic_value(node, node.op, self.expression_value(read), self.expression_value(node.value)),
        )

    def _store_to(self, target: ast.expr, value: TypedValue) -> None:
        if isinstance(target, ast.Name):
            self._store_local(target.id, value)
            return
        address, kind = self._address_and_type(target)
        value = self._convert_to(value, kind)
        self._emit_line(f"store {self._llvm_type(kind)} {value.text}, ptr {address}{memory_tag(target, kind)}")

    def _translate_return(self, node: ast.Return) -> None:
        result = self.context.signatures[self.node.name].result
        if node.value is None:
            self._emit_line("ret void")
        else:
            self._emit_line(
                f"ret {self._llvm_type(result)} {self._convert_to(self.expression_value(node.value), result).text}"
            )

    def _translate_if(self, node: ast.If) -> None:
        yes, no, after = self._new_labels("then", "else", "after")
        self._branch_on(node.test, yes, no)
        self.lines.append(f"{yes}:")
        self._translate_block(node.body)
        if not self._is_terminated():
            self._jump_to(after)
        self.lines.append(f"{no}:")
        self._translate_block(node.orelse)
        if not self._is_terminated():
            self._jump_to(after)
        self.lines.append(f"{after}:")

    def _translate_while(self, node: ast.While) -> None:
        test, body, after = self._new_labels("test", "body", "after")
        self._begin_label(test)
        self._branch_on(node.test, body, after)
        self.lines.append(f"{body}:")
        self._translate_loop(node.body, test, after)

    def _translate_loop(self, body: Sequence[ast.stmt], again: str, after: str) -> None:
        self.loops.append((again, after))
        self._translate_block(body)
        self.loops.pop()
        if not self._is_terminated():
            self._jump_to(again)
        self.lines.append(f"{after}:")

    def _translate_for(self, node: ast.For) -> None:
        variable, arguments, down = self._range_loop(node)
        bounds = [self._convert_to(self.expression_value(x), "int") for x in arguments]
        first = bounds[0] if len(bounds) > 1 else TypedValue("0", "int")
        last, step = bounds[min(len(bounds) - 1, 1)], bounds[2] if len(bounds) > 2 else TypedValue("1", "int")
        test, body, again, after = self._new_labels("test", "body", "again", "after")
        counter = f"{variable}.{self.count}"
        self._store_local(counter, first)
        self._begin_label(test)
        now = self._load_local(counter)
        more = self._new_value(f"icmp {'sgt' if down else 'slt'} i64 {now.text}, {last.text}")
        self._emit_line(f"br i1 {more}, label %{body}, label %{after}")
        self.lines.append(f"{body}:")
        self._store_local(variable, now)
        self.loops.append((again, after))
        self._translate_block(node.body)
        self.loops.pop()
        self._begin_label(again)
        self._store_local(
            counter, TypedValue(self._new_value(f"add i64 {self._load_local(counter).text}, {step.text}"), "int")
        )
        self._jump_to(test)
        self.lines.append(f"{after}:")

    def _translate_break(self, _: ast.Break) -> None:
        self._jump_to(self.loops[-1][1])

    def _translate_continue(self, _: ast.Continue) -> None:
        self._jump_to(self.loops[-1][0])
