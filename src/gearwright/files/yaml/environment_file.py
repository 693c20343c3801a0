"""An environment in a file of its own: surfaces and loops beside those that the robot's file states."""

from __future__ import annotations

from pathlib import Path

from gearwright.files.problems import Problems
from gearwright.files.reading import read_text
from gearwright.files.yaml.reader import read_node
from gearwright.files.yaml.writer import robot_words
from gearwright.files.yaml_tree import Node, parse
from gearwright.parts import Robot
from gearwright.text import did_you_mean

WORDS = ("environment", "loops")
ENTRY = "{name: floor, frame: tool, surface: {plane: {point: [0, 0, -0.3]}}}"


def with_environment(robot: Robot, path: str | Path) -> Robot:
    """The robot with the surfaces and loops of a YAML file, which has no other words than `environment` and `loops`.

    Raises:
        FileError: the file has other words, or its entries do not fit the robot.
    """
    problems = Problems(str(path))
    root = parse(read_text(Path(path), "`environment:` with a list of surfaces"), problems)
    if not isinstance(root.data, dict) or not root.data:
        problems.add(f"it holds no words. Start with `environment:` and a list, each entry such as {ENTRY}.")
        raise problems.error()
    for word, entries in root.data.items():
        where = root.line_of((word,))
        if word not in WORDS:
            problems.add(f"the word is unknown here. {did_you_mean(word, WORDS)}", word, where)
        elif not isinstance(entries, list):
            problems.add(f"a list is wanted here. Start each entry with '- ', such as - {ENTRY}.", word, where)
    problems.refuse()
    words = robot_words(robot)
    # The entries of the file come first, so that messages count them as the file does.
    merged = words | {word: [*entries, *words.get(word, [])] for word, entries in root.data.items()}
    return read_node(Node(merged, root.line, root.size, root.members), str(path))
