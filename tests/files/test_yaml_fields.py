"""What a robot file may say, and what it means."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue.loading import bundled_files
from gearwright.errors import FileError
from gearwright.files import read_yaml, schema, write_yaml
from gearwright.files.fields.gear import GEAR_PARTS
from gearwright.files.fields.joint import JOINT_FIELDS_BY_KIND, TurnLimits
from gearwright.files.fields.link import LinkFields, ShapeFields
from gearwright.files.fields.robot import DriveFields, FrameFields, PayloadFields, RobotFields
from gearwright.files.fields.train import MotorFields, TrainFields
from gearwright.files.problems import FileProblems
from gearwright.files.yaml_tree import parse_yaml
from gearwright.mechanism.joints.kinds import JOINT_KINDS
from gearwright.parts import Drive, Frame, Joint, Limits, Link, Motor, Payload, Planetary, Robot, Shape, Train

SAMPLE = """
# The sample of the design page: comments are welcome.
robot: two_link
gravity: [0, 0, -9.81]
links:
  - name: upper
    parent: base
    joint:
      name: shoulder
      kind: revolute
      dh: {a: 0.4, alpha: 90 deg, d: 0}
      limits: {position: [-2, 2], speed: 3, effort: 120}
    mass: 5
    com: [-0.2, 0, 0]
    inertia: {xx: 0.01, yy: 0.09, zz: 0.09}      # about the centre of mass
  - name: fore
    parent: upper
    joint: {name: elbow, kind: revolute, position: [0, 0, 0], rpy: [0, 0, 0], axis: [0, 0, 1]}
    mass: 3
    com: [0.15, 0, 0]
    inertia: {xx: 0.006, yy: 0.03, zz: 0.03}
drives:
  - joint: shoulder
    mounted_on: base
    axis: [0, 0, 1]
    motor:
      {inertia: 347 gcm2, mass: 0.24, transverse_inertia: 250 gcm2, position: [0, 0, -0.1],
       torque_constant: 53.8 mNm/A, resistance: 2.45, inductance: 0.513 mH}
    gear: {kind: planetary, sun: 18, planet: 27, ring: 72, planets: 3, held: ring}
  - joint: elbow
    mounted_on: upper
    axis: [1, 0, 0]
    motor: {catalogue: maxon_re30}
    gear: {kind: harmonic, ratio: 100, stiffness: 12000, efficiency: 0.75}
payload: {mass: 2, position: [0.3, 0, 0]}
frames:
  - {name: tool, link: fore, position: [0.35, 0, 0]}
"""


def one(joint: str = "axis: [0, 0, 1]", more: str = "") -> str:
    return f"robot: one\nlinks: [{{name: rod, parent: base, joint: {{{joint}}}, mass: 2, com: [0.3, 0, 0]}}]\n{more}"


def test_the_sample_of_the_design():
    robot = read_yaml(SAMPLE)
    shoulder, elbow = robot.drives
    assert shoulder.motor.inertia == pytest.approx(347e-7)
    assert shoulder.motor.torque_constant == pytest.approx(0.0538)
    assert shoulder.motor.inductance == pytest.approx(0.513e-3)
    assert isinstance(shoulder.gear, Planetary)
    assert shoulder.gear.ratio == 5  # ring held, sun in, carrier out: 1 + 72 / 18
    assert (elbow.gear.kind, elbow.gear.ratio, elbow.gear.stiffness) == ("harmonic", 100, 12000)
    assert elbow.motor.inertia == pytest.approx(34.7e-7)
    assert elbow.motor.catalogue == "maxon_re30"
    assert robot.links[0].joint.limits.position == (-2, 2)
    # upper's numbers are in the frame at its far end: 0.4 m along x, turned 90 degrees about x.
    assert list(robot.links[0].com) == pytest.approx([0.2, 0, 0])
    assert list(robot.links[1].joint.position) == pytest.approx([0.4, 0, 0])
    mech = gw.assemble(robot)
    assert mech.speeds == ("shoulder", "elbow", "elbow.motor")
    assert read_yaml(write_yaml(robot)) == robot


def test_numbers_are_numbers_and_words_are_words():
    robot = read_yaml(one("axis: [0, 1e0, .5]").replace("mass: 2", "mass: 1e-3").replace("rod", "on"))
    assert robot.links[0].mass == 1e-3
    assert robot.links[0].name == "on"


def test_words_of_a_catalogue_motor_can_be_replaced():
    drives = "drives: [{joint: rod, motor: {catalogue: maxon_re40, inertia: 1 kgcm2, mass: 160 g}}]"
    motor = read_yaml(one(more=drives)).drives[0].motor
    assert motor.inertia == pytest.approx(1e-4)
    assert motor.mass == pytest.approx(0.16)
    assert motor.resistance == pytest.approx(1.13)


def test_anchors_and_merged_words():
    robot = read_yaml("""
