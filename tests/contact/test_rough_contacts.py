"""Rough contacts, one or several on one body: sliding, reversal, sticking, impacts, rest."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from contact.random_bodies import G, floors, free_body, planar_body, random_throw
from gearwright.contact import Contact, Plane
from gearwright.errors import InputError
from gearwright.functions.constrained.impulse_cone import ContactProblem
from gearwright.functions.constrained.impulse_path import impulse_of_impact
from gearwright.functions.constrained.several_impacts import impulses_together

FEET = [(-0.2, -0.1), (0.2, -0.1)]


def slides(mass: float = 1.0) -> gw.Mechanism:
    """A block on slides along x and z."""
    return gw.Mechanism(
        [gw.Body("x", -1, "prismatic", (1, 0, 0)), gw.Body("z", 0, "prismatic", (0, 0, 1), mass=mass)],
        gravity=(0, 0, -G),
    )


@pytest.mark.parametrize("push", [1.0, 3.0, 5.0, 8.0])
def test_a_block_that_is_pushed_back_reverses_or_stops(push):
    """It decelerates by mu g + F; then it stays if F <= mu m g, else it goes back with F - mu m g."""
    mu = 0.2
    law = Contact("z", Plane(), friction=mu, name="floor")
    run = gw.simulate(slides(), ([0, 0], [1.0, 0]), until=1.0, laws=[law], inputs={"tau.x": -push}, samples=21)
    stop = 1 / (push + mu * G)
    back = max(push - mu * G, 0.0)
    assert run.v[-1, 0] == pytest.approx(-back * (1 - stop), abs=1e-7)
    assert run.q[-1, 0] == pytest.approx(0.5 * stop - 0.5 * back * (1 - stop) ** 2, abs=1e-7)
    assert run.drift < 1e-7


@pytest.mark.parametrize("push", [0.0, 2.0, 5.0])
def test_a_block_on_two_rough_feet_moves_as_one_on_one(push):
    """Four rows on three freedoms: forces are not unique, the motion is."""
    mu = 0.3
    body = planar_body(FEET, 1.0, 0.05)
    run = gw.simulate(
        body, ([0, 0.1, 0], [0.5, 0, 0]), until=0.4, laws=floors(2, friction=mu), inputs={"tau.x": -push}, samples=21
    )
    stop = 0.5 / (push + mu * G)
    back = max(push - mu * G, 0.0)
    assert run.v[-1] == pytest.approx([-back * (0.4 - stop), 0, 0], abs=1e-7)
    forces = np.array([run[f"c{k}.force"] for k in (0, 1)])
    assert forces.sum(axis=0) == pytest.approx(np.full(21, G))
    for k in (0, 1):
        assert (np.abs(run[f"c{k}.force_1"]) <= mu * run[f"c{k}.force"] * (1 + 1e-8)).all()


@pytest.mark.parametrize(("height", "what"), [(0.3, "slides"), (0.9, "tips")])
def test_a_block_that_is_pulled_slides_or_tips(height, what):
    """Feet 0.4 m apart, pulled with 0.6 m g at a height h, mu = 0.5: it tips where 0.6 h > 0.2, else it slides."""
    mu = 0.5
    points = [(-0.2, -height), (0.2, -height)]
    body = planar_body(points, 1.0, 0.1)
    pull = {"tau.x": 0.6 * G}
    run = gw.simulate(body, [0, height, 0], until=0.1, laws=floors(2, friction=mu), inputs=pull, samples=11)
    if what == "slides":
        assert run.v[-1] == pytest.approx([0.1 * G * 0.1, 0, 0], abs=1e-7)
    else:
        assert run["c0.gap"][-1] > 1e-4
        assert run["c1.gap"][-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_four_rough_legs_hold_where_their_friction_can_together():
    """A table pulled sideways near its edge of friction: some legs carry more, and all hold until mu m g is passed."""
    legs = [(x, y, -0.3) for x in (-0.2, 0.5) for y in (-0.2, 0.3)]
    table = free_body(legs, 1.0)
    mu, start = 0.4, [0, 0, 0.3, 1, 0, 0, 0]
    pull = {"tau.body.vx": lambda t: 10.0 * t}
    run = gw.simulate(table, start, until=0.5, laws=floors(4, friction=mu), inputs=pull, samples=26)
    go = mu * G / 10
    assert np.abs(run.v[run.t < go]).max() < 1e-9
    slip = 10.0 * (0.5 - go) ** 2 / 2
    assert run.v[-1, 0] == pytest.approx(slip, rel=1e-5)


def test_a_rod_on_its_tip_slips_where_theory_says():
    """A uniform rod of length l falls from upright, tip at rest: friction needed is F/N, which passes mu at one angle.

    With w^2 = 3 g (1 - cos) / l and dw/dt = 3 g sin / (2 l): F = 3/4 m g sin (3 cos - 2), N = m g (3 cos - 1)^2 / 4.
    """
    mu, first = 0.3, 0.05
    rod = planar_body([(0, -0.5)], 1.0, 1 / 12)
    start = [0.5 * np.sin(first), 0.5 * np.cos(first), first]
    run = gw.simulate(rod, start, until=1.2, laws=floors(1, friction=mu), samples=1201)
    go = next(event.t for event in run.events if event.kind == "slide")
    angle = np.interp(go, run.t, run.q[:, 2])

    def needed(a):
        lifted = np.cos(first) - np.cos(a)
        push = 0.75 * np.sin(a) * (np.cos(a) - 2 * lifted)
        return push - mu * (1 - 0.5 * (1.5 * np.sin(a) ** 2 + 3 * lifted * np.cos(a)))

    grid = np.linspace(first, 1.0, 100_001)
    theory = grid[np.argmax(needed(grid) > 0)]
    assert angle == pytest.approx(theory, abs=1e-4)
    assert run.drift < 1e-7


def test_a_ball_that_slides_rolls_with_five_sevenths_of_its_speed():
    """Along stated coordinates: the gap z - R and the slip x - R turn."""
    m, R, mu, speed = 2.0, 0.1, 0.3, 1.4
    ball = planar_body([], m, 0.4 * m * R**2)
    road = Contact.along_coordinate(
        "road",
        lambda c: c.coordinate("z") - R,
        [gw.forces.Line.for_machine(ball, {"x": 1.0, "body": -R})],
        friction=mu,
    )
    run = gw.simulate(ball, ([0, R, 0], [speed, 0, 0]), until=0.3, laws=[road], samples=31)
    assert run.v[-1] == pytest.approx([5 / 7 * speed, 0, 5 / 7 * speed / R], rel=1e-7)
    roll = next(event.t for event in run.events if event.kind == "stick")
    assert roll == pytest.approx(2 * speed / (7 * mu * G), abs=1e-6)
    assert run.drift < 1e-7


def test_bounces_of_a_rough_body_accumulate_and_end_at_rest():
    """A block that falls flat with e = 0.5: rest where a ball would, sliding on with what friction has left."""
    body, e, mu, height = planar_body(FEET, 1.0, 0.05), 0.5, 0.1, 0.05
    run = gw.simulate(body, ([0, 0.1 + height, 0], [2.0, 0, 0]), until=1.0, laws=floors(2, e, mu), samples=51)
    fall = np.sqrt(2 * height / G)
    rest = fall * (1 + e) / (1 - e)
    touched = max(event.t for event in run.events if event.kind == "slide")
    assert touched == pytest.approx(rest, abs=1e-6)
    assert run.v[-1] == pytest.approx([2.0 - mu * (G * fall * (1 + e) / (1 - e) + G * (1 - rest)), 0, 0], abs=1e-5)
    assert len(run.events) < 200


def test_three_rough_legs_that_rock_come_to_rest():
    """One leg a fraction of a micrometre above the floor: the others answer each impact, and yet all of it ends.

    Impacts are located 1 nm behind the surface; what that lifts must not keep the legs rattling for ever.
    """
    legs = np.array([(0.131, -0.222, -0.111), (-0.047, -0.257, 0.103), (-0.141, -0.243, -0.015)])
    body, laws = free_body(legs, 1.77, (0.0472, 0.0510, 0.0528)), floors(3, 0.75, 0.3)
    normal = np.cross(legs[1] - legs[0], legs[2] - legs[0])
    up = -normal * np.sign(normal @ legs[0]) / np.linalg.norm(normal)
    turn = np.array([1 + up[2], up[1], -up[0], 0.0]) + 1e-6 * np.array([0.0, 1.0, 0.3, 0.0])
    q = np.array([0.0, 0.0, 0.0, *turn / np.linalg.norm(turn)])
    q[2] = -min(gw.placement(body, q, f"p{k}").position[2] for k in range(3))
    run = gw.simulate(body, (q, np.zeros(6)), until=0.03, laws=laws, samples=2, method="adaptive")
    assert np.abs(run.v[-1]).max() < 1e-12
    assert run.events[-1].t < 0.02
    assert len(run.events) < 300


def test_the_paradox_of_painleve_ends_in_an_impact_without_collision():
    """A rod pushed ahead over a rough floor: its tip stops in no time, and a remark says so."""
    rod = planar_body([(0, -0.5)], 1.0, 1 / 12)
    angle = -(np.pi / 2 - 1.0)
    start = [0.0, 0.5 * np.cos(angle), angle]
    for speed in (5.0, -5.0):
        run = gw.simulate(rod, (start, [speed, 0.0, 0.0]), until=0.05, laws=floors(1, friction=2.5), samples=6)
        paradox = [remark for remark in run.remarks if "Painleve" in remark and "'c0'" in remark]
        tip = gw.jacobian(rod, run.q[0], "p0")[[0, 2]] @ run.v[0]
        assert bool(paradox) == bool(np.abs(tip).max() < 1e-8)
        assert gw.kinetic_energy(rod, run.q[0], run.v[0]) <= 12.5
        assert run.drift < 1e-7
    assert paradox or speed == -5.0


def test_a_slider_crank_with_clearance_runs():
    """Four rough corners in a guide with 1 mm of play (Flores et al., 2011): none passes it, energy falls."""
    a, b, c = 0.05, 0.025, 0.001
    corners = [(-a, -b, 0), (a, -b, 0), (-a, b, 0), (a, b, 0)]
    crank = gw.Mechanism(
        [
            gw.Body("crank", -1, "revolute", mass=0.038, com=(0.0765, 0, 0), inertia=np.diag([0, 7.4e-5, 7.4e-5])),
            gw.Body(
                "rod", 0, "revolute", position=(0.153, 0, 0), mass=0.038, com=(0.153, 0, 0),
                inertia=np.diag([0, 5.9e-4, 5.9e-4]),
            ),
            gw.Body("slider", 1, "revolute", position=(0.306, 0, 0), mass=0.076, inertia=2.7e-6 * np.eye(3)),
        ],
        gravity=(0, -G, 0),
        frames=[gw.BodyFrame(f"p{k}", "slider", position=point) for k, point in enumerate(corners)],
    )  # fmt: skip
    faces = [Plane((0, -b - c, 0), (0, 1, 0)), Plane((0, b + c, 0), (0, -1, 0))]
    laws = [Contact(f"p{k}", faces[k // 2], 0.4, 0.01, name=f"c{k}") for k in range(4)]
    run = gw.simulate(crank, ([0, 0, 0], [150.0, -225.0, 75.0]), until=0.06, laws=laws, samples=61)
    assert min(run[f"c{k}.gap"].min() for k in range(4)) > -1e-8
    assert (np.diff(run["energy.dissipated"]) > -1e-9).all()
    assert len(run.events) > 20
    assert run.drift < 1e-6


def check(seed: int) -> None:
    """No error, no penetration, no energy gained."""
    throw = random_throw(seed)
    run = gw.simulate(throw.mech, (throw.q, throw.v), until=2.0, laws=throw.laws, samples=201)
    assert min(run[f"{law.name}.gap"].min() for law in throw.laws) > -1e-6
    energy = throw.energies(run)
    assert np.diff(energy).max() < 1e-7 * (1 + np.ptp(energy))


@pytest.mark.parametrize("seed", [3, 8, 119])
def test_random_bodies_on_a_floor(seed):
    """Seed 119: a foot that lands almost sticks, and its slip stays against the stored direction without turning."""
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 22))
def test_more_random_bodies_on_a_floor(seed):
    check(seed)


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_a_rough_box_comes_to_rest(restitution):
    """Eight corners, thrown: at rest on four of them."""
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    box = free_body(corners, 1.0, (1 / 150,) * 3)
    start = [0, 0, 0.14, 0.995, 0.08, 0.06, 0], [0.3, 0.1, 0, 0, 0, 0.5]
    run = gw.simulate(box, start, until=1.5, laws=floors(8, restitution, 0.6), samples=31)
    assert np.abs(run.v[-1]).max() < 1e-9
    assert sorted(run[f"c{k}.gap"][-1] for k in range(8))[:4] == pytest.approx([0.0] * 4, abs=1e-9)
    assert sum(run[f"c{k}.force"][-1] for k in range(8)) == pytest.approx(G)


def stick_impact():
    """A rod that strikes at 45 degrees while its tip slides towards it: sliding turns round within the impact."""
    angle, length, J = np.pi / 4, 1.0, 1 / 12
    arm = 0.5 * length * np.array([np.cos(angle), np.sin(angle)])
    rows = np.array([[0.0, 1.0, arm[0]], [1.0, 0.0, -arm[1]]])
    W = rows @ np.diag([1, 1, 1 / J]) @ rows.T
    return W, np.array([-1.0, 0.3])


def test_the_three_laws_of_restitution():
    """Each gives back its share: of speed, of impulse, of energy; Newton's alone can gain energy (Kane's paradox)."""
    W, u = stick_impact()
    e, mu = 0.9, 0.3
    found = {law: impulse_of_impact(W, u, mu, e, law) for law in ("newton", "poisson", "energetic")}
    assert (u + W @ found["newton"])[0] == pytest.approx(e)
    forward, backward = W @ [1.0, -mu], W @ [1.0, mu]  # change of speed per normal impulse while sliding on, back
    until_slip_stops = -u[1] / forward[1]
    until_approach_stops = until_slip_stops - (u[0] + until_slip_stops * forward[0]) / backward[0]
    assert W[0, 1] / W[1, 1] < -mu  # friction cannot hold the tip: after it has stopped it slides back
    assert until_approach_stops == pytest.approx(2 / 15 + 0.91 / 1.5 / 2.05)
    assert found["poisson"][0] == pytest.approx((1 + e) * until_approach_stops)
    gains = {law: 0.5 * P @ (2 * u + W @ P) for law, P in found.items()}
    assert gains["energetic"] <= 1e-12
    assert gains["poisson"] <= 1e-12
    alone = impulses_together(W, u, [slice(0, 2)], [mu], [e], ["newton"])
    assert alone == pytest.approx(found["newton"])


@pytest.mark.parametrize("law", ["newton", "poisson", "energetic"])
def test_without_restitution_the_three_laws_are_moreaus(law):
    """The slip after impact is backward, so friction is +mu P_n throughout: P_n = 1 / (2.5 - 0.3 * 1.5) = 1 / 2.05.

    The impulse path (forward first) stops the approach with 0.4293 N s instead of 0.4878 N s: at e = 0 the law jumps.
    """
    W, u = stick_impact()
    np.testing.assert_allclose(W, [[2.5, -1.5], [-1.5, 2.5]], rtol=1e-12)
    P = impulse_of_impact(W, u, 0.3, 0.0, law)
    np.testing.assert_allclose(P, [1 / 2.05, 0.3 / 2.05], rtol=1e-12)
    assert u + W @ P == pytest.approx([0.0, 0.3 - 0.75 / 2.05])
    assert impulses_together(W, u, [slice(0, 2)], [0.3], [0.0], [law]) == pytest.approx(P)


def test_newtons_law_may_gain_energy_and_says_so():
    """Kane's pendulum: a rigid double pendulum whose tip strikes a rough floor gains energy by Newton's law."""
    rng = np.random.default_rng(3)
    worst, case = 0.0, None
    for _ in range(300):
        angle, e, mu = rng.uniform(0.2, 1.4), 1.0, rng.uniform(0.1, 0.9)
        start = np.array([0.0, 0.5 * np.sin(angle) + 1e-3, angle]), np.array([rng.uniform(-3, 3), -1.0, 0.0])
        rows = np.array([[0.0, 1.0, -0.5 * np.cos(angle)], [1.0, 0.0, 0.5 * np.sin(angle)]])
        W = rows @ np.diag([1, 1, 12.0]) @ rows.T
        u = rows @ start[1]
        P = impulse_of_impact(W, u, mu, e, "newton")
        gain = 0.5 * P @ (2 * u + W @ P)
        if gain > worst:
            worst, case = gain, (start, mu)
    assert case is not None
    (q, v), mu = case
    rod = gw.Mechanism(
        [
            gw.Body("x", joint="prismatic", axis=(1, 0, 0)),
            gw.Body("y", 0, "prismatic", axis=(0, 1, 0)),
            gw.Body("rod", 1, "revolute", mass=1.0, inertia=np.eye(3) / 12),
        ],
        gravity=(0, 0, 0),
        frames=[gw.BodyFrame("end", "rod", position=(-0.5, 0, 0))],
    )
    runs = {}
    for law in ("newton", "poisson", "energetic"):
        floor = Contact("end", Plane((0, 0, 0), (0, 1, 0)), 1.0, mu, name="floor", impact=law)
        runs[law] = gw.simulate(rod, (q, v), until=0.002, laws=[floor], samples=3)
    gained = -runs["newton"]["energy.dissipated"][-1]
    assert gained == pytest.approx(worst, rel=0.05)
    assert any("'floor'" in remark and "Newton" in remark for remark in runs["newton"].remarks)
    for law in ("poisson", "energetic"):
        assert runs[law]["energy.dissipated"][-1] >= -1e-12
        assert not any("Newton" in remark for remark in runs[law].remarks)


def test_many_redundant_contacts_are_solved():
    """Coulomb's conditions for up to eight contacts of one body: far more rows than freedoms."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        count = int(rng.integers(1, 9))
        points = rng.uniform(-1, 1, (count, 3))
        points[:, 2] = -0.5
        J = np.array([[*d, *np.cross(p, d)] for p in points for d in np.eye(3)[[2, 0, 1]]])
        W, u, mu = J @ np.diag([1, 1, 1, 4, 3, 2]) @ J.T, J @ rng.normal(size=6), rng.uniform(0, 1, count)
        blocks = [slice(3 * k, 3 * k + 3) for k in range(count)]
        P = ContactProblem.from_blocks(W, u, blocks, mu.tolist(), np.zeros(count)).solve_impulses()
        assert P is not None
        after = u + W @ P
        for rows, friction in zip(blocks, mu, strict=True):
            p, s = P[rows], after[rows]
            slip = np.linalg.norm(s[1:])
            assert p[0] >= 0
            assert s[0] >= -1e-9
            assert abs(p[0] * s[0]) < 1e-8
            assert np.linalg.norm(p[1:]) <= friction * p[0] * (1 + 1e-9)
            if slip > 1e-6:
                assert p[1:] == pytest.approx(-friction * p[0] * s[1:] / slip, abs=1e-6)


