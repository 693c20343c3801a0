"""explain: the parts add up to what the wheels really do, and the classes are those of Chen and Wang."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.plots import bar_figure

ROBOTS = ["grm3", "planetary_3r", "wrist_bendix", "wrist_wam"]


def state(mech, seed=2, lead=()):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*lead, mech.nq)), rng.normal(size=(*lead, mech.n)), rng.normal(size=(*lead, mech.n))


@pytest.mark.parametrize("name", ROBOTS)
def test_parts_add_up(name):
    """Torque with wheels less torque without = the shares; likewise the mass matrix; likewise per wheel."""
    mech = gw.assemble(gw.load(name))
    bare = gw.Mechanism(mech.bodies, gravity=mech.gravity) if not mech.shafts else None
    q, v, a = state(mech)
    told = gw.equations.explain(mech, q, v, a)
    for k, spin in enumerate(mech.spins):
        others = [s for s in mech.spins if s is not spin]
        if mech.shafts and not any(s.ratio[-1] for s in others):
            continue
        without = gw.Mechanism(mech.bodies, others, mech.shafts, mech.springs, gravity=mech.gravity)
        share = gw.inverse_dynamics(mech, q, v, a) - gw.inverse_dynamics(without, q, v, a)
        np.testing.assert_allclose(told.total_share(spin.name), share, atol=1e-12)
        M = gw.mass_matrix(mech, q) - gw.mass_matrix(without, q)
        np.testing.assert_allclose(told.mass_matrices[k], M, atol=1e-12)
        C = told.coriolis(spin.name)
        np.testing.assert_allclose(C, np.swapaxes(C, 1, 2), atol=1e-15)  # symmetric in the two speeds
        np.testing.assert_allclose(np.einsum("rhk,h,k->r", C, v, v), told.forces[k, 2], atol=1e-14)
    if bare is not None:
        all_shares = told.forces.sum(axis=(0, 1))
        expected = gw.inverse_dynamics(mech, q, v, a) - gw.inverse_dynamics(bare, q, v, a)
        np.testing.assert_allclose(all_shares, expected, atol=1e-12)


def test_inner_and_outer_joints():
    canonical = gw.equations.canonical_trains(gw.load("grm3"))
    told = gw.equations.explain(canonical, [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8])
    assert told.speed_classes("w4") == {"j1": "outer", "j2": "outer", "j3": "outer"}
    assert told.speed_classes("w6") == {"j1": "inner", "j2": "outer", "j3": "outer"}
    assert told.speed_classes("w7") == {"j1": "inner", "j2": "inner", "j3": "outer"}


def test_table_and_figure():
    mech = gw.assemble(gw.load("grm3"))
    told = gw.equations.explain(mech, [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8])
    rows = told.table_rows()
    assert {(row["wheel"], row["speed"]) for row in rows} >= {("w4", "j1"), ("w5", "j2"), ("w7", "j1")}
    first = next(row for row in rows if row["wheel"] == "w7" and row["speed"] == "j1")
    assert (first["ratio"], first["class"], first["inertia"]) == (0.0, "inner", 0.0)
    assert first["total"] == pytest.approx(first["coupling"] + first["gyroscopic"])
    page = bar_figure(told.wheels, told.bar_values("j1"), "torque [Nm]")
    assert len(page.axes[0].patches) == 4 * 3


def test_batch_is_singles():
    mech = gw.assemble(gw.load("planetary_3r"))
    q, v, a = state(mech, lead=(4,))
    together = gw.equations.explain(mech, q, v, a)
    for k in range(4):
        alone = gw.equations.explain(mech, q[k], v[k], a[k])
        np.testing.assert_allclose(together.forces[k], alone.forces, rtol=1e-13, atol=1e-15)
    with pytest.raises(InputError, match=r"explain: .*batch"):
        together.table_rows()


def test_refusals():
    mech = gw.assemble(gw.load("grm3"))
    told = gw.equations.explain(mech, [0, 0, 0], [0, 0, 0], [0, 0, 0])
    with pytest.raises(InputError, match=r"'w44'.*'w4'"):
        told.total_share("w44")
    with pytest.raises(InputError, match="'j9'"):
        told.bar_values("j9")
    with pytest.raises(InputError, match="wheels"):
        gw.equations.explain(gw.Mechanism(mech.bodies), [0, 0, 0], [0, 0, 0], [0, 0, 0])
