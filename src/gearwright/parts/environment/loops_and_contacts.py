"""What a robot's file says about loops that close it and surfaces that it touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.arguments import number
from gearwright.errors import PartError
from gearwright.parts.environment.surfaces import Cylinder, Plane, Sphere, Surface

ENERGETIC, POISSON, NEWTON = IMPACTS = ("energetic", "poisson", "newton")
"""What restitution with friction may be: a share of energy, of impulse, or of speed."""

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

    With a `row` instead of frame and surface, joints touch: the gap is row . q - rest.

    Args:
        name: its name.
        frame: the frame or link whose origin touches; None with a row.
        surface: a Plane, Sphere or Cylinder, in the axes of `relative_to`; None with a row.
        restitution: 0 (plastic) to 1, of a rigid surface.
        friction: Coulomb's coefficient, of a rigid surface.
        stiffness: of a surface that gives way [N/m]; None: rigid.
        damping: of a surface that gives way [Ns/m].
        relative_to: "base", or a frame or link that is touched.
        impact: what restitution with friction is, "energetic", "poisson" or "newton".
        row: per joint the factor of its coordinate in the gap.
        rest: what the row is where the gap is zero [m or rad].
        slip: per joint the factor of its coordinate in the slip, along which friction acts.

    >>> Touch("wall", "tool", Plane((0.6, 0, 0), (-1, 0, 0)), friction=0.2).relative_to
    'base'
    """

    name: str
    frame: str | None
    surface: Surface | None
    restitution: float = 0.0
    friction: float = 0.0
    stiffness: float | None = None
    damping: float = 0.0
    relative_to: str = "base"
    impact: str = ENERGETIC
    row: Mapping[str, float] | None = None
    rest: float = 0.0
    slip: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        owner = f"environment {self.name!r}"
        if self.impact not in IMPACTS:
            raise PartError(f"{owner}: impact={self.impact!r} is unknown. Give one of {', '.join(IMPACTS)}.")
        if self.row is not None:
            self._check_row(owner)
        elif self.rest or self.slip:
            raise PartError(f"{owner}: `rest` and `slip` belong to a `row`. Leave them out, or give the row.")
        elif self.frame is None or not isinstance(self.surface, Plane | Sphere | Cylinder):
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

    def _check_row(self, owner: str) -> None:
        """Refuse a contact along a row that is stated by something else too, or that cannot rub or give way."""
        if self.frame is not None or self.surface is not None or self.stiffness is not None or not self.row:
            raise PartError(
                f"{owner}: a contact along a row of joints has no frame, surface or stiffness, and names a joint. "
                "Leave them out, or leave out the row."
            )
        if self.friction and not self.slip:
            raise PartError(f"{owner}: friction={self.friction} acts along a slip. Give `slip`, or leave out friction.")


def words_of_surface(surface: Surface) -> dict[str, Any]:
    """A surface as the words of a file."""
    kind = type(surface).__name__.lower()
    names = {"plane": ("point", "normal"), "sphere": ("centre", "radius"), "cylinder": ("point", "axis", "radius")}
    values = {word: getattr(surface, word) for word in names[kind]}
    words = {word: list(x) if isinstance(x, tuple) else x for word, x in values.items()}
    return {kind: words | ({"hollow": True} if getattr(surface, "hollow", False) else {})}
