"""Validation of data against the fields, with line numbers and readable messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from gearwright.files.field_synonyms import stated_name
from gearwright.files.fields.basic import FieldModel, PoseFields, TensorFields
from gearwright.files.fields.cross_section import (
    BoxFields,
    MaterialFields,
    SectionFields,
    SectionStationFields,
    TubeFields,
)
from gearwright.files.fields.drive import DriveFields, MotorFields
from gearwright.files.fields.elasticity import BeamFields, ElasticBaseFields, SpringFields, TurnSpring
from gearwright.files.fields.environment import BehindFields, ContactPointFields, LoopFields, SurfaceFields
from gearwright.files.fields.from_parts import ErrorFields, HysteresisFields, LossFields, PieceFields, TorsionFields
from gearwright.files.fields.gear import GEAR_MODELS
from gearwright.files.fields.joint import DH, JOINT_FIELDS_BY_KIND, Follows, TurnLimits, VectorFields
from gearwright.files.fields.link import ChildFields, ConnectionFields, LinkFields, ShapeFields
from gearwright.files.fields.motor_data import (
    CoggingFields,
    CurrentControlFields,
    HeatFields,
    LubricantFields,
    RippleFields,
    ServoFields,
    SupplyFields,
    TurnFriction,
)
from gearwright.files.fields.robot import AttachFields, FrameFields, HeaderFields, PayloadFields, RobotFields
from gearwright.files.fields.task import (
    ArcFields,
    CircleFields,
    ContactFields,
    FastestFields,
    ForceFields,
    GoalFields,
    LineFields,
    MotionFields,
    PerturbedFields,
    RequiredFields,
)
from gearwright.files.fields.tendons_and_cords import CordFields, StateFields, StationFields, TendonFields
from gearwright.files.fields.train import MeshFields, TrainFields, TrainMotorFields, WheelFields
from gearwright.files.problems import MAX_PROBLEMS, FileProblems
from gearwright.files.yaml_tree import KeyPath, YamlNode
from gearwright.text import did_you_mean

AnyFieldModel = TypeVar("AnyFieldModel", bound=FieldModel)

MODELS_BY_FIELD: dict[str, type[FieldModel]] = {
    **JOINT_FIELDS_BY_KIND,
    **GEAR_MODELS,
    **{
        "motor": MotorFields,
        "payload": PayloadFields,
        "inertia": TensorFields,
        "tensor": TensorFields,
        "origin": PoseFields,
    },
    **{"dh": DH, "mdh": DH, "vector": VectorFields, "limits": TurnLimits, "follows": Follows, "mimic": Follows},
    **{"shapes": ShapeFields, "joints": ConnectionFields, "child": ChildFields},
    **{"wheels": WheelFields, "meshes": MeshFields, "motors": TrainMotorFields},
    **{"spring": TurnSpring, "springs": SpringFields, "flexible": BeamFields, "elastic_base": ElasticBaseFields},
    **{"torsion": TorsionFields, "pieces": PieceFields, "hysteresis": HysteresisFields, "errors": ErrorFields},
    **{
        "losses": LossFields,
        "tendons": TendonFields,
        "states": StateFields,
        "cords": CordFields,
        "route": StationFields,
    },
    **{"loops": LoopFields, "environment": ContactPointFields, "surface": SurfaceFields, "behind": BehindFields},
    **{
        "friction": TurnFriction,
        "lubricant": LubricantFields,
        "heat": HeatFields,
        "cogging": CoggingFields,
        "ripple": RippleFields,
    },
    **{"motions": MotionFields, "line": LineFields, "arc": ArcFields, "circle": CircleFields, "fastest": FastestFields},
    "to": GoalFields,
    **{"section": SectionFields, "tube": TubeFields, "box": BoxFields, "material": MaterialFields},
    **{"forces": ForceFields, "disturbance": ForceFields, "required": RequiredFields, "perturbed": PerturbedFields},
    **{"contact": ContactFields, "stations": SectionStationFields},
    **{"supply": SupplyFields, "current_control": CurrentControlFields, "servo": ServoFields},
}
"""The known fields inside a field or kind; otherwise those of the whole entry."""


@dataclass(frozen=True)
class RobotFileContents:
    """The fields of a file; None for an invalid entry, whose problems are already collected."""

    root: YamlNode
    header: HeaderFields | None
    links: list[LinkFields | None]
    joints: list[ConnectionFields | None]
    drives: list[DriveFields | None]
    trains: list[TrainFields | None]
    frames: list[FrameFields | None]
    attach: list[AttachFields | None]
    springs: list[Any]
    tendons: list[Any]
    states: list[Any]
    loops: list[Any]
    environment: list[Any]
    cords: list[Any]


def validate_fields(
    model: type[AnyFieldModel], data: Any, root: YamlNode, path: KeyPath, problems: FileProblems
) -> AnyFieldModel | None:
    """Return the data as fields; None with all problems collected."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False)[:MAX_PROBLEMS]:
            full = (*path, *_path_in_file(data, detail))
            # A missing field has no line: use that of its mapping.
            problems.add(_problem_text(detail, model), path_text(full), root.line_of(full))
        return None


