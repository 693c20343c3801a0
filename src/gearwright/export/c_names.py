"""Names of robots and joints as C identifiers."""

from __future__ import annotations

from collections.abc import Iterable

_RESERVED = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
)
KEYWORDS = frozenset(_RESERVED.split(" "))
_HEADERS = "assert complex ctype errno fenv float limits locale math setjmp signal stdio stdlib string tgmath time"
_TARGETS = "all clean edit_cache help install package package_source preinstall rebuild_cache test"
FILES = frozenset(f"{_HEADERS} {_TARGETS}".split(" "))
"""Headers of C and targets of CMake: a package called like one of them would not build."""


def identifier(name: str) -> str:
    """A name as a C identifier.

    >>> identifier("panda like-2"), identifier("6r"), identifier("while")
    ('panda_like_2', '_6r', 'while_')
    """
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name) or "_"
    if plain[0].isdigit():
        plain = f"_{plain}"
    return f"{plain}_" if plain in KEYWORDS else plain


def package_name(name: str) -> str:
    """A name as that of header, source and CMake target.

    >>> package_name("test"), package_name("math"), package_name("elbow")
    ('test_', 'math_', 'elbow')
    """
    plain = identifier(name)
    return f"{plain}_" if plain.lower() in FILES else plain


def distinct(names: Iterable[str]) -> list[str]:
    """Identifiers in upper case, numbered where two names become one.

    >>> distinct(["j.1", "j-1", "elbow"])
    ['J_1', 'J_1_2', 'ELBOW']
    """
    found: list[str] = []
    for name in names:
        base = candidate = identifier(name).upper()
        count = 1
        while candidate in found:
            count += 1
            candidate = f"{base}_{count}"
        found.append(candidate)
    return found
