"""The choice of independent speeds of a machine with closed loops, by rank at closed configurations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.closed_loops.closing import move_joints
from gearwright.dynamics.closed_loops.embedding import ConstraintEmbedding, LoopGroup
from gearwright.dynamics.closed_loops.loop_equations import LoopGeometry
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError, StructureError
from gearwright.mechanism import Mechanism
from gearwright.text import did_you_mean, listed_names

LOOP_RANK_TOLERANCE = 1e-8
"""Ratio of a singular value to the largest one up to which equations are linearly dependent."""

REFERENCE_GAP = 1e-10
"""Gap [m, rad] of a closed configuration; lengths in files have about 12 digits."""

NEARBY_STEP, NEARBY_COUNT = 0.02, 3
"""Size [rad, m] and number of steps to closed configurations at which the structure is examined."""

BETTER_CHOICE = 10.0
"""Ratio of the least singular values from which another choice of independent speeds is worth proposing."""

MAX_STEPS, MAX_STEP, RANDOM_STARTS = 100, 0.5, 30
"""Newton steps from a start, largest step of a joint [rad, m], and random starts if the first one fails."""


@dataclass(frozen=True)
class LoopNumbers:
    """Gaps (m,) and rows (m, n) of all loops at configurations in numbers."""

    tree: Mechanism
    loops: tuple[LoopGeometry, ...]

    def gaps_and_rows(self, q: Sequence[float]) -> tuple[Array, Array]:
        """Gaps and rows at one configuration."""
        equations = ConstraintEmbedding(self.loops, (), ()).equations(place_machine(self.tree, q, FLOATS))
        rows = np.zeros((len(equations), self.tree.n))
        for k, equation in enumerate(equations):
            for speed, x in equation.row.items():
                rows[k, speed] = x
        return np.array([equation.gap for equation in equations], dtype=np.float64), rows

    def nearest_closed(self, q: Array, fixed: Sequence[int] = ()) -> tuple[Array, float]:
        """A closed configuration near q by Newton's method with steps of least norm, and the largest gap left.

        Args:
            q: the start, (nq,).
            fixed: indices of speeds that do not move.
        """
        gap, rows = self.gaps_and_rows(q.tolist())
        for _ in range(MAX_STEPS):
            if np.abs(gap).max(initial=0.0) < 1e-14:
                break
            rows[:, list(fixed)] = 0.0
            step = -np.linalg.lstsq(rows, gap, rcond=LOOP_RANK_TOLERANCE)[0]
            step[list(fixed)] = 0.0  # exactly
            step *= min(1.0, MAX_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
            fresh = np.array(move_joints(self.tree, q.tolist(), step.tolist(), FLOATS), dtype=np.float64)
            fresh_gap, fresh_rows = self.gaps_and_rows(fresh.tolist())
            if np.abs(gap).max() < REFERENCE_GAP and np.abs(fresh_gap).max() >= np.abs(gap).max():
                break  # rounding
            q, gap, rows = fresh, fresh_gap, fresh_rows
        return q, float(np.abs(gap).max(initial=0.0))

    def is_facing(self, q: Array) -> bool:
        """Whether no frame is turned by 180 deg against its counterpart."""
        pose = place_machine(self.tree, q.tolist(), FLOATS)
        return all(x > 0 for x in ConstraintEmbedding(self.loops, (), ()).facing_cosines(pose))

    def closed_start(self, owner: str, start: Array, fixed: Sequence[int] = ()) -> Array:
        """A closed configuration near a start, or from random starts.

        Args:
            owner: for messages.
            start: configuration (nq,).
            fixed: indices of speeds that do not move if the loops can be closed so, or else the driven ones of them.

        Raises:
            InputError: the loops cannot be closed.
        """
        for still in (fixed, sorted(_driven_speeds(self.tree).intersection(fixed))):
            if still:
                q, gap = self.nearest_closed(start, still)
                if gap < REFERENCE_GAP and self.is_facing(q):
                    return q
        rng = np.random.default_rng(0)
        best, least = start, np.inf
        for trial in range(RANDOM_STARTS + 1):
            step = rng.uniform(-1.5, 1.5, self.tree.n) * (trial > 0) * min(1.0, trial / 10)
            q, gap = self.nearest_closed(np.array(move_joints(self.tree, start.tolist(), step.tolist(), FLOATS)))
            if gap < REFERENCE_GAP and self.is_facing(q):
                return q
            if gap < least:
                best, least = q, gap
        raise InputError(self._open_text(owner, best))

    def _open_text(self, owner: str, q: Array) -> str:
        gap, _ = self.gaps_and_rows(q.tolist())
        names = [name for loop in self.loops for name in loop.equation_names]
        worst = names[int(np.abs(gap).argmax())]
        loop = next(loop for loop in self.loops if worst in loop.equation_names)
        bodies = listed_names(self.tree.bodies[i].speed_name for i in (*loop.A.path, *loop.B.path))
        return (
            f"{owner}: loop {loop.name!r} cannot be closed: {worst} stays open by {np.abs(gap).max():.4g} (m or rad) "
            f"in every configuration tried of its joints {bodies}. Check lengths, frames and axes of these joints."
        )

    def closed_nearby(self, q: Array) -> Iterator[Array]:
        """Closed configurations in general position near a closed one."""
        rng = np.random.default_rng(1)
        for _ in range(NEARBY_COUNT):
            _, rows = self.gaps_and_rows(q.tolist())
            step = null_space(rows) @ rng.uniform(-1.0, 1.0, self.tree.n - matrix_rank(rows))
            step *= NEARBY_STEP / max(float(np.abs(step).max(initial=0.0)), NEARBY_STEP)
            near, gap = self.nearest_closed(np.array(move_joints(self.tree, q.tolist(), step.tolist(), FLOATS)))
            if gap < REFERENCE_GAP:
                yield near

    def is_singular(self, q: Array) -> bool:
        """Whether the equations have a lower rank at a closed configuration than near it."""
        rank = matrix_rank(self.gaps_and_rows(q.tolist())[1])
        return any(matrix_rank(self.gaps_and_rows(x.tolist())[1]) > rank for x in self.closed_nearby(q))

    def regular_nearby(self, q: Array) -> Array:
        """The closed configuration near a singular one that is farthest from a singularity."""
        nearby = [(x, self.gaps_and_rows(x.tolist())[1]) for x in self.closed_nearby(q)]
        rank = max(matrix_rank(rows) for _, rows in nearby)
        return max(nearby, key=lambda pair: float(np.linalg.svd(pair[1], compute_uv=False)[rank - 1]))[0]


def matrix_rank(rows: Array) -> int:
    """The rank, with singular values up to `LOOP_RANK_TOLERANCE` of the largest as zero."""
    values = np.linalg.svd(rows, compute_uv=False)
    return int((values > LOOP_RANK_TOLERANCE * values.max(initial=0.0)).sum())


def null_space(rows: Array) -> Array:
    """An orthonormal basis of the speeds that keep the loops closed, (n, n - rank)."""
    _, _, basis = np.linalg.svd(rows, full_matrices=True)
    return basis[matrix_rank(rows) :].T


def choose_closure(
    owner: str, tree: Mechanism, loops: tuple[LoopGeometry, ...], q: Array, stated: Sequence[str] = ()
) -> ConstraintEmbedding:
    """Return the independent speeds and groups of a machine whose loops are closed at q.

    Driven speeds are independent if the loops permit; `stated` names the independent speeds of the loops instead.
    Where it names fewer than needed, the others are chosen by rank.

    Raises:
        InputError: the configuration is singular, or the stated speeds do not determine the others.
    """
    numbers = LoopNumbers(tree, loops)
    all_rows = [numbers.gaps_and_rows(x.tolist())[1] for x in (q, *numbers.closed_nearby(q))]
    rank = max(map(matrix_rank, all_rows))
    _require_regular(owner, tree, all_rows[0], rank)
    equations = sorted(_pivots(all_rows[0].T, rank))
    driven = _driven_speeds(tree)
    size = max(float(np.abs(rows).max(initial=0.0)) for rows in all_rows)
    occurs = np.any([np.abs(rows) > 1e-12 * size for rows in all_rows], axis=0)
    if stated:
        independent = _stated_indices(owner, tree, stated)
        dependent = _completed_dependent(owner, tree, all_rows[0][equations], independent, rank)
        independent += [k for k in range(tree.n) if k not in independent and k not in dependent]
    else:
        idle = [k for k in range(tree.n) if k not in driven]
        dependent = _dependent_speeds(all_rows[0][equations], idle, sorted(driven), rank)
        free = [k for k in range(tree.n) if k not in dependent]
        independent = [*(k for k in free if k in driven), *(k for k in free if k not in driven)]
    groups = [_with_large_pivots(group, all_rows[0]) for group in _groups(occurs[equations], equations, dependent)]
    return ConstraintEmbedding(loops, tuple(independent), tuple(groups))


def _with_large_pivots(group: LoopGroup, rows: Array) -> LoopGroup:
    """The group with its equations in the order of partial pivoting at the reference."""
    from scipy.linalg import lu

    square = rows[np.ix_(group.equations, group.dependent)]
    order = np.argmax(lu(square)[0], axis=0)
    return replace(group, equations=tuple(group.equations[k] for k in order))


def regular_choice(tree: Mechanism, closure: ConstraintEmbedding, q: Array) -> tuple[str, ...]:
    """Independent speeds that are well conditioned at a configuration, driven ones preferred; () if none are better."""
    rows = LoopNumbers(tree, closure.loops).gaps_and_rows(q.tolist())[1]
    used = rows[sorted(k for group in closure.groups for k in group.equations)]
    driven, present = _driven_speeds(tree), [k for group in closure.groups for k in group.dependent]
    idle = [k for k in range(tree.n) if k not in driven]
    choices = [_dependent_speeds(used, idle, sorted(driven), len(used)), _pivots(used, len(used))]
    sizes = [np.linalg.svd(used[:, x], compute_uv=False)[-1] if len(x) == len(used) else 0.0 for x in choices]
    needed = BETTER_CHOICE * float(np.linalg.svd(used[:, present], compute_uv=False)[-1])
    for dependent, size in zip(choices, sizes, strict=True):
        if size > max(needed, max(sizes) / BETTER_CHOICE, LOOP_RANK_TOLERANCE * np.abs(used).max(initial=0.0)):
            return tuple(name for k, name in enumerate(tree.speeds) if k not in dependent)
    return ()


def _require_regular(owner: str, tree: Mechanism, rows: Array, rank: int) -> None:
    actual_rank = matrix_rank(rows)
    if actual_rank == rank:
        return
    extra = null_space(rows) @ null_space(rows).T
    moved = listed_names(tree.speeds[k] for k in np.argsort(-np.diag(extra))[: rank - actual_rank + 1])
    raise InputError(
        f"{owner}: the loops are singular at this configuration: their equations have the rank {actual_rank}, near it "
        f"{rank}, so {moved} can move in more directions than elsewhere. Start from another configuration."
    )


def _pivots(matrix: Array, count: int) -> list[int]:
    """The columns chosen first by a QR decomposition with column pivoting."""
    if not count:
        return []
    from scipy.linalg import qr

    return [int(k) for k in qr(matrix, mode="r", pivoting=True)[1][:count]]


def _driven_speeds(mech: Mechanism) -> set[int]:
    """Speeds with actuators, and those behind the springs of elastic drives."""
    driven = {index for actuator in mech.actuators for index, _ in actuator.terms}
    for spring in mech.springs:
        ends = {index for index, _ in spring.terms}
        driven |= ends if ends & driven else set()
    return driven


def _dependent_speeds(rows: Array, idle: Sequence[int], driven: Sequence[int], rank: int) -> list[int]:
    """Speeds with independent columns, as many as the rank, preferably idle ones."""
    chosen: list[int] = []
    for candidates in (idle, driven):
        left = rows
        if chosen:
            basis = np.linalg.qr(rows[:, chosen])[0]
            left = rows - basis @ (basis.T @ rows)
        part = left[:, list(candidates)]
        part_rank = _rank_of_size(part, float(np.abs(rows).max(initial=0.0)))
        chosen += [candidates[k] for k in _pivots(part, min(part_rank, rank - len(chosen)))]
        if len(chosen) == rank:
            break
    return sorted(chosen)


def _rank_of_size(matrix: Array, size: float) -> int:
    """The rank, with singular values up to `LOOP_RANK_TOLERANCE` of a given size as zero."""
    return int((np.linalg.svd(matrix, compute_uv=False) > LOOP_RANK_TOLERANCE * size).sum())


def _stated_indices(owner: str, tree: Mechanism, stated: Sequence[str]) -> list[int]:
    """The numbers of stated speeds; the name of a joint with several speeds stands for all of them."""
    indices: list[int] = []
    for name in stated:
        speeds = [name] if name in tree.speeds else [x for x in tree.speeds if x.startswith(f"{name}.")]
        if not speeds:
            raise StructureError(f"{owner}: there is no speed {name!r}. {did_you_mean(name, tree.speeds)}")
        indices += map(tree.speeds.index, speeds)
    return indices


def _completed_dependent(owner: str, tree: Mechanism, rows: Array, independent: Sequence[int], rank: int) -> list[int]:
    """The dependent speeds, none of them stated as independent; an error if those do not determine the others."""
    if len(independent) > tree.n - rank:
        raise InputError(
            f"{owner}: {len(independent)} independent speeds are stated, but loops of rank {rank} leave "
            f"{tree.n - rank} of {tree.n} speeds independent. State {tree.n - rank}."
        )
    others = [k for k in range(tree.n) if k not in independent]
    dependent = _dependent_speeds(rows, others, list(independent), rank)
    if {*dependent} & {*independent}:
        names = listed_names(tree.speeds[k] for k in range(tree.n) if k not in dependent)
        raise InputError(
            f"{owner}: the stated independent speeds do not determine the others at this configuration. "
            f"Possible independent speeds are {names}."
        )
    return dependent


def _groups(pattern: Array, equations: Sequence[int], dependent: Sequence[int]) -> Iterator[LoopGroup]:
    """The groups in order of their solution: the strong components of the square matrix of dependent speeds."""
    if not dependent:
        return
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    square = csr_matrix(pattern[:, list(dependent)])
    matched = maximum_bipartite_matching(square, perm_type="column")  # per equation its speed
    order = np.argsort(matched)  # per speed its equation
    count, labels = connected_components(csr_matrix(square[order]), connection="strong")
    members = [np.flatnonzero(labels == label) for label in range(count)]
    known: set[int] = set()
    waiting = list(range(count))
    while waiting:
        for label in waiting:
            group_speeds = [dependent[int(k)] for k in members[label]]
            rows: Any = pattern[order[members[label]]].any(axis=0)
            needs = {k for k in dependent if rows[k]} - set(group_speeds)
            if needs <= known:
                others = tuple(int(k) for k in np.flatnonzero(rows) if k not in group_speeds)
                yield LoopGroup(tuple(equations[k] for k in sorted(order[members[label]])), tuple(group_speeds), others)
                known |= set(group_speeds)
                waiting.remove(label)
                break
