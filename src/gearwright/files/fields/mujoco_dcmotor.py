"""MuJoCo's `dcmotor` attributes as words of a motor: each is a list of numbers there, and a word or a part here.

A value is a list, or the text of the attribute in an MJCF file. Everything is in SI units but temperatures, which are
in degrees Celsius there. MuJoCo has one motor constant, the mean sqrt(Kt Ke), and one body that gets warm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

from gearwright.files.size_limits import long_number

Words = dict[str, Any]


def numbers(word: str, value: Any, most: int) -> list[float] | None:
    """The numbers of an attribute, filled up with zeros; None for a value that is one of our own words.

    >>> numbers("lugre", "300 1 0.5", 5)
    [300.0, 1.0, 0.5, 0.0, 0.0]

    Raises:
        ValueError: too many numbers, or something that is not a number.
    """
    items = value.split() if isinstance(value, str) else value
    if not isinstance(items, list):
        return None
    for x in items:
        if isinstance(x, str) and (reason := long_number(x)) is not None:
            raise ValueError(f"{word}: {reason}")
    try:
        found = [float(x) for x in items]
    except (TypeError, ValueError):
        if isinstance(value, str):
            return None  # a number with a unit
        raise ValueError(_no_numbers(word, value)) from None
    if len(found) > most:
        raise ValueError(f"{word} has {len(found)} numbers, MuJoCo's dcmotor knows {most}. Remove some.")
    return found + [0.0] * (most - len(found))


def _no_numbers(word: str, value: Any) -> str:
    return f"{word} {str(value)[:60]!r} is not a list of numbers, as MuJoCo's dcmotor has them. Give numbers."


def _motorconst(words: Words, kt: float, ke: float) -> Words:
    if kt < 0 or ke < 0:
        raise ValueError(f"motorconst {kt:g} {ke:g} is negative. Give positive constants.")
    constant = sqrt(kt * ke) if kt > 0 and ke > 0 else max(kt, ke)
    return {"torque_constant": constant} if constant else {}


def _nominal(words: Words, voltage: float, stall_torque: float, no_load_speed: float) -> Words:
    if min(voltage, stall_torque, no_load_speed) <= 0:
        raise ValueError("nominal is voltage, stall torque and no-load speed, all positive. Give the three.")
    constant = voltage / no_load_speed
    return {"torque_constant": constant, "resistance": constant * voltage / stall_torque}


def _inductance(words: Words, inductance: float, time_constant: float) -> Words:
    if not inductance and time_constant:
        resistance = words.get("resistance")
        if not isinstance(resistance, int | float):
            raise ValueError("inductance as a time constant needs the resistance as a plain number. Give it.")
        inductance = time_constant * resistance
    return {"inductance": inductance} if inductance else {}


def _saturation(words: Words, torque: float, current: float, current_rate: float) -> Words:
    found = {"max_torque": torque} if torque else {"max_current": current}
    return {word: x for word, x in (found | {"max_current_rate": current_rate}).items() if x}


def _cogging(words: Words, amplitude: float, poles: float, phase: float) -> Words:
    return {"cogging": {"amplitude": amplitude, "periods": poles, "phase": phase}} if amplitude else {}


def _thermal(
    words: Words, resistance: float, capacity: float, time: float, coefficient: float, reference: float, ambient: float
) -> Words:
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


def _lugre(
    words: Words, stiffness: float, damping: float, coulomb: float, static: float, stribeck_speed: float
) -> Words:
    if not stiffness:
        return {}
    found = {"stiffness": stiffness, "damping": damping, "coulomb": coulomb}
    if static > coulomb:
        found |= {"static": static} | ({"stribeck_speed": stribeck_speed} if stribeck_speed else {})
    return {"friction": found}


def _controller(words: Words, kp: float, ki: float, kd: float, slew: float, integral: float, voltage: float) -> Words:
    return {"max_voltage": voltage} if voltage else {}


def _armature(words: Words, armature: float) -> Words:
    return {"inertia": armature, "coupling": 0.0}


ATTRIBUTES: dict[str, tuple[int, Callable[..., Words]]] = {
    "nominal": (3, _nominal),
    "motorconst": (2, _motorconst),
    "inductance": (2, _inductance),
    "saturation": (3, _saturation),
    "cogging": (3, _cogging),
    "thermal": (6, _thermal),
    "lugre": (5, _lugre),
    "controller": (6, _controller),
    "armature": (1, _armature),
}
"""Per attribute how many numbers it has and what they say; of the same word the later ones speak."""
FOREIGN = tuple(word for word in ATTRIBUTES if word not in ("inductance", "cogging"))
"""Attributes that are not words of ours."""


def from_dcmotor(words: Mapping[str, Any]) -> tuple[Words, list[str]]:
    """The words of a motor with MuJoCo's attributes turned into ours, and how each was read.

    >>> from_dcmotor({"motorconst": [0.05, 0.05], "resistance": 2, "inductance": [0, 0.001]})[0]
    {'torque_constant': 0.05, 'inductance': 0.002, 'resistance': 2}

    Raises:
        ValueError: an attribute that MuJoCo would not take either.
    """
    kept, found = dict(words), Words()
    notes: list[str] = []
    if "input" in kept:
        notes.append(f"input {kept.pop('input')!r} belongs to a controller, not to the motor, and was left out")
    for word, (count, convert) in ATTRIBUTES.items():
        values = _attribute(word, words.get(word), count)
        if values is None:
            continue
        del kept[word]
        ours = convert({**found, **kept}, *values)
        found |= ours
        notes.append(f"{word} {_plain(values)} read as {ours or 'nothing'}" + _lost(word, values))
    return {**found, **kept}, notes


def dcmotor_schema() -> dict[str, Any]:
    """What a robot file's JSON Schema says about each attribute."""
    schema: dict[str, Any] = {}
    for word, (count, convert) in ATTRIBUTES.items():
        names = ", ".join(convert.__code__.co_varnames[1 : count + 1]).replace("_", " ")
        array = {"type": "array", "items": {"type": "number"}, "minItems": 1, "maxItems": count}
        forms: list[Any] = [array, {"type": "string"}, *([{"type": "number"}] if word in FOREIGN else [])]
        schema[word] = {"anyOf": forms, "description": f"as in MuJoCo's dcmotor: {names}"}
    return schema | {"input": {"type": "string", "description": "as in MuJoCo's dcmotor; left out"}}


