"""Assignment of equations to the motion of shafts, and the required derivatives of the joints' motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import ACCELERATION_ORDER, ShaftStep, first_shaft, spring_matrices
from gearwright.errors import InputError
from gearwright.functions.constrained.closing import speed_directions
from gearwright.functions.dynamics import bias, integrate, mass_matrix
from gearwright.mechanism import Mechanism, RobotOrMech, dense_row
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.inputs import refuse_symbols
from gearwright.text import listed_names

NO_DERIVATIVE = -1
"""Marker for a coordinate that an equation does not contain."""

DAMPER_DERIVATIVES = 4
"""Additional derivatives for dampers: each reduces the error by a factor D/K times the frequency of the motion."""

SAMPLES = 8
"""Configurations in general position at which couplings are compared with zero."""

NEGLIGIBLE_COUPLING_RATIO = 1e-9
"""Coupling relative to a wheel's own inertia below which it is a rounding error."""


EquationBlock: TypeAlias = list[tuple[int, int]]
"""Pairs (equation, shaft) that are solved simultaneously."""


@dataclass(frozen=True)
class ShaftPlan:
    """The order of solution for the motor motion.

    Args:
        steps: equations and the shafts they determine, in order.
        damped: whether a damper acts between the unknowns of a step.
        needed: per shaft the highest derivative of the joints' motion that its acceleration requires.
        idle: for a machine with loops, combinations of equations in which neither drives nor springs of drives act,
            (n, k): they determine the constraint forces.
        in_idle: the shafts whose wheels act in these equations.
    """

    steps: tuple[ShaftStep, ...]
    damped: bool
    needed: Mapping[str, int]
    idle: Array = field(default_factory=lambda: np.zeros((0, 0)))
    in_idle: tuple[str, ...] = ()

    @property
    def order(self) -> int:
        """The highest required derivative of the joints' motion."""
        return max(self.needed.values())


def plan_shafts(mech: Mechanism, further: int = 0, driven: Array | None = None) -> ShaftPlan:
    """Return the order of solution for a machine; raise an error if a shaft is not determined.

    `further` is the number of derivatives of the shafts' motion beyond their accelerations. For a machine with loops,
    `driven` are the rows of its actuators (k, n): idle equations then determine the constraint forces, which act in all
    others, so a shaft in an idle equation appears in all of them.
    """
    if not mech.shafts:
        raise InputError(
            "motor_motion: the machine has no elastic drive. Use inverse_dynamics, or give a drive a stiffness."
        )
    if not mech.tree.speeds_are_rates:
        raise InputError(
            "motor_motion: the machine has free, spherical or planar joints, whose speeds are not the rates of "
            "coordinates. Fix the base, or divide the machine at that joint."
        )
    K, D = stiffness_and_damping(mech)
    pushes = _inertial_orders(mech)
    order_in = np.maximum(pushes, np.where(D != 0, 1, np.where(K != 0, 0, NO_DERIVATIVE)))
    pairs = _match_equations(mech, K)
    idle = np.zeros((mech.n, 0)) if driven is None else _idle_combinations(mech, pairs, driven, K)
    rows = np.flatnonzero(np.abs(idle).max(axis=1, initial=0.0) > NEGLIGIBLE_COUPLING_RATIO)
    in_idle = tuple(mech.speeds[s] for _, s in pairs if (pushes[rows, s] != NO_DERIVATIVE).any())
    pushes, order_in = (np.maximum(x, x[rows].max(axis=0, initial=NO_DERIVATIVE)) for x in (pushes, order_in))
    blocks = _solution_blocks(pairs, order_in)
    for block in blocks:
        _require_triangular(mech, block, pushes)
    damped = any(D[equation, shaft] for block in blocks for equation, _ in block for _, shaft in block)
    more = further + (DAMPER_DERIVATIVES if damped else 0)
    needed = {
        mech.speeds[k]: order + ACCELERATION_ORDER + more
        for k, order in sorted(_derivatives_taken(blocks, order_in).items())
    }
    return ShaftPlan(_shaft_steps(blocks, order_in, more), damped, needed, idle, in_idle)


