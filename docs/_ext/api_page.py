"""The reference of the public names, room by room."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import ModuleType

import gearwright
from gearwright import errors, forces, parts

INTRODUCTION = """# Python reference

Everything below is imported as `import gearwright as gw`; parts live in `gw.parts`, laws in `gw.forces`. Units are SI
and radians; arrays are float64, their last axis is the coordinate and leading axes are a batch (see
[conventions](../../conventions.md)).
"""


def api_page() -> str:
    """Functions and classes, parts, laws, errors; what has no docstring of its own is left to its room."""
    names = [name for name in gearwright.__all__ if not name.startswith("__")]
    objects = {name: getattr(gearwright, name) for name in names}
    functions = [name for name, thing in objects.items() if not inspect.isclass(thing) and callable(thing)]
    classes = [name for name, thing in objects.items() if inspect.isclass(thing)]
    modules = [name for name, thing in objects.items() if isinstance(thing, ModuleType) and name != "parts"]
    sections = [
        INTRODUCTION,
        "## Functions\n",
        _directives("autofunction", "gearwright", functions),
        "## Values\n",
        _directives("autoclass", "gearwright", classes, ":members:"),
        *(_module(name) for name in modules),
        "## Parts\n",
        _directives("autoclass", "gearwright.parts", _classes(parts)),
        _directives("autofunction", "gearwright.parts", _functions(parts)),
        "## Laws\n",
        _directives("autoclass", "gearwright.forces", _classes(forces)),
        _directives("autofunction", "gearwright.forces", _functions(forces)),
        "## Errors\n",
        _directives("autoexception", "gearwright.errors", _errors()),
    ]
    return "\n".join(sections)


def _classes(room: ModuleType) -> list[str]:
    """The classes of a room that are not at the front door already."""
    own = [name for name in room.__all__ if getattr(gearwright, name, None) is not getattr(room, name)]
    return [name for name in own if inspect.isclass(getattr(room, name))]


def _functions(room: ModuleType) -> list[str]:
    return [name for name in room.__all__ if inspect.isfunction(getattr(room, name))]


def _errors() -> list[str]:
    return [name for name, thing in vars(errors).items() if inspect.isclass(thing) and issubclass(thing, Exception)]


def _module(name: str) -> str:
    return f"## {name}\n\n" + _directives("automodule", "gearwright", [name], ":members:", ":imported-members:")


def _directives(kind: str, module: str, names: Iterable[str], *options: str) -> str:
    lines = ["```{eval-rst}"]
    for name in names:
        lines += [f".. {kind}:: {module}.{name}", *(f"   {option}" for option in options), ""]
    return "\n".join([*lines, "```", ""])
