"""Angles of gears at which teeth of one lie in gaps of the other, for gears on any two axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, pi, sin

import numpy as np

from gearwright.arrays import Array
from gearwright.scene.trains.train_gears import BEVEL, COAXIAL, INTERNAL, TrainGear, TrainPair
from gearwright.scene.triangles import rotation_towards


def set_tooth_phases(pairs: Sequence[TrainPair]) -> None:
    """Turn gears pair by pair until their teeth mesh with all coordinates zero."""
    waiting = [pair for pair in pairs if min(gear.teeth for gear in pair.gears) and pair.kind != COAXIAL]
    while waiting:
        waiting.sort(key=lambda pair: all(gear.phase is None for gear in pair.gears))
        pair = waiting.pop(0)
        first, second = pair.gears if pair.first.phase is not None else pair.gears[::-1]
        first.phase = first.phase or 0.0
        if second.phase is None:
            second.phase = meshing_angle(first, first.centre, first.phase, second, second.centre, contact_point(pair))


def contact_point(pair: TrainPair) -> Array:
    """The pitch point of a pair in the base frame [m], (3,)."""
    first, second = pair.gears
    if pair.kind == BEVEL:
        axis = first.side * first.line.direction
        across = second.side * second.line.direction
        across = across - axis * (axis @ across)
        across = across / np.linalg.norm(across)
        distance = first.radius / sin(first.cone)
        return np.asarray(pair.apex + distance * (cos(first.cone) * axis + sin(first.cone) * across))
    ring, other = (first, second) if first.kind == INTERNAL else (second, first)
    across = other.centre - ring.centre
    across = across - ring.line.direction * (ring.line.direction @ across)
    return np.asarray(ring.centre + ring.radius * across / np.linalg.norm(across))


def meshing_angle(
    first: TrainGear, centre: Array, phase: float, second: TrainGear, other_centre: Array, contact: Array
) -> float:
    r"""The phase of a gear whose gap meets a tooth of another one at their pitch point [rad].

    With the angle $\varphi$ of the pitch point in a gear's frame and $\alpha = z (\varphi - \theta)$:
    $\alpha_2 = \pi + \sigma_1 \sigma_2 \alpha_1$ (without $\pi$ for a ring), where
    $\sigma$ is the sense in which the angle grows along the common tangent.
    """
    (angle, tangent), (other_angle, other_tangent) = (
        _seen_from(gear, middle, contact) for gear, middle in ((first, centre), (second, other_centre))
    )
    sense = 1.0 if tangent @ other_tangent > 0 else -1.0
    around = INTERNAL in (first.kind, second.kind)  # the outline of a ring is that of its hole
    alpha = (0.0 if around else pi) + sense * first.teeth * (angle - phase)
    return other_angle - alpha / second.teeth


def _seen_from(gear: TrainGear, centre: Array, contact: Array) -> tuple[float, Array]:
    x, y, z = (contact - centre) @ rotation_towards(gear.line.direction)
    return atan2(y, x), np.cross(gear.line.direction, contact - centre - z * gear.line.direction)
