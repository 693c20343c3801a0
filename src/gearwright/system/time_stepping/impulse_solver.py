r"""Impulses of all laws over a fixed step, by projected Gauss-Seidel, over generic scalars.

With the speeds $v_f$ at the end of the step without them, $v = v_f + \sum_i Y_i P_i$, $Y_i = M^{-1} b_i$. Each impulse
in sequence gets the value that its limit allows, with all others fixed; repeated sweeps are the projected Gauss-Seidel
method (Jourdan, Alart and Jean, 1998). An impulse is expressed as the speed change $p = b \cdot Y P$ along its own row,
which leaves only the coupling terms between two of them. Impulses along the same row are solved together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.forces.event_tolerances import ZERO_LENGTH_SQUARE
from gearwright.forces.impulse_limits import ImpulseLimit, ImpulseRequest, PortInflow
from gearwright.forces.time_stepping_impulses import BoundedImpulse, FrictionCone, GearLossImpulse, UnilateralImpulse
from gearwright.mechanism import Terms, row_dot

JAMMING_RATIO = 1e-3
"""Normal response of a sliding contact, relative to that without sliding, up to which it jams."""

IMPACT_IMPULSE_RATIO = 10.0
"""Normal impulse, relative to the one that stops the approach without friction, above which it is an impact."""

IMMOVABLE_RESPONSE = 1e-20
"""Regularisation of every row's response [1/kg, 1/(kg m2)]: a row without freedom gets no impulse."""

DIRECTION_NEWTON_STEPS = 2
"""Newton steps per sweep for the slip direction of a contact."""

NEGLIGIBLE_IMPULSE, MAX_SLIP_RATIO = 1e-30, 1e30
"""An unlimited impulse [Ns], and the ratio of slip to impulse [1/kg] for a zero impulse."""

NEGLIGIBLE_SLOPE = 1e-60
"""A slope of the equation for the direction of sliding [Ns/kg] that is zero; its inverse square is a finite number."""

DIRECTIONLESS_SQUARE = 1e-140
"""Square of a length below which it has no direction."""

SINGULAR_RESPONSE_RATIO = 1e-12
"""Responses along tangents, relative to their scale, up to which there is no freedom."""


@dataclass(frozen=True)
class PortFlow:
    """The flow through a drag over a step: `constant_part` - sense . v + shares . P.

    Args:
        constant_part: inflow of forces minus the drift of the wheels, plus sense . v at the beginning.
        sense: one value per speed, as terms.
        shares: per impulse its share of the flow.
    """

    constant_part: Scalar
    sense: Terms
    shares: dict[int, Scalar]


@dataclass(frozen=True)
class HoldImpulse:
    """The impulse of one hold over a step.

    Args:
        row: its row; the same object for all that share it.
        speed_response: Y, the change of the speeds per unit impulse.
        limit: its limit.
        target: the target speed of its hold along its line.
        rate: the part of the speed along its line due to explicit time.
        compliance: deflection speed per unit impulse.
        flows: the drags of its law.
        law_impulses: the indices of the impulses of its law.
    """

    row: Terms
    speed_response: Sequence[Scalar]
    limit: ImpulseLimit
    target: Scalar
    rate: Scalar = 0.0
    compliance: Scalar = 0.0
    flows: Sequence[PortFlow] = ()
    law_impulses: Sequence[int] = ()


class ImpulseSolution(NamedTuple):
    """The result of a number of sweeps.

    Args:
        speeds: at the end of the step.
        impulses: per hold [Nms, Ns].
        scaled: the impulses as speed changes along their own rows: the initial guess of further sweeps.
        residual: largest change of a speed along a row in the last sweep [rad/s, m/s]; 0 at convergence.
    """

    speeds: list[Scalar]
    impulses: list[Scalar]
    scaled: list[Scalar]
    residual: Scalar


