"""Force sensors: the measured forces of a law as states that are available to controllers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.law import Action, FixedStepModel, Guard, Law, Outcome, Quantity, Reaction, Situation

FORCE_UNITS = ("N", "Nm")


@check_arguments
@dataclass(frozen=True)
class ForceSensor(Law):
    r"""A law with a sensor for each of its forces, $T \dot m = F - m$; otherwise it behaves as that law.

    Series and states `<force>.measured`, such as `pen.force.z.measured`. A force in rigid contact depends on the drive
    forces at the same instant; a sensor with a time constant removes this algebraic loop for a controller.

    Args:
        law: a contact, a constraint, or another law that reports forces.
        time_constant: T [s].

    >>> from gearwright.contact import Contact, Plane
    >>> ForceSensor(Contact("foot", Plane(), name="floor")).states[0].name
    'floor.force.measured'
    """

    law: Law
    time_constant: float = 1e-3

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law) or not self.sensed_forces:
            raise InputError(
                f"ForceSensor: {self.law!r} is not a law that reports forces. Give a contact or constraint."
            )
        real_number(
            f"ForceSensor {self.law.name}", "time_constant", self.time_constant, above=0.0, unit="s", example=1e-3
        )

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the law."""
        return self.law.name

    @property
    def sensed_forces(self) -> tuple[Quantity, ...]:
        """The measured forces."""
        return tuple(signal for signal in self.law.signals if signal.unit in FORCE_UNITS)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The states of the law, then the sensor values."""
        return (*self.law.states, *(Quantity(f"{x.name}.measured", x.unit) for x in self.sensed_forces))

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Those of the law."""
        return self.law.inputs

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Those of the law."""
        return self.law.signals

    @property
    def has_position_holds(self) -> bool:
        """As the law does."""
        return self.law.has_position_holds

    @property
    def modes(self) -> tuple[str, ...]:
        """Those of the law."""
        return self.law.modes

    def initial_mode(self, situation: Situation) -> str:
        """As the law does."""
        return self.law.initial_mode(self._law_situation(situation))

    def act(self, mode: str, situation: Situation) -> Action:
        """As the law does."""
        return self.law.act(mode, self._law_situation(situation))

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Those of the law."""
        return self.law.guards(mode, self._law_situation(situation), reaction)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The outcome of the law, and the rates of the sensors."""
        outcome = self.law.follow(mode, self._law_situation(situation), reaction)
        return self._with_sensor_rates(outcome, situation, self.time_constant)

    @property
    def fixed_step_remark(self) -> str:
        """That of the law."""
        return self.law.fixed_step_remark

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel | None:
        """As the law does; sensors are advanced by the implicit Euler rule."""
        law_model = self.law.fixed_step_model(self._law_situation(situation), step)
        if law_model is None:
            return None
        law_follow = law_model.outcome

        def sensed_outcome(middle: Situation, reaction: Reaction) -> Outcome:
            law_situation = self._law_situation(middle)
            law_outcome = (
                self.law.follow(law_model.mode, law_situation, reaction)
                if law_follow is None
                else law_follow(law_situation, reaction)
            )
            return self._with_sensor_rates(law_outcome, middle, self.time_constant + step)

        return replace(law_model, outcome=sensed_outcome)

    def _law_situation(self, situation: Situation) -> Situation:
        return replace(situation, states=situation.states[: len(self.law.states)])

    def _with_sensor_rates(self, outcome: Outcome, situation: Situation, lag: Scalar) -> Outcome:
        readings = situation.states[len(self.law.states) :]
        rates = ((outcome.signals[x.name] - m) / lag for x, m in zip(self.sensed_forces, readings, strict=True))
        return replace(outcome, rates=(*outcome.rates, *rates))
