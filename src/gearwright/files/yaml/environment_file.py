"""An environment file: surfaces and loops in addition to those of the robot file."""

from __future__ import annotations

from pathlib import Path

from gearwright.files.problems import FileProblems
from gearwright.files.reading import read_text
from gearwright.files.yaml.reader import read_node
from gearwright.files.yaml.writer import robot_fields
from gearwright.files.yaml_tree import YamlNode, parse_yaml
from gearwright.parts import Robot
from gearwright.text import did_you_mean

ENVIRONMENT_FIELDS = ("environment", "loops")
EXAMPLE_SURFACE = "{name: floor, frame: tool, surface: {plane: {point: [0, 0, -0.3]}}}"


def with_environment(robot: Robot, path: str | Path) -> Robot:
    """Return the robot with the surfaces and loops of a YAML file, whose only fields are `environment` and `loops`.

    Raises:
        FileError: the file has other fields, or its entries do not fit the robot.
    """
    problems = FileProblems(str(path))
    root = parse_yaml(read_text(Path(path), "`environment:` with a list of surfaces"), problems)
    if not isinstance(root.data, dict) or not root.data:
        problems.add(
            f"the file is not a mapping. Start with `environment:` and a list, with entries such as {EXAMPLE_SURFACE}."
        )
        raise problems.to_error()
    for word, entries in root.data.items():
        line = root.line_of((word,))
        if word not in ENVIRONMENT_FIELDS:
            problems.add(f"the field is unknown. {did_you_mean(word, ENVIRONMENT_FIELDS)}", word, line)
        elif not isinstance(entries, list):
            problems.add(
                f"this field must be a list. Start each entry with '- ', such as - {EXAMPLE_SURFACE}.", word, line
            )
    problems.raise_if_any()
    words = robot_fields(robot)
    # The entries of the file come first, so that their numbers in messages are those of the file.
    merged = words | {word: [*entries, *words.get(word, [])] for word, entries in root.data.items()}
    return read_node(YamlNode(merged, root.line, root.size, root.members), str(path))
