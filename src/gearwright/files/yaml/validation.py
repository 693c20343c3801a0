"""Checking data against the words, with the lines and the sentences a person needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from gearwright.files.fields.basic import Origin, TensorWords, Words
from gearwright.files.fields.cross_section import BoxWords, MaterialWords, SectionWords, StationOfSection, TubeWords
from gearwright.files.fields.drive import DriveWords, MotorWords
from gearwright.files.fields.elasticity import BeamWords, ElasticBaseWords, SpringWords, TurnSpring
from gearwright.files.fields.environment import BehindWords, LoopWords, SurfaceWords, TouchWords
from gearwright.files.fields.from_parts import ErrorWords, HysteresisWords, LossWords, PieceWords, TorsionWords
from gearwright.files.fields.gear import MODELS
from gearwright.files.fields.joint import DH, KINDS, Follows, TurnLimits, VectorWords
from gearwright.files.fields.link import LinkWords, ShapeWords
from gearwright.files.fields.motor_data import (
    CoggingWords,
    CurrentControlWords,
    HeatWords,
    RippleWords,
    ServoWords,
    SupplyWords,
    TurnFriction,
)
from gearwright.files.fields.robot import AttachWords, FrameWords, HeaderWords, PayloadWords, RobotWords
from gearwright.files.fields.task import (
    ArcWords,
    CircleWords,
    ContactWords,
    FastestWords,
    ForceWords,
    GoalWords,
    LineWords,
    MotionWords,
    PerturbedWords,
    RequiredWords,
)
from gearwright.files.fields.tendons_and_cords import CordWords, StateWords, StationWords, TendonWords
from gearwright.files.fields.train import MeshWords, TrainMotorWords, TrainWords, WheelWords
from gearwright.files.problems import ENOUGH, Problems
from gearwright.files.yaml_tree import Node, Path
from gearwright.text import did_you_mean

AnyWords = TypeVar("AnyWords", bound=Words)

INSIDE: dict[str, type[Words]] = {
    **KINDS,
    **MODELS,
    **{"motor": MotorWords, "payload": PayloadWords, "inertia": TensorWords, "tensor": TensorWords, "origin": Origin},
    **{"dh": DH, "mdh": DH, "vector": VectorWords, "limits": TurnLimits, "follows": Follows, "shapes": ShapeWords},
    **{"wheels": WheelWords, "meshes": MeshWords, "motors": TrainMotorWords},
    **{"spring": TurnSpring, "springs": SpringWords, "flexible": BeamWords, "elastic_base": ElasticBaseWords},
    **{"torsion": TorsionWords, "pieces": PieceWords, "hysteresis": HysteresisWords, "errors": ErrorWords},
    **{"losses": LossWords, "tendons": TendonWords, "states": StateWords, "cords": CordWords, "course": StationWords},
    **{"loops": LoopWords, "environment": TouchWords, "surface": SurfaceWords, "behind": BehindWords},
    **{"friction": TurnFriction, "heat": HeatWords, "cogging": CoggingWords, "ripple": RippleWords},
    **{"motions": MotionWords, "line": LineWords, "arc": ArcWords, "circle": CircleWords, "fastest": FastestWords},
    "to": GoalWords,
    **{"section": SectionWords, "tube": TubeWords, "box": BoxWords, "material": MaterialWords},
    **{"forces": ForceWords, "disturbance": ForceWords, "required": RequiredWords, "perturbed": PerturbedWords},
    **{"contact": ContactWords, "stations": StationOfSection},
    **{"supply": SupplyWords, "current_control": CurrentControlWords, "servo": ServoWords},
}
"""Which words are known inside a word or a kind; for everything else those of the whole entry."""


@dataclass(frozen=True)
class Contents:
    """The words of a file; None stands for what did not fit the words and is among the problems already."""

    root: Node
    header: HeaderWords | None
    links: list[LinkWords | None]
    drives: list[DriveWords | None]
    trains: list[TrainWords | None]
    frames: list[FrameWords | None]
    attach: list[AttachWords | None]
    springs: list[Any]
    tendons: list[Any]
    states: list[Any]
    loops: list[Any]
    environment: list[Any]
    cords: list[Any]


def validated(model: type[AnyWords], data: Any, root: Node, path: Path, problems: Problems) -> AnyWords | None:
    """The data as words, or None with every problem noted."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False)[:ENOUGH]:
            full = (*path, *_in_file(data, detail))
            # A missing word has no line of its own: that of the mapping it is missing from is the nearest.
            problems.add(_sentence(detail, model), spell(full), root.line_of(full))
        return None


