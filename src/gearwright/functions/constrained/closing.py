"""Closed configurations in numbers: steps with a fixed number of Newton steps, in more parts where loops stay open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.algebra import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.closed_loops.embedding import MAX_LOOP_GAP, LoopSolver
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError, SingularityError
from gearwright.functions.public_call import run_program, whole_input
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import ClosedMechanism, assemble, machine_of
from gearwright.programs.batch import evaluate_program, require_closed_loops
from gearwright.programs.closed_loops.independent_speeds import LoopNumbers, regular_choice
from gearwright.programs.dynamics_programs import CLOSED_STEP, DIFFERENCE, INTEGRATE, REACTIONS
from gearwright.programs.inputs import checked_array
from gearwright.programs.program import flatten_scalars
from gearwright.text import listed_names

CLOSED_GAP, REPEATED_GAP = 1e-11, 1e-13
"""Gap [m, rad] at which a loop is closed, and from which Newton steps are repeated once all the same."""

SMALL_GAP, MOST_REPETITIONS = 1e-2, 3
"""Gap [m, rad] from which Newton's method converges, and how often its steps are repeated."""

MODE_STARTS, MODE_REPETITIONS, SAME_POSE = 256, 8, 1e-6
"""Random starts of a search for assembly modes, repetitions of Newton steps, and the distance [m, 1] of equal poses."""

LONGEST_STEP, MOST_PARTS = 0.5, 64
"""Longest step [rad, m] that is tried at once, and the largest number of parts of such a step."""

__all__ = ["ClosedMechanism", "assemble", "closed_after", "closed_configuration", "closed_integral"]


class StepResults(NamedTuple):
    """Configurations (N, nq), squared gaps (N,) of the equations in use and of all, and `ClosedStep.branch` (N,)."""

    q: Array
    used_gap: Array
    all_gap: Array
    branch: Array

    @property
    def is_on_branch(self) -> NDArray[np.bool_]:
        """Whether no determinant changed its sign."""
        return np.asarray(self.branch > 0)

    @property
    def is_closed(self) -> NDArray[np.bool_]:
        """Whether the loops are closed; redundant equations only within the accuracy of lengths in files."""
        return np.asarray((self.used_gap < CLOSED_GAP**2) & (self.all_gap < MAX_LOOP_GAP**2))


def closed_configuration(mech: ClosedMechanism, q: Array, near: Array) -> Array:
    """Return the whole configurations (..., nq) at independent coordinates (..., f), each on the branch of `near`."""
    lead = np.broadcast_shapes(q.shape[:-1], near.shape[:-1])
    start = np.broadcast_to(near, (*lead, mech.nq)).reshape(-1, mech.nq)
    independent_q = np.broadcast_to(q, (*lead, q.shape[-1])).reshape(-1, q.shape[-1])
    indices = list(mech.independent_indices)
    if mech.layout.speeds_are_rates:
        steps = independent_q - start[:, indices]
    else:
        end = np.array(start)
        end[:, indices] = independent_q
        along = evaluate_program(DIFFERENCE, mech.tree, {"q0": start, "q1": end}, {})
        steps = along[:, list(mech.closure.independent)]
    closed_q = closed_after(mech, start, steps)
    for k, coordinate in enumerate(indices):  # exact, not up to rounding of a sum
        if coordinate in mech.layout.coordinate_of:
            closed_q[:, coordinate] = independent_q[:, k]
    return closed_q.reshape(*lead, mech.nq)


def closed_after(mech: ClosedMechanism, q: ArrayLike, steps: ArrayLike) -> Array:
    """Return closed configurations (N, nq) after steps (N, f) of the independent speeds from closed ones (N, nq)."""
    start, steps = np.asarray(q, dtype=np.float64), np.asarray(steps, dtype=np.float64)
    longest = np.abs(steps).max(initial=0.0)
    if longest <= LONGEST_STEP:
        results = _step_in_parts(mech, start, steps, 1)
        if (results.is_closed & results.is_on_branch).all():
            return np.array(results.q)
    closed_q = np.empty_like(start)
    waiting, parts = np.arange(len(start)), 1
    needed = np.abs(steps).max(axis=1, initial=0.0) / LONGEST_STEP
    while len(waiting):
        near = waiting[needed[waiting] <= parts]
        results = _step_in_parts(mech, start[near], steps[near], parts)
        same_branch = results.is_on_branch
        good = results.is_closed & same_branch
        closed_q[near[good]] = results.q[good]
        hopeless = ~good & (parts >= MOST_PARTS * np.maximum(needed[near], 1.0))
        if hopeless.any():
            row = int(np.flatnonzero(hopeless)[0])
            raise InputError(_open_text(mech, results, row, bool(same_branch[row]), near, len(start)))
        waiting, parts = np.setdiff1d(waiting, near[good], assume_unique=True), 4 * parts
    return closed_q


