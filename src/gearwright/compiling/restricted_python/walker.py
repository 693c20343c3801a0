"""The walk over a function of restricted Python that all printers share: statements, constants, ranges, calls."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple, NoReturn


class TypedValue(NamedTuple):
    """A value in the text of a printer and the name of its type."""

    text: str
    kind: str


class Signature(NamedTuple):
    """The types of a function's arguments and of its result."""

    arguments: tuple[str, ...]
    result: str


class TranslationContext(NamedTuple):
    """Common data of all functions of a translation.

    Args:
        fields: per field of the workspace its index and the name of its type.
        signatures: of all functions.
        constants: flat tuples used so far, by name.
    """

    fields: Mapping[str, tuple[int, str]]
    signatures: Mapping[str, Signature]
    constants: dict[str, tuple[float, ...]]


ARRAY_ENTRY_KINDS = {"Floats": "float", "Ints": "int"}
"""The type of the entries of an array."""


class FunctionWalker:
    """One function: a printer adds a method per kind of statement, and the text of expressions."""

    def __init__(self, context: TranslationContext, module: ModuleType, node: ast.FunctionDef) -> None:
        self.context, self.module, self.node = context, module, node
        self.local_types: dict[str, str] = {}
        self.count = 0

    def _raise_untranslatable(self, node: ast.AST, why: str) -> NoReturn:
        raise SyntaxError(f"{self.node.name}, line {getattr(node, 'lineno', 0)}: {why}: {ast.unparse(node)}")

    def _is_terminated(self) -> bool:
        """Whether following statements of the block are unreachable."""
        return False

    def _translate_block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if self._is_terminated():  # statements after a return, break or continue are unreachable
                return
            name = f"_translate_{type(statement).__name__.lower()}"
            if not hasattr(self, name):
                self._raise_untranslatable(statement, "this statement cannot be translated")
            getattr(self, name)(statement)

    def _translate_pass(self, _: ast.Pass) -> None:
        pass

    def _is_docstring(self, node: ast.Expr) -> bool:
        """Whether an expression statement is a docstring; otherwise it must be a call."""
        if not isinstance(node.value, ast.Call | ast.Constant):
            self._raise_untranslatable(node, "an expression statement must be a call")
        return isinstance(node.value, ast.Constant)

    def _assigned_target(self, node: ast.Assign) -> ast.expr:
        if len(node.targets) != 1 or isinstance(node.targets[0], ast.Tuple):
            self._raise_untranslatable(node, "assign one name at a time")
        return node.targets[0]

    def _range_loop(self, node: ast.For) -> tuple[str, list[ast.expr], bool]:
        """The variable of a loop, the arguments of its range, and whether it counts down."""
        call = node.iter
        is_range = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
        if not is_range or not isinstance(node.target, ast.Name):
            self._raise_untranslatable(node, "loops run over range(...)")
        assert isinstance(call, ast.Call)
        assert isinstance(node.target, ast.Name)
        return node.target.id, call.args, len(call.args) > 2 and isinstance(call.args[2], ast.UnaryOp)

    def _number(self, node: ast.AST, value: Any) -> int | float:
        if not isinstance(value, int | float):
            self._raise_untranslatable(node, "constants are numbers")
        return value

    def _module_value(self, node: ast.Name) -> Any:
        """A number or a flat tuple defined in the module; tuples are listed as constants."""
        constant = getattr(self.module, node.id, None)
        if isinstance(constant, tuple):
            self.context.constants[node.id] = tuple(float(x) for x in constant)
            return constant
        return self._number(node, constant)

    def _called_signature(self, node: ast.Call) -> Signature:
        assert isinstance(node.func, ast.Name)
        if node.func.id not in self.context.signatures:
            self._raise_untranslatable(node, "there is no such function")
        return self.context.signatures[node.func.id]

    def _common_kind(self, *values: TypedValue) -> str:
        return "float" if any(value.kind == "float" for value in values) else "int"

    def _require_number_kind(self, value: TypedValue, kind: str) -> None:
        if value.kind == "float" and kind == "int":
            raise SyntaxError(f"{self.node.name}: a float is used as an integer. Write int(...).")


def workspace_fields(workspace: type) -> dict[str, tuple[int, str]]:
    """Per field of a workspace its index and the name of its type; those of its base classes come first."""
    kinds = {name: kind for each in reversed(workspace.__mro__) for name, kind in inspect.get_annotations(each).items()}
    return {name: (k, _type_name(kind)) for k, (name, kind) in enumerate(kinds.items())}


def function_definitions(modules: Sequence[ModuleType]) -> list[tuple[ModuleType, ast.FunctionDef]]:
    """All functions of some modules, in order."""
    return [
        (module, node)
        for module in modules
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.FunctionDef)
    ]


def function_signature(node: ast.FunctionDef) -> Signature:
    """The types of a function's arguments and of its result."""
    return Signature(tuple(_annotation_name(x.annotation) for x in node.args.args), _annotation_name(node.returns))


def translation_context(
    workspace: type, definitions: Sequence[tuple[ModuleType, ast.FunctionDef]]
) -> TranslationContext:
    """The common data of a translation of these functions."""
    return TranslationContext(
        workspace_fields(workspace), {node.name: function_signature(node) for _, node in definitions}, {}
    )


def _annotation_name(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and node.value is None:
        return "None"
    assert isinstance(node, ast.Name), "every argument and result has a plain annotation"
    return node.id


def _type_name(kind: Any) -> str:
    return kind if isinstance(kind, str) else str(kind.__name__)
