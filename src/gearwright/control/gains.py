"""Gains from the model: LQR and pole placement on the linear model, natural frequency and damping ratio per joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.control.joint_side import JointSide, joint_side
from gearwright.control.joint_tracking import frequency_gains, per_joint
from gearwright.errors import InputError
from gearwright.functions import inverse_dynamics, mass_matrix
from gearwright.functions.elastic.elastic_machines import motor_motion
from gearwright.functions.elastic.shaft_equations import plan_shafts
from gearwright.functions.linearise import linearise
from gearwright.functions.public_call import whole_input
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.dynamics_programs import MASS_MATRIX
from gearwright.programs.inputs import checked_array
from gearwright.text import did_you_mean, listed_names

CONTROLLABILITY_TOLERANCE = 1e-8
"""Ratio of a singular value of [A - s, B] to the largest below which the mode is uncontrollable."""


class StateGains(NamedTuple):
    """Gains of `state_feedback`: K (inputs, 2 n), and the closed-loop poles [1/s]."""

    K: Array
    poles: NDArray[np.complex128]


@check_arguments
def joint_gains(
    robot: RobotOrMech, q: ArrayLike, frequency: ArrayLike, damping: ArrayLike = 1.0
) -> tuple[Array, Array]:
    r"""Return the gains kp and kd of `pd` for a natural frequency and damping ratio per joint.

    $k_p = M_{ii} \omega^2$, $k_d = 2 \zeta M_{ii} \omega$ at q: M includes the wheels; coupling between joints is
    neglected, and springs of elastic drives are assumed rigid.

    Args:
        robot: the robot, or a machine.
        q: configuration of the joints at which the inertia is evaluated, (joints,).
        frequency: [rad/s], one value or one per joint.
        damping: damping ratio, 1 is critical.

    >>> import gearwright as gw
    >>> kp, kd = gw.control.joint_gains(gw.load("elbow"), [0, 0, 0], frequency=10.0)
    >>> bool(np.allclose(kd, 0.2 * kp))
    True
    """
    caller = "control.joint_gains"
    side = joint_side(caller, machine_of(caller, robot))
    w, zeta = per_joint(caller, "frequency", frequency, side, above=0.0), per_joint(caller, "damping", damping, side)
    mech = side.rigid_machine
    full_q = checked_array(caller, mech, "q", whole_input(MASS_MATRIX, mech, "q", q), mech.nq)
    inertias = np.diag(mass_matrix(mech, full_q))
    kp, kd = frequency_gains(w, zeta)
    return inertias * np.array(kp), inertias * np.array(kd)


@check_arguments
def lqr(
    robot: RobotOrMech, q: ArrayLike, Q: ArrayLike, R: ArrayLike, inputs: Sequence[str] | None = None
) -> StateGains:
    r"""Return the gains that minimise $\int x' Q x + u' R u\,dt$ for the linear model at rest at q.

    Args:
        robot: the robot, or a machine; with elastic drives x includes the motors.
        q: equilibrium configuration of the joints, (joints,).
        Q: weights of the state errors [q, v]: (2 n, 2 n), or (2 n,) for its diagonal.
        R: weights of the inputs: (inputs, inputs), or (inputs,) for its diagonal.
        inputs: speeds on which forces act; by default those driven by motors.

    >>> import gearwright as gw
    >>> found = gw.control.lqr(gw.load("elbow"), [0, 0, 0], [100] * 3 + [1] * 3, [1e-3] * 3)
    >>> found.K.shape, bool((found.poles.real < 0).all())
    ((3, 6), True)
    """
    from scipy.linalg import LinAlgError, solve_continuous_are

    caller = "control.lqr"
    A, B, mech, driven = _linear_model(caller, robot, q, inputs)
    _require_controllable(caller, A, B, mech, driven, unstable_only=True)
    state, effort = _weight_matrix(caller, "Q", Q, len(A)), _weight_matrix(caller, "R", R, B.shape[1])
    try:
        P = solve_continuous_are(A, B, state, effort)
    except (LinAlgError, ValueError) as error:
        raise InputError(
            f"{caller}: the Riccati equation has no solution ({error}). Give a positive definite R, and a Q in which "
            "every mode is observable."
        ) from None
    K = np.linalg.solve(effort, B.T @ P)
    closed_loop_poles = np.linalg.eigvals(A - B @ K).astype(np.complex128)
    if closed_loop_poles.real.max() > -CONTROLLABILITY_TOLERANCE * np.abs(closed_loop_poles).max():
        raise InputError(
            f"{caller}: a pole at {_pole_text(complex(closed_loop_poles[closed_loop_poles.real.argmax()]))} 1/s is "
            "unchanged, because its mode is "
            "not observable in Q. Add weights to Q."
        )
    return StateGains(K, closed_loop_poles)


@check_arguments
def poles(robot: RobotOrMech, q: ArrayLike, desired: ArrayLike, inputs: Sequence[str] | None = None) -> StateGains:
    """Return the gains that place the poles of the linear model at rest at q.

    Args:
        robot: the robot, or a machine; with elastic drives the state includes the motors.
        q: equilibrium configuration of the joints, (joints,).
        desired: the 2 n poles of the closed loop [1/s], complex ones in conjugate pairs; multiplicity at most the
            number of inputs.
        inputs: speeds on which forces act; by default those driven by motors.
    """
    from scipy.signal import place_poles

    caller = "control.poles"
    A, B, mech, driven = _linear_model(caller, robot, q, inputs)
    _require_controllable(caller, A, B, mech, driven, unstable_only=False)
    try:
        placed = np.asarray(desired, dtype=complex)
    except (TypeError, ValueError):
        raise InputError(f"{caller}: desired={desired!r} is not a list of numbers. Give one pole per state.") from None
    if placed.shape != (len(A),) or not np.isfinite(placed).all():
        raise InputError(f"{caller}: desired has shape {placed.shape}; give {len(A)} finite poles, one per state.")
    try:
        K = place_poles(A, B, placed if placed.imag.any() else placed.real).gain_matrix
    except ValueError as error:
        raise InputError(f"{caller}: the poles cannot be placed: {error} Change them.") from None
    return StateGains(K, np.linalg.eigvals(A - B @ K).astype(np.complex128))


def _linear_model(
    caller: str, robot: RobotOrMech, q: ArrayLike, inputs: Sequence[str] | None
) -> tuple[Array, Array, Mechanism, tuple[str, ...]]:
    """Return A, B at the equilibrium, the machine, and the speeds on which forces act."""
    mech = machine_of(caller, robot)
    side = JointSide(mech) if inputs is not None and mech.closure is None else joint_side(caller, mech)
    joints = number_array(caller, "q", q, axes=1)
    if isinstance(mech, ClosedMechanism):
        if len(joints) != mech.nq:
            joints = mech.closed(joints)
    elif len(joints) != side.joint_coordinate_count:
        raise InputError(
            f"{caller}: q has {len(joints)} numbers for {side.joint_coordinate_count} joint coordinates "
            f"({listed_names(mech.coordinates[: side.joint_coordinate_count])}). Give one each."
        )
    configuration = balanced_configuration(mech, joints)
    zero = np.zeros(mech.n)
    A, B = linearise(mech, configuration, zero, inverse_dynamics(mech, configuration, zero, zero))
    driven = _driven_speeds(mech, side) if inputs is None else tuple(inputs)
    for name in driven:
        if name not in mech.speeds:
            raise InputError(f"{caller}: speed {name!r} is unknown. {did_you_mean(name, mech.speeds)}")
    if not driven:
        raise InputError(f"{caller}: no force acts on any speed, so nothing can be controlled. Name speeds in inputs=.")
    return A, B[:, [mech.speeds.index(name) for name in driven]], mech, driven


def _driven_speeds(mech: Mechanism, side: JointSide) -> tuple[str, ...]:
    """Return the speeds that motors drive; of closed loops those of the independent speeds."""
    if mech.closure is None:
        return tuple(mech.speeds[k] for k in side.driven_speeds)
    actuated = {index for actuator in mech.actuators for index, _ in actuator.terms}
    driven = tuple(mech.tree.speeds[k] for k in mech.closure.independent if k in actuated)
    return driven or mech.speeds


def balanced_configuration(mech: Mechanism, joints: Array) -> Array:
    """Return the equilibrium configuration, with the motors of elastic drives supporting the weight."""
    if not mech.shafts:
        return joints
    rest_speeds = np.zeros_like(joints)
    higher_derivatives = [rest_speeds] * max(plan_shafts(mech).order - 4, 0)
    return motor_motion(mech, joints, rest_speeds, rest_speeds, rest_speeds, rest_speeds, higher_derivatives).q


def _weight_matrix(caller: str, name: str, weights: Any, size: int) -> Array:
    matrix = number_array(caller, name, weights)
    if matrix.shape == (size,):
        matrix = np.diag(matrix)
    if matrix.shape != (size, size) or not np.allclose(matrix, matrix.T):
        raise InputError(
            f"{caller}: {name} has shape {matrix.shape}; give a symmetric matrix ({size}, {size}) or its diagonal."
        )
    return matrix


def _require_controllable(
    caller: str, A: Array, B: Array, mech: Mechanism, driven: Sequence[str], unstable_only: bool
) -> None:
    """Raise an error for an uncontrollable mode of the linear model (Popov-Belevitch-Hautus test)."""
    n, scale = mech.n, np.abs(A).max()
    scales = np.where(np.arange(2 * n) < n, np.sqrt(scale), 1.0)  # positions and speeds of one magnitude
    A, B = A * scales[:, None] / scales, B * scales[:, None]
    B = B / max(np.abs(B).max(), 1e-300) * np.sqrt(scale)
    for s in np.linalg.eigvals(A):
        if unstable_only and s.real < -CONTROLLABILITY_TOLERANCE * np.sqrt(scale):
            continue
        pencil = np.concatenate([A - s * np.eye(2 * n), B], axis=1)
        left, singular_values, _ = np.linalg.svd(pencil)
        if singular_values[-1] < CONTROLLABILITY_TOLERANCE * singular_values[0]:
            mode = np.abs(left[:, -1])  # the uncontrollable combination of states
            share = mode[:n] / scales[:n] + mode[n:]
            moving = [mech.speeds[k] for k in np.argsort(-share) if share[k] > 0.1 * share.max()]
            raise InputError(
                f"{caller}: the mode at {_pole_text(complex(s))} 1/s is not controllable by forces on "
                f"{listed_names(driven)}; in it {listed_names(moving)} move{'s' if len(moving) == 1 else ''}. Drive "
                "one of these, or lock them."
            )


def _pole_text(s: complex) -> str:
    return f"{s.real:.4g}" if abs(s.imag) < 1e-9 * (1 + abs(s)) else f"{s.real:.4g} +- {abs(s.imag):.4g}i"
