"""Results of a sweep on disk, written as they are computed: results before a crash are neither lost nor repeated."""

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
from gearwright.errors import FileError, GearwrightWarning, caller_stack_level
from gearwright.file_access import require_regular_file
from gearwright.files.size_limits import quoted_short
from gearwright.text import listed_names


class PointOutcome(NamedTuple):
    """The result of one point: numbers by name, or an error."""

    point: int
    numbers: Mapping[str, float]
    error: str | None


def _finite_number(text: str) -> float:
    """A finite number; infinity and NaN, which a measure may return, are stored by name."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is too large")
    return value


class ResultStore:
    """A SQLite file with one row per point.

    A file of another version of the program is not continued, because two versions may compute different numbers: it is
    renamed with a warning, and every point is computed again.

    Args:
        path: of the file; None keeps results in memory.
        identity: of the sweep; the file of another sweep is rejected.
        count: number of points of the sweep.
    """

    def __init__(self, path: Path | None, identity: str, count: int) -> None:
        self._path, self._count = path, count
        if path is not None and path.exists():
            require_regular_file(path)
        with self._database_errors():
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
            stored_identity = self._base.execute("SELECT identity FROM sweep").fetchone()
            if stored_identity is None:
                self._base.execute("INSERT INTO sweep VALUES (?, ?)", (identity, source_digest()))
                self._base.commit()
        if stored_identity is not None and stored_identity[0] != identity:
            raise FileError(
                f"{path} holds the results of another sweep (another robot, other points or another measure). Give "
                "another file, or remove this one."
            )

    def _connect(self) -> sqlite3.Connection:
        self._base = sqlite3.connect(":memory:" if self._path is None else self._path)
        self._base.execute("PRAGMA trusted_schema=OFF")
        self._require_sweep_tables()
        return self._base

    def _is_of_another_version(self) -> bool:
        """Whether the file holds a sweep of another version of the program."""
        columns = [row[1] for row in self._base.execute("PRAGMA table_info(sweep)")]
        if not columns:
            return False
        rows = self._base.execute("SELECT version FROM sweep").fetchall() if "version" in columns else [(None,)]
        return any(version != source_digest() for (version,) in rows)

    def _require_sweep_tables(self) -> None:
        """Raise an error for a database with other tables than those of a sweep."""
        tables = {name for (name,) in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not {"sweep", "points"} <= tables:
            raise FileError(
                f"{self._path} is not the store of a sweep: its tables are {listed_names(sorted(tables))}. Give "
                "another file."
            )

    def add(self, outcomes: list[PointOutcome]) -> None:
        """Store results; they are on disk when this returns."""
        rows = [(outcome.point, json.dumps(dict(outcome.numbers)), outcome.error) for outcome in outcomes]
        with self._database_errors():
            self._base.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?)", rows)
            self._base.commit()

    def outcomes(self) -> Iterator[PointOutcome]:
        """All stored results, by point."""
        query = "SELECT rowid, point, numbers, error FROM points ORDER BY point"
        with self._database_errors(), closing(self._base.execute(query)) as rows:
            previous = None
            for row, point, numbers, error in rows:
                if point == previous:
                    raise self._row_error(row, f"point {point!r} has another row")
                previous = point
                yield self._outcome_of_row(row, point, numbers, error)

    def _outcome_of_row(self, row: int, point: object, numbers: object, error: object) -> PointOutcome:
        """The result in a row, checked because a file may have been edited."""
        if not isinstance(point, int) or not 0 <= point < self._count:
            raise self._row_error(row, f"point is {quoted_short(str(point))}, not one of 0 to {self._count - 1}")
        if error is not None and not isinstance(error, str):
            raise self._row_error(row, f"error is {quoted_short(str(error))}, not a text")
        try:
            values = (
                json.loads(numbers, parse_float=_finite_number, parse_int=_finite_number)
                if isinstance(numbers, str)
                else None
            )
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise self._row_error(row, f"numbers is {quoted_short(str(numbers))}, not numbers by name in JSON")
        for name, value in values.items():
            if not isinstance(value, float):
                raise self._row_error(row, f"{name} is {quoted_short(str(value))}, not a number")
        return PointOutcome(point, values, error)

    def _row_error(self, row: int, problem: str) -> FileError:
        return FileError(
            f"{self._path}, row {row} of the table points: {problem}. Delete this row, and the sweep computes it again."
        )

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    @contextmanager
    def _database_errors(self) -> Iterator[None]:
        """Convert errors of the file system and of SQLite to file errors."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter if SQLite quotes a corrupt file
            raise FileError(
                f"{self._path}: results cannot be stored ({error}). Earlier results are safe: free space or choose "
                "another file, and call again."
            ) from error


def _rename_earlier(path: Path) -> None:
    """Rename the store of another version, with a warning."""
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
        stacklevel=caller_stack_level(),
    )
