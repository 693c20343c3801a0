"""The edges of a gear graph: turning pairs, gear pairs, and the circuits they form."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Scalar, is_number
from gearwright.errors import TrainError
from gearwright.mechanism.gear_graphs.rates import CircuitEquation
from gearwright.parts import Mesh
from gearwright.parts.trains.train import MeshKind


@dataclass(frozen=True)
class TurningPair:
    """`outer` turns (or slides) on `inner` about the axis with that label; None: a rigid connection.

    `name` is the name of its rate, outer relative to inner.
    """

    inner: str
    outer: str
    axis: str | None
    name: str | None = None

    @property
    def title(self) -> str:
        """The name of its rate."""
        return self.name if self.name is not None else self.outer


@dataclass(frozen=True)
class GearPair:
    """Gears on links `first` and `second` with a common `carrier`: q_first = ratio q_second, relative to the carrier.

    Unless given, the carrier is determined from the turning pairs.
    """

    first: str
    second: str
    ratio: Scalar
    carrier: str | None = None

    def __post_init__(self) -> None:
        if is_number(self.ratio) and not 0 < abs(self.ratio) < float("inf"):
            raise TrainError(
                f"gear pair {self.title}: ratio {self.ratio} must be finite and not zero. Give speed of {self.first!r} "
                f"/ speed of {self.second!r}, relative to their carrier."
            )

    @classmethod
    def of_teeth(
        cls, first: str, second: str, teeth: tuple[int, int], kind: MeshKind = "external", carrier: str | None = None
    ) -> GearPair:
        """Return a gear pair from the teeth of both gears; kind as in `parts.Mesh`, for axes in the same direction.

        >>> GearPair.of_teeth("pinion", "ring", (20, 80), "internal").ratio
        4.0
        """
        return cls(first, second, Mesh(first, second, teeth=teeth, kind=kind).signed_ratio, carrier)

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"{self.first}-{self.second}"


@dataclass(frozen=True)
class Circuit:
    """A fundamental circuit: a gear pair, its carrier, and the turning pairs from the carrier to each gear."""

    gear: GearPair
    carrier: str
    to_first: tuple[tuple[TurningPair, int], ...]
    to_second: tuple[tuple[TurningPair, int], ...]

    @property
    def axes(self) -> tuple[str, str]:
        """The labels of the axes of the two gears on the carrier; rigid connections have none."""
        first, second = (
            next(pair.axis for pair, _ in half if pair.axis is not None) for half in (self.to_first, self.to_second)
        )
        return first, second

    @property
    def equation(self) -> CircuitEquation:
        """The equation q_first,carrier - g q_second,carrier = 0 as coefficients of the turning pairs' rates."""
        terms: dict[str, Scalar] = {}
        for half, factor in ((self.to_first, 1), (self.to_second, -self.gear.ratio)):  # Chen (9)
            for pair, sign in half:
                if pair.axis is not None:
                    terms[pair.title] = terms.get(pair.title, 0) + factor * sign
        return CircuitEquation(self.gear.title, terms)
