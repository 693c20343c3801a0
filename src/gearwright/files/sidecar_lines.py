"""The lines of a sidecar for problems of the robot that it makes together with its URDF."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gearwright.errors import FileError
from gearwright.files.problems import Problems
from gearwright.files.yaml_tree import Node
from gearwright.files.yaml_tree import Path as Words

STEP = re.compile(r"\[(\d+)\]|([^.\[]+)")


@dataclass(frozen=True)
class SidecarLines:
    """Where a sidecar states what.

    Args:
        root: the sidecar.
        path: its file.
    """

    root: Node
    path: Path

    def of_link(self, name: str, word: str) -> int:
        """The line of a word of a link, or of the link."""
        return self.root.line_of((*self._link(name), word))

    def of_words(self, spelled: str, links: tuple[str, ...]) -> int | None:
        """The line of words of the whole robot, such as `links[0].mass`; None where the URDF states them.

        Args:
            spelled: the words.
            links: names of the whole robot's links, in its order.
        """
        path = _steps(spelled)
        if len(path) > 1 and path[0] == "links" and isinstance(path[1], int):
            own = self._link(links[path[1]])
            stated = bool(own) and _stated(self.root, (*own, *path[2:3]))
            return self.root.line_of((*own, *path[2:])) if stated else None
        return self.root.line_of(path) if _stated(self.root, path[:1]) else None

    def _link(self, name: str) -> Words:
        entries = self.root.data.get("links") or []
        found = [k for k, entry in enumerate(entries) if isinstance(entry, dict) and entry.get("name") == name]
        return ("links", found[0]) if found else ()

    def refuse(self, problems: Problems) -> None:
        """Raise the error if anything was found."""
        if problems.found:
            raise self.named(problems)

    def named(self, problems: Problems) -> FileError:
        """The error, whose problems name the sidecar: who reads the list has the URDF in mind."""
        error = problems.error()
        listed = []
        for line, words, message in error.problems:
            place = f"{self.path.name}, line {line}" if line is not None else self.path.name
            listed.append((None, f"{place}, {words}" if words else place, message))
        return FileError(str(error), listed)


def _steps(spelled: str) -> Words:
    """The words that a path spells.

    >>> _steps("links[0].joint.axis")
    ('links', 0, 'joint', 'axis')
    """
    return tuple(int(number) if number else word for number, word in STEP.findall(spelled))


def _stated(root: Node, path: Words) -> bool:
    """Whether a file has these words."""
    node = root
    for word in path:
        if word not in node.members:
            return False
        node = node.members[word]
    return True
