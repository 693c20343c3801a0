r"""Environments with dynamics of their own in several coordinates s: inertia, damping and stiffness as functions of s.

$$F = M(s)\,\ddot s + C\,\dot s + B(s)\,\dot s + \partial V(s)/\partial s$$

The matrices are constant, and checked, or functions of the coordinates.

Over a fixed step of h inertia and dampers act by impulses, as they are at its end. With $G = M + h B$ the impulses
along the coordinates are $P = M (w - h d) - G w^+$: w their speeds with those of the beginning, $w^+$ with those of the
end, d their drifts. $G = L D L'$ makes each depend on one speed alone, that along the mixed coordinate $L' s$, as
projected Gauss-Seidel requires.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.differentiation.taylor_series import Jet, JetOperations
from gearwright.arguments import as_floats
from gearwright.errors import InputError
from gearwright.forces.contact.contact import FREE
from gearwright.forces.contact.soft_contact import FINE, PRESS
from gearwright.forces.contact.time_stepping import Mixed
from gearwright.forces.law import Action, Drag, Force, Guard, Hold, Law, Outcome, Quantity, Reaction, Situation, Stepped
from gearwright.forces.line import Line
from gearwright.forces.time_stepping_impulses import UNBOUNDED, Slipping
from gearwright.mechanism.rows import spread

# Impulses over a fixed step

MatrixRows = Sequence[Sequence[Scalar]]


def factored(matrix: MatrixRows, ops: Operations) -> tuple[list[list[Scalar]], list[Scalar]]:
    """L (ones on its diagonal) and D of a symmetric matrix without negative eigenvalues, L D L'.

    >>> from gearwright.algebra.operations import FLOATS
    >>> factored([[4.0, 2.0], [2.0, 3.0]], FLOATS)
    ([[1.0, 0.0], [0.5, 1.0]], [4.0, 2.0])
    """
    size = range(len(matrix))
    rest = [list(row) for row in matrix]
    L: list[list[Scalar]] = [[float(i == k) for k in size] for i in size]
    D: list[Scalar] = []
    for k in size:
        pivot = rest[k][k]
        D.append(pivot)
        share = 1.0 / ops.where(pivot > 0, pivot, 1.0)  # where it is zero, so is its column
        for i in range(k + 1, len(matrix)):
            L[i][k] = rest[i][k] * share
            for j in range(k + 1, i + 1):
                rest[i][j] = rest[i][j] - L[i][k] * rest[j][k]
    return L, D


def moved_along(
    lines: Sequence[Line], rate: Sequence[Scalar], M: MatrixRows, B: MatrixRows, step: Scalar, ops: Operations
) -> tuple[tuple[Hold, ...], tuple[Slipping, ...], list[list[Scalar]]]:
    """Holds along the mixed lines L' s, their limits L^-1 P = L^-1 M (w - h d) - D w^+, and L."""
    L, D = factored([[m + step * b for m, b in zip(*rows, strict=True)] for rows in zip(M, B, strict=True)], ops)
    before = [w - step * line.drift for w, line in zip(rate, lines, strict=True)]
    holds, limits, brought = [], [], []  # type: list[Hold], list[Slipping], list[Scalar]
    for k, slope in enumerate(D):
        momentum = dot(M[k], before)
        for j, known in enumerate(brought):
            momentum = momentum - L[k][j] * known
        brought.append(momentum)
        holds.append(Hold(Mixed(lines[k:], [row[k] for row in L[k:]]), speed=0.0))
        limits.append(Slipping(-momentum, slope, UNBOUNDED))
    return tuple(holds), tuple(limits), L


def dot(x: Sequence[Scalar], y: Sequence[Scalar]) -> Scalar:
    """The sum of products."""
    return sum((a * b for a, b in zip(x, y, strict=True)), 0.0)


# Matrices

Rows: TypeAlias = Sequence[Sequence[Scalar]]

Matrix: TypeAlias = Rows | Callable[[Sequence[Scalar], Operations], Rows] | None
"""Rows of numbers, or a function (s, ops) of them; None: none."""


def checked_matrix(owner: str, word: str, value: Any, size: int) -> Any:
    """A symmetric matrix without negative eigenvalues as tuples, or the function as it is."""
    if value is None or callable(value):
        return value
    matrix = as_floats(owner, word, value)
    if matrix.shape != (size, size) or not np.isfinite(matrix).all():
        raise InputError(
            f"{owner}: {word} has shape {matrix.shape}; there are {size} coordinates. Give {size} rows of {size} "
            "finite numbers, or a function (s, ops) of them."
        )
    if np.abs(matrix - matrix.T).max() > 1e-9 * np.abs(matrix).max() or np.linalg.eigvalsh(matrix)[0] < 0:
        least = float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0])
        raise InputError(
            f"{owner}: {word}={matrix.tolist()} must be symmetric and not negative (least eigenvalue {least:.4g}): "
            "it would bring energy from nowhere. Check signs and units."
        )
    return tuple(map(tuple, matrix.tolist()))


