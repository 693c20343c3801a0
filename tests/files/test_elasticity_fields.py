"""Words of elasticity and losses: read with their units, written back to the same robot, refused with a reason."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError
from gearwright.files import read_yaml, schema, write_yaml
from gearwright.files.problems import FileProblems
from gearwright.files.yaml_tree import parse_yaml
from gearwright.parts import Hysteresis, JointSpring, KinematicError, Losses, StiffnessPiece, Torsion, gear_losses

ARM = """
robot: arm
links:
  - {name: rod, parent: base, joint: {JOINT}, mass: 2, com: [0.3, 0, 0], inertia: {yy: 0.1, zz: 0.1}}
drives: [{joint: rod, motor: {inertia: 1e-4}, gear: {GEAR}}]
"""
CRANE = """
robot: crane
elastic_base:
  stiffness: [1e6, 1e6, 2 kN/m, 5e4, 5e4 Nm/rad, null]
  damping: [1e3, 1e3, 1e3, 10, 10, null]
  position: [0, 0, -200 mm]
  mass: 100
  inertia: {xx: 3, yy: 3, zz: 4}
links:
  - {name: column, parent: base, joint: {axis: [0, 0, 1]}, mass: 10, inertia: {xx: 1, yy: 1, zz: 0.1}}
  - name: boom
    parent: column
    joint: {axis: [0, 1, 0], position: [0, 0, 0.6], spring: {stiffness: 30 Nm/deg, damping: 2, rest: 10 deg}}
    flexible:
      {length: 2, line_density: 3 kg/m, bending: [2 kNm2, null], torsion: 800, polar_inertia: 0.002, segments: 4,
       direction: [1, 0, 0], across: [0, 1, 0], damping: 1 ms}
  - {name: tip, parent: boom, joint: {axis: [0, 0, 1], position: [2, 0, 0]}, mass: 1, com: [0.1, 0, 0]}
drives:
  - {joint: column, motor: {inertia: 1e-4, position: [0, 0, -0.1]}, gear: {ratio: 100}}
