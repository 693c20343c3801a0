"""Choices written with `if`, traced: what a function decides by its numbers becomes one expression.

A law says in plain Python in which mode it begins. Such a function returns one of a few answers, so its questions can
be answered both ways, one after the other, and the answers joined by `where`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gearwright.algebra import Scalar
from gearwright.tracing.symbols import Symbol, operations, plain


class _Question(Exception):
    """A condition that nobody has answered yet."""

    def __init__(self, condition: Symbol) -> None:
        super().__init__()
        self.condition = condition


class _Answers:
    """What is answered to the questions of one run, in their order."""

    def __init__(self) -> None:
        self.waiting: list[bool] = []

    def to(self, condition: Symbol) -> bool:
        """The next answer."""
        if not self.waiting:
            raise _Question(condition)
        return self.waiting.pop(0)


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
        return self.answers.to(self)

    def __eq__(self, other: object) -> Scalar:  # type: ignore[override]
        return self.made(self.sx == plain(other))

    __hash__ = object.__hash__


Given = Mapping[str, Sequence[Scalar]]


def decided(choose: Callable[[Given], int], given: Given) -> Scalar:
    """The number that `choose` returns, as an expression of the symbols that it is given.

    >>> from gearwright.tracing.symbols import symbols
    >>> decided(lambda given: 1 if given["x"][0] > 2 else 0, {"x": symbols("x", 1)})
    Symbol(((2<x)?1:0))
    """
    answers = _Answers()
    asking = {
        name: [_Asking(x.sx, x.tape, answers) if isinstance(x, Symbol) else x for x in entries]
        for name, entries in given.items()
    }

    def answered(known: list[bool]) -> Scalar:
        answers.waiting = list(known)
        try:
            return float(choose(asking))
        except _Question as question:
            condition = Symbol(question.condition.sx, question.condition.tape)
        return operations().where(condition, answered([*known, True]), answered([*known, False]))

    return answered([])
