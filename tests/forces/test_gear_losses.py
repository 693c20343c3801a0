"""Losses of gears: both directions of power, rest between the quadrants, self-locking, jamming, moving carriers."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import TrainError
from gearwright.forces import Line, Load
from gearwright.forces.friction.dry_friction import DryFriction, friction_laws
from gearwright.forces.transmission.gear_losses import GearLoss, loss_laws
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Losses, Motor, Robot

R, JM, JL = 50.0, 1e-4, 0.2


def axis(gear: Gear, inertia: float = JL, motor: Motor | None = None) -> Robot:
    """A motor that turns a disc through a gear, without gravity."""
    link = Link("disc", joint=Joint("j"), mass=1.0, inertia=np.diag([inertia] * 3))
    return Robot("axis", [link], [Drive("j", motor or Motor(JM), gear)], gravity=(0, 0, 0))


def run(robot: Robot, motor: float, load: float, v: float = 0.0, until: float = 0.1, more=()):
    """The motor's torque at the motor, the load at the joint."""
    mech = gw.assemble(robot)
    laws = [*loss_laws(robot, mech), Load("load", Line.for_machine(mech, "j")), *more]
    inputs = {"tau.j": R * motor, "load": load}
    return gw.simulate(mech, ([0.0], [v]), until=until, laws=laws, inputs=inputs, samples=101)


def test_driving_the_joint_gets_the_efficient_part():
    """(eta' r tau + Q) / (J_l + eta' r^2 J_m): the rotor is accelerated before the loss."""
    done = run(axis(Gear(R, efficiency=0.7)), 0.2, -3.0)
    np.testing.assert_allclose(done.a[:, 0], (0.7 * R * 0.2 - 3.0) / (JL + 0.7 * R**2 * JM), rtol=1e-9)
    assert done.modes["j.gear"][-1] == "forward driving"
    assert done.drift < 1e-10


def test_driven_back_the_joint_pays_for_the_loss():
    """(r tau / eta'' + Q) / (J_l + r^2 J_m / eta''), here with the motor braking."""
    gear = Gear(R, efficiency=0.7, back_efficiency=0.6)
    done = run(axis(gear), -0.05, 6.0)
    np.testing.assert_allclose(done.a[:, 0], (-R * 0.05 / 0.6 + 6.0) / (JL + R**2 * JM / 0.6), rtol=1e-9)
    assert done.modes["j.gear"][-1] == "forward driven"


@pytest.mark.parametrize("sense", [1, -1])
def test_it_rests_between_what_lowers_and_what_lifts(sense):
    """Of a load Q the motor feels between eta'' Q / r and Q / (eta' r); in between nothing moves."""
    gear, Q = Gear(R, efficiency=0.8, back_efficiency=0.75), 10.0
    for motor, moves in (
        (0.74 * Q / R, -1),
        (0.76 * Q / R, 0),
        (Q / R, 0),
        (1.24 * Q / R, 0),
        (1.26 * Q / R, 1),
    ):
        done = run(axis(gear), sense * motor, -sense * Q)
        assert np.sign(done.v[-1, 0]) == sense * moves
        if not moves:
            assert np.all(done.v == 0)
            assert done["j.gear.loss_torque"][-1] == pytest.approx(sense * (motor - Q / R), abs=1e-12)


def test_the_torque_without_load_acts_like_friction_at_the_motor():
    gear = Gear(R, efficiency=0.8, no_load_torque=0.05)
    assert np.all(run(axis(gear), 0.049, 0.0).v == 0)
    done = run(axis(gear), 0.08, 0.0)
    np.testing.assert_allclose(done.a[:, 0], 0.8 * R * 0.03 / (JL + 0.8 * R**2 * JM), rtol=1e-9)


