r"""Linear models of machines with closed loops, reduced to the speeds that are free.

On $s(q) = 0$ with the rows W, the motion is $M a + h = \tau + W'\lambda$, $W a + \gamma = 0$. A deviation that stays on
it is $dq = N\,dz$, $dv = N\,dw + K\,dz$ with z, w the coordinates and speeds that are free, N the directions they
leave ($W N = 0$, the identity at the free speeds) and K from $W K = -\partial (W v)/\partial q\; N$, zero at the
free speeds. The slopes of a follow from those of both equations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.configuration import nudge
from gearwright.forces.shared_kinematics import Scene
from gearwright.functions.constrained.closure import SAME, ClosedAt, Closure, FreeSpeeds
from gearwright.functions.dynamics import bias, mass_matrix
from gearwright.functions.public_call import derivative
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import spread
from gearwright.programs.dynamics_programs import INVERSE_DYNAMICS
from gearwright.programs.program import Fixed, Inputs, VectorProgram
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.trace import TraceJob


class ClosedMotion(NamedTuple):
    """Slopes of the constrained accelerations by q and v (in the tangent) and tau, and of W v by q."""

    by_q: Array
    by_v: Array
    by_tau: Array
    turning: Array


class ClosedSlopes:
    """The slopes of a machine's motion on its constraints.

    Args:
        closure: the machine and what closes it.
    """

    def __init__(self, closure: Closure) -> None:
        n, m = closure.mech.n, len(closure.lines)
        self.closure = closure
        contents = {"q": closure.mech.nq, "v": n, "a": n, "force": m, "varied": 2 * n}
        program = VectorProgram(
            "closed_slopes", tuple(contents), self._formula, lambda *_: (n + 2 * m,), growth=2, contents=contents
        )
        self._job = TraceJob(program, closure.mech, {}, wrt=("varied",))

    def at(self, q: Array, v: Array, tau: Array, here: ClosedAt) -> ClosedMotion:
        """The slopes at a state that is closed."""
        mech, W = self.closure.mech, here.rows
        n, m = mech.n, len(W)
        M = mass_matrix(mech, q)
        inverse = _kkt(M, W)
        a, force = np.split(inverse @ np.concatenate([tau - bias(mech, q, v), -here.drift]), [n])
        own = derivative(INVERSE_DYNAMICS, mech, {"q": q, "v": v, "a": a}, "linearise")
        given = {"q": q, "v": v, "a": a, "force": force, "varied": np.zeros(2 * n)}
        slopes = evaluate_job(self._job, given).reshape(n + 2 * m, 2 * n)
        pulled, speeding, turning = np.split(slopes, [n, n + m])
        right = np.zeros((n + m, 3 * n))
        right[:n, : 2 * n], right[n:, : 2 * n] = pulled - own[:, : 2 * n], -speeding
        right[:n, 2 * n :] = np.eye(n)
        answer = (inverse @ right)[:n]
        return ClosedMotion(answer[:, :n], answer[:, n : 2 * n], answer[:, 2 * n :], turning[:, :n])

    def _formula(self, mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> list[Scalar]:
        """W' lambda, W a + drift and W v at a state that is varied."""
        n, z = mech.n, x["varied"]
        v = [speed + more for speed, more in zip(x["v"], z[n:], strict=True)]
        scene = Scene(mech, nudge(mech, x["q"], z[:n], ops), v, ops)
        placed = [line.placed(scene) for line in self.closure.lines]
        pulled: list[Scalar] = [0.0] * n
        for line, force in zip(placed, x["force"], strict=True):
            for k, row in enumerate(spread(line.terms, n)):
                pulled[k] = pulled[k] + row * force
        return [*pulled, *(line.acceleration(x["a"]) for line in placed), *(line.speed(v) for line in placed)]


def reduced(motion: ClosedMotion, free: FreeSpeeds, W: Array, turn: Array) -> tuple[Array, Array]:
    """A (2f, 2f) and B (2f, n) over the free coordinates and speeds; `turn` is ad(v), how the tangent turns."""
    N, own, f = free.directions, list(free.indices), len(free.indices)
    K = _followed(W, motion.turning @ N, own)
    A, B = np.zeros((2 * f, 2 * f)), np.zeros((2 * f, motion.by_tau.shape[1]))
    A[:f, :f], A[:f, f:] = -(turn @ N)[own], np.eye(f)
    A[f:, :f] = (motion.by_q @ N + motion.by_v @ K)[own]
    A[f:, f:] = (motion.by_v @ N)[own]
    B[f:] = motion.by_tau[own]
    return A, B


def _followed(W: Array, turning: Array, free: list[int]) -> Array:
    """K of W K = -turning with zeros at the free speeds."""
    K = np.zeros((W.shape[1], turning.shape[1]))
    rest = [k for k in range(W.shape[1]) if k not in free]
    if rest:
        K[rest] = np.linalg.lstsq(W[:, rest], -turning, rcond=SAME)[0]
    return K


def _kkt(M: Array, W: Array) -> Array:
    """The inverse of [[M, -W'], [W, 0]]; of rows that depend on each other the one with the least forces."""
    n, m = len(M), len(W)
    answer = np.linalg.solve(M, np.hstack([np.eye(n), W.T]))
    free, across = answer[:, :n], answer[:, n:]
    felt = np.linalg.pinv(W @ across, rcond=SAME**2 * 1e4, hermitian=True)
    out = np.zeros((n + m, n + m))
    out[:n, :n], out[:n, n:] = free - across @ felt @ W @ free, across @ felt
    out[n:, :n], out[n:, n:] = -felt @ W @ free, felt
    return out
