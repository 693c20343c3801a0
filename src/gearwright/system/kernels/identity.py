"""What tells a machine with its laws from every other one, so that a cache can know its machine code.

Laws of this package are data: classes, numbers and words say all about them. A law of a user's own, or one that holds a
function, has no identity: its machine code is known by its operations alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from gearwright.algebra import Rot, Vec
from gearwright.system.system import System
from gearwright.tracing.recipe import Recipe

PLAIN = (str, int, float, bool, type(None), bytes)


class NoIdentityError(Exception):
    """Something that is not told by its data."""


def identity_of(system: System) -> str | None:
    """The machine and its laws, exactly: every number to the last digit; None where data do not tell.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> one, other = (System(gw.assemble(arm), gw.laws(arm)) for _ in range(2))
    >>> identity_of(one) == identity_of(other)
    True
    """
    try:
        return "".join((Recipe("", system.mech).identity(), *_told(system.laws)))
    except NoIdentityError:
        return None


def _told(value: Any) -> Iterator[str]:
    if isinstance(value, PLAIN):
        yield f"{value!r},"
    elif isinstance(value, np.generic | np.ndarray):
        yield f"{value.tolist()!r},"
    elif isinstance(value, Mapping):
        yield from _members("{", [x for pair in value.items() for x in pair])
    elif isinstance(value, tuple | list):
        yield from _members(type(value).__name__, value)
    elif isinstance(value, Rot | Vec):
        yield f"{value!r},"
    elif is_dataclass(value) and _ours(type(value)):
        own = [getattr(value, field.name) for field in fields(value)]
        yield from _members(f"{type(value).__module__}.{type(value).__qualname__}", own)
    elif isinstance(value, Enum) and _ours(type(value)):
        yield f"{value!r},"
    else:
        raise NoIdentityError(type(value))


def _members(title: str, values: Any) -> Iterator[str]:
    yield f"{title}("
    for value in values:
        yield from _told(value)
    yield "),"


def _ours(kind: type) -> bool:
    return kind.__module__.startswith("gearwright.")