springs: [{name: tendon, row: {column: 0.05, tip: -0.04}, stiffness: 4000 N/m, damping: 3 Ns/m, rest: 20 mm}]
payload: {mass: 2, link: boom, position: [1, 0, 0]}
"""


def arm(gear: str, joint: str = "axis: [0, 0, 1]"):
    return read_yaml(ARM.replace("JOINT", joint).replace("GEAR", gear))


TORSION = Torsion(
    hardening=2e6,
    pieces=[StiffnessPiece(1e4, 7.0), StiffnessPiece(1.4e4, 25.0), StiffnessPiece(1.6e4)],
    hysteresis=Hysteresis(0.7, math.radians(0.5 / 60)),
    errors=[KinematicError(math.radians(0.4 / 60), 2.0, "motor", math.pi / 2)],
)
GEARS = {
    "torsion": (
        "ratio: 100, damping: 2, torsion: {hardening: 2 MNm/rad3, hysteresis: {torque: 700 mNm, "
        "width: 0.5 arcmin}, errors: [{amplitude: 0.4 arcmin, periods: 2, per: motor, phase: 90 deg}], pieces: "
        "[{stiffness: 10 kNm/rad, until: 7}, {stiffness: 1.4e4, until: 25 Nm}, {stiffness: 1.6e4}]}",
        lambda gear: (
            gear.torsion.pieces == TORSION.pieces
            and (gear.torsion.hardening, gear.torsion.backlash) == (2e6, 0.0)
            and gear.torsion.hysteresis.width == pytest.approx(TORSION.hysteresis.width)
            and gear.torsion.errors[0].phase == pytest.approx(math.pi / 2)
        ),
    ),
    "gap": (
        "ratio: 100, stiffness: 9000, torsion: {backlash: 1 arcmin}",
        lambda gear: gear.torsion.backlash == pytest.approx(math.radians(1 / 60)),
    ),
    "losses": (
        "ratio: 50, losses: [{efficiency: 70 %, no_load_torque: 12 mNm}, {speed: 3000 rpm, efficiency: 0.8, "
        "back_efficiency: 74 %}]",
        lambda gear: (
            gear.losses[0] == Losses(0.0, 0.7, None, 0.012)
            and gear.losses[1].speed == pytest.approx(100 * math.pi)
            and gear_losses(gear)[1].back_efficiency == 0.74
        ),
    ),
    "both ways": (
        "ratio: 50, efficiency: 0.8, back_efficiency: 0.75, no_load_torque: 0.02",
        lambda gear: gear_losses(gear) == (Losses(0.0, 0.8, 0.75, 0.02),),
    ),
    "worm": (
        "type: worm, wheel: 40, lead_angle: 5 deg, friction_coefficient: 0.1, pressure_angle: 20 deg",
        lambda gear: gear_losses(gear)[0].back_efficiency < 0,
    ),
    "meshes": (
        "type: planetary, sun: 18, planet: 27, ring: 72, mesh_efficiency: 99 %",
        lambda gear: gear_losses(gear)[0].efficiency == pytest.approx((1 + 4 * 0.9801) / 5),
    ),
    "stages": (
        "kind: series, stages: [{kind: spur, driver: 20, driven: 60, stiffness: 900, driven_member: {inertia: 1e-4, "
        "side: joint, coupling: 0}}, {kind: shaft, stiffness: 5 kNm/rad, damping: 2}]",
        lambda gear: [x.stiffness for x in gear.elements()] == [900.0, 5000.0],
    ),
}


@pytest.mark.parametrize("case", GEARS)
def test_gears(case):
    text, holds = GEARS[case]
    robot = arm(text)
    assert holds(robot.drives[0].gear)
    assert read_yaml(write_yaml(robot)) == robot
    gw.assemble(robot)


def test_a_crane():
    """A flexible boom on a passive spring, an elastic base and a tendon."""
    robot = read_yaml(CRANE)
    spring = robot.link("boom").joint.spring
    assert isinstance(spring, JointSpring)
    assert (spring.stiffness, spring.damping) == pytest.approx((30 * 180 / math.pi, 2.0))
    assert spring.rest == pytest.approx(math.radians(10))
    names = [link.joint_name for link in robot.links]
    support = [f"support.{way}" for way in ("x", "y", "z", "rx", "ry")]
    cut = [f"boom.{k}.{way}" for k in range(1, 5) for way in ("bend", "twist")]
    assert names == [*support, "column", "boom", *cut, "tip"]
    assert robot.link("boom.2").joint.spring.stiffness == 800 / 0.5
    assert robot.link("boom.2").joint.spring.damping == pytest.approx(1e-3 * 800 / 0.5)
    assert (robot.link("tip").parent, robot.payload.link) == ("boom.4", "boom.2")
    assert robot.drives[0].mounted_on == "support"
    mech = gw.assemble(robot)
    at_rest = gw.placement(mech, np.zeros(mech.n), "tip")[1]
    assert at_rest == pytest.approx([2, 0, 0.6])


def test_a_crane_survives_being_written():
    robot = read_yaml(CRANE)
    again = read_yaml(write_yaml(robot))
    assert again == robot


def write_dh(direction: str, across: str) -> str:
    return f"""
robot: dh
links:
  - name: boom
    parent: base
    joint: {{dh: {{a: 1, alpha: 90 deg}}}}
    flexible: {{length: 1, line_density: 2, bending: [10, null], segments: 2, direction: {direction}, across: {across}}}
frames: [{{name: tip, link: boom}}]
"""


def test_the_direction_of_a_beam_is_in_the_frame_of_its_words():
    """With Denavit-Hartenberg words the link's frame is turned at its far end."""
    robot = read_yaml(write_dh("[1, 0, 0]", "[0, 1, 0]"))
    assert tuple(robot.link("boom.1").joint.axis) == pytest.approx((0, 0, 1))
    assert robot.frames[0].link == "boom.2"
    mech = gw.assemble(robot)
    assert gw.placement(mech, np.zeros(3), "tip")[1] == pytest.approx([1, 0, 0])
    upright = read_yaml(write_dh("[0, 1, 0]", "[1, 0, 0]"))
    assert tuple(upright.link("boom.2").joint.position) == pytest.approx((0, 0, 0.5))
    assert tuple(upright.link("boom.1").joint.axis) == pytest.approx((1, 0, 0))


