"""Parameter paths: the keys of a robot file, joined by dots, identify every number of a robot.

`shoulder.motor.inertia`, `elbow.gear.ratio`, `payload.mass`, `upper.mass`, `upper.com.x`, `upper.inertia.xz`,
`elbow.damping`, `tool.position.z`, `gravity.z`, `supply.voltage`: a drive is identified by its joint, a number of a
link by the link. In a train, wheels and motors are identified by name, meshes by number: `gears.wheels.w4.inertia`,
`gears.meshes.0.ratio`. Contact surfaces, passive springs and tendons are identified by name: `wall.friction`,
`wall.surface.point.x`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from gearwright.algebra import Rot, Scalar, Tensor, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.parts.robot import Robot
from gearwright.text import did_you_mean

TENSOR_ELEMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")
DRIVE_FIELDS = ("motor", "gear", "axis", "supply", "current_control")
TRAIN_FIELDS = ("wheels", "meshes", "motors")
SURROUNDING_LISTS = ("environment", "springs", "tendons")
COUNT_ANNOTATIONS = ("int", "int | None")
"""Annotations of fields that are counts; sweeps and searches hold all numbers as floats."""
JOINT_FIELDS = ("armature", "damping", "friction", "limits", "position", "spring", "pitch")


@check_arguments
def parameter(robot: Robot, path: str) -> Scalar:
    """Return the parameter at a path.

    >>> from gearwright.parts import Drive, Gear, Link, Motor
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", Motor(1e-4), Gear(100))])
    >>> parameter(arm, "upper.motor.inertia"), parameter(arm, "upper.com.x")
    (0.0001, 0.2)
    """
    place = _locate_part(robot, path)
    value = number_at_path(path, place.value, place.words)
    if value is None:
        raise InputError(_no_value_message(path))
    return value


@check_arguments
def with_parameters(robot: Robot, values: Mapping[str, Scalar]) -> Robot:
    """Return the robot with new values at the paths; values may be generic scalars, including symbols.

    >>> from gearwright.parts import Link
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))])
    >>> with_parameters(arm, {"upper.mass": 3, "upper.com.x": 0.25}).link("upper").com
    (0.25, 0, 0)
    """
    for path, scalar in values.items():
        place = _locate_part(robot, path)
        robot = place.replace_part(with_number_at(path, place.value, place.words, scalar))
    return robot


def number_at_path(path: str, part: Any, words: Sequence[str]) -> Scalar | None:
    """Return the number of a part (any dataclass) at the end of the keys; None if it is not set."""
    for word in words:
        part = _child_value(path, part, word)
    return None if part is None else _require_scalar(path, part)


@dataclass(frozen=True)
class _PartLocation:
    """A part of a robot, the keys of the path inside it, and a function that returns the robot with a changed part."""

    value: Any
    words: Sequence[str]
    replace_part: Callable[[Any], Robot]


def _locate_part(robot: Robot, path: str) -> _PartLocation:
    words = path.split(".") if isinstance(path, str) else []
    if len(words) < 2:
        raise InputError(f"{path!r} is not a parameter path. Join keys by dots, as in 'shoulder.motor.inertia'.")
    if words[0] == "payload" and robot.payload is not None:
        return _PartLocation(robot.payload, words[1:], lambda fresh: replace(robot, payload=fresh))
    if words[0] == "supply" and robot.supply is not None:
        return _PartLocation(robot.supply, words[1:], lambda fresh: replace(robot, supply=fresh))
    if words[0] == "gravity":
        return _PartLocation(robot.gravity, words[1:], lambda fresh: replace(robot, gravity=fresh))
    # Names may contain dots: the longest matching name is used.
    for count in range(len(words) - 1, 0, -1):
        location = _named_part(robot, ".".join(words[:count]), words[count:])
        if location is not None:
            return location
    raise InputError(_unknown_path_message(robot, path, words))


def _named_part(robot: Robot, name: str, words: Sequence[str]) -> _PartLocation | None:
    """The drive, train, joint, link or frame of that name that has the first key."""
    if words[0] in TRAIN_FIELDS:
        return _part_in_list(robot, "trains", [t.name == name for t in robot.trains], words)
    if words[0] in DRIVE_FIELDS:
        return _part_in_list(robot, "drives", [d.title == name for d in robot.drives], words)
    if words[0] in JOINT_FIELDS:
        place = _part_in_list(robot, "links", [k.joint_name == name for k in robot.links], ["joint", *words])
        place = place or _part_in_list(robot, "frames", [f.name == name for f in robot.frames], words)
    else:
        place = _part_in_list(robot, "links", [k.name == name for k in robot.links], words)
    return place or _surrounding_part(robot, name, words)


def _surrounding_part(robot: Robot, name: str, words: Sequence[str]) -> _PartLocation | None:
    """The surface, passive spring or tendon of that name."""
    for kind in SURROUNDING_LISTS:
        place = _part_in_list(robot, kind, [part.name == name for part in getattr(robot, kind)], words)
        if place is not None:
            return place
    return None


def _part_in_list(robot: Robot, kind: str, hits: Sequence[bool], words: Sequence[str]) -> _PartLocation | None:
    if True not in hits:
        return None
    index, parts = hits.index(True), getattr(robot, kind)

    def with_replacement(fresh: Any) -> Robot:
        changed: dict[str, Any] = {kind: (*parts[:index], fresh, *parts[index + 1 :])}
        return replace(robot, **changed)

    return _PartLocation(parts[index], words, with_replacement)


def _unknown_path_message(robot: Robot, path: str, words: Sequence[str]) -> str:
    if words[0] == "payload":
        return f"parameter {path!r}: robot {robot.name!r} has no payload. Add one with robot.with_payload(...)."
    drives = [d.title for d in robot.drives]
    names = [k.name for k in robot.links] + drives + [t.name for t in robot.trains]
    names += [part.name for kind in SURROUNDING_LISTS for part in getattr(robot, kind)]
    joints = [k.joint_name for k in robot.links]
    if words[0] in (*names, *joints) and words[1] not in DRIVE_FIELDS:
        parts = (*DRIVE_FIELDS, *JOINT_FIELDS, "mass", "com", "inertia")
        return f"parameter {path!r}: {words[0]!r} has no {words[1]!r}. {did_you_mean(words[1], parts)}"
    candidates = drives if words[-2:-1] and words[1] in DRIVE_FIELDS else names
    return f"parameter {path!r}: robot {robot.name!r} has no {words[0]!r}. {did_you_mean(words[0], candidates)}"


def _no_value_message(path: str) -> str:
    return f"parameter {path!r} has no value in this robot. Give it one in the robot first."


def _child_value(path: str, value: Any, word: str) -> Any:
    """Return the value at one key of a part."""
    if value is None:
        raise InputError(_no_value_message(path))
    if is_dataclass(value):
        return getattr(value, _require_known_word(path, word, [f.name for f in fields(value)]))
    rows = _tensor_rows(value)
    if rows is not None:
        return getattr(Tensor.from_rows(rows), _require_known_word(path, word, TENSOR_ELEMENTS))
    members = _named_members(value)
    return members[_require_known_word(path, word, members)]


def with_number_at(path: str, part: Any, words: Sequence[str], scalar: Scalar) -> Any:
    """Return a part (any dataclass, vector, mapping or list of parts) with the scalar at the end of the keys."""
    if not words:
        if part is not None:
            _require_scalar(path, part)
        return scalar
    word, remaining = words[0], words[1:]
    fresh = with_number_at(path, _child_value(path, part, word), remaining, scalar)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{word: _whole_if_count(part, word, fresh)})
    if isinstance(part, Mapping):
        return {**part, word: fresh}
    rows = _tensor_rows(part)
    if rows is not None:
        old = dict(zip(TENSOR_ELEMENTS, Tensor.from_rows(rows), strict=True))
        return Tensor(**{**old, word: fresh}).rows()
    return tuple(fresh if name == word else old for name, old in _named_members(part).items())


def is_count(robot: Robot, path: str) -> bool:
    """Whether the parameter is a count, such as a number of planets or teeth: an integer, never a symbol."""
    place = _locate_part(robot, path)
    part = place.value
    for word in place.words[:-1]:
        part = _child_value(path, part, word)
    return is_dataclass(part) and _is_count_field(part, place.words[-1])


def _is_count_field(part: Any, word: str) -> bool:
    return any(f.name == word and f.type in COUNT_ANNOTATIONS for f in fields(part))


def _whole_if_count(part: Any, word: str, value: Any) -> Any:
    """Return the value as an integer if the field is a count and the value is whole."""
    return int(value) if isinstance(value, float) and value.is_integer() and _is_count_field(part, word) else value


def _named_members(value: Any) -> dict[str, Any]:
    """The named members of a vector (x, y, z), a mapping, or a sequence of parts (by name, else by number)."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Vec) or (
        isinstance(value, Sequence | np.ndarray) and len(value) == 3 and not _has_parts(value)
    ):
        return dict(zip("xyz", value, strict=True))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {str(getattr(part, "name", index)): part for index, part in enumerate(value)}
    return {}


