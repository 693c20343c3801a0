"""Elastic machines in motion, against balances and theories that know nothing of the engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import simpson

import gearwright as gw
from gearwright.parts import (
    Beam,
    Drive,
    ElasticBase,
    Gear,
    Joint,
    Link,
    Motor,
    Robot,
    Torsion,
    with_beam,
    with_elastic_base,
)

TIGHT = {"integrator": gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)}
SHAKEN = {
    "tau.j1.motor": lambda t: 30 * np.sin(25 * t),
    "tau.j2.motor": lambda t: 25 + 25 * np.sin(20 * t),
}


def elbow(damping: float, backlash: float = 0.0) -> Robot:
    robot = gw.load("elastic_elbow")
    torsion = Torsion(backlash=backlash) if backlash else None
    for drive in robot.drives:
        robot = robot.with_drive(replace(drive, gear=replace(drive.gear, damping=damping, torsion=torsion)))
    return robot


def energy_without_springs(mech: gw.Mechanism, run: gw.Run) -> np.ndarray:
    bare = replace(mech, springs=())
    return gw.kinetic_energy(bare, run.q, run.v) + gw.potential_energy(bare, run.q)


def lost(mech: gw.Mechanism, run: gw.Run, springs: np.ndarray) -> float:
    """What the motors gave less what the machine has."""
    energy = energy_without_springs(mech, run) + springs
    return float(simpson((run.tau * run.v).sum(axis=1), x=run.t) - (energy[-1] - energy[0]))


def test_what_is_missing_went_into_the_dampers():
    mech = gw.assemble(elbow(15.0))
    run = gw.simulate(mech, until=0.3, inputs=SHAKEN, samples=3001, **TIGHT)
    rows = np.array([spring.row for spring in mech.springs])
    stored = 0.5 * ((run.q @ rows.T) ** 2 @ [8000.0, 6000.0, 3000.0])
    damped = simpson(15.0 * ((run.v @ rows.T) ** 2).sum(axis=1), x=run.t)
    assert damped > 0.05
    assert lost(mech, run, stored) == pytest.approx(damped, rel=1e-6)
    assert run["energy.dissipated"][-1] == pytest.approx(damped, rel=1e-6)


def test_power_balance_of_an_arm_with_backlash_in_every_joint():
    """No torque inside the gaps, and in contact never more damping than spring: a contact pushes, it does not pull."""
    gap, stiffness = 4e-3, np.array([8000.0, 6000.0, 3000.0])
    robot = elbow(15.0, gap)
    mech = gw.assemble(robot)
    run = gw.simulate(robot, until=0.5, inputs=SHAKEN, samples=5001, **TIGHT)
    names = [f"j{k}.spring" for k in (1, 2, 3)]
    twist = run.q[:, :3] - run.q[:, 3:]
    torque = np.column_stack([run[f"{name}.torque"] for name in names])
    inside, beyond = np.abs(twist) < gap / 2, np.maximum(np.abs(twist) - gap / 2, 0) * np.sign(twist)
    assert (inside.sum(axis=0) > 30).all(), "every joint goes through its gap"
    assert np.abs(torque[inside]).max() == 0.0
    assert (torque * np.sign(twist))[~inside].min() >= 0
    # Inside its gap a motor is alone with its torque: J a = tau, the rotor of the first joint having no coupling.
    alone = inside[:, 0]
    assert run["a.j1.motor"][alone] == pytest.approx(run["tau.j1.motor"][alone] / 7.2, abs=1e-9)
    dissipated = lost(mech, run, 0.5 * beyond**2 @ stiffness)
    assert dissipated > 0.05
    assert run["energy.dissipated"][-1] == pytest.approx(dissipated, rel=1e-5)
    power = ((torque - beyond * stiffness) * (run.v[:, :3] - run.v[:, 3:])).sum(axis=1)
    assert power.min() >= -1e-9, "dampers only take"
    assert run.drift < 1e-8


def test_an_elastic_base_turns_back_as_the_rotor_spins_up():
    """About the vertical nothing but the support's spring acts: angular momentum is what it has pushed so far."""
    table = Link("table", joint=Joint("j", position=(0, 0, 0.3)), mass=4, inertia=np.diag([0.05, 0.05, 0.1]))
    drive = Drive("j", Motor(3e-4, 0.5), Gear(80, stiffness=900.0, damping=0.5))
    support = ElasticBase(
        (2e5, 2e5, None, None, None, 3e3), (50, 50, None, None, None, 4.0), mass=30, inertia=np.eye(3)
    )
    mech = gw.assemble(with_elastic_base(Robot("turntable", [table], [drive]), support))
    assert mech.speeds == ("support.x", "support.y", "support.rz", "j", "j.motor")
    run = gw.simulate(mech, until=0.5, inputs=[0, 0, 0, 0, 20.0], samples=2001, **TIGHT)
    turn, rate = run["q.support.rz"], run["v.support.rz"]
    pushed = simpson(-3e3 * turn - 4.0 * rate, x=run.t)
    assert gw.momentum(mech, run.q[-1], run.v[-1])[5] == pytest.approx(pushed, rel=1e-6)
    assert np.abs(run["q.support.rz"]).max() > 5e-4
    assert np.abs(run["q.support.x"]).max() < 1e-9, "nothing pushes sideways"
    assert run.drift < 1e-8


def test_a_pushed_base_swings_at_its_frequency():
    """A block of 50 kg on 2e5 N/m, pushed aside, is back after the period of sqrt(k/m)."""
    stub = Link("stub", joint=Joint("j"), mass=1e-6, inertia=np.eye(3) * 1e-8)
    support = ElasticBase((2e5, None, None, None, None, None), mass=50.0)
    mech = gw.assemble(with_elastic_base(Robot("block", [stub], gravity=(0, 0, 0)), support))
    period = 2 * np.pi / np.sqrt(2e5 / 50.0)
    run = gw.simulate(mech, [0.01, 0.0], until=period, samples=3)
    assert run["q.support.x"] == pytest.approx([0.01, -0.01, 0.01], rel=1e-6)


def test_a_plucked_cantilever_swings_at_the_first_frequency_of_a_beam():
    """Let go in the first shape of a beam's theory, it is on the other side after half of the theory's period."""
    length, density, bending, count = 0.8, 2.5, 70.0, 10
    beam = Beam(length, density, bending=(None, bending), segments=count)
    rod = Robot("rod", [Link("boom", joint=Joint(kind="fixed"))], gravity=(0, 0, 0))
    mech = gw.assemble(with_beam(rod, "boom", beam))
    root = 1.8751040687
    x = root * np.arange(count + 1) / count
    share = (np.sinh(root) - np.sin(root)) / (np.cosh(root) + np.cos(root))
    slope = np.sinh(x) + np.sin(x) - share * (np.cosh(x) - np.cos(x))
    begin = 0.01 * np.diff(slope)  # each hinge takes the turn of its piece
    period = 2 * np.pi * length**2 / root**2 * np.sqrt(density / bending)
    run = gw.simulate(
        mech, begin, until=period, samples=5, integrator=gw.analysis.IntegratorOptions(rtol=1e-7, atol=1e-9)
    )
    tip = run.q.sum(axis=1) / begin.sum()
    assert tip == pytest.approx([1, 0, -1, 0, 1], abs=0.03)
    assert run.drift < 1e-5
