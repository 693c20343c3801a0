"""Parameter paths: the words of a robot file, joined by dots, name every number of a robot.

`shoulder.motor.inertia`, `elbow.gear.ratio`, `payload.mass`, `upper.mass`, `upper.com.x`, `upper.inertia.xz`,
`elbow.damping`, `tool.position.z`, `gravity.z`, `supply.voltage`: a drive is named by its joint, a number of a link by
the link. In a train wheels and motors go by name, meshes by number: `gears.wheels.w4.inertia`, `gears.meshes.0.ratio`.
Surfaces that are touched, passive springs and tendons go by name: `wall.friction`, `wall.surface.point.x`.
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

ELEMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")
DRIVE_WORDS = ("motor", "gear", "axis", "supply", "current_control")
TRAIN_WORDS = ("wheels", "meshes", "motors")
SURROUNDINGS = ("environment", "springs", "tendons")
JOINT_WORDS = ("armature", "damping", "friction", "limits", "position", "spring", "pitch")


@check_arguments
def parameter(robot: Robot, path: str) -> Scalar:
    """The number at a path.

    >>> from gearwright.parts import Drive, Gear, Link, Motor
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", Motor(1e-4), Gear(100))])
    >>> parameter(arm, "upper.motor.inertia"), parameter(arm, "upper.com.x")
    (0.0001, 0.2)
    """
    place = _locate(robot, path)
    value = number_at(path, place.value, place.words)
    if value is None:
        raise InputError(_no_value(path))
    return value


@check_arguments
def with_parameters(robot: Robot, values: Mapping[str, Scalar]) -> Robot:
    """The robot with other numbers at the paths; the numbers may be scalars of any kind, symbols too.

    >>> from gearwright.parts import Link
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))])
    >>> with_parameters(arm, {"upper.mass": 3, "upper.com.x": 0.25}).link("upper").com
    (0.25, 0, 0)
    """
    for path, scalar in values.items():
        place = _locate(robot, path)
        robot = place.replaced(changed_at(path, place.value, place.words, scalar))
    return robot


def number_at(path: str, part: Any, words: Sequence[str]) -> Scalar | None:
    """The number of a part (any dataclass) at the end of the words, None where it is left open."""
    for word in words:
        part = _step(path, part, word)
    return None if part is None else _scalar(path, part)


@dataclass(frozen=True)
class _Place:
    """A part of a robot, the words of the path inside it, and how to put a changed part back."""

    value: Any
    words: Sequence[str]
    replaced: Callable[[Any], Robot]


def _locate(robot: Robot, path: str) -> _Place:
    words = path.split(".") if isinstance(path, str) else []
    if len(words) < 2:
        raise InputError(f"{path!r} is not a parameter path. Join words by dots, as in 'shoulder.motor.inertia'.")
    if words[0] == "payload" and robot.payload is not None:
        return _Place(robot.payload, words[1:], lambda fresh: replace(robot, payload=fresh))
    if words[0] == "supply" and robot.supply is not None:
        return _Place(robot.supply, words[1:], lambda fresh: replace(robot, supply=fresh))
    if words[0] == "gravity":
        return _Place(robot.gravity, words[1:], lambda fresh: replace(robot, gravity=fresh))
    # Names may contain dots: the longest name that fits wins.
    for count in range(len(words) - 1, 0, -1):
        found = _part(robot, ".".join(words[:count]), words[count:])
        if found is not None:
            return found
    raise InputError(_unknown(robot, path, words))


def _part(robot: Robot, name: str, words: Sequence[str]) -> _Place | None:
    """The drive, train, joint, link or frame of that name that has the first word."""
    if words[0] in TRAIN_WORDS:
        return _among(robot, "trains", [t.name == name for t in robot.trains], words)
    if words[0] in DRIVE_WORDS:
        return _among(robot, "drives", [d.title == name for d in robot.drives], words)
    if words[0] in JOINT_WORDS:
        place = _among(robot, "links", [k.joint_name == name for k in robot.links], ["joint", *words])
        place = place or _among(robot, "frames", [f.name == name for f in robot.frames], words)
    else:
        place = _among(robot, "links", [k.name == name for k in robot.links], words)
    return place or _surrounding(robot, name, words)


def _surrounding(robot: Robot, name: str, words: Sequence[str]) -> _Place | None:
    """The surface, passive spring or tendon of that name."""
    for kind in SURROUNDINGS:
        place = _among(robot, kind, [part.name == name for part in getattr(robot, kind)], words)
        if place is not None:
            return place
    return None


def _among(robot: Robot, kind: str, hits: Sequence[bool], words: Sequence[str]) -> _Place | None:
    if True not in hits:
        return None
    index, parts = hits.index(True), getattr(robot, kind)

    def replaced(fresh: Any) -> Robot:
        changed: dict[str, Any] = {kind: (*parts[:index], fresh, *parts[index + 1 :])}
        return replace(robot, **changed)

    return _Place(parts[index], words, replaced)


def _unknown(robot: Robot, path: str, words: Sequence[str]) -> str:
    if words[0] == "payload":
        return f"parameter {path!r}: robot {robot.name!r} carries no payload. Add one with robot.with_payload(...)."
    drives = [d.title for d in robot.drives]
    names = [k.name for k in robot.links] + drives + [t.name for t in robot.trains]
    names += [part.name for kind in SURROUNDINGS for part in getattr(robot, kind)]
    joints = [k.joint_name for k in robot.links]
    if words[0] in (*names, *joints) and words[1] not in DRIVE_WORDS:
        parts = (*DRIVE_WORDS, *JOINT_WORDS, "mass", "com", "inertia")
        return f"parameter {path!r}: {words[0]!r} has no {words[1]!r}. {did_you_mean(words[1], parts)}"
    known = drives if words[-2:-1] and words[1] in DRIVE_WORDS else names
    return f"parameter {path!r}: robot {robot.name!r} has no {words[0]!r}. {did_you_mean(words[0], known)}"


def _no_value(path: str) -> str:
    return f"parameter {path!r} has no value in this robot. Give it one in the robot first."


def _step(path: str, value: Any, word: str) -> Any:
    """One word further in."""
    if value is None:
        raise InputError(_no_value(path))
    if is_dataclass(value):
        return getattr(value, _known(path, word, [f.name for f in fields(value)]))
    rows = _rows(value)
    if rows is not None:
        return getattr(Tensor.of(rows), _known(path, word, ELEMENTS))
    members = _members(value)
    return members[_known(path, word, members)]


def changed_at(path: str, part: Any, words: Sequence[str], scalar: Scalar) -> Any:
    """A part (any dataclass, vector, mapping or list of parts) with the scalar at the end of the words."""
    if not words:
        if part is not None:
            _scalar(path, part)
        return scalar
    word, rest = words[0], words[1:]
    fresh = changed_at(path, _step(path, part, word), rest, scalar)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{word: fresh})
    if isinstance(part, Mapping):
        return {**part, word: fresh}
    rows = _rows(part)
    if rows is not None:
        old = dict(zip(ELEMENTS, Tensor.of(rows), strict=True))
        return Tensor(**{**old, word: fresh}).rows()
    return tuple(fresh if name == word else old for name, old in _members(part).items())


def _members(value: Any) -> dict[str, Any]:
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


def _rows(value: Any) -> Any:
    """The rows of a symmetric matrix, or None for anything else."""
    if isinstance(value, Tensor | Rot):
        return value.rows()
    if isinstance(value, Sequence | np.ndarray) and len(value) == 3 and not _has_parts(value):
        nested = [isinstance(row, Sequence | np.ndarray | Vec) and not isinstance(row, str) for row in value]
        return value if all(nested) and np.ndim(value[0]) in (0, 1) and len(tuple(value[0])) == 3 else None
    return None


def _known(path: str, word: str, known: Iterable[str]) -> str:
    names = list(known)
    if word not in names:
        hint = did_you_mean(word, names) if names else "It is a number already."
        raise InputError(f"parameter {path!r}: there is no {word!r} there. {hint}")
    return word


def _scalar(path: str, value: Any) -> Scalar:
    if isinstance(value, str | bool | Sequence | Vec | Rot | Tensor | np.ndarray) or is_dataclass(value):
        raise InputError(f"parameter {path!r} is not a number but {value!r}. Name a number inside it, or another word.")
    return value
