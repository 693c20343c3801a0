"""What every command prints of a robot with hostile names: letters and codes, no markup obeyed, files in the folder."""

from __future__ import annotations

import json
import sys
from itertools import cycle, islice

import numpy as np
import pytest

import gearwright as gw
from gearwright.bench.report import BenchmarkReport, ChainTiming, ContenderTime
from gearwright.cli.app import app
from gearwright.motion.csv_files import write_columns
from gearwright.studio.open import Studio
from gearwright.text import visible_text
from support.hostile_names import BORN, NAMES, hostile_robot, rigid
from support.hostile_writers import assert_shown, names_of

ROBOTS = [hostile_robot(list(islice(cycle(NAMES), start, start + BORN))) for start in range(0, len(NAMES), BORN)]
MARKED = hostile_robot(["[red]robot[/red]", "[b]", "[/]", "$x$", "a\x1b[1mb", ":warning:", "\u202e", "a\nb", "[i]\\"])
REACH = ["inverse-kinematics", "robot.yaml", "--frame", MARKED.links[-1].name]
STRIKES = ["--frame", MARKED.links[-1].name, "--normal", "0,0,1", "--initial", "0.1,0.2", "--speeds", "1,1"]
COMMANDS = {
    "info": [["info", "robot.yaml"], ["info", "robot.yaml", "--json"]],
    "check": [["check", "robot.yaml"], ["check", "broken.yaml"], ["check", "light.yaml"]],
    "inverse-kinematics": [[*REACH, "--xyz", "9,0,0"], [*REACH, "--xyz", "9,0,0", "--json"]],
    "plan": [["plan", "robot.yaml", "task.yaml", "-o", "m.csv"]],
    "torque": [["torque", "rigid.yaml", "log.csv", "-o", "tau.csv"]],
    "simulate": [["simulate", "rigid.yaml", "--until", "0.01", "-o", "run.csv", "--plot", "run.svg"]],
    "impact": [["impact", "rigid.yaml", *STRIKES], ["impact", "rigid.yaml", *STRIKES, "--json"]],
    "analyse": [["analyse", "rigid.yaml", "task.yaml", "--report", "page.html"]],
    "compare": [["compare", "robot.yaml", "--plot", "compared.svg"]],
    "modes": [["modes", "robot.yaml", "--plot", "modes.svg"]],
    "draw": [["draw", "robot.yaml", "-o", "robot.svg"]],
    "closed-form": [["closed-form", "rigid.yaml", "--function", "gravity"]],
    "studio": [["studio", "robot.yaml", "--port", "0", "--no-browser"]],
    "train": [["train", "robot.yaml", "--plot", "train.svg"]],
    "errata": [["errata", "robot.yaml", "--plot", "errata.svg"]],
    "convert": [["convert", "robot.yaml", "robot.urdf", "--force"]],
    "export": [["export", "robot.yaml"]],
    "excite": [["excite", "rigid.yaml", "-o", "m.csv", "--steps", "1", "--starts", "1", "--period", "2"]],
    "identify": [["identify", "rigid.yaml", "log.csv"]],
    "twin": [["twin", "rigid.yaml", "log.csv", "-u", f"{MARKED.links[-1].name}.mass=0.5..5", "--report", "page"]],
    "bench": [["bench", "robot.yaml"]],
    "audit": [["audit", "robot.yaml", "--catalogue"], ["audit", "rigid.yaml", "--against", "robot.yaml"]],
}
NAMELESS = {"list", "catalogue", "schema", "demo", "size", "sweep", "studio", "figure"}
"""Commands that take no robot."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def prepare(folder, robot) -> None:
    """The robot as files: as it is, rigid, with a mistake, with a link lighter than its wheels; and a log."""
    gw.save(robot, folder / "robot.yaml")
    gw.save(rigid(robot), folder / "rigid.yaml")
    written = (folder / "robot.yaml").read_text(encoding="utf-8")
    (folder / "broken.yaml").write_text(
        written.replace("mass: 1.5", "mass: -1.5").replace("parent: base", "parent: no")
    )
    (folder / "light.yaml").write_text(written.replace("mass: 1.5", "mass: 0.0"))
    mech = gw.assemble(rigid(robot))
    move = "{to: [0.1, 0.1], speed: 1, acceleration: 4}"
    (folder / "task.yaml").write_text(f"task: {json.dumps(robot.name)}\nmotions: [{move}]\n", encoding="utf-8")
    t = np.linspace(0.0, 4.0, 400)
    q = np.stack([np.sin(2 * t) + 0.3 * np.sin(7 * t), np.cos(3 * t)], axis=1)
    names = [f"{word}.{name}" for word in ("q", "tau") for name in mech.speeds]
    log = write_columns(names, np.concatenate([q, 20 * q], axis=1), t)
    (folder / "log.csv").write_text(log, encoding="utf-8", newline="")
    (folder / "task.yaml").write_text("task: x\nmotions: [{to: [0.1, 0.1], speed: 1, acceleration: 5}]\n")


def stand_in(robots, *_):
    """For the measurement, which takes minutes."""
    lines = [ContenderTime(gw.load(name).name, "task", name, 1.0, 1.0) for name in robots]
    return BenchmarkReport(lines, [], [ChainTiming(2, 100, 0.01, 5.0)])


def test_every_command_is_listed():
    assert {command.name for command in app.registered_commands} == {*COMMANDS, *NAMELESS}


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
@pytest.mark.parametrize("command", COMMANDS)
def test_names_are_shown_and_not_obeyed(command, run, folder, monkeypatch):
    monkeypatch.setattr(sys.modules["gearwright.bench.bench"], "bench", stand_in)
    monkeypatch.setattr(Studio, "wait", lambda opened: opened.stop())
    prepare(folder, MARKED)
    before = set(folder.parent.iterdir())
    for arguments in COMMANDS[command]:
        code, out, err = run(*arguments)
        assert code in (0, 2), err
        assert code == 0 or command in ("analyse", "audit", "check", "convert", "inverse-kinematics"), err
        assert_shown(out)
        assert_shown(err)
    assert set(folder.parent.iterdir()) == before


def test_markup_is_printed_as_it_is(run, folder):
    prepare(folder, MARKED)
    out = run("info", "robot.yaml").out
    for name in ("[red]robot[/red]", "[b]", "[/]", ":warning:", "a\\x1b[1mb", "$x$"):
        assert name in out
    facts = json.loads(run("info", "robot.yaml", "--json").out)
    assert [link["name"] for link in facts["links"]] == [link.name for link in MARKED.links]


@pytest.mark.parametrize("number", range(len(ROBOTS)))
def test_info_of_every_hostile_name(number, run, folder):
    prepare(folder, ROBOTS[number])
    code, out, err = run("info", "robot.yaml")
    assert code == 0, err
    assert_shown(out)
    assert_shown(err)
    joined = "".join(out.split())
    for link in ROBOTS[number].links:
        assert "".join(visible_text(link.name).split())[:40] in joined


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil"])
def test_a_robot_is_exported_into_this_folder(name, run, folder, tmp_path_factory):
    place = folder / "deep" / "deeper"
    place.mkdir(parents=True)
    prepare(place, hostile_robot([name, *"abcdefgh"]))
    assert run("export", place / "robot.yaml").code == 0
    made = {path.name for path in folder.iterdir()}
    assert {"deep"} < made
    assert len(made) == 2
    assert not [path for path in tmp_path_factory.getbasetemp().glob("*evil*")]


def test_messages_of_the_command_line_hold_no_controls(run, folder):
    prepare(folder, MARKED)
    for arguments in (
        ["torque", "robot.yaml", "robot.yaml"],
        ["modes", "robot.yaml", "--q", "1"],
        ["simulate", "robot.yaml", "--until", "1", "--initial", "1"],
        ["info", "missing\x1b[31m.yaml"],
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert_shown(err)
    assert len(names_of(MARKED)) == BORN


def test_a_terminal_without_the_letters_gets_codes(folder):
    import os
    import subprocess
    import sys

    prepare(folder, hostile_robot(["関節", *"abcdefgh"]))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "gearwright", "info", "robot.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert "\\u95a2\\u7bc0" in done.stdout
