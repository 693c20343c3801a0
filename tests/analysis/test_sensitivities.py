"""What one per cent of a parameter does: by hand for one axis, and against differences of the whole analysis."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Task, analyse, sensitivities
from gearwright.analysis.links.structural_deflection import StructuralAnalysis, analyse_structure
from gearwright.analysis.sensitivity.sensitivities import default_parameters, drive_characteristics
from gearwright.errors import InputError
from gearwright.motion import s_curve
from gearwright.parts import (
    Drive,
    Gear,
    Heat,
    Hysteresis,
    Joint,
    Link,
    LinkSection,
    Motor,
    Payload,
    Planetary,
    Robot,
    StiffnessPiece,
    Torsion,
    Tube,
)
from gearwright.parts.parameter_paths import parameter, with_parameters

HEAT = Heat(1.0, 3.0, 10.0, 30.0, copper=0.0)
"""Without copper's coefficient nothing depends on how warm the first cycle gets."""


def arm() -> Robot:
    """Two joints, losses, friction in the motors, inductance."""
    motor = Motor(2e-5, torque_constant=0.05, resistance=1.2, inductance=2e-4, heat=HEAT, friction=0.01)
    links = [
        Link("upper", "base", Joint("shoulder", axis=(0, 1, 0)), 3.0, (0.2, 0, 0), np.diag([0.01, 0.05, 0.05])),
        Link(
            "fore", "upper", Joint("elbow", axis=(0, 1, 0), position=(0.4, 0, 0)), 2.0, (0.15, 0, 0), np.eye(3) * 0.02
        ),
    ]
    gears = Gear(100.0, efficiency=0.8), Gear(60.0, efficiency=0.7, inertia=3e-6)
    drives = [Drive("shoulder", motor, gears[0]), Drive("elbow", motor, gears[1], mounted_on="upper")]
    return Robot("arm", links, drives)


LIMITS = {"speed": 2.0, "acceleration": 8.0, "jerk": 100.0}
TASK = Task(
    [s_curve([0, 0], [0.8, -0.9], **LIMITS), s_curve([0.8, -0.9], [0, 0], **LIMITS)], payload=Payload(1.0, (0.3, 0, 0))
)


SECTIONS = {
    "upper": LinkSection((0.4, 0, 0), Tube(0.03, 0.027)),
    "fore": LinkSection((0.3, 0, 0), Tube(0.02, 0.018)),
}


def told(analysis, name):
    """A characteristic by its name."""
    owner, word = name.split(".", 1)
    if owner == "tip":
        return analysis.tip.peak_deflection
    return getattr(analysis.drives[owner] if owner in analysis.drives else analysis.links[owner], word)


@pytest.fixture(scope="module")
def found():
    return analyse(arm(), TASK, samples=201, sections=SECTIONS)


@pytest.fixture(scope="module")
def table(found):
    return sensitivities(found)


def test_every_parameter_that_a_designer_changes_is_there(found, table):
    assert table.parameters == default_parameters(found.robot)
    assert {"upper.mass", "payload.mass", "elbow.gear.ratio", "elbow.gear.efficiency"} <= set(table.parameters)
    some = table.values != 0
    assert table.relative_changes[:, some] == pytest.approx(100 * table.changes[:, some] / np.abs(table.values[some]))
    assert not table.relative_changes[:, ~some].any()


@pytest.mark.parametrize("path", default_parameters(TASK.loaded_robot(arm())))
def test_against_differences_of_the_whole_analysis(found, table, path):
    """Every characteristic of drives, links and tip, at two per mille up and down."""
    assert {"upper.peak_stress", "fore.peak_deflection", "tip.peak_deflection"} <= set(table.characteristics)
    step = 2e-3
    ends = []
    for sign in (1, -1):
        moved = with_parameters(found.robot, {path: (1 + sign * step) * float(parameter(found.robot, path))})
        again = analyse(moved, Task(TASK.motions), samples=201, sections=SECTIONS)
        ends.append(np.array([told(again, name) for name in table.characteristics]))
    expected = 0.01 * (ends[0] - ends[1]) / (2 * step)
    got = table.changes[table.parameters.index(path)]
    for name, value, want, size in zip(table.characteristics, got, expected, table.values, strict=True):
        assert value == pytest.approx(want, rel=5e-4, abs=2e-5 * abs(size)), name


