"""Coordinates s(q, t) of a machine as lines: value, row, rate and drift by exact differentiation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, sin
from typing import TypeAlias

import numpy as np

from gearwright.algebra import FLOATS, Operations, Scalar, is_number
from gearwright.algebra.differentiation.dual_numbers import DualOperations, primal_value, time_coefficient
from gearwright.algebra.differentiation.taylor_series import TaylorOperations
from gearwright.dynamics.configuration import integrate, neutral
from gearwright.errors import GearwrightError, InputError, SingularityError
from gearwright.forces.coordinates.configuration import Configuration
from gearwright.forces.coordinates.perturbed_configuration import (
    TIME_DIRECTION,
    motion_configuration,
    plain_configuration,
    tangent_configuration,
)
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism, RobotOrMech, Terms, tree_of

CoordinateFunction: TypeAlias = Callable[[Configuration], Scalar]
"""A function from a configuration to a coordinate [rad, m], over generic scalars."""

TRIAL_OFFSETS = (1.3, 0.7, 0.1, 0.01, 0.0)
"""Distances from the neutral configuration [rad, m] at which a new coordinate is checked."""


@dataclass(frozen=True)
class Coordinate(Line):
    r"""A configuration-dependent coordinate s(q, t); its row is found by exact differentiation.

    The function is evaluated over numbers with derivatives. Its first derivatives in all tangent directions are the row
    $b = \partial s/\partial q$ (free and spherical joints have one entry per speed) and the rate
    $\partial s/\partial t$. Its second time derivative at constant speeds is the drift $\dot b \cdot v + \ldots$ of
    $\ddot s = b \cdot a + drift$.

    Args:
        title: its name.
        function: s of a `Configuration`, written over its scalars and its `ops`.
        speeds: names of all speeds of the machine.
        inlet: for the push of a drag whose flow is along another coordinate than its force (friction and its normal
            force): the coordinate of the flow.
    """

    title: str
    function: CoordinateFunction
    speeds: tuple[str, ...]
    inlet: Coordinate | None = None

    @staticmethod
    def for_machine(mech: RobotOrMech, name: str, function: CoordinateFunction) -> Coordinate:  # type: ignore[override]
        """A coordinate of a machine from a function; it is evaluated once to report errors early.

        >>> import gearwright as gw
        >>> arm = gw.assemble(gw.load("elbow"))
        >>> reach = Coordinate.for_machine(arm, "reach", lambda c: c.point(2).x ** 2)
        """
        machine = tree_of("coordinate", mech)
        coordinate = Coordinate(name, function, machine.speeds)
        require_movable(coordinate, machine)
        return coordinate

    @property
    def terms(self) -> Terms:  # type: ignore[override]
        """Not available before it is placed: a use that needs a constant row raises an error."""
        raise InputError(
            f"coordinate {self.title!r} has no constant row, which is required here. Give a constant row with "
            "Line.for_machine(mech, ...). In a law, use situation.speed(line) instead of line.speed(v)."
        )

    @property
    def name(self) -> str:
        """Its name."""
        return self.title

    def placed_in(self, kinematics: SharedKinematics) -> Line:
        """The coordinate with its row at the current configuration, shared by all laws of one instant."""
        return kinematics.compute_once(("line", id(self)), self, lambda: self._placed_coordinate(kinematics))

    def _placed_coordinate(self, kinematics: SharedKinematics) -> PlacedCoordinate:
        differentials, placed = kinematics.coordinate_differentials(self), PlacedCoordinate(self, kinematics)
        if differentials is not None:
            placed.value, rate, placed.drift, *row = differentials
            placed._row_slopes = {TIME_DIRECTION: rate} | {k: x for k, x in enumerate(row) if x}
        return placed

    def record_branches(self, kinematics: SharedKinematics, ops: Operations) -> None:
        """Evaluate it with operations that record its branch points."""
        self.function(plain_configuration(kinematics, ops))


class PlacedCoordinate(Line):
    """A coordinate at the current configuration; its values are computed on demand."""

    def __init__(self, coordinate: Coordinate, kinematics: SharedKinematics) -> None:
        self.coordinate, self._kinematics, self.speeds = coordinate, kinematics, coordinate.speeds
        self.inlet = None if coordinate.inlet is None else coordinate.inlet.placed_in(kinematics)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same coordinate at the same instant."""
        own_coordinate, kinematics = self.coordinate, self._kinematics
        return (
            isinstance(other, PlacedCoordinate)
            and other._kinematics is kinematics
            and other.coordinate == own_coordinate
        )

    def __hash__(self) -> int:
        return hash((self.coordinate, id(self._kinematics)))

    @property
    def name(self) -> str:
        """Its name."""
        return self.coordinate.title

    @cached_property
    def value(self) -> Scalar:
        """The coordinate itself [rad, m]."""
        return self._evaluate(plain_configuration)

    @cached_property
    def _row_slopes(self) -> dict[object, Scalar]:
        ops = DualOperations.for_displacement(self._kinematics.ops)
        by = ops.partials_of(self._evaluate(tangent_configuration))
        if any(is_number(x) and not isfinite(x) for x in by.values()):
            raise self._singularity_error("its row is not finite")
        return by

    @cached_property
    def terms(self) -> Terms:  # type: ignore[override]
        """(speed index, scalar) where the row is not zero."""
        return tuple(
            sorted(((k, x) for k, x in self._row_slopes.items() if isinstance(k, int)), key=lambda term: term[0])
        )

    @property
    def time_rate(self) -> Scalar:
        """The part of the speed along it that is due to explicit time."""
        return self._row_slopes.get(TIME_DIRECTION, 0.0)

    @cached_property
    def drift(self) -> Scalar:
        """The acceleration along it at constant speeds."""
        ops = TaylorOperations.for_displacement(self._kinematics.ops)
        return ops.coefficient(self._evaluate(motion_configuration), 2) * 2.0

    def position(self, q: Sequence[Scalar]) -> Scalar:
        """The coordinate at the placed configuration [rad, m]."""
        return self.value

    def _evaluate(self, configuration_of: Callable[[SharedKinematics], Configuration]) -> Scalar:
        try:
            with np.errstate(divide="raise", invalid="raise"):  # arrays must raise as numbers do
                return self.coordinate.function(configuration_of(self._kinematics))
        except GearwrightError:
            raise
        except (ArithmeticError, ValueError) as error:
            raise self._singularity_error(str(error)) from error

    def _singularity_error(self, why: str) -> SingularityError:
        t, *q = (primal_value(time_coefficient(x, 0)) for x in (self._kinematics.t, *self._kinematics.q))
        return SingularityError(
            f"coordinate {self.name!r} is not differentiable ({why}) at t = {t} s, q = {q}. Avoid "
            "this configuration (coinciding points, a tendon point inside its pulley), or use a coordinate that is "
            "smooth there."
        )


