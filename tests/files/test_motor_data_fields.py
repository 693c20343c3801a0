"""Motors, friction, heat and supplies in files: units, conventions, MuJoCo's words, round trips and refusals."""

from __future__ import annotations

from dataclasses import replace
from math import pi, sqrt

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import gearwright as gw
from gearwright.errors import FileError, GearwrightWarning
from gearwright.files import read_yaml, schema, write_yaml
from gearwright.files.fields.task import task_schema
from gearwright.files.yaml.task_reader import read_task
from gearwright.parts import (
    Cogging,
    CurrentControl,
    Drive,
    Frame,
    Friction,
    Heat,
    Joint,
    Link,
    Motor,
    Ripple,
    Robot,
    Supply,
    attach,
    parameter,
    with_parameters,
)
from gearwright.parts.drives.thermal import TEMPERATURE_FIELDS


def arm(motor="", drive="", joint="", header=""):
    text = (
        f"robot: arm\n{header}\nlinks:\n  - {{name: rod, parent: base, joint: {{axis: [0, 0, 1]{joint}}}, mass: 2}}\n"
    )
    return read_yaml(text + f"drives:\n  - {{joint: rod, motor: {{{motor}}}{drive}}}\n")


def motor(words):
    return arm(words).drives[0].motor


def test_kv_is_one_over_the_torque_constant():
    """maxon RE 30, 310009: 53.8 mNm/A and 178 rpm/V on the same sheet."""
    both = motor("torque_constant: 53.8 mNm/A, kv: 178 rpm/V")
    alone = motor("kv: 178 rpm/V")
    assert both.torque_constant == 0.0538
    assert alone.torque_constant == pytest.approx(60 / (2 * pi * 178), rel=1e-14)
    assert alone.kv == pytest.approx(178 * 2 * pi / 60)
    assert motor("back_emf_constant: 0.06 Vs/rad").torque_constant == 0.06


def test_inconsistent_constants_name_both_numbers_and_the_rule():
    with pytest.raises(FileError) as error:
        motor("torque_constant: 0.05, kv: 100")
    for piece in ("torque_constant 0.05 Nm/A", "kv 100.0 rad/s/V", "kt = 1/kv", "terminals", "phase", "rms"):
        assert piece in str(error.value)
    assert error.value.problems[0][1] == "drives[0].motor"


def test_values_per_phase_are_those_between_lines():
    """Power and heat of three phases with sinusoidal currents are those of the two terminals."""
    R, emf, current, omega = 0.3, 0.02, 10.0, 200.0
    m = motor(f"stated: phase, resistance: {R}, inductance: 1 mH, back_emf_constant: {emf}, max_current: {current}")
    assert m.torque_constant * m.max_current * omega == pytest.approx(1.5 * emf * omega * current, rel=1e-14)
    assert m.resistance * m.max_current**2 == pytest.approx(1.5 * R * current**2, rel=1e-14)
    assert m.inductance * m.max_current**2 == pytest.approx(1.5 * 1e-3 * current**2, rel=1e-14)
    assert m.torque_constant == pytest.approx(sqrt(3) * emf)  # the amplitude between two lines
    same = motor(f"stated: phase, torque_constant: {1.5 * emf}, kv: {1 / emf}")
    assert same.torque_constant == pytest.approx(m.torque_constant)


def test_rms_values_of_servo_motors():
    """kt per rms ampere is sqrt(3) times the rms voltage between lines per speed; the power is sqrt(3) U I."""
    m = motor("stated: rms, torque_constant: 1.7320508, back_emf_constant: 1.0, resistance: 2, max_current: 4")
    assert m.torque_constant * m.max_current == pytest.approx(1.7320508 * 4)
    assert m.torque_constant == pytest.approx(sqrt(2), rel=1e-6)
    assert m.resistance * m.max_current**2 == pytest.approx(3 * (2 / 2) * 4**2)
    with pytest.raises(FileError, match=r"kt = sqrt\(3\) / kv"):
        motor("stated: rms, torque_constant: 1, back_emf_constant: 1")


