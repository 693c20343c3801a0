"""Random trains on a spatial chain: rows worked out mesh by mesh, dynamics against explicit bodies."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.mechanism import GearGraph, GearPair, TurningPair
from gearwright.parts import Gearwheel, Mesh, Robot, Train
from trains.arms import SPEEDS, axis_in_parent, chain, explicit_chain, numbers, states
from trains.explicit import worst

CARRIERS = ["base", "l1", "l2", "l3"]


def draw(seed, count):
    """Wheels, meshes and, beside them, every wheel's row over the joints from the meaning of each mesh."""
    rng = np.random.default_rng(seed)
    wheels, meshes, rows = [], [], {}
    on = {carrier: [] for carrier in CARRIERS}
    coaxial = {joint: [] for joint in SPEEDS}  # wheels coaxial with a joint, on the link beyond it
    for k in range(count):
        place = int(rng.integers(0, 4))
        carrier, name, g = CARRIERS[place], f"w{k}", float(rng.choice([-1, 1]) * rng.uniform(0.3, 3))
        beyond = SPEEDS[place] if place < 3 else None
        before = SPEEDS[place - 1] if place > 0 else None
        choices = [("wheel", other) for other in on[carrier]]
        choices += [("link beyond", beyond)] if beyond else []
        choices += [("link before", before)] if before else []
        choices += [("wheel beyond", other) for other in coaxial.get(beyond, [])]
        kind, partner = choices[rng.integers(len(choices))]
        unit = lambda joint: np.eye(3)[SPEEDS.index(joint)]  # noqa: E731
        if kind == "wheel":
            second, rows[name] = partner, g * rows[partner]
        elif kind == "link beyond":
            second, rows[name] = partner.replace("j", "l"), g * unit(partner)
        elif kind == "link before":
            second, rows[name] = CARRIERS[place - 1], -g * unit(partner)
        else:
            second, rows[name] = partner, g * (rows[partner] + unit(beyond))
        meets = kind == "link before" or partner in coaxial.get(before, [])  # coaxial gears cannot mesh
        with_joint = before is not None and not meets and rng.random() < 0.4
        axis = before if with_joint else tuple(rng.normal(size=3))
        position = None if with_joint else tuple(rng.normal(size=3) * 0.1)
        mass, inertia = rng.uniform(0.1, 1), rng.uniform(1e-3, 5e-3)
        wheels.append(Gearwheel(name, carrier, axis, inertia, mass, inertia * 0.8, position))
        meshes.append(Mesh(name, second, ratio=g, carrier=carrier))
        on[carrier].append(name)
        if with_joint:
            coaxial[before].append(name)
    order = rng.permutation(count)
    return [wheels[k] for k in order], [meshes[k] for k in rng.permutation(count)], rows


@pytest.mark.parametrize("seed", range(30))
def test_rows_and_dynamics(seed):
    wheels, meshes, rows = draw(seed, 2 + seed % 9)
    mech = gw.assemble(Robot("arm", chain(), trains=[Train("t", wheels, meshes)]))
    for spin in mech.spins:
        np.testing.assert_allclose(spin.ratio, rows[spin.name], rtol=1e-12, atol=1e-12)
    oracle = explicit_chain()
    for wheel in wheels:
        row = dict(zip(SPEEDS, rows[wheel.name], strict=True))
        e, p = (wheel.axis, wheel.position) if wheel.position else own_axis(wheel.axis)
        oracle.wheel(wheel.name, wheel.carrier, row, e, wheel.inertia, wheel.transverse_inertia, wheel.mass, p)
    for q, v, a in states(3, 1, seed):
        assert worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q)) < 1e-10
        assert worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a)) < 1e-10


def own_axis(joint):
    """A joint's axis through the origin of the link it moves."""
    e, _ = axis_in_parent(joint)
    return numbers(1)[joint][0].T @ e, np.zeros(3)


@pytest.mark.parametrize("seed", range(10))
def test_any_order_of_meshes_gives_the_same_rows(seed):
    """A loop that closes: the elimination may start anywhere, and a redundant but consistent mesh is accepted."""
    rng = np.random.default_rng(seed)
    turning = [TurningPair("0", "j", "a"), *(TurningPair("0", f"w{k}", f"x{k}") for k in range(6))]
    rate = {"j": 1.0, **{f"w{k}": float(rng.uniform(0.5, 2) * rng.choice([-1, 1])) for k in range(6)}}
    names = list(rate)
    tree = [(names[k], names[rng.integers(0, k)]) for k in range(1, 7)]
    extra = [tuple(rng.choice(names, 2, replace=False)) for _ in range(3)]
    pairs = [GearPair(str(a), str(b), rate[a] / rate[b], "0") for a, b in tree + extra]
    found = GearGraph(turning, [pairs[k] for k in rng.permutation(len(pairs))]).turning_rates(["j"])
    for name in names:
        assert found[name]["j"] == pytest.approx(rate[name])


def test_a_ring_of_planets_needs_elimination():
    """No mesh has a single unknown: a 2-stage loop of Willis equations, against a dense solver."""
    turning = [
        TurningPair("0", "out", "a"),
        *(TurningPair("0", name, "a") for name in ("sun", "arm", "ring")),
        TurningPair("arm", "p", "b"),
        TurningPair("0", "lay", "c"),
    ]
    gears = [
        GearPair("sun", "p", -20 / 30),
        GearPair("ring", "p", 20 / 90),
        GearPair("lay", "ring", -1.5),
        GearPair("lay", "sun", 0.4),
        GearPair("out", "lay", 2.0, "0"),
    ]
    found = GearGraph(turning, gears).turning_rates(["out"])
    names = ["sun", "arm", "ring", "p", "lay"]
    A = np.zeros((5, 5))
    b = np.zeros(5)
    A[0, [0, 1, 3]] = 1, -1, 20 / 30  # sun - arm = -(20/30) p
    A[1, [2, 1, 3]] = 1, -1, -20 / 90
    A[2, [4, 2]] = 1, 1.5
    A[3, [4, 0]] = 1, -0.4
    A[4, 4], b[4] = 2.0, 1.0
    expected = dict(zip(names, np.linalg.solve(A, b), strict=True))
    for name in names:
        assert found[name]["out"] == pytest.approx(expected[name])
