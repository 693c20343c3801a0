"""How long a fixed step may be: the fastest mode on springs and laws, and what a method makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.configuration import nudge
from gearwright.dynamics.fixed_steps import Moving
from gearwright.errors import InputError
from gearwright.forces.law import Law
from gearwright.functions.functions import mass_matrix
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.mechanism.rows import spread
from gearwright.programs.inputs import checked
from gearwright.system.system import System
from gearwright.system.unheld_motion import force_actions, outcomes_of, require_one_mode
from gearwright.text import listed
from gearwright.tracing.slopes import slopes_of

HARMLESS = 0.8
"""Step times fastest rate up to which both methods are stable, however the mode is damped."""

GROWTH = 1e-4
"""Growth of a mode per step that is put down to rounding."""


class FastestMode(NamedTuple):
    """The fastest motion that a machine can make by itself near a state.

    Args:
        frequency: magnitude of its eigenvalue [rad/s]; zero when nothing pulls back or brakes.
        damping: its damping ratio: 0 undamped, 1 a pure decay.
        names: the speeds and states that take part in it.
        spring: the spring that holds most of its energy, if one does.
    """

    frequency: float
    damping: float
    names: tuple[str, ...]
    spring: str | None = None


def fastest_mode(mech: RobotOrMech, q: ArrayLike, laws: Sequence[Law] = (), v: ArrayLike | None = None) -> FastestMode:
    r"""The fastest mode of $M \ddot x + D \dot x + K x = 0$ at a state, M frozen, K and D those of springs and laws.

    Args:
        mech: the machine.
        q: configuration, (nq,).
        laws: laws with one mode; their states join in.
        v: speeds, (n,); at rest unless given.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=1, inertia=np.diag([0.01] * 3))
    >>> fastest_mode(gw.Mechanism([arm], springs=[gw.Spring("bar", [1.0], stiffness=400.0, damping=0.8)]), [0.0])
    FastestMode(frequency=200.0, damping=0.2, names=('arm',), spring='bar')
    """
    mech = machine_of("fastest_mode", mech)
    system = System(mech, tuple(laws))
    require_one_mode(system)
    at = checked("fastest_mode", mech, "q", q, mech.nq)
    pace = np.zeros(mech.n) if v is None else checked("fastest_mode", mech, "v", v, mech.n)
    x = np.concatenate([at, pace, [state.initial for state in system.states.values()]])
    mode = _fastest(system, linear_rates(system, x))
    return mode._replace(frequency=float(f"{mode.frequency:.12g}"), damping=float(f"{mode.damping:.12g}"))


def require_stable(system: System, x: Array, h: float, method: str) -> None:
    """Refuse a step that makes the fastest mode at a state x = [q, v, states of the laws], or there at rest, grow."""
    n = system.mech.n
    if not system.laws and not system.mech.springs:
        return
    still = x.copy()
    still[system.v] = 0.0  # where friction, smooth as it may be, is steepest
    for state in (x, still) if system.laws else (x,):
        A = linear_rates(system, state)
        mode = _fastest(system, A)
        if h * mode.frequency <= HARMLESS or _stable(A, n, h, method):
            continue
        longest = _longest_step(A, n, HARMLESS / mode.frequency, h, method)
        spring = f" on spring {mode.spring!r}" if mode.spring else ""
        raise InputError(
            f"a step of {h:g} s is too long for method {method!r}: the fastest mode, of {listed(mode.names, ' and ')}"
            f"{spring}, has {mode.frequency:.4g} rad/s with damping ratio {abs(round(mode.damping, 6)):.3g}; up to "
            f"{longest:.3g} s the motion is stable. Take a shorter step, or a method that chooses its steps (adaptive, "
            "stiff)."
        )


def linear_rates(system: System, x: Array) -> Array:
    """A of d/dt [dq; dv; ds] = A [dq; dv; ds], dq in the tangent: springs, dampers and laws, the mass matrix frozen."""
    mech, n, count = system.mech, system.mech.n, len(system.states)
    force, memory = _slopes(system, x)
    for spring in mech.springs:
        row = np.array(spread(spring.terms, n), dtype=np.float64)
        force[:, :n] -= float(spring.stiffness) * np.outer(row, row)
        force[:, n : 2 * n] -= float(spring.damping) * np.outer(row, row)
    A = np.zeros((2 * n + count,) * 2)
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n] = np.linalg.solve(mass_matrix(mech, x[: mech.nq]), force)
    A[2 * n :] = memory[:, : 2 * n + count] + memory[:, 2 * n + count :] @ A[n : 2 * n]
    return A


def _slopes(system: System, x: Array) -> tuple[Array, Array]:
    """Derivatives of the laws' forces by (dq, v, s), and of the rates of their states by (dq, v, s, a)."""
    n, count = system.mech.n, len(system.states)
    if not system.laws:
        return np.zeros((n, 2 * n + count)), np.zeros((count, 3 * n + count))
    start, u = system.moving(x.tolist()), system.first_inputs

    def forces_and_rates(z: Sequence[Scalar], ops: Operations) -> list[Scalar]:
        at = Moving(nudge(system.mech, start.q, z[:n], ops), z[n : 2 * n], z[2 * n : 2 * n + count])
        situations = system.situations(ops, 0.0, at, u)
        actions = force_actions(system, situations)
        outcomes = outcomes_of(system, situations, actions, z[2 * n + count :])
        rates = (one for outcome in outcomes for one in outcome.rates)
        return [*system.forces(u, actions), *rates]

    slopes = slopes_of(forces_and_rates, np.concatenate([np.zeros(n), start.v, start.states, np.zeros(n)]))
    return slopes[:n, : 2 * n + count].copy(), slopes[n:]


