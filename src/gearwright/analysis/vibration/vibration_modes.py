"""Vibration modes of an elastic machine about a configuration: frequencies, damping ratios and mode shapes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.analysis.vibration.closed_oscillators import Oscillator, closed_joints, closed_oscillator
from gearwright.analysis.vibration.complex_modes import ComplexArray, damped_modes
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import mass_matrix, speed_directions, structure_matrix
from gearwright.functions.actuation import motor_ratios
from gearwright.functions.elastic.shaft_equations import stiffness_and_damping
from gearwright.functions.public_call import program_derivative
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.plots import notebook_html, pole_figure, save_if_path
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.dynamics_programs import GRAVITY_FORCES
from gearwright.programs.inputs import checked_array, refuse_symbols

FREE_FREQUENCY_RATIO = 1e-11
"""Squared frequency relative to the largest one, below which a motion is free."""

UNSTABLE_POLE_RATIO = 1e-9
"""Real part relative to the largest eigenvalue, above which a mode is unstable and not only rounded."""

MotorCondition = Literal["free", "held"]


class VibrationModes(NamedTuple):
    """The m modes of a machine with n speeds, by increasing frequency.

    `frequencies` (..., m) are the undamped natural frequencies |eigenvalue| / 2 pi [Hz], 0 for motions that do not
    oscillate (free motions, or motions that are unstable under gravity); `damping` (..., m) are damping ratios, 1 or
    more for overdamped modes, negative for growing vibrations; `growth_rates` (..., m) [1/s] is the growth rate of
    unstable modes, 0 for stable ones; `shapes` (..., n, m) has a mode per column, with largest entry 1, complex for
    damped modes; `eigenvalues` (..., m, 2) are the two eigenvalues of each mode [1/s].
    """

    frequencies: Array
    damping: Array
    shapes: Array | ComplexArray
    eigenvalues: ComplexArray

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of the eigenvalues in the complex plane [1/s]; with `path` (.png, .svg, .pdf) it is also saved."""
        return save_if_path(pole_figure(self.eigenvalues), path)

    def _repr_html_(self) -> str:
        return notebook_html(self)

    @property
    def growth_rates(self) -> Array:
        """Growth rate of each mode [1/s], (..., m): the real part of an unstable pole; 0 for stable modes."""
        poles = self.eigenvalues.real.max(axis=-1)
        largest = np.abs(self.eigenvalues).max(axis=(-1, -2), keepdims=True)[..., 0]
        rates: Array = np.where(poles > UNSTABLE_POLE_RATIO * largest, poles, 0.0)
        return rates


@check_arguments
def vibration_modes(
    mech: RobotOrMech, q: ArrayLike, motors: MotorCondition = "free", rigid_motions: bool = False
) -> VibrationModes:
    r"""Return the modes of small vibrations about a configuration held against gravity.

    $(\lambda^2 M + \lambda D + K) x = 0$ with $K = K_e + \partial g / \partial q$. The rigid-body motions R, which no
    spring resists ($K_e R = 0$), are held by the position control: the modes are those with $R' M x = 0$. With held
    motors (brakes on, or ideal position control) only the links vibrate on their springs.

    Args:
        mech: the machine, with springs.
        q: configuration [rad, m], (..., nq), or without the shafts, whose positions have no effect.
        motors: "free" or "held".
        rigid_motions: whether rigid-body motions are free and included in the modes, at 0 Hz or as pendulum motions.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot
    >>> table = Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))
    >>> drive = Drive("table", Motor(inertia=1e-4), Gear(ratio=100, stiffness=5000))
    >>> found = gw.analysis.vibration_modes(gw.assemble(Robot("turntable", [table], [drive])), [0.0])
    >>> (2 * np.pi * found.frequencies).round(9)                            # sqrt(5000 (1/1 + 1/1)) rad/s
    array([100.])
    """
    mech = machine_of("vibration_modes", mech)
    system, N = _reduced_oscillator("vibration_modes", mech, q, motors, rigid_motions)
    lead, m = system.M.shape[:-2], N.shape[-1]
    complex_shapes = bool(system.D.any()) or not mech.tree.speeds_are_rates
    kind = np.complex128 if complex_shapes else np.float64
    frequencies, ratios = np.empty((*lead, m)), np.empty((*lead, m))
    shapes, values = np.empty((*lead, mech.n, m), kind), np.empty((*lead, m, 2), np.complex128)
    for k in np.ndindex(*lead):
        pairs, columns = (
            damped_modes(*(x[k] for x in system)) if complex_shapes else _undamped_modes(system.M[k], system.K[k])
        )
        frequencies[k], ratios[k] = _frequency_and_damping(pairs)
        order = np.argsort(frequencies[k], kind="stable")
        frequencies[k], ratios[k], values[k] = frequencies[k][order], ratios[k][order], pairs[order]
        shapes[k] = _normalised_shapes(N[k] @ columns[:, order])
    return VibrationModes(frequencies, ratios, shapes, values)


