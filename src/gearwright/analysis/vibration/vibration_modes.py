"""How an elastic machine vibrates about a configuration: frequencies, damping and shapes of its modes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.analysis.vibration.complex_modes import Complex, damped
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_floats
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.actuation import structure_matrix
from gearwright.functions.dynamics import mass_matrix
from gearwright.functions.elastic.shaft_equations import stiffness_and_damping
from gearwright.functions.public_call import derivative
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.plots import saved
from gearwright.plots.notebook import notebook
from gearwright.plots.poles import poles
from gearwright.programs.dynamics_programs import GRAVITY
from gearwright.programs.inputs import checked, refuse_symbols

ROUNDING = 1e-11
"""Share of the largest squared frequency below which a motion is taken for a free one."""

UNSTABLE = 1e-9
"""Share of the largest eigenvalue above which a positive real part is more than rounding."""

Motors = Literal["free", "held"]


class VibrationModes(NamedTuple):
    """The m modes of a machine with n speeds, the slowest first.

    `frequencies` (..., m) are the undamped natural ones |eigenvalue| / 2 pi [Hz], 0 for what does not swing (a free
    motion, or one that gravity lets fall); `damping` (..., m) are damping ratios, 1 and more where nothing swings any
    longer, negative where a vibration grows; `growth` (..., m) [1/s] is how fast a mode grows by itself, 0 for all that
    are stable; `shapes` (..., n, m) has a mode per column, its largest entry 1, complex where dampers shift the phases;
    `eigenvalues` (..., m, 2) are the two of each mode [1/s].
    """

    frequencies: Array
    damping: Array
    shapes: Array | Complex
    eigenvalues: Complex

    def plot(self, path: str | Path | None = None) -> Any:
        """The eigenvalues in the complex plane [1/s]; with `path` (.png, .svg, .pdf) it is saved too."""
        return saved(poles(self.eigenvalues), path)

    def _repr_html_(self) -> str:
        return notebook(self)

    @property
    def growth(self) -> Array:
        """How fast each mode grows [1/s], (..., m): the pole in the right half plane; 0 where there is none."""
        poles = self.eigenvalues.real.max(axis=-1)
        largest = np.abs(self.eigenvalues).max(axis=(-1, -2), keepdims=True)[..., 0]
        found: Array = np.where(poles > UNSTABLE * largest, poles, 0.0)
        return found


class Oscillator(NamedTuple):
    """M x'' + D x' + K x = f, small motions about a configuration: each (..., n, n); K contains that of gravity."""

    M: Array
    D: Array
    K: Array


@check_arguments
def vibration_modes(
    mech: RobotOrMech, q: ArrayLike, motors: Motors = "free", rigid_motions: bool = False
) -> VibrationModes:
    r"""VibrationModes of small vibrations about a configuration held against gravity.

    $(\lambda^2 M + \lambda D + K) x = 0$ with $K = K_e + \partial g / \partial q$. The rigid motions R, which no
    spring resists ($K_e R = 0$), are held by the control that keeps the machine in its place: only motions without a
    share of them are left, $R' M x = 0$. With held motors (brakes on, or ideal position control) the links swing on
    their springs alone.

    Args:
        mech: the machine, with springs.
        q: configuration [rad, m], (..., nq), or without the shafts, whose place does not matter.
        motors: "free" or "held".
        rigid_motions: whether the rigid motions are free and among the modes, at 0 Hz or as gravity moves them.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot
    >>> table = Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))
    >>> drive = Drive("table", Motor(inertia=1e-4), Gear(ratio=100, stiffness=5000))
    >>> found = gw.analysis.vibration_modes(gw.assemble(Robot("turntable", [table], [drive])), [0.0])
    >>> (2 * np.pi * found.frequencies).round(9)                            # sqrt(5000 (1/1 + 1/1)) rad/s
    array([100.])
    """
    mech = machine_of("vibration_modes", mech)
    system, N = _reduced("vibration_modes", mech, q, motors, rigid_motions)
    lead, m = system.M.shape[:-2], N.shape[-1]
    complex_shapes = bool(system.D.any()) or not mech.straight
    kind = np.complex128 if complex_shapes else np.float64
    frequencies, ratios = np.empty((*lead, m)), np.empty((*lead, m))
    shapes, values = np.empty((*lead, mech.n, m), kind), np.empty((*lead, m, 2), np.complex128)
    for k in np.ndindex(*lead):
        pairs, columns = damped(*(x[k] for x in system)) if complex_shapes else _undamped(system.M[k], system.K[k])
        frequencies[k], ratios[k] = _frequency_and_damping(pairs)
        order = np.argsort(frequencies[k], kind="stable")
        frequencies[k], ratios[k], values[k] = frequencies[k][order], ratios[k][order], pairs[order]
        shapes[k] = _largest_is_one(N[k] @ columns[:, order])
    return VibrationModes(frequencies, ratios, shapes, values)


@check_arguments
def natural_frequencies(mech: RobotOrMech, q: ArrayLike, motors: Motors = "free", rigid_motions: bool = False) -> Array:
    """The frequencies [Hz] of the modes without dampers, (..., m), the slowest first; quick for many configurations.

    Arguments as of `vibration_modes`.
    """
    function = "natural_frequencies"
    system, _ = _reduced(function, machine_of(function, mech), q, motors, rigid_motions)
    lower = np.linalg.inv(np.linalg.cholesky(system.M))
    squares: Array = np.linalg.eigvalsh(lower @ system.K @ np.swapaxes(lower, -1, -2))  # type: ignore[assignment]
    result: Array = np.sqrt(without_rounding(squares).clip(min=0)) / (2 * np.pi)
    return result


