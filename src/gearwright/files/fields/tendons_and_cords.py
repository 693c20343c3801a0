"""The words of tendons and of named states."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from gearwright.files.data_sheet_words import ServoWords
from gearwright.files.drive_words import MotorWords
from gearwright.files.words import CheckedWords, Name, Number, Unit
from gearwright.parts import NamedState, Tendon

Coordinate = Annotated[float, Unit("angle", "length")]
Rate = Annotated[float, Unit("angular speed", "speed")]


class TendonWords(CheckedWords):
    """Inertia or a motor along a row over joints: a cable over several of them, or a differential known by its row."""

    name: Name = Field(description="what it is called")
    row: dict[Name, Number] = Field(description="per joint how far it moves per unit of the joint's coordinate")
    inertia: Annotated[float, Unit("inertia", "mass", least=0)] = Field(
        default=0.0, description="along the row; it does not push on the links that carry it"
    )
    motor: MotorWords | None = Field(default=None, description="what pulls it; its angle is the tendon's length")
    servo: ServoWords | None = Field(default=None, description="the controller stated for the motor, as data")

    def part(self) -> Tendon:
        """The part."""
        motor = None if self.motor is None else self.motor.part()
        return Tendon(self.name, self.row, self.inertia, motor, None if self.servo is None else self.servo.part())


class StateWords(CheckedWords):
    """A configuration and speeds with a name; what is not mentioned is at its zero and at rest."""

    name: Name = Field(description="what it is called")
    q: dict[Name, Coordinate] = Field(default={}, description="per coordinate its value")
    v: dict[Name, Rate] = Field(default={}, description="per speed its value, in body axes")

    def part(self) -> Any:
        """The part."""
        return NamedState(self.name, self.q, self.v)