def solve_impulses(
    impulses: Sequence[HoldImpulse],
    v: Sequence[Scalar],
    h: Scalar,
    sweeps: int,
    ops: Operations,
    guess: Sequence[Scalar] | None = None,
    previous: Sequence[Scalar] | None = None,
    active: Scalar = True,
) -> ImpulseSolution:
    """Speeds and impulses after a number of sweeps over a step of h [s] with the final speeds v without impulses.

    Args:
        impulses: the impulses of all holds.
        v: speeds without impulses.
        h: duration of the step [s].
        sweeps: number of sweeps.
        ops: operations of the scalars.
        guess: initial scaled impulses; default: zero.
        previous: scaled impulses that are kept where `active` is false; None if it is true everywhere.
        active: whether sweeps are needed.
    """
    problem = _GaussSeidelSweep(impulses, v, h, ops, guess)
    residual: Scalar = 0.0
    for sweep in range(sweeps):
        for unit in problem.units:
            changes = unit()
            if sweep == sweeps - 1:
                for change in changes:
                    residual = ops.maximum(residual, ops.absolute(change))
    if previous is not None:
        problem.values = [ops.where(active, new, old) for new, old in zip(problem.values, previous, strict=True)]
    after = list(v)
    for row in problem.rows:
        total = sum((problem.values[k] for k in row.members[1:]), problem.values[row.members[0]])
        after = [speed + per * total for speed, per in zip(after, row.per_speed, strict=True)]
    impulse = [p * row.inverse for p, row in zip(problem.values, problem.row_of, strict=True)]
    return ImpulseSolution(after, impulse, problem.values, residual)


class _ImpulseRow:
    """The impulses along one row.

    Args:
        first: one of them.
        alone: whether no other law may share it.
    """

    def __init__(self, first: HoldImpulse, alone: bool) -> None:
        self.terms, self.rate, self.members = first.row, first.rate, []  # type: Terms, Scalar, list[int]
        self.shared, self.effect = not alone, first.speed_response
        self.response = row_dot(first.row, first.speed_response)
        self.inverse = 0.5 * (
            2.0 / (self.response + IMMOVABLE_RESPONSE)
        )  # halves: CasADi turns every x * (1 / y) into a division
        self.per_speed = [per * self.inverse for per in first.speed_response]
        self.total: Scalar = 0.0


