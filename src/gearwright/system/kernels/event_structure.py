"""What of a machine's laws is the same at every instant: which holds, drags and guards each mode has, and along what.

The event loop in machine code works on numbers and places. Every hold, drag and guard of a law gets a place that its
modes share where they can: a friction that sticks or slides has one place for its hold, a lossy gear with five modes
one for its drag. Lines that are parallel are one direction, with a factor each.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gearwright.algebra import is_number
from gearwright.forces.law import Drag, Hold
from gearwright.forces.line import Line
from gearwright.system.kernels.traced_laws import Choice, Survey
from gearwright.system.system import System, share
from gearwright.system.vector_program import NoKernelError
from gearwright.tracing.symbols import operations, symbols

MOST = 4000
"""Speeds times directions up to which the event loop takes a machine: for each the kernel has a response."""


class TooLargeError(NoKernelError):
    """A machine that is too large for the event loop in machine code; its laws may be compiled all the same."""


@dataclass
class Directions:
    """The distinct directions of lines."""

    lines: list[Line] = field(default_factory=list)

    def of(self, line: Line) -> tuple[int, float]:
        """The direction of a line, and the factor with which the line is it."""
        for k, known in enumerate(self.lines):
            factor = _parallel(line, known)
            if factor is not None:
                return k, factor
        self.lines.append(line)
        return len(self.lines) - 1, 1.0


def _parallel(line: Line, other: Line) -> float | None:
    """The factor with which a line is another one, None if they are not parallel."""
    if line == other:
        return 1.0
    if not line.constant or not other.constant:
        return None
    mine, its = dict(line.terms), dict(other.terms)
    if mine.keys() != its.keys():
        return None
    first = next(iter(its))
    factor = float(mine[first]) / float(its[first])
    return factor if all(abs(mine[k] - factor * its[k]) <= 1e-12 * abs(mine[k]) for k in its) else None


@dataclass
class EventStructure:
    """Places and numbers, as lists; `begin` lists have one more entry than there are choices.

    Args:
        mode_count: per law its number of modes; choices are numbered law by law, mode by mode.
        hold_begin, hold_place, hold_keeps, hold_firm: per choice its holds: their places, whether they keep a speed,
            and whether a blow elsewhere leaves them firm.
        place_direction, place_factor, place_rigid: per place of a hold its direction, factor, and whether it yields.
        drag_begin, drag_place: per choice its drags.
        drag_direction, drag_factor: per place of a drag.
        shares: per drag and hold how much of the hold's multiplier runs through the drag.
        guard_first: per law where its guards stand among all.
        guard_begin, guard_to, guard_direction, guard_factor, guard_restitution: per choice its guards: the next mode,
            and the impact that comes with it (direction -1: none).
        directions, guards, kinks: their numbers.
        direction_speed, direction_term: per direction along one speed that speed and its factor; -1 for others.
        answers, look_answers: whether the rates, and the looks, need to know how flows answer.
        look_solved: per guard and kink whether it depends on what the balance of forces gives.
    """

    mode_count: list[int] = field(default_factory=list)
    hold_begin: list[int] = field(default_factory=lambda: [0])
    hold_place: list[int] = field(default_factory=list)
    hold_keeps: list[int] = field(default_factory=list)
    hold_firm: list[int] = field(default_factory=list)
    place_direction: list[int] = field(default_factory=list)
    place_factor: list[float] = field(default_factory=list)
    place_rigid: list[int] = field(default_factory=list)
    drag_begin: list[int] = field(default_factory=lambda: [0])
    drag_place: list[int] = field(default_factory=list)
    drag_direction: list[int] = field(default_factory=list)
    drag_factor: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    guard_first: list[int] = field(default_factory=list)
    guard_begin: list[int] = field(default_factory=lambda: [0])
    guard_to: list[int] = field(default_factory=list)
    guard_direction: list[int] = field(default_factory=list)
    guard_factor: list[float] = field(default_factory=list)
    guard_restitution: list[float] = field(default_factory=list)
    directions: int = 0
    direction_speed: list[int] = field(default_factory=list)
    direction_term: list[float] = field(default_factory=list)
    guards: int = 0
    kinks: int = 0
    answers: bool = False
    look_answers: bool = False
    look_solved: list[int] = field(default_factory=list)

    @property
    def holds(self) -> int:
        """Places of holds."""
        return len(self.place_direction)

    @property
    def drags(self) -> int:
        """Places of drags."""
        return len(self.drag_direction)

    @property
    def felt(self) -> int:
        """What laws feel: multipliers, flows and answers."""
        return max(self.holds + 2 * self.drags, 1)

    def facts(self) -> dict[str, Any]:
        """All of it for a cache."""
        return dict(vars(self))


class Places:
    """The structure of a system's laws, and the lines behind its directions; made from a survey over symbols."""

    def __init__(self, system: System, found: Survey) -> None:
        self.system, self.found = system, found
        self.structure, self.directions = EventStructure(), Directions()
        self.holds: dict[Choice, list[int]] = {}
        self.drags: dict[Choice, list[int]] = {}
        self._hold_of: list[Hold] = []
        self._drag_of: list[Drag] = []
        self.first_choice: list[int] = []
        x, u = system.moving(symbols("x", system.own.stop)), symbols("u", system.input_size)
        self._situations = system.situations(operations(), symbols("t", 1)[0], x, u)
        for k in range(len(system.laws)):
            self._add_law(k)
        made = self.structure
        made.directions = len(self.directions.lines)
        single = [
            line.terms[0] if line.constant and len(line.terms) == 1 else (-1, 1.0) for line in self.directions.lines
        ]
        made.direction_speed = [index for index, _ in single]
        made.direction_term = [float(factor) for _, factor in single]
        made.shares = [_share(hold, drag) for drag in self._drag_of for hold in self._hold_of]
        if system.mech.n * made.directions > MOST:
            raise TooLargeError(
                f"the event loop runs in Python: {made.directions} directions of {system.mech.n} speeds are too many "
                "for machine code."
            )

    def _add_law(self, k: int) -> None:
        law, made, situation = self.system.laws[k], self.structure, self._situations[k]
        self.first_choice.append(len(made.hold_begin) - 1)
        made.mode_count.append(len(law.modes))
        made.guard_first.append(made.guards)
        places: dict[Hashable, int] = {}
        for mode in law.modes:
            action = law.act(mode, situation)  # along lines as they are stated: placed ones are new at every instant
            self.holds[k, mode] = self._placed(places, action.holds)
            self.drags[k, mode] = self._placed(places, action.drags)
            self._add_holds(self.holds[k, mode], action.holds)
            made.drag_place += self.drags[k, mode]
            made.drag_begin.append(len(made.drag_place))
            self._add_guards(k, mode)
        made.guards += max(len(self.found.guards[k, mode]) for mode in law.modes)

    def _placed(self, known: dict[Hashable, int], ties: Sequence[Hold] | Sequence[Drag]) -> list[int]:
        """A place for each; another mode of the same law may have it already."""
        found: list[int] = []
        for tie in ties:
            line = tie.line if isinstance(tie, Hold) else tie.push
            count = 0
            while known.get((type(tie), line, tie.port, count)) in found:  # twice along one line in one mode
                count += 1
            key = (type(tie), line, tie.port, count)
            if key not in known:
                known[key] = self._new_place(tie, line)
            found.append(known[key])
        return found

    def _new_place(self, tie: Hold | Drag, line: Line) -> int:
        made, (direction, factor) = self.structure, self.directions.of(line)
        if isinstance(tie, Hold):
            self._hold_of.append(tie)
            made.place_direction.append(direction)
            made.place_factor.append(factor)
            made.place_rigid.append(1)
            return len(self._hold_of) - 1
        self._drag_of.append(tie)
        made.drag_direction.append(direction)
        made.drag_factor.append(factor)
        return len(self._drag_of) - 1

    def _add_holds(self, places: Sequence[int], holds: Sequence[Hold]) -> None:
        made = self.structure
        for place, hold in zip(places, holds, strict=True):
            made.hold_place.append(place)
            made.hold_keeps.append(int(hold.speed is not None))
            made.hold_firm.append(int(_plain(hold.firm)))
            made.place_rigid[place] &= int(is_number(hold.compliance) and hold.compliance == 0)
        made.hold_begin.append(len(made.hold_place))

    def _add_guards(self, k: int, mode: str) -> None:
        made, modes = self.structure, self.system.laws[k].modes
        for guard in self.found.guards[k, mode]:
            direction, factor, restitution = -1, 1.0, 0.0
            if guard.impact is not None:
                direction, factor = self.directions.of(guard.impact.line)
                restitution = float(_plain(guard.impact.restitution))
            made.guard_to.append(modes.index(guard.to))
            made.guard_direction.append(direction)
            made.guard_factor.append(factor)
            made.guard_restitution.append(restitution)
        made.guard_begin.append(len(made.guard_to))


def _plain(value: Any) -> Any:
    if not is_number(value):
        raise NoKernelError(
            "the event loop runs in Python: a law chooses `firm` or `restitution` by its numbers. Give one guard or "
            "mode for each."
        )
    return value


def _share(hold: Hold, drag: Drag) -> float:
    return share(hold.line, drag.push) if hold.port and hold.port == drag.port else 0.0
