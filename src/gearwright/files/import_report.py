"""What happened while a URDF or MJCF was read: what was not understood or is lost, what breaks a rule, notes."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from gearwright.errors import FileError, GearwrightWarning, depth_of_the_caller
from gearwright.files.problems import Problem, Problems
from gearwright.text import listed

ENOUGH = 500
"""Problems of one file after which reading stops, and kinds of ignored elements that a report spells out."""


@dataclass(frozen=True)
class Report:
    """What reading a file found out.

    Args:
        source: the file.
        notes: how something was read: each ratio, the root link, planar joints, ...
        broken: links and joints that break a rule and were accepted all the same; `check` calls them problems.
        ignored: what was not understood and is not in the robot.
        lost: what was understood, but has no words in a robot, by name, and what the robot does without it.
        renamed: what has another name in the robot than in the file; these are among the notes, too.
    """

    source: str
    notes: tuple[str, ...] = ()
    broken: tuple[Problem, ...] = ()
    ignored: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()

    def warning(self) -> str | None:
        """Everything that somebody must know, as one text; None when there is nothing.

        >>> print(Report("arm.urdf", ignored=("gazebo: line 3",)).warning())
        arm.urdf was read, but:
          not understood and left out: gazebo: line 3
        """
        lines = [*map(str, self.broken), *(f"not understood and left out: {what}" for what in self.ignored)]
        lines += [*(f"left out: {what}" for what in self.lost), *self.renamed]
        return "\n  ".join([f"{self.source} was read, but:", *lines]) if lines else None

    def warn(self) -> None:
        """Emit the one warning, if there is something to say, at the line that called Gearwright."""
        text = self.warning()
        if text is not None:
            warnings.warn(text, GearwrightWarning, stacklevel=depth_of_the_caller())


class Findings(Problems):
    """Problems of a file, and what goes into its report, collected while it is read."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.notes: list[str] = []
        self.renamed: list[str] = []
        self.broken: list[Problem] = []
        self._ignored: dict[str, tuple[int, int | None]] = {}
        self._lost: dict[tuple[str, str], list[str]] = {}
        self._counts: dict[str, int] = {}

    def add(self, message: str, path: str = "", line: int | None = None) -> None:
        """Note a problem and go on; a hopeless file is not followed to its end."""
        super().add(message, path, line)
        if len(self.found) >= ENOUGH:
            raise self.error()

    def error(self) -> FileError:
        """The error that lists everything found, what would be accepted in a file without other problems included."""
        self.found, self.broken = [*self.found, *self.broken], []
        return super().error()

    def at(self, element: Any, message: str) -> None:
        """Note a problem at an element: its line, and the names that lead there."""
        if element is None:
            self.add(message)
        else:
            self.add(message, where(element), element.sourceline)

    def accept(self, path: str, line: int | None, message: str) -> None:
        """Note something that breaks a rule and is taken all the same."""
        self.broken.append(Problem(line, path, message))

    def note(self, text: str) -> None:
        """Note how something was read."""
        self.notes.append(text)

    def rename(self, kind: str, old: str, new: str, reason: str) -> None:
        """Note that something has another name in the robot than in the file."""
        self.renamed.append(f"{kind} {old!r} is called {new!r} here: {reason}")
        self.note(self.renamed[-1])

    def ignore(self, what: str, line: int | None = None) -> None:
        """Note something that is not understood; equal words are counted."""
        count, first = self._ignored.get(what, (0, line))
        self._ignored[what] = (count + 1, first)

    def lose(self, kind: str, name: str, consequence: str) -> None:
        """Note something that a robot has no words for, and what it does without it; equal ones share a line."""
        self._lost.setdefault((kind, consequence), []).append(name)

    def settle(self, names: Collection[str]) -> None:
        """Nothing is lost of these after all."""
        left = {kind: [name for name in lost if name not in names] for kind, lost in self._lost.items()}
        self._lost = {kind: lost for kind, lost in left.items() if lost}

    def count(self, what: str) -> None:
        """Count things of a kind that one note speaks of."""
        self._counts[what] = self._counts.get(what, 0) + 1

    def report(self) -> Report:
        """What was found, as a value."""
        lines = [_counted(what, count, line) for what, (count, line) in self._ignored.items()]
        more = [f"... and {len(lines) - ENOUGH} other kinds of elements"] if len(lines) > ENOUGH else []
        ignored = (*lines[:ENOUGH], *more)
        notes = (*self.notes, *(f"{count} {what}" for what, count in self._counts.items()))
        lost = tuple(f"{kind} {_first_of(names)}: {what}" for (kind, what), names in self._lost.items())
        return Report(self.source, notes, tuple(self.broken), ignored, lost, tuple(self.renamed))


def where(element: Any) -> str:
    """The words that lead to an element: `link 'upper'/inertial/mass`."""
    words: list[str] = []
    while element is not None and element.getparent() is not None:
        name = element.get("name")
        words.append(f"{element.tag} {name!r}" if name else str(element.tag))
        element = element.getparent()
    return "/".join(reversed(words))


def _first_of(names: list[str]) -> str:
    more = f" and {len(names) - ENOUGH} more" if len(names) > ENOUGH else ""
    return listed(map(repr, names[:ENOUGH])) + more


def _counted(what: str, count: int, line: int | None) -> str:
    place = "" if line is None else f"line {line}" if count == 1 else f"{count} times, first in line {line}"
    return f"{what}: {place}" if place else what