FULL = Motor(
    inertia=1e-4,
    mass=0.2,
    torque_constant=0.05,
    resistance=0.4,
    inductance=1e-3,
    max_torque=2.0,
    max_speed=400.0,
    max_voltage=40.0,
    max_current=30.0,
    max_current_rate=1e5,
    damping=1e-5,
    friction=Friction(0.01, 1e-4, 0.015, 2.0, 300.0, 0.1),
    cogging=Cogging(0.004, 24.0, 0.3),
    ripple=Ripple(0.02, 6.0),
    heat=Heat(1.5, 4.0, 9.0, 120.0, 300.0, 298.15, 0.0039, -0.001, 398.15),
)
ROBOT = Robot(
    "arm",
    [Link("rod", joint=Joint("j", friction=Friction(0.5, static=0.7, stribeck_speed=0.1), damping=0.2), mass=1.0)],
    [Drive("j", FULL, supply=Supply(48.0, 0.1, name="big"), current_control=CurrentControl(5000.0))],
    supply=Supply(24.0, 0.2, False, 30.0, 4.0),
)
PATHS = {
    "supply.voltage": 24.0,
    "supply.brake_resistance": 4.0,
    "j.supply.resistance": 0.1,
    "j.current_control.bandwidth": 5000.0,
    "j.friction.coulomb": 0.5,
    "j.motor.friction.stiffness": 300.0,
    "j.motor.heat.winding_capacity": 9.0,
    "j.motor.cogging.amplitude": 0.004,
    "j.motor.ripple.fraction": 0.02,
    "j.motor.max_current": 30.0,
}


def test_round_trip_of_every_word():
    again = read_yaml(write_yaml(ROBOT))
    assert write_yaml(again) == write_yaml(ROBOT)
    assert (again.drives[0].motor, again.supply, again.drives[0].supply) == (
        replace(FULL, position=again.drives[0].motor.position),
        ROBOT.supply,
        ROBOT.drives[0].supply,
    )
    assert again.drives[0].current_control == ROBOT.drives[0].current_control
    assert again.links[0].joint.friction == ROBOT.links[0].joint.friction


@pytest.mark.parametrize("path", PATHS)
def test_paths_of_the_new_words(path):
    assert parameter(ROBOT, path) == PATHS[path]
    changed = with_parameters(ROBOT, {path: 0.75 * PATHS[path]} if "brake" not in path else {path: 5.0})
    assert parameter(changed, path) != PATHS[path]


def test_short_forms_of_friction():
    robot = arm("damping: 2e-5, friction: 3 mNm", joint=", damping: 0.4, friction: 0.5 Nm")
    m, joint = robot.drives[0].motor, robot.links[0].joint
    assert (m.friction, m.total_friction) == (0.003, Friction(0.003, 2e-5))
    assert (joint.friction, joint.total_friction) == (0.5, Friction(0.5, 0.4))
    assert read_yaml(write_yaml(robot)) == robot


def test_heat_by_time_constants_and_in_celsius():
    words = "winding_housing: 1.7 K/W, housing_ambient: 6 K/W, winding_time_constant: 16.2 s"
    heat = motor(f"heat: {{{words}, housing_time_constant: 714 s, ambient: 20 °C, max_temperature: 125 degC}}").heat
    assert heat.winding_capacity == pytest.approx(16.2 / 1.7)
    assert heat.housing_capacity == pytest.approx(714 / 6)
    assert (heat.ambient, heat.max_temperature) == (293.15, 398.15)
    assert (heat.winding_time_constant, heat.housing_time_constant) == pytest.approx((16.2, 714))


@pytest.mark.parametrize("text", ["25", "25.0", "25 degC", "25 °C", "298.15 K"])
def test_a_temperature_means_the_same_in_robot_and_task_files(text):
    stated = ", ".join(f"{word}: {text}" for word in TEMPERATURE_FIELDS)
    heat = motor(f"heat: {{winding_housing: 1, winding_capacity: 2, {stated}}}").heat
    task = read_task(f"task: t\nmotions: [{{pause: 1}}]\nambient: {text}")
    assert [getattr(heat, word) for word in TEMPERATURE_FIELDS] == [298.15] * 3 == [task.ambient] * 3


