"""The fields of data sheets: friction, thermal data, cogging, torque ripple, supplies and current controllers."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Discriminator, Field, Tag

from gearwright.files.fields.basic import Angle, CheckedFields, FieldModel, Number, Temperature, Unit
from gearwright.files.fields.from_parts import fields_model, part_arguments
from gearwright.parts import Cogging, CurrentControl, Friction, Heat, LoadFriction, Lubricant, Ripple, Servo, Supply


def _nonnegative_number(*dimensions: str) -> Any:
    return Annotated[float, Unit(*dimensions, least=0)]


def _positive_number(*dimensions: str) -> Any:
    return Annotated[float, Unit(*dimensions, above=0)]


class PlainPartFields(CheckedFields):
    """Fields with the names of their part."""

    makes: ClassVar[type]

    def part(self) -> Any:
        """The part."""
        return self.makes(**self._part_arguments())

    def _part_arguments(self) -> dict[str, Any]:
        return part_arguments(self)


def _part_fields_model(part: type, title: str, special: dict[str, Any]) -> Any:
    words = fields_model(part, title, special)
    return type(title, (PlainPartFields, words), {"__doc__": words.__doc__, "__module__": __name__, "makes": part})


LoadFrictionFields = _part_fields_model(
    LoadFriction,
    "LoadFrictionFields",
    {
        **dict.fromkeys(("motor", "joint", "motor_stribeck", "joint_stribeck"), _nonnegative_number("fraction")),
        **dict.fromkeys(("motor_quadratic", "joint_quadratic"), _nonnegative_number("number")),
        "lag": _positive_number("time"),
    },
)


LubricantFields = _part_fields_model(
    Lubricant,
    "LubricantFields",
    {
        "temperature_coefficient": _nonnegative_number("temperature coefficient"),
        "capacity": _positive_number("heat capacity"),
        "lubricant_ambient": _positive_number("thermal resistance"),
        **dict.fromkeys(("reference", "ambient"), Temperature),
    },
)


def _friction_model(title: str, force: str, per_speed: str, speed: str, stiffness: str) -> Any:
    """The fields of friction in the units of a kind of joint."""
    special = {
        "coulomb": _nonnegative_number(force),
        "viscous": _nonnegative_number(per_speed),
        "static": _nonnegative_number(force),
        "stribeck_speed": _positive_number(speed),
        "stiffness": _positive_number(stiffness),
        "damping": _nonnegative_number(per_speed),
        "stribeck_exponent": Annotated[float, Unit("number", least=0.5)],
        "load": LoadFrictionFields,
        "lubricant": LubricantFields,
    }
    return _part_fields_model(Friction, title, special)


TurnFriction = _friction_model("TurnFriction", "torque", "angular damping", "angular speed", "angular stiffness")
SlideFriction = _friction_model("SlideFriction", "force", "damping", "speed", "stiffness")
CoggingFields = _part_fields_model(
    Cogging, "CoggingFields", {"amplitude": _nonnegative_number("torque"), "periods": Number, "phase": Angle}
)
RippleFields = _part_fields_model(
    Ripple, "RippleFields", {"fraction": _nonnegative_number("fraction"), "periods": Number, "phase": Angle}
)
SupplyFields = _part_fields_model(
    Supply,
    "SupplyFields",
    {
        "voltage": _positive_number("voltage"),
        "resistance": _nonnegative_number("resistance"),
        "brake_voltage": _positive_number("voltage"),
        "brake_resistance": _positive_number("resistance"),
    },
)
NumberRange = tuple[Number, Number]
ServoFields = _part_fields_model(
    Servo,
    "ServoFields",
    {
        **{"kp": Number, "kv": Number, "gain": Number, "offset": Number, "torque": NumberRange, "input": NumberRange},
        "time_constant": _nonnegative_number("time"),
    },
)
CurrentControlFields = _part_fields_model(
    CurrentControl, "CurrentControlFields", {"bandwidth": _positive_number("bandwidth")}
)


def _friction_form(value: Any) -> str:
    return "words" if isinstance(value, dict | FieldModel) else "amount"


def _number_or_fields(amount: str, words: Any) -> Any:
    return Annotated[
        Annotated[_nonnegative_number(amount), Tag("amount")] | Annotated[words, Tag("words")],
        Discriminator(_friction_form),
    ]


TurnFrictionField: Any = _number_or_fields("torque", TurnFriction)
SlideFrictionField: Any = _number_or_fields("force", SlideFriction)
"""Coulomb friction as a number, or friction by its fields."""


def friction_part(words: Any) -> Any:
    """Return the number or the part of a friction field."""
    return words.part() if isinstance(words, PlainPartFields) else words


HeatNumbers = _part_fields_model(
    Heat,
    "HeatNumbers",
    {
        "winding_housing": _positive_number("thermal resistance"),
        "housing_ambient": _nonnegative_number("thermal resistance"),
        "winding_capacity": _positive_number("heat capacity"),
        "housing_capacity": _positive_number("heat capacity"),
        "ambient": Temperature,
        "reference": Temperature,
        "copper": _nonnegative_number("temperature coefficient"),
        "magnet": Annotated[float, Unit("temperature coefficient")],
        "max_temperature": Temperature,
    },
)


class HeatFields(HeatNumbers):  # type: ignore[misc,valid-type]
    """The thermal model of a motor, winding and housing, by heat capacities or by a data sheet's time constants."""

    winding_time_constant: _positive_number("time") | None = Field(  # type: ignore[valid-type]
        default=None, description="instead of winding_capacity: winding_housing times winding_capacity"
    )
    housing_time_constant: _positive_number("time") | None = Field(  # type: ignore[valid-type]
        default=None, description="instead of housing_capacity: housing_ambient times housing_capacity"
    )

    def _part_arguments(self) -> dict[str, Any]:
        stated = part_arguments(self)
        for body, resistance_field in (("winding", "winding_housing"), ("housing", "housing_ambient")):
            time, capacity = stated.pop(f"{body}_time_constant", None), f"{body}_capacity"
            if time is None:
                continue
            if capacity in stated:
                raise ValueError(f"{capacity} and {body}_time_constant define the same quantity. Keep one of them.")
            if not stated.get(resistance_field):
                raise ValueError(f"{body}_time_constant needs the thermal resistance {resistance_field}. Give it.")
            stated[capacity] = time / stated[resistance_field]
        if "winding_capacity" not in stated:
            raise ValueError("the winding has no heat capacity. Give winding_capacity or winding_time_constant.")
        return stated
