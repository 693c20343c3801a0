"""The elimination: its pattern covers the mass matrix, its order suits trees, its solution is the solution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gearwright as gw
from gearwright.dynamics.elimination import solve_by_elimination
from support.compare import relative
from support.machines import motions


@given(motions(bodies=6))
def test_pattern_covers_every_entry_of_the_mass_matrix(motion):
    _, mech, s = motion
    M = gw.mass_matrix(mech, s.q)
    for i, others in enumerate(mech.couplings):
        outside = [j for j in range(mech.n) if j != i and j not in others]
        assert not M[i, outside].any(), "an entry would be left out of the elimination"
    assert sorted(mech.elimination_order) == list(range(mech.n))


@given(st.integers(0, 2**31), st.integers(1, 9), st.floats(0, 1))
def test_solves_any_sparse_definite_system(seed, size, density):
    rng = np.random.default_rng(seed)
    keep = np.triu(rng.random((size, size)) < density, 1)
    A = np.where(keep, rng.uniform(-1, 1, (size, size)), 0.0)
    A = A + A.T + size * np.eye(size)
    pattern = [set(np.flatnonzero(row)) - {i} for i, row in enumerate(keep | keep.T)]
    right = rng.uniform(-1, 1, size)
    x = solve_by_elimination(A.tolist(), pattern, rng.permutation(size).tolist(), right.tolist())
    assert relative(np.array(x), np.linalg.solve(A, right)) < 1e-12


def fill_in(mech: gw.Mechanism) -> int:
    """Pairs of speeds that the elimination couples though the mass matrix does not."""
    graph = [set(others) for others in mech.couplings]
    fresh = 0
    for k in mech.elimination_order:
        for i in graph[k]:
            fresh += len(graph[k] - graph[i] - {i})
            graph[i] = (graph[i] | graph[k]) - {i, k}
    return fresh // 2


def star(arms: int, length: int, spins=()):
    """Arms of equal length on one turning hub."""
    common = {"mass": 1, "com": (0.1, 0, 0), "inertia": 0.1 * np.eye(3)}
    bodies = [gw.Body("hub", **common)]
    for a in range(arms):
        for k in range(length):
            parent = "hub" if k == 0 else f"a{a}k{k - 1}"
            bodies.append(gw.Body(f"a{a}k{k}", parent, axis=(0, 1, 0), position=(0.3, 0, 0), **common))
    return gw.Mechanism(bodies, spins)


def test_a_tree_gets_no_fill_in():
    assert fill_in(star(4, 3)) == 0


def test_a_row_across_branches_is_solved_too():
    """A wheel geared to the tips of two branches couples what the tree leaves apart."""
    row = {"a0k2": 5.0, "a1k2": -7.0}
    mech = star(4, 3, [gw.Spin("across", "base", (0, 0, 1), 1e-2, row)])
    q = np.linspace(-1, 1, mech.n)
    i, j = mech.speeds.index("a0k2"), mech.speeds.index("a1k2")
    assert gw.mass_matrix(mech, q)[i, j] == pytest.approx(-0.35)
    assert j in mech.couplings[i]
    a = np.linspace(1, 2, mech.n)
    tau = gw.inverse_dynamics(mech, q, 0 * q, a)
    assert relative(gw.forward_dynamics(mech, q, 0 * q, tau), a) < 1e-11
