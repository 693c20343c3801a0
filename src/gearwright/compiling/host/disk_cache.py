"""The cache on disk: machine code of earlier processes, and whether its folder can be trusted.

Entries are files named by their key, the hash of everything that the code depends on. A file holds its key and the hash
of all it holds, so that one that is damaged, or belongs to another key, is recognised and made anew; it is written
under another name and renamed, so that several processes may write at once. The least recently used entries go when the
directory exceeds its size. A directory that cannot be read or written is not an error: kernels are then compiled in
every process.

Who can write into the folder decides what this process runs. So it must belong to the user, and nobody else may write
into it; the same holds for every file that is read from it. Of a folder behind a link the real one is checked. On
systems without owners (Windows) the user's profile is protected by the system, and only links are refused.

`GEARWRIGHT_CACHE` names another directory; `GEARWRIGHT_CACHE=off` switches the cache off.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gearwright._version import __version__
from gearwright.errors import CacheWarning, depth_of_the_caller

# The folder and its trust

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


# Entries

PACKAGE_ROOT = Path(__file__).parents[2]
"""The folder of the package."""

LIMIT = 256 * 2**20
"""Bytes that the directory may hold."""

SHARE = 32
"""Of the limit a process writes this part before it looks through the directory again, beside at its first entry.

Looking takes longer with every entry that is there; so several processes may exceed the limit by a part each.
"""

_DIGEST = 32
"""Bytes of a SHA-256, with which a file begins."""


class Entry(NamedTuple):
    """What is stored: facts about the kernel, and its object file."""

    facts: dict[str, Any]
    code: bytes


_unseen: dict[Path, int] = {}
"""Per directory the bytes that this process wrote since it last looked through it."""


@cache
def source_digest() -> str:
    """The hash of every source file of the package: whichever of them changes, no old machine code is taken.

    Most files could not change machine code. Finding out which takes five times as long as reading them all.
    """
    total = hashlib.sha256(__version__.encode())  # tells releases apart where there is no source to read
    for name in sorted(_source_files(str(PACKAGE_ROOT))):
        with open(name, "rb") as file:
            data = file.read()
        total.update(f"{name[len(str(PACKAGE_ROOT)) :].replace(os.sep, '/')} {len(data)}\n".encode())
        total.update(data)
    return total.hexdigest()


def _source_files(folder: str) -> Iterator[str]:
    """Every source file below a folder, as text: paths as objects take longer than reading the files."""
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                yield from _source_files(entry.path)
            elif entry.name.endswith(".py"):
                yield entry.path


def key_of(*facts: object) -> str:
    """The name of an entry: the hash of everything the code depends on."""
    return hashlib.sha256("\n".join([source_digest(), *map(repr, facts)]).encode()).hexdigest()


def read(key: str) -> Entry | None:
    """A stored entry, or None if it is not there, damaged, of another key, a link or not the user's own."""
    where = trusted_directory()
    if where is None:
        return None
    path = where / f"{key}.kernel"
    try:
        entry = _unpacked(key, read_own_file(path))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        _forget(path)
        return None
    with suppress(OSError):
        os.utime(path)
    return entry


def write(key: str, entry: Entry) -> None:
    """Store an entry; a directory that cannot be written to is left alone."""
    where = trusted_directory(make=True)
    if where is None:
        return
    with suppress(OSError):
        handle, temporary = tempfile.mkstemp(dir=where, prefix=".", suffix=".tmp")
        data = _packed(key, entry)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, where / f"{key}.kernel")
        except BaseException:  # a full disk, an interruption: nothing half written stays
            _forget(Path(temporary))
            raise
        _bound(where, len(data))


def _bound(where: Path, written: int) -> None:
    """Keep the directory within its size, now that so many bytes more are there."""
    unseen = _unseen.get(where, LIMIT) + written
    if unseen * SHARE >= LIMIT:
        _trim(where)
        unseen = 0
    _unseen[where] = unseen


def _packed(key: str, entry: Entry) -> bytes:
    """The hash of the rest; the key and a line feed; the facts after their length; the code."""
    facts = json.dumps(entry.facts).encode()
    rest = f"{key}\n".encode() + len(facts).to_bytes(8, "little") + facts + entry.code
    return hashlib.sha256(rest).digest() + rest


def _unpacked(key: str, data: bytes) -> Entry:
    """The entry in a file's bytes; a ValueError unless they are whole and belong to the key."""
    head, rest = f"{key}\n".encode(), data[_DIGEST:]
    if hashlib.sha256(rest).digest() != data[:_DIGEST] or not rest.startswith(head):
        raise ValueError("damaged, or of another key")
    begin = len(head) + 8
    end = begin + int.from_bytes(rest[len(head) : begin], "little")
    return Entry(json.loads(rest[begin:end]), rest[end:])


def _trim(where: Path) -> None:
    """Remove the entries used least recently until the rest fits, and what broken-off writers left behind."""
    found = []
    with os.scandir(where) as entries:
        for entry in entries:
            if entry.name.endswith(".kernel") or (entry.name.startswith(".") and entry.name.endswith(".tmp")):
                with suppress(OSError):  # another process may have removed it
                    facts = entry.stat(follow_symlinks=False)
                    found.append((facts.st_mtime, facts.st_size, Path(entry.path)))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= LIMIT:
            return
        _forget(path)
        total -= size


def _forget(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
