"""Motors of trains from a catalogue: against simple drives, the analysis, and every set looked at."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import gearwright as gw
from design.arms import SAMPLES, arm, small, swing
from gearwright.analysis import Task, analyse
from gearwright.design import Choice, SearchOptions, size_drives, with_chosen_drives
from gearwright.errors import InputError
from gearwright.motion import s_curve
from gearwright.parts import Drive, Gear, Gearwheel, Mesh, Motor, Robot, Train, TrainMotor

SEARCH = SearchOptions(samples=SAMPLES)
RATIO = 60.0


def with_trains(teeth: tuple[int, int] = (20, 1200), efficiency: float = 1.0) -> Robot:
    """The arm with a pinion on each motor instead of its gears; a mesh turns the other way."""
    motors, wheels, meshes = [], [], []
    for drive, driven, carrier in zip(arm().drives, ("upper", "fore"), ("base", "upper"), strict=True):
        wheels.append(Gearwheel(f"{driven} pinion", carrier, (0, 1, 0), position=drive.motor.position or (0, 0, 0)))
        meshes.append(Mesh(f"{driven} pinion", driven, teeth=teeth, efficiency=efficiency))
        motors.append(TrainMotor(f"{driven} motor", f"{driven} pinion", motor=Motor(1e-6)))
    return replace(arm(), drives=[], trains=[Train("gears", wheels, meshes, motors)])


def with_gears() -> Robot:
    drives = [
        Drive(drive.joint, Motor(1e-6, position=drive.motor.position), Gear(-RATIO), drive.mounted_on, axis=(0, 1, 0))
        for drive in arm().drives
    ]
    return replace(arm(), drives=drives)


def only_motors(count: int) -> gw.catalogue.Catalogue:
    return small(count, 1)


def wrist_task() -> Task:
    limits = {"speed": 4.0, "acceleration": 20.0, "jerk": 400.0}
    return Task([s_curve([0, 0, 0], [0.8, 0.5, -0.6], **limits), s_curve([0.8, 0.5, -0.6], [0, 0, 0], **limits)])


def test_a_train_that_equals_a_simple_drive_is_sized_identically():
    """A fixed gear of ratio -60 and a pair of 20 and 1200 teeth are the same machine."""
    table = only_motors(60)
    variables = {f"{joint}.gear.ratio": [-RATIO] for joint in ("shoulder", "elbow")}
    trained = size_drives(with_trains(), swing(), table, search=SEARCH)
    kept = {drive.joint: drive for drive in with_gears().drives}
    plain = size_drives(with_gears(), swing(), table, search=SEARCH, variables=variables)
    assert [x.motor.key for x in trained.choices.values()] == [x.motor.key for x in plain.choices.values()]
    assert list(trained.choices) == ["upper motor", "fore motor"]
    assert trained.analysis.is_feasible
    for (motor, drive), joint in zip(trained.analysis.drives.items(), kept, strict=True):
        same = plain.analysis.drives[joint]
        assert drive.rms_motor_torque == pytest.approx(same.rms_motor_torque, rel=1e-9)
        assert drive.energy == pytest.approx(same.energy, rel=1e-9)
        kp = trained.gains[motor].kp * RATIO**2
        assert kp == pytest.approx(plain.gains[joint].kp, rel=1e-6) or trained.gains[motor].frequency == 100.0


@pytest.mark.parametrize("robot", [gw.load("grm3"), gw.load("wrist_bendix")], ids=["grm3", "wrist"])
def test_the_screening_of_coupled_motors_is_what_the_analysis_finds(robot):
    """Torques of any motors in the screening, through the structure matrix, against the assembled machine."""
    from gearwright.design.candidates.candidates import catalogue_candidates
    from gearwright.design.candidates.drive_influence import drive_space
    from gearwright.design.search.drive_sets import DriveSets

    table, names = only_motors(12), ("m1", "m2", "m3")
    space = drive_space(robot, wrist_task(), names, 401)
    sets = DriveSets(space, tuple(catalogue_candidates(basis, table) for basis in space.drives))
    places = {0: np.array([3]), 1: np.array([8]), 2: np.array([5])}
    choices = {name: sets.options[k].choices[int(places[k][0])] for k, name in enumerate(names)}
    found = analyse(with_chosen_drives(robot, choices), wrist_task(), catalogue=table, samples=401)
    for k, name in enumerate(names):
        screened = sets.screen_joint(k, places, places[k])
        checks = {check.kind: check for check in found.limits if check.owner == name}
        shared = [kind for kind in screened.limit_shares if kind in checks]
        assert len(shared) >= 2
        for kind in shared:
            use = checks[kind].value / checks[kind].limit
            assert screened.limit_shares[kind][0] == pytest.approx(use, rel=3e-3), (name, kind.name)
        assert screened.energy[0] == pytest.approx(found.drives[name].energy, rel=3e-3, abs=1e-3)


@pytest.mark.parametrize("efficiency", [1.0, 0.95])
def test_the_winner_is_what_looking_at_every_set_finds(efficiency):
    robot = gw.load("wrist_bendix")
    train = robot.trains[0]
    lossy = [replace(mesh, efficiency=efficiency if mesh.first == "pinion" else 1.0) for mesh in train.meshes]
    robot = replace(robot, trains=[replace(train, meshes=lossy)])
    by_torque = sorted(only_motors(60).motors.values(), key=lambda motor: motor.continuous_torque or 0.0)
    table = replace(small(1, 1), motors={motor.key: motor for motor in by_torque[4:60:12]})
    sized = size_drives(robot, wrist_task(), table, search=SEARCH)
    assert sized.analysis.is_feasible
    masses = {}
    for motors in product(table.motors.values(), repeat=3):
        choices = {name: Choice(motor, None) for name, motor in zip(("m1", "m2", "m3"), motors, strict=True)}
        found = analyse(with_chosen_drives(robot, choices), wrist_task(), catalogue=table, samples=SAMPLES)
        if found.is_feasible:
            masses[tuple(motor.key for motor in motors)] = sum(motor.mass for motor in motors)
    assert 0 < len(masses) < 125
    assert sized.mass == pytest.approx(min(masses.values()), rel=1e-12)


def test_numbers_of_teeth_vary():
    """Of three pairs the middle one alone is fast and strong enough for the smallest motors."""
    table = only_motors(60)
    pairs = [(20, 300), (20, 1200), (20, 6000)]
    name = "gears.meshes.0.teeth"
    search = SearchOptions(samples=31, trials=12)
    sized = size_drives(with_trains(), swing(), table, variables={name: pairs}, search=search)
    masses = {}
    for pair in pairs:
        robot = with_trains()
        meshes = [replace(robot.trains[0].meshes[0], teeth=pair), robot.trains[0].meshes[1]]
        robot = replace(robot, trains=[replace(robot.trains[0], meshes=meshes)])
        try:
            masses[pair] = size_drives(robot, swing(), table, search=SearchOptions(samples=31)).mass
        except InputError:
            masses[pair] = np.inf
    assert sized.values[name] == min(masses, key=masses.get)
    assert sized.mass == pytest.approx(min(masses.values()))
    assert sized.summary()["values"][name] == ":".join(str(z) for z in min(masses, key=masses.get))
    with pytest.raises(InputError, match=r"gears\.meshes\.0\.teeth"):
        size_drives(with_trains(), swing(), table, variables={name: [(20, 30, 40)]})


def test_the_gradient_of_a_ratio_of_a_train_is_that_of_finite_differences():
    """The structure matrix changes with the ratio of a mesh: its derivative is part of the gradient."""
    from gearwright.algebra.differentiation.dual_numbers import dual_parameters
    from gearwright.design.robot_preparation.sized_drives import drive_coordinates
    from gearwright.mechanism import assemble_tree
    from gearwright.parts import with_parameters

    robot, path, names = gw.load("grm3"), "gears.meshes.1.ratio", ["m1", "m2", "m3"]

    def coordinates(value):
        changed = with_parameters(robot, {path: value})
        return drive_coordinates(changed, assemble_tree(changed), names)

    exact = coordinates(dual_parameters({path: 2.0})[path])
    high, low = coordinates(2.0 + 1e-6), coordinates(2.0 - 1e-6)
    for found, above, below in zip(exact, high, low, strict=True):
        assert found.share_partials[path] == pytest.approx((above.share - below.share) / 2e-6, abs=1e-8)
        assert found.row_partials[path] == pytest.approx((above.row - below.row) / 2e-6, abs=1e-8)
