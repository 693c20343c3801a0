"""Report of reading a URDF or MJCF: ignored and unrepresentable elements, violated rules, notes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from gearwright.errors import FileError, GearwrightWarning, caller_stack_level
from gearwright.files.problems import FileProblem, FileProblems
from gearwright.text import listed_names

AddUnrepresentable = Callable[[str, str, str], None]
"""Notes an element of a file that is not representable: its kind, its name, and why."""

MAX_REPORTED_KINDS = 500
"""Number of problems after which reading stops, and of kinds of ignored elements listed in a report."""


@dataclass(frozen=True)
class ImportReport:
    """The result of reading a file, apart from the robot.

    Args:
        source: the file.
        notes: interpretations: ratios, the root link, planar joints, ...
        accepted_problems: links and joints that violate a rule and were accepted; `check` reports them as problems.
        ignored: elements that were not recognised and are not in the robot.
        not_representable: elements that a robot cannot represent, by name, with the consequence.
        renamed: parts with another name in the robot than in the file; also listed in the notes.
    """

    source: str
    notes: tuple[str, ...] = ()
    accepted_problems: tuple[FileProblem, ...] = ()
    ignored: tuple[str, ...] = ()
    not_representable: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()

    def warning_text(self) -> str | None:
        """Return all warnings as one text; None if there are none.

        >>> print(ImportReport("arm.urdf", ignored=("gazebo: line 3",)).warning_text())
        arm.urdf was read with warnings:
          not recognised, ignored: gazebo: line 3
        """
        lines = [*map(str, self.accepted_problems), *(f"not recognised, ignored: {text}" for text in self.ignored)]
        lines += [*(f"not representable: {text}" for text in self.not_representable), *self.renamed]
        return "\n  ".join([f"{self.source} was read with warnings:", *lines]) if lines else None

    def emit_warning(self) -> None:
        """Emit the warnings as one warning, at the line that called Gearwright."""
        text = self.warning_text()
        if text is not None:
            warnings.warn(text, GearwrightWarning, stacklevel=caller_stack_level())


class ImportFindings(FileProblems):
    """Problems and report items of a file, collected while it is read."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.notes: list[str] = []
        self.renamed: list[str] = []
        self.accepted_problems: list[FileProblem] = []
        self._ignored: dict[str, tuple[int, int | None]] = {}
        self._not_representable: dict[tuple[str, str], list[str]] = {}
        self._counts: dict[str, int] = {}

    def add(self, message: str, path: str = "", line: int | None = None) -> None:
        """Add a problem; raise after too many."""
        super().add(message, path, line)
        if len(self.entries) >= MAX_REPORTED_KINDS:
            raise self.to_error()

    def to_error(self) -> FileError:
        """Return the error with all problems, including those that would be accepted in an otherwise valid file."""
        self.entries, self.accepted_problems = [*self.entries, *self.accepted_problems], []
        return super().to_error()

    def add_at(self, element: Any, message: str) -> None:
        """Add a problem at an element, with its line and path."""
        if element is None:
            self.add(message)
        else:
            self.add(message, element_path(element), element.sourceline)

    def add_accepted(self, path: str, line: int | None, message: str) -> None:
        """Add a violated rule that is accepted."""
        self.accepted_problems.append(FileProblem(line, path, message))

    def add_note(self, text: str) -> None:
        """Add a note on an interpretation."""
        self.notes.append(text)

    def add_renaming(self, kind: str, old: str, new: str, reason: str) -> None:
        """Add a note that a part has another name in the robot than in the file."""
        self.renamed.append(f"{kind} {old!r} was renamed to {new!r}: {reason}")
        self.add_note(self.renamed[-1])

    def add_ignored(self, text: str, line: int | None = None) -> None:
        """Add an unrecognised element; equal ones are counted."""
        count, first = self._ignored.get(text, (0, line))
        self._ignored[text] = (count + 1, first)

    def add_unrepresentable(self, kind: str, name: str, consequence: str) -> None:
        """Add an element that a robot cannot represent, with the consequence; equal ones share a line."""
        self._not_representable.setdefault((kind, consequence), []).append(name)

    def remove_unrepresentable(self, names: Collection[str]) -> None:
        """Remove these names from the unrepresentable elements."""
        remaining = {
            kind: [name for name in unrepresentable if name not in names]
            for kind, unrepresentable in self._not_representable.items()
        }
        self._not_representable = {
            kind: unrepresentable for kind, unrepresentable in remaining.items() if unrepresentable
        }

    def count_kind(self, kind: str) -> None:
        """Count elements of a kind for one common note."""
        self._counts[kind] = self._counts.get(kind, 0) + 1

    def to_report(self) -> ImportReport:
        """Return the report."""
        lines = [_count_text(text, count, line) for text, (count, line) in self._ignored.items()]
        rest_lines = (
            [f"... and {len(lines) - MAX_REPORTED_KINDS} other kinds of elements"]
            if len(lines) > MAX_REPORTED_KINDS
            else []
        )
        ignored = (*lines[:MAX_REPORTED_KINDS], *rest_lines)
        notes = (*self.notes, *(f"{count} {text}" for text, count in self._counts.items()))
        unrepresentable = tuple(
            f"{kind} {_first_names(names)}: {text}" for (kind, text), names in self._not_representable.items()
        )
        return ImportReport(
            self.source, notes, tuple(self.accepted_problems), ignored, unrepresentable, tuple(self.renamed)
        )


def element_path(element: Any) -> str:
    """Return the path of an element, such as `link 'upper'/inertial/mass`."""
    words: list[str] = []
    while element is not None and element.getparent() is not None:
        name = element.get("name")
        words.append(f"{element.tag} {name!r}" if name else str(element.tag))
        element = element.getparent()
    return "/".join(reversed(words))


def _first_names(names: list[str]) -> str:
    rest_text = f" and {len(names) - MAX_REPORTED_KINDS} more" if len(names) > MAX_REPORTED_KINDS else ""
    return listed_names(map(repr, names[:MAX_REPORTED_KINDS])) + rest_text


def _count_text(text: str, count: int, line: int | None) -> str:
    place = "" if line is None else f"line {line}" if count == 1 else f"{count} times, first in line {line}"
    return f"{text}: {place}" if place else text
