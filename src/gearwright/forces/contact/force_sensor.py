"""A law whose forces are measured: what a force sensor shows, as states that controllers can see."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.algebra import Scalar
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.forces.law import Action, Guard, Law, Outcome, Quantity, Reaction, Situation, Stepped

FORCES = ("N", "Nm")


@dataclass(frozen=True)
class Measured(Law):
    r"""A law with a sensor for each of its forces, $T \dot m = F - m$; otherwise it is that law.

    Series and states `<force>.measured`, such as `pen.force.z.measured`: a force in rigid contact follows from what the
    drives do at the same instant, and a sensor with a time of its own is what a controller can act on.

    Args:
        law: a contact, a constraint, or another law that reports forces.
        time_constant: T [s].

    >>> from gearwright.contact import Contact, Plane
    >>> Measured(Contact("foot", Plane(), name="floor")).states[0].name
    'floor.force.measured'
    """

    law: Law
    time_constant: float = 1e-3

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law) or not self.sensed:
            raise InputError(f"measured: {self.law!r} is not a law that reports forces. Give a contact or constraint.")
        number(f"measured {self.law.name}", "time_constant", self.time_constant, above=0.0, unit="s", example=1e-3)

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the law."""
        return self.law.name

    @property
    def sensed(self) -> tuple[Quantity, ...]:
        """The forces that are measured."""
        return tuple(signal for signal in self.law.signals if signal.unit in FORCES)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Those of the law, then what the sensors show."""
        return (*self.law.states, *(Quantity(f"{x.name}.measured", x.unit) for x in self.sensed))

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Those of the law."""
        return self.law.inputs

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Those of the law."""
        return self.law.signals

    @property
    def keeps_places(self) -> bool:
        """As the law does."""
        return self.law.keeps_places

    @property
    def modes(self) -> tuple[str, ...]:
        """Those of the law."""
        return self.law.modes

    def start(self, situation: Situation) -> str:
        """As the law does."""
        return self.law.start(self._own(situation))

    def act(self, mode: str, situation: Situation) -> Action:
        """As the law does."""
        return self.law.act(mode, self._own(situation))

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Those of the law."""
        return self.law.guards(mode, self._own(situation), reaction)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """What follows for the law, and how the sensors follow the forces."""
        outcome = self.law.follow(mode, self._own(situation), reaction)
        return self._sensing(outcome, situation, self.time_constant)

    @property
    def approximation(self) -> str:
        """That of the law."""
        return self.law.approximation

    def stepped(self, situation: Situation, step: Scalar) -> Stepped | None:
        """As the law does; over a step a sensor follows by the implicit rule."""
        stated = self.law.stepped(self._own(situation), step)
        if stated is None:
            return None
        follow = stated.outcome

        def outcome(here: Situation, reaction: Reaction) -> Outcome:
            own = self._own(here)
            found = self.law.follow(stated.mode, own, reaction) if follow is None else follow(own, reaction)
            return self._sensing(found, here, self.time_constant + step)

        return replace(stated, outcome=outcome)

    def _own(self, situation: Situation) -> Situation:
        return replace(situation, states=situation.states[: len(self.law.states)])

    def _sensing(self, outcome: Outcome, situation: Situation, lag: Scalar) -> Outcome:
        shown = situation.states[len(self.law.states) :]
        rates = ((outcome.signals[x.name] - m) / lag for x, m in zip(self.sensed, shown, strict=True))
        return replace(outcome, rates=(*outcome.rates, *rates))
