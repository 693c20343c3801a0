"""Editable numbers of a drive, and the drive with entered values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from gearwright.algebra import is_number
from gearwright.catalogue import Catalogue
from gearwright.parts import Drive, Motor
from gearwright.text import markdown_text

TEETH_LABELS = {
    "sun": "sun teeth",
    "planet": "planet teeth",
    "second_planet": "second planet teeth",
    "ring": "ring teeth",
    "second_ring": "second ring teeth",
    "planets": "planets",
    "driver": "driver teeth",
    "driven": "driven teeth",
    "starts": "worm starts",
    "wheel": "wheel teeth",
    "flexspline": "flexspline teeth",
    "circular": "circular spline teeth",
    "pins": "pins",
    "discs": "discs",
}
"""Integer parameters of gears, and their labels in the panel."""
RATIO_LABELS = {"ratio": "ratio", "reduction": "reduction"}
STATED_MOTOR_CHOICE = "as in the file"
"""The choice of the motor stated in the robot's file."""


@dataclass(frozen=True)
class EditableNumber:
    """One editable number.

    Args:
        key: "gear.ratio", "gear.planets", "motor.inertia", "gear.stiffness", ...
        label: its label in the panel.
        value: its present value [SI].
        kind: a number; a whole number or the radius of a pulley, which are not inputs of kernels; or a stiffness, where
            0 means a rigid gear.
        display_factor: factor from SI to the unit of the label.
    """

    key: str
    label: str
    value: float
    kind: Literal["number", "count", "radius", "stiffness"] = "number"
    display_factor: float = 1.0

    @property
    def displayed_value(self) -> float:
        """The value in the unit of the label."""
        return _without_last_digits(self.value * self.display_factor)

    def si_value(self, displayed: float) -> float:
        """The value [SI] of a number in the unit of the label."""
        return (
            self.value if displayed == self.displayed_value else _without_last_digits(displayed / self.display_factor)
        )


def inertia_number(key: str, label: str, value: float) -> EditableNumber:
    """Return the entry of an inertia, shown in kg cm² (rotor inertias are small in kg m²).

    >>> entry = inertia_number("motor.inertia", "rotor inertia", 3.3e-5)
    >>> entry.label, entry.displayed_value, entry.si_value(0.35)
    ('rotor inertia [kg cm²]', 0.33, 3.5e-05)
    """
    return EditableNumber(key, f"{label} [kg cm²]", value, display_factor=1e4)


def drive_numbers(drive: Drive) -> tuple[EditableNumber, ...]:
    """Return the editable numbers of a drive: its ratio or its teeth, rotor inertia, stiffness.

    >>> from gearwright.parts import Gear, Motor, Planetary
    >>> [entry.key for entry in drive_numbers(Drive("j", Motor(1e-4), Gear(100)))]
    ['gear.ratio', 'motor.inertia', 'gear.stiffness']
    >>> [entry.key for entry in drive_numbers(Drive("j", gear=Planetary(sun=18, planet=27, ring=72)))][:4]
    ['gear.sun', 'gear.planet', 'gear.ring', 'gear.planets']
    """
    gear, stated = drive.gear, {field.name for field in fields(drive.gear)}
    gear_numbers = [
        EditableNumber(f"gear.{word}", label, _gear_number(gear, word))
        for word, label in RATIO_LABELS.items()
        if word in stated
    ]
    gear_numbers += [
        _teeth_number(word, label, _gear_number(gear, word)) for word, label in TEETH_LABELS.items() if word in stated
    ]
    numbers = [entry for entry in gear_numbers if is_number(getattr(gear, entry.key.removeprefix("gear.")))]
    numbers.append(inertia_number("motor.inertia", "rotor inertia", float(drive.motor.inertia)))
    if "stiffness" in stated:
        numbers.append(
            EditableNumber("gear.stiffness", "stiffness [Nm/rad]", float(gear.stiffness or 0.0), "stiffness")
        )
    return tuple(numbers)


def with_entered_values(drive: Drive, values: Mapping[str, Any]) -> Drive:
    """Return a drive with all entered values applied together, as tooth numbers must be compatible."""
    fresh = typed_values(drive_numbers(drive), values)
    gear = replace(drive.gear, **values_with_prefix(fresh, "gear."))
    return replace(drive, gear=gear, motor=replace(drive.motor, **values_with_prefix(fresh, "motor.")))


def typed_values(numbers: Sequence[EditableNumber], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return entered values in the types of the parts: whole numbers for counts, None for a stiffness of 0."""
    kinds = {entry.key: entry.kind for entry in numbers}
    return {key: _typed_value(kinds.get(key), value) for key, value in values.items()}


def _typed_value(kind: str | None, value: Any) -> Any:
    if kind == "count":
        return int(value)
    return None if kind == "stiffness" and value == 0 else value


def values_with_prefix(values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the values whose keys begin with a prefix, by the rest of the key."""
    return {key.removeprefix(prefix): value for key, value in values.items() if key.startswith(prefix)}


def drive_description(drive: Drive) -> str:
    """Return the kind of gear and its ratio, as Markdown."""
    return f"{markdown_text(drive.gear.kind)}, ratio **{float(drive.gear.ratio):.6g}**"


def chosen_motor(key: str, stated: Motor, catalogue: Catalogue) -> Motor:
    """Return the chosen motor of the catalogue, or the one stated in the robot's file."""
    if key == STATED_MOTOR_CHOICE:
        return stated
    return catalogue.motor(key).motor(position=stated.position, included=stated.included)


def motor_choices(catalogue: Catalogue) -> dict[str, str]:
    """Return the motors to choose from: label -> key."""
    sheets = [sheet for sheet in catalogue.motors.values() if sheet.inertia is not None]
    return {
        STATED_MOTOR_CHOICE: STATED_MOTOR_CHOICE,
        **{f"{sheet.manufacturer} {sheet.name} ({sheet.key})": sheet.key for sheet in sheets},
    }


def _teeth_number(word: str, label: str, value: float) -> EditableNumber:
    """Return the entry of a tooth number, or of a radius for a belt."""
    if value.is_integer():
        return EditableNumber(f"gear.{word}", label, value, "count")
    return EditableNumber(f"gear.{word}", f"{word} radius [m]", value, "radius")


def _without_last_digits(value: float) -> float:
    """Return the value without rounding errors of unit conversion."""
    return float(f"{value:.12g}")


def _gear_number(gear: Any, word: str) -> float:
    value = getattr(gear, word)
    return float(value) if is_number(value) else 0.0
