"""Where a payload sits: one rule for file, function, task, sweep, studio and command line."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Task, analyse
from gearwright.cli.arguments import with_payload_option
from gearwright.design import sweep
from gearwright.design.variables.beam_links import BeamDesign, with_beam_link
from gearwright.errors import FileError, InputError, StructureError
from gearwright.files import read_yaml
from gearwright.files.yaml.task_reader import read_task
from gearwright.motion import polynomial
from gearwright.parts import Drive, Frame, Gear, Joint, Link, LinkSection, Motor, Payload, Robot, Tube
from gearwright.parts.builders.flexible_links import Beam, with_beam
from gearwright.planning.paths.task_motions import with_task_payload
from gearwright.report import report
from gearwright.studio.session import Session

DH = """
robot: two_link
links:
  - {name: upper, parent: base, joint: {name: j1, dh: {a: 0.4, alpha: 0, d: 0}}, mass: 2, com: [-0.2, 0, 0]}
  - {name: fore, parent: upper, joint: {name: j2, dh: {a: 0.3, alpha: 0, d: 0}}, mass: 1, com: [-0.1, 0, 0]}
drives:
  - {joint: j1, motor: {inertia: 1e-4}, gear: {ratio: 50}}
  - {joint: j2, motor: {inertia: 1e-4}, gear: {ratio: 50}}
gravity: [0, -9.81, 0]
"""
MASS = 5.0
TIP = MASS * 9.81 * np.array([0.7, 0.3])
"""What a mass at the far end adds to the torques of an arm that is stretched out: m g times the levers."""
SWING = polynomial([0, 0], [0.6, -0.4], 1.0)


def arm(**more) -> Robot:
    return replace(read_yaml(DH), **more)


def added(robot: Robot) -> np.ndarray:
    """Torques at rest, stretched out, that a robot's payload takes."""
    return gw.gravity(robot, [0.0, 0.0]) - gw.gravity(replace(robot, payload=None), [0.0, 0.0])


def by_studio(robot: Robot, mass: float, frame: str | None = None) -> Robot:
    session = Session(robot)
    session.set_payload(mass, frame)
    return session.robot


WAYS = {
    "file": lambda words: read_yaml(DH + f"payload: {words}\n"),
    "task": lambda words: Task.read(
        f"task: t\nmotions: [{{to: {{j1: 0.1}}, speed: 1, acceleration: 5}}]\npayload: {words}\n", arm()
    ).loaded_robot(arm()),
    "motion": lambda words: Task.read(
        f"task: t\nmotions: [{{to: {{j1: 0.1}}, speed: 1, acceleration: 5, payload: {words}}}]\n", arm()
    ).loaded_robot(arm()),
}


@pytest.mark.parametrize("way", WAYS)
def test_files_and_tasks_put_it_at_the_tip(way):
    assert added(WAYS[way]("{mass: 5}")) == pytest.approx(TIP, rel=1e-12)
    assert added(WAYS[way]("{mass: 5, link: upper}")) == pytest.approx(MASS * 9.81 * np.array([0.4, 0]), abs=1e-12)
    assert added(WAYS[way]("{mass: 5, frame: upper}")) == pytest.approx([0, 0], abs=1e-12)


def test_functions_put_it_at_the_tip():
    loaded = [arm().with_payload(MASS), arm(payload=Payload(MASS)), Task([SWING], Payload(MASS)).loaded_robot(arm())]
    loaded += [by_studio(arm(), MASS), with_payload_option(arm(), "5")]
    for one in loaded:
        assert added(one) == pytest.approx(TIP, rel=1e-12)


def test_a_sweep_puts_it_there_too():
    found = sweep(
        arm(),
        {"task.payload.mass": [1.0, MASS]},
        Task([SWING], Payload(1.0)),
        options=gw.design.SweepOptions(workers=1),
    )
    wanted = analyse(arm().with_payload(MASS), Task([SWING]), samples=201)
    assert found["j2.rms_torque"][1] == pytest.approx(wanted.drives["j2"].rms_torque, rel=1e-12)


@pytest.mark.parametrize("name", ["tool", "tcp", "tip", "tool0", "flange"])
def test_a_tool_frame_comes_first(name):
    tool = Frame(name, "fore", (0.5, 0, 0))
    wanted = MASS * 9.81 * np.array([0.9, 0.5])
    assert added(arm(frames=[Frame("hook", "fore"), tool]).with_payload(MASS)) == pytest.approx(wanted, rel=1e-12)
    link = Link(name, "fore", Joint(kind="fixed", position=(0.5, 0, 0)))
    fixed = arm(links=[*arm().links, link])
    assert added(fixed.with_payload(MASS)) == pytest.approx(wanted, rel=1e-12)
    other = Frame("tool", "upper", (0.1, 0, 0))
    assert added(arm(frames=[other]).with_payload(MASS, body="fore")) == pytest.approx(TIP, rel=1e-12)


