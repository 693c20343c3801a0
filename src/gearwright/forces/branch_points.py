"""Branch points: where a law changes its branch without changing its mode.

A step of high order keeps its tolerance only where the rates are smooth. Laws are written over generic scalars and
branch only by `absolute`, `minimum`, `maximum` and `where`. Recording the arguments of these functions, and of `floor`,
finds all branch points automatically.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi

from gearwright.algebra import Operations, Scalar
from gearwright.forces.law import Law, Reaction, Situation


class BranchRecorder:
    """Operations that record, for each branch they take, the number whose sign selected it.

    >>> from gearwright.algebra import FLOATS
    >>> watch = BranchRecorder(FLOATS)
    >>> watch.absolute(-2.0), watch.minimum(5.0, 3.0), watch.where(True, 1.0, 0.0), watch.cos(0.0)
    (2.0, 3.0, 1.0, 1.0)
    >>> watch.branch_levels
    [-2.0, 2.0, 1.0]
    """

    def __init__(self, ops: Operations) -> None:
        self._ops = ops
        self.branch_levels: list[Scalar] = []
        self.cos, self.sin, self.sqrt = ops.cos, ops.sin, ops.sqrt
        self.exp, self.log, self.tanh, self.arctan2 = ops.exp, ops.log, ops.tanh, ops.arctan2

    def absolute(self, x: Scalar, /) -> Scalar:
        """Absolute value; branch point at x = 0."""
        self.branch_levels.append(x)
        return self._ops.absolute(x)

    def floor(self, x: Scalar, /) -> Scalar:
        """The largest integer not above x; it jumps at integers."""
        self.branch_levels.append(self._ops.sin(pi * x))
        return self._ops.floor(x)

    def minimum(self, x: Scalar, y: Scalar, /) -> Scalar:
        """The smaller of two numbers; branch point where they are equal."""
        self.branch_levels.append(x - y)
        return self._ops.minimum(x, y)

    def maximum(self, x: Scalar, y: Scalar, /) -> Scalar:
        """The larger of two numbers; branch point where they are equal."""
        self.branch_levels.append(x - y)
        return self._ops.maximum(x, y)

    def where(self, condition: Scalar, yes: Scalar, no: Scalar, /) -> Scalar:
        """`yes` where the condition holds, else `no`; the condition is recorded as +1 or -1."""
        self.branch_levels.append(self._ops.where(condition, 1.0, -1.0))
        return self._ops.where(condition, yes, no)


def law_branch_levels(law: Law, mode: str, situation: Situation, reaction: Reaction) -> Sequence[Scalar]:
    """The numbers at whose zeros a law has a branch point within a mode; empty for a smooth law.

    >>> import gearwright as gw
    >>> from gearwright.forces import Line, LuGre
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> rub = LuGre("rub", Line.for_machine(arm, "j1"), gw.parts.Friction(coulomb=2.0, stiffness=1e4))
    >>> slides = Situation(0.0, [0.0] * 3, [0.1, 0.0, 0.0], [0.0], (), FLOATS, arm)
    >>> law_branch_levels(rub, "on", slides, Reaction([0.0] * 3))[0]
    0.1
    """
    recorder = BranchRecorder(situation.ops)
    recorded_situation = replace(
        situation, ops=recorder, shared_kinematics=situation.kinematics
    )  # record lines once, not their derivatives
    action = law.act(mode, recorded_situation)
    law.follow(mode, recorded_situation, reaction)
    for line in action.acting_lines:
        line.record_branches(situation.kinematics, recorder)
    return recorder.branch_levels
