"""The words of drives and motors."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

from pydantic import Field, model_validator

from gearwright.algebra import Vec
from gearwright.errors import FileError, PartError
from gearwright.files.gear_words import NO_GEAR, GearField
from gearwright.files.motor_data import motor_entry
from gearwright.files.words import Direction, Inertia, Mass, Name, Position, TensorWords, Torque, Unit, Words
from gearwright.parts import Motor
from gearwright.parts.placing import HERE, Placement, moved_motor


class MotorWords(Words):
    """A motor; its numbers are those of the motor side, as data sheets give them."""

    catalogue: Name | None = Field(
        default=None, description="name of a catalogue motor; words given here replace its numbers"
    )
    inertia: Inertia = Field(default=0.0, description="axial inertia of the rotor")
    mass: Mass = Field(default=0.0, description="mass of the rotor")
    transverse_inertia: Inertia | None = Field(
        default=None, description="about an axis across; half the axial one unless given"
    )
    position: Position = Field(
        default=(0.0, 0.0, 0.0), description="centre of mass of the rotor in the carrying link's frame"
    )
    tensor: TensorWords | None = Field(
        default=None, description="instead of the two inertias: about the centre of mass"
    )
    com: Position | None = Field(default=None, description="centre of mass if `position` is just a point of the axis")
    included: bool = Field(default=False, description="the carrying link's numbers contain the rotor already")
    coupling: Inertia | None = Field(
        default=None, description="if it differs from the inertia; 0: only reflected inertia is known"
    )
    torque_constant: Annotated[float, Unit("torque constant")] | None = None
    resistance: Annotated[float, Unit("resistance", least=0)] | None = None
    inductance: Annotated[float, Unit("inductance", least=0)] | None = None
    max_torque: Torque | None = Field(default=None, description="at the motor shaft")
    max_speed: Annotated[float, Unit("angular speed", least=0)] | None = Field(
        default=None, description="of the motor shaft"
    )

    @model_validator(mode="before")
    @classmethod
    def _from_catalogue(cls, value: Any) -> Any:
        """What the catalogue says about the motor, replaced by what the file says."""
        if not isinstance(value, dict) or not isinstance(value.get("catalogue"), str):
            return value
        try:
            entry = motor_entry(value["catalogue"])
        except FileError as error:
            raise ValueError(str(error)) from None
        return {**{word: entry[word] for word in cls.model_fields if word in entry}, **value}

    @model_validator(mode="after")
    def _can_exist(self) -> MotorWords:
        try:
            self.part()
        except PartError as error:
            raise ValueError(str(error)) from None
        return self

    def part(self) -> Motor:
        """The part as the words state it."""
        known = {field.name for field in fields(Motor)}
        words = {word: getattr(self, word) for word in type(self).model_fields if word in known}
        words["position"] = Vec.of(self.position)
        words["com"] = None if self.com is None else Vec.of(self.com)
        words["tensor"] = None if self.tensor is None else self.tensor.tensor
        return Motor(**words)

    def motor(self, mount: Placement = HERE) -> Motor:
        """The part, with places moved into the body frame of the link that carries it."""
        return moved_motor(self.part(), mount)


class DriveWords(Words):
    """A motor on a link that moves a joint through a gear."""

    joint: Name = Field(description="the joint it drives")
    name: Name | None = Field(default=None, description="the joint's name unless given")
    mounted_on: Name | None = Field(
        default=None, description="the link that carries the motor, or base; the parent unless given"
    )
    axis: Direction | None = Field(
        default=None, description="the rotor's axis in that link's frame; the joint's unless given"
    )
    motor: MotorWords = MotorWords()
    gear: GearField = NO_GEAR

    @model_validator(mode="after")
    def _has_direction(self) -> DriveWords:
        if self.axis is not None and not any(self.axis):
            raise ValueError("the axis [0, 0, 0] has no direction. Give a vector of non-zero length.")
        return self
