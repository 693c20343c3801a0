"""Closed loops that a fixed-step simulation embeds: checks of its start, its parameters and its end."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.algebra import ARRAYS
from gearwright.arrays import Array
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.closed_loops.embedding import MAX_LOOP_GAP, LoopSolver
from gearwright.dynamics.pose import place_machine
from gearwright.errors import GearwrightWarning, InputError, caller_stack_level
from gearwright.forces import Law
from gearwright.forces.contact.contacts_of_robot import loop_laws, without_loops
from gearwright.functions.constrained.closing import lost_direction_text, proposal_text, whole_motion
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.batch import require_closed_loops
from gearwright.programs.dynamics_programs import INVERSE_DYNAMICS
from gearwright.text import listed_names
from gearwright.tracing.parameters import machine_with_values, nominal_value

SPEED_TOLERANCE = 1e-6
"""Largest deviation of a dependent speed from that of the independent ones, relative to the largest speed."""

SINGULAR_RATE_RATIO = 1e3
"""Ratio of the largest speed of a dependent joint per unit of an independent one to that at the start, from which the
independent speeds are as good as singular."""

CHECKED_STATES = 10_000
"""States of a run that are checked for singularities at once."""

PARAMETER_CHANGE, SAME_GAP = 1e-3, 1e-12
"""Change of a parameter, relative and absolute, and the gap [m, rad] above which it moves the frames of a loop."""


def embedded_loops(source: Robot | Mechanism, laws: tuple[Law, ...]) -> tuple[tuple[Law, ...], ClosedMechanism | None]:
    """The laws without closed loops, and the machine that embeds them; all laws and None unless it embeds all loops."""
    if not keeps_all_loops(source, laws):
        return laws, None
    mech = machine_of("rollout", source)
    return without_loops(source, laws), mech if isinstance(mech, ClosedMechanism) else None


def keeps_all_loops(source: Robot | Mechanism, laws: Sequence[Law]) -> bool:
    """Whether there are closed loops, and all of them are among the laws."""
    return bool(source.loops) and all(law in laws for law in loop_laws(source))


def whole_start(robot_or_mech: Robot | Mechanism, q: ArrayLike, v: ArrayLike) -> tuple[ArrayLike, ArrayLike]:
    """The initial state in all coordinates; that of a machine without loops is unchanged."""
    if not robot_or_mech.loops:
        return q, v
    whole_q, whole_v, _ = whole_motion("rollout", robot_or_mech, q, v, np.zeros(np.shape(v)[-1:]))
    return whole_q, whole_v


def whole_forces(robot_or_mech: Robot | Mechanism, tau: Array) -> Array:
    """Forces (..., n) along all speeds, from those along the independent speeds of closed loops."""
    if not robot_or_mech.loops:
        return tau
    mech = machine_of("rollout", robot_or_mech)
    if not isinstance(mech, ClosedMechanism) or tau.shape[-1:] != (mech.n,):
        return tau
    whole = np.zeros((*tau.shape[:-1], mech.tree.n))
    whole[..., list(mech.closure.independent)] = tau
    return whole


def require_closed_start(mech: ClosedMechanism, q: Array, v: Array) -> None:
    """Raise an error for initial states (N, nq), (N, n) that leave loops open, or whose speeds would open them."""
    require_closed_loops(INVERSE_DYNAMICS, mech, {"q": q}, "rollout")
    independent = v[:, list(mech.closure.independent)]
    _, consistent, _ = whole_motion("rollout", mech, q, independent, np.zeros(mech.n))
    gap = np.abs(np.asarray(consistent) - v)
    allowed = SPEED_TOLERANCE * (1.0 + np.abs(v).max(axis=1, initial=0.0))
    row, speed = np.unravel_index(int(np.argmax(gap - allowed[:, None])), gap.shape) if gap.size else (0, 0)
    if gap.size and gap[row, speed] > allowed[row]:
        raise InputError(
            f"rollout: v0 opens the loops: {mech.tree.speeds[speed]} has {v[row, speed]:.6g}, but the speeds of "
            f"{listed_names(mech.speeds)} require {np.asarray(consistent)[row, speed]:.6g}. Give v0 of the independent "
            f"speeds, ({mech.n},), or correct it with gw.contact.project."
        )


def require_fixed_loops(source: Robot | Mechanism, mech: ClosedMechanism, q: Array, paths: Sequence[str]) -> None:
    """Raise an error for parameters that move the frames of a loop: configurations would no longer close it."""
    for path in paths:
        value = nominal_value(source, path)
        changed = {path: value + PARAMETER_CHANGE * max(abs(value), 1.0)}
        tree = machine_with_values(source.tree if isinstance(source, Mechanism) else source, changed)
        gaps = _gaps(mech.with_tree(tree), q[:1])
        if np.abs(gaps - _gaps(mech, q[:1])).max(initial=0.0) > SAME_GAP:
            raise InputError(
                f"rollout: {path!r} changes the geometry of closed loops, so no initial state closes them for all its "
                "values. Make one rollout per value, or use method='moreau', which treats loops as constraints."
            )


def warn_of_left_branches(mech: ClosedMechanism, q: Array, t: Array) -> None:
    """Warn of motions q (T, N, nq) at times t (T,) of which a sample has passed a singularity of its loops."""
    signs, rates = _signs(mech, q[0]), _fastest_dependent(mech, q[0])
    first = np.full(q.shape[1], len(q))  # per motion its first singular sample
    for start in range(1, len(q), per_block := max(1, CHECKED_STATES // q.shape[1])):
        block = q[start : start + per_block]
        singular = _is_singular(
            mech, block.reshape(-1, mech.nq), np.tile(signs, (len(block), 1)), np.tile(rates, len(block))
        ).reshape(block.shape[:2])
        found = singular.any(axis=0) & (first == len(q))
        first[found] = start + np.argmax(singular[:, found], axis=0)
    bad = np.flatnonzero(first < len(q))
    if not len(bad):
        return
    row = int(bad[np.argmin(first[bad])])
    sample = int(first[row])
    place = q[sample, row]
    which = f" (state {row} of the batch)" if q.shape[1] > 1 else ""
    warnings.warn(
        f"rollout{which}: the motion reaches a singular configuration of its closed loops before t = {t[sample]:g} s, "
        f"where {lost_direction_text(mech, place)}; {len(bad)} of {q.shape[1]} motions do. What follows is not "
        f"reliable.{proposal_text(mech, place)} method='moreau' treats loops as constraints.",
        GearwrightWarning,
        stacklevel=caller_stack_level(),
    )


def _is_singular(mech: ClosedMechanism, q: Array, signs: Array, rates: Array) -> NDArray[np.bool_]:
    """Whether configurations (N, nq) have other signs than at the start, an open loop, or much faster dependents."""
    is_open = ~(np.abs(_gaps(mech, q)) <= MAX_LOOP_GAP).all(axis=1)
    is_fast = ~(_fastest_dependent(mech, q) <= SINGULAR_RATE_RATIO * rates)
    return np.asarray((_signs(mech, q) != signs).any(axis=1) | is_open | is_fast)


def _fastest_dependent(mech: ClosedMechanism, q: Array) -> Array:
    """The largest speed (N,) of a joint per unit of an independent one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        _, speed_map = placed_machine(mech, list(q.T), ARRAYS)
    entries = [x for row in speed_map.columns(np.eye(mech.tree.n).tolist()) for x in row]
    return np.max([np.abs(np.asarray(x)) + np.zeros(len(q)) for x in entries], axis=0)


def _gaps(mech: ClosedMechanism, q: Array) -> Array:
    """The gaps (N, equations in use)."""
    equations = mech.closure.equations(place_machine(mech.tree, list(q.T), ARRAYS))
    return np.stack([np.asarray(equations[k].gap) + np.zeros(len(q)) for k in mech.used_equations], axis=1)


def _signs(mech: ClosedMechanism, q: Array) -> Array:
    """The signs (N, groups) of the determinants that tell branches."""
    equations = mech.closure.equations(place_machine(mech.tree, list(q.T), ARRAYS))
    determinants = LoopSolver(mech.closure, equations, ARRAYS).determinants
    return np.stack([np.sign(np.asarray(x) + np.zeros(len(q))) for x in determinants], axis=1)
