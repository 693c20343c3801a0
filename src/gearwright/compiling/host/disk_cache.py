"""The cache on disk: machine code of earlier processes, and the checks of its folder.

Entries are files named by their key, the hash of everything that the code depends on. A file holds its key and the hash
of its contents: one that is damaged, or belongs to another key, is detected and compiled again. It is written under
another name and renamed, so that several processes may write at once. The least recently used entries are removed when
the directory exceeds its size. A directory that cannot be read or written is not an error: kernels are then compiled in
every process.

Write access to the folder controls the code that this process runs. It must therefore belong to the user, and no other
user may write into it; the same holds for every file in it. For a folder behind a link, its target is checked. On
systems without owners (Windows) the system protects the user's profile, and only links are refused.

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
from gearwright.errors import CacheWarning, caller_stack_level

# The folder and its checks

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_warned_folders: set[Path] = set()


def cache_directory() -> Path | None:
    """The folder of the entries, or None if the cache is off."""
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
    """The folder for reading and, once it exists, writing entries; None if the cache is off or not trusted.

    A folder with write permission for others causes one warning per process, with the remedy. One that cannot be
    created is not an error: kernels are then compiled in every process.
    """
    folder = cache_directory()
    if folder is None:
        return None
    if make:
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    wrong = distrust_reason()
    if wrong:
        _warn_untrusted(folder, wrong)
        return None
    return folder


def distrust_reason() -> str | None:
    """Why the folder is not trusted; None if it is, if it does not exist, or if the cache is off."""
    folder = cache_directory()
    try:
        return ownership_problem(os.stat(folder)) if folder else None
    except OSError:
        return None


def ownership_problem(facts: os.stat_result) -> str | None:
    """Why a file or folder with this status is not trusted, or None."""
    if not hasattr(os, "geteuid"):
        return None
    if facts.st_uid != os.geteuid():
        return f"belongs to user {facts.st_uid}, not to the current user {os.geteuid()}"
    if facts.st_mode & _OTHERS_WRITE:
        return f"is writable by other users (mode {stat.S_IMODE(facts.st_mode):03o})"
    return None


def read_own_file(path: Path) -> bytes:
    """The bytes of a regular file that only the user can write; a ValueError for a link or a file of another user.

    The check is made on the open file, so that it cannot be replaced in between.
    """
    if path.is_symlink():  # for systems that cannot refuse links while opening
        raise ValueError("is a link")
    with os.fdopen(os.open(path, os.O_RDONLY | _NO_LINKS), "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
            raise ValueError("is a link or not a file")
        wrong = ownership_problem(facts)
        if wrong:
            raise ValueError(wrong)
        return file.read()


def _warn_untrusted(folder: Path, wrong: str) -> None:
    if folder in _warned_folders:
        return
    _warned_folders.add(folder)  # before the warning, which may be turned into an error
    warnings.warn(
        f"The cache of compiled kernels is not used: the folder {folder} {wrong}, and its files are executed. "
        f"Restrict it to yourself (chmod 700 on Linux and macOS), name another folder in GEARWRIGHT_CACHE, or set "
        f"GEARWRIGHT_CACHE=off. Until then kernels are compiled in every process.",
        CacheWarning,
        stacklevel=caller_stack_level(),
    )


# Entries

PACKAGE_ROOT = Path(__file__).parents[2]
"""The folder of the package."""

MAX_CACHE_BYTES = 256 * 2**20
"""Largest size of the directory [bytes]."""

CACHE_CHECK_SHARE = 32
"""Share of the limit that a process writes between two scans of the directory; the first is at its first entry.

