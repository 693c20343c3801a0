r"""Linear actuators of any order along a line of the machine (motors, servo cylinders), and their inverses.

An actuator is $\dot x = C x + f M + d u + e$; the inverse gives its states and input from the motion along its line and
the force that it must give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.arguments import number, require_range
from gearwright.arrays import Array
from gearwright.errors import DriveError
from gearwright.forces.law import Action, Force, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.mechanism.rows import Terms, along, plain, terms
from gearwright.text import listed

# The inverse


class Demand(NamedTuple):
    """What is asked of an actuator over a smooth piece of motion.

    Args:
        t: times (T,) [s].
        way: position along the line and its derivatives, each (T,); they may depend on parameters.
        force: force on the machine along the line and its derivatives, each (T,); likewise.
    """

    t: Array
    way: Sequence[Scalar]
    force: Sequence[Scalar]


class Answer(NamedTuple):
    """States of an actuator's own (T, states), inputs (T, inputs), and what else is known by name, each (T,)."""

    states: Scalar
    inputs: Scalar
    shown: Mapping[str, Scalar] = MappingProxyType({})


@dataclass(frozen=True)
class Inversion:
    r"""The inverse of $\dot x = C x + f M + d u + e$ by its relative degree r, the first with $T C^{r-1} d \ne 0$.

    The tie gives $T x$ from the speed; differentiating it along the equations gives $T C x$, $T C^2 x$, ... from the
    acceleration, the force and their derivatives, until the input appears. What these rows leave open of x is the
    actuator's inner motion, which is integrated along.
    """

    actuator: LinearActuator

    def __post_init__(self) -> None:
        if len(self.actuator.controls) != 1:
            raise DriveError(
                f"actuator {self.actuator.name!r} has {len(self.actuator.controls)} inputs, so that many of them give "
                "the same force. Tie them together to one, or use a law that says how they share."
            )
        if self.rows.shape[0] > len(self.C):
            raise DriveError(
                f"actuator {self.actuator.name!r}: its input {self.actuator.controls[0].name!r} never reaches its "
                "output. Check d and C."
            )
        pace = np.abs(np.linalg.eigvals(self.C)).max()
        if self.inner.size and np.linalg.eigvals(self._inner_rate).real.max() > 1e-6 * pace:
            raise DriveError(
                f"actuator {self.actuator.name!r}: its inner motion is unstable when its output is prescribed (it is "
                "not of minimum phase), so that no input follows a motion for long. Prescribe another output."
            )

    @cached_property
    def C(self) -> Array:
        """The matrix of its states."""
        return np.array(self.actuator.C)

    @cached_property
    def d(self) -> Array:
        """The column of its input."""
        return np.array(self.actuator.d)[:, 0]

    @cached_property
    def rows(self) -> Array:
        """T, T C, ..., T C^(r-1), (r, states); one row too many if no input ever appears."""
        rows, sizes = [np.array(self.actuator.tie)], [np.abs(self.actuator.tie)]
        for _ in range(len(self.C)):
            if abs(rows[-1] @ self.d) > 1e-10 * (sizes[-1] @ np.abs(self.d)):
                break
            rows.append(rows[-1] @ self.C)
            sizes.append(sizes[-1] @ np.abs(self.C))
        return np.array(rows)

    @property
    def degree(self) -> int:
        """The relative degree r: the force is needed with r - 1 derivatives, the motion with r + 1."""
        return len(self.rows)

    @cached_property
    def _known(self) -> tuple[Array, Array]:
        """Rows of x that are known, and a scale per state that makes them of like size."""
        ways = np.eye(len(self.C))[list(self.actuator.ways)]
        rows = np.concatenate([self.rows, ways])
        rows = rows / np.abs(rows).max(axis=1, keepdims=True)
        largest = np.abs(rows).max(axis=0)
        return rows, 1 / np.where(largest > 0, largest, 1.0)

    @cached_property
    def inner(self) -> Array:
        """Directions of x, scaled, that the known rows leave open, as columns."""
        rows, scale = self._known
        _, sizes, directions = np.linalg.svd(rows * scale)
        rank = int((sizes > 1e-10 * sizes.max()).sum())
        return directions[rank:].T

    @cached_property
    def _closed(self) -> Array:
        """C with the input chosen so that the output does as it must."""
        row = self.rows[-1]
        closed: Array = self.C - np.outer(self.d, row @ self.C) / (row @ self.d)
        return closed

    @cached_property
    def _inner_rate(self) -> Array:
        _, scale = self._known
        rate: Array = self.inner.T @ (self._closed / scale[:, None] * scale) @ self.inner
        return rate

    def solve(self, demand: Demand, inner: Array | None = None) -> tuple[Answer, Array]:
        """States and input over a piece, and the inner motion at its end; `inner` is the one at its start."""
        actuator = self.actuator
        output = [f - actuator.carried * w for f, w in zip(demand.force, demand.way[2:], strict=False)]
        values, wanted = self._chain(demand, output)
        fixed = self._fixed(values, demand.way[0])
        push = np.outer(output[0], actuator.f) + np.outer(wanted / (self.rows[-1] @ self.d), self.d) + actuator.offset
        x, last = self._with_inner(demand.t, fixed, push, inner)
        u = (wanted - x @ (self.rows[-1] @ self.C)) / (self.rows[-1] @ self.d)
        return Answer(x[:, list(actuator.own)], u[:, None]), last

    def _chain(self, demand: Demand, output: Sequence[Array]) -> tuple[list[Array], Array]:
        """T C^j x for j below r, and what T C^(r-1) (C x + d u) must be."""
        e, f = np.array(self.actuator.offset), np.array(self.actuator.f)
        known = list(demand.way[1 : self.degree + 2])  # T x and its derivatives
        values = []
        for row in self.rows:
            values.append(known[0])
            less = [row @ f * m for m in output[: len(known) - 1]]
            known = [y - z for y, z in zip(known[1:], less, strict=True)]
            known[0] = known[0] - row @ e
        return values, known[0]

    def _fixed(self, values: Sequence[Array], position: Array) -> Array:
        """The part of x that the known rows give, (T, states)."""
        factors = self.actuator.ways.values()
        right = np.array([*values, *(factor * position for factor in factors)])
        rows, scale = self._known
        whole = np.concatenate([self.rows, np.eye(len(self.C))[list(self.actuator.ways)]])
        sizes = np.abs(whole).max(axis=1, keepdims=True)
        found: Array = (scale[:, None] * (np.linalg.pinv(rows * scale) @ (right / sizes))).T
        return found

    def _with_inner(self, t: Array, fixed: Array, push: Array, start: Array | None) -> tuple[Array, Array]:
        """The whole of x once the inner motion is integrated, and that motion at the end."""
        if not self.inner.size:
            return fixed, np.zeros(0)
        _, scale = self._known
        if start is None:
            start = self.inner.T @ (np.array([x.initial for x in self.actuator.variables]) / scale)
        forcing = ((fixed @ self._closed.T + push) / scale) @ self.inner
        moved = _integrated(self._inner_rate, t, forcing, start)
        return fixed + moved @ self.inner.T * scale, moved[-1]


