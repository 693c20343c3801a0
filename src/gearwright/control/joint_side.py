"""The joint side of a machine: controlled joints and the forces of its motors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import Scalar
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft, spring_matrices
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, row_dot
from gearwright.planning.kinematics.joint_ranges import JointRanges
from gearwright.programs import approximate
from gearwright.system import ControlLaw
from gearwright.text import did_you_mean, listed_names

JOINT_FEEDBACK, MOTOR_FEEDBACK, BOTH_FEEDBACKS = "joint", "motor", "both"
KNOWN_FEEDBACKS = (JOINT_FEEDBACK, MOTOR_FEEDBACK, BOTH_FEEDBACKS)
"""Side on which the motion of an elastic drive is measured; both: position at the joint, speed at the motor."""

SparseRows = tuple[tuple[tuple[int, float], ...], ...]
"""A sparse matrix: pairs (column, number) per row."""


@dataclass(frozen=True)
class JointSide:
    """Joints and the forces that drive them, with or without elastic drives.

    With undeflected springs all speeds follow from those of the joints, v = E v_joints. Forces act on the driven
    speeds: joints without a spring, and shafts with a motor. Joint-side forces u correspond to tau_driven =
    (E_driven')^-1 u, so that with rigid springs u acts on the joints. Without shafts E is the identity.

    Args:
        mech: the machine.
    """

    mech: Mechanism

    @cached_property
    def joint_count(self) -> int:
        """Number of joint speeds."""
        return first_shaft(self.mech)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The joints' speeds by name."""
        return tuple(self.mech.speeds[: self.joint_count])

    @cached_property
    def rigid_machine(self) -> Mechanism:
        """The machine with rigid springs."""
        return approximate(self.mech, "rigid") if self.mech.shafts else self.mech

    @cached_property
    def speed_matrix(self) -> Array:
        """E: all speeds per unit speed of each joint, springs undeflected, (n, joints)."""
        return JointRanges.from_robot(self.mech).speed_matrix

    @cached_property
    def rest_coordinates(self) -> Array:
        """The coordinates of all speeds with the joints at zero and springs undeflected, (n,)."""
        coordinates = np.zeros(self.mech.n)
        if self.mech.shafts:
            coordinates[self.joint_count :] = JointRanges.from_robot(self.mech).unloaded_shaft_relation[1]
        return coordinates

    @cached_property
    def driven_speeds(self) -> tuple[int, ...]:
        """The speeds on which forces act, one per joint."""
        if self.mech.closure is not None:
            return tuple(range(self.joint_count if self.mech.shafts else 0, self.mech.n))
        is_elastic = (
            np.abs(self.speed_matrix[self.joint_count :]).sum(axis=0) > 0
            if self.mech.shafts
            else np.zeros(self.joint_count, bool)
        )
        shafts = range(self.joint_count, self.mech.n)
        actuated = {k for actuator in self.mech.actuators for k, x in enumerate(actuator.row) if x}
        driven_shafts = [k for k in shafts if k in actuated] if actuated & set(shafts) else list(shafts)
        driven = (*(k for k in range(self.joint_count) if not is_elastic[k]), *driven_shafts)
        if len(driven) != self.joint_count or np.linalg.matrix_rank(self.speed_matrix[list(driven)]) < self.joint_count:
            raise InputError(
                f"control: forces act on {listed_names(self.mech.speeds[k] for k in driven)}, which do not determine "
                f"all joints ({listed_names(self.joint_names)}). Give every elastic joint its own motor, or use "
                "approximate(mech, 'rigid')."
            )
        return driven

    @property
    def output_names(self) -> tuple[str, ...]:
        """The forces by name."""
        return tuple(f"tau.{self.mech.speeds[k]}" for k in self.driven_speeds)

    @cached_property
    def _to_motors(self) -> SparseRows:
        return sparse_rows(np.linalg.inv(self.speed_matrix[list(self.driven_speeds)].T))

    @cached_property
    def _to_joints(self) -> SparseRows:
        return sparse_rows(np.linalg.inv(self.speed_matrix[list(self.driven_speeds)]))

    @cached_property
    def joint_compliance(self) -> SparseRows:
        """Rotation of the motors on the joint side per unit of joint-side force, with the joints at rest."""
        first, driven = self.joint_count, list(self.driven_speeds)
        stiffness = np.array(spring_matrices(self.mech).stiffness, dtype=float)[first:, first:]
        shaft_compliance = np.zeros((self.mech.n, self.mech.n))
        shaft_compliance[first:, first:] = np.linalg.pinv(stiffness)
        inverse = np.linalg.inv(self.speed_matrix[driven])
        return sparse_rows(inverse @ shaft_compliance[np.ix_(driven, driven)] @ inverse.T)

    def joint_torques(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """Return the torques of the springs of elastic drives on the joints, as joint torque sensors measure them."""
        torques: list[Scalar] = [0.0] * self.joint_count
        for spring in self.mech.springs:
            if any(k >= self.joint_count for k, _ in spring.terms):
                force = -spring.stiffness * (row_dot(spring.terms, q) - spring.rest) - spring.damping * row_dot(
                    spring.terms, v
                )
                for k, factor in spring.terms:
                    if k < self.joint_count:
                        torques[k] = torques[k] + factor * force
        return torques

    def driven_forces(self, u: Sequence[Scalar]) -> list[Scalar]:
        """Return forces on the driven speeds from joint-side forces."""
        return list(u) if not self.mech.shafts else sparse_product(self._to_motors, u)

    def joint_positions(self, q: Sequence[Scalar], feedback: str) -> list[Scalar]:
        """Return the coordinates of the joints, measured there or at the motors."""
        if feedback != MOTOR_FEEDBACK or not self.mech.shafts:
            return list(q[: self.joint_coordinate_count])
        return sparse_product(self._to_joints, [q[k] - float(self.rest_coordinates[k]) for k in self.driven_speeds])

    def joint_speeds(self, v: Sequence[Scalar], feedback: str) -> list[Scalar]:
        """Return the speeds of the joints, measured there or at the motors."""
        if feedback == JOINT_FEEDBACK or not self.mech.shafts:
            return list(v[: self.joint_count])
        return sparse_product(self._to_joints, [v[k] for k in self.driven_speeds])

    @property
    def joint_coordinate_count(self) -> int:
        """Number of coordinates of the joints."""
        return self.mech.nq - len(self.mech.shafts)


class JointSideLaw(ControlLaw):
    """A law with forces on the driven speeds of a machine, with or without elastic drives."""

    @cached_property
    def joint_side(self) -> JointSide:
        """The joint side of the machine."""
        return JointSide(self.mech)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Forces on the driven speeds."""
        return self.joint_side.output_names


def joint_side(caller: str, mech: Mechanism) -> JointSide:
    """Return the joint side of a machine; elastic ones must have a motor per joint."""
    side = JointSide(mech)
    if not mech.n:
        raise InputError(f"{caller}: the machine has no movable joint. Give a robot with joints.")
    if mech.closure is not None and (mech.shafts or not mech.tree.speeds_are_rates):
        raise InputError(
            f"{caller}: the machine has closed loops, and elastic drives or free, spherical or planar joints. "
            "Controllers support closed loops of rigid drives: use gw.approximate(mech, 'rigid')."
        )
    if mech.shafts and not mech.speeds_are_rates:
        raise InputError(
            f"{caller}: the machine has elastic drives and free, spherical or planar joints. Controllers support one "
            "or the other: use approximate(mech, 'rigid')."
        )
    if mech.shafts:
        _ = side.driven_speeds
    return side


def checked_feedback(caller: str, feedback: str) -> str:
    """Return the side of measurement if it is known."""
    if feedback not in KNOWN_FEEDBACKS:
        raise InputError(f"{caller}: feedback={feedback!r} is unknown. {did_you_mean(feedback, KNOWN_FEEDBACKS)}")
    return feedback


def sparse_product(rows: SparseRows, x: Sequence[Scalar]) -> list[Scalar]:
    """Return a sparse matrix times a vector."""
    result: list[Scalar] = []
    for row in rows:
        total: Scalar = 0.0
        for k, factor in row:
            total = total + factor * x[k]
        result.append(total)
    return result


def sparse_rows(matrix: NDArray[np.floating[Any]]) -> SparseRows:
    """Return the nonzero elements of a matrix, row by row."""
    return tuple(tuple((k, float(x)) for k, x in enumerate(row) if abs(x) > 1e-14) for row in matrix.tolist())
