"""Which equations decide the motion of which shafts, and how many derivatives of the joints' motion that takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import ACCELERATION, Step, first_shaft, spring_matrices
from gearwright.errors import InputError
from gearwright.functions.dynamics import bias, mass_matrix
from gearwright.mechanism import Mechanism
from gearwright.programs.inputs import refuse_symbols

ABSENT = -1
"""What an equation does not contain has no derivative in it."""

SETTLED = 4
"""Further derivatives that dampers take: each makes what they leave more exact by D/K times the rate of the motion."""

NEGLIGIBLE = 1e-9
"""Share of a wheel's own inertia below which its coupling is rounding."""


Block: TypeAlias = list[tuple[int, int]]
"""Pairs (equation, shaft) that are solved together."""


@dataclass(frozen=True)
class Plan:
    """How the motor motion is found.

    Args:
        steps: equations and the shafts they decide, in order.
        damped: whether a damper lies between what a step solves for.
        needed: per shaft the highest derivative of the joints' motion that its acceleration takes.
        idle: of a machine with loops, combinations of equations in which neither drives nor springs of drives act,
            (n, k): they give the forces that close it.
        in_idle: the shafts whose wheels push in these equations.
    """

    steps: tuple[Step, ...]
    damped: bool
    needed: Mapping[str, int]
    idle: Array = field(default_factory=lambda: np.zeros((0, 0)))
    in_idle: tuple[str, ...] = ()

    @property
    def order(self) -> int:
        """The highest derivative of the joints' motion that is needed at all."""
        return max(self.needed.values())


def plan(mech: Mechanism, further: int = 0, driven: Array | None = None) -> Plan:
    """The order of solution for a machine, or an error that says what cannot be solved and what to do.

    `further` derivatives of the shafts' motion are wanted beyond their accelerations. Where loops close the machine,
    `driven` are the rows of its actuators (k, n): idle equations then give the forces that close it, which act in all
    others, so that whatever shaft is in an idle equation is in all of them.
    """
    if not mech.shafts:
        raise InputError(
            "motor_motion: the machine has no elastic drive. Use inverse_dynamics, or give a drive a stiffness."
        )
    if not mech.straight:
        raise InputError(
            "motor_motion: the machine has free, spherical or planar joints, whose speeds are not the rates of "
            "coordinates. Fix the base, or divide the machine at that joint."
        )
    K, D = stiffness_and_damping(mech)
    pushes = _pushes(mech)
    order_in = np.maximum(pushes, np.where(D != 0, 1, np.where(K != 0, 0, ABSENT)))
    pairs = _matched(mech, K)
    idle = np.zeros((mech.n, 0)) if driven is None else _idle(mech, pairs, driven, K)
    rows = np.flatnonzero(np.abs(idle).max(axis=1, initial=0.0) > NEGLIGIBLE)
    in_idle = tuple(mech.speeds[s] for _, s in pairs if (pushes[rows, s] != ABSENT).any())
    pushes, order_in = (np.maximum(x, x[rows].max(axis=0, initial=ABSENT)) for x in (pushes, order_in))
    blocks = _blocks(pairs, order_in)
    for block in blocks:
        _require_triangular(mech, block, pushes)
    damped = any(D[equation, shaft] for block in blocks for equation, _ in block for _, shaft in block)
    more = further + (SETTLED if damped else 0)
    needed = {mech.speeds[k]: order + ACCELERATION + more for k, order in sorted(_taken(blocks, order_in).items())}
    return Plan(_steps(blocks, order_in, more), damped, needed, idle, in_idle)


def _idle(mech: Mechanism, pairs: Block, driven: Array, K: Array) -> Array:
    """Combinations of equations (n, k) in which neither actuators nor the springs that decide shafts act."""
    from scipy.linalg import null_space

    springs = np.eye(mech.n)[[equation for equation, _ in pairs]]
    rows = np.vstack([driven.reshape(-1, mech.n), springs])
    idle = np.asarray(null_space(rows / np.abs(rows).max(axis=1, keepdims=True), rcond=NEGLIGIBLE), dtype=np.float64)
    tied = [mech.speeds[s] for _, s in pairs if np.abs(idle.T @ K[:, s]).max(initial=0.0) > NEGLIGIBLE * K[s, s]]
    if tied:
        raise InputError(
            f"motor_motion: shaft {tied[0]!r} is tied by springs to several joints of a machine with loops, so that "
            "its motion and the forces of the loops follow from each other. Give the motion of all coordinates."
        )
    return idle


def stiffness_and_damping(mech: Mechanism) -> tuple[Array, Array]:
    """K_e and D_e of the machine's springs, (n, n) each."""
    matrices = spring_matrices(mech)
    try:
        return np.array(matrices.stiffness, dtype=np.float64), np.array(matrices.damping, dtype=np.float64)
    except TypeError:
        refuse_symbols("elastic", mech)
        raise


def unloaded_shafts(mech: Mechanism) -> tuple[Array, Array]:
    r"""How shafts follow joints while springs are unloaded, $\theta = F q + f$: F (shafts, joints) and f (shafts,).

    The place of least energy in all springs, $K_{ss} \theta = preload - K_{sj} q$; coordinates count per speed.

    >>> import gearwright as gw
    >>> F, f = unloaded_shafts(gw.assemble(gw.load("elastic_elbow")))
    >>> F.round(12).tolist(), f.tolist()
    ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, 0.0])
    """
    first, K = first_shaft(mech), stiffness_and_damping(mech)[0]
    preload = np.array(spring_matrices(mech).preload, dtype=np.float64)
    inverse = np.linalg.pinv(K[first:, first:])
    return -inverse @ K[first:, :first], inverse @ preload[first:]