def _idle_combinations(mech: Mechanism, pairs: EquationBlock, driven: Array, K: Array) -> Array:
    """Return combinations of equations (n, k) in which neither actuators nor the springs of shafts act."""
    from scipy.linalg import null_space

    springs = np.eye(mech.n)[[equation for equation, _ in pairs]]
    rows = np.vstack([driven.reshape(-1, mech.n), springs])
    idle = np.asarray(
        null_space(rows / np.abs(rows).max(axis=1, keepdims=True), rcond=NEGLIGIBLE_COUPLING_RATIO), dtype=np.float64
    )
    tied = [
        mech.speeds[s]
        for _, s in pairs
        if np.abs(idle.T @ K[:, s]).max(initial=0.0) > NEGLIGIBLE_COUPLING_RATIO * K[s, s]
    ]
    if tied:
        raise InputError(
            f"motor_motion: shaft {tied[0]!r} is connected by springs to several joints of a machine with loops, so "
            "its motion and the loop forces are coupled. Give the motion of all coordinates."
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
    r"""Return F (shafts, joints) and f (shafts,) of the shaft positions with unloaded springs, $\theta = F q + f$.

    They minimise the energy of all springs, $K_{ss} \theta = preload - K_{sj} q$; coordinates are per speed.

    >>> import gearwright as gw
    >>> F, f = unloaded_shafts(gw.assemble(gw.load("elastic_elbow")))
    >>> F.round(12).tolist(), f.tolist()
    ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, 0.0])
    """
    first, K = first_shaft(mech), stiffness_and_damping(mech)[0]
    preload = np.array(spring_matrices(mech).preload, dtype=np.float64)
    inverse = np.linalg.pinv(K[first:, first:])
    return -inverse @ K[first:, :first], inverse @ preload[first:]


def _inertial_orders(mech: Mechanism) -> NDArray[np.int_]:
    """Return per equation and speed the highest derivative of its coordinate due to inertia, `NO_DERIVATIVE` for none.

    The couplings of a wheel are trigonometric polynomials of the coordinates: they vanish identically if they vanish at
    a few configurations in general position.
    """
    n, first, rng = mech.n, first_shaft(mech), np.random.default_rng(7)
    bare = mech.with_tree(replace(mech.tree, springs=()))
    q, v = rng.uniform(-1.5, 1.5, (2, SAMPLES, n))
    if isinstance(bare, ClosedMechanism):
        q = _closed_samples(bare, rng)
    inertia = np.abs(mass_matrix(bare, q)).max(axis=0)
    faster = v[:, None] + np.eye(n)[first:]  # (samples, shafts, n)
    gyroscopic = np.abs(bias(bare, q[:, None], faster) - bias(bare, q, v)[:, None]).max(axis=0).T  # (n, shafts)
    own_inertia = np.zeros(n)
    rows = _independent_rows(mech, [dense_row(spin.terms, mech.tree.n) for spin in mech.spins])
    for spin, row in zip(mech.spins, rows, strict=True):
        own_inertia += np.abs(row) * np.maximum(np.abs(float(spin.inertia) * row), abs(float(spin.coupling_inertia)))
    orders = np.full((n, n), NO_DERIVATIVE)
    orders[:, first:][gyroscopic > NEGLIGIBLE_COUPLING_RATIO * own_inertia[first:]] = 1
    orders[inertia > NEGLIGIBLE_COUPLING_RATIO * own_inertia] = ACCELERATION_ORDER
    orders[:, :first] = ACCELERATION_ORDER
    return orders


def _closed_samples(mech: ClosedMechanism, rng: np.random.Generator) -> Array:
    """Return closed configurations (samples, nq) about the reference, nearer to it where the branch ends."""
    samples, step = np.tile(mech.reference, (SAMPLES, 1)), 1.0
    for row in range(SAMPLES):
        while True:
            try:
                samples[row] = integrate(mech, mech.reference, rng.uniform(-step, step, mech.n))
                break
            except InputError:
                step /= 2
    return samples


def elastic_machine(function: str, robot_or_mech: RobotOrMech) -> Mechanism:
    """Return the machine, with its loops closed; the shafts of elastic drives must be its last independent speeds.

    Raises:
        InputError: a shaft, or the joint of an elastic drive, depends on other speeds.
    """
    mech = machine_of(function, robot_or_mech)
    if mech.closure is None or not mech.shafts:
        return mech
    count, tree = len(mech.shafts), mech.tree
    dependent = {k for group in mech.closure.groups for k in group.dependent}
    for spring in mech.springs:
        ends = {k for k, _ in spring.terms}
        if max(ends) >= tree.n - count and ends & dependent:
            name = tree.speeds[min(ends & dependent)]
            raise InputError(
                f"{function}: spring {spring.name!r} of an elastic drive acts on {name!r}, which follows from other "
                f"joints through the loops. State gw.assemble(robot, independent=[...]) with {name!r} among them."
            )
    if mech.closure.independent[-count:] != tuple(range(tree.n - count, tree.n)):
        joints = [name for name in mech.speeds if name not in mech.shafts]
        raise InputError(
            f"{function}: the independent speeds are {listed_names(mech.speeds)}, but the shafts must be the last "
            f"ones. State gw.assemble(robot, independent={[*joints, *mech.shafts]})."
        )
    return mech


def _match_equations(mech: Mechanism, K: Array) -> EquationBlock:
    """Return pairs (equation without a motor, shaft connected to it by a spring), one for every shaft."""
    from scipy.optimize import linear_sum_assignment

    driven = driven_speeds(mech)
    first = first_shaft(mech)
    free = np.flatnonzero(~driven)
    tied = (K[free, first:] != 0) & (free[:, None] != np.arange(first, mech.n))
    rows, columns = linear_sum_assignment(tied, maximize=True)
    pairs = [(int(free[r]), first + int(c)) for r, c in zip(rows, columns, strict=True) if tied[r, c]]
    loose = [mech.speeds[k] for k in range(first, mech.n) if k not in [shaft for _, shaft in pairs]]
    if loose:
        raise InputError(
            f"motor_motion: the motion of the joints does not determine that of shaft {loose[0]!r}: no spring connects "
            "it to a speed without a motor. Give it a stiffness, or drive the shaft with a motor instead of its joint."
        )
    return pairs


def driven_speeds(mech: Mechanism) -> NDArray[np.bool_]:
    """Return which speeds have actuators, (n,); with closed loops, which independent ones."""
    rows = _independent_rows(mech, [actuator.row for actuator in mech.actuators])
    return np.asarray((np.abs(rows) > NEGLIGIBLE_COUPLING_RATIO).any(axis=0))


def _independent_rows(mech: Mechanism, rows: Sequence[Any]) -> Array:
    """Return rows over all speeds as rows over the speeds of a machine, at the reference of closed loops."""
    dense: Array = np.array(rows, dtype=np.float64).reshape(-1, mech.tree.n)
    return dense @ speed_directions(mech, mech.reference) if isinstance(mech, ClosedMechanism) else dense


def _solution_blocks(pairs: EquationBlock, order_in: NDArray[np.int_]) -> list[EquationBlock]:
    """Return the pairs in an order in which each needs only earlier shafts; coupled pairs form one block."""
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(pairs)))
    for k, (equation, _) in enumerate(pairs):
        graph.add_edges_from((j, k) for j, (_, shaft) in enumerate(pairs) if order_in[equation, shaft] != NO_DERIVATIVE)
    whole = networkx.condensation(graph)
    return [[pairs[k] for k in sorted(whole.nodes[c]["members"])] for c in networkx.topological_sort(whole)]


