"""Actuator cards: published friction models, robot files that name them, and texts for other programs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import FileError, InputError
from gearwright.export import (
    actuator_card,
    bundled_cards,
    card_of_drive,
    card_text,
    drive_of_card,
    published_parameters,
    read_card,
)
from gearwright.parts import Drive, Friction, Gear, Joint, Link, LoadFriction, Motor, Robot

ARM = Link("arm", "base", Joint("j", axis=(0, 1, 0)), 0.5, (0.1, 0, 0), np.diag([1e-4, 2e-3, 2e-3]))
YAML = """
robot: pendulum
links: [{{name: arm, parent: base, joint: {{name: j, axis: [0, 1, 0]}}, mass: 0.5, com: [0.1, 0, 0]}}]
drives: [{{joint: j, motor: {{catalogue: {name}}}}}]
"""


def budget(numbers: dict[str, float], w: np.ndarray, motor: np.ndarray, external: np.ndarray) -> np.ndarray:
    """Friction of the published models M1 to M5 at the output shaft, from motor torque and external torque."""
    S = np.exp(-(np.abs(w / numbers.get("dtheta_stribeck", 1.0)) ** numbers.get("alpha", 1.0)))
    x = {word: numbers.get(word, 0.0) for word in ("friction_stribeck", "load_friction_base", "load_friction_stribeck")}
    total = numbers["friction_base"] + numbers["friction_viscous"] * np.abs(w) + S * x["friction_stribeck"]
    total = total + (x["load_friction_base"] + S * x["load_friction_stribeck"]) * np.abs(external - motor)
    for word, factor in (("", 1.0), ("_stribeck", S)):
        shares = [numbers.get(f"load_friction_{side}{word}", 0.0) for side in ("external", "motor")]
        total = total + factor * np.abs(shares[0] * external - shares[1] * motor)
    return total


@pytest.mark.parametrize("model", ["m1", "m2", "m3", "m4", "m5"])
@pytest.mark.parametrize("actuator", ["xl330", "mx106", "erob80_50"])
def test_the_drive_of_a_card_has_the_published_friction(actuator, model):
    """At constant speed the motor torque is gravity plus the friction budget of the published formula."""
    card = actuator_card(f"{actuator}_{model}")
    robot = Robot("pendulum", [ARM], [drive_of_card(card, "j")])
    motion = gw.motion.polynomial([-1.2], [1.2], duration=3.0)
    result = gw.demands(robot, motion, actuators=(), samples=101)
    inner = slice(5, -5)
    w, a = (getattr(result.motion, word)[inner, 0] for word in ("v", "a"))
    bare = gw.assemble(replace(robot, drives=()))
    joint = np.asarray(gw.inverse_dynamics(bare, result.motion.q, result.motion.v, result.motion.a))[inner, 0]
    numbers = published_parameters(card)[1]
    motor = result["j.torque"][inner] - numbers["armature"] * a  # after the acceleration of the rotor
    assert motor - joint == pytest.approx(budget(numbers, w, motor, -joint), rel=1e-6, abs=1e-9)


def test_every_bundled_card_is_its_published_set():
    cards = bundled_cards()
    assert len(cards) == 37
    for name, card in cards.items():
        model, numbers = published_parameters(card)
        assert model.lower() == name[-2:]
        assert card.licence == "Apache-2.0"
        assert "bam" in card.source
        assert numbers["armature"] > 0


def test_reflected_numbers_of_a_geared_card():
    motor = Motor(
        1e-5, torque_constant=0.05, resistance=2.0, friction=Friction(0.01, 1e-4, load=LoadFriction(0.1, 0.1))
    )
    model, numbers = published_parameters(card_of_drive(Drive("j", motor, Gear(50.0)), "own"))
    assert model == "M3"
    assert numbers["kt"] == pytest.approx(2.5)
    assert numbers["armature"] == pytest.approx(1e-5 * 2500)
    assert numbers["friction_base"] == pytest.approx(0.5)
    assert numbers["friction_viscous"] == pytest.approx(0.25)


def test_a_robot_file_names_a_bundled_card_and_one_beside_it(tmp_path):
    path = tmp_path / "robot.yaml"
    path.write_text(YAML.format(name="xl330_m6"))
    motor = gw.load(path).drives[0].motor
    assert replace(motor, catalogue=None) == drive_of_card(actuator_card("xl330_m6"), "j").motor
    own = Drive("j", Motor(1e-5, torque_constant=0.05, resistance=2.0, friction=0.01), Gear(50.0, efficiency=0.8))
    card_of_drive(own, "servo", source="own bench", uncertainty={"motor.inertia": 1e-7}).save(tmp_path / "servo.json")
    path.write_text(YAML.format(name="servo.json"))
    drive = gw.load(path).drives[0]
    assert replace(drive.motor, catalogue=None) == own.motor
    assert drive.gear == own.gear, "the gear of the card is used, since the file states none"
    assert read_card(tmp_path / "servo.json").uncertainty == {"motor.inertia": 1e-7}


def test_bad_cards_are_named(tmp_path):
    path, card = tmp_path / "robot.yaml", tmp_path / "card.json"
    path.write_text(YAML.format(name="../card.json"))
    with pytest.raises(FileError, match="folder"):
        gw.load(path)
    path.write_text(YAML.format(name="missing.json"))
    with pytest.raises(FileError, match=r"missing\.json"):
        gw.load(path)
    card.write_text('{"name": "x"}')
    with pytest.raises(FileError, match="actuator_card"):
        read_card(card)
    card.write_text(json.dumps({"actuator_card": 1, "name": "x", "motor": {"inertia": -1}}))
    with pytest.raises(FileError, match="inertia"):
        read_card(card)
    card.write_text(json.dumps({"actuator_card": 1, "name": "x", "motors": {}}))
    with pytest.raises(FileError, match="motors"):
        read_card(card)
    with pytest.raises(FileError, match="xl330_m6"):
        actuator_card("xl330_m7")
    with pytest.raises(InputError, match="target"):
        card_text(actuator_card("xl330_m1"), "gazebo")


def test_mujoco_runs_the_dcmotor_of_a_card():
    """The stall torque of the text in MuJoCo is K U / R."""
    mujoco = pytest.importorskip("mujoco")
    card = actuator_card("mx106_m1")
    text, missing = card_text(card, "mujoco", "j")
    joint, motor = text.strip().split("\n")
    body = f'<body>{joint}<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{body}</worldbody><actuator>{motor}</actuator></mujoco>"
    )
    data = mujoco.MjData(model)
    data.ctrl[:] = 5.0
    mujoco.mj_forward(model, data)
    numbers = published_parameters(card)[1]
    assert data.actuator_force[0] == pytest.approx(numbers["kt"] * 5.0 / numbers["R"], rel=1e-9)
    assert model.dof_frictionloss[0] == pytest.approx(numbers["friction_base"])
    assert missing == ()


GEARED = card_of_drive(
    Drive("j", Motor(1e-5, torque_constant=0.05, resistance=2.0, friction=0.01, damping=1e-5), Gear(50.0)), "own"
)


WITH_WINDING = [
    name for name, card in bundled_cards().items() if name.endswith("_m1") and "R" in published_parameters(card)[1]
]


@pytest.mark.parametrize("name", [*WITH_WINDING, "own"])
def test_runs_of_the_dcmotor_of_a_card_are_those_of_the_motor(name):
    """A motor that starts under a voltage U: w = w_end (1 - exp(-t / T)) by hand, with T = J / (K^2/R + b)."""
    mujoco = pytest.importorskip("mujoco")
    card = GEARED if name == "own" else actuator_card(name)
    joint, motor = card_text(card, "mujoco", "j")[0].strip().split("\n")
    link, voltage = 0.01, 5.0
    body = f'<body>{joint}<inertial pos="0 0 0" mass="1" diaginertia="{link} {link} {link}"/></body>'
    x = published_parameters(card)[1]
    J, slope = link + x["armature"], x["kt"] ** 2 / x["R"] + x["friction_viscous"]
    end = (x["kt"] * voltage / x["R"] - x["friction_base"]) / slope
    T, steps = J / slope, 4000
    option = f'<option timestep="{T / 1000!r}" integrator="RK4" gravity="0 0 0"/>'
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco>{option}<worldbody>{body}</worldbody><actuator>{motor}</actuator></mujoco>"
    )
    data = mujoco.MjData(model)
    data.ctrl[:], data.qvel[:] = voltage, 0.2 * end  # it turns: friction is at its limit
    speeds = []
    for _ in range(steps):
        mujoco.mj_step(model, data)
        speeds.append(data.qvel[0])
    t = T / 1000 * np.arange(1, steps + 1)
    assert end > 0
    assert speeds == pytest.approx(end * (1 - 0.8 * np.exp(-t / T)), rel=1e-6)


def test_urdf_text_is_read_back(tmp_path):
    text, missing = card_text(actuator_card("xl330_m6"), "urdf", "j")
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    links = f'<link name="base_link"/><link name="arm">{inertial}</link>'
    whole = text.replace("</joint>", '<parent link="base_link"/><child link="arm"/></joint>', 1)
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm">{links}{whole}</robot>')
    robot = gw.load(path)
    numbers = published_parameters(actuator_card("xl330_m6"))[1]
    assert robot.drives[0].motor.inertia == pytest.approx(numbers["armature"])
    assert robot.link_of_joint("j").joint.total_friction.viscous == pytest.approx(numbers["friction_viscous"])
    assert set(missing) == {"friction in proportion to the load", "Stribeck effect", "winding"}
