"""The Stribeck curve, once for all friction laws."""

from __future__ import annotations

from gearwright.algebra import Operations, Scalar
from gearwright.parts import Friction


def dry(friction: Friction, speed: Scalar, ops: Operations) -> Scalar:
    r"""What does not vanish at rest, $F_C + (F_S - F_C) e^{-(w/w_S)^2}$; without a Stribeck speed $F_C$ alone.

    >>> from gearwright.algebra.operations import FLOATS
    >>> dry(Friction(coulomb=1.0, static=1.5, stribeck_speed=0.1), 0.0, FLOATS)
    1.5
    """
    if not friction.drops or friction.stribeck_speed is None:
        return friction.coulomb
    ratio = speed / friction.stribeck_speed
    return friction.coulomb + (friction.breakaway - friction.coulomb) * ops.exp(-ratio * ratio)


def sliding(friction: Friction, speed: Scalar, ops: Operations) -> Scalar:
    """Friction at a speed in the sense of the motion, viscous friction included."""
    return dry(friction, speed, ops) + friction.viscous * speed
