"""Task files: YAML -> words, with every problem of the file in one error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from gearwright.files.fields.basic import PlacedWords
from gearwright.files.fields.task import TaskWords
from gearwright.files.problems import Problems
from gearwright.files.reading import read_text
from gearwright.files.yaml.reader import as_path
from gearwright.files.yaml.validation import validated
from gearwright.files.yaml_tree import Node, parse

AnyPlaced = TypeVar("AnyPlaced", bound=PlacedWords)


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
    return _placed(words, root, problems.source)


def _placed(words: TaskWords, root: Node, source: str) -> TaskWords:
    """The words with motions and forces that know their lines: a plan finds out later that they are impossible."""

    def found(word: str, items: Sequence[AnyPlaced]) -> list[AnyPlaced]:
        lines = [root.line_of((word, k)) for k in range(len(items))]
        places = [f"{source}, line {line}: {word}[{k}]" for k, line in enumerate(lines)]
        return [one.found_at(place) for one, place in zip(items, places, strict=True)]

    return words.model_copy(
        update={"motions": found("motions", words.motions), "forces": found("forces", words.forces)}
    )
