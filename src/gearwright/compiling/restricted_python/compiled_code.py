"""The machine code of translated functions: optimised, kept in the cache, loaded, and called with a workspace."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from gearwright.compiling.host import disk_cache
from gearwright.compiling.host.known_processor import host
from gearwright.compiling.host.loading import loaded
from gearwright.compiling.host.machine_code import address_of
from gearwright.compiling.host.processor import object_code
from gearwright.compiling.restricted_python.translation import Translation, fields_of

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
_BACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double)


class DriverCode:
    """Translated functions of one workspace, loaded."""

    def __init__(self, code: bytes, entries: Sequence[str]) -> None:
        self._engine = loaded(code)
        self._entries = {name: _ENTRY(self._engine.get_function_address(name)) for name in entries}

    def function(self, name: str) -> Callable[[int], int]:
        """An entry; it takes the address of the workspace. The interpreter is let go meanwhile."""
        return self._entries[name]


@cache
def driver_code(modules: tuple[ModuleType, ...], workspace: type, entries: tuple[str, ...]) -> DriverCode:
    """The code of some modules' functions, from the cache or made now."""
    key = disk_cache.key_of("driver", entries, host())  # the key covers all source files
    found = disk_cache.read(key)
    if found is None:
        text = f'target triple = "{host().triple}"\n{Translation(modules, workspace, entries).text()}'
        found = disk_cache.Entry({}, object_code(text, host(), 1, loops=True))
        disk_cache.write(key, found)
    return DriverCode(found.code, entries)


class Memory:
    """A workspace in memory, eight bytes per field; its arrays and callbacks live as long as it does."""

    def __init__(self, workspace: type) -> None:
        self._fields = fields_of(workspace)
        self._words = np.zeros(len(self._fields), dtype=np.int64)
        self._floats = self._words.view(np.float64)
        self._kept: dict[str, Any] = {}
        self.address = address_of(self._words)

    def __contains__(self, name: str) -> bool:
        """Whether a field is a number or has an array behind it."""
        return self._fields[name][1] in ("float", "int") or name in self._kept

    def __getitem__(self, name: str) -> Any:
        """A number, or the array that stands behind a field."""
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
            self._kept[name], self._words[place] = array, address_of(array)
        elif kind == "Table":
            packed = np.array(value, dtype=np.int64)
            self._kept[name], self._words[place] = packed, address_of(packed)
        else:
            self._kept[name], self._words[place] = value, _address(value)


def _address(code: Any) -> int:
    """Where code begins: a kernel's own address, or that of a function to call back."""
    known = getattr(code, "address", None)
    return int(ctypes.cast(code, ctypes.c_void_p).value or 0) if known is None else int(known)


def called_back(function: Callable[[float], int]) -> Any:
    """A Python function of time as code that the driver can call."""
    return _BACK(function)
