"""Planar, helical and universal joints in motion: against formulas, and against machines of simpler joints."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Drive, Friction, Gear, Joint, Limits, Link, Motor, Robot
from support.compare import relative

SOLID = {"mass": 2.0, "com": (0.1, 0.05, 0.2), "inertia": np.diag([0.03, 0.04, 0.05])}


def test_a_nut_runs_down_its_screw():
    """a = -m g h / (I + m h^2 + J k^2): gravity pulls along the axis, everything turns with it."""
    nut = Link("nut", "base", Joint("screw", "helical", pitch=0.02), 2.0, (0, 0, 0), np.diag([0.03, 0.03, 0.05]))
    robot = Robot("press", [nut], [Drive("screw", Motor(1e-4), Gear(10.0))])
    run = gw.simulate(robot, until=1.0)
    a = -2 * 9.81 * 0.02 / (0.05 + 2 * 0.02**2 + 1e-4 * 10**2)
    assert run["q.screw"][-1] == pytest.approx(a / 2, rel=1e-7)
    assert run["v.screw"][-1] == pytest.approx(a, rel=1e-7)
    assert run.units["q.screw"] == "rad"


def test_a_screw_sticks_and_stops():
    """Friction along its one coordinate holds it; without, it runs to its stop."""
    joint = Joint("screw", "helical", pitch=0.02, limits=Limits(position=(-1.0, 1.0)))
    nut = Link("nut", "base", joint, 2.0, (0, 0, 0), np.diag([0.03, 0.03, 0.05]))
    held = gw.simulate(
        Robot("p", [Link("nut", "base", Joint("screw", "helical", pitch=0.02, friction=Friction(0.5)), 2.0)]), until=1.0
    )
    assert held["q.screw"][-1] == 0.0
    stopped = gw.simulate(Robot("p", [nut]), until=3.0)
    assert stopped["q.screw"][-1] == pytest.approx(-1.0, abs=1e-6)


def test_a_puck_on_ice_goes_straight():
    """Its speeds are in body axes, so that they turn while the puck does not care."""
    puck = gw.Body("puck", joint="planar", mass=0.2, inertia=np.diag([1e-4, 1e-4, 2e-4]))
    run = gw.simulate(gw.Mechanism([puck]), ([0.1, 0.2, 0.3], [1.0, 0.0, 4.0]), until=2.0)
    there = np.array([0.1, 0.2]) + 2.0 * np.array([np.cos(0.3), np.sin(0.3)])
    assert [run["q.puck.x"][-1], run["q.puck.y"][-1]] == pytest.approx(there, abs=1e-7)
    assert run["q.puck.angle"][-1] == pytest.approx(0.3 + 8.0, abs=1e-9)
    assert [run.units[f"q.puck.{x}"] for x in ("x", "y", "angle")] == ["m", "m", "rad"]


def arm(kind: str, **geometry) -> gw.Mechanism:
    """A body on the joint, a pendulum on it, and rotors on both, one of them geared to both."""
    speeds = {"planar": [], "helical": ["a"], "universal": ["a.angle1", "a.angle2"]}[kind]
    bodies = [
        gw.Body("a", joint=kind, axis=(0.0, 0.6, 0.8), **geometry, **SOLID),
        gw.Body("b", "a", axis=(0, 1, 0), position=(0.2, 0, 0.1), **SOLID),
    ]
    spins = [gw.Spin("r", "a", (1, 0, 0), 1e-4, dict.fromkeys([*speeds, "b"], 20.0))]
    return gw.Mechanism(bodies, spins)


CASES = {"planar": {}, "helical": {"pitch": 0.1}, "universal": {"axis2": (1, 0, 0)}}


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
@pytest.mark.parametrize("kind", CASES)
def test_energy_stays(kind, method):
    mech = arm(kind, **CASES[kind])
    q, v = 0.3 * np.arange(1, mech.nq + 1), 0.5 * np.cos(np.arange(mech.n))
    step = gw.analysis.IntegratorOptions(step=1e-3 if method == "rk4" else None)
    run = gw.simulate(mech, (q, v), until=1.0, method=method, integrator=step)
    energy = gw.kinetic_energy(mech, run.q, run.v) + gw.potential_energy(mech, run.q)
    assert np.ptp(energy) < 1e-6 * np.abs(energy).max()


def test_a_cross_is_two_hinges():
    """The same machine with a link without mass between two hinges moves alike."""
    cross = arm("universal", axis2=(1, 0, 0))
    first, second = cross.bodies
    bodies = [
        gw.Body("ring", axis=first.axis, joint_name="a.angle1"),
        gw.Body("a", "ring", axis=(1, 0, 0), joint_name="a.angle2", **SOLID),
        gw.Body("b", "a", axis=second.axis, position=second.position, **SOLID),
    ]
    hinges = gw.Mechanism(bodies, [gw.Spin("r", "a", (1, 0, 0), 1e-4, cross.spins[0].ratio)])
    assert hinges.speeds == cross.speeds
    runs = [
        gw.simulate(
            m, ([0.3, 0.5, -0.2], [1.0, -0.5, 0.8]), until=1.0, integrator=gw.analysis.IntegratorOptions(rtol=1e-10)
        )
        for m in (cross, hinges)
    ]
    assert relative(runs[0].q, runs[1].q) < 1e-7


def test_a_screw_is_a_slide_that_follows_a_hinge():
    screw = arm("helical", pitch=0.1)
    first, second = screw.bodies
    bodies = [
        gw.Body("turn", axis=first.axis, joint_name="a"),
        gw.Body("a", "turn", "prismatic", axis=first.axis, joint_name="slide", follows=("a", 0.1, 0.0), **SOLID),
        gw.Body("b", "a", axis=second.axis, position=second.position, **SOLID),
    ]
    chain = gw.Mechanism(bodies, [gw.Spin("r", "a", (1, 0, 0), 1e-4, screw.spins[0].ratio)])
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    for name, state in (("inverse_dynamics", (q, v, a)), ("mass_matrix", (q,)), ("coriolis_matrix", (q, v))):
        assert relative(getattr(gw, name)(screw, *state), getattr(gw, name)(chain, *state)) < 1e-12


@pytest.mark.parametrize("joint", [Joint("j", "helical", pitch=0.05), Joint("j", "prismatic", axis=(1, 0, 0))])
def test_an_elastic_drive_moves_a_joint_of_any_kind(joint):
    """What the motor must do for a motion of the joint brings that motion about."""
    link = Link("arm", "base", joint, 2.0, (0.1, 0, 0.05), np.diag([0.03, 0.04, 0.05]))
    cross = Joint("tip", "universal", (1, 0, 0), axis2=(0, 1, 0), position=(0.1, 0, 0))
    tip = Link("tip", "arm", cross, 1.0, (0.1, 0.1, 0.2), np.diag([0.03, 0.04, 0.05]))
    mech = gw.assemble(Robot("r", [link, tip], [Drive("j", Motor(1e-3), Gear(20.0, stiffness=500.0))]))
    assert mech.speeds == ("j", "tip.angle1", "tip.angle2", "j.motor")
    derivatives = np.random.default_rng(1).uniform(-1, 1, (5, 3))
    found = gw.motor_motion(mech, *derivatives)
    tau = gw.inverse_dynamics(mech, found.q, found.v, found.a)
    assert tau[0] == pytest.approx(0.0, abs=1e-9)  # the joint itself has no motor


def test_planar_joints_have_no_motor_motion():
    link = Link("cart", "base", Joint("cart", "planar"), 2.0, inertia=np.diag([0.03, 0.04, 0.05]))
    arm_ = Link("arm", "cart", Joint("j"), 1.0, (0.2, 0, 0))
    mech = gw.assemble(Robot("r", [link, arm_], [Drive("j", Motor(1e-3), Gear(20.0, stiffness=500.0))]))
    with pytest.raises(gw.errors.InputError, match=r"motor_motion: .*\bplanar\b"):
        gw.motor_motion(mech, *np.zeros((5, 4)))


def test_a_pitch_may_stay_a_parameter():
    """One kernel for all screws: the pitch is an input, named by its path."""
    nut = Link("nut", "base", Joint("screw", "helical", pitch=0.02), 2.0, (0.1, 0, 0), np.diag([0.03, 0.03, 0.05]))
    tip = Link("tip", "nut", Joint("tip", axis=(0, 1, 0), position=(0.1, 0, 0)), 1.0, (0.1, 0, 0))
    robot = Robot("press", [nut, tip], [Drive("screw", Motor(1e-4), Gear(10.0))])
    kernel = gw.compile(gw.inverse_dynamics, robot, parameters=["screw.pitch"])
    q, v, a = np.random.default_rng(2).uniform(-1, 1, (3, 2))
    for pitch in (0.02, -0.07):
        other = Robot(
            "press", [Link(**{**vars(nut), "joint": Joint("screw", "helical", pitch=pitch)}), tip], robot.drives
        )
        expected = gw.inverse_dynamics(gw.assemble(other), q, v, a)
        assert relative(kernel(q, v, a, parameters=[pitch]), expected) < 1e-12