def test_efficiency_follows_the_speed():
    """eta' = 0.6 + 0.002 w: a = eta' r tau / (J_l + eta' r^2 J_m) at every speed of the motor."""
    gear = Gear(R, losses=[Losses(0.0, 0.6), Losses(100.0, 0.8)])
    done = run(axis(gear), 0.2, 0.0, until=0.2)
    eta = 0.6 + 0.2 * np.clip(R * done.v[:, 0] / 100, 0, 1)
    np.testing.assert_allclose(done.a[:, 0], eta * R * 0.2 / (JL + eta * R**2 * JM), rtol=1e-8)
    assert R * done.v[-1, 0] > 100


def test_power_lost_is_power_in_less_power_out():
    gear = Gear(R, efficiency=0.7)
    done = run(axis(gear), 0.2, -3.0)
    through = done["j.gear.input_torque"] * R * done.v[:, 0]
    lost = np.gradient(done["energy.dissipated"], done.t)
    np.testing.assert_allclose(lost[2:-2], 0.3 * through[2:-2], rtol=1e-6)


def test_friction_at_the_motor_is_lost_before_the_gear():
    """To lift Q the motor needs its friction plus Q / (eta' r)."""
    gear, Q, rub = Gear(R, efficiency=0.8), 10.0, 0.03
    robot = axis(gear, motor=Motor(JM, friction=rub))
    more = friction_laws(robot, gw.assemble(robot))
    for extra, moves in ((-0.001, False), (0.001, True)):
        done = run(robot, Q / (0.8 * R) + rub + extra, -Q, more=more)
        assert bool(done.v[-1, 0] > 0) == moves


WORM = Gear(R, efficiency=0.4)
"""Back-driving 2 - 1/0.4 = -0.5: it locks itself."""


@pytest.mark.parametrize("load", [-50.0, 50.0, 500.0])
def test_a_worm_is_not_driven_back(load):
    done = run(axis(WORM), 0.0, load)
    assert np.all(done.q == 0)
    assert done["j.gear.loss_torque"][-1] == pytest.approx(load / R)


@pytest.mark.parametrize("v", [0.0, 0.4])
def test_lowering_with_a_worm_takes_torque_too(v):
    """Half of the load, |eta''| Q / r, lets it down evenly; x more gives x / (J_m - |eta''| J_l / r^2)."""
    Q = 20.0
    even = run(axis(WORM), 0.5 * Q / R, Q, v=v)
    np.testing.assert_allclose(even.v[:, 0], v, atol=1e-9)
    faster = run(axis(WORM), 0.5 * Q / R + 0.01, Q, v=v)
    np.testing.assert_allclose(faster.a[:, 0], 0.01 / (JM - 0.5 * JL / R**2) / R, rtol=1e-8)
    assert faster.modes["j.gear"][-1] == "forward driven"
    lifting = run(axis(WORM), Q / (0.4 * R) + 0.01, -Q, v=v)
    assert lifting.v[-1, 0] > v


def test_a_worm_jams_when_the_joint_has_the_inertia():
    """With J_l |eta''| > r^2 J_m no motion fits: turning on its own it stops at once, and all energy is lost."""
    heavy = axis(WORM, inertia=2.0)
    done = run(heavy, 0.0, 0.1, v=1.0)
    assert abs(done.v[-1, 0]) < 1e-12
    assert abs(done.q[-1, 0]) < 1e-9
    light = run(axis(WORM), 0.0, 0.1, v=1.0)
    np.testing.assert_allclose(light.v[:, 0], 1 - 0.05 / R / (JM - 0.5 * JL / R**2) / R * light.t, rtol=1e-9)


def test_a_jammed_worm_is_pushed_on_by_its_motor():
    """From rest, more than |eta''| Q / r starts it, with the motor's flanks in contact."""
    Q = 20.0
    done = run(axis(WORM, inertia=2.0), 0.5 * Q / R + 0.01, Q, until=0.05)
    assert done.modes["j.gear"][-1] == "forward driving"
    assert done.v[-1, 0] > 0
    assert done.drift < 1e-9


