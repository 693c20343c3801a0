"""Fields and their synonyms: the names of URDF and of parts in Python describe the same robot."""

from __future__ import annotations

import jsonschema
import pytest
import yaml

import gearwright as gw
from gearwright.errors import FileError
from gearwright.files import read_yaml, schema, write_yaml
from gearwright.files.yaml.task_reader import read_task
from gearwright.parts import Harmonic

ROBOT = """
robot: synonyms
links:
  - name: upper
    parent: base
    joint: {name: lift, kind: prismatic, position: [0, 10 mm, 1], rotation: [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
            axis: [0, 0, 1], limits: {position: [-1, 1], speed: 3}}
    mass: 2
    inertia: {xx: 1, yy: 1, zz: 1}
    shapes: [{kind: box, size: [1, 1, 1], position: [0, 0, 0.5]}]
  - name: fore
    parent: upper
    joint: {name: finger, kind: prismatic, axis: [0, 1, 0], follows: {joint: lift, multiplier: 2, offset: 5 mm}}
    mass: 1
    inertia: {xx: 1, yy: 1, zz: 1}
  - name: hand
    parent: fore
    joint: {name: wrist, axis: [1, 0, 0], limits: {speed: 2}}
    mass: 1
    inertia: {xx: 1, yy: 1, zz: 1}
drives:
  - {joint: lift, motor: {inertia: 1e-5}, gear: {kind: screw, ratio: 300 rad/m}}
trains:
  - name: wrist train
    wheels: [{name: pinion, carrier: fore, axis: [1, 0, 0], inertia: 1e-5}]
    meshes: [{first: pinion, second: hand, teeth: [20, 60], kind: internal}]
    motors: [{name: wrist motor, wheel: pinion}]
frames:
  - {name: tool, link: hand, position: [0, 0, 0.1], rpy: [0, 90 deg, 0]}
"""
ROTATION = "rotation: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]"
SYNONYMS = [
    ("kind: prismatic, position", "type: prismatic, position", "kind", "type"),
    ("kind: screw", "type: screw", "kind", "type"),
    ("kind: box", "type: box", "kind", "type"),
    ("kind: internal", "type: internal", "kind", "type"),
    ("position: [0, 10 mm, 1]", "xyz: [0, 10 mm, 1]", "position", "xyz"),
    ("position: [0, 0, 0.5]", "xyz: [0, 0, 0.5]", "position", "xyz"),
    ("position: [0, 0, 0.1]", "xyz: [0, 0, 0.1]", "position", "xyz"),
    (f"position: [0, 10 mm, 1], {ROTATION}", f"origin: {{xyz: [0, 10 mm, 1], {ROTATION}}}", "position", "origin"),
    ("position: [0, 0, 0.5]", "origin: {position: [0, 0, 0.5]}", "position", "origin"),
    ("ratio: 300 rad/m", "reduction: 300 rad/m", "ratio", "reduction"),
    ("follows: {joint: lift,", "mimic: {joint: lift,", "follows", "mimic"),
    ("speed: 3", "velocity: 3", "speed", "velocity"),
    ("speed: 2", "velocity: 2", "speed", "velocity"),
]
PAIRS = pytest.mark.parametrize(("field", "synonym", "name", "other"), SYNONYMS)


def is_valid(text: str) -> bool:
    return jsonschema.Draft202012Validator(schema()).is_valid(yaml.safe_load(text))


@PAIRS
def test_field_and_synonym_describe_the_same_robot(field, synonym, name, other):
    assert ROBOT.count(field) == 1
    text = ROBOT.replace(field, synonym)
    assert read_yaml(text) == read_yaml(ROBOT)
    assert is_valid(ROBOT)
    assert is_valid(text)
    assert yaml.safe_load(write_yaml(read_yaml(text))) == yaml.safe_load(write_yaml(read_yaml(ROBOT)))


@PAIRS
def test_field_with_its_synonym_is_refused(field, synonym, name, other):
    both = f"{synonym} multiplier: 1}}, {field}" if other == "mimic" else f"{field}, {synonym}"
    text = ROBOT.replace(field, both)
    line = 1 + ROBOT[: ROBOT.index(field)].count("\n")
    with pytest.raises(FileError) as error:
        read_yaml(text)
    assert f"both {name} and" in str(error.value)
    assert other in str(error.value)
    assert any(f"line {k}: " in str(error.value) for k in (line - 1, line))  # the mapping may start a line before
    assert not is_valid(text)


