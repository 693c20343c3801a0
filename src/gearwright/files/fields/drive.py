"""The words of drives and motors."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from gearwright.algebra import Vec
from gearwright.errors import FileError
from gearwright.files.fields.basic import (
    CheckedWords,
    Direction,
    Inertia,
    Mass,
    Name,
    Position,
    TensorWords,
    Torque,
    Unit,
    Words,
)
from gearwright.files.fields.gear import NO_GEAR, GearField
from gearwright.files.fields.motor_data import (
    CoggingWords,
    CurrentControlWords,
    HeatWords,
    RippleWords,
    ServoWords,
    SupplyWords,
    TurnFrictionField,
    friction_of,
)
from gearwright.files.fields.mujoco_dcmotor import dcmotor_schema, from_dcmotor
from gearwright.files.tables.catalogue_data import motor_entry, stated_instead
from gearwright.parts import Motor, motor_constant
from gearwright.parts.drives.winding import CONVENTIONS, at_terminals

Stated = Literal["terminals", "phase", "rms"]
assert set(CONVENTIONS) == set(Stated.__args__)  # type: ignore[attr-defined]
AT_TERMINALS = ("resistance", "inductance", "max_current", "max_current_rate")

SAME = {"stator_mass": "motor_mass", "motor_mass": "stator_mass"}
"""Words that say the same in two ways: a file that states one does not take the other from the catalogue."""


class MotorWords(CheckedWords):
    """A motor; its numbers are those of the motor side, as data sheets give them."""

    catalogue: Name | None = Field(
        default=None, description="name of a catalogue motor; words given here replace its numbers"
    )
    inertia: Inertia = Field(default=0.0, description="axial inertia of the rotor")
    mass: Mass = Field(default=0.0, description="mass of the rotor")
    stator_mass: Mass = Field(
        default=0.0, description="mass of what does not turn, at rest on the carrying link at `position`"
    )
    motor_mass: Mass | None = Field(
        default=None,
        description="instead of `stator_mass`: of the whole motor, rotor and stator, as data sheets give it; without "
        "the rotor's `mass` all of it is at rest",
    )
    transverse_inertia: Inertia | None = Field(
        default=None, description="about an axis across; half the axial one unless given"
    )
    position: Position | None = Field(
        default=None,
        description="centre of mass of rotor and stator in the carrying link's frame, where [0, 0, 0] is that link's "
        "origin; unless given the origin of the driven joint, in a train the place of the rotor's wheel. A motor with "
        "a mass on a link that is on neither side of the driven joint needs it",
    )
    tensor: TensorWords | None = Field(
        default=None, description="instead of the two inertias: about the centre of mass"
    )
    com: Position | None = Field(default=None, description="centre of mass if `position` is just a point of the axis")
    included: bool = Field(default=False, description="the carrying link's numbers contain the motor already")
    coupling: Inertia | None = Field(
        default=None, description="if it differs from the inertia; 0: only reflected inertia is known"
    )
    stated: Stated = Field(
        default="terminals",
        description="how resistance, inductance, constants and currents are stated: at the terminals (brushed, or "
        "between two lines), per phase with amplitudes, or with rms voltages between lines and rms phase currents",
    )
    torque_constant: Annotated[float, Unit("torque constant")] | None = Field(
        default=None, description="torque per current"
    )
    back_emf_constant: Annotated[float, Unit("torque constant")] | None = Field(
        default=None, description="instead of the torque constant; given both, they are compared"
    )
    kv: Annotated[float, Unit("speed constant")] | None = Field(
        default=None, description="speed constant, 1 / back_emf_constant; the same"
    )
    resistance: Annotated[float, Unit("resistance", least=0)] | None = Field(
        default=None, description="of the winding, at the reference temperature"
    )
    inductance: Annotated[float, Unit("inductance", least=0)] | None = Field(default=None, description="of the winding")
    max_torque: Torque | None = Field(
        default=None, description="at the motor shaft, kept by the electronics; not the stall torque, which follows"
    )
    max_speed: Annotated[float, Unit("angular speed", least=0)] | None = Field(
        default=None,
        description="of the motor shaft: the electronics drive it no faster; not the no-load speed, which follows",
    )
    max_voltage: Annotated[float, Unit("voltage", least=0)] | None = Field(default=None, description="of the terminals")
    max_current: Annotated[float, Unit("current", least=0)] | None = Field(default=None, description="largest current")
    max_current_rate: Annotated[float, Unit("current rate", least=0)] | None = Field(
        default=None, description="how fast the current may change"
    )
    damping: Annotated[float, Unit("angular damping", least=0)] = Field(
        default=0.0, description="viscous friction at the motor shaft"
    )
    friction: TurnFrictionField = Field(
        default=0.0, description="Coulomb friction at the motor shaft, or words of friction"
    )
    cogging: CoggingWords | None = Field(default=None, description="torque over the rotor's angle without current")
    ripple: RippleWords | None = Field(default=None, description="change of the torque constant over the rotor's angle")
    heat: HeatWords | None = Field(
        default=None, description="thermal resistances and capacities, limits of temperature"
    )

    @model_validator(mode="before")
    @classmethod
    def _from_catalogue(cls, value: Any) -> Any:
        """MuJoCo's words as ours; what the catalogue says about the motor, replaced by what the file says."""
        if not isinstance(value, dict):
            return value
        value = from_dcmotor(value)[0]
        if not isinstance(value.get("catalogue"), str):
            return value
        try:
            entry = motor_entry(value["catalogue"])
        except FileError as error:
            if stated_instead("motor", value["catalogue"], value, "inertia"):
                return value
            raise ValueError(str(error)) from None
        known = {word: entry[word] for word in cls.model_fields if word in entry}
        return {**{word: x for word, x in known.items() if SAME.get(word) not in value}, **value}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        described = handler(schema)
        properties = handler.resolve_ref_schema(described)["properties"]
        for word, rule in dcmotor_schema().items():
            known = properties.get(word)
            both = known is not None and {"anyOf": [known, rule], "description": known["description"]}
            properties[word] = both or rule
        return described

    def part(self) -> Motor:
        """The part as the words state it."""
        known = {field.name for field in fields(Motor)}
        words = {word: getattr(self, word) for word in type(self).model_fields if word in known}
        words |= {word: Vec.of(words[word]) for word in ("position", "com") if words[word] is not None}
        words["tensor"] = None if self.tensor is None else self.tensor.tensor
        words["torque_constant"] = motor_constant(self.stated, self.torque_constant, self.back_emf_constant, self.kv)
        words |= at_terminals(self.stated, **{word: words[word] for word in AT_TERMINALS})
        words["friction"] = friction_of(self.friction)
        words |= {word: words[word].part() for word in ("cogging", "ripple", "heat") if words[word] is not None}
        return Motor(**words)


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
    motor: MotorWords = Field(default=MotorWords(), description="the motor; without words a rotor without inertia")
    gear: GearField = Field(default=NO_GEAR, description="what is between motor and joint; a direct drive unless given")
    supply: SupplyWords | None = Field(default=None, description="what feeds it; the robot's supply unless given")
    current_control: CurrentControlWords | None = Field(
        default=None, description="electronics that make the current follow a reference"
    )
    servo: ServoWords | None = Field(
        default=None, description="the position or speed controller stated for it, as data for a controller"
    )

    @model_validator(mode="after")
    def _has_direction(self) -> DriveWords:
        if self.axis is not None and not any(self.axis):
            raise ValueError("the axis [0, 0, 0] has no direction. Give a vector of non-zero length.")
        return self