@check_arguments
def natural_frequencies(
    mech: RobotOrMech, q: ArrayLike, motors: MotorCondition = "free", rigid_motions: bool = False
) -> Array:
    """Return the undamped natural frequencies [Hz], (..., m), in increasing order; fast for many configurations.

    Arguments as for `vibration_modes`.
    """
    function = "natural_frequencies"
    system, _ = _reduced_oscillator(function, machine_of(function, mech), q, motors, rigid_motions)
    lower = np.linalg.inv(np.linalg.cholesky(system.M))
    squares: Array = np.linalg.eigvalsh(lower @ system.K @ np.swapaxes(lower, -1, -2))  # type: ignore[assignment]
    result: Array = np.sqrt(with_exact_zeros(squares).clip(min=0)) / (2 * np.pi)
    return result


def linearised_oscillator(mech: RobotOrMech, q: ArrayLike, function: str) -> Oscillator:
    """Mass, damping and stiffness matrices of a machine with springs about a configuration."""
    mech = machine_of(function, mech)
    if not any(spring.stiffness for spring in mech.springs):
        raise InputError(
            f"{function}: the machine has no springs and cannot vibrate. Give the gear of a drive a stiffness "
            "[Nm/rad], or a joint a spring."
        )
    refuse_symbols(function, mech)
    state = full_configuration(mech, q, function)
    if isinstance(mech, ClosedMechanism):
        return closed_oscillator(mech, state, function)
    K, D = stiffness_and_damping(mech)
    M = mass_matrix(mech, state)
    slope = program_derivative(GRAVITY_FORCES, mech, {"q": state}, function)
    return Oscillator(M, np.broadcast_to(D, M.shape), K + slope)


def full_configuration(mech: Mechanism, q: ArrayLike, function: str) -> Array:
    """Coordinates of the whole machine from those of the joints, with the shafts at zero."""
    stated = as_float_array(function, "q", q)
    if isinstance(mech, ClosedMechanism):
        stated = closed_joints(mech, stated)
    joints = mech.nq - len(mech.shafts)
    if mech.shafts and stated.ndim and stated.shape[-1] == joints:
        stated = np.concatenate([stated, np.zeros((*stated.shape[:-1], len(mech.shafts)))], axis=-1)
    return checked_array(function, mech, "q", stated, mech.nq)


def _reduced_oscillator(
    function: str, mech: Mechanism, q: ArrayLike, motors: MotorCondition, rigid_motions: bool
) -> tuple[Oscillator, Array]:
    """The system reduced to the motions that motors and control leave free, and their basis as columns (..., n, m)."""
    springs = stiffness_and_damping(mech.tree)[0]
    if isinstance(mech, ClosedMechanism):
        q = full_configuration(mech, q, function)
        if q.ndim > 1:
            return _stack_systems([_reduced_oscillator(function, mech, x, motors, rigid_motions) for x in q], function)
        G = speed_directions(mech, q)
        springs = G.T @ springs @ G
    system = linearised_oscillator(mech, q, function)
    N = np.eye(mech.n)
    if motors == "held":
        from scipy.linalg import null_space

        N = null_space(structure_matrix(mech).T if mech.closure is None else motor_ratios(mech, q))
        if not N.shape[1]:
            raise InputError(f"{function}: with motors='held' the machine cannot move. Use motors='free'.")
    elif motors != "free":
        raise InputError(f"{function}: motors={motors!r} is unknown. Use 'free' or 'held'.")
    small = Oscillator(*(N.T @ x @ N for x in system))
    require_positive_stiffness(function, mech.speeds, springs, small.K, N)
    spread = np.broadcast_to(N, (*small.M.shape[:-2], *N.shape))
    return (small, spread) if rigid_motions else _without_rigid_motions(small, spread, N.T @ springs @ N)


