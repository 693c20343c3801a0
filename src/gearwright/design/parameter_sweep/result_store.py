"""Results of a sweep on disk, written as they come: what was computed before a crash is not lost and not repeated."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from gearwright.errors import FileError
from gearwright.text import listed


class Outcome(NamedTuple):
    """What came of one point: numbers by name, or an error."""

    point: int
    numbers: Mapping[str, float]
    error: str | None


class Store:
    """A SQLite file with one row per point.

    Args:
        path: of the file; None keeps results in memory.
        identity: what the sweep is: another sweep's file is refused.
    """

    def __init__(self, path: Path | None, identity: str) -> None:
        self._path = path
        with self._refusing():
            self._base = sqlite3.connect(":memory:" if path is None else path)
            self._refuse_others()
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS sweep (identity TEXT)")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS points (point INTEGER PRIMARY KEY, numbers TEXT, error TEXT)"
            )
            known = self._base.execute("SELECT identity FROM sweep").fetchone()
            if known is None:
                self._base.execute("INSERT INTO sweep VALUES (?)", (identity,))
                self._base.commit()
        if known is not None and known[0] != identity:
            raise FileError(
                f"{path} holds the results of another sweep (another robot, other points or another measure). Give "
                "another file, or remove this one."
            )

    def _refuse_others(self) -> None:
        """Refuse a database that has tables, but not those of a sweep."""
        tables = {name for (name,) in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not {"sweep", "points"} <= tables:
            raise FileError(
                f"{self._path} is a database of something else, with {listed(sorted(tables))}. Give another file."
            )

    def add(self, outcomes: list[Outcome]) -> None:
        """Keep results; they are on disk when this returns."""
        rows = [(one.point, json.dumps(dict(one.numbers)), one.error) for one in outcomes]
        with self._refusing():
            self._base.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?)", rows)
            self._base.commit()

    def outcomes(self) -> Iterator[Outcome]:
        """All that are there, by point."""
        with self._refusing(), closing(self._base.execute("SELECT * FROM points ORDER BY point")) as rows:
            for index, numbers, error in rows:
                yield Outcome(index, json.loads(numbers), error)

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """A full disk, a folder without rights, a file that is something else."""
        try:
            yield
        except sqlite3.Error as error:
            raise FileError(
                f"{self._path}: results cannot be kept there ({error}). What was written before is safe: free space or "
                "choose another file, and call again."
            ) from error
