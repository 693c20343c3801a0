"""The screening of candidates equals the analysis: on rigid robots both evaluate the same drive equation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from design.arms import small
from gearwright.analysis import Task, analyse
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.drive_series import DriveSeries
from gearwright.analysis.drives.limit_kinds import (
    CONTINUOUS_TORQUE,
    GEARBOX_LIFE,
    GEARBOX_MEAN_TORQUE,
    MOTOR_SPEED,
    LimitKey,
)
from gearwright.catalogue import Catalogue
from gearwright.design import with_chosen_drives
from gearwright.design.candidates.candidates import catalogue_candidates, present_drive_candidate
from gearwright.design.candidates.drive_influence import drive_space
from gearwright.design.candidates.fitted_drive import present_motor_sheet
from gearwright.design.candidates.screening import screened_series
from gearwright.design.search.drive_sets import DriveSets
from gearwright.design.sizing.verification import limit_share
from gearwright.motion import polynomial, s_curve
from gearwright.parts import Drive, Friction, Gear, Joint, Link, LoadFriction, Losses, Motor, Planetary, Robot, Worm

SAMPLES = 151
CHARACTERISTICS = (
    "peak_speed",
    "peak_torque",
    "rms_torque",
    "peak_motor_torque",
    "rms_motor_torque",
    "peak_motor_speed",
    "mean_motor_speed",
    "peak_output_torque",
    "mean_output_torque",
    "peak_current",
    "rms_current",
    "peak_voltage",
    "energy",
)


def random_friction(rng: np.random.Generator, level: float) -> float | Friction:
    laws = (
        0.0,
        level,
        Friction(level, viscous=0.1 * level),
        Friction(level, 0.05 * level, static=1.5 * level, stribeck_speed=0.3),
    )
    return laws[rng.integers(len(laws))]


def with_load_friction(drive: Drive) -> Drive:
    """The drive with losses by load-dependent friction instead of tooth losses."""
    friction = Friction(0.01, 1e-4, load=LoadFriction(motor=0.1, joint=0.05))
    return replace(drive, motor=replace(drive.motor, friction=friction, damping=0.0), gear=Gear(drive.gear.ratio))


def random_gear(rng: np.random.Generator):
    """A gear with one of the ways to state losses."""
    ratio = float(rng.choice([-1.0, 1.0]) * rng.uniform(10, 120))
    table = (Losses(0.0, 0.9, no_load_torque=2e-3), Losses(60.0, 0.7), Losses(200.0, 0.8, 0.77, 1e-3))
    gears = (
        Gear(ratio),
        Gear(ratio, efficiency=rng.uniform(0.6, 0.95)),
        Gear(ratio, efficiency=rng.uniform(0.3, 0.45)),  # self-locking
        Gear(ratio, efficiency=0.8, back_efficiency=0.8, no_load_torque=3e-3, inertia=2e-6),
        Gear(ratio, losses=table),
        Planetary(sun=18, planet=27, ring=72, mesh_efficiency=0.98),
        Worm(wheel=40, lead_angle=0.2, friction_coefficient=0.05),
    )
    return gears[rng.integers(len(gears))]


def random_motor(rng: np.random.Generator) -> Motor:
    return Motor(
        rng.uniform(1e-6, 1e-4),
        motor_mass=rng.uniform(0.1, 0.6),
        friction=random_friction(rng, 0.01),
        damping=float(rng.choice([0.0, 1e-5])),
        torque_constant=rng.uniform(0.02, 0.2),
        resistance=rng.uniform(0.2, 3.0),
        position=tuple(rng.normal(size=3) * 0.05),
    )


def random_robot(rng: np.random.Generator) -> Robot:
    """A rigid robot with one to three driven joints."""
    links, drives, parent = [], [], "base"
    for k in range(int(rng.integers(1, 4))):
        axis = rng.normal(size=3)
        size = rng.uniform(0.1, 0.4)
        joint = Joint(
            f"j{k}",
            axis=tuple(axis / np.linalg.norm(axis)),
            position=tuple(rng.normal(size=3) * 0.2),
            friction=random_friction(rng, 0.1),
        )
        links.append(
            Link(f"l{k}", parent, joint, rng.uniform(0.2, 2.0), (size, 0, 0.05), np.diag([1, 2, 2.5]) * size**2)
        )
        gear = random_gear(rng)
        mount = f"l{k}" if isinstance(gear, Gear) and rng.random() < 0.4 else parent
        drives.append(Drive(f"j{k}", random_motor(rng), gear, mounted_on=mount, axis=joint.axis))
        parent = f"l{k}"
    return Robot("random", links, drives)


def random_task(rng: np.random.Generator, count: int) -> Task:
    """There and back on different ways, with joints that rest on one of them, reversals and a pause."""
    start, end = rng.normal(size=(2, count))
    end[1:] = np.where(rng.random(count - 1) < 0.2, start[1:], end[1:])
    middle = rng.normal(size=count)
    motions = [
        polynomial(start, end, duration=rng.uniform(0.5, 1.0)),
        s_curve(end, middle, speed=4.0, acceleration=20.0, jerk=300.0),
        polynomial(middle, start, duration=0.8),
    ]
    return Task(motions, pause=float(rng.choice([0.0, 0.2])))


def require_equal(series: DriveSeries, drive: DriveAnalysis) -> None:
    """Every characteristic of screened series, of one choice, equals that of the analysis."""
    for name in CHARACTERISTICS:
        screened, analysed = float(np.ravel(getattr(series, name))[0]), getattr(drive, name)
        assert screened == pytest.approx(analysed, rel=1e-9, abs=1e-12), (drive.name, name)


def series_of_joint(sets: DriveSets, joint: int, places: np.ndarray) -> DriveSeries:
    """The screened series of one joint of one set."""
    share = sets.space.drives[joint].share
    chosen = [pairs[places[k : k + 1]] for k, pairs in enumerate(sets.options)]
    force = sets.space.bare @ share + sum(pairs.added_force(share) for pairs in chosen)
    return screened_series(chosen[joint], sets.space.motion, force)


@pytest.mark.parametrize("seed", range(12))
def test_kept_drives_are_screened_as_they_are_analysed(seed):
    """Gears with tables of losses, self-locking ones, wheels of their own, Stribeck friction, motors anywhere."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng)
    if seed % 4 == 3:
        robot = replace(robot, drives=[with_load_friction(drive) for drive in robot.drives])
    task, joints, table = random_task(rng, len(robot.links)), [drive.joint for drive in robot.drives], Catalogue({}, {})
    space = drive_space(robot, task, joints, SAMPLES, joints)
    sheets = [present_motor_sheet(basis.drive, table) for basis in space.drives]
    options = tuple(
        present_drive_candidate(basis, sheet, table) for basis, sheet in zip(space.drives, sheets, strict=True)
    )
    found = analyse(robot, task, catalogue=table, samples=SAMPLES)
    assert np.array_equal(space.t, found.t)
    for k, joint in enumerate(joints):
        require_equal(
            series_of_joint(DriveSets(space, options), k, np.zeros(len(joints), dtype=int)), found.drives[joint]
        )


