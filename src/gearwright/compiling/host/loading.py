"""Object files loaded into this process: as blocks that it maps itself, or through LLVM where it cannot.

Kernels refer to nothing outside themselves (addresses come through a table), and within themselves by distances alone.
So their sections are laid out in sequence and the distances written in, as a linker does: one block of bytes that runs
at any address. That takes a tenth of the time that LLVM needs, and LLVM itself need not be loaded where nothing is
compiled. The format is that of the System V ABI: ELF for x86-64, relocatable, little-endian. Object files of other
kinds (Windows, macOS, ARM) are left to LLVM.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, Protocol

from gearwright.compiling.host.processor import loaded_by_llvm

PAGE = 4096

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_IDENTITY = b"\x7fELF\x02\x01\x01"
_RELOCATABLE, _X86_64 = 1, 62
_SYMBOLS, _RELOCATIONS, _EMPTY = 2, 4, 8
_WRITTEN, _LOADED = 1, 2
_FIRST_SPECIAL = 0xFF00
_DISTANCES = (2, 4)
"""R_X86_64_PC32 and R_X86_64_PLT32: symbol + addend - place, in four bytes."""


class Image(NamedTuple):
    """A block of bytes to be loaded at the beginning of a page.

    Args:
        content: code and constants, then what is written to.
        written: where that begins, at a page.
        symbols: per name its offset.
    """

    content: bytes
    written: int
    symbols: dict[str, int]


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int

    def content(self, code: bytes) -> bytes:
        return bytes(self.size) if self.kind == _EMPTY else code[self.offset : self.offset + self.size]


def image_of(code: bytes) -> Image | None:
    """The block of an object file; None where it is of another kind, or refers to something outside itself."""
    sections = _sections(code)
    symbols = next((x for x in sections if x.kind == _SYMBOLS), None)
    if symbols is None:
        return None
    content, written, places = _laid_out(code, sections)
    names = sections[symbols.link].content(code)
    offsets: list[int | None] = []
    named: dict[str, int] = {}
    for name, _, _, home, value, _ in _SYMBOL.iter_unpack(symbols.content(code)):
        offset = places[home] + value if home < _FIRST_SPECIAL and home in places else None
        offsets.append(offset)
        if offset is not None and name:
            named[names[name : names.index(b"\0", name)].decode()] = offset
    for place, kind, symbol, addend in _relocations(code, sections, places):
        target = offsets[symbol]
        if kind not in _DISTANCES or target is None:
            return None
        struct.pack_into("<i", content, place, target + addend - place)
    return Image(bytes(content), written, named)


def _sections(code: bytes) -> list[_Section]:
    """The sections of an object file for x86-64; none where it is something else."""
    if len(code) < _HEADER.size or not code.startswith(_IDENTITY):
        return []
    _, kind, machine, _, _, _, first, _, _, _, _, size, count, _ = _HEADER.unpack_from(code)
    if (kind, machine, size) != (_RELOCATABLE, _X86_64, _SECTION.size):
        return []
    return [_Section(*_SECTION.unpack_from(code, first + size * k)) for k in range(count)]


def _laid_out(code: bytes, sections: list[_Section]) -> tuple[bytearray, int, dict[int, int]]:
    """The bytes of all sections that are loaded, where those that are written to begin, and per section its place."""
    content, places, written = bytearray(), {}, 0  # type: tuple[bytearray, dict[int, int], int]
    for flags in (_LOADED, _LOADED | _WRITTEN):
        for k, section in enumerate(sections):
            if section.flags & (_LOADED | _WRITTEN) == flags:
                content.extend(bytes(-len(content) % max(section.alignment, 1)))
                places[k] = len(content)
                content.extend(section.content(code))
        content.extend(bytes(-len(content) % PAGE))
        written = written or len(content)
    return content, written, places


def _relocations(code: bytes, sections: list[_Section], places: dict[int, int]) -> Iterator[tuple[int, int, int, int]]:
    """Per distance to write its place, kind, symbol and addend."""
    for section in sections:
        if section.kind == _RELOCATIONS and section.info in places:
            for offset, info, addend in _RELOCATION.iter_unpack(section.content(code)):
                yield places[section.info] + offset, info & 0xFFFFFFFF, info >> 32, addend


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