def _has_parts(value: Iterable[Any]) -> bool:
    return any(is_dataclass(part) for part in value)


def _tensor_rows(value: Any) -> Any:
    """The rows of a symmetric matrix, or None for anything else."""
    if isinstance(value, Tensor | Rot):
        return value.rows()
    if isinstance(value, Sequence | np.ndarray) and len(value) == 3 and not _has_parts(value):
        return value if all(_is_row(row) for row in value) and len(tuple(value[0])) == 3 else None
    return None


def _is_row(row: Any) -> bool:
    """Whether it is a vector of scalars of any kind."""
    if isinstance(row, Vec):
        return True
    return isinstance(row, Sequence | np.ndarray) and not any(isinstance(x, Sequence | np.ndarray) for x in row)


def _require_known_word(path: str, word: str, choices: Iterable[str]) -> str:
    names = list(choices)
    if word not in names:
        hint = did_you_mean(word, names) if names else "The path already ends at a number."
        raise InputError(f"parameter {path!r}: key {word!r} does not exist. {hint}")
    return word


def _require_scalar(path: str, value: Any) -> Scalar:
    if isinstance(value, str | bool | Sequence | Vec | Rot | Tensor | np.ndarray) or is_dataclass(value):
        raise InputError(f"parameter {path!r} is {value!r}, not a number. Extend the path to a number inside it.")
    return value