robot: twins
links:
  - &left {name: left, parent: base, joint: {axis: [0, 0, 1]}, mass: 2, com: [0.1, 0, 0]}
  - {<<: *left, name: right, mass: 3}
""")
    assert [link.mass for link in robot.links] == [2, 3]
    assert robot.links[1].com == robot.links[0].com


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("rpy: [90 deg, 0, 0]", [0, -1, 0]),
        ("quaternion: [1, 1, 0, 0]", [0, -1, 0]),
        ("rotation: [[1, 0, 0], [0, 0, -1], [0, 1, 0]]", [0, -1, 0]),
        ("rpy: [0, 0.5, 0.25]", [math.sin(0.5) * math.cos(0.25), math.sin(0.5) * math.sin(0.25), math.cos(0.5)]),
    ],
)
def test_where_the_z_axis_of_an_origin_points(origin, expected):
    robot = read_yaml(one(f"axis: [0, 0, 1], origin: {{position: [1, 2, 3], {origin}}}"))
    assert [row[2] for row in robot.links[0].joint.rotation.rows()] == pytest.approx(expected)
    assert list(robot.links[0].joint.position) == [1, 2, 3]


def test_an_inertia_as_rows_is_the_same_as_by_elements():
    rows = one().replace("mass: 2", "mass: 2, inertia: [[3, 1, 0.5], [1, 4, 0.25], [0.5, 0.25, 5]]")
    words = one().replace("mass: 2", "mass: 2, inertia: {xx: 3, yy: 4, zz: 5, xy: 1, xz: 0.5, yz: 0.25}")
    assert read_yaml(rows) == read_yaml(words)


def test_an_included_rotor_adds_nothing_at_rest():
    """The carrier's numbers contain it already: only its spin is new."""
    text = """
robot: two
links:
  - {name: a, parent: base, joint: {axis: [0, 0, 1]}, mass: 2, com: [0.3, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, parent: a, joint: {axis: [0, 1, 0], position: [0.5, 0, 0]}, mass: 1, com: [0.3, 0, 0]}
drives:
  - {joint: b, motor: {inertia: 1e-4, mass: 0.5, position: [0.4, 0, 0], included: INCLUDED}, gear: {ratio: 50}}
"""
    included, beside = (gw.assemble(read_yaml(text.replace("INCLUDED", word))) for word in ("true", "false"))
    assert included.bodies[0].mass == 2
    assert beside.bodies[0].mass == 2.5
    assert included.spins[0].inertia == beside.spins[0].inertia == 1e-4


def test_an_effective_link_may_break_the_rules_of_bodies():
    text = one().replace("mass: 2", "mass: 2, inertia: {zz: 1.16}")
    with pytest.raises(gw.errors.FileError, match="triangle"):
        read_yaml(text)
    assert gw.assemble(read_yaml(text.replace("mass: 2", "effective: true, mass: 2"))).n == 1