def spell(path: Path) -> str:
    """A path as people write it.

    >>> spell(("links", 0, "joint", "axis"))
    'links[0].joint.axis'
    """
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _in_file(data: Any, detail: Any) -> Path:
    """Where in the file, without the steps that only the schema has, such as the kind of a joint or gear."""
    words: list[str | int] = []
    for step in detail["loc"]:
        here = isinstance(data, dict) and step in data
        if here or (isinstance(data, list) and isinstance(step, int) and step < len(data)):
            words.append(step)
            data = data[step]
    if detail["type"] == "missing" and isinstance(detail["loc"][-1], str):
        words.append(detail["loc"][-1])
    return tuple(words)


def _sentence(detail: Any, model: type[Words]) -> str:
    """What is wrong and the way out, in our words."""
    kind, word, context = detail["type"], detail["loc"][-1] if detail["loc"] else "", detail.get("ctx", {})
    if kind == "extra_forbidden" and str(word).isdigit():
        return f"the number {str(word)[:60]} stands where a word is wanted. Write decimals with a point: 5.2, not 5,2."
    if kind == "extra_forbidden":
        return f"the word {str(word)[:60]!r} is unknown here. {did_you_mean(str(word), _known(detail['loc'], model))}"
    if kind == "missing":
        short = f"{_shown(detail['input'])} is too short: more numbers are wanted here."
        return short if isinstance(word, int) else f"the word {word!r} is missing. Add it."
    if kind == "value_error":
        return str(context.get("error", detail["msg"]))
    if kind == "union_tag_invalid":
        return f"the type {str(context.get('tag'))[:60]!r} is unknown. {_closest(str(context.get('tag')), context)}"
    return _plain_sentence(kind, detail, context)


def _plain_sentence(kind: str, detail: Any, context: dict[str, Any]) -> str:
    wanted = {
        "model_type": "a mapping such as {word: value}",
        "model_attributes_type": "a mapping such as {word: value}",
        "dict_type": "a mapping such as {word: value}",
        "union_tag_not_found": "a mapping such as {type: ...}",
        "tuple_type": "a list of numbers such as [0, 0, 1]",
        "list_type": "a list",
        "string_type": "a text",
        "bool_type": "true or false",
        "bool_parsing": "true or false",
        "int_type": "a whole number",
        "int_parsing": "a whole number",
        "int_from_float": "a whole number",
    }
    if kind in wanted:
        return f"{_shown(detail['input'])} stands where {wanted[kind]} is wanted. Write {wanted[kind]}."
    if kind == "too_long":
        return f"{context.get('actual_length')} values stand where {context.get('max_length')} are wanted. Remove some."
    text = detail["msg"]
    return f"{_shown(detail['input'])}: {text[:1].lower()}{text[1:]}."


def _known(location: tuple[Any, ...], model: type[Words]) -> tuple[str, ...]:
    for step in reversed(location[:-1]):
        if step in INSIDE:
            return tuple(INSIDE[step].model_fields)
    fields = RobotWords if model is HeaderWords else model
    return tuple(fields.model_fields)


def _closest(tag: str, context: dict[str, Any]) -> str:
    names = [name.strip(" '") for name in str(context.get("expected_tags", "")).split(",")]
    return did_you_mean(tag, names)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
