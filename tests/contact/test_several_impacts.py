"""Several contacts that strike at once or one after the other: laws that hold, and energy that is never gained."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Constraint, Contact, Plane, project
from gearwright.errors import InputError
from gearwright.functions.constrained.impulse_cone import cone_impulses
from gearwright.functions.constrained.several_impacts import impulses_in_sequence, impulses_together

MODELS = [impulses_together, impulses_in_sequence]


def random_case(rng, count, size):
    """Contacts on one machine: W (m, m), speeds before, rows of each, friction and restitution."""
    m = count * size
    J = rng.normal(size=(m, rng.integers(max(2, m // 2), m + 3)))
    blocks = [slice(k * size, (k + 1) * size) for k in range(count)]
    mu, e = rng.uniform(0, 0.9, count), rng.uniform(0, 1, count)
    return J @ J.T, J @ rng.normal(size=J.shape[1]), blocks, mu.tolist(), e.tolist()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_energy_is_never_gained_and_impulses_stay_in_their_cones(model, size):
    """Rows may depend on each other: a table has four legs."""
    rng = np.random.default_rng(size)
    for _ in range(12):
        W, u, blocks, mu, e = random_case(rng, int(rng.integers(2, 5)), size)
        P = model(W, u, blocks, mu, e)
        after = u + W @ P
        assert 0.5 * P @ (u + after) <= 1e-9 * (1 + abs(u @ u))
        for rows, friction in zip(blocks, mu, strict=True):
            assert P[rows][0] >= 0
            assert np.linalg.norm(P[rows][1:]) <= friction * P[rows][0] * (1 + 1e-8) + 1e-12
            assert after[rows][0] >= -1e-6 * np.abs(u).max()


@pytest.mark.parametrize("size", [1, 2])
def test_together_gives_back_no_more_than_stronges_law(size):
    """Beside the energy after a plastic impact, at most e squared times the work that it took from normal motion."""
    rng = np.random.default_rng(20 + size)
    for _ in range(15):
        W, u, blocks, mu, e = random_case(rng, 3, size)
        stopping, P = (impulses_together(W, u, blocks, mu, x) for x in ([0.0] * 3, e))
        taken = [max(-0.5 * stopping[rows.start] * u[rows.start], 0.0) for rows in blocks]
        least, found = (0.5 * x @ (2 * u + W @ x) for x in (stopping, P))
        assert found <= least + np.dot(np.square(e), taken) + 1e-9


@pytest.mark.parametrize("model", MODELS)
def test_contacts_that_do_not_feel_each_other_strike_as_if_alone(model):
    W, u = np.diag([2.0, 3.0]), np.array([-1.0, -0.5])
    P = model(W, u, [slice(0, 1), slice(1, 2)], [0.0, 0.0], [0.3, 0.8])
    assert u + W @ P == pytest.approx([0.3, 0.4])


def test_without_friction_and_with_one_restitution_it_is_newtons_law_with_the_energy_it_loses():
    rng = np.random.default_rng(4)
    for _ in range(20):
        J = rng.normal(size=(3, 6))
        W, u, e = J @ J.T, -rng.uniform(0.1, 1, 3), float(rng.uniform(0, 1))
        blocks = [slice(k, k + 1) for k in range(3)]
        P = impulses_together(W, u, blocks, [0.0] * 3, [e] * 3)
        after = u + W @ P
        assert (after >= -e * u - 1e-9).all()
        assert np.abs(P * (after + e * u)).max() < 1e-9  # a contact that is pressed leaves with e times its speed


def test_plastic_contacts_together_remove_the_constrained_part_of_the_energy():
    rng = np.random.default_rng(6)
    J = rng.normal(size=(3, 6))
    W = J @ J.T
    P = rng.uniform(0.5, 1.0, 3)
    u = -W @ P  # so that all of them are pressed
    found = impulses_together(W, u, [slice(k, k + 1) for k in range(3)], [0.0] * 3, [0.0] * 3)
    assert found == pytest.approx(P)
    assert 0.5 * found @ u == pytest.approx(-0.5 * u @ np.linalg.solve(W, u))


def test_the_conditions_of_the_problem_hold():
    """Each contact slides against what is left, or sticks inside its cone."""
    rng = np.random.default_rng(9)
    for _ in range(15):
        W, u, blocks, mu, _ = random_case(rng, 3, 3)
        P = impulses_together(W, u, blocks, mu, [0.0] * 3)
        after = u + W @ P
        for rows, friction in zip(blocks, mu, strict=True):
            p, s = P[rows], after[rows]
            assert p[0] * s[0] == pytest.approx(0.0, abs=1e-7)
            slip = np.linalg.norm(s[1:])
            if p[0] > 1e-9 and slip > 1e-6:
                assert p[1:] == pytest.approx(-friction * p[0] * s[1:] / slip, abs=1e-6)


def contacts_of_a_rigid_body(seed):
    """W, speeds and rows of 3 to 8 rough points of a free body, and one coefficient of friction; W has rank 6."""
    rng = np.random.default_rng(seed)
    count, friction, inertia = int(rng.integers(3, 9)), float(rng.uniform(0.2, 1.5)), rng.uniform(0.3, 0.5, 3)
    points = rng.uniform(-1, 1, (count, 3))
    if rng.random() < 0.5:
        points[:, 2] = -0.5
    J = np.vstack([np.hstack([np.eye(3), np.cross(np.eye(3), p)])[[2, 0, 1]] for p in points])
    blocks = [slice(3 * k, 3 * k + 3) for k in range(count)]
    return J @ np.diag([1.0, 1.0, 1.0, *(1 / inertia)]) @ J.T, J @ rng.normal(size=6), blocks, [friction] * count


@pytest.mark.parametrize("seed", [2095, 2327, 3041, 5354, 5923])
def test_impulses_are_found_where_newtons_method_cycles(seed):
    """Redundant contacts at the edge of their cones: impulses exist, as the body can be lifted off all of them."""
    W, u, blocks, mu = contacts_of_a_rigid_body(seed)
    P = cone_impulses(W, u, blocks, mu, np.zeros(len(blocks)))
    after = u + W @ P
    for rows in blocks:
        (normal, *friction), (speed, *slip) = P[rows], after[rows]
        assert min(normal, speed) == pytest.approx(0.0, abs=1e-9)
        limit = mu[0] * normal - np.linalg.norm(friction)
        assert limit > -1e-12
        assert np.dot(friction, slip) == pytest.approx(-mu[0] * normal * np.linalg.norm(slip), abs=1e-9)


def rod() -> gw.Mechanism:
    """A uniform rod of 1 m and 1 kg in the plane x-y."""
    return gw.Mechanism(
        [
            gw.Body("x", joint="prismatic", axis=(1, 0, 0)),
            gw.Body("y", 0, "prismatic", axis=(0, 1, 0)),
            gw.Body("rod", 1, "revolute", mass=1.0, inertia=np.eye(3) / 12),
        ],
        gravity=(0, -9.81, 0),
        frames=[gw.BodyFrame(f"end{k}", "rod", position=(0.5 * (2 * k - 1), 0, 0)) for k in (0, 1)],
    )


def rows(mech, q):
    """Normal and tangent of both ends on a floor."""
    return np.vstack([gw.jacobian(mech, q, f"end{k}")[[1, 0]] for k in (0, 1)])


def test_a_rod_that_falls_flat_on_both_ends():
    mech, q, v = rod(), np.zeros(3), np.array([0.2, -1.0, 0.0])
    J = rows(mech, q)
    after, impulse = gw.impact(mech, q, v, J, 0.5, friction=[0.1, 0.1])
    assert after == pytest.approx([0.2 - 0.1 * 1.5, 0.5, 0.0], abs=1e-9)
    assert impulse[[0, 2]] == pytest.approx([0.75, 0.75])
    sequence = gw.impact(mech, q, v, J, 0.5, friction=[0.1, 0.1], order="sequence").v_after
    assert gw.kinetic_energy(mech, q, sequence) < gw.kinetic_energy(mech, q, v)
    assert (J[[0, 2]] @ sequence >= -1e-9).all()


def test_surfaces_that_move():
    """Seen from a floor that rises, the same happens."""
    mech, q, v = rod(), np.zeros(3), np.array([0.2, -1.0, 0.0])
    J = rows(mech, q)
    still = gw.impact(mech, q, v, J, [0.5, 0.2], friction=[0.1, 0.3]).v_after
    rising = gw.impact(
        mech,
        q,
        v + np.array([0, 0.7, 0]),
        J,
        [0.5, 0.2],
        against=gw.contact.StruckBody(speed=[0.7, 0, 0.7, 0]),
        friction=[0.1, 0.3],
    ).v_after
    assert rising == pytest.approx(still + np.array([0, 0.7, 0]), abs=1e-9)


def test_several_points_of_one_geared_chain():
    """Elbow and tip of a geared arm meet a floor and a wall: H dv = J' P, and rotors change what happens."""
    arm, q, v = gw.load("elbow"), np.array([0.2, -0.5, 1.0]), np.array([0.3, -1.2, -0.8])
    J = np.vstack([gw.jacobian(arm, q, "link2", (0.0, 0.0, 0.0))[[2]], gw.jacobian(arm, q, "tool")[[2]]])
    after, impulse = gw.impact(arm, q, v, J, [0.0, 0.3], friction=[0.0, 0.0])
    assert gw.mass_matrix(arm, q) @ (after - v) == pytest.approx(J.T @ impulse, abs=1e-12)
    assert gw.kinetic_energy(arm, q, after) < gw.kinetic_energy(arm, q, v)
    bare = gw.approximate(gw.assemble(arm), "none")
    assert np.abs(gw.impact(bare, q, v, J, [0.0, 0.3], friction=[0.0, 0.0]).v_after - after).max() > 1e-3


