"""The constant structure of a machine's laws: the holds, drags and guards of each mode, and their lines.

The event loop in machine code works on numbers and places. Every hold, drag and guard of a law gets a place that its
modes share where possible: stick-slip friction has one place for its hold, a lossy gear with five modes one for its
drag. Parallel lines are one direction, with a factor each.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gearwright.algebra import is_number
from gearwright.errors import NotTraceableError
from gearwright.forces import Contact, Drag, Hold, Line
from gearwright.functions.constrained.contact_workspace import ENERGETIC_LAW, NEWTON_LAW, POISSON_LAW
from gearwright.parts.environment.loops_and_contacts import POISSON
from gearwright.system.kernels.traced_laws import LawMode, Survey
from gearwright.system.system import System, has_same_row, line_share, symbolic_line_share
from gearwright.system.vector_program import NoKernelError
from gearwright.tracing.symbols import new_symbols, symbol_operations

MAX_RESPONSE_ENTRIES = 4000
"""Largest product of speeds and directions of the event loop: the kernel computes a response for each."""


class TooLargeError(NoKernelError):
    """A machine that is too large for the event loop in machine code; its laws may still be compiled."""


@dataclass
class LineDirections:
    """The distinct directions of lines."""

    lines: list[Line] = field(default_factory=list)

    def find_direction(self, line: Line) -> tuple[int, float]:
        """The index of a line's direction, and the line's factor."""
        for k, direction in enumerate(self.lines):
            factor = _parallel_factor(line, direction)
            if factor is not None:
                return k, factor
        self.lines.append(line)
        return len(self.lines) - 1, 1.0


def _parallel_factor(line: Line, reference: Line) -> float | None:
    """The factor from another line to this one, None if they are not parallel."""
    if line is reference:
        return 1.0
    if not line.is_constant or not reference.is_constant:
        return 1.0 if _is_equal(line, reference) else None
    if not has_numbers(line) or not has_numbers(reference):
        return 1.0 if has_same_row(line, reference) else None
    line_terms, reference_terms = dict(line.terms), dict(reference.terms)
    if line_terms.keys() != reference_terms.keys():
        return None
    first = next(iter(reference_terms))
    factor = float(line_terms[first]) / float(reference_terms[first])
    return (
        factor
        if all(abs(line_terms[k] - factor * reference_terms[k]) <= 1e-12 * abs(line_terms[k]) for k in reference_terms)
        else None
    )


def _is_equal(line: Line, reference: Line) -> bool:
    """Whether two lines are equal; not if that depends on the value of a symbol."""
    try:
        return line == reference
    except NotTraceableError:
        return False


def has_numbers(line: Line) -> bool:
    """Whether the terms of a line are numbers, not symbols."""
    return all(is_number(factor) for _, factor in line.terms)


@dataclass
class EventStructure:
    """Places and numbers as lists; `begin` lists have one more entry than there are choices.

    Args:
        mode_count: the number of modes of each law; choices are numbered law by law, mode by mode.
        modes_together: per law whether its modes are determined together with those of other laws, outside the loop: it
            has a unilateral hold.
        contact_law: the only law of them, a contact whose modes are determined in the loop; -1 if there is none.
        contact_state: the index of its slip direction in the state vector.
        contact_places: its holds along the normal and the tangents.
        contact_facts: its friction, and the number of its law of restitution, see `functions.constrained`.
        hold_begin, hold_place, hold_keeps, hold_firm, hold_projects: per choice its holds: their places, whether they
            keep a speed, whether they stay firm in an impact elsewhere, and what runs project: 2 position and speed, 1
            the speed alone.
        place_direction, place_factor, place_rigid: per place of a hold its direction, factor, and whether it is rigid.
        drag_begin, drag_place: per choice its drags.
        drag_direction, drag_factor: per place of a drag.
        shares: per drag and hold the share of the hold's multiplier through the drag.
        guard_first: per law the index of its first guard among all.
        guard_begin, guard_to, guard_direction, guard_restitution: per choice its guards: the next mode,
            and the impact of the change (direction -1: none).
        directions, guards, kinks: numbers of directions, guards and branch points.
        direction_speed, direction_term: per direction along one speed that speed and its factor; -1 for others.
        answers, look_answers: whether the rates, and the event checks, need the responses of flows.
        look_solved: per guard and branch point whether it depends on the solution of the force balance.
    """

    mode_count: list[int] = field(default_factory=list)
    modes_together: list[int] = field(default_factory=list)
    contact_law: int = -1
    contact_state: int = 0
    contact_places: list[int] = field(default_factory=list)
    contact_facts: list[float] = field(default_factory=list)
    hold_begin: list[int] = field(default_factory=lambda: [0])
    hold_place: list[int] = field(default_factory=list)
    hold_keeps: list[int] = field(default_factory=list)
    hold_firm: list[int] = field(default_factory=list)
    hold_projects: list[int] = field(default_factory=list)
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
    def hold_count(self) -> int:
        """The number of places of holds."""
        return len(self.place_direction)

    @property
    def drag_count(self) -> int:
        """The number of places of drags."""
        return len(self.drag_direction)

    @property
    def reaction_size(self) -> int:
        """The number of multipliers, flows and responses."""
        return max(self.hold_count + 2 * self.drag_count, 1)

    @property
    def has_position_holds(self) -> bool:
        """Whether a hold keeps a position."""
        return 2 in self.hold_projects

    def cache_facts(self) -> dict[str, Any]:
        """All fields, for the cache."""
        return dict(vars(self))


class LawPlaces:
    """The structure of a system's laws, and the lines of its directions, from a survey over symbols."""

    def __init__(self, system: System, survey: Survey) -> None:
        self.system, self.survey = system, survey
        self.structure, self.directions = EventStructure(), LineDirections()
        self.holds: dict[LawMode, list[int]] = {}
        self.drags: dict[LawMode, list[int]] = {}
        self._placed_holds: list[Hold] = []
        self._placed_drags: list[Drag] = []
        self.first_choice: list[int] = []
        x, u = system.motion_of(new_symbols("x", system.law_slice.stop)), new_symbols("u", system.input_size)
        self._situations = system.law_situations(symbol_operations(), new_symbols("t", 1)[0], x, u)
        for k in range(len(system.laws)):
            self._add_law(k)
        structure = self.structure
        structure.directions = len(self.directions.lines)
        single = [
            line.terms[0] if line.is_constant and len(line.terms) == 1 and has_numbers(line) else (-1, 1.0)
            for line in self.directions.lines
        ]
        structure.direction_speed = [index for index, _ in single]
        structure.direction_term = [float(factor) for _, factor in single]
        self._add_single_contact()
        structure.shares = [_hold_share(hold, drag) for drag in self._placed_drags for hold in self._placed_holds]

    def has_flanks(self, choice: LawMode) -> bool:
        """Whether a law in a mode has drags and no holds: gears that turn, with flanks that an impact may change."""
        return bool(self.drags[choice]) and not self.holds[choice]

    @property
    def laws_with_flanks(self) -> set[int]:
        """The indices of laws with turning gears."""
        return {choice[0] for choice in self.drags if self.has_flanks(choice)}

    def _add_law(self, k: int) -> None:
        law, structure, situation = self.system.laws[k], self.structure, self._situations[k]
        self.first_choice.append(len(structure.hold_begin) - 1)
        structure.mode_count.append(len(law.modes))
        structure.guard_first.append(structure.guards)
        holds = [hold for mode in law.modes for hold in self.survey.actions[k, mode].holds]
        structure.modes_together.append(int(any(hold.is_unilateral for hold in holds)))
        places: dict[Hashable, int] = {}
        for mode in law.modes:
            action = law.act(mode, situation)  # along lines that are not placed: placed ones differ at every instant
            self.holds[k, mode] = self._place_constraints(places, action.holds)
            self.drags[k, mode] = self._place_constraints(places, action.drags)
            self._add_holds(self.holds[k, mode], action.holds)
            structure.drag_place += self.drags[k, mode]
            structure.drag_begin.append(len(structure.drag_place))
            self._add_guards(k, mode)
        structure.guards += max(len(self.survey.guards[k, mode]) for mode in law.modes)

    def _add_single_contact(self) -> None:
        """Describe the contact if there is one alone."""
        structure, system = self.structure, self.system
        together = [k for k, flag in enumerate(structure.modes_together) if flag]
        law = system.laws[together[0]] if len(together) == 1 else None
        if not isinstance(law, Contact):
            return
        if not (is_number(law.friction) and is_number(law.restitution)):
            raise NotTraceableError(f"law {law.name!r}: friction and restitution of a rigid contact must be numbers.")
        structure.contact_law, mode = together[0], law.modes[-1]
        structure.contact_state = system.law_state_slice(together[0]).start
        structure.contact_places = self.holds[together[0], mode]
        restitution_law = NEWTON_LAW if law.may_gain_energy else POISSON_LAW if law.impact == POISSON else ENERGETIC_LAW
        structure.contact_facts = [float(law.friction), restitution_law]

    def _place_constraints(
        self, known_places: dict[Hashable, int], constraints: Sequence[Hold] | Sequence[Drag]
    ) -> list[int]:
        """A place for each hold or drag; modes of the same law share places."""
        places: list[int] = []
        for constraint in constraints:
            line = constraint.line if isinstance(constraint, Hold) else constraint.push
            count = 0
            while (
                known_places.get((type(constraint), line, constraint.port, count)) in places
            ):  # twice along one line in one mode
                count += 1
            key = (type(constraint), line, constraint.port, count)
            if key not in known_places:
                known_places[key] = self._new_place(constraint, line)
            places.append(known_places[key])
        return places

    def _new_place(self, constraint: Hold | Drag, line: Line) -> int:
        structure, (direction, factor) = self.structure, self.directions.find_direction(line)
        if isinstance(constraint, Hold):
            self._placed_holds.append(constraint)
            structure.place_direction.append(direction)
            structure.place_factor.append(factor)
            structure.place_rigid.append(1)
            return len(self._placed_holds) - 1
        self._placed_drags.append(constraint)
        structure.drag_direction.append(direction)
        structure.drag_factor.append(factor)
        return len(self._placed_drags) - 1

    def _add_holds(self, places: Sequence[int], holds: Sequence[Hold]) -> None:
        structure = self.structure
        for place, hold in zip(places, holds, strict=True):
            structure.hold_place.append(place)
            structure.hold_keeps.append(int(hold.speed is not None))
            projects_speed = hold.speed is not None and any(x.position is not None for x in holds)
            structure.hold_projects.append(2 if hold.position is not None else int(projects_speed))
            structure.hold_firm.append(int(_plain_number(hold.is_firm)))
            structure.place_rigid[place] &= int(is_number(hold.compliance) and hold.compliance == 0)
        structure.hold_begin.append(len(structure.hold_place))

    def _add_guards(self, k: int, mode: str) -> None:
        structure, modes = self.structure, self.system.laws[k].modes
        for guard in self.survey.guards[k, mode]:
            direction, restitution = -1, 0.0
            if guard.impact is not None:
                direction, _ = self.directions.find_direction(guard.impact.line)
                restitution = float(_plain_number(guard.impact.restitution))
            structure.guard_to.append(modes.index(guard.to))
            structure.guard_direction.append(direction)
            structure.guard_restitution.append(restitution)
        structure.guard_begin.append(len(structure.guard_to))


def _plain_number(value: Any) -> Any:
    if not is_number(value):
        raise NoKernelError(
            "the event loop runs in Python: `is_firm` or `restitution` of a law depends on its numbers. Give one guard "
            "or mode for each value."
        )
    return value


def _hold_share(hold: Hold, drag: Drag) -> float:
    if not hold.port or hold.port != drag.port:
        return 0.0
    has_rows = hold.line.is_constant and drag.push.is_constant
    return symbolic_line_share(hold.line, drag.push) if has_rows else line_share(hold.line, drag.push)
