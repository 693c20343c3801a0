"""Actuator space: structure matrix, motor speeds, torques and reflected inertias."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.functions.constrained.closing import speed_directions
from gearwright.functions.dynamics import mass_matrix
from gearwright.functions.public_call import run_program
from gearwright.mechanism import Mechanism, RobotOrMech, dense_row
from gearwright.mechanism.reflected_inertia import reflected_inertia
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.inputs import checked_array, refuse_symbols
from gearwright.programs.kinematic_programs import MOTOR_RATIOS
from gearwright.programs.program import Program
from gearwright.text import listed_names

STRUCTURE_MATRIX = Program(
    "structure_matrix",
    (),
    lambda m, _ops, _x, _: [[actuator.row[k] for actuator in m.actuators] for k in range(m.n)],  # type: ignore[index]
    lambda m, _: (m.n, len(m.actuators)),
)
"""The structure matrix A for any scalar type (Chen and Wang, eq. 12)."""


def structure_matrix(mech: RobotOrMech) -> Array:
    """Return A (n, actuators): its columns are the actuators' rows; speeds A' v, generalized forces A xi.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0))
    >>> structure_matrix(gw.Mechanism([arm], actuators=[gw.Actuator("motor", [100.0])]))
    array([[100.]])
    """
    mech = machine_of("structure_matrix", mech)
    if not mech.actuators:
        raise InputError(
            "structure_matrix: the machine has no actuators. Give drives to the robot, or actuators to the machine."
        )
    try:
        return _independent_rows(mech, np.array([actuator.row for actuator in mech.actuators], dtype=np.float64).T)
    except TypeError:
        refuse_symbols("structure_matrix", mech)
        raise


def _independent_rows(mech: Mechanism, A: Array) -> Array:
    """Return the rows (f, actuators) of the independent speeds of a machine with closed loops; A without loops."""
    if mech.closure is None:
        return A
    rest = np.delete(A, mech.closure.independent, axis=0)
    if rest.any():
        dependent_motors = [x.name for x, column in zip(mech.actuators, rest.T, strict=True) if column.any()]
        raise InputError(
            f"structure_matrix: {listed_names(dependent_motors)} drive dependent joints of closed loops, so the "
            "matrix changes with the configuration. State the driven joints as independent "
            "(gw.assemble(robot, independent=[...])), or give mech.tree."
        )
    return A[list(mech.closure.independent)]


def motor_shares(mech: RobotOrMech) -> dict[str, Array]:
    """Return per actuator the row that maps generalized forces to its torque.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0))
    >>> motor_shares(gw.Mechanism([arm], actuators=[gw.Actuator("motor", [100.0])]))
    {'motor': array([0.01])}
    """
    mech = machine_of("motor_shares", mech)
    if not mech.actuators:
        return {}
    inverse = np.linalg.pinv(structure_matrix(mech))
    return {actuator.name: inverse[k] for k, actuator in enumerate(mech.actuators)}


def actuator_speeds(mech: RobotOrMech, v: ArrayLike) -> Array:
    """Return the motor speeds A' v [rad/s], (..., actuators)."""
    mech = machine_of("actuator_speeds", mech)
    A = structure_matrix(mech)
    return number_array("actuator_speeds", "v", checked_array("actuator_speeds", mech, "v", v, mech.n)) @ A


def actuator_torques(mech: RobotOrMech, tau: ArrayLike) -> Array:
    """Return the motor torques xi [Nm] with A xi = tau, (..., actuators).

    With redundant motors this is the minimum-norm solution; `actuator_redundancy` returns the combinations that may be
    added. The generalized forces must be in the range of the motors; otherwise, for example for a floating base or an
    elastic drive, an error is raised.
    """
    mech = machine_of("actuator_torques", mech)
    A = structure_matrix(mech)
    forces = checked_array("actuator_torques", mech, "tau", tau, mech.n)
    rank = int(np.linalg.matrix_rank(A))
    if rank < min(A.shape):
        raise SingularityError(f"actuator_torques: {_rank_problem(mech, A, rank)}")
    xi: Array = forces @ np.linalg.pinv(A).T  # Chen (22)-(23), (46)
    left = np.abs(xi @ A.T - forces).max(axis=tuple(range(forces.ndim - 1)), initial=0.0)
    worst = int(np.argmax(left))
    if left[worst] > 1e-9 * (1 + np.abs(forces).max(initial=0.0)):
        count = f"{A.shape[1]} motors ({listed_names(a.name for a in mech.actuators)}) for {mech.n} speeds"
        raise SingularityError(
            f"actuator_torques: the motors cannot produce the force on {mech.speeds[worst]!r} (missing: "
            f"{left[worst]:.3g} N or Nm): {count}. Give forces that the motors can produce, or add a motor."
        )
    return xi


