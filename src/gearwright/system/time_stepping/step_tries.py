"""The tries of a step with impulses: the motion without them, what the previous try has found, and the residual."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.configuration import independent_joints
from gearwright.dynamics.forward_dynamics import bias
from gearwright.dynamics.pose import Pose
from gearwright.mechanism.joints.spaces import LINES
from gearwright.system.time_stepping.impulse_solver import ImpulseSolution

InertiaSolver: TypeAlias = Callable[[Sequence[Scalar]], list[Scalar]]
"""A function from a right-hand side r to M^-1 r."""

SWEEP_SPEED_TOLERANCE, SWEEP_ACCELERATION_TOLERANCE, SWEEP_RELATIVE_TOLERANCE = 1e-7, 1e-4, 1e-5
"""Change of a speed along a row in the last sweep up to which the impulses have converged: [rad/s, m/s], per duration
of the step [rad/s^2, m/s^2] (what steps neglect must not add up over ever shorter ones), and relative to the largest
change of a speed by an impulse."""

MEAN_SPEED_PASSES = 2
"""Fixed-point iterations of the mean speeds of a step, whose error each multiplies by half the angle of the step."""


class FreeMotion(NamedTuple):
    """The motion of a machine over a step of h [s] from speeds v, under given forces without holds."""

    pose: Pose
    forces: Sequence[Scalar]
    solved: InertiaSolver
    v: Sequence[Scalar]
    h: Scalar

    @property
    def is_gyroscopic(self) -> bool:
        """Whether speeds are in rotating axes (free, spherical and planar joints)."""
        return not all(space is LINES for space, _, _ in independent_joints(self.pose.mech))

    def accelerations(self, change: Sequence[Scalar]) -> list[Scalar]:
        """Accelerations without holds, if holds change the speeds over the step by `change`.

        In rotating axes inertial forces are those of the mean speeds, at which they do no work: even free flight and
        turning about a contact change these speeds, and explicit steps would gain energy.
        """
        accelerations = self._accelerations_at(self.v)
        for _ in range(MEAN_SPEED_PASSES if self.is_gyroscopic else 0):
            ends = zip(self.v, accelerations, change, strict=True)
            accelerations = self._accelerations_at([v + 0.5 * (self.h * a + jump) for v, a, jump in ends])
        return accelerations

    def _accelerations_at(self, v: Sequence[Scalar]) -> list[Scalar]:
        return self.solved([f - inertial for f, inertial in zip(self.forces, bias(self.pose, v), strict=True)])


class PreviousTry(NamedTuple):
    """The result of the previous try.

    Args:
        impulses: scaled impulses.
        assumed: those that the inertial forces of that try belong to: of the try before it.
        corrections: scaled corrections of the gaps.
        depth: remaining penetration [m, rad].
        count: tries since the last growth of the residual.
        residual: relative to the tolerance; negative before the first try.
    """

    impulses: Sequence[Scalar] | None = None
    assumed: Sequence[Scalar] = ()
    corrections: Sequence[Scalar] | None = None
    depth: Scalar = 0.0
    count: Scalar = 0.0
    residual: Scalar = -1.0

    @staticmethod
    def from_iterate(iterate: Sequence[Scalar], count: int) -> PreviousTry:
        """The result from its numbers, for a number of impulses."""
        if not iterate:
            return PreviousTry()
        return PreviousTry(iterate[:count], iterate[count : 2 * count], iterate[2 * count : -3], *iterate[-3:])

    @property
    def needs_another_try(self) -> Scalar:
        """Whether another try is needed."""
        return self.residual * (self.residual - 1.0) > 0

    @property
    def extrapolated_impulses(self) -> list[Scalar] | None:
        """The initial guess of the next try, extrapolated along the last change (Nesterov)."""
        if self.impulses is None:
            return None
        momentum = self.count / (self.count + 3.0)
        return [x + momentum * (x - before) for x, before in zip(self.impulses, self.assumed, strict=True)]

    def assumed_by_next(self, ops: Operations) -> list[Scalar]:
        """The impulses that the inertial forces of the next try belong to; a converged step keeps its own."""
        pairs = zip(self.impulses or (), self.assumed, strict=True)
        return [ops.where(self.needs_another_try, impulse, assumed) for impulse, assumed in pairs]

    def next_iterate(
        self,
        numbers: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]],
        depth: Scalar,
        residual: Scalar,
        ops: Operations,
    ) -> list[Scalar]:
        """The numbers of this try, from its impulses, those that it assumed, and its corrections."""
        impulses, assumed, corrections = numbers
        better = ops.where(self.residual < 0, True, residual < 1.01 * self.residual)
        return [*impulses, *assumed, *corrections, depth, ops.where(better, self.count + 1.0, 0.0), residual]


def relative_residual(
    solution: ImpulseSolution,
    free_motion: FreeMotion,
    free: Sequence[Scalar],
    v: Sequence[Scalar] | None,
    ops: Operations,
) -> Scalar:
    """Residual of the impulses relative to what is tolerated.

    With the speeds v before the impulses, it includes the gyroscopic accelerations that the impulses cause beyond those
    assumed in `free`.
    """
    largest: Scalar = 0.0
    for speed in solution.scaled:
        largest = ops.maximum(largest, ops.absolute(speed))
    residual = solution.residual
    if v is not None and free_motion.is_gyroscopic:
        caused_change = [end - speed for end, speed in zip(solution.speeds, v, strict=True)]
        for assumed, caused in zip(free, free_motion.accelerations(caused_change), strict=True):
            residual = ops.maximum(residual, free_motion.h * ops.absolute(caused - assumed))
    smallest = ops.minimum(SWEEP_SPEED_TOLERANCE, SWEEP_ACCELERATION_TOLERANCE * free_motion.h)
    return residual / (smallest + SWEEP_RELATIVE_TOLERANCE * largest)
