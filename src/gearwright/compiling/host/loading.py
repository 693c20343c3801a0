"""Object files loaded into this process: mapped directly, or through LLVM if that is not possible.

Kernels have no external references (addresses come from a table), and only relative references within themselves. Their
sections are laid out in sequence and the distances filled in, as by a linker: the result is one block of bytes that
runs at any address. That takes a tenth of the time of LLVM, and LLVM need not be loaded if nothing is compiled. The
format is that of the System V ABI: ELF for x86-64, relocatable, little-endian. Object files of other kinds (Windows,
macOS, ARM) are loaded by LLVM.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, Protocol

from gearwright.compiling.host.processor import load_by_llvm

PAGE_BYTES = 4096

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


class CodeImage(NamedTuple):
    """A block of bytes to be loaded at the beginning of a page.

    Args:
        content: code and constants, then writable data.
        written: offset of the writable data, at a page.
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

    def section_bytes(self, code: bytes) -> bytes:
        return bytes(self.size) if self.kind == _EMPTY else code[self.offset : self.offset + self.size]


def code_image(code: bytes) -> CodeImage | None:
    """The block of an object file; None if it is of another kind or has external references."""
    sections = _object_sections(code)
    symbols = next((x for x in sections if x.kind == _SYMBOLS), None)
    if symbols is None:
        return None
    content, written, places = _lay_out_sections(code, sections)
    names = sections[symbols.link].section_bytes(code)
    offsets: list[int | None] = []
    named: dict[str, int] = {}
    for name, _, _, section, value, _ in _SYMBOL.iter_unpack(symbols.section_bytes(code)):
        offset = places[section] + value if section < _FIRST_SPECIAL and section in places else None
        offsets.append(offset)
        if offset is not None and name:
            named[names[name : names.index(b"\0", name)].decode()] = offset
    for place, kind, symbol, addend in _relocations(code, sections, places):
        target = offsets[symbol]
        if kind not in _DISTANCES or target is None:
            return None
        struct.pack_into("<i", content, place, target + addend - place)
    return CodeImage(bytes(content), written, named)


def _object_sections(code: bytes) -> list[_Section]:
    """The sections of an object file for x86-64; none for other files."""
    if len(code) < _HEADER.size or not code.startswith(_IDENTITY):
        return []
    _, kind, machine, _, _, _, first, _, _, _, _, size, count, _ = _HEADER.unpack_from(code)
    if (kind, machine, size) != (_RELOCATABLE, _X86_64, _SECTION.size):
        return []
    return [_Section(*_SECTION.unpack_from(code, first + size * k)) for k in range(count)]


def _lay_out_sections(code: bytes, sections: list[_Section]) -> tuple[bytearray, int, dict[int, int]]:
    """The bytes of all loaded sections, the offset of the writable ones, and the offset of each section."""
    content, places, written = bytearray(), {}, 0  # type: tuple[bytearray, dict[int, int], int]
    for flags in (_LOADED, _LOADED | _WRITTEN):
        for k, section in enumerate(sections):
            if section.flags & (_LOADED | _WRITTEN) == flags:
                content.extend(bytes(-len(content) % max(section.alignment, 1)))
                places[k] = len(content)
                content.extend(section.section_bytes(code))
        content.extend(bytes(-len(content) % PAGE_BYTES))
        written = written or len(content)
    return content, written, places


def _relocations(code: bytes, sections: list[_Section], places: dict[int, int]) -> Iterator[tuple[int, int, int, int]]:
    """Per relocation its offset, kind, symbol and addend."""
    for section in sections:
        if section.kind == _RELOCATIONS and section.info in places:
            for offset, info, addend in _RELOCATION.iter_unpack(section.section_bytes(code)):
                yield places[section.info] + offset, info & 0xFFFFFFFF, info >> 32, addend


_READ, _EXECUTE = 1, 4


class LoadedCode(Protocol):
    """Loaded code."""

    def get_function_address(self, name: str) -> int:
        """The address of a function."""

    def get_global_value_address(self, name: str) -> int:
        """The address of a table."""


class MappedCode:
    """Code in a separate memory mapping, released with this object: code and constants executable, tables writable."""

    def __init__(self, image: CodeImage) -> None:
        self._symbols = image.symbols
        self._memory = mmap.mmap(-1, len(image.content), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._memory.write(image.content)
        self._first = ctypes.c_char.from_buffer(self._memory)
        self._base = ctypes.addressof(self._first)
        if _c_library().mprotect(self._base, image.written, _READ | _EXECUTE) != 0:
            raise PermissionError("this system does not allow a process to execute code that it has written")

    def get_function_address(self, name: str) -> int:
        """The address of a function; 0 if there is none."""
        return self._base + self._symbols[name] if name in self._symbols else 0

    get_global_value_address = get_function_address


@cache
def _c_library() -> ctypes.CDLL:
    """The C library of this process."""
    library = ctypes.CDLL(None)
    library.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return library


def load_code(code: bytes) -> LoadedCode:
    """An object file in memory."""
    image = code_image(code) if sys.platform == "linux" else None
    if image is None:
        return load_by_llvm(code)
    try:
        return MappedCode(image)
    except OSError:
        return load_by_llvm(code)
