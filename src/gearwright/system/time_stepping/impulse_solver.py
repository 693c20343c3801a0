r"""Impulses of all laws over a fixed step, by projected Gauss-Seidel, over scalars of any kind.

With the speeds $v_f$ that the step would end with but for them, $v = v_f + \sum_i Y_i P_i$, $Y_i = M^{-1} b_i$. One
after the other gets the impulse that its limit allows, everything else being as it is; a few rounds of that are the
projected Gauss-Seidel method (Jourdan, Alart and Jean, 1998). An impulse is counted by the speed $p = b \cdot Y P$
that it brings along its own row: then nothing is multiplied or divided between two of them but what couples them.
Impulses along the same row are settled together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.forces.impulse_limits import Entering, Limit, Meeting
from gearwright.forces.time_stepping_impulses import Bounded, Meshing
from gearwright.mechanism.rows import Terms, along


@dataclass(frozen=True)
class Flow:
    """What goes through a drag over a step: `known` - sense . v + shares . P.

    Args:
        known: what forces bring, less what the wheels' own drift takes, plus sense . v at the beginning.
        sense: one number per speed, as terms.
        shares: per impulse how much of it goes through.
    """

    known: Scalar
    sense: Terms
    shares: dict[int, Scalar]


@dataclass(frozen=True)
class Impulse:
    """What one hold may give over a step.

    Args:
        row: the row it acts along; the same value for all that share it.
        effect: Y, what a unit of it does to the speeds.
        limit: what it may be.
        target: the speed along its line that its hold wants.
        rate: what explicit time adds to row . v there.
        compliance: speed that a unit of it gives way.
        flows: the drags of its law.
        mates: the impulses of its law, by number.
    """

    row: Terms
    effect: Sequence[Scalar]
    limit: Limit
    target: Scalar
    rate: Scalar = 0.0
    compliance: Scalar = 0.0
    flows: Sequence[Flow] = ()
    mates: Sequence[int] = ()


def settle(
    impulses: Sequence[Impulse], v: Sequence[Scalar], h: Scalar, sweeps: int, ops: Operations
) -> tuple[list[Scalar], list[Scalar], Scalar]:
    """The speeds at the end of a step of h [s] that would end with v, the impulses, and what the last sweep changed.

    The last is the largest change of a speed along a row.
    """
    sweeping = _Sweeping(impulses, v, h, ops)
    unsettled: Scalar = 0.0
    for sweep in range(sweeps):
        for g, row in enumerate(sweeping.rows):
            before = row.total
            sweeping.settle_row(g)
            if sweep == sweeps - 1:
                moved = ops.absolute(row.total - before)
                unsettled = ops.where(moved > unsettled, moved, unsettled)
    after = list(v)
    for row in sweeping.rows:
        after = [speed + per * row.total for speed, per in zip(after, row.per_speed, strict=True)]
    return after, [p * row.inverse for p, row in zip(sweeping.values, sweeping.row_of, strict=True)], unsettled


class _Row:
    """The impulses along one row.

    Args:
        first: one of them.
        v: speeds without impulses.
    """

    def __init__(self, first: Impulse, v: Sequence[Scalar]) -> None:
        self.terms, self.members = first.row, []  # type: Terms, list[int]
        self.shared = first.limit.entering is None
        self.answer = along(first.row, first.effect)
        self.inverse = 0.5 * (2.0 / self.answer)  # halves: CasADi makes a division of every x * (1 / y)
        self.per_speed = [per * self.inverse for per in first.effect]
        self.free = along(first.row, v) + first.rate
        self.total: Scalar = 0.0


class _Sweeping:
    """The impulses on their way: `values` are the speeds that they bring along their rows."""

    def __init__(self, impulses: Sequence[Impulse], v: Sequence[Scalar], h: Scalar, ops: Operations) -> None:
        self.impulses, self.ops = impulses, ops
        self.rows: list[_Row] = []
        self.row_of = [self._row(one, v) for one in impulses]
        for k, row in enumerate(self.row_of):
            row.members.append(k)
        self.values: list[Scalar] = [0.0] * len(impulses)
        self._couplings = [
            [(other, along(row.terms, other.per_speed)) for other in _others(self.rows, g)]
            for g, row in enumerate(self.rows)
        ]
        self._frictions = [self._beside(k) for k in range(len(impulses))]
        self._entering = [self._asked(one, one.limit.entering, v, h) for one in impulses]
        self._mates = [self._asked(one, getattr(one.limit, "mate", None), v, h) for one in impulses]

    def _row(self, one: Impulse, v: Sequence[Scalar]) -> _Row:
        """The row of an impulse; one whose limit looks at flows has a row to itself."""
        same = (row for row in self.rows if row.terms is one.row and row.shared)
        found = next(same, None) if one.limit.entering is None else None
        if found is None:
            found = _Row(one, v)
            self.rows.append(found)
        return found

    def _asked(
        self, one: Impulse, asked: Entering | None, v: Sequence[Scalar], h: Scalar
    ) -> tuple[Scalar, list[Scalar]] | None:
        """What enters a gear without any impulse, and per impulse how much more that makes it; None: nobody asks."""
        if asked is None:
            return None
        known, per = asked.given * h, [0.0] * len(self.impulses)  # type: Scalar, list[Scalar]
        for weight, flow in zip(asked.flows, one.flows, strict=True):
            known = known + weight * (flow.known - along(flow.sense, v))
            for j, row in enumerate(self.row_of):
                passing = flow.shares.get(j, 0.0) * row.inverse - along(flow.sense, row.per_speed)
                per[j] = per[j] + weight * passing
        for weight, j in zip(asked.impulses, one.mates, strict=bool(asked.impulses)):
            per[j] = per[j] + weight * self.row_of[j].inverse
        return known, per

    def settle_row(self, g: int) -> None:
        """Give new values to the impulses of one row."""
        row, speed = self.rows[g], self.rows[g].free
        for other, coupling in self._couplings[g]:
            speed = speed + coupling * other.total
        for k in row.members:
            one, rest = self.impulses[k], speed
            for j in row.members:
                rest = rest if j == k else rest + self.values[j]
            gives_way = 1.0 if is_zero(one.compliance) else row.answer / (row.answer + one.compliance)
            (entering, share), (mate, _) = self._met(k, self._entering[k]), self._met(k, self._mates[k])
            known = (entering, share, self.ops, self._relief(k), mate)
            meeting = Meeting(rest, one.target, row.answer, gives_way, *known)
            self.values[k] = one.limit.impulse(meeting)
        row.total = sum((self.values[k] for k in row.members[1:]), self.values[row.members[0]])

    def _beside(self, k: int) -> list[tuple[int, Bounded, float]]:
        """The frictions at the joint's side of a gear that locks itself, each with the factor from its row to k's."""
        limit, flows = self.impulses[k].limit, self.impulses[k].flows
        if not (isinstance(limit, Meshing) and limit.may_lock):
            return []
        found = []
        for j, one in enumerate(self.impulses):
            factor = None if any(j in flow.shares for flow in flows) else _times(one.row, self.impulses[k].row)
            if j != k and isinstance(one.limit, Bounded) and factor is not None:
                found.append((j, one.limit, factor))
        return found

    def _relief(self, k: int) -> tuple[Scalar, ...]:
        """What the frictions beside a gear may still add to the speed along its row, at least and at most."""
        low, high = 0.0, 0.0  # type: Scalar, Scalar
        for j, limit, factor in self._frictions[k]:
            answer, value = self.row_of[j].answer, self.values[j]
            low = low + factor * (limit.low * answer - value)
            high = high + factor * (limit.high * answer - value)
        return (low, high) if self._frictions[k] else ()

    def _met(self, k: int, found: tuple[Scalar, list[Scalar]] | None) -> tuple[Scalar, Scalar]:
        """What enters a gear without the impulse k, as a speed, and how much of that impulse is missing there."""
        if found is None:
            return 0.0, 0.0
        entering, per = found
        for j, (coupling, value) in enumerate(zip(per, self.values, strict=True)):
            if j != k:
                entering = entering + coupling * value
        answer = self.row_of[k].answer
        return entering * answer, -per[k] * answer


def _others(rows: Sequence[_Row], g: int) -> list[_Row]:
    """All other rows, the one that was settled last at the end: the others need not wait for it."""
    return [*rows[g + 1 :], *rows[:g]]


def _times(row: Terms, other: Terms) -> float | None:
    """The factor from a row to another one along the same single speed; None where they are not such."""
    if len(row) != 1 or len(other) != 1 or row[0][0] != other[0][0]:
        return None
    mine, its = row[0][1], other[0][1]
    return float(its) / float(mine) if is_number(mine) and is_number(its) else None