def test_joints_of_every_kind():
    robot = read_yaml("""
robot: kinds
links:
  - {name: trunk, parent: base, joint: {kind: free}, mass: 5, inertia: {xx: 1, yy: 1, zz: 1}}
  - name: turn
    parent: trunk
    joint: {axis: [0, 0, 1], damping: 2 Nms/rad, friction: 0.3 Nm}
    mass: 1
    com: [0.1, 0, 0]
  - name: slide
    parent: turn
    joint: {kind: prismatic, axis: [1, 0, 0], limits: {position: [0, 200 mm], effort: 1 kN}}
    mass: 1
  - {name: glued, parent: slide, joint: {kind: fixed, position: [0, 0, 10 mm]}, mass: 1}
  - {name: ball, parent: glued, joint: {kind: spherical}, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - name: mimic
    parent: trunk
    joint: {axis: [0, 1, 0], follows: {joint: turn, multiplier: -2, offset: 90 deg}}
    mass: 1
    com: [0.1, 0, 0]
  - {name: cart, parent: base, joint: {kind: planar, position: [0, 1, 0]}, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: nut, parent: cart, joint: {kind: helical, axis: [0, 1, 0], pitch: 5 mm/rev, damping: 0.1}, mass: 1}
  - name: cross
    parent: nut
    joint: {kind: universal, axis: [1, 0, 0], axis2: [0, 1, 0]}
    mass: 1
    inertia: {xx: 1, yy: 1, zz: 1}
""")
    kinds = [link.joint.kind for link in robot.links]
    old = ["free", "revolute", "prismatic", "fixed", "spherical", "revolute"]
    assert kinds == [*old, "planar", "helical", "universal"]
    assert robot.links[7].joint.pitch == pytest.approx(5e-3 / (2 * math.pi))
    assert robot.links[8].joint.axis2 == (0, 1, 0)
    assert robot.links[5].joint.follows == ("turn", -2, pytest.approx(math.pi / 2))
    assert robot.links[2].joint.limits.position == (0, 0.2)
    assert robot.links[2].joint.limits.effort == 1000
    assert (robot.links[1].joint.damping, robot.links[1].joint.friction) == (2, 0.3)
    assert gw.assemble(robot).n == 6 + 1 + 1 + 3 + 3 + 1 + 2
    assert read_yaml(write_yaml(robot)) == robot


GEAR_SAMPLES = {
    "simple": "ratio: -12.5, inertia: 3 gcm2, stiffness: 900, damping: 2",
    "spur": "driver: 20, driven: 60, idlers: [17], idler_members: [{inertia: 1e-6}]",
    "bevel": "driver: 20, driven: 40, away: false",
    "worm": "starts: 2, wheel: 60, hand: left",
    "belt": "driver: 20 mm, driven: 60 mm, distance: 300 mm, line_density: 30 g/m, towards: [1, 0, 0]",
    "chain": "driver: 20 mm, driven: 60 mm",
    "rack": "teeth: 20, module: 2 mm",
    "screw": "lead: 10 mm/rev, screw_member: {inertia: 1e-5, mass: 0.5, transverse_inertia: 1e-3}",
    "planetary": "sun: 18, planet: 27, ring: 72, held: carrier, radius: 3 cm, planet_member: {mass: 0.05}",
    "wolfrom": "sun: 12, planet: 30, ring: 72, second_planet: 27, second_ring: 69, planets: 3",
    "harmonic": "reduction: 100, generator_member: {inertia: 30 gcm2}, stiffness: 12 kNm/rad",
    "cycloidal": "pins: 40",
    "shaft": "stiffness: 900, output_member: {inertia: 1e-5}",
    "series": "stages: [{kind: spur, driver: 20, driven: 60}, {kind: planetary, sun: 18, planet: 27, ring: 72}]",
}


def test_every_gear_has_a_sample():
    assert set(GEAR_SAMPLES) == set(GEAR_PARTS)


@pytest.mark.parametrize("kind", GEAR_SAMPLES)
def test_every_gear_is_read_and_survives_a_round_trip(kind):
    joint = "type: prismatic, axis: [0, 0, 1]" if kind in ("rack", "screw") else "axis: [0, 0, 1]"
    drives = f"drives: [{{joint: rod, motor: {{inertia: 1e-5}}, gear: {{type: {kind}, {GEAR_SAMPLES[kind]}}}}}]"
    try:
        robot = read_yaml(one(joint, drives))
    except gw.errors.FileError as error:
        pytest.fail(str(error))
    assert robot.drives[0].gear.kind == kind
    assert isinstance(robot.drives[0].gear, GEAR_PARTS[kind])
    again = read_yaml(write_yaml(robot))
    assert again == robot
    first, second = gw.assemble(robot), gw.assemble(again)
    assert [s.ratio for s in first.spins] == [s.ratio for s in second.spins]


def test_a_word_that_says_nothing_is_left_out():
    gear = "{kind: planetary, sun: 18, planet: 27, ring: 72, planet_member: null}"
    robot = read_yaml(one(more=f"drives: [{{joint: rod, motor: {{inertia: 1e-5}}, gear: {gear}}}]"))
    assert robot.drives[0].gear == Planetary(sun=18, planet=27, ring=72)