@pytest.mark.parametrize("seed", range(4))
def test_chosen_drives_are_screened_as_they_are_analysed(seed):
    """Every utilisation that the search compares is that of the analysis of the chosen drives."""
    rng = np.random.default_rng(100 + seed)
    robot, sheets = random_robot(rng), small(8, 8)
    boxes = {
        key: replace(box, life=1000.0, life_speed=100.0, life_exponent=10 / 3) for key, box in sheets.gearboxes.items()
    }
    table, joints = replace(sheets, gearboxes=boxes), [drive.joint for drive in robot.drives]
    robot = replace(robot, drives=[replace(drive, gear=Gear(50.0)) for drive in robot.drives])
    task = replace(random_task(rng, len(joints)), required={"life": 1e4})
    space = drive_space(robot, task, joints, SAMPLES)
    sets = DriveSets(space, tuple(catalogue_candidates(basis, table, life=1e4) for basis in space.drives))
    places = np.array([rng.integers(len(pairs)) for pairs in sets.options])
    choices = {joint: sets.options[k].choices[places[k]] for k, joint in enumerate(joints)}
    found = analyse(with_chosen_drives(robot, choices), task, catalogue=table, samples=SAMPLES)
    shares = sets.limit_shares(places)
    assert {key.kind for key in shares} >= {MOTOR_SPEED, CONTINUOUS_TORQUE, GEARBOX_MEAN_TORQUE, GEARBOX_LIFE}
    for k, joint in enumerate(joints):
        require_equal(series_of_joint(sets, k, places), found.drives[joint])
    for check in found.limits:
        key = LimitKey(check.owner, check.kind)
        if key in shares and check.kind.group != "output-shaft load":  # these do not depend on the drives
            assert shares[key] == pytest.approx(limit_share(check), rel=1e-9), str(key)


def test_a_motor_on_the_link_that_it_moves_turns_with_it():
    """Its rotor turns with the ratio and one: the gear transmits what accelerates the link and the carried rotor.

    In closed form: I a = O + c J (n + c) a with c = 1 for a motor that sits on the driven link, along the joint's axis.
    """
    link = Link("arm", "base", Joint("j", axis=(0, 0, 1)), 0.0, (0, 0, 0), np.diag([0.5, 0.5, 0.5]))
    motor = Motor(2e-3, torque_constant=0.1, resistance=1.0)
    robot = Robot("turntable", [link], [Drive("j", motor, Gear(5.0, efficiency=0.8), mounted_on="arm", axis=(0, 0, 1))])
    task = Task(polynomial([0.0], [1.0], duration=1.0))
    found = analyse(robot, task, samples=SAMPLES)
    drive, a = found.drives["j"], found.demands.motion.a[:, 0]
    assert drive.own_torque == pytest.approx(5.0 * 2e-3 * 6.0 * a, rel=1e-9, abs=1e-12)
    assert drive.output_torque == pytest.approx((0.5 + 2e-3 * 6.0) * a, rel=1e-9, abs=1e-12)
    space = drive_space(robot, task, ["j"], SAMPLES, ["j"])
    table = Catalogue({}, {})
    options = (present_drive_candidate(space.drives[0], present_motor_sheet(space.drives[0].drive, table), table),)
    require_equal(series_of_joint(DriveSets(space, options), 0, np.zeros(1, dtype=int)), drive)
