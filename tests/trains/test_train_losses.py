"""Losses of free trains: against the losses of drives, against planetary gears, with books that close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import TrainError
from gearwright.forces import Line, Load
from gearwright.forces.transmission.gear_losses import loss_laws
from gearwright.forces.transmission.train_losses import train_loss_laws
from gearwright.parts import (
    Drive,
    Gear,
    Gearwheel,
    Joint,
    Link,
    Mesh,
    Motor,
    Planetary,
    Robot,
    Train,
    TrainMotor,
    gear_losses,
    planetary_differential,
)
from gearwright.system.kernels.traced_laws import survey_laws
from gearwright.system.system import System

R, JM = 4.0, 3e-4
FORE = Link(
    "fore", "upper", Joint("j2", axis=(1, 0, 0), position=(0.4, 0, 0)), 2.0, (0, 0.1, 0.02), np.diag([0.05] * 3)
)
UPPER = Link("upper", "base", Joint("j1", axis=(0, 1, 0)), 3.0, (0.2, 0, 0), np.diag([0.01, 0.08, 0.08]))


def lossy(robot: Robot, *efficiencies: float) -> Robot:
    """The robot with efficiencies of its first train's meshes; the last one holds for the rest."""
    train = robot.trains[0]
    given = [*efficiencies, *[efficiencies[-1]] * len(train.meshes)]
    meshes = [replace(mesh, efficiency=eta) for mesh, eta in zip(train.meshes, given, strict=False)]
    return replace(robot, trains=[replace(train, meshes=meshes), *robot.trains[1:]])


def by_train(efficiency: float, swapped: bool = False) -> Robot:
    """A motor on the upper link turns the fore one through a pair of wheels."""
    pair = Mesh("fore", "pinion", ratio=1 / R) if swapped else Mesh("pinion", "fore", ratio=R)
    wheel = Gearwheel("pinion", "upper", "j2", position=(0.1, 0, 0))
    motor = TrainMotor("m", "pinion", motor=Motor(JM, mass=0.1))
    return lossy(
        Robot("arm", [UPPER, FORE], trains=[Train("pair", [replace(wheel, axis=(1, 0, 0))], [pair], [motor])]),
        efficiency,
    )


def by_drive(efficiency: float) -> Robot:
    gear = Gear(R, efficiency=efficiency, back_efficiency=efficiency)
    drive = Drive("j2", Motor(JM, mass=0.1, position=(0.1, 0, 0)), gear, "upper", axis=(1, 0, 0), name="m")
    return Robot("arm", [UPPER, FORE], [drive])


def torques(t: float) -> list[float]:
    return [35 + 20 * np.sin(4 * t), 6 * np.sin(5 * t) + 2]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_simple_pair_loses_what_the_gear_of_a_drive_does(swapped):
    """Through all quadrants and rests, on a moving carrier."""
    runs = []
    for robot in (by_train(0.8, swapped), by_drive(0.8)):
        runs.append(
            gw.simulate(
                robot,
                ([0.1, 0.4], [0.5, -1.0]),
                until=1.5,
                inputs=torques,
                samples=151,
                integrator=gw.analysis.IntegratorOptions(rtol=1e-12, atol=1e-13),
            )
        )
    one, other = runs
    np.testing.assert_allclose(one.q, other.q, atol=1e-10)
    np.testing.assert_allclose(one["energy.dissipated"], other["energy.dissipated"], atol=1e-10)
    assert len(set(other.modes["m.gear"])) >= 4
    assert one.drift < 1e-10


@pytest.mark.parametrize("name", ["wrist_bendix", "wrist_wam", "wrist_roll3", "grm3"])
def test_the_books_of_lossy_wrists_close(name):
    robot = lossy(gw.load(name), 0.93, 0.9)
    mech = gw.assemble(robot)
    rng = np.random.default_rng(5)
    size = np.abs(gw.gravity(mech, np.full(mech.n, 0.7))).max() + 0.5

    def tau(t: float) -> np.ndarray:
        return size * np.sin(np.array([5.0, 7.0, 4.0])[: mech.n] * t + np.arange(mech.n))

    start = (0.3 * np.ones(mech.n), rng.normal(size=mech.n))
    run = gw.simulate(robot, start, until=0.6, inputs=tau, samples=61)
    assert run.drift < 1e-8
    assert run["energy.dissipated"][-1] > 1e-4
    assert np.all(np.diff(run["energy.dissipated"]) > -1e-9)