class _GaussSeidelSweep:
    """The iteration of the impulses: `values` are the speed changes along their rows."""

    def __init__(
        self,
        impulses: Sequence[HoldImpulse],
        v: Sequence[Scalar],
        h: Scalar,
        ops: Operations,
        guess: Sequence[Scalar] | None,
    ) -> None:
        self.impulses, self.ops, self.values = impulses, ops, [0.0] * len(impulses)
        self.rows: list[_ImpulseRow] = []
        self.row_of = [self._row_for_impulse(impulse) for impulse in impulses]
        for k, row in enumerate(self.row_of):
            row.members.append(k)
        self._free = {id(row): row_dot(row.terms, v) + row.rate for row in self.rows}
        self._speeds = _row_speeds(self.rows, v)
        if guess is not None:
            self._set_values(range(len(impulses)), guess)
        self._frictions = [self._adjacent_frictions(k) for k in range(len(impulses))]
        self._inflows = [self._inflow_coefficients(impulse, impulse.limit.inflow, v, h) for impulse in impulses]
        self.units = [
            self._solving_unit(row) for row in self.rows if not isinstance(self._row_limit(row), FrictionCone)
        ]

    def _row_limit(self, row: _ImpulseRow) -> ImpulseLimit:
        return self.impulses[row.members[0]].limit

    def _solving_unit(self, row: _ImpulseRow) -> Callable[[], list[Scalar]]:
        """The solver of one unit: the impulses along a row, or along the normal and the tangents of a contact."""
        k = row.members[0]
        if not self._has_friction(self.impulses[k]):
            return partial(self._solve_row, row)
        members = list(self.impulses[k].law_impulses)
        return partial(self._solve_contact, members, FrictionalContact([self.row_of[j] for j in members], self.ops))

    def _has_friction(self, impulse: HoldImpulse) -> bool:
        """Whether it belongs to a contact with friction."""
        return any(isinstance(self.impulses[j].limit, FrictionCone) for j in impulse.law_impulses)

    def _row_for_impulse(self, impulse: HoldImpulse) -> _ImpulseRow:
        """The row of an impulse; one whose limit depends on others has its own row."""
        alone = impulse.limit.inflow is not None or self._has_friction(impulse)
        same = (row for row in self.rows if row.terms is impulse.row and row.shared)
        impulse_row = None if alone else next(same, None)
        if impulse_row is None:
            impulse_row = _ImpulseRow(impulse, alone)
            self.rows.append(impulse_row)
        return impulse_row

    def _set_values(self, members: Iterable[int], values: Sequence[Scalar]) -> list[Scalar]:
        """Set new values of impulses and return the changes of the speeds along their rows."""
        changes = []
        for k, value in zip(members, values, strict=True):
            row = self.row_of[k]
            changes.append(value - self.values[k])
            row.total = value if len(row.members) == 1 else row.total + changes[-1]
            self.values[k] = value
            self._speeds.add_change(row, changes[-1])
        return changes

    def _inflow_coefficients(
        self, impulse: HoldImpulse, inflow: PortInflow | None, v: Sequence[Scalar], h: Scalar
    ) -> tuple[Scalar, list[Scalar]] | None:
        """The gear input without impulses, and its change per impulse; None if the limit does not depend on it."""
        if inflow is None:
            return None
        constant_inflow, per_impulse = inflow.constant_inflow * h, [0.0] * len(self.impulses)  # type: Scalar, list[Scalar]
        for weight, flow in zip(inflow.flows, impulse.flows, strict=True):
            constant_inflow = constant_inflow + weight * (flow.constant_part - row_dot(flow.sense, v))
            for j, row in enumerate(self.row_of):
                passing = flow.shares.get(j, 0.0) * row.inverse - row_dot(flow.sense, row.per_speed)
                per_impulse[j] = per_impulse[j] + weight * passing
        for weight, j in zip(inflow.impulses, impulse.law_impulses, strict=bool(inflow.impulses)):
            per_impulse[j] = per_impulse[j] + weight * self.row_of[j].inverse
        return constant_inflow, per_impulse

    def _solve_row(self, row: _ImpulseRow) -> list[Scalar]:
        """Solve the impulses of one row and return the change of its speed."""
        (speed,), before = self._speeds.speeds_without([row], self._free), row.total
        for k in row.members:
            impulse, other_speed = self.impulses[k], speed
            for j in row.members:
                other_speed = other_speed if j == k else other_speed + self.values[j]
            compliance_factor = (
                1.0 if is_zero(impulse.compliance) else row.response / (row.response + impulse.compliance)
            )
            inflow, share = self._inflow_without(k, self._inflows[k])
            request_parts = (inflow, share, self.ops, self._friction_relief(k), self._free[id(row)])
            self.values[k] = impulse.limit.limited_impulse(
                ImpulseRequest(other_speed, impulse.target, row.response, compliance_factor, *request_parts)
            )
        row.total = sum((self.values[k] for k in row.members[1:]), self.values[row.members[0]])
        self._speeds.add_change(row, row.total - before)
        return [row.total - before]

    def _solve_contact(self, members: Sequence[int], contact: FrictionalContact) -> list[Scalar]:
        """Solve the impulses of a contact with friction and return the changes of the speeds along them."""
        rows = contact.rows
        speeds = self._speeds.speeds_without(rows, self._free)
        normal, cone = self.impulses[members[0]], self.impulses[members[1]].limit
        assert isinstance(cone, FrictionCone)
        assert isinstance(normal.limit, UnilateralImpulse)
        least = normal.limit.least_speed(self._free[id(rows[0])], self.ops)
        slip = [speed - self.impulses[k].target for speed, k in zip(speeds[1:], members[1:], strict=True)]
        before = [self.values[k] * row.inverse for k, row in zip(members, rows, strict=True)]
        pushes = contact.contact_impulses([speeds[0] - least, *slip], before, cone.friction)
        return self._set_values(members, [push * row.response for push, row in zip(pushes, rows, strict=True)])

    def _adjacent_frictions(self, k: int) -> list[tuple[int, BoundedImpulse, float]]:
        """The friction laws on the joint side of a self-locking gear, each with the factor from its row to row k."""
        limit, flows = self.impulses[k].limit, self.impulses[k].flows
        if not (isinstance(limit, GearLossImpulse) and limit.may_lock):
            return []
        frictions = []
        for j, impulse in enumerate(self.impulses):
            factor = None if any(j in flow.shares for flow in flows) else _row_factor(impulse.row, self.impulses[k].row)
            if j != k and isinstance(impulse.limit, BoundedImpulse) and factor is not None:
                frictions.append((j, impulse.limit, factor))
        return frictions

    def _friction_relief(self, k: int) -> tuple[Scalar, ...]:
        """The least and greatest further speed change that friction along a gear's row allows."""
        low, high = 0.0, 0.0  # type: Scalar, Scalar
        for j, limit, factor in self._frictions[k]:
            response, value = self.row_of[j].response, self.values[j]
            low = low + factor * (limit.low * response - value)
            high = high + factor * (limit.high * response - value)
        return (low, high) if self._frictions[k] else ()

    def _inflow_without(self, k: int, coefficients: tuple[Scalar, list[Scalar]] | None) -> tuple[Scalar, Scalar]:
        """The gear input without the impulse k, as a speed, and its decrease per unit of that impulse."""
        if coefficients is None:
            return 0.0, 0.0
        inflow, per_impulse = coefficients
        for j, (coupling, value) in enumerate(zip(per_impulse, self.values, strict=True)):
            if j != k:
                inflow = inflow + coupling * value
        response = self.row_of[k].response
        return inflow * response, -per_impulse[k] * response