def test_links_and_tip_are_exact(found, table):
    """What is linear in a mass at a place that stays is told to rounding: no difference is taken."""
    names = [name for name in table.characteristics if name.split(".")[0] in (*SECTIONS, "tip")]
    path, step = "payload.mass", 1e-2
    mass, motion = float(parameter(found.robot, path)), found.demands.motion
    ends = []
    for sign in (1, -1):
        robot = with_parameters(found.robot, {path: (1 + sign * step) * mass})
        mech = gw.assemble(robot)
        ends.append(analyse_structure(robot, mech, motion, SECTIONS, [], None).peak_values())
    for name in names:  # planar bending: all of them are linear in the payload
        difference = 0.01 * (ends[0][name] - ends[1][name]) / (2 * step)
        assert table[path, name] == pytest.approx(difference, rel=1e-10), name


def test_torques_follow_masses_as_by_hand():
    """One vertical axis: torque is (J + n^2 Jm) a, so that a per cent of Jm adds its share."""
    link = Link("arm", "base", Joint("arm", axis=(0, 0, 1)), 1.0, (0, 0, 0), np.diag([0.4] * 3))
    robot = Robot("axis", [link], [Drive("arm", Motor(2e-5), Gear(60.0))])
    way = s_curve([0.0], [1.0], speed=2.0, acceleration=8.0, jerk=100.0)
    found = analyse(robot, Task([way]), samples=101)
    table, drive = sensitivities(found, ["arm.motor.inertia", "arm.gear.ratio"]), found.drives["arm"]
    share = 2e-5 * 3600 / (0.4 + 2e-5 * 3600)
    assert table["arm.motor.inertia", "arm.rms_torque"] == pytest.approx(0.01 * share * drive.rms_torque, rel=1e-6)
    assert table["arm.motor.inertia", "arm.peak_output_torque"] == 0
    assert table["arm.gear.ratio", "arm.peak_motor_speed"] == pytest.approx(0.01 * drive.peak_motor_speed, rel=1e-9)
    assert table["arm.motor.inertia", "arm.inertia_ratio"] == pytest.approx(-0.01 * drive.inertia_ratio, rel=1e-6)


def test_frequency_follows_stiffness_and_inertia_as_by_hand():
    """With the motor held a link on its spring swings at sqrt(k / J): half a per cent per per cent."""
    link = Link("arm", "base", Joint("arm", axis=(0, 0, 1)), 1.0, (0, 0, 0), np.diag([0.4] * 3))
    robot = Robot("axis", [link], [Drive("arm", Motor(2e-5), Gear(60.0, stiffness=900.0))])
    way = gw.motion.polynomial([0.0], [1.0], duration=1.0, order=7)
    found = analyse(robot, Task([way]), samples=51)
    table = sensitivities(found, ["arm.gear.stiffness", "arm.inertia.zz", "arm.gear.ratio"])
    frequency = found.drives["arm"].frequency
    assert frequency == pytest.approx(np.sqrt(900.0 / 0.4) / (2 * np.pi), rel=1e-12)
    assert table["arm.gear.stiffness", "arm.frequency"] == pytest.approx(0.005 * frequency, rel=1e-12)
    assert table["arm.inertia.zz", "arm.frequency"] == pytest.approx(-0.005 * frequency, rel=1e-12)
    assert abs(table["arm.gear.ratio", "arm.frequency"]) < 1e-12 * frequency


def moved_tables(found, path, step):
    """What the whole analysis tells with a parameter a share up and down."""
    value = float(parameter(found.robot, path))
    for sign in (1, -1):
        robot = with_parameters(found.robot, {path: (1 + sign * step) * value})
        again = analyse(robot, Task(found.task.motions), samples=found.samples)
        yield drive_characteristics(again.drives) | StructuralAnalysis(dict(again.links), again.tip).peak_values()


def require_differences(found, table, path, step, tolerance):
    """Every characteristic by differences, within shares of itself."""
    up, down = moved_tables(found, path, step)
    for name, size in zip(table.characteristics, table.values, strict=True):
        expected = 0.01 * (up[name] - down[name]) / (2 * step)
        assert table[path, name] == pytest.approx(expected, rel=tolerance, abs=0.01 * tolerance * abs(size)), name


@pytest.mark.parametrize("path", ["j2.gear.stiffness", "j2.motor.inertia", "j1.gear.ratio", "link3.mass"])
def test_elastic_drives_against_differences(path):
    """The motion of the motors changes with the parameter, and so does the tip."""
    way = gw.motion.polynomial([0, 0, 0], [0.3, 0.3, 0.3], duration=1.0, order=7)
    found = analyse(gw.load("elastic_elbow"), Task([way]), samples=51)
    assert found.tip is not None
    require_differences(found, sensitivities(found, [path]), path, 1e-3, 2e-5)


