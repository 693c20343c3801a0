"""Coordinates s(q, t) of a machine as lines: value, row, rate and drift of whatever is stated, by differentiation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, sin
from typing import TypeAlias

import numpy as np

from gearwright.algebra import Operations, Scalar, is_number
from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.differentiation.taylor_series import Jet
from gearwright.algebra.operations import FLOATS
from gearwright.dynamics.configuration import integrate, neutral
from gearwright.errors import GearwrightError, InputError, SingularityError
from gearwright.forces.coordinates.configuration import Configuration
from gearwright.forces.coordinates.perturbed_configuration import TIME, coasting, here, nudged
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.mechanism.rows import Terms

Function: TypeAlias = Callable[[Configuration], Scalar]
"""What gives a coordinate [rad, m] from a configuration, over scalars of any kind."""

TRIES = (1.3, 0.7, 0.1, 0.01, 0.0)
"""How far from neutral, about [rad, m], a new coordinate is tried."""


@dataclass(frozen=True)
class Coordinate(Line):
    r"""A coordinate s(q, t) that depends on the configuration: its row is found by exact differentiation.

    The function runs over jets. Nudged in all directions at once it gives the row $b = \partial s/\partial q$ (in the
    tangent: free and spherical joints have one entry per speed) and the rate $\partial s/\partial t$; coasting, with
    no speed changing, its second derivative is the drift $\dot b \cdot v + \ldots$ of $\ddot s = b \cdot a + drift$.

    Args:
        title: what it is called.
        function: s of a `Configuration`, written over its scalars and its `ops`.
        speeds: names of all speeds of the machine.
        inlet: for the push of a drag whose flow is counted along another coordinate than its force acts (friction
            beside the force that presses): the coordinate along which forces enter.
    """

    title: str
    function: Function
    speeds: tuple[str, ...]
    inlet: Coordinate | None = None

    @staticmethod
    def of(mech: RobotOrMech, name: str, function: Function) -> Coordinate:  # type: ignore[override]
        """A coordinate of a machine from a function that a user states; it is tried once, so that errors come early.

        >>> import gearwright as gw
        >>> arm = gw.assemble(gw.load("elbow"))
        >>> reach = Coordinate.of(arm, "reach", lambda c: c.point(2).x ** 2)
        """
        machine = machine_of("coordinate", mech)
        made = Coordinate(name, function, machine.speeds)
        require_moved(made, machine)
        return made

    @property
    def terms(self) -> Terms:  # type: ignore[override]
        """It has none before it is placed: what needs a row that is the same everywhere refuses it."""
        raise InputError(
            f"coordinate {self.title!r} has no constant row, so that it cannot stand here. Give a row over the speeds, "
            "as Line.of(mech, ...) makes it. Laws ask their situation: situation.speed(line), not line.speed(v)."
        )

    @property
    def name(self) -> str:
        """What it is called."""
        return self.title

    def placed(self, scene: Scene) -> Line:
        """With its row where the machine is; every law that asks at one instant gets the same."""
        return scene.once(("line", id(self)), self, lambda: self._placed(scene))

    def _placed(self, scene: Scene) -> PlacedCoordinate:
        numbers, placed = scene.differentials(self), PlacedCoordinate(self, scene)
        if numbers is not None:
            placed.value, rate, placed.drift, *row = numbers
            placed._slopes = {TIME: rate} | {k: x for k, x in enumerate(row) if x}
        return placed

    def watched(self, scene: Scene, ops: Operations) -> None:
        """Compute it with other operations, which note where it bends."""
        self.function(here(scene, ops))


class PlacedCoordinate(Line):
    """A coordinate where the machine is; what nobody asks for is not computed."""

    def __init__(self, coordinate: Coordinate, scene: Scene) -> None:
        self.coordinate, self._scene, self.speeds = coordinate, scene, coordinate.speeds
        self.inlet = None if coordinate.inlet is None else coordinate.inlet.placed(scene)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same coordinate at the same instant."""
        mine, scene = self.coordinate, self._scene
        return isinstance(other, PlacedCoordinate) and other._scene is scene and other.coordinate == mine

    def __hash__(self) -> int:
        return hash((self.coordinate, id(self._scene)))

    @property
    def name(self) -> str:
        """What it is called."""
        return self.coordinate.title

    @cached_property
    def value(self) -> Scalar:
        """The coordinate itself [rad, m]."""
        return self._asked(here)

    @cached_property
    def _slopes(self) -> dict[object, Scalar]:
        found = self._asked(nudged)
        slopes = found.c[1] if isinstance(found, Jet) else 0.0
        by = slopes.by if isinstance(slopes, Slopes) else {}
        if any(is_number(x) and not isfinite(x) for x in by.values()):
            raise self._singular("its row is not finite")
        return by

    @cached_property
    def terms(self) -> Terms:  # type: ignore[override]
        """(speed index, scalar) where the row is not zero."""
        return tuple(sorted(((k, x) for k, x in self._slopes.items() if isinstance(k, int)), key=lambda term: term[0]))

    @property
    def rate(self) -> Scalar:
        """What explicit time adds to the speed along it."""
        return self._slopes.get(TIME, 0.0)

    @cached_property
    def drift(self) -> Scalar:
        """The acceleration along it while no speed changes."""
        found = self._asked(coasting)
        return found.derivatives()[2] if isinstance(found, Jet) else 0.0

    def position(self, q: Sequence[Scalar]) -> Scalar:
        """The coordinate where it was placed [rad, m]."""
        return self.value

    def _asked(self, how: Callable[[Scene], Configuration]) -> Scalar:
        try:
            with np.errstate(divide="raise", invalid="raise"):  # arrays are to fail as numbers do
                return self.coordinate.function(how(self._scene))
        except GearwrightError:
            raise
        except (ArithmeticError, ValueError) as error:
            raise self._singular(str(error)) from error

    def _singular(self, why: str) -> SingularityError:
        return SingularityError(
            f"coordinate {self.name!r}: it is not differentiable where it is used ({why}), at t = {self._scene.t}, "
            f"q = {list(self._scene.q)}. Keep the machine away from there (points that coincide, a point of a tendon "
            "inside its pulley), or state a coordinate that is smooth there."
        )


