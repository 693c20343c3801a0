r"""Linear models of machines with closed loops, reduced to the independent speeds.

On $s(q) = 0$ with the rows W, the motion is $M a + h = \tau + W'\lambda$, $W a + \gamma = 0$. An admissible deviation
is $dq = N\,dz$, $dv = N\,dw + K\,dz$ with z, w the independent coordinates and speeds, N a basis of the null space of W
($W N = 0$, the identity at the independent speeds) and K from $W K = -\partial (W v)/\partial q\; N$, zero at the
independent speeds. The derivatives of a follow from those of both equations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate_first_order
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.functions.constrained.closure import DEPENDENT_ROW_RATIO, Closure, ConstraintState, FreeSpeeds
from gearwright.functions.dynamics import bias, mass_matrix
from gearwright.functions.public_call import program_derivative
from gearwright.mechanism import Mechanism, dense_row
from gearwright.programs.dynamics_programs import INVERSE_DYNAMICS
from gearwright.programs.program import Fixed, Inputs, VectorProgram
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.trace import TraceJob


class ConstrainedSlopes(NamedTuple):
    """Derivatives of the constrained accelerations by q and v (in the tangent space) and tau, and of W v by q."""

    by_q: Array
    by_v: Array
    by_tau: Array
    row_rates: Array


class ConstrainedLinearisation:
    """The derivatives of a machine's constrained motion.

    Args:
        closure: the machine with its constraints.
    """

    def __init__(self, closure: Closure) -> None:
        n, m = closure.mech.n, len(closure.constraint_lines)
        self.closure = closure
        contents = {"q": closure.mech.nq, "v": n, "a": n, "force": m, "varied": 2 * n}
        program = VectorProgram(
            "closed_slopes",
            tuple(contents),
            self._constraint_terms,
            lambda *_: (n + 2 * m,),
            growth=2,
            vector_sizes=contents,
        )
        self._job = TraceJob(program, closure.mech, {}, wrt=("varied",))

    def slopes_at(self, q: Array, v: Array, tau: Array, constraint_state: ConstraintState) -> ConstrainedSlopes:
        """Return the derivatives at a state that satisfies the constraints."""
        mech, W = self.closure.mech, constraint_state.rows
        n, m = mech.n, len(W)
        M = mass_matrix(mech, q)
        inverse = _inverse_kkt(M, W)
        a, force = np.split(inverse @ np.concatenate([tau - bias(mech, q, v), -constraint_state.drift]), [n])
        unconstrained_slopes = program_derivative(INVERSE_DYNAMICS, mech, {"q": q, "v": v, "a": a}, "linearise")
        arrays = {"q": q, "v": v, "a": a, "force": force, "varied": np.zeros(2 * n)}
        slopes = evaluate_job(self._job, arrays).reshape(n + 2 * m, 2 * n)
        pulled, speeding, turning = np.split(slopes, [n, n + m])
        right = np.zeros((n + m, 3 * n))
        right[:n, : 2 * n], right[n:, : 2 * n] = pulled - unconstrained_slopes[:, : 2 * n], -speeding
        right[:n, 2 * n :] = np.eye(n)
        answer = (inverse @ right)[:n]
        return ConstrainedSlopes(answer[:, :n], answer[:, n : 2 * n], answer[:, 2 * n :], turning[:, :n])

    def _constraint_terms(self, mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> list[Scalar]:
        """Return W' lambda, W a + drift and W v at a state of dual numbers."""
        n, z = mech.n, x["varied"]
        v = [speed + more for speed, more in zip(x["v"], z[n:], strict=True)]
        kinematics = SharedKinematics(mech, integrate_first_order(mech, x["q"], z[:n], ops), v, ops)
        placed = [line.placed_in(kinematics) for line in self.closure.constraint_lines]
        pulled: list[Scalar] = [0.0] * n
        for line, force in zip(placed, x["force"], strict=True):
            for k, row in enumerate(dense_row(line.terms, n)):
                pulled[k] = pulled[k] + row * force
        return [*pulled, *(line.acceleration(x["a"]) for line in placed), *(line.speed(v) for line in placed)]


def reduce_to_free(motion: ConstrainedSlopes, free: FreeSpeeds, W: Array, turn: Array) -> tuple[Array, Array]:
    """Return A (2f, 2f) and B (2f, n) for the independent coordinates and speeds; `turn` is ad(v)."""
    N, free_indices, f = free.directions, list(free.indices), len(free.indices)
    K = _dependent_slopes(W, motion.row_rates @ N, free_indices)
    A, B = np.zeros((2 * f, 2 * f)), np.zeros((2 * f, motion.by_tau.shape[1]))
    A[:f, :f], A[:f, f:] = -(turn @ N)[free_indices], np.eye(f)
    A[f:, :f] = (motion.by_q @ N + motion.by_v @ K)[free_indices]
    A[f:, f:] = (motion.by_v @ N)[free_indices]
    B[f:] = motion.by_tau[free_indices]
    return A, B


def _dependent_slopes(W: Array, turning: Array, free: list[int]) -> Array:
    """Solve W K = -turning for K with zeros at the independent speeds."""
    K = np.zeros((W.shape[1], turning.shape[1]))
    dependent = [k for k in range(W.shape[1]) if k not in free]
    if dependent:
        K[dependent] = np.linalg.lstsq(W[:, dependent], -turning, rcond=DEPENDENT_ROW_RATIO)[0]
    return K


def _inverse_kkt(M: Array, W: Array) -> Array:
    """Return the inverse of [[M, -W'], [W, 0]]; with redundant rows, the one with minimum-norm forces."""
    n, m = len(M), len(W)
    answer = np.linalg.solve(M, np.hstack([np.eye(n), W.T]))
    free, across = answer[:, :n], answer[:, n:]
    inverse_compliance = np.linalg.pinv(W @ across, rcond=DEPENDENT_ROW_RATIO**2 * 1e4, hermitian=True)
    inverse = np.zeros((n + m, n + m))
    inverse[:n, :n], inverse[:n, n:] = free - across @ inverse_compliance @ W @ free, across @ inverse_compliance
    inverse[n:, :n], inverse[n:, n:] = -inverse_compliance @ W @ free, inverse_compliance
    return inverse
