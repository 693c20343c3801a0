r"""Environments with dynamics of their own in several coordinates s: inertia, damping and stiffness as functions of s.

$$F = M(s)\,\ddot s + C\,\dot s + B(s)\,\dot s + \partial V(s)/\partial s$$

The matrices are constant, and checked, or functions of the coordinates.

Over a fixed step h, inertia and dampers act by impulses, evaluated implicitly at its end. With $G = M + h B$ the
impulses along the coordinates are $P = M (w - h d) - G w^+$: w the speeds at the beginning, $w^+$ at the end, d the
drifts. $G = L D L'$ makes each depend on one speed alone, that along the mixed coordinate $L' s$, as projected
Gauss-Seidel requires.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.dual_numbers import DualOperations
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array
from gearwright.errors import InputError
from gearwright.forces.contact.contact import FREE_MODE
from gearwright.forces.contact.soft_contact import GAP_SCALE, PRESS_MODE
from gearwright.forces.contact.time_stepping import CombinedLine
from gearwright.forces.law import (
    Action,
    Drag,
    FixedStepModel,
    Force,
    Guard,
    Hold,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.line import Line
from gearwright.forces.time_stepping_impulses import UNBOUNDED_IMPULSE, SlidingSpringImpulse
from gearwright.mechanism import dense_row

# Impulses over a fixed step

MatrixRows = Sequence[Sequence[Scalar]]


def ldl_factors(matrix: MatrixRows, ops: Operations) -> tuple[list[list[Scalar]], list[Scalar]]:
    """The factors L (unit diagonal) and D of a symmetric positive semidefinite matrix, L D L'.

    >>> from gearwright.algebra import FLOATS
    >>> ldl_factors([[4.0, 2.0], [2.0, 3.0]], FLOATS)
    ([[1.0, 0.0], [0.5, 1.0]], [4.0, 2.0])
    """
    size = range(len(matrix))
    remainder = [list(row) for row in matrix]
    L: list[list[Scalar]] = [[float(i == k) for k in size] for i in size]
    D: list[Scalar] = []
    for k in size:
        pivot = remainder[k][k]
        D.append(pivot)
        share = 1.0 / ops.where(pivot > 0, pivot, 1.0)  # where it is zero, so is its column
        for i in range(k + 1, len(matrix)):
            L[i][k] = remainder[i][k] * share
            for j in range(k + 1, i + 1):
                remainder[i][j] = remainder[i][j] - L[i][k] * remainder[j][k]
    return L, D


def mixed_impulses(
    lines: Sequence[Line], rate: Sequence[Scalar], M: MatrixRows, B: MatrixRows, step: Scalar, ops: Operations
) -> tuple[tuple[Hold, ...], tuple[SlidingSpringImpulse, ...], list[list[Scalar]]]:
    """Holds along the mixed lines L' s, their limits L^-1 P = L^-1 M (w - h d) - D w^+, and L."""
    L, D = ldl_factors([[m + step * b for m, b in zip(*rows, strict=True)] for rows in zip(M, B, strict=True)], ops)
    free_speeds = [w - step * line.drift for w, line in zip(rate, lines, strict=True)]
    holds, limits, momenta = [], [], []  # type: list[Hold], list[SlidingSpringImpulse], list[Scalar]
    for k, slope in enumerate(D):
        momentum = dot_product(M[k], free_speeds)
        for j, previous in enumerate(momenta):
            momentum = momentum - L[k][j] * previous
        momenta.append(momentum)
        holds.append(Hold(CombinedLine(lines[k:], [row[k] for row in L[k:]]), speed=0.0))
        limits.append(SlidingSpringImpulse(-momentum, slope, UNBOUNDED_IMPULSE))
    return tuple(holds), tuple(limits), L


def dot_product(x: Sequence[Scalar], y: Sequence[Scalar]) -> Scalar:
    """The sum of products."""
    return sum((a * b for a, b in zip(x, y, strict=True)), 0.0)


