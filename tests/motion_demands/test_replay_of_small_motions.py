"""Small motions of random elastic arms with dry friction: the forces of `demands` at 101 samples replay them."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.motion import chain, pause, polynomial
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot, StiffnessPiece, Torsion


def random_arm_and_motion(seed):
    """One to three joints with dampers of up to a tenth of the motion's duration, lossy gears, friction anywhere."""
    rng = np.random.default_rng(seed)

    def scale(low, high):
        return float(10 ** rng.uniform(low, high))

    count, duration, size = int(rng.integers(1, 4)), rng.uniform(0.2, 1.0), scale(-5, -1)
    links, drives = [], []
    for k in range(count):
        friction = Friction(coulomb=scale(-2, 1), viscous=float(rng.choice([0.0, scale(-2, 0.5)])))
        axis = np.eye(3)[rng.integers(3)]
        joint = Joint(axis=axis, position=(0.3 * (k > 0), 0, 0), friction=friction)
        inertia = np.diag([0.05, 0.1, 0.1]) * scale(-1, 1)
        links.append(Link(f"l{k}", f"l{k - 1}" if k else "base", joint, scale(-1, 1.5), (0.15, 0, 0.05), inertia))
        stiffness = scale(2, 5)
        damping = stiffness * duration * float(rng.choice([0.0, scale(-4, -1)]))
        gear = Gear(rng.uniform(1, 160), stiffness=stiffness, damping=damping, efficiency=float(rng.choice([1.0, 0.8])))
        drives.append(Drive(f"l{k}", Motor(scale(-6, -3), friction=float(rng.choice([0.0, scale(-3, -1)]))), gear))
    start = rng.uniform(-1, 1, count)
    motion = polynomial(start, start + size * rng.normal(size=count), duration, order=7)
    return Robot("arm", links, drives), motion


@pytest.mark.parametrize("seed", range(24))
def test_forces_at_few_samples_replay_small_motions(seed):
    robot, motion = random_arm_and_motion(seed)
    found = gw.demands(robot, motion, samples=101)
    assert not found.jumps
    assert not found.unactuated
    tight = gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-13)
    until = 0.99 * motion.duration  # before all joints come to rest exactly at the limits of their friction
    run = gw.simulate(robot, found.start, until, inputs=found.force_signals, samples=51, integrator=tight)
    size = np.abs(motion.at(motion.duration) - motion.at(0.0)).max()
    assert np.abs(run.q[:, : motion.count] - motion.at(run.t)).max() < 1e-3 * size


@pytest.mark.parametrize("samples", [101, 501, 2001])
@pytest.mark.parametrize("ratio", [0.003, 0.03, 0.1])
def test_a_damper_that_decays_slowly_beside_the_motion(ratio, samples):
    r"""$k (\theta - q) + d (\dot\theta - \dot q) = J \ddot q + f \operatorname{sgn} \dot q$ at all samples, and the
    speeds and accelerations of the motor are the derivatives of its position."""
    inertia, k, friction, duration = 0.11, 140.0, 3.4, 0.57
    joint = Joint(axis=(0, 0, 1), friction=friction)
    link = Link("l", joint=joint, mass=2.0, com=(0.2, 0, 0), inertia=np.diag([inertia - 2.0 * 0.2**2] * 3))
    gear = Gear(50.0, stiffness=k, damping=ratio * duration * k, efficiency=0.8)
    arm = Robot("arm", [link], [Drive("l", Motor(6e-6), gear)])
    found = gw.demands(arm, polynomial([0.3], [0.301], duration, order=7), samples=samples)
    assert len(found.t) - len(np.unique(found.t)) <= 2  # the motor turns back once; more would be wiggles
    (q, theta), (v, omega), (a, alpha) = (x.T for x in (found.motion.q, found.motion.v, found.motion.a))
    load = inertia * a + friction * np.sign(v)
    moving = np.abs(v) > 1e-9
    assert (k * (theta - q) + gear.damping * (omega - v))[moving] == pytest.approx(load[moving], rel=1e-9)
    step = np.diff(found.t)
    rise = 0.5 * step * (omega[1:] + omega[:-1]) - step**2 / 12 * np.diff(alpha)
    assert np.diff(theta) == pytest.approx(rise, abs=1e-6 * np.abs(omega).max() * step.max())


@pytest.mark.parametrize("samples", [101, 501])
def test_a_damped_motor_decelerates_by_the_closed_form_where_the_jerk_ends(samples):
    r"""At the end of a motion without jerk behind it, the deflection $x_0 = -(-\tau R' + \tau^2 R'' - \tau^3 R''')/k$,
    $R = J \ddot q$, $\tau = d/k$, decays: the motor needs $N^2 I \ddot x = N^2 I x_0 e^{-t/\tau}/\tau^2$."""
    inertia, k, damping, ratio, rotor = 30.0, 1.3e5, 26.0, 160.0, 1.05e-3
    link = Link("l", joint=Joint(axis=(0, 0, 1)), mass=1.0, com=(0, 0, 0), inertia=np.diag([inertia] * 3))
    torsion = Torsion(pieces=(StiffnessPiece(k, 1e6), StiffnessPiece(2 * k)))  # integrated, though linear here
    arm = Robot("arm", [link], [Drive("l", Motor(rotor), Gear(ratio, torsion=torsion, damping=damping))])
    move = polynomial([0.0], [0.4], duration=0.8)
    found = gw.demands(arm, chain(move, pause([0.4], 0.2)), samples=samples)
    tau = damping / k
    rates = [inertia * float(move.at(0.8, order)[0]) for order in (3, 4, 5)]
    decaying = sum((-tau) ** j * rate for j, rate in enumerate(rates, start=1)) / k  # theta - q
    after = (found.t >= 0.8) & (found.t < 0.8 + 3 * tau)
    after[np.flatnonzero(after)[0]] = False  # the last sample of the motion
    expected = ratio**2 * rotor * decaying / tau**2 * np.exp(-(found.t[after] - 0.8) / tau)
    assert after.sum() > 4
    assert found["tau.l.motor"][after] == pytest.approx(expected, rel=1e-3, abs=1e-3 * np.abs(expected).max())
