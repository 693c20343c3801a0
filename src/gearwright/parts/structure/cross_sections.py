r"""Cross-sections and materials of links, for stresses and deflections.

Axes of a section: x along the beam, y and z across it. For a section of area A with second moments
$I_y = \int z^2 dA$, $I_z = \int y^2 dA$ and torsion constant J.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gearwright.algebra import OptionalVector, VectorLike
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import PartError


@check_arguments
@dataclass(frozen=True)
class Material:
    """A material.

    Args:
        young: E [Pa].
        shear: G [Pa].
        density: [kg/m3].
        strength: permissible stress, yield or fatigue strength as chosen by the designer [Pa].
        name: its name.
    """

    young: float
    shear: float
    density: float
    strength: float
    name: str = ""

    def __post_init__(self) -> None:
        for word in ("young", "shear", "density", "strength"):
            require_range(f"material {self.name!r}", word, getattr(self, word), above=0, error=PartError)


MATERIALS = {
    "aluminium": Material(70e9, 26e9, 2700.0, 240e6, "aluminium"),
    "steel": Material(210e9, 81e9, 7850.0, 355e6, "steel"),
    "titanium": Material(114e9, 43e9, 4430.0, 830e6, "titanium"),
    "magnesium": Material(45e9, 17e9, 1800.0, 130e6, "magnesium"),
}
"""Typical values of common alloys (6061-T6, S355, Ti-6Al-4V, AZ91); use those of your supplier for final results."""


class CrossSection(Protocol):
    """The properties of a cross-section for stresses and deflections."""

    @property
    def area(self) -> float:
        """Area A [m2]."""

    @property
    def second_moments(self) -> tuple[float, float]:
        """Second moments of area about y and about z [m4]."""

    @property
    def torsion_constant(self) -> float:
        """Torsion constant J [m4]."""

    @property
    def edge_distances(self) -> tuple[float, float]:
        """Largest |z| and |y| of the section [m], where bending about y and about z stresses it most."""

    @property
    def torsion_modulus(self) -> float:
        """Torsional section modulus: torque / largest shear stress [m3]."""

    @property
    def is_round(self) -> bool:
        """Whether bending moments add as vectors, as in a tube; in a box their stresses add at the corners."""


@check_arguments
@dataclass(frozen=True)
class Tube:
    """A round tube, or with inner = 0 a round bar.

    >>> round(Tube(0.08, 0.07).second_moments[0] * 1e8, 4)      # pi/64 (8^4 - 7^4) cm4
    83.2031
    """

    outer: float
    inner: float = 0.0

    def __post_init__(self) -> None:
        require_range("tube", "outer", self.outer, above=0, error=PartError)
        require_range("tube", "inner", self.inner, least=0, below=self.outer, error=PartError)

    @property
    def area(self) -> float:
        """Area A [m2]."""
        return math.pi / 4 * (self.outer**2 - self.inner**2)

    @property
    def second_moments(self) -> tuple[float, float]:
        """Second moments of area about y and about z [m4]."""
        both = math.pi / 64 * (self.outer**4 - self.inner**4)
        return both, both

    @property
    def torsion_constant(self) -> float:
        """Torsion constant J [m4]."""
        return 2 * self.second_moments[0]

    @property
    def edge_distances(self) -> tuple[float, float]:
        """The outer radius, for both axes [m]."""
        return self.outer / 2, self.outer / 2

    @property
    def torsion_modulus(self) -> float:
        """J / r [m3]."""
        return self.torsion_constant / (self.outer / 2)

    @property
    def is_round(self) -> bool:
        """True: bending moments add as vectors."""
        return True


@check_arguments
@dataclass(frozen=True)
class Box:
    """A rectangular tube, `width` along y and `height` along z; without a wall a solid bar.

    >>> round(Box(0.06, 0.1).second_moments[0] * 1e8)      # b h^3 / 12 cm4
    500
    """

    width: float
    height: float
    wall: float | None = None

    def __post_init__(self) -> None:
        for word in ("width", "height"):
            require_range("box", word, getattr(self, word), above=0, error=PartError)
        if self.wall is not None:
            for side in (self.width, self.height):
                require_range("box", "wall", self.wall, above=0, below=side / 2, error=PartError)

    @property
    def _inner_size(self) -> tuple[float, float]:
        if self.wall is None:
            return 0.0, 0.0
        return self.width - 2 * self.wall, self.height - 2 * self.wall

    @property
    def area(self) -> float:
        """Area A [m2]."""
        b, h = self._inner_size
        return self.width * self.height - b * h

    @property
    def second_moments(self) -> tuple[float, float]:
        """Second moments of area about y and about z [m4]."""
        b, h = self._inner_size
        return (self.width * self.height**3 - b * h**3) / 12, (self.height * self.width**3 - h * b**3) / 12

    @property
    def torsion_constant(self) -> float:
        """Torsion constant J [m4]: Bredt's formula for a tube, the series solution for a solid bar."""
        if self.wall is None:
            long, short = max(self.width, self.height), min(self.width, self.height)
            return long * short**3 * (1 / 3 - 0.21 * short / long * (1 - (short / long) ** 4 / 12))
        b, h = self.width - self.wall, self.height - self.wall
        return 2 * self.wall * (b * h) ** 2 / (b + h)

    @property
    def edge_distances(self) -> tuple[float, float]:
        """Half the height and half the width [m]."""
        return self.height / 2, self.width / 2

    @property
    def torsion_modulus(self) -> float:
        """Bredt's 2 A_m t for a tube; for a solid bar of sides a > b about a b^2 / (3 + 1.8 b / a) [m3]."""
        if self.wall is None:
            long, short = max(self.width, self.height), min(self.width, self.height)
            return long * short**2 / (3 + 1.8 * short / long)
        return 2 * (self.width - self.wall) * (self.height - self.wall) * self.wall

    @property
    def is_round(self) -> bool:
        """False: bending stresses add at the corners."""
        return False


