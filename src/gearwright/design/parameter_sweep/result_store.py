"""Results of a sweep on disk, written as they come: what was computed before a crash is not lost and not repeated."""

from __future__ import annotations

import json
import math
import sqlite3
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from gearwright.compiling.host.disk_cache import source_digest
from gearwright.errors import FileError, GearwrightWarning, depth_of_the_caller
from gearwright.file_access import refuse_irregular
from gearwright.files.size_limits import shortened
from gearwright.text import listed


class Outcome(NamedTuple):
    """What came of one point: numbers by name, or an error."""

    point: int
    numbers: Mapping[str, float]
    error: str | None


def _finite(text: str) -> float:
    """A number that is written with digits; infinity and NaN, which a measure may return, have words of their own."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is too large")
    return value


class Store:
    """A SQLite file with one row per point.

    A file that another version of the program wrote is not continued, because two versions may compute different
    numbers: it is renamed, a warning says so, and every point is computed again.

    Args:
        path: of the file; None keeps results in memory.
        identity: what the sweep is: another sweep's file is refused.
        count: how many points the sweep has.
    """

    def __init__(self, path: Path | None, identity: str, count: int) -> None:
        self._path, self._count = path, count
        if path is not None and path.exists():
            refuse_irregular(path)
        with self._refusing():
            self._base = self._connect()
            if path is not None and self._is_of_another_version():
                self._base.close()
                _rename_earlier(path)
                self._base = self._connect()
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS sweep (identity TEXT, version TEXT)")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS points (point INTEGER PRIMARY KEY, numbers TEXT, error TEXT)"
            )
            known = self._base.execute("SELECT identity FROM sweep").fetchone()
            if known is None:
                self._base.execute("INSERT INTO sweep VALUES (?, ?)", (identity, source_digest()))
                self._base.commit()
        if known is not None and known[0] != identity:
            raise FileError(
                f"{path} holds the results of another sweep (another robot, other points or another measure). Give "
                "another file, or remove this one."
            )

    def _connect(self) -> sqlite3.Connection:
        self._base = sqlite3.connect(":memory:" if self._path is None else self._path)
        self._base.execute("PRAGMA trusted_schema=OFF")
        self._refuse_others()
        return self._base

    def _is_of_another_version(self) -> bool:
        """Whether the file holds a sweep that other sources than these computed."""
        columns = [row[1] for row in self._base.execute("PRAGMA table_info(sweep)")]
        if not columns:
            return False
        rows = self._base.execute("SELECT version FROM sweep").fetchall() if "version" in columns else [(None,)]
        return any(version != source_digest() for (version,) in rows)

    def _refuse_others(self) -> None:
        """Refuse a database that has tables, but not those of a sweep."""
        tables = {name for (name,) in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not {"sweep", "points"} <= tables:
            raise FileError(
                f"{self._path} is a database of something else, with {listed(sorted(tables))}. Give another file."
            )

    def add(self, outcomes: list[Outcome]) -> None:
        """Keep results; they are on disk when this returns."""
        rows = [(outcome.point, json.dumps(dict(outcome.numbers)), outcome.error) for outcome in outcomes]
        with self._refusing():
            self._base.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?)", rows)
            self._base.commit()

    def outcomes(self) -> Iterator[Outcome]:
        """All that are there, by point."""
        query = "SELECT rowid, point, numbers, error FROM points ORDER BY point"
        with self._refusing(), closing(self._base.execute(query)) as rows:
            before = None
            for row, point, numbers, error in rows:
                if point == before:
                    raise self._bad_row(row, f"point {point!r} has another row")
                before = point
                yield self._outcome(row, point, numbers, error)

    def _outcome(self, row: int, point: object, numbers: object, error: object) -> Outcome:
        """What a row states; a file may have been edited by hand."""
        if not isinstance(point, int) or not 0 <= point < self._count:
            raise self._bad_row(row, f"point is {shortened(str(point))}, not one of 0 to {self._count - 1}")
        if error is not None and not isinstance(error, str):
            raise self._bad_row(row, f"error is {shortened(str(error))}, not a text")
        try:
            found = json.loads(numbers, parse_float=_finite, parse_int=_finite) if isinstance(numbers, str) else None
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise self._bad_row(row, f"numbers is {shortened(str(numbers))}, not numbers by name in JSON")
        for name, value in found.items():
            if not isinstance(value, float):
                raise self._bad_row(row, f"{name} is {shortened(str(value))}, not a number")
        return Outcome(point, found, error)

    def _bad_row(self, row: int, what: str) -> FileError:
        return FileError(
            f"{self._path}, row {row} of the table points: {what}. Delete this row, and the sweep computes it again."
        )

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """A full disk, a folder without rights, a file that is something else."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where SQLite quotes a broken file
            raise FileError(
                f"{self._path}: results cannot be kept there ({error}). What was written before is safe: free space or "
                "choose another file, and call again."
            ) from error


def _rename_earlier(path: Path) -> None:
    """Keep a store of another version under a name that is free, and say where."""
    names = (path.with_name(f"{path.name}.earlier{k or ''}") for k in range(1000))
    earlier = next(name for name in names if not name.exists())
    try:
        path.rename(earlier)
    except OSError as error:
        raise FileError(
            f"{path}: another version of Gearwright wrote this store, and it cannot be renamed ({error}). Give "
            "another file."
        ) from error
    warnings.warn(
        f"{path}: another version of Gearwright wrote this store. It is kept as {earlier.name}, and every point is "
        "computed again.",
        GearwrightWarning,
        stacklevel=depth_of_the_caller(),
    )
