"""What a part's docstring says about its fields, for the file reference: a sentence is written once."""

from __future__ import annotations

import re
from inspect import getdoc

ENTRY = re.compile(r"^    (\w+(?:, \w+)*): (.*)$")


def told(part: type) -> dict[str, str]:
    """Per field what the `Args` of the part, or of what it is based on, say.

    >>> from gearwright.parts import Mesh
    >>> told(Mesh)["second"]
    'names of two wheels or links; a gear fixed to a link is named by the link'
    """
    found: dict[str, str] = {}
    for kind in reversed(part.__mro__[:-1]):
        own = _arguments((kind.__doc__ and getdoc(kind)) or "")
        found |= {name: text for name, text in own.items() if name not in found or not text.startswith("as for")}
    return found


def _arguments(text: str) -> dict[str, str]:
    """The entries below `Args:`; a line further in continues the one before."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in text.partition("\nArgs:\n")[2].splitlines():
        entry = ENTRY.match(line)
        if entry is not None:
            names = entry[1].split(", ")
            found |= dict.fromkeys(names, entry[2])
        elif line.startswith("        ") and names:
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
        else:
            break
    return {name: sentence.removesuffix(".").removesuffix("; or") for name, sentence in found.items()}
