"""Numbers of laws named by paths, such as `elbow.friction.coulomb` or `elbow.stops.upper`, and replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from gearwright.algebra import Scalar, is_number
from gearwright.arrays import Array
from gearwright.errors import GearwrightError, InputError
from gearwright.forces.law import Law
from gearwright.text import did_you_mean


def law_of(laws: Sequence[Law], path: str) -> tuple[int, tuple[str, ...]] | None:
    """The number of the law that a path names, and its words there; None where no law has such a number.

    The first word after the law's name is one of its own fields, or of a part that it holds: `elbow.friction.coulomb`
    is the field `coulomb` of the law's `friction`. Numbers choose from a sequence (`elbow.gear.table.0.efficiency`).
    """
    for k, law in enumerate(laws):
        if path.startswith(f"{law.name}.") and is_dataclass(law):
            words = _found(law, tuple(path[len(law.name) + 1 :].split(".")))
            if words is not None:
                return k, words
    return None


def _found(part: Any, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """The words of a number within a part, with the part's own parts that may be left out put in."""
    if _number_at(part, words):
        return words
    if not is_dataclass(part):
        return None
    inner = [(one.name, getattr(part, one.name)) for one in fields(part) if is_dataclass(getattr(part, one.name))]
    return next(((name, *words) for name, value in inner if _number_at(value, words)), None)


def _number_at(part: Any, words: Sequence[str]) -> bool:
    for word in words:
        try:
            part = _inside(part, word)
        except (AttributeError, IndexError, ValueError):
            return False
    return part is None or (is_number(part) and not isinstance(part, bool))


def _inside(part: Any, word: str) -> Any:
    if isinstance(part, tuple) and not hasattr(part, "_fields"):
        return part[int(word)]
    if not is_dataclass(part) or word not in {one.name for one in fields(part)}:
        raise AttributeError(word)
    return getattr(part, word)


def laws_with(laws: Sequence[Law], values: Mapping[str, Scalar]) -> tuple[Law, ...]:
    """The laws with other numbers (of any kind) at the paths; numbers are checked as by the laws themselves."""
    fresh = list(laws)
    for path, value in values.items():
        found = law_of(laws, path)
        if found is None:
            raise InputError(f"no law has the parameter {path!r}. {did_you_mean(path, [law.name for law in laws])}")
        k, words = found
        fresh[k] = _with(fresh[k], words, value)
    return tuple(fresh)


def _with(part: Any, words: Sequence[str], value: Scalar) -> Any:
    if not words:
        return value
    inner = _with(_inside(part, words[0]), words[1:], value)
    if isinstance(part, tuple):
        place = int(words[0])
        return (*part[:place], inner, *part[place + 1 :])
    if is_number(value):
        return replace(part, **{words[0]: inner})
    copy = object.__new__(type(part))  # a symbol stands for numbers that are checked one by one
    for one in fields(part):
        object.__setattr__(copy, one.name, inner if one.name == words[0] else getattr(part, one.name))
    return copy


def require_numbers(laws: Sequence[Law], paths: Sequence[str], rows: Array) -> None:
    """Refuse numbers (N, paths) that a law does not take, and say of which member of a batch they are."""
    alike, first = np.unique(rows, axis=0, return_index=True)
    for row, k in zip(alike.tolist(), first.tolist(), strict=True):
        try:
            laws_with(laws, dict(zip(paths, row, strict=True)))
        except GearwrightError as error:
            raise InputError(f"rollout: {error} (state {k} of the batch)") from None
