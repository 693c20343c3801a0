"""Numbers typed in the unit of a data sheet without writing it: the check asks for the probable unit."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import gearwright as gw
from gearwright.catalogue.loading import robots
from gearwright.cli.app import app
from gearwright.mechanism.plausibility import implausible_numbers

FILE = """
robot: r
links:
  - name: a
    parent: base
    joint: {kind: revolute, axis: [0, 0, 1], limits: {position: [-3, 3], speed: 3, effort: 100}}
    mass: 5
    com: [0.2, 0, 0]
    inertia: {xx: 0.01, yy: 0.09, zz: 0.09}
drives:
  - joint: a
    motor: {inertia: 347 gcm2, torque_constant: 53.8 mNm/A, resistance: 2.45, inductance: 0.513 mH, max_speed: 600}
    gear: {ratio: 100}
"""


def doubts(tmp_path, text):
    file = tmp_path / "robot.yaml"
    file.write_text(text)
    answer = CliRunner().invoke(app, ["check", str(file), "--json"])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)["warnings"]


@pytest.mark.parametrize(
    ("right", "typed", "part", "probable"),
    [
        ("347 gcm2", "347", "motor.inertia", "347 gcm2"),
        ("53.8 mNm/A", "53.8", "motor.torque_constant", "53.8 mNm/A"),
        ("0.513 mH", "0.513", "motor.inductance", "0.513 mH"),
        ("max_speed: 600", "max_speed: 12000", "motor.max_speed", "12000 rpm"),
        ("resistance: 2.45", "resistance: 2450", "motor.resistance", "2450 mOhm"),
        ("[-3, 3]", "[-180, 180]", "limits.position", "-180 deg"),
        ("speed: 3,", "speed: 180,", "limits.speed", "180 deg/s"),
        ("mass: 5", "mass: 5000", "mass", "5000 g"),
        ("[0.2, 0, 0]", "[200, 0, 0]", "com", "200 mm"),
        ("{xx: 0.01, yy: 0.09, zz: 0.09}", "{xx: 100, yy: 900, zz: 900}", "inertia", "900 kgcm2"),
    ],
)
def test_a_slip_of_units_is_named_with_the_probable_unit(tmp_path, right, typed, part, probable):
    assert right in FILE
    found = doubts(tmp_path, FILE.replace(right, typed, 1))
    assert [part in one["message"] and probable in one["message"] for one in found] == [True]
    assert found[0]["line"] is not None


def test_a_file_with_its_units_raises_no_doubt(tmp_path):
    assert doubts(tmp_path, FILE) == []


@pytest.mark.parametrize("name", robots())
def test_no_bundled_robot_is_doubted(name):
    assert implausible_numbers(gw.load(name)) == []


@pytest.mark.parametrize(
    ("right", "typed", "words"),
    [
        ("ratio: 100", "ratio: 1:100", ["1:100", "two numbers", "100"]),
        ("mass: 5", "mass: 5,2", ["5,2", "comma", "5.2"]),
        ("mass: 5", "mass: 5,2 kg", ["5,2", "comma", "5.2"]),
        ("resistance: 2.45", "resistance: 2,45", ["45", "point"]),
        ("    mass: 5", "\tmass: 5", ["tab"]),
        ("  - joint: a", "\t- joint: a", ["tab"]),
    ],
)
def test_miswritten_numbers_and_tabs_are_named(tmp_path, right, typed, words):
    """The message is about the number or the tab, with its line; none lists units."""
    text = FILE.replace(right, typed, 1)
    file = tmp_path / "robot.yaml"
    file.write_text(text)
    with pytest.raises(gw.errors.FileError) as caught:
        gw.load(file)
    line = 1 + text[: text.index(typed)].count("\n")
    messages = [message for at, _, message in caught.value.problems if at == line]
    assert any(all(word in message for word in words) for message in messages), caught.value
    assert not any("unit" in message for message in messages)
