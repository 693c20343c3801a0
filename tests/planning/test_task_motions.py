"""Task files: every kind of motion starts where the last one ended, and what is wrong is said by line or number."""

from __future__ import annotations

import contextlib

import jsonschema
import numpy as np
import pytest
import yaml

import gearwright as gw
from gearwright.errors import FileError, InputError, PlanningError
from gearwright.files.fields.task import task_schema
from gearwright.files.yaml.task_reader import read_task
from gearwright.motion import chain, polynomial
from gearwright.planning.paths.task_motions import task_motions, with_task_payload

ARM = gw.load("ur5_like")
MECH = gw.assemble(ARM)
START = [0.1, -1.2, 1.5, 0.3, 0.8, 0.2]
PLACE = gw.placement(MECH, START, "tool").position
AROUND = np.array([[0, 0, 0], [0, 0, 0.1], [0, 0.1, 0.1], [0, 0.05, 0.1]])
LOW, HIGH, ASIDE, CENTRE = (PLACE + AROUND).tolist()
ALL = f"""
task: everything
start: {START}
motions:
  - {{to: {{shoulder_pan: 20 deg}}, speed: 2, acceleration: 8, jerk: 60}}
  - {{to: {START}, speed: 120 deg/s, acceleration: [8, 8, 8, 9, 9, 9], smoothing: 20 ms}}
  - {{line: {{frame: tool, to: {{xyz: {HIGH}}}, speed: 0.5, jerk: 20}}}}
  - {{line: {{frame: tool, to: {{xyz: {LOW}, orientation: any}}, speed: 500 mm/s}}}}
  - {{arc: {{frame: tool, through: {ASIDE}, to: {{xyz: {HIGH}}}, speed: 0.5}}}}
  - {{circle: {{frame: tool, centre: {CENTRE}, axis: [0, 0, 1], angle: 90 deg, speed: 0.5}}}}
  - {{pause: 250 ms}}
  - {{via: [{START}, {{elbow: 1.2}}], speed: 1, acceleration: 5}}
  - {{fastest: {{via: [{START}], share: 90 %}}}}
payload: {{mass: 2, position: [0, 0, 50 mm]}}
ambient: 25
"""


def motions(text, robot=ARM, folder=None):
    words = read_task(text)
    return words, task_motions(with_task_payload(robot, words.payload), words.motions, words.start, folder)


def test_motions_follow_each_other():
    words, ways = motions(ALL)
    assert [one.kind for one in words.motions] == [
        "to",
        "to",
        "line",
        "line",
        "arc",
        "circle",
        "pause",
        "via",
        "fastest",
    ]
    whole = chain(*ways)
    assert whole.names == MECH.coordinates
    assert np.allclose(whole.at(0.0), START)
    assert np.allclose(whole.at(whole.duration), START)
    ends = [gw.placement(MECH, way.at(way.duration), "tool").position - PLACE for way in ways]
    assert np.allclose(ends[2], [0, 0, 0.1], atol=1e-6)
    assert np.allclose(ends[3], 0, atol=1e-6)
    assert np.allclose(ends[4], [0, 0, 0.1], atol=1e-6)
    assert np.allclose(ends[5], [0.05, 0.05, 0.1], atol=1e-6)
    assert ways[6].duration == 0.25
    assert (ways[1].peak(1) <= np.radians(120) + 1e-9).all()
    assert (ways[1].peak(2) <= np.array([8, 8, 8, 9, 9, 9]) * (1 + 1e-12)).all()  # rounding of the profile
    assert ways[1].smoothness == 2


def test_the_payload_of_a_task_counts():
    words, ways = motions(ALL)
    loaded = with_task_payload(ARM, words.payload)
    assert loaded.payload.mass == 2
    assert with_task_payload(ARM, None) is ARM
    use = gw.planning.limit_use(loaded, ways[-1])
    assert use.largest_share.max() == pytest.approx(0.9, abs=1e-6)
    assert words.ambient == pytest.approx(298.15)
    assert (words.repetitions, words.pause) == (None, 0.0)


def test_recordings_lie_beside_the_task(tmp_path):
    way = polynomial(START, np.array(START) + 0.1, 1.0, robot=ARM)
    way.save(tmp_path / "way.csv")
    _, ways = motions("task: t\nmotions: [{file: way.csv}, {pause: 1}]", folder=tmp_path)
    assert np.allclose(ways[0].at(0.5), way.at(0.5))
    with pytest.raises(FileError, match=r"\.\./way\.csv"):
        motions("task: t\nmotions: [{file: ../way.csv}]", folder=tmp_path / "inner")
    with pytest.raises(InputError, match=r"motions\[0\]: way\.csv: .*'elbow'.* 1\.5.*\[0\.1"):
        motions(f"task: t\nstart: {np.zeros(6).tolist()}\nmotions: [{{file: way.csv}}]", folder=tmp_path)


