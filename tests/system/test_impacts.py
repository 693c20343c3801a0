"""Impacts with lossy gears: the impulse balance, and what a gear takes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Drive, Gear, Joint, Limits, Link, Motor, Robot
from gearwright.system.evaluation import situations_at
from gearwright.system.modes.mode_settling import find_consistent_modes
from gearwright.system.system import System

RATIO, ROTOR = 50.0, 2e-5


def struck(efficiency, speeds, restitution=0.0):
    """Speeds after the upper arm met its stop, the energy lost, and the mass matrix there."""
    upper = Link("upper", joint=Joint("j", limits=Limits(position=(-1, 1))), mass=1.0, inertia=0.2 * np.eye(3))
    hand = Link("hand", "upper", joint=Joint("k", position=(0.5, 0, 0)), mass=1.0, com=(0.4, 0, 0))
    gear = Gear(RATIO, efficiency=efficiency) if efficiency else Gear(RATIO)
    robot = Robot("two", [upper, hand], [Drive("k", Motor(ROTOR), gear)], gravity=(0, 0, 0))
    mech = gw.assemble(robot)
    stops = gw.forces.stop_laws(robot, mech, restitution=restitution)
    system = System(mech, (*stops, *gw.forces.loss_laws(robot, mech)))
    x = np.zeros(system.size)
    x[system.q], x[system.v] = [1.0 + 1e-9, 0.3], speeds
    modes = tuple("free" if law.name.endswith("stops") else "forward driving" for law in system.laws)
    after = find_consistent_modes(system, 0.0, x, np.zeros(system.input_size), modes).x
    return after[system.v], after[system.dissipated_index], gw.mass_matrix(mech, x[system.q])


@pytest.mark.parametrize("speeds", [[2.0, 1.0], [2.0, 6.0]])
def test_the_impulse_through_a_gear_loses_its_share(speeds):
    """The hand is thrown on by the arm that stops, and turns the rotor through the gear: T = eta'' O."""
    efficiency = 0.8
    back = 2 - 1 / efficiency
    (stopped, on), lost, M = struck(efficiency, speeds)
    assert stopped == pytest.approx(0.0, abs=1e-12)
    sense = ROTOR * np.array([1.0, RATIO])  # the rotor turns with the arm that carries it
    change = np.array([-speeds[0], on - speeds[1]])
    entering = -sense @ change
    assert entering < 0  # the joint pushes
    leaving = entering / back
    assert (M @ change)[1] == pytest.approx(RATIO * (leaving - entering), rel=1e-9)
    assert lost == pytest.approx(0.5 * np.dot(speeds, M @ speeds) - 0.5 * M[1, 1] * on**2, rel=1e-9)
    ideal, less, _ = struck(None, speeds)
    assert on < ideal[1]
    assert lost > less


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_energy_is_never_won(restitution):
    rng = np.random.default_rng(2)
    for speeds in np.abs(rng.normal(size=(20, 2))) + 0.1:
        v, lost, _ = struck(0.7, speeds, restitution)
        assert v[0] == pytest.approx(-restitution * speeds[0], abs=1e-9)
        assert lost > -1e-12


@pytest.mark.parametrize("efficiency", [0.8, 0.4])
def test_a_contact_of_an_arm_with_lossy_or_self_locking_gears_gains_nothing(efficiency):
    """Driven back, a gear of 0.4 locks itself; with Newton's law alone the contact would return more than it took."""
    robot = gw.load("elbow")
    drives = tuple(replace(d, gear=replace(d.gear, efficiency=efficiency)) for d in robot.drives)
    lossy = replace(robot, drives=drives)
    mech, rng = gw.assemble(lossy), np.random.default_rng(0)
    for k in range(24):
        q, v, n = np.array([0.2, -0.5, 1.0]) + 0.3 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
        J = gw.jacobian(mech, q, "tool")[:3]
        n *= -np.sign(n @ J @ v) / np.linalg.norm(n)
        e, friction = (0.5, 1.0)[k % 2], (0.0, 0.3)[k // 2 % 2]
        wall = gw.contact.Contact("tool", gw.contact.Plane(gw.placement(mech, q, "tool")[1] + 1e-9 * n, n), e, friction)
        system = System(mech, (*gw.laws(lossy), wall))
        x, u = np.zeros(system.size), np.zeros(system.input_size)
        x[system.q], x[system.v] = q, v
        modes = tuple(law.initial_mode(s) for law, s in zip(system.laws, situations_at(system, 0.0, x, u), strict=True))
        after = find_consistent_modes(system, 0.0, x, u, modes).x
        assert after[system.dissipated_index] > -1e-12
        assert 0 <= n @ J @ after[system.v] <= (1 + 1e-9) * (-e * (n @ J @ v)) or friction