def _stack_systems(parts: Sequence[tuple[Oscillator, Array]], function: str) -> tuple[Oscillator, Array]:
    """The reduced systems of several configurations as one, along the first axis."""
    if len({N.shape for _, N in parts}) > 1:
        raise InputError(
            f"{function}: the configurations have different numbers of modes, since the motors of closed loops are "
            "singular at some. Call the function for each configuration."
        )
    systems = [system for system, _ in parts]
    matrices = (np.stack([getattr(system, name) for system in systems]) for name in Oscillator._fields)
    return Oscillator(*matrices), np.stack([N for _, N in parts])


def _without_rigid_motions(system: Oscillator, N: Array, springs: Array) -> tuple[Oscillator, Array]:
    """The system reduced to motions x with R' M x = 0, where R are the motions that no spring resists."""
    from scipy.linalg import null_space

    R = null_space(springs)
    if not R.shape[1]:
        return system, N
    basis = np.linalg.qr(system.M @ R, mode="complete")[0][..., R.shape[1] :]
    return Oscillator(*(np.swapaxes(basis, -1, -2) @ x @ basis for x in system)), N @ basis


def require_positive_stiffness(function: str, speeds: Sequence[str], springs: Array, K: Array, N: Array) -> None:
    """Raise an error if springs cannot hold the machine against gravity.

    Args:
        function: what the user called.
        speeds: names of the n speeds.
        springs: stiffness of the springs alone, (n, n).
        K: stiffness with that of gravity, in the motions N, (..., m, m).
        N: the motions that the motors leave free, as columns (n, m).
    """
    free = N.shape[1] - int(np.linalg.matrix_rank(N.T @ springs @ N))
    symmetric = (K + np.swapaxes(K, -1, -2)) / 2
    for k in np.ndindex(*K.shape[:-2]):
        values, vectors = np.linalg.eigh(symmetric[k])
        if free < len(values) and values[free] <= FREE_FREQUENCY_RATIO * values[-1]:
            worst = speeds[int(np.argmax(np.abs(N @ vectors[:, free])))]
            raise InputError(
                f"{function}: the stiffness matrix is not positive definite: springs and gravity together have "
                f"{values[free]:.4g} Nm/rad, mostly along {worst!r}, and the configuration is unstable. Use stiffer "
                "springs, or a configuration that they can hold."
            )


def _undamped_modes(M: Array, K: Array) -> tuple[ComplexArray, Array]:
    """Eigenvalues in pairs (m, 2) and real shapes (m, m) of a machine without dampers."""
    from scipy.linalg import eigh

    squares, shapes = eigh((K + K.T) / 2, M)
    roots = np.sqrt(-with_exact_zeros(squares) + 0j)
    return np.stack([roots, -roots], axis=-1), shapes


def with_exact_zeros(squares: Array) -> Array:
    """Squared frequencies, with those of free motions exactly zero."""
    largest = np.abs(squares).max(axis=-1, keepdims=True)
    return np.where(np.abs(squares) > FREE_FREQUENCY_RATIO * largest, squares, 0.0)


def _frequency_and_damping(pairs: ComplexArray) -> tuple[Array, Array]:
    """Natural frequency [Hz] and damping ratio of s^2 + 2 zeta w s + w^2 with these two roots."""
    product, total = (pairs[:, 0] * pairs[:, 1]).real, (pairs[:, 0] + pairs[:, 1]).real
    w = np.sqrt(product.clip(min=0))
    return w / (2 * np.pi), np.divide(-total, 2 * w, out=np.zeros_like(w), where=w > 0) + 0.0


def _normalised_shapes(shapes: Array | ComplexArray) -> Array | ComplexArray:
    """Columns scaled in magnitude and phase to 1 at their largest entry."""
    largest = np.argmax(np.abs(shapes), axis=0)
    return shapes / shapes[largest, np.arange(shapes.shape[1])]