def test_the_torque_into_the_gear_of_a_motor_on_a_moving_link():
    """What is left of the motor's torque once its rotor is accelerated, by its carrier's motion too."""
    robot = gw.load("elbow")
    mech = gw.assemble(robot)
    loss = GearLoss("gear", Line.for_machine(mech, {"j3": 80.0}), (Losses(efficiency=0.7),), mech.spins[2:3], "j3")
    assert mech.spins[2].name == "j3.rotor"
    tau = np.array([20.0, 30.0, 9.0])
    done = gw.simulate(mech, ([0.1, 0.4, -0.3], [1.0, -0.5, 0.8]), until=0.3, laws=[loss], inputs=tau)
    bare = gw.Mechanism(mech.bodies, mech.spins[:2], gravity=mech.gravity)
    with_rotor = gw.inverse_dynamics(mech, done.q, done.v, done.a)
    rotor = (with_rotor - gw.inverse_dynamics(bare, done.q, done.v, done.a))[:, 2] / 80.0
    np.testing.assert_allclose(done["gear.input_torque"], tau[2] / 80.0 - rotor, atol=1e-9)
    lost = np.array([done["gear.loss_torque"]]).T * np.array([0.0, 0.0, 80.0])
    np.testing.assert_allclose(with_rotor, tau - lost, atol=1e-9)
    assert done.drift < 1e-9


def test_lossy_gears_of_several_joints_and_friction_together():
    """All of an arm's gears and bearings at once, through many changes of direction, without chatter."""
    mech = gw.assemble(gw.load("elbow"))
    gears = [
        GearLoss(
            f"{s}.gear", Line.for_machine(mech, mech.actuators[k].row), (Losses(efficiency=0.75),), (mech.spins[k],), s
        )
        for k, s in enumerate(mech.speeds)
    ]
    rubs = [
        DryFriction(f"{s}.friction", Line.for_machine(mech, s), friction=Friction(1.0, static=1.3)) for s in mech.speeds
    ]

    def torque(t: float) -> list[float]:
        return [15 * np.sin(5 * t), 25 + 20 * np.sin(4 * t), 5 + 8 * np.cos(3 * t)]

    done = gw.simulate(mech, [0.1, 0.4, -0.3], until=2.0, laws=[*gears, *rubs], inputs=torque)
    assert done.drift < 1e-8
    assert np.all(np.diff(done["energy.dissipated"]) > -1e-9)
    assert 5 < len(done.events) < 80


def test_the_spring_of_an_elastic_drive_gets_what_the_gear_lets_through():
    """At rest against a wall of stiffness: spring torque = eta' r tau while the motor winds it up slowly."""
    gear = Gear(R, efficiency=0.8, stiffness=2000.0, damping=5.0)
    robot = axis(gear)
    mech = gw.assemble(robot)
    hold = gw.forces.IdealDrive("clamp", Line.for_machine(mech, "j"), lambda t, s, w: -100.0 * w)
    laws = [*loss_laws(robot, mech), hold]
    done = gw.simulate(mech, until=4.0, laws=laws, inputs={"tau.j.motor": lambda t: R * 0.1 * t})
    wound = 2000.0 * (done.q[:, 1] - done.q[:, 0])
    np.testing.assert_allclose(wound[500:], 0.8 * R * 0.1 * done.t[500:], rtol=0.02)


def test_impossible_losses_are_refused():
    for data, words in (
        ({"efficiency": 1.2}, "efficiency 1.2"),
        ({"efficiency": 0.9, "back_efficiency": 0.3}, "0.3 .*efficiency 0.9"),
        ({"efficiency": 0.9, "back_efficiency": 1.1}, "1.1"),
        ({"efficiency": 0.9, "no_load_torque": -1.0}, "no_load_torque=-1.0"),
    ):
        with pytest.raises(TrainError, match=words):
            Gear(R, **data)
    mech = gw.assemble(axis(WORM))
    with pytest.raises(TrainError, match=r"gear: .*Losses\("):
        GearLoss("gear", Line.for_machine(mech, "j"), ())
    with pytest.raises(TrainError, match="output_torque=-1"):
        GearLoss("gear", Line.for_machine(mech, "j"), (Losses(efficiency=0.5),), output_torque=-1.0)
