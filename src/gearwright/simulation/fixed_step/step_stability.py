"""The longest stable fixed step: the fastest mode on springs and laws, and the stability limit of a method."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces import Law
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.functions import speed_directions, whole_motion
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.programs.inputs import checked_array
from gearwright.simulation.fixed_step.embedded_loops import embedded_loops
from gearwright.simulation.fixed_step.linear_model import StepLinearisation
from gearwright.simulation.fixed_step.step_program import MOREAU_METHOD, StepPlan
from gearwright.system.kernels.motion_rates import require_one_mode
from gearwright.system.system import System
from gearwright.text import listed_names

ALWAYS_STABLE_STEP_RATE = 0.8
"""Step times fastest rate up to which both methods are stable for any damping."""

ROUNDING_GROWTH = 1e-4
"""Growth of a mode per step that counts as rounding."""


class FastestMode(NamedTuple):
    """The fastest free mode of a machine near a state.

    Args:
        frequency: magnitude of its eigenvalue [rad/s]; zero without stiffness and damping.
        damping: its damping ratio: 0 undamped, 1 pure decay.
        names: the speeds and states that take part in it.
        spring: the spring that holds most of its energy, if one does.
    """

    frequency: float
    damping: float
    names: tuple[str, ...]
    spring: str | None = None


@check_arguments
def fastest_mode(
    mech: RobotOrMech,
    q: ArrayLike,
    laws: Sequence[Law] | None = None,
    v: ArrayLike | None = None,
    *,
    extra_laws: Sequence[Law] = (),
) -> FastestMode:
    r"""Return the fastest mode of $M \ddot x + D \dot x + K x = 0$ at a state, with K and D of springs and laws.

    Args:
        mech: the robot, with the laws of its file (friction, stops and gaps smooth), or a machine.
        q: configuration, (nq,); with closed loops, which the model keeps closed, also independent coordinates.
        laws: laws with one mode instead of those of the robot; a warning names the excluded laws; () for none. Their
            states are part of the model.
        v: speeds, (n,); default: at rest.
        extra_laws: laws in addition to those of the robot.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=1, inertia=np.diag([0.01] * 3))
    >>> fastest_mode(gw.Mechanism([arm], springs=[gw.Spring("bar", [1.0], stiffness=400.0, damping=0.8)]), [0.0])
    FastestMode(frequency=200.0, damping=0.2, names=('arm',), spring='bar')
    """
    robot, mech = mech, tree_of("fastest_mode", mech)
    chosen = choose_laws("fastest_mode", robot, laws, extra_laws, partial(laws_of, mech=mech, smooth=True))
    acting, closed = embedded_loops(robot, chosen.laws_with_warning("fastest_mode"))
    system = System(mech, acting, closed=closed)
    require_one_mode(system)
    model = StepLinearisation(system, StepPlan("euler"))
    at_rest = np.zeros((system.closed or mech).n)
    q, v, _ = whole_motion("fastest_mode", robot, q, at_rest if v is None else v, at_rest)
    positions = checked_array("fastest_mode", mech, "q", q, mech.nq)
    speeds = checked_array("fastest_mode", mech, "v", v, mech.n)
    x = np.concatenate([positions, speeds, [state.initial for state in system.states.values()]])
    mode = _fastest_mode(model, model.rate_matrices(x[None])[0], x)
    return mode._replace(frequency=float(f"{mode.frequency:.12g}"), damping=float(f"{mode.damping:.12g}"))


def require_stable(model: StepLinearisation, x: Array, h: float, numbers: Sequence[Array] = ()) -> None:
    """Raise an error if a step makes the fastest mode of a member of a batch unstable.

    Args:
        model: the machine with its laws, linear.
        x: states [q, v, states of the laws] (N, nx); each is checked with its speeds and at rest.
        h: the step [s].
        numbers: those of laws and of the machine, (N or 1, P) each.
    """
    system = model.system
    if not (system.laws or system.mech.springs) or not model.has_own_dynamics:
        return
    rest_state = x.copy()
    rest_state[:, system.v] = 0.0  # where smooth friction is steepest
    for states in (x, rest_state) if system.laws else (x,):
        A = model.rate_matrices(states, numbers)
        for k in np.flatnonzero(largest_rate(h * A) > ALWAYS_STABLE_STEP_RATE).tolist():
            _require_stable_member(model, (A[k], states[k]), h, f" (state {k} of the batch)" if len(x) > 1 else "")


def largest_rate(A: Array) -> Array:
    r"""Bounds of the largest eigenvalues of matrices (N, m, m): $\|A^{64}\|^{1/64}$.

    >>> largest_rate(np.array([np.diag([0.5, -2.0])])).round(3)
    array([2.])
    """
    power = A
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(6):
            power = power @ power
        size = np.linalg.norm(power, axis=(1, 2)) ** (1 / 64)
    return np.where(np.isfinite(size), size, np.inf)


def _require_stable_member(model: StepLinearisation, member: tuple[Array, Array], h: float, which_state: str) -> None:
    (A, x), method = member, model.plan.method
    n, mode = len(model.speeds), _fastest_mode(model, A, x)
    if h * mode.frequency <= ALWAYS_STABLE_STEP_RATE or _is_stable(A, n, h, method):
        return
    longest = _longest_step(A, n, ALWAYS_STABLE_STEP_RATE / mode.frequency, h, method)
    spring = f" on spring {mode.spring!r}" if mode.spring else ""
    raise InputError(
        f"a step of {h:g} s is too long for method {method!r}{which_state}: the fastest mode, of "
        f"{listed_names(mode.names, ' and ')}{spring}, has {mode.frequency:.4g} rad/s with damping ratio "
        f"{abs(round(mode.damping, 6)):.3g}; steps up to {longest:.3g} s are stable. Take a shorter step, or a "
        "method with step size control (adaptive, stiff) or implicit friction (moreau)."
    )


def _fastest_mode(model: StepLinearisation, A: Array, x: Array) -> FastestMode:
    from scipy.linalg import eig

    values, left, right = eig(A, left=True)
    k = int(np.argmax(np.abs(values)))
    fast = complex(values[k])
    if abs(fast) == 0:
        return FastestMode(0.0, 0.0, ())
    share = np.abs(left[:, k] * right[:, k])
    system, n = model.system, len(model.speeds)
    share = np.concatenate([share[:n] + share[n : 2 * n], share[2 * n :]])
    names = (*model.speeds, *system.states)
    chosen = tuple(name for name, part in zip(names, share, strict=True) if part >= 0.1 * share.max())
    return FastestMode(abs(fast), -fast.real / abs(fast), chosen, _leading_spring(system, right[:n, k], x))


def _leading_spring(system: System, shape: Array, x: Array) -> str | None:
    """The spring with most of the energy of a mode."""
    mech = system.mech
    if system.closed is not None:
        shape = speed_directions(system.closed, x[system.q]) @ shape
    energy = {
        spring.name: float(spring.stiffness) * abs(sum(float(b) * shape[index] for index, b in spring.terms)) ** 2
        for spring in mech.springs
    }
    best = max(energy, key=lambda name: energy[name], default=None)
    return best if best is not None and energy[best] > 0 else None


def _step_matrix(A: Array, n: int, h: float, method: str) -> Array:
    """One step of a method on the linear model."""
    identity = np.eye(len(A))
    if method == "rk4":
        z = h * A
        return identity + z @ (identity + z @ (identity + z @ (identity + z / 4) / 3) / 2)
    if method == MOREAU_METHOD:
        return _midpoint_matrix(A, n, h)
    late, push = identity.copy(), identity + h * A
    push[:n] = identity[:n]
    late[:n, n : 2 * n] = h * np.eye(n)
    result: Array = late @ push
    return result


def _midpoint_matrix(A: Array, n: int, h: float) -> Array:
    """Half a step of the positions, the speeds, the states with the new speeds, and the other half step."""
    half, push, remember = np.eye(len(A)), np.eye(len(A)), np.eye(len(A))
    half[:n, n : 2 * n] = 0.5 * h * np.eye(n)
    push[n : 2 * n] += h * A[n : 2 * n]
    remember[2 * n :] += h * A[2 * n :]
    result: Array = half @ remember @ push @ half
    return result


def _is_stable(A: Array, n: int, h: float, method: str) -> bool:
    """Whether no mode grows faster than in the exact solution."""
    natural = max(0.0, float(np.linalg.eigvals(A).real.max()))
    largest = float(np.abs(np.linalg.eigvals(_step_matrix(A, n, h, method))).max())
    return bool(largest <= np.exp(min(h * natural, 50.0)) * (1 + ROUNDING_GROWTH))


def _longest_step(A: Array, n: int, low: float, high: float, method: str) -> float:
    """The longest stable step between a stable and an unstable one."""
    while high > low * 1.001:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if _is_stable(A, n, middle, method) else (low, middle)
    return low
