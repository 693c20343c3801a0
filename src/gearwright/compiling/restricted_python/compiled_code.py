"""The machine code of translated functions: optimised, cached, loaded, and called with a workspace."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from gearwright.compiling.host import disk_cache
from gearwright.compiling.host.known_processor import host_processor
from gearwright.compiling.host.loading import load_code
from gearwright.compiling.host.machine_code import array_address
from gearwright.compiling.host.processor import compile_module
from gearwright.compiling.restricted_python.translation import Translation
from gearwright.compiling.restricted_python.walker import workspace_fields

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double)


class RestrictedCode:
    """Translated functions of one workspace, loaded."""

    def __init__(self, code: bytes, entries: Sequence[str]) -> None:
        self._engine = load_code(code)
        self._entries = {name: _ENTRY(self._engine.get_function_address(name)) for name in entries}

    def entry_function(self, name: str) -> Callable[[int], int]:
        """An entry function of the address of the workspace; it releases the GIL."""
        return self._entries[name]


@cache
def compile_restricted(modules: tuple[ModuleType, ...], workspace: type, entries: tuple[str, ...]) -> RestrictedCode:
    """The code of the functions of some modules, from the cache or compiled now."""
    key = disk_cache.entry_key("driver", entries, host_processor())  # the key covers all source files
    entry = disk_cache.read_entry(key)
    if entry is None:
        text = f'target triple = "{host_processor().triple}"\n{Translation(modules, workspace, entries).module_text()}'
        entry = disk_cache.CacheEntry({}, compile_module(text, host_processor(), 1, loops=True))
        disk_cache.write_entry(key, entry)
    return RestrictedCode(entry.code, entries)


class WorkspaceMemory:
    """A workspace in memory, eight bytes per field, with references to its arrays and callbacks."""

    def __init__(self, workspace: type) -> None:
        self._fields = workspace_fields(workspace)
        self._words = np.zeros(len(self._fields), dtype=np.int64)
        self._floats = self._words.view(np.float64)
        self._kept: dict[str, Any] = {}
        self.address = array_address(self._words)

    def __contains__(self, name: str) -> bool:
        """Whether a field is a number or points to an array."""
        return self._fields[name][1] in ("float", "int") or name in self._kept

    def __getitem__(self, name: str) -> Any:
        """The number of a field, or the array that it points to."""
        place, kind = self._fields[name]
        if kind == "float":
            return float(self._floats[place])
        return int(self._words[place]) if kind == "int" else self._kept[name]

    def __setitem__(self, name: str, value: Any) -> None:
        place, kind = self._fields[name]
        if kind == "float":
            self._floats[place] = value
        elif kind == "int":
            self._words[place] = value
        elif kind in ("Floats", "Ints"):
            array = np.ascontiguousarray(value, dtype=np.float64 if kind == "Floats" else np.int64)
            self._kept[name], self._words[place] = array, array_address(array)
        elif kind == "Table":
            packed = np.array(value, dtype=np.int64)
            self._kept[name], self._words[place] = packed, array_address(packed)
        else:
            self._kept[name], self._words[place] = value, _code_address(value)


def _code_address(code: Any) -> int:
    """The address of code: a kernel, or a function to call back."""
    address = getattr(code, "address", None)
    return int(ctypes.cast(code, ctypes.c_void_p).value or 0) if address is None else int(address)


def as_callback(function: Callable[[float], int]) -> Any:
    """A Python function of time as code that the driver can call."""
    return _CALLBACK(function)
