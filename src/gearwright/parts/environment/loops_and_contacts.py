"""What a robot's file says about loops that close it and surfaces that it touches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.arguments import number
from gearwright.errors import PartError
from gearwright.parts.environment.surfaces import Cylinder, Plane, Sphere, Surface

HELD = ("x", "y", "z", "rx", "ry", "rz")
"""The coordinates of a frame relative to another that can be held."""


@dataclass(frozen=True)
class Loop:
    """Two frames or links of a robot that stay together: a closed loop.

    Args:
        name: its name.
        frames: the frame that is held, and the one relative to which it is.
        held: which of x, y, z, rx, ry, rz of the first, seen from the second, are zero.

    >>> Loop("rod", ("rod_end", "crank_pin")).held
    ('x', 'y', 'z')
    """

    name: str
    frames: Sequence[str]
    held: Sequence[str] = ("x", "y", "z")

    def __post_init__(self) -> None:
        if isinstance(self.frames, str) or len(self.frames) != 2:
            raise PartError(f"loop {self.name!r}: its frames are {self.frames!r}. Name two frames or links.")
        if isinstance(self.held, str) or not self.held or not set(self.held) <= set(HELD):
            raise PartError(f"loop {self.name!r}: held={self.held!r}. Give some of {', '.join(HELD)}, as a list.")
        object.__setattr__(self, "frames", tuple(self.frames))
        object.__setattr__(self, "held", tuple(self.held))


@dataclass(frozen=True)
class Touch:
    """A surface that a frame of the robot can touch; without a stiffness it is rigid.

    Args:
        name: its name.
        frame: the frame or link whose origin touches.
        surface: a Plane, Sphere or Cylinder, in the axes of `relative_to`.
        restitution: 0 (plastic) to 1, of a rigid surface.
        friction: Coulomb's coefficient, of a rigid surface.
        stiffness: of a surface that gives way [N/m]; None: rigid.
        damping: of a surface that gives way [Ns/m].
        relative_to: "base", or a frame or link that is touched.

    >>> Touch("wall", "tool", Plane((0.6, 0, 0), (-1, 0, 0)), friction=0.2).relative_to
    'base'
    """

    name: str
    frame: str
    surface: Surface
    restitution: float = 0.0
    friction: float = 0.0
    stiffness: float | None = None
    damping: float = 0.0
    relative_to: str = "base"

    def __post_init__(self) -> None:
        owner = f"environment {self.name!r}"
        if not isinstance(self.surface, Plane | Sphere | Cylinder):
            raise PartError(f"{owner}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")
        number(owner, "restitution", self.restitution, least=0.0, most=1.0)
        number(owner, "friction", self.friction, least=0.0)
        number(owner, "damping", self.damping, least=0.0, unit="Ns/m")
        if self.stiffness is None:
            return
        number(owner, "stiffness", self.stiffness, above=0.0, unit="N/m")
        if self.restitution or self.friction:
            raise PartError(
                f"{owner}: a surface that gives way has no restitution and no friction here. Leave them out, or leave "
                "out its stiffness."
            )

    @property
    def places(self) -> tuple[str, str]:
        """The frames it names."""
        return self.frame, self.relative_to


def words_of_surface(surface: Surface) -> dict[str, Any]:
    """A surface as the words of a file."""
    kind = type(surface).__name__.lower()
    names = {"plane": ("point", "normal"), "sphere": ("centre", "radius"), "cylinder": ("point", "axis", "radius")}
    values = {word: getattr(surface, word) for word in names[kind]}
    words = {word: list(x) if isinstance(x, tuple) else x for word, x in values.items()}
    return {kind: words | ({"hollow": True} if getattr(surface, "hollow", False) else {})}