def test_elastic_robots_move_their_joints():
    robot = gw.load("elastic_elbow")
    text = (
        "task: t\nmotions: [{to: [0.3, 0.2, 0.1], speed: 1, acceleration: 4, jerk: 50, smoothing: 50 ms}, {pause: 1}]"
    )
    _, ways = motions(text, robot)
    assert [way.count for way in ways] == [3, 3]
    assert ways[0].smoothness == 3


def test_named_states_are_goals():
    home = gw.parts.NamedState("home", {"j1": 0.4, "j3": -0.2})
    robot = gw.parts.Robot("r", gw.load("elbow").links, states=[home])
    _, ways = motions("task: t\nmotions: [{to: home, speed: 1, acceleration: 4}]", robot)
    assert ways[0].at(9.0).tolist() == [0.4, 0.0, -0.2]


def test_the_schema_accepts_what_the_reader_does():
    jsonschema.validate(yaml.safe_load(ALL), task_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"task": "t", "motions": [{"too": [1]}]}, task_schema())


FACTS = {
    "{to: [0.5, x]}": "motions[0].to: 'x'",
    "{to: {}}": "motions[0].to",
    "{to: [1], sped: 2}": "'speed'",
    "{to: [1], speed: -2}": "-2",
    "{to: [1], speed: 2 kg}": "mass",
    "{to: [1], pause: 2}": "to and pause",
    "{speed: 2}": "motions[0]",
    "{pause: 0.5, speed: 2}": "'pause'",
    "{line: {frame: tool, to: {position: [0, 0, 1]}, speed: 1}, speed: 2}": "'line'",
    "{line: {frame: tool, to: {position: [0, 0]}, speed: 1}}": "motions[0].line.to.position",
    "{line: {frame: tool, to: {}, speed: 1}}": "position, rpy",
    "{line: {frame: tool, to: {rpy: [0, 0, 0], orientation: any}, speed: 1}}": "orientation",
    "{line: {frame: tool, to: {spin: 3}, speed: 1}}": "'spin'",
    "{via: []}": "motions[0].via",
    "{via: [[1], [2]], times: [1]}": "1 times for 2 points",
    "{fastest: {via: [[1]], share: 1.5}}": "1.5",
}


@pytest.mark.parametrize("entry", FACTS)
def test_what_is_wrong_is_said_by_line(entry):
    with pytest.raises(FileError) as found:
        read_task(f"task: t\nmotions:\n  - {entry}\n")
    assert FACTS[entry] in str(found.value)
    assert "line 3" in str(found.value)


def test_broken_texts_are_refused_and_never_more():
    """Letters of a good file taken out, doubled or exchanged: it is read, or it is a FileError."""
    rng = np.random.default_rng(3)
    letters = list(ALL)
    for _ in range(150):
        broken = list(letters)
        for place in rng.integers(0, len(letters), 3):
            broken[place] = ["", broken[place] * 2, str(rng.choice(list(":[]{},-& 9x\t")))][rng.integers(3)]
        with contextlib.suppress(FileError):
            read_task("".join(broken))


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("motions: [{pause: 1}]", "'task'"),
        ("task: t\nmotions: []", "motions"),
        ("task: t\nmotions: [{pause: 1}]\nrepetitions: 0", "repetitions: 0"),
        ("task: t\nmotions: [{pause: 1}]\nambient: 3 kg", "mass"),
        ("- task", "mapping"),
    ],
)
def test_broken_files_are_refused(text, fact):
    with pytest.raises(FileError, match=fact):
        read_task(text + "\n")


@pytest.mark.parametrize(
    ("entry", "kind", "fact"),
    [
        ("{to: [1, 2], speed: 1, acceleration: 1}", InputError, r"motions\[0\]: 2 .*\b6\b"),
        ("{to: {elbo: 1}, speed: 1, acceleration: 1}", InputError, r"'elbo'.*'elbow'"),
        ("{to: home, speed: 1, acceleration: 1}", InputError, "'home'"),
        ("{to: {elbow: 1}, speed: 1}", InputError, "acceleration"),
        ("{to: {elbow: 9}, speed: 1, acceleration: 1}", InputError, r"'elbow'.*\b9\b.*limits"),
        ("{line: {frame: tol, to: {position: [0, 0, 1]}, speed: 1}}", InputError, r"'tol'.*'tool'"),
        ("{line: {frame: tool, to: {position: [0, 0, 9]}, speed: 1}}", PlanningError, r"motions\[0\]: .*'tool'"),
    ],
)
def test_what_the_robot_cannot_do_is_said_by_number(entry, kind, fact):
    with pytest.raises(kind, match=fact):
        motions(f"task: t\nstart: {START}\nmotions: [{entry}]")


def test_jerks_have_units():
    words = "task: t\nmotions: [{to: [0.3, 0.2, 0.1], speed: 60 deg/s, acceleration: 5 rad/s2, jerk: %s}]"
    stated, plain = (motions(words % jerk, gw.load("elbow"))[1][0] for jerk in ("5729.577951 deg/s³", "100"))
    assert stated.duration == pytest.approx(plain.duration, rel=1e-6)
    with pytest.raises(FileError, match=r"acceleration.*jerk"):
        motions(words % "5 rad/s2", gw.load("elbow"))
