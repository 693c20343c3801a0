"""Inertia that turns with the motors of a machine, compared with the inertia of their loads, along a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.algebra.differentiation.partials import Partials
from gearwright.algebra.differentiation.taylor_series import Jet
from gearwright.analysis.parametric_series import SERIES_OPERATIONS, column_series, map_series, peak_magnitude
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place_machine
from gearwright.forces.robot_lines import motor_line
from gearwright.forces.transmission.gear_wheels import input_wheels
from gearwright.mechanism import Mechanism, Spin, approximate
from gearwright.motion import Motion


@dataclass(frozen=True)
class MotorLoads:
    """A machine along a motion; both may be dual numbers.

    Args:
        mech: the machine.
        motion: of all its coordinates, with t, q, v and a.
        titles: names of its drives.
    """

    mech: Mechanism
    motion: Motion
    titles: Sequence[str]

    def own_torque(self, title: str, at: int) -> Scalar:
        """The part of a drive's torque that accelerates its motor, at a speed index, (T,)."""
        force = self._forces_by_inertia[at]
        return self._time_series(force.c[1].by.get(title, 0.0) if isinstance(force, Jet) else 0.0)

    def inertia_ratio(self, title: str, at: int) -> Scalar | None:
        """Largest load inertia over the inertia of motor and gear, both at the motor."""
        inertia = sum(spin.inertia for spin in self._motor_wheels[title])
        if not primal_value(inertia):
            return None
        # Behind a spring the motor has its own shaft, measured as an angle of the joint.
        terms = dict(motor_line(self.mech, title).terms)
        ratio = terms[at] if at in terms else max(terms.values(), key=lambda x: abs(primal_value(x)))
        return peak_magnitude(self._time_series(self._load_inertias[at])) / (inertia * ratio * ratio)

    def _time_series(self, x: Scalar) -> Scalar:
        """(T, 1) as (T,)."""
        return map_series(lambda values: values[:, 0], x, (len(self.motion.t), 1))

    @cached_property
    def _motor_wheels(self) -> dict[str, tuple[Spin, ...]]:
        """Per drive the spins that turn with its motor."""
        return {title: input_wheels(self.mech, title) for title in self.titles}

    @cached_property
    def _forces_by_inertia(self) -> list[Scalar]:
        """Forces of the motion, per speed (T, 1), with derivatives by a factor on the inertia turning with each motor.

        They are linear in the inertia of a wheel, so this derivative is sufficient.
        """
        factors = {
            spin.name: Jet([1.0, Partials({title: 1.0})])
            for title, wheels in self._motor_wheels.items()
            for spin in wheels
        }
        spins = tuple(
            spin.with_scaled_inertia(factors[spin.name]) if spin.name in factors else spin for spin in self.mech.spins
        )
        q, v, a = (column_series(x) for x in (self.motion.q, self.motion.v, self.motion.a))
        return inverse_dynamics(place_machine(replace(self.mech, spins=spins), q, SERIES_OPERATIONS), v, a)

    @cached_property
    def _load_inertias(self) -> list[Scalar]:
        """Per speed the inertia without the wheels, (T, 1)."""
        bare = approximate(self.mech, "none")
        M = mass_matrix(place_machine(bare, column_series(self.motion.q), SERIES_OPERATIONS))
        return [M[k][k] for k in range(bare.n)]
