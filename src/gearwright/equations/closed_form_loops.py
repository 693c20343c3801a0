r"""Closed forms of machines with closed loops, in independent speeds.

The entries of G with $v = G v_i$ that are constant, such as those of parallelograms, are numbers, and their joints are
linear functions of the independent ones. The other entries are symbols G32, with definitions by Cramer's rule from the
equations of the loop: a planar four-bar has two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.arrays import Array
from gearwright.dynamics.closed_loops.embedding import ConstraintEmbedding, Embedding, LoopGroup
from gearwright.dynamics.closed_loops.loop_equations import LoopRow, loop_geometry, sum_of
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.equations.trigonometric_polynomial import symbol_polynomial
from gearwright.errors import InputError
from gearwright.functions import integrate, speed_directions
from gearwright.mechanism import Mechanism
from gearwright.programs import ClosedMechanism
from gearwright.text import listed_names

MOST_EQUATIONS = 3
"""Largest number of equations of a group that are solved in symbols."""

SAMPLES, SAMPLE_STEP, CONSTANT = 8, 0.4, 1e-10
"""Closed configurations at which G is compared, their distance from the reference [rad, m], and the largest change of a
constant entry."""


class StatedEmbedding(Embedding):
    """The map between independent and all speeds with stated entries of G and g."""

    closure: StatedDirections

    def __init__(self, closure: StatedDirections, pose: Pose) -> None:
        self.closure, self.pose, self.directions = closure, pose, [dict(row) for row in closure.directions]

    def accelerations(self, v: Sequence[Scalar], a: Sequence[Scalar]) -> list[Scalar]:
        """All accelerations, G a + g."""
        return [x + y for x, y in zip(self.speeds(a), self.closure.drifts, strict=True)]

    def direction_rates(self, row_rates: Sequence[LoopRow]) -> Matrix:
        """dG/dt (n, f), zero; an error where G depends on the configuration."""
        if self.closure.varying:
            raise InputError(
                f"closed_form: the Coriolis matrix contains the rates of {listed_names(self.closure.varying)}, which "
                "have no symbols. Use bias, which contains the same forces."
            )
        return [[0.0] * len(self.closure.independent) for _ in self.directions]


@dataclass(frozen=True)
class StatedDirections(ConstraintEmbedding):
    """An embedding whose G and g are stated; `varying` names the entries of G that depend on the configuration."""

    directions: tuple[LoopRow, ...] = ()
    drifts: tuple[Scalar, ...] = ()
    varying: tuple[str, ...] = ()

    def at_pose(self, pose: Pose, ops: Operations) -> Embedding:
        """The map at a pose."""
        return StatedEmbedding(self, pose)


class Definition(NamedTuple):
    """A symbol's value: a polynomial, divided by another symbol if `divisor` names one."""

    value: Any
    divisor: str = ""


