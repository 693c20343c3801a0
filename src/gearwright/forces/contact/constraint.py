"""Bilateral constraints on coordinates of a machine, with their reaction forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.forces.coordinates.angles_and_distances import Triple, three_numbers
from gearwright.forces.coordinates.configuration import Anchor, MovingFrame
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.coordinates.relative_pose import (
    POSE_COORDINATE_NAMES,
    TRANSLATION_NAMES,
    checked_coordinates,
    relative_coordinates,
)
from gearwright.forces.law import Action, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.lazy_signals import LazySignals
from gearwright.forces.line import Line


@check_arguments
@dataclass(frozen=True)
class Constraint(Law):
    r"""A bilateral constraint: coordinates of a frame relative to another one are kept at zero, $s_c(q, t) = 0$.

    Of the six coordinates x, y, z [m] and rx, ry, rz [rad] of `frame` relative to `relative_to`, the named ones are
    constrained and the others free: on a surface ("z",), along an edge ("y", "z"), a peg in a hole ("x", "y", "rx",
    "ry"), a ball joint ("x", "y", "z"), welded all six. The other frame may be the base, a body (a closed loop), or a
    `MovingFrame`. `Constraint.from_lines(name, force_lines)` constrains user-defined coordinates.

    The multipliers are the reactions, in the axes of `relative_to`, acting on `frame`: series `<name>.force.z` [N],
    `<name>.torque.rx` [Nm]. All six coordinates are series too: `<name>.x`, ..., `<name>.rz`. Runs project position
    and speed after each accepted step. Where rows are linearly dependent, the reactions are those of least norm.

    Args:
        name: its name.
        frame: a body or frame of the machine.
        relative_to: a body or frame, "base", or a `MovingFrame`.
        held: which of the six are constrained.
        stated: further constrained coordinates; `Constraint.from_lines` sets them.

    >>> pen = Constraint("pen", "tool", "base", held=("z", "rx"))
    >>> [signal.name for signal in pen.signals][-2:]
    ['pen.force.z', 'pen.torque.rx']
    """

    name: str
    frame: Anchor | None
    relative_to: Anchor = "base"
    held: tuple[str, ...] = TRANSLATION_NAMES
    stated: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        if self.frame is None:
            object.__setattr__(self, "held", ())
            if not self.stated:
                raise InputError(f"{self.name}: it constrains no coordinate. Name a frame, or give coordinates.")
        else:
            object.__setattr__(self, "held", checked_coordinates(self.name, self.held))
        object.__setattr__(self, "stated", tuple(self.stated))

    @staticmethod
    def from_lines(name: str, lines: Sequence[Line]) -> Constraint:
        """A constraint that keeps the given coordinates at zero.

        >>> import gearwright as gw
        >>> arm = gw.assemble(gw.load("elbow"))
        >>> ring = gw.forces.Coordinate.for_machine(arm, "ring", lambda c: c.point(2).x ** 2 + c.point(2).y ** 2 - 0.09)
        >>> [signal.name for signal in Constraint.from_lines("rail", [ring]).signals]
        ['rail.ring', 'rail.force.ring']
        """
        return Constraint(name, None, stated=tuple(lines))

    def force_lines(self, speeds: tuple[str, ...]) -> tuple[Line, ...]:
        """The constrained coordinates, on a machine with these speeds."""
        coordinates = pose_coordinates(self, speeds)
        return (*(coordinates[word] for word in self.held), *self.stated)

    @property
    def has_position_holds(self) -> bool:
        """True: its positions are projected."""
        return True

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """All coordinates, and the reaction of each constrained one."""
        coordinates = () if self.frame is None else POSE_COORDINATE_NAMES
        places = [Quantity(f"{self.name}.{word}", "m" if word in TRANSLATION_NAMES else "rad") for word in coordinates]
        stated_quantities = [Quantity(f"{self.name}.{line.name}", "") for line in self.stated]
        units = [*("N" if word in TRANSLATION_NAMES else "Nm" for word in self.held), *("" for _ in self.stated)]
        reactions = [Quantity(name, unit) for name, unit in zip(self.force_names, units, strict=True)]
        return (*places, *stated_quantities, *reactions)

    @property
    def force_names(self) -> tuple[str, ...]:
        """The names of the reactions, one per constrained coordinate."""
        names = [self._reaction_name(word) for word in self.held]
        return (*names, *(f"{self.name}.force.{line.name}" for line in self.stated))

    def require_no_friction(self, function: str) -> None:
        """Raise an error if it has friction, for functions that cannot account for it."""

    def _reaction_name(self, word: str) -> str:
        return f"{self.name}.{'force' if word in TRANSLATION_NAMES else 'torque'}.{word}"

    def act(self, mode: str, situation: Situation) -> Action:
        """One constraint per constrained coordinate."""
        lines = self.force_lines(situation.mech.speeds)
        return Action(holds=tuple(Hold(line, speed=0.0, position=0.0) for line in lines))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Coordinates, reactions, and the power that moving frames supply."""
        lines = self.force_lines(situation.mech.speeds)
        work = sum((f * situation.speed(line) for f, line in zip(reaction.multipliers, lines, strict=True)), 0.0)

        def signal_values() -> dict[str, Scalar]:
            values = self.signal_values(mode, situation, reaction)
            return dict(zip((signal.name for signal in self.signals), values, strict=True))

        return Outcome(dissipated=-work, signals=LazySignals(signal_values))

    def signal_values(self, mode: str, situation: Situation, reaction: Reaction) -> list[Scalar]:
        """The values of its signals, in their order."""
        places = [*pose_coordinates(self, situation.mech.speeds).values(), *self.stated]
        return [*(situation.position(line) for line in places), *reaction.multipliers]


@check_arguments
def fixed_frame(
    name: str, position: Sequence[float] = (0.0, 0.0, 0.0), rotation: Sequence[Sequence[float]] | None = None
) -> MovingFrame:
    """Return a frame at rest in the world, such as a table or a hole.

    Args:
        name: its name.
        position: its origin [m].
        rotation: (3, 3), its axes as columns; None: those of the world.

    >>> table = fixed_frame("table", (0.6, 0.0, 0.3))
    """
    origin: Triple = three_numbers(name, "position", position)
    if rotation is None:
        return MovingFrame(name, ConstantFunction(origin))
    rows = tuple(three_numbers(name, "a row of the rotation", row) for row in rotation)
    return MovingFrame(name, ConstantFunction(origin), ConstantFunction(rows))


@dataclass(frozen=True)
class ConstantFunction:
    """A function of time that is constant."""

    value: Any

    def __call__(self, t: Scalar, ops: Operations) -> Any:
        """The value."""
        return self.value


@lru_cache(maxsize=256)
def pose_coordinates(law: Constraint, speeds: tuple[str, ...]) -> dict[str, Coordinate]:
    """Return the six coordinates on a machine with these speeds; cached, so evaluations at one instant are shared."""
    if law.frame is None:
        return {}
    functions = relative_coordinates(law.frame, law.relative_to, law.held)
    return {word: Coordinate(f"{law.name}.{word}", function, speeds) for word, function in functions.items()}
