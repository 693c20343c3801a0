"""Restricted Python printed as C99: the same functions as in machine code, for exported sources.

`run_kernel` and `invoke_callback` are left to the including file, which defines them for its own kernels.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import ModuleType

from gearwright.compiling.restricted_python.walker import (
    ARRAY_ENTRY_KINDS,
    FunctionWalker,
    TranslationContext,
    TypedValue,
    function_definitions,
    translation_context,
)

C_TYPES = {"float": "double ", "int": "int ", "Floats": "double *", "Ints": "int *", "Code": "Code ", "Table": "Table "}
"""C types by the names of annotations."""

C_TOKENS: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "/",
    ast.Mod: "%",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}

C_HELPERS = """static double min_float(double x, double y) { return y < x ? y : x; }
static double max_float(double x, double y) { return y > x ? y : x; }"""
"""Extremes as in Python: the second value only if it is beyond the first."""


def c_text(
    modules: Sequence[ModuleType], workspace: type, entries: Sequence[str], constants: Mapping[str, float]
) -> str:
    """The workspace as a struct, then all functions that the entries call, in C99.

    Args:
        modules: modules with the functions.
        workspace: the class whose annotations name the fields.
        entries: functions that the including file calls.
        constants: further numbers to define, by name.
    """
    definitions = function_definitions(modules)
    context = translation_context(workspace, definitions)
    called = _called_functions([node for _, node in definitions], entries)
    printers = [CFunctionPrinter(context, module, node) for module, node in definitions if node.name in called]
    bodies = [printer.function_text() for printer in printers]
    tables = [
        f"static const double {name}[] = {{{', '.join(map(repr, values))}}};"
        for name, values in context.constants.items()
    ]
    fields = "\n".join(f"  {_c_type(kind)}{name};" for name, (_, kind) in context.fields.items())
    parts = "".join(f"\ntypedef {workspace.__name__} {base.__name__};" for base in workspace.__mro__[1:-1])
    return "\n\n".join(
        [
            "\n".join(f"#define {name} {value}" for name, value in constants.items()),
            "typedef int (*Code)(void *);\ntypedef void *Table;",
            f"typedef struct {{\n{fields}\n}} {workspace.__name__};{parts}",
            "static int run_kernel(Code code, Table table);\nstatic int invoke_callback(Code code, double t);",
            C_HELPERS,
            "\n".join(tables),
            "\n".join(f"{printer.head_text()};" for printer in printers),
            *bodies,
        ]
    )


def _c_type(kind: str) -> str:
    return "void " if kind == "None" else C_TYPES.get(kind, f"{kind} *")


def _called_functions(nodes: Sequence[ast.FunctionDef], entries: Sequence[str]) -> set[str]:
    """The entries, and all functions that they call directly or indirectly."""
    calls = {
        node.name: {x.func.id for x in ast.walk(node) if isinstance(x, ast.Call) and isinstance(x.func, ast.Name)}
        for node in nodes
    }
    called: set[str] = set()
    waiting = set(entries)
    while waiting:
        name = waiting.pop()
        called.add(name)
        waiting |= {x for x in calls[name] if x in calls} - called
    return called


class CFunctionPrinter(FunctionWalker):
    """One function in C: variables are declared at its top, with the type of their first value."""

    def __init__(self, context: TranslationContext, module: ModuleType, node: ast.FunctionDef) -> None:
        super().__init__(context, module, node)
        self.lines: list[str] = []
        self.depth = 1
        self.arguments = [x.arg for x in node.args.args]

    def head_text(self) -> str:
        """Its declaration."""
        signature = self.context.signatures[self.node.name]
        pairs = zip(self.arguments, signature.arguments, strict=True)
        arguments = ", ".join(f"{_c_type(kind)}{name}" for name, kind in pairs)
        return f"static {_c_type(signature.result)}{self.node.name}({arguments})"

    def function_text(self) -> str:
        """Its definition."""
        signature = self.context.signatures[self.node.name]
        self.local_types = dict(zip(self.arguments, signature.arguments, strict=True))
        self._translate_block(self.node.body)
        if signature.result != "None" and not isinstance(self.node.body[-1], ast.Return | ast.While):
            self._emit_line("return 0;")
        names = [name for name in self.local_types if name not in self.arguments]
        declared = [f"  {_c_type(self.local_types[name])}{name} = 0;" for name in names]
        return "\n".join([self.head_text(), "{", *declared, *self.lines, "}"])

    def _emit_line(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    # Statements

    def _translate_expr(self, node: ast.Expr) -> None:
        if not self._is_docstring(node):
            self._emit_line(f"{self.expression(node.value).text};")

    def _translate_assign(self, node: ast.Assign) -> None:
        self._store(self._assigned_target(node), self.expression(node.value))

    def _translate_augassign(self, node: ast.AugAssign) -> None:
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        self._store(node.target, self._arithmetic(node.op, self.expression(read), self.expression(node.value)))

    def _store(self, target: ast.expr, value: TypedValue) -> None:
        if isinstance(target, ast.Name):
            self.local_types.setdefault(target.id, value.kind)
        place = self.expression(target)
        self._require_number_kind(value, place.kind)
        self._emit_line(f"{place.text} = {value.text};")

    def _translate_return(self, node: ast.Return) -> None:
        self._emit_line("return;" if node.value is None else f"return {self.expression(node.value).text};")

    def _translate_if(self, node: ast.If) -> None:
        self._emit_line(f"if ({self._condition(node.test)}) {{")
        self._indented(node.body)
        if node.orelse:
            self._emit_line("} else {")
            self._indented(node.orelse)
        self._emit_line("}")

    def _translate_while(self, node: ast.While) -> None:
        is_endless = isinstance(node.test, ast.Constant)
        self._emit_line("for (;;) {" if is_endless else f"while ({self._condition(node.test)}) {{")
        self._indented(node.body)
        self._emit_line("}")

    def _translate_for(self, node: ast.For) -> None:
        variable, arguments, is_down = self._range_loop(node)
        bounds = [self.expression(x).text for x in arguments]
        first, last = (bounds[0], bounds[1]) if len(bounds) > 1 else ("0", bounds[0])
        step = bounds[2] if len(bounds) > 2 else "1"
        self.count += 1
        counter, end = f"counter{self.count}", f"end{self.count}"
        relation = ">" if is_down else "<"
        head = f"for (int {counter} = {first}, {end} = {last}; {counter} {relation} {end}; {counter} += {step}) {{"
        self._emit_line(head)
        if variable != "_":
            self.local_types.setdefault(variable, "int")
            self.depth += 1
            self._emit_line(f"{variable} = {counter};")
            self.depth -= 1
        self._indented(node.body)
        self._emit_line("}")

    def _translate_break(self, _: ast.Break) -> None:
        self._emit_line("break;")

    def _translate_continue(self, _: ast.Continue) -> None:
        self._emit_line("continue;")

    def _indented(self, body: Sequence[ast.stmt]) -> None:
        self.depth += 1
        self._translate_block(body)
        self.depth -= 1

    # Expressions

    def _condition(self, test: ast.expr) -> str:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return f"!({self._condition(test.operand)})"
        if isinstance(test, ast.BoolOp):
            word = " && " if isinstance(test.op, ast.And) else " || "
            return word.join(f"({self._condition(x)})" for x in test.values)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            left, right = self.expression(test.left), self.expression(test.comparators[0])
            return f"{left.text} {C_TOKENS[type(test.ops[0])]} {right.text}"
        return f"{self.expression(test).text} != 0"

    def expression(self, node: ast.expr) -> TypedValue:
        """An expression's text and type."""
        if isinstance(node, ast.Constant):
            return self._constant(self._number(node, node.value))
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node.op, self.expression(node.left), self.expression(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            operand = self.expression(node.operand)
            return TypedValue(f"(-{operand.text})", operand.kind)
        if isinstance(node, ast.IfExp):
            parts = self.expression(node.body), self.expression(node.orelse)
            text = f"({self._condition(node.test)} ? {parts[0].text} : {parts[1].text})"
            return TypedValue(text, parts[0].kind if parts[0].kind == parts[1].kind else self._common_kind(*parts))
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute):
            return TypedValue(f"{self.expression(node.value).text}->{node.attr}", self.context.fields[node.attr][1])
        if isinstance(node, ast.Subscript):
            base, index = self.expression(node.value), self.expression(node.slice)
            return TypedValue(f"{base.text}[{index.text}]", ARRAY_ENTRY_KINDS[base.kind])
        self._raise_untranslatable(node, "this cannot be printed")

    def _constant(self, value: int | float) -> TypedValue:
        return TypedValue(repr(value), "float") if isinstance(value, float) else TypedValue(str(int(value)), "int")

    def _name(self, node: ast.Name) -> TypedValue:
        if node.id in self.local_types:
            return TypedValue(node.id, self.local_types[node.id])
        value = self._module_value(node)
        return TypedValue(node.id, "Floats") if isinstance(value, tuple) else self._constant(value)

    def _arithmetic(self, op: ast.operator, left: TypedValue, right: TypedValue) -> TypedValue:
        kind = "float" if isinstance(op, ast.Div) else self._common_kind(left, right)
        begin = f"(double){left.text}" if isinstance(op, ast.Div) and left.kind == "int" else left.text
        return TypedValue(f"({begin} {C_TOKENS[type(op)]} {right.text})", kind)

    def _call(self, node: ast.Call) -> TypedValue:
        assert isinstance(node.func, ast.Name)
        name, arguments = node.func.id, [self.expression(x) for x in node.args]
        texts = [x.text for x in arguments]
        if name == "array_tail":
            return TypedValue(f"({texts[0]} + {texts[1]})", arguments[0].kind)
        if name in ("run_kernel", "invoke_callback"):
            return TypedValue(f"{name}({', '.join(texts)})", "int")
        if name in ("sqrt", "abs"):
            return TypedValue(f"{'sqrt' if name == 'sqrt' else 'fabs'}({texts[0]})", "float")
        if name in ("float", "int"):
            return TypedValue(f"({C_TYPES[name].strip()})({texts[0]})", name)
        if name in ("min", "max"):
            if self._common_kind(*arguments) == "int":
                self._raise_untranslatable(node, "extremes of whole numbers cannot be printed")
            return TypedValue(f"{name}_float({', '.join(texts)})", "float")
        signature = self._called_signature(node)
        return TypedValue(f"{name}({', '.join(texts)})", signature.result)
