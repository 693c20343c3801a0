"""Kinematic loops and contact surfaces of a robot, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import PartError
from gearwright.parts.environment.surfaces import Cylinder, Plane, Sphere, Surface

ENERGETIC, POISSON, NEWTON = RESTITUTION_MODELS = ("energetic", "poisson", "newton")
"""Definitions of the coefficient of restitution with friction: by energy, by impulse, or by speed."""

HOLDABLE_COORDINATES = ("x", "y", "z", "rx", "ry", "rz")
"""The relative coordinates of two frames that can be constrained."""


@check_arguments
@dataclass(frozen=True)
class Loop:
    """A closed kinematic loop: a constraint between two frames or links of a robot.

    Args:
        name: its name.
        frames: the constrained frame, and the frame relative to which it is constrained.
        held: which coordinates x, y, z, rx, ry, rz of the first frame relative to the second are zero.

    >>> Loop("rod", ("rod_end", "crank_pin")).held
    ('x', 'y', 'z')
    """

    name: str
    frames: Sequence[str]
    held: Sequence[str] = ("x", "y", "z")

    def __post_init__(self) -> None:
        if isinstance(self.frames, str) or len(self.frames) != 2:
            raise PartError(f"loop {self.name!r}: its frames are {self.frames!r}. Name two frames or links.")
        if isinstance(self.held, str) or not self.held or not set(self.held) <= set(HOLDABLE_COORDINATES):
            raise PartError(
                f"loop {self.name!r}: held={self.held!r}. Give some of {', '.join(HOLDABLE_COORDINATES)}, as a list."
            )
        object.__setattr__(self, "frames", tuple(self.frames))
        object.__setattr__(self, "held", tuple(self.held))


@check_arguments
@dataclass(frozen=True)
class ContactPoint:
    """A surface that a frame of the robot can touch; without a stiffness it is rigid.

    With a `row` instead of frame and surface, the contact is in joint coordinates: the gap is row . q - rest.

    Args:
        name: its name.
        frame: the frame or link whose origin is the contact point; None with a row.
        surface: a Plane, Sphere or Cylinder, in the axes of `relative_to`; None with a row.
        restitution: 0 (plastic) to 1, of a rigid surface.
        friction: Coulomb's coefficient; a compliant surface then requires damping.
        stiffness: of a compliant surface [N/m]; None: rigid.
        damping: of a compliant surface [Ns/m].
        relative_to: "base", or the frame or link that carries the surface.
        impact: definition of restitution with friction, "energetic", "poisson" or "newton".
        row: factor of each joint coordinate in the gap.
        rest: value of row . q at zero gap [m or rad].
        slip: factor of each joint coordinate in the slip, along which friction acts.

    >>> ContactPoint("wall", "tool", Plane((0.6, 0, 0), (-1, 0, 0)), friction=0.2).relative_to
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
        if self.impact not in RESTITUTION_MODELS:
            raise PartError(f"{owner}: impact={self.impact!r} is unknown. Give one of {', '.join(RESTITUTION_MODELS)}.")
        if self.row is not None:
            self._check_row(owner)
        elif self.rest or self.slip:
            raise PartError(f"{owner}: `rest` and `slip` belong to a `row`. Leave them out, or give the row.")
        elif self.frame is None or not isinstance(self.surface, Plane | Sphere | Cylinder):
            raise PartError(f"{owner}: {self.surface!r} is not a surface. Give a Plane, Sphere or Cylinder.")
        real_number(owner, "restitution", self.restitution, least=0.0, most=1.0)
        real_number(owner, "friction", self.friction, least=0.0)
        real_number(owner, "damping", self.damping, least=0.0, unit="Ns/m")
        if self.stiffness is None:
            return
        real_number(owner, "stiffness", self.stiffness, above=0.0, unit="N/m")
        if self.restitution:
            raise PartError(
                f"{owner}: restitution={self.restitution} belongs to a rigid surface; a compliant one has damping. "
                "Leave it out, or leave out the stiffness."
            )
        if self.friction and not self.damping:
            raise PartError(
                f"{owner}: friction={self.friction} on a compliant surface requires damping > 0 Ns/m. Give damping, or "
                "leave out the stiffness."
            )

    def _check_row(self, owner: str) -> None:
        """Raise if a contact along a row also has a frame, surface or stiffness, or friction without a slip."""
        if self.frame is not None or self.surface is not None or self.stiffness is not None or not self.row:
            raise PartError(
                f"{owner}: a contact along a row of joints names at least one joint and has no frame, surface or "
                f"stiffness. Leave them out, or leave out the row."
            )
        if self.friction and not self.slip:
            raise PartError(f"{owner}: friction={self.friction} acts along a slip. Give `slip`, or leave out friction.")


def surface_fields(surface: Surface) -> dict[str, Any]:
    """Return a surface as the fields of a file."""
    kind = type(surface).__name__.lower()
    names = {"plane": ("point", "normal"), "sphere": ("centre", "radius"), "cylinder": ("point", "axis", "radius")}
    values = {word: getattr(surface, word) for word in names[kind]}
    words = {word: list(x) if isinstance(x, tuple) else x for word, x in values.items()}
    return {kind: words | ({"hollow": True} if getattr(surface, "hollow", False) else {})}
