"""Kinks: where a law changes its branch without changing its mode.

A step of high order keeps its tolerance only where the rates are smooth. Laws branch by `absolute`, `minimum`,
`maximum` and `where` alone (they are written over scalars of any kind), so the places where they do are found by
listening to these, and to `floor`: nobody has to state them, and none can be forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi

from gearwright.algebra import Operations, Scalar
from gearwright.forces.law import Law, Reaction, Situation


class Watching:
    """Operations that note, beside their result, the number whose sign says which branch they took.

    >>> from gearwright.algebra.operations import FLOATS
    >>> watch = Watching(FLOATS)
    >>> watch.absolute(-2.0), watch.minimum(5.0, 3.0), watch.where(True, 1.0, 0.0), watch.cos(0.0)
    (2.0, 3.0, 1.0, 1.0)
    >>> watch.kinks
    [-2.0, 2.0, 1.0]
    """

    def __init__(self, ops: Operations) -> None:
        self._ops = ops
        self.kinks: list[Scalar] = []
        self.cos, self.sin, self.sqrt = ops.cos, ops.sin, ops.sqrt
        self.exp, self.tanh, self.arctan2 = ops.exp, ops.tanh, ops.arctan2

    def absolute(self, x: Scalar, /) -> Scalar:
        """Absolute value; it bends where x is zero."""
        self.kinks.append(x)
        return self._ops.absolute(x)

    def floor(self, x: Scalar, /) -> Scalar:
        """The largest whole number that is not larger; it jumps where x is whole."""
        self.kinks.append(self._ops.sin(pi * x))
        return self._ops.floor(x)

    def minimum(self, x: Scalar, y: Scalar, /) -> Scalar:
        """The smaller; it bends where both are equal."""
        self.kinks.append(x - y)
        return self._ops.minimum(x, y)

    def maximum(self, x: Scalar, y: Scalar, /) -> Scalar:
        """The larger; it bends where both are equal."""
        self.kinks.append(x - y)
        return self._ops.maximum(x, y)

    def where(self, condition: Scalar, yes: Scalar, no: Scalar, /) -> Scalar:
        """`yes` where the condition holds, else `no`; of a condition only the sign is known."""
        self.kinks.append(self._ops.where(condition, 1.0, -1.0))
        return self._ops.where(condition, yes, no)


def kinks_of(law: Law, mode: str, situation: Situation, reaction: Reaction) -> Sequence[Scalar]:
    """The numbers at whose zeros a law bends or jumps within a mode; none for a law that is smooth.

    >>> import gearwright as gw
    >>> from gearwright.forces import Line, LuGre
    >>> from gearwright.algebra.operations import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> rub = LuGre("rub", Line.of(arm, "j1"), gw.parts.Friction(coulomb=2.0, stiffness=1e4))
    >>> slides = Situation(0.0, [0.0] * 3, [0.1, 0.0, 0.0], [0.0], (), FLOATS, arm)
    >>> kinks_of(rub, "on", slides, Reaction([0.0] * 3))[0]
    0.1
    """
    watch = Watching(situation.ops)
    watched = replace(situation, ops=watch, shared=situation.scene)  # lines are watched once, not as they are nudged
    action = law.act(mode, watched)
    law.follow(mode, watched, reaction)
    for line in action.lines:
        line.watched(situation.scene, watch)
    return watch.kinks
