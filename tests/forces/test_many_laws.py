"""Friction at both sides, lossy and self-locking gears and stops of a whole arm: modes settle, books balance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Friction, Limits, Robot


def loaded(name: str, rng: np.random.Generator) -> Robot:
    """A bundled arm with random friction, limits and efficiencies; every second gear or so locks itself."""
    robot = gw.load(name)
    links = []
    for link in robot.links:
        coulomb = rng.uniform(0.1, 5)
        rub = Friction(coulomb, static=coulomb * rng.uniform(1, 1.5), stribeck_speed=rng.choice([None, 0.1]))
        ends = Limits(position=(-rng.uniform(0.1, 1), rng.uniform(0.1, 1)))
        links.append(replace(link, joint=replace(link.joint, limits=ends, friction=rub, damping=0.0)))
    drives = []
    for drive in robot.drives:
        gear = replace(drive.gear, efficiency=rng.choice([0.3, 0.45, 0.6, 0.9]), no_load_torque=rng.choice([0.0, 0.01]))
        drives.append(replace(drive, gear=gear, motor=replace(drive.motor, friction=rng.choice([0.0, 0.02]))))
    return replace(robot, links=links, drives=drives)


@pytest.mark.parametrize(("name", "seed"), [("elbow", 0), ("elbow", 1), ("scara", 3), ("ur5_like", 6)])
def test_an_arm_with_everything_settles(name, seed):
    rng = np.random.default_rng(seed)
    robot = loaded(name, rng)
    mech = gw.assemble(robot)
    weight, size, rate = gw.gravity(mech, gw.neutral(mech)), rng.uniform(0, 60, mech.n), rng.uniform(1, 20, mech.n)
    start = (np.zeros(mech.n), rng.uniform(-1, 1, mech.n))
    run = gw.simulate(robot, start, until=0.5, inputs=lambda t: weight + size * np.sin(rate * t), samples=51)
    assert run.t[-1] == 0.5
    assert run.drift < 1e-7
    assert np.all(np.diff(run["energy.dissipated"]) > -1e-9)
    ends = np.array([link.joint.limits.position for link in robot.links])
    assert np.all(run.q > ends[:, 0] - 1e-6)
    assert np.all(run.q < ends[:, 1] + 1e-6)
    assert len(run.events) < 300
