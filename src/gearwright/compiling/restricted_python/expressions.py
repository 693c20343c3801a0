"""Expressions of restricted Python as LLVM text: values, conditions and calls within one function."""

from __future__ import annotations

import ast
from types import ModuleType

from gearwright.compiling.llvm.vectors import hex_literal
from gearwright.compiling.restricted_python.walker import (
    ARRAY_ENTRY_KINDS,
    FunctionWalker,
    TranslationContext,
    TypedValue,
)

LLVM_TYPES = {"float": "double", "int": "i64", "Floats": "ptr", "Ints": "ptr", "Code": "ptr", "Table": "ptr"}
"""LLVM types by the names of annotations; every field of the workspace takes eight bytes."""

RESTRICTED_ARITHMETIC = {ast.Add: ("fadd", "add"), ast.Sub: ("fsub", "sub"), ast.Mult: ("fmul", "mul")}

RESTRICTED_COMPARISONS = {
    ast.Lt: ("olt", "slt"),
    ast.LtE: ("ole", "sle"),
    ast.Gt: ("ogt", "sgt"),
    ast.GtE: ("oge", "sge"),
    ast.Eq: ("oeq", "eq"),
    ast.NotEq: ("une", "ne"),
}


MEMORY_TAGS = """!0 = !{!"memory"}
!1 = !{!"field", !0, i64 0}
!2 = !{!"float", !0, i64 0}
!3 = !{!"int", !0, i64 0}
!4 = !{!1, !1, i64 0}
!5 = !{!2, !2, i64 0}
!6 = !{!3, !3, i64 0}"""
"""Kinds of memory that never overlap: fields of the workspace, entries of float arrays and of integer arrays."""


def memory_tag(node: ast.expr, kind: str) -> str:
    """The alias annotation of a field or an array entry: LLVM can then keep fields in registers within a loop."""
    tag = 4 if isinstance(node, ast.Attribute) else 5 if kind == "float" else 6
    return f", !tbaa !{tag}"