class _CoupledRowSpeeds:
    """Speeds along rows from their coupling matrix: for few rows."""

    def __init__(self, rows: Sequence[_ImpulseRow]) -> None:
        self._rows = rows
        self._couplings = {
            (id(row), id(second_row)): row_dot(row.terms, second_row.per_speed)
            for row in rows
            for second_row in rows
            if second_row is not row
        }

    def add_change(self, row: _ImpulseRow, change: Scalar) -> None:
        """Do nothing: the totals of the rows are sufficient."""

    def speeds_without(self, removed_rows: Sequence[_ImpulseRow], free: Mapping[int, Scalar]) -> list[Scalar]:
        """Speeds along some rows without their own impulses; the row that was solved last comes last."""
        chosen, first = {id(row) for row in removed_rows}, max(self._rows.index(row) for row in removed_rows)
        other_rows = [row for row in (*self._rows[first + 1 :], *self._rows[:first]) if id(row) not in chosen]
        speeds = []
        for row in removed_rows:
            speed = free[id(row)]
            for other_row in other_rows:
                speed = speed + self._couplings[id(row), id(other_row)] * other_row.total
            speeds.append(speed)
        return speeds


class _MachineSpeeds:
    """Speeds along rows from the speeds of the machine: for many rows."""

    def __init__(self, v: Sequence[Scalar]) -> None:
        self._v = list(v)

    def add_change(self, row: _ImpulseRow, change: Scalar) -> None:
        """Update the speeds of the machine by an impulse."""
        self._v = [speed + per * change for speed, per in zip(self._v, row.per_speed, strict=True)]

    def speeds_without(self, removed_rows: Sequence[_ImpulseRow], _: Mapping[int, Scalar]) -> list[Scalar]:
        """Speeds along some rows without their own impulses."""
        remaining_speeds = self._v
        for row in removed_rows:
            remaining_speeds = [
                speed - per * row.total for speed, per in zip(remaining_speeds, row.per_speed, strict=True)
            ]
        return [row_dot(row.terms, remaining_speeds) + row.rate for row in removed_rows]


def _row_speeds(rows: Sequence[_ImpulseRow], v: Sequence[Scalar]) -> _CoupledRowSpeeds | _MachineSpeeds:
    """The representation with fewer operations."""
    return _CoupledRowSpeeds(rows) if len(rows) <= len(v) + 2 else _MachineSpeeds(v)


def _padded_to_three(numbers: Sequence[Scalar]) -> list[Scalar]:
    """Numbers along normal and two tangents, 0 along a second one that is missing."""
    return [*numbers, *(0.0 for _ in range(3 - len(numbers)))]


