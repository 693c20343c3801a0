"""Solving link by link: the solution of the elimination, in steps and operations proportional to the links."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.dynamics.elimination import solve_by_elimination
from gearwright.dynamics.forward_dynamics import ArticulatedInertia, solve_by_links
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place_machine
from support.compare import relative
from support.long_chains import long_chain
from support.machines import random_design, random_parts_design, random_state

KINDS = ("revolute", "prismatic", "fixed", "spherical", "planar", "helical", "universal")


def local(seed: int) -> gw.Mechanism:
    """A random tree whose wheels turn with one joint (or a shaft) and sit on a link next to it, or on the base."""
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.choice(KINDS, size=int(rng.integers(1, 9)))]
    start = ["free"] if rng.random() < 0.3 else ["revolute"]
    mech = random_design(rng, [*start, *kinds], wheels=0, shafts=2).written()
    spins = list(mech.spins)
    for i, (body, joint) in enumerate(zip(mech.bodies, mech.joints, strict=True)):
        speeds = [dof.speed for dof in joint.dofs if mech.layout.coordinate_of[dof.speed] >= 0]
        for k in range(int(rng.integers(0, 3)) if speeds else 0):
            row = {mech.speeds[s]: float(rng.uniform(-90, 90)) for s in {*speeds, *rng.choice(speeds, 1)}}
            if rng.random() < 0.2:
                row[str(rng.choice(mech.shafts))] = float(rng.uniform(-9, 9))
            carrier = int(rng.choice([i, int(body.parent), -1]))
            coupling = None if rng.random() < 0.7 else float(rng.uniform(0, 1e-5))
            spins.append(gw.Spin(f"{i}.{k}", carrier, rng.normal(size=3), 1e-5, row, coupling))
    return gw.Mechanism(mech.bodies, spins, mech.shafts, gravity=tuple(mech.gravity))


def residues(mech: gw.Mechanism, seed: int) -> tuple[float, float]:
    """How far the two solutions are apart, and how far the mass matrix times ours is from the right-hand side."""
    rng = np.random.default_rng(seed)
    pose = place_machine(mech, random_state(rng, mech).q.tolist(), FLOATS)
    right = rng.uniform(-1, 1, mech.n)
    M = mass_matrix(pose)
    expected = np.array(solve_by_elimination(M, mech.couplings, mech.elimination_order, right.tolist()))
    found = np.array(solve_by_links(pose, right.tolist()))
    return relative(found, expected), relative(np.array(M) @ found, right)


def test_every_local_machine_gets_the_solution_of_the_elimination():
    seen: Counter[str] = Counter()
    for seed in range(300):
        mech = local(seed)
        if mech.articulation is None:  # a shaft of two joints, or with wheels far apart
            seen["general"] += 1
            continue
        seen.update({body.joint for body in mech.bodies}, shafts=len(mech.shafts))
        seen["shafts with a joint"] += any(len(n.speeds) > 1 and n.speeds[-1] >= mech.n - 2 for n in mech.articulation)
        assert residues(mech, seed)[0] < 1e-12, seed
    assert seen["general"] < 150
    assert min(seen[kind] for kind in (*KINDS, "free", "shafts with a joint")) > 10


@pytest.mark.parametrize("seed", range(40))
def test_robots_of_parts_with_elastic_drives(seed):
    rng = np.random.default_rng(seed)
    design = random_parts_design(rng, ["revolute"] * 5, wheels=4, elastic=2)
    mech = gw.assemble(design.robot())
    if mech.articulation is not None:
        assert residues(mech, seed)[0] < 1e-12


@pytest.mark.parametrize(
    "spin",
    [
        gw.Spin("far", 0, (0, 0, 1), 1e-4, {"j3": 50.0}),
        gw.Spin("two joints", 1, (0, 0, 1), 1e-4, {"j1": 50.0, "j2": 50.0}),
        gw.Spin("beyond", 3, (0, 0, 1), 1e-4, {"j1": 50.0}),
    ],
)
def test_wheels_that_tie_more_than_neighbours_are_left_to_the_elimination(spin):
    mech = gw.assemble(long_chain(20))
    assert mech.solved_by_links
    tied = gw.Mechanism(mech.bodies, [*mech.spins, spin])
    assert tied.articulation is None
    assert not tied.solved_by_links
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 20))
    assert relative(gw.forward_dynamics(tied, q, v, gw.inverse_dynamics(tied, q, v, a)), a) < 1e-10


def test_followers_are_left_to_the_elimination():
    bodies = [gw.Body("a", mass=1, com=(1, 0, 0)), gw.Body("b", "a", mass=1, com=(1, 0, 0), follows=("a", 2.0, 0.0))]
    assert gw.Mechanism(bodies).articulation is None


def test_every_link_is_moved_to_its_parent_once(monkeypatch):
    moved = []
    original = ArticulatedInertia.transformed_by
    monkeypatch.setattr(
        ArticulatedInertia, "transformed_by", lambda self, R, r: moved.append(r) or original(self, R, r)
    )
    for links in (20, 40, 80):
        mech = gw.assemble(long_chain(links))
        moved.clear()
        gw.forward_dynamics(mech, *np.zeros((3, links)))
        assert len(moved) == links - 1


def test_forward_undoes_inverse_with_springs_wrenches_and_a_moving_base():
    mech = gw.assemble(long_chain(20, stiffness=1e4))
    assert mech.solved_by_links
    rng = np.random.default_rng(4)
    q, v, a = rng.uniform(-1, 1, (3, mech.n))
    outside = ({"l7": rng.normal(size=6)}, tuple(rng.normal(size=(3, 3))))
    tau = gw.inverse_dynamics(mech, q, v, a, *outside)
    assert relative(gw.forward_dynamics(mech, q, v, tau, *outside), a) < 1e-9
