"""What a panel lets people change of a drive, and the robot that follows from what they entered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from gearwright.algebra import is_number
from gearwright.catalogue import Catalogue
from gearwright.parts import Drive, Motor
from gearwright.text import markdown

TEETH = {
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
"""Whole numbers of gears, and how the panel calls them."""
NUMBERS = {"ratio": "ratio", "reduction": "reduction"}
AS_STATED = "as in the file"
"""The choice of the motor that the robot came with."""


@dataclass(frozen=True)
class Entry:
    """One thing that can be changed.

    Args:
        key: "gear.ratio", "gear.planets", "motor.inertia", "gear.stiffness", ...
        label: what the panel calls it.
        value: what it is now [SI].
        kind: a number; a whole number, or the radius of a pulley, which kernels do not take as inputs; or a stiffness,
            of which 0 means a rigid gear.
        per: how many of the label's unit are one of SI.
    """

    key: str
    label: str
    value: float
    kind: Literal["number", "count", "radius", "stiffness"] = "number"
    per: float = 1.0

    @property
    def shown(self) -> float:
        """The value in the unit of the label."""
        return _short(self.value * self.per)

    def read(self, shown: float) -> float:
        """The value [SI] of a number in the unit of the label."""
        return self.value if shown == self.shown else _short(shown / self.per)


def inertia_entry(key: str, what: str, value: float) -> Entry:
    """An inertia, in kg cm²: those of rotors have too many zeros in kg m².

    >>> entry = inertia_entry("motor.inertia", "rotor inertia", 3.3e-5)
    >>> entry.label, entry.shown, entry.read(0.35)
    ('rotor inertia [kg cm²]', 0.33, 3.5e-05)
    """
    return Entry(key, f"{what} [kg cm²]", value, per=1e4)


def entries(drive: Drive) -> tuple[Entry, ...]:
    """What can be changed of a drive: its ratio, or the teeth that it follows from; rotor inertia; stiffness.

    >>> from gearwright.parts import Gear, Motor, Planetary
    >>> [entry.key for entry in entries(Drive("j", Motor(1e-4), Gear(100)))]
    ['gear.ratio', 'motor.inertia', 'gear.stiffness']
    >>> [entry.key for entry in entries(Drive("j", gear=Planetary(sun=18, planet=27, ring=72)))][:4]
    ['gear.sun', 'gear.planet', 'gear.ring', 'gear.planets']
    """
    gear, stated = drive.gear, {field.name for field in fields(drive.gear)}
    found = [Entry(f"gear.{word}", label, _number(gear, word)) for word, label in NUMBERS.items() if word in stated]
    found += [_teeth(word, label, _number(gear, word)) for word, label in TEETH.items() if word in stated]
    known = [entry for entry in found if is_number(getattr(gear, entry.key.removeprefix("gear.")))]
    known.append(inertia_entry("motor.inertia", "rotor inertia", float(drive.motor.inertia)))
    if "stiffness" in stated:
        known.append(Entry("gear.stiffness", "stiffness [Nm/rad]", float(gear.stiffness or 0.0), "stiffness"))
    return tuple(known)


def changed_drive(drive: Drive, wanted: Mapping[str, Any]) -> Drive:
    """A drive with what somebody entered, all of it at once: teeth that fit together are entered one by one."""
    fresh = typed(entries(drive), wanted)
    gear = replace(drive.gear, **taken(fresh, "gear."))
    return replace(drive, gear=gear, motor=replace(drive.motor, **taken(fresh, "motor.")))


def typed(known: Sequence[Entry], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What somebody entered as the parts want it: whole numbers for counts, None for a stiffness of 0."""
    kinds = {entry.key: entry.kind for entry in known}
    return {key: _typed(kinds.get(key), value) for key, value in wanted.items()}


def _typed(kind: str | None, value: Any) -> Any:
    if kind == "count":
        return int(value)
    return None if kind == "stiffness" and value == 0 else value


def taken(values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The values whose keys begin with a prefix, without it."""
    return {key.removeprefix(prefix): value for key, value in values.items() if key.startswith(prefix)}


def drive_told(drive: Drive) -> str:
    """The kind of gear and its ratio, as Markdown."""
    return f"{markdown(drive.gear.kind)}, ratio **{float(drive.gear.ratio):.6g}**"


def chosen_motor(key: str, stated: Motor, catalogue: Catalogue) -> Motor:
    """A motor of the catalogue in the place of the one that the robot came with, or that one."""
    if key == AS_STATED:
        return stated
    return catalogue.motor(key).motor(position=stated.position, included=stated.included)


def motor_choices(catalogue: Catalogue) -> dict[str, str]:
    """The motors that can be chosen: what the panel calls them -> key."""
    sheets = [sheet for sheet in catalogue.motors.values() if sheet.inertia is not None]
    return {AS_STATED: AS_STATED, **{f"{sheet.manufacturer} {sheet.name} ({sheet.key})": sheet.key for sheet in sheets}}


def _teeth(word: str, label: str, value: float) -> Entry:
    """Teeth; of a belt the numbers may be radii instead."""
    if value.is_integer():
        return Entry(f"gear.{word}", label, value, "count")
    return Entry(f"gear.{word}", f"{word} radius [m]", value, "radius")


def _short(value: float) -> float:
    """Without the last digits, which only changing units brings about."""
    return float(f"{value:.12g}")


def _number(gear: Any, word: str) -> float:
    value = getattr(gear, word)
    return float(value) if is_number(value) else 0.0
