"""What a motion demands of a robot's own motors: warm as they get, with cogging and ripple; and of static friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.motion import EndRates, polynomial
from gearwright.parts import Cogging, Drive, Friction, Gear, Heat, Joint, Link, Motor, Ripple, Robot

WARM = Heat(2.0, 8.0, 1.5, 30.0, magnet=-0.002, max_temperature=380.0)
LIFT = polynomial([-0.4], [0.8], 0.5, order=7)


def arm(**motor):
    """A lever on a motor that gets hot within a second."""
    link = Link("lever", joint=Joint("j", axis=(0, 1, 0)), mass=3.0, com=(0.4, 0, 0), inertia=np.eye(3) * 0.02)
    data = {"torque_constant": 0.05, "resistance": 0.8, **motor}
    return Robot("arm", [link], [Drive("j", Motor(2e-5, **data), Gear(50))])


def replayed(robot, found, motion, **options):
    options = {"samples": 21, "integrator": gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-14), **options}
    return gw.simulate(robot, found.start, motion.duration, inputs=found.input_signals, **options)


def off(run, motion):
    return float(np.abs(run.q[:, : motion.count] - motion.at(run.t)).max())


@pytest.mark.parametrize("inductance", [None, 1e-3])
@pytest.mark.parametrize(
    "data", [{"heat": WARM}, {"heat": replace(WARM, housing_capacity=None)}, {}], ids=["two", "one", "cold"]
)
def test_voltages_are_those_of_the_motor_as_warm_and_uneven_as_it_is(data, inductance):
    """R(T), K(T, angle), cogging: the simulation has them too, so that it makes the motion."""
    uneven = {"cogging": Cogging(0.02, 2, 0.3), "ripple": Ripple(0.05, 1)}
    robot = arm(inductance=inductance, **uneven, **data)
    found = gw.demands(robot, LIFT, samples=1001)
    run = replayed(robot, found, LIFT)
    assert off(run, LIFT) < 1e-8
    for name in (name for name in found.series if name.endswith("temperature")):
        assert run[name] == pytest.approx(np.interp(run.t, found.t, found[name]), abs=1e-3)
        assert found[name][-1] > found[name][0] + 0.01
    smooth = gw.demands(arm(inductance=inductance, **data), LIFT)
    assert off(replayed(robot, replace(smooth, start=found.start), LIFT), LIFT) > 1e-4


def test_a_warm_start_asks_for_more_voltage():
    """R grows by 0.39 % a kelvin, K falls by 0.2 %: at the start both are known by hand."""
    robot = arm(heat=WARM)
    cold = gw.demands(robot, LIFT)
    hot = gw.demands(robot, LIFT, states={"j.winding_temperature": 348.15, "j.housing_temperature": 318.15})
    assert hot.start["j.winding_temperature"] == pytest.approx(348.15, abs=1e-9)
    ratio = (1 + 0.0039 * 50) / (1 - 0.002 * 20)
    assert hot["j.voltage"][0] == pytest.approx(cold["j.voltage"][0] * ratio, rel=1e-12)
    assert hot["j.heat"][0] == pytest.approx(0.8 * (1 + 0.0039 * 50) * hot["j.current"][0] ** 2, rel=1e-12)
    assert off(replayed(robot, hot, LIFT), LIFT) < 1e-8
    with pytest.raises(InputError, match=r"'j\.winding_temprature'.*'j\.winding_temperature'"):
        gw.demands(robot, LIFT, states={"j.winding_temprature": 350.0})


def test_a_winding_too_hot_is_an_excess():
    found = gw.demands(arm(heat=WARM), LIFT, states={"j.winding_temperature": 379.9})
    assert [(x.name, x.limit) for x in found.excesses] == [("j.winding_temperature", 380.0)]
    assert gw.demands(arm(heat=WARM), LIFT).is_feasible


def sticky(static=None, **more):
    """The lever without gravity, with Coulomb friction and more of it at rest."""
    robot = arm()
    rubbing = Friction(coulomb=2.0, viscous=0.3, static=static, **more)
    link = replace(robot.links[0], joint=replace(robot.links[0].joint, friction=rubbing))
    return replace(robot, links=(link,), gravity=(0, 0, 0))


def test_static_friction_that_drops_at_once_holds_a_joint_until_the_demand_exceeds_it():
    """The run breaks away when the demand for sliding reaches F_S; all else about the demand is right."""
    motion = polynomial([0.0], [0.8], 0.5, order=7)
    found = gw.demands(sticky(2.6), motion, actuators=())
    assert any(remark.startswith("j.friction: ") for remark in found.remarks)
    run = replayed(sticky(2.6), found, motion)
    leaves = next(event.t for event in run.events if event.kind == "forward")
    assert leaves == pytest.approx(found.t[np.argmax(found["tau.j"] > 2.6)], abs=2e-3)
    assert off(run, motion) > 1e-3
    for static, speed in ((None, 0.0), (2.6, 0.5)):  # no excess at rest, or in motion from the start to the end
        moving = polynomial([0.0], [0.8], 0.5, order=7, end_rates=EndRates(start_speed=speed, end_speed=speed))
        followed = gw.demands(sticky(static), moving, actuators=())
        assert followed.remarks == ()
        assert off(replayed(sticky(static), followed, moving), moving) < 1e-8
    gradual = gw.demands(sticky(2.6, stribeck_speed=0.2), motion, actuators=())
    assert gradual.remarks == ()
    assert off(replayed(sticky(2.6, stribeck_speed=0.2), gradual, motion), motion) < 1e-7


@pytest.fixture(scope="module")
def manutec():
    return gw.load("manutec_r3_full")


def test_manutec_sticks_at_rest_alone(manutec):
    """Its forces are right at every time: put into the forward dynamics they give the accelerations of the motion."""
    motion = polynomial([0.0] * 6, [0.3] * 6, 0.6, order=7)
    found = gw.demands(manutec, motion, actuators=(), samples=101)
    mech, (q, v, a) = gw.assemble(manutec), (found.motion.q, found.motion.v, found.motion.a)
    rubbed = np.zeros_like(v)
    lines = [(link.joint_name, 1.0, link.joint.total_friction) for link in manutec.links]
    lines += [(f"{d.joint}.motor", d.gear.ratio, d.motor.total_friction) for d in manutec.drives]
    for name, ratio, friction in ((name, *rest) for name, *rest in lines if name in mech.speeds):
        k, w = mech.speeds.index(name), v[:, mech.speeds.index(name)] * ratio
        rubbed[:, k] = -ratio * (friction.coulomb * np.sign(w) + friction.viscous * w)
    inside = np.abs(v).min(axis=1) > 1e-9
    assert inside.sum() > 90
    forward = gw.forward_dynamics(mech, q, v, found.tau + rubbed)
    assert np.abs(forward - a)[inside].max() < 1e-6 * np.abs(a).max()
    assert "joint4.friction, joint5.friction, joint6.friction" in " ".join(found.remarks)


@pytest.mark.parametrize("heat", [None, Heat(1.7, 6.0, 9.5, 119.0)])
def test_forces_and_signals_both_replay_a_motion_from_the_start(heat):
    """Currents and temperatures at the start belong to the voltages; a run by forces goes without them."""
    motor = Motor(1e-4, torque_constant=0.1, resistance=0.5, inductance=1e-3, heat=heat)
    link = Link("lever", joint=Joint("j", axis=(0, 1, 0), friction=Friction(coulomb=1.0)), mass=2.0, com=(0.3, 0, 0))
    robot = Robot("lever", [link], [Drive("j", motor, Gear(50.0))])
    asked = gw.demands(robot, polynomial([0.0], [1.0], duration=0.5, order=7))
    assert asked.start.states
    for inputs in (asked.force_signals, asked.input_signals):
        run = gw.simulate(robot, asked.start, 0.5, inputs=inputs, samples=3)
        assert abs(run.q[-1, 0] - 1.0) < 1e-6
    with pytest.raises(InputError, match=r"j\.curent"):
        gw.simulate(robot, asked.start.with_states({"j.curent": 1.0}), 0.5, inputs=asked.force_signals)
