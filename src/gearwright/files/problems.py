"""Collecting what is wrong with a file, so that one run shows all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from gearwright.errors import FileError, GearwrightError

SHOWN = 50
"""How many problems a message spells out; all of them are in `FileError.problems`."""
ENOUGH = 500
"""Problems after which a file is not followed to its end."""


class Problem(NamedTuple):
    """One thing that is wrong: the line (from 1; None: the whole file), the words that lead there, and what to do."""

    line: int | None
    path: str
    message: str

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line is not None else ""
        return f"{where}{self.path}: {self.message}" if self.path else f"{where}{self.message}"


class Problems:
    """A list that fills while a file is read and becomes one FileError."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Problem] = []

    def add(self, message: str, path: str = "", line: int | None = None) -> None:
        """Note a problem and go on; a hopeless file is not followed to its end."""
        problem = Problem(line, path, message)
        if problem not in self.found:
            self.found.append(problem)
        if len(self.found) >= ENOUGH:
            raise self.error()

    @contextmanager
    def of(self, path: str, line: int | None) -> Iterator[None]:
        """Turn an error of a part (or of an attached file) into a problem of these words."""
        try:
            yield
        except GearwrightError as error:
            self.add(str(error), path, line)

    def error(self) -> FileError:
        """The error that lists everything found."""
        found = sorted(self.found, key=lambda p: (p.line is None, p.line or 0))
        return FileError(message(self.source, found), found)

    def refuse(self) -> None:
        """Raise the error if anything was found."""
        if self.found:
            raise self.error()


def message(source: str, found: Iterable[Problem]) -> str:
    """All problems as one text.

    >>> print(message("arm.yaml", [Problem(3, "links[0].mass", "negative."), Problem(None, "", "no drives.")]))
    arm.yaml: 2 problems
      line 3: links[0].mass: negative.
      no drives.
    """
    lines = [str(problem) for problem in found]
    if len(lines) == 1:
        return f"{source}, {lines[0]}" if lines[0].startswith("line") else f"{source}: {lines[0]}"
    more = [f"... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "\n  ".join([f"{source}: {len(lines)} problems", *lines[:SHOWN], *more])