@given(st.floats(200.0, 500.0))
def test_temperatures_come_back_from_a_written_file(kelvin):
    stated = arm("heat: {winding_housing: 1, winding_capacity: 2, ambient: 20}")
    drive = stated.drives[0]
    heat = replace(drive.motor.heat, ambient=kelvin, max_temperature=kelvin + 50)
    warm = replace(stated, drives=(replace(drive, motor=replace(drive.motor, heat=heat)),))
    assert read_yaml(write_yaml(warm)) == warm


def test_the_schema_states_temperatures_in_degrees_celsius():
    heat = schema()["$defs"]["HeatFields"]["properties"]
    assert heat["ambient"]["default"] == heat["reference"]["default"] == "25 degC"
    for rule in (heat["ambient"], task_schema()["properties"]["ambient"]):
        assert rule["anyOf"][0]["description"] == "in degC"


BAD = {
    "motor: friction: {coulomb: 2, static: 1}": "drives[0].motor.friction: | static 1.0 | coulomb 2.0",
    "motor: friction: {coulomb: 2, stifness: 1}": "drives[0].motor.friction.stifness: | 'stiffness'",
    "motor: friction: 2 N": "'2 N'",
    "motor: friction: {viscous: 1, damping: 2}": "drives[0].motor.friction: | `damping` 2.0 | `stiffness`",
    "motor: friction: {coulomb: 1, static: 2, stiffness: 9}": "static 2.0 | coulomb 1.0 | stribeck_speed",
    "motor: heat: {winding_housing: 1, winding_capacity: 2, ambient: 298.15}": (
        "drives[0].motor.heat.ambient: | 298.15 K | 25"
    ),
    "motor: heat: {winding_housing: 1, winding_capacity: 2, ambient: 25 K}": "ambient 25.0 K",
    "motor: heat: {winding_housing: 1}": "drives[0].motor.heat: | winding_capacity | winding_time_constant",
    "motor: heat: {winding_housing: 1, winding_capacity: 2, winding_time_constant: 3}": (
        "drives[0].motor.heat: | winding_capacity | winding_time_constant"
    ),
    "motor: heat: {winding_housing: 1, winding_capacity: 2, housing_capacity: 2}": (
        "drives[0].motor.heat: | housing_ambient"
    ),
    "motor: heat: {winding_housing: 1, winding_capacity: 2, magnet: 0.001}": "magnet 0.001 1/K",
    "motor: ripple: {fraction: 1.5, periods: 6}": "ripple: fraction 1.5",
    "motor: cogging: {amplitude: 1, periods: 0}": "periods=0.0",
    "motor: max_current_rate: 3": "max_current_rate 3.0 A/s",
    "motor: torque_constant: -0.1": "torque_constant=-0.1",
    "motor: max_current: 3 V": "'3 V'",
    "motor: motorconst: [0.1, 0.1, 0.1]": "motorconst | 3 | 2",
    "motor: motorconst: strong": "motorconst 'strong'",
    "motor: thermal: [1, 0, 0]": "thermal | resistance | capacitance | time constant",
    "motor: nominal: [24, 0, 100]": "nominal | voltage | stall torque | no-load speed",
    "motor: inductance: [0, 0.1]": "inductance | time constant | resistance",
    "drive: current_control: {bandwidth: 1 kHz}": "drive 'rod' | 6283.185307179586 rad/s | inductance",
    "drive: supply: {voltage: 0}": "drives[0].supply.voltage: 0",
    "drive: supply: {voltage: 24, regenerates: false}": (
        "drives[0].supply: | brake_voltage | brake_resistance | regenerates"
    ),
    "drive: supply: {voltage: 24, brake_voltage: 20, brake_resistance: 1}": "brake_voltage 20.0 V | voltage 24.0 V",
    "drive: supply: {voltage: 24, brake_voltage: 30}": "drives[0].supply: | brake_voltage | brake_resistance",
}


