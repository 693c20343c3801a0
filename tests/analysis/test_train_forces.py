"""Forces in the meshes of trains: against drives, by hand, and by the balance of wheels and power."""

from __future__ import annotations

from dataclasses import replace
from math import atan, cos, radians, sin, tan

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Task, analyse
from gearwright.files import read_yaml
from gearwright.files.yaml.writer import write_yaml
from gearwright.motion import polynomial
from gearwright.parts import (
    Bevel,
    Drive,
    Gearwheel,
    Joint,
    Link,
    Mesh,
    Motor,
    Planetary,
    Robot,
    Spur,
    Train,
    TrainMotor,
    bevel_differential,
    planetary_differential,
)

SWING = polynomial([0.0], [1.0], duration=0.5)
ARM = Link("arm", "base", Joint("arm", axis=(0, 0, 1)), 1.0, (0, 0, 0), np.diag([0.4] * 3))
ROTOR = 2e-4
LOAD = 0.4 * 1.0


def forces(robot, task=None, samples=41) -> dict:
    found = analyse(robot, task or Task([SWING]), samples=samples)
    return found, {one.name: one for one in next(iter(found.trains.values()))}


@pytest.mark.parametrize("efficiency", [1.0, 0.9])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_pair_in_a_train_is_the_pair_of_a_drive(efficiency, swapped):
    """Whichever gear is called the first, accelerating and braking, with and without losses."""
    words = {"module": 0.001, "helix_angle": 0.2, "efficiency": efficiency}
    pair = Mesh("arm", "pinion", teeth=(60, 20), **words) if swapped else Mesh("pinion", "arm", teeth=(20, 60), **words)
    motor = TrainMotor("m", "pinion", motor=Motor(ROTOR))
    train = Robot("a", [ARM], trains=[Train("t", [Gearwheel("pinion", inertia=1e-4)], [pair], [motor])])
    _, found = forces(train)
    gear = Spur(driver=20, driven=60, module=0.001, helix_angle=0.2, mesh_efficiency=efficiency)
    drive = analyse(Robot("a", [ARM], [Drive("arm", Motor(ROTOR + 1e-4), gear)]), Task([SWING]), samples=41)
    told = {one.name: one for one in drive.drives["arm"].tooth_loads}["driver-driven"]
    mesh = found["arm-pinion" if swapped else "pinion-arm"]
    np.testing.assert_allclose(mesh.tangential, told.tangential, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(mesh.size, told.size, rtol=1e-9, atol=1e-9)
    own, told = (
        found["pinion bearing (at most)"],
        {one.name: one for one in drive.drives["arm"].tooth_loads}["driver bearing"],
    )
    np.testing.assert_allclose(own.size, mesh.size)
    np.testing.assert_allclose(own.axial, mesh.tangential * tan(0.2), rtol=1e-9, atol=1e-9)
    _same_load(own, told)


def _same_load(own, told) -> None:
    """One bearing as a train and as a drive tell it: across the axis, along it, and tilting."""
    np.testing.assert_allclose(np.hypot(own.tangential, own.radial), np.hypot(told.tangential, told.radial), atol=1e-8)
    np.testing.assert_allclose(own.axial, told.axial, atol=1e-8)
    np.testing.assert_allclose(own.moment, told.moment, atol=1e-10)


@pytest.mark.parametrize("helix", [0.0, 0.3])
@pytest.mark.parametrize("shaft_angle", [60, 90])
def test_bearings_of_bevel_wheels_carry_their_thrust(helix, shaft_angle):
    """As in the same pair as a drive; straight teeth push by F_t tan(20 deg) sin(cone) along the axis (Shigley)."""
    words = {"module": 0.002, "face_width": 0.01, "helix_angle": helix}
    across = (sin(radians(shaft_angle)), 0.0, cos(radians(shaft_angle)))
    pair = Mesh("pinion", "arm", teeth=(20, 30), kind="bevel", **words)
    motor = TrainMotor("m", "pinion", motor=Motor(ROTOR))
    wheels = [Gearwheel("pinion", axis=across, inertia=1e-4)]
    found, told = forces(Robot("a", [ARM], trains=[Train("t", wheels, [pair], [motor])]))
    gear = Bevel(driver=20, driven=30, shaft_angle=radians(shaft_angle), **words)
    loads = 0.4 * np.abs(found.demands.motion.a[:, 0])
    drive = {one.name: one for one in gear.tooth_forces(loads)}
    _same_load(told["pinion bearing (at most)"], drive["driver bearing"])
    if not helix:
        cone = atan(sin(radians(shaft_angle)) / (30 / 20 + cos(radians(shaft_angle))))
        thrust = told["pinion-arm"].tangential * tan(radians(20)) * sin(cone)
        np.testing.assert_allclose(told["pinion bearing (at most)"].axial, thrust, atol=1e-8)
    assert told["pinion bearing (at most)"].axial.max() > 20


def test_thrust_of_equal_planets_adds_up_on_their_sun():
    """Helical planets push their sun the same way along its axis, N times one mesh; across it they balance."""
    wheels = [Gearwheel("sun", axis="arm", inertia=1e-5)]
    planets, meshes = planetary_differential("p", "sun", "base", "arm", (18, 27, 72))
    planets = [replace(planet, count=3, radius=0.02) for planet in planets]
    meshes = [replace(mesh, module=0.001, helix_angle=0.25) for mesh in meshes]
    train = Train("t", [*wheels, *planets], meshes, [TrainMotor("m", "sun", motor=Motor(ROTOR))])
    _, told = forces(Robot("a", [ARM], trains=[train]))
    mesh, sun = told["sun-p.planets"], told["sun bearing (at most)"]
    np.testing.assert_allclose(sun.axial, 3 * mesh.tangential * tan(0.25), rtol=1e-9)
    np.testing.assert_allclose(told["p.planets bearing (at most)"].axial, 2 * mesh.tangential * tan(0.25), rtol=1e-9)


def test_a_planetary_train_is_the_planetary_gear():
    """Ring held to the base, carrier the arm: every planet's meshes carry what those of the stage do."""
    wheels = [Gearwheel("sun", inertia=1e-5)]
    planets, meshes = planetary_differential("p", "sun", "base", "arm", (18, 27, 72))
    meshes = [replace(mesh, module=0.001) for mesh in meshes]
    train = Train("t", [*wheels, *planets], meshes, [TrainMotor("m", "sun", motor=Motor(ROTOR))])
    wheels[0] = replace(wheels[0], axis="arm")
    train = replace(train, wheels=[*wheels, *planets])
    _, found = forces(Robot("a", [ARM], trains=[train]))
    gear = Planetary(sun=18, planet=27, ring=72, modules=0.001)
    drive = analyse(Robot("a", [ARM], [Drive("arm", Motor(ROTOR + 1e-5), gear)]), Task([SWING]), samples=41)
    told = {one.name: one for one in drive.drives["arm"].tooth_loads}
    np.testing.assert_allclose(found["sun-p.planets"].size, told["sun-planet"].size, rtol=1e-9)
    np.testing.assert_allclose(found["base-p.planets"].size, told["planet-ring"].size, rtol=1e-9)
    assert (found["p.planets bearing (at most)"].size >= told["planet pin"].size * (1 - 1e-12)).all()


def differential(**words) -> Robot:
    wrist = Link("wrist", "base", Joint("pitch", axis=(0, 1, 0)), 2.0, (0, 0, 0), np.diag([0.01] * 3))
    hand = Link("hand", "wrist", Joint("roll", axis=(0, 0, 1)), 1.0, (0, 0, 0), np.diag([0.004, 0.004, 0.002]))
    motors = [TrainMotor(f"{side}_motor", f"d.{side}", motor=Motor(1e-5)) for side in ("left", "right")]
    train = bevel_differential("d", "wrist", "hand", (20, 30), motors=motors, arm_joint="pitch")
    meshes = [replace(mesh, **words) for mesh in train.meshes]
    return Robot("diff", [wrist, hand], trains=[replace(train, meshes=meshes)], gravity=(0, 0, 0))


def test_a_bevel_differential_by_hand():
    """Pitching, both sides push the same way; rolling, against each other. Cones of 33.7 and 56.3 degrees."""
    robot = differential(module=0.002, face_width=0.012)
    cone = atan(20 / 30)
    radius = (0.002 * 20 - 0.012 * sin(cone)) / 2
    for goal, inertia, ratio in (([0.8, 0.0], 0.014, 1.0), ([0.0, 0.8], 0.002, 1.5)):
        motion = polynomial([0.0, 0.0], goal, duration=0.5)
        found, told = forces(robot, Task([motion]))
        acceleration = found.demands.motion.a @ np.sign(goal)
        sides = inertia * np.abs(acceleration) / 2 / ratio  # torque of the teeth on each side gear
        for side in ("left", "right"):
            mesh = told[f"d.{side}-hand"]
            np.testing.assert_allclose(mesh.tangential, sides / radius, rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(mesh.radial, mesh.tangential * tan(radians(20)) * cos(cone), atol=1e-9)
            np.testing.assert_allclose(mesh.axial, mesh.tangential * tan(radians(20)) * sin(cone), atol=1e-9)


def random_train(rng: np.random.Generator, loses: bool) -> Robot:
    """A row of wheels on an arm that moves, which turns the fore link."""
    fore = Link(
        "fore", "arm", Joint("fore", axis=(0, 0, 1), position=(0.4, 0, 0)), 2.0, (0.2, 0, 0), np.diag([0.05] * 3)
    )
    count = int(rng.integers(1, 4))
    names = [f"w{k}" for k in range(count)]
    wheels = [Gearwheel(name, "arm", (0, 0, 1), inertia=float(rng.uniform(1e-5, 1e-3))) for name in names]
    meshes = [
        Mesh(a, b, teeth=(int(rng.integers(15, 40)), int(rng.integers(15, 60))), module=0.001,
             efficiency=float(rng.uniform(0.9, 0.99)) if loses else 1.0)
        for a, b in zip(names, [*names[1:], "fore"], strict=True)
    ]  # fmt: skip
    turner = Drive("arm", Motor(1e-4), Spur(driver=20, driven=60))
    train = Train("t", wheels, meshes, [TrainMotor("m", "w0", motor=Motor(ROTOR))])
    return Robot("row", [ARM, fore], [turner], trains=[train])


@pytest.mark.parametrize("loses", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_wheels_of_a_row_are_in_balance(seed, loses):
    """Motor, wheels and fore link in turn on a moving arm: T1 + T2 = F (r1 + r2) at every mesh, losses or not."""
    robot = random_train(np.random.default_rng(seed), loses)
    motion = polynomial([0.2, -0.3], [1.1, 0.9], duration=0.6)
    found, told = forces(robot, Task([motion]), samples=21)
    mech, path = gw.assemble(robot), found.demands.motion
    spins = {spin.name: spin for spin in mech.spins}
    train, torque = robot.trains[0], found.demands["m.torque"]
    for mesh in train.meshes:
        own = [spins[name] for name in (mesh.first, *(["m.rotor"] if mesh.first == "w0" else [])) if name in spins]
        rate = path.v @ np.asarray(own[0].ratio, dtype=float)
        turning = path.a @ np.asarray(own[0].ratio, dtype=float) + path.a[:, 0]  # the arm turns about the same axis
        entering = torque - sum(spin.inertia for spin in own) * turning
        power = np.sign(entering * rate)
        kappa = np.where(power > 0, mesh.efficiency, np.where(power < 0, 1 / mesh.efficiency, 1.0))
        torque = -entering * kappa * mesh.teeth[1] / mesh.teeth[0]  # external: the sense turns round
        sums = told[f"{mesh.first}-{mesh.second}"].tangential * 0.001 * sum(mesh.teeth) / 2
        rolls = rate != 0
        np.testing.assert_allclose(sums[rolls], np.abs(entering)[rolls] + np.abs(torque)[rolls], rtol=1e-9, atol=1e-9)
    outer = gw.inverse_dynamics(replace(robot, drives=(), trains=()), path.q, path.v, path.a)[:, 1]
    np.testing.assert_allclose(torque[path.v[:, 1] != 0], outer[path.v[:, 1] != 0], rtol=1e-6, atol=1e-6)


def test_belts_of_trains_and_elastic_motors():
    """The spans differ by T / r; what an elastic shaft brings is what its wheel hands on."""
    belt = Mesh("pulley", "arm", radii=(0.01, 0.03), kind="belt", pretension=200.0)
    motor = TrainMotor("m", "pulley", motor=Motor(ROTOR), stiffness=50.0, damping=0.01)
    robot = Robot("a", [ARM], trains=[Train("t", [Gearwheel("pulley", inertia=1e-9)], [belt], [motor])])
    found, told = forces(robot)
    pull = 0.4 * np.abs(found.demands.motion.a[:, 0]) / 0.03
    tight, slack = (told[f"pulley-arm {word} span"].size for word in ("tight", "slack"))
    np.testing.assert_allclose(tight - slack, pull, atol=1e-5)
    np.testing.assert_allclose(tight + slack, np.maximum(400.0, pull))
    assert tight.max() > 200


def test_what_a_train_lacks_is_told_and_words_round_trip():
    plain = differential()
    found = analyse(plain, Task([polynomial([0.0, 0.0], [0.5, 0.5], duration=0.5)]), samples=11)
    assert any(
        all(fact in one for fact in ("d.left-hand", "d.right-hand", "module", "face_width")) for one in found.remarks
    )
    assert found.trains == {"d": ()}
    assert found.tooth_loads == {}
    full = differential(module=0.002, face_width=0.01, pressure_angle=0.3, helix_angle=0.1)
    again = read_yaml(write_yaml(full))
    assert again.trains[0].meshes == full.trains[0].meshes
    known = analyse(full, Task([polynomial([0.0, 0.0], [0.5, 0.5], duration=0.5)]), samples=11)
    assert known.summary()["tooth_forces"]["train d"]["d.left-hand"] > 0
