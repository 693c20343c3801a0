"""Collection of all problems of a file, reported together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from gearwright.errors import FileError, GearwrightError

MAX_SHOWN_PROBLEMS = 50
"""Number of problems listed in a message; `FileError.problems` has all."""
MAX_PROBLEMS = 500
"""Number of problems after which reading stops."""


class FileProblem(NamedTuple):
    """One problem of a file: the line (from 1; None: the whole file), the path of the field, and the message."""

    line: int | None
    path: str
    message: str

    def __str__(self) -> str:
        line_text = f"line {self.line}: " if self.line is not None else ""
        return f"{line_text}{self.path}: {self.message}" if self.path else f"{line_text}{self.message}"


class FileProblems:
    """The problems of a file, collected while it is read and raised as one FileError."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.entries: list[FileProblem] = []

    def add(self, message: str, path: str = "", line: int | None = None) -> None:
        """Add a problem; raise after too many."""
        problem = FileProblem(line, path, message)
        if problem not in self.entries:
            self.entries.append(problem)
        if len(self.entries) >= MAX_PROBLEMS:
            raise self.to_error()

    @contextmanager
    def collect_errors(self, path: str, line: int | None) -> Iterator[None]:
        """Add an error of a part (or of an attached file) as a problem of these fields."""
        try:
            yield
        except GearwrightError as error:
            self.add(str(error), path, line)

    def to_error(self) -> FileError:
        """Return the error with all problems."""
        ordered = sorted(self.entries, key=lambda p: (p.line is None, p.line or 0))
        return FileError(problems_text(self.source, ordered), ordered)

    def raise_if_any(self) -> None:
        """Raise the error if there are problems."""
        if self.entries:
            raise self.to_error()


def problems_text(source: str, problems: Iterable[FileProblem]) -> str:
    """Return all problems as one text.

    >>> problems = [FileProblem(3, "links[0].mass", "negative."), FileProblem(None, "", "no drives.")]
    >>> print(problems_text("arm.yaml", problems))
    arm.yaml: 2 problems
      line 3: links[0].mass: negative.
      no drives.
    """
    lines = [str(problem) for problem in problems]
    if len(lines) == 1:
        return f"{source}, {lines[0]}" if lines[0].startswith("line") else f"{source}: {lines[0]}"
    rest_lines = [f"... and {len(lines) - MAX_SHOWN_PROBLEMS} more"] if len(lines) > MAX_SHOWN_PROBLEMS else []
    return "\n  ".join([f"{source}: {len(lines)} problems", *lines[:MAX_SHOWN_PROBLEMS], *rest_lines])
