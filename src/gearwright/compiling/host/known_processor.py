"""The processor as detected by an earlier process, which avoids loading LLVM."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec

from gearwright.compiling.host import disk_cache
from gearwright.compiling.host.processor import HostProcessor, detect_processor

_PROCESSOR_FIELDS = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")
"""Fields of /proc/cpuinfo that distinguish processors."""


@cache
def host_processor() -> HostProcessor:
    """This machine, from the cache or as detected by LLVM."""
    identity = processor_fingerprint()
    if identity is None:
        return detect_processor()
    key = disk_cache.entry_key("host", identity)
    entry = disk_cache.read_entry(key)
    if entry is not None:
        with suppress(TypeError):  # fields of another release
            return HostProcessor(**{**entry.facts, "llvm": tuple(entry.facts["llvm"])})
    processor = detect_processor()
    disk_cache.write_entry(key, disk_cache.CacheEntry(asdict(processor), b""))
    return processor


def processor_fingerprint() -> tuple[object, ...] | None:
    """Identifies this processor and the installed LLVM; None if that requires loading LLVM."""
    spec = find_spec("llvmlite") if sys.platform == "linux" else None
    if spec is None or spec.origin is None:
        return None
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            processor = processor_fields(file.read(1 << 14))
        installed = os.stat(spec.origin)
    except OSError:
        return None
    return (processor, spec.origin, installed.st_size, installed.st_mtime_ns) if processor else None


def processor_fields(text: str) -> tuple[tuple[str, str], ...]:
    r"""The distinguishing fields of the first processor in the text of /proc/cpuinfo.

    >>> processor_fields("processor : 0\nmodel name : Zen 3\nflags : avx2 fma\ncpu MHz : 2445\n\nprocessor : 1\n")
    (('model name', 'Zen 3'), ('flags', 'avx2 fma'))
    """
    pairs = (line.partition(":") for line in text.partition("\n\n")[0].splitlines())
    fields = tuple((name.strip(), value.strip()) for name, _, value in pairs if name.strip() in _PROCESSOR_FIELDS)
    return fields if any(name == "flags" for name, _ in fields) else ()