def test_bad_input():
    mech, q, v = rod(), np.zeros(3), np.array([0.2, -1.0, 0.0])
    J = rows(mech, q)
    with pytest.raises(InputError, match=r"impact: 4 rows.* 3 contacts"):
        gw.impact(mech, q, v, J, friction=[0.1, 0.1, 0.1])
    with pytest.raises(InputError, match=r"order='at once'"):
        gw.impact(mech, q, v, J, friction=[0.1, 0.1], order="at once")
    with pytest.raises(InputError, match=r"friction\[1\]=-0\.1"):
        gw.impact(mech, q, v, J, friction=[0.1, -0.1])
    with pytest.raises(InputError, match=r"restitution.*\(3,\).* 2 contacts"):
        gw.impact(mech, q, v, J, [0.1, 0.2, 0.3], friction=[0.1, 0.1])


def floors(*restitution, friction=0.0):
    """Both ends of the rod on one floor."""
    return [
        Contact(f"end{k}", Plane((0, 0, 0), (0, 1, 0)), e, friction, name=f"floor{k}")
        for k, e in enumerate(restitution)
    ]


def test_a_rod_that_falls_flat_in_a_run():
    """Both ends strike at the same instant: the rod stays flat, and comes to rest where a ball would."""
    start = np.array([0.0, 0.1, 0.0])
    run = gw.simulate(rod(), start, until=0.6, laws=floors(0.5, 0.5), samples=13, method="adaptive")
    assert np.abs(run.q[:, 2]).max() < 1e-9
    rest = max(event.t for event in run.events if event.kind == "touch")
    assert rest == pytest.approx(np.sqrt(2 * 0.1 / 9.81) * 3, abs=1e-6)
    assert run["floor0.force"][-1] == pytest.approx(9.81 / 2, rel=1e-9)
    assert run.drift < 1e-7


