"""What all laws of one instant share: where things are and how they move there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from gearwright.algebra import ZERO, Operations, Scalar
from gearwright.dynamics.kinematics import AT_BASE, Acceleration, Velocity, accelerations, axial_drifts, velocities
from gearwright.dynamics.mass_matrix import Matrix, axial_rates
from gearwright.dynamics.pose import Pose, place
from gearwright.dynamics.task_space.jacobian import jacobian
from gearwright.mechanism import BASE, Mechanism, Spin

Made = TypeVar("Made")


class Scene:
    """What all laws of one instant share, computed once when one of them asks: where things are and how they turn."""

    def __init__(
        self, mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar], ops: Operations, t: Scalar = 0.0
    ) -> None:
        self.mech, self.q, self.v, self.ops, self.t = mech, q, v, ops, t
        self._known: dict[tuple[object, ...], tuple[object, object]] = {}

    @cached_property
    def pose(self) -> Pose:
        """The placed machine."""
        return place(self.mech, self.q, self.ops)

    @cached_property
    def velocities(self) -> Sequence[Velocity]:
        """Of all bodies, and the base's last, body axes."""
        return velocities(self.pose, self.v)

    @cached_property
    def coasting(self) -> Sequence[Acceleration]:
        """Accelerations of all bodies while no speed changes, and the base's last, body axes."""
        return [*accelerations(self.pose, self.v, [0.0] * self.mech.n, AT_BASE), AT_BASE]

    @cached_property
    def _drifts(self) -> Mapping[str, Scalar]:
        drifts = axial_drifts(self.pose, self.v)
        return {spin.name: drift for spin, drift in zip(self.mech.spins, drifts, strict=True)}

    def turning(self, spin: Spin) -> tuple[Sequence[tuple[int, Scalar]], Scalar]:
        """How a wheel's carrier turns about its axis: h as (speed, number), and the acceleration dh/dt . v."""
        if spin.carrier == BASE:
            return (), 0.0
        return tuple(axial_rates(self.pose, spin).items()), self._drifts[spin.name]

    def jacobian(self, body: int) -> Matrix:
        """(6, n): velocity of a body's origin, then its angular velocity, world axes."""
        return self.once(("jacobian", body), self, lambda: jacobian(self.pose, body, ZERO))

    def differentials(self, coordinate: object) -> Sequence[Scalar] | None:
        """Value, rate, drift and row of a coordinate where somebody has them at hand; else it is differentiated."""
        return None

    def once(self, key: tuple[object, ...], owner: object, make: Callable[[], Made]) -> Made:
        """What was made for a key, or is made now; the owner lives as long as the scene, so that its id stays its."""
        if key not in self._known:
            self._known[key] = owner, make()
        return self._known[key][1]  # type: ignore[return-value]