def evaluated(matrix: Matrix, s: Sequence[Scalar], ops: Operations) -> Rows:
    """Its rows at coordinates; zeros where there is none."""
    if matrix is None:
        return [[0.0] * len(s) for _ in s]
    return matrix(s, ops) if callable(matrix) else matrix


# The law

SHALLOW = 1e-12
"""The least first coordinate [m] that functions of a one-sided environment see: roots have slopes there."""

Energy: TypeAlias = Callable[[Sequence[Scalar], Operations], Scalar]
"""(s, ops) -> potential energy [J]."""


@dataclass(frozen=True)
class Environment(Law):
    r"""What a machine moves at a contact: $F = M(s)\,\ddot s + C\,\dot s + B(s)\,\dot s + \partial V(s)/\partial s$.

    The coordinates $s(q, t)$ are the environment's own: the machine and it move together, and the machine feels -F
    along them. $C\,\dot s$ are the velocity forces that belong to an inertia which depends on s (Lagrange), so that
    the energy $\frac12 \dot s' M \dot s + V$ is booked exactly. Springs are slopes of their energy V, exactly
    differentiated: Hertz is `lambda s, ops: k * s[0] ** 2 * ops.sqrt(s[0]) / 2.5`; a stiffness that depends on the
    place along a surface is an energy that depends on both. The contact is kept both ways; with `one_sided`, without
    inertia, it acts where $s_1 > 0$, a depth. Mass that is met in an impact is a link (`with_wall`, `with_object`).

    Series: `<name>.s1`, ... [m, rad] and `<name>.force1`, ... [N, Nm] on the machine.

    Args:
        name: its name.
        coordinates: lines of the machine, such as `gw.forces.displacement(robot, "tool", axis=...)`.
        inertia: M (k, k) [kg, kg m2], or a function (s, ops) of it; None: none.
        damping: B (k, k), or a function of it; None: none.
        stiffness: K (k, k) of the energy s' K s / 2, constant; None: none.
        energy: V, a function (s, ops); None: that of the stiffness alone.
        one_sided: whether it is left where the first coordinate is not positive.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> depth = gw.forces.displacement(arm, "tool", axis=(0, 0, -1))
    >>> mat = Environment("mat", [depth], damping=[[20.0]], stiffness=[[1e4]], one_sided=True)
    >>> mat.modes
    ('free', 'press')
    """

    name: str
    coordinates: Sequence[Line]
    inertia: Matrix = None
    damping: Matrix = None
    stiffness: Any = None
    energy: Energy | None = None
    one_sided: bool = False

    def __post_init__(self) -> None:
        lines = tuple(self.coordinates)
        if not lines or not all(isinstance(line, Line) for line in lines):
            raise InputError(
                f"{self.name}: coordinates={self.coordinates!r}. Give lines, as gw.forces.displacement does."
            )
        object.__setattr__(self, "coordinates", lines)
        for word in ("inertia", "damping", "stiffness"):
            object.__setattr__(self, word, checked_matrix(self.name, word, getattr(self, word), len(lines)))
        if callable(self.stiffness):
            raise InputError(
                f"{self.name}: a stiffness that depends on s is given by its energy, so that its forces have one: "
                "energy=lambda s, ops: ..."
            )
        if self.one_sided and self.inertia is not None:
            raise InputError(
                f"{self.name}: an environment that is left has no inertia here. Put its mass into a link (with_wall), "
                "or keep the contact (one_sided=False)."
            )

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Coordinates and forces."""
        count = range(1, len(self.coordinates) + 1)
        return (
            *(Quantity(f"{self.name}.s{k}", "") for k in count),
            *(Quantity(f"{self.name}.force{k}", "") for k in count),
        )

    @property
    def modes(self) -> tuple[str, ...]:
        """One, or free and pressed in."""
        return (FREE, PRESS) if self.one_sided else (PRESS,)

    def act(self, mode: str, situation: Situation) -> Action:
        """Forces along the coordinates; with inertia they depend on accelerations."""
        if mode == FREE:
            return Action()
        slow = self._slow(situation)
        if self.inertia is None:
            return Action(forces=tuple(Force(line, -f) for line, f in zip(self.coordinates, slow, strict=True)))
        M, placed = self._inertia(situation), [line.placed(situation.scene) for line in self.coordinates]
        rows = [spread(line.terms, situation.mech.n) for line in placed]
        drags = []
        for line, m, f in zip(self.coordinates, M, slow, strict=True):
            sense = [dot(m, column) for column in zip(*rows, strict=True)]
            drags.append(Drag(line, 1.0, sense, f + dot(m, [one.drift for one in placed])))
        return Action(drags=tuple(drags))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Forces, energy, and what dampers take."""
        s, rate = self._motion(situation)
        if mode == FREE:
            return Outcome(signals=self._named([*s, *(0.0 for _ in s)]))
        felt = list(reaction.flows) if self.inertia is not None else [-f for f in self._slow(situation)]
        lost = dot(rate, [dot(b, rate) for b in evaluated(self.damping, s, situation.ops)])
        return Outcome(dissipated=lost, stored=self._booked(s, rate, situation.ops), signals=self._named([*s, *felt]))

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """One-sided, it is met and left where the first coordinate is zero."""
        if not self.one_sided:
            return ()
        depth, rate = (f(self.coordinates[0]) for f in (situation.position, situation.speed))
        if mode == FREE:
            return (Guard(-depth, PRESS, rate=-rate, scale=FINE),)
        return (Guard(depth, FREE, rate=rate, scale=FINE),)

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """Springs push as they are in the middle of the step, inertia and dampers as they are at its end."""
        ops, (place, rate) = situation.ops, self._motion(situation)
        s, met = self._inside(place, ops), ops.where(place[0] > 0, 1.0, 0.0) if self.one_sided else 1.0
        pushes = [-met * f for f in self._steady(s, rate, ops)]
        M, B = evaluated(self.inertia, s, ops), [[met * b for b in row] for row in evaluated(self.damping, s, ops)]
        placed = [line.placed(situation.scene) for line in self.coordinates]
        holds, limits, L = moved_along(placed, rate, M, B, step, ops)

        def outcome(then: Situation, reaction: Reaction) -> Outcome:
            where, mean = self._motion(then)
            last = [2.0 * w - first for w, first in zip(mean, rate, strict=True)]
            felt = [f + dot(row, reaction.multipliers) for f, row in zip(pushes, L, strict=True)]
            lost = dot(mean, [dot(b, last) for b in B])
            return Outcome(dissipated=lost, stored=self._stored(then), signals=self._named([*where, *felt]))

        forces = (Force(line, f) for line, f in zip(self.coordinates, pushes, strict=True))
        return Stepped(PRESS, limits, Action(forces=tuple(forces), holds=holds), outcome)

    def _inside(self, s: Sequence[Scalar], ops: Operations) -> list[Scalar]:
        """Coordinates at which functions may be asked: outside of a one-sided one, where steps are tried, as at it."""
        return [ops.maximum(s[0], SHALLOW), *s[1:]] if self.one_sided else list(s)

    def _stored(self, situation: Situation) -> Scalar:
        """Potential and kinetic energy; none where a one-sided one is not met."""
        (s, rate), ops = self._motion(situation), situation.ops
        stored = self._booked(self._inside(s, ops), rate, ops)
        return ops.where(s[0] > 0, stored, 0.0) if self.one_sided else stored

    def _booked(self, s: Sequence[Scalar], rate: Sequence[Scalar], ops: Operations) -> Scalar:
        """V and the energy of the inertia."""
        stored = self._energy(s, ops)
        if self.inertia is None:
            return stored
        return stored + 0.5 * dot(rate, [dot(m, rate) for m in evaluated(self.inertia, s, ops)])

    def _named(self, values: Sequence[Scalar]) -> dict[str, Scalar]:
        return dict(zip((signal.name for signal in self.signals), values, strict=True))

    def _motion(self, situation: Situation) -> tuple[list[Scalar], list[Scalar]]:
        places, speeds = ([f(line) for line in self.coordinates] for f in (situation.position, situation.speed))
        return places, speeds

    def _inertia(self, situation: Situation) -> Sequence[Sequence[Scalar]]:
        return evaluated(self.inertia, self._motion(situation)[0], situation.ops)

    def _energy(self, s: Sequence[Scalar], ops: Operations) -> Scalar:
        """V: of the stiffness, and that which is given."""
        total = 0.5 * dot(s, [dot(k, s) for k in evaluated(self.stiffness, s, ops)])
        return total if self.energy is None else total + self.energy(self._inside(s, ops), ops)

    def _slow(self, situation: Situation) -> list[Scalar]:
        """What F is without accelerations: velocity forces, dampers, springs."""
        (s, rate), ops = self._motion(situation), situation.ops
        damped = [dot(b, rate) for b in evaluated(self.damping, s, ops)]
        return [f + d for f, d in zip(self._steady(s, rate, ops), damped, strict=True)]

    def _steady(self, s: Sequence[Scalar], rate: Sequence[Scalar], ops: Operations) -> list[Scalar]:
        """The same without dampers."""
        jets = [Jet([x, Slopes({k: 1.0})]) for k, x in enumerate(s)]
        forces = _slopes(self._energy(jets, JetOperations(ops)), len(s))
        if callable(self.inertia):
            momenta = [dot(m, rate) for m in evaluated(self.inertia, jets, JetOperations(ops))]
            turning = _slopes(0.5 * dot(rate, momenta), len(s))
            for k, p in enumerate(momenta):
                forces[k] = forces[k] + dot(_slopes(p, len(s)), rate) - turning[k]
        return forces


def _slopes(x: Scalar, count: int) -> list[Scalar]:
    found = x.c[1] if isinstance(x, Jet) else None
    by = found.by if isinstance(found, Slopes) else {}
    return [by.get(k, 0.0) for k in range(count)]
