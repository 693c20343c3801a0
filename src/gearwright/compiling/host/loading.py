"""Object files in memory: as blocks that this process maps itself, or through LLVM where it cannot."""

from __future__ import annotations

import ctypes
import mmap
import sys
from functools import cache
from typing import Protocol

from gearwright.compiling.host import loaded_by_llvm
from gearwright.compiling.image import Image, image_of

_READ, _EXECUTE = 1, 4


class Loaded(Protocol):
    """Loaded code."""

    def get_function_address(self, name: str) -> int:
        """Where a function begins."""

    def get_global_value_address(self, name: str) -> int:
        """Where a table begins."""


class Block:
    """Code in a mapping of its own, gone when nobody needs it: code and constants can be run, tables be written."""

    def __init__(self, image: Image) -> None:
        self._symbols = image.symbols
        self._memory = mmap.mmap(-1, len(image.content), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._memory.write(image.content)
        self._first = ctypes.c_char.from_buffer(self._memory)
        self._base = ctypes.addressof(self._first)
        if _library().mprotect(self._base, image.written, _READ | _EXECUTE) != 0:
            raise PermissionError("this system does not let a process run code that it has written")

    def get_function_address(self, name: str) -> int:
        """Where a function begins; 0 where there is none."""
        return self._base + self._symbols[name] if name in self._symbols else 0

    get_global_value_address = get_function_address


@cache
def _library() -> ctypes.CDLL:
    """The C library of this process."""
    library = ctypes.CDLL(None)
    library.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return library


def loaded(code: bytes) -> Loaded:
    """An object file in memory."""
    image = image_of(code) if sys.platform == "linux" else None
    if image is None:
        return loaded_by_llvm(code)
    try:
        return Block(image)
    except OSError:
        return loaded_by_llvm(code)
