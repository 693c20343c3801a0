"""The name of a C package, which is that of its files and its CMake target too."""

from __future__ import annotations

from gearwright.text import c_identifier

_HEADERS = "assert complex ctype errno fenv float limits locale math setjmp signal stdio stdlib string tgmath time"
_TARGETS = "all clean edit_cache help install package package_source preinstall rebuild_cache test"
_DEVICES = "aux con nul prn"
FILES = frozenset(f"{_HEADERS} {_TARGETS} {_DEVICES}".split(" "))
"""Headers of C, targets of CMake, devices of Windows: a package called like one of them would not build."""


def package_name(name: str) -> str:
    """A name as that of header, source and CMake target.

    >>> package_name("test"), package_name("math"), package_name("elbow")
    ('test_', 'math_', 'elbow')
    """
    plain = c_identifier(name)
    return f"{plain}_" if plain.lower() in FILES else plain