@pytest.mark.parametrize(
    ("field", "wrong", "place"),
    [
        ("position: [0, 10 mm, 1]", "xyz: [0, 10 kg, 1]", "links[0].joint.xyz[1]"),
        ("position: [0, 0, 0.5]", "origin: {xyz: [0, 10 kg, 1]}", "links[0].shapes[0].origin.xyz[1]"),
        ("position: [0, 0, 0.5]", "origin: {axis: [0, 10, 1]}", "links[0].shapes[0].origin.axis"),
        ("position: [0, 0, 0.5]", "origin: [0, 0, 0.5]", "links[0].shapes[0].origin"),
        ("ratio: 300 rad/m", "reduction: 300 kg", "drives[0].gear.reduction"),
        ("ratio: 300 rad/m", "reduction: 300 rad/s", "drives[0].gear.reduction"),
        ("follows: {joint: lift,", "mimic: {joint: shift,", "links[1].joint.mimic.joint"),
        ("offset: 5 mm", "offset: 5 deg", "links[1].joint.follows.offset"),
        ("speed: 3", "velocity: 3 rad/s", "links[0].joint.limits.velocity"),
        ("kind: screw", "type: scrow", "drives[0].gear"),
    ],
)
def test_problem_is_located_at_the_name_of_the_file(field, wrong, place):
    with pytest.raises(FileError) as error:
        read_yaml(ROBOT.replace(field, wrong))
    assert f" {place}: " in str(error.value)


def test_reduction_of_a_harmonic_gear_is_its_own_field():
    """Its ratio has the sign of the held member: reduction 100 with the circular spline held is a ratio of -100."""
    text = ROBOT.replace("kind: screw, ratio: 300 rad/m", "kind: harmonic, reduction: 100, held: circular")
    gear = read_yaml(text).drives[0].gear
    assert gear == Harmonic(reduction=100.0, held="circular")
    assert gear.ratio == -100


def test_goal_of_a_path_takes_the_position():
    text = "task: t\nmotions:\n  - {line: {frame: tool, to: {position: [0, 50 mm, 1.2]}, speed: 0.1}}\n"
    assert read_task(text.replace("position", "xyz")) == read_task(text)
    with pytest.raises(FileError, match=r"position.*xyz"):
        read_task(text.replace("position: ", "xyz: [0, 0, 1], position: "))


URDF = """<robot name="arm"><link name="base"/>
<link name="rod"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
<limit effort="5" velocity="3"/></joint></robot>"""


def read_with_sidecar(folder, joint):
    path = folder / "arm.urdf"
    path.write_text(URDF)
    path.with_name("arm.gearwright.yaml").write_text(f"links:\n  - name: rod\n    joint: {joint}\n")
    return gw.load(path)


@pytest.mark.parametrize(
    ("field", "synonym"),
    [
        ("{position: [0, 0, 0.7]}", "{xyz: [0, 0, 0.7]}"),
        ("{position: [0, 0, 0.7]}", "{origin: {xyz: [0, 0, 0.7]}}"),
        ("{position: [0, 0, 0.7], rpy: [0, 1, 0]}", "{origin: {xyz: [0, 0, 0.7], rpy: [0, 1, 0]}}"),
        ("{limits: {speed: 4}}", "{limits: {velocity: 4}}"),
        ("{kind: prismatic, limits: null}", "{type: prismatic, limits: null}"),
    ],
)
def test_link_of_a_sidecar_takes_a_synonym(tmp_path, field, synonym):
    robot = read_with_sidecar(tmp_path, synonym)
    assert robot == read_with_sidecar(tmp_path, field)
    assert robot != read_with_sidecar(tmp_path, "{}")


@pytest.mark.parametrize(
    "joint",
    [
        "{position: [0, 0, 0.7], xyz: [0, 0, 0.8]}",
        "{xyz: [0, 0, 0.8], position: [0, 0, 0.7]}",
        "{origin: {xyz: [0, 0, 0.7]}, position: [0, 0, 0.8]}",
        "{origin: {xyz: [0, 0, 0.7]}, xyz: [0, 0, 0.8]}",
        "{origin: {xyz: [0, 0, 0.7], position: [0, 0, 0.8]}}",
        "{limits: {speed: 4, velocity: 5}}",
        "{kind: prismatic, type: fixed}",
    ],
)
def test_link_of_a_sidecar_with_a_field_and_its_synonym_is_refused(tmp_path, joint):
    with pytest.raises(FileError) as error:
        read_with_sidecar(tmp_path, joint)
    assert "line 3: links[0].joint" in str(error.value)
