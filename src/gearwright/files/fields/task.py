"""The fields of task files: motions in sequence, payloads, process forces, requirements and perturbations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, GetJsonSchemaHandler, Tag, model_validator
from pydantic_core import CoreSchema

from gearwright.files.fields.basic import (
    Angle,
    Direction,
    Name,
    Origin,
    PlacedWords,
    Position,
    Temperature,
    Unit,
    Words,
)
from gearwright.files.fields.robot import PayloadWords

# Process forces, requirements, perturbations

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


# Motions and tasks


class EachJoint(Unit):
    """One number for all joints, or a list with one for each."""

    def read(self, value: Any) -> Any:
        """The number, or the list of numbers, in SI units."""
        return [super(EachJoint, self).read(x) for x in value] if isinstance(value, list) else super().read(value)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        one = super().__get_pydantic_json_schema__(schema, handler)
        return {"anyOf": [one, {"type": "array", "items": one}]}


class Configured(Unit):
    """A list with one value per joint; joint -> value, where the others stay; or the name of a state of the robot."""

    def read(self, value: Any) -> Any:
        """The list or mapping in SI units, or the name."""
        one = super().read
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            return [one(x) for x in value]
        if isinstance(value, dict) and value:
            return {name: one(x) for name, x in value.items()}
        raise ValueError(
            f"{value!r} is not a configuration. Give a list with one value per joint, a mapping such as "
            "{elbow: 0.5}, or the name of one of the robot's states."
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        one = super().__get_pydantic_json_schema__(schema, handler)
        listed: dict[str, Any] = {"type": "array", "items": one, "minItems": 1}
        return {"anyOf": [listed, {"type": "object", "additionalProperties": one}, {"type": "string"}]}


def _refuse_count(value: Any) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if not whole and value != "continuous":
        raise ValueError(f"{value!r} is not a number of repetitions. Give a whole number of 1 or more, or continuous.")
    return value


Configuration = Annotated[list[float] | dict[str, float] | str, Configured("angle", "length")]
Rate = Annotated[float | list[float], EachJoint("angular speed", "speed", above=0)]
SecondRate = Annotated[float | list[float], EachJoint("angular acceleration", "acceleration", above=0)]
ThirdRate = Annotated[float | list[float], EachJoint("angular jerk", "jerk", above=0)]
Effort = Annotated[float | list[float], EachJoint("torque", "force", above=0)]
Time = Annotated[float, Unit("time", above=0)]
Speed = Annotated[float, Unit("speed", above=0)]
AngularSpeed = Annotated[float, Unit("angular speed", above=0)]
Acceleration = Annotated[float, Unit("acceleration", above=0)]
AngularAcceleration = Annotated[float, Unit("angular acceleration", above=0)]
Jerk = Annotated[float, Unit("jerk", above=0)]
AngularJerk = Annotated[float, Unit("angular jerk", above=0)]
Share = Annotated[float, Unit("fraction", above=0)]

KINDS = ("to", "via", "fastest", "line", "arc", "circle", "file", "pause")
"""Words of which every motion has exactly one."""
LIMITED = {"to": ("speed", "acceleration", "jerk"), "via": ("speed", "acceleration", "jerk", "times")}
"""Per kind the words of the whole motion that it may have."""


class _Moved(Words):
    """Limits of a frame that moves along a path."""

    frame: Name = Field(description="the frame or link that moves")
    speed: Speed = Field(description="largest speed of its origin")
    acceleration: Acceleration | None = Field(default=None, description="largest acceleration along the path")
    jerk: Jerk | None = Field(default=None, description="largest jerk along the path [m/s3]")
    turn_speed: AngularSpeed | None = Field(default=None, description="largest angular speed; 90 deg/s unless given")
    turn_acceleration: AngularAcceleration | None = None
    turn_jerk: AngularJerk | None = None
    held: list[Name] = Field(default=[], description="joints that stay where they are")


class GoalWords(Origin):
    """Where a frame goes: a position, an orientation, or both; what is not given stays as it was."""

    xyz: Position | None = None  # type: ignore[assignment]
    orientation: Literal["kept", "any"] = Field(default="kept", description="of a goal that states no rotation")

    @property
    def turned(self) -> bool:
        """Whether a rotation is given."""
        return any(x is not None for x in (self.rpy, self.rotation, self.quaternion))

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """The rotation, row by row."""
        turned = Origin(rpy=self.rpy, rotation=self.rotation, quaternion=self.quaternion)
        return tuple(tuple(row) for row in turned.placement.rotation.rows())

    @model_validator(mode="after")
    def _somewhere(self) -> GoalWords:
        if self.xyz is None and not self.turned:
            raise ValueError("neither a position nor a rotation is given. Give xyz, rpy, or both.")
        if self.turned and self.orientation == "any":
            raise ValueError("a rotation is given, and orientation is any. Keep one of them.")
        return self


class LineWords(_Moved):
    """A straight line of a frame."""

    to: GoalWords


class ArcWords(_Moved):
    """The arc of a circle through a position to a goal."""

    through: Position
    to: GoalWords


class CircleWords(_Moved):
    """A circle, or an angle of it, about an axis."""

    centre: Position
    axis: Direction
    angle: Angle | None = Field(default=None, description="a full turn unless given")
    turning: bool = Field(default=False, description="whether the frame turns with the circle")
    orientation: Literal["kept", "any"] = "kept"


class FastestWords(Words):
    """The fastest motion along a path in joint space that speeds, accelerations, torques and motors allow."""

    via: list[Configuration] = Field(min_length=1, description="configurations to pass, the last one to stop at")
    share: Share = Field(default=1.0, description="of every limit that may be used")
    speed: Rate | None = Field(default=None, description="limits of the robot unless given")
    acceleration: SecondRate | None = None
    torque: Effort | None = None

    @model_validator(mode="after")
    def _at_most_all(self) -> FastestWords:
        if self.share > 1:
            raise ValueError(f"a share of {self.share:g} is more than the limits. Give at most 1, such as 95 %.")
        return self


def _payload_form(value: Any) -> str:
    return "nothing" if isinstance(value, str) else "words"


MotionPayload = Annotated[
    Annotated[Literal["none"], Tag("nothing")] | Annotated[PayloadWords, Tag("words")], Discriminator(_payload_form)
]


class MotionWords(PlacedWords):
    """One motion, from where the one before ended; or a pause."""

    to: Configuration | None = Field(default=None, description="a configuration, straight in joint space")
    via: list[Configuration] | None = Field(default=None, min_length=1, description="a smooth curve through these")
    fastest: FastestWords | None = None
    line: LineWords | None = None
    arc: ArcWords | None = None
    circle: CircleWords | None = None
    file: Name | None = Field(default=None, description="a CSV file with t, q.<coordinate>, ... in the task's folder")
    pause: Time | None = Field(default=None, description="rest for so long")
    speed: Rate | None = Field(default=None, description="of each joint, or of all; the robot's if none")
    acceleration: SecondRate | None = None
    jerk: ThirdRate | None = Field(default=None, description="[rad/s3, m/s3]; unlimited if none")
    times: list[Annotated[float, Unit("time", least=0)]] | None = Field(
        default=None, description="when each of `via` is passed, counted from the start of this motion"
    )
    smoothing: Time | None = Field(
        default=None, description="a moving average over so long: one more continuous derivative, for elastic drives"
    )

    payload: MotionPayload | None = Field(
        default=None, description="what the robot carries meanwhile, `none` for nothing; that of the task unless given"
    )

    @property
    def kind(self) -> str:
        """Which motion it is."""
        return next(word for word in KINDS if getattr(self, word) is not None)

    @model_validator(mode="after")
    def _one_kind(self) -> MotionWords:
        given = [word for word in KINDS if getattr(self, word) is not None]
        if len(given) != 1:
            what = " and ".join(given) if given else "none of them"
            raise ValueError(f"a motion has one of {', '.join(KINDS)}; here is {what}. Make each an entry of its own.")
        allowed = LIMITED.get(given[0], ())
        for word in ("speed", "acceleration", "jerk", "times"):
            if getattr(self, word) is not None and word not in allowed:
                inside = f" Put it inside {given[0]}: {{...}}." if given[0] not in ("file", "pause") else " Remove it."
                raise ValueError(f"{word!r} does not belong beside {given[0]!r}.{inside}")
        if self.times is not None and len(self.times) != len(self.via or ()):
            raise ValueError(f"{len(self.times)} times for {len(self.via or ())} points. Give one each.")
        return self


class TaskWords(Words):
    """What a robot does: motions, with a payload, how often and how warm it is."""

    task: Name = Field(description="its name")
    description: str = ""
    start: Configuration | None = Field(
        default=None, description="where the first motion starts; zero, or inside the limits, unless given"
    )
    motions: list[MotionWords] = Field(min_length=1)
    payload: PayloadWords | None = Field(default=None, description="what the robot carries instead of its own payload")
    pause: Annotated[float, Unit("time", least=0)] = Field(default=0.0, description="rest after every repetition")
    repetitions: Annotated[int | Literal["continuous"], BeforeValidator(_refuse_count)] | None = Field(
        default=None, description="how often; continuous, the hardest case for a motor, unless given"
    )
    ambient: Temperature | None = Field(
        default=None, description="temperature of the air; that of the motors' data unless given"
    )
    forces: list[ForceWords] = Field(default=[], description="what the process does to the robot")
    contact: dict[Name, ContactForce] = Field(
        default={}, description="forces of the robot's contacts and constraints over one cycle, by name"
    )
    required: RequiredWords = Field(default=RequiredWords(), description="what the robot must come up to")
    perturbed: PerturbedWords | None = Field(default=None, description="what goes wrong, in a closed loop")


def task_schema() -> dict[str, Any]:
    """The JSON Schema of task files.

    >>> task_schema()["title"]
    'Gearwright task'
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **TaskWords.model_json_schema(),
        "title": "Gearwright task",
    }