# Matrices

Rows: TypeAlias = Sequence[Sequence[Scalar]]

Matrix: TypeAlias = Rows | Callable[[Sequence[Scalar], Operations], Rows] | None
"""Rows of numbers, or a function (s, ops) that returns them; None: zero."""


def checked_environment_matrix(owner: str, word: str, value: Any, size: int) -> Any:
    """A symmetric positive semidefinite matrix as tuples, or the function unchanged."""
    if value is None or callable(value):
        return value
    matrix = as_float_array(owner, word, value)
    if matrix.shape != (size, size) or not np.isfinite(matrix).all():
        raise InputError(
            f"{owner}: {word} has shape {matrix.shape}, but there are {size} coordinates. Give {size} rows of {size} "
            "finite numbers, or a function (s, ops) that returns them."
        )
    if np.abs(matrix - matrix.T).max() > 1e-9 * np.abs(matrix).max() or np.linalg.eigvalsh(matrix)[0] < 0:
        least = float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0])
        raise InputError(
            f"{owner}: {word}={matrix.tolist()} must be symmetric and positive semidefinite (least eigenvalue "
            f"{least:.4g}), otherwise it would generate energy. Check signs and units."
        )
    return tuple(map(tuple, matrix.tolist()))


def matrix_at(matrix: Matrix, s: Sequence[Scalar], ops: Operations) -> Rows:
    """The rows of a matrix at given coordinates; zeros for None."""
    if matrix is None:
        return [[0.0] * len(s) for _ in s]
    return matrix(s, ops) if callable(matrix) else matrix


# The law

LEAST_PENETRATION = 1e-12
"""The least first coordinate [m] at which functions of a one-sided environment are evaluated: roots are smooth."""

EnergyFunction: TypeAlias = Callable[[Sequence[Scalar], Operations], Scalar]
"""(s, ops) -> potential energy [J]."""


