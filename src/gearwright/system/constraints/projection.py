r"""Projection of position and speed onto the constraints in the metric of the mass matrix.

With the rows W of all holds that keep a position, $dq = -M^{-1} W' (W M^{-1} W')^+ (s - s_0)$ until convergence, then
$dv = -M^{-1} W' (W M^{-1} W')^+ (\dot s - \dot s_0)$: the smallest changes in the kinetic metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate
from gearwright.forces import Hold
from gearwright.system.constraints.projection_tolerances import (
    CONVERGED_PROJECTION_ERROR,
    MAX_PROJECTION_STEPS,
    PROJECTION_TOLERANCE,
    WEAK_DIRECTION_RATIO,
)
from gearwright.system.evaluation import situations_at
from gearwright.system.force_balance import line_rows
from gearwright.system.system import Modes, System


@dataclass(frozen=True)
class PositionConstraints:
    """The holds of given modes that keep a position; `position_constraints` finds them.

    Args:
        system: the machine with its laws.
        holds: the holds, along lines that are not yet placed.
        owners: the name of the law of each hold.
        speed_holds: holds of the same laws that keep a speed only, such as sticking friction in a contact.
        directions: directions (n, m) of admissible corrections, such as joints with the motors that follow them; None:
            all.
    """

    system: System
    holds: tuple[Hold, ...]
    owners: tuple[str, ...]
    speed_holds: tuple[Hold, ...] = ()
    directions: Array | None = None

    def placed_holds(self, t: float, x: Array, with_speed_holds: bool = False) -> list[Hold]:
        """The holds along placed lines, with the speed holds if `with_speed_holds`."""
        kinematics = self.system.compiled_machine.kinematics_at(t, x[self.system.q], x[self.system.v])
        chosen_holds = (*self.holds, *self.speed_holds) if with_speed_holds else self.holds
        return [replace(hold, line=hold.line.placed_in(kinematics)) for hold in chosen_holds]

    def position_errors(self, t: float, x: Array) -> Array:
        """The position error of each hold [m, rad]."""
        q = x[self.system.q].tolist()
        return _position_errors(self.placed_holds(t, x), q)

    def speed_errors(self, t: float, x: Array) -> Array:
        """The speed error of each hold [m/s, rad/s]."""
        return _speed_errors(self.placed_holds(t, x), x[self.system.v].tolist())

    def constraint_rows(self, t: float, x: Array) -> Array:
        """The constraint rows W (holds, n)."""
        return line_rows([hold.line for hold in self.placed_holds(t, x)], self.system.mech.n)

    def project_state(self, t: float, x: Array) -> Array:
        """The state with position and speed projected onto the constraints."""
        projected_state = self._project_positions(t, x)
        holds, v = self.placed_holds(t, projected_state, with_speed_holds=True), projected_state[self.system.v]
        projected_state[self.system.v] = v - self._correction(projected_state, holds, _speed_errors(holds, v.tolist()))
        return projected_state

    def _project_positions(self, t: float, x: Array) -> Array:
        """The state with the position projected onto the constraints, up to rounding."""
        system, projected_state, least_error = self.system, x.copy(), np.inf
        for _ in range(MAX_PROJECTION_STEPS):
            holds, q = self.placed_holds(t, projected_state), projected_state[system.q].tolist()
            errors = _position_errors(holds, q)
            largest_error = float(np.abs(errors).max())
            if largest_error <= PROJECTION_TOLERANCE * (1.0 + max(map(abs, q))) or (
                largest_error < CONVERGED_PROJECTION_ERROR and largest_error >= least_error
            ):
                break
            least_error = min(least_error, largest_error)
            step = -self._correction(projected_state, holds, errors)
            projected_state[system.q] = integrate(system.mech, q, step.tolist(), FLOATS)
        return projected_state

    def _correction(self, x: Array, holds: Sequence[Hold], error: Array) -> Array:
        """The smallest change that corrects an error along the holds."""
        W = line_rows([hold.line for hold in holds], self.system.mech.n)
        M = self.system.compiled_machine.mass_matrix(x[self.system.q])
        if self.directions is not None:
            W, M = W @ self.directions, self.directions.T @ M @ self.directions
        responses = np.linalg.solve(M, W.T)
        forces = np.linalg.lstsq(W @ responses, error, rcond=WEAK_DIRECTION_RATIO**2)[0]
        correction = responses @ forces
        return np.asarray(correction if self.directions is None else self.directions @ correction, dtype=np.float64)


def has_position_holds(system: System) -> bool:
    """Whether a law keeps a position, which requires projection."""
    return any(law.has_position_holds for law in system.laws)


def position_constraints(system: System, t: float, x: Array, u: Array, modes: Modes) -> PositionConstraints | None:
    """The position constraints in given modes; None if there are none."""
    if not has_position_holds(system):
        return None
    situations = situations_at(system, t, x, u)
    position_holds: list[tuple[Hold, str]] = []
    speed_holds: list[Hold] = []
    for law, mode, situation in zip(system.laws, modes, situations, strict=True):
        holds = law.act(mode, situation).holds if law.has_position_holds else ()
        law_holds = [hold for hold in holds if hold.position is not None]
        position_holds += [(hold, law.name) for hold in law_holds]
        speed_holds += [hold for hold in holds if law_holds and hold.position is None and hold.speed is not None]
    if not position_holds:
        return None
    constrained, owners = zip(*position_holds, strict=True)
    return PositionConstraints(system, constrained, owners, tuple(speed_holds))


def _position_errors(holds: Sequence[Hold], q: Sequence[float]) -> Array:
    return np.array([hold.line.position(q) - hold.position for hold in holds], dtype=float)


def _speed_errors(holds: Sequence[Hold], v: Sequence[float]) -> Array:
    return np.array([hold.line.speed(v) - (hold.speed or 0.0) for hold in holds], dtype=float)
