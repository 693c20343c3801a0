"""Inertia that turns with the motors of a machine, compared with the inertia of their loads, along a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright.algebra import Scalar, is_zero
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.analysis.parametric_series import SERIES_OPERATIONS, column_series, map_series, peak_magnitude
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place_machine
from gearwright.forces.robot_lines import motor_line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.forces.transmission.gear_wheels import axial_torque, input_wheels
from gearwright.mechanism import Mechanism, Spin
from gearwright.motion import Motion
from gearwright.programs import approximate


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

    def rotor_torque(self, title: str) -> Scalar:
        """The torque that accelerates a motor and the input of its gear, at the motor [Nm], (T,)."""
        row, offset = self._turning_torques[title]
        products = (x * a for x, a in zip(row, column_series(self.motion.a), strict=True) if not is_zero(x))
        return self._time_series(sum(products, offset))

    def rotor_inertia(self, title: str, at: int) -> Scalar:
        """The part of `rotor_torque` per acceleration of a speed, (T,)."""
        return self._time_series(self._turning_torques[title][0][at])

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
    def _turning_torques(self) -> dict[str, tuple[list[Scalar], Scalar]]:
        """Per drive row and offset of the torque that turns its wheels, as an affine function of accelerations."""
        q, v = (column_series(x) for x in (self.motion.q, self.motion.v))
        kinematics = SharedKinematics(self.mech, q, v, SERIES_OPERATIONS)
        return {
            title: axial_torque(kinematics, wheels, motor_line(self.mech, title).terms[0][1])
            for title, wheels in self._motor_wheels.items()
        }

    @cached_property
    def _load_inertias(self) -> list[Scalar]:
        """Per speed the inertia without the wheels, (T, 1)."""
        bare = approximate(self.mech, "none")
        M = mass_matrix(place_machine(bare, column_series(self.motion.q), SERIES_OPERATIONS))
        return [M[k][k] for k in range(bare.n)]