@check_arguments
@dataclass(frozen=True)
class Environment(Law):
    r"""An environment with dynamics: $F = M(s)\,\ddot s + C\,\dot s + B(s)\,\dot s + \partial V(s)/\partial s$.

    The environment moves with the machine along the coordinates $s(q, t)$; the force on the machine along them is -F.
    $C\,\dot s$ are the Coriolis and centrifugal forces of an inertia that depends on s (Lagrange), so the energy
    $\frac12 \dot s' M \dot s + V$ is exact. Elastic forces are the gradient of the energy V, exactly differentiated:
    Hertz is `lambda s, ops: k * s[0] ** 2 * ops.sqrt(s[0]) / 2.5`; a stiffness that varies along a surface is an energy
    that depends on both coordinates. The contact is bilateral; with `one_sided`, without inertia, it acts where
    $s_1 > 0$, a depth. A mass that takes part in an impact is a link (`with_wall`, `with_object`).

    Series: `<name>.s1`, ... [m, rad] and `<name>.force1`, ... [N, Nm] on the machine.

    Args:
        name: its name.
        coordinates: lines of the machine, such as `gw.forces.displacement(robot, "tool", axis=...)`.
        inertia: M (k, k) [kg, kg m2], or a function (s, ops) that returns it; None: zero.
        damping: B (k, k), or a function that returns it; None: zero.
        stiffness: K (k, k) of the energy s' K s / 2, constant; None: zero.
        energy: V, a function (s, ops); None: that of the stiffness alone.
        one_sided: whether the contact is open where the first coordinate is not positive.

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
    energy: EnergyFunction | None = None
    one_sided: bool = False

    def __post_init__(self) -> None:
        lines = tuple(self.coordinates)
        if not lines or not all(isinstance(line, Line) for line in lines):
            raise InputError(
                f"{self.name}: coordinates={self.coordinates!r} are not lines. Give lines, such as those of "
                "gw.forces.displacement."
            )
        object.__setattr__(self, "coordinates", lines)
        for word in ("inertia", "damping", "stiffness"):
            object.__setattr__(self, word, checked_environment_matrix(self.name, word, getattr(self, word), len(lines)))
        if callable(self.stiffness):
            raise InputError(
                f"{self.name}: the stiffness is a function, which may not be conservative. Give its potential energy "
                "instead: energy=lambda s, ops: ..."
            )
        if self.one_sided and self.inertia is not None:
            raise InputError(
                f"{self.name}: a one-sided environment cannot have inertia. Model its mass as a link (with_wall), or "
                "make the contact bilateral (one_sided=False)."
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
        """One mode, or free and pressed."""
        return (FREE_MODE, PRESS_MODE) if self.one_sided else (PRESS_MODE,)

    def act(self, mode: str, situation: Situation) -> Action:
        """Forces along the coordinates; with inertia they depend on the accelerations."""
        if mode == FREE_MODE:
            return Action()
        static_forces = self._acceleration_free_forces(situation)
        if self.inertia is None:
            return Action(
                forces=tuple(Force(line, -f) for line, f in zip(self.coordinates, static_forces, strict=True))
            )
        M, placed_lines = (
            self._inertia_matrix(situation),
            [line.placed_in(situation.kinematics) for line in self.coordinates],
        )
        rows = [dense_row(line.terms, situation.mech.n) for line in placed_lines]
        drags = []
        for line, m, f in zip(self.coordinates, M, static_forces, strict=True):
            sense = [dot_product(m, column) for column in zip(*rows, strict=True)]
            drags.append(
                Drag(line, 1.0, sense, f + dot_product(m, [placed_line.drift for placed_line in placed_lines]))
            )
        return Action(drags=tuple(drags))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Forces, stored energy, and the power of the dampers."""
        s, rate = self._coordinate_motion(situation)
        if mode == FREE_MODE:
            return Outcome(signals=self._signal_values([*s, *(0.0 for _ in s)]))
        forces = (
            list(reaction.flows)
            if self.inertia is not None
            else [-f for f in self._acceleration_free_forces(situation)]
        )
        dissipated = dot_product(rate, [dot_product(b, rate) for b in matrix_at(self.damping, s, situation.ops)])
        return Outcome(
            dissipated=dissipated,
            stored=self._total_energy(s, rate, situation.ops),
            signals=self._signal_values([*s, *forces]),
        )

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """A one-sided environment closes and opens where the first coordinate is zero."""
        if not self.one_sided:
            return ()
        depth, rate = (f(self.coordinates[0]) for f in (situation.position, situation.speed))
        if mode == FREE_MODE:
            return (Guard(-depth, PRESS_MODE, rate=-rate, scale=GAP_SCALE),)
        return (Guard(depth, FREE_MODE, rate=rate, scale=GAP_SCALE),)

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """Springs evaluated in the middle of the step, inertia and dampers at its end."""
        ops, (coordinates, rate) = situation.ops, self._coordinate_motion(situation)
        s, is_touching = (
            self._admissible_coordinates(coordinates, ops),
            ops.where(coordinates[0] > 0, 1.0, 0.0) if self.one_sided else 1.0,
        )
        pushes = [-is_touching * f for f in self._undamped_forces(s, rate, ops)]
        M, B = (
            matrix_at(self.inertia, s, ops),
            [[is_touching * b for b in row] for row in matrix_at(self.damping, s, ops)],
        )
        placed_lines = [line.placed_in(situation.kinematics) for line in self.coordinates]
        holds, limits, L = mixed_impulses(placed_lines, rate, M, B, step, ops)

        def step_outcome(middle: Situation, reaction: Reaction) -> Outcome:
            positions, mean_speeds = self._coordinate_motion(middle)
            end_speeds = [2.0 * w - start_speed for w, start_speed in zip(mean_speeds, rate, strict=True)]
            step_forces = [f + dot_product(row, reaction.multipliers) for f, row in zip(pushes, L, strict=True)]
            dissipated = dot_product(mean_speeds, [dot_product(b, end_speeds) for b in B])
            return Outcome(
                dissipated=dissipated,
                stored=self._stored_energy(middle),
                signals=self._signal_values([*positions, *step_forces]),
            )

        forces = (Force(line, f) for line, f in zip(self.coordinates, pushes, strict=True))
        return FixedStepModel(PRESS_MODE, limits, Action(forces=tuple(forces), holds=holds), step_outcome)

    def _admissible_coordinates(self, s: Sequence[Scalar], ops: Operations) -> list[Scalar]:
        """Coordinates at which functions are evaluated: trial steps outside a one-sided one are clipped to its edge."""
        return [ops.maximum(s[0], LEAST_PENETRATION), *s[1:]] if self.one_sided else list(s)

    def _stored_energy(self, situation: Situation) -> Scalar:
        """Potential and kinetic energy; zero where a one-sided environment is open."""
        (s, rate), ops = self._coordinate_motion(situation), situation.ops
        stored = self._total_energy(self._admissible_coordinates(s, ops), rate, ops)
        return ops.where(s[0] > 0, stored, 0.0) if self.one_sided else stored

    def _total_energy(self, s: Sequence[Scalar], rate: Sequence[Scalar], ops: Operations) -> Scalar:
        """V plus the kinetic energy of the inertia."""
        stored = self._potential_energy(s, ops)
        if self.inertia is None:
            return stored
        return stored + 0.5 * dot_product(rate, [dot_product(m, rate) for m in matrix_at(self.inertia, s, ops)])

    def _signal_values(self, values: Sequence[Scalar]) -> dict[str, Scalar]:
        return dict(zip((signal.name for signal in self.signals), values, strict=True))

    def _coordinate_motion(self, situation: Situation) -> tuple[list[Scalar], list[Scalar]]:
        places, speeds = ([f(line) for line in self.coordinates] for f in (situation.position, situation.speed))
        return places, speeds

    def _inertia_matrix(self, situation: Situation) -> Sequence[Sequence[Scalar]]:
        return matrix_at(self.inertia, self._coordinate_motion(situation)[0], situation.ops)

    def _potential_energy(self, s: Sequence[Scalar], ops: Operations) -> Scalar:
        """V: the energy of the stiffness plus the given one."""
        total = 0.5 * dot_product(s, [dot_product(k, s) for k in matrix_at(self.stiffness, s, ops)])
        return total if self.energy is None else total + self.energy(self._admissible_coordinates(s, ops), ops)

    def _acceleration_free_forces(self, situation: Situation) -> list[Scalar]:
        """F without the acceleration terms: velocity forces, dampers, springs."""
        (s, rate), ops = self._coordinate_motion(situation), situation.ops
        damping_forces = [dot_product(b, rate) for b in matrix_at(self.damping, s, ops)]
        return [f + d for f, d in zip(self._undamped_forces(s, rate, ops), damping_forces, strict=True)]

    def _undamped_forces(self, s: Sequence[Scalar], rate: Sequence[Scalar], ops: Operations) -> list[Scalar]:
        """The same without dampers."""
        displaced_ops = DualOperations.for_displacement(ops)
        displaced = [displaced_ops.with_partials(x, {k: 1.0}) for k, x in enumerate(s)]

        def gradient(x: Scalar) -> list[Scalar]:
            by = displaced_ops.partials_of(x)
            return [by.get(k, 0.0) for k in range(len(s))]

        forces = gradient(self._potential_energy(displaced, displaced_ops))
        if callable(self.inertia):
            momenta = [dot_product(m, rate) for m in matrix_at(self.inertia, displaced, displaced_ops)]
            kinetic_gradient = gradient(0.5 * dot_product(rate, momenta))
            for k, p in enumerate(momenta):
                forces[k] = forces[k] + dot_product(gradient(p), rate) - kinetic_gradient[k]
        return forces