@dataclass
class LoopSymbols:
    """A machine of symbols whose loops are closed, its inputs, and the definitions of the symbols of its loops.

    Args:
        mech: the machine with loops, in numbers.
        symbolic: its open tree with symbols.
        ops: cosine and sine of polynomials.
    """

    mech: ClosedMechanism
    symbolic: Mechanism
    ops: Operations
    definitions: dict[str, Definition] = field(default_factory=dict)

    def __post_init__(self) -> None:
        closure, tree = self.mech.closure, self.mech.tree
        if not tree.speeds_are_rates:
            raise InputError(
                "closed_form: the machine has closed loops and planar joints, whose speeds are not the rates of "
                "coordinates. Replace them by revolute and prismatic joints."
            )
        rows = self._numeric_directions()
        self.is_constant = np.ptp(rows, axis=0).max(axis=-1) < CONSTANT
        self.constant_rows = rows[0]
        large = [group for group in closure.groups if len(group.equations) > MOST_EQUATIONS and self._varies(group)]
        if large:
            raise InputError(
                f"closed_form: the joints {listed_names(tree.speeds[k] for k in large[0].dependent)} follow from "
                f"{len(large[0].equations)} equations of the loops together, which have no closed form (at most "
                f"{MOST_EQUATIONS}). Use gw.compile(...), or derivatives by casadi_function; coordinates='tree' gives "
                "the equations of the open tree."
            )
        self.speed_symbols = [symbol_polynomial(f"dq{k + 1}") for k in closure.independent]
        self.q = [self._coordinate(k) for k in range(tree.n)]
        self.directions: list[LoopRow] = [dict(self._constant_row(k)) for k in range(tree.n)]
        self.drifts: list[Scalar] = [0.0] * tree.n
        self._solve_groups()

    @property
    def closed_machine(self) -> ClosedMechanism:
        """The machine of symbols, in independent speeds."""
        old = self.mech.closure
        varying = tuple(x for x in self.definitions if x.startswith("G"))
        closure = StatedDirections(
            (), old.independent, old.groups, None, tuple(self.directions), tuple(self.drifts), varying
        )
        return ClosedMechanism(self.symbolic, self.mech.loops, closure, self.mech.reference)

    @property
    def inputs(self) -> dict[str, list[Any]]:
        """q, v and a as polynomials."""
        accelerations = [symbol_polynomial(f"ddq{k + 1}") for k in self.mech.closure.independent]
        return {"q": self.q, "v": self.speed_symbols, "a": accelerations}

    @property
    def motion(self) -> dict[str, dict[str, str]]:
        """Symbols of q, v and a with their names; q has those of independent joints, and of joints with varying G."""
        tree, independent = self.mech.tree, self.mech.closure.independent
        shown = [k for k in range(tree.n) if k in independent or not self.is_constant.all()]
        return {
            "q": {f"q{k + 1}": tree.coordinates[k] for k in shown},
            "v": {f"dq{k + 1}": tree.speeds[k] for k in independent},
            "a": {f"ddq{k + 1}": tree.speeds[k] for k in independent},
        }

    def _varies(self, group: LoopGroup) -> bool:
        return not all(self.is_constant[k] for k in group.dependent)

    def _numeric_directions(self) -> Array:
        """G (samples, n, f) at closed configurations near the reference."""
        mech, rng, step = self.mech, np.random.default_rng(0), SAMPLE_STEP
        found = [speed_directions(mech, mech.reference)]
        while len(found) < SAMPLES:
            try:
                q = integrate(mech, mech.reference, rng.uniform(-step, step, mech.n))
            except InputError:  # beyond the end of the branch
                step /= 2
                continue
            found.append(speed_directions(mech, q))
        return np.array(found)

    def _constant_row(self, speed: int) -> LoopRow:
        """The row of G of a speed; {} where it is not constant."""
        if not self.is_constant[speed]:
            return {}
        return {k: _as_integer_if_close(x) for k, x in enumerate(self.constant_rows[speed]) if abs(x) > CONSTANT}

    def _coordinate(self, speed: int) -> Any:
        """The coordinate of a joint: its symbol, or a linear function of independent ones."""
        closure, reference = self.mech.closure, self.mech.reference
        if speed in closure.independent or not self.is_constant[speed]:
            return symbol_polynomial(f"q{speed + 1}")
        row = self._constant_row(speed)
        offset = reference[speed] - sum(x * reference[closure.independent[k]] for k, x in row.items())
        terms = sum_of(symbol_polynomial(f"q{closure.independent[k] + 1}") * x for k, x in row.items())
        return terms if abs(offset) < CONSTANT else terms + float(offset)

    def _solve_groups(self) -> None:
        tree = self.symbolic
        loops = tuple(loop_geometry(tree, x.name, x.frames, x.held) for x in self.mech.loops)
        embedding = ConstraintEmbedding(loops, self.mech.closure.independent, self.mech.closure.groups)
        pose = place_machine(tree, self.q, self.ops)
        rows = [equation.row for equation in embedding.equations(pose)]
        for number, group in enumerate(self.mech.closure.groups, start=1):
            if self._varies(group):
                self._define_directions(group, f"d{number}", rows)
        v = [sum_of(x * self.speed_symbols[k] for k, x in row.items()) for row in self.directions]
        drifts = [equation.drift for equation in embedding.equations(pose, v)]
        for number, group in enumerate(self.mech.closure.groups, start=1):
            if self._varies(group):
                self._define_drifts(group, f"d{number}", rows, drifts)

    def _define_directions(self, group: LoopGroup, divisor: str, rows: Sequence[LoopRow]) -> None:
        square = [[rows[k].get(c, 0.0) for c in group.dependent] for k in group.equations]
        self.definitions[divisor] = Definition(_determinant(square))
        for column, independent in enumerate(self.mech.closure.independent):
            right = [
                -sum_of(x * self.directions[c][column] for c, x in rows[k].items()
                        if c in group.others and column in self.directions[c])
                for k in group.equations
            ]  # fmt: skip
            if all(map(is_zero, right)):
                continue
            for place, speed in enumerate(group.dependent):
                if not self.is_constant[speed]:
                    name = f"G{_index(speed, independent)}"
                    self.definitions[name] = Definition(_determinant(_with_column(square, place, right)), divisor)
                    self.directions[speed][column] = symbol_polynomial(name)

    def _define_drifts(self, group: LoopGroup, divisor: str, rows: Sequence[LoopRow], drifts: Sequence[Scalar]) -> None:
        square = [[rows[k].get(c, 0.0) for c in group.dependent] for k in group.equations]
        right = [
            -(drifts[k] + sum_of(x * self.drifts[c] for c, x in rows[k].items() if c in group.others))
            for k in group.equations
        ]
        for place, speed in enumerate(group.dependent):
            if not self.is_constant[speed]:
                name = f"g{_index(speed)}"
                self.definitions[name] = Definition(_determinant(_with_column(square, place, right)), divisor)
                self.drifts[speed] = symbol_polynomial(name)


def _index(*speeds: int) -> str:
    """Numbers of speeds as in the symbols of coordinates, separated where one has two digits."""
    return ("_" if max(speeds) > 8 else "").join(str(k + 1) for k in speeds)


def _as_integer_if_close(x: float) -> float:
    return float(round(x)) if abs(x - round(x)) < CONSTANT else float(x)


def _with_column(square: Matrix, place: int, column: Sequence[Scalar]) -> Matrix:
    """The matrix with another column."""
    return [[*row[:place], x, *row[place + 1 :]] for row, x in zip(square, column, strict=True)]


def _determinant(square: Matrix) -> Scalar:
    """The determinant by expansion along the first row."""
    if len(square) == 1:
        return square[0][0]
    total: Scalar = 0.0
    for k, x in enumerate(square[0]):
        if not is_zero(x):
            minor = _determinant([[*row[:k], *row[k + 1 :]] for row in square[1:]])
            total = total + x * minor if k % 2 == 0 else total - x * minor
    return total
