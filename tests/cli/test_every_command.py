"""What all commands share: groups in the help, examples, `--quiet`, `--json`, completion, colour on terminals only."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import typer

import gearwright as gw
from gearwright.cli.app import COMMANDS, app
from gearwright.cli.arguments import complete_robot

OFFERED = typer.main.get_command(app).commands  # type: ignore[attr-defined]
WITHOUT_JSON = {"schema", "demo", "studio"}
"""The schema is JSON; the demonstration and the studio are for people."""
TASK = "task: swing\nmotions: [{to: [0.3, 0.2, 0.1], speed: 1, acceleration: 5}]\n"


def options(name: str) -> set[str]:
    return {spelling for one in OFFERED[name].params for spelling in one.opts}


def test_the_help_shows_every_command_in_a_group(run):
    text = run("--help").out
    for group, name, _ in COMMANDS:
        assert f"\n{group}:\n" in text
        assert f"\n  {name} " in text[text.index(group) :]
    assert "..." not in text.replace("[ARGS]...", "")


@pytest.mark.parametrize("name", OFFERED)
def test_every_command_can_be_quiet_and_speak_json(name):
    assert "--quiet" in options(name)
    assert ("--json" in options(name)) == (name not in WITHOUT_JSON)


@pytest.mark.parametrize("name", sorted(set(OFFERED) - {"list", "info", "schema", "demo", "bench", "check", "impact"}))
def test_longer_commands_show_an_example(name):
    assert "Example: gearwright " + name in " ".join((OFFERED[name].help or "").split())


def test_a_quiet_command_says_results_and_errors_only(run, tmp_path):
    words = ("simulate", "elbow", "--until", "0.01", "-o", tmp_path / "run.csv")
    assert run(*words).err
    assert run(*words, "--quiet") == (0, "", "")
    assert run("info", "elbow", "--quiet").out == run("info", "elbow").out
    code, _, err = run("info", "elbo", "--quiet")
    assert code == 2
    assert "'elbow'" in err
    assert run(*words).err, "quietness ends with its command"


def made(folder):
    """Arguments of commands whose result goes into files, or is too long for a screen."""
    (folder / "task.yaml").write_text(TASK)
    return {
        "plan": ("plan", "elbow", "task.yaml", "-o", "motion.csv"),
        "torque": ("torque", "elbow", "motion.csv"),
        "simulate": ("simulate", "elbow", "--until", "0.01", "--samples", "3"),
        "closed-form": ("closed-form", "elbow", "-f", "gravity"),
        "convert": ("convert", "elbow", "copy.urdf"),
        "export": ("export", "elbow", "--to", "urdf", "-o", "out"),
        "excite": ("excite", "elbow", "-o", "excite.csv", "--starts", "1", "--steps", "1", "--harmonics", "2"),
        "sweep": ("sweep", "elbow", "task.yaml", "--over", "link3.mass=1,2", "--workers", "1"),
    }


def test_json_of_commands_that_write_files(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    facts = {}
    for name, words in made(tmp_path).items():
        code, out, err = run(*words, "--json", "--quiet")
        assert (code, err) == (0, "")
        facts[name] = json.loads(out)
    assert facts["sweep"]["columns"]["link3.mass"] == [1.0, 2.0]
    assert facts["plan"]["motions"][0]["largest_speed"] == pytest.approx(1.0)
    assert len(facts["torque"]["columns"]["t"]) == len((tmp_path / "motion.csv").read_text().splitlines()) - 1
    assert max(facts["torque"]["columns"]["tau.j2"]) == facts["torque"]["series"]["tau.j2"]["highest"]
    assert facts["simulate"]["columns"]["q.j2"][-1] == facts["simulate"]["coordinates"]["j2"]["end"]
    assert facts["closed-form"]["text"] == gw.closed_form(gw.gravity, gw.load("elbow")).markdown()
    assert all((tmp_path / file).exists() for name in ("convert", "export") for file in facts[name]["files"])
    assert facts["excite"]["rank"] > 17, "friction is identified beside the base parameters"
    assert facts["sweep"]["points"] == 2
    assert not facts["sweep"]["errors"]
    assert facts["sweep"]["numbers"]["margin"]["least"] is None, "nothing limits it, and JSON has no infinity"


def test_the_shell_completes_robots_and_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elbow_mine.yaml").touch()
    (tmp_path / "elbows").mkdir()
    (tmp_path / "elbow.txt").touch()
    assert complete_robot("elbow") == ["elbow", "elbow_mine.yaml", "elbows/"]
    assert complete_robot("elbows/") == []


def test_a_pipe_sees_no_colour():
    made = subprocess.run(
        [sys.executable, "-m", "gearwright", "info", "elbow"], capture_output=True, check=True, env={"TERM": "xterm"}
    )
    assert b"\x1b" not in made.stdout + made.stderr
