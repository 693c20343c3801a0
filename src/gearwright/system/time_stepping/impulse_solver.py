r"""Impulses of all laws over a fixed step, by projected Gauss-Seidel, over scalars of any kind.

With the speeds $v_f$ that the step would end with but for them, $v = v_f + \sum_i Y_i P_i$, $Y_i = M^{-1} b_i$. One
after the other gets the impulse that its limit allows, everything else being as it is; a few rounds of that are the
projected Gauss-Seidel method (Jourdan, Alart and Jean, 1998). An impulse is counted by the speed $p = b \cdot Y P$
that it brings along its own row: then nothing is multiplied or divided between two of them but what couples them.
Impulses along the same row are settled together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.forces.impulse_limits import Entering, Limit, Meeting
from gearwright.forces.time_stepping_impulses import Bounded, Cone, Meshing, Unilateral
from gearwright.mechanism.rows import Terms, along

JAMMING = 1e-3
"""Answer along the normal of a contact that slides, relative to that of one that does not, up to which it jams."""

BLOW = 10.0
"""Impulse along the normal, relative to what ends the approach without friction, from which on a contact is struck."""

IMMOVABLE = 1e-20
"""Speed per impulse [1/kg, 1/(kg m2)] that is added to the answer of every row: one without freedom gets no impulse."""

ROOT_STEPS = 2
"""Steps of Newton's method per sweep for the direction in which a contact slides."""

LITTLE, FAR_ROOT = 1e-30, 1e30
"""An impulse [Ns] that bounds nothing, and the ratio of slip to impulse [1/kg] that goes with none."""

NOTHING = 1e-200
"""Square of a length that has no direction."""

