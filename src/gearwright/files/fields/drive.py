"""The fields of drives and motors."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from gearwright.algebra import Vec
from gearwright.errors import FileError
from gearwright.files.fields.basic import (
    CheckedFields,
    Direction,
    FieldModel,
    Inertia,
    Mass,
    Name,
    Position,
    TensorFields,
    Torque,
    Unit,
)
from gearwright.files.fields.gear import DIRECT_DRIVE, GearField
from gearwright.files.fields.motor_data import (
    CoggingFields,
    CurrentControlFields,
    HeatFields,
    RippleFields,
    ServoFields,
    SupplyFields,
    TurnFrictionField,
    friction_part,
)
from gearwright.files.fields.mujoco_dcmotor import dcmotor_schema, from_dcmotor
from gearwright.files.tables.card_data import with_gear_of_card
from gearwright.files.tables.catalogue_data import is_stated_in_file, motor_entry
from gearwright.parts import Motor, motor_constant
from gearwright.parts.drives.winding import WINDING_CONVENTIONS, at_terminals

StatedConvention = Literal["terminals", "phase", "rms"]
assert set(WINDING_CONVENTIONS) == set(StatedConvention.__args__)  # type: ignore[attr-defined]
TERMINAL_FIELDS = ("resistance", "inductance", "max_current", "max_current_rate")

EQUIVALENT_MOTOR_FIELDS = {"stator_mass": "motor_mass", "motor_mass": "stator_mass"}
"""Alternative fields for the same quantity: if a file gives one, the other is not taken from the catalogue."""


class MotorFields(CheckedFields):
    """A motor; its numbers refer to the motor side, as on data sheets."""

    catalogue: Name | None = Field(
        default=None,
        description="name of a catalogue motor or of an actuator card (bundled, or a .json file in the folder of the "
        "robot file); fields given here replace its numbers",
    )
    inertia: Inertia = Field(default=0.0, description="axial inertia of the rotor")
    mass: Mass = Field(default=0.0, description="mass of the rotor")
    stator_mass: Mass = Field(
        default=0.0, description="mass of the non-rotating parts, on the carrying link at `position`"
    )
    motor_mass: Mass | None = Field(
        default=None,
        description="instead of `stator_mass`: mass of the complete motor, rotor and stator, as on data sheets; "
        "without the rotor's `mass` all of it counts as stator mass",
    )
    transverse_inertia: Inertia | None = Field(
        default=None, description="about a transverse axis; by default half the axial inertia"
    )
    position: Position | None = Field(
        default=None,
        description="centre of mass of rotor and stator in the carrying link's frame, where [0, 0, 0] is that link's "
        "origin; by default the origin of the driven joint, in a train the position of the rotor's wheel. Required "
        "for a motor with mass on a link that is not adjacent to the driven joint",
    )
    tensor: TensorFields | None = Field(
        default=None, description="instead of the two inertias: about the centre of mass"
    )
    com: Position | None = Field(default=None, description="centre of mass, if `position` is another point of the axis")
    included: bool = Field(default=False, description="whether the carrying link's inertia already contains the motor")
    coupling: Inertia | None = Field(
        default=None,
        description="coupling inertia, if it differs from the axial inertia; 0: only the reflected inertia is known",
    )
    stated: StatedConvention = Field(
        default="terminals",
        description="convention of resistance, inductance, constants and currents: at the terminals (brushed, or "
        "between two lines), per phase with amplitudes, or with rms voltages between lines and rms phase currents",
    )
    torque_constant: Annotated[float, Unit("torque constant")] | None = Field(
        default=None, description="torque per current"
    )
    back_emf_constant: Annotated[float, Unit("torque constant")] | None = Field(
        default=None, description="instead of the torque constant; if both are given, they are compared"
    )
    kv: Annotated[float, Unit("speed constant")] | None = Field(
        default=None, description="speed constant, 1 / back_emf_constant; compared likewise"
    )
    resistance: Annotated[float, Unit("resistance", least=0)] | None = Field(
        default=None, description="of the winding, at the reference temperature"
    )
    inductance: Annotated[float, Unit("inductance", least=0)] | None = Field(default=None, description="of the winding")
    max_torque: Torque | None = Field(
        default=None, description="limit of the electronics at the motor shaft; not the stall torque, which is derived"
    )
    max_speed: Annotated[float, Unit("angular speed", least=0)] | None = Field(
        default=None,
        description="limit of the electronics at the motor shaft; not the no-load speed, which is derived",
    )
    max_voltage: Annotated[float, Unit("voltage", least=0)] | None = Field(default=None, description="of the terminals")
    max_current: Annotated[float, Unit("current", least=0)] | None = Field(default=None, description="largest current")
    max_current_rate: Annotated[float, Unit("current rate", least=0)] | None = Field(
        default=None, description="largest rate of change of the current"
    )
    damping: Annotated[float, Unit("angular damping", least=0)] = Field(
        default=0.0, description="viscous friction at the motor shaft"
    )
    friction: TurnFrictionField = Field(
        default=0.0, description="Coulomb friction at the motor shaft, or fields of friction"
    )
    cogging: CoggingFields | None = Field(default=None, description="torque over the rotor's angle without current")
    ripple: RippleFields | None = Field(
        default=None, description="change of the torque constant over the rotor's angle"
    )
    heat: HeatFields | None = Field(default=None, description="thermal resistances and capacities, temperature limits")

    @model_validator(mode="before")
    @classmethod
    def _with_catalogue_data(cls, value: Any) -> Any:
        """Convert MuJoCo's fields, and complete the fields of the file with those of the catalogue motor."""
        if not isinstance(value, dict):
            return value
        value = from_dcmotor(value)[0]
        if not isinstance(value.get("catalogue"), str):
            return value
        try:
            entry = motor_entry(value["catalogue"])
        except FileError as error:
            if is_stated_in_file("motor", value["catalogue"], value, "inertia"):
                return value
            raise ValueError(str(error)) from None
        catalogue_fields = {word: entry[word] for word in cls.model_fields if word in entry}
        return {
            **{word: x for word, x in catalogue_fields.items() if EQUIVALENT_MOTOR_FIELDS.get(word) not in value},
            **value,
        }

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        described = handler(schema)
        properties = handler.resolve_ref_schema(described)["properties"]
        for word, rule in dcmotor_schema().items():
            property_schema = properties.get(word)
            both = property_schema is not None and {
                "anyOf": [property_schema, rule],
                "description": property_schema["description"],
            }
            properties[word] = both or rule
        return described

    def part(self) -> Motor:
        """The part as the words state it."""
        motor_fields = {field.name for field in fields(Motor)}
        words = {word: getattr(self, word) for word in type(self).model_fields if word in motor_fields}
        words |= {word: Vec.from_values(words[word]) for word in ("position", "com") if words[word] is not None}
        words["tensor"] = None if self.tensor is None else self.tensor.as_tensor
        words["torque_constant"] = motor_constant(self.stated, self.torque_constant, self.back_emf_constant, self.kv)
        words |= at_terminals(self.stated, **{word: words[word] for word in TERMINAL_FIELDS})
        words["friction"] = friction_part(self.friction)
        words |= {word: words[word].part() for word in ("cogging", "ripple", "heat") if words[word] is not None}
        return Motor(**words)