def oscillator(mech: RobotOrMech, q: ArrayLike, function: str) -> Oscillator:
    """The small motions of a machine with springs about a configuration."""
    mech = machine_of(function, mech)
    if not any(spring.stiffness for spring in mech.springs):
        raise InputError(
            f"{function}: the machine has no springs, so that nothing in it can vibrate. Give a drive its gear's "
            "stiffness [Nm/rad], or a joint a spring."
        )
    refuse_symbols(function, mech)
    K, D = stiffness_and_damping(mech)
    place = configuration(mech, q, function)
    M = mass_matrix(mech, place)
    slope = derivative(GRAVITY, mech, {"q": place}, function)
    return Oscillator(M, np.broadcast_to(D, M.shape), K + slope)


def configuration(mech: Mechanism, q: ArrayLike, function: str) -> Array:
    """Coordinates of the whole machine from those of the joints; shafts stand where their joints do not ask."""
    given = as_floats(function, "q", q)
    joints = mech.nq - len(mech.shafts)
    if mech.shafts and given.ndim and given.shape[-1] == joints:
        given = np.concatenate([given, np.zeros((*given.shape[:-1], len(mech.shafts)))], axis=-1)
    return checked(function, mech, "q", given, mech.nq)


def _reduced(
    function: str, mech: Mechanism, q: ArrayLike, motors: Motors, rigid_motions: bool
) -> tuple[Oscillator, Array]:
    """The system in the motions that motors and control leave, and these motions as columns (..., n, m)."""
    system = oscillator(mech, q, function)
    N = np.eye(mech.n)
    if motors == "held":
        from scipy.linalg import null_space

        N = null_space(structure_matrix(mech).T)
        if not N.shape[1]:
            raise InputError(f"{function}: with its motors held the machine cannot move. Ask for free motors.")
    elif motors != "free":
        raise InputError(f"{function}: motors={motors!r} is unknown. Use 'free' or 'held'.")
    small = Oscillator(*(N.T @ x @ N for x in system))
    springs = stiffness_and_damping(mech)[0]
    require_held(function, mech.speeds, springs, small.K, N)
    spread = np.broadcast_to(N, (*small.M.shape[:-2], *N.shape))
    return (small, spread) if rigid_motions else _without_rigid_motions(small, spread, N.T @ springs @ N)


def _without_rigid_motions(system: Oscillator, N: Array, springs: Array) -> tuple[Oscillator, Array]:
    """The same in the motions x with R' M x = 0, where R are those that no spring resists."""
    from scipy.linalg import null_space

    R = null_space(springs)
    if not R.shape[1]:
        return system, N
    left = np.linalg.qr(system.M @ R, mode="complete")[0][..., R.shape[1] :]
    return Oscillator(*(np.swapaxes(left, -1, -2) @ x @ left for x in system)), N @ left


def require_held(function: str, speeds: Sequence[str], springs: Array, K: Array, N: Array) -> None:
    """Springs hold every motion that they resist against gravity: no more loose motions than they leave free.

    Args:
        function: what the user called.
        speeds: names of the n speeds.
        springs: stiffness of the springs alone, (n, n).
        K: stiffness with that of gravity, in the motions N, (..., m, m).
        N: the motions that the motors leave, as columns (n, m).
    """
    free = N.shape[1] - int(np.linalg.matrix_rank(N.T @ springs @ N))
    symmetric = (K + np.swapaxes(K, -1, -2)) / 2
    for k in np.ndindex(*K.shape[:-2]):
        values, vectors = np.linalg.eigh(symmetric[k])
        if free < len(values) and values[free] <= ROUNDING * values[-1]:
            worst = speeds[int(np.argmax(np.abs(N @ vectors[:, free])))]
            raise InputError(
                f"{function}: the stiffness matrix is not positive definite: against gravity {values[free]:.4g} Nm/rad "
                f"are left of the springs, mostly along {worst!r}, and the machine falls. Use stiffer springs, or a "
                "configuration that they can hold."
            )


def _undamped(M: Array, K: Array) -> tuple[Complex, Array]:
    """Eigenvalues in pairs (m, 2) and real shapes (m, m) of a machine without dampers."""
    from scipy.linalg import eigh

    squares, shapes = eigh((K + K.T) / 2, M)
    roots = np.sqrt(-without_rounding(squares) + 0j)
    return np.stack([roots, -roots], axis=-1), shapes


def without_rounding(squares: Array) -> Array:
    """Squared frequencies; those of free motions exactly zero."""
    largest = np.abs(squares).max(axis=-1, keepdims=True)
    return np.where(np.abs(squares) > ROUNDING * largest, squares, 0.0)


def _frequency_and_damping(pairs: Complex) -> tuple[Array, Array]:
    """Natural frequency [Hz] and damping ratio of s^2 + 2 zeta w s + w^2 with these two roots."""
    product, total = (pairs[:, 0] * pairs[:, 1]).real, (pairs[:, 0] + pairs[:, 1]).real
    w = np.sqrt(product.clip(min=0))
    return w / (2 * np.pi), np.divide(-total, 2 * w, out=np.zeros_like(w), where=w > 0) + 0.0


def _largest_is_one(shapes: Array | Complex) -> Array | Complex:
    """Columns scaled, and turned in phase, to 1 at their largest entry."""
    place = np.argmax(np.abs(shapes), axis=0)
    return shapes / shapes[place, np.arange(shapes.shape[1])]
