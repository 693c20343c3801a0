r"""Impulses of all laws over a fixed step, by projected Gauss-Seidel, over scalars of any kind.

With the speeds $v_f$ that the step would end with but for them, $v = v_f + \sum_i Y_i P_i$, $Y_i = M^{-1} b_i$. One
after the other gets the impulse that its limit allows, everything else being as it is; a few rounds of that are the
projected Gauss-Seidel method (Jourdan, Alart and Jean, 1998). An impulse is counted by the speed $p = b \cdot Y P$
that it brings along its own row: then nothing is multiplied or divided between two of them but what couples them.
Impulses along the same row are settled together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.forces.impulse_limits import Entering, Limit, Meeting
from gearwright.forces.time_stepping_impulses import Bounded, Cone, Meshing
from gearwright.mechanism.rows import Terms, along

IMMOVABLE = 1e-30
"""Speed per impulse [1/kg, 1/(kg m2)] up to which a row has no freedom: it gets no impulse."""

SINGULAR = 1e-12
"""Determinant of the answers along two tangents, relative to their square, up to which only one of them can move."""


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


class ImpulseSolution(NamedTuple):
    """What a number of sweeps leads to.

    Args:
        speeds: at the end of the step.
        impulses: per hold [Nms, Ns].
        scaled: the same as speeds along their own rows: where the next sweeps may begin.
        residual: largest change of a speed along a row in the last sweep [rad/s, m/s]; 0 where all limits are met.
    """

    speeds: list[Scalar]
    impulses: list[Scalar]
    scaled: list[Scalar]
    residual: Scalar


def solve_impulses(
    impulses: Sequence[Impulse],
    v: Sequence[Scalar],
    h: Scalar,
    sweeps: int,
    ops: Operations,
    guess: Sequence[Scalar] | None = None,
    active: Scalar = True,
) -> ImpulseSolution:
    """Speeds and impulses after some sweeps over a step of h [s] that would end with the speeds v without impulses.

    Args:
        impulses: what each hold may give.
        v: speeds without impulses.
        h: duration of the step [s].
        sweeps: number of sweeps.
        ops: operations of the scalars.
        guess: scaled impulses to begin with; zero unless given.
        active: where it does not hold, the guess stays as it is.
    """
    problem = _Sweeping(impulses, v, h, ops, guess)
    residual: Scalar = 0.0
    for sweep in range(sweeps):
        for unit in problem.units:
            moved = unit()
            if sweep == sweeps - 1:
                for change in moved:
                    residual = ops.maximum(residual, ops.absolute(change))
    scaled = problem.values
    if guess is not None:
        scaled = [ops.where(active, new, old) for new, old in zip(scaled, guess, strict=True)]
    after = list(v)
    for row in problem.rows:
        total = sum((scaled[k] for k in row.members[1:]), scaled[row.members[0]])
        after = [speed + per * total for speed, per in zip(after, row.per_speed, strict=True)]
    found = [p * row.inverse for p, row in zip(scaled, problem.row_of, strict=True)]
    return ImpulseSolution(after, found, scaled, residual)


class _Row:
    """The impulses along one row.

    Args:
        first: one of them.
        ops: operations of the scalars.
    """

    def __init__(self, first: Impulse, ops: Operations) -> None:
        self.terms, self.rate, self.members = first.row, first.rate, []  # type: Terms, Scalar, list[int]
        self.shared = first.limit.entering is None
        self.answer = along(first.row, first.effect)
        self.movable = self.answer > IMMOVABLE
        # halves: CasADi makes a division of every x * (1 / y)
        self.inverse = ops.where(self.movable, 0.5 * (2.0 / ops.where(self.movable, self.answer, 1.0)), 0.0)
        self.per_speed = [per * self.inverse for per in first.effect]


class _Sweeping:
    """The impulses on their way: `values` are the speeds that they bring along their rows, `v` all speeds with them."""

    def __init__(
        self,
        impulses: Sequence[Impulse],
        v: Sequence[Scalar],
        h: Scalar,
        ops: Operations,
        guess: Sequence[Scalar] | None,
    ) -> None:
        self.impulses, self.ops = impulses, ops
        self.rows: list[_Row] = []
        self.row_of = [self._row(one) for one in impulses]
        for k, row in enumerate(self.row_of):
            row.members.append(k)
        self._free = [along(row.terms, v) + row.rate for row in self.row_of]
        self.values: list[Scalar] = [0.0] * len(impulses) if guess is None else list(guess)
        self._v = list(v)
        if guess is not None:
            for k, row in enumerate(self.row_of):
                self._push(row, guess[k])
        self._frictions = [self._beside(k) for k in range(len(impulses))]
        self._entering = [self._asked(one, one.limit.entering, v, h) for one in impulses]
        self.units = self._units()

    def _units(self) -> list[Callable[[], list[Scalar]]]:
        """What is solved together, in order: a row, or friction along two tangents."""
        found: list[Callable[[], list[Scalar]]] = []
        for row in self.rows:
            limit, k = self.impulses[row.members[0]].limit, row.members[0]
            if not isinstance(limit, Cone):
                found.append(partial(self._solve_row, row))
            elif limit.first:
                found.append(partial(self._solve_tangents, limit, _Tangents(self, k)))
        return found

    def _push(self, row: _Row, change: Scalar) -> None:
        self._v = [speed + per * change for speed, per in zip(self._v, row.per_speed, strict=True)]

    def speed(self, row: _Row) -> Scalar:
        """The speed along a row with all impulses as they are."""
        return along(row.terms, self._v) + row.rate

    def _row(self, one: Impulse) -> _Row:
        """The row of an impulse; one whose limit looks at flows has a row to itself."""
        same = (row for row in self.rows if row.terms is one.row and row.shared)
        found = next(same, None) if one.limit.entering is None else None
        if found is None:
            found = _Row(one, self.ops)
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

    def _solve_row(self, row: _Row) -> list[Scalar]:
        """Give new values to the impulses of one row; by how much its speed changes."""
        before = [self.values[k] for k in row.members]
        speed, total = self.speed(row), sum(before[1:], before[0])
        speed = speed - total
        for k in row.members:
            one, rest = self.impulses[k], speed
            for j in row.members:
                rest = rest if j == k else rest + self.values[j]
            gives_way = 1.0 if is_zero(one.compliance) else row.answer / (row.answer + one.compliance)
            entering, share = self._met(k, self._entering[k])
            known = (entering, share, self.ops, self._relief(k), self._free[k])
            value = one.limit.impulse(Meeting(rest, one.target, row.answer, gives_way, *known))
            self.values[k] = self.ops.where(row.movable, value, 0.0)
        change = sum((self.values[k] for k in row.members[1:]), self.values[row.members[0]]) - total
        self._push(row, change)
        return [change]

    def _solve_tangents(self, cone: Cone, tangents: _Tangents) -> list[Scalar]:
        """Give new values to friction along two tangents; by how much the speeds along them change."""
        rows, normal = tangents.rows, tangents.normal
        most = cone.friction * self.ops.maximum(self.values[normal] * self.row_of[normal].inverse, 0.0)
        speeds = [self.speed(row) - self.impulses[k].target for row, k in zip(rows, tangents.members, strict=True)]
        before = [self.values[k] for k in tangents.members]
        pushes = [value * row.inverse for value, row in zip(before, rows, strict=True)]
        changes = []
        for k, row, old, push in zip(
            tangents.members, rows, before, tangents.pushes(speeds, pushes, most), strict=True
        ):
            self.values[k] = self.ops.where(row.movable, push * row.answer, 0.0)
            changes.append(self.values[k] - old)
            self._push(row, changes[-1])
        return changes

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


class _Tangents:
    """Friction along the two tangents of a contact, with what both answer to either.

    Args:
        problem: all impulses.
        k: number of the impulse along the first tangent.
    """

    def __init__(self, problem: _Sweeping, k: int) -> None:
        ops, one = problem.ops, problem.impulses[k]
        self.normal, *self.members = one.mates
        self.rows = [problem.row_of[j] for j in self.members]
        (a, b), c = (row.answer for row in self.rows), along(one.row, problem.impulses[self.members[1]].effect)
        apart = 0.5 * (a - b)
        largest = 0.5 * (a + b) + ops.sqrt(apart * apart + c * c)
        self._answers, self._ops = (a, b, c), ops
        self._per_largest = _inverse(largest, largest > IMMOVABLE, ops)
        determinant = a * b - c * c
        self._regular = determinant > SINGULAR * largest * largest
        self._per_determinant = _inverse(determinant, self._regular, ops)

    def pushes(self, speeds: Sequence[Scalar], pushes: Sequence[Scalar], most: Scalar) -> list[Scalar]:
        r"""Impulses within the disc $|P| \le$ `most`: those that stop the slip, or else the projection of a step
        against it."""
        ops, (a, b, c), (u, w) = self._ops, self._answers, speeds
        step = [self._per_largest * x for x in speeds]
        whole = self._per_determinant
        exact = [(b * u - c * w) * whole, (a * w - c * u) * whole]
        stuck = [p - ops.where(self._regular, x, y) for p, x, y in zip(pushes, exact, step, strict=True)]
        slid = [p - x for p, x in zip(pushes, step, strict=True)]
        bound = most * most
        size = slid[0] * slid[0] + slid[1] * slid[1]
        beyond = size > bound
        factor = ops.where(beyond, most / ops.sqrt(ops.where(beyond, size, 1.0)), 1.0)
        sticks = stuck[0] * stuck[0] + stuck[1] * stuck[1] <= bound
        return [ops.where(sticks, x, factor * y) for x, y in zip(stuck, slid, strict=True)]


def _inverse(x: Scalar, usable: Scalar, ops: Operations) -> Scalar:
    """1 / x where that is usable, else 0."""
    return ops.where(usable, 1.0 / ops.where(usable, x, 1.0), 0.0)


def _times(row: Terms, other: Terms) -> float | None:
    """The factor from a row to another one along the same single speed; None where they are not such."""
    if len(row) != 1 or len(other) != 1 or row[0][0] != other[0][0]:
        return None
    mine, its = row[0][1], other[0][1]
    return float(its) / float(mine) if is_number(mine) and is_number(its) else None
