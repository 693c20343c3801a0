"""Friction, stops, lossy gears and a brake on one arm at the same time: consistent modes, none of them restless."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.forces import Clutch
from gearwright.parts import Drive, Friction, Gear, Joint, Limits, Link, Motor, Robot

COULOMB, STATIC, STRIBECK, VISCOUS = 2.0, 2.6, 0.05, 0.02
RATIO, EFFICIENCY = 60.0, 0.7
GRIP = 6.0


def link(k):
    friction = Friction(coulomb=COULOMB / (k + 1), static=STATIC / (k + 1), stribeck_speed=STRIBECK, viscous=VISCOUS)
    place = (0.3 if k else 0.0, 0, 0)
    joint = Joint(f"j{k}", axis=(0, 1, 0), position=place, limits=Limits(position=(-0.4, 0.4)), friction=friction)
    parent = f"l{k - 1}" if k else "base"
    return Link(f"l{k}", parent, joint, mass=1.5, com=(0.15, 0, 0), inertia=np.diag([1e-3, 1e-2, 1e-2]))


def arm():
    gear = Gear(RATIO, efficiency=EFFICIENCY)
    drives = [Drive(f"j{k}", Motor(2e-5), gear, f"l{k - 1}" if k else "base", (0, 1, 0)) for k in range(3)]
    return Robot("arm", [link(k) for k in range(3)], drives)


def push(t):
    """Torques [Nm] that lift, let go and turn round."""
    return np.array([20 * np.sin(5 * t), -9 * np.cos(4 * t), 4 * np.sin(9 * t)])


def squeeze(t):
    """How hard the brake at the second joint is pressed."""
    return max(0.0, np.sin(8 * t))


@pytest.fixture(scope="module")
def robot():
    return arm()


def simulated(robot, state, start, until, **more):
    mech = gw.assemble(robot)
    brake = Clutch.brake(mech, "brake", "j1", normal_force=GRIP)
    given = {f"tau.j{k}": (lambda t, k=k: push(start + t)[k]) for k in range(3)}
    given["brake.level"] = lambda t: squeeze(start + t)
    return gw.simulate(robot, state, until, laws=[*gw.laws(robot, mech), brake], inputs=given, **more)


@pytest.fixture(scope="module")
def run(robot):
    return simulated(robot, [0.0, 0.1, -0.2], 0.0, 2.0, samples=2001)


def test_everything_happens_and_nothing_chatters(run):
    """All kinds of modes occur, and few events per second: each mode lasts until motion or force have changed."""
    for k in range(3):
        assert {"stick", "forward", "backward"} <= set(run.modes[f"j{k}.friction"])
    stops = {mode for k in range(3) for mode in run.modes[f"j{k}.stops"]}
    gears = {mode for k in range(3) for mode in run.modes[f"j{k}.gear"]}
    assert len(stops) > 1
    assert len(gears) >= 4
    assert "free" in run.modes["brake"]
    assert len(run.events) < 400


def test_the_books_are_right(run):
    assert run.drift < 1e-8
    assert (np.diff(run["energy.dissipated"]) > -1e-9).all()


def test_stops_are_not_passed_and_only_push(run):
    for k in range(3):
        q, force = run[f"q.j{k}"], run[f"j{k}.stops.force"]
        assert np.abs(q).max() <= 0.4 + 2e-9
        assert (q * force <= 1e-9).all()
        assert np.abs(force[np.abs(q) < 0.4 - 1e-6]).max() == 0


@pytest.mark.parametrize("k", range(3))
def test_what_sticks_holds_no_more_than_it_can_and_what_slides_rubs_by_its_curve(run, k):
    """Complementarity at every sample: v = 0 and |F| <= F_S, or F against v as Stribeck says."""
    v, force, mode = run[f"v.j{k}"], run[f"j{k}.friction.force"], np.array(run.modes[f"j{k}.friction"])
    stuck = mode == "stick"
    assert stuck.any()
    assert np.abs(v[stuck]).max() < 1e-8
    assert np.abs(force[stuck]).max() <= STATIC / (k + 1) * (1 + 1e-6)
    sliding = ~stuck & (np.abs(v) > 1e-3)
    curve = (COULOMB + (STATIC - COULOMB) * np.exp(-((v / STRIBECK) ** 2))) / (k + 1)
    expected = -np.sign(v) * curve - VISCOUS * v
    assert sliding.sum() > 100
    np.testing.assert_allclose(force[sliding], expected[sliding], rtol=1e-9)


@pytest.mark.parametrize("k", range(3))
def test_gears_lose_by_the_direction_of_power(run, k):
    """O = eta' T or T = eta'' O; at rest O is between what lowers and what lifts."""
    entering, mode = run[f"j{k}.gear.input_torque"], np.array(run.modes[f"j{k}.gear"])
    leaving = entering - run[f"j{k}.gear.loss_torque"]
    scale = np.abs(entering).max()
    driving = np.char.endswith(mode, "driving")
    np.testing.assert_allclose(leaving[driving], EFFICIENCY * entering[driving], atol=1e-9 * scale)
    driven, back = np.char.endswith(mode, "driven"), 2 - 1 / EFFICIENCY
    np.testing.assert_allclose(entering[driven], back * leaving[driven], atol=1e-9 * scale)
    low, high = np.sort([leaving / EFFICIENCY, back * leaving], axis=0)
    rests = mode == "stuck"
    assert (entering[rests] >= low[rests] - 1e-6 * scale).all()
    assert (entering[rests] <= high[rests] + 1e-6 * scale).all()


@pytest.mark.parametrize("sample", [137, 600, 1111, 1500])
def test_a_run_goes_on_from_any_of_its_states(robot, run, sample):
    """Modes follow from the state alone: begun anew in the middle, the motion is the same one."""
    start = float(run.t[sample])
    again = simulated(robot, (run.q[sample], run.v[sample]), start, 0.2, samples=201)
    np.testing.assert_allclose(again.q, run.q[sample : sample + 201], atol=1e-6)
