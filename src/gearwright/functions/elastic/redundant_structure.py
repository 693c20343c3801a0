"""Structure of the redundant models: controllability, observability, and the constant of their Coriolis forces.

The paper of Melhem and Loria states that the redundant state is neither controllable nor observable, but that the
output of physical interest, the generalised coordinates and speeds, is both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.functions.elastic.redundant_models import RedundantModel, lipschitz_constant, require_configurations
from gearwright.functions.linearise import linearise
from gearwright.programs import approximate
from gearwright.programs.inputs import checked_array
from gearwright.text import did_you_mean

SUBSPACE_TOLERANCE = 1e-9
"""Smallest singular value of a new direction of a subspace, relative to directions of length 1."""


GENERALIZED_MODELS = {"reduced": "spong", "reduced_bare": "spong_bare"}
"""Generalised models of the reduced forms; the others are the machine itself."""


class StateRanks(NamedTuple):
    """The smallest ranks over the configurations, of the redundant and of the generalised state.

    Args:
        redundant: rank in the redundant state, positions and velocities of free bodies.
        redundant_size: dimension of that state, twice the size of the model.
        generalized: rank in the generalised state (q, v).
        generalized_size: dimension of that state, 2 n.
    """

    redundant: int
    redundant_size: int
    generalized: int
    generalized_size: int


@check_arguments
def controllability(model: RedundantModel, q: ArrayLike, inputs: Sequence[str] | None = None) -> StateRanks:
    r"""Return ranks of the controllable states of a redundant model at rest, the smallest over configurations q.

    About rest the redundant state $(\pi, \nu)$ of $\dot\pi = \nu$ and eq. (32), linear with the springs and weights,
    is $\dot\nu = J\,(A_q J^+ \pi + A_v J^+ \nu + B \tau)$; its controllable subspace is the smallest one that contains
    the forces and is invariant.

    Args:
        model: the redundant model.
        q: configurations, (..., n).
        inputs: speeds on which forces act; by default the shafts, or the joints of a rigid model.

    >>> import gearwright as gw
    >>> model = gw.elastic.RedundantModel(gw.load("elastic_elbow"))
    >>> gw.elastic.controllability(model, model.configurations(5))
    StateRanks(redundant=12, redundant_size=90, generalized=12, generalized_size=12)
    """
    default = model.mech.shafts or model.mech.speeds
    columns = _speed_indices("elastic.controllability", model, inputs, default)
    ranks = []
    for linear in _linear_models("controllability", model, q):
        forces = np.vstack([np.zeros((model.size, len(columns))), linear.J @ linear.B[:, columns]])
        basis = invariant_subspace(_redundant_matrix(linear), forces)
        ranks.append((basis.shape[1], _rank(_block_diagonal(linear.L) @ basis)))
    return _smallest(model, ranks)


@check_arguments
def observability(model: RedundantModel, q: ArrayLike, measured: Sequence[str] | None = None) -> StateRanks:
    r"""Return ranks of the observable states of a redundant model at rest, the smallest over configurations q.

    By duality with `controllability`: the measured positions are $y = S J^+ \pi$, no speed is measured.

    Args:
        model: the redundant model.
        q: configurations, (..., n).
        measured: speeds whose positions are measured; by default all, joints and motors.

    >>> import gearwright as gw
    >>> model = gw.elastic.RedundantModel(gw.load("elastic_elbow"))
    >>> gw.elastic.observability(model, model.configurations(5), measured=["j1.motor", "j2.motor", "j3.motor"])
    StateRanks(redundant=12, redundant_size=90, generalized=12, generalized_size=12)
    """
    rows = _speed_indices("elastic.observability", model, measured, model.mech.speeds)
    ranks = []
    for linear in _linear_models("observability", model, q):
        outputs = np.hstack([linear.L[rows], np.zeros((len(rows), model.size))])
        basis = invariant_subspace(_redundant_matrix(linear).T, outputs.T)
        ranks.append((basis.shape[1], _rank(basis.T @ _block_diagonal(linear.J))))
    return _smallest(model, ranks)


@check_arguments
def coriolis_constant(model: RedundantModel, q: ArrayLike) -> float:
    r"""Return c with $|x' C(q, y) z| \le c\,\|x\| \|y\| \|z\|$ in the energy norm $\|x\|^2 = x' H(q) x$, over q.

    In the form "points" $C(q, y) = J' M \dot J(q, y)$ is exact, and symmetric: $C(q, y) z = C(q, z) y$, because J is
    the gradient of the points' positions. c is the Lipschitz constant of property P3 of the part of $\dot J$ that does
    work, measured by the left inverse of P2: $c \le l_j \|J^+\|^2$ with J weighted by the square root of M.
    """
    factor, slopes = _weighted_jacobians("coriolis_constant", model, q)
    whitening = np.linalg.inv(np.linalg.cholesky(np.swapaxes(factor, -1, -2) @ factor))
    turned = np.einsum("nkx,nksz,nlz->nxsl", np.swapaxes(whitening, -1, -2), slopes, whitening)
    working = np.einsum("nia,nsa,nxsl->nxil", whitening, factor, turned)
    return lipschitz_constant(working)


@check_arguments
def coriolis_constant_bound(model: RedundantModel, q: ArrayLike) -> float:
    """Return l_j ||J+||^2 of properties P2 and P3 over q, J weighted by the square root of M: a bound of c.

    It includes centripetal accelerations that do no work, those of fast rotors above all.
    """
    factor, slopes = _weighted_jacobians("coriolis_constant_bound", model, q)
    largest = np.linalg.norm(np.linalg.pinv(factor), 2, axis=(-2, -1)).max()
    return lipschitz_constant(slopes) * float(largest) ** 2


def _weighted_jacobians(function: str, model: RedundantModel, q: ArrayLike) -> tuple[Array, Array]:
    """Return M^(1/2) J, (N, size, n), and its rates per unit of each speed, (N, n, size, n)."""
    if model.form != "points":
        raise InputError(
            f"elastic.{function}: form {model.form!r} has quadratic terms besides C = J' M dJ/dt. Use "
            "RedundantModel(robot, 'points')."
        )
    configurations = _configurations(function, model, q)
    root = np.sqrt(np.diag(model.inertia))[:, None]
    rates = model.jacobian_rate(configurations[:, None, :], np.eye(model.mech.n))
    return root * model.jacobian(configurations), root * rates


class _LinearModel(NamedTuple):
    """A redundant model about rest in a time unit in which its largest stiffness is 1."""

    J: Array
    L: Array
    stiffness: Array
    damping: Array
    B: Array


def _configurations(function: str, model: RedundantModel, q: ArrayLike) -> Array:
    configurations = checked_array(f"elastic.{function}", model.mech, "q", q, model.mech.nq)
    require_configurations(function, configurations)
    return configurations.reshape(-1, model.mech.nq)


def _linear_models(function: str, model: RedundantModel, q: ArrayLike) -> list[_LinearModel]:
    n, result = model.mech.n, []
    reduction = GENERALIZED_MODELS.get(model.form)
    mech = model.mech if reduction is None else approximate(model.mech, reduction)
    for configuration in _configurations(function, model, q):
        zero = np.zeros(n)
        forces = inverse_dynamics(mech, configuration, zero, zero)
        A, B = linearise(mech, configuration, zero, forces)
        time = 1 / np.sqrt(max(np.abs(A[n:, :n]).max(), 1.0))
        J = model.jacobian(configuration)
        size = np.linalg.norm(J, axis=0)  # speeds scaled so that every column of J has length 1
        scaled = B[n:] * size[:, None] / np.maximum(np.linalg.norm(B[n:] * size[:, None], axis=0), 1e-300)
        result.append(
            _LinearModel(
                J / size,
                np.linalg.pinv(J / size),
                A[n:, :n] * time**2 * size[:, None] / size,
                A[n:, n:] * time * size[:, None] / size,
                scaled,
            )
        )
    return result


def _redundant_matrix(linear: _LinearModel) -> Array:
    size = len(linear.J)
    below = [linear.J @ linear.stiffness @ linear.L, linear.J @ linear.damping @ linear.L]
    return np.block([[np.zeros((size, size)), np.eye(size)], below])


def invariant_subspace(A: Array, B: Array) -> Array:
    """Return an orthonormal basis of the smallest subspace that contains the columns of B and is invariant under A."""
    basis: Array = np.zeros((len(A), 0))
    fresh = B
    while fresh.shape[1]:
        for _ in range(2):  # twice, for orthogonality to rounding
            fresh = fresh - basis @ (basis.T @ fresh)
        U, singular_values, _ = np.linalg.svd(fresh, full_matrices=False)
        fresh = U[:, singular_values > SUBSPACE_TOLERANCE]
        basis = np.hstack([basis, fresh])
        fresh = A @ fresh
    return basis


def _rank(matrix: Array) -> int:
    return int(np.linalg.matrix_rank(matrix, tol=SUBSPACE_TOLERANCE * np.linalg.norm(matrix, 2)))


def _block_diagonal(matrix: Array) -> Array:
    return np.asarray(np.kron(np.eye(2), matrix), dtype=np.float64)


def _smallest(model: RedundantModel, ranks: Sequence[tuple[int, int]]) -> StateRanks:
    redundant, generalized = (min(column) for column in zip(*ranks, strict=True))
    return StateRanks(redundant, 2 * model.size, generalized, 2 * model.mech.n)


def _speed_indices(
    caller: str, model: RedundantModel, names: Sequence[str] | None, default: Sequence[str]
) -> list[int]:
    speeds = list(model.mech.speeds)
    for name in names if names is not None else ():
        if name not in speeds:
            raise InputError(f"{caller}: speed {name!r} is unknown. {did_you_mean(name, speeds)}")
    return [speeds.index(name) for name in (default if names is None else names)]