def test_a_stiffness_matrix_in_a_file():
    rows = (np.diag([4e5, 4e5, 6e5, 3e4, 3e4, 2e4]) + 1e3 * (np.eye(6, k=1) + np.eye(6, k=-1))).tolist()
    text = CRANE.replace("stiffness: [1e6, 1e6, 2 kN/m, 5e4, 5e4 Nm/rad, null]", f"stiffness: {rows}")
    text = text.replace("  damping: [1e3, 1e3, 1e3, 10, 10, null]\n", "")
    robot = read_yaml(text)
    mech = gw.assemble(robot)
    own = [s for s in mech.springs if s.name.startswith("support.")]
    assert sum(s.stiffness * np.outer(s.row, s.row) for s in own)[:6, :6] == pytest.approx(np.array(rows))
    assert gw.potential_energy(gw.assemble(read_yaml(write_yaml(robot))), np.full(mech.n, 0.1)) == pytest.approx(
        gw.potential_energy(mech, np.full(mech.n, 0.1)), rel=1e-12
    )


def test_the_schema_accepts_them():
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(schema())
    texts = [ARM.replace("JOINT", "axis: [0, 0, 1]").replace("GEAR", text) for text, _ in GEARS.values()]
    for text in [CRANE, *texts]:
        assert list(validator.iter_errors(parse_yaml(text, FileProblems("text")).data)) == []


SLIDES = "type: prismatic, axis: [0, 0, 1]"
PROBLEMS = {
    "a gap that rubs": (
        ARM,
        "ratio: 50, stiffness: 9, torsion: {backlash: 0.001, hysteresis: {torque: 0.5, width: 0.001}}",
        "hysteresis of 0.5 Nm | backlash 0.001 rad | shaft",
    ),
    "backlash without stiffness": (ARM, "ratio: 50, torsion: {backlash: 1 arcmin}", "backlash 0.00029088 | stiffness"),
    "negative stiffness": (ARM, "ratio: 50, stiffness: -3", "drives[0].gear.stiffness: -3"),
    "negative damping": (ARM, "ratio: 50, stiffness: 3, damping: -1", "drives[0].gear.damping: -1"),
    "damping without stiffness": (ARM, "ratio: 50, damping: 3", "damping 3.0 Nms/rad | stiffness"),
    "negative stiffness of a stage": (
        ARM,
        "kind: series, stages: [{kind: spur, driver: 20, driven: 60, stiffness: -4}, {kind: shaft, stiffness: 50}]",
        "drives[0].gear.stages[0].stiffness: -4",
    ),
    "negative spring of a joint": (
        ARM.replace("JOINT", "axis: [0, 0, 1], spring: {stiffness: -2}"),
        "ratio: 50",
        "links[0].joint.spring.stiffness: -2",
    ),
    "negative base": (
        CRANE.replace("[1e6, 1e6, 2 kN/m,", "[1e6, 1e6, -2 kN/m,"),
        "",
        "elastic_base.stiffness[2]: -2 kN/m",
    ),
    "contradicts statics": (ARM, "ratio: 50, efficiency: 0.9, back_efficiency: 0.2", "back_efficiency 0.2"),
    "efficiency": (ARM, "ratio: 50, efficiency: 1.1", "efficiency 1.1"),
    "unit of a slide": (
        ARM.replace("JOINT", SLIDES),
        "ratio: 50, stiffness: 9, torsion: {backlash: 1 deg}",
        "'1 deg'",
    ),
    "unknown word": (
        ARM,
        "ratio: 50, stiffness: 9, torsion: {backlsh: 1}",
        "drives[0].gear.torsion.backlsh: | 'backlash'",
    ),
    "matrix": (
        CRANE.replace("[1e6, 1e6, 2 kN/m, 5e4, 5e4 Nm/rad, null]", str((-np.eye(6)).tolist())),
        "",
        "elastic base: stiffness | -1",
    ),
    "stiff beam": (
        CRANE.replace("bending: [2 kNm2, null], torsion: 800, ", ""),
        "",
        "links[1].flexible: beam: | bending | torsion",
    ),
    "spring on nothing": (CRANE.replace("row: {column", "row: {colum"), "", "joint 'colum'"),
    "spring's unit": (CRANE.replace("30 Nm/deg", "30 N/m"), "", "'30 N/m'"),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_problems(case):
    text, gear, message = PROBLEMS[case]
    with pytest.raises(FileError) as caught:
        read_yaml(text.replace("JOINT", "axis: [0, 0, 1]").replace("GEAR", gear))
    assert all(fact in str(caught.value) for fact in message.split(" | ")), caught.value
    assert caught.value.problems[0][0] is not None  # the line