def test_a_resting_end_leaves_where_it_would_be_pulled():
    """A heavy tip near the middle: struck at one end, the rod leaves the floor at the other (no glue)."""
    bodies = rod().bodies
    dumbbell = gw.Mechanism(
        [*bodies[:2], gw.Body("rod", 1, "revolute", mass=1.0, inertia=np.eye(3) * 0.4)],
        gravity=(0, -9.81, 0),
        frames=rod().frames,
    )
    start = np.array([0.0, 0.5 * np.sin(0.3), 0.3])  # end0 on the floor, end1 above it
    run = gw.simulate(dumbbell, start, until=0.8, laws=floors(0.0, 0.0), samples=81, method="adaptive")
    first = next(event for event in run.events if event.name == "floor1")
    assert ("floor0", "free") in [(event.name, event.kind) for event in run.events if event.t == first.t]
    assert min(run["floor0.gap"].min(), run["floor1.gap"].min()) > -1e-8
    assert run["energy.dissipated"][-1] > 0
    assert run.drift < 1e-7


def test_rough_floors_and_several_surfaces_keep_the_books():
    """A rod thrown into a corner, with friction and restitution: whatever happens, energy falls and books balance."""
    laws = [*floors(0.4, 0.2, friction=0.3), Contact("end1", Plane((1.2, 0, 0), (-1, 0, 0)), 0.6, 0.2, name="wall")]
    start = np.array([0.0, 0.6, 0.4]), np.array([2.5, -0.5, 1.0])
    run = gw.simulate(rod(), start, until=0.4, laws=laws, samples=21, method="adaptive")
    assert {event.name for event in run.events} == {"floor0", "floor1", "wall"}
    assert (np.diff(run["energy.dissipated"]) > -1e-9).all()
    assert min(run[f"{law.name}.gap"].min() for law in laws) > -1e-8
    assert run.drift < 1e-7


@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.5), (0.2, 0.5), (0.9, 0.0)])
def test_a_rough_impact_while_a_pin_holds(friction, restitution):
    """Held at one end, the rod strikes a slanting wall with the other: it turns about the pin before and after."""
    laws = [
        Constraint("pin", "end0", "base", ("x", "y")),
        Contact("end1", Plane((0, -0.2, 0), (0.3, 1, 0)), restitution, friction, name="wall"),
    ]
    start = project(rod(), ([0.5, 0.0, 0.0], [0, -0.5, -1.0]), laws[:1])
    run = gw.simulate(rod(), start, until=0.25, laws=laws, samples=11, method="adaptive")
    assert run.events[0].name == "wall"
    assert max(np.abs(run[f"pin.{word}"]).max() for word in "xy") < 1e-12
    assert (np.diff(run["energy.dissipated"]) > -1e-9).all()
    assert run["energy.dissipated"][-1] > 0.01
    assert run.drift < 1e-7