@pytest.mark.parametrize("words", BAD)
def test_refusals(words):
    where, _, text = words.partition(": ")
    with pytest.raises(FileError) as error:
        arm(text) if where == "motor" else arm("inertia: 1e-4", f", {text}")
    assert all(fact in str(error.value) for fact in BAD[words].split(" | ")), error.value
    assert error.value.problems[0][0] == 6  # the line


def test_words_of_mujoco_in_lists_and_as_attributes():
    attributes = {
        "motorconst": "0.04 0.09",
        "inductance": "0 0.001",
        "saturation": "0 10 500",
        "cogging": "0.01 7 1",
        "thermal": "2 30 0 0.004 25 20",
        "lugre": "300 1 0.5 0.7 0.1",
        "armature": "1e-4",
        "controller": "5 0 1 0 0 36",
    }
    lists = ", ".join(f"{word}: [{text.replace(' ', ', ')}]" for word, text in attributes.items()) + ", resistance: 2"
    with pytest.warns(GearwrightWarning) as caught:
        m = motor(lists)
    assert m.torque_constant == pytest.approx(0.06)  # the geometric mean, as in MuJoCo
    assert (m.resistance, m.inductance, m.max_current, m.max_current_rate, m.max_voltage) == (2, 0.002, 10, 500, 36)
    assert (m.cogging, m.friction) == (Cogging(0.01, 7, 1), Friction(0.5, 0, 0.7, 0.1, 300, 1))
    assert m.heat == Heat(2, 0, 30, None, 293.15, 298.15, 0.004)
    assert (m.inertia, m.coupling) == (1e-4, 0)
    text = str(caught[0].message)
    assert len(caught) == 1
    assert "'rod': motorconst 0.04 0.09 " in text
    assert "{'torque_constant': 0.06}" in text
    assert "controller 5 0 1 0 0 36" in text
    with pytest.warns(GearwrightWarning):
        assert motor(", ".join(f"{word}: '{text}'" for word, text in attributes.items()) + ", resistance: 2") == m


def test_the_nominal_point_of_mujoco():
    with pytest.warns(GearwrightWarning, match="nominal 24 2 400"):
        m = motor("nominal: [24, 2, 400]")
    assert (m.torque_constant, m.resistance) == pytest.approx((0.06, 0.06 * 24 / 2))


def test_the_schema_takes_what_the_reader_takes():
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(schema())
    for words in (
        "motorconst: [0.04, 0.09], resistance: 2, inductance: [0, 0.001], cogging: '0.01 7 1', input: vel",
        "kv: 100 rpm/V, stated: phase, friction: {coulomb: 1 mNm}, heat: {winding_housing: 2, winding_capacity: 3}",
    ):
        data = {"joint": "rod", "motor": yaml.safe_load("{" + words + "}")}
        link = {"name": "rod", "parent": "base", "joint": {"axis": [0, 0, 1], "friction": {"viscous": 1}}}
        assert not list(validator.iter_errors({"robot": "x", "links": [link], "drives": [data]}))
    bad = {"robot": "x", "links": [], "supply": {"voltage": -1}}
    assert list(validator.iter_errors(bad))


def test_a_urdf_and_its_second_file_keep_everything(tmp_path):
    gw.save(ROBOT, tmp_path / "arm.urdf")
    again = gw.load(tmp_path / "arm.urdf")
    assert (again.supply, again.drives[0].supply) == (ROBOT.supply, ROBOT.drives[0].supply)
    assert again.links[0].joint.total_friction == ROBOT.links[0].joint.total_friction
    assert (again.drives[0].motor.heat, again.drives[0].motor.friction) == (FULL.heat, FULL.friction)


def test_an_attached_robot_keeps_its_supply():
    """Its drives stay on one bus, which is not the bus of the robot it is attached to."""
    hand = replace(ROBOT, drives=[replace(ROBOT.drives[0], supply=None)])
    both = attach(replace(ROBOT, frames=[Frame("tool", "rod")]), hand, "tool", "left_")
    assert both.drives[1].supply == replace(ROBOT.supply, name="left_supply")
    assert (both.supply, both.drives[0].supply) == (ROBOT.supply, ROBOT.drives[0].supply)
