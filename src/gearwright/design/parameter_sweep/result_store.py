"""Results of a sweep on disk, written as they come: what was computed before a crash is not lost and not repeated."""

from __future__ import annotations

import json
import sqlite3
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from gearwright.compiling.host.disk_cache import source_digest
from gearwright.errors import FileError, GearwrightWarning, depth_of_the_caller
from gearwright.text import listed


class Outcome(NamedTuple):
    """What came of one point: numbers by name, or an error."""

    point: int
    numbers: Mapping[str, float]
    error: str | None


class Store:
    """A SQLite file with one row per point.

    A file that another version of the program wrote is not continued, because two versions may compute different
    numbers: it is renamed, a warning says so, and every point is computed again.

    Args:
        path: of the file; None keeps results in memory.
        identity: what the sweep is: another sweep's file is refused.
    """

    def __init__(self, path: Path | None, identity: str) -> None:
        self._path = path
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
