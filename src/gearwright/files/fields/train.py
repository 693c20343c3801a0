"""The fields of general gear trains: wheels, meshes, motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from gearwright.files.fields.basic import CheckedFields, FieldModel, Name, SynonymFields
from gearwright.files.fields.drive import MotorFields
from gearwright.files.fields.from_parts import fields_model, part_arguments, plain_fields
from gearwright.parts import Gearwheel, Mesh, Motor, Train, TrainMotor
from gearwright.parts.structure.frame_changes import IDENTITY_PLACEMENT, FramePlacement, motor_in_frame, wheel_in_frame
from gearwright.parts.trains.train import MESH_SIGNS

WheelFrames = Mapping[str, FramePlacement]
MeshKindField = Literal["external", "internal", "bevel", "belt", "crossed belt"]


class _TrainPartFields(CheckedFields, SynonymFields):
    """Fields with the names of their part."""

    synonyms = ("type",)

    def part(self) -> Any:
        """The part."""
        return TRAIN_PARTS[type(self)](**part_arguments(self))


def _train_part_model(part: type, special: dict[str, Any], **more: Any) -> type[_TrainPartFields]:
    words = fields_model(part, f"{part.__name__}Fields", special, **more)
    return type(words.__name__, (_TrainPartFields, words), {"__doc__": words.__doc__, "__module__": __name__})


WheelFields: Any = _train_part_model(Gearwheel, {})
MeshFields: Any = _train_part_model(
    Mesh,
    {},
    kind=(MeshKindField, Field("external", description="kind of mesh, which determines the sign of the ratio")),
)
TrainMotorFields: Any = _train_part_model(TrainMotor, {"motor": MotorFields})
TRAIN_PARTS: dict[type, type] = {WheelFields: Gearwheel, MeshFields: Mesh, TrainMotorFields: TrainMotor}
assert set(MESH_SIGNS) == set(MeshKindField.__args__)  # type: ignore[attr-defined]


class TrainFields(FieldModel):
    """A gear train: meshes and carriers; every motor may drive several joints."""

    name: Name = Field(description="its name")
    wheels: list[WheelFields] = Field(default=[], description="the wheels; links need not be repeated")
    meshes: list[MeshFields] = Field(default=[], description="the gear pairs and belts")
    motors: list[TrainMotorFields] = Field(default=[], description="the motors")
    free: list[Name] = Field(default=[], description="wheels with an independent speed")

    def to_train(self, frames: WheelFrames) -> Train:
        """The part, with positions in the body frames of the links that carry the wheels."""
        bare = [words.part() for words in self.wheels]
        wheels = [wheel_in_frame(wheel, frames.get(wheel.carrier, IDENTITY_PLACEMENT)) for wheel in bare]
        carriers = {wheel.name: wheel.carrier for wheel in wheels}
        motors = [
            _train_motor_part(words, frames.get(carriers.get(words.wheel, ""), IDENTITY_PLACEMENT))
            for words in self.motors
        ]
        return Train(self.name, wheels, [words.part() for words in self.meshes], motors, self.free)


def _train_motor_part(words: Any, frame: FramePlacement) -> TrainMotor:
    part: TrainMotor = words.part()
    return replace(part, motor=motor_in_frame(part.motor, frame))


def train_fields(train: Train, motor_words: Any) -> dict[str, Any]:
    """Return the fields of a train for writing; `motor_words` writes a motor."""
    owner = f"train {train.name!r}"
    words: dict[str, Any] = {"name": train.name}
    words["wheels"] = [plain_fields(f"{owner}, wheel {wheel.name!r}", wheel) for wheel in train.wheels]
    words["meshes"] = [_mesh_fields(owner, mesh) for mesh in train.meshes]
    words["motors"] = [_train_motor_fields(owner, motor, motor_words) for motor in train.motors]
    words["free"] = list(train.free)
    return {word: value for word, value in words.items() if value}


def _mesh_fields(owner: str, mesh: Mesh) -> dict[str, Any]:
    return {**plain_fields(f"{owner}, mesh {mesh.title}", mesh), "kind": mesh.kind}


def _train_motor_fields(owner: str, motor: TrainMotor, motor_words: Any) -> dict[str, Any]:
    bare = plain_fields(f"{owner}, motor {motor.name!r}", replace(motor, motor=Motor()))
    return {**bare, "motor": motor_words(motor.motor, f"{owner}, motor {motor.name!r}")}
