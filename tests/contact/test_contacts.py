"""Contacts: approach, impact, constrained motion, sliding and sticking, release."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Constraint, Contact, Cylinder, MovingFrame, Plane, Sphere
from gearwright.errors import InputError, PartError, SimulationError

G = 9.81


def block(joints: str = "xyz", mass: float = 1.0, gravity=(0, 0, -G)) -> gw.Mechanism:
    """A point mass that moves along the axes named."""
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    bodies = [
        gw.Body(name, k - 1, "prismatic", axes[name], mass=mass if k == len(joints) - 1 else 0.0)
        for k, name in enumerate(joints)
    ]
    return gw.Mechanism(bodies, gravity=gravity)


def test_a_bouncing_ball_comes_to_rest_at_its_accumulation_point():
    """Impacts at sqrt(2h/g) (1 + 2 sum e^k), at rest from sqrt(2h/g) (1 + e)/(1 - e) on."""
    ball, e = block("z"), 0.5
    floor = Contact("z", Plane(), restitution=e, name="floor")
    run = gw.simulate(ball, [1.0], until=1.6, laws=[floor], samples=17, method="adaptive")
    fall = np.sqrt(2 / G)
    bounces = np.array([event.t for event in run.events if event.kind == "free"])
    expected = fall * np.array([1 + 2 * sum(e**k for k in range(1, j + 1)) for j in range(len(bounces))])
    assert len(bounces) > 15
    assert np.abs(bounces - expected).max() < 1e-6
    rest = [event.t for event in run.events if event.kind == "touch"]
    assert rest == pytest.approx([fall * (1 + e) / (1 - e)], abs=1e-6)
    assert run["floor.force"][-1] == pytest.approx(G)
    assert run["floor.gap"][-1] == pytest.approx(0.0, abs=1e-13)
    assert run.drift < 1e-7


def test_three_phases_in_one_run_of_a_geared_arm():
    """Approach, plastic impact (as `gw.impact` has it), motion along a table, release when torques lift it."""
    mech = gw.assemble(gw.load("elbow"))
    tip = gw.placement(mech, [0.2, -0.5, 1.0], "link3")[1]
    wall = Contact("link3", Plane((0, 0, tip[2] - 0.05), (0, 0, 1)), name="table")
    away = {"tau.j2": ([0.0, 0.4, 0.401, 1.0], [0.0, 0.0, 120.0, 120.0])}
    run = gw.simulate(mech, [0.2, -0.5, 1.0], until=0.6, laws=[wall], inputs=away, samples=61, method="adaptive")
    assert [event.kind for event in run.events if event.name == "table"] == ["touch", "free"]
    touching = np.array([mode == "touch" for mode in run.modes["table"]])
    assert touching.sum() > 10
    assert np.abs(run["table.gap"][touching]).max() < 1e-12
    assert (run["table.force"][touching] >= 0).all()
    assert not run["table.force"][~touching].any()
    assert run["table.gap"][-1] > 1e-4
    hit = next(event.t for event in run.events)
    before = gw.simulate(
        mech, [0.2, -0.5, 1.0], until=hit, samples=2, laws=(), integrator=gw.analysis.IntegratorOptions(rtol=1e-10)
    )
    q, v = before.q[-1], before.v[-1]
    after = gw.impact(mech, q, v, gw.jacobian(mech, q, "link3")[2:3]).v_after
    lost = gw.kinetic_energy(mech, q, v) - gw.kinetic_energy(mech, q, after)
    assert run["energy.dissipated"][-1] == pytest.approx(lost, rel=1e-6)
    assert run.drift < 1e-7


@pytest.mark.parametrize("slope", [0.3, 0.8])
def test_a_block_on_a_slope_sticks_below_the_angle_of_friction_and_slides_beyond(slope):
    mu = 0.5
    n = np.array([np.sin(slope), 0, np.cos(slope)])
    run = gw.simulate(block(), np.zeros(3), until=0.5, laws=[Contact("z", Plane((0, 0, 0), n), friction=mu, name="s")],
                      samples=6, method="adaptive")  # fmt: skip
    travel = np.linalg.norm(run.q[-1])
    if np.tan(slope) < mu:
        assert travel < 1e-9
    else:
        assert travel == pytest.approx(0.5 * G * (np.sin(slope) - mu * np.cos(slope)) * 0.25, rel=1e-6)
    assert run["s.force"] == pytest.approx(np.full(6, G * np.cos(slope)))
    assert run.drift < 1e-6


def test_friction_is_a_cone():
    """A block thrown along a diagonal stops as soon as one thrown along an axis: after v / (mu g)."""
    mu, speed = 0.4, 1.2
    for way in ([1.0, 0.0], [0.6, 0.8], [-0.8, 0.6]):
        start = np.zeros(3), speed * np.array([*way, 0.0])
        law = Contact("z", Plane(), friction=mu, name="floor")
        run = gw.simulate(block(), start, until=0.5, laws=[law], samples=11, method="adaptive")
        stop = next(event.t for event in run.events if event.kind == "stick" and event.t > 0)
        assert stop == pytest.approx(speed / (mu * G), abs=1e-6)
        travel = speed**2 / (2 * mu * G)
        assert run.q[-1, :2] == pytest.approx(travel * np.array(way), abs=1e-7)
        assert run["energy.dissipated"][-1] == pytest.approx(0.5 * speed**2, rel=1e-6)


def test_stick_slip_under_a_pull_that_grows():
    """It lets go where the pull passes mu m g, in the direction of the pull."""
    mu, rate = 0.3, 5.0
    law = Contact("z", Plane(), friction=mu, name="floor")
    pull = {"tau.x": lambda t: 0.6 * rate * t, "tau.y": lambda t: 0.8 * rate * t}
    run = gw.simulate(block(), np.zeros(3), until=1.0, laws=[law], inputs=pull, samples=41, method="adaptive")
    go = next(event.t for event in run.events if event.kind == "slide" and event.t > 0)
    assert go == pytest.approx(mu * G / rate, rel=1e-6)
    x = rate * (1.0 - go) ** 3 / 6
    assert run.q[-1, :2] == pytest.approx([0.6 * x, 0.8 * x], rel=1e-5)


def test_an_impact_with_friction_slides_or_sticks():
    """A point mass that strikes at a slant: the impulse stays in the cone, and sticks where that is enough."""
    start = [0.0, 0.0, 0.1], [1.0, 0.0, -2.0]
    for mu, after in ((0.2, 1.0 - 0.2 * np.sqrt(4 + 2 * G * 0.1)), (3.0, 0.0)):
        law = Contact("z", Plane(), friction=mu, name="floor")
        run = gw.simulate(block(), start, until=0.2, laws=[law], samples=201, method="adaptive")
        hit = next(k for k, mode in enumerate(run.modes["floor"]) if mode != "free")
        assert run.v[hit, 0] == pytest.approx(after, abs=mu * G * 1.1e-3)


def test_a_moving_surface_carries_what_lies_on_it():
    lift = MovingFrame("lift", lambda t, ops: (0.0, 0.0, 0.5 * t * t))
    law = Contact("z", Plane(), relative_to=lift, name="lift")
    run = gw.simulate(block("z", mass=2.0), [0.0], until=1.0, laws=[law], samples=11, method="adaptive")
    assert run.q[:, 0] == pytest.approx(0.5 * run.t**2, abs=1e-9)
    assert run["lift.force"] == pytest.approx(np.full(11, 2 * (G + 1.0)))
    assert run.drift < 1e-7


def test_it_hits_what_can_move_and_both_go_on_together():
    """A hammer strikes an anvil on springs: a plastic impact between two masses."""
    pair = gw.Mechanism(
        [gw.Body("anvil", joint="prismatic", mass=3.0), gw.Body("hammer", -1, "prismatic", mass=1.0)],
        springs=[gw.Spring("bed", {"anvil": 1.0}, 1e4, 0.0)],
        gravity=(0, 0, 0),
    )
    law = Contact("hammer", Plane(), relative_to="anvil", name="blow")
    run = gw.simulate(pair, ([0.0, 0.1], [0.0, -4.0]), until=0.03, laws=[law], samples=121, method="adaptive")
    hit = next(event.t for event in run.events if event.kind == "touch")
    assert hit == pytest.approx(0.025, abs=1e-9)
    at = np.searchsorted(run.t, hit)
    assert run.v[at] == pytest.approx([-1.0, -1.0], abs=0.05)
    assert run["energy.dissipated"][-1] == pytest.approx(6.0, rel=1e-6)  # half of 1 * 3 / 4 times 16
    assert run.drift < 1e-7


@pytest.mark.parametrize(
    ("surface", "start", "rest"),
    [
        (Sphere((0, 0, 0), 0.5), [0.0, 0.0, 0.6], 0.5),
        (Sphere((0, 0, 0), 0.5, hollow=True), [0.0, 0.0, -0.4], -0.5),
        (Cylinder((0, 0, 0), (0, 1, 0), 0.3), [0.0, 0.2, 0.35], 0.3),
    ],
    ids=["sphere", "bowl", "cylinder"],
)
def test_curved_surfaces(surface, start, rest):
    run = gw.simulate(block(), start, until=0.3, laws=[Contact("z", surface, name="s")], samples=7, method="adaptive")
    assert run.q[-1, 2] == pytest.approx(rest, abs=1e-9)


def test_impact_while_something_else_is_held():
    """A rod held at one end and struck at the other turns about the held end."""
    rod = gw.Mechanism(
        [
            gw.Body("x", joint="prismatic", axis=(1, 0, 0)),
            gw.Body("y", 0, "prismatic", axis=(0, 1, 0)),
            gw.Body("rod", 1, "revolute", mass=1.0, com=(0.5, 0, 0), inertia=np.eye(3) / 12),
        ],
        gravity=(0, 0, 0),
        frames=[gw.BodyFrame("end", "rod", position=(1, 0, 0))],
    )
    laws = [Constraint("pin", "rod", "base", ("x", "y")), Contact("end", Plane((0, -0.1, 0), (0, 1, 0)), 0.5, name="w")]
    run = gw.simulate(rod, (np.zeros(3), [0, 0, -1.0]), until=0.2, laws=laws, samples=21, method="adaptive")
    assert run.v[-1] == pytest.approx([0, 0, 0.5], abs=1e-9)
    assert np.abs(run.q[:, :2]).max() < 1e-12


def test_the_paradox_of_painleve_is_named():
    """A rod that is pushed ahead over a rough floor, as a piece of chalk: no force is consistent, its tip stops."""
    rod = gw.Mechanism(
        [
            gw.Body("x", joint="prismatic", axis=(1, 0, 0)),
            gw.Body("y", 0, "prismatic", axis=(0, 1, 0)),
            gw.Body("rod", 1, "revolute", mass=1.0, inertia=np.eye(3) / 12),
        ],
        gravity=(0, -G, 0),
        frames=[gw.BodyFrame("end", "rod", position=(-0.5, 0, 0))],
    )
    start = [0.0, 0.5 * np.sin(1.0), 1.0]
    law = Contact("end", Plane((0, 0, 0), (0, 1, 0)), friction=2.5, name="floor")
    run = gw.simulate(rod, (start, [-5.0, 0.0, 0.0]), until=0.05, laws=[law], samples=6, method="adaptive")
    assert any("'floor'" in remark and "Painleve" in remark for remark in run.remarks)
    assert gw.jacobian(rod, run.q[0], "end")[:2] @ run.v[0] == pytest.approx([0, 0], abs=1e-8)
    assert run.drift < 1e-7
    assert gw.simulate(rod, (start, [5.0, 0.0, 0.0]), until=0.05, laws=[law], samples=6, method="adaptive").drift < 1e-7


@pytest.mark.parametrize("restitution", [0.0, 0.8])
def test_a_surface_that_jumps_is_refused(restitution):
    """A table that is 2 cm higher all at once, through what falls on it."""
    table = MovingFrame("table", lambda t, ops: (0.0, 0.0, ops.where(t > 0.1, 0.02, 0.0 * t)))
    law = Contact("z", Plane(), restitution, relative_to=table, name="table")
    with pytest.raises(SimulationError, match=r"t = 0\.1\S* s contact 'table'.* 0\.0\S+ m"):
        gw.simulate(block("z"), [0.06], until=0.3, laws=[law], samples=4, method="adaptive")


def test_bad_input():
    with pytest.raises(InputError, match=r"z\.contact: restitution=1\.5"):
        Contact("z", Plane(), restitution=1.5)
    with pytest.raises(InputError, match=r"z\.contact: friction=-0\.1"):
        Contact("z", Plane(), friction=-0.1)
    with pytest.raises(InputError, match=r"z\.contact: 'floor'.*Plane, Sphere or Cylinder"):
        Contact("z", "floor")
    with pytest.raises(InputError, match=r"'z\.contact'.* 0\.5 m"):
        gw.simulate(block("z"), [-0.5], until=0.1, laws=[Contact("z", Plane())])
    with pytest.raises(InputError, match=r"sphere: radius=-1\.0"):
        Sphere((0, 0, 0), -1.0)
    with pytest.raises(PartError, match=r"plane: .*normal \(0, 0, 0\)"):
        Plane((0, 0, 0), (0, 0, 0))


def test_what_slides_after_an_impact_is_not_released_by_the_force_that_would_hold_it():
    """Held at once the tip would pull on the floor; it slides, and presses."""
    arm = gw.assemble(gw.load("elbow"))
    floor = Contact("tool", Plane((0, 0, -0.2)), friction=0.3, name="floor")
    run = gw.simulate(arm, [0.2, -0.3, 0.4], until=0.3, laws=[floor], samples=31)
    assert [event.kind for event in run.events] == ["stick", "slide"]
    assert run["floor.force"][-1] > 0