def test_any_gear_may_be_known_by_its_ratio_alone():
    robot = read_yaml(one(more="drives: [{joint: rod, motor: {inertia: 1e-5}, gear: {kind: cycloidal, ratio: 89}}]"))
    assert (robot.drives[0].gear.kind, robot.drives[0].gear.ratio) == ("cycloidal", 89)


TRAIN = """
robot: wrist
links:
  - {name: pitch, parent: base, joint: {axis: [0, 1, 0]}, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: roll, parent: pitch, joint: {axis: [1, 0, 0]}, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
trains:
  - name: d
    wheels:
      - {name: d.left, carrier: base, axis: pitch, inertia: 3 gcm2}
      - {name: d.right, carrier: base, axis: pitch, inertia: 3 gcm2}
    meshes:
      - {first: d.left, second: roll, teeth: [20, 30], kind: bevel, carrier: pitch}
      - {first: d.right, second: roll, teeth: [20, 30], kind: bevel, carrier: pitch, sense: -1}
    motors:
      - {name: m1, wheel: d.left, motor: {catalogue: maxon_re30}}
      - {name: m2, wheel: d.right, motor: {catalogue: maxon_re30}}
"""


def test_a_motor_with_everything_survives_a_round_trip():
    """Axis (0.6, 0, 0.8): a tensor of revolution about it, and a mass centre on the axis through the position."""
    across, axial = 2e-4, 3e-4
    e = np.array([0.6, 0, 0.8])
    tensor = (across * np.eye(3) + (axial - across) * np.outer(e, e)).tolist()
    robot = read_yaml(
        one(
            more=f"""
drives:
  - joint: rod
    name: m1
    axis: [0.6, 0, 0.8]
    motor: {{tensor: {tensor}, mass: 0.3, position: [0.1, 0, 0], com: [0.16, 0, 0.08], coupling: 2e-4, included: true,
            torque_constant: 60 mNm/A, resistance: 1.1, inductance: 0.3 mH, max_torque: 2 Nm, max_speed: 7000 rpm}}
    gear: {{ratio: 30}}
"""
        )
    )
    again = read_yaml(write_yaml(robot))
    assert again == robot
    spin = gw.assemble(again).spins[0]
    assert spin.inertia == pytest.approx(axial)
    assert list(spin.rest.position) == pytest.approx([0.16, 0, 0.08])


def test_a_train_is_read_and_survives_a_round_trip():
    robot = read_yaml(TRAIN)
    ratios = {spin.name: spin.ratio for spin in gw.assemble(robot).spins}
    # A bevel differential: the side gears turn at qd_pitch -+ (30/20) qd_roll.
    assert ratios["d.left"] == pytest.approx([1, -1.5])
    assert ratios["d.right"] == pytest.approx([1, 1.5])
    assert read_yaml(write_yaml(robot)) == robot


def test_shapes_stay_references():
    text = one().replace(
        "mass: 2", "mass: 2, shapes: [{kind: mesh, file: 'package://arm/rod.stl'}, {kind: sphere, size: [5 mm]}]"
    )
    shapes = read_yaml(text).links[0].shapes
    assert shapes[0].file == "package://arm/rod.stl"
    assert shapes[1].size == (0.005,)
    assert read_yaml(write_yaml(read_yaml(text))) == read_yaml(text)


def test_the_schema_is_plain_data_and_knows_every_gear():
    import json

    text = json.dumps(schema())
    assert all(f'"{kind}"' in text for kind in GEAR_PARTS)
    assert set(schema()["properties"]) == {
        "robot", "description", "gravity", "payload", "links", "drives", "trains", "frames", "attach", "supply",
        "elastic_base", "springs", "tendons", "states", "loops", "environment", "cords",
        "independent",
        "joints",
    }  # fmt: skip
    assert schema()["required"] == ["robot", "links"]


def test_the_schema_accepts_what_the_reader_accepts():
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    gears = [
        one(more=f"drives: [{{joint: rod, gear: {{type: {kind}, {GEAR_SAMPLES[kind]}}}}}]") for kind in GEAR_SAMPLES
    ]
    rows = one().replace("mass: 2", "mass: 2, inertia: [[3, 1, 0], [1, 4 kgm2, 0], [0, 0, 5]]")
    bundled = [path.read_text(encoding="utf-8") for path in bundled_files().values()]
    for text in [SAMPLE, TRAIN, rows, *gears, *bundled]:
        assert list(validator.iter_errors(parse_yaml(text, FileProblems("text")).data)) == []
    for bad in (one("axis: [0, 0]"), one().replace("mass", "mas"), one(more="drives: [{joint: rod, gear: {type: x}}]")):
        assert list(validator.iter_errors(parse_yaml(bad, FileProblems("text")).data))


