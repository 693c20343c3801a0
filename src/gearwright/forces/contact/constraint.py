"""Constraints: coordinates of a machine that are held, with the forces that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.forces.coordinates.angles_and_distances import Numbers, three_numbers
from gearwright.forces.coordinates.configuration import Anchor, MovingFrame
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.coordinates.relative_pose import PLACES, SIX, checked_held, relative_coordinates
from gearwright.forces.law import Action, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.lazy_signals import Deferred
from gearwright.forces.line import Line


@dataclass(frozen=True)
class Constraint(Law):
    r"""Functional coordinates of a frame relative to another one that are held at zero, $s_c(q, t) = 0$, both ways.

    Of the six coordinates x, y, z [m] and rx, ry, rz [rad] of `frame`, seen from `relative_to`, those named are held
    and the others are free: on a surface ("z",), along an edge ("y", "z"), a peg in a hole ("x", "y", "rx", "ry"), a
    ball joint ("x", "y", "z"), welded all six. The other frame may be the base, a body (a closed loop), or a
    `MovingFrame`. Coordinates of one's own are held by `Constraint.of(name, lines)`.

    The multipliers are the reactions, in the axes of `relative_to`, acting on `frame`: series `<name>.force.z` [N],
    `<name>.torque.rx` [Nm]. All six coordinates are series too: `<name>.x`, ..., `<name>.rz`. Runs project position
    and speed after each accepted step. Where rows depend on each other, the reactions are those of least norm.

    Args:
        name: its name.
        frame: a body or frame of the machine.
        relative_to: a body or frame, "base", or a `MovingFrame`.
        held: which of the six.
        stated: coordinates that are held besides; `Constraint.of` sets them.

    >>> pen = Constraint("pen", "tool", "base", held=("z", "rx"))
    >>> [signal.name for signal in pen.signals][-2:]
    ['pen.force.z', 'pen.torque.rx']
    """

    name: str
    frame: Anchor | None
    relative_to: Anchor = "base"
    held: tuple[str, ...] = PLACES
    stated: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        if self.frame is None:
            object.__setattr__(self, "held", ())
            if not self.stated:
                raise InputError(f"{self.name}: nothing is held. Name a frame, or give coordinates to hold.")
        else:
            object.__setattr__(self, "held", checked_held(self.name, self.held))
        object.__setattr__(self, "stated", tuple(self.stated))

    @staticmethod
    def of(name: str, lines: Sequence[Line]) -> Constraint:
        """Coordinates that a user states, all held at zero.

        >>> import gearwright as gw
        >>> arm = gw.assemble(gw.load("elbow"))
        >>> ring = gw.forces.Coordinate.of(arm, "ring", lambda c: c.point(2).x ** 2 + c.point(2).y ** 2 - 0.09)
        >>> [signal.name for signal in Constraint.of("rail", [ring]).signals]
        ['rail.ring', 'rail.force.ring']
        """
        return Constraint(name, None, stated=tuple(lines))

    def lines(self, speeds: tuple[str, ...]) -> tuple[Line, ...]:
        """What is held, on a machine with these speeds."""
        six = _six(self, speeds)
        return (*(six[word] for word in self.held), *self.stated)

    @property
    def keeps_places(self) -> bool:
        """It does."""
        return True

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """All coordinates, and the reaction per coordinate that is held."""
        six = () if self.frame is None else SIX
        places = [Quantity(f"{self.name}.{word}", "m" if word in PLACES else "rad") for word in six]
        own = [Quantity(f"{self.name}.{line.name}", "") for line in self.stated]
        units = [*("N" if word in PLACES else "Nm" for word in self.held), *("" for _ in self.stated)]
        felt = [Quantity(name, unit) for name, unit in zip(self.forces, units, strict=True)]
        return (*places, *own, *felt)

    @property
    def forces(self) -> tuple[str, ...]:
        """The names of the reactions, one per coordinate that is held."""
        felt = [self._reaction(word) for word in self.held]
        return (*felt, *(f"{self.name}.force.{line.name}" for line in self.stated))

    def _reaction(self, word: str) -> str:
        return f"{self.name}.{'force' if word in PLACES else 'torque'}.{word}"

    def act(self, mode: str, situation: Situation) -> Action:
        """A hold per coordinate that is held."""
        lines = self.lines(situation.mech.speeds)
        return Action(holds=tuple(Hold(line, speed=0.0, place=0.0) for line in lines))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Where it is, what it takes to hold it, and what moving frames do to it."""
        lines = self.lines(situation.mech.speeds)
        work = sum((f * situation.speed(line) for f, line in zip(reaction.multipliers, lines, strict=True)), 0.0)

        def shown() -> dict[str, Scalar]:
            places = [*_six(self, situation.mech.speeds).values(), *self.stated]
            values = [*(situation.position(line) for line in places), *reaction.multipliers]
            return dict(zip((signal.name for signal in self.signals), values, strict=True))

        return Outcome(dissipated=-work, signals=Deferred(shown))


@check_arguments
def fixed_frame(
    name: str, position: Sequence[float] = (0.0, 0.0, 0.0), rotation: Sequence[Sequence[float]] | None = None
) -> MovingFrame:
    """A frame at rest in the world, such as a table or a hole.

    Args:
        name: what it is called.
        position: its origin [m].
        rotation: (3, 3), its axes as columns; None: those of the world.

    >>> table = fixed_frame("table", (0.6, 0.0, 0.3))
    """
    origin: Numbers = three_numbers(name, "position", position)
    if rotation is None:
        return MovingFrame(name, Still(origin))
    rows = tuple(three_numbers(name, "a row of the rotation", row) for row in rotation)
    return MovingFrame(name, Still(origin), Still(rows))


@dataclass(frozen=True)
class Still:
    """What is the same at all times."""

    value: Any

    def __call__(self, t: Scalar, ops: Operations) -> Any:
        """The value."""
        return self.value


@lru_cache(maxsize=256)
def _six(law: Constraint, speeds: tuple[str, ...]) -> dict[str, Coordinate]:
    """The six coordinates on a machine with these speeds: the same ones each time, so that one instant knows them."""
    if law.frame is None:
        return {}
    found = relative_coordinates(law.frame, law.relative_to, law.held)
    return {word: Coordinate(f"{law.name}.{word}", function, speeds) for word, function in found.items()}
