"""The words of gear trains drawn freely: wheels, meshes, motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from gearwright.files.fields.basic import CheckedWords, Name, Words
from gearwright.files.fields.drive import MotorWords
from gearwright.files.fields.from_parts import arguments, plain_words, words_of
from gearwright.parts import Gearwheel, Mesh, Motor, Train, TrainMotor
from gearwright.parts.structure.frame_changes import HERE, PartPlace, moved_motor, moved_wheel
from gearwright.parts.trains.train import SIGNS

Frames = Mapping[str, PartPlace]
Kind = Literal["external", "internal", "bevel", "belt", "crossed belt"]


class _PartWords(CheckedWords):
    """Words with the names of their part's fields."""

    def part(self) -> Any:
        """The part."""
        return PARTS[type(self)](**arguments(self))


def _words(part: type, special: dict[str, Any], **more: Any) -> type[_PartWords]:
    words = words_of(part, f"{part.__name__}Words", special, **more)
    return type(words.__name__, (_PartWords, words), {"__doc__": words.__doc__, "__module__": __name__})


WheelWords: Any = _words(Gearwheel, {})
MeshWords: Any = _words(Mesh, {}, kind=(Kind, Field("external", description="what gives the sign of the ratio")))
TrainMotorWords: Any = _words(TrainMotor, {"motor": MotorWords})
PARTS: dict[type, type] = {WheelWords: Gearwheel, MeshWords: Mesh, TrainMotorWords: TrainMotor}
assert set(SIGNS) == set(Kind.__args__)  # type: ignore[attr-defined]


class TrainWords(Words):
    """A gear train: who meshes with whom, who carries whom; any motor may move any joints."""

    name: Name = Field(description="its name")
    wheels: list[WheelWords] = Field(default=[], description="the wheels; links need not be repeated")
    meshes: list[MeshWords] = Field(default=[], description="the gear pairs and belts")
    motors: list[TrainMotorWords] = Field(default=[], description="the motors")
    free: list[Name] = Field(default=[], description="wheels that move on their own")

    def train(self, frames: Frames) -> Train:
        """The part, with places moved into the body frames of the links that carry the wheels."""
        bare = [words.part() for words in self.wheels]
        wheels = [moved_wheel(wheel, frames.get(wheel.carrier, HERE)) for wheel in bare]
        carriers = {wheel.name: wheel.carrier for wheel in wheels}
        motors = [_motor(words, frames.get(carriers.get(words.wheel, ""), HERE)) for words in self.motors]
        return Train(self.name, wheels, [words.part() for words in self.meshes], motors, self.free)


def _motor(words: Any, frame: PartPlace) -> TrainMotor:
    part: TrainMotor = words.part()
    return replace(part, motor=moved_motor(part.motor, frame))


def train_words(train: Train, motor_words: Any) -> dict[str, Any]:
    """The words that give the part back; `motor_words` writes a motor."""
    owner = f"train {train.name!r}"
    words: dict[str, Any] = {"name": train.name}
    words["wheels"] = [plain_words(f"{owner}, wheel {wheel.name!r}", wheel) for wheel in train.wheels]
    words["meshes"] = [_mesh(owner, mesh) for mesh in train.meshes]
    words["motors"] = [_train_motor(owner, motor, motor_words) for motor in train.motors]
    words["free"] = list(train.free)
    return {word: value for word, value in words.items() if value}


def _mesh(owner: str, mesh: Mesh) -> dict[str, Any]:
    return {**plain_words(f"{owner}, mesh {mesh.title}", mesh), "kind": mesh.kind}


def _train_motor(owner: str, motor: TrainMotor, motor_words: Any) -> dict[str, Any]:
    bare = plain_words(f"{owner}, motor {motor.name!r}", replace(motor, motor=Motor()))
    return {**bare, "motor": motor_words(motor.motor, f"{owner}, motor {motor.name!r}")}
