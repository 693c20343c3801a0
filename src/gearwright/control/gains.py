"""Gains from the model: LQR and pole placement on the linear model, natural frequency and damping per joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers
from gearwright.arrays import Array
from gearwright.control.joint_side import JointSide, joint_side
from gearwright.control.joint_tracking import frequency_gains, per_joint
from gearwright.errors import InputError
from gearwright.functions.dynamics import inverse_dynamics, mass_matrix
from gearwright.functions.elastic.elastic_machines import motor_motion
from gearwright.functions.elastic.shaft_equations import plan
from gearwright.functions.linearise import linearise
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.programs.inputs import checked
from gearwright.text import did_you_mean, listed

CONTROLLABLE = 1e-8
"""Size below which a singular value of [A - s, B], scaled by the largest, is zero: inputs do not reach that mode."""


class StateGains(NamedTuple):
    """Gains of `state_feedback`: K (inputs, 2 n), and the poles [1/s] of the loop they close."""

    K: Array
    poles: NDArray[np.complex128]


@check_arguments
def joint_gains(
    robot: RobotOrMech, q: ArrayLike, frequency: ArrayLike, damping: ArrayLike = 1.0
) -> tuple[Array, Array]:
    r"""The gains kp and kd of `pd` for a natural frequency and damping per joint.

    $k_p = M_{ii} \omega^2$, $k_d = 2 \zeta M_{ii} \omega$ at q: wheels are in M, coupling between joints is left out,
    and springs of elastic drives are taken as stiff.

    Args:
        robot: the robot, or a machine.
        q: configuration of the joints at which the inertia is taken, (joints,).
        frequency: [rad/s], one number or one per joint.
        damping: 1 is critical.

    >>> import gearwright as gw
    >>> kp, kd = gw.control.joint_gains(gw.load("elbow"), [0, 0, 0], frequency=10.0)
    >>> bool(np.allclose(kd, 0.2 * kp))
    True
    """
    caller = "control.joint_gains"
    side = joint_side(caller, machine_of(caller, robot))
    w, zeta = per_joint(caller, "frequency", frequency, side, above=0.0), per_joint(caller, "damping", damping, side)
    felt = np.diag(mass_matrix(side.rigid, checked(caller, side.rigid, "q", q, side.rigid.nq)))
    kp, kd = frequency_gains(w, zeta)
    return felt * np.array(kp), felt * np.array(kd)


@check_arguments
def lqr(
    robot: RobotOrMech, q: ArrayLike, Q: ArrayLike, R: ArrayLike, inputs: Sequence[str] | None = None
) -> StateGains:
    r"""The gains that make $\int x' Q x + u' R u\,dt$ least for the linear model at rest at q.

    Args:
        robot: the robot, or a machine; of an elastic one x has the motors too.
        q: configuration of the joints, held in balance, (joints,).
        Q: weights of the state errors [q, v]: (2 n, 2 n), or (2 n,) for its diagonal.
        R: weights of the inputs: (inputs, inputs), or (inputs,) for its diagonal.
        inputs: speeds on which forces act; those that motors drive unless given.

    >>> import gearwright as gw
    >>> found = gw.control.lqr(gw.load("elbow"), [0, 0, 0], [100] * 3 + [1] * 3, [1e-3] * 3)
    >>> found.K.shape, bool((found.poles.real < 0).all())
    ((3, 6), True)
    """
    from scipy.linalg import LinAlgError, solve_continuous_are

    caller = "control.lqr"
    A, B, mech, acting = _linear(caller, robot, q, inputs)
    _require_reached(caller, A, B, mech, acting, unstable_only=True)
    state, effort = _weights(caller, "Q", Q, len(A)), _weights(caller, "R", R, B.shape[1])
    try:
        P = solve_continuous_are(A, B, state, effort)
    except (LinAlgError, ValueError) as error:
        raise InputError(
            f"{caller}: there is no solution ({error}). Give a positive definite R, and a Q that sees every mode."
        ) from None
    K = np.linalg.solve(effort, B.T @ P)
    found = np.linalg.eigvals(A - B @ K).astype(np.complex128)
    if found.real.max() > -CONTROLLABLE * np.abs(found).max():
        raise InputError(
            f"{caller}: a pole at {_pole(complex(found[found.real.argmax()]))} 1/s is left where it is, because Q does "
            "not see its mode. Give more weights in Q."
        )
    return StateGains(K, found)


@check_arguments
def poles(robot: RobotOrMech, q: ArrayLike, wanted: ArrayLike, inputs: Sequence[str] | None = None) -> StateGains:
    """The gains that put the poles of the linear model at rest at q where they are wanted.

    Args:
        robot: the robot, or a machine; of an elastic one the state has the motors too.
        q: configuration of the joints, held in balance, (joints,).
        wanted: 2 n poles [1/s], complex ones in pairs; none more often than there are inputs.
        inputs: speeds on which forces act; those that motors drive unless given.
    """
    from scipy.signal import place_poles

    caller = "control.poles"
    A, B, mech, acting = _linear(caller, robot, q, inputs)
    _require_reached(caller, A, B, mech, acting, unstable_only=False)
    try:
        asked = np.asarray(wanted, dtype=complex)
    except (TypeError, ValueError):
        raise InputError(f"{caller}: wanted={wanted!r} is not a list of numbers. Give one pole per state.") from None
    if asked.shape != (len(A),) or not np.isfinite(asked).all():
        raise InputError(f"{caller}: wanted has shape {asked.shape}; give {len(A)} finite poles, one per state.")
    try:
        K = place_poles(A, B, asked if asked.imag.any() else asked.real).gain_matrix
    except ValueError as error:
        raise InputError(f"{caller}: the poles cannot be placed: {error} Change them.") from None
    return StateGains(K, np.linalg.eigvals(A - B @ K).astype(np.complex128))


def _linear(
    caller: str, robot: RobotOrMech, q: ArrayLike, inputs: Sequence[str] | None
) -> tuple[Array, Array, Mechanism, tuple[str, ...]]:
    """A, B of the balanced machine, the machine, and the speeds on which forces act."""
    mech = machine_of(caller, robot)
    side = JointSide(mech) if inputs is not None else joint_side(caller, mech)
    joints = numbers(caller, "q", q, axes=1)
    if len(joints) != side.joint_coordinates:
        raise InputError(
            f"{caller}: q has {len(joints)} numbers for {side.joint_coordinates} joint coordinates "
            f"({listed(mech.coordinates[: side.joint_coordinates])}). Give one each."
        )
    whole = balanced(mech, joints)
    zero = np.zeros(mech.n)
    A, B = linearise(mech, whole, zero, inverse_dynamics(mech, whole, zero, zero))
    acting = tuple(mech.speeds[k] for k in side.driven) if inputs is None else tuple(inputs)
    for name in acting:
        if name not in mech.speeds:
            raise InputError(f"{caller}: there is no speed {name!r}. {did_you_mean(name, mech.speeds)}")
    if not acting:
        raise InputError(f"{caller}: no force acts on any speed, so nothing can be controlled. Name some in inputs=.")
    return A, B[:, [mech.speeds.index(name) for name in acting]], mech, acting


def balanced(mech: Mechanism, joints: Array) -> Array:
    """The configuration with the motors of elastic drives where they carry the weight."""
    if not mech.shafts:
        return joints
    still = np.zeros_like(joints)
    further = [still] * max(plan(mech).order - 4, 0)
    return motor_motion(mech, joints, still, still, still, still, further).q


def _weights(caller: str, name: str, given: Any, size: int) -> Array:
    found = numbers(caller, name, given)
    if found.shape == (size,):
        found = np.diag(found)
    if found.shape != (size, size) or not np.allclose(found, found.T):
        raise InputError(
            f"{caller}: {name} has shape {found.shape}; give a symmetric matrix ({size}, {size}) or its diagonal."
        )
    return found


def _require_reached(
    caller: str, A: Array, B: Array, mech: Mechanism, acting: Sequence[str], unstable_only: bool
) -> None:
    """Refuse a linear model with a mode that the inputs do not reach (Popov, Belevitch and Hautus), naming it."""
    n, scale = mech.n, np.abs(A).max()
    size = np.where(np.arange(2 * n) < n, np.sqrt(scale), 1.0)  # positions and speeds of one size
    A, B = A * size[:, None] / size, B * size[:, None]
    B = B / max(np.abs(B).max(), 1e-300) * np.sqrt(scale)
    for s in np.linalg.eigvals(A):
        if unstable_only and s.real < -CONTROLLABLE * np.sqrt(scale):
            continue
        pencil = np.concatenate([A - s * np.eye(2 * n), B], axis=1)
        left, sizes, _ = np.linalg.svd(pencil)
        if sizes[-1] < CONTROLLABLE * sizes[0]:
            idle = np.abs(left[:, -1])  # the combination of states that no input reaches
            share = idle[:n] / size[:n] + idle[n:]
            moving = [mech.speeds[k] for k in np.argsort(-share) if share[k] > 0.1 * share.max()]
            raise InputError(
                f"{caller}: forces on {listed(acting)} do not reach the mode at {_pole(complex(s))} 1/s, in which "
                f"{listed(moving)} move{'s' if len(moving) == 1 else ''}. Drive one of these, or hold them."
            )


def _pole(s: complex) -> str:
    return f"{s.real:.4g}" if abs(s.imag) < 1e-9 * (1 + abs(s)) else f"{s.real:.4g} +- {abs(s.imag):.4g}i"
