"""The identity of a machine with its laws, as the cache key of its machine code.

Laws of this package are data: classes, numbers and strings define them. A user's law, or one that contains a function,
has no identity: its machine code is identified by its operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from gearwright.algebra import Rot, Vec
from gearwright.system.system import System
from gearwright.tracing.recipe import KernelRequest

PLAIN_TYPES = (str, int, float, bool, type(None), bytes)


class NoIdentityError(Exception):
    """An object that is not defined by its data."""


def identity_of(system: System) -> str | None:
    """The machine and its laws as a string, every number to the last digit; None if data do not define them.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> one, other = (System(gw.assemble(arm), gw.laws(arm)) for _ in range(2))
    >>> identity_of(one) == identity_of(other)
    True
    """
    try:
        return "".join((KernelRequest("", system.mech).exact_identity(), *_identity_parts(system.laws)))
    except NoIdentityError:
        return None


def _identity_parts(value: Any) -> Iterator[str]:
    if isinstance(value, PLAIN_TYPES):
        yield f"{value!r},"
    elif isinstance(value, np.generic | np.ndarray):
        yield f"{value.tolist()!r},"
    elif isinstance(value, Mapping):
        yield from _member_parts("{", [x for pair in value.items() for x in pair])
    elif isinstance(value, tuple | list):
        yield from _member_parts(type(value).__name__, value)
    elif isinstance(value, Rot | Vec):
        yield f"{value!r},"
    elif is_dataclass(value) and _is_own_type(type(value)):
        field_values = [getattr(value, field.name) for field in fields(value)]
        yield from _member_parts(f"{type(value).__module__}.{type(value).__qualname__}", field_values)
    elif isinstance(value, Enum) and _is_own_type(type(value)):
        yield f"{value!r},"
    else:
        raise NoIdentityError(type(value))


def _member_parts(title: str, values: Any) -> Iterator[str]:
    yield f"{title}("
    for value in values:
        yield from _identity_parts(value)
    yield "),"


def _is_own_type(kind: type) -> bool:
    return kind.__module__.startswith("gearwright.")
