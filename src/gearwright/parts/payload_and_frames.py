"""Payloads, named frames and named states (configurations such as home) of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gearwright.algebra import IDENTITY, ZERO, Scalar, is_number
from gearwright.errors import InputError


@dataclass(frozen=True)
class Payload:
    """A body fixed to a link.

    Args:
        mass: mass [kg].
        position: its centre of mass in the link's frame [m].
        link: the link that carries it; None: the last link of a chain.
        inertia: tensor about its centre of mass in link axes [kg m2], (3, 3); a point mass unless given.
    """

    mass: Scalar
    position: Any = ZERO
    link: str | None = None
    inertia: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Frame:
    """A named place on a link: a tool, a flange, a sensor."""

    name: str
    link: str
    position: Any = ZERO
    rotation: Any = IDENTITY


@dataclass(frozen=True)
class NamedState:
    """A configuration and speeds with a name; what is not mentioned is at its zero and at rest.

    Args:
        name: its name.
        q: per coordinate its value [rad, m]; a joint's name, `<joint>.x` and so on for free and spherical joints.
        v: per speed its value [rad/s, m/s]; `<joint>.vx` and so on, in body axes.

    >>> NamedState("home", {"shoulder": 0.5}).q["shoulder"]
    0.5
    """

    name: str
    q: Mapping[str, float] = field(default_factory=dict)
    v: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for word in ("q", "v"):
            given = getattr(self, word)
            if not isinstance(given, Mapping) or not all(is_number(x) for x in given.values()):
                raise InputError(f"state {self.name!r}: its {word} is {given!r}. Give a mapping from names to numbers.")
            object.__setattr__(self, word, {name: float(x) for name, x in given.items()})