def _attribute(word: str, value: Any, count: int) -> list[float] | None:
    if value is None:
        return None
    if word in FOREIGN and isinstance(value, int | float) and not isinstance(value, bool):
        value = [value]
    values = numbers(word, value, count)
    if values is None and word in FOREIGN:
        raise ValueError(_no_numbers(word, value))
    return values


def _plain(values: list[float]) -> str:
    return " ".join(f"{x:g}" for x in values)


def _lost(word: str, values: list[float]) -> str:
    if word == "controller" and any(values[:5]):
        return "; its gains belong to a controller, not to the motor, and were left out"
    if word == "motorconst" and 0 < min(values) < max(values):
        return "; Kt and Ke are one number, their geometric mean, as in MuJoCo"
    return ""


def dcmotor_notes(root: Any) -> list[str]:
    """How every motor of a robot file that speaks MuJoCo's words was read."""
    notes: list[str] = []
    data = root if isinstance(root, dict) else {}
    drives = [(entry, entry.get("name") or entry.get("joint")) for entry in _entries(data.get("drives"))]
    trains = _entries(data.get("trains"))
    motors = [(entry, entry.get("name")) for train in trains for entry in _entries(train.get("motors"))]
    for entry, name in [*drives, *motors]:
        if isinstance(entry.get("motor"), dict):
            notes += [f"motor of {name!r}: {note}" for note in _notes(entry["motor"])]
    return notes


def _entries(items: Any) -> list[Words]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _notes(motor: Words) -> list[str]:
    try:
        return from_dcmotor(motor)[1]
    except ValueError:
        return []  # among the problems already
