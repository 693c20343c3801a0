"""Actuator space: what the motors see."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gearwright.errors import InputError, SingularityError
from gearwright.kernels.inputs import Array, checked, require_machine
from gearwright.mechanism import Mechanism


def structure_matrix(mech: Mechanism) -> Array:
    """A (n, actuators): its columns are the actuators' rows; speeds A' v, generalized forces A xi."""
    require_machine("structure_matrix", mech)
    if not mech.actuators:
        raise InputError(
            "structure_matrix: the machine has no actuators. Give drives to the robot, or actuators to the machine."
        )
    return np.array([actuator.row for actuator in mech.actuators], dtype=np.float64).T


def actuator_speeds(mech: Mechanism, v: ArrayLike) -> Array:
    """Motor speeds A' v [rad/s], (..., actuators)."""
    A = structure_matrix(mech)
    return checked("actuator_speeds", mech, "v", v, mech.n) @ A


def actuator_torques(mech: Mechanism, tau: ArrayLike) -> Array:
    """Motor torques xi [Nm] with A xi = tau, (..., actuators).

    Every generalized force must be one that the motors can give; a machine with fewer motors than speeds (a floating
    base, an elastic drive seen from the link side) gets an error when they cannot.
    """
    A = structure_matrix(mech)
    forces = checked("actuator_torques", mech, "tau", tau, mech.n)
    rank = int(np.linalg.matrix_rank(A))
    if rank < A.shape[1] and A.shape[1] <= mech.n:
        raise SingularityError(
            f"actuator_torques: the structure matrix has rank {rank} for {A.shape[1]} actuators "
            f"({', '.join(a.name for a in mech.actuators)}): their torques are not determined. Check their rows."
        )
    xi: Array = forces @ np.linalg.pinv(A).T
    left = np.abs(xi @ A.T - forces).max(axis=tuple(range(forces.ndim - 1)), initial=0.0)
    worst = int(np.argmax(left))
    if left[worst] > 1e-9 * (1 + np.abs(forces).max(initial=0.0)):
        raise SingularityError(
            f"actuator_torques: no motor torques give this force on {mech.speeds[worst]!r} (short by {left[worst]:.3g}"
            "): no actuator drives it. Give only forces that the motors can produce."
        )
    return xi
