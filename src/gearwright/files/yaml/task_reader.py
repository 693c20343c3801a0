"""Task files: YAML -> fields, with all problems of the file in one error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from gearwright.files.fields.basic import LocatedFields
from gearwright.files.fields.task import TaskFields
from gearwright.files.problems import FileProblems
from gearwright.files.reading import read_text
from gearwright.files.yaml.reader import as_path
from gearwright.files.yaml.validation import validate_fields
from gearwright.files.yaml_tree import YamlNode, parse_yaml

AnyLocated = TypeVar("AnyLocated", bound=LocatedFields)


def read_task(source: str | Path) -> TaskFields:
    """Return the fields of a task from a YAML file (a path, or a text that names a .yaml or .yml file) or YAML text.

    >>> read_task('''
    ... task: nod
    ... motions:
    ...   - {to: [30 deg, 0], speed: 1, acceleration: 5}
    ...   - {pause: 500 ms}
    ... ''').motions[1].pause
    0.5

    Raises:
        FileError: the file is not a valid task; `problems` lists all errors.
    """
    path = as_path(source)
    problems = FileProblems("the YAML text" if path is None else str(path))
    root = parse_yaml(str(source) if path is None else read_text(path, "a task"), problems)
    if not isinstance(root.data, dict):
        problems.add("the file is not a mapping. Start with `task: name` and `motions:`.", line=root.line)
        raise problems.to_error()
    words = validate_fields(TaskFields, root.data, root, (), problems)
    problems.raise_if_any()
    assert words is not None  # validated returns None only after adding a problem
    return _with_locations(words, root, problems.source)


def _with_locations(words: TaskFields, root: YamlNode, source: str) -> TaskFields:
    """Return the fields with the lines of motions and forces, for errors that planning detects later."""

    def locate_entries(word: str, items: Sequence[AnyLocated]) -> list[AnyLocated]:
        lines = [root.line_of((word, k)) for k in range(len(items))]
        places = [f"{source}, line {line}: {word}[{k}]" for k, line in enumerate(lines)]
        return [entry.with_location(place) for entry, place in zip(items, places, strict=True)]

    return words.model_copy(
        update={"motions": locate_entries("motions", words.motions), "forces": locate_entries("forces", words.forces)}
    )
