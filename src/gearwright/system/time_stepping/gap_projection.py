r"""The configuration at the end of a step, projected on the gaps of rigid surfaces.

A step ends with the impulses $P_i$ along the rows $b_i$ of the gaps, and so with $\tfrac h2 P_i$ in its configuration.
The projection moves it by $M^{-1} \sum_i b_i s_i$ with $0 \le \tfrac h2 P_i + s_i \perp g_i(q) \ge 0$ (Acary, 2013):
no body remains inside a surface, and a body that has landed lies on it, even if an impact stopped it above the surface.
A rebound within a step is not undone: $0 \le s_i$.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.configuration import integrate
from gearwright.forces.impulse_limits import ImpulseLimit
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.forces.time_stepping_impulses import (
    UNBOUNDED_IMPULSE,
    BoundedImpulse,
    UnilateralImpulse,
    UnlimitedImpulse,
)
from gearwright.mechanism import Mechanism, row_dot
from gearwright.system.time_stepping.impulse_solver import HoldImpulse, solve_impulses

GAP_CORRECTION_TOLERANCE = 2e-7
"""Correction of a gap [m, rad] below which its direction is not recomputed."""


class ProjectedGaps(NamedTuple):
    """A configuration without penetration.

    Args:
        q: the configuration.
        scaled: corrections as displacements along their own rows.
        residual: relative to the tolerance.
        depth: remaining penetration [m, rad].
        work: of all forces but those of holds over the correction [J].
    """

    q: Sequence[Scalar]
    scaled: Sequence[Scalar]
    residual: Scalar
    depth: Scalar
    work: Scalar


class GapProjection(NamedTuple):
    """The data of a projection.

    Args:
        mech: the machine.
        limits: of all impulses.
        impulses: the impulses with their rows.
        pushes: values of the impulses [Nms, Ns].
        a: accelerations without them.
        t: time at the end of the step [s].
        h: its duration [s].
        ops: operations of the scalars.
    """

    mech: Mechanism
    limits: Sequence[ImpulseLimit]
    impulses: Sequence[HoldImpulse]
    pushes: Sequence[Scalar]
    a: Sequence[Scalar]
    t: Scalar
    h: Scalar
    ops: Operations

    def project_gaps(
        self, q: Sequence[Scalar], sweeps: int, corrections: Sequence[Scalar] | None, active: Scalar
    ) -> ProjectedGaps:
        """The configuration q after one Newton step from the gaps where the corrections of the try before have led.

        Taking the gap from where the impulse has been found keeps it from doing work: what is lifted has lost as much
        in the impact. Where `active` does not hold, the corrections stay as they are.
        """
        ops, still = self.ops, [0.0] * self.mech.n  # type: Operations, list[Scalar]
        chosen = [
            (limit, replace(impulse, limit=UnlimitedImpulse(), rate=0.0, flows=(), law_impulses=()), push)
            for limit, impulse, push in zip(self.limits, self.impulses, self.pushes, strict=True)
            if isinstance(limit, UnilateralImpulse)
        ]
        if not chosen:
            return ProjectedGaps(q, [], 0.0, 0.0, 0.0)
        moved, reached = still, q
        if corrections is not None:
            moved = solve_impulses([request for _, request, _ in chosen], still, 1.0, 0, ops, corrections).speeds
            reached = integrate(self.mech, q, moved, ops)
        scene = SharedKinematics(self.mech, reached, still, ops, self.t)
        gaps, wanted = [], []
        for limit, request, push in chosen:
            gaps.append(limit.line.placed_in(scene).position(reached))
            least = row_dot(request.row, moved) - gaps[-1]
            low = ops.where(limit.leaving_speed > 0, 0.0, -0.5 * self.h * push)
            wanted.append(replace(request, limit=BoundedImpulse(low, UNBOUNDED_IMPULSE, least)))
        solution = solve_impulses(wanted, still, 1.0, sweeps, ops, corrections, corrections, active)
        residual, depth, work = 0.0, 0.0, 0.0  # type: Scalar, Scalar, Scalar
        for gap, (_, request, _), shift in zip(gaps, chosen, solution.impulses, strict=True):
            change = row_dot(request.row, solution.speeds) - row_dot(request.row, moved)
            residual = ops.maximum(residual, ops.absolute(change) / GAP_CORRECTION_TOLERANCE)
            depth = ops.maximum(depth, -(gap + change))
            work = work + shift * row_dot(request.row, self.a)
        return ProjectedGaps(integrate(self.mech, q, solution.speeds, ops), solution.scaled, residual, depth, work)
