"""What is bolted on: payloads and named frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gearwright.algebra import IDENTITY, ZERO, Scalar


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