def _require_triangular(mech: Mechanism, block: EquationBlock, pushes: NDArray[np.int_]) -> None:
    """Raise an error if inertia acts inside a block: the motion of its shafts would have internal dynamics."""
    for equation, _ in block:
        for _, shaft in block:
            if pushes[equation, shaft] == NO_DERIVATIVE:
                continue
            row, name = mech.speeds[equation], mech.speeds[shaft]
            raise InputError(
                f"motor_motion: the wheels of {name!r} are coupled to {row!r}, whose own spring they load (H2 is not "
                "triangular: is a motor mounted on a link beyond the joint it drives?). Its motion then depends on "
                "initial conditions. Use approximate(mech, 'spong'), which neglects the coupling, or simulate."
            )


def _derivatives_taken(blocks: Sequence[EquationBlock], order_in: NDArray[np.int_]) -> dict[int, int]:
    """Return per shaft the number of derivatives of its equation: its own two, and those of the shafts in it."""
    orders: dict[int, int] = {}
    for block in blocks:
        most = ACCELERATION_ORDER
        for equation, _ in block:
            for shaft, order in orders.items():
                if order_in[equation, shaft] != NO_DERIVATIVE:
                    most = max(most, order + int(order_in[equation, shaft]))
        orders |= dict.fromkeys((shaft for _, shaft in block), most)
    return orders


def _shaft_steps(blocks: Sequence[EquationBlock], order_in: NDArray[np.int_], more: int) -> tuple[ShaftStep, ...]:
    """Return the order of solution and the derivatives of each step that later equations require.

    With dampers there are `more` derivatives for all steps: the neglected terms decrease equally in every power.
    """
    required_orders = {shaft: ACCELERATION_ORDER for block in blocks for _, shaft in block}
    steps = []
    for block in reversed(blocks):
        order = max(required_orders[shaft] for _, shaft in block)
        for equation, _ in block:
            for other_shaft in required_orders:
                if order_in[equation, other_shaft] != NO_DERIVATIVE:
                    required_orders[other_shaft] = max(
                        required_orders[other_shaft], order + int(order_in[equation, other_shaft])
                    )
        steps.append(ShaftStep(tuple(e for e, _ in block), tuple(s for _, s in block), order + more))
    return tuple(reversed(steps))
