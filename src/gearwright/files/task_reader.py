"""Task files: YAML -> words, with every problem of the file in one error."""

from __future__ import annotations

from pathlib import Path

from gearwright.files.problems import Problems
from gearwright.files.reading import read_text
from gearwright.files.task_words import TaskWords
from gearwright.files.validation import validated
from gearwright.files.yaml_reader import as_path
from gearwright.files.yaml_tree import parse


def read_task(source: str | Path) -> TaskWords:
    """The words of a task from a YAML file (a path, or a text that names a .yaml or .yml file) or from YAML text.

    >>> read_task('''
    ... task: nod
    ... motions:
    ...   - {to: [30 deg, 0], speed: 1, acceleration: 5}
    ...   - {pause: 500 ms}
    ... ''').motions[1].pause
    0.5

    Raises:
        FileError: the file is not a task; `problems` lists everything that is wrong with it.
    """
    path = as_path(source)
    problems = Problems("the YAML text" if path is None else str(path))
    root = parse(str(source) if path is None else read_text(path, "a task"), problems)
    if not isinstance(root.data, dict):
        problems.add("the file does not hold a mapping. Start with `task: name` and `motions:`.", line=root.line)
        raise problems.error()
    words = validated(TaskWords, root.data, root, (), problems)
    problems.refuse()
    assert words is not None  # validated returns None only after noting a problem
    return words
