"""Named states of a robot: home, a pose to start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gearwright.algebra import is_number
from gearwright.errors import InputError


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