class ExpressionTranslator(FunctionWalker):
    """The expressions of one function: local variables are in memory, LLVM moves them to registers."""

    def __init__(self, context: TranslationContext, module: ModuleType, node: ast.FunctionDef) -> None:
        super().__init__(context, module, node)
        self.allocations: list[str] = []
        self.lines: list[str] = []

    # Instructions and labels

    def _llvm_type(self, kind: str) -> str:
        return LLVM_TYPES.get(kind, "ptr")

    def _emit_line(self, line: str) -> None:
        self.lines.append("  " + line)

    def _new_value(self, line: str) -> str:
        self.count += 1
        self._emit_line(f"%y{self.count} = {line}")
        return f"%y{self.count}"

    def _new_labels(self, *names: str) -> list[str]:
        self.count += 1
        return [f"{name}{self.count}" for name in names]

    def _begin_label(self, name: str) -> None:
        if not self._is_terminated():
            self._jump_to(name)
        self.lines.append(f"{name}:")

    def _jump_to(self, name: str) -> None:
        self._emit_line(f"br label %{name}")

    def _is_terminated(self) -> bool:
        return bool(self.lines) and self.lines[-1].lstrip().startswith(("br ", "ret "))

    def _store_local(self, name: str, value: TypedValue) -> None:
        if name not in self.local_types:
            self.local_types[name] = value.kind
            self.allocations.append(f"  %v.{name} = alloca {self._llvm_type(value.kind)}")
        value = self._convert_to(value, self.local_types[name])
        self._emit_line(f"store {self._llvm_type(value.kind)} {value.text}, ptr %v.{name}")

    # Conditions

    def _branch_on(self, test: ast.expr, yes: str, no: str) -> None:
        """Branch to one of two labels; `and` and `or` are short-circuited."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self._branch_on(test.operand, no, yes)
        elif isinstance(test, ast.BoolOp):
            for operand in test.values[:-1]:
                (following,) = self._new_labels("next")
                pair = (following, no) if isinstance(test.op, ast.And) else (yes, following)
                self._branch_on(operand, *pair)
                self.lines.append(f"{following}:")
            self._branch_on(test.values[-1], yes, no)
        else:
            self._emit_line(f"br i1 {self._condition_value(test)}, label %{yes}, label %{no}")

    def _condition_value(self, test: ast.expr) -> str:
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return self._comparison_value(test)
        value = self.expression_value(test)
        return self._new_value(
            f"fcmp une double {value.text}, 0.0" if value.kind == "float" else f"icmp ne i64 {value.text}, 0"
        )

    def _comparison_value(self, test: ast.Compare) -> str:
        left, right = self.expression_value(test.left), self.expression_value(test.comparators[0])
        floats = "float" in (left.kind, right.kind)
        relation = RESTRICTED_COMPARISONS[type(test.ops[0])][0 if floats else 1]
        if floats:
            left, right = self._convert_to(left, "float"), self._convert_to(right, "float")
            return self._new_value(f"fcmp {relation} double {left.text}, {right.text}")
        return self._new_value(f"icmp {relation} i64 {left.text}, {right.text}")

    # Expressions

    def expression_value(self, node: ast.expr) -> TypedValue:
        """An expression's value."""
        if isinstance(node, ast.Constant):
            return self._constant_value(self._number(node, node.value))
        if isinstance(node, ast.Name):
            return self._load_local(node.id) if node.id in self.local_types else self._module_constant(node)
        if isinstance(node, ast.BinOp):
            return self._arithmetic_value(
                node, node.op, self.expression_value(node.left), self.expression_value(node.right)
            )
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self._negative_value(self.expression_value(node.operand))
        if isinstance(node, ast.IfExp):
            return self._conditional_value(node)
        if isinstance(node, ast.Call):
            return self._translate_call(node)
        if isinstance(node, ast.Subscript | ast.Attribute):
            address, kind = self._address_and_type(node)
            return TypedValue(
                self._new_value(f"load {self._llvm_type(kind)}, ptr {address}{memory_tag(node, kind)}"), kind
            )
        self._raise_untranslatable(node, "this cannot be translated")

    def _constant_value(self, value: int | float) -> TypedValue:
        return (
            TypedValue(hex_literal(value), "float") if isinstance(value, float) else TypedValue(str(int(value)), "int")
        )

    def _module_constant(self, node: ast.Name) -> TypedValue:
        """A number or a flat tuple defined in the module."""
        constant = self._module_value(node)
        return TypedValue(f"@{node.id}", "Floats") if isinstance(constant, tuple) else self._constant_value(constant)

    def _load_local(self, name: str) -> TypedValue:
        kind = self.local_types[name]
        return TypedValue(self._new_value(f"load {self._llvm_type(kind)}, ptr %v.{name}"), kind)

    def _negative_value(self, value: TypedValue) -> TypedValue:
        if value.kind == "float":
            return TypedValue(self._new_value(f"fneg double {value.text}"), "float")
        return TypedValue(self._new_value(f"sub i64 0, {value.text}"), "int")

    def _arithmetic_value(self, node: ast.AST, op: ast.operator, left: TypedValue, right: TypedValue) -> TypedValue:
        if isinstance(op, ast.FloorDiv | ast.Mod):
            instruction = "sdiv" if isinstance(op, ast.FloorDiv) else "srem"
            return TypedValue(self._new_value(f"{instruction} i64 {left.text}, {right.text}"), "int")
        if isinstance(op, ast.Div) or "float" in (left.kind, right.kind):
            left, right = self._convert_to(left, "float"), self._convert_to(right, "float")
            instruction = "fdiv" if isinstance(op, ast.Div) else RESTRICTED_ARITHMETIC[type(op)][0]
            return TypedValue(self._new_value(f"{instruction} double {left.text}, {right.text}"), "float")
        if type(op) not in RESTRICTED_ARITHMETIC:
            self._raise_untranslatable(node, "this operation cannot be translated")
        return TypedValue(self._new_value(f"{RESTRICTED_ARITHMETIC[type(op)][1]} i64 {left.text}, {right.text}"), "int")

    def _conditional_value(self, node: ast.IfExp) -> TypedValue:
        yes, no, after = self._new_labels("yes", "no", "after")
        name = f"choice.{self.count}"
        self._branch_on(node.test, yes, no)
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.lines.append(f"{label}:")
            self._store_local(name, self.expression_value(part))
            self._jump_to(after)
        self.lines.append(f"{after}:")
        return self._load_local(name)

    def _convert_to(self, value: TypedValue, kind: str) -> TypedValue:
        """A value converted to a type: integers become floats if required."""
        if value.kind == kind or "ptr" in (self._llvm_type(value.kind), self._llvm_type(kind)):
            return value
        if kind == "float":
            return TypedValue(self._new_value(f"sitofp i64 {value.text} to double"), "float")
        self._require_number_kind(value, kind)
        return value

    def _address_and_type(self, node: ast.expr) -> tuple[str, str]:
        """The address of an entry or a field, and its type."""
        if isinstance(node, ast.Attribute):
            place, kind = self.context.fields[node.attr]
            base = self.expression_value(node.value)
            return self._new_value(f"getelementptr i8, ptr {base.text}, i64 {8 * place}"), kind
        assert isinstance(node, ast.Subscript)
        base, index = self.expression_value(node.value), self.expression_value(node.slice)
        kind = ARRAY_ENTRY_KINDS[base.kind]
        return self._new_value(f"getelementptr {LLVM_TYPES[kind]}, ptr {base.text}, i64 {index.text}"), kind

    # Calls

    def _translate_call(self, node: ast.Call) -> TypedValue:
        assert isinstance(node.func, ast.Name)
        name, arguments = node.func.id, [self.expression_value(x) for x in node.args]
        if hasattr(self, f"_call_{name}"):
            value: TypedValue = getattr(self, f"_call_{name}")(*arguments)
            return value
        kinds, result = self._called_signature(node)
        passed = ", ".join(
            f"{self._llvm_type(kind)} {self._convert_to(x, kind).text}"
            for x, kind in zip(arguments, kinds, strict=True)
        )
        if result == "None":
            self._emit_line(f"call void @{name}({passed})")
            return TypedValue("", "None")
        return TypedValue(self._new_value(f"call {self._llvm_type(result)} @{name}({passed})"), result)

    def _call_array_tail(self, array: TypedValue, k: TypedValue) -> TypedValue:
        return TypedValue(
            self._new_value(
                f"getelementptr {LLVM_TYPES[ARRAY_ENTRY_KINDS[array.kind]]}, ptr {array.text}, i64 {k.text}"
            ),
            array.kind,
        )

    def _call_run_kernel(self, code: TypedValue, table: TypedValue) -> TypedValue:
        status = self._new_value(f"call i32 {code.text}(ptr {table.text}, i64 0, i64 1)")
        return TypedValue(self._new_value(f"zext i32 {status} to i64"), "int")

    def _call_invoke_callback(self, code: TypedValue, t: TypedValue) -> TypedValue:
        return TypedValue(self._new_value(f"call i64 {code.text}(double {t.text})"), "int")

    def _call_sqrt(self, x: TypedValue) -> TypedValue:
        return TypedValue(
            self._new_value(f"call double @llvm.sqrt.f64(double {self._convert_to(x, 'float').text})"), "float"
        )

    def _call_abs(self, x: TypedValue) -> TypedValue:
        return TypedValue(
            self._new_value(f"call double @llvm.fabs.f64(double {self._convert_to(x, 'float').text})"), "float"
        )

    def _call_float(self, x: TypedValue) -> TypedValue:
        return self._convert_to(x, "float")

    def _call_int(self, x: TypedValue) -> TypedValue:
        return x if x.kind == "int" else TypedValue(self._new_value(f"fptosi double {x.text} to i64"), "int")

    def _call_min(self, x: TypedValue, y: TypedValue) -> TypedValue:
        return self._extreme_value(x, y, "lt")

    def _call_max(self, x: TypedValue, y: TypedValue) -> TypedValue:
        return self._extreme_value(x, y, "gt")

    def _extreme_value(self, x: TypedValue, y: TypedValue, relation: str) -> TypedValue:
        """The extreme of two values as in Python: the second only if it is beyond the first."""
        if "float" in (x.kind, y.kind):
            x, y = self._convert_to(x, "float"), self._convert_to(y, "float")
            beyond = self._new_value(f"fcmp o{relation} double {y.text}, {x.text}")
        else:
            beyond = self._new_value(f"icmp s{relation} i64 {y.text}, {x.text}")
        kind = self._llvm_type(x.kind)
        return TypedValue(self._new_value(f"select i1 {beyond}, {kind} {y.text}, {kind} {x.text}"), x.kind)