SINGULAR = 1e-12
"""Answers along tangents relative to their scale, up to which there is no freedom."""


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
    found: Sequence[Scalar] | None = None,
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
        found: scaled impulses that stay as they are where `active` does not hold; None where it holds everywhere.
        active: whether sweeps are needed.
    """
    problem = _Sweeping(impulses, v, h, ops, guess)
    residual: Scalar = 0.0
    for sweep in range(sweeps):
        for unit in problem.units:
            moved = unit()
            if sweep == sweeps - 1:
                for change in moved:
                    residual = ops.maximum(residual, ops.absolute(change))
    if found is not None:
        problem.values = [ops.where(active, new, old) for new, old in zip(problem.values, found, strict=True)]
    after = list(v)
    for row in problem.rows:
        total = sum((problem.values[k] for k in row.members[1:]), problem.values[row.members[0]])
        after = [speed + per * total for speed, per in zip(after, row.per_speed, strict=True)]
    impulse = [p * row.inverse for p, row in zip(problem.values, problem.row_of, strict=True)]
    return ImpulseSolution(after, impulse, problem.values, residual)


class _Row:
    """The impulses along one row.

    Args:
        first: one of them.
        alone: whether no other law may share it.
    """

    def __init__(self, first: Impulse, alone: bool) -> None:
        self.terms, self.rate, self.members = first.row, first.rate, []  # type: Terms, Scalar, list[int]
        self.shared, self.effect = not alone, first.effect
        self.answer = along(first.row, first.effect)
        self.inverse = 0.5 * (2.0 / (self.answer + IMMOVABLE))  # halves: CasADi makes a division of every x * (1 / y)
        self.per_speed = [per * self.inverse for per in first.effect]
        self.total: Scalar = 0.0


class _Sweeping:
    """The impulses on their way: `values` are the speeds that they bring along their rows."""

    def __init__(
        self,
        impulses: Sequence[Impulse],
        v: Sequence[Scalar],
        h: Scalar,
        ops: Operations,
        guess: Sequence[Scalar] | None,
    ) -> None:
        self.impulses, self.ops, self.values = impulses, ops, [0.0] * len(impulses)
        self.rows: list[_Row] = []
        self.row_of = [self._row(one) for one in impulses]
        for k, row in enumerate(self.row_of):
            row.members.append(k)
        self._free = {id(row): along(row.terms, v) + row.rate for row in self.rows}
        self._speeds = _speeds_of(self.rows, v)
        if guess is not None:
            self._give(range(len(impulses)), guess)
        self._frictions = [self._beside(k) for k in range(len(impulses))]
        self._entering = [self._asked(one, one.limit.entering, v, h) for one in impulses]
        self.units = [self._unit(row) for row in self.rows if not isinstance(self._limit(row), Cone)]

    def _limit(self, row: _Row) -> Limit:
        return self.impulses[row.members[0]].limit

    def _unit(self, row: _Row) -> Callable[[], list[Scalar]]:
        """What is solved together: the impulses along a row, or along the normal and the tangents of a contact."""
        k = row.members[0]
        if not self._rubs(self.impulses[k]):
            return partial(self._solve_row, row)
        members = list(self.impulses[k].mates)
        return partial(self._solve_contact, members, RubbingContact([self.row_of[j] for j in members], self.ops))

    def _rubs(self, one: Impulse) -> bool:
        """Whether it belongs to a contact with friction."""
        return any(isinstance(self.impulses[j].limit, Cone) for j in one.mates)

    def _row(self, one: Impulse) -> _Row:
        """The row of an impulse; one whose limit looks at others has a row to itself."""
        alone = one.limit.entering is not None or self._rubs(one)
        same = (row for row in self.rows if row.terms is one.row and row.shared)
        found = None if alone else next(same, None)
        if found is None:
            found = _Row(one, alone)
            self.rows.append(found)
        return found

    def _give(self, members: Iterable[int], values: Sequence[Scalar]) -> list[Scalar]:
        """New values to impulses, and by how much the speeds along their rows change."""
        changes = []
        for k, value in zip(members, values, strict=True):
            row = self.row_of[k]
            changes.append(value - self.values[k])
            row.total = value if len(row.members) == 1 else row.total + changes[-1]
            self.values[k] = value
            self._speeds.push(row, changes[-1])
        return changes

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
        (speed,), before = self._speeds.without([row], self._free), row.total
        for k in row.members:
            one, rest = self.impulses[k], speed
            for j in row.members:
                rest = rest if j == k else rest + self.values[j]
            gives_way = 1.0 if is_zero(one.compliance) else row.answer / (row.answer + one.compliance)
            entering, share = self._met(k, self._entering[k])
            known = (entering, share, self.ops, self._relief(k), self._free[id(row)])
            self.values[k] = one.limit.impulse(Meeting(rest, one.target, row.answer, gives_way, *known))
        row.total = sum((self.values[k] for k in row.members[1:]), self.values[row.members[0]])
        self._speeds.push(row, row.total - before)
        return [row.total - before]

    def _solve_contact(self, members: Sequence[int], contact: RubbingContact) -> list[Scalar]:
        """Give new values to the impulses of a contact with friction; by how much the speeds along them change."""
        rows = contact.rows
        speeds = self._speeds.without(rows, self._free)
        normal, cone = self.impulses[members[0]], self.impulses[members[1]].limit
        assert isinstance(cone, Cone)
        assert isinstance(normal.limit, Unilateral)
        least = normal.limit.least(self._free[id(rows[0])], self.ops)
        slip = [speed - self.impulses[k].target for speed, k in zip(speeds[1:], members[1:], strict=True)]
        before = [self.values[k] * row.inverse for k, row in zip(members, rows, strict=True)]
        pushes = contact.impulses([speeds[0] - least, *slip], before, cone.friction)
        return self._give(members, [push * row.answer for push, row in zip(pushes, rows, strict=True)])

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


class _CoupledRows:
    """Speeds along rows from what couples them with one another: for few of them."""

    def __init__(self, rows: Sequence[_Row]) -> None:
        self._rows = rows
        self._couplings = {
            (id(row), id(other)): along(row.terms, other.per_speed)
            for row in rows
            for other in rows
            if other is not row
        }

    def push(self, row: _Row, change: Scalar) -> None:
        """Nothing to do: the totals of the rows say it all."""

    def without(self, some: Sequence[_Row], free: Mapping[int, Scalar]) -> list[Scalar]:
        """Speeds along some rows without their own impulses; the row that was solved last comes last."""
        chosen, first = {id(row) for row in some}, max(self._rows.index(row) for row in some)
        others = [row for row in (*self._rows[first + 1 :], *self._rows[:first]) if id(row) not in chosen]
        found = []
        for row in some:
            speed = free[id(row)]
            for other in others:
                speed = speed + self._couplings[id(row), id(other)] * other.total
            found.append(speed)
        return found


class _AllSpeeds:
    """Speeds along rows from those of the machine: for many rows."""

    def __init__(self, v: Sequence[Scalar]) -> None:
        self._v = list(v)

    def push(self, row: _Row, change: Scalar) -> None:
        """The speeds of the machine change with an impulse."""
        self._v = [speed + per * change for speed, per in zip(self._v, row.per_speed, strict=True)]

    def without(self, some: Sequence[_Row], _: Mapping[int, Scalar]) -> list[Scalar]:
        """Speeds along some rows without their own impulses."""
        rest = self._v
        for row in some:
            rest = [speed - per * row.total for speed, per in zip(rest, row.per_speed, strict=True)]
        return [along(row.terms, rest) + row.rate for row in some]


def _speeds_of(rows: Sequence[_Row], v: Sequence[Scalar]) -> _CoupledRows | _AllSpeeds:
    """What takes fewer operations."""
    return _CoupledRows(rows) if len(rows) <= len(v) + 2 else _AllSpeeds(v)


def _padded(numbers: Sequence[Scalar]) -> list[Scalar]:
    """Numbers along normal and two tangents, 0 along a second one that is missing."""
    return [*numbers, *(0.0 for _ in range(3 - len(numbers)))]


class RubbingContact:
    r"""A contact with friction, solved with everything else as it is.

    With the impulses $P_n, P_t$ and $u = b + W P$ it is open ($b_n \ge 0$: P = 0), sticks (u = 0) or slides,
    $u_n = 0, P_t = -\mu P_n d, u_t = |u_t| d$. The direction d follows from
    $(\hat W + \lambda) P_t = -\hat b, \lambda = |u_t| / (\mu P_n)$, where $\hat W, \hat b$ have the normal eliminated:
    it is exact where friction answers alike in all directions or in a single one, and improves from sweep to sweep.

    Args:
        rows: normal and one or two tangents; nothing moves along a second one that is missing.
        ops: operations of the scalars.
    """

    def __init__(self, rows: Sequence[_Row], ops: Operations) -> None:
        self.rows, self._ops = rows, ops
        self._W = [_padded([along(row.terms, other.effect) for other in rows]) for row in rows]
        if len(rows) == 2:
            self._W.append([0.0, 0.0, 0.0])
        (_, n1, n2), (_, a, c), (_, _, b) = self._W
        over = rows[0].inverse
        self._A = a - n1 * n1 * over, b - n2 * n2 * over, c - n1 * n2 * over
        A, B, C = self._A
        trace, determinant = A + B, A * B - C * C
        trace = ops.maximum(trace, SINGULAR * (a + b) + IMMOVABLE)
        least = SINGULAR * trace * trace
        self._regular, self._per_trace = determinant > least, 0.5 * (2.0 / trace)
        self._per_determinant = 0.5 * (2.0 / ops.maximum(determinant, least))

    def impulses(self, speeds: Sequence[Scalar], before: Sequence[Scalar], friction: Scalar) -> list[Scalar]:
        """Impulses along normal and tangents, from speeds without them (relative to those wanted) and the last ones."""
        ops, ((n, n1, n2), *_), over = self._ops, self._W, self.rows[0].inverse
        speeds, before = _padded(speeds), _padded(before)
        bn, b1, b2 = speeds
        pressed = ops.maximum(-bn, 0.0)
        h1, h2 = b1 + n1 * over * pressed, b2 + n2 * over * pressed
        stuck = self._stuck(h1, h2)
        held = pressed * over - (n1 * stuck[0] + n2 * stuck[1]) * over
        d1, d2 = self._direction((h1, h2), friction * over * pressed, self._slip_ratio(speeds, before), friction * over)
        answer = n - friction * (n1 * d1 + n2 * d2)
        jams = answer < JAMMING * n
        ending = ops.where(bn < 0, ops.maximum(held, 0.0), 0.0)
        slid = ops.where(jams, ending, pressed / ops.where(jams, 1.0, answer))
        most, pull = friction * held, stuck[0] * stuck[0] + stuck[1] * stuck[1]
        sticks = ops.where(ops.maximum(bn, -held) < 0, pull, most * most + 1.0) <= most * most
        found = [ops.where(sticks, held, slid)]
        found += [ops.where(sticks, x, -friction * slid * d) for x, d in zip(stuck, (d1, d2), strict=True)]
        return found[: len(self.rows)]

    def _stuck(self, h1: Scalar, h2: Scalar) -> list[Scalar]:
        """Impulses along the tangents that stop all slip; along the one that can move where only one can."""
        ops, (A, B, C), whole = self._ops, self._A, self._per_determinant
        exact = (C * h2 - B * h1) * whole, (C * h1 - A * h2) * whole
        single = -self._per_trace * h1, -self._per_trace * h2
        return [ops.where(self._regular, x, y) for x, y in zip(exact, single, strict=True)]

    def _slip_ratio(self, b: Sequence[Scalar], before: Sequence[Scalar]) -> Scalar:
        """|u_t| / |P_t| with the impulses as they are."""
        u, w = (
            speed + sum((w * p for w, p in zip(row[1:], before[1:], strict=True)), row[0] * before[0])
            for speed, row in zip(b[1:], self._W[1:], strict=True)
        )
        return self._ops.sqrt((u * u + w * w) / (before[1] * before[1] + before[2] * before[2] + NOTHING))

    def _direction(self, h: Sequence[Scalar], most: Scalar, ratio: Scalar, weight: Scalar) -> tuple[Scalar, Scalar]:
        r"""The direction of sliding, of length 1 or 0: that of $(\hat W + \lambda)^{-1} \hat b$, times its determinant.

        Newton's method for the $\lambda$ with $\mu P_n = |P_t|$, from `ratio` or from what bounds it, |b| / `most`.
        """
        ops, (A, B, C), (_, n1, n2), (f, g) = self._ops, self._A, self._W[0], h
        root = ops.minimum(ratio, ops.sqrt(f * f + g * g) / (most + LITTLE))
        slope = weight * (n1 * f + n2 * g)
        for _ in range(ROOT_STEPS):
            x, y = (B + root) * f - C * g, (A + root) * g - C * f
            size = ops.sqrt(x * x + y * y + NOTHING)
            bound = most * ((A + root) * (B + root) - C * C) + weight * (n1 * x + n2 * y)
            rise = most * (A + B + 2.0 * root) + slope - bound * (x * f + y * g) / (size * size)
            better = root - (bound - size) / (ops.absolute(rise) + NOTHING)
            root = ops.maximum(ops.minimum(better, FAR_ROOT), 0.0)
        x, y = (B + root) * f - C * g, (A + root) * g - C * f
        scale = 1.0 / ops.sqrt(x * x + y * y + NOTHING)
        return scale * x, scale * y


def strikes_by_sliding(
    contact: Sequence[Impulse], push: Scalar, begin: Sequence[Scalar], free: Sequence[Scalar], ops: Operations
) -> Scalar:
    """Whether friction makes a blow of a contact that slides and is pressed by forces alone (the paradox of Painleve).

    Sliding on would press it ever harder, n - mu n_t . d <= 0, and what ends it is beyond all forces.

    Args:
        contact: along the normal and the tangents.
        push: the impulse along the normal [Ns].
        begin: speeds at the beginning of the step.
        free: speeds at its end but for impulses.
        ops: operations of the scalars.
    """
    normal, *tangents = contact
    cone = tangents[0].limit
    assert isinstance(cone, Cone)
    slip = [along(one.row, begin) + one.rate - one.target for one in tangents]
    scale = 1.0 / ops.sqrt(sum((x * x for x in slip), NOTHING))
    own = along(normal.row, normal.effect)
    pressing = sum((along(normal.row, one.effect) * x for one, x in zip(tangents, slip, strict=True)), 0.0) * scale
    jams = (JAMMING - 1.0) * own + cone.friction * pressing
    approach = -(along(normal.row, free) + normal.rate)
    forced = 0.5 * approach + along(normal.row, begin) + normal.rate
    blow = own * push - BLOW * approach
    return ops.minimum(ops.minimum(jams, approach), ops.minimum(forced, blow)) > 0


def _times(row: Terms, other: Terms) -> float | None:
    """The factor from a row to another one along the same single speed; None where they are not such."""
    if len(row) != 1 or len(other) != 1 or row[0][0] != other[0][0]:
        return None
    mine, its = row[0][1], other[0][1]
    return float(its) / float(mine) if is_number(mine) and is_number(its) else None
