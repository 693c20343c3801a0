"""The words of a task file beside its motions: forces of the process, what is required, what goes wrong."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from gearwright.files.words import Name, PlacedWords, Unit, Words

Force = Annotated[float, Unit("force")]
Moment = Annotated[float, Unit("torque")]
Force3 = tuple[Force, Force, Force]
Moment3 = tuple[Moment, Moment, Moment]


def _form(value: Any) -> str:
    return "rows" if isinstance(value, list) and value and isinstance(value[0], list | tuple) else "one"


Forces3 = Annotated[Annotated[Force3, Tag("one")] | Annotated[list[Force3], Tag("rows")], Discriminator(_form)]
Moments3 = Annotated[Annotated[Moment3, Tag("one")] | Annotated[list[Moment3], Tag("rows")], Discriminator(_form)]
Instant = Annotated[float, Unit("time", least=0)]


class Hours(Unit):
    """A time, a plain number in hours."""

    def read(self, value: Any) -> float:
        """The time [h]."""
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return super().read(f"{value} h" if plain else value) / 3600


Span = Annotated[float, Unit("length", above=0)]


class ForceWords(PlacedWords):
    """A force and moment of the process at a frame, acting on the robot: constant, or over time."""

    name: Name | None = Field(default=None, description="process, process 2, ... unless given")
    frame: Name = Field(description="the frame or link it acts on, at its origin")
    force: Forces3 = Field(default=(0.0, 0.0, 0.0), description="three numbers, or three per time")
    moment: Moments3 = Field(default=(0.0, 0.0, 0.0), description="three numbers, or three per time")
    times: list[Instant] | None = Field(
        default=None, min_length=1, description="counted from the start of the cycle, or of the motion `during`"
    )
    axes: Literal["world", "frame"] = Field(default="world", description="frame: the force turns with it")
    during: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        default=None, description="number of the motion while which it acts, from 0; all the time unless given"
    )

    @model_validator(mode="after")
    def _as_many(self) -> ForceWords:
        for word in ("force", "moment"):
            given = getattr(self, word)
            if isinstance(given, list) and len(given) != len(self.times or ()):
                raise ValueError(
                    f"{len(given)} rows of {word} for {len(self.times or ())} times. Give `times:`, one for each row."
                )
        if self.times is not None and any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError(f"the times {self.times} do not rise. Put them in order, each once.")
        return self


class ContactWords(Words):
    """The force of a contact or constraint over time."""

    times: list[Instant] = Field(min_length=2, description="from the start of the cycle")
    values: list[Annotated[float, Unit("force", "torque")]] = Field(min_length=2, description="one for each of `times`")

    @model_validator(mode="after")
    def _as_many(self) -> ContactWords:
        if len(self.times) != len(self.values):
            raise ValueError(f"{len(self.values)} values for {len(self.times)} times. Give one each.")
        return self

    @property
    def series(self) -> tuple[list[float], list[float]]:
        """Times and values."""
        return self.times, self.values


class RequiredWords(Words):
    """What is required of the robot: at most, but life and natural frequency at least."""

    cycle_time: Annotated[float, Unit("time", above=0)] | None = Field(default=None, description="of one repetition")
    accuracy: Span | None = Field(default=None, description="how far the tip may be from its path")
    tip_deflection: Span | None = Field(default=None, description="of the tip, by links that bend and drives that give")
    life: Annotated[float, Hours("time", above=0)] | None = Field(
        default=None, description="of every gearbox that is rated; a plain number is in hours"
    )
    frequency: Annotated[float, Unit("frequency", above=0)] | None = Field(
        default=None, description="the lowest natural frequency with the motors held, in Hz"
    )
    tip: Name | None = Field(default=None, description="the frame that is meant; the last link's far end unless given")


class PerturbedWords(Words):
    """What goes wrong in the closed loop, whose characteristics stand beside those of the prescribed motion."""

    start_error: dict[Name, Annotated[float, Unit("angle", "length")]] = Field(
        default={}, description="per joint how far from the motion's start the robot begins"
    )
    payload_error: Annotated[float, Unit("fraction")] = Field(
        default=0.0, description="share by which the payload is heavier than the controller knows"
    )
    parameter_error: dict[Name, Annotated[float, Unit("fraction")]] = Field(
        default={}, description="per parameter path the share by which it is larger than the controller knows"
    )
    disturbance: list[ForceWords] = Field(default=[], description="forces that nobody planned")
    frequency: Annotated[float, Unit("bandwidth", above=0)] = Field(
        default=30.0, description="natural frequency of the errors under computed torque"
    )


def _over_time(value: Any) -> str:
    return "series" if isinstance(value, dict | ContactWords) else "constant"


ContactForce = Annotated[
    Annotated[float, Unit("force", "torque"), Tag("constant")] | Annotated[ContactWords, Tag("series")],
    Discriminator(_over_time),
]


def contact_of(words: dict[str, Any]) -> dict[str, Any]:
    """Forces of contacts as `gw.demands(contact=)` takes them."""
    return {name: one.series if isinstance(one, ContactWords) else one for name, one in words.items()}