def require_moved(coordinate: Coordinate, mech: Mechanism) -> None:
    """Refuse a coordinate that nothing moves, or that has no finite row wherever it is tried."""
    found = [_tried(coordinate, mech, size) for size in TRIES]
    rows = [row for row in found if not isinstance(row, SingularityError)]
    if not rows:
        raise found[-1]  # type: ignore[misc]
    if not any(x for row in rows for _, x in row):
        raise InputError(
            f"coordinate {coordinate.name!r}: no joint moves it, its row is zero, so nothing acts along it. Give "
            "points or frames of bodies that move against each other."
        )


def row_somewhere(coordinate: Coordinate, mech: Mechanism) -> tuple[Sequence[Scalar], Terms]:
    """A configuration near neutral in which something moves along the coordinate, and its row there."""
    for size in reversed(TRIES):
        row = _tried(coordinate, mech, size)
        if not isinstance(row, SingularityError) and any(x for _, x in row):
            return _away(mech, size)[0], row
    require_moved(coordinate, mech)
    raise AssertionError("a coordinate that is moved has a row somewhere")


def _away(mech: Mechanism, size: float) -> tuple[Sequence[Scalar], list[float]]:
    """A configuration in general position so far from neutral, and the step to it."""
    step = [size * sin(1.0 + 2.4 * k) for k in range(mech.n)]
    return integrate(mech, neutral(mech), step, FLOATS), step


def _tried(coordinate: Coordinate, mech: Mechanism, size: float) -> Terms | SingularityError:
    """The row at a configuration in general position so far from neutral, or why there is none."""
    q, step = _away(mech, size)
    here = PlacedCoordinate(coordinate, Scene(mech, q, step, FLOATS))
    try:
        if not is_number(here.value):
            raise TypeError(f"it gives a {type(here.value).__name__}")
        return here.terms
    except SingularityError as error:
        return error
    except TypeError as error:
        raise InputError(
            f"coordinate {coordinate.name!r}: its function does not run over scalars of any kind ({error}). Write it "
            "with + - * / and the functions of configuration.ops, and let it return one scalar."
        ) from error
