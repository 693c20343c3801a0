"""The folder of the cache on disk: where it is, and whether what lies there may be run.

Who can write into the folder decides what this process runs. So it must belong to the user, and nobody else may write
into it; the same holds for every file that is read from it. Of a folder behind a link the real one is checked. On
systems without owners (Windows) the user's profile is protected by the system, and only links are refused.
"""

from __future__ import annotations

import os
import stat
import sys
import warnings
from contextlib import suppress
from pathlib import Path

from gearwright.errors import CacheWarning, depth_of_the_caller

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_said: set[Path] = set()


def directory() -> Path | None:
    """Where entries are, or None when the cache is off."""
    chosen = os.environ.get("GEARWRIGHT_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "gearwright"


def trusted_directory(make: bool = False) -> Path | None:
    """Where entries may be looked for and, once it is made, written; None when the folder is off or not trusted.

    A folder that others could write into is said once per process, with the way out. One that cannot be made is not an
    error: kernels are then compiled in every process.
    """
    where = directory()
    if where is None:
        return None
    if make:
        with suppress(OSError):
            where.mkdir(mode=0o700, parents=True, exist_ok=True)
    wrong = unsafe_directory()
    if wrong:
        _say(where, wrong)
        return None
    return where


def unsafe_directory() -> str | None:
    """Why the folder is not trusted, or None: it is, or it is not there, or the cache is off."""
    where = directory()
    try:
        return objection(os.stat(where)) if where else None
    except OSError:
        return None


def objection(facts: os.stat_result) -> str | None:
    """Why what these facts describe may not be run, or None."""
    if not hasattr(os, "geteuid"):
        return None
    if facts.st_uid != os.geteuid():
        return f"belongs to user {facts.st_uid}, not to user {os.geteuid()} who runs this"
    if facts.st_mode & _OTHERS_WRITE:
        return f"can be written by others (mode {stat.S_IMODE(facts.st_mode):03o})"
    return None


def read_own_file(path: Path) -> bytes:
    """The bytes of a plain file that is the user's alone; a ValueError for a link or somebody else's file.

    What is checked is the open file: nobody can exchange it in between.
    """
    if path.is_symlink():  # where the system cannot refuse links while opening
        raise ValueError("is a link")
    with os.fdopen(os.open(path, os.O_RDONLY | _NO_LINKS), "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
            raise ValueError("is a link or not a file")
        wrong = objection(facts)
        if wrong:
            raise ValueError(wrong)
        return file.read()


def _say(where: Path, wrong: str) -> None:
    if where in _said:
        return
    _said.add(where)  # before the warning, which may be made an error
    warnings.warn(
        f"The cache of compiled kernels is not used: the folder {where} {wrong}, and its files would be run. "
        f"Make it yours alone (chmod 700 on Linux and macOS), name another folder in GEARWRIGHT_CACHE, or set "
        f"GEARWRIGHT_CACHE=off. Until then kernels are compiled in every process.",
        CacheWarning,
        stacklevel=depth_of_the_caller(),
    )