def _rank_problem(mech: Mechanism, A: Array, rank: int) -> str:
    """Return the message for a rank-deficient structure matrix, with the combination of motors or speeds."""
    motors = listed_names(a.name for a in mech.actuators)
    more_motors = A.shape[1] > A.shape[0]
    idle = np.linalg.svd(A)[0][:, -1] if more_motors else np.linalg.svd(A)[2][-1]
    names = mech.speeds if more_motors else tuple(a.name for a in mech.actuators)
    share = " ".join(
        f"{x:+.4g} {name}" for x, name in zip(idle / np.abs(idle).max(), names, strict=True) if abs(x) > 1e-9
    )
    problem = "no motor moves the speeds" if more_motors else "these motor torques have no effect:"
    return (
        f"the structure matrix is singular: rank {rank} for {mech.n} speeds and {A.shape[1]} motors ({motors}); "
        f"{problem} {share}. Check the trains: two motors may turn the same shaft."
    )


@dataclass(frozen=True)
class ActuatorRedundancy:
    """Rank and null spaces of the structure matrix.

    Args:
        rank: number of independent generalized forces that the motors can produce.
        surplus: (actuators, k): unit torque combinations without effect on the motion, in which motors only act
            against each other; any multiple may be added to `actuator_torques`.
        missing: (n, m): unit combinations of generalized forces that no motor torques can produce.
    """

    rank: int
    surplus: Array
    missing: Array


def actuator_redundancy(mech: RobotOrMech) -> ActuatorRedundancy:
    """Return rank and null spaces of the structure matrix."""
    A = structure_matrix(machine_of("actuator_redundancy", mech))
    U, sizes, Vt = np.linalg.svd(A)
    rank = int((sizes > 1e-12 * max(sizes.max(initial=0.0), 1e-300) * max(A.shape)).sum())
    return ActuatorRedundancy(rank, Vt[rank:].T, U[:, rank:])


@check_arguments
def motor_ratios(mech: RobotOrMech, q: ArrayLike) -> Array:
    r"""Return motor speed per speed, (..., actuators, n); motor speeds are their product with v.

    For an open tree these are the constant rows A' of the structure matrix. With closed loops they are $A' G(q)$ in the
    independent speeds and depend on the configuration.

    Args:
        mech: the machine, or a robot.
        q: configuration [rad, m], (..., nq).

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0))
    >>> motor_ratios(gw.Mechanism([arm], actuators=[gw.Actuator("motor", [100.0])]), [0.3])
    array([[100.]])
    """
    return run_program(MOTOR_RATIOS, mech, (q,))


def reflected_inertias(mech: RobotOrMech, q: ArrayLike) -> Array:
    r"""Return the reflected inertia of all wheels at each speed [kg m2; kg for a sliding joint], (n,), at one q.

    $\sum_j J_j (b_j' G)_r^2$ with the ratio rows $b_j$. G maps the independent speeds of closed loops to all speeds; it
    is the identity for an open tree.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))
    >>> rotor = gw.Spin("rotor", "base", axis=(0, 0, 1), inertia=1e-4, ratio=[100])
    >>> reflected_inertias(gw.Mechanism([arm], [rotor]), [0.0])
    array([1.])
    """
    machine = machine_of("reflected_inertias", mech)
    if not isinstance(machine, ClosedMechanism):
        return np.array(reflected_inertia(machine), dtype=np.float64)
    rows = np.array([dense_row(spin.terms, machine.tree.n) for spin in machine.spins]).reshape(-1, machine.tree.n)
    ratios = rows @ speed_directions(machine, q)
    return np.asarray(np.array([float(spin.inertia) for spin in machine.spins]) @ ratios**2)


def motor_inertias(mech: RobotOrMech, q: ArrayLike) -> Array:
    r"""Return the total inertia at each motor shaft [kg m2], (..., actuators), with the other motors without torque.

    $J_k = 1 / (a_k' M^{-1} a_k)$ with $a_k$ the motor's column of the structure matrix: torque per acceleration of the
    rotor relative to the stator.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))
    >>> rotor = gw.Spin("rotor", "base", axis=(0, 0, 1), inertia=1e-4, ratio=[100])
    >>> motor_inertias(gw.Mechanism([arm], [rotor], actuators=[gw.Actuator("motor", [100])]), [0.0])   # 1.6 / 100^2
    array([0.00016])
    """
    mech = machine_of("motor_inertias", mech)
    A = np.swapaxes(motor_ratios(mech, q), -1, -2)
    mobilities = np.einsum("...ik,...ik->...k", A, np.linalg.solve(mass_matrix(mech, q), A))
    result: Array = 1 / mobilities
    return result