def path_text(path: KeyPath) -> str:
    """Return a path as text.

    >>> path_text(("links", 0, "joint", "axis"))
    'links[0].joint.axis'
    """
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _path_in_file(data: Any, detail: Any) -> KeyPath:
    """Return the path in the file, without steps of the schema such as the kind of a joint or gear."""
    words: list[str | int] = []
    for step in detail["loc"]:
        step = stated_name(data, step) if isinstance(data, dict) and isinstance(step, str) else step
        is_key = isinstance(data, dict) and step in data
        if is_key or (isinstance(data, list) and isinstance(step, int) and step < len(data)):
            words.append(step)
            data = data[step]
    if detail["type"] == "missing" and isinstance(detail["loc"][-1], str):
        words.append(detail["loc"][-1])
    return tuple(words)


def _problem_text(detail: Any, model: type[FieldModel]) -> str:
    """Return the message for a validation error, with its remedy."""
    kind, word, context = detail["type"], detail["loc"][-1] if detail["loc"] else "", detail.get("ctx", {})
    if kind == "extra_forbidden" and str(word).isdigit():
        return f"the number {str(word)[:60]} is not a field name. Write decimals with a point: 5.2, not 5,2."
    if kind == "extra_forbidden":
        return (
            f"the field {str(word)[:60]!r} is unknown. {did_you_mean(str(word), _known_fields(detail['loc'], model))}"
        )
    if kind == "missing":
        short = f"{_value_text(detail['input'])} is too short. Give more numbers."
        return short if isinstance(word, int) else f"the field {word!r} is missing. Add it."
    if kind == "value_error":
        return str(context.get("error", detail["msg"]))
    if kind == "union_tag_invalid":
        return f"the kind {str(context.get('tag'))[:60]!r} is unknown. {_closest_tag(str(context.get('tag')), context)}"
    return _type_problem_text(kind, detail, context)


def _type_problem_text(kind: str, detail: Any, context: dict[str, Any]) -> str:
    expected_kind = {
        "model_type": "a mapping such as {key: value}",
        "model_attributes_type": "a mapping such as {key: value}",
        "dict_type": "a mapping such as {key: value}",
        "union_tag_not_found": "a mapping such as {kind: ...}",
        "tuple_type": "a list of numbers such as [0, 0, 1]",
        "list_type": "a list",
        "string_type": "a text",
        "bool_type": "true or false",
        "bool_parsing": "true or false",
        "int_type": "a whole number",
        "int_parsing": "a whole number",
        "int_from_float": "a whole number",
    }
    if kind in expected_kind:
        expected = expected_kind[kind].partition(" such as")[0]
        return f"{_value_text(detail['input'])} is not {expected}. Write {expected_kind[kind]}."
    if kind == "too_long":
        return f"{context.get('actual_length')} values are given instead of {context.get('max_length')}. Remove some."
    if kind == "too_short":
        count, least = context.get("actual_length"), context.get("min_length")
        words = f"{count or 'no'} {'entry' if count == 1 else 'entries'}"
        return f"the list has {words}, {least} or more are needed. Add some."
    if kind == "string_too_short":
        return "the text is empty. Write one."
    if kind == "string_too_long":
        return f"{_value_text(detail['input'])} is longer than {context.get('max_length')} characters. Shorten it."
    text = detail["msg"]
    return f"{_value_text(detail['input'])}: {text[:1].lower()}{text[1:]}."


def _known_fields(location: tuple[Any, ...], model: type[FieldModel]) -> tuple[str, ...]:
    for step in reversed(location[:-1]):
        if step in MODELS_BY_FIELD:
            return tuple(MODELS_BY_FIELD[step].model_fields)
    fields = RobotFields if model is HeaderFields else model
    return tuple(fields.model_fields)


def _closest_tag(tag: str, context: dict[str, Any]) -> str:
    names = [name.strip(" '") for name in str(context.get("expected_tags", "")).split(",")]
    return did_you_mean(tag, names)


def _value_text(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