@pytest.mark.parametrize("path", ["foot.mass", "hip.motor.torque_constant", "ankle.motor.inertia"])
def test_instants_at_which_motors_turn_round_move_too(path):
    """Friction jumps where an elastic drive's motor turns round: energies and means count when that is."""
    way = gw.motion.polynomial([0, 0, 0], [0.5, -0.4, 0.3], duration=1.0, order=7)
    found = analyse(gw.load("sea_leg"), Task([way]), samples=101)
    table = sensitivities(found, [path])
    smooth = [name for name in table.characteristics if ".rms_" in name or ".energy" in name]
    up, down = moved_tables(found, path, 2e-3)
    for name in smooth:
        expected, size = 0.01 * (up[name] - down[name]) / 4e-3, table.values[table.characteristics.index(name)]
        assert table[path, name] == pytest.approx(expected, rel=1e-3, abs=1e-6 * abs(size)), name


@pytest.mark.parametrize("word", ["modules", "mesh_efficiency", "pressure_angle"])
def test_forces_between_teeth_follow_the_gear(word):
    """F = T / r: by hand for the module, by differences for the rest."""
    gear = Planetary(sun=18, planet=27, ring=72, modules=0.001, mesh_efficiency=0.98)
    link = Link("arm", "base", Joint("arm", axis=(0, 1, 0)), 2.0, (0.3, 0, 0), np.diag([0.1] * 3))
    robot = Robot("axis", [link], [Drive("arm", Motor(2e-5), gear)])
    found = analyse(robot, Task([gw.motion.polynomial([0.0], [1.0], duration=1.0, order=7)]), samples=51)
    path = f"arm.gear.{word}"
    table = sensitivities(found, [path])
    if word == "modules":
        force = found.drives["arm"].peak_mesh_force
        assert table[path, "arm.peak_mesh_force"] == pytest.approx(-0.01 * force, rel=1e-9)
    require_differences(found, table, path, 1e-4, 1e-6)


@pytest.mark.parametrize("damping", [26.0, 0.0])
def test_bent_springs_against_differences(damping):
    """Piecewise stiffness with hysteresis: the shaft's own differential equation has slopes too."""
    pieces = [StiffnessPiece(2000.0, 6.0), StiffnessPiece(3500.0)]
    torsion = Torsion(pieces=pieces, hysteresis=Hysteresis(torque=0.5, width=1e-4) if damping else None)
    gear = Gear(80.0, torsion=torsion, damping=0.01 * damping)
    link = Link("arm", "base", Joint("arm", axis=(0, 1, 0)), 2.0, (0.3, 0, 0), np.diag([0.1] * 3))
    robot = Robot("axis", [link], [Drive("arm", Motor(2e-5), gear)])
    found = analyse(robot, Task([gw.motion.polynomial([0.0], [1.5], duration=1.0, order=7)]), samples=101)
    for path in ("arm.mass", "arm.motor.inertia", "arm.gear.torsion.pieces.0.stiffness"):
        table = sensitivities(found, [path])
        up, down = moved_tables(found, path, 1e-3)
        for name in ("arm.rms_motor_torque", "arm.rms_torque"):
            expected, size = 0.01 * (up[name] - down[name]) / 2e-3, table.values[table.characteristics.index(name)]
            assert table[path, name] == pytest.approx(expected, rel=2e-3, abs=2e-6 * abs(size)), (path, name)


def test_every_kind_of_parameter_against_differences(found):
    """Heat, friction, geometry, gravity, sections: whatever a path names."""
    paths = ["shoulder.motor.heat.winding_housing", "shoulder.motor.friction", "elbow.motor.inductance"]
    paths += ["fore.com.x", "elbow.position.x", "payload.position.x", "gravity.z", "elbow.gear.inertia"]
    table = sensitivities(found, paths)
    for path in paths:
        require_same_sections(found, table, path)


def require_same_sections(found, table, path):
    step, ends = 1e-3, []
    value = float(parameter(found.robot, path))
    for sign in (1, -1):
        moved = with_parameters(found.robot, {path: (1 + sign * step) * value})
        again = analyse(moved, Task(TASK.motions), samples=201, sections=SECTIONS)
        ends.append(drive_characteristics(again.drives))
    for name in ends[0]:
        expected, size = 0.01 * (ends[0][name] - ends[1][name]) / (2 * step), abs(ends[0][name])
        assert table[path, name] == pytest.approx(expected, rel=1e-4, abs=1e-7 * size), (path, name)


def test_unknown_names_are_told(found, table):
    with pytest.raises(InputError, match="efficient"):
        sensitivities(found, ["elbow.gear.efficient"])
    with pytest.raises(InputError, match=r"'elbow\.torque'"):
        table["payload.mass", "elbow.torque"]