class FrictionalContact:
    r"""A contact with friction, solved with all other impulses fixed.

    With the impulses $P_n, P_t$ and $u = b + W P$ it is open ($b_n \ge 0$: P = 0), sticks (u = 0) or slides,
    $u_n = 0, P_t = -\mu P_n d, u_t = |u_t| d$. The direction d follows from
    $(\hat W + \lambda) P_t = -\hat b, \lambda = |u_t| / (\mu P_n)$, where $\hat W, \hat b$ have the normal eliminated:
    it is exact where the response is equal in all directions or there is a single one, and converges with the sweeps.

    Args:
        rows: normal and one or two tangents; nothing moves along a second one that is missing.
        ops: operations of the scalars.
    """

    def __init__(self, rows: Sequence[_ImpulseRow], ops: Operations) -> None:
        self.rows, self._ops = rows, ops
        self._W = [_padded_to_three([row_dot(row.terms, second_row.effect) for second_row in rows]) for row in rows]
        if len(rows) == 2:
            self._W.append([0.0, 0.0, 0.0])
        (_, n1, n2), (_, a, c), (_, _, b) = self._W
        over = rows[0].inverse
        self._A = a - n1 * n1 * over, b - n2 * n2 * over, c - n1 * n2 * over
        A, B, C = self._A
        trace, determinant = A + B, A * B - C * C
        trace = ops.maximum(trace, SINGULAR_RESPONSE_RATIO * (a + b) + IMMOVABLE_RESPONSE)
        least = SINGULAR_RESPONSE_RATIO * trace * trace
        self._regular, self._per_trace = determinant > least, 0.5 * (2.0 / trace)
        self._per_determinant = 0.5 * (2.0 / ops.maximum(determinant, least))

    def contact_impulses(self, speeds: Sequence[Scalar], before: Sequence[Scalar], friction: Scalar) -> list[Scalar]:
        """Impulses along normal and tangents, from speeds without them (relative to the targets) and the last ones."""
        ops, ((n, n1, n2), *_), over = self._ops, self._W, self.rows[0].inverse
        speeds, before = _padded_to_three(speeds), _padded_to_three(before)
        bn, b1, b2 = speeds
        pressed = ops.maximum(-bn, 0.0)
        h1, h2 = b1 + n1 * over * pressed, b2 + n2 * over * pressed
        stuck = self._sticking_impulses(h1, h2)
        sticking_impulse = pressed * over - (n1 * stuck[0] + n2 * stuck[1]) * over
        d1, d2 = self._slip_direction(
            (h1, h2), friction * over * pressed, self._slip_ratio(speeds, before), friction * over
        )
        sliding_response = n - friction * (n1 * d1 + n2 * d2)
        jams = sliding_response < JAMMING_RATIO * n
        ending = ops.where(bn < 0, ops.maximum(sticking_impulse, 0.0), 0.0)
        sliding_impulse = ops.where(jams, ending, pressed / ops.where(jams, 1.0, sliding_response))
        most, pull = friction * sticking_impulse, stuck[0] * stuck[0] + stuck[1] * stuck[1]
        sticks = ops.where(ops.maximum(bn, -sticking_impulse) < 0, pull, most * most + 1.0) <= most * most
        solved_impulses = [ops.where(sticks, sticking_impulse, sliding_impulse)]
        solved_impulses += [
            ops.where(sticks, x, -friction * sliding_impulse * d) for x, d in zip(stuck, (d1, d2), strict=True)
        ]
        return solved_impulses[: len(self.rows)]

    def _sticking_impulses(self, h1: Scalar, h2: Scalar) -> list[Scalar]:
        """Impulses along the tangents that stop the slip; along the movable one if there is only one."""
        ops, (A, B, C), whole = self._ops, self._A, self._per_determinant
        exact = (C * h2 - B * h1) * whole, (C * h1 - A * h2) * whole
        single = -self._per_trace * h1, -self._per_trace * h2
        return [ops.where(self._regular, x, y) for x, y in zip(exact, single, strict=True)]

    def _slip_ratio(self, b: Sequence[Scalar], before: Sequence[Scalar]) -> Scalar:
        """|u_t| / |P_t| with the current impulses."""
        u, w = (
            speed + sum((w * p for w, p in zip(row[1:], before[1:], strict=True)), row[0] * before[0])
            for speed, row in zip(b[1:], self._W[1:], strict=True)
        )
        square = u * u + w * w + ZERO_LENGTH_SQUARE
        return self._ops.sqrt(square / (before[1] * before[1] + before[2] * before[2] + DIRECTIONLESS_SQUARE))

    def _slip_direction(
        self, h: Sequence[Scalar], most: Scalar, ratio: Scalar, weight: Scalar
    ) -> tuple[Scalar, Scalar]:
        r"""The direction of sliding, of length 1 or 0: that of $(\hat W + \lambda)^{-1} \hat b$, times its determinant.

        Newton's method for the $\lambda$ with $\mu P_n = |P_t|$, from `ratio` or from what bounds it, |b| / `most`.
        """
        ops, (A, B, C), (_, n1, n2), (f, g) = self._ops, self._A, self._W[0], h
        root = ops.minimum(ratio, ops.sqrt(f * f + g * g + ZERO_LENGTH_SQUARE) / (most + NEGLIGIBLE_IMPULSE))
        slope = weight * (n1 * f + n2 * g)
        for _ in range(DIRECTION_NEWTON_STEPS):
            x, y = (B + root) * f - C * g, (A + root) * g - C * f
            size = ops.sqrt(x * x + y * y + DIRECTIONLESS_SQUARE)
            bound = most * ((A + root) * (B + root) - C * C) + weight * (n1 * x + n2 * y)
            rise = most * (A + B + 2.0 * root) + slope - bound * (x * f + y * g) / (size * size)
            better = root - (bound - size) / (ops.absolute(rise) + NEGLIGIBLE_SLOPE)
            root = ops.maximum(ops.minimum(better, MAX_SLIP_RATIO), 0.0)
        x, y = (B + root) * f - C * g, (A + root) * g - C * f
        scale = 1.0 / ops.sqrt(x * x + y * y + DIRECTIONLESS_SQUARE)
        return scale * x, scale * y