@check_arguments
@dataclass(frozen=True)
class LinkSection:
    """A link as a beam from its joint's origin to a point, with cross-sections along it.

    Args:
        to: end of the beam in the link's frame [m]: the origin of the next joint, or of the tool.
        sections: one section, or pairs (fraction of the length, section) from 0 to 1; each holds up to the next.
        material: a Material, or the name of one in `MATERIALS`.
        across: direction of the sections' z axis in the link's frame; by default any perpendicular direction.
    """

    to: VectorLike
    sections: CrossSection | Sequence[tuple[float, CrossSection]]
    material: Material | str = "aluminium"
    across: OptionalVector = None

    def __post_init__(self) -> None:
        if isinstance(self.material, str):
            if self.material not in MATERIALS:
                raise PartError(
                    f"section: material {self.material!r} is unknown (known: {', '.join(MATERIALS)}). Use one of "
                    "these, or give a Material(...)."
                )
            object.__setattr__(self, "material", MATERIALS[self.material])
        stations = self.sections if isinstance(self.sections, Sequence) else ((0.0, self.sections),)
        starts = [float(start) for start, _ in stations]
        if not stations or starts[0] != 0 or starts != sorted(set(starts)) or starts[-1] >= 1:
            raise PartError(
                f"section: stations at {starts} do not increase from 0 to below 1. Begin with (0, section)."
            )
        object.__setattr__(self, "sections", tuple((float(start), section) for start, section in stations))
        for word in ("to", "across"):
            if getattr(self, word) is not None:
                object.__setattr__(self, word, tuple(float(x) for x in getattr(self, word)))
        if not sum(x**2 for x in self.to):
            raise PartError(
                "section: the beam has length 0, since `to` is the joint's origin. Give its far end as `to`."
            )

    def section_at(self, share: float) -> CrossSection:
        """The section at a fraction of the length."""
        stations: Any = self.sections
        return [section for start, section in stations if start <= share][-1]
