"""Kinematics that all laws of one instant share: placements, velocities and accelerations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from gearwright.algebra import ZERO, Operations, Scalar
from gearwright.dynamics.kinematics import (
    WEIGHTLESS_BASE,
    BodyAcceleration,
    BodyVelocity,
    axial_drifts,
    body_accelerations,
    body_velocities,
)
from gearwright.dynamics.mass_matrix import Matrix, axial_rates
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.dynamics.task_space.jacobian import jacobian
from gearwright.mechanism import BASE, Mechanism, Spin

Made = TypeVar("Made")


class SharedKinematics:
    """Shared kinematics of one instant, computed on demand and once: placements, velocities, accelerations."""

    def __init__(
        self, mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar], ops: Operations, t: Scalar = 0.0
    ) -> None:
        self.mech, self.q, self.v, self.ops, self.t = mech, q, v, ops, t
        self._cache: dict[tuple[object, ...], tuple[object, object]] = {}

    @cached_property
    def pose(self) -> Pose:
        """The placements of all bodies."""
        return place_machine(self.mech, self.q, self.ops)

    @cached_property
    def body_velocities(self) -> Sequence[BodyVelocity]:
        """The velocities of all bodies, then of the base, in body axes."""
        return body_velocities(self.pose, self.v)

    @cached_property
    def coasting_accelerations(self) -> Sequence[BodyAcceleration]:
        """The accelerations of all bodies at constant speeds, then of the base, in body axes."""
        return [*body_accelerations(self.pose, self.v, [0.0] * self.mech.n, WEIGHTLESS_BASE), WEIGHTLESS_BASE]

    @cached_property
    def _axial_drifts(self) -> Mapping[str, Scalar]:
        drifts = axial_drifts(self.pose, self.v)
        return {spin.name: drift for spin, drift in zip(self.mech.spins, drifts, strict=True)}

    def carrier_rotation(self, spin: Spin) -> tuple[Sequence[tuple[int, Scalar]], Scalar]:
        """Rotation of a wheel's carrier about the wheel's axis: row h as (speed, number), and dh/dt . v."""
        if spin.carrier == BASE:
            return (), 0.0
        return tuple(axial_rates(self.pose, spin).items()), self._axial_drifts[spin.name]

    def body_jacobian(self, body: int) -> Matrix:
        """The Jacobian (6, n) of a body: velocity of its origin, then angular velocity, world axes."""
        return self.compute_once(("jacobian", body), self, lambda: jacobian(self.pose, body, ZERO))

    def coordinate_differentials(self, coordinate: object) -> Sequence[Scalar] | None:
        """Precomputed value, rate, drift and row of a coordinate; None: it is differentiated."""
        return None

    def compute_once(self, key: tuple[object, ...], owner: object, make: Callable[[], Made]) -> Made:
        """The cached value of a key, computed on first use; a reference to the owner keeps its id unique."""
        if key not in self._cache:
            self._cache[key] = owner, make()
        return self._cache[key][1]  # type: ignore[return-value]