def is_impact_by_friction(
    contact: Sequence[HoldImpulse], push: Scalar, begin: Sequence[Scalar], free: Sequence[Scalar], ops: Operations
) -> Scalar:
    """Whether friction causes an impact of a sliding contact without collision (Painleve paradox).

    Continued sliding would press it in without bound, n - mu n_t . d <= 0, and no finite force ends it.

    Args:
        contact: along the normal and the tangents.
        push: the impulse along the normal [Ns].
        begin: speeds at the beginning of the step.
        free: speeds at its end without impulses.
        ops: operations of the scalars.
    """
    normal, *tangents = contact
    cone = tangents[0].limit
    assert isinstance(cone, FrictionCone)
    slip = [row_dot(tangent.row, begin) + tangent.rate - tangent.target for tangent in tangents]
    scale = 1.0 / ops.sqrt(sum((x * x for x in slip), DIRECTIONLESS_SQUARE))
    normal_response = row_dot(normal.row, normal.speed_response)
    pressing = (
        sum((row_dot(normal.row, tangent.speed_response) * x for tangent, x in zip(tangents, slip, strict=True)), 0.0)
        * scale
    )
    jams = (JAMMING_RATIO - 1.0) * normal_response + cone.friction * pressing
    approach = -(row_dot(normal.row, free) + normal.rate)
    forced = 0.5 * approach + row_dot(normal.row, begin) + normal.rate
    excess_impulse = normal_response * push - IMPACT_IMPULSE_RATIO * approach
    return ops.minimum(ops.minimum(jams, approach), ops.minimum(forced, excess_impulse)) > 0


def _row_factor(row: Terms, reference: Terms) -> float | None:
    """The factor from a row to another one along the same single speed; None otherwise."""
    if len(row) != 1 or len(reference) != 1 or row[0][0] != reference[0][0]:
        return None
    row_entry, reference_entry = row[0][1], reference[0][1]
    return float(reference_entry) / float(row_entry) if is_number(row_entry) and is_number(reference_entry) else None
