"""A machine as its controllers see it: joints that are to move, and forces that its motors can give."""

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
from gearwright.mechanism import Mechanism, approximate
from gearwright.mechanism.rows import along
from gearwright.planning.kinematics.joint_ranges import Joints
from gearwright.system.controllers.control_law import ControlLaw
from gearwright.text import did_you_mean, listed

JOINT, MOTOR, BOTH = "joint", "motor", "both"
FEEDBACKS = (JOINT, MOTOR, BOTH)
"""Where the motion of an elastic drive is measured; both: the position at the joint, the speed at the motor."""

Rows = tuple[tuple[tuple[int, float], ...], ...]
"""A sparse matrix: per row its (column, number)."""


@dataclass(frozen=True)
class JointSide:
    """Joints and the forces that drive them, with elastic drives or without.

    With springs at rest all speeds follow from those of the joints, v = E v_joints. Forces act on the driven speeds:
    joints that no spring ties to a shaft, and shafts that a motor turns. There u joint-side forces mean
    tau_driven = (E_driven')^-1 u, so that with stiff springs the joints feel u. Without shafts all of it is the
    identity.

    Args:
        mech: the machine.
    """

    mech: Mechanism

    @cached_property
    def count(self) -> int:
        """Number of joint speeds."""
        return first_shaft(self.mech)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The joints' speeds by name."""
        return tuple(self.mech.speeds[: self.count])

    @cached_property
    def rigid(self) -> Mechanism:
        """The machine with stiff springs."""
        return approximate(self.mech, "rigid") if self.mech.shafts else self.mech

    @cached_property
    def carried(self) -> Array:
        """E: all speeds per unit of each joint's, springs at rest, (n, joints)."""
        return Joints.of(self.mech).carried

    @cached_property
    def rest(self) -> Array:
        """What the coordinates of all speeds are with the joints at zero and springs at rest, (n,)."""
        rest = np.zeros(self.mech.n)
        if self.mech.shafts:
            rest[self.count :] = Joints.of(self.mech).springs[1]
        return rest

    @cached_property
    def driven(self) -> tuple[int, ...]:
        """The speeds on which forces act, one per joint."""
        tied = np.abs(self.carried[self.count :]).sum(axis=0) > 0 if self.mech.shafts else np.zeros(self.count, bool)
        shafts = range(self.count, self.mech.n)
        turned = {k for one in self.mech.actuators for k, x in enumerate(one.row) if x}
        driven = [k for k in shafts if k in turned] if turned & set(shafts) else list(shafts)
        found = (*(k for k in range(self.count) if not tied[k]), *driven)
        if len(found) != self.count or np.linalg.matrix_rank(self.carried[list(found)]) < self.count:
            raise InputError(
                f"control: forces act on {listed(self.mech.speeds[k] for k in found)}, which do not decide all joints "
                f"({listed(self.names)}). Give every elastic joint a motor of its own, or use approximate(mech, "
                "'rigid')."
            )
        return found

    @property
    def outputs(self) -> tuple[str, ...]:
        """The forces by name."""
        return tuple(f"tau.{self.mech.speeds[k]}" for k in self.driven)

    @cached_property
    def _to_motors(self) -> Rows:
        return sparse(np.linalg.inv(self.carried[list(self.driven)].T))

    @cached_property
    def _to_joints(self) -> Rows:
        return sparse(np.linalg.inv(self.carried[list(self.driven)]))

    @cached_property
    def compliance(self) -> Rows:
        """How far the motors turn, at the joint side, per unit of joint-side force on standing joints."""
        first, driven = self.count, list(self.driven)
        stiffness = np.array(spring_matrices(self.mech).stiffness, dtype=float)[first:, first:]
        give = np.zeros((self.mech.n, self.mech.n))
        give[first:, first:] = np.linalg.pinv(stiffness)
        inverse = np.linalg.inv(self.carried[driven])
        return sparse(inverse @ give[np.ix_(driven, driven)] @ inverse.T)

    def joint_torques(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """What the springs of elastic drives bring to the joints, as torque sensors there measure it."""
        found: list[Scalar] = [0.0] * self.count
        for spring in self.mech.springs:
            if any(k >= self.count for k, _ in spring.terms):
                force = -spring.stiffness * (along(spring.terms, q) - spring.rest) - spring.damping * along(
                    spring.terms, v
                )
                for k, factor in spring.terms:
                    if k < self.count:
                        found[k] = found[k] + factor * force
        return found

    def forces(self, u: Sequence[Scalar]) -> list[Scalar]:
        """Forces on the driven speeds from joint-side ones."""
        return list(u) if not self.mech.shafts else product(self._to_motors, u)

    def position(self, q: Sequence[Scalar], feedback: str) -> list[Scalar]:
        """Coordinates of the joints as measured there, or as the motors show them."""
        if feedback != MOTOR or not self.mech.shafts:
            return list(q[: self.joint_coordinates])
        return product(self._to_joints, [q[k] - float(self.rest[k]) for k in self.driven])

    def speed(self, v: Sequence[Scalar], feedback: str) -> list[Scalar]:
        """Speeds of the joints as measured there, or as the motors show them."""
        if feedback == JOINT or not self.mech.shafts:
            return list(v[: self.count])
        return product(self._to_joints, [v[k] for k in self.driven])

    @property
    def joint_coordinates(self) -> int:
        """Number of coordinates of the joints."""
        return self.mech.nq - len(self.mech.shafts)


class JointSideLaw(ControlLaw):
    """A law that pushes the driven speeds of a machine with elastic drives or without."""

    @cached_property
    def side(self) -> JointSide:
        """The machine as joints and forces."""
        return JointSide(self.mech)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Forces on the driven speeds."""
        return self.side.outputs


def joint_side(caller: str, mech: Mechanism) -> JointSide:
    """A machine as controllers see it; elastic ones must have a motor per joint."""
    side = JointSide(mech)
    if not mech.n:
        raise InputError(f"{caller}: the machine has no joint that moves. Give a robot with joints.")
    if mech.shafts and not mech.straight:
        raise InputError(
            f"{caller}: the machine has elastic drives and free, spherical or planar joints. Controllers take one or "
            "the other: use approximate(mech, 'rigid')."
        )
    if mech.shafts:
        _ = side.driven
    return side


def known_feedback(caller: str, feedback: str) -> str:
    """One of the places where motion is measured."""
    if feedback not in FEEDBACKS:
        raise InputError(f"{caller}: feedback={feedback!r} is not known. {did_you_mean(feedback, FEEDBACKS)}")
    return feedback


def product(rows: Rows, x: Sequence[Scalar]) -> list[Scalar]:
    """A sparse matrix times a vector."""
    found: list[Scalar] = []
    for row in rows:
        total: Scalar = 0.0
        for k, factor in row:
            total = total + factor * x[k]
        found.append(total)
    return found


def sparse(matrix: NDArray[np.floating[Any]]) -> Rows:
    """What is not zero of a matrix."""
    return tuple(tuple((k, float(x)) for k, x in enumerate(row) if abs(x) > 1e-14) for row in matrix.tolist())
