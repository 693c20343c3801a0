"""Linear springs and dampers along rows over the speeds."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Scalar
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import Spring


def stretch(pose: Pose, spring: Spring) -> Scalar:
    """How far a spring is from rest, row . q - rest."""
    where = pose.mech.layout.coordinate_of
    total: Scalar = 0.0
    for index, factor in spring.terms:
        total = total + factor * pose.q[where[index]]
    return total - spring.rest


def add_springs(pose: Pose, v: Sequence[Scalar], tau: list[Scalar]) -> list[Scalar]:
    """Add row' (k (row . q - rest) + d row . v) for every spring: the force needed against it."""
    for spring in pose.mech.springs:
        force = spring.stiffness * stretch(pose, spring)  # Melhem (21)-(23), Vukobratovic (20.98)-(20.99)
        for index, factor in spring.terms:
            force = force + spring.damping * (factor * v[index])
        for index, factor in spring.terms:
            tau[index] = tau[index] + factor * force
    return tau