def test_bad_input():
    with pytest.raises(InputError, match=r"impact='elastic'.*energetic, poisson, newton"):
        Contact("z", Plane(), impact="elastic")
    with pytest.raises(InputError, match=r"'road': friction=0\.3.*across="):
        Contact.along_coordinate("road", lambda c: c.coordinate("z"), friction=0.3)
    with pytest.raises(InputError, match=r"Contact\.along_coordinate\("):
        Contact("z", None, stated=lambda c: c.coordinate("z"))
    with pytest.raises(InputError, match=r"across="):
        Contact("z", Plane(), across=(lambda c: c.coordinate("x"),))


def test_a_file_states_a_contact_along_a_row(tmp_path):
    """A wheel on a road, its gap and slip as rows of joints: read, written and read again, and it rolls."""
    text = """
robot: wheel
links:
  - {name: carriage, parent: base, joint: {name: x, kind: prismatic, axis: [1, 0, 0]}, mass: 1e-9 kg}
  - {name: lift, parent: carriage, joint: {name: z, kind: prismatic, axis: [0, 0, 1]}, mass: 1e-9 kg}
  - {name: wheel, parent: lift, joint: {name: turn, kind: revolute, axis: [0, 1, 0]}, mass: 2 kg,
     inertia: {xx: 0.008, yy: 0.008, zz: 0.008}}
environment:
  - {name: road, row: {z: 1}, rest: 0.1 m, slip: {x: 1, turn: -0.1}, friction: 0.3, impact: newton}
"""
    path = tmp_path / "wheel.yaml"
    path.write_text(text)
    robot = gw.load(path)
    gw.save(robot, tmp_path / "again.yaml")
    assert gw.load(tmp_path / "again.yaml").environment == robot.environment
    (law,) = [law for law in gw.laws(robot) if law.name == "road"]
    assert (law.impact, law.friction) == ("newton", 0.3)
    run = gw.simulate(robot, ([0, 0.1, 0], [1.4, 0, 0]), until=0.3, samples=4)
    assert run.v[-1] == pytest.approx([1.0, 0, 10.0], rel=1e-6)
