"""Small motions of random elastic arms with dry friction: the forces of `demands` at 101 samples replay them."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.motion import chain, pause, polynomial
from gearwright.parts import Drive, Friction, Gear, Joint, Link, Motor, Robot, StiffnessPiece, Torsion
from gearwright.system.modes.mode_settling import find_consistent_modes
from gearwright.system.system import System


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
    run = gw.simulate(robot, found.start, motion.duration, inputs=found.force_signals, samples=51, integrator=tight)
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


@pytest.mark.parametrize("excess", [3e-10, 8e-10, 2e-9, 5e-9])
@pytest.mark.parametrize("speed", [-1.9e-9, -1.6e-9, -0.8e-9, 0.0, 0.9e-9])
def test_modes_are_consistent_at_rest_exactly_at_the_limit_of_friction(speed, excess):
    """Damping decelerates the residual speed of a lever whose load exceeds the friction by rounding alone.

    Sticking, the load exceeds the limit; sliding, the lever stops: this went on without end.
    """
    friction = Friction(coulomb=0.16, viscous=0.5)
    link = Link("l", joint=Joint("j", axis=(0, 0, 1), friction=friction), mass=1.0, inertia=np.eye(3) * 0.05)
    arm = Robot("lever", [link], [Drive("j", Motor(1e-5, friction=0.002), Gear(30.0))])
    system = System(gw.assemble(arm), gw.laws(arm))
    x, u = np.zeros(system.size), np.zeros(system.input_size)
    x[system.v] = speed
    u[0] = -(0.16 + 30.0 * 0.002) - 0.16 * excess
    settled = find_consistent_modes(system, 0.0, x, u, ("backward",) * len(system.laws))
    assert np.abs(settled.x[system.v]).max() < 1e-8


def test_a_pause_that_a_stiff_spring_cannot_make_is_a_jump():
    """Friction f is gone at rest: the motor behind the spring k jumps by f/k, however far from zero it is."""
    k, f = 4e4, 0.03
    for start in (0.0, 3.0):
        joint = Joint("j", axis=(0, 0, 1), friction=Friction(coulomb=f))
        link = Link("l", joint=joint, mass=1.0, com=(0.1, 0, 0), inertia=np.eye(3) * 0.02)
        arm = Robot("arm", [link], [Drive("j", Motor(1e-5), Gear(50.0, stiffness=k))])
        motion = chain(polynomial([start], [start + 8e-4], 0.4, order=7), pause([start + 8e-4], 0.1))
        jumps = [x for x in gw.demands(arm, motion, samples=101).jumps if x.name == "q.j.motor"]
        assert [abs(x.size) for x in jumps] == pytest.approx([f / k], rel=1e-6)