WORDS_OF_PARTS = {
    Robot: (RobotFields, {"name": "robot"}),
    Link: (LinkFields, {}),
    Limits: (TurnLimits, {}),
    Drive: (DriveFields, {}),
    Motor: (MotorFields, {}),
    Payload: (PayloadFields, {}),
    Frame: (FrameFields, {}),
    Shape: (ShapeFields, {}),
    Train: (TrainFields, {}),
}


@pytest.mark.parametrize("part", WORDS_OF_PARTS, ids=lambda part: part.__name__)
def test_every_field_of_a_part_has_a_word(part):
    """A field without a word would be lost in a file without a sound."""
    model, names = WORDS_OF_PARTS[part]
    kept = [f.name for f in fields(part) if f.compare]  # others only say where a part was read
    assert {names.get(name, name) for name in kept} <= set(model.model_fields)


def test_every_field_and_every_kind_of_a_joint_has_its_words():
    """Each kind says where it is and what the table of kinds says it needs; together they say all of a joint."""
    words = {word for model in JOINT_FIELDS_BY_KIND.values() for word in model.model_fields}
    assert {f.name for f in fields(Joint)} <= words
    assert set(JOINT_FIELDS_BY_KIND) == set(JOINT_KINDS)
    for name, kind in JOINT_KINDS.items():
        assert {"name", "kind", "position", "rotation", *kind.needs} <= set(JOINT_FIELDS_BY_KIND[name].model_fields)
        assert ("limits" in JOINT_FIELDS_BY_KIND[name].model_fields) == kind.has_one_coordinate


@pytest.mark.parametrize(
    ("joint", "says"),
    [
        ("type: helical, axis: [0, 0, 1]", "links[0].joint.pitch: | 'pitch'"),
        ("type: helical, axis: [0, 0, 1], pitch: 0", "links[0].joint | pitch 0"),
        ("type: helical, axis: [0, 0, 1], pitch: 5 mm", "links[0].joint.pitch: | '5 mm'"),
        ("type: universal, axis: [0, 0, 1]", "links[0].joint.axis2: | 'axis2'"),
        ("type: universal, axis: [0, 0, 1], axis2: [0, 0, 3]", "links[0].joint | axis2 | parallel"),
        ("type: planar, axis: [0, 0, 0]", "links[0].joint | [0, 0, 0]"),
        ("type: planar, pitch: 1", "links[0].joint.pitch: | 'pitch'"),
        ("type: univresal", "links[0].joint | 'univresal' | 'universal'"),
    ],
)
def test_joints_that_no_kind_is(joint, says):
    with pytest.raises(FileError) as caught:
        read_yaml(one(joint))
    assert all(fact in str(caught.value) for fact in says.split(" | ")), caught.value


def test_a_gear_of_a_screw_joint_is_in_units_of_turning():
    text = one("type: helical, axis: [0, 0, 1], pitch: 0.01", more="drives: [{joint: rod, gear: {ratio: 5 rad/mm}}]")
    with pytest.raises(FileError, match=r"drives\[0\]\.gear\.ratio: '5 rad/mm'.*helical"):
        read_yaml(text)


def test_symbols_cannot_be_written():
    import casadi

    robot = read_yaml(one())
    with pytest.raises(gw.errors.InputError, match="mass"):
        write_yaml(robot.with_payload(casadi.SX.sym("m"), (0, 0, 0)))


def test_the_writer_is_exact_to_the_last_bit():
    rng = np.random.default_rng(3)
    robot = read_yaml(
        one(
            f"axis: {rng.normal(size=3).tolist()}, origin: {{xyz: {rng.normal(size=3).tolist()}, rpy: [0.1, 0.2, 0.3]}}"
        )
    )
    again = read_yaml(write_yaml(robot))
    assert again.links[0].joint.rotation.rows() == robot.links[0].joint.rotation.rows()
    assert tuple(again.links[0].joint.axis) == tuple(robot.links[0].joint.axis)
