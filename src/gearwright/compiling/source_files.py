"""Which source files decide what a kernel computes: found from the imports, so that no list can be forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

HOUSE = Path(__file__).parent.parent
"""The folder of the package."""

_NAME = re.compile(rf"{HOUSE.name}(?:\.\w+)+")
_IMPORT = re.compile(rf"from ({HOUSE.name}[\w.]*) import (\([^)]*\)|[^\n]*)")
_WORD = re.compile(r"\w+")


def files_behind(module: str) -> tuple[Path, ...]:
    """All files that can change what the users of a module give it, sorted.

    These are the files that import the module, those that import them (they say what is compiled), and everything that
    any of them imports within the package, directly or not. Names are read from the text, not from what happens to be
    loaded: imports inside functions count, and so does a name in a string; one file too many does no harm.
    """
    files = _modules()
    imports = {name: _imported(file.read_text(encoding="utf-8"), files) for name, file in files.items()}
    users = {name for name, found in imports.items() if module in found}
    waiting = [module, *users, *(name for name, found in imports.items() if found & users)]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(imports.get(name, ()))
    return tuple(sorted(files[name] for name in reached & files.keys()))


def _modules() -> dict[str, Path]:
    """Every module of the package by its name, except the front door: it opens every room, and none takes from it."""
    found = {}
    for file in HOUSE.rglob("*.py"):
        words = file.relative_to(HOUSE.parent).with_suffix("").parts
        found[".".join(words[:-1] if words[-1] == "__init__" else words)] = file
    found.pop(HOUSE.name, None)
    return found


def _imported(text: str, files: Mapping[str, Path]) -> set[str]:
    """The modules whose names stand in a file's text, and the rooms they stand in, whose own file runs first."""
    names = set(_names_in(text))
    names |= {name.rpartition(".")[0] for name in names}
    return names & files.keys()


def _names_in(text: str) -> Iterator[str]:
    """Modules, and names that may be modules, as `from a import b` has them."""
    yield from _NAME.findall(text)
    for module, names in _IMPORT.findall(text):
        yield from (f"{module}.{name}" for name in _WORD.findall(names))
