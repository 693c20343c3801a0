"""MuJoCo's `dcmotor` attributes (lists of numbers) as fields of a motor.

A value is a list, or the text of the attribute in an MJCF file. All values are in SI units except temperatures, which
are in degrees Celsius. MuJoCo has one motor constant, the mean sqrt(Kt Ke), and one heat capacity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

from gearwright.files.size_limits import number_length_problem

FieldDict = dict[str, Any]


def attribute_numbers(word: str, value: Any, most: int) -> list[float] | None:
    """Return the numbers of an attribute, padded with zeros; None for a value of a Gearwright field.

    >>> attribute_numbers("lugre", "300 1 0.5", 5)
    [300.0, 1.0, 0.5, 0.0, 0.0]

    Raises:
        ValueError: too many numbers, or something that is not a number.
    """
    items = value.split() if isinstance(value, str) else value
    if not isinstance(items, list):
        return None
    for x in items:
        if isinstance(x, str) and (reason := number_length_problem(x)) is not None:
            raise ValueError(f"{word}: {reason}")
    try:
        parsed = [float(x) for x in items]
    except (TypeError, ValueError):
        if isinstance(value, str):
            return None  # a number with a unit
        raise ValueError(_not_numbers_message(word, value)) from None
    if len(parsed) > most:
        raise ValueError(f"{word} has {len(parsed)} numbers, MuJoCo's dcmotor has at most {most}. Remove some.")
    return parsed + [0.0] * (most - len(parsed))


def _not_numbers_message(word: str, value: Any) -> str:
    return f"{word} {str(value)[:60]!r} is not a list of numbers as in MuJoCo's dcmotor. Give numbers."


def _from_motorconst(words: FieldDict, kt: float, ke: float) -> FieldDict:
    if kt < 0 or ke < 0:
        raise ValueError(f"motorconst {kt:g} {ke:g} is negative. Give positive constants.")
    constant = sqrt(kt * ke) if kt > 0 and ke > 0 else max(kt, ke)
    return {"torque_constant": constant} if constant else {}


def _from_nominal(words: FieldDict, voltage: float, stall_torque: float, no_load_speed: float) -> FieldDict:
    if min(voltage, stall_torque, no_load_speed) <= 0:
        raise ValueError("nominal needs voltage, stall torque and no-load speed, all positive. Give all three.")
    constant = voltage / no_load_speed
    return {"torque_constant": constant, "resistance": constant * voltage / stall_torque}


def _from_inductance(words: FieldDict, inductance: float, time_constant: float) -> FieldDict:
    if not inductance and time_constant:
        resistance = words.get("resistance")
        if not isinstance(resistance, int | float):
            raise ValueError("inductance as a time constant needs the resistance as a plain number. Give it.")
        inductance = time_constant * resistance
    return {"inductance": inductance} if inductance else {}


def _from_saturation(words: FieldDict, torque: float, current: float, current_rate: float) -> FieldDict:
    limit = {"max_torque": torque} if torque else {"max_current": current}
    return {word: x for word, x in (limit | {"max_current_rate": current_rate}).items() if x}


def _from_cogging(words: FieldDict, amplitude: float, poles: float, phase: float) -> FieldDict:
    return {"cogging": {"amplitude": amplitude, "periods": poles, "phase": phase}} if amplitude else {}


def _from_thermal(
    words: FieldDict,
    resistance: float,
    capacity: float,
    time: float,
    coefficient: float,
    reference: float,
    ambient: float,
) -> FieldDict:
    if not any((resistance, capacity, time)):
        return {}
    if not resistance and capacity:
        resistance = time / capacity
    if time and resistance:
        capacity = time / resistance
    if not resistance or not capacity:
        raise ValueError("thermal needs two of resistance, capacitance and time constant. Give two of them.")
    celsius = {"reference": reference, "ambient": ambient}
    return {"heat": {"winding_housing": resistance, "winding_capacity": capacity, "copper": coefficient, **celsius}}


def _from_lugre(
    words: FieldDict, stiffness: float, damping: float, coulomb: float, static: float, stribeck_speed: float
) -> FieldDict:
    if not stiffness:
        return {}
    friction = {"stiffness": stiffness, "damping": damping, "coulomb": coulomb}
    if static > coulomb:
        friction |= {"static": static} | ({"stribeck_speed": stribeck_speed} if stribeck_speed else {})
    return {"friction": friction}


def _from_controller(
    words: FieldDict, kp: float, ki: float, kd: float, slew: float, integral: float, voltage: float
) -> FieldDict:
    return {"max_voltage": voltage} if voltage else {}


def _from_armature(words: FieldDict, armature: float) -> FieldDict:
    return {"inertia": armature, "coupling": 0.0}


DCMOTOR_ATTRIBUTES: dict[str, tuple[int, Callable[..., FieldDict]]] = {
    "nominal": (3, _from_nominal),
    "motorconst": (2, _from_motorconst),
    "inductance": (2, _from_inductance),
    "saturation": (3, _from_saturation),
    "cogging": (3, _from_cogging),
    "thermal": (6, _from_thermal),
    "lugre": (5, _from_lugre),
    "controller": (6, _from_controller),
    "armature": (1, _from_armature),
}
"""The number of values of each attribute and its conversion; for the same field, later ones take precedence."""
FOREIGN_ATTRIBUTES = tuple(word for word in DCMOTOR_ATTRIBUTES if word not in ("inductance", "cogging"))
"""Attributes that are not Gearwright fields."""


def from_dcmotor(words: Mapping[str, Any]) -> tuple[FieldDict, list[str]]:
    """Return the fields of a motor with MuJoCo's attributes converted, and notes on each conversion.

    >>> from_dcmotor({"motorconst": [0.05, 0.05], "resistance": 2, "inductance": [0, 0.001]})[0]
    {'torque_constant': 0.05, 'inductance': 0.002, 'resistance': 2}

    Raises:
        ValueError: an attribute that MuJoCo rejects as well.
    """
    unconverted, converted = dict(words), FieldDict()
    notes: list[str] = []
    if "input" in unconverted:
        notes.append(f"input {unconverted.pop('input')!r} belongs to a controller, not to the motor, and was ignored")
    for word, (count, convert) in DCMOTOR_ATTRIBUTES.items():
        values = _attribute_values(word, words.get(word), count)
        if values is None:
            continue
        del unconverted[word]
        motor_fields = convert({**converted, **unconverted}, *values)
        converted |= motor_fields
        notes.append(
            f"{word} {_numbers_text(values)} read as {motor_fields or 'nothing'}" + _unread_attribute_note(word, values)
        )
    return {**converted, **unconverted}, notes


def dcmotor_schema() -> dict[str, Any]:
    """Return the JSON Schema of each attribute in robot files."""
    schema: dict[str, Any] = {}
    for word, (count, convert) in DCMOTOR_ATTRIBUTES.items():
        names = ", ".join(convert.__code__.co_varnames[1 : count + 1]).replace("_", " ")
        array = {"type": "array", "items": {"type": "number"}, "minItems": 1, "maxItems": count}
        forms: list[Any] = [array, {"type": "string"}, *([{"type": "number"}] if word in FOREIGN_ATTRIBUTES else [])]
        schema[word] = {"anyOf": forms, "description": f"as in MuJoCo's dcmotor: {names}"}
    return schema | {"input": {"type": "string", "description": "as in MuJoCo's dcmotor; ignored"}}


def _attribute_values(word: str, value: Any, count: int) -> list[float] | None:
    if value is None:
        return None
    if word in FOREIGN_ATTRIBUTES and isinstance(value, int | float) and not isinstance(value, bool):
        value = [value]
    values = attribute_numbers(word, value, count)
    if values is None and word in FOREIGN_ATTRIBUTES:
        raise ValueError(_not_numbers_message(word, value))
    return values


def _numbers_text(values: list[float]) -> str:
    return " ".join(f"{x:g}" for x in values)


def _unread_attribute_note(word: str, values: list[float]) -> str:
    if word == "controller" and any(values[:5]):
        return "; its gains belong to a controller, not to the motor, and were ignored"
    if word == "motorconst" and 0 < min(values) < max(values):
        return "; Kt and Ke are replaced by their geometric mean, as in MuJoCo"
    return ""


def dcmotor_notes(root: Any) -> list[str]:
    """Return notes on the conversion of all motors of a robot file with MuJoCo's attributes."""
    notes: list[str] = []
    data = root if isinstance(root, dict) else {}
    drives = [(entry, entry.get("name") or entry.get("joint")) for entry in _mapping_entries(data.get("drives"))]
    trains = _mapping_entries(data.get("trains"))
    motors = [(entry, entry.get("name")) for train in trains for entry in _mapping_entries(train.get("motors"))]
    for entry, name in [*drives, *motors]:
        if isinstance(entry.get("motor"), dict):
            notes += [f"motor of {name!r}: {note}" for note in _motor_notes(entry["motor"])]
    return notes


def _mapping_entries(items: Any) -> list[FieldDict]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _motor_notes(motor: FieldDict) -> list[str]:
    try:
        return from_dcmotor(motor)[1]
    except ValueError:
        return []  # already reported as a problem
