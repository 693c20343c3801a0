"""Friction that sticks exactly, smooth friction and LuGre: theory, complementarity, limits, bad numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.errors import DriveError, InputError
from gearwright.forces import Line, Load, Reaction, Situation
from gearwright.forces.friction.dry_friction import DryFriction, SmoothFriction, friction_laws
from gearwright.forces.friction.lugre import LuGre
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot

MASS, G, SLOPE = 2.0, 9.81, math.radians(20)
PULL = MASS * G * math.sin(SLOPE)
BLOCK = gw.Mechanism(
    [gw.Body("block", joint="prismatic", axis=(1, 0, 0), mass=MASS)],
    gravity=(G * math.sin(SLOPE), 0, -G * math.cos(SLOPE)),
)
FREE_BLOCK = gw.Mechanism([gw.Body("block", joint="prismatic", axis=(1, 0, 0), mass=MASS)])


def rubbed(friction: Friction, mech: gw.Mechanism = BLOCK) -> DryFriction:
    return DryFriction("block.friction", Line.for_machine(mech, "block"), unit="N", friction=friction)


def at(v: float, z: tuple[float, ...] = ()) -> Situation:
    return Situation(0.0, [0.0], [v], z, (), FLOATS, FREE_BLOCK)


def test_a_block_below_the_angle_of_friction_does_not_move_at_all():
    run = gw.simulate(BLOCK, until=1.0, laws=[rubbed(Friction(coulomb=PULL - 1, static=PULL + 0.01))])
    assert np.all(run.q == 0)
    assert np.all(run.v == 0)
    np.testing.assert_allclose(run["block.friction.force"], -PULL, rtol=1e-12)


@pytest.mark.parametrize("static", [PULL - 0.01, PULL - 1], ids=["static above coulomb", "equal"])
def test_a_block_above_it_slides_with_the_rest_of_its_weight(static):
    run = gw.simulate(BLOCK, until=1.0, laws=[rubbed(Friction(coulomb=PULL - 1, static=static))])
    np.testing.assert_allclose(run.v[:, 0], (1 / MASS) * run.t, atol=1e-9)


def test_pushed_up_it_stops_and_stays():
    """v^2 / 2a with a = (pull + friction) / m, then rest: more friction than pull."""
    run = gw.simulate(BLOCK, ([0.0], [-3.0]), until=2.0, laws=[rubbed(Friction(coulomb=PULL + 1))])
    assert run.q[-1, 0] == pytest.approx(-9 / 2 * MASS / (2 * PULL + 1), rel=1e-8)
    assert run.v[-1, 0] == 0
    assert run.modes["block.friction"][-1] == "stick"
    assert len(run.events) == 1
    assert run.drift < 1e-9


def test_pushed_up_it_turns_round_when_friction_is_too_weak():
    run = gw.simulate(BLOCK, ([0.0], [-3.0]), until=2.0, laws=[rubbed(Friction(coulomb=1.0))])
    stop = 3.0 * MASS / (PULL + 1)
    assert run.v[-1, 0] == pytest.approx((PULL - 1) / MASS * (2.0 - stop), rel=1e-8)


def test_a_growing_push_breaks_away_at_the_static_level():
    """The block of a ramp F = t starts at t = F_S, and from then on only F_C is against it."""
    law = rubbed(Friction(coulomb=2.0, static=3.0), FREE_BLOCK)
    push = Load("push", Line.for_machine(FREE_BLOCK, "block"), "N")
    run = gw.simulate(FREE_BLOCK, until=5.0, laws=[law, push], inputs={"push": lambda t: t})
    sliding = np.maximum(run.t - 3.0, 0.0)
    np.testing.assert_allclose(run.v[:, 0], (sliding**2 / 2 + sliding) / MASS, atol=1e-8)


def test_stick_or_slide_is_complementary():
    """Over a run with many reversals: at rest |force| <= static, sliding it is the curve against the motion."""
    friction = Friction(coulomb=1.0, viscous=0.2, static=1.5, stribeck_speed=0.05)
    push = Load("push", Line.for_machine(FREE_BLOCK, "block"), "N")
    run = gw.simulate(
        FREE_BLOCK,
        until=6.0,
        laws=[rubbed(friction, FREE_BLOCK), push],
        inputs={"push": lambda t: (0.5 + t) * math.sin(3 * t)},
        samples=3001,
    )
    v, force, modes = run.v[:, 0], run["block.friction.force"], np.array(run.modes["block.friction"])
    curve = 1.0 + 0.5 * np.exp(-((v / 0.05) ** 2)) + 0.2 * np.abs(v)
    assert {"stick", "forward", "backward"} == set(modes)
    assert np.abs(v[modes == "stick"]).max() < 1e-12
    assert np.abs(force[modes == "stick"]).max() <= 1.5 * (1 + 1e-8)
    assert v[modes == "forward"].min() > -2e-9
    assert v[modes == "backward"].max() < 2e-9
    sliding = modes != "stick"
    np.testing.assert_allclose(force[sliding], -(np.sign(v) * curve)[sliding], rtol=1e-9)
    assert run.drift < 1e-8
    assert len(run.events) < 40


def test_many_joints_stick_at_once_and_hold_their_weight():
    """Friction of every joint of a hanging arm equals what gravity asks, as long as it can."""
    robot = gw.load("panda_like")
    mech = gw.assemble(robot)
    q = np.linspace(0.2, 0.8, mech.n)
    weight = gw.gravity(mech, q)
    level = 1.01 * np.abs(weight).max()
    laws = [DryFriction(f"{s}.friction", Line.for_machine(mech, s), friction=Friction(level)) for s in mech.speeds]
    run = gw.simulate(mech, q, until=0.5, laws=laws)
    np.testing.assert_array_equal(run.q[-1], q)
    held = [run[f"{s}.friction.force"][-1] for s in mech.speeds]
    np.testing.assert_allclose(held, weight, atol=1e-9)


def test_an_arm_with_friction_everywhere_comes_to_rest_without_chatter():
    mech = gw.assemble(gw.load("elbow"))
    friction = Friction(coulomb=12.0, static=14.0, viscous=1.0)
    laws = [DryFriction(f"{s}.friction", Line.for_machine(mech, s), friction=friction) for s in mech.speeds]
    run = gw.simulate(mech, ([0.1, 0.4, -0.3], [1.0, -1.0, 2.0]), until=4.0, laws=laws)
    assert run.drift < 1e-8
    assert len(run.events) < 30
    turret = np.array(run.modes["j1.friction"])
    assert turret[-1] == "stick"
    assert np.abs(run.v[turret == "stick", 0]).max() < 1e-12


def test_friction_at_the_motor_is_the_ratio_times_stronger_at_the_joint():
    link = Link("arm", joint=Joint("j"), mass=1.0, inertia=np.diag([0.1] * 3))
    robot = Robot("arm", [link], [Drive("j", Motor(1e-4, friction=0.02), Gear(50.0))], gravity=(0, 0, 0))
    mech = gw.assemble(robot)
    (law,) = friction_laws(robot, mech)
    assert (law.name, law.port) == ("j.motor_friction", "j")
    for torque, moves in ((0.99, False), (1.01, True)):
        run = gw.simulate(mech, until=0.2, laws=[law], inputs=[torque])
        assert bool(np.any(run.v != 0)) == moves


def test_smooth_friction_tends_to_the_exact_one():
    """Positions after a slide to rest differ by less and less as the width shrinks."""
    friction, line = Friction(coulomb=2.0, viscous=0.3), Line.for_machine(FREE_BLOCK, "block")
    exact = gw.simulate(FREE_BLOCK, ([0.0], [1.0]), until=2.0, laws=[rubbed(friction, FREE_BLOCK)]).q[-1, 0]
    errors = []
    for width in (1e-1, 1e-2, 1e-3):
        law = SmoothFriction("block.friction", line, friction, width)
        errors.append(abs(gw.simulate(FREE_BLOCK, ([0.0], [1.0]), until=2.0, laws=[law]).q[-1, 0] - exact))
    assert errors[0] > 5 * errors[1] > 25 * errors[2] > 0


def test_lugre_slides_along_the_stribeck_curve():
    friction = Friction(2.0, 0.3, 3.0, 0.2, stiffness=1e4, damping=20.0)
    law = LuGre("f", Line.for_machine(FREE_BLOCK, "block"), friction)
    for v in (-1.0, -0.1, 0.05, 0.4):
        g = 2.0 + math.exp(-((v / 0.2) ** 2))
        steady = at(v, (math.copysign(g / 1e4, v),))
        outcome = law.follow("on", steady, Reaction([0.0]))
        assert outcome.rates[0] == pytest.approx(0.0, abs=1e-12)
        assert outcome.signals["f.force"] == pytest.approx(-math.copysign(g, v) - 0.3 * v, rel=1e-12)


def test_lugre_before_sliding_is_a_spring():
    """Under a push of half the Coulomb friction the block moves by push / stiffness and stays."""
    friction = Friction(2.0, stiffness=1e3, damping=60.0)
    law = LuGre("f", Line.for_machine(FREE_BLOCK, "block"), friction)
    push = Load("push", Line.for_machine(FREE_BLOCK, "block"), "N")
    run = gw.simulate(FREE_BLOCK, until=2.0, laws=[law, push], inputs={"push": lambda t: min(t, 1.0)})
    # z, not q, balances the push; q has crept by what slipped while z grew.
    assert run["f.deflection"][-1] == pytest.approx(1e-3, rel=1e-3)
    assert 1e-3 <= run.q[-1, 0] < 2e-3
    assert run.drift < 1e-7


def test_lugre_never_gives_power_even_with_stiff_damping():
    """With a constant damping of the bristles it would: the naive loss is negative at some of these states."""
    friction = Friction(1.0, 0.0, 3.0, 0.1, stiffness=1e3, damping=200.0)
    law = LuGre("f", Line.for_machine(FREE_BLOCK, "block"), friction)
    naive = []
    for v in np.linspace(-2, 2, 81):
        g = 1.0 + 2.0 * math.exp(-((v / 0.1) ** 2))
        for z in np.linspace(-3e-3, 3e-3, 61):
            rate = v - 1e3 * abs(v) * z / g
            naive.append(1e3 * z * (v - rate) + 200.0 * rate * v)
            assert law.follow("on", at(v, (z,)), Reaction([0.0])).dissipated >= -1e-12
    assert min(naive) < -1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"coulomb": -1.0}, "coulomb=-1.0"),
        ({"coulomb": 2.0, "static": 1.0}, "static 1.0 .*coulomb 2.0"),
        ({"coulomb": 1.0, "viscous": float("nan")}, "viscous=nan"),
        ({"coulomb": 1.0, "static": 2.0, "stiffness": 10.0}, "stribeck_speed"),
    ],
)
def test_impossible_friction_is_refused(data, words):
    with pytest.raises(DriveError, match=words):
        Friction(**data)


def test_impossible_laws_are_refused():
    line = Line.for_machine(FREE_BLOCK, "block")
    with pytest.raises(InputError, match=r"f: width=0.0 .*DryFriction"):
        SmoothFriction("f", line, Friction(1.0), 0.0)
    with pytest.raises(InputError, match=r"f: .*Friction\(stiffness="):
        LuGre("f", line, Friction(1.0))
    ball = Robot("ball", [Link("ball", joint=Joint("j", "spherical", friction=1.0), mass=1.0, inertia=np.eye(3))])
    with pytest.raises(InputError, match=r"j.friction.*spherical"):
        friction_laws(ball, gw.assemble(ball))


def test_the_laws_of_a_robot():
    """Joint by joint, then motor by motor; a follower rubs along its leader."""
    joints = [
        Joint("a", friction=1.0, damping=0.5),
        Joint("b", damping=0.1),
        Joint("c", follows=("a", -2.0, 0.1), friction=Friction(0.2, static=0.3)),
        Joint("d", friction=Friction(0.2, stiffness=100.0)),
    ]
    parents = ["base", "la", "lb", "lc"]
    links = [
        Link(f"l{j.name}", parent, j, mass=1.0, inertia=np.eye(3)) for parent, j in zip(parents, joints, strict=True)
    ]
    robot = Robot("four", links, [Drive("a", Motor(1e-4, damping=1e-3), Gear(10.0))])
    mech = gw.assemble(robot)
    found = {law.name: law for law in friction_laws(robot, mech)}
    kinds = {name: type(law).__name__ for name, law in found.items()}
    assert kinds == {
        "a.friction": "DryFriction",
        "b.friction": "SmoothFriction",
        "c.friction": "DryFriction",
        "d.friction": "LuGre",
        "a.motor_friction": "SmoothFriction",
    }
    assert found["c.friction"].line.speed([1.0, 0.0, 0.0]) == -2.0
    assert all(law.modes == ("on",) for law in friction_laws(robot, mech, smooth=True))
