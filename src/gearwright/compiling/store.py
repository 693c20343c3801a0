"""The cache on disk: machine code of earlier processes.

Entries are files named by the hash of everything that the code depends on. A file starts with the hash of its own rest,
so that a damaged one is seen and made anew; it is written under another name and renamed, so that several processes may
write at once. The least recently used entries go when the directory exceeds its size. A directory that cannot be read
or written is no error: kernels are then compiled in every process.

`GEARWRIGHT_CACHE` names another directory; `GEARWRIGHT_CACHE=off` switches the cache off.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

LIMIT = 256 * 2**20
"""Bytes that the directory may hold."""

ROOMS = (
    "algebra",
    "parts",
    "mechanism",
    "dynamics",
    "forces",
    "programs",
    "tracing",
    "compiling",
    "system",
    "simulation",
)
"""The rooms whose source decides what a kernel computes."""


class Entry(NamedTuple):
    """What is stored: facts about the kernel, and its object file."""

    facts: dict[str, Any]
    code: bytes


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


@cache
def source_digest() -> str:
    """The hash of the source of all rooms that decide what a kernel computes."""
    package = Path(__file__).parent.parent
    total = hashlib.sha256()
    for room in ROOMS:
        for file in sorted((package / room).glob("*.py")):
            total.update(file.name.encode())
            total.update(file.read_bytes())
    return total.hexdigest()


def key_of(*facts: object) -> str:
    """The name of an entry: the hash of everything the code depends on."""
    return hashlib.sha256("\n".join([source_digest(), *map(repr, facts)]).encode()).hexdigest()


def read(key: str) -> Entry | None:
    """A stored entry, or None if it is not there or damaged."""
    where = directory()
    if where is None:
        return None
    path = where / f"{key}.kernel"
    try:
        data = path.read_bytes()
        if hashlib.sha256(data[32:]).digest() != data[:32]:
            raise ValueError("damaged")
        os.utime(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        _forget(path)
        return None
    size = int.from_bytes(data[32:40], "little")
    return Entry(json.loads(data[40 : 40 + size]), data[40 + size :])


def write(key: str, entry: Entry) -> None:
    """Store an entry; a directory that cannot be written to is left alone."""
    where = directory()
    if where is None:
        return
    facts = json.dumps(entry.facts).encode()
    rest = len(facts).to_bytes(8, "little") + facts + entry.code
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)  # what lies there will be run
        handle, temporary = tempfile.mkstemp(dir=where, prefix=".", suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(rest).digest() + rest)
        os.replace(temporary, where / f"{key}.kernel")
        _trim(where)
    except OSError:
        return


def _trim(where: Path) -> None:
    """Remove the entries used least recently until the rest fits, and what broken-off writers left behind."""
    found = []
    for path in [*where.glob("*.kernel"), *where.glob(".*.tmp")]:
        try:
            facts = path.stat()
        except OSError:
            continue
        found.append((facts.st_mtime, facts.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= LIMIT:
            return
        _forget(path)
        total -= size


def _forget(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return
