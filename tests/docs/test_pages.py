"""The code in the manual's pages runs, and its YAML is a robot."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.files import read_configuration
from gearwright.files.yaml.task_reader import read_task
from gearwright.planning.paths.task_motions import task_motions

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
YAML = [
    pytest.param(text, id=f"{page.stem}-{k}")
    for page in PAGES
    if page.stem != "your_robot"  # whose files tests/cli/test_newcomer.py uses
    for k, text in enumerate(re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL))
]
TASKS = [one for one in YAML if one.values[0].startswith("task:")]
ACTUATORS = [one for one in YAML if one.values[0].startswith("actuators:")]
ROBOTS = [one for one in YAML if one not in TASKS and one not in ACTUATORS]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doctest.testfile(str(page), module_relative=False).failed == 0


@pytest.mark.parametrize("text", ROBOTS)
def test_yaml_is_a_robot(text, tmp_path):
    path = tmp_path / "robot.yaml"
    path.write_text(text)
    mech = gw.assemble(gw.load(path))
    assert mech.n >= 2


@pytest.mark.parametrize("text", ACTUATORS)
def test_yaml_is_an_actuator_configuration(text, tmp_path):
    path = tmp_path / "actuators.yaml"
    path.write_text(text)
    assert read_configuration(path).groups


@pytest.mark.parametrize("text", TASKS)
def test_yaml_is_a_task(text, tmp_path):
    """Every motion can be planned; the recording it names starts where the others end."""
    arm = gw.load("scara" if "{shoulder:" in text else "ur5_like")  # the joints of the page's robot
    words = read_task(text)
    *before, _ = words.motions
    ways = task_motions(arm, before, words.start)
    gw.motion.pause(ways[-1].at(ways[-1].duration), 1.0, robot=arm).save(tmp_path / "recorded.csv")
    assert len(task_motions(arm, words.motions, words.start, tmp_path)) == len(words.motions)