def test_with_efficiency_one_nothing_is_lost():
    plain = gw.load("wrist_bendix")
    assert train_loss_laws(lossy(plain, 1.0), gw.assemble(plain)) == ()
    nearly = lossy(plain, 1 - 1e-12)
    start, tau = ([0.3, 0.2, -0.4], [1.0, -2.0, 3.0]), [0.5, 0.2, -0.3]
    one, other = (gw.simulate(robot, start, until=0.3, inputs=tau, samples=16) for robot in (plain, nearly))
    np.testing.assert_allclose(one.q, other.q, atol=1e-8)


def planetary_pair(mesh_efficiency: float) -> tuple[Robot, Robot]:
    """A planetary stage with a held ring that turns an arm, as a train and as a drive."""
    link = Link("arm", "base", Joint("j"), 3.0, inertia=np.diag([0.2] * 3))
    ring = Link("ring", "base", Joint("held", kind="fixed"))
    wheels, meshes = planetary_differential("stage", "sun", "ring", "arm", (18, 27, 72), radius=0.02)
    meshes = [replace(mesh, efficiency=mesh_efficiency) for mesh in meshes]
    train = Train("gear", [Gearwheel("sun", axis="j"), *wheels], meshes, [TrainMotor("m", "sun", motor=Motor(JM))])
    gear = Planetary(sun=18, planet=27, ring=72, planets=3, mesh_efficiency=mesh_efficiency)
    drive = Drive("j", Motor(JM), gear, name="m")
    weightless = {"gravity": (0, 0, 0)}
    return Robot("t", [link, ring], trains=[train], **weightless), Robot("d", [link, ring], [drive], **weightless)


@pytest.mark.parametrize(
    ("motor", "load", "v"), [(1.0, -2.0, 0.5), (-0.4, 8.0, 0.5), (-1.0, 2.0, -0.5), (0.4, -8.0, -0.5)]
)
def test_a_drawn_planetary_stage_is_as_efficient_as_the_gear(motor, load, v):
    """Two meshes on the same planets give the efficiencies of the formula, driving and driven."""
    train, drive = planetary_pair(0.97)
    found = []
    for robot, laws in ((train, train_loss_laws), (drive, loss_laws)):
        mech = gw.assemble(robot)
        acting = [*laws(robot, mech), Load("load", Line.for_machine(mech, "j"))]
        inputs = {"tau.j": 5.0 * motor, "load": load}
        found.append(gw.simulate(mech, ([0.0], [v]), until=0.05, laws=acting, inputs=inputs, samples=6).a[:, 0])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10)
    assert gear_losses(drive.drives[0].gear)[0].efficiency < 0.98


def test_a_differential_rests_within_its_friction():
    """Held by motors a little too weak to lift and too strong to sink, nothing moves: the meshes stick."""
    robot = lossy(gw.load("wrist_wam"), 0.9)
    mech = gw.assemble(robot)
    q = np.array([0.2, 0.9, 0.1])
    hold = gw.gravity(mech, q)
    for part, moves in ((1.0, False), (0.97, False), (1.03, False), (0.7, True), (1.4, True)):
        run = gw.simulate(robot, q, until=0.1, inputs=part * hold, samples=11)
        assert bool(np.abs(run.v).max() > 1e-9) == moves, part


def test_the_loss_is_the_lost_part_of_the_power_through_each_mesh():
    robot = lossy(gw.load("wrist_bendix"), 0.9, 0.85, 0.95)
    run = gw.simulate(robot, ([0.3, 0.2, -0.4], [1.0, -2.0, 3.0]), until=0.05, inputs=[0.6, 0.5, 0.2])
    law = next(law for law in gw.laws(robot) if "w4-w5" in law.name)
    assert law.name == "differential.w4-w5+differential.w5-link3"
    for mesh in law.meshes:
        T, lost = run[f"{mesh.name}.input_torque"], run[f"{mesh.name}.loss_torque"]
        power = T * np.array([mesh.line.speed(v) for v in run.v])
        part = np.where(power > 0, 1 - mesh.efficiency, 1 - 1 / mesh.efficiency)
        np.testing.assert_allclose(lost, part * T, atol=1e-12)


def chained(count: int) -> Robot:
    """A motor, `count` idlers on the base one behind the other, and the link."""
    names = [f"w{k}" for k in range(count)]
    wheels = [Gearwheel(name, "base", (0, 0, 1), 1e-4 * (k + 1)) for k, name in enumerate(names)]
    link = Link("arm", "base", Joint("j"), 1.0, (0.2, 0, 0), np.diag([0.05] * 3))
    meshes = [Mesh(a, b, ratio=-1.5) for a, b in zip(names, [*names[1:], "arm"], strict=True)]
    return Robot("chain", [link], trains=[Train("t", wheels, meshes, [TrainMotor("m", "w0", motor=Motor(JM))])])


