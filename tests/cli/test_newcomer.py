"""A newcomer's path: the commands of the manual's page on one's own robot, typed as they stand, from its own files."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import gearwright as gw

PAGE = (Path(__file__).parents[2] / "docs" / "your_robot.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (gearwright .*)$", PAGE, re.MULTILINE)
"""What the page says to type."""


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[1]


@pytest.mark.slow
def test_a_urdf_without_rotors_becomes_a_geared_robot(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my_arm.urdf").write_text(block("xml"))
    Path("pick.yaml").write_text(block("yaml"))
    assert len(COMMANDS) <= 10
    *typed, last = (command.split()[1:] for command in COMMANDS)
    assert last[0] == "studio"
    said = {" ".join(words[:2]): run(*words) for words in typed}
    for words, (code, _, err) in said.items():
        assert code == 0, (words, err)
    assert "0 wheels" in said["info my_arm.urdf"].out
    assert "turn, shoulder, elbow" in " ".join(said["size my_arm.urdf"].err.split())
    geared = gw.load("geared.yaml")
    assert [drive.joint for drive in geared.drives] == ["turn", "shoulder", "elbow"]
    assert all(drive.gear.ratio > 1 and drive.motor.inertia > 0 for drive in geared.drives)
    assert "margin" in said["analyse geared.yaml"].out
    assert Path("report.html").read_text().startswith("<!doctype html>")
    assert all(Path(picture).stat().st_size > 10_000 for picture in ("errors.png", "arm.png"))


@pytest.mark.slow
def test_the_studio_opens_as_the_page_says(tmp_path):
    pytest.importorskip("viser")
    gw.save(gw.load("elbow"), tmp_path / "geared.yaml")
    words = [*COMMANDS[-1].split()[1:], "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "gearwright", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as running:
        stopper = threading.Timer(100, running.kill)
        stopper.start()
        try:
            line = next((line for line in running.stderr if "The studio runs at" in line), "")
        finally:
            running.terminate()
            stopper.cancel()
    assert "http://127.0.0.1:" in line
