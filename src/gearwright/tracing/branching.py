"""Choices written with `if`, traced: what a function decides by its numbers becomes one expression.

A law says in plain Python in which mode it begins. Such a function returns one of a few answers, so its questions can
be answered both ways, one after the other, and the answers joined by `where`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from gearwright.algebra import Scalar
from gearwright.tracing.symbols import Symbol, operations, plain


class _Question(Exception):
    """A condition that nobody has answered yet."""

    def __init__(self, condition: Symbol) -> None:
        super().__init__()
        self.condition = condition


class _Answers:
    """What is answered to the questions of one run, in their order; None: nobody may ask."""

    def __init__(self) -> None:
        self.waiting: list[bool] | None = None


class _Asking(Symbol):
    """A symbol that may stand in an `if`."""

    __slots__ = ("answers",)

    def __init__(self, sx: Any, tape: list[Any], answers: _Answers) -> None:
        super().__init__(sx, tape)
        self.answers = answers

    def made(self, sx: Any) -> Scalar:
        """A new expression that may be asked about too, or a float."""
        return float(sx) if sx.is_constant() else _Asking(sx, self.tape, self.answers)

    def __bool__(self) -> bool:  # type: ignore[override]
        if self.answers.waiting is None:
            super().__bool__()
        if not self.answers.waiting:
            raise _Question(self)
        return self.answers.waiting.pop(0)

    def __eq__(self, other: object) -> Scalar:
        return self.made(self.sx == plain(other))

    __hash__ = object.__hash__


Given = Mapping[str, Sequence[Scalar]]


Situated = TypeVar("Situated")


def decided(see: Callable[[Given], Situated], choose: Callable[[Situated], int], given: Given) -> Scalar:
    """The number that `choose` returns for what is seen of symbols, as an expression of these.

    Args:
        see: makes what is decided on; it may not ask.
        choose: decides, with `if` where it likes.
        given: the symbols by name.

    >>> from gearwright.tracing.symbols import symbols
    >>> decided(lambda given: given["x"][0], lambda x: 1 if x > 2 else 0, {"x": symbols("x", 1)})
    Symbol(((2<x)?1:0))
    """
    answers = _Answers()
    situated = see(
        {
            name: [_Asking(x.sx, x.tape, answers) if isinstance(x, Symbol) else x for x in entries]
            for name, entries in given.items()
        }
    )

    def answered(known: list[bool]) -> Scalar:
        answers.waiting = list(known)
        try:
            return float(choose(situated))
        except _Question as question:
            condition = Symbol(question.condition.sx, question.condition.tape)
        return operations().where(condition, answered([*known, True]), answered([*known, False]))

    return answered([])
