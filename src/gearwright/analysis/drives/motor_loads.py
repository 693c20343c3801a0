"""What turns with the motors of a machine along a motion, against what they move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.differentiation.taylor_series import Jet
from gearwright.analysis.parametric_series import OF_SERIES, columns, largest_size, mapped
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place
from gearwright.forces.robot_lines import motor_line
from gearwright.forces.transmission.gear_wheels import wheels_before
from gearwright.mechanism import Mechanism, Spin, approximate
from gearwright.motion_demands.sensitivity import AnyMotion


@dataclass(frozen=True)
class MotorLoads:
    """A machine along a motion, both of which may vary.

    Args:
        mech: the machine.
        motion: of all its coordinates, with t, q, v and a.
        titles: of its drives.
    """

    mech: Mechanism
    motion: AnyMotion
    titles: Sequence[str]

    def own_torque(self, title: str, at: int) -> Scalar:
        """The part of a drive's torque at a speed that only turns its motor, (T,)."""
        force = self._forces[at]
        return self._series(force.c[1].by.get(title, 0.0) if isinstance(force, Jet) else 0.0)

    def inertia_ratio(self, title: str, at: int) -> Scalar | None:
        """Largest inertia of the load at its joint's speed against that of motor and gear, both at the motor."""
        inertia = sum(spin.inertia for spin in self._wheels[title])
        if not value_of(inertia):
            return None
        # Behind a spring the motor turns with a shaft of its own, which counts the joint's angle.
        terms = dict(motor_line(self.mech, title).terms)
        ratio = terms[at] if at in terms else max(terms.values(), key=lambda x: abs(value_of(x)))
        return largest_size(self._series(self._load_inertias[at])) / (inertia * ratio * ratio)

    def _series(self, x: Scalar) -> Scalar:
        """(T, 1) as (T,)."""
        return mapped(lambda values: values[:, 0], x, (len(self.motion.t), 1))

    @cached_property
    def _wheels(self) -> dict[str, tuple[Spin, ...]]:
        """Per drive what turns with its motor."""
        return {title: wheels_before(self.mech, title) for title in self.titles}

    @cached_property
    def _forces(self) -> list[Scalar]:
        """Forces of the motion, per speed (T, 1), with slopes by a factor of the inertia that turns with each motor.

        They are linear in the inertia of a wheel, so that this slope is all that it needs.
        """
        factors = {spin.name: Jet([1.0, Slopes({title: 1.0})]) for title, own in self._wheels.items() for spin in own}
        spins = tuple(spin.times(factors[spin.name]) if spin.name in factors else spin for spin in self.mech.spins)
        q, v, a = (columns(x) for x in (self.motion.q, self.motion.v, self.motion.a))
        return inverse_dynamics(place(replace(self.mech, spins=spins), q, OF_SERIES), v, a)

    @cached_property
    def _load_inertias(self) -> list[Scalar]:
        """Per speed the inertia of all but the wheels, (T, 1)."""
        bare = approximate(self.mech, "none")
        M = mass_matrix(place(bare, columns(self.motion.q), OF_SERIES))
        return [M[k][k] for k in range(bare.n)]
