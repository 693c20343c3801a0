"""The processor as an earlier process found it: asking LLVM for it means to load LLVM."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec

from gearwright.compiling.host import disk_cache
from gearwright.compiling.host.processor import Host, asked_host

_TELLING = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")
"""What Linux says of a processor that tells it from others."""


@cache
def host() -> Host:
    """This machine, from the cache or as LLVM says."""
    told = fingerprint()
    if told is None:
        return asked_host()
    key = disk_cache.key_of("host", told)
    entry = disk_cache.read(key)
    if entry is not None:
        with suppress(TypeError):  # fields of another release
            return Host(**{**entry.facts, "llvm": tuple(entry.facts["llvm"])})
    found = asked_host()
    disk_cache.write(key, disk_cache.Entry(asdict(found), b""))
    return found


def fingerprint() -> tuple[object, ...] | None:
    """What tells this processor and the installed LLVM from others; None where that takes LLVM itself."""
    spec = find_spec("llvmlite") if sys.platform == "linux" else None
    if spec is None or spec.origin is None:
        return None
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            processor = told_by(file.read(1 << 14))
        installed = os.stat(spec.origin)
    except OSError:
        return None
    return (processor, spec.origin, installed.st_size, installed.st_mtime_ns) if processor else None


def told_by(text: str) -> tuple[tuple[str, str], ...]:
    r"""What Linux's list of processors says of the first one, as far as it tells it from others.

    >>> told_by("processor : 0\nmodel name : Zen 3\nflags : avx2 fma\ncpu MHz : 2445\n\nprocessor : 1\n")
    (('model name', 'Zen 3'), ('flags', 'avx2 fma'))
    """
    pairs = (line.partition(":") for line in text.partition("\n\n")[0].splitlines())
    found = tuple((name.strip(), value.strip()) for name, _, value in pairs if name.strip() in _TELLING)
    return found if any(name == "flags" for name, _ in found) else ()