def _integrated(rate: Array, t: Array, forcing: Array, start: Array) -> Array:
    """Z of z' = rate z + forcing(t), the forcing through a spline, (T, z)."""
    from scipy.integrate import solve_ivp
    from scipy.interpolate import make_interp_spline

    curve = make_interp_spline(t, forcing, k=min(5, len(t) - 1))
    size = max(np.abs(forcing).max(), np.abs(start).max(), 1e-12)
    done = solve_ivp(
        lambda now, z: rate @ z + curve(now), (t[0], t[-1]), start, "LSODA", t, rtol=1e-10, atol=1e-12 * size
    )
    found: Array = done.y.T
    return found


# The actuator

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class LinearActuator(Law):
    r"""An actuator $\dot x = C x + f M + d u + e$ whose output moves a line of the machine, $T \dot x = b \cdot a$.

    M is the force that it gives to the machine along the line b [Nm, N] (Vukobratovic and Potkonjak, eq. 20.74); the
    tie T may be any row. States that the machine has already are not integrated a second time: the tie gives one of
    them from the speed along the line, and a state that only counts the way (its row of C is a multiple of T) is the
    position along it.

    The equations contain an inertia $I = -1/(T f)$ along the line: $M = I\, T(C x + d u + e) - I\, b \cdot a$. What of
    it the machine has in its own mass matrix (a rotor that is a spin there, with its push on the link that carries it)
    is `carried` and is given back, so that nothing is counted twice: the machine then feels $M$ plus `carried` times
    b . a. If it carries all of it, the actuator is a plain force; if T f = 0, it leads the line whatever comes.

    Args:
        name: name of the law.
        line: the line b that its output moves.
        C: (k, k) numbers.
        f: k numbers, per output force.
        d: (k, inputs) numbers, or k of them for one input.
        tie: T, k numbers.
        variables: name and unit of each state, and its value at the start.
        controls: name and unit of each input.
        offset: e, k numbers; what a linearisation about a working point leaves. Zero unless given.
        carried: inertia along the line that the machine has already [kg m2, kg].
        limits: per input the largest magnitude that reaches the actuator, None for no limit.
        port: name of the drive through whose gear the force runs.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> from gearwright.forces.actuators.dc_motor import dc_motor
    >>> motor = dc_motor(arm, "j2", torque_constant=0.05, resistance=0.5, inductance=1e-3)
    >>> [state.name for state in motor.variables], [state.name for state in motor.states]
    (['j2.motor_angle', 'j2.motor_speed', 'j2.current'], ['j2.current'])
    """

    name: str
    line: Line
    C: Any
    f: Any
    d: Any
    tie: Any
    variables: tuple[Quantity, ...]
    controls: tuple[Quantity, ...]
    offset: Any = ()
    carried: float = 0.0
    limits: tuple[float | None, ...] = ()
    port: str | None = None

    def __post_init__(self) -> None:
        order, count = len(self.variables), len(self.controls)
        d = [[x] for x in self.d] if count == 1 and not hasattr(self.d[0], "__len__") else self.d
        values = {
            "C": self._matrix("C", self.C, order, order),
            "f": self._numbers("f", self.f, order),
            "d": self._matrix("d", d, order, count),
            "tie": self._numbers("tie", self.tie, order),
            "offset": self._numbers("offset", self.offset if len(self.offset) else [0.0] * order, order),
            "limits": self.limits or (None,) * count,
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        self._check()

    def _numbers(self, what: str, values: Sequence[Any], size: int) -> Numbers:
        found = tuple(plain(f"actuator {self.name!r}, {what}", x) for x in values)
        if len(found) != size:
            names = listed(x.name for x in self.variables)
            raise DriveError(
                f"actuator {self.name!r}: {what} has {len(found)} numbers where {size} are needed. Its states are "
                f"{names}, its inputs {listed(x.name for x in self.controls) or 'none'}."
            )
        return found

    def _matrix(self, what: str, rows: Sequence[Any], count: int, size: int) -> tuple[Numbers, ...]:
        if len(rows) != count:
            raise DriveError(
                f"actuator {self.name!r}: {what} has {len(rows)} rows where its {count} states need one each."
            )
        return tuple(self._numbers(what, row, size) for row in rows)

    def _check(self) -> None:
        if not any(self.tie):
            raise DriveError(
                f"actuator {self.name!r}: its tie is zero, so it moves nothing. Name the state that is the speed."
            )
        if len(self.limits) != len(self.controls):
            raise DriveError(
                f"actuator {self.name!r}: limits {self.limits} must be one positive number (or None) for each of its "
                f"{len(self.controls)} inputs."
            )
        for limit in (x for x in self.limits if x is not None):
            number(f"actuator {self.name!r}", "limit", limit, above=0.0, infinite=True, error=DriveError)
        if self.yielding > 0:
            raise DriveError(
                f"actuator {self.name!r}: T f = {self.yielding:g} is positive: the output would run away from a load. "
                "f counts the force that it gives, so that a DC motor has -1/J there."
            )
        require_range(f"actuator {self.name!r}", "carried", self.carried)
        if self.left < 0 or (self.leads and self.carried):
            raise DriveError(
                f"actuator {self.name!r}: the machine carries {self.carried:g} of its inertia, more than the "
                f"{self.inertia:g} that its equations have. Make the two the same number."
            )

    @cached_property
    def yielding(self) -> float:
        """T f: what a unit of force takes from the acceleration along the line."""
        return sum(x * y for x, y in zip(self.tie, self.f, strict=True))

    @property
    def leads(self) -> bool:
        """Whether no force can hold it back, T f = 0."""
        return self.yielding == 0

    @cached_property
    def inertia(self) -> float:
        """The inertia in its equations along the line, -1/(T f) [kg m2, kg]."""
        return float("inf") if self.leads else -1 / self.yielding

    @cached_property
    def left(self) -> float:
        """The part of its inertia that the machine does not have; rounding counts as none."""
        rest = self.inertia - self.carried
        return 0.0 if abs(rest) <= 1e-9 * abs(self.carried) else rest

    @cached_property
    def pivot(self) -> int:
        """The state that the tie gives from the speed along the line."""
        return max(range(len(self.tie)), key=lambda k: abs(self.tie[k]))

    @cached_property
    def ways(self) -> dict[int, float]:
        """States that are the position along the line, with their factor: x_k' = factor (T x) and nothing else."""
        found = {}
        for k, row in enumerate(self.C):
            factor = row[self.pivot] / self.tie[self.pivot]
            alone = not (self.f[k] or any(self.d[k]) or self.offset[k] or k == self.pivot)
            if factor and alone and all(x == factor * y for x, y in zip(row, self.tie, strict=True)):
                found[k] = factor
        return found

    @cached_property
    def own(self) -> tuple[int, ...]:
        """The states that only the actuator has."""
        return tuple(k for k in range(len(self.variables)) if k != self.pivot and k not in self.ways)

    @cached_property
    def rows(self) -> tuple[Terms, ...]:
        """The non-zero entries of the rows of C."""
        return tuple(terms(row) for row in self.C)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """What it integrates: its own states."""
        return tuple(self.variables[k] for k in self.own)

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Its controls u."""
        return self.controls

    @property
    def saturations(self) -> Mapping[str, float]:
        """The limits of its inputs."""
        named = zip(self.controls, self.limits, strict=True)
        return {control.name: limit for control, limit in named if limit is not None}

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The force on the machine along its line."""
        return (Quantity(f"{self.name}.force", "Nm, N"),)

    @cached_property
    def inverse(self) -> Inversion:
        """What gives its input from the motion along its line and the force it must give."""
        return Inversion(self)

    def vector(self, position: Scalar, speed: Scalar, own: Sequence[Scalar]) -> list[Scalar]:
        """All of x from the motion along the line and its own states."""
        x: list[Scalar] = [0.0] * len(self.variables)
        for k, value in zip(self.own, own, strict=True):
            x[k] = value
        for k, factor in self.ways.items():
            x[k] = factor * position
        others = along(tuple((k, t) for k, t in enumerate(self.tie) if t and k != self.pivot), x)
        x[self.pivot] = (speed - others) / self.tie[self.pivot]
        return x

    def _unforced(self, situation: Situation) -> list[Scalar]:
        """C x + d u + e, with every input within its limits."""
        position = situation.position(self.line) if self.ways else 0.0
        x = self.vector(position, situation.speed(self.line), situation.states)
        ops = situation.ops
        u = [
            value if limit is None else ops.maximum(-limit, ops.minimum(limit, value))
            for value, limit in zip(situation.inputs, self.limits, strict=True)
        ]
        return [
            along(row, x) + along(terms(d), u) + e for row, d, e in zip(self.rows, self.d, self.offset, strict=True)
        ]

    def _acting(self, unforced: Sequence[Scalar]) -> Scalar:
        return along(terms(self.tie), unforced)

    def act(self, mode: str, situation: Situation) -> Action:
        """A force if the machine carries its inertia, else a constraint that yields to force as its inertia does."""
        wanted = self._acting(self._unforced(situation))
        if self.leads:
            return Action(holds=(Hold(self.line, wanted, port=self.port),))
        if not self.left:
            return Action(forces=(Force(self.line, self.inertia * wanted, self.port),))  # Vukobratovic (20.74)
        share = self.inertia / self.left
        return Action(holds=(Hold(self.line, share * wanted, 1 / self.left, port=self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Rates of its own states; all power along its line counts as supplied."""
        free = self._unforced(situation)
        force = reaction.multipliers[0] if self.leads or self.left else self.inertia * self._acting(free)
        output = force - self.carried * situation.acceleration(self.line, reaction.a)
        return Outcome(
            rates=tuple(free[k] + self.f[k] * output for k in self.own),
            supplied=force * situation.speed(self.line),
            signals={f"{self.name}.force": force},
        )