def closed_integral(mech: ClosedMechanism, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the closed configuration (..., nq) after motion from q at constant independent speeds for one second."""
    start = checked_array("integrate", mech, "q", whole_input(DIFFERENCE, mech, "q0", q), mech.nq)
    steps = checked_array("integrate", mech, "v", v, mech.n)
    lead = np.broadcast_shapes(start.shape[:-1], steps.shape[:-1])
    rows = [np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (start, steps)]
    return closed_after(mech, *rows).reshape(*lead, mech.nq)


def whole_motion(
    function: str, robot_or_mech: RobotOrMech, q: ArrayLike, v: ArrayLike, a: ArrayLike
) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
    """Return configuration, speeds and accelerations of the open tree from independent ones; others are unchanged."""
    mech = machine_of(function, robot_or_mech)
    if not isinstance(mech, ClosedMechanism) or not mech.closure.groups or np.shape(v)[-1:] != (mech.n,):
        return q, v, a
    arrays = [
        checked_array(function, mech, name, x, size)
        for name, x, size in (
            ("q", whole_input(DIFFERENCE, mech, "q0", q), mech.nq),
            ("v", v, mech.n),
            ("a", a, mech.n),
        )
    ]
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
    whole, v_i, a_i = (list(np.moveaxis(np.broadcast_to(x, (*lead, x.shape[-1])), -1, 0)) for x in arrays)
    require_closed_loops(REACTIONS, mech, {"q": arrays[0]}, function)
    _, speed_map = placed_machine(mech, whole, ARRAYS)
    speeds = speed_map.speeds(v_i)
    accelerations = speed_map.accelerations(speeds, a_i)
    return tuple(np.stack([x + np.zeros(lead) for x in columns], axis=-1) for columns in (whole, speeds, accelerations))  # type: ignore[return-value]


def speed_directions(mech: ClosedMechanism, q: ArrayLike) -> Array:
    """Return G (..., n, f) of v = G v_i at closed configurations (..., nq)."""
    whole = np.asarray(q, dtype=np.float64)
    unit = np.eye(mech.tree.n).tolist()
    if whole.ndim == 1:
        return np.array(placed_machine(mech, whole.tolist(), FLOATS)[1].columns(unit), dtype=np.float64)
    columns = placed_machine(mech, list(np.moveaxis(whole, -1, 0)), ARRAYS)[1].columns(unit)
    rows = [np.stack([x + np.zeros(whole.shape[:-1]) for x in row], axis=-1) for row in columns]
    return np.stack(rows, axis=-2)


def _step_in_parts(mech: ClosedMechanism, q: Array, steps: Array, parts: int) -> StepResults:
    results = _stepped(mech, q, steps / parts if parts > 1 else steps)
    for _ in range(parts - 1):
        results = _on_both(_stepped(mech, results.q, steps / parts), results.branch)
    for k in range(MOST_REPETITIONS):
        is_open = results.used_gap > REPEATED_GAP**2 if k == 0 else ~results.is_closed
        unsolved = np.flatnonzero(is_open & (results.all_gap < SMALL_GAP**2))
        if not len(unsolved):
            break
        better = _stepped(mech, results.q[unsolved], np.zeros((len(unsolved), mech.n)))
        for whole, part in zip(results, _on_both(better, results.branch[unsolved]), strict=True):
            whole[unsolved] = part
    return results


def _on_both(results: StepResults, branch: Array) -> StepResults:
    """The results, on the branch of the start only if the earlier steps stayed on it as well."""
    return results._replace(branch=np.minimum(results.branch, branch))


def _stepped(mech: ClosedMechanism, q: Array, steps: Array) -> StepResults:
    """One step; equations are exchanged where a fixed order of pivots fails, rows that are not finite stay open."""
    try:
        flat = run_program(CLOSED_STEP, mech, (q, steps))
    except SingularityError:
        flat = _with_exchange(mech, q, steps)
    return StepResults(flat[:, : mech.nq], *(flat[:, mech.nq + k] for k in range(3)))


def _with_exchange(mech: ClosedMechanism, q: Array, steps: Array) -> Array:
    try:
        return run_program(CLOSED_STEP, mech, (q, steps), {"exchange": True})
    except SingularityError:
        if len(q) > 1:
            half = len(q) // 2
            parts = (_with_exchange(mech, q[part], steps[part]) for part in (slice(half), slice(half, None)))
            return np.concatenate(list(parts))
        return np.concatenate([q, np.full((1, 3), np.inf)], axis=1)


def _open_text(
    mech: ClosedMechanism, results: StepResults, row: int, same_branch: bool, rows: Array, count: int
) -> str:
    state = f" in state {rows[row]}" if count > 1 else ""
    speeds = listed_names(mech.speeds)
    if not same_branch:
        return (
            f"closed: the path of {speeds} to the given coordinates passes a singular configuration{state}, where "
            f"{lost_direction_text(mech, results.q[row])}, and the other joints leave their branch. Give near= or "
            "branch= for the wanted branch (mech.assembly_modes lists them), or other coordinates."
            f"{proposal_text(mech, results.q[row])}"
        )
    loops = listed_names(repr(loop.name) for loop in mech.loops)
    return (
        f"closed: the loops {loops} stay open by {np.sqrt(results.all_gap[row]):.4g} (m or rad){state} "
        f"at the given coordinates of {speeds}. They cannot be reached on this branch: give others."
    )


def lost_direction(mech: ClosedMechanism, q: Array) -> Array:
    """Return the unit vector (n,) of all speeds that moves dependent joints most while independent ones hardly move.

    At a singular configuration it is the direction in which the loops no longer determine the dependent joints.
    """
    _, rows = LoopNumbers(mech.tree, mech.closure.loops).gaps_and_rows(q.tolist())
    dependent = [k for group in mech.closure.groups for k in group.dependent]
    direction = np.zeros(mech.tree.n)
    direction[dependent] = np.linalg.svd(rows[np.ix_(mech.used_equations, dependent)])[2][-1]
    return direction


def lost_direction_text(mech: ClosedMechanism, q: Array) -> str:
    """Return the joints that can move near a singular configuration while the independent ones are at rest."""
    if not np.isfinite(q).all():
        return f"{listed_names(mech.speeds)} do not determine the other joints"
    direction = lost_direction(mech, q)
    largest = np.abs(direction).max()
    moving = [f"{mech.tree.speeds[k]} ({x:+.2f})" for k, x in enumerate(direction) if abs(x) > 0.1 * largest]
    return f"{listed_names(moving)} can move while {listed_names(mech.speeds)} are at rest"


def proposal_text(mech: ClosedMechanism, q: Array) -> str:
    """Return a sentence with independent speeds that determine the others at a configuration; "" if there are none."""
    names = regular_choice(mech.tree, mech.closure, q) if np.isfinite(q).all() else ()
    if not names:
        return ""
    return f" Independent speeds that determine the others there: gw.assemble(robot, independent={list(names)})."


def find_assembly_modes(mech: ClosedMechanism, q: Array) -> dict[str, Array]:
    """Return the configurations that close the loops at independent coordinates (f,), by name.

    Newton's method from random configurations of the dependent joints; solutions with the same poses of all bodies are
    the same mode. The name has the sign of the determinant of each group of dependent speeds, which is constant along
    a branch, and a number where several modes have these signs. The first one is that of the reference.
    """
    tree, rng = mech.tree, np.random.default_rng(0)
    start = closed_configuration(mech, q, mech.reference)
    length = 2 * max(1e-3, *(float(np.abs([*body.position]).max()) for body in tree.bodies), np.abs(start).max())
    dependent = [k for group in mech.closure.groups for k in group.dependent]
    size = np.array([np.pi if tree.layout.rates[k] == "rad" else length for k in dependent])
    moves = np.zeros((MODE_STARTS, tree.n))
    moves[1:, dependent] = rng.uniform(-1.0, 1.0, (MODE_STARTS - 1, len(dependent))) * size
    configurations = evaluate_program(INTEGRATE, tree, {"q": np.tile(start, (MODE_STARTS, 1)), "v": moves}, {})
    for _ in range(MODE_REPETITIONS):
        results = _stepped(mech, configurations, np.zeros((len(configurations), mech.n)))
        configurations = results.q[np.isfinite(results.q).all(axis=1)]
    results = _stepped(mech, configurations, np.zeros((len(configurations), mech.n)))
    pose = place_machine(tree, list(results.q.T), ARRAYS)
    facing = np.all(
        [np.asarray(x) + np.zeros(len(configurations)) > 0 for x in mech.closure.facing_cosines(pose)], axis=0
    )
    placed = np.array(
        [x + np.zeros(len(configurations)) for x in flatten_scalars([list(x) for x in pose.world_placements])]
    )
    determinants = LoopSolver(mech.closure, mech.closure.equations(pose), ARRAYS).determinants
    modes: list[tuple[str, Array, Array]] = []
    for k in np.flatnonzero(results.is_closed & facing):
        if all(np.abs(placed[:, k] - other).max() > SAME_POSE for _, _, other in modes):
            signs = "".join("+" if x[k] > 0 else "-" for x in determinants)
            modes.append((signs, _near_turn(tree, results.q[k], start), placed[:, k]))
    counts = {signs: [x for x, _, _ in modes].count(signs) for signs, _, _ in modes}
    numbers = dict.fromkeys(counts, 0)
    modes_by_name: dict[str, Array] = {}
    for signs, whole, _ in modes:
        numbers[signs] += 1
        modes_by_name[signs if counts[signs] == 1 else f"{signs}{numbers[signs]}"] = whole
    return modes_by_name


def _near_turn(tree: Mechanism, q: Array, start: Array) -> Array:
    """The configuration with the angles of hinges within half a turn of another one."""
    turns = np.zeros(tree.nq)
    for body, joint in zip(tree.bodies, tree.joints, strict=True):
        if body.kind.pure and body.kind.units == ("rad",) and body.follows is None:
            k = tree.layout.coordinate_of[joint.dofs[0].speed]
            turns[k] = 2 * np.pi * np.round((q[k] - start[k]) / (2 * np.pi))
    return np.asarray(q - turns)


ClosedMechanism.solve = staticmethod(closed_configuration)
ClosedMechanism.find_modes = staticmethod(find_assembly_modes)
