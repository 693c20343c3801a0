"""The fields of task files: motions in sequence, payloads, process forces, requirements and perturbations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, GetJsonSchemaHandler, Tag, model_validator
from pydantic_core import CoreSchema

from gearwright.files.fields.basic import (
    Angle,
    Direction,
    FieldModel,
    LocatedFields,
    Name,
    PoseFields,
    Position,
    Temperature,
    Unit,
)
from gearwright.files.fields.robot import PayloadFields

# Process forces, requirements, perturbations

Force = Annotated[float, Unit("force")]
Moment = Annotated[float, Unit("torque")]
Force3 = tuple[Force, Force, Force]
Moment3 = tuple[Moment, Moment, Moment]


def _vector_series_form(value: Any) -> str:
    return "rows" if isinstance(value, list) and value and isinstance(value[0], list | tuple) else "one"


Forces3 = Annotated[
    Annotated[Force3, Tag("one")] | Annotated[list[Force3], Tag("rows")], Discriminator(_vector_series_form)
]
Moments3 = Annotated[
    Annotated[Moment3, Tag("one")] | Annotated[list[Moment3], Tag("rows")], Discriminator(_vector_series_form)
]
Instant = Annotated[float, Unit("time", least=0)]


class Hours(Unit):
    """A time, a plain number in hours."""

    def parse_value(self, value: Any) -> float:
        """The time [h]."""
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return super().parse_value(f"{value} h" if plain else value) / 3600


Span = Annotated[float, Unit("length", above=0)]


class ForceFields(LocatedFields):
    """A force and moment of the process at a frame, acting on the robot: constant, or over time."""

    name: Name | None = Field(default=None, description="its name; by default process, process 2, ...")
    frame: Name = Field(description="the frame or link it acts on, at its origin")
    force: Forces3 = Field(default=(0.0, 0.0, 0.0), description="three numbers, or three per time")
    moment: Moments3 = Field(default=(0.0, 0.0, 0.0), description="three numbers, or three per time")
    times: list[Instant] | None = Field(
        default=None, min_length=1, description="counted from the start of the cycle, or of the motion `during`"
    )
    axes: Literal["world", "frame"] = Field(default="world", description="frame: the force rotates with the frame")
    during: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        default=None, description="index of the motion during which it acts, from 0; by default the whole cycle"
    )

    @model_validator(mode="after")
    def _require_equal_lengths(self) -> ForceFields:
        for word in ("force", "moment"):
            rows = getattr(self, word)
            if isinstance(rows, list) and len(rows) != len(self.times or ()):
                raise ValueError(
                    f"{len(rows)} rows of {word} for {len(self.times or ())} times. Give `times:`, one for each row."
                )
        if self.times is not None and any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError(f"the times {self.times} are not strictly increasing. Put them in order, each once.")
        return self


class ContactFields(FieldModel):
    """The force of a contact or constraint over time."""

    times: list[Instant] = Field(min_length=2, description="from the start of the cycle")
    values: list[Annotated[float, Unit("force", "torque")]] = Field(min_length=2, description="one for each of `times`")

    @model_validator(mode="after")
    def _require_equal_lengths(self) -> ContactFields:
        if len(self.times) != len(self.values):
            raise ValueError(f"{len(self.values)} values for {len(self.times)} times. Give one each.")
        return self

    @property
    def times_and_values(self) -> tuple[list[float], list[float]]:
        """Times and values."""
        return self.times, self.values


class RequiredFields(FieldModel):
    """The requirements of the task: upper limits, except for life and natural frequency (lower limits)."""

    cycle_time: Annotated[float, Unit("time", above=0)] | None = Field(default=None, description="of one repetition")
    accuracy: Span | None = Field(default=None, description="largest distance of the tip from its path")
    tip_deflection: Span | None = Field(
        default=None, description="largest deflection of the tip by compliant links and drives"
    )
    life: Annotated[float, Hours("time", above=0)] | None = Field(
        default=None, description="life of every rated gearbox; a plain number is in hours"
    )
    frequency: Annotated[float, Unit("frequency", above=0)] | None = Field(
        default=None, description="lowest natural frequency with locked motors, in Hz"
    )
    tip: Name | None = Field(
        default=None, description="the frame of these requirements; by default the last link's far end"
    )


class PerturbedFields(FieldModel):
    """Perturbations of the closed loop, which is analysed in addition to the prescribed motion."""

    start_error: dict[Name, Annotated[float, Unit("angle", "length")]] = Field(
        default={}, description="initial position error of each joint"
    )
    payload_error: Annotated[float, Unit("fraction")] = Field(
        default=0.0, description="relative error of the payload mass: true mass / mass in the controller - 1"
    )
    parameter_error: dict[Name, Annotated[float, Unit("fraction")]] = Field(
        default={}, description="relative error of each parameter path: true value / value in the controller - 1"
    )
    disturbance: list[ForceFields] = Field(default=[], description="disturbance forces")
    frequency: Annotated[float, Unit("bandwidth", above=0)] = Field(
        default=30.0, description="natural frequency of the error dynamics under computed torque"
    )


def _contact_force_form(value: Any) -> str:
    return "series" if isinstance(value, dict | ContactFields) else "constant"


ContactForceField = Annotated[
    Annotated[float, Unit("force", "torque"), Tag("constant")] | Annotated[ContactFields, Tag("series")],
    Discriminator(_contact_force_form),
]


def contact_forces(words: dict[str, Any]) -> dict[str, Any]:
    """Return the contact forces in the form of `gw.demands(contact=)`."""
    return {
        name: force.times_and_values if isinstance(force, ContactFields) else force for name, force in words.items()
    }


# Motions and tasks


class EachJoint(Unit):
    """One number for all joints, or a list with one for each."""

    def parse_value(self, value: Any) -> Any:
        """The number, or the list of numbers, in SI units."""
        return (
            [super(EachJoint, self).parse_value(x) for x in value]
            if isinstance(value, list)
            else super().parse_value(value)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        value_schema = super().__get_pydantic_json_schema__(schema, handler)
        return {"anyOf": [value_schema, {"type": "array", "items": value_schema}]}


class ConfigurationUnit(Unit):
    """A list with one value per joint; joint -> value (the others stay); or the name of a state of the robot."""

    def parse_value(self, value: Any) -> Any:
        """The list or mapping in SI units, or the name."""
        parse_one = super().parse_value
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            return [parse_one(x) for x in value]
        if isinstance(value, dict) and value:
            return {name: parse_one(x) for name, x in value.items()}
        raise ValueError(
            f"{value!r} is not a configuration. Give a list with one value per joint, a mapping such as "
            "{elbow: 0.5}, or the name of one of the robot's states."
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        value_schema = super().__get_pydantic_json_schema__(schema, handler)
        listed: dict[str, Any] = {"type": "array", "items": value_schema, "minItems": 1}
        return {"anyOf": [listed, {"type": "object", "additionalProperties": value_schema}, {"type": "string"}]}


def _require_repetitions(value: Any) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if not whole and value != "continuous":
        raise ValueError(f"{value!r} is not a number of repetitions. Give a whole number of at least 1, or continuous.")
    return value


Configuration = Annotated[list[float] | dict[str, float] | str, ConfigurationUnit("angle", "length")]
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

MOTION_KINDS = ("to", "via", "fastest", "line", "arc", "circle", "file", "pause")
"""Fields of which every motion has exactly one."""
LIMIT_FIELDS_BY_KIND = {"to": ("speed", "acceleration", "jerk"), "via": ("speed", "acceleration", "jerk", "times")}
"""The general fields of a motion that each kind may have."""


class _FramePathFields(FieldModel):
    """Limits of the motion of a frame along a path."""

    frame: Name = Field(description="the frame or link that moves")
    speed: Speed = Field(description="largest speed of its origin")
    acceleration: Acceleration | None = Field(default=None, description="largest acceleration along the path")
    jerk: Jerk | None = Field(default=None, description="largest jerk along the path [m/s3]")
    turn_speed: AngularSpeed | None = Field(default=None, description="largest angular speed; by default 90 deg/s")
    turn_acceleration: AngularAcceleration | None = None
    turn_jerk: AngularJerk | None = None
    held: list[Name] = Field(default=[], description="joints that do not move")


class GoalFields(PoseFields):
    """The goal of a frame: a position, an orientation, or both; the other is unchanged."""

    position: Position | None = None  # type: ignore[assignment]
    orientation: Literal["kept", "any"] = Field(default="kept", description="orientation at a goal without a rotation")

    @property
    def has_rotation(self) -> bool:
        """Whether a rotation is given."""
        return any(x is not None for x in (self.rpy, self.rotation, self.quaternion))

    @property
    def rotation_rows(self) -> tuple[tuple[float, ...], ...]:
        """The rotation, row by row."""
        pose = PoseFields(rpy=self.rpy, rotation=self.rotation, quaternion=self.quaternion)
        return tuple(tuple(row) for row in pose.placement.rotation.rows())

    @model_validator(mode="after")
    def _require_goal(self) -> GoalFields:
        if self.position is None and not self.has_rotation:
            raise ValueError("neither a position nor a rotation is given. Give position, rpy, or both.")
        if self.has_rotation and self.orientation == "any":
            raise ValueError("both a rotation and `orientation: any` are given. Keep one of them.")
        return self


class LineFields(_FramePathFields):
    """A straight line of a frame."""

    to: GoalFields


class ArcFields(_FramePathFields):
    """The arc of a circle through a position to a goal."""

    through: Position
    to: GoalFields


class CircleFields(_FramePathFields):
    """A circle, or an angle of it, about an axis."""

    centre: Position
    axis: Direction
    angle: Angle | None = Field(default=None, description="by default a full turn")
    turning: bool = Field(default=False, description="whether the frame rotates with the circle")
    orientation: Literal["kept", "any"] = "kept"


class FastestFields(FieldModel):
    """The time-optimal motion along a path in joint space, limited by speeds, accelerations, torques and motors."""

    via: list[Configuration] = Field(
        min_length=1, description="configurations on the path; the motion stops at the last one"
    )
    share: Share = Field(default=1.0, description="fraction of every limit that may be used")
    speed: Rate | None = Field(default=None, description="speed limits; by default those of the robot")
    acceleration: SecondRate | None = None
    torque: Effort | None = None

    @model_validator(mode="after")
    def _require_share(self) -> FastestFields:
        if self.share > 1:
            raise ValueError(f"share {self.share:g} exceeds the limits. Give at most 1, such as 95 %.")
        return self


def _payload_form(value: Any) -> str:
    return "nothing" if isinstance(value, str) else "words"


MotionPayload = Annotated[
    Annotated[Literal["none"], Tag("nothing")] | Annotated[PayloadFields, Tag("words")], Discriminator(_payload_form)
]


class MotionFields(LocatedFields):
    """One motion, starting at the end of the previous one; or a pause."""

    to: Configuration | None = Field(default=None, description="a configuration; a straight line in joint space")
    via: list[Configuration] | None = Field(default=None, min_length=1, description="a smooth curve through these")
    fastest: FastestFields | None = None
    line: LineFields | None = None
    arc: ArcFields | None = None
    circle: CircleFields | None = None
    file: Name | None = Field(default=None, description="a CSV file with t, q.<coordinate>, ... in the task's folder")
    pause: Time | None = Field(default=None, description="duration of rest")
    speed: Rate | None = Field(
        default=None, description="of each joint, or of all joints; by default the robot's limits"
    )
    acceleration: SecondRate | None = None
    jerk: ThirdRate | None = Field(default=None, description="[rad/s3, m/s3]; by default unlimited")
    times: list[Annotated[float, Unit("time", least=0)]] | None = Field(
        default=None, description="time of each point of `via`, from the start of this motion"
    )
    smoothing: Time | None = Field(
        default=None, description="duration of a moving average: one more continuous derivative, for elastic drives"
    )

    payload: MotionPayload | None = Field(
        default=None, description="payload during this motion, `none` for no payload; by default that of the task"
    )

    @property
    def kind(self) -> str:
        """The kind of motion."""
        return next(word for word in MOTION_KINDS if getattr(self, word) is not None)

    @model_validator(mode="after")
    def _require_one_kind(self) -> MotionFields:
        given_kinds = [word for word in MOTION_KINDS if getattr(self, word) is not None]
        if len(given_kinds) != 1:
            kinds_text = " and ".join(given_kinds) if given_kinds else "none of them"
            raise ValueError(
                f"a motion needs exactly one of {', '.join(MOTION_KINDS)}, but has {kinds_text}. Make each a separate "
                "entry."
            )
        allowed = LIMIT_FIELDS_BY_KIND.get(given_kinds[0], ())
        for word in ("speed", "acceleration", "jerk", "times"):
            if getattr(self, word) is not None and word not in allowed:
                inside = (
                    f" Put it inside {given_kinds[0]}: {{...}}."
                    if given_kinds[0] not in ("file", "pause")
                    else " Remove it."
                )
                raise ValueError(f"{word!r} is not allowed next to {given_kinds[0]!r}.{inside}")
        if self.times is not None and len(self.times) != len(self.via or ()):
            raise ValueError(f"{len(self.times)} times for {len(self.via or ())} points. Give one each.")
        return self


class TaskFields(FieldModel):
    """A task: motions, payload, repetitions and ambient temperature."""

    task: Name = Field(description="its name")
    description: str = ""
    start: Configuration | None = Field(
        default=None, description="start of the first motion; by default zero, or inside the limits"
    )
    motions: list[MotionFields] = Field(min_length=1)
    payload: PayloadFields | None = Field(default=None, description="payload that replaces the robot's own payload")
    pause: Annotated[float, Unit("time", least=0)] = Field(default=0.0, description="rest after every repetition")
    repetitions: Annotated[int | Literal["continuous"], BeforeValidator(_require_repetitions)] | None = Field(
        default=None, description="number of repetitions; by default continuous, the most severe case for a motor"
    )
    ambient: Temperature | None = Field(
        default=None, description="temperature of the air; by default that of the motor data"
    )
    forces: list[ForceFields] = Field(default=[], description="process forces on the robot")
    contact: dict[Name, ContactForceField] = Field(
        default={}, description="forces of the robot's contacts and constraints over one cycle, by name"
    )
    required: RequiredFields = Field(default=RequiredFields(), description="requirements")
    perturbed: PerturbedFields | None = Field(default=None, description="perturbations of the closed loop")


def task_schema() -> dict[str, Any]:
    """Return the JSON Schema of task files.

    >>> task_schema()["title"]
    'Gearwright task'
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **TaskFields.model_json_schema(),
        "title": "Gearwright task",
    }
