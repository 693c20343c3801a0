"""An environment in a file of its own: surfaces and loops beside those that the robot's file states."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import FileError
from gearwright.files.problems import Problems
from gearwright.files.reading import read_text
from gearwright.files.yaml_reader import read_words
from gearwright.files.yaml_tree import parse
from gearwright.files.yaml_writer import robot_words
from gearwright.parts import Robot

WORDS = ("environment", "loops")


def with_environment(robot: Robot, path: str | Path) -> Robot:
    """The robot with the surfaces and loops of a YAML file, which has no other words than `environment` and `loops`.

    Raises:
        FileError: the file has other words, or its entries do not fit the robot.
    """
    problems = Problems(str(path))
    data = parse(read_text(Path(path)), problems).data
    problems.refuse()
    if not isinstance(data, dict) or not data or not set(data) <= set(WORDS):
        raise FileError(f"{path}: an environment file has the words `environment` and `loops`, each with a list.")
    words = robot_words(robot)
    for word, entries in data.items():
        words[word] = [*words.get(word, []), *(entries if isinstance(entries, list) else [entries])]
    return read_words(words)