def test_a_frame_of_the_base_is_no_tool():
    robot = arm(frames=[Frame("tool", "base", (1, 0, 0))])
    assert added(robot.with_payload(MASS)) == pytest.approx(TIP, rel=1e-12)
    with pytest.raises(InputError, match=r"tool.*base"):
        robot.with_payload(MASS, frame="tool")


def test_a_frame_is_taken_everywhere():
    frames = [Frame("hook", "upper", (0.1, 0, 0))]
    robot, wanted = arm(frames=frames), MASS * 9.81 * np.array([0.1, 0])
    text = DH + "frames: [{name: hook, link: upper, position: [-0.3, 0, 0]}]\npayload: {mass: 5, frame: hook}\n"
    task = "task: t\nmotions: [{to: {j1: 0.1}, speed: 1, acceleration: 5}]\npayload: {mass: 5, frame: hook}\n"
    loaded = [read_yaml(text), Task.read(task, robot).loaded_robot(robot), robot.with_payload(MASS, frame="hook")]
    loaded += [by_studio(robot, MASS, "hook"), by_studio(robot.with_payload(1.0), MASS, "hook")]
    loaded += [with_payload_option(robot, "5@hook")]
    for one in loaded:
        assert added(one) == pytest.approx(wanted, rel=1e-12, abs=1e-12)


VECTORS = """
robot: vectors
links:
  - name: upper
    joint: {name: j1, vector: {e: [0, 0, 1], e_before: [0, 0, 1], r: [0.2, 0, 0], r_before: [-0.1, 0, 0]}}
    parent: base
    mass: 2
  - name: fore
    joint: {name: j2, vector: {e: [0, 0, 1], e_before: [0, 0, 1], r: [0.1, 0.05, 0], r_before: [-0.2, 0, 0]}}
    parent: upper
    mass: 1
"""
TWISTED = DH.replace("alpha: 0, d: 0}", "alpha: 90 deg, d: 0.1}")
MODIFIED = DH.replace("dh:", "mdh:")


@pytest.mark.parametrize("text", [DH, TWISTED, MODIFIED, VECTORS])
@pytest.mark.parametrize("link", ["", "link: upper, "])
def test_the_numbers_of_a_task_are_in_the_frames_of_the_file(text, link):
    """The same fields mean the same place in the robot's file and in a task."""
    fields = (
        f"payload: {{mass: 5, {link}position: [0.1, 0.03, -0.02], inertia: {{xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01}}}}\n"
    )
    task = "task: t\nmotions: [{to: {j1: 0.1}, speed: 1, acceleration: 5}]\n"
    robot, (q, v, a) = read_yaml(text), np.random.default_rng(4).normal(size=(3, 2))
    wanted = read_yaml(text + fields)
    for loaded in (
        Task.read(task + fields, robot).loaded_robot(robot),
        with_task_payload(robot, read_task(task + fields).payload),
    ):
        assert gw.inverse_dynamics(loaded, q, v, a) == pytest.approx(gw.inverse_dynamics(wanted, q, v, a), rel=1e-12)