def test_meshes_one_behind_the_other_multiply():
    """Without inertia of the wheels between, two meshes of 0.9 and 0.8 are one of 0.72."""
    robot = chained(2)
    light = [replace(wheel, inertia=0.0) for wheel in robot.trains[0].wheels]
    robot = lossy(replace(robot, trains=[replace(robot.trains[0], wheels=light)]), 0.9, 0.8)
    run = gw.simulate(robot, ([0.0], [2.0]), until=0.02, inputs=[5.0])
    g = 1.5**2
    M = 0.05 + 0.04
    np.testing.assert_allclose(run.a[:, 0], 0.72 * 5.0 / (M + 0.72 * g * g * JM), rtol=1e-9)


def test_an_elastic_motor_shaft_brings_its_torque_to_the_mesh():
    """The spring's torque, not the motor's, goes through the pair: a stiff shaft is like a rigid one."""
    rigid = by_train(0.8)
    train = rigid.trains[0]
    soft = replace(rigid, trains=[replace(train, motors=[replace(train.motors[0], stiffness=2e4, damping=1.0)])])
    one = gw.simulate(rigid, ([0.1, 0.4], [0.5, -1.0]), until=0.3, inputs=[35.0, 6.0], samples=31)
    start = ([0.1, 0.4, 0.4 * R], [0.5, -1.0, -R])
    other = gw.simulate(soft, start, until=0.3, inputs=[35.0, 0.0, 6.0 / R], samples=31)
    np.testing.assert_allclose(other.q[:, :2], one.q, atol=2e-4)
    assert other.drift < 1e-7
    assert other["energy.dissipated"][-1] > 0.1


def test_free_wheels_have_losses_too():
    """A differential with one free side: what the free wheel takes is lost in part."""
    link = Link("arm", "base", Joint("j"), 1.0, inertia=np.diag([0.05] * 3))
    wheels = [Gearwheel("w", "base", (0, 0, 1), 1e-3), Gearwheel("loose", "base", (0, 0, 1), 2e-3)]
    meshes = [Mesh("w", "loose", ratio=-2.0, efficiency=0.9)]
    train = Train("t", wheels, meshes, [TrainMotor("m", "w", motor=Motor(JM))], free=["loose"])
    robot = Robot("free", [link], trains=[train])
    run = gw.simulate(robot, ([0.0, 0.0], [0.0, 1.0]), until=0.1, inputs=[0.0, 0.2])
    JW = 1e-3 + JM
    np.testing.assert_allclose(run.a[:, 1], 0.9 * 0.2 / (2e-3 + 0.9 * 4 * JW), rtol=1e-9)
    assert run.drift < 1e-10


def test_loads_that_are_not_determined_and_long_chains_are_refused():
    double = chained(1)
    train = double.trains[0]
    extra = [Gearwheel("i", "base", (0, 0, 1), 1e-4)]
    meshes = [*train.meshes, Mesh("w0", "i", ratio=-1.0), Mesh("i", "arm", ratio=1.5)]
    loop = replace(double, trains=[replace(train, wheels=[*train.wheels, *extra], meshes=meshes)])
    gw.assemble(loop)
    with pytest.raises(TrainError, match=r"mesh 'w0'-'arm'.*load"):
        gw.laws(lossy(loop, 0.9))
    with pytest.raises(TrainError, match=r"product.*efficiencies"):
        gw.laws(lossy(chained(4), 0.9))
    for bad in (0.0, 1.2, float("nan")):
        with pytest.raises(TrainError, match="mesh 'a'-'b': efficiency="):
            Mesh("a", "b", ratio=2.0, efficiency=bad)


def test_an_efficiency_goes_through_files(tmp_path):
    robot = lossy(gw.load("wrist_bendix"), 0.93, 0.9)
    path = tmp_path / "wrist.yaml"
    gw.save(robot, path)
    assert [mesh.efficiency for mesh in gw.load(path).trains[0].meshes] == [0.93, 0.9, 0.9, 0.9, 0.9]


def test_losses_of_trains_run_in_machine_code():
    robot = lossy(gw.load("wrist_bendix"), 0.9)
    mech = gw.assemble(robot)
    assert survey_laws(System(mech, train_loss_laws(robot, mech))).obstacles == ()


def test_the_error_falls_with_the_tolerance():
    def end(rtol):
        run = gw.simulate(
            by_train(0.8),
            ([0.1, 0.4], [0.5, -1.0]),
            1.0,
            inputs=torques,
            samples=41,
            integrator=gw.analysis.IntegratorOptions(rtol=rtol, atol=1e-2 * rtol),
        )
        return run.q[-1]

    exact = end(1e-13)
    coarse, fine = (np.abs(end(rtol) - exact).max() for rtol in (1e-6, 1e-10))
    assert fine < 1e-2 * coarse
    assert fine < 1e-8
