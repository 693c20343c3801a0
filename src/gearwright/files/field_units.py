"""Units of robot parameters by their paths, from the fields of robot and task files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from gearwright.files.fields.basic import Unit
from gearwright.files.fields.robot import RobotWords
from gearwright.files.fields.task import TaskWords

FieldPath = tuple[str, ...]


def parameter_value(path: str, value: float | str) -> float:
    """The SI value of a parameter as a file states it: a plain number, or a text with a unit of its field.

    Args:
        path: of the parameter, as `gw.parts.with_parameters` takes it, or `task.` and a field of a task.
        value: a number in SI units (a temperature in degrees Celsius), or a number with a unit.

    >>> parameter_value("upper.section.outer", "30 mm"), parameter_value("elbow.gear.ratio", "50")
    (0.03, 50.0)

    Raises:
        ValueError: no number, or a unit of another dimension.
    """
    try:
        plain: Any = float(value)
    except ValueError:
        plain = value
    return Unit(*parameter_dimensions(path)).read(plain)


def parameter_dimensions(path: str) -> tuple[str, ...]:
    """The dimensions, keys of `UNITS`, that the field of a file at the end of a parameter's path may have.

    >>> parameter_dimensions("upper.section.width"), parameter_dimensions("upper.com.x")
    (('length',), ('length',))
    """
    words = path.split(".")
    while words:
        fields = {place: units for place, units in _dimensions().items() if place[-1] == words[-1]}
        inside = {place: units for place, units in fields.items() if set(words[1:]) <= set(place)}
        if fields:
            return tuple(sorted({unit for units in (inside or fields).values() for unit in units}))
        words.pop()  # an element, such as `x` of `com`
    return ("number",)


@cache
def _dimensions() -> dict[FieldPath, set[str]]:
    """Field of a file, by its path -> the dimensions it may have."""
    found: dict[FieldPath, set[str]] = {}
    for model in (RobotWords, TaskWords):
        for place, units in _fields(model, (), ()):
            found.setdefault(place, set()).update(units)
    return found


def _fields(model: type[BaseModel], place: FieldPath, above: tuple[type, ...]) -> Iterator[tuple[FieldPath, set[str]]]:
    for name, field in model.model_fields.items():
        kinds = list(_kinds((field.annotation, *field.metadata)))
        if units := {unit for kind in kinds if isinstance(kind, Unit) for unit in kind.dimensions}:
            yield (*place, name), units
        for kind in kinds:
            if isinstance(kind, type) and kind not in (model, *above):
                yield from _fields(kind, (*place, name), (model, *above))


def _kinds(annotations: tuple[Any, ...]) -> Iterator[Any]:
    """Units and models in annotations."""
    for kind in annotations:
        if isinstance(kind, Unit) or (isinstance(kind, type) and issubclass(kind, BaseModel)):
            yield kind
        else:
            yield from _kinds((*get_args(kind), *getattr(kind, "__metadata__", ())))
