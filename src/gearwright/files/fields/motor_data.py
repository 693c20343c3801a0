"""The words of data sheets: friction, heat, cogging, torque ripple, supplies and current controllers."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Discriminator, Field, Tag

from gearwright.files.fields.basic import Angle, CheckedWords, Number, Temperature, Unit, Words
from gearwright.files.fields.from_parts import arguments, words_of
from gearwright.parts import Cogging, CurrentControl, Friction, Heat, Ripple, Servo, Supply


def _amount(*dimensions: str) -> Any:
    return Annotated[float, Unit(*dimensions, least=0)]


def _more(*dimensions: str) -> Any:
    return Annotated[float, Unit(*dimensions, above=0)]


class PlainPartWords(CheckedWords):
    """Words with the names of their part's fields."""

    makes: ClassVar[type]

    def part(self) -> Any:
        """The part."""
        return self.makes(**self._arguments())

    def _arguments(self) -> dict[str, Any]:
        return arguments(self)


def _words(part: type, title: str, special: dict[str, Any]) -> Any:
    words = words_of(part, title, special)
    return type(title, (PlainPartWords, words), {"__doc__": words.__doc__, "__module__": __name__, "makes": part})


def _friction(title: str, force: str, per_speed: str, speed: str, stiffness: str) -> Any:
    """The words of friction in the units of a kind of joint."""
    special = {
        "coulomb": _amount(force),
        "viscous": _amount(per_speed),
        "static": _amount(force),
        "stribeck_speed": _more(speed),
        "stiffness": _more(stiffness),
        "damping": _amount(per_speed),
    }
    return _words(Friction, title, special)


TurnFriction = _friction("TurnFriction", "torque", "angular damping", "angular speed", "angular stiffness")
SlideFriction = _friction("SlideFriction", "force", "damping", "speed", "stiffness")
CoggingWords = _words(Cogging, "CoggingWords", {"amplitude": _amount("torque"), "periods": Number, "phase": Angle})
RippleWords = _words(Ripple, "RippleWords", {"fraction": _amount("fraction"), "periods": Number, "phase": Angle})
SupplyWords = _words(
    Supply,
    "SupplyWords",
    {
        "voltage": _more("voltage"),
        "resistance": _amount("resistance"),
        "brake_voltage": _more("voltage"),
        "brake_resistance": _more("resistance"),
    },
)
Range = tuple[Number, Number]
ServoWords = _words(
    Servo,
    "ServoWords",
    {
        **{"kp": Number, "kv": Number, "gain": Number, "offset": Number, "torque": Range, "input": Range},
        "time_constant": _amount("time"),
    },
)
CurrentControlWords = _words(CurrentControl, "CurrentControlWords", {"bandwidth": _more("bandwidth")})


def _form(value: Any) -> str:
    return "words" if isinstance(value, dict | Words) else "amount"


def _either(amount: str, words: Any) -> Any:
    return Annotated[Annotated[_amount(amount), Tag("amount")] | Annotated[words, Tag("words")], Discriminator(_form)]


TurnFrictionField: Any = _either("torque", TurnFriction)
SlideFrictionField: Any = _either("force", SlideFriction)
"""Coulomb friction as a number, or friction by its words."""


def friction_of(words: Any) -> Any:
    """The number or the part that a friction field holds."""
    return words.part() if isinstance(words, PlainPartWords) else words


HeatNumbers = _words(
    Heat,
    "HeatNumbers",
    {
        "winding_housing": _more("thermal resistance"),
        "housing_ambient": _amount("thermal resistance"),
        "winding_capacity": _more("heat capacity"),
        "housing_capacity": _more("heat capacity"),
        "ambient": Temperature,
        "reference": Temperature,
        "copper": _amount("temperature coefficient"),
        "magnet": Annotated[float, Unit("temperature coefficient")],
        "max_temperature": Temperature,
    },
)


class HeatWords(HeatNumbers):  # type: ignore[misc,valid-type]
    """How a motor gets warm: two bodies, winding and housing; by capacities or by a data sheet's time constants."""

    winding_time_constant: _more("time") | None = Field(  # type: ignore[valid-type]
        default=None, description="instead of winding_capacity: winding_housing times it"
    )
    housing_time_constant: _more("time") | None = Field(  # type: ignore[valid-type]
        default=None, description="instead of housing_capacity: housing_ambient times it"
    )

    def _arguments(self) -> dict[str, Any]:
        stated = arguments(self)
        for body, way in (("winding", "winding_housing"), ("housing", "housing_ambient")):
            time, capacity = stated.pop(f"{body}_time_constant", None), f"{body}_capacity"
            if time is None:
                continue
            if capacity in stated:
                raise ValueError(f"{capacity} and {body}_time_constant say the same. Keep one of them.")
            if not stated.get(way):
                raise ValueError(f"{body}_time_constant needs {way}, the thermal resistance it belongs to. Give it.")
            stated[capacity] = time / stated[way]
        if "winding_capacity" not in stated:
            raise ValueError("the winding has no heat capacity. Give winding_capacity or winding_time_constant.")
        return stated