class DriveFields(FieldModel):
    """A motor on a link that moves a joint through a gear."""

    joint: Name = Field(description="the joint it drives")
    name: Name | None = Field(default=None, description="its name; by default that of the joint")
    mounted_on: Name | None = Field(
        default=None, description="the link that carries the motor, or base; by default the parent of the driven link"
    )
    axis: Direction | None = Field(
        default=None, description="the rotor's axis in that link's frame; by default that of the joint"
    )
    motor: MotorFields = Field(default=MotorFields(), description="the motor; by default a rotor without inertia")
    gear: GearField = Field(
        default=DIRECT_DRIVE, description="the gear between motor and joint; by default a direct drive"
    )
    supply: SupplyFields | None = Field(default=None, description="its voltage supply; by default that of the robot")
    current_control: CurrentControlFields | None = Field(
        default=None, description="electronics that make the current follow a reference"
    )
    servo: ServoFields | None = Field(
        default=None, description="the position or speed controller stated for it, as data for a controller"
    )

    @model_validator(mode="before")
    @classmethod
    def _with_gear_of_card(cls, value: Any) -> Any:
        return with_gear_of_card(value)

    @model_validator(mode="after")
    def _require_axis_direction(self) -> DriveFields:
        if self.axis is not None and not any(self.axis):
            raise ValueError("the axis is [0, 0, 0]. Give a vector of non-zero length.")
        return self
