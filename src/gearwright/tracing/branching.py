"""Tracing of functions that branch with `if`: the result becomes one conditional expression.

The initial mode of a law is chosen in plain Python. Such a function returns one of a few values. It is run for both
outcomes of each condition in sequence, and the results are joined by `where`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from gearwright.algebra import Scalar
from gearwright.tracing.symbols import Symbol, as_expression, symbol_operations


class _UnansweredCondition(Exception):
    """A condition without an outcome yet."""

    def __init__(self, condition: Symbol) -> None:
        super().__init__()
        self.condition = condition


class _BranchAnswers:
    """The outcomes of the conditions of one run, in order; None: conditions are not allowed."""

    def __init__(self) -> None:
        self.waiting: list[bool] | None = None


class _BranchingSymbol(Symbol):
    """A symbol that may be used in an `if`."""

    __slots__ = ("answers",)

    def __init__(self, sx: Any, tape: list[Any], answers: _BranchAnswers) -> None:
        super().__init__(sx, tape)
        self.answers = answers

    def new_expression(self, sx: Any) -> Scalar:
        """A new expression of the same kind, or a float."""
        return float(sx) if sx.is_constant() else _BranchingSymbol(sx, self.tape, self.answers)

    def __bool__(self) -> bool:  # type: ignore[override]
        if self.answers.waiting is None:
            super().__bool__()
        if not self.answers.waiting:
            raise _UnansweredCondition(self)
        return self.answers.waiting.pop(0)

    def __eq__(self, other: object) -> Scalar:
        return self.new_expression(self.sx == as_expression(other))

    __hash__ = object.__hash__

    def __format__(self, _: str) -> str:
        """Its text in an error that a branch raises."""
        return str(self.sx)


SymbolValues = Mapping[str, Sequence[Scalar]]


Situated = TypeVar("Situated")


def trace_choice(
    observe: Callable[[SymbolValues], Situated], choose: Callable[[Situated], int], values: SymbolValues
) -> Scalar:
    """The number that `choose` returns, as a conditional expression of the symbols.

    Args:
        observe: makes the argument of `choose` from the symbols; it must not branch.
        choose: returns a number; it may branch with `if`.
        values: the symbols by name.

    >>> from gearwright.tracing.symbols import new_symbols
    >>> trace_choice(lambda values: values["x"][0], lambda x: 1 if x > 2 else 0, {"x": new_symbols("x", 1)})
    Symbol(((2<x)?1:0))
    """
    answers = _BranchAnswers()
    situated = observe(
        {
            name: [_BranchingSymbol(x.sx, x.tape, answers) if isinstance(x, Symbol) else x for x in entries]
            for name, entries in values.items()
        }
    )

    def expression_after(earlier: list[bool]) -> Scalar:
        answers.waiting = list(earlier)
        try:
            return float(choose(situated))
        except _UnansweredCondition as question:
            condition = Symbol(question.condition.sx, question.condition.tape)
        return symbol_operations().where(
            condition, expression_after([*earlier, True]), expression_after([*earlier, False])
        )

    return expression_after([])
