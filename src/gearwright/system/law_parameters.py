"""Parameters of laws and controllers by path, such as `elbow.friction.coulomb` or `pd.kp.0`, and their replacement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from gearwright.algebra import Scalar, is_number
from gearwright.arrays import Array
from gearwright.errors import GearwrightError, InputError
from gearwright.forces import Quantity
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.text import did_you_mean
from gearwright.tracing.parameters import nominal_value


class ParametricLaw(Protocol):
    """A force law or a control law: a frozen dataclass of numbers and parts, with a name and states."""

    @property
    def name(self) -> str:
        """Its name, the first word of its paths."""

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states."""


AnyLaw = TypeVar("AnyLaw", bound=ParametricLaw)


class NamedNumbers(dict[str, Scalar]):
    """Numbers by name as a part of a law, which can be a key of caches; they do not change."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))


def find_parameter(laws: Sequence[ParametricLaw], path: str) -> tuple[int, tuple[str, ...]] | None:
    """The index of the law that a path names, and the fields within it; None if no law has such a parameter.

    The first word after the law's name is one of its fields, or of a part in it: `elbow.friction.coulomb` is the field
    `coulomb` of the law's `friction`. Numbers index a sequence (`elbow.gear.table.0.efficiency`, `pd.kp.0`), names the
    parameters of a controller.
    """
    for k, law in enumerate(laws):
        if path.startswith(f"{law.name}.") and is_dataclass(law):
            words = _full_path(law, tuple(path[len(law.name) + 1 :].split(".")))
            if words is not None:
                return k, words
    return None


def _full_path(part: Any, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """The full field path of a number within a part, with omitted inner parts inserted."""
    if _number_at(part, words):
        return words
    if not is_dataclass(part):
        return None
    members = [(entry.name, getattr(part, entry.name)) for entry in fields(part)]
    inner = [(name, value) for name, value in members if is_dataclass(value) or isinstance(value, NamedNumbers)]
    return next(((name, *words) for name, value in inner if _number_at(value, words)), None)


def _number_at(part: Any, words: Sequence[str]) -> bool:
    for word in words:
        try:
            part = _member(part, word)
        except (AttributeError, IndexError, KeyError, ValueError):
            return False
    return part is None or (is_number(part) and not isinstance(part, bool))


def _member(part: Any, word: str) -> Any:
    if isinstance(part, tuple) and not hasattr(part, "_fields"):
        return part[_index(word)]
    if isinstance(part, NamedNumbers):
        return part[word]
    if not is_dataclass(part) or word not in {entry.name for entry in fields(part)}:
        raise AttributeError(word)
    return getattr(part, word)


def _index(word: str) -> int:
    """The index that a word of a path states; ValueError for any other word, such as "-1"."""
    if not word.isdecimal():
        raise ValueError(word)
    return int(word)


def require_controller_parameters(source: RobotOrMech, law: ParametricLaw | None, paths: Iterable[str]) -> None:
    """Raise an error for a path of a control law without such a number, unless a robot or machine has it."""
    for path in paths:
        if law is None or not path.startswith(f"{law.name}.") or find_parameter((law,), path) is not None:
            continue
        try:
            nominal_value(source, path)
        except InputError:
            raise InputError(
                f"parameter {path!r}: controller {law.name!r} has no such number. "
                f"{did_you_mean(path, parameter_names(law))}"
            ) from None


def parameter_names(law: ParametricLaw) -> list[str]:
    """The shortest paths of all numbers of a law."""
    paths = [(f"{law.name}.{path}", f"{law.name}.{path.partition('.')[2]}") for path in _number_paths(law)]
    return [path if find_parameter((law,), shorter) is None else shorter for path, shorter in paths]


def _number_paths(part: Any) -> Iterator[str]:
    """The paths of all numbers within a part."""
    members: list[tuple[str, Any]] = []
    if isinstance(part, tuple) and not hasattr(part, "_fields"):
        members = [(str(k), x) for k, x in enumerate(part)]
    elif is_dataclass(part):
        members = [(entry.name, getattr(part, entry.name)) for entry in fields(part)]
    for name, value in members:
        if is_number(value) and not isinstance(value, bool):
            yield name
        elif isinstance(value, NamedNumbers):
            yield from value
        elif not isinstance(value, Mechanism):
            yield from (f"{name}.{path}" for path in _number_paths(value))


def law_parameter(laws: Sequence[ParametricLaw], path: str) -> float | None:
    """The number at a path; None if no law has it."""
    location = find_parameter(laws, path)
    if location is None:
        return None
    part: Any = laws[location[0]]
    for word in location[1]:
        part = _member(part, word)
    return None if part is None else float(part)


def with_law_parameters(laws: Sequence[AnyLaw], values: Mapping[str, Scalar]) -> tuple[AnyLaw, ...]:
    """The laws with other numbers (of any kind) at the paths; the laws check the numbers."""
    changed_laws = list(laws)
    for path, value in values.items():
        location = find_parameter(laws, path)
        if location is None:
            raise InputError(f"no law has the parameter {path!r}. {did_you_mean(path, [law.name for law in laws])}")
        k, words = location
        changed_laws[k] = _with_member(changed_laws[k], words, value)
        if not is_number(value) and changed_laws[k].states != laws[k].states:
            raise InputError(
                f"{path!r} cannot be varied: in law {laws[k].name!r} it is 0, which leaves out states that the law has "
                "otherwise. Give the law another number there; its variations may be 0."
            )
    return tuple(changed_laws)


def _with_member(part: Any, words: Sequence[str], value: Scalar) -> Any:
    if not words:
        return value
    inner = _with_member(_member(part, words[0]), words[1:], value)
    if isinstance(part, tuple):
        place = int(words[0])
        return (*part[:place], inner, *part[place + 1 :])
    if isinstance(part, NamedNumbers):
        return NamedNumbers({**part, words[0]: inner})
    if is_number(value):
        return replace(part, **{words[0]: inner})
    copy = object.__new__(type(part))  # a symbol: its numbers are checked individually
    for entry in fields(part):
        object.__setattr__(copy, entry.name, inner if entry.name == words[0] else getattr(part, entry.name))
    return copy


def require_numbers(laws: Sequence[ParametricLaw], paths: Sequence[str], rows: Array) -> None:
    """Raise an error for numbers (N, paths) that a law rejects, with the index in the batch."""
    distinct_rows, first = np.unique(rows, axis=0, return_index=True)
    for row, k in zip(distinct_rows.tolist(), first.tolist(), strict=True):
        try:
            with_law_parameters(laws, dict(zip(paths, row, strict=True)))
        except GearwrightError as error:
            raise InputError(f"rollout: {error} (state {k} of the batch)") from None