A scan takes longer with every entry; several processes may exceed the limit by this share each.
"""

_DIGEST_BYTES = 32
"""Bytes of a SHA-256, with which a file begins."""


class CacheEntry(NamedTuple):
    """A cache entry: facts about the kernel, and its object file."""

    facts: dict[str, Any]
    code: bytes


_bytes_since_check: dict[Path, int] = {}
"""Per directory the bytes that this process wrote since its last scan."""


@cache
def source_digest() -> str:
    """The hash of all source files of the package: after a change of any of them, no old machine code is used.

    Most files do not affect machine code, but finding out which takes five times as long as reading them all.
    """
    total = hashlib.sha256(__version__.encode())  # distinguishes releases without readable source
    for name in sorted(_source_files(str(PACKAGE_ROOT))):
        with open(name, "rb") as file:
            data = file.read()
        total.update(f"{name[len(str(PACKAGE_ROOT)) :].replace(os.sep, '/')} {len(data)}\n".encode())
        total.update(data)
    return total.hexdigest()


def _source_files(folder: str) -> Iterator[str]:
    """Paths of all source files below a folder, as strings: Path objects take longer than reading the files."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _source_files(entry.path)
            elif entry.name.endswith(".py"):
                yield entry.path


def entry_key(*facts: object) -> str:
    """The name of an entry: the hash of everything the code depends on."""
    return hashlib.sha256("\n".join([source_digest(), *map(repr, facts)]).encode()).hexdigest()


def read_entry(key: str) -> CacheEntry | None:
    """A stored entry, or None if it is missing, damaged, of another key, a link or owned by another user."""
    folder = trusted_directory()
    if folder is None:
        return None
    path = folder / f"{key}.kernel"
    try:
        entry = _unpack_entry(key, read_own_file(path))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        _remove_file(path)
        return None
    with suppress(OSError):
        os.utime(path)
    return entry


def write_entry(key: str, entry: CacheEntry) -> None:
    """Store an entry; does nothing if the directory cannot be written."""
    folder = trusted_directory(make=True)
    if folder is None:
        return
    with suppress(OSError):
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=".tmp")
        data = _pack_entry(key, entry)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, folder / f"{key}.kernel")
        except BaseException:  # a full disk, an interruption: remove the incomplete file
            _remove_file(Path(temporary))
            raise
        _limit_size(folder, len(data))


def _limit_size(folder: Path, written: int) -> None:
    """Keep the directory within its size after `written` more bytes."""
    unchecked = _bytes_since_check.get(folder, MAX_CACHE_BYTES) + written
    if unchecked * CACHE_CHECK_SHARE >= MAX_CACHE_BYTES:
        _remove_oldest(folder)
        unchecked = 0
    _bytes_since_check[folder] = unchecked


def _pack_entry(key: str, entry: CacheEntry) -> bytes:
    """The hash of the rest; the key and a line feed; the facts after their length; the code."""
    facts = json.dumps(entry.facts).encode()
    content = f"{key}\n".encode() + len(facts).to_bytes(8, "little") + facts + entry.code
    return hashlib.sha256(content).digest() + content


def _unpack_entry(key: str, data: bytes) -> CacheEntry:
    """The entry in a file's bytes; a ValueError unless they are intact and belong to the key."""
    head, content = f"{key}\n".encode(), data[_DIGEST_BYTES:]
    if hashlib.sha256(content).digest() != data[:_DIGEST_BYTES] or not content.startswith(head):
        raise ValueError("damaged, or of another key")
    begin = len(head) + 8
    end = begin + int.from_bytes(content[len(head) : begin], "little")
    return CacheEntry(json.loads(content[begin:end]), content[end:])


def _remove_oldest(folder: Path) -> None:
    """Remove the least recently used entries until the rest fits, and incomplete files of interrupted writers."""
    files = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".kernel") or (entry.name.startswith(".") and entry.name.endswith(".tmp")):
                with suppress(OSError):  # another process may have removed it
                    facts = entry.stat(follow_symlinks=False)
                    files.append((facts.st_mtime, facts.st_size, Path(entry.path)))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= MAX_CACHE_BYTES:
            return
        _remove_file(path)
        total -= size


def _remove_file(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