def require_movable(coordinate: Coordinate, mech: Mechanism) -> None:
    """Raise an error for a coordinate that no joint moves, or whose row is nowhere finite."""
    trials = [_trial_row(coordinate, mech, size) for size in TRIAL_OFFSETS]
    rows = [row for row in trials if not isinstance(row, SingularityError)]
    if not rows:
        raise trials[-1]  # type: ignore[misc]
    if not any(x for row in rows for _, x in row):
        raise InputError(
            f"coordinate {coordinate.name!r}: no joint moves it (its row is zero), so no force acts along it. Give "
            "points or frames of bodies that move relative to each other."
        )


def nonzero_row(coordinate: Coordinate, mech: Mechanism) -> tuple[Sequence[Scalar], Terms]:
    """A configuration near neutral in which the coordinate's row is not zero, and that row."""
    for size in reversed(TRIAL_OFFSETS):
        row = _trial_row(coordinate, mech, size)
        if not isinstance(row, SingularityError) and any(x for _, x in row):
            return _trial_configuration(mech, size)[0], row
    require_movable(coordinate, mech)
    raise AssertionError("a coordinate that is moved has a row somewhere")


def _trial_configuration(mech: Mechanism, size: float) -> tuple[Sequence[Scalar], list[float]]:
    """A configuration in general position at a distance from neutral, and the step to it."""
    step = [size * sin(1.0 + 2.4 * k) for k in range(mech.n)]
    return integrate(mech, neutral(mech), step, FLOATS), step


def _trial_row(coordinate: Coordinate, mech: Mechanism, size: float) -> Terms | SingularityError:
    """The row at a configuration in general position at a distance from neutral, or the error."""
    q, step = _trial_configuration(mech, size)
    placed_coordinate = PlacedCoordinate(coordinate, SharedKinematics(mech, q, step, FLOATS))
    try:
        if not is_number(placed_coordinate.value):
            raise TypeError(f"it gives a {type(placed_coordinate.value).__name__}")
        return placed_coordinate.terms
    except SingularityError as error:
        return error
    except TypeError as error:
        raise InputError(
            f"coordinate {coordinate.name!r}: its function fails for general scalars ({error}). Write it with + - * / "
            "and the functions of configuration.ops, and return one scalar."
        ) from error
