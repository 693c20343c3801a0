"""Linear springs and dampers along rows over the speeds."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Scalar
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import Spring


def spring_deflection(pose: Pose, spring: Spring) -> Scalar:
    """Return the deflection of a spring, row . q - rest."""
    coordinate_of = pose.mech.layout.coordinate_of
    total: Scalar = 0.0
    for index, factor in spring.terms:
        total = total + factor * pose.q[coordinate_of[index]]
    return total - spring.rest


def add_springs(pose: Pose, v: Sequence[Scalar], tau: list[Scalar]) -> list[Scalar]:
    """Add row' (k (row . q - rest) + d row . v) for every spring: the generalized force that balances it."""
    for spring in pose.mech.springs:
        force = spring.stiffness * spring_deflection(pose, spring)  # Melhem (21)-(23), Vukobratovic (20.98)-(20.99)
        for index, factor in spring.terms:
            force = force + spring.damping * (factor * v[index])
        for index, factor in spring.terms:
            tau[index] = tau[index] + factor * force
    return tau