def test_position_and_inertia_are_in_the_axes_of_the_frame():
    """As a body of its own that is bolted to the frame."""
    rng = np.random.default_rng(3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    root = rng.normal(size=(3, 3))
    inertia, place = 0.5 * np.trace(root @ root.T) * np.eye(3) - 0.5 * root @ root.T, rng.normal(size=3)
    robot = arm(frames=[Frame("hook", "fore", (0.1, 0.2, -0.3), turn)])
    joint = Joint(kind="fixed", position=(0.1, 0.2, -0.3), rotation=turn)
    bolted = arm(links=[*robot.links, Link("load", "fore", joint, 2.0, place, inertia)])
    loaded = robot.with_payload(2.0, place, inertia=inertia, frame="hook")
    q, v, a = rng.normal(size=(3, 2))
    assert gw.inverse_dynamics(loaded, q, v, a) == pytest.approx(gw.inverse_dynamics(bolted, q, v, a), rel=1e-12)


def test_nothing_is_guessed():
    bare = Robot("bare", [Link("l", mass=1, com=(0.1, 0, 0), inertia=np.eye(3))])
    for way in (
        lambda: bare.with_payload(MASS),
        lambda: replace(bare, payload=Payload(MASS)),
        lambda: Task([SWING], Payload(MASS)).loaded_robot(bare),
        lambda: by_studio(bare, MASS),
        lambda: with_payload_option(bare, "5"),
    ):
        with pytest.raises(StructureError, match=r"'bare'.*link 'l'.*tip"):
            way()
    for words in ("payload: {mass: 1}", "payload: {mass: 1, link: a}"):
        with pytest.raises(FileError, match=r"line 3: .*link 'a'.*tip"):
            read_yaml("robot: r\nlinks: [{name: a, parent: base, joint: {axis: [0, 0, 1]}, mass: 1}]\n" + words)
    branched = arm(links=[*arm().links, Link("other", "upper", mass=1, inertia=np.eye(3))])
    with pytest.raises(StructureError, match="fore, other"):
        branched.with_payload(MASS)
    with pytest.raises(InputError, match="hok"):
        arm().with_payload(MASS, frame="hok")
    with pytest.raises(StructureError, match="hok"):
        gw.assemble(arm(payload=Payload(MASS, frame="hok")))
    with pytest.raises(InputError, match=r"'hook'.*'fore'.*'upper'"):
        arm(frames=[Frame("hook", "fore")]).with_payload(MASS, body="upper", frame="hook")


@pytest.mark.parametrize("ending", ["yaml", "urdf"])
def test_the_tip_is_written_and_read(ending, tmp_path):
    file = tmp_path / f"arm.{ending}"
    gw.save(arm(), file)
    assert added(gw.load(file).with_payload(MASS)) == pytest.approx(TIP, rel=1e-9)
    stated = read_yaml(
        "robot: r\nlinks: [{name: a, parent: base, joint: {axis: [0, 0, 1]}, mass: 1, tip: [0, 0.2, 0]}]\n"
        "payload: {mass: 1}\n"
    )
    assert re.search(r"\btip\b.*'a'", stated.payload_place)
    assert tuple(stated.payload.position) == (0, 0.2, 0)


def test_it_moves_with_a_beam_that_gets_longer():
    section = LinkSection((0.3, 0, 0), Tube(0.04, 0.03))
    links = [Link("l", mass=3, com=(0.15, 0, 0), inertia=np.eye(3), section=section)]
    robot = Robot("r", links, [Drive("l", Motor(1e-4), Gear(50))])
    longer = with_beam_link(robot, "l", section, BeamDesign(section.sections, section.material, 1.5))
    for carrying in (longer.with_payload(1.0), Task([SWING], Payload(1.0)).loaded_robot(longer)):
        assert tuple(carrying.payload.position) == pytest.approx((0.45, 0, 0))


def test_it_sits_on_the_last_segment_of_a_flexible_link():
    robot = Robot("rod", [Link("boom", mass=1, tip=(1.0, 0, 0))])
    cut = with_beam(robot, "boom", Beam(1.0, 2.0, bending=(None, 40.0), segments=4)).with_payload(1.0)
    assert cut.payload.link == "boom.4"
    place = gw.placement(cut, [0.0] * 5, "boom.4").position + np.array([*cut.payload.position])
    assert place == pytest.approx([1, 0, 0])


def test_the_frame_may_be_one_that_an_attachment_brings(tmp_path: Path):
    gripper = "robot: jaw\nlinks: [{name: palm, parent: base, joint: {kind: fixed}, mass: 0.2}]\n"
    (tmp_path / "jaw.yaml").write_text(gripper + "frames: [{name: grip, link: palm, position: [0.1, 0, 0]}]\n")
    text = DH + "frames: [{name: tool, link: fore}]\nattach: [{robot: jaw.yaml, frame: tool, prefix: my_}]\n"
    file = tmp_path / "arm.yaml"
    file.write_text(text + "payload: {mass: 5, frame: my_grip}\n")
    assert added(gw.load(file)) == pytest.approx(MASS * 9.81 * np.array([0.8, 0.4]), rel=1e-12)
    file.write_text(text + "payload: {mass: 5, frame: my_grap}\n")
    with pytest.raises(FileError, match="my_grap"):
        gw.load(file)


def test_reports_say_where_it_sits(tmp_path: Path):
    hook = Frame("hook", "upper", (0.1, 0, 0))
    tasks = {
        "at the tip of link 'fore'": Payload(MASS),
        "at frame 'hook' of link 'upper'": Payload(MASS, frame="hook"),
        "at (0.1, 0.2, 0) m in the joint frame of link 'fore'": Payload(MASS, (0.1, 0.2, 0)),
    }
    for words, load in tasks.items():
        found = analyse(arm(frames=[hook]), Task([SWING], load), samples=21)
        (stated,) = found.summary()["payloads"]
        assert (stated["mass"], stated["place"]) == (MASS, words)
        assert words.replace("'", "&#x27;") in report(found, tmp_path / "r.html").read_text()
    changing = Task([SWING, polynomial([0.6, -0.4], [0, 0], 1.0)], payloads=["none", Payload(MASS)])
    each = analyse(arm(), changing, samples=21).summary()["payloads"]
    assert each[0] is None
    assert each[1]["link"] == "fore"