def _fastest(system: System, A: Array) -> FastestMode:
    from scipy.linalg import eig

    values, left, right = eig(A, left=True)
    k = int(np.argmax(np.abs(values)))
    fast = complex(values[k])
    if abs(fast) == 0:
        return FastestMode(0.0, 0.0, ())
    share = np.abs(left[:, k] * right[:, k])
    mech, n = system.mech, system.mech.n
    share = np.concatenate([share[:n] + share[n : 2 * n], share[2 * n :]])
    names = (*mech.speeds, *system.states)
    chosen = tuple(name for name, part in zip(names, share, strict=True) if part >= 0.1 * share.max())
    return FastestMode(abs(fast), -fast.real / abs(fast), chosen, _leading_spring(mech, right[:n, k]))


def _leading_spring(mech: Mechanism, shape: Array) -> str | None:
    """The spring with most of the energy of a mode."""
    energy = {
        spring.name: float(spring.stiffness) * abs(sum(float(b) * shape[index] for index, b in spring.terms)) ** 2
        for spring in mech.springs
    }
    best = max(energy, key=lambda name: energy[name], default=None)
    return best if best is not None and energy[best] > 0 else None


def _step_matrix(A: Array, n: int, h: float, method: str) -> Array:
    """One step of a method on the linear model."""
    one = np.eye(len(A))
    if method == "rk4":
        z = h * A
        return one + z @ (one + z @ (one + z @ (one + z / 4) / 3) / 2)
    late, push = one.copy(), one + h * A
    push[:n] = one[:n]
    late[:n, n : 2 * n] = h * np.eye(n)
    result: Array = late @ push
    return result


def _stable(A: Array, n: int, h: float, method: str) -> bool:
    """Whether nothing grows faster than it would by itself."""
    natural = max(0.0, float(np.linalg.eigvals(A).real.max()))
    largest = float(np.abs(np.linalg.eigvals(_step_matrix(A, n, h, method))).max())
    return bool(largest <= np.exp(min(h * natural, 50.0)) * (1 + GROWTH))


def _longest_step(A: Array, n: int, low: float, high: float, method: str) -> float:
    """The longest stable step between a stable and an unstable one."""
    while high > low * 1.001:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if _stable(A, n, middle, method) else (low, middle)
    return low
