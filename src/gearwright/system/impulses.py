r"""Impulses of all laws over a fixed step, by projected Gauss-Seidel, over scalars of any kind.

With the speeds $v_f$ that the step would end with but for them, $v = v_f + \sum_i Y_i P_i$, $Y_i = M^{-1} b_i$. One
after the other gets the impulse that its limit allows, everything else being as it is; a few rounds of that are the
projected Gauss-Seidel method of Jourdan, Alart and Jean (1998). Impulses along the same row share one answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gearwright.algebra import Operations, Scalar
from gearwright.forces.limit import Entering, Limit, Meeting
from gearwright.mechanism.rows import Terms, along


@dataclass(frozen=True)
class Flow:
    """What goes through a drag over a step, before the impulses: `known` - sense . v + shares . P.

    Args:
        known: what forces bring, less what the wheels' own drift takes, plus sense . v at the beginning.
        sense: one number per speed, as terms.
        shares: per impulse how much of it goes through.
    """

    known: Scalar
    sense: Terms
    shares: dict[int, Scalar]


@dataclass
class Impulse:
    """One impulse on its way.

    Args:
        row: the row it acts along.
        effect: Y, what a unit of it does to the speeds.
        limit: what it may be.
        target: the speed that its hold wants, in the sense row . v.
        compliance: speed that a unit of it gives way.
        flows: the drags of its law.
        mates: the impulses of its law, by number.
    """

    row: Terms
    effect: Sequence[Scalar]
    limit: Limit
    target: Scalar
    compliance: Scalar = 0.0
    flows: Sequence[Flow] = ()
    mates: Sequence[int] = ()
    value: Scalar = field(default=0.0, init=False)


def settle(
    impulses: Sequence[Impulse], v: Sequence[Scalar], h: Scalar, sweeps: int, ops: Operations
) -> tuple[list[Scalar], Scalar]:
    """The speeds at the end of the step, and the largest change of a speed along a row in the last sweep.

    The impulses keep their values.
    """
    now, unsettled = list(v), 0.0  # type: list[Scalar], Scalar
    groups = _by_row(impulses)
    for sweep in range(sweeps):
        for group in groups:
            change = _settled(group, impulses, now, h, ops)
            first = impulses[group[0]]
            if sweep == sweeps - 1:
                moved = ops.absolute(along(first.row, first.effect) * change)
                unsettled = ops.maximum(unsettled, moved)
            now = [speed + per * change for speed, per in zip(now, first.effect, strict=True)]
    return now, unsettled


def _by_row(impulses: Sequence[Impulse]) -> list[list[int]]:
    """The numbers of the impulses along each row; those whose limits look at flows stay alone."""
    groups: list[list[int]] = []
    for k, one in enumerate(impulses):
        same = (g for g in groups if impulses[g[0]].row is one.row and not impulses[g[0]].flows)
        group = None if one.flows else next(same, None)
        if group is None:
            groups.append([k])
        else:
            group.append(k)
    return groups


def _settled(
    group: Sequence[int], impulses: Sequence[Impulse], v: Sequence[Scalar], h: Scalar, ops: Operations
) -> Scalar:
    """Give new values to the impulses of one row, and say by how much their sum changes."""
    first = impulses[group[0]]
    speed, own = along(first.row, v), along(first.row, first.effect)
    total: Scalar = 0.0
    for k in group:
        one = impulses[k]
        entering, share = _entering(k, impulses, v, h)
        meeting = Meeting(speed - own * one.value, one.target, own + one.compliance, entering, share, ops)
        fresh = one.limit.impulse(meeting)
        change = fresh - one.value
        one.value, speed, total = fresh, speed + own * change, total + change
    return total


def _entering(k: int, impulses: Sequence[Impulse], v: Sequence[Scalar], h: Scalar) -> tuple[Scalar, Scalar]:
    """What enters a gear without the impulse k, and how much of it a unit of that impulse takes away."""
    one = impulses[k]
    asked: Entering | None = one.limit.entering
    if asked is None:
        return 0.0, 0.0
    entering, share = asked.given * h, 0.0  # type: Scalar, Scalar
    for weight, flow in zip(asked.flows, one.flows, strict=True):
        through = flow.known - along(flow.sense, v)
        for j, part in flow.shares.items():
            through = through + part * impulses[j].value
        entering = entering + weight * through
        share = share + weight * (along(flow.sense, one.effect) - flow.shares.get(k, 0.0))
    for weight, j in zip(asked.impulses, one.mates, strict=bool(asked.impulses)):
        entering = entering + weight * impulses[j].value
        share = share - (weight if j == k else 0.0)
    return entering + share * one.value, share