def _pushes(mech: Mechanism) -> NDArray[np.int_]:
    """Per equation and speed the highest derivative of its coordinate that inertia brings in, `ABSENT` for none.

    The couplings of a wheel are trigonometric polynomials of the coordinates: they vanish identically if they do at a
    few configurations without special angles.
    """
    n, first, rng = mech.n, first_shaft(mech), np.random.default_rng(7)
    bare = replace(mech, springs=())
    q, v = rng.uniform(-1.5, 1.5, (2, 8, n))
    inertia = np.abs(mass_matrix(bare, q)).max(axis=0)
    faster = v[:, None] + np.eye(n)[first:]
    gyroscopic = np.abs(bias(bare, q[:, None], faster) - bias(bare, q, v)[:, None]).max(axis=0).T  # (n, shafts)
    own = np.zeros(n)
    for spin in mech.spins:
        for speed, ratio in spin.terms:
            own[speed] += abs(ratio) * max(abs(spin.inertia * ratio), abs(spin.coupled))
    orders = np.full((n, n), ABSENT)
    orders[:, first:][gyroscopic > NEGLIGIBLE * own[first:]] = 1
    orders[inertia > NEGLIGIBLE * own] = ACCELERATION
    orders[:, :first] = ACCELERATION
    return orders


def _matched(mech: Mechanism, K: Array) -> Block:
    """Pairs (equation without a motor, shaft that a spring ties to it), one for every shaft."""
    from scipy.optimize import linear_sum_assignment

    driven = np.any([np.array(a.row) != 0 for a in mech.actuators] or [np.zeros(mech.n, bool)], axis=0)
    first = first_shaft(mech)
    free = np.flatnonzero(~driven)
    tied = (K[free, first:] != 0) & (free[:, None] != np.arange(first, mech.n))
    rows, columns = linear_sum_assignment(tied, maximize=True)
    pairs = [(int(free[r]), first + int(c)) for r, c in zip(rows, columns, strict=True) if tied[r, c]]
    loose = [mech.speeds[k] for k in range(first, mech.n) if k not in [shaft for _, shaft in pairs]]
    if loose:
        raise InputError(
            f"motor_motion: the motion of shaft {loose[0]!r} does not follow from that of the joints: no speed without "
            "a motor is tied to it by a spring. Give it a stiffness, or let a motor drive the shaft and not its joint."
        )
    return pairs


def _blocks(pairs: Block, order_in: NDArray[np.int_]) -> list[Block]:
    """The pairs in an order in which each needs only earlier shafts; those that need each other stand together."""
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(pairs)))
    for k, (equation, _) in enumerate(pairs):
        graph.add_edges_from((j, k) for j, (_, shaft) in enumerate(pairs) if order_in[equation, shaft] != ABSENT)
    whole = networkx.condensation(graph)
    return [[pairs[k] for k in sorted(whole.nodes[c]["members"])] for c in networkx.topological_sort(whole)]


def _require_triangular(mech: Mechanism, block: Block, pushes: NDArray[np.int_]) -> None:
    """Inside a block only springs and dampers may act; else the motion of its shafts has a history of its own."""
    for equation, _ in block:
        for _, shaft in block:
            if pushes[equation, shaft] == ABSENT:
                continue
            row, name = mech.speeds[equation], mech.speeds[shaft]
            raise InputError(
                f"motor_motion: the wheels of {name!r} push on {row!r}, whose own spring they stretch (H2 is not "
                "triangular: is a motor carried by a link beyond the joint it drives?). Its motion then depends on the "
                "past. Use approximate(mech, 'spong'), which leaves that push out, or simulate."
            )


def _taken(blocks: Sequence[Block], order_in: NDArray[np.int_]) -> dict[int, int]:
    """Per shaft how many derivatives of its equation its place takes: its own two, and those of the shafts in it."""
    taken: dict[int, int] = {}
    for block in blocks:
        most = ACCELERATION
        for equation, _ in block:
            for shaft, order in taken.items():
                if order_in[equation, shaft] != ABSENT:
                    most = max(most, order + int(order_in[equation, shaft]))
        taken |= dict.fromkeys((shaft for _, shaft in block), most)
    return taken


def _steps(blocks: Sequence[Block], order_in: NDArray[np.int_], more: int) -> tuple[Step, ...]:
    """What is solved in which order, and up to which derivative: as later equations ask of each shaft.

    With dampers there are `more` of them, once for all: what is neglected shrinks along every power alike.
    """
    asked = {shaft: ACCELERATION for block in blocks for _, shaft in block}
    steps = []
    for block in reversed(blocks):
        order = max(asked[shaft] for _, shaft in block)
        for equation, _ in block:
            for other in asked:
                if order_in[equation, other] != ABSENT:
                    asked[other] = max(asked[other], order + int(order_in[equation, other]))
        steps.append(Step(tuple(e for e, _ in block), tuple(s for _, s in block), order + more))
    return tuple(reversed(steps))
